"""An input of a reader, and what must hold whatever it is.

A reader gives a table or a :class:`TableError` in one line that begins with the path. A table holds
what an independent and simple reading of the same bytes says, value by value. Where columns can be
read in blocks, they are the same, or are refused where the table is.
"""

import contextlib
import math
import shutil
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hsieve import Dataset, open_dataset
from hsieve.data.errors import TableError
from tests_long.fuzz.other_process import Died

__all__ = ["Case", "Columns", "check_case", "is_missing", "put"]

Columns = Mapping[str, Sequence[Any]]
LONGEST_MESSAGE = 4_000
DEATH = "the process that read it ended"


@dataclass(frozen=True)
class Case:
    """A file, or a folder of files, and how it is read.

    `plainly_read` gives all columns of a path as Python values, None where one is missing; it may
    raise whatever it likes, but then no table may have been read either.
    """

    ending: str
    content: bytes | Mapping[str, bytes]
    options: Mapping[str, Any]
    plainly_read: Callable[[Path, Mapping[str, Any]], Columns]


def put(case: Case, folder: Path) -> Path:
    """Write the file or folder, in the place of the one before."""
    path = folder / f"t{case.ending}"
    if isinstance(case.content, bytes):
        path.unlink(missing_ok=True)  # HDF5 takes the same file for one that it has open
        path.write_bytes(case.content)
        return path
    shutil.rmtree(path, ignore_errors=True)
    for name, content in case.content.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    path.mkdir(exist_ok=True)
    return path


def check_case(case: Case, folder: Path) -> bool:
    """Read a case and hold the result to the truth; True if there was an answer."""
    path = put(case, folder)
    table = None
    try:
        table = open_dataset(path, **case.options)
        table.columns.read(range(table.n_features))
    except TableError as error:
        check_sentence(path, error)
    if table is not None:
        # Where the independent reader dies of a damaged file, there is nothing to compare with.
        with warnings.catch_warnings(action="ignore"), contextlib.suppress(Died):
            true = case.plainly_read(path, case.options)
            check_table(table, true, case.options)
    return table is not None


def check_sentence(path: Path, error: BaseException) -> None:
    message = str(error)
    assert message.startswith(str(path)), message
    assert len(message.splitlines()) == 1, message
    assert len(message) < LONGEST_MESSAGE, message
    assert "Traceback" not in message
    assert not is_out_of_memory(error), "asked for more memory than there is"


def is_out_of_memory(error: BaseException | None) -> bool:
    """Whether an error was made of one about memory."""
    while error is not None:
        if isinstance(error, MemoryError):
            return True
        error = error.__cause__ or error.__context__
    return False


def check_table(table: Dataset, columns: Columns, options: Mapping[str, Any]) -> None:
    dropped = set(options.get("drop", ()))
    features = [name for name in columns if name not in dropped and name != table.target_name]
    assert table.names == tuple(features)
    assert table.X.shape == (len(table.y), len(features))
    declared = set(options.get("categorical", ()))
    assert [features[place] for place in table.categorical] == [
        n for n in features if n in declared
    ]
    may_lack = options.get("missing") == "category"
    for place, name in enumerate(features):
        read, true = table.X[:, place], columns[name]
        assert len(read) == len(true), f"{name!r}: {len(read)} rows of {len(true)}"
        assert not np.isinf(read).any()
        assert may_lack or not np.isnan(read).any()
        expected = ranks(true) if name in declared else true
        for got, want in zip(read.tolist(), expected, strict=True):
            assert same(got, want), f"{name!r}: {got!r} was read, {want!r} is there"
    check_target(table, columns[table.target_name], options.get("target_kind", "auto"))


def check_target(table: Dataset, true: Sequence[Any], wanted: str) -> None:
    assert wanted in ("auto", table.target_kind)
    assert len(table.y) == len(true)
    kind = table.y.dtype.kind
    assert kind in ("iuO" if table.target_kind == "classes" else "f")
    for got, want in zip(table.y.tolist(), true, strict=True):
        equal = got == want if kind == "O" else same(got, want)
        assert equal, f"target: {got!r} was read, {want!r} is there"
        assert kind != "f" or math.isfinite(got)


def same(got: float, want: Any) -> bool:
    """Whether a number was read exactly; None and NaN are missing."""
    if is_missing(want):
        return math.isnan(got)
    if isinstance(want, str):
        return False
    return bool(got == want)


def is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def ranks(values: Sequence[Any]) -> list[float | None]:
    """Ranks of the sorted distinct values."""
    levels = sorted({value for value in values if not is_missing(value)})
    place = {level: rank for rank, level in enumerate(levels)}
    return [None if is_missing(value) else place[value] for value in values]
