"""Zarr: groups of the matrix ``X``, the target and perhaps ``feature_names``, and single arrays.

The arrays have the same names as in an .npz archive, but the matrix stays in its chunks until
columns are asked for. Chunks of some rows and some columns are what zarr reads and unpacks as a
whole. A block of columns goes through them row of chunks by row of chunks, so that beside the block
only a few are in memory. zarr is imported when such a folder is opened.
"""

import math
import os
from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.data.columns import FloatArray, IndexArray, float_type
from hsieve.data.errors import listed, plainly, quoted, table_error, unknown_name
from hsieve.data.file_fingerprint import fingerprint_of_content
from hsieve.fingerprint import fingerprint_of
from hsieve.io.files import DECODED_BYTES, MatrixFileBlocks
from hsieve.io.numpy_files import MatrixSource, array_names, check_shapes
from hsieve.io.numpy_folder import MATRIX_DIMENSIONS
from hsieve.io.source import refuse_unpacked
from hsieve.io.values import Array

__all__ = ["ZarrBlocks", "ZarrSource"]

MATRIX, NAMES = "X", "feature_names"
METADATA = ("zarr.json", ".zarray")
# Whatever it stumbles over in a damaged description: there are many classes of errors.
ZARR_ERRORS = (Exception,)
# What zarr itself needs for a chunk that it reads, and a table for a row or column and its name.
BYTES_A_CHUNK = 1000
BYTES_A_PLACE = 64


class ZarrSource(MatrixSource):
    """The matrix of a group, and the target in an array of its own."""

    def __init__(self, path: Path, target: str | None) -> None:
        wanted = "y" if target is None else target
        group = open_zarr(path)
        if not hasattr(group, "array_keys"):
            problem = "this is a single array, not a group of arrays with a matrix X and a target"
            raise table_error(path, problem)
        with plainly(path, "zarr", ZARR_ERRORS):
            inside = sorted(group.array_keys())
            if MATRIX not in inside:
                problem = f"no array 'X' inside, only {listed(inside)}; X and y are needed"
                raise table_error(path, f"{problem}, or target= (--target NAME)")
            if wanted not in inside or wanted in (MATRIX, NAMES):
                others = [name for name in inside if name not in (MATRIX, NAMES)]
                raise unknown_name(path, "the target", wanted, others)
            matrix = checked_array(path, group[MATRIX])
            values = _plain(_read_whole(path, group[wanted]))
            stored = _plain(_read_whole(path, group[NAMES])) if NAMES in inside else None
        check_shapes(path, matrix, wanted, values)
        refuse_no_numbers(path, matrix)
        super().__init__(path, array_names(path, matrix, stored), matrix, wanted, values)

    def columns(
        self, features: Sequence[str], declared: Collection[str], *, may_lack: bool
    ) -> "ZarrBlocks":
        """Return columns that are read from the chunks that hold them."""
        places = {name: place for place, name in enumerate(self.features)}
        columns = [places[name] for name in features]
        return ZarrBlocks(self.path / MATRIX, names=features, columns=columns, categorical=declared)


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
        super().__init__(path, names, columns, categorical, n_columns=n_columns)
        self.stored_types = [self._array.dtype]
        self.dtype = self._type_with_codes(float_type(self._array.dtype))

    def fingerprint(self) -> str:
        """Return a mark of names, times and content of all files of the array."""
        files = sorted(file for file in self.path.rglob("*") if file.is_file())
        marks = [(str(file.relative_to(self.path)), file.stat().st_mtime_ns) for file in files]
        of_columns = (self.settings, self.names, self._is_category)
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

    def _fill_numbers(self, block: FloatArray, places: IndexArray) -> None:
        wanted, back = np.unique(places, return_inverse=True)
        if len(wanted):
            for rows in self._row_steps(len(wanted)):
                block[rows] = self._values(rows, wanted)[:, back]

    def _column(self, place: int) -> NDArray[Any]:
        return self._values(slice(0, self.n_samples), np.array([place]))[:, 0]

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


def _matrix(path: Path) -> Any:
    """Open an array, and refuse what is no matrix of numbers."""
    array = open_zarr(path)
    if not hasattr(array, "chunks"):
        raise table_error(path, "this is a group of zarr arrays; give the path of one of them")
    if array.ndim != MATRIX_DIMENSIONS:
        raise table_error(path, f"the array must be 2-D, got the shape {array.shape}")
    refuse_no_numbers(path, array)
    return checked_array(path, array)


def open_zarr(path: Path) -> Any:
    """Open an array or a group for reading."""
    try:
        zarr = import_module("zarr")
    except ImportError as error:
        raise table_error(path, "reading this needs zarr (pip install hsieve[zarr])") from error
    if not path.is_dir():
        raise table_error(path, "there is no such folder")
    with plainly(path, "zarr", ZARR_ERRORS):
        return zarr.open(str(path), mode="r")


def checked_array(path: Path, array: Any) -> Any:
    """Refuse an array that would run foreign code, or has chunks or axes out of all measure."""
    if _names_pickle(array.metadata.to_dict()):
        problem = f"the array {quoted(array.name or '')} holds Python objects"
        raise table_error(path, f"{problem}, which are never unpickled; store numbers or text")
    chunk = getattr(array, "shards", None) or array.chunks
    refuse_unpacked(path, math.prod(chunk) * array.dtype.itemsize, "one chunk")
    refuse_unpacked(path, BYTES_A_PLACE * max(array.shape, default=0), "one row or column")
    return array


def refuse_no_numbers(path: Path, array: Any) -> None:
    """Refuse an array that holds something else than numbers."""
    if array.dtype.kind not in "biuf":
        problem = f"the array must hold booleans, integers or floats, got {array.dtype}"
        raise table_error(path, problem)


def _names_pickle(about: Any) -> bool:
    """Tell whether a description of an array names a codec that unpickles."""
    if isinstance(about, Mapping):
        return any(map(_names_pickle, about.values()))
    if isinstance(about, str):
        return about.split(".")[-1] == "pickle"
    if isinstance(about, Sequence) and not isinstance(about, bytes):
        return any(map(_names_pickle, about))
    return getattr(about, "codec_id", "") == "pickle"


def _read_whole(path: Path, array: Any) -> Any:
    """Read an array that is not far larger than its folder."""
    checked_array(path, array)
    lengths = zip(array.shape, array.chunks, strict=True)
    n_chunks = math.prod(-(-length // chunk) for length, chunk in lengths)
    n_bytes = math.prod(array.shape) * array.dtype.itemsize + BYTES_A_CHUNK * n_chunks
    refuse_unpacked(path, n_bytes, f"the array {quoted(array.name or '')}")
    return array[...]


def _plain(values: Any) -> Array:
    """Return an array with text, if it is text, as NumPy has always had it."""
    array = np.asarray(values)
    is_text = array.dtype.kind == "T" or (
        array.dtype.kind == "O" and all(isinstance(value, str) for value in array.flat)
    )
    return np.array(array.tolist(), dtype=str) if is_text else array
