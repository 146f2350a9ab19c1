"""Levels of one feature: codes of its samples, and a table that is linear over groups of levels.

NumPy makes copies of all samples, or calls that take longer than their work.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray
from hsieve.kernels.loops.compilation import compiled


@compiled
def binned(
    column: FloatArray,
    low: np.floating[Any],
    scale: np.floating[Any],
    bins: NDArray[np.uint16],
    counts: NDArray[np.int64],
) -> None:
    """Put each value in the bin (value - low) * scale, and count the values of each bin.

    Shapes: column and bins (n_samples,), counts (n_bins,), zeros.
    """
    for i in range(len(column)):
        bins[i] = np.uint16((column[i] - low) * scale)
    for i in range(len(column)):
        counts[bins[i]] += 1


@compiled
def looked_up(bins: NDArray[np.uint16], table: NDArray[np.uint8], codes: NDArray[np.uint8]) -> None:
    """Look the code of each bin up; shapes (n_samples,), (n_bins,), (n_samples,)."""
    for i in range(len(bins)):
        codes[i] = table[bins[i]]


@compiled
def values_of_levels(
    codes: NDArray[Any], rows: NDArray[np.float32], first: int, values: NDArray[np.float32]
) -> None:
    """Look the value of each sample up, from a sample on, for some features.

    Shapes: codes (n_features, n_samples), rows (n_features, n_levels), values (n_features, n_part).
    """
    for feature in range(len(codes)):
        for i in range(values.shape[1]):
            values[feature, i] = rows[feature, codes[feature, first + i]]


@compiled
def linear_over_groups(
    table: FloatArray, counts: NDArray[np.int32], shift: int, firsts: FloatArray, slopes: FloatArray
) -> float:
    """Fit a straight line to each group of 2^shift levels; squared error, summed over the samples.

    Shapes: table (rank, n_levels), counts (n_levels,), firsts and slopes (rank, n_groups): the
    lines at the first level of each group, and their rise from one level to the next. Error of a
    direction times its weight, so that it is one of the kernel.
    """
    rank, n_levels = table.shape
    width = 1 << shift
    n_groups = firsts.shape[1]
    error = 0.0
    for c in range(rank):
        weight, lost = 0.0, 0.0
        for g in range(n_groups):
            start = g * width
            stop = min(start + width, n_levels)
            total, place, mean = 0.0, 0.0, 0.0
            for q in range(start, stop):
                total += counts[q]
                place += counts[q] * (q - start)
                mean += counts[q] * table[c, q]
            firsts[c, g] = slopes[c, g] = 0.0
            if total == 0.0:
                continue
            place, mean = place / total, mean / total
            spread, rise = 0.0, 0.0
            for q in range(start, stop):
                step = q - start - place
                spread += counts[q] * step * step
                rise += counts[q] * step * table[c, q]
            slope = rise / spread if spread > 0.0 else 0.0
            firsts[c, g], slopes[c, g] = mean - slope * place, slope
            for q in range(start, stop):
                value = table[c, q]
                apart = value - (firsts[c, g] + slope * (q - start))
                weight += counts[q] * value * value
                lost += counts[q] * apart * apart
        error += weight * lost
    return error
