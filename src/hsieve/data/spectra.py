"""Power spectra of signals: one spectrum a trial, averaged over its channels.

Steps I and II of the frequency selection of [1]_, section 5.2. A trial is a piece of a recording
from several channels, such as EEG during one imagined movement.

Cost: O(m log t) for m values in trials of t points.

References
----------
.. [1] L. Song, A. Smola, A. Gretton, K. Borgwardt, "Supervised feature selection via dependence
   estimation", 2007.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from hsieve.array_types import FloatArray
from hsieve.parameters import number

__all__ = ["PowerSpectra", "power_spectra"]

# Shortest trial that has a frequency besides zero and half the sampling rate.
LEAST_POINTS = 4


@dataclass(frozen=True, eq=False)
class PowerSpectra:
    """Spectra of trials.

    Parameters
    ----------
    frequencies : ndarray of shape (n_frequencies,)
        Rising, without zero.
    power : ndarray of shape (n_trials, n_frequencies)
        Power at each frequency; a table of features for any selector.
    """

    frequencies: FloatArray
    power: FloatArray = field(repr=False)


def power_spectra(
    signals: ArrayLike,
    sampling_rate: float,
    *,
    resolution: float | None = None,
    window: str = "boxcar",
) -> PowerSpectra:
    """Compute power spectra, averaged over channels.

    Parameters
    ----------
    signals : array-like of shape (n_trials, n_channels, n_times) or (n_trials, n_times)
        The signals, finite numbers; two dimensions are one channel.
    sampling_rate : float
        Values a second.
    resolution : float or None, default=None
        Width in Hz of the bins in which the power is averaged; None keeps every frequency, which
        are 1 / duration apart.
    window : str, default="boxcar"
        Window of the trials, as in :func:`scipy.signal.get_window`; "boxcar" is the plain Fourier
        transform of the paper, "hann" leaks less.

    Returns
    -------
    PowerSpectra
        Frequencies above zero and their power. The mean of a trial is taken out.

    Examples
    --------
    >>> import numpy as np
    >>> time = np.arange(200) / 100
    >>> spectra = power_spectra(np.sin(2 * np.pi * 12 * time)[None, :], 100.0)
    >>> float(spectra.frequencies[spectra.power[0].argmax()])
    12.0
    """
    values = np.asarray(signals, dtype=np.float64)
    if values.ndim == 2:
        values = values[:, None, :]
    if values.ndim != 3 or 0 in values.shape or values.shape[2] < LEAST_POINTS:
        msg = (
            "signals must be trials of channels of at least 4 points in time (or trials of points)"
            f", got an array of shape {np.shape(signals)}."
        )
        raise ValueError(msg)
    if not np.isfinite(values).all():
        msg = "signals hold NaN or infinity; only finite numbers are accepted."
        raise ValueError(msg)
    number(above=0).check("sampling_rate", sampling_rate)
    from scipy.signal import periodogram  # quite some modules, which selectors do without

    frequencies, power = periodogram(values, fs=sampling_rate, window=window, detrend="constant")
    spectra = PowerSpectra(frequencies[1:], power.mean(axis=1)[:, 1:])
    return spectra if resolution is None else _binned(spectra, resolution)


def _binned(spectra: PowerSpectra, resolution: float) -> PowerSpectra:
    """Average the power in bins of so many Hz, each at the mean of its frequencies."""
    number(above=0).check("resolution", resolution)
    bins = np.floor(spectra.frequencies / resolution + 1e-9)
    starts = np.concatenate([[0], np.flatnonzero(np.diff(bins)) + 1])
    counts = np.diff(np.append(starts, len(bins)))
    return PowerSpectra(
        np.add.reduceat(spectra.frequencies, starts) / counts,
        np.add.reduceat(spectra.power, starts, axis=1) / counts,
    )
