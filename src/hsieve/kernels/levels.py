"""Features as codes and a table of levels: exact for few values, close for many.

A feature that holds few values has an exact factor: a row of a table for each level, looked up by
the code of a sample. A feature of many values is *coded*: 256 levels, more of them where samples
lie dense (their density follows the cube root of the samples' density, which makes the squared
error of coding smallest), each placed at the mean of its samples. The factor is again a table,

    F = T[codes],    T = K_lb K_bb^(-1/2), centred by the counts of the levels,

of which only the directions that matter are kept. Memory: one byte per value, 2 KB per feature.

The error of coding is a shift of each sample by some 0.01 deviations. Relevance and redundancy are
both inner products of the kernels of the shifted samples, so a path over coded features is
consistent in itself.

Cost: O(n) a feature to code it, O(n r) to look its factor up, with r some 10.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray, IndexArray
from hsieve.kernels.columns import FAR_OUT, OUT_OF_REACH, tamed_scale, unique_counts
from hsieve.kernels.loops.feature_levels import binned, looked_up
from hsieve.kernels.low_rank import (
    MAX_LANDMARKS,
    landmark_positions,
    landmark_root,
    landmarks_needed,
    pivoted_cholesky,
)

CodeArray = NDArray[np.unsignedinteger[Any]]

N_LEVELS = 256
# Features with at most this many values are treated by their values in the dense form too.
FEW_VALUES = 16
# Bins of the histogram from which levels are made; a bin may be this wide, in deviations.
FINE_BINS = (2048, 65536)
WIDEST_BIN = 0.02
# Directions of a factor with less than this fraction of the largest one's weight are left out.
TRUNCATION = 1e-3
# The Gaussian kernel tells nothing more about values further apart than this.
KERNEL_REACH = 4.0


@dataclass(frozen=True, eq=False)
class Levels:
    """A feature as codes and levels."""

    codes: CodeArray  # (n_samples,): level of each sample
    # (n_levels,): number of samples of each level, or the sum of their weights
    counts: NDArray[Any]
    # (n_levels,): standardised value of each level; None where the levels are categories.
    positions: NDArray[np.float32] | None

    @property
    def share_of_unlike_pairs(self) -> float:
        """Fraction of the pairs of samples that are on different levels."""
        return float(1.0 - np.sum((self.counts / self.counts.sum()) ** 2))

    def table(self) -> FloatArray:
        """Row of the centred factor for each level, of shape (n_levels, rank).

        The kernel is the Gaussian of width 1, for categories the delta kernel over the fraction of
        pairs of samples that differ. Columns are orthogonal over the samples.
        """
        table = self.whole_table()
        if self.positions is None or len(table) <= FEW_VALUES:
            return table
        return _truncated(table, self.counts.astype(np.float64))

    def whole_table(self) -> FloatArray:
        """Row of the centred factor for each level, in all of its directions."""
        counts = self.counts.astype(np.float64)
        if self.positions is None:
            gram = np.eye(len(counts)) / max(self.share_of_unlike_pairs, 1e-300)
            return np.asarray(_exact_tables(gram[None], counts[None])[0])
        positions = self.positions.astype(np.float64)
        if len(positions) <= FEW_VALUES:
            return np.asarray(_exact_tables(_gaussian(positions)[None], counts[None])[0])
        table = _landmark_table(positions)
        return np.asarray(table - counts @ table / counts.sum())


def category_levels(
    column: NDArray[Any], sample_weight: NDArray[np.floating] | None = None
) -> Levels:
    """Code a category: one level for each different value."""
    _, codes, counts = unique_counts(column, sample_weight)
    counts = counts.astype(np.int32 if sample_weight is None else np.float64)
    return Levels(_short(codes, len(counts)), counts, None)


def coded_levels(column: FloatArray) -> Levels:
    """Code a column of numbers by at most 256 levels, standardised with tamed outliers.

    A column of at most 256 different values is coded without error.
    """
    column = _within_range(column)
    low, high = float(column.min()), float(column.max())
    for n_bins in FINE_BINS:
        if low == high:
            break
        bins, filled = _binned(column, low, high, n_bins)
        if np.count_nonzero(filled) <= N_LEVELS:
            break
        centres = np.arange(n_bins) + 0.5
        mean, scale = weighted_scale(centres, filled)
        if scale * WIDEST_BIN >= 1.0:
            level_of_bin = _grouped(np.cbrt(filled))
            coded = np.empty(len(bins), dtype=np.uint8)
            looked_up(bins, level_of_bin, coded)
            return _placed(level_of_bin, coded, (centres - mean) / scale, filled)
    values, codes, counts = np.unique(column, return_inverse=True, return_counts=True)
    mean, scale = weighted_scale(values, counts)
    positions = np.clip((values - mean) / scale, -OUT_OF_REACH, OUT_OF_REACH)
    if len(values) <= N_LEVELS:
        own_level = np.arange(len(values))
        return _placed(own_level, _short(codes, len(values)), positions, counts)
    # Levels beyond the reach of the kernel need not be kept apart by their distance.
    gaps = np.minimum(np.gradient(positions), KERNEL_REACH)
    level_of_value = _grouped(np.cbrt(counts * gaps**2))
    return _placed(level_of_value, level_of_value[codes.ravel()], positions, counts)


def few_valued(numbers: FloatArray) -> NDArray[np.bool_]:
    """Mark the columns that hold at most FEW_VALUES different values."""
    # Most columns show more values than that in a few samples already.
    first = np.sort(numbers[: 2 * FEW_VALUES], axis=0)
    few: NDArray[np.bool_] = (np.diff(first, axis=0) > 0).sum(axis=0) < FEW_VALUES
    for column in np.flatnonzero(few):
        few[column] = len(np.unique(numbers[:, column])) <= FEW_VALUES
    return few


def few_valued_factors(
    numbers: FloatArray, precision: type[np.floating] = np.float32
) -> Iterator[tuple[IndexArray, FloatArray]]:
    """Give exact centred factors of the Gaussian kernels of columns of few values."""
    codes, positions = _ranked(numbers)
    n_features, most = positions.shape
    flat = codes + most * np.arange(n_features)[:, None]
    counts = np.bincount(flat.ravel(), minlength=n_features * most).reshape(n_features, most)
    n_values = np.count_nonzero(counts, axis=1)
    for count in np.unique(n_values):
        chosen = np.flatnonzero(n_values == count)
        grams = _gaussian(positions[chosen, :count])
        tables = _exact_tables(grams, counts[chosen, :count]).astype(precision)
        yield chosen, np.take_along_axis(tables, codes[chosen, :, None].astype(np.intp), axis=1)


def weighted_scale(values: FloatArray, counts: NDArray[np.integer[Any]]) -> tuple[float, float]:
    """Centre and scale of values that occur so often, by the rule of :func:`standardised`."""
    total = counts.sum()
    mean = float(values @ counts / total)
    # Centred again, because the mean of values with a huge offset is itself rounded.
    centred = values - mean
    centred = centred - centred @ counts / total
    deviation = float(np.sqrt(centred**2 @ counts / total))
    filled = np.flatnonzero(counts)
    furthest = max(values[filled[-1]] - mean, mean - values[filled[0]])
    if furthest <= FAR_OUT * deviation:
        return mean, deviation or 1.0
    places = np.searchsorted(np.cumsum(counts), np.array([0.05, 0.5, 0.95]) * total)
    low, middle, high = values[places]
    scale = tamed_scale(deviation, float(high - low))
    return (mean if scale == deviation else float(middle)), scale


def _within_range(column: FloatArray) -> FloatArray:
    """Return the column, rescaled where differences would overflow or vanish; zeros if constant."""
    low, high = float(column.min()), float(column.max())
    if low == high:
        return np.zeros_like(column)
    bound = float(np.finfo(column.dtype).max) ** 0.25
    if 1 / bound < high - low < bound:
        return column
    # A power of two, which rounds nothing.
    return np.asarray(np.ldexp(column.astype(np.float64), -np.frexp(max(abs(low), abs(high)))[1]))


def _binned(
    column: FloatArray, low: float, high: float, n_bins: int
) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """Put each value in one of the even bins from low to high, and count the values of each."""
    # A little less than n_bins, so that the highest value falls into the last bin.
    scale = column.dtype.type(n_bins * (1 - 1e-6) / (high - low))
    bins, counts = np.empty(len(column), dtype=np.uint16), np.zeros(n_bins, dtype=np.int64)
    binned(column, column.dtype.type(low), scale, bins, counts)
    return bins, counts


def _grouped(weights: FloatArray) -> NDArray[np.uint8]:
    """Share out 256 levels over values in rising order, in proportion to their weights."""
    upto = np.cumsum(weights)
    return np.asarray(((upto - 0.5 * weights) * (N_LEVELS / upto[-1])).astype(np.uint8))


def _placed(
    level_of_value: NDArray[Any],
    codes: CodeArray,
    positions: FloatArray,
    counts: NDArray[np.integer[Any]],
) -> Levels:
    """Place each level at the mean of its samples."""
    totals = np.bincount(level_of_value, counts)
    sums = np.bincount(level_of_value, counts * positions)
    means = np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0)
    return Levels(codes, totals.astype(np.int32), means.astype(np.float32))


def _ranked(numbers: FloatArray) -> tuple[NDArray[np.uint8], FloatArray]:
    """Rank of each value among those of its column, and the values: one row a column."""
    rows = numbers.T
    codes = np.zeros(rows.shape, dtype=np.uint8)
    value = rows.min(axis=1)
    values = [value]
    while True:
        above = rows > value[:, None]
        further = above.any(axis=1)
        if not further.any():
            return codes, np.stack(values, axis=1)
        codes += above
        # Columns without a further value repeat their last; it gets no samples.
        value = np.where(further, np.where(above, rows, np.inf).min(axis=1), value)
        values.append(value)


def _short(codes: NDArray[np.integer[Any]], n_levels: int) -> CodeArray:
    """Codes in the fewest bytes that hold them."""
    return np.asarray(codes.ravel(), dtype=np.min_scalar_type(max(n_levels - 1, 1)))


def _gaussian(positions: FloatArray) -> FloatArray:
    """Gram matrices of rows of positions."""
    return np.asarray(np.exp(-0.5 * (positions[..., :, None] - positions[..., None, :]) ** 2))


def _exact_tables(grams: FloatArray, counts: NDArray[Any]) -> FloatArray:
    """Tables of the centred kernels of levels that occur so often, shape (k, n_levels, rank)."""
    shares = counts / counts.sum(axis=1, keepdims=True)
    means = np.matmul(grams, shares[:, :, None])
    overall = np.matmul(shares[:, None, :], means)
    centred = grams - means - means.transpose(0, 2, 1) + overall
    roots = np.sqrt(counts.astype(np.float64))[:, :, None]
    weights, vectors = np.linalg.eigh(roots * centred * roots.transpose(0, 2, 1))
    # Centring takes one direction away; eigenvalues come in rising order.
    weights, vectors = np.maximum(weights[:, 1:], 0.0), vectors[:, :, 1:]
    scaled = vectors * np.sqrt(weights)[:, None, :]
    return np.asarray(np.divide(scaled, roots, out=np.zeros_like(scaled), where=roots > 0))


def _landmark_table(positions: FloatArray) -> FloatArray:
    """Factor of the Gaussian kernel between many levels."""
    low, high = positions.min(), positions.max()
    n_landmarks = int(landmarks_needed(low, high))
    if n_landmarks > MAX_LANDMARKS:
        return pivoted_cholesky(positions[:, None])
    distances = np.subtract.outer(positions - 0.5 * (low + high), landmark_positions(n_landmarks))
    return np.asarray(np.exp(-0.5 * distances**2) @ landmark_root(n_landmarks))


def _truncated(table: FloatArray, counts: FloatArray) -> FloatArray:
    """Keep the directions of a centred table that matter."""
    weights, vectors = np.linalg.eigh((table * counts[:, None]).T @ table)
    return np.asarray(table @ vectors[:, weights > TRUNCATION * weights[-1]])
