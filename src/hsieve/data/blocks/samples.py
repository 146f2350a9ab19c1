"""Some samples of column blocks, as column blocks of their own."""

import numpy as np

from hsieve.data.blocks.base import ColumnBlocks, FloatArray, IndexArray

__all__ = ["SampleBlocks"]


class SampleBlocks(ColumnBlocks):
    """Some rows of column blocks.

    Parameters
    ----------
    blocks : ColumnBlocks
        All rows.
    rows : ndarray of int
        Which of them, in this order.

    Examples
    --------
    >>> from hsieve.data.blocks import as_blocks
    >>> blocks = as_blocks(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    >>> SampleBlocks(blocks, np.array([2, 0])).read([1]).ravel().tolist()
    [6.0, 2.0]
    """

    def __init__(self, blocks: ColumnBlocks, rows: IndexArray) -> None:
        self._blocks = blocks
        self._rows = rows
        self.n_samples, self.n_features = len(rows), blocks.n_features
        self.dtype, self.names = blocks.dtype, blocks.names

    @property
    def is_local(self) -> bool:
        """Whether the blocks are."""
        return self._blocks.is_local

    def _fill(self, block: FloatArray, positions: IndexArray) -> None:
        every = np.empty((self._blocks.n_samples, len(positions)), dtype=self.dtype, order="F")
        self._blocks._fill(every, positions)
        block[:] = every[self._rows]

    def _check(self, block: FloatArray, positions: IndexArray) -> None:
        """Refuse what the blocks refuse, in the rows that are here."""
        self._blocks._check(block, positions)
