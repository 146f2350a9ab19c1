"""Data brought to a common scale, and turned to their principal axes.

A preparation is learned from some samples and then is the linear map x -> (x - offset) * factors,
so that whatever is learned from the prepared data can be written in terms of the features as they
were.

Data turned to their principal axes do without those along which there is nothing: windows of
residues coded by 54 scales each have 648 columns and a rank of some 230, and whatever is linear in
the columns can be worked out in 230 dimensions.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import eigh

from hsieve.array_types import FloatArray
from hsieve.kernels.column_scale import ColumnScale

PREPARATIONS = ("none", "standardise", "range")
# Largest factor of a column, as a fraction of the largest number: weights are multiplied by it.
LARGEST_FACTOR = 1e-6
CHUNK_ROWS = 4096

# Axes are left out along which the data are shorter than this fraction of the longest: what
# rounding leaves of directions that are not there.
NOTHING = {np.dtype(np.float32): 1e-6, np.dtype(np.float64): 1e-10}
EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Preparation:
    """A scale of features learned from samples."""

    offset: FloatArray  # (n_features,): subtracted from every sample, float64
    factors: FloatArray  # (n_features,): multiplied after that; zero for constant features

    @classmethod
    def learned(cls, X: FloatArray, kind: str) -> Self:
        """Learn the scale of data.

        "none": as they are; "standardise": mean 0 and deviation 1; "range": least value 0 and
        greatest 1. Beside an offset the prepared values are right to the fraction that the
        offset's last digit has in the spread: 1e-4 for an offset of 1e12 and a spread of 1.
        """
        largest, limit = float(np.abs(X).max()), float(np.finfo(X.dtype).max)
        # Differences must not overflow, nor products of values that stay as they are.
        most = limit**0.4 if kind == "none" else limit / 4
        if largest > most:
            msg = (
                f"X holds values as large as {largest:.3g}, but preparation={kind!r} takes at most "
                f"{most:.3g} in {X.dtype}; scale the features first."
            )
            raise ValueError(msg)
        if kind == "none":
            return cls(np.zeros(X.shape[1]), np.ones(X.shape[1]))
        scale = ColumnScale.of(X)
        offset, length = scale.mean, scale.deviation
        if kind == "range":
            offset = X.min(axis=0).astype(np.float64) / scale.divisor
            length = np.where(scale.varies, X.max(axis=0) / scale.divisor - offset, 1.0)
        # Where this is no number, the column is refused.
        with np.errstate(over="ignore"):
            factors = np.where(scale.varies, 1.0 / length / scale.divisor, 0.0)
        if factors.max() > limit * LARGEST_FACTOR:
            msg = (
                f"Feature {int(factors.argmax())} varies by less than "
                f"{1 / (limit * LARGEST_FACTOR):.3g}, too little to be brought to a common scale "
                f"in {X.dtype}; multiply it by a large number first."
            )
            raise ValueError(msg)
        return cls(offset * scale.divisor, factors)

    def applied(
        self, X: FloatArray, *, precision: type[np.floating] | None = None, intercept: bool = False
    ) -> FloatArray:
        """Prepare samples, with a column of ones at the end for an intercept."""
        n_samples, n_features = X.shape
        prepared = np.ones((n_samples, n_features + bool(intercept)), dtype=precision or X.dtype)
        for first in range(0, n_samples, CHUNK_ROWS):
            rows = slice(first, first + CHUNK_ROWS)
            # In double precision: a large offset would take the digits of single ones.
            prepared[rows, :n_features] = (X[rows].astype(np.float64) - self.offset) * self.factors
        return prepared


def principal_axes(data: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Turn data to their principal axes about the origin, longest first; at least one.

    Returns the axes (orthonormal, float64), the coordinates ``data @ axes`` in the precision of the
    data, and the squared norms of their columns.
    """
    n_samples, n_columns = data.shape
    share = NOTHING[data.dtype]
    if n_columns > n_samples:
        axes = np.linalg.svd(data.astype(np.float64), full_matrices=False)[2].T
    else:
        values, axes = (part[..., ::-1] for part in eigh(_gram(data)))
        # Values are wrong by the rounding of the greatest: near it, axes are measured instead.
        possible = values > (share**2 - n_columns * EPSILON) * values[0]
        possible[0] = True
        axes = axes[:, possible]
    axes = np.ascontiguousarray(axes)
    coordinates = data @ axes.astype(data.dtype)
    squares = np.einsum("ij,ij->j", coordinates, coordinates, dtype=np.float64)
    kept = squares > share**2 * squares.max()
    kept[0] = True
    if not kept.all():
        axes, squares = axes[:, kept], squares[kept]
        coordinates = np.ascontiguousarray(coordinates[:, kept])
    return axes, coordinates, squares


def _gram(data: FloatArray) -> FloatArray:
    """Products of all columns, in double precision, a chunk of samples at a time."""
    gram = np.zeros((data.shape[1], data.shape[1]))
    for first in range(0, len(data), CHUNK_ROWS):
        chunk = data[first : first + CHUNK_ROWS].astype(np.float64)
        gram += chunk.T @ chunk
    return gram
