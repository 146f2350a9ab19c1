"""A target, given as an array, a column of a frame or of a file, becomes classes or numbers.

A column of category type holds classes, also where its levels are numbers: these are given as text,
so that nobody takes them for measurements.
"""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hsieve.data.errors import incomplete_column, listed, quoted, table_error
from hsieve.data.survival import (
    SURVIVAL,
    looks_like_survival,
    of_columns,
    of_structured,
    refuse_survival,
)
from hsieve.data.validation import TargetKind, likely_kind_of, plain_array
from hsieve.io.frames import (
    FrameBlocks,
    FrameColumn,
    as_frame,
    open_column,
    refuse_repeated,
    take_columns,
)
from hsieve.io.values import Array, not_finite, refuse_long_integers
from hsieve.text import how

__all__ = [
    "feature_names",
    "split_target",
    "survival_target",
    "target_array",
    "target_of_column",
    "target_values",
]

UNNAMED = "The target"


def target_array(y: Any, target_kind: str = "auto") -> Any:
    """Return a target as an array, if it is a column or a frame.

    Examples
    --------
    >>> import pyarrow
    >>> target_array(pyarrow.array(["ill", "well"]).dictionary_encode())
    array(['ill', 'well'], dtype=object)
    """
    if isinstance(y, np.ndarray | list | tuple):
        return _of_array(y, target_kind)
    frame = as_frame(y)
    if frame is None:
        column = _as_column(y)
        if column is None:
            return _of_array(y, target_kind)
        return target_of_column(open_column(column), _named(y), target_kind)
    if frame.shape[1] == 1:
        called = f"The target {quoted(frame.columns[0])}"
        only = next(frame.iter_columns()).to_native()
        return target_of_column(open_column(only), called, target_kind)
    outputs = FrameBlocks(y)
    outputs.refuse_categories("A target of several outputs")
    outputs.refuse_unusable(gaps=False)
    return _of_array(outputs.matrix(), target_kind)


def survival_target(y: Any, target_kind: str = "auto") -> NDArray[Any] | None:
    """Return events and times as a structured array; None for any other target.

    Structured arrays are such a target, and so are frames of two columns, one of zeros and ones and
    the other of times. An array of two columns is one if `target_kind` says so.

    Examples
    --------
    >>> import pyarrow
    >>> y = pyarrow.table({"died": [True, True, False], "days": [3.0, 5.0, 9.0]})
    >>> survival_target(y)["time"]
    array([3., 5., 9.])
    """
    if isinstance(y, np.ndarray) and y.dtype.names is not None:
        if target_kind not in ("auto", SURVIVAL):
            msg = f"Times with events are no target of target_kind={target_kind!r}."
            raise ValueError(msg)
        return of_structured(y)
    values = _two_columns(y) if target_kind in ("auto", SURVIVAL) else None
    is_frame = not isinstance(y, np.ndarray | list | tuple)
    if values is None or not (
        target_kind == SURVIVAL or (is_frame and looks_like_survival(values))
    ):
        return None
    return of_columns(values)


def _two_columns(y: Any) -> NDArray[Any] | None:
    """Return a target of two columns of numbers; None for any other."""
    if isinstance(y, np.ndarray | list | tuple):
        values = np.asarray(plain_array(y, UNNAMED))
        return values if values.ndim == 2 and values.shape[1] == 2 else None
    frame = None if y is None or isinstance(y, str) else as_frame(y)
    if frame is None or frame.shape[1] != 2:
        return None
    columns = [open_column(column.to_native()) for column in frame.iter_columns()]
    if any(not column.is_usable or column.kind == "text" for column in columns):
        return None
    return np.column_stack([column.values.astype(np.float64) for column in columns])


def split_target(X: Any, name: str, role: str = "the target") -> tuple[Any, Any]:
    """Take the target, or another column with a role, out of a data frame."""
    frame = as_frame(X)
    if frame is None:
        msg = f"y={name!r} names a column, but X is no data frame; got {type(X).__name__}."
        raise ValueError(msg)
    feature_names(frame.columns, name, role)
    others = np.array([i for i, n in enumerate(frame.columns) if n != name], dtype=np.intp)
    return take_columns(frame, others), frame.get_column(name).to_native()


def feature_names(names: Sequence[Any], target: Any = None, role: str = "the target") -> list[Any]:
    """Return the columns that are features, all beside the target."""
    refuse_repeated(names)
    if target is not None and target not in names:
        msg = f"There is no column {target!r} for {role}, only {listed(map(str, names))}."
        raise ValueError(msg)
    features = [name for name in names if target is None or name != target]
    if not features:
        beside = "" if target is None else f" beside {role} {target!r}"
        msg = f"The data frame has no column{beside}."
        raise ValueError(msg)
    return features


def _of_array(y: Any, target_kind: str) -> Any:
    """Return a target that is an array without a mask; refuse what cannot be a target."""
    refuse_survival(y, target_kind)
    if target_kind == SURVIVAL:
        _refuse_times_alone(y)
    if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y):
        rows = np.nonzero(np.ma.getmaskarray(y))[0]
        raise _missing(UNNAMED, len(rows), int(rows[0]))
    return plain_array(y, UNNAMED)


def _refuse_times_alone(y: Any) -> None:
    """Refuse anything but residuals, some of which are negative."""
    values = np.asarray(y)
    if values.dtype.kind not in "fiu" or values.ndim > 2 or not (values < 0).any():
        msg = (
            "target_kind='survival' needs the time and the event of each sample: a structured "
            "array, a frame of two columns, or target='time', event='event' of "
            "hsieve.open_dataset."
        )
        raise ValueError(msg)


def _as_column(y: Any) -> Any:
    """Return a column of any library, also an array or an index of pandas; None for other data."""
    if isinstance(y, pa.Array):
        return y
    if type(y).__module__.startswith("pandas"):
        series = import_module("pandas").Series
        return y if isinstance(y, series) else series(y)
    found = nw.from_native(y, allow_series=True, pass_through=True)
    return y if isinstance(found, nw.Series) else None


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


def target_values(
    path: Path, name: str, values: Array, target_kind: str, *, listed_as_classes: bool
) -> tuple[Array, TargetKind]:
    """Return the target as labels or as float64, and which of the two it is."""
    bad = not_finite(values)
    if bad.any():
        raise incomplete_column(path, name, values, bad, 0)
    if target_kind == "auto" and listed_as_classes:
        target_kind = "classes"
    if likely_kind_of(values, target_kind) == "classes":
        return _labels(path, name, values), "classes"
    if values.dtype.kind == "O":
        problem = f"the target {quoted(name)} is text (first {quoted(values[0])})"
        advice = how("target_kind='classes'", "--target-kind classes")
        raise table_error(path, f"{problem} and cannot be continuous; use {advice}")
    if values.dtype.kind in "iu":
        refuse_long_integers(path, name, values)
    return values.astype(np.float64), "continuous"


def _labels(path: Path, name: str, values: Array) -> Array:
    """Return class labels as text or integers; whole floats, as in .npy files, are integers."""
    if values.dtype.kind == "O":
        return values
    if values.dtype.kind == "f":
        for row in np.flatnonzero(values != np.floor(values))[:1]:
            problem = f"the target {quoted(name)} has a fraction ({values[row]:g}"
            problem += f" in data row {row + 1}), which is no class label"
            advice = how("target_kind='continuous'", "--target-kind continuous")
            raise table_error(path, f"{problem}; use {advice}")
        refuse_long_integers(path, name, values)
    if values.dtype.kind == "u" and int(values.max()) > np.iinfo(np.int64).max:
        return values.astype(np.uint64)
    return values.astype(np.int64)


def _missing(called: str, n_missing: int, first: int) -> ValueError:
    """Say that values of a target are missing."""
    return ValueError(
        f"{called} has {n_missing} missing value(s), the first in row {first} (counted from 0); "
        "leave these samples out."
    )
