"""Columns that another process reads from a file."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hsieve.data.blocks.base import FloatArray, IndexArray, float_type
from hsieve.data.blocks.stored import StoredBlocks
from hsieve.data.tables.reader_process import ReaderProcess

__all__ = ["ServedBlocks"]

# Most that is asked for at a time, if it is more than one column.
ASKED_BYTES = 64 * 10**6


class ServedBlocks(StoredBlocks):
    """Columns of a matrix in a file that is open in a process of its own.

    Parameters
    ----------
    reader : ReaderProcess
        Answers ``do="read"`` with columns as rows.
    n_samples : int
        Length of the columns.
    names : sequence of str
        Names of the features.
    stored_type : dtype
        In which the file has them.
    """

    def __init__(
        self, reader: ReaderProcess, n_samples: int, names: Sequence[str], stored_type: Any
    ) -> None:
        self._reader = reader
        self.n_samples, self.n_features = n_samples, len(names)
        self.names = tuple(names)
        self.stored_type = np.dtype(stored_type)
        self.dtype = float_type(self.stored_type)

    def _fill(self, block: FloatArray, positions: IndexArray) -> None:
        width = max(1, ASKED_BYTES // max(1, self.n_samples * self.dtype.itemsize))
        for start in range(0, len(positions), width):
            places = slice(start, start + width)
            reply = self._reader.ask({"do": "read"}, positions[places])
            block[:, places] = reply.arrays[0].T
