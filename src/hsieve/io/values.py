"""Values of one column: codes of categories, the target, and what cannot be represented.

A float64 tells integers apart up to 2^53, so a longer one is refused rather than rounded unless it
is a label or a category. Each column costs O(n), or O(n log n) where it is sorted into categories.

Arrow types and columns as those of NumPy, for the formats that pyarrow reads.

pyarrow is imported by :func:`import_pyarrow` only, when such a file is read: it takes a while, and
NumPy files do without.
"""

import importlib
import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hsieve.data.errors import incomplete_column, quoted, rounded_integer, table_error
from hsieve.data.validation import LARGEST_EXACT_INTEGER, TargetKind, beyond_exact, likely_kind_of
from hsieve.io.source import READABLE_KINDS, Array

__all__ = [
    "arrow_kind",
    "arrow_values",
    "category_codes",
    "exact_numbers",
    "import_pyarrow",
    "is_long_integer",
    "refuse_long_integers",
    "target_values",
]


def category_codes(values: Array) -> npt.NDArray[np.float64]:
    """Return the ranks of the sorted distinct values; what is not finite stays so."""
    bad = _not_finite(values)
    codes = np.full(len(values), np.nan)
    codes[~bad] = np.unique(values[~bad], return_inverse=True)[1]
    if values.dtype.kind == "f":
        codes[bad] = values[bad]
    return codes


def target_values(
    path: Path, name: str, values: Array, target_kind: str, *, listed_as_classes: bool
) -> tuple[Array, TargetKind]:
    """Return the target as labels or as float64, and which of the two it is."""
    bad = _not_finite(values)
    if bad.any():
        raise incomplete_column(path, name, values, bad, 0)
    if target_kind == "auto" and listed_as_classes:
        target_kind = "classes"
    if likely_kind_of(values, target_kind) == "classes":
        return _labels(path, name, values), "classes"
    if values.dtype.kind == "O":
        problem = f"the target {quoted(name)} is text (first {quoted(values[0])})"
        raise table_error(
            path, f"{problem} and cannot be continuous; accepted is target_kind='classes'"
        )
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
            raise table_error(path, f"{problem}; accepted is target_kind='continuous'")
        refuse_long_integers(path, name, values)
    if values.dtype.kind == "u" and int(values.max()) > np.iinfo(np.int64).max:
        return values.astype(np.uint64)
    return values.astype(np.int64)


def _not_finite(values: Array) -> npt.NDArray[np.bool_]:
    """Mark nulls, NaN and infinity."""
    if values.dtype.kind == "O":
        return np.array([value is None for value in values.tolist()], dtype=bool)
    return ~np.isfinite(values)


def exact_numbers(path: Path, name: str, values: Array) -> Array:
    """Return numbers, None among integers as NaN, unless an integer would be rounded."""
    if values.dtype.kind == "O":
        found = np.array([0 if value is None else value for value in values.tolist()])
        refuse_long_integers(path, name, found)
        return values.astype(np.float64)
    if values.dtype.kind in "iu":
        refuse_long_integers(path, name, values)
    return values


def refuse_long_integers(path: Path, name: str, values: Array) -> None:
    """Refuse integers that float64 does not tell apart from their neighbours."""
    for row in np.flatnonzero(beyond_exact(values))[:1]:
        raise rounded_integer(path, name, int(row) + 1, values[row])


def is_long_integer(text: str | None) -> bool:
    """Tell by its digits whether the text is an integer that float64 would round."""
    if text is None or not re.fullmatch(r"\s*[+-]?[0-9]+\s*", text):
        return False
    digits = text.strip().lstrip("+-").lstrip("0")
    longest = len(str(LARGEST_EXACT_INTEGER))
    return len(digits) > longest or int(digits or "0") > LARGEST_EXACT_INTEGER


def import_pyarrow(path: Path, module: str) -> Any:
    """Import pyarrow only for those who read its formats."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        problem = "reading this format needs pyarrow (pip install pyarrow)"
        raise table_error(path, f"{problem}; .npz and .npy do not") from error


def arrow_kind(arrow: Any, arrow_type: Any) -> str:
    """Sort an Arrow type into one of the readable kinds, or give its name."""
    types = arrow.types
    if types.is_dictionary(arrow_type):
        kind = arrow_kind(arrow, arrow_type.value_type)
        return "text" if kind in READABLE_KINDS else kind
    if types.is_boolean(arrow_type):
        return "boolean"
    if types.is_integer(arrow_type):
        return "integer"
    if types.is_floating(arrow_type) or types.is_decimal(arrow_type) or types.is_null(arrow_type):
        return "number"
    if str(arrow_type) in ("string", "large_string", "string_view"):
        return "text"
    return str(arrow_type)


def arrow_values(path: Path, name: str, column: Any) -> Array:
    """Turn an Arrow column into integers, float64 with NaN or objects with None.

    Integers with nulls are float64 with NaN, unless that would round one.
    """
    arrow = import_pyarrow(path, "pyarrow")
    if arrow.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if arrow.types.is_decimal(column.type):
        values: Array = column.cast(arrow.float64()).to_numpy()
        for row in np.flatnonzero(np.abs(values) >= LARGEST_EXACT_INTEGER)[:1]:
            raise rounded_integer(path, name, int(row) + 1, column[int(row)].as_py())
        return values
    if arrow.types.is_boolean(column.type) or arrow.types.is_null(column.type):
        column = column.cast(arrow.float64())
    if arrow_kind(arrow, column.type) == "text":
        column.validate(full=True)  # else bytes that are no text are an error of no known kind
    values = column.to_numpy()
    if (
        arrow.types.is_integer(column.type)
        and values.dtype.kind == "f"
        and np.nanmax(np.abs(values), initial=0.0) >= LARGEST_EXACT_INTEGER
    ):
        return np.array(column.to_pylist(), dtype=object)
    return values.astype(np.float64) if values.dtype.kind == "f" else values
