"""Signals like EEG, in which one rhythm is weaker in one of two classes.

Imagining a movement weakens the rhythm near 12 Hz over the motor cortex. This is what the frequency
selection of [1]_, section 5.2, looks for in real recordings; here the band is known. Drawing n
trials of c channels and t points costs O(n c t log t).

References
----------
.. [1] L. Song, A. Smola, A. Gretton, K. Borgwardt, "Supervised feature selection via dependence
   estimation", 2007.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hsieve.data.spectra import LEAST_POINTS, power_spectra
from hsieve.datasets.base import MIN_SAMPLES, FloatArray, Problem, Seed, draw_signs
from hsieve.parameters import integer, number

# A rhythm that says nothing, as strong as the other, and the spread of both from trial to trial.
IDLE_BAND = (20.0, 24.0)
TRIAL_SPREAD = 0.3
# Power of a rhythm in one channel, beside that of the noise at 1 Hz.
RHYTHM_POWER = 0.3


@dataclass(frozen=True, eq=False)
class BandProblem(Problem):
    """A problem whose features are the frequencies of signals.

    Parameters
    ----------
    name, X, y, relevant, target_kind, description, copies
        As in :class:`Problem`: `X` holds the power spectra of the trials, averaged over channels,
        and `relevant` the frequencies in the band.
    signals : ndarray of shape (n_samples, n_channels, n_times)
        The signals.
    sampling_rate : float
        Values a second.
    frequencies : ndarray of shape (n_features,)
        Frequency in Hz of each column of `X`.
    band : tuple of float
        Lowest and highest frequency of the rhythm that tells the classes apart.
    """

    signals: NDArray[np.float64] = field(kw_only=True, repr=False)
    sampling_rate: float = field(kw_only=True)
    frequencies: NDArray[np.float64] = field(kw_only=True, repr=False)
    band: tuple[float, float] = field(kw_only=True)


def make_frequency_bands(
    n_samples: int = 200,
    n_channels: int = 8,
    *,
    duration: float = 2.0,
    sampling_rate: float = 100.0,
    band: tuple[float, float] = (10.0, 14.0),
    drop: float = 0.5,
    random_state: Seed = None,
) -> BandProblem:
    """Make signals like EEG, with one rhythm that is weaker in one class.

    Each channel is noise whose power falls with the frequency, of its own, plus two rhythms that
    reach the channels with random weights: one in `band`, which loses a fraction of its power in
    class 1, and one from 20 to 24 Hz, which says nothing. Both vary from trial to trial.

    Parameters
    ----------
    n_samples : int, default=200
        Number of trials, at least 4.
    n_channels : int, default=8
        Number of channels.
    duration : float, default=2.0
        Seconds of a trial. Frequencies are 1 / duration apart.
    sampling_rate : float, default=100.0
        Values a second, as in the paper's recordings.
    band : tuple of float, default=(10.0, 14.0)
        Lowest and highest frequency of the rhythm that tells the classes apart.
    drop : float, default=0.5
        Fraction of the power of that rhythm that is lost in class 1, from 0 to 1.
    random_state : int, Generator or None, default=None
        Seed or source of the draws.

    Returns
    -------
    BandProblem
        Signals, their spectra, labels -1 and 1.

    References
    ----------
    Song et al. (2007), section 5.2.

    Examples
    --------
    >>> from hsieve.datasets import make_frequency_bands
    >>> problem = make_frequency_bands(50, random_state=0)
    >>> problem.signals.shape, problem.X.shape
    ((50, 8, 200), (50, 100))
    >>> problem.frequencies[problem.relevant][[0, -1]]
    array([10., 14.])
    """
    integer(MIN_SAMPLES).check("n_samples", n_samples)
    integer(1).check("n_channels", n_channels)
    number(above=0).check("duration", duration)
    number(above=0).check("sampling_rate", sampling_rate)
    number(least=0, most=1).check("drop", drop)
    n_times = round(duration * sampling_rate)
    if n_times < LEAST_POINTS:
        msg = f"a trial must have at least {LEAST_POINTS} points, got {n_times}"
        raise ValueError(msg)
    frequencies = np.fft.rfftfreq(n_times, 1.0 / sampling_rate)[1:].astype(np.float64)
    relevant = np.flatnonzero(_inside(frequencies, band))
    if not len(relevant):
        msg = (
            f"band must hold a frequency above 0 and up to {frequencies[-1]:g} Hz, where they are "
            f"{frequencies[0]:g} Hz apart, got {band!r}"
        )
        raise ValueError(msg)
    rng = np.random.default_rng(random_state)
    y = draw_signs(rng, n_samples)
    strength = np.where(y == 1, 1.0 - drop, 1.0)
    shape = (n_samples, n_channels, len(frequencies))
    waves = _waves(rng, shape) / np.sqrt(frequencies)
    for where, power in ((band, strength), (IDLE_BAND, np.ones(n_samples))):
        waves += _rhythm(rng, shape, _inside(frequencies, where), power)
    everything = np.concatenate([np.zeros((n_samples, n_channels, 1)), waves], axis=2)
    signals = np.fft.irfft(everything, n=n_times, axis=2) * np.sqrt(n_times)
    return BandProblem(
        name="frequency-bands",
        X=np.ascontiguousarray(power_spectra(signals, sampling_rate).power),
        y=y,
        relevant=relevant,
        target_kind="classes",
        description=f"A rhythm from {band[0]:g} to {band[1]:g} Hz is weaker in class 1.",
        signals=signals,
        sampling_rate=float(sampling_rate),
        frequencies=frequencies,
        band=(float(band[0]), float(band[1])),
    )


def _waves(rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.complex128]:
    """Draw waves of random phase and of mean power 1."""
    real, imaginary = rng.standard_normal((2, *shape))
    return np.asarray((real + 1j * imaginary) / np.sqrt(2.0))


def _rhythm(
    rng: np.random.Generator,
    shape: tuple[int, int, int],
    inside: NDArray[np.bool_],
    power: FloatArray,
) -> NDArray[np.complex128]:
    """Draw a rhythm that all channels share, weaker in some of them."""
    n_samples, n_channels, n_frequencies = shape
    source = _waves(rng, (n_samples, 1, n_frequencies)) * inside
    weights = rng.uniform(0.5, 1.5, size=(1, n_channels, 1))
    of_trial = np.exp(TRIAL_SPREAD * rng.standard_normal(n_samples))
    amplitude = np.sqrt(RHYTHM_POWER * power) * of_trial
    return np.asarray(amplitude[:, None, None] * weights * source)


def _inside(frequencies: FloatArray, band: tuple[float, float]) -> NDArray[np.bool_]:
    return np.asarray((frequencies >= band[0] - 1e-9) & (frequencies <= band[1] + 1e-9))
