"""The interface in which all formats meet.

A :class:`Source` knows the names of a file's columns and which of them is the target, tells a kind
for each wanted column, and gives the values of one column at a time. Each format has its own; what
follows in :mod:`hsieve.io.reading` is written once.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy.typing as npt

from hsieve.data.errors import listed, table_error, unknown_name
from hsieve.text import how

__all__ = ["READABLE_KINDS", "Array", "Source", "check_names", "checked_target"]

READABLE_KINDS = frozenset({"boolean", "integer", "number", "text"})

Array: TypeAlias = npt.NDArray[Any]


class Source(ABC):
    """Columns of one file: their names, the target among them, kinds and values on demand."""

    # What was done while opening it that users should know.
    notes: tuple[str, ...] = ()
    # Whether all columns are in memory once it is open.
    is_at_hand = False

    def __init__(self, path: Path, names: Sequence[str], target: str) -> None:
        self.path = path
        self.names = tuple(names)
        self.target = target

    @abstractmethod
    def open(self, wanted: Sequence[str], declared: Collection[str] = ()) -> dict[str, str]:
        """Prepare the wanted columns and tell the kind of each: readable, or a type's name.

        What is declared a category stays text if it is text.
        """

    @abstractmethod
    def load(self, name: str) -> Array:
        """Return one prepared column; nulls are None among objects and NaN among numbers."""

    def may_count_rows(self, name: str) -> bool:
        """Say whether a column of integers could be a count of the rows; a matrix has none."""
        del name
        return False

    def close(self) -> None:  # noqa: B027 - most sources hold nothing open
        """Let go of the file."""


def checked_target(
    path: Path, names: Sequence[str], target: str | None, accepted: str = "a name"
) -> str:
    """Return the target if it is one of the columns, all of which have proper names."""
    check_names(path, names)
    if target is None:
        problem = (
            f"no target given; say which column it is with {how('target=...', '--target NAME')}"
        )
        raise table_error(path, f"{problem}, {accepted} of {listed(names)}")
    if target not in names:
        raise unknown_name(path, "the target", target, names)
    return target


def check_names(path: Path, names: Sequence[str]) -> None:
    """Refuse names by which a column cannot be told."""
    for place, name in enumerate(names, start=1):
        if not name.strip():
            problem = f"column {place} has an empty name"
            raise table_error(path, f"{problem}; name it in the file, or leave a row index out")
    try:
        "".join(names).encode()
    except UnicodeEncodeError:
        raise table_error(path, "the column names are no text in this encoding") from None
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        problem = f"these column names occur more than once: {listed(repeated)}"
        raise table_error(path, f"{problem}; names must be distinct")
