"""From a file to a table: the roles of its columns, their checks, the matrix and the target.

The cost is that of reading the file, plus one float64 array of (n_samples, n_features). It is in
Fortran order whatever the file, since selection walks columns and equal tables should give equal
numbers.
"""

import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hsieve.data.tables.annotated_files import AnnDataSource
from hsieve.data.tables.delimited import DelimitedSource
from hsieve.data.tables.errors import TableError, incomplete_feature, listed
from hsieve.data.tables.numpy_files import open_npy, open_npz
from hsieve.data.tables.parquet import ParquetSource
from hsieve.data.tables.roles import Opener, RoleRequest, Roles, assign_roles, open_source
from hsieve.data.tables.source import Array, Source
from hsieve.data.tables.unpacking import refuse_unpacked
from hsieve.data.tables.values import category_codes, exact_numbers
from hsieve.data.tables.zarr_files import ZarrSource
from hsieve.data.validation import TargetKind

__all__ = ["Table", "read_table"]

MISSING = ("refuse", "category")
OPENERS: dict[str, Opener] = {
    ".csv": partial(DelimitedSource, delimiter=",", compression=None),
    ".tsv": partial(DelimitedSource, delimiter="\t", compression=None),
    ".csv.gz": partial(DelimitedSource, delimiter=",", compression="gzip"),
    ".tsv.gz": partial(DelimitedSource, delimiter="\t", compression="gzip"),
    ".parquet": ParquetSource,
    ".npz": open_npz,
    ".npy": open_npy,
    ".zarr": ZarrSource,
    ".h5ad": AnnDataSource,
}


@dataclass(frozen=True, eq=False)
class Table:
    """A table read from a file: finite numbers, a target and the names of both.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The features as finite float64, in Fortran order; NaN is missing, where that was allowed.
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
    notes : tuple of str, default=()
        What was done while reading, in words.
    """

    X: npt.NDArray[np.float64] = field(repr=False)
    y: Array = field(repr=False)
    feature_names: tuple[str, ...] = field(repr=False)
    target_name: str
    target_kind: TargetKind
    categorical: tuple[int, ...]
    source: Path
    notes: tuple[str, ...] = ()


def read_table(
    path: str | os.PathLike[str],
    *,
    target: str | None = None,
    categorical: Sequence[str] = (),
    target_kind: str = "auto",
    drop: Sequence[str] = (),
    missing: str = "refuse",
) -> Table:
    r"""Read features and a target from a CSV, TSV, Parquet, NumPy or AnnData file.

    Parameters
    ----------
    path : path-like
        A file ending in .csv, .tsv, .csv.gz, .tsv.gz, .parquet, .npz, .npy or .h5ad, a folder
        ending in .zarr, or a folder of Parquet files, which are one table in the order of their
        names: its rows, if they have equal columns, or its columns, if they have none in common
        and equally many rows.
    target : str, optional
        The target column. For .npz and .zarr the name of a 1-D array, by default "y"; for .npy the
        index of a column, such as "0" or "-1", or its name; for .h5ad an annotation of ``obs``.
        Required for all others.
    categorical : sequence of str, default=()
        Columns whose values are categories: each becomes the codes 0, ..., c - 1 of its c sorted
        distinct values.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What the target is. With "auto" it is classes if it is text, boolean, of a dictionary type
        or listed in `categorical`, or if its type is integer with at most `MAX_AUTO_CLASSES`
        distinct values; all other numbers are continuous.
    drop : sequence of str, default=()
        Columns to leave out; they are not checked.
    missing : {"refuse", "category"}, default="refuse"
        Whether to refuse missing values of features, or to let them through as NaN, for those who
        make them a category, see :class:`hsieve.data.blocks.MissingAsLevel`. In a declared category
        they have no code, but NaN too. The target may have none in any case.

    Returns
    -------
    Table
        The features, the target and their names.

    Raises
    ------
    TableError
        If the file cannot be read, a name is unknown, repeated or empty, a feature is not a
        number, a value is missing (and may not be) or infinite, or an integer would be rounded.

    Notes
    -----
    Booleans become 0 and 1. In CSV and TSV, empty fields and the usual marks such as ``NA``,
    ``NaN`` and ``null``, quoted or not, are missing, in text as in numbers; empty lines are
    skipped. An .npz file, or a group of zarr, holds the arrays ``X`` (2-D), the target, and
    optionally ``feature_names`` (1-D, text). Where names are not stored the columns are called x0,
    x1, ..., by their place in the file. A row index that pandas saved in a Parquet file,
    ``__index_level_0__``, is refused as a feature; drop it.

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
    path = Path(path)
    if missing not in MISSING:
        msg = f"missing is {missing!r}, accepted are {listed(MISSING)}"
        raise TableError(msg)
    request = RoleRequest(target, categorical, target_kind, drop)
    with closing(open_source(path, target, OPENERS)) as source:
        roles = assign_roles(source, request)
        X = _feature_matrix(source, roles, missing)
    return Table(
        X=X,
        y=roles.y,
        feature_names=roles.features,
        target_name=roles.target_name,
        target_kind=roles.target_kind,
        categorical=roles.categorical,
        source=path,
        notes=source.notes,
    )


def _feature_matrix(source: Source, roles: Roles, missing: str) -> npt.NDArray[np.float64]:
    """Fill the matrix column by column and refuse what is infinite, or missing and may not be."""
    features = roles.features
    if source.is_packed:
        n_bytes = np.dtype(np.float64).itemsize * len(roles.y) * len(features)
        refuse_unpacked(source.path, n_bytes, "the matrix of all features")
    X = np.empty((len(roles.y), len(features)), dtype=np.float64, order="F")
    for i, name in enumerate(features):
        values = source.load(name)
        if name in roles.declared:
            X[:, i] = category_codes(values)
        else:
            X[:, i] = exact_numbers(source.path, name, values)
    bad = np.isinf(X) if missing == "category" else ~np.isfinite(X)
    affected = np.flatnonzero(bad.any(axis=0))
    if affected.size:
        first = affected[0]
        others = len(affected) - 1
        raise incomplete_feature(source.path, features[first], X[:, first], bad[:, first], others)
    return X
