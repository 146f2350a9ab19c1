"""A user's file becomes arrays, or is refused with one plain sentence.

Feature selection is only as good as the table it is given, and most damage is done silently while
reading: a text column coded as numbers nobody asked for, a missing value filled in, a long
identifier rounded. So nothing is guessed here. Every column of the file is a feature unless it is
the target or is dropped by name; a column that is not a finite number must be declared, and what
cannot be represented exactly is an error that names the file, the column, the first row and the
way out.

All formats meet in one small interface, `_Source`: the column names, a kind for each wanted column
and the values of one column at a time. What follows (roles, codes, checks, target) is written once.
CSV, TSV and Parquet are read by pyarrow, imported only when such a file is read; NumPy files need
nothing more and are never unpickled.

The cost is that of reading the file, plus one float64 array of (n_samples, n_features). It is in
Fortran order whatever the file, since selection walks columns and equal tables should give equal
numbers.
"""

import csv
import difflib
import gzip
import importlib
import json
import math
import os
import re
import shutil
import tokenize
import uuid
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, TextIO, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["MAX_AUTO_CLASSES", "Table", "TableError", "read_table", "write_features"]

MAX_AUTO_CLASSES = 20
"""An integer target with at most so many distinct values is taken for class labels."""

_TARGET_KINDS = ("auto", "classes", "continuous")
_LARGEST_EXACT_INTEGER = 2**53
_BLOCK_BYTES = 64 * 2**20  # pyarrow needs a whole row in a block: 10^6 columns fit into 64 MiB
_MATRIX_DIMENSIONS = 2
_NAMES_SHOWN = 10
_CHARACTERS_SHOWN = 60
_LIBRARY_CHARACTERS_SHOWN = 160
_LIBRARY_ERRORS = (
    OSError,
    EOFError,
    ValueError,
    LookupError,
    RuntimeError,
    MemoryError,
    zipfile.BadZipFile,
    zlib.error,
    csv.Error,
    SyntaxError,  # this and the next from the header of a damaged NumPy file
    tokenize.TokenError,
)
_NUMPY_KINDS = {"b": "boolean", "i": "integer", "u": "integer", "f": "number", "U": "text"}
_READABLE_KINDS = frozenset(_NUMPY_KINDS.values())

_Array: TypeAlias = npt.NDArray[Any]


class TableError(ValueError):
    """A file or a column cannot be used as asked; the message is one plain sentence."""


@dataclass(frozen=True, eq=False)
class Table:
    """A table read from a file: finite numbers, a target and the names of both.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The features as finite float64, in Fortran order.
    y : ndarray of shape (n_samples,)
        The target: float64 if continuous; class labels as int64 (uint64 where int64 is too
        small), or as an object array of str.
    feature_names : tuple of str
        One name per column of `X`, verbatim from the file and in its order.
    target_name : str
        The name of the target column or array.
    target_kind : {"classes", "continuous"}
        How `y` is to be understood.
    categorical : tuple of int
        The columns of `X` that hold integer codes of categories, ascending.
    source : Path
        The file the table was read from.
    """

    X: npt.NDArray[np.float64] = field(repr=False)
    y: _Array = field(repr=False)
    feature_names: tuple[str, ...] = field(repr=False)
    target_name: str
    target_kind: Literal["classes", "continuous"]
    categorical: tuple[int, ...]
    source: Path


def read_table(
    path: str | os.PathLike[str],
    *,
    target: str | None = None,
    categorical: Sequence[str] = (),
    target_kind: str = "auto",
    drop: Sequence[str] = (),
) -> Table:
    r"""Read features and a target from a CSV, TSV, Parquet or NumPy file.

    Parameters
    ----------
    path : path-like
        A file ending in .csv, .tsv, .csv.gz, .tsv.gz, .parquet, .npz or .npy.
    target : str, optional
        The target column. For .npz the name of a 1-D array, by default "y"; for .npy the index of
        a column, such as "0" or "-1", or its name. Required for all but .npz.
    categorical : sequence of str, default=()
        Columns whose values are categories: each becomes the codes 0, ..., c - 1 of its c sorted
        distinct values.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What the target is. With "auto" it is classes if it is text, boolean, of a dictionary type
        or listed in `categorical`, or if its type is integer with at most `MAX_AUTO_CLASSES`
        distinct values; all other numbers are continuous.
    drop : sequence of str, default=()
        Columns to leave out; they are not checked.

    Returns
    -------
    Table
        The features, the target and their names.

    Raises
    ------
    TableError
        If the file cannot be read, a name is unknown, repeated or empty, a feature is not a
        number, a value is missing or infinite, or an integer would be rounded.

    Notes
    -----
    Booleans become 0 and 1. In CSV and TSV, empty fields and the usual marks such as ``NA``,
    ``NaN`` and ``null``, quoted or not, are missing, in text as in numbers; empty lines are
    skipped. An .npz file holds the arrays ``X`` (2-D), the target, and optionally ``feature_names``
    (1-D, text). Where names are not stored the columns are called x0, x1, ..., by their place in
    the file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "small.csv")
    ...     _ = path.write_text("age,sex,ill\n30,f,no\n41,m,yes\n")
    ...     table = read_table(path, target="ill", categorical=["sex"])
    >>> table.feature_names, table.X.tolist(), table.y.tolist()
    (('age', 'sex'), [[30.0, 0.0], [41.0, 1.0]], ['no', 'yes'])
    """
    path, declared = Path(path), frozenset(categorical)
    if target_kind not in _TARGET_KINDS:
        msg = f"target_kind is {target_kind!r}, accepted are {_listed(_TARGET_KINDS)}"
        raise TableError(msg)
    if target is not None and not isinstance(target, str):
        msg = f"target must be a string, such as a column name or '-1', got {target!r}"
        raise TypeError(msg)
    for option, given in (("categorical", categorical), ("drop", drop)):
        if isinstance(given, str):
            msg = f"{option} must be a sequence of column names, got the single string {given!r}"
            raise TypeError(msg)
    with closing(_open_source(path, target)) as source:
        features = _features(source, categorical, drop)
        kinds = source.open([*features, source.target])
        _refuse_types(path, kinds)
        values = source.load(source.target)
        if len(values) == 0:
            raise _error(path, "there are no data rows")
        _refuse_text(source, [n for n in features if kinds[n] == "text" and n not in declared])
        X = _feature_matrix(source, features, declared, len(values))
    listed = source.target in declared or kinds[source.target] in ("text", "boolean")
    y, kind = _target_values(path, source.target, values, target_kind, listed_as_classes=listed)
    return Table(
        X=X,
        y=y,
        feature_names=tuple(features),
        target_name=source.target,
        target_kind=kind,
        categorical=tuple(i for i, name in enumerate(features) if name in declared),
        source=path,
    )


def write_features(
    path: str | os.PathLike[str], rows: Iterable[Mapping[str, object]], *, columns: Sequence[str]
) -> None:
    """Write selected features to a CSV or JSON file, whole or not at all.

    Parameters
    ----------
    path : path-like
        A file ending in .csv or .json; an existing one is replaced, its permissions are kept.
    rows : iterable of mapping
        One mapping per feature, with exactly the keys `columns`. NumPy scalars are welcome.
    columns : sequence of str
        The columns of the CSV, or the keys of each JSON object, in this order.

    Raises
    ------
    TableError
        If the ending is unknown, the folder does not exist, the path is a folder, or a row has
        other keys than `columns`.

    Notes
    -----
    The text goes to a temporary file in the same folder, which takes the place of the old one only
    once it is complete and on disk; on any error it is removed and the old file stays. CSV is UTF-8
    with all text quoted, so that any feature name survives; None is an empty field. JSON is a list
    of objects; it knows no NaN or infinity, so these become null.
    """
    path = Path(path)
    write = _WRITERS.get(path.suffix.lower())
    if write is None:
        raise _error(path, f"cannot write this ending, accepted are {_listed(_WRITERS)}")
    if not columns or len(set(columns)) < len(columns):
        raise _error(path, f"columns must be distinct and at least one, got {_listed(columns)}")
    destination = Path(os.path.realpath(path))  # a link stays a link, its file is replaced
    if destination.is_dir():
        raise _error(path, "this is a folder, not a file to write to")
    if not destination.parent.is_dir():
        raise _error(path, "the folder to write to does not exist")
    temporary = destination.with_name(f".{uuid.uuid4().hex}.tmp")
    try:
        with temporary.open("x", encoding="utf-8", newline="") as file:
            write(file, _checked_rows(path, rows, columns), columns)
            file.flush()
            os.fsync(file.fileno())
        if destination.exists():
            shutil.copymode(destination, temporary)
        os.replace(temporary, destination)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


class _Source:
    """Columns of one file: their names, the target among them, kinds and values on demand."""

    def __init__(self, path: Path, names: Sequence[str], target: str) -> None:
        self.path = path
        self.names = tuple(names)
        self.target = target

    def open(self, wanted: Sequence[str]) -> dict[str, str]:
        """Prepare the wanted columns and tell the kind of each: readable, or a type's name."""
        raise NotImplementedError

    def load(self, name: str) -> _Array:
        """Return one prepared column; nulls are None among objects and NaN among numbers."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of the file."""


class _CsvSource(_Source):
    """Delimited text, plain or compressed by gzip."""

    def __init__(
        self, path: Path, target: str | None, *, delimiter: str, compression: str | None
    ) -> None:
        self.arrow = _import_pyarrow(path, "pyarrow")
        self.reader = _import_pyarrow(path, "pyarrow.csv")
        self.delimiter = delimiter
        self.compression = compression
        self.path = path
        names = self._header()
        super().__init__(path, names, _checked_target(path, names, target))

    def open(self, wanted: Sequence[str]) -> dict[str, str]:
        self.table = self._read(wanted, types={})
        self._refuse_rounded_integers()
        kinds = {
            name: _arrow_kind(self.arrow, arrow_type)
            for name, arrow_type in zip(wanted, self.table.schema.types, strict=True)
        }
        return {n: "not UTF-8 text" if kind == "binary" else kind for n, kind in kinds.items()}

    def load(self, name: str) -> _Array:
        return _arrow_values(self.path, name, self.table.column(name))

    def _header(self) -> list[str]:
        """Return the first record that is not an empty line, verbatim."""
        with _plainly(self.path, "text"), self._records() as records:
            names: list[str] = next((record for record in records if record), [])
        if not names:
            raise _error(self.path, "the file is empty")
        try:
            "".join(names).encode()
        except UnicodeEncodeError:
            raise _error(self.path, "the column names are not UTF-8 text") from None
        return names

    @contextmanager
    def _records(self) -> Iterator[Any]:
        """Give a reader of the standard library, which knows the line it is at."""
        opened = gzip.open if self.compression else open
        # Bytes that are not UTF-8 may be in a dropped column, so they are no error here.
        with opened(
            self.path, "rt", encoding="utf-8-sig", errors="surrogateescape", newline=""
        ) as file:
            yield csv.reader(file, delimiter=self.delimiter)

    def _read(self, columns: Sequence[str], *, types: Mapping[str, Any]) -> Any:
        """Read some columns, of given or inferred types, into an Arrow table."""
        options = {
            # Without threads, which halve the speed when there are thousands of columns.
            "read_options": self.reader.ReadOptions(use_threads=False, block_size=_BLOCK_BYTES),
            "parse_options": self.reader.ParseOptions(
                delimiter=self.delimiter, newlines_in_values=True
            ),
            "convert_options": self.reader.ConvertOptions(
                include_columns=list(columns), column_types=types, strings_can_be_null=True
            ),
        }
        try:
            with self.arrow.input_stream(str(self.path), compression=self.compression) as stream:
                return self.reader.read_csv(stream, **options)
        except _LIBRARY_ERRORS as error:
            raise self._explained(error) from error

    def _explained(self, error: BaseException) -> TableError:
        """Find the line that made pyarrow give up."""
        with _plainly(self.path, "text"), self._records() as records:
            expected, last_line = 0, 0
            for record in records:
                expected = expected or len(record)
                if record and len(record) != expected:
                    problem = f"expected {expected} fields but found {len(record)}"
                    return _error(self.path, f"line {last_line + 1}: {problem}")
                last_line = records.line_num
        if "straddling" in str(error):
            return _error(self.path, f"a row is longer than {_BLOCK_BYTES} bytes")
        return _error(self.path, f"cannot be read as text ({_brief(error)})")

    def _refuse_rounded_integers(self) -> None:
        """Look at the text of large floats, as pyarrow reads integers beyond int64 as floats."""
        compute = _import_pyarrow(self.path, "pyarrow.compute")
        suspects = []
        for name, column in zip(self.table.column_names, self.table.columns, strict=True):
            if self.arrow.types.is_float64(column.type):
                ends = [abs(end or 0.0) for end in compute.min_max(column).as_py().values()]
                if max(ends) >= _LARGEST_EXACT_INTEGER:
                    suspects.append(name)
        if not suspects:
            return
        texts = self._read(suspects, types=dict.fromkeys(suspects, self.arrow.string()))
        for name in suspects:
            for row, text in enumerate(texts.column(name).to_pylist(), start=1):
                if _is_long_integer(text):
                    raise _rounded(self.path, name, row, text.strip())


class _ParquetSource(_Source):
    """A Parquet file, its types known from the schema and its columns read one by one."""

    def __init__(self, path: Path, target: str | None) -> None:
        self.arrow = _import_pyarrow(path, "pyarrow")
        self.parquet = _import_pyarrow(path, "pyarrow.parquet")
        self.file: Any = None
        with _plainly(path, "Parquet"), self.parquet.ParquetFile(path) as file:
            self.schema, self.metadata = file.schema_arrow, file.metadata
        names = self.schema.names
        super().__init__(path, names, _checked_target(path, names, target))

    def open(self, wanted: Sequence[str]) -> dict[str, str]:
        with _plainly(self.path, "Parquet"):
            self.file = self.parquet.ParquetFile(
                self.path, metadata=self.metadata, page_checksum_verification=True
            )
        types = dict(zip(self.names, self.schema.types, strict=True))
        return {name: _arrow_kind(self.arrow, types[name]) for name in wanted}

    def load(self, name: str) -> _Array:
        with _plainly(self.path, "Parquet"):
            # Asking for "a" also gives "a.b", which pyarrow takes for a field of "a".
            column = self.file.read(columns=[name], use_threads=False).column(name)
            values = _arrow_values(self.path, name, column)
        if len(values) != self.metadata.num_rows:
            problem = f"column {_shown(name)} has {len(values)} rows of {self.metadata.num_rows}"
            raise _error(self.path, f"{problem}; the file is damaged")
        return values

    def close(self) -> None:
        if self.file is not None:
            self.file.close()


class _ArraySource(_Source):
    """Columns of a matrix, and a target either among them or in an array of its own."""

    def __init__(
        self, path: Path, names: Sequence[str], matrix: _Array, target: tuple[str, _Array | None]
    ) -> None:
        target_name, target_array = target
        self.columns = {name: matrix[:, i] for i, name in enumerate(names)}
        if target_array is not None:
            names = [*names, target_name]
            self.columns[target_name] = target_array
        _check_names(path, names)
        super().__init__(path, names, target_name)

    def open(self, wanted: Sequence[str]) -> dict[str, str]:
        types = {name: self.columns[name].dtype for name in wanted}
        return {name: _NUMPY_KINDS.get(t.kind, str(t)) for name, t in types.items()}

    def load(self, name: str) -> _Array:
        values = self.columns[name]
        if values.dtype.kind == "U":
            return values.astype(object)
        if values.dtype.kind in "iu":
            return values
        with np.errstate(over="ignore"):  # too large for float64 becomes infinity, refused later
            return values.astype(np.float64)


def _open_npz(path: Path, target: str | None) -> _ArraySource:
    """Take the matrix X, the target and perhaps the names from an archive of arrays."""
    wanted = "y" if target is None else target
    # Opened here, since np.load leaves its own file open when an archive is damaged.
    with _plainly(path, ".npz"), path.open("rb") as file:
        archive = np.load(file, allow_pickle=False)
        if not isinstance(archive, np.lib.npyio.NpzFile):
            raise _error(path, "this is a single array, not an .npz archive of arrays")
        with archive:
            inside = archive.files
            missing = [name for name in dict.fromkeys(("X", wanted)) if name not in inside]
            if "X" in missing or (missing and target is None):
                problem = f"no array {_listed(missing, 'or')} inside, only {_listed(inside)}"
                raise _error(path, f"{problem}; X and y are needed, or target= (--target NAME)")
            if missing or wanted in ("X", "feature_names"):
                others = [name for name in inside if name not in ("X", "feature_names")]
                raise _unknown(path, "the target", wanted, others)
            X, y = (_npz_array(path, archive, name) for name in ("X", wanted))
            stored = "feature_names" in inside
            names = _npz_array(path, archive, "feature_names") if stored else None
    _check_shapes(path, X, wanted, y)
    return _ArraySource(path, _array_names(path, X, names), X, (wanted, y))


def _open_npy(path: Path, target: str | None) -> _ArraySource:
    """Take features and target from the columns of one matrix."""
    with _plainly(path, ".npy"), path.open("rb") as file:
        X = np.load(file, allow_pickle=False)
        if not isinstance(X, np.ndarray):
            X.close()
            raise _error(path, "this is an .npz archive of arrays, not a single array")
    if X.ndim != _MATRIX_DIMENSIONS:
        raise _error(path, f"the array must be 2-D, got the shape {X.shape}")
    names = _array_names(path, X, None)
    if target is not None and re.fullmatch(r"[+-]?[0-9]{1,18}", target):
        if not -len(names) <= int(target) < len(names):
            problem = f"there is no column {target} for the target among {len(names)}"
            raise _error(path, f"{problem}, accepted are {-len(names)} to {len(names) - 1}")
        target = names[int(target)]
    return _ArraySource(path, names, X, (_checked_target(path, names, target, "an index"), None))


_OPENERS: dict[str, Callable[[Path, str | None], _Source]] = {
    ".csv": partial(_CsvSource, delimiter=",", compression=None),
    ".tsv": partial(_CsvSource, delimiter="\t", compression=None),
    ".csv.gz": partial(_CsvSource, delimiter=",", compression="gzip"),
    ".tsv.gz": partial(_CsvSource, delimiter="\t", compression="gzip"),
    ".parquet": _ParquetSource,
    ".npz": _open_npz,
    ".npy": _open_npy,
}


def _open_source(path: Path, target: str | None) -> _Source:
    """Choose the reader by the ending, once there is a file to read."""
    try:
        size = path.stat().st_size
    except (OSError, ValueError) as error:
        found = "there is no such file" if isinstance(error, FileNotFoundError) else _brief(error)
        raise _error(path, found) from error
    if path.is_dir():
        raise _error(path, "this is a folder, not a file")
    opener = next((o for ending, o in _OPENERS.items() if path.name.lower().endswith(ending)), None)
    if opener is None:
        raise _error(path, f"unknown ending, accepted are {_listed(_OPENERS)}")
    if size == 0:
        raise _error(path, "the file is empty")
    return opener(path, target)


@contextmanager
def _plainly(path: Path, form: str) -> Iterator[None]:
    """Turn whatever a library raises over a bad file into one sentence."""
    try:
        yield
    except TableError:
        raise
    except _LIBRARY_ERRORS as error:
        raise _error(path, f"cannot be read as {form} ({_brief(error)})") from error


def _import_pyarrow(path: Path, module: str) -> Any:
    """Import pyarrow only for those who read its formats."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        problem = "reading this format needs pyarrow (pip install pyarrow)"
        raise _error(path, f"{problem}; .npz and .npy do not") from error


def _arrow_kind(arrow: Any, arrow_type: Any) -> str:
    """Sort an Arrow type into one of the readable kinds, or give its name."""
    types = arrow.types
    if types.is_dictionary(arrow_type):
        kind = _arrow_kind(arrow, arrow_type.value_type)
        return "text" if kind in _READABLE_KINDS else kind
    if types.is_boolean(arrow_type):
        return "boolean"
    if types.is_integer(arrow_type):
        return "integer"
    if types.is_floating(arrow_type) or types.is_decimal(arrow_type) or types.is_null(arrow_type):
        return "number"
    if str(arrow_type) in ("string", "large_string", "string_view"):
        return "text"
    return str(arrow_type)


def _arrow_values(path: Path, name: str, column: Any) -> _Array:
    """Turn an Arrow column into integers, float64 with NaN or objects with None."""
    arrow = _import_pyarrow(path, "pyarrow")
    if arrow.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if arrow.types.is_decimal(column.type):
        values: _Array = column.cast(arrow.float64()).to_numpy()
        for row in np.flatnonzero(np.abs(values) >= _LARGEST_EXACT_INTEGER)[:1]:
            raise _rounded(path, name, int(row) + 1, column[int(row)].as_py())
        return values
    if arrow.types.is_boolean(column.type) or arrow.types.is_null(column.type):
        column = column.cast(arrow.float64())
    values = column.to_numpy()
    return values.astype(np.float64) if values.dtype.kind == "f" else values


def _npz_array(path: Path, archive: Any, name: str) -> _Array:
    """Load one array of an archive, explaining why Python objects are not loaded."""
    try:
        array = archive[name]
    except ValueError as error:
        if "allow_pickle" not in str(error):
            raise
        problem = f"the array {_shown(name)} holds Python objects, which are never unpickled"
        raise _error(path, f"{problem}; store numbers or text") from error
    if not isinstance(array, np.ndarray):
        raise _error(path, f"{_shown(name)} inside is not an array")
    return array


def _check_shapes(path: Path, X: _Array, target: str, y: _Array) -> None:
    """Refuse arrays that are not a matrix and a vector of the same length."""
    if X.ndim != _MATRIX_DIMENSIONS:
        raise _error(path, f"the array 'X' must be 2-D, got the shape {X.shape}")
    if y.ndim != 1:
        raise _error(path, f"the target {_shown(target)} must be 1-D, got the shape {y.shape}")
    if len(X) != len(y):
        problem = f"'X' has {len(X)} rows but the target {_shown(target)} has {len(y)} values"
        raise _error(path, problem)


def _array_names(path: Path, X: _Array, stored: _Array | None) -> list[str]:
    """Return the stored names of the columns, or number them."""
    if stored is None:
        return [f"x{i}" for i in range(X.shape[1])]
    if stored.dtype.kind != "U" or stored.shape != X.shape[1:]:
        problem = f"'feature_names' must be 1-D text with {X.shape[1]} names"
        raise _error(path, f"{problem}, got {stored.dtype} of shape {stored.shape}")
    names: list[str] = stored.tolist()
    return names


def _check_names(path: Path, names: Sequence[str]) -> None:
    """Refuse names by which a column cannot be told."""
    for place, name in enumerate(names, start=1):
        if not name.strip():
            problem = f"column {place} has an empty name"
            raise _error(path, f"{problem}; name it in the file, or leave a row index out")
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        problem = f"these column names occur more than once: {_listed(repeated)}"
        raise _error(path, f"{problem}; names must be distinct")


def _checked_target(
    path: Path, names: Sequence[str], target: str | None, accepted: str = "a name"
) -> str:
    """Return the target if it is one of the columns, all of which have proper names."""
    _check_names(path, names)
    if target is None:
        problem = "no target given; say which column it is with target=... (--target NAME)"
        raise _error(path, f"{problem}, {accepted} of {_listed(names)}")
    if target not in names:
        raise _unknown(path, "the target", target, names)
    return target


def _features(source: _Source, categorical: Sequence[str], drop: Sequence[str]) -> list[str]:
    """Return the columns that are features, once all names given are known to make sense."""
    known, dropped = set(source.names), set(drop)
    for option, given in (("categorical", categorical), ("drop", drop)):
        for name in given:
            if name not in known:
                raise _unknown(source.path, option, name, source.names)
    if source.target in dropped:
        raise _error(source.path, f"the target {_shown(source.target)} is also in drop")
    for name in categorical:
        if name in dropped:
            raise _error(source.path, f"{_shown(name)} is both in categorical and in drop")
    features = [n for n in source.names if n != source.target and n not in dropped]
    if not features:
        problem = f"no feature is left beside the target {_shown(source.target)}"
        raise _error(source.path, f"{problem}; at least one column more is needed")
    return features


def _refuse_types(path: Path, kinds: Mapping[str, str]) -> None:
    """Refuse dates, nested values and whatever else is neither number nor text."""
    refused = [name for name, kind in kinds.items() if kind not in _READABLE_KINDS]
    if refused:
        problem = f"{_columns(refused)} of a type that is not accepted ({kinds[refused[0]]})"
        advice = "store numbers, booleans or text, or leave out with drop=[...] (--drop NAME)"
        raise _error(path, f"{problem}; {advice}")


def _refuse_text(source: _Source, texts: Sequence[str]) -> None:
    """Refuse text that nobody declared to be categories, showing what is not a number."""
    if not texts:
        return
    values = source.load(texts[0]).tolist()
    row = next((i for i, value in enumerate(values) if _is_not_a_number(value)), 0)
    problem = f"{_columns(texts)} text or categories"
    first = f"first {_shown(values[row])} of {_shown(texts[0])} in data row {row + 1}"
    advice = "code with categorical=[...] (--categorical NAME)"
    advice += " or leave out with drop=[...] (--drop NAME)"
    raise _error(source.path, f"{problem} ({first}); {advice}")


def _is_not_a_number(value: object) -> bool:
    """Tell the value that made a column text from the numbers around it."""
    try:
        float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return value is not None
    return False


def _feature_matrix(
    source: _Source, features: Sequence[str], declared: frozenset[str], n_samples: int
) -> npt.NDArray[np.float64]:
    """Fill the matrix column by column and refuse what is missing or infinite."""
    X = np.empty((n_samples, len(features)), dtype=np.float64, order="F")
    for i, name in enumerate(features):
        values = source.load(name)
        if name in declared:
            X[:, i] = _category_codes(values)
        else:
            if values.dtype.kind in "iu":
                _refuse_long_integers(source.path, name, values)
            X[:, i] = values
    bad = ~np.isfinite(X)
    affected = np.flatnonzero(bad.any(axis=0))
    if affected.size:
        first = affected[0]
        others = len(affected) - 1
        raise _incomplete(source.path, features[first], X[:, first], bad[:, first], others)
    return X


def _category_codes(values: _Array) -> npt.NDArray[np.float64]:
    """Return the ranks of the sorted distinct values; what is not finite stays so."""
    bad = _not_finite(values)
    codes = np.full(len(values), np.nan)
    codes[~bad] = np.unique(values[~bad], return_inverse=True)[1]
    if values.dtype.kind == "f":
        codes[bad] = values[bad]
    return codes


def _target_values(
    path: Path, name: str, values: _Array, target_kind: str, *, listed_as_classes: bool
) -> tuple[_Array, Literal["classes", "continuous"]]:
    """Return the target as labels or as float64, and which of the two it is."""
    bad = _not_finite(values)
    if bad.any():
        raise _incomplete(path, name, values, bad, 0)
    is_few = values.dtype.kind in "iu" and len(np.unique(values)) <= MAX_AUTO_CLASSES
    if target_kind == "classes" or (target_kind == "auto" and (listed_as_classes or is_few)):
        return _labels(path, name, values), "classes"
    if values.dtype.kind == "O":
        problem = f"the target {_shown(name)} is text (first {_shown(values[0])})"
        raise _error(path, f"{problem} and cannot be continuous; accepted is target_kind='classes'")
    if values.dtype.kind in "iu":
        _refuse_long_integers(path, name, values)
    return values.astype(np.float64), "continuous"


def _labels(path: Path, name: str, values: _Array) -> _Array:
    """Return class labels as text or integers; whole floats, as in .npy files, are integers."""
    if values.dtype.kind == "O":
        return values
    if values.dtype.kind == "f":
        for row in np.flatnonzero(values != np.floor(values))[:1]:
            problem = f"the target {_shown(name)} has a fraction ({values[row]:g}"
            problem += f" in data row {row + 1}), which is no class label"
            raise _error(path, f"{problem}; accepted is target_kind='continuous'")
        _refuse_long_integers(path, name, values)
    if values.dtype.kind == "u" and int(values.max()) > np.iinfo(np.int64).max:
        return values.astype(np.uint64)
    return values.astype(np.int64)


def _not_finite(values: _Array) -> npt.NDArray[np.bool_]:
    """Mark nulls, NaN and infinity."""
    if values.dtype.kind == "O":
        return np.array([value is None for value in values.tolist()], dtype=bool)
    return ~np.isfinite(values)


def _refuse_long_integers(path: Path, name: str, values: _Array) -> None:
    """Refuse whole numbers that float64 does not tell apart from their neighbours."""
    long = (values > _LARGEST_EXACT_INTEGER) | (values < -_LARGEST_EXACT_INTEGER)
    for row in np.flatnonzero(long)[:1]:
        raise _rounded(path, name, int(row) + 1, values[row])


def _is_long_integer(text: str | None) -> bool:
    """Tell by its digits whether the text is an integer that float64 would round."""
    if text is None or not re.fullmatch(r"\s*[+-]?[0-9]+\s*", text):
        return False
    digits = text.strip().lstrip("+-").lstrip("0")
    longest = len(str(_LARGEST_EXACT_INTEGER))
    return len(digits) > longest or int(digits or "0") > _LARGEST_EXACT_INTEGER


def _rounded(path: Path, name: str, row: int, value: object) -> TableError:
    """Say which integer would lose digits."""
    problem = f"column {_shown(name)} has {_clipped(str(value))} in data row {row}"
    problem += ", an integer beyond 2^53 that would be rounded"
    return _error(path, f"{problem}; rescale it or leave it out with drop=[...] (--drop NAME)")


def _incomplete(
    path: Path, name: str, values: _Array, bad: npt.NDArray[np.bool_], n_others: int
) -> TableError:
    """Say where the first missing or infinite value is and how many there are."""
    row = int(np.flatnonzero(bad)[0])
    is_infinite = values.dtype.kind == "f" and np.isinf(values[row])
    problem = f"column {_shown(name)} has {'an infinite' if is_infinite else 'a missing'} value"
    problem += f" in data row {row + 1}, the first of {int(bad.sum())} missing or infinite"
    if n_others:
        problem += f", and {n_others} other column{'s have' if n_others > 1 else ' has'} some too"
    return _error(path, f"{problem}; fill or remove them before")


def _unknown(path: Path, role: str, name: str, names: Sequence[str]) -> TableError:
    """Say what the name might have been."""
    folded = {known.casefold(): known for known in reversed(names)}
    near = [folded[match] for match in difflib.get_close_matches(name.casefold(), folded)]
    problem = f"there is no {_shown(name)}, given for {role}"
    if near:
        problem += f"; near matches are {_listed(near)}"
    return _error(path, f"{problem}; available are {_listed(names)}")


def _error(path: Path, problem: str) -> TableError:
    """Name the file before the problem."""
    return TableError(f"{path}: {problem}")


def _columns(names: Sequence[str]) -> str:
    """Begin a sentence about one or several columns."""
    if len(names) == 1:
        return f"column {_shown(names[0])} is"
    return f"columns {_listed(names)} are"


def _listed(names: Iterable[str], last: str = "and") -> str:
    """Show the first few names, and how many more there are."""
    every = list(names)
    shown = [_shown(name) for name in every[:_NAMES_SHOWN]]
    if len(every) > _NAMES_SHOWN:
        return f"{', '.join(shown)} and {len(every) - _NAMES_SHOWN} more"
    if len(every) > 1:
        return f"{', '.join(shown[:-1])} {last} {shown[-1]}"
    return shown[0] if shown else "none"


def _shown(value: object) -> str:
    """Quote a value on one line, whatever is in it."""
    return _clipped(repr(value))


def _clipped(text: str, length: int = _CHARACTERS_SHOWN) -> str:
    """Cut a text that would hide the rest of the sentence."""
    return text if len(text) <= length else f"{text[: length - 3]}..."


def _brief(error: BaseException) -> str:
    """Return what a library says about the cause, in its first line."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return _clipped(text.splitlines()[0], _LIBRARY_CHARACTERS_SHOWN)


def _checked_rows(
    path: Path, rows: Iterable[Mapping[str, object]], columns: Sequence[str]
) -> Iterator[list[object]]:
    """Give the values of each row in the order of the columns, as plain Python ones."""
    for number, row in enumerate(rows, start=1):
        if set(row) != set(columns):
            problem = f"row {number} to write has the keys {_listed(map(str, row))}"
            raise _error(path, f"{problem}, accepted are {_listed(columns)}")
        values = [row[name] for name in columns]
        yield [value.item() if isinstance(value, np.generic) else value for value in values]


def _write_csv(file: TextIO, rows: Iterable[list[object]], columns: Sequence[str]) -> None:
    """Write a header and rows."""
    # Quoting all text, since Python before 3.13 leaves a lone carriage return unquoted.
    writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)


def _write_json(file: TextIO, rows: Iterable[list[object]], columns: Sequence[str]) -> None:
    """Write a list of objects, with null for the floats that JSON does not know."""
    records = [
        {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in zip(columns, row, strict=True)
        }
        for row in rows
    ]
    json.dump(records, file, ensure_ascii=False, allow_nan=False, indent=1)
    file.write("\n")


_WRITERS: dict[str, Callable[[TextIO, Iterable[list[object]], Sequence[str]], None]] = {
    ".csv": _write_csv,
    ".json": _write_json,
}
