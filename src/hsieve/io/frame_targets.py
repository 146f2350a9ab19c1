"""A target given as a column of pandas, polars or Arrow becomes an array of classes or numbers.

A column of category type holds classes, also where its levels are numbers: these are given as text,
so that nobody takes them for measurements.
"""

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.data.errors import listed, quoted
from hsieve.data.validation import plain_array, refuse_survival
from hsieve.io.frame_columns import (
    FrameColumn,
    collected,
    column_handles,
    frame_library,
    frame_names,
    open_column,
    take_columns,
)
from hsieve.io.frames import FrameBlocks

__all__ = ["split_target", "target_array", "target_of_column"]

UNNAMED = "The target"
PACKAGES = frozenset({"pandas", "polars", "pyarrow"})


def target_array(y: Any, target_kind: str = "auto") -> Any:
    """Return a target as an array, if it is a column or a frame.

    Examples
    --------
    >>> import pyarrow
    >>> target_array(pyarrow.array(["ill", "well"]).dictionary_encode())
    array(['ill', 'well'], dtype=object)
    """
    y = collected(y)
    if type(y).__module__.split(".")[0] not in PACKAGES:
        return _of_array(y, target_kind)
    library = frame_library(y)
    if library is None:
        return target_of_column(open_column(_as_column(y)), _named(y), target_kind)
    handles, names = column_handles(y, library), frame_names(y)
    if len(handles) == 1:
        return target_of_column(
            open_column(handles[0]), f"The target {quoted(names[0])}", target_kind
        )
    outputs = FrameBlocks(y)
    outputs.refuse_categories("A target of several outputs")
    outputs.refuse_unusable(gaps=False)
    return _of_array(outputs.matrix(), target_kind)


def split_target(X: Any, name: str) -> tuple[Any, Any]:
    """Take the target out of a data frame."""
    X = collected(X)
    library = frame_library(X)
    if library is None:
        msg = f"y={name!r} names a column, but X is no data frame; got {type(X).__name__}."
        raise ValueError(msg)
    names = frame_names(X)
    if name not in names:
        msg = f"There is no column {name!r} for the target, only {listed(map(str, names))}."
        raise ValueError(msg)
    place = names.index(name)
    others = np.array([i for i in range(len(names)) if i != place], dtype=np.intp)
    if not len(others):
        msg = f"The data frame has no column beside the target {name!r}."
        raise ValueError(msg)
    return take_columns(X, others), column_handles(X, library)[place]


def _of_array(y: Any, target_kind: str) -> Any:
    """Return a target that is an array without a mask; refuse what cannot be a target."""
    refuse_survival(y, target_kind)
    if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y):
        rows = np.nonzero(np.ma.getmaskarray(y))[0]
        raise _missing(UNNAMED, len(rows), int(rows[0]))
    return plain_array(y, UNNAMED)


def _as_column(y: Any) -> Any:
    """Return an array or an index of pandas as a Series, which other columns are already."""
    if not type(y).__module__.startswith("pandas"):
        return y
    series = import_module("pandas").Series
    return y if isinstance(y, series) else series(y)


def _named(y: Any) -> str:
    name = getattr(y, "name", None)
    return f"The target {quoted(name)}" if isinstance(name, str) and name else UNNAMED


def target_of_column(column: FrameColumn, called: str, target_kind: str) -> NDArray[Any]:
    """Return the values of a target, or say what is wrong with them."""
    if not column.is_usable:
        what = column.problem or f"values of a type that is no target ({column.kind})"
        msg = f"{called} holds {what}; classes or numbers are needed."
        raise ValueError(msg)
    if column.n_missing:
        first = int(np.flatnonzero(np.isnan(column.values))[0])
        raise _missing(called, column.n_missing, first)
    if column.kind != "text":
        return column.values
    levels = column.levels
    are_numbers = all(not isinstance(level, str) for level in levels)
    if target_kind == "continuous" and are_numbers:
        return np.asarray(levels)[column.values.astype(np.intp)]
    labels = np.array([str(level) for level in levels], dtype=object)
    found: NDArray[Any] = labels[column.values.astype(np.intp)]
    return found


def _missing(called: str, n_missing: int, first: int) -> ValueError:
    """Say that values of a target are missing."""
    return ValueError(
        f"{called} has {n_missing} missing value(s), the first in row {first} (counted from 0); "
        "leave these samples out."
    )
