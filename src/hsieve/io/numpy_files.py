"""Arrays saved by NumPy: .npz archives and single .npy matrices.

Neither is ever unpickled, so reading runs no foreign code. An archive holds the matrix ``X``, the
target and perhaps ``feature_names`` and is read whole; a single matrix has the target among its
columns and is mapped.
"""

import re
import zipfile
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import IO, Any

from hsieve.data.columns import ColumnBlocks
from hsieve.data.errors import listed, plainly, quoted, table_error, unknown_name
from hsieve.io.numpy_folder import (
    ARCHIVE_MAGIC,
    MAGIC,
    MATRIX_DIMENSIONS,
    NumpyFolder,
    characters_checked,
    map_npy,
    plain_column,
    read_array,
)
from hsieve.io.source import Source, check_names, refuse_unpacked
from hsieve.io.values import NUMPY_KINDS, Array

__all__ = [
    "MatrixSource",
    "array_names",
    "check_shapes",
    "open_npy",
    "open_npz",
]

EMPTY_ARCHIVE_MAGIC = b"PK\x05\x06"


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
        places = [self.features.index(name) for name in features]
        return NumpyFolder(self.path, names=features, columns=places, categorical=declared)


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
