"""Levels of features and the counts of pairs of levels, by products of indicator matrices."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from hsieve.kernels.columns import standardised

__all__ = ["Indicators", "entropies", "information", "level_codes", "three_levels"]

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

    @cached_property
    def single_terms(self) -> FloatArray:
        """Sum of c log c over the counts of each variable's own levels."""
        # By BLAS; a sum of single precision in double would be many times slower.
        ones = np.ones(len(self.matrix), dtype=self.matrix.dtype)
        counts = (ones @ self.matrix).astype(np.float64)
        return np.asarray(np.add.reduceat(xlogy(counts, counts), self.starts))


def information(variables: Indicators, others: Indicators) -> FloatArray:
    """Mutual information of each variable with each other one, in nats.

    It is (sum c log c - sum a log a - sum b log b + n log n) / n over the counts c of pairs of
    levels and a and b of single ones.
    """
    n = len(variables.matrix)
    counts = (variables.matrix.T @ others.matrix).astype(np.float64)
    joint = np.add.reduceat(xlogy(counts, counts), variables.starts, axis=0)
    joint = np.add.reduceat(joint, others.starts, axis=1)
    joint -= variables.single_terms[:, None]
    joint -= others.single_terms
    return np.asarray(np.maximum(joint / n + np.log(n), 0.0))


def entropies(variables: Indicators) -> FloatArray:
    """Entropy of each variable, in nats."""
    n = len(variables.matrix)
    return np.asarray(np.log(n) - variables.single_terms / n)


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
    few = ((numbers == low) | (numbers >= below_high)).all(axis=0)
    # Wild values are tamed, or all others would share one level.
    scaled = standardised(numbers, robust=True)
    codes = 1 + (scaled > n_deviations).astype(np.int8) - (scaled < -n_deviations)
    distinct = (numbers > low).astype(np.int8) + (numbers > below_high)
    return np.asarray(np.where(few, distinct, codes))
