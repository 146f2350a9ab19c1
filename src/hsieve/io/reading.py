"""From a file to a target and features: the reader of its format, and what its columns are.

A matrix that is read whole is in Fortran order whatever the file, since selection walks columns and
equal tables should give equal numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hsieve.data.errors import TableError, brief, listed, quoted, table_error, unknown_name
from hsieve.data.validation import TargetKind
from hsieve.exceptions import IdentifierWarning, warn_user
from hsieve.io.anndata import AnnDataSource
from hsieve.io.delimited import PACKED, DelimitedSource, TextFormat
from hsieve.io.excel import ExcelSource
from hsieve.io.numpy_files import open_npy, open_npz
from hsieve.io.parquet import ParquetSource
from hsieve.io.roles import ColumnFindings, type_in_words
from hsieve.io.source import Source
from hsieve.io.targets import target_values
from hsieve.io.values import READABLE_KINDS, Array
from hsieve.io.zarr import ZarrSource
from hsieve.text import how

__all__ = ["Roles", "assign_roles", "open_source"]

# By the ending of a name; text may be packed beside.
OPENERS: dict[str, Callable[..., Source]] = {
    ".parquet": ParquetSource,
    ".npz": open_npz,
    ".npy": open_npy,
    ".zarr": ZarrSource,
    ".h5ad": AnnDataSource,
    ".xlsx": ExcelSource,
    ".xls": ExcelSource,
}
TEXT = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
STREAM = Path("standard input")


def open_source(source: Any, target: str | None, told: TextFormat | None) -> Source:
    """Open a file or a stream, the target of which is one of its columns."""
    opened = _of_stream if hasattr(source, "read") else _of_path
    found = opened(source, target, told)
    found.check_target()
    return found


def _of_path(path: Path, target: str | None, told: TextFormat | None) -> Source:
    """Choose the reader by the ending, once there is a file to read."""
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
        problem = "the file is empty"
        if path.is_fifo():
            problem = "this is a pipe, which cannot be read twice; give it as standard input"
        raise table_error(path, problem)
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
    if told is not None:
        options = how("sep, decimal and encoding", "--sep, --decimal and --encoding")
        raise table_error(path, f"{options} are for delimited text: {listed(TEXT)}")
    return opener(path, target)


def _of_stream(stream: Any, target: str | None, told: TextFormat | None) -> Source:
    """Read delimited text from an open file, packed or not."""
    content = stream.read()
    if isinstance(content, str):
        content, told = content.encode(), replace(told or TextFormat(), encoding="utf-8")
    if not content:
        raise table_error(STREAM, "there is nothing in it")
    packed = next((of for of, (_, start) in PACKED.items() if content.startswith(start)), "")
    return DelimitedSource(STREAM, target, packed=packed, told=told, content=content)


@dataclass(frozen=True, eq=False)
class Roles:
    """The target, read, and the columns that are features, not read yet."""

    features: tuple[str, ...]
    declared: frozenset[str]
    y: Array
    target_kind: TargetKind
    # Levels of the categories that are text, and what was found out about columns, in sentences.
    levels: Mapping[Any, tuple[object, ...]]
    notes: tuple[str, ...]
    # Whether the event was observed, where the target is a time.
    event: Array | None = None


def assign_roles(
    source: Source,
    *,
    categorical: Sequence[str] = (),
    drop: Sequence[str] = (),
    target_kind: str = "auto",
    may_lack: bool = True,
    event: str | None = None,
) -> Roles:
    """Read the target and see that the features can be read as they are declared.

    The source is left open for its features.
    """
    declared = frozenset(categorical)
    features = _features(source, categorical, drop, event)
    kinds = source.open([*features, source.target, *([event] if event else [])], declared)
    events = None
    if event is not None:
        kind_of_event = kinds.pop(event)
        if kind_of_event not in READABLE_KINDS or kind_of_event == "text":
            problem = f"the column of events {quoted(event)} must hold 1 and 0 (censored)"
            raise table_error(source.path, problem)
        events = source.load(event)
        target_kind = "continuous"
    values = np.zeros(0)
    if kinds[source.target] in READABLE_KINDS:
        values = source.load(source.target)
        if len(values) == 0:
            raise table_error(source.path, "there are no data rows")
    found = _judged(source, kinds, declared, len(values))
    if source.is_at_hand and not may_lack and found.is_refused:
        for name in features:
            if kinds[name] in READABLE_KINDS and name not in found.left_out:
                found.lacking(name, _n_missing(source.load(name)))
    found.refuse(len(features), path=source.path)
    for sentence in found.left_out.values():
        warn_user(sentence, IdentifierWarning)
    features = [name for name in features if name not in found.left_out]
    if not features:
        raise _no_feature(source)
    declared |= set(found.levels)
    is_listed = source.target in declared or kinds[source.target] == "boolean"
    y, kind = target_values(
        source.path, source.target, values, target_kind, listed_as_classes=is_listed
    )
    notes = (*found.left_out.values(), *found.notes)
    return Roles(tuple(features), declared - {source.target}, y, kind, found.levels, notes, events)


def _judged(
    source: Source, kinds: Mapping[str, str], declared: frozenset[str], n_rows: int
) -> ColumnFindings:
    """Find out what the columns are."""
    found = ColumnFindings(n_rows)
    for name, kind in kinds.items():
        if kind not in READABLE_KINDS and name == source.target:
            what = f"the target {quoted(name)} holds {type_in_words(kind)}"
            raise table_error(source.path, f"{what}; classes or numbers are needed")
        if kind not in READABLE_KINDS:
            found.unusable(name, type_in_words(kind))
        elif name == source.target or n_rows == 0:
            continue
        elif name in declared:
            if kind == "text":
                found.levels[name] = _levels_of(source.load(name))
        elif found.index(name, name, source.load):
            continue
        elif kind == "text":
            found.text(name, name, _levels_of(source.load(name)), is_plain=True)
        elif kind == "integer" and source.may_count_rows(name):
            found.counts(name, name, source.load(name))
    return found


def _levels_of(values: Array) -> tuple[str, ...]:
    return tuple(sorted({value for value in values.tolist() if value is not None}))


def _n_missing(values: Array) -> int:
    if values.dtype.kind == "O":
        return sum(value is None for value in values.tolist())
    return int(np.isnan(values).sum()) if values.dtype.kind == "f" else 0


def _no_feature(source: Source) -> TableError:
    problem = f"no feature is left beside the target {quoted(source.target)}"
    return table_error(source.path, f"{problem}; at least one column more is needed")


def _features(
    source: Source, categorical: Sequence[str], drop: Sequence[str], event: str | None = None
) -> list[str]:
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
    if event is not None and (event not in known or event == source.target):
        raise unknown_name(source.path, "the events", event, source.names)
    features = [n for n in source.names if n not in (source.target, event) and n not in dropped]
    if not features:
        raise _no_feature(source)
    return features
