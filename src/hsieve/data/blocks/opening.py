"""From a file to columns that stay in it: the target is read, the features are not.

The same roles, checks and errors as in :func:`hsieve.data.tables.read_table`, but for missing and
infinite values of features, which are found when their block is read.
"""

import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NoReturn

from hsieve.data.blocks.base import ColumnBlocks
from hsieve.data.blocks.files import NumpyBlocks, ParquetBlocks
from hsieve.data.blocks.zarr_arrays import ZarrBlocks
from hsieve.data.memory import give_back_memory
from hsieve.data.tables.annotated_files import AnnDataSource
from hsieve.data.tables.errors import columns_are, table_error
from hsieve.data.tables.numpy_files import ArraySource, open_npy
from hsieve.data.tables.parquet import ParquetSource
from hsieve.data.tables.roles import Opener, RoleRequest, Roles, assign_roles, open_source
from hsieve.data.tables.source import Array, Source
from hsieve.data.tables.zarr_files import MATRIX, ZarrSource
from hsieve.data.validation import TargetKind

__all__ = ["ColumnTable", "can_open_columns", "open_columns"]


@dataclass(frozen=True, eq=False)
class ColumnTable:
    """A table whose features stay in their file.

    Parameters
    ----------
    columns : ColumnBlocks
        The features, read in blocks; without the target and the dropped columns.
    y : ndarray of shape (n_samples,)
        The target, as in :class:`hsieve.data.tables.Table`.
    names : tuple of str
        One name per feature, verbatim from the file and in its order.
    target_name : str
        The name of the target column.
    target_kind : {"classes", "continuous"}
        How `y` is to be understood.
    categorical : tuple of int
        The features that hold integer codes of categories, ascending.
    source : Path
        The file or folder.
    notes : tuple of str, default=()
        What was done while opening it, in words.
    """

    columns: ColumnBlocks = field(repr=False)
    y: Array = field(repr=False)
    names: tuple[str, ...] = field(repr=False)
    target_name: str
    target_kind: TargetKind
    categorical: tuple[int, ...]
    source: Path
    notes: tuple[str, ...] = ()

    @property
    def X(self) -> ColumnBlocks:
        """The columns, by the name that the features have in a Table."""
        return self.columns

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names, as they are called in a Table."""
        return self.names


def can_open_columns(path: Path) -> bool:
    """Tell by its name whether a file can be read in blocks of columns.

    Parameters
    ----------
    path : Path
        A file or a folder.

    Returns
    -------
    bool
        True for .npy, .parquet, .h5ad and folders.
    """
    return path.is_dir() or path.name.lower().endswith((".npy", ".parquet", ".h5ad"))


def open_columns(
    path: str | os.PathLike[str],
    *,
    target: str | None,
    categorical: Sequence[str] = (),
    drop: Sequence[str] = (),
    target_kind: str = "auto",
) -> ColumnTable:
    """Open a file larger than memory: read the target, leave the features where they are.

    Parameters
    ----------
    path : path-like
        A file ending in .npy, .parquet or .h5ad, a folder of Parquet files, which hold either rows
        or columns of one table, or a folder ending in .zarr, a group of the arrays ``X``, the
        target and perhaps ``feature_names``.
    target, categorical, drop, target_kind
        As in :func:`hsieve.data.tables.read_table`.

    Returns
    -------
    ColumnTable
        The target, and the features as column blocks.

    Raises
    ------
    TableError
        As in :func:`hsieve.data.tables.read_table`, but missing and infinite values of features
        and integers that would be rounded are refused by `columns.read`.

    Notes
    -----
    Columns with missing values can be opened, but are read only through
    :class:`hsieve.data.blocks.MissingAsLevel`, so that no NaN goes where nobody expects it.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(Path(folder, "small.npy"), [[1.5, 2.0, 0.5], [2.5, 1.0, 1.5]])
    ...     table = open_columns(Path(folder, "small.npy"), target="-1")
    ...     table.names, table.columns.read([1]).ravel().tolist(), table.y.tolist()
    (('x0', 'x1'), [2.0, 1.0], [0.5, 1.5])
    """
    path = Path(path)
    request = RoleRequest(target, categorical, target_kind, drop)
    with closing(open_source(path, target, OPENERS)) as source:
        roles = assign_roles(source, request)
        columns = _columns(source, roles)
    # Footers of wide tables take hundreds of megabytes, all in small pieces.
    give_back_memory()
    return ColumnTable(
        columns=columns,
        y=roles.y,
        names=roles.features,
        target_name=roles.target_name,
        target_kind=roles.target_kind,
        categorical=roles.categorical,
        source=path,
        notes=source.notes,
    )


def _columns(source: Source, roles: Roles) -> ColumnBlocks:
    """Return the features of a source as column blocks."""
    declared = roles.declared - {roles.target_name}
    if isinstance(source, ParquetSource):
        return ParquetBlocks(source.parts, roles.features, declared)
    if isinstance(source, ZarrSource):
        places = {name: place for place, name in enumerate(source.features)}
        return ZarrBlocks(
            source.path / MATRIX,
            names=roles.features,
            columns=[places[name] for name in roles.features],
            categorical=declared,
        )
    if isinstance(source, AnnDataSource):
        if declared:
            problem = f"{columns_are(sorted(declared))} declared a category"
            raise table_error(source.path, f"{problem}, but a matrix of .h5ad holds numbers")
        return source.columns(roles.features)
    if isinstance(source, ArraySource):
        return NumpyBlocks(source, roles.features, declared)
    msg = f"{type(source).__name__} has no column blocks"
    raise TypeError(msg)


def _refuse_ending(path: Path, target: str | None, *, reason: str) -> NoReturn:
    """Say why a format that tables know is read whole only."""
    del target  # given to every opener
    raise table_error(path, f"{reason}; store it as .npy or Parquet, or read it whole")


_refuse_text_file = partial(
    _refuse_ending, reason="text cannot be read in blocks of columns, only row by row"
)
OPENERS: dict[str, Opener] = {
    ".parquet": partial(ParquetSource, reads_few=True),
    ".npy": partial(open_npy, mapped=True),
    ".zarr": ZarrSource,
    ".h5ad": AnnDataSource,
    ".npz": partial(
        _refuse_ending, reason="an array inside an .npz archive cannot be mapped into memory"
    ),
    **dict.fromkeys((".csv", ".tsv", ".csv.gz", ".tsv.gz"), _refuse_text_file),
}
