"""What kind of target this is, and which columns carry no information.

Integer-valued targets are the hard case: class labels and counts look alike. The rule is written
down once, here, and ``target_kind`` overrides it everywhere.
"""

import re
from collections.abc import Callable, Sequence
from datetime import date, time, timedelta
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import validate_data

from hsieve.data.errors import quoted
from hsieve.parameters import word
from hsieve.text import how

__all__ = [
    "HOW_TO_FILL",
    "LARGEST_EXACT_INTEGER",
    "MAX_INTEGER_CLASSES",
    "TARGET_KINDS",
    "TargetKind",
    "beyond_exact",
    "check_lengths",
    "check_size",
    "checked_data",
    "constant_columns",
    "counts_rows",
    "is_number",
    "is_row_index",
    "likely_kind_of",
    "numbers_if_all_are",
    "plain_array",
    "plain_features",
    "refuse_constant",
    "refuse_mixed",
    "refuse_rounding",
    "role_of_text",
    "target_kind_of",
]

TargetKind: TypeAlias = Literal["classes", "continuous", "survival"]
TARGET_KINDS = ("auto", "classes", "continuous", "survival")
ONE_OF_KINDS = word(*TARGET_KINDS)
# More distinct whole numbers than this are taken for counts or measurements, not for classes.
MAX_INTEGER_CLASSES = 20
# Text that differs in more than every second row is no category, from so many rows on.
MOST_LEVELS_PER_ROW = 0.5
FEWEST_ROWS_JUDGED = 20
NAMELESS = "Unnamed: 0"
ROW_INDEX = re.compile(rf"{NAMELESS}(\.[0-9]+)?|__index_level_[0-9]+__|__null_dask_index__")
MONTH = (
    r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|janv|févr|avr|juin|juil"
    r"|août|déc|ene|abr|ago|dic)[a-zé]*\.?"
)
DATE = re.compile(
    r"\s*([0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}([T ][0-9:.,]+(Z|[+-][0-9:]+)?)?"
    r"|[0-9]{1,2}([-/.])[0-9]{1,2}\4([0-9]{4}|[0-9]{2})([T ][0-9:.,]+)?"
    rf"|[0-9]{{1,2}}\.?[-/ ]{MONTH}[-/ ,]+([0-9]{{4}}|[0-9]{{2}})([T ][0-9:.,]+)?"
    rf"|({MONTH} [0-9]{{1,2}},? |[0-9]{{4}}[-/ ]{MONTH}[-/ ])[0-9]{{1,4}}([T ][0-9:.,]+)?)\s*",
    re.IGNORECASE,
)
# As spreadsheets have numbers: with a limit of detection, thousands, or a unit of hundredths.
NUMBER_LIKE = re.compile(
    r"\s*[<>≤≥~]?\s*[+−-]?([0-9]{1,3}([ \u00a0\u2009\u202f][0-9]{3})+|[0-9]+)([.,'’][0-9]+)*"
    r"([eE][+-]?[0-9]+)?\s*%?\s*"
)
# float64 has all whole numbers up to this one.
LARGEST_EXACT_INTEGER = 2**53
DATES = (date, time, timedelta, np.datetime64, np.timedelta64)

HOW_TO_FILL = (
    "fill them in first (hsieve.FillMissing() takes the median of numbers and makes a level of its "
    "own for categories; missing='impute' in hsieve.select or hsieve.open_dataset does so too), or "
    "leave out these rows or columns."
)


def check_lengths(n_samples: int, n_targets: int) -> None:
    """Refuse a target of another length than the features."""
    if n_samples != n_targets:
        msg = f"X has {n_samples} samples but y has {n_targets}."
        raise ValueError(msg)


def target_kind_of(y: ArrayLike, target_kind: str = "auto") -> TargetKind:
    """Say whether a target holds classes or numbers.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The target.
    target_kind : {"auto", "classes", "continuous", "survival"}, default="auto"
        "auto": text, booleans and integers with at most 20 distinct values, each held by two
        samples on average, are classes; several outputs and all else are numbers. "survival" is
        for residuals of times with events (:mod:`hsieve.data.survival`).

    Returns
    -------
    {"classes", "continuous", "survival"}
        The kind.

    Raises
    ------
    ValueError
        For integers beyond 2^53 that are no classes: as numbers they would be rounded, and those
        next to each other would become one.

    Examples
    --------
    >>> target_kind_of([0, 1, 1, 0]), target_kind_of([0.5, 1.25, 3.0])
    ('classes', 'continuous')
    """
    values = np.asarray(y)
    kind = likely_kind_of(values, target_kind)
    if kind != "classes":
        _refuse_rounding(values)
    return kind


def likely_kind_of(values: NDArray[Any], target_kind: str = "auto") -> TargetKind:
    """Say what :func:`target_kind_of` says, whether or not the numbers can be told apart."""
    ONE_OF_KINDS.check("target_kind", target_kind)
    if target_kind != "auto":
        return cast("TargetKind", target_kind)
    if values.ndim == 2 and values.shape[1] > 1:
        return "continuous"
    values = numbers_if_all_are(values)
    if values.dtype.kind not in "fiu":
        _refuse_dates_and_numbers_as_text(values)
        return "classes"
    whole = np.array_equal(values, np.round(values))
    most = min(MAX_INTEGER_CLASSES, values.size // 2)
    return "classes" if whole and len(np.unique(values)) <= most else "continuous"


def is_number(text: str) -> bool:
    """Say whether a text is a number, with a decimal point or a decimal comma."""
    try:
        float(text.replace(",", ".", 1))
    except ValueError:
        return False
    return True


def _refuse_dates_and_numbers_as_text(values: NDArray[Any]) -> None:
    """Refuse dates, and numbers that one text among them, such as ``<0.1``, would make classes."""
    texts = sorted({str(value) for value in values.flat if isinstance(value, str)})
    others = [text for text in texts if not is_number(text)]
    if others and len(texts) > 2 * len(others) and role_of_text(texts, values.size) == "numbers":
        msg = (
            f"The target is text: {quoted(others[0])} among its numbers; replace what is no "
            "number, leave these samples out, or give target_kind='classes' if these are names of "
            "classes."
        )
        raise ValueError(msg)
    if texts and role_of_text(texts, values.size) == "dates":
        as_classes = how("target_kind='classes'", "--target-kind classes")
        msg = (
            f"The target holds dates as text ({quoted(texts[0])}, ...). Turn them into numbers, "
            f"such as days since a start, or use {as_classes} if these are names of classes."
        )
        raise ValueError(msg)


def beyond_exact(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark integers that float64 does not tell apart from their neighbours."""
    return np.asarray((values > LARGEST_EXACT_INTEGER) | (values < -LARGEST_EXACT_INTEGER))


RoleOfText: TypeAlias = Literal["category", "identifier", "dates", "numbers", "unclear"]


def role_of_text(levels: Sequence[Any], n_rows: int) -> RoleOfText:
    """Say what a column of text is, by the different texts in it.

    Dates are "dates". Numbers with other text among them, such as ``<0.1``, are "numbers". Of all
    else few texts are a category; a text that is different in every row is an identifier; what lies
    between is "unclear", and is left to the user. Short tables are not judged by the number of
    texts.
    """
    texts = [text for text in levels if isinstance(text, str)]
    if texts and all(map(DATE.fullmatch, texts)):
        return "dates"
    numbers = [text for text in texts if NUMBER_LIKE.fullmatch(text)]
    if 2 * len(numbers) >= len(texts) and any(not text.strip().isdigit() for text in numbers):
        return "numbers"
    n_levels = len(levels)
    if n_rows < FEWEST_ROWS_JUDGED or n_levels <= MOST_LEVELS_PER_ROW * n_rows:
        return "category"
    return "identifier" if n_levels == n_rows else "unclear"


def is_row_index(name: str, values: Callable[[], NDArray[Any]]) -> bool:
    """Say whether a column is called as pandas calls row labels in files.

    Any first column without a name is called so. If it holds fractions, it is a measurement.
    """
    if not ROW_INDEX.fullmatch(name):
        return False
    labels = values() if name.startswith(NAMELESS) else np.zeros(0)
    return labels.dtype.kind != "f" or not np.any(labels[np.isfinite(labels)] % 1)


def counts_rows(values: NDArray[Any]) -> bool:
    """Say whether integers are 0, 1, 2, ... or 1, 2, 3, ..., which tells nothing but the row."""
    if values.dtype.kind not in "iu" or len(values) < FEWEST_ROWS_JUDGED or values[0] not in (0, 1):
        return False
    return bool((values == values[0] + np.arange(len(values))).all())


def refuse_rounding(X: NDArray[Any]) -> None:
    """Refuse features that are integers and would be rounded as floats."""
    if X.dtype.kind in "iu" and X.dtype.itemsize == 8:
        for row, feature in np.argwhere(beyond_exact(X))[:1]:
            msg = (
                f"Column {feature} holds {X[row, feature]} in row {row} (counted from 0), an "
                "integer beyond 2^53 that would be rounded; rescale it or leave it out."
            )
            raise ValueError(msg)


def _refuse_rounding(values: NDArray[Any]) -> None:
    """Refuse a target of integers that would be rounded as floats."""
    if values.dtype.kind == "O":
        values = np.array([v for v in values.flat if isinstance(v, Integral)], dtype=object)
    if values.dtype.kind in "Oiu":
        for value in values[beyond_exact(values)][:1]:
            msg = (
                f"The target holds {value}, an integer beyond 2^53 that would be rounded; rescale "
                "it, or give text and target_kind='classes' if these are names of classes."
            )
            raise ValueError(msg)


def numbers_if_all_are(values: NDArray[Any]) -> NDArray[Any]:
    """Return objects that are all numbers as integers or floats, anything else as it is."""
    if values.dtype.kind != "O":
        return values
    number = (isinstance(v, Real) and not isinstance(v, bool | np.bool_) for v in values.flat)
    if not all(number):
        return values
    if values.size and all(isinstance(v, Integral) for v in values.flat):
        whole = np.array([int(v) for v in values.flat]).reshape(values.shape)
        if whole.dtype.kind in "iu":
            return whole
    _refuse_rounding(values)
    return values.astype(np.float64)


def refuse_mixed(y: NDArray[Any]) -> None:
    """Refuse a target that holds values of several kinds, which have no order."""
    if y.dtype.kind == "O" and len({type(value) for value in y.flat}) > 1:
        kinds = sorted({type(value).__name__ for value in y.flat})
        msg = f"The target must hold values of one kind, got {', '.join(kinds)}."
        raise ValueError(msg)


def refuse_constant(y: NDArray[Any], kind: TargetKind, what_for: str) -> None:
    """Refuse a target that is the same in every sample, or of values without an order."""
    refuse_mixed(y)
    if len(np.unique(y)) < 2:
        what = "1 class" if kind == "classes" else "1 distinct value"
        msg = f"The target holds {what}; at least two are needed to {what_for}."
        raise ValueError(msg)


def constant_columns(X: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark the columns that hold one single value."""
    return np.asarray(X.max(axis=0) == X.min(axis=0))


def check_size(X: Any, whose: str) -> None:
    """Refuse a table without two samples and one column, as scikit-learn does arrays."""
    for what, found, least in (("sample(s)", X.shape[0], 2), ("feature(s)", X.shape[1], 1)):
        if found < least:
            msg = (
                f"Found array with {found} {what} (shape={tuple(X.shape)}) while a minimum of "
                f"{least} is required by {whose}."
            )
            raise ValueError(msg)


def plain_array(values: Any, called: str) -> Any:
    """Return an array without a mask, masked values as NaN (None among objects), lists as arrays.

    Anything that is neither array nor list comes back as it is.

    Parameters
    ----------
    values : object
        Features or target as they are given.
    called : str
        What they are called in an error.

    Raises
    ------
    ValueError
        For dates and lengths of time, which NumPy would take for numbers, and structured arrays.

    Examples
    --------
    >>> plain_array(np.ma.masked_array([1, 2], mask=[False, True]), "X")
    array([ 1., nan])
    """
    if isinstance(values, list | tuple):
        try:
            values = np.asarray(values)
        except ValueError:  # rows of several lengths, which scikit-learn refuses
            return values
    if not isinstance(values, np.ndarray):
        return values
    if values.dtype.names:
        msg = (
            f"{called} is a structured array of the fields {', '.join(values.dtype.names)}; give a "
            f"data frame, such as pandas.DataFrame({called}), or a plain array."
        )
        raise ValueError(msg)
    _refuse_dates(values, called)
    if not isinstance(values, np.ma.MaskedArray):
        return values
    mask = np.ma.getmaskarray(values)
    if not mask.any():
        return values.data
    if values.dtype.kind in "biuf":
        precision = np.float32 if values.dtype == np.float32 else np.float64
        return np.where(mask, precision(np.nan), values.data.astype(precision))
    return np.where(mask, np.array(None), values.data.astype(object))


def _refuse_dates(values: NDArray[Any], called: str) -> None:
    """Refuse dates and lengths of time."""
    kind = str(values.dtype)
    if values.dtype.kind == "O":
        kind = next((type(value).__name__ for value in values.flat if isinstance(value, DATES)), "")
    elif values.dtype.kind not in "mM":
        return
    if kind:
        msg = (
            f"{called} holds dates or times ({kind}), which are not supported. Turn them into "
            "numbers, such as days since a start, or leave them out."
        )
        raise ValueError(msg)


def plain_features(estimator: Any, X: Any) -> Any:
    """Return features as :func:`plain_array` does; refuse masked ones that nothing is done with."""
    plain = plain_array(X, "X")
    n_masked = int(np.ma.getmaskarray(X).sum()) if isinstance(X, np.ma.MaskedArray) else 0
    if n_masked and not estimator.__sklearn_tags__().input_tags.allow_nan:
        columns = np.unique(np.nonzero(np.ma.getmaskarray(X))[-1])
        shown = ", ".join(map(str, columns[:5])) + (", ..." if len(columns) > 5 else "")
        msg = (
            f"X has masked values, {n_masked} in {len(columns)} of {X.shape[-1]} columns (at "
            f"{shown}). These are missing: {HOW_TO_FILL}"
        )
        raise ValueError(msg)
    return plain


def checked_data(estimator: Any, X: Any, *target: Any, **options: Any) -> Any:
    """Return data that scikit-learn finds in order, without its noise.

    It looks for NaN by adding all values up, which warns of an invalid sum where values near both
    ends of the range meet, though each of them is finite.
    """
    plain = (plain_features(estimator, X), *(plain_array(y, "y") for y in target))
    if isinstance(plain[0], np.ndarray) and plain[0].ndim == 2 and "dtype" in options:
        refuse_rounding(plain[0])
    with np.errstate(invalid="ignore"):
        return validate_data(estimator, *plain, **options)
