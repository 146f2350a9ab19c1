"""Products of the kernels of all pairs of features with the kernel of the target.

With centred factors F_a of the features and G of the target, the interaction of a and b with y is

    I(a, b) = <K_a * K_b, L> = sum over columns g of G of |F_a' diag(g) F_b|_F^2,

the elementwise product of centred kernels (:mod:`hsieve.interactions.pair_statistic` says why). For
two tiles of features this is one product of matrices for each column g and each pair of factor
columns, squared and added up. The sum of K_a * K_b over its diagonal, by which the statistic is put
on a common scale, is one product of the diagonals.

Features of two or three values and a target of few classes go by bits instead
(:mod:`hsieve.kernels.bit_tiles`), which is some four times as quick.

Cost: 2 n r^2 operations a pair of features of rank r and a column of the target, at the speed of
BLAS. In single precision rounding shifts I by less than 1e-5 of the largest value it can have.
"""

import itertools
from dataclasses import dataclass

import numpy as np

from hsieve.array_types import FloatArray
from hsieve.kernels.bit_tiles import ClassTarget, WeightedBits
from hsieve.kernels.leading_factors import FactorTile

# BLAS is many times slower on matrices of few, very long rows.
SAMPLES_AT_A_TIME = 4_096


@dataclass(frozen=True, eq=False)
class WeightedTile:
    """A tile and the target, ready for products with other tiles."""

    tile: FactorTile
    target: FloatArray  # (n_columns, n_samples): columns of the target's factor
    diagonals: FloatArray  # (n_tile, n_samples): diagonals of the features' kernels
    bits: WeightedBits | None = None  # the same as bits, if that is possible and pays

    @classmethod
    def of(
        cls,
        tile: FactorTile,
        target: FloatArray,
        sample_weights: FloatArray | None = None,
        classes: ClassTarget | None = None,
    ) -> "WeightedTile":
        """Put a tile and the target together.

        Shapes: target (n_columns, n_samples).
        """
        diagonals = tile.diagonals()
        if sample_weights is not None:
            diagonals *= sample_weights
        bits = None
        if classes is not None and tile.bits is not None:
            bits = WeightedBits.of(tile.bits, classes)
        return cls(tile, target, diagonals, bits)


@dataclass(frozen=True, eq=False)
class PairBlock:
    """The statistics of all pairs of two tiles; overwritten by the next block."""

    statistics: FloatArray  # (n_first, n_second): I(a, b)
    traces: FloatArray  # (n_first, n_second): sum of the diagonal of K_a * K_b


class PairProducts:
    """The working memory of one thread for products of tiles."""

    def __init__(self) -> None:
        self._memory: dict[str, FloatArray] = {}
        self._dtype: np.dtype[np.floating] = np.dtype(np.float32)

    def block(self, first: WeightedTile, second: FactorTile) -> PairBlock:
        """Compute the statistics of all pairs of two tiles."""
        shape = (len(first.tile.features), len(second.features))
        self._dtype = first.tile.rows.dtype
        statistics, traces = self._array("statistics", shape), self._array("traces", shape)
        if first.bits is not None and second.bits is not None:
            first.bits.products(second.bits, statistics, traces)
            return PairBlock(statistics, traces)
        product = self._array("product", shape)
        statistics[...] = 0.0
        left = self._array("left", first.diagonals.shape)
        for column, row in itertools.product(first.target, first.tile.rows):
            np.multiply(row, column, out=left)
            for right in second.rows:
                self._multiply(left, right, product)
                np.multiply(product, product, out=product)
                np.add(statistics, product, out=statistics)
        self._multiply(first.diagonals, second.diagonals(), traces)
        return PairBlock(statistics, traces)

    def _multiply(self, left: FloatArray, right: FloatArray, out: FloatArray) -> None:
        """Put left @ right.T into `out`, some samples at a time."""
        n_samples = left.shape[1]
        np.matmul(left[:, :SAMPLES_AT_A_TIME], right[:, :SAMPLES_AT_A_TIME].T, out=out)
        for start in range(SAMPLES_AT_A_TIME, n_samples, SAMPLES_AT_A_TIME):
            some = slice(start, start + SAMPLES_AT_A_TIME)
            part = self._array("part", out.shape)
            np.matmul(left[:, some], right[:, some].T, out=part)
            np.add(out, part, out=out)

    def _array(self, name: str, shape: tuple[int, ...]) -> FloatArray:
        """Return an array of this shape, in memory that was used before if there is enough."""
        size = int(np.prod(shape))
        kept = self._memory.get(name)
        if kept is None or len(kept) < size or kept.dtype != self._dtype:
            kept = self._memory[name] = np.empty(size, dtype=self._dtype)
        return kept[:size].reshape(shape)
