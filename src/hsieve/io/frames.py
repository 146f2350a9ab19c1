"""A data frame as column blocks: its columns become numbers when they are read.

The frame itself is not copied; codes of categories are kept, numbers are taken from the frame each
time. What is wrong with a frame is said of all its columns at once, since nobody likes to mend them
one by one.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.data.columns import ColumnBlocks, FloatArray, IndexArray
from hsieve.data.errors import listed, quoted
from hsieve.data.validation import HOW_TO_FILL
from hsieve.io.frame_columns import (
    FrameColumn,
    Library,
    column_handles,
    frame_library,
    frame_names,
    open_column,
)
from hsieve.io.roles import ColumnFindings, counts_in_words, type_in_words

__all__ = ["FrameBlocks"]


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
        If names are repeated. What the columns hold is looked at by `refuse_unusable`.

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
        self.notes: tuple[str, ...] = ()
        numbers = [column.values.dtype for column in self.columns if not column.is_category]
        single = bool(numbers) and all(d.kind == "f" and d.itemsize <= 4 for d in numbers)
        self.dtype = np.dtype(np.float32 if single else np.float64)

    def name_of(self, position: int) -> str:
        """Return the name of a column as text, whatever it is in the frame."""
        return self._shown[position]

    def refuse_unusable(
        self, *, gaps: bool, categories: Collection[int] | None = None
    ) -> dict[int, str]:
        """Refuse all that cannot be used at once; find the columns that tell nothing but the row.

        Parameters
        ----------
        gaps : bool
            Whether values may be missing.
        categories : collection of int or None, default=None
            The columns that are categories by request; None where roles are known already.

        Returns
        -------
        dict of int to str
            Positions of the columns to leave out, and why.
        """
        found = ColumnFindings(self.n_samples)
        for place, (column, name) in enumerate(zip(self.columns, self._shown, strict=True)):
            if not column.is_usable:
                found.unusable(name, column.problem or type_in_words(column.kind))
            elif column.long_integer is not None:
                what = f"column {quoted(name)} holds {column.long_integer}, an integer beyond 2^53"
                advice = "rescale it, make it text"
                found.problems.append((f"{what} that would be rounded", advice))
            elif categories is not None and place not in categories:
                if found.index(place, name):
                    continue
                if column.kind == "integer":
                    found.counts(place, name, column.values)
                elif column.kind == "text":
                    plain = column.is_plain_text
                    found.text(place, name, column.levels, is_plain=plain)
            if not gaps and place not in found.left_out:
                found.lacking(name, column.n_missing)
        found.refuse(self.n_features, fill=HOW_TO_FILL)
        infinite = {} if gaps else dict(self._infinite())
        if infinite:
            what = counts_in_words(infinite, self.n_features, self.n_samples)
            msg = f"{what} infinite values; only finite numbers are accepted."
            raise ValueError(msg)
        self.notes = (*found.left_out.values(), *found.notes)
        return found.left_out

    def _infinite(self) -> Iterator[tuple[str, int]]:
        """Count infinite values by the names of the columns that have some."""
        for column, name in zip(self.columns, self._shown, strict=True):
            if column.values.dtype.kind == "f" and np.isinf(column.values).any():
                yield name, int(np.isinf(column.values).sum())

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
