"""Arrays saved by NumPy: .npz archives and single .npy matrices.

Neither is ever unpickled, so reading runs no foreign code. An archive holds the matrix ``X``, the
target and perhaps ``feature_names`` and is read whole; a single matrix has the target among its
columns and is mapped.

The header of an array is held to the size of the file before anything is allocated, and an array of
Python objects, which would have to be unpickled, is refused by its header. NumPy's own loader
believes the header, so that a file of a hundred bytes can ask it for terabytes.
"""

import math
import re
import warnings
import zipfile
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any, Literal

import numpy as np

from hsieve.data.arrays import ArrayBlocks
from hsieve.data.columns import ColumnBlocks, FloatArray, IndexArray
from hsieve.data.errors import clipped, listed, plainly, quoted, table_error, unknown_name
from hsieve.io.files import MatrixFileBlocks
from hsieve.io.source import Source, check_names, refuse_unpacked
from hsieve.io.values import NUMPY_KINDS, Array

__all__ = [
    "MATRIX_DIMENSIONS",
    "MatrixSource",
    "array_names",
    "check_shapes",
    "map_npy",
    "open_npy",
    "open_npz",
]

MATRIX_DIMENSIONS = 2
ARCHIVE_MAGIC = b"PK\x03\x04"
EMPTY_ARCHIVE_MAGIC = b"PK\x05\x06"

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


class MatrixSource(Source):
    """A matrix whose columns are features, and a target in an array of its own or among them.

    Parameters
    ----------
    path : Path
        The file or folder.
    features : sequence of str
        Names of the columns of the matrix.
    matrix : array
        The matrix, which may stay where it is.
    target : str or None
        Name of the target.
    values : ndarray or None, default=None
        The target, unless it is a column.
    """

    def __init__(
        self,
        path: Path,
        features: Sequence[str],
        matrix: Any,
        target: str | None,
        values: Array | None = None,
    ) -> None:
        names = list(features) if values is None else [*features, str(target)]
        check_names(path, names)
        super().__init__(path, names, target)
        self.features, self.matrix, self._values = tuple(features), matrix, values

    def open(self, wanted: Sequence[str], declared: Collection[str] = ()) -> dict[str, str]:
        """Tell the kind of each wanted column by its array's type."""
        types = dict.fromkeys(wanted, self.matrix.dtype)
        if self._values is not None:
            types[self.target] = self._values.dtype
        return {name: NUMPY_KINDS.get(of.kind, str(of)) for name, of in types.items()}

    def load(self, name: str) -> Array:
        """Return one column, text as objects and all but integers as float64."""
        if name == self.target and self._values is not None:
            return plain_column(self.path, name, self._values)
        return plain_column(self.path, name, self.matrix[:, self.features.index(name)])


class NpySource(MatrixSource):
    """A matrix that stays in its file."""

    accepted_target = "an index"

    def columns(
        self, features: Sequence[str], declared: Collection[str], *, may_lack: bool
    ) -> ColumnBlocks:
        """Return columns that are read from the mapped file."""
        return NumpyBlocks(self.path, features, declared)


class NumpyBlocks(MatrixFileBlocks):
    """Some columns of a matrix from a NumPy file, by the names x0, x1, ..."""

    def __init__(self, path: Path, names: Sequence[str], categorical: Collection[str]) -> None:
        super().__init__(path, names, categorical)
        self._matrix = map_npy(path)
        self.n_samples = len(self._matrix)
        self._places = np.array([int(name[1:]) for name in self.names], dtype=np.intp)
        # A matrix of text has categories only, each coded from its own column.
        is_text = self._matrix.dtype.kind == "U"
        self._numbers = None if is_text else ArrayBlocks(self._matrix)
        self.stored_types = [self._matrix.dtype]
        self.dtype = self._type_with_codes(
            np.dtype(np.float32) if self._numbers is None else self._numbers.dtype
        )

    def _fill_numbers(self, block: FloatArray, positions: IndexArray) -> None:
        if self._numbers is not None:
            self._numbers._fill(block, self._places[positions])

    def _stored(self, feature: int) -> Array:
        column = self._matrix[:, self._places[feature]]
        return plain_column(self.path, self.names[feature], column)


def plain_column(path: Path, name: str, values: Array) -> Array:
    """Return text as objects and all but integers as float64."""
    if values.dtype.kind == "U":
        with plainly(path, "text"):
            return characters_checked(values, f"column {quoted(name)}").astype(object)
    if values.dtype.kind in "iu":
        return values
    with np.errstate(all="ignore"):  # what float64 has not is infinite or NaN, refused later
        return values.astype(np.float64)


def open_npz(path: Path, target: str | None) -> MatrixSource:
    """Take the matrix X, the target and perhaps the names from an archive of arrays."""
    wanted = "y" if target is None else target
    with plainly(path, ".npz"), path.open("rb") as file:
        _refuse_single(path, file)
        with zipfile.ZipFile(file) as archive:
            members = {_array_name(info.filename): info for info in archive.infolist()}
            inside = list(members)
            missing = [name for name in dict.fromkeys(("X", wanted)) if name not in inside]
            if "X" in missing or (missing and target is None):
                problem = f"no array {listed(missing, 'or')} inside, only {listed(inside)}"
                raise table_error(
                    path, f"{problem}; X and y are needed, or target= (--target NAME)"
                )
            if missing or wanted in ("X", "feature_names"):
                others = [name for name in inside if name not in ("X", "feature_names")]
                raise unknown_name(path, "the target", wanted, others)
            needed = ["X", wanted, *(["feature_names"] if "feature_names" in inside else [])]
            _refuse_doubled(path, archive, needed)
            refuse_unpacked(path, sum(members[name].file_size for name in needed))
            X, y, *rest = (_npz_array(archive, name, members[name]) for name in needed)
            names = rest[0] if rest else None
    check_shapes(path, X, wanted, y)
    return MatrixSource(path, array_names(path, X, names), X, wanted, y)


def open_npy(path: Path, target: str | None) -> MatrixSource:
    """Take features and target from the columns of one matrix."""
    X = map_npy(path)
    names = array_names(path, X, None)
    if target is not None and re.fullmatch(r"[+-]?[0-9]{1,18}", target):
        if not -len(names) <= int(target) < len(names):
            problem = f"there is no column {target} for the target among {len(names)}"
            raise table_error(path, f"{problem}, accepted are {-len(names)} to {len(names) - 1}")
        target = names[int(target)]
    return NpySource(path, names, X, target)


def map_npy(path: Path) -> Array:
    """Map a matrix into memory instead of loading it."""
    with plainly(path, ".npy"):
        _refuse_archive(path)
        # A plain view, because each slice of a memmap costs a search for its file.
        return _matrix(path, mapped_array(path).view(np.ndarray))


def _refuse_archive(path: Path) -> None:
    """Refuse what is an archive in spite of its ending."""
    with path.open("rb") as file:
        if file.read(len(ARCHIVE_MAGIC)) == ARCHIVE_MAGIC:
            raise table_error(path, "this is an .npz archive of arrays, not a single array")


def _matrix(path: Path, X: Array) -> Array:
    """Refuse an array that is no matrix."""
    if X.ndim != MATRIX_DIMENSIONS:
        raise table_error(path, f"the array must be 2-D, got the shape {X.shape}")
    return X


def _refuse_single(path: Path, file: IO[bytes]) -> None:
    """Refuse what is a single array in spite of its ending, or does not begin as an archive."""
    start = file.read(len(MAGIC))
    if start == MAGIC:
        raise table_error(path, "this is a single array, not an .npz archive of arrays")
    if not start.startswith((ARCHIVE_MAGIC, EMPTY_ARCHIVE_MAGIC)):
        raise table_error(path, "cannot be read as .npz (it does not begin as an archive does)")
    file.seek(0)


def _refuse_doubled(path: Path, archive: zipfile.ZipFile, needed: Sequence[str]) -> None:
    """Refuse an archive with several arrays of a name, of which nobody knows the right one."""
    counts = Counter(map(_array_name, archive.namelist()))
    doubled = [name for name in needed if counts[name] > 1]
    if doubled:
        raise table_error(path, f"there are several arrays {listed(doubled)} inside")


def _array_name(member: str) -> str:
    """Return the name of an array by that of its file in an archive."""
    return member.removesuffix(".npy")


def _npz_array(archive: zipfile.ZipFile, name: str, member: zipfile.ZipInfo) -> Array:
    """Read one array of an archive, no further than its directory says."""
    with archive.open(member) as file:
        return read_array(file, member.file_size, f"the array {quoted(name)}")


def check_shapes(path: Path, X: Array, target: str, y: Array) -> None:
    """Refuse arrays that are not a matrix and a vector of the same length."""
    if X.ndim != MATRIX_DIMENSIONS:
        raise table_error(path, f"the array 'X' must be 2-D, got the shape {X.shape}")
    if y.ndim != 1:
        raise table_error(path, f"the target {quoted(target)} must be 1-D, got the shape {y.shape}")
    if X.shape[0] != len(y):
        problem = f"'X' has {X.shape[0]} rows but the target {quoted(target)} has {len(y)} values"
        raise table_error(path, problem)


def array_names(path: Path, X: Array, stored: Array | None) -> list[str]:
    """Return the stored names of the columns, or number them."""
    if X.shape[0] == 0:  # columns without a value may be very many
        raise table_error(path, "there are no data rows")
    if stored is None:
        return [f"x{i}" for i in range(X.shape[1])]
    if stored.dtype.kind != "U" or stored.shape != X.shape[1:]:
        problem = f"'feature_names' must be 1-D text with {X.shape[1]} names"
        raise table_error(path, f"{problem}, got {stored.dtype} of shape {stored.shape}")
    with plainly(path, "text"):
        names: list[str] = characters_checked(stored, "'feature_names'").tolist()
    return names


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


def mapped_array(path: Path) -> Array:
    """Map an array from its file instead of reading it."""
    with path.open("rb") as file:
        header = read_header(file, path.stat().st_size)
    if not header.size:
        return np.empty(header.shape, header.dtype)
    mapped: Array = np.memmap(
        path, header.dtype, mode="r", offset=header.offset, shape=header.shape, order=header.order
    )
    return mapped


def characters_checked(values: Array, called: str) -> Array:
    """Refuse text with numbers that stand for no character, over which Python stumbles."""
    numbers = np.ascontiguousarray(values).view(np.uint32 if values.dtype.isnative else ">u4")
    if numbers.size and int(numbers.max()) > LAST_CHARACTER:
        msg = f"{called} holds what is no character; the file is damaged"
        raise ValueError(msg)
    return values
