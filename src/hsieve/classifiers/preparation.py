"""Data brought to a common scale, and how to bring new samples to the same one.

A preparation is learned from some samples and then is a linear map, x -> (x - offset) A, so that
whatever is learned from the prepared data can be written in terms of the features as they were.

Data turned to their principal axes do without those along which there is nothing: windows of
residues coded by 54 scales each have 648 columns and a rank of some 230, and whatever is linear in
the columns can be worked out in 230 dimensions.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from hsieve.array_types import FloatArray

PREPARATIONS = ("none", "standardise", "whiten", "range")
# Whitening leaves out directions that are shorter than this share of the longest: it would blow up
# what is hardly there.
SHORTEST_WHITENED = 1e-4
# Largest factor of a column, as a fraction of the largest number: weights are multiplied by it.
LARGEST_FACTOR = 1e-6
CHUNK_ROWS = 4096
BLOCK_COLUMNS = 64

# Axes are left out along which the data are shorter than this share of the longest: what rounding
# leaves of directions that are not there.
NOTHING = {np.dtype(np.float32): 1e-6, np.dtype(np.float64): 1e-10}
EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Preparation:
    """A linear map learned from samples."""

    offset: FloatArray  # (n_features,): subtracted from every sample, float64
    factors: FloatArray  # (n_features,): multiplied after that; zero for constant features
    mixing: FloatArray | None = None  # (n_features, n_features): multiplied from the right at last

    @classmethod
    def learned(cls, X: FloatArray, kind: str) -> "Preparation":
        """Learn the scale of data.

        "none": as they are; "standardise": mean 0 and deviation 1; "whiten": the same and
        uncorrelated, as near to the standardised features as that can be; "range": least value 0
        and greatest 1. Beside an offset the prepared values are right to the fraction that the
        offset's last digit has in the spread: 1e-4 for an offset of 1e12 and a spread of 1.
        """
        n_features = X.shape[1]
        if kind == "none":
            _refuse_large(X)
            return cls(np.zeros(n_features), np.ones(n_features))
        offset, factors = np.zeros(n_features), np.zeros(n_features)
        for first in range(0, n_features, BLOCK_COLUMNS):
            block = slice(first, first + BLOCK_COLUMNS)
            offset[block], factors[block] = _scale(X[:, block], by_range=kind == "range")
        _refuse_extremes(X, factors)
        plain = cls(offset, factors)
        return cls(offset, factors, _whitening(plain.applied(X))) if kind == "whiten" else plain

    def applied(
        self, X: FloatArray, *, precision: type[np.floating] | None = None, intercept: bool = False
    ) -> FloatArray:
        """Prepare samples, with a column of ones at the end for an intercept."""
        n_samples, n_features = X.shape
        prepared = np.ones((n_samples, n_features + bool(intercept)), dtype=precision or X.dtype)
        for first in range(0, n_samples, CHUNK_ROWS):
            rows = slice(first, first + CHUNK_ROWS)
            # In double precision: a large offset would take the digits of single ones.
            chunk = (X[rows].astype(np.float64) - self.offset) * self.factors
            prepared[rows, :n_features] = chunk if self.mixing is None else chunk @ self.mixing
        return prepared

    def folded(self, weights: FloatArray) -> FloatArray:
        """Weights of x - offset that do what these do on prepared data."""
        mixed = weights if self.mixing is None else weights @ self.mixing.T
        return np.asarray(mixed * self.factors)


def _scale(columns: FloatArray, *, by_range: bool) -> tuple[FloatArray, FloatArray]:
    """Offset and factor of each column; the factor of constant columns is zero."""
    low, high = columns.min(axis=0).astype(np.float64), columns.max(axis=0).astype(np.float64)
    # A power of two for each column, which rounds nothing, brings its largest value to about 1:
    # squares of very large or small values would overflow or vanish.
    shift = -np.frexp(np.maximum(np.abs(low), np.abs(high)))[1]
    shifted = np.ldexp(columns.astype(np.float64), shift)
    if by_range:
        offset, length = shifted.min(axis=0), np.ptp(shifted, axis=0)
    else:
        offset = shifted.mean(axis=0)
        centred = shifted - offset
        # Again, because the mean of a column with a huge offset is itself rounded.
        length = np.sqrt(np.mean((centred - centred.mean(axis=0)) ** 2, axis=0))
    varies = (low < high) & (length > 0)
    # Where this is no number, the column is refused.
    with np.errstate(over="ignore"):
        factors = np.ldexp(np.where(varies, 1 / np.where(varies, length, 1.0), 0.0), shift)
    return np.ldexp(offset, -shift), factors


def _whitening(standardised: FloatArray) -> FloatArray:
    """Symmetric matrix that makes columns uncorrelated, with deviation one in every direction."""
    axes, _, squares = principal_axes(standardised, shortest=SHORTEST_WHITENED)
    if squares[0] == 0:
        return np.zeros((len(axes), len(axes)))
    return np.asarray((axes * np.sqrt(len(standardised) / squares)) @ axes.T)


def _refuse_large(X: FloatArray) -> None:
    """Refuse values whose products would overflow."""
    largest, most = float(np.abs(X).max()), float(np.finfo(X.dtype).max) ** 0.4
    if largest > most:
        msg = (
            f"X holds values as large as {largest:.3g}, but preparation='none' takes at most "
            f"{most:.3g} in {X.dtype}; prepare the data or take preparation='standardise'."
        )
        raise ValueError(msg)


def _refuse_extremes(X: FloatArray, factors: FloatArray) -> None:
    """Refuse values whose differences overflow, and columns that no factor of their kind scales."""
    limit = float(np.finfo(X.dtype).max)
    largest = float(np.abs(X).max())
    if largest > limit / 4:
        msg = (
            f"X holds values as large as {largest:.3g}, but at most {limit / 4:.3g} can be "
            f"prepared in {X.dtype}; scale the features first."
        )
        raise ValueError(msg)
    if factors.max() > limit * LARGEST_FACTOR:
        place = int(factors.argmax())
        msg = (
            f"Feature {place} varies by less than {1 / (limit * LARGEST_FACTOR):.3g}, too little "
            f"to be brought to a common scale in {X.dtype}; multiply it by a large number first."
        )
        raise ValueError(msg)


def principal_axes(
    data: FloatArray, *, shortest: float | None = None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Turn data to their principal axes about the origin, longest first; at least one.

    Returns the axes (orthonormal, float64), the coordinates ``data @ axes`` in the precision of the
    data, and the squared norms of their columns. Axes are kept along which the data have at least
    the fraction `shortest` of the greatest norm; None keeps all but rounding.
    """
    n_samples, n_columns = data.shape
    share = NOTHING[data.dtype] if shortest is None else shortest
    if n_columns > n_samples:
        # An orthonormal basis of the rows; the rest are directions without data.
        basis, rows = np.linalg.qr(data.T.astype(np.float64))
        axes, coordinates, squares = principal_axes(np.ascontiguousarray(rows.T), shortest=share)
        return basis @ axes, coordinates.astype(data.dtype), squares
    values, axes = (part[..., ::-1] for part in eigh(_gram(data)))
    # Values are wrong by the rounding of the greatest one: near it, axes are measured instead.
    possible = values > (share**2 - n_columns * EPSILON) * values[0]
    possible[0] = True
    axes = np.ascontiguousarray(axes[:, possible])
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
