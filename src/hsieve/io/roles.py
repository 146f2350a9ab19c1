"""What the columns of a table are, decided by one rule for files and frames.

Every column is a feature unless it is the target, is dropped by name, or tells nothing but the row:
text that is different in every row, integers that count the rows, and row labels saved by pandas.
Text of few levels is a category. All that cannot be used is refused in one message.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hsieve.data.errors import (
    COUNTS_ROWS,
    IS_IDENTIFIER,
    IS_INDEX,
    as_categories,
    columns_are,
    drop_them,
    how_to_fill,
    left_out,
    listed,
    on_one_line,
    quoted,
    table_error,
    taken_as_category,
)
from hsieve.data.validation import counts_rows, is_number, is_row_index, role_of_text
from hsieve.io.values import Array
from hsieve.text import how

__all__ = ["ColumnFindings", "counts_in_words", "type_in_words"]

# Words for types that people meet; others are called by their type.
WORDS = {
    "timestamp": "dates",
    "date": "dates",
    "time": "times of day",
    "duration": "lengths of time",
    "list": "nested values",
    "large_list": "nested values",
    "fixed_size_list": "nested values",
    "struct": "nested values",
    "map": "nested values",
    "binary": "bytes",
    "large_binary": "bytes",
    "extension": "values of a special type",
}
NO_VALUE = "no value at all"
COUNTS_SHOWN = 5
COLUMNS_DETAILED = 5


def type_in_words(kind: str) -> str:
    """Say what a column holds that is neither number nor category."""
    stem = (
        kind.split("[", maxsplit=1)[0]
        .split("<", maxsplit=1)[0]
        .split("(", maxsplit=1)[0]
        .rstrip("0123456789")
    )
    return f"{WORDS.get(stem, 'values that are not supported')} ({on_one_line(kind)})"


@dataclass
class ColumnFindings:
    """What is found out about columns, by name or place, before any is used."""

    n_rows: int
    levels: dict[Any, tuple[object, ...]] = field(default_factory=dict)
    left_out: dict[Any, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    # Sentences, each with what to do about it.
    problems: list[tuple[str, str]] = field(default_factory=list)
    _unusable: dict[str, list[str]] = field(default_factory=dict)
    _texts: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    _refused: list[str] = field(default_factory=list)
    _lacking: dict[str, int] = field(default_factory=dict)

    @property
    def is_refused(self) -> bool:
        """Whether there is something to refuse beside missing values."""
        return bool(self._unusable or self._texts or self.problems)

    def unusable(self, name: str, what: str) -> None:
        """Take note of a column of values that cannot be used."""
        self._unusable.setdefault(what, []).append(name)

    def text(self, key: Any, name: str, levels: Sequence[object], *, is_plain: bool) -> None:
        """Find out what a column of text is that nobody has declared a category."""
        role = role_of_text(levels, self.n_rows)
        if role == "category":
            self.levels[key] = tuple(levels)
            self.notes += [taken_as_category(name, levels)] if is_plain else []
        elif role == "identifier":
            self.left_out[key] = left_out(name, IS_IDENTIFIER)
        elif role == "dates":
            self.unusable(name, f"dates as text ({quoted(levels[0])}, ...)")
        elif role == "numbers":
            odd = next((text for text in levels if not is_number(str(text))), None)
            odd = odd or next((text for text in levels if "," in str(text)), None)
            if odd is None:
                self.unusable(name, f"numbers as text ({quoted(levels[0])}, ...)")
            else:
                self._texts.setdefault(role, []).append((name, f"{quoted(odd)} among its numbers"))
        else:
            detail = f"{len(levels):,} different values in {self.n_rows:,} rows"
            self._texts.setdefault(role, []).append((name, detail))

    def counts(self, key: Any, name: str, values: Array) -> None:
        """Leave a column of integers out if it counts the rows."""
        if counts_rows(values):
            self.left_out[key] = left_out(name, COUNTS_ROWS)

    def index(self, key: Any, name: str, load: Callable[[Any], Array]) -> bool:
        """Leave a column out if it holds row labels saved by pandas."""
        if is_row_index(name, lambda: load(key)):
            self.left_out[key] = left_out(name, IS_INDEX)
        return key in self.left_out

    def lacking(self, name: str, n_missing: int) -> None:
        """Take note of missing values, of a column that is used."""
        if 0 < n_missing == self.n_rows:
            self.unusable(name, NO_VALUE)
        elif n_missing:
            self._lacking[name] = n_missing

    def refuse(self, n_columns: int, *, path: Path | None = None, fill: str = "") -> None:
        """Refuse all that was found at once; a file has options that mend it, a frame has not."""
        found = []
        for what, names in self._unusable.items():
            self._refused += names
            verb = "column {} holds" if len(names) == 1 else "columns {} hold"
            advice = "make them all numbers or all text" if "several kinds" in what else ""
            advice = advice or "turn them into numbers"
            if what.startswith(("dates", "times", "lengths")):
                advice += ", such as days since a start"
            elif what == NO_VALUE:
                advice = ""
            found.append((f"{verb.format(listed(names))} {what}", advice))
        for role, columns in self._texts.items():
            names = [name for name, _ in columns]
            self._refused += names
            shown = [f"in {quoted(name)} {detail}" for name, detail in columns[:COLUMNS_DETAILED]]
            details = ", ".join(shown) if len(names) > 1 else columns[0][1]
            advice = "replace what is no number" if role == "numbers" else "turn it into numbers"
            advice += f", make it a category with {as_categories(names)}"
            found.append((f"{columns_are(names)} text: {details}", advice))
        found += self.problems
        if not found and not self._lacking:
            return
        out = f"leave out with {drop_them(self._refused)}"
        if path is None:
            out = f"leave the column{'s' if len(self._refused) > 1 else ''} out"
        found = [(what, f"{advice}, or {out}" if advice else out) for what, advice in found]
        if self._lacking:
            counted = counts_in_words(self._lacking, n_columns, self.n_rows)
            found.append((f"{counted} missing values", fill or f"use {how_to_fill()}"))
        raise self._error(found, path)

    def _error(self, found: Sequence[tuple[str, str]], path: Path | None) -> ValueError:
        """Word one problem, or several with what settles all of them."""
        if len(found) == 1:
            what, advice = found[0]
            message = f"{what}; {advice}"
        else:
            shown = "; ".join(f"({i}) {what}" for i, (what, _) in enumerate(found, start=1))
            message = f"there are {len(found)} problems: {shown}"
            if path:
                options = [drop_them(self._refused)] if self._refused else []
                if self._lacking:
                    options.append(how("missing='impute'", "--missing impute"))
                message += f"; to leave out or fill in all of these: {' '.join(options)}"
                if mixed := [name for name, _ in self._texts.get("numbers", ())]:
                    message += (
                        f"; to keep {listed(mixed)}, replace what is no number in the table, such "
                        "as a limit of detection by half of it"
                    )
            else:
                message += "; " + "; ".join(
                    f"({i}) {advice}" for i, (_, advice) in enumerate(found, start=1)
                )
        if path:
            return table_error(path, message)
        return ValueError(f"{message[0].upper()}{message[1:].rstrip('.')}.")


def counts_in_words(counts: Mapping[str, int], n_columns: int, n_rows: int) -> str:
    """Begin a sentence about columns with some values of a kind."""
    worst = sorted(counts, key=lambda name: -counts[name])[:COUNTS_SHOWN]
    shown = ", ".join(
        f"{quoted(name)} ({counts[name]} of {n_rows})" for name in counts if name in worst
    )
    if len(counts) == 1:
        return f"1 of {n_columns} columns, {shown}, has"
    most = "" if len(counts) <= COUNTS_SHOWN else "most of all "
    return f"{len(counts)} of {n_columns} columns, {most}{shown}, have"
