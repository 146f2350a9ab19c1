"""The interface in which all formats meet: each has one reader, a :class:`Source`.

It knows the names of the columns and which of them is the target, tells a kind for each wanted
column, gives the values of one column at a time, and the features as column blocks: whole where the
format is read row by row, else where they are.

What a packed file may unpack to is decided here, too. A file of a few kilobytes can claim to hold
terabytes, by an accident to its header or on purpose. So what a file says of itself is compared
with its size on the disk before anything is unpacked: real tables seldom shrink to less than a
hundredth. For such a table set the environment variable `HSIEVE_UNPACKED_LIMIT`, as in
``HSIEVE_UNPACKED_LIMIT=20GB``, which workers of an engine see too.
"""

import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hsieve.data.arrays import ArrayBlocks
from hsieve.data.columns import ColumnBlocks
from hsieve.data.errors import incomplete_feature, listed, table_error, unknown_name
from hsieve.data.memory import bytes_of
from hsieve.io.values import (
    Array,
    arrow_kind,
    arrow_values,
    category_codes,
    exact_numbers,
    numbers_in_text,
)
from hsieve.text import how

__all__ = [
    "INDEX",
    "LIMIT_VARIABLE",
    "Source",
    "TableSource",
    "check_names",
    "refuse_unpacked",
    "size_on_disk",
    "unpacked_limit",
]

# As pandas calls the column without a name in which it saves row labels.
INDEX = "Unnamed: 0"
LIMIT_VARIABLE = "HSIEVE_UNPACKED_LIMIT"
# What is small is let through, however much smaller it is packed.
LEAST_LIMIT = 10**9
MOST_TIMES = 200


class Source(ABC):
    """Columns of one origin: their names, the target among them, kinds and values on demand."""

    # What was done while opening it that users should know.
    notes: tuple[str, ...] = ()
    # Whether all columns are in memory once it is open.
    is_at_hand = False

    # What a target may be, for messages.
    accepted_target = "a name"

    def __init__(self, path: Path, names: Sequence[str], target: str | None) -> None:
        self.path = path
        self.names = tuple(names)
        self.target = target or ""

    def check_target(self) -> None:
        """Refuse a target that is none of the columns, all of which must have proper names."""
        check_names(self.path, self.names)
        if not self.target:
            problem = (
                f"no target given; say which column it is with {how('target=...', '--target NAME')}"
            )
            accepted = f"{self.accepted_target} of {listed(self.names)}"
            raise table_error(self.path, f"{problem}, {accepted}")
        if self.target not in self.names:
            raise unknown_name(self.path, "the target", self.target, self.names)

    @abstractmethod
    def open(self, wanted: Sequence[str], declared: Collection[str] = ()) -> dict[str, str]:
        """Prepare the wanted columns and tell the kind of each: readable, or a type's name.

        What is declared a category stays text if it is text.
        """

    @abstractmethod
    def load(self, name: str) -> Array:
        """Return one prepared column; nulls are None among objects and NaN among numbers."""

    def columns(
        self, features: Sequence[str], declared: Collection[str], *, may_lack: bool
    ) -> ColumnBlocks:
        """Return the features as column blocks, those declared as codes of categories.

        Unless a format knows better, they are read whole, into a matrix in Fortran order, since
        selection walks columns. What is infinite is refused, and so is what is missing unless it
        may lack.
        """
        n_samples = len(self.load(self.target))
        X = np.empty((n_samples, len(features)), dtype=np.float64, order="F")
        for i, name in enumerate(features):
            values = self.load(name)
            coded = name in declared
            X[:, i] = category_codes(values) if coded else exact_numbers(self.path, name, values)
        bad = np.isinf(X) if may_lack else ~np.isfinite(X)
        affected = np.flatnonzero(bad.any(axis=0))
        if affected.size:
            first, others = affected[0], len(affected) - 1
            raise incomplete_feature(self.path, features[first], X[:, first], bad[:, first], others)
        return ArrayBlocks(X, features)

    def may_count_rows(self, name: str) -> bool:
        """Say whether a column of integers could be a count of the rows; a matrix has none."""
        del name
        return False

    def close(self) -> None:  # noqa: B027 - most sources hold nothing open
        """Let go of the file."""


class TableSource(Source):
    """A table of Arrow, read from a file as a whole."""

    is_at_hand = True
    # None for either decimal sign.
    decimal: str | None = None
    separator = ""

    def about(self, with_commas: Sequence[str]) -> list[str]:
        """Say what was found out about the file as a whole, and in which columns are commas."""
        return [f"Read with decimal commas in {listed(with_commas)}."] if with_commas else []

    @abstractmethod
    def read(self, wanted: Sequence[str]) -> Any:
        """Return a table of Arrow with the wanted columns."""

    def open(self, wanted: Sequence[str], declared: Collection[str] = ()) -> dict[str, str]:
        """Read the wanted columns and tell the kind of each."""
        self.table = self.read(wanted)
        notes, with_commas = [], []
        for place, name in enumerate(wanted):
            column = self.table.column(place)
            if name in declared or arrow_kind(column.type) != "text":
                continue
            found = numbers_in_text(column, self.decimal, self.separator)
            if found is None:
                continue
            self.table = self.table.set_column(place, name, found.values)
            if found.has_commas and self.decimal is None:
                with_commas.append(name)
            if found.marks:
                shown = f"{listed(found.marks)} among numbers read as missing"
                notes.append(f"Column {name!r}: {shown} ({sum(found.marks.values())} values).")
        self.notes = (*self.about(with_commas), *notes)
        kinds = [arrow_kind(kind) for kind in self.table.schema.types]
        kinds = ["no text in this encoding" if kind == "binary" else kind for kind in kinds]
        return dict(zip(wanted, kinds, strict=True))

    def load(self, name: str) -> Array:
        """Return one column."""
        return arrow_values(self.path, name, self.table.column(name))

    def may_count_rows(self, name: str) -> bool:
        """Say yes: the column is at hand."""
        del name
        return True


def check_names(path: Path, names: Sequence[str]) -> None:
    """Refuse names by which a column cannot be told."""
    for place, name in enumerate(names, start=1):
        if not name.strip():
            problem = f"column {place} has an empty name"
            raise table_error(path, f"{problem}; name it in the file, or leave a row index out")
    try:
        "".join(names).encode()
    except UnicodeEncodeError:
        problem = "the column names are no text in this encoding; give another with "
        raise table_error(path, problem + how("encoding=", "--encoding")) from None
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        problem = f"these column names occur more than once: {listed(repeated)}"
        raise table_error(path, f"{problem}; names must be distinct")


def unpacked_limit(path: Path, n_packed: int | None = None) -> int:
    """Return the most bytes that a file, or what is packed in so many bytes, may unpack to."""
    given = os.environ.get(LIMIT_VARIABLE)
    if given:
        try:
            return bytes_of(given)
        except ValueError as error:
            problem = f"the environment variable {LIMIT_VARIABLE} must be such as 20GB"
            raise table_error(path, f"{problem}, got {given!r}") from error
    packed = size_on_disk(path) if n_packed is None else n_packed
    return max(LEAST_LIMIT, MOST_TIMES * packed)


def refuse_unpacked(
    path: Path, n_bytes: int, what: str = "the file", *, n_packed: int | None = None
) -> None:
    """Refuse what would unpack to so many bytes, if these are far more than the file has."""
    if n_bytes <= LEAST_LIMIT and not os.environ.get(LIMIT_VARIABLE):
        return
    limit = unpacked_limit(path, n_packed)
    if n_bytes > limit:
        n_packed = size_on_disk(path) if n_packed is None else n_packed
        problem = f"{what} would take {n_bytes:,} bytes once unpacked, and {limit:,} are allowed"
        problem += f" for {n_packed:,} bytes packed; the file is damaged or made"
        advice = f"if you trust it, set the environment variable {LIMIT_VARIABLE} to such as 20GB"
        raise table_error(path, f"{problem} to do harm; {advice}")


def size_on_disk(path: Path) -> int:
    """Return the bytes of a file, or of all files in a folder."""
    if not path.is_dir():
        return path.stat().st_size
    return sum(
        os.path.getsize(Path(folder, name)) for folder, _, of in os.walk(path) for name in of
    )
