"""What is missing in a column of a frame is filled in; the column stays what it is.

Numbers become floats, since a median need not be whole. A category gets one level more, and a
boolean with gaps becomes a category of three levels.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.data.frames.columns import FrameColumn, Library, column_handles, frame_names

__all__ = ["MISSING_LEVEL", "own_level", "with_filled"]

MISSING_LEVEL = "missing"


def own_level(column: FrameColumn) -> Any:
    """Return a level that a category does not have yet.

    Parameters
    ----------
    column : FrameColumn
        A category.

    Returns
    -------
    str or number
        "missing", with underscores where that is a level already; for levels that are numbers, the
        next whole number above them.

    Examples
    --------
    >>> own_level(FrameColumn("text", np.zeros(1), ("missing", "red")))
    'missing_'
    """
    levels = column.levels
    if levels and all(isinstance(level, int | float) for level in levels):
        return int(np.floor(max(levels))) + 1
    level = MISSING_LEVEL
    while level in levels:
        level += "_"
    return level


def with_filled(
    X: Any, library: Library, columns: Mapping[int, FrameColumn], values: Mapping[int, Any]
) -> Any:
    """Copy a frame with what is missing filled in.

    Parameters
    ----------
    X : DataFrame, Table or RecordBatch
        The frame; it is not changed.
    library : {"pandas", "polars", "arrow"}
        Whose it is.
    columns : mapping of int to FrameColumn
        The columns with gaps, by position.
    values : mapping of int to object
        What to fill in: a number, or a level.

    Returns
    -------
    of the type of X
        The other columns are as they were.
    """
    handles, names = column_handles(X, library), frame_names(X, library)
    filled = {
        place: _FILLERS[library](handles[place], _values(column, values[place]), column)
        for place, column in columns.items()
    }
    if library == "pandas":
        copy = X.copy(deep=False)
        for place, column in filled.items():
            copy.isetitem(place, column)
        return copy
    if library == "polars":
        return X.with_columns([column.alias(names[place]) for place, column in filled.items()])
    for place, column in filled.items():
        X = X.set_column(place, names[place], column)
    return X


def _values(column: FrameColumn, value: Any) -> NDArray[Any]:
    """Return the values of a column without gaps: numbers, or levels."""
    gaps = np.isnan(column.values)
    if not column.is_category:
        return np.where(gaps, column.values.dtype.type(value), column.values)
    levels = column.levels if column.kind == "text" else ("False", "True")
    known = np.array([*levels, value], dtype=object)
    labels: NDArray[Any] = known[np.where(gaps, len(levels), column.values).astype(np.intp)]
    return labels


def _of_pandas(series: Any, values: NDArray[Any], column: FrameColumn) -> Any:
    pandas = import_module("pandas")
    if column.kind == "boolean" or str(series.dtype) == "category":
        values = pandas.Categorical(values)
    is_text = column.kind == "text" and str(series.dtype) != "category"
    return pandas.Series(
        values, index=series.index, name=series.name, dtype=series.dtype if is_text else None
    )


def _of_polars(series: Any, values: NDArray[Any], column: FrameColumn) -> Any:
    polars = import_module("polars")
    if not column.is_category:
        return polars.Series(values)
    is_text = series.dtype == polars.String
    return polars.Series(values.tolist(), dtype=polars.String if is_text else polars.Categorical)


def _of_arrow(array: Any, values: NDArray[Any], column: FrameColumn) -> Any:
    arrow = import_module("pyarrow")
    made = arrow.array(values)
    is_text = column.kind == "text" and not arrow.types.is_dictionary(array.type)
    return made.dictionary_encode() if column.is_category and not is_text else made


_FILLERS = {"pandas": _of_pandas, "polars": _of_polars, "arrow": _of_arrow}
