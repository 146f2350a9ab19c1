"""A table that is read whole into Arrow, and text in it that should be numbers.

Where a file has no types, a column becomes text by one value that is no number. Decimal commas and
the usual marks of what is missing, such as ``N.D.``, are read for what they are, which a note says;
any other text among numbers, such as ``<0.1``, is left for :mod:`hsieve.io.roles` to refuse.
"""

import re
from abc import abstractmethod
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from hsieve.data.errors import listed
from hsieve.io.frame_columns import codes_and_levels
from hsieve.io.source import Array, Source
from hsieve.io.values import arrow_kind, arrow_values, import_pyarrow, is_long_integer

__all__ = ["INDEX", "TableSource", "numbers_in_text"]

# As pandas calls the column without a name in which it saves row labels.
INDEX = "Unnamed: 0"
NUMBER = re.compile(r"\s*[+-]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)([eE][+-]?[0-9]+)?\s*")
INTEGER = re.compile(r"\s*[+-]?[0-9]+\s*")
# With a comma, these may be thousands.
THOUSANDS = re.compile(r"\s*[+-]?[1-9][0-9]{0,2},[0-9]{3}\s*")
MISSING = frozenset(
    {"", "n.d.", "n.d", "nd", "n.a.", "n.a", "n/a", "na", "nan", "null", "none", "missing", "?"}
    | {"-", "--", "---", ".", "..", "#n/a", "#div/0!", "#value!", "#ref!", "#num!", "#name?"}
)


class Numbers(NamedTuple):
    """Numbers that were text, as Arrow has them, and what else was found."""

    values: Any
    marks: dict[str, int]
    has_commas: bool


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
        arrow = import_pyarrow(self.path, "pyarrow")
        self.table = self.read(wanted)
        notes, with_commas = [], []
        for place, name in enumerate(wanted):
            column = self.table.column(place)
            if name in declared or arrow_kind(arrow, column.type) != "text":
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
        kinds = [arrow_kind(arrow, kind) for kind in self.table.schema.types]
        kinds = ["no text in this encoding" if kind == "binary" else kind for kind in kinds]
        return dict(zip(wanted, kinds, strict=True))

    def load(self, name: str) -> Array:
        """Return one column."""
        return arrow_values(self.path, name, self.table.column(name))

    def may_count_rows(self, name: str) -> bool:
        """Say yes: the column is at hand."""
        del name
        return True


def numbers_in_text(column: Any, decimal: str | None, separator: str = "") -> Numbers | None:
    """Return the numbers of a column of text in which all else are marks of missing values.

    Examples
    --------
    >>> import pyarrow
    >>> found = numbers_in_text(pyarrow.array(["1,5", "N.D.", "2"]), None)
    >>> found.values.to_pylist(), found.marks, found.has_commas
    ([1.5, None, 2.0], {'N.D.': 1}, True)
    """
    import pyarrow as arrow

    codes, levels = codes_and_levels(column, arrow)
    texts = levels.tolist()
    numbers, marks = set(), set()
    for text in texts:
        if NUMBER.fullmatch(text):
            numbers.add(text)
        elif text.strip().casefold() in MISSING:
            marks.add(text)
        else:
            return None
    if not numbers or any(map(is_long_integer, numbers)):
        return None
    commas = {text for text in numbers if "," in text}
    points = {text for text in numbers if "." in text}
    # A comma in a file of commas may well be one of thousands.
    is_unclear = commas and separator == "," and all(map(THOUSANDS.fullmatch, commas))
    refused = {".": bool(commas), ",": bool(points), None: (commas and points) or is_unclear}
    if refused[decimal]:
        return None
    of_level = [float(text.replace(",", ".")) if text in numbers else np.nan for text in texts]
    values = np.append(of_level, np.nan)[codes]  # the code -1 is that of nulls
    found = arrow.array(values, mask=np.isnan(values))
    if all(map(INTEGER.fullmatch, numbers)):
        found = found.cast(arrow.int64())
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    of_marks = {text: int(n) for text, n in zip(texts, counts, strict=True) if text in marks}
    return Numbers(found, of_marks, bool(commas))
