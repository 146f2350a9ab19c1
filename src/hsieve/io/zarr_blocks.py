"""Columns of zarr arrays: only the chunks that hold them are read.

Chunks of some rows and some columns are what zarr reads and unpacks as a whole. A block of columns
goes through them row of chunks by row of chunks, so that beside the block only a few are in memory.
"""

import os
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.data.columns import FloatArray, IndexArray, float_type
from hsieve.data.errors import plainly, table_error
from hsieve.data.file_fingerprint import fingerprint_of_content, states_of
from hsieve.fingerprint import fingerprint_of
from hsieve.io.files import DECODED_BYTES, MatrixFileBlocks, other_data
from hsieve.io.numpy_files import MATRIX_DIMENSIONS
from hsieve.io.zarr import ZARR_ERRORS, checked_array, open_zarr, refuse_no_numbers

__all__ = ["ZarrBlocks"]

METADATA = ("zarr.json", ".zarray")


class ZarrBlocks(MatrixFileBlocks):
    """Columns of a 2-D zarr array.

    Parameters
    ----------
    path : path-like
        Folder of the array, on this machine or on storage that all workers see.
    names : sequence of str or None, default=None
        Names of the features; None calls them x0, x1, ... by their place in the array.
    columns : sequence of int or None, default=None
        Places of the features in the array; None for all columns.
    categorical : collection of str, default=()
        Features whose values are categories: each becomes the codes 0, ..., c - 1 of its c sorted
        distinct values.

    Raises
    ------
    TableError
        If there is no such array, or it is no matrix of numbers.

    Notes
    -----
    Chunks are unpacked again for each block. Chunks of many rows and some hundred columns are best;
    where one holds all columns, each block unpacks the whole array.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        names: Sequence[str] | None = None,
        columns: Sequence[int] | None = None,
        categorical: Collection[str] = (),
    ) -> None:
        path = Path(path)
        self._array = _matrix(path)
        self.n_samples, n_columns = self._array.shape
        self._places = np.arange(n_columns) if columns is None else np.array(columns, np.intp)
        outside = self._places[(self._places < 0) | (self._places >= n_columns)]
        if outside.size:
            raise table_error(path, f"there is no column {outside[0]} among {n_columns}")
        names = [f"x{place}" for place in self._places] if names is None else names
        super().__init__(path, names, categorical)
        self._refuse_unknown(categorical, len(self._places))
        self.dtype = self._type_with_codes(float_type(self._array.dtype))

    def reference(self) -> "ZarrReference":
        """Return what opens the same columns in another process."""
        return ZarrReference(
            path=str(self.path.absolute()),
            names=self.names,
            columns=tuple(self._places.tolist()),
            categorical=tuple(np.array(self.names, dtype=object)[self._is_category]),
            stamp=self.stamp(),
        )

    def fingerprint(self) -> str:
        """Return a mark of names, times and content of all files of the array."""
        files = sorted(file for file in self.path.rglob("*") if file.is_file())
        marks = [(str(file.relative_to(self.path)), file.stat().st_mtime_ns) for file in files]
        of_columns = (self._places, self.names, self._is_category)
        return fingerprint_of((marks, fingerprint_of_content(files), of_columns))

    def stamp(self) -> tuple[tuple[str, int], ...]:
        """Sizes of the files that say what the array is, and how many files there are in all.

        zarr takes a chunk without a file for one of zeros, so that whoever sees fewer files would
        read other data.
        """
        n_files = sum(len(files) for _, _, files in os.walk(self.path))
        return (*super().stamp(), ("files", n_files))

    def _files(self) -> list[Path]:
        """Return the files that say what the array is; there may be very many chunks."""
        return [self.path / name for name in METADATA if (self.path / name).exists()]

    def _fill(self, block: FloatArray, positions: IndexArray) -> None:
        """Read the numbers, then code the categories."""
        wanted, places = np.unique(self._places[positions], return_inverse=True)
        if not len(wanted):
            return
        # What float64 has not becomes infinite or NaN, which is refused afterwards.
        with np.errstate(all="ignore"):
            for rows in self._row_steps(len(wanted)):
                block[rows] = self._values(rows, wanted)[:, places]
        self._fill_codes(block, positions)

    def _check(self, block: FloatArray, positions: IndexArray) -> None:
        """Refuse what is not finite, and integers that would be rounded."""
        super()._check(block, positions)
        self._refuse_rounded(block, positions, [self._array.dtype])

    def _stored(self, feature: int) -> NDArray[Any]:
        return self._values(slice(0, self.n_samples), self._places[[feature]])[:, 0]

    def _values(self, rows: slice, columns: IndexArray) -> NDArray[Any]:
        """Read some rows of some columns, which are ascending."""
        first, last = int(columns[0]), int(columns[-1]) + 1
        with plainly(self.path, "zarr", ZARR_ERRORS):
            if last - first == len(columns):
                return np.asarray(self._array[rows, first:last])
            return np.asarray(self._array.oindex[rows, columns])

    def _row_steps(self, n_columns: int) -> list[slice]:
        """Cut the rows between chunks, into steps of a few megabytes."""
        height, width = self._array.chunks
        # As much as is unpacked: at worst a chunk for each column.
        n_bytes = height * max(n_columns, width) * self._array.dtype.itemsize
        step = height * max(1, DECODED_BYTES // max(1, n_bytes))
        return [slice(start, start + step) for start in range(0, self.n_samples, step)]


@dataclass(frozen=True)
class ZarrReference:
    """What opens columns of a zarr array in any process that has it at the same path.

    Parameters
    ----------
    path : str
        Folder of the array.
    names, categorical : tuple of str
        Features, and those of them that are categories.
    columns : tuple of int
        Places of the features.
    stamp : tuple
        Marks of the description of the array, and the number of its files; others are refused.
    """

    path: str
    names: tuple[str, ...]
    columns: tuple[int, ...]
    categorical: tuple[str, ...]
    stamp: tuple[tuple[str, int], ...]

    def state(self) -> Hashable:
        """Return what changes, on this machine, when another array takes the place of this one.

        Chunks are opened again for each reading, so that only what describes them is looked at.
        """
        return states_of([Path(self.path, name) for name in METADATA])

    def open(self) -> ZarrBlocks:
        """Open the columns."""
        blocks = ZarrBlocks(
            self.path, names=self.names, columns=self.columns, categorical=self.categorical
        )
        if blocks.stamp() != self.stamp:
            raise other_data(blocks.path)
        return blocks


def _matrix(path: Path) -> Any:
    """Open an array, and refuse what is no matrix of numbers."""
    array = open_zarr(path)
    if not hasattr(array, "chunks"):
        raise table_error(path, "this is a group of zarr arrays; give the path of one of them")
    if array.ndim != MATRIX_DIMENSIONS:
        raise table_error(path, f"the array must be 2-D, got the shape {array.shape}")
    refuse_no_numbers(path, array)
    return checked_array(path, array)
