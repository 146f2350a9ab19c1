"""From a file to columns: whole where its format is read row by row, else where they are.

A matrix that is read whole is in Fortran order whatever the file, since selection walks columns and
equal tables should give equal numbers.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hsieve.data.arrays import ArrayBlocks
from hsieve.data.columns import ColumnBlocks
from hsieve.data.errors import brief, columns_are, incomplete_feature, listed, table_error
from hsieve.io.anndata_files import AnnDataSource
from hsieve.io.delimited import PACKED, DelimitedSource, TextFormat
from hsieve.io.excel import ExcelSource
from hsieve.io.files import NumpyBlocks, ParquetBlocks
from hsieve.io.numpy_files import ArraySource, open_npy, open_npz
from hsieve.io.parquet import ParquetSource
from hsieve.io.roles import Roles
from hsieve.io.source import Source
from hsieve.io.values import category_codes, exact_numbers
from hsieve.io.zarr import MATRIX, ZarrSource
from hsieve.io.zarr_blocks import ZarrBlocks
from hsieve.text import how

__all__ = ["columns_of_source", "open_source"]

# By the ending of a name; text may be packed beside.
OPENERS: dict[str, Callable[..., Source]] = {
    ".parquet": ParquetSource,
    ".npz": open_npz,
    ".npy": partial(open_npy, mapped=True),
    ".zarr": ZarrSource,
    ".h5ad": AnnDataSource,
    ".xlsx": ExcelSource,
    ".xls": ExcelSource,
}
TEXT = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
STREAM = Path("standard input")


def open_source(source: Any, target: str | None, told: TextFormat) -> Source:
    """Choose the reader by the ending, once there is a file to read."""
    if hasattr(source, "read"):
        return _of_stream(source, target, told)
    path: Path = source
    try:
        size = path.stat().st_size
    except (OSError, ValueError) as error:
        found = "there is no such file" if isinstance(error, FileNotFoundError) else brief(error)
        raise table_error(path, found) from error
    folder = path.is_dir()
    name = path.name.lower()
    if folder and not name.endswith(".zarr"):
        name = ".parquet"  # other folders can only be some of Parquet files
    if size == 0 and not folder:
        raise table_error(path, "the file is empty")
    packed = next((ending for ending in PACKED if name.endswith(ending)), "")
    usual = next((sep for of, sep in TEXT.items() if name.endswith(of + packed)), None)
    if usual is not None:
        return DelimitedSource(path, target, usual=usual, packed=packed, told=told)
    opener = next((o for ending, o in OPENERS.items() if name.endswith(ending)), None)
    if opener is None:
        accepted = (
            f"{listed([*TEXT, *OPENERS])}; text also packed, as in '.csv.gz' ({listed(PACKED)})"
        )
        raise table_error(path, f"unknown ending, accepted are {accepted}")
    if told != TextFormat():
        options = how("sep, decimal and encoding", "--sep, --decimal and --encoding")
        raise table_error(path, f"{options} are for delimited text: {listed(TEXT)}")
    return opener(path, target)


def _of_stream(stream: Any, target: str | None, told: TextFormat) -> Source:
    """Read delimited text from an open file, packed or not."""
    content = stream.read()
    if isinstance(content, str):
        content, told = content.encode(), replace(told, encoding="utf-8")
    if not content:
        raise table_error(STREAM, "there is nothing in it")
    packed = next((of for of, (_, start) in PACKED.items() if content.startswith(start)), "")
    return DelimitedSource(STREAM, target, packed=packed, told=told, content=content)


def columns_of_source(source: Source, roles: Roles, *, may_lack: bool) -> ColumnBlocks:
    """Return the features of a source; those read whole may have missing values if `may_lack`."""
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
    if isinstance(source, ArraySource) and source.is_mapped:
        return NumpyBlocks(source, roles.features, declared)
    return _read_whole(source, roles, may_lack=may_lack)


def _read_whole(source: Source, roles: Roles, *, may_lack: bool) -> ColumnBlocks:
    """Fill a matrix column by column and refuse what is infinite, or missing and may not be."""
    features = roles.features
    X = np.empty((len(roles.y), len(features)), dtype=np.float64, order="F")
    for i, name in enumerate(features):
        values = source.load(name)
        if name in roles.declared:
            X[:, i] = category_codes(values)
        else:
            X[:, i] = exact_numbers(source.path, name, values)
    bad = np.isinf(X) if may_lack else ~np.isfinite(X)
    affected = np.flatnonzero(bad.any(axis=0))
    if affected.size:
        first = affected[0]
        others = len(affected) - 1
        raise incomplete_feature(source.path, features[first], X[:, first], bad[:, first], others)
    return ArrayBlocks(X, features)
