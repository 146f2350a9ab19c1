"""Values of one column: numbers of Arrow and of text, codes of categories, and what is not exact.

A float64 tells integers apart up to 2^53, so a longer one is refused rather than rounded unless it
is a label or a category. Each column costs O(n), or O(n log n) where it is sorted into categories.

Where a file has no types, a column becomes text by one value that is no number. Decimal commas and
the usual marks of what is missing, such as ``N.D.``, are read for what they are.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hsieve.data.errors import rounded_integer
from hsieve.data.validation import LARGEST_EXACT_INTEGER, beyond_exact

__all__ = [
    "NUMPY_KINDS",
    "READABLE_KINDS",
    "Array",
    "arrow_kind",
    "arrow_values",
    "category_codes",
    "codes_and_levels",
    "exact_numbers",
    "is_long_integer",
    "not_finite",
    "numbers_in_text",
    "refuse_long_integers",
]

Array: TypeAlias = NDArray[Any]
READABLE_KINDS = frozenset({"boolean", "integer", "number", "text"})
NUMPY_KINDS = {"b": "boolean", "i": "integer", "u": "integer", "f": "number", "U": "text"}
NUMBER = re.compile(r"\s*[+-]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)([eE][+-]?[0-9]+)?\s*")
INTEGER = re.compile(r"\s*[+-]?[0-9]+\s*")
# With a comma, these may be thousands.
THOUSANDS = re.compile(r"\s*[+-]?[1-9][0-9]{0,2},[0-9]{3}\s*")
MISSING = frozenset(
    {"", "n.d.", "n.d", "nd", "n.a.", "n.a", "n/a", "na", "nan", "null", "none", "missing", "?"}
    | {"n.b.", "n. b.", "k.a.", "k. a."}  # not determined and not given, in German
    | {"-", "--", "---", ".", "..", "#n/a", "#div/0!", "#value!", "#ref!", "#num!", "#name?"}
)


class Numbers(NamedTuple):
    """Numbers that were text, as Arrow has them, and what else was found."""

    values: Any
    marks: dict[str, int]
    has_commas: bool


def category_codes(values: Array) -> NDArray[np.float64]:
    """Return the ranks of the sorted distinct values; what is not finite stays so."""
    bad = not_finite(values)
    codes = np.full(len(values), np.nan)
    codes[~bad] = np.unique(values[~bad], return_inverse=True)[1]
    if values.dtype.kind == "f":
        codes[bad] = values[bad]
    return codes


def not_finite(values: Array) -> NDArray[np.bool_]:
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


def arrow_kind(arrow_type: Any) -> str:
    """Sort an Arrow type into one of the readable kinds, or give its name."""
    types = pa.types
    if types.is_dictionary(arrow_type):
        kind = arrow_kind(arrow_type.value_type)
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
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_decimal(column.type):
        values: Array = column.cast(pa.float64()).to_numpy()
        for row in np.flatnonzero(np.abs(values) >= LARGEST_EXACT_INTEGER)[:1]:
            raise rounded_integer(path, name, int(row) + 1, column[int(row)].as_py())
        return values
    if pa.types.is_boolean(column.type) or pa.types.is_null(column.type):
        column = column.cast(pa.float64())
    if arrow_kind(column.type) == "text":
        column.validate(full=True)  # else bytes that are no text are an error of no known kind
    values = column.to_numpy()
    if (
        pa.types.is_integer(column.type)
        and values.dtype.kind == "f"
        and np.nanmax(np.abs(values), initial=0.0) >= LARGEST_EXACT_INTEGER
    ):
        return np.array(column.to_pylist(), dtype=object)
    return values.astype(np.float64) if values.dtype.kind == "f" else values


def codes_and_levels(array: Any) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Return codes of an Arrow column, -1 where a value is missing, and what they stand for."""
    if not pa.types.is_dictionary(array.type):
        if str(array.type) == "string_view":
            array = array.cast(pa.large_string())
        array = array.dictionary_encode()
    if isinstance(array, pa.ChunkedArray):
        array = array.unify_dictionaries().combine_chunks()
    codes = array.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    return codes.astype(np.intp), np.asarray(array.dictionary.to_pylist(), dtype=object)


def numbers_in_text(column: Any, decimal: str | None, separator: str = "") -> Numbers | None:
    """Return the numbers of a column of text in which all else are marks of missing values.

    Examples
    --------
    >>> import pyarrow
    >>> found = numbers_in_text(pyarrow.array(["1,5", "N.D.", "2"]), None)
    >>> found.values.to_pylist(), found.marks, found.has_commas
    ([1.5, None, 2.0], {'N.D.': 1}, True)
    """
    codes, levels = codes_and_levels(column)
    texts = levels.tolist()
    numbers, marks = set(), set()
    for text in texts:
        if NUMBER.fullmatch(text):
            numbers.add(text)
        elif text.strip().casefold() in MISSING:
            marks.add(text)
        else:
            return None
    if not numbers or any(map(is_long_integer, numbers)):
        return None
    commas = {text for text in numbers if "," in text}
    points = {text for text in numbers if "." in text}
    # A comma in a file of commas may well be one of thousands.
    is_unclear = commas and separator == "," and all(map(THOUSANDS.fullmatch, commas))
    refused = {".": bool(commas), ",": bool(points), None: (commas and points) or is_unclear}
    if refused[decimal]:
        return None
    of_level = [float(text.replace(",", ".")) if text in numbers else np.nan for text in texts]
    values = np.append(of_level, np.nan)[codes]  # the code -1 is that of nulls
    found = pa.array(values, mask=np.isnan(values))
    if all(map(INTEGER.fullmatch, numbers)):
        found = found.cast(pa.int64())
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    of_marks = {text: int(n) for text, n in zip(texts, counts, strict=True) if text in marks}
    return Numbers(found, of_marks, bool(commas))
