"""Missing values as one more level of a category, for data such as genotypes.

Where a value is missing may itself tell something, and a genotype has no middle to fill in. A
column with NaN is therefore given one more value, above all others, and is to be treated as a
category. Infinity is refused as ever.
"""

import numpy as np
from numpy.typing import NDArray

from hsieve.data.blocks.base import ColumnBlocks, FloatArray, IndexArray

__all__ = ["MissingAsLevel"]

BYTES_AT_A_TIME = 64 * 10**6


class MissingAsLevel(ColumnBlocks):
    """Columns in which NaN is a value like any other.

    Parameters
    ----------
    blocks : ColumnBlocks
        The columns, with NaN where a value is missing.

    Attributes
    ----------
    has_missing : ndarray of bool of shape (n_features,)
        True where a column holds NaN; it is to be treated as a category.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve.data.blocks import as_blocks
    >>> blocks = MissingAsLevel(as_blocks(np.array([[0.0, 1.0], [2.0, np.nan], [1.0, 0.0]])))
    >>> blocks.has_missing.tolist(), blocks.read([1]).ravel().tolist()
    ([False, True], [1.0, 2.0, 0.0])
    """

    def __init__(self, blocks: ColumnBlocks) -> None:
        self._blocks = blocks
        self.n_samples, self.n_features = blocks.shape
        self.names, self.dtype = blocks.names, blocks.dtype
        self.has_missing: NDArray[np.bool_] = np.zeros(self.n_features, dtype=bool)
        for features in self.walk(BYTES_AT_A_TIME):
            block = np.empty((self.n_samples, len(features)), dtype=self.dtype, order="F")
            blocks._fill(block, features)
            self.has_missing[features] = np.isnan(block).any(axis=0)

    def _fill(self, block: FloatArray, positions: IndexArray) -> None:
        self._blocks._fill(block, positions)
        for place in np.flatnonzero(self.has_missing[positions]):
            column = block[:, place]
            missing = np.isnan(column)
            column[missing] = 0.0 if missing.all() else column[~missing].max() + 1.0

    def _check(self, block: FloatArray, positions: IndexArray) -> None:
        self._blocks._check(block, positions)
