"""From a file to a table: the roles of its columns, their checks, the matrix and the target.

Nothing is guessed. Every column of the file is a feature unless it is the target or is dropped by
name; a column that is not a finite number must be declared.

The cost is that of reading the file, plus one float64 array of (n_samples, n_features). It is in
Fortran order whatever the file, since selection walks columns and equal tables should give equal
numbers.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hsieve.data.tables.delimited import DelimitedSource
from hsieve.data.tables.errors import (
    TableError,
    brief,
    columns_are,
    incomplete_column,
    listed,
    quoted,
    table_error,
    unknown_name,
)
from hsieve.data.tables.numpy_files import open_npy, open_npz
from hsieve.data.tables.parquet import ParquetSource
from hsieve.data.tables.source import READABLE_KINDS, Array, Source
from hsieve.data.tables.values import category_codes, refuse_long_integers, target_values
from hsieve.data.validation import TARGET_KINDS, TargetKind

__all__ = ["Table", "read_table"]

OPENERS: dict[str, Callable[[Path, str | None], Source]] = {
    ".csv": partial(DelimitedSource, delimiter=",", compression=None),
    ".tsv": partial(DelimitedSource, delimiter="\t", compression=None),
    ".csv.gz": partial(DelimitedSource, delimiter=",", compression="gzip"),
    ".tsv.gz": partial(DelimitedSource, delimiter="\t", compression="gzip"),
    ".parquet": ParquetSource,
    ".npz": open_npz,
    ".npy": open_npy,
}


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
    y: Array = field(repr=False)
    feature_names: tuple[str, ...] = field(repr=False)
    target_name: str
    target_kind: TargetKind
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
    the file. A row index that pandas saved in a Parquet file, ``__index_level_0__``, is refused as
    a feature; drop it.

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
    if target_kind not in TARGET_KINDS:
        msg = f"target_kind is {target_kind!r}, accepted are {listed(TARGET_KINDS)}"
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
            raise table_error(path, "there are no data rows")
        _refuse_text(source, [n for n in features if kinds[n] == "text" and n not in declared])
        X = _feature_matrix(source, features, declared, len(values))
    is_listed = source.target in declared or kinds[source.target] in ("text", "boolean")
    y, kind = target_values(path, source.target, values, target_kind, listed_as_classes=is_listed)
    return Table(
        X=X,
        y=y,
        feature_names=tuple(features),
        target_name=source.target,
        target_kind=kind,
        categorical=tuple(i for i, name in enumerate(features) if name in declared),
        source=path,
    )


def _open_source(path: Path, target: str | None) -> Source:
    """Choose the reader by the ending, once there is a file to read."""
    try:
        size = path.stat().st_size
    except (OSError, ValueError) as error:
        found = "there is no such file" if isinstance(error, FileNotFoundError) else brief(error)
        raise table_error(path, found) from error
    if path.is_dir():
        raise table_error(path, "this is a folder, not a file")
    opener = next((o for ending, o in OPENERS.items() if path.name.lower().endswith(ending)), None)
    if opener is None:
        raise table_error(path, f"unknown ending, accepted are {listed(OPENERS)}")
    if size == 0:
        raise table_error(path, "the file is empty")
    return opener(path, target)


def _features(source: Source, categorical: Sequence[str], drop: Sequence[str]) -> list[str]:
    """Return the columns that are features, once all names given are known to make sense."""
    known, dropped = set(source.names), set(drop)
    for option, given in (("categorical", categorical), ("drop", drop)):
        for name in given:
            if name not in known:
                raise unknown_name(source.path, option, name, source.names)
    if source.target in dropped:
        raise table_error(source.path, f"the target {quoted(source.target)} is also in drop")
    for name in categorical:
        if name in dropped:
            raise table_error(source.path, f"{quoted(name)} is both in categorical and in drop")
    features = [n for n in source.names if n != source.target and n not in dropped]
    if not features:
        problem = f"no feature is left beside the target {quoted(source.target)}"
        raise table_error(source.path, f"{problem}; at least one column more is needed")
    return features


def _refuse_types(path: Path, kinds: Mapping[str, str]) -> None:
    """Refuse dates, nested values and whatever else is neither number nor text."""
    refused = [name for name, kind in kinds.items() if kind not in READABLE_KINDS]
    if refused:
        problem = f"{columns_are(refused)} of a type that is not accepted ({kinds[refused[0]]})"
        advice = "store numbers, booleans or text, or leave out with drop=[...] (--drop NAME)"
        raise table_error(path, f"{problem}; {advice}")


def _refuse_text(source: Source, texts: Sequence[str]) -> None:
    """Refuse text that nobody declared to be categories, showing what is not a number."""
    if not texts:
        return
    values = source.load(texts[0]).tolist()
    row = next((i for i, value in enumerate(values) if _is_not_a_number(value)), 0)
    problem = f"{columns_are(texts)} text or categories"
    first = f"first {quoted(values[row])} of {quoted(texts[0])} in data row {row + 1}"
    advice = "code with categorical=[...] (--categorical NAME)"
    advice += " or leave out with drop=[...] (--drop NAME)"
    raise table_error(source.path, f"{problem} ({first}); {advice}")


def _is_not_a_number(value: object) -> bool:
    """Tell the value that made a column text from the numbers around it."""
    try:
        float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return value is not None
    return False


def _feature_matrix(
    source: Source, features: Sequence[str], declared: frozenset[str], n_samples: int
) -> npt.NDArray[np.float64]:
    """Fill the matrix column by column and refuse what is missing or infinite."""
    X = np.empty((n_samples, len(features)), dtype=np.float64, order="F")
    for i, name in enumerate(features):
        values = source.load(name)
        if name in declared:
            X[:, i] = category_codes(values)
        else:
            if values.dtype.kind in "iu":
                refuse_long_integers(source.path, name, values)
            X[:, i] = values
    bad = ~np.isfinite(X)
    affected = np.flatnonzero(bad.any(axis=0))
    if affected.size:
        first = affected[0]
        others = len(affected) - 1
        raise incomplete_column(source.path, features[first], X[:, first], bad[:, first], others)
    return X
