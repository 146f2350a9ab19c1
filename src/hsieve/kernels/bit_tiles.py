"""Tiles of features of two or three values as bits, for targets of few classes.

Genotypes, bits and three-level scores have a factor that is one row of a small table for each
level. Where the target's factor is one row for each class, too, all that a sweep needs of a pair
are the joint counts of the two features within each class
(:mod:`hsieve.kernels.loops.bit_products`): 2 to 4 population counts a class and 64 samples.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray
from hsieve.kernels.loops.bit_products import Bits, Tables, bit_products

# With more classes products of matrices are as quick.
MOST_CLASSES = 4
# Factors of a level may differ by so much, as a fraction of the largest, by rounding.
ROUNDING, DIGITS = 1e-4, 5
# Levels further apart than this fraction of their range are two; single precision rounds less.
APART = 1e-5
WORD_BITS = 64


@dataclass(frozen=True, eq=False)
class ClassTarget:
    """A target whose factor is constant on a few classes."""

    weights: FloatArray  # (n_columns, n_classes): the factor on each class
    members: Bits  # (n_classes, n_words): the samples of each class

    @classmethod
    def of(cls, target: FloatArray) -> "ClassTarget | None":
        """Tell the classes of a factor of shape (n_columns, n_samples); None if there are many."""
        scaled = np.round(target / max(np.abs(target).max(), 1e-300), DIGITS)
        # Most targets of many values show them in their first samples already.
        if np.unique(scaled[:, : 8 * MOST_CLASSES], axis=1).shape[1] > MOST_CLASSES:
            return None
        _, firsts, classes = np.unique(scaled, axis=1, return_index=True, return_inverse=True)
        if len(firsts) > MOST_CLASSES:
            return None
        values = target[:, firsts]
        members = np.arange(values.shape[1])[:, None] == classes.ravel()
        return cls(values.astype(np.float64), _packed(members))


@dataclass(frozen=True, eq=False)
class BitTile:
    """The features of a tile as bits and small tables."""

    bits: Bits  # (n_planes, n_tile, n_words): the samples of each level but the lowest
    rows: FloatArray  # (rank, 1 + n_planes, n_tile): the factor on each level

    @classmethod
    def of(cls, factors: FloatArray) -> "BitTile | None":
        """Tell the levels of features by their factors; None if one has more than three.

        Shapes: factors (rank, n_tile, n_samples).
        """
        if len(factors) > 2:
            return None
        # A mixture of the columns that is hardly ever equal on two levels.
        key = factors[0] + np.float32(0.618) * factors[-1]
        low, high = key.min(axis=1, keepdims=True), key.max(axis=1, keepdims=True)
        margin = APART * (high - low)
        is_high, is_middle = key > high - margin, key > low + margin
        is_middle &= ~is_high
        planes = np.stack([is_middle, is_high]) if len(factors) == 2 else is_high[None]
        levels = np.stack([~is_middle & ~is_high, *planes])
        # The first sample of each level stands for it; of an empty level any does.
        firsts = levels.argmax(axis=2)
        rows = np.take_along_axis(factors, firsts.T[None], axis=2).transpose(0, 2, 1)
        looked_up = sum(levels[k] * rows[:, k, :, None] for k in range(len(levels)))
        if np.abs(looked_up - factors).max() > ROUNDING * np.abs(factors).max():
            return None
        return cls(_packed(planes), rows.astype(np.float64))

    def tables(self, target: ClassTarget, *, above: bool) -> tuple[Tables, Tables]:
        """Tables of the factors and of the diagonals, with sums over whole factors or the steps."""
        counts = _counts(target, self.bits)
        diagonals = (self.rows**2).sum(axis=0, keepdims=True)
        ones = np.ones((1, len(counts)))
        return (
            _tables(self.rows, target.weights, counts, above=above),
            _tables(diagonals, ones, counts, above=above),
        )


@dataclass(frozen=True, eq=False)
class WeightedBits:
    """A tile of bits and the target, ready for products with other tiles."""

    target: ClassTarget
    bits: Bits  # (n_classes, n_planes, n_tile, n_words)
    factors: Tables
    diagonals: Tables

    @classmethod
    def of(cls, tile: BitTile, target: ClassTarget) -> "WeightedBits":
        """Put a tile and the target together."""
        of_class = target.members[:, None, None] & tile.bits
        return cls(target, of_class, *tile.tables(target, above=True))

    def products(self, other: BitTile, statistics: FloatArray, traces: FloatArray) -> None:
        """Write statistics and traces of all pairs with the features of another tile."""
        factors, diagonals = other.tables(self.target, above=False)
        bit_products(
            self.bits,
            other.bits,
            self.target.weights,
            self.factors,
            factors,
            self.diagonals,
            diagonals,
            statistics,
            traces,
        )


def _counts(target: ClassTarget, bits: Bits) -> FloatArray:
    """Count the samples of each class and level, of shape (n_classes, 1 + n_planes, n_tile)."""
    flags = np.unpackbits(bits.view(np.uint8), axis=-1)
    members = np.unpackbits(target.members.view(np.uint8), axis=-1).astype(np.float32)
    above = np.stack([plane @ members.T for plane in flags.astype(np.float32)], axis=1)
    lowest = members.sum(axis=1) - above.sum(axis=1)
    return np.concatenate([lowest[:, None], above], axis=1).transpose(2, 1, 0).astype(np.float64)


def _tables(rows: FloatArray, weights: FloatArray, counts: FloatArray, *, above: bool) -> Tables:
    """Make tables of factors of shape (rank, 1 + n_planes, n_tile)."""
    summed = rows - rows[:, :1] if above else rows
    sums = np.einsum("gc,clt,rlt->grt", weights, counts, summed)
    return rows[:, 0].copy(), np.ascontiguousarray(rows[:, 1:] - rows[:, :1]), sums


def _packed(flags: NDArray[np.bool_]) -> Bits:
    """Pack flags along the last axis into words."""
    padding = -flags.shape[-1] % WORD_BITS
    padded = np.pad(flags, [*[(0, 0)] * (flags.ndim - 1), (0, padding)])
    return np.packbits(padded, axis=-1).view(np.uint64)
