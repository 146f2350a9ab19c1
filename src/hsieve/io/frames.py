"""A data frame as column blocks: its columns become numbers when they are read.

The frame itself is not copied; codes of categories are kept, numbers are taken from the frame each
time. What is wrong with a frame is said of all its columns at once, since nobody likes to mend them
one by one.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.data.columns import ColumnBlocks, FloatArray, IndexArray
from hsieve.data.errors import COUNTS_ROWS, IS_IDENTIFIER, left_out, listed, quoted
from hsieve.data.validation import HOW_TO_FILL, counts_rows, role_of_text
from hsieve.io.frame_columns import (
    FrameColumn,
    Library,
    column_handles,
    frame_library,
    frame_names,
    open_column,
)

__all__ = ["FrameBlocks"]

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
DATES = frozenset({"dates", "times of day", "lengths of time"})
COUNTS_SHOWN = 5


class FrameBlocks(ColumnBlocks):
    """Columns of a data frame of pandas, polars or Arrow.

    Parameters
    ----------
    frame : DataFrame, Table or RecordBatch
        The frame; it is not copied.

    Attributes
    ----------
    columns : tuple of FrameColumn
        What each column holds.
    declared : ndarray of int
        Positions of the columns that are categories: those of category type and text.

    Raises
    ------
    ValueError
        If names are repeated, a column is neither number nor category, or an integer would be
        rounded.

    Examples
    --------
    >>> import pyarrow
    >>> blocks = FrameBlocks(pyarrow.table({"age": [30, 41], "sex": ["m", "f"]}))
    >>> blocks.names, blocks.declared.tolist(), blocks.read([1, 0]).tolist()
    (('age', 'sex'), [1], [[1.0, 30.0], [0.0, 41.0]])
    """

    def __init__(self, frame: Any) -> None:
        library = frame_library(frame)
        if library is None:
            msg = f"A data frame of pandas, polars or Arrow is needed, got {type(frame).__name__}."
            raise TypeError(msg)
        names = frame_names(frame)
        self._shown = [str(name) for name in names]
        self.names = _checked_names(names)
        self.columns = _opened(frame, library)
        self.n_samples, self.n_features = int(frame.shape[0]), len(self.columns)
        self.declared: IndexArray = np.flatnonzero([c.kind == "text" for c in self.columns])
        self._refuse_types()
        self._refuse_long_integers()
        numbers = [column.values.dtype for column in self.columns if not column.is_category]
        single = bool(numbers) and all(d.kind == "f" and d.itemsize <= 4 for d in numbers)
        self.dtype = np.dtype(np.float32 if single else np.float64)

    def name_of(self, position: int) -> str:
        """Return the name of a column as text, whatever it is in the frame."""
        return self._shown[position]

    def refuse_missing(self) -> None:
        """Refuse missing and infinite values, and say where they all are."""
        missing = {i: c.n_missing for i, c in enumerate(self.columns) if c.n_missing}
        if missing:
            what = _counted(missing, self._shown, self.n_samples)
            msg = f"{what} missing values. {HOW_TO_FILL}"
            raise ValueError(msg)
        infinite = {
            i: int(np.isinf(c.values).sum())
            for i, c in enumerate(self.columns)
            if c.values.dtype.kind == "f" and np.isinf(c.values).any()
        }
        if infinite:
            what = _counted(infinite, self._shown, self.n_samples)
            msg = f"{what} infinite values; only finite numbers are accepted."
            raise ValueError(msg)

    def left_out(self, categories: Collection[int]) -> dict[int, str]:
        """Find the columns that tell nothing but the row, and say so; refuse unclear text."""
        sentences = {}
        for place, column in enumerate(self.columns):
            name, n_levels = self._shown[place], len(column.levels)
            if place in categories:
                continue
            if column.kind == "integer" and counts_rows(column.values):
                sentences[place] = left_out(name, COUNTS_ROWS)
            if column.kind != "text":
                continue
            role = role_of_text(n_levels, self.n_samples)
            if role == "identifier":
                sentences[place] = left_out(name, IS_IDENTIFIER)
            elif role == "unclear":
                msg = (
                    f"Column {quoted(name)} holds {n_levels} different texts in {self.n_samples} "
                    "rows: numbers stored as text, perhaps, but hardly a category. Leave it out, "
                    "turn it into numbers, or list it in categorical=[...]."
                )
                raise ValueError(msg)
        return sentences

    def set_aside(self, places: Collection[int]) -> None:
        """Let some columns hold one single value, so that they are never selected."""
        zeros = FrameColumn("number", np.zeros(self.n_samples))
        self.columns = tuple(
            zeros if place in places else column for place, column in enumerate(self.columns)
        )
        self.declared = np.setdiff1d(self.declared, list(places))

    def refuse_categories(self, whose: str) -> None:
        """Refuse categories where only numbers are of use; booleans are 0 and 1."""
        names = [
            name for name, c in zip(self._shown, self.columns, strict=True) if c.kind == "text"
        ]
        if names:
            what = "column is a category" if len(names) == 1 else "columns are categories"
            msg = (
                f"{whose} takes numbers only, but this {what}: {listed(names)}. Code levels as "
                "columns of 0 and 1, leave them out, or take a selector that has categorical=..., "
                "such as N3LARS or BAHSIC."
            )
            raise ValueError(msg)

    def matrix(self) -> FloatArray:
        """Return all columns as one array, without a look at missing values."""
        block = np.empty((self.n_samples, self.n_features), dtype=self.dtype, order="F")
        self._fill(block, np.arange(self.n_features))
        return block

    def _fill(self, block: FloatArray, positions: IndexArray) -> None:
        with np.errstate(over="ignore"):
            for place, position in enumerate(positions):
                block[:, place] = self.columns[position].values

    def _refuse_types(self) -> None:
        """Refuse columns that are neither numbers nor categories, those of one kind together."""
        refused = [place for place, column in enumerate(self.columns) if not column.is_usable]
        if not refused:
            return
        what = _in_words(self.columns[refused[0]])
        alike = [self._shown[i] for i in refused if _in_words(self.columns[i]) == what]
        others = len(refused) - len(alike)
        more = f" ({others} more cannot be used either)" if others else ""
        advice = "Turn them into numbers"
        if what.split(" (")[0] in DATES:
            advice += ", such as days since a start"
        elif "several kinds" in what:
            advice = "Make them all numbers or all text"
        verb = "holds" if len(alike) == 1 else "hold"
        msg = f"{listed(alike)} {verb} {what}{more}. {advice}, or leave the columns out."
        raise ValueError(msg)

    def _refuse_long_integers(self) -> None:
        for place, column in enumerate(self.columns):
            value = column.long_integer
            if value is not None:
                msg = (
                    f"Column {quoted(self._shown[place])} holds {value}, an integer beyond 2^53 "
                    "that would be rounded; rescale it, make it text, or leave it out."
                )
                raise ValueError(msg)


def _checked_names(names: Sequence[Any]) -> tuple[str, ...] | None:
    """Return names that are text; others are none, as scikit-learn has it."""
    repeated = sorted(str(name) for name, times in Counter(names).items() if times > 1)
    if repeated:
        msg = f"Column names must differ, got {', '.join(repeated)} more than once."
        raise ValueError(msg)
    are_text = [isinstance(name, str) for name in names]
    if any(are_text) and not all(are_text):
        other = next(name for name in names if not isinstance(name, str))
        msg = f"Column names must be all text or all something else, got {other!r} beside text."
        raise TypeError(msg)
    return tuple(names) if names and all(are_text) else None


def _opened(frame: Any, library: Library) -> tuple[FrameColumn, ...]:
    """Open all columns, those of a frame of one type of number without a look at each."""
    if library == "pandas" and len(set(frame.dtypes)) == 1:
        dtype = frame.dtypes.iloc[0]
        if isinstance(dtype, np.dtype) and dtype.kind in "iuf":
            values: NDArray[Any] = frame.to_numpy()
            is_float = dtype.kind == "f"
            missing = np.isnan(values).sum(axis=0) if is_float else np.zeros(values.shape[1])
            kind = "number" if is_float else "integer"
            return tuple(
                FrameColumn(kind, column, n_missing=int(n))
                for column, n in zip(values.T, missing, strict=True)
            )
    return tuple(open_column(column) for column in column_handles(frame, library))


def _counted(counts: dict[int, int], names: Sequence[str], n_samples: int) -> str:
    """Begin a sentence about columns with some values of a kind."""
    worst = sorted(counts, key=lambda place: -counts[place])[:COUNTS_SHOWN]
    shown = ", ".join(f"{quoted(names[i])} ({counts[i]} of {n_samples})" for i in sorted(worst))
    if len(counts) == 1:
        return f"1 of {len(names)} columns, {shown}, has"
    most = "" if len(counts) <= COUNTS_SHOWN else "most of all "
    return f"{len(counts)} of {len(names)} columns, {most}{shown}, have"


def _in_words(column: FrameColumn) -> str:
    """Say what a column holds that cannot be used."""
    if column.problem:
        return column.problem
    stem = column.kind.split("[")[0].split("<")[0].split("(")[0].rstrip("0123456789")
    return f"{WORDS.get(stem, 'neither numbers nor categories')} ({column.kind})"


def names_of(columns: Iterable[int], blocks: FrameBlocks) -> list[str]:
    """Return the names of some columns."""
    return [blocks.name_of(place) for place in columns]
