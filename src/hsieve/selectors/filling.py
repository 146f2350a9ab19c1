"""FillMissing: missing values are filled in, in one plain way that is reported.

What is missing in a column of a frame is filled in; the column stays what it is.

Numbers become floats, since a median need not be whole. A category gets one level more, and a
boolean with gaps becomes a category of three levels.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from hsieve.data.errors import listed, quoted
from hsieve.data.validation import checked_data
from hsieve.data.views import median_of
from hsieve.io.anndata import refuse_annotated
from hsieve.io.distributed import refuse_distributed
from hsieve.io.frames import (
    FrameBlocks,
    FrameColumn,
    as_array,
    collected,
    column_handles,
    frame_library,
    frame_names,
)
from hsieve.kernels.columns import check_positions
from hsieve.selectors.base import whole_or_nothing

MISSING_LEVEL = "missing"


@dataclass(eq=False, repr=False, kw_only=True)
class FillMissing(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Fill in what is missing: the median for numbers, a level of its own for categories.

    Parameters
    ----------
    categorical : iterable of int or str, default=()
        Features that are categories, by position or name. In a data frame those of category, text
        or boolean type are categories anyway.

    Attributes
    ----------
    fill_values_ : list
        For each feature, what is filled in: its median, or the level for what is missing.
    n_missing_ : ndarray of int of shape (n_features_in_,)
        How many values were missing in `fit`.
    categorical_ : ndarray of int
        Features treated as categories.
    notes_ : tuple of str
        A sentence for each feature that had missing values.
    n_features_in_, feature_names_in_
        Number of features, and their names where they were given.

    Notes
    -----
    A frame comes out as a frame of the same kind: numbers with gaps become floats, a category gets
    the level "missing", a boolean with gaps becomes a category of three levels. In an array a
    category gets the next integer. Filling in medians makes features look less dependent than
    they are, and values that are missing for a reason look ordinary; where that matters, use a
    model-based imputer of scikit-learn instead. Put it into the pipeline before the selector, so
    that medians come from the training samples alone.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import FillMissing
    >>> filler = FillMissing().fit(np.array([[1.0, 5.0], [np.nan, 6.0], [3.0, 7.0], [9.0, 8.0]]))
    >>> filler.notes_
    ('Feature 0: 1 of 4 values missing, filled with the median 3.',)
    """

    categorical: Iterable[int | str] = ()

    @whole_or_nothing
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find what to fill in.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features; NaN, or null in a frame, is missing.
        y : object, default=None
            Not looked at.

        Returns
        -------
        self
            The fitted transformer.
        """
        columns, names = self._columns(X, reset=True), getattr(self, "feature_names_in_", None)
        listed_ones = check_positions(self.categorical, len(columns), names=names)
        declared = [place for place, column in enumerate(columns) if column.is_category]
        self.categorical_ = np.union1d(listed_ones, declared).astype(np.intp)
        self.n_missing_ = np.array([column.n_missing for column in columns], dtype=np.intp)
        self._refuse_empty(columns)
        self.fill_values_ = [
            _fill_value(column, is_category=place in set(self.categorical_.tolist()))
            for place, column in enumerate(columns)
        ]
        self.notes_ = tuple(self._note(int(i), columns) for i in np.flatnonzero(self.n_missing_))
        return self

    def transform(self, X: Any) -> Any:
        """Fill in what is missing.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features, as in `fit`.

        Returns
        -------
        ndarray, or a frame of the type of X
            The same without gaps.
        """
        check_is_fitted(self)
        X = collected(X)
        library = frame_library(X)
        if library is None:
            data = self._numbers(X, reset=False)
            gaps = np.isnan(data)
            fill = np.array([float(value) for value in self.fill_values_], dtype=data.dtype)
            return np.where(gaps, fill, data) if gaps.any() else data
        columns = self._columns(X, reset=False)
        gaps = {i: column for i, column in enumerate(columns) if column.n_missing}
        filled = with_filled(X, library, gaps, {i: self.fill_values_[i] for i in gaps})
        asked = _get_output_config("transform", estimator=self)["dense"]
        # Who has seen no names is not to bring any.
        usual = library if hasattr(self, "feature_names_in_") else "array"
        return filled if library == (usual if asked == "default" else asked) else as_array(filled)

    def _columns(self, X: Any, *, reset: bool) -> list[FrameColumn]:
        """Open the columns of a frame or an array."""
        refuse_distributed(X, type(self).__name__)
        refuse_annotated(X, type(self).__name__)
        if frame_library(X) is None:
            data = self._numbers(X, reset=reset)
            counts = np.isnan(data).sum(axis=0)
            return [
                FrameColumn("number", c, (), int(n)) for c, n in zip(data.T, counts, strict=True)
            ]
        frame = FrameBlocks(X)
        frame.refuse_unusable(gaps=True)
        checked_data(self, X, reset=reset, skip_check_array=True)
        infinite = [frame.name_of(i) for i, c in enumerate(frame.columns) if _has_infinity(c)]
        if infinite:
            msg = f"Infinity is not a missing value; {listed(infinite)} hold some."
            raise ValueError(msg)
        return list(frame.columns)

    def _numbers(self, X: Any, *, reset: bool) -> NDArray[np.floating]:
        data: NDArray[np.floating] = checked_data(
            self, X, reset=reset, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan"
        )
        return data

    def _called(self, place: int) -> str:
        names = getattr(self, "feature_names_in_", None)
        return f"Feature {place}" if names is None else f"Column {quoted(str(names[place]))}"

    def _refuse_empty(self, columns: list[FrameColumn]) -> None:
        """Refuse columns without any value, which nothing can be filled into."""
        for place, column in enumerate(columns):
            if len(column.values) and column.n_missing == len(column.values):
                msg = f"{self._called(place)} has no value at all; leave it out."
                raise ValueError(msg)

    def _note(self, place: int, columns: list[FrameColumn]) -> str:
        """Say what is done about one column."""
        value = self.fill_values_[place]
        is_category = place in self.categorical_
        how = (
            f"made the level {quoted(value)}"
            if is_category
            else f"filled with the median {value:g}"
        )
        missing = f"{self.n_missing_[place]} of {len(columns[place].values)} values missing"
        return f"{self._called(place)}: {missing}, {how}."

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _has_infinity(column: FrameColumn) -> bool:
    return column.values.dtype.kind == "f" and bool(np.isinf(column.values).any())


def _fill_value(column: FrameColumn, *, is_category: bool) -> Any:
    """Return what is filled into a column."""
    if column.is_category:
        return own_level(column)
    values = column.values[~np.isnan(column.values)] if column.n_missing else column.values
    if is_category:
        return float(np.floor(values.max())) + 1.0
    return median_of(values)


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
        next integer above them.

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
    X: Any, library: str, columns: Mapping[int, FrameColumn], values: Mapping[int, Any]
) -> Any:
    """Copy a frame with what is missing filled in.

    Parameters
    ----------
    X : DataFrame, Table or RecordBatch
        The frame; it is not changed.
    library : {"pandas", "polars", "pyarrow"}
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
    handles, names = column_handles(X), frame_names(X)
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


_FILLERS = {"pandas": _of_pandas, "polars": _of_polars, "pyarrow": _of_arrow}
