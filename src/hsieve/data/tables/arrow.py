"""Arrow types and columns as those of NumPy, for the formats that pyarrow reads.

pyarrow is imported by :func:`import_pyarrow` only, when such a file is read: it takes a while, and
NumPy files do without.
"""

import importlib
from pathlib import Path
from typing import Any

import numpy as np

from hsieve.data.tables.errors import rounded_integer, table_error
from hsieve.data.tables.source import READABLE_KINDS, Array
from hsieve.data.validation import LARGEST_EXACT_INTEGER

__all__ = ["arrow_kind", "arrow_values", "import_pyarrow"]


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
