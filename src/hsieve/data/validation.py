"""What kind of target this is, and which columns carry no information.

Integer-valued targets are the hard case: class labels and counts look alike. The rule is written
down once, here, and ``target_kind`` overrides it everywhere.
"""

import warnings
from collections import Counter
from collections.abc import Collection
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "MAX_INTEGER_CLASSES",
    "TARGET_KINDS",
    "TargetKind",
    "check_frame",
    "constant_columns",
    "numbers_if_all_are",
    "target_kind_of",
]

TargetKind: TypeAlias = Literal["classes", "continuous"]
TARGET_KINDS = ("auto", "classes", "continuous")
# More distinct whole numbers than this are taken for counts or measurements, not for classes.
MAX_INTEGER_CLASSES = 20


def target_kind_of(y: ArrayLike, target_kind: str = "auto") -> TargetKind:
    """Say whether a target holds classes or numbers.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The target.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        "auto": text, booleans and whole numbers with at most 20 distinct values, each held by two
        samples on average, are classes; several outputs and all else are numbers.

    Returns
    -------
    {"classes", "continuous"}
        The kind.

    Examples
    --------
    >>> target_kind_of([0, 1, 1, 0]), target_kind_of([0.5, 1.25, 3.0])
    ('classes', 'continuous')
    """
    if target_kind not in TARGET_KINDS:
        msg = f"target_kind must be one of {TARGET_KINDS}, got {target_kind!r}."
        raise ValueError(msg)
    values = np.asarray(y)
    if target_kind != "auto":
        return "classes" if target_kind == "classes" else "continuous"
    if values.ndim == 2 and values.shape[1] > 1:
        return "continuous"
    values = numbers_if_all_are(values)
    if values.dtype.kind not in "fiu":
        return "classes"
    whole = np.array_equal(values, np.round(values))
    most = min(MAX_INTEGER_CLASSES, values.size // 2)
    return "classes" if whole and len(np.unique(values)) <= most else "continuous"


def numbers_if_all_are(values: NDArray[Any]) -> NDArray[Any]:
    """Return objects that are all numbers as floats, anything else as it is."""
    if values.dtype.kind != "O":
        return values
    number = (isinstance(v, Real) and not isinstance(v, bool | np.bool_) for v in values.flat)
    return values.astype(np.float64) if all(number) else values


def constant_columns(X: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark the columns that hold one single value."""
    return np.asarray(X.max(axis=0) == X.min(axis=0))


def check_frame(X: Any, categorical: Collection[int]) -> None:
    """Look at the columns of a pandas or polars frame before they become plain numbers.

    Repeated names are refused, and text by the name of its column; a column declared as a
    category but not listed in `categorical` is warned of, because its codes would be taken for
    measurements.
    """
    if not (hasattr(X, "columns") and hasattr(X, "dtypes")):
        return
    names = list(X.columns)
    if len(set(names)) < len(names):
        repeated = sorted(str(name) for name, times in Counter(names).items() if times > 1)
        msg = f"Column names must differ, got {', '.join(repeated)} more than once."
        raise ValueError(msg)
    for position, (name, dtype) in enumerate(zip(names, X.dtypes, strict=True)):
        kind = str(dtype).lower()
        if kind.startswith(("int", "uint", "float", "bool")):
            continue
        if any(isinstance(value, str) for value in X[name].head(1)):
            msg = (
                f"Column {name!r} holds text; code its levels as numbers and list its position "
                f"({position}) in categorical=[...], or leave it out."
            )
            raise ValueError(msg)
        if kind.startswith(("category", "categorical", "enum")) and position not in categorical:
            msg = (
                f"Column {name!r} is declared as a category but taken as a number; "
                f"list its position ({position}) in categorical=[...] to treat it as one."
            )
            warnings.warn(msg, UserWarning, stacklevel=3)
