"""Arrays of .npy files, and columns of a matrix that lies in one or in several of them.

Files are taken in the natural order of their names, numbers by their size: part-9 comes before
part-10. They are mapped, so that a block costs the bytes of its columns.

The header of an array is held to the size of the file before anything is allocated, and an array of
Python objects, which would have to be unpickled, is refused by its header. NumPy's own loader
believes the header, so that a file of a hundred bytes can ask it for terabytes.
"""

import math
import os
import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any, Literal

import numpy as np
from numpy.typing import NDArray

from hsieve.data.arrays import ArrayBlocks
from hsieve.data.columns import FloatArray, IndexArray
from hsieve.data.errors import clipped, plainly, quoted, table_error
from hsieve.io.files import MatrixFileBlocks
from hsieve.io.values import Array

__all__ = [
    "ARCHIVE_MAGIC",
    "MAGIC",
    "MATRIX_DIMENSIONS",
    "NumpyFolder",
    "characters_checked",
    "map_npy",
    "plain_column",
    "read_array",
]

MATRIX_DIMENSIONS = 2
ARCHIVE_MAGIC = b"PK\x03\x04"
AXES = ("rows", "columns")
MAGIC = b"\x93NUMPY"
HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
# What a damaged header may raise.
NOT_UNDERSTOOD = (
    ValueError,
    TypeError,
    SyntaxError,
    LookupError,
    MemoryError,
    OverflowError,
    RecursionError,
    TokenError,
)
# As in NumPy; longer ones may take the parser very long.
LONGEST_HEADER = 10_000
LAST_CHARACTER = 0x10FFFF


class NumpyFolder(MatrixFileBlocks):
    """Columns of a matrix stored as a folder of .npy files.

    Parameters
    ----------
    path : path-like
        The folder, or a single file. All files of the folder that end in .npy are blocks of one
        matrix, in the natural order of their names; names that begin with a dot or an underscore
        are left out.
    axis : {"rows", "columns"} or None, default=None
        Whether the files are blocks of rows, with equally many columns, or of columns, with equally
        many rows. None finds out where only one of the two fits.
    names : sequence of str or None, default=None
        Names of the features; None calls them x0, x1, ... by their place in the matrix.
    columns : sequence of int or None, default=None
        Places of the features in the matrix; None for all columns.
    categorical : collection of str, default=()
        Features whose values are categories: each becomes the codes 0, ..., c - 1 of its c sorted
        distinct values.

    Raises
    ------
    TableError
        If files are no matrices of numbers, do not fit together, or fit both ways.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(Path(folder, "part-9.npy"), [[1.0, 2.0], [3.0, 4.0]])
    ...     np.save(Path(folder, "part-10.npy"), [[5.0], [6.0]])
    ...     NumpyFolder(folder).read([2, 0])
    array([[5., 1.],
           [6., 3.]])
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        axis: str | None = None,
        names: Sequence[str] | None = None,
        columns: Sequence[int] | None = None,
        categorical: Collection[str] = (),
    ) -> None:
        path = Path(path)
        self._paths = _npy_files(path)
        self._matrices = [map_npy(file) for file in self._paths]
        # A matrix of text has categories only, each coded from its own column.
        self._parts = [
            None if matrix.dtype.kind == "U" and len(categorical) else _part(file, matrix)
            for file, matrix in zip(self._paths, self._matrices, strict=True)
        ]
        self.axis = self._found_axis(path, axis)
        sizes = [matrix.shape[self.axis == "columns"] for matrix in self._matrices]
        self._starts = np.cumsum([0, *sizes])
        shape = list(self._matrices[0].shape)
        shape[self.axis == "columns"] = sum(sizes)
        self.n_samples, n_columns = shape
        super().__init__(path, names, columns, categorical, n_columns=n_columns)
        self.settings = (("axis", self.axis), *self.settings)
        self.stored_types = {matrix.dtype for matrix in self._matrices}
        self.dtype = self._type_with_codes(
            np.result_type(np.float32, *(part.dtype for part in self._parts if part is not None))
        )

    def _files(self) -> list[Path]:
        return self._paths

    def _found_axis(self, path: Path, axis: str | None) -> str:
        """Return the way in which the files fit together."""
        if axis not in {None, *AXES}:
            msg = f"axis must be 'rows', 'columns' or None, got {axis!r}."
            raise ValueError(msg)
        first = self._matrices[0].shape
        for number, matched in ((1, "rows"), (0, "columns")):
            for file, matrix in zip(self._paths, self._matrices, strict=True):
                if axis == matched and matrix.shape[number] != first[number]:
                    problem = f"the shape {matrix.shape} does not go with {first} of "
                    problem += f"{quoted(self._paths[0].name)} as a block of {axis}"
                    raise table_error(file, problem)
        if axis is not None:
            return axis
        fitting = [
            way
            for number, way in ((1, "rows"), (0, "columns"))
            if len({matrix.shape[number] for matrix in self._matrices}) == 1
        ]
        if len(fitting) == 1 or len(self._matrices) == 1:
            return fitting[0]
        if fitting:
            problem = f"all {len(self._matrices)} files are of the shape {first} and could be "
            raise table_error(path, f"{problem}blocks of rows or of columns; say which with axis=")
        named = zip(self._matrices, self._paths, strict=True)
        shapes = {matrix.shape: file.name for matrix, file in named}
        shown = ", ".join(f"{shape} ({quoted(name)})" for shape, name in list(shapes.items())[:3])
        problem = f"the files have neither equally many columns nor equally many rows: {shown}"
        raise table_error(path, problem)

    def _fill_numbers(self, block: FloatArray, places: IndexArray) -> None:
        for view, file, inside in self._views(block, places):
            part = self._parts[file]
            if part is not None:
                part._fill(view, inside)

    def _views(
        self, block: FloatArray, places: IndexArray
    ) -> Iterator[tuple[FloatArray, int, IndexArray]]:
        """Give the parts of a block that come from one file, and which columns of it."""
        if self.axis == "rows":
            for file, start in enumerate(self._starts[:-1]):
                yield block[start : self._starts[file + 1]], file, places
            return
        files = np.searchsorted(self._starts, places, side="right") - 1
        for run in np.split(np.arange(len(places)), np.flatnonzero(np.diff(files)) + 1):
            if len(run):
                file = int(files[run[0]])
                inside = places[run] - self._starts[file]
                yield block[:, run[0] : run[-1] + 1], file, inside

    def _column(self, place: int) -> NDArray[Any]:
        if self.axis == "rows":
            column = np.concatenate([matrix[:, place] for matrix in self._matrices])
        else:
            file = int(np.searchsorted(self._starts, place, side="right")) - 1
            column = self._matrices[file][:, place - self._starts[file]]
        return plain_column(self.path, f"x{place}", column)


def _part(path: Path, matrix: Array) -> ArrayBlocks:
    """Refuse a file that holds no numbers."""
    if matrix.dtype.kind not in "biuf":
        problem = f"the array must hold booleans, integers or floats, got {matrix.dtype}"
        raise table_error(path, problem)
    return ArrayBlocks(matrix)


def _npy_files(path: Path) -> list[Path]:
    """Return the files of a folder in their natural order."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise table_error(path, "there is no such folder")
    with plainly(path, "a folder of .npy files"):
        inside = list(path.iterdir())
    files = [p for p in inside if p.suffix.lower() == ".npy" and p.name[0] not in "._"]
    if not files:
        raise table_error(path, "this is a folder without files ending in '.npy'")
    return sorted(files, key=lambda file: _natural(file.name))


def _natural(name: str) -> tuple[list[tuple[int, str]], str]:
    """Return a key that compares numbers inside a name by their size."""
    pieces = re.split(r"([0-9]+)", name)
    # Text at even places, numbers at odd ones; the name itself tells 01 from 1.
    return [(int(text), "") if i % 2 else (0, text) for i, text in enumerate(pieces)], name


def map_npy(path: Path) -> Array:
    """Map a matrix into memory instead of loading it."""
    with plainly(path, ".npy"), path.open("rb") as file:
        if file.read(len(ARCHIVE_MAGIC)) == ARCHIVE_MAGIC:
            raise table_error(path, "this is an .npz archive of arrays, not a single array")
        file.seek(0)
        header = read_header(file, path.stat().st_size)
    if len(header.shape) != MATRIX_DIMENSIONS:
        raise table_error(path, f"the array must be 2-D, got the shape {header.shape}")
    if not header.size:
        return np.empty(header.shape, header.dtype)
    with plainly(path, ".npy"):
        # A plain view, because each slice of a memmap costs a search for its file.
        return np.memmap(path, header.dtype, "r", header.offset, header.shape, header.order).view(
            np.ndarray
        )


def plain_column(path: Path, name: str, values: Array) -> Array:
    """Return text as objects and all but integers as float64."""
    if values.dtype.kind == "U":
        with plainly(path, "text"):
            return characters_checked(values, f"column {quoted(name)}").astype(object)
    if values.dtype.kind in "iu":
        return values
    with np.errstate(all="ignore"):  # what float64 has not is infinite or NaN, refused later
        return values.astype(np.float64)


@dataclass(frozen=True)
class Header:
    """What the header of an array says, which fits the size of its file.

    Parameters
    ----------
    dtype : dtype
        Type of the values.
    shape : tuple of int
        The shape.
    order : {"C", "F"}
        How the values lie.
    offset : int
        Where they begin.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    order: Literal["C", "F"]
    offset: int

    @property
    def size(self) -> int:
        """Number of values."""
        return math.prod(self.shape)


def read_header(file: IO[bytes], n_bytes: int, called: str = "the array") -> Header:
    """Read the header of an array that has so many bytes in all."""
    try:
        read = HEADERS[np.lib.format.read_magic(file)]
    except (ValueError, KeyError) as error:
        msg = f"{called} is not saved as NumPy saves arrays"
        raise ValueError(msg) from error
    try:
        with warnings.catch_warnings():  # of headers that Python 2 wrote
            warnings.simplefilter("ignore", UserWarning)
            shape, is_fortran, dtype = read(file, max_header_size=LONGEST_HEADER)
        if not all(type(length) is int and length >= 0 for length in shape):
            raise ValueError(shape)
    except NOT_UNDERSTOOD as error:
        msg = f"the header of {called} cannot be understood"
        raise ValueError(msg) from error
    if dtype.hasobject:
        problem = f"{called} holds Python objects, which are never unpickled"
        msg = f"{problem}; store numbers or text"
        raise ValueError(msg)
    header = Header(dtype, shape, "F" if is_fortran else "C", file.tell())
    left = n_bytes - header.offset
    if header.size * dtype.itemsize != left or (dtype.itemsize == 0 and header.size):
        problem = f"{called} is said to be of the shape {clipped(str(shape))} and the type {dtype}"
        msg = f"{problem}, but there are {left} bytes for it"
        raise ValueError(msg)
    return header


def read_array(file: IO[bytes], n_bytes: int, called: str = "the array") -> Array:
    """Read an array, whose file is at its beginning; see :func:`read_header`."""
    header = read_header(file, n_bytes, called)
    content = bytearray(header.size * header.dtype.itemsize)
    found = file.readinto(content)  # type: ignore[attr-defined]
    if found != len(content):
        msg = f"{called} is cut off after {found} of {len(content)} bytes"
        raise ValueError(msg)
    values = np.frombuffer(content, dtype=header.dtype)
    return values.reshape(header.shape, order=header.order)


def characters_checked(values: Array, called: str) -> Array:
    """Refuse text with numbers that stand for no character, over which Python stumbles."""
    numbers = np.ascontiguousarray(values).view(np.uint32 if values.dtype.isnative else ">u4")
    if numbers.size and int(numbers.max()) > LAST_CHARACTER:
        msg = f"{called} holds what is no character; the file is damaged"
        raise ValueError(msg)
    return values
