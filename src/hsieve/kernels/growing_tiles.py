"""Gaussian kernels of ever more features, as tiles of the upper half of their matrix.

Squared distances of all pairs of samples grow feature by feature. A tile holds those of some rows,
from the diagonal on to the right, with the room to make kernels of them in place; what lies right
of the diagonal block stands for its mirror image, too. Tiles are small enough to stay in the cache
while one kernel after the other is made of them.
"""

import numpy as np

from hsieve.array_types import FloatArray

# Values of a tile: four arrays of this size fit into a cache of 1 MB.
TILE_VALUES = 32_768
# So many columns are added one by one, more by a matrix product.
FEW_COLUMNS = 4


def growing_tiles(unit_target: FloatArray) -> "list[GrowingTile]":
    """Cut the upper half of a matrix into tiles of about the same number of values."""
    n, start, tiles = len(unit_target), 0, []
    while start < n:
        stop = min(n, start + max(1, TILE_VALUES // (n - start)))
        tiles.append(GrowingTile(unit_target, start, stop))
        start = stop
    return tiles


class GrowingTile:
    """Some rows of the squared distances, from the diagonal on to the right."""

    def __init__(self, unit_target: FloatArray, start: int, stop: int) -> None:
        self.start, self.stop = start, stop
        # What lies right of the diagonal block stands for its mirror image, too.
        self.target = unit_target[start:stop, start:].copy()
        self.target[:, stop - start :] *= 2.0
        self.distances = np.zeros_like(self.target)
        self.kernel, self.spare = np.empty_like(self.target), np.empty_like(self.target)
        self.ones = np.ones(self.target.shape[1])

    def clear(self) -> None:
        """Start again, with no feature."""
        self.distances.fill(0.0)

    def add(self, block: FloatArray) -> None:
        """Add the columns of some more features to the distances."""
        rows, others = block[self.start : self.stop], block[self.start :]
        if block.shape[1] <= FEW_COLUMNS:
            for column in range(block.shape[1]):
                np.subtract.outer(rows[:, column], others[:, column], out=self.spare)
                self.spare *= self.spare
                self.distances += self.spare
            return
        # A common offset would cancel the digits away.
        rows, others = rows - others.mean(axis=0), others - others.mean(axis=0)
        np.matmul(rows, -2.0 * others.T, out=self.spare)
        self.spare += np.einsum("ij,ij->i", rows, rows)[:, None]
        self.spare += np.einsum("ij,ij->i", others, others)
        np.maximum(self.spare, 0.0, out=self.spare)
        self.distances += self.spare
        np.fill_diagonal(self.distances, 0.0)

    def pairs(self) -> FloatArray:
        """Squared distances of its pairs of different samples, each once."""
        rows, columns = np.triu_indices(len(self.distances), 1, self.distances.shape[1])
        return np.asarray(self.distances[rows, columns])

    def exponentiate(self, rate: float) -> None:
        """Make the kernel from the distances."""
        np.multiply(self.distances, -rate, out=self.kernel)
        np.exp(self.kernel, out=self.kernel)

    def less_one(self, rate: float) -> None:
        """Make the kernel less 1, with the digits that are lost where it is nearly 1."""
        np.expm1(self.distances * -rate, out=self.kernel)

    def add_row_sums(self, row_sums: FloatArray) -> None:
        """Add the rows of the kernel, and those that are mirrored in its columns."""
        height, width = self.kernel.shape
        row_sums[self.start : self.stop] += self.kernel @ self.ones
        if height < width:
            row_sums[self.stop :] += self.ones[:height] @ self.kernel[:, height:]

    def squared_norm(self) -> float:
        """Sum of squares of the kernel, mirror image included."""
        height, width = self.kernel.shape
        squared = float(np.vdot(self.kernel, self.kernel))
        if height == width:
            return squared
        square = self.kernel[:, :height]
        return 2.0 * squared - float(np.einsum("ij,ij->", square, square))

    def inner(self) -> float:
        """Inner product with the target, mirror image included."""
        return float(np.vdot(self.kernel, self.target))
