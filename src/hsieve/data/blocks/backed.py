"""Columns of a dense array that stays in an HDF5 file."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hsieve.data.blocks.base import FloatArray, IndexArray, float_type
from hsieve.data.blocks.stored import StoredBlocks

__all__ = ["BackedBlocks"]

# Rows read together.
STEP_BYTES = 16 * 10**6


class BackedBlocks(StoredBlocks):
    """Columns of a two-dimensional data set, such as the matrix of a backed AnnData.

    Parameters
    ----------
    dataset : h5py.Dataset of shape (n_samples, n_features)
        Booleans, integers or floats; its file must stay open.
    names : sequence of str or None, default=None
        Names of the features.

    Notes
    -----
    The span from the first to the last column of a block is read, some rows at a time, unless most
    of it is not wanted. Data sets in chunks of many rows and few columns are quickest.
    """

    def __init__(self, dataset: Any, names: Sequence[str] | None = None) -> None:
        kind = getattr(getattr(dataset, "dtype", None), "kind", "")
        if len(getattr(dataset, "shape", ())) != 2 or kind not in tuple("biuf"):
            given = f"{type(dataset).__module__}.{type(dataset).__name__}"
            msg = f"A matrix of numbers in memory or in an HDF5 file is needed, got {given}."
            raise ValueError(msg)
        self._dataset = dataset
        self.n_samples, self.n_features = map(int, dataset.shape)
        self.stored_type = np.dtype(dataset.dtype)
        self.dtype = float_type(self.stored_type)
        self.names = None if names is None else tuple(names)

    def _fill(self, block: FloatArray, positions: IndexArray) -> None:
        wanted, places = np.unique(positions, return_inverse=True)
        if not len(wanted):
            return
        first, last = int(wanted[0]), int(wanted[-1]) + 1
        if last - first > 4 * len(wanted):
            for column, position in enumerate(positions):
                block[:, column] = self._dataset[:, int(position)]
            return
        step = max(1, STEP_BYTES // (self._dataset.dtype.itemsize * (last - first)))
        for start in range(0, self.n_samples, step):
            rows = slice(start, start + step)
            block[rows] = self._dataset[rows, first:last][:, (wanted - first)[places]]
