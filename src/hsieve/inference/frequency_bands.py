"""HSIC of every band of frequencies with the target.

Figure 1 of [1]_: the horizontal and the vertical axis are the lower and the upper bound of a band,
and each band has the HSIC of its frequencies together. Columns of any table whose order has a
meaning do as well: wavelengths, masses, places on a genome.

For one lower bound the squared distances grow by one frequency at a time, so that a band costs one
column more and one exponential, not a kernel from nothing; only half of the symmetric matrix is
looked at, in tiles that stay in the cache (:mod:`hsieve.kernels.growing_tiles`).

Cost: n^2 / 2 exponentials a band, f (f + 1) / 2 bands.

References
----------
.. [1] L. Song, A. Smola, A. Gretton, K. Borgwardt, "Supervised feature selection via dependence
   estimation", 2007, section 5.2.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.array_types import FloatArray
from hsieve.data.spectra import PowerSpectra
from hsieve.inference.alignment_sweep import tile_alignments
from hsieve.kernels import Kernel, encode_columns
from hsieve.kernels.bandwidths import median_distance
from hsieve.kernels.growing_tiles import GrowingTile, growing_tiles
from hsieve.measures.hsic import ESTIMATORS
from hsieve.measures.nhsic import unit_target
from hsieve.measures.targets import refuse_empty, target_gram
from hsieve.parallel.threads import one_blas_thread
from hsieve.parameters import NONE, number, word
from hsieve.progress import report

KINDS = ("normalised", "unbiased", "biased")
WIDTH_RULES = ("sqrt_d", "median")


@dataclass(frozen=True, eq=False)
class BandHSIC:
    """HSIC of every band of frequencies.

    Parameters
    ----------
    frequencies : ndarray of shape (n_frequencies,)
        Rising frequencies.
    values : ndarray of shape (n_frequencies, n_frequencies)
        Value of the band from the row's to the column's frequency, both in it; NaN where the
        upper bound is below the lower, or the band wider than asked for.
    estimator : {"normalised", "unbiased", "biased"}
        What the values are.
    """

    frequencies: FloatArray
    values: FloatArray = field(repr=False)
    estimator: str

    @property
    def best_places(self) -> tuple[int, int]:
        """Positions of the lower and the upper bound of the band with the highest value."""
        lower, upper = np.unravel_index(int(np.nanargmax(self.values)), self.values.shape)
        return int(lower), int(upper)

    @property
    def best_band(self) -> tuple[float, float]:
        """Lowest and highest frequency of the band with the highest value."""
        lower, upper = self.best_places
        return float(self.frequencies[lower]), float(self.frequencies[upper])

    @property
    def best_value(self) -> float:
        """The highest value."""
        return float(self.values[self.best_places])


def band_hsic(
    spectra: PowerSpectra | ArrayLike,
    y: Any,
    *,
    frequencies: ArrayLike | None = None,
    widest: float | None = None,
    estimator: str = "normalised",
    bandwidth: float | str = "sqrt_d",
    kernel_y: Kernel | None = None,
    target_kind: str = "auto",
    standardise: bool = True,
) -> BandHSIC:
    """Estimate the dependence of every band of frequencies on the target.

    Parameters
    ----------
    spectra : PowerSpectra or array-like of shape (n_samples, n_frequencies)
        One spectrum a sample, from :func:`hsieve.power_spectra` or any table whose columns are in
        order.
    y : array-like of shape (n_samples,), (n_samples, n_outputs) or (n_samples, n_samples)
        Classes, numbers, several outputs or, with ``kernel_y=Precomputed()``, a Gram matrix.
    frequencies : array-like of shape (n_frequencies,) or None, default=None
        Rising frequencies of the columns; None for those of the spectra, or 0, 1, 2, ...
    widest : float or None, default=None
        Widest band to look at, from its lowest to its highest frequency; None for all.
    estimator : {"normalised", "unbiased", "biased"}, default="normalised"
        NHSIC, or an estimator of HSIC, as in the paper.
    bandwidth : float or {"sqrt_d", "median"}, default="sqrt_d"
        Width of the Gaussian kernel: the square root of the number of frequencies in the band, the
        median distance in it, or a number.
    kernel_y, target_kind, standardise
        As in :class:`hsieve.HSIC`.

    Returns
    -------
    BandHSIC
        Values of all bands, and the best of them.

    Notes
    -----
    Kernels of many frequencies vary less than those of one, so that HSIC itself is mostly highest
    for a single frequency; NHSIC does away with that. The best band is the best of many on the same
    samples, so that its value is no honest estimate of what it will be on others.

    Examples
    --------
    >>> from hsieve import band_hsic, power_spectra
    >>> from hsieve.datasets import make_frequency_bands
    >>> problem = make_frequency_bands(100, random_state=0)  # the classes differ from 10 to 14 Hz
    >>> spectra = power_spectra(problem.signals, problem.sampling_rate, resolution=1.0)
    >>> lowest, highest = band_hsic(spectra, problem.y).best_band
    >>> 9 < lowest < highest < 15
    True
    """
    table, places = _checked_spectra(spectra, frequencies)
    word(*KINDS).check("estimator", estimator)
    (word(*WIDTH_RULES) | number(above=0)).check("bandwidth", bandwidth)
    (NONE | number(least=0, is_finite=False)).check("widest", widest)
    columns = encode_columns(table, standardise=standardise).matrix
    gram_y = target_gram(y, kernel_y, target_kind=target_kind, standardise=standardise)
    if len(gram_y) != len(columns):
        msg = f"The spectra have {len(columns)} samples but y has {len(gram_y)}."
        raise ValueError(msg)
    if estimator == "normalised":
        target = unit_target(gram_y)
        refuse_empty(target, target)
    else:
        target = refuse_empty(ESTIMATORS[estimator](gram_y), gram_y)
    reach = np.inf if widest is None else float(widest) + 1e-9
    last = np.searchsorted(places, places + reach, side="right")
    values = _sweep(columns, target, last, bandwidth, normalised=estimator == "normalised")
    return BandHSIC(places, values, estimator)


def _sweep(
    columns: FloatArray,
    target: FloatArray,
    last: NDArray[np.intp],
    bandwidth: float | str,
    *,
    normalised: bool,
) -> FloatArray:
    """Values of all bands, from each lower bound up to, but not with, its last column."""
    n_columns = columns.shape[1]
    values = np.full((n_columns, n_columns), np.nan)
    n_bands, done = int(np.sum(last - np.arange(n_columns))), 0
    with one_blas_thread():
        tiles = growing_tiles(target)
        for lower in range(n_columns):
            for tile in tiles:
                tile.clear()
            for upper in range(lower, int(last[lower])):
                for tile in tiles:
                    tile.add(columns[:, upper : upper + 1])
                rate = 0.5 / _width(bandwidth, tiles, upper - lower + 1) ** 2
                values[lower, upper] = _value(tiles, rate, normalised=normalised)
            done += int(last[lower]) - lower
            report(done / n_bands, "frequency bands")
    return values


def _width(bandwidth: float | str, tiles: list[GrowingTile], n_columns: int) -> float:
    """Width of the kernel of a band."""
    if bandwidth == "median":
        return median_distance(np.concatenate([tile.pairs() for tile in tiles]))
    return float(np.sqrt(n_columns)) if bandwidth == "sqrt_d" else float(bandwidth)


def _value(tiles: list[GrowingTile], rate: float, *, normalised: bool) -> float:
    """HSIC or NHSIC of the kernel of the distances grown so far."""
    if normalised:
        return float(tile_alignments(tiles, np.array([rate]))[0])
    value = 0.0
    for tile in tiles:
        tile.exponentiate(rate)
        value += tile.inner()
    return value


def _checked_spectra(
    spectra: PowerSpectra | ArrayLike, frequencies: ArrayLike | None
) -> tuple[FloatArray, FloatArray]:
    """Table of numbers and the places of its columns."""
    if isinstance(spectra, PowerSpectra):
        table = np.asarray(spectra.power, dtype=np.float64)
        frequencies = spectra.frequencies if frequencies is None else frequencies
    else:
        table = np.asarray(spectra, dtype=np.float64)
    if table.ndim != 2 or 0 in table.shape:
        msg = (
            "Spectra must be a table of samples and frequencies, got an array of shape "
            f"{table.shape}; power_spectra(signals, sampling_rate) makes one of signals."
        )
        raise ValueError(msg)
    if frequencies is None:
        return table, np.arange(table.shape[1], dtype=np.float64)
    places = np.asarray(frequencies, dtype=np.float64)
    if places.shape != (table.shape[1],) or not (np.diff(places) > 0).all():
        msg = (
            f"frequencies must be {table.shape[1]} rising numbers, one for each column, got "
            f"{places.tolist() if places.size <= 10 else places.shape}."
        )
        raise ValueError(msg)
    return table, places
