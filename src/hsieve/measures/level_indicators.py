"""Levels of features and the counts of pairs of levels, by products of indicator matrices."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from hsieve.kernels.columns import standardised

__all__ = ["Indicators", "level_codes", "three_levels"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

# Single precision counts exactly up to here.
EXACT_SINGLE_COUNT = 2**24


@dataclass(frozen=True)
class Indicators:
    """Indicator columns of all levels of some variables, and where each variable starts."""

    matrix: FloatArray
    starts: IndexArray

    @classmethod
    def of(cls, codes: NDArray[np.integer], n_levels: IndexArray) -> "Indicators":
        """Spread codes over indicator columns."""
        ends = np.cumsum(n_levels)
        starts = ends - n_levels
        precision = np.float32 if len(codes) < EXACT_SINGLE_COUNT else np.float64
        matrix = np.zeros((len(codes), int(n_levels.sum())), dtype=precision)
        matrix[np.arange(len(codes))[:, None], codes + starts] = 1.0
        return cls(matrix, starts)

    def single_terms(self) -> FloatArray:
        """Sum of c log c over the counts of each variable's own levels."""
        counts = self.matrix.sum(axis=0, dtype=np.float64)
        return np.asarray(np.add.reduceat(xlogy(counts, counts), self.starts))


def level_codes(values: NDArray[Any]) -> NDArray[np.integer]:
    """Codes of the distinct values, from 0."""
    return np.asarray(np.unique(values, return_inverse=True)[1]).ravel()


def three_levels(numbers: FloatArray, *, n_deviations: float) -> NDArray[np.integer]:
    """Levels below, within and above mean -+ deviations; the values where they are at most three.

    Without the exception, two values of equal share would both lie on the edge, in one level. More
    values than two cannot all lie within one deviation of their mean.
    """
    low, high = numbers.min(axis=0), numbers.max(axis=0)
    below_high = np.where(numbers < high, numbers, low).max(axis=0)
    few = ((numbers == low) | (numbers == below_high) | (numbers == high)).all(axis=0)
    # Wild values are tamed, or all others would share one level.
    scaled = standardised(numbers, robust=True)
    codes = 1 + (scaled > n_deviations).astype(np.int8) - (scaled < -n_deviations)
    distinct = (numbers > low).astype(np.int8) + (numbers > below_high)
    return np.asarray(np.where(few, distinct, codes))
