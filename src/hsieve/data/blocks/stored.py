"""Columns of which the type in which they are stored is known, and nothing else to look at."""

from typing import Any

import numpy as np

from hsieve.data.blocks.arrays import places_beyond_exact
from hsieve.data.blocks.base import ColumnBlocks, FloatArray, IndexArray

__all__ = ["StoredBlocks"]


class StoredBlocks(ColumnBlocks):
    """Columns of one type of numbers, which may be integers that no float holds.

    Attributes
    ----------
    stored_type : dtype
        The type before the values became floats.
    """

    stored_type: np.dtype[Any]

    def _check(self, block: FloatArray, positions: IndexArray) -> None:
        """Refuse what is not finite, and integers that would be rounded."""
        super()._check(block, positions)
        for place in places_beyond_exact(block, self.stored_type):
            msg = (
                f"Column {self._called(int(positions[place]))} holds integers beyond 2^53 that "
                "would be rounded; rescale it or leave it out."
            )
            raise ValueError(msg)
