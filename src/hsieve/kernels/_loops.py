"""The loops that NumPy has no form for, compiled on first use; nothing else is compiled.

They run without the interpreter's lock, so that threads share them out. Each stands in for a NumPy
form several times slower: sums by level for a look-up followed by a product (3 times at 26,120
samples and one active feature), counts by bin for a cast and ``bincount`` (6 times). Their truth is
that NumPy form, in the tests.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["count_bins", "look_up", "sum_by_level"]

# Rows summed at a time for all features of a group, so that they stay in the cache.
ROWS_AT_A_TIME = 4096


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def sum_by_level(codes: NDArray[Any], right: NDArray[Any], sums: NDArray[Any]) -> None:
    """Add each row of `right` to the sums of its level, for each feature.

    Parameters
    ----------
    codes : ndarray of unsigned integers of shape (n_features, n_samples)
        Level of each sample.
    right : ndarray of shape (n_samples, n_columns)
        What is summed.
    sums : ndarray of shape (n_features, n_levels, n_columns)
        Added to in place.
    """
    n_features, n_samples = codes.shape
    for start in range(0, n_samples, ROWS_AT_A_TIME):
        stop = min(n_samples, start + ROWS_AT_A_TIME)
        for feature in range(n_features):
            for sample in range(start, stop):
                level = codes[feature, sample]
                for column in range(right.shape[1]):
                    sums[feature, level, column] += right[sample, column]


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def count_bins(
    column: NDArray[Any], low: Any, scale: Any, bins: NDArray[Any], filled: NDArray[Any]
) -> None:
    """Put each value into an even bin and count the values of each bin, in place.

    Parameters
    ----------
    column : ndarray of shape (n_samples,)
        Values from `low` on.
    low, scale : float
        Value v falls into bin (v - low) * scale, rounded down.
    bins : ndarray of uint16 of shape (n_samples,)
        Set to the bin of each value.
    filled : ndarray of int64 of shape (n_bins,)
        Counted up.
    """
    for sample in range(len(column)):
        place = np.uint16((column[sample] - low) * scale)
        bins[sample] = place
        filled[place] += 1


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def look_up(table: NDArray[Any], places: NDArray[Any], found: NDArray[Any]) -> None:
    """Set `found` to the entries of a table at some places."""
    for sample in range(len(places)):
        found[sample] = table[places[sample]]
