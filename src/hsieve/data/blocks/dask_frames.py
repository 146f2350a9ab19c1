"""Dask's data frames as arrays of numbers: types and names are checked, lengths are computed.

A partition becomes numbers where it is. What cannot be a number exactly is refused by the name of
its column.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hsieve.data.blocks.base import float_type
from hsieve.data.tables.errors import listed, no_numbers
from hsieve.data.validation import beyond_exact

__all__ = ["array_of_frame"]

LONG_INTEGERS = (np.dtype(np.int64), np.dtype(np.uint64))
# Brings values of small collections here.
Compute: TypeAlias = Callable[[Sequence[Any]], list[Any]]


def array_of_frame(frame: Any, y: Any, compute: Compute) -> tuple[Any, tuple[str, ...] | None, Any]:
    """Return the features of a data frame as an array, their names, and the target."""
    import dask.array
    from dask import delayed

    names = _feature_names(frame, y)
    types = dict(zip(frame.columns, map(_numpy_type, frame.dtypes), strict=True))
    refused = [name for name in names if types[name] is None]
    if refused:
        kind = frame.dtypes[refused[0]]
        raise no_numbers([str(name) for name in refused], kind, "X.drop(columns=[...])")
    dtype = np.result_type(np.float32, *(float_type(types[name]) for name in names))
    _refuse_long(frame, names, compute)
    if isinstance(y, str):
        targets = compute(frame[[y]].to_delayed())
        y, lengths = _target_values(y, targets), [len(part) for part in targets]
    else:
        lengths = compute([delayed(len)(part) for part in frame[names[:1]].to_delayed()])
    array = dask.array.concatenate(
        [
            dask.array.from_delayed(delayed(_numbers)(part, dtype), (length, len(names)), dtype)
            for part, length in zip(frame[names].to_delayed(), lengths, strict=True)
        ]
    )
    return array, tuple(names) if all(isinstance(name, str) for name in names) else None, y


def _feature_names(frame: Any, y: Any) -> list[Any]:
    """Return the columns that are features."""
    names = list(frame.columns)
    repeated = [str(name) for name, times in Counter(names).items() if times > 1]
    if repeated:
        msg = f"Column names must differ, got {listed(repeated)} more than once."
        raise ValueError(msg)
    if isinstance(y, str):
        if y not in names:
            msg = f"There is no column {y!r} for the target, only {listed(map(str, names))}."
            raise ValueError(msg)
        names.remove(y)
    if not names:
        msg = "The data frame has no column that could be a feature."
        raise ValueError(msg)
    return names


def _numpy_type(dtype: Any) -> np.dtype | None:
    """Return the type of NumPy that holds a column of pandas, if it is one of numbers."""
    found = getattr(dtype, "numpy_dtype", dtype)
    return found if isinstance(found, np.dtype) and found.kind in "biuf" else None


def _numbers(part: Any, dtype: np.dtype) -> NDArray[Any]:
    """Turn one partition into numbers, in a worker; what is missing is NaN."""
    columns = [part.iloc[:, i].to_numpy(dtype=dtype, na_value=np.nan) for i in range(part.shape[1])]
    return np.column_stack(columns) if columns else np.empty(part.shape, dtype=dtype)


def _refuse_long(frame: Any, names: list[Any], compute: Compute) -> None:
    """Refuse integers that would be rounded."""
    from dask import delayed

    # Shorter ones are exact.
    longest = [name for name in names if _numpy_type(frame.dtypes[name]) in LONG_INTEGERS]
    if not longest:
        return
    parts = [delayed(_first_long)(part) for part in frame[longest].to_delayed()]
    for name, value in filter(None, compute(parts)):
        msg = (
            f"Column {name!r} holds {value}, an integer beyond 2^53 that would be rounded; "
            "rescale it or leave it out."
        )
        raise ValueError(msg)


def _first_long(part: Any) -> tuple[Any, int] | None:
    """Find an integer that would be rounded, in a worker."""
    for name in part.columns:
        values = part[name].dropna().to_numpy()
        for value in values[beyond_exact(values)][:1]:
            return name, int(value)
    return None


def _target_values(name: str, parts: Iterable[Any]) -> NDArray[Any]:
    """Join the target, which is small."""
    columns = [part[name] for part in parts]
    missing = np.concatenate([column.isna().to_numpy(dtype=bool) for column in columns])
    if missing.any():
        msg = f"The target {name!r} has {missing.sum()} missing value(s)."
        raise ValueError(msg)
    kinds = [_numpy_type(column.dtype) for column in columns]
    dtype: Any = object if None in kinds else np.result_type(*(k for k in kinds if k is not None))
    return np.concatenate([column.to_numpy(dtype=dtype) for column in columns])
