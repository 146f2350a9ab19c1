"""Data frames of any library that Narwhals knows, as columns of numbers.

Plain numbers are taken as they are. Everything else goes through Arrow, which knows the types of
all libraries, so that text, categories and missing values mean the same in each. Categories become
the codes 0, 1, ... of their sorted levels, whatever order the frame has them in. The frame itself
is not copied. What is wrong with it is said of all its columns at once.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from hsieve.data.columns import ColumnBlocks, FloatArray, IndexArray
from hsieve.data.errors import brief, listed, quoted
from hsieve.data.validation import HOW_TO_FILL, beyond_exact
from hsieve.io.roles import ColumnFindings, counts_in_words, type_in_words
from hsieve.io.values import READABLE_KINDS, arrow_kind, codes_and_levels

__all__ = [
    "FrameBlocks",
    "FrameColumn",
    "as_array",
    "as_frame",
    "collected",
    "column_handles",
    "frame_library",
    "frame_names",
    "is_frame",
    "open_column",
    "pandas_frame",
    "refuse_repeated",
    "take_columns",
]

KINDS_OF_NUMPY = {"b": "boolean", "i": "integer", "u": "integer", "f": "number"}
CATEGORIES = frozenset({"text", "boolean"})
# Frames that stay on their cluster.
CLUSTERS = (
    nw.Implementation.DASK,
    nw.Implementation.PYSPARK,
    nw.Implementation.PYSPARK_CONNECT,
)
PLAIN = (np.ndarray, list, tuple, str, int, float, ColumnBlocks, type(None))


def as_frame(X: Any, drop: Collection[str] = ()) -> Any:
    """Return a frame of any library as one of Narwhals; None for other data.

    A lazy frame is collected, without the columns to drop.

    Examples
    --------
    >>> import pyarrow
    >>> as_frame(pyarrow.table({"a": [1, 2]})).columns, as_frame([[1, 2]])
    (['a'], None)
    """
    frame = _known(X)
    if isinstance(frame, nw.LazyFrame):
        return frame.drop(*drop).collect() if drop else frame.collect()
    return frame


def is_frame(X: Any) -> bool:
    """Say whether data are a frame, perhaps a lazy one; those of a cluster are none here."""
    return _known(X) is not None


def collected(X: Any) -> Any:
    """Return a lazy frame as a frame of its library, anything else as it is."""
    frame = _known(X)
    return frame.collect().to_native() if isinstance(frame, nw.LazyFrame) else X


def _known(X: Any) -> Any:
    """Return a frame of Narwhals, which may be lazy, or None."""
    if isinstance(X, PLAIN):
        return None
    if isinstance(X, pa.RecordBatch):
        X = pa.Table.from_batches([X])
    try:
        frame = nw.from_native(X, pass_through=True)
    except DuplicateError:
        refuse_repeated(X.column_names if isinstance(X, pa.Table) else list(X.columns))
        raise
    is_frame = isinstance(frame, nw.DataFrame | nw.LazyFrame)
    return frame if is_frame and frame.implementation not in CLUSTERS else None


def frame_library(X: Any) -> str | None:
    """Say whose data frame this is, such as "pandas", "polars" or "pyarrow"."""
    frame = _known(X)
    return None if frame is None else str(frame.implementation.value)


def frame_names(X: Any) -> list[Any]:
    """Return the names of a frame's columns."""
    return list(_known(X).collect_schema().names())


def column_handles(X: Any) -> list[Any]:
    """Return the columns of a frame as its library has them."""
    return [column.to_native() for column in as_frame(X).iter_columns()]


def take_columns(X: Any, positions: NDArray[np.intp]) -> Any:
    """Return some columns of a frame, their names and types as they are."""
    return as_frame(X)[:, positions.tolist()].to_native()


def as_array(frame: Any) -> NDArray[Any]:
    """Return a frame as an array: numbers where all columns are numbers, else objects."""
    return np.asarray(as_frame(frame).to_numpy())


@dataclass(frozen=True, eq=False)
class FrameColumn:
    """A column that is numbers, or codes of a category.

    Parameters
    ----------
    kind : {"number", "integer", "boolean", "text"} or str
        What it holds; another word is the name of a type that cannot be used.
    values : ndarray of shape (n_samples,)
        Numbers, NaN where one is missing; codes of the levels for "text".
    levels : tuple, default=()
        The levels of a category, sorted.
    n_missing : int, default=0
        How many values are missing.
    problem : str, default=""
        Why it cannot be used, where that is more than its type.
    is_plain_text : bool, default=False
        Whether it is text that nobody has made a category.
    """

    kind: str
    values: NDArray[Any] = field(repr=False)
    levels: tuple[Any, ...] = ()
    n_missing: int = 0
    problem: str = ""
    is_plain_text: bool = False

    @property
    def is_usable(self) -> bool:
        """Whether it is a number or a category."""
        return self.kind in READABLE_KINDS and not self.problem

    @property
    def is_category(self) -> bool:
        """Whether its type says that it is a category."""
        return self.kind in CATEGORIES

    @property
    def long_integer(self) -> int | None:
        """An integer that would be rounded, if there is one."""
        if self.values.dtype.kind not in "iu" or self.values.dtype.itemsize < 8:
            return None
        beyond = self.values[beyond_exact(self.values)]
        return int(beyond[0]) if len(beyond) else None


def open_column(column: Any) -> FrameColumn:
    """Find out what a column of any library, or of Arrow, holds."""
    if isinstance(column, pa.Array):
        column = pa.chunked_array([column])
    numbers = _plain_numbers(column)
    if numbers is not None:
        missing = np.isnan(numbers).sum() if numbers.dtype.kind == "f" else 0
        return FrameColumn(KINDS_OF_NUMPY[numbers.dtype.kind], numbers, n_missing=int(missing))
    if str(getattr(column, "dtype", "")) == "category":
        codes, levels = np.asarray(column.cat.codes), column.cat.categories.to_numpy()
        return _category(codes.astype(np.intp), levels)
    if isinstance(column, pa.ChunkedArray) and pa.types.is_dictionary(column.type):
        column = column.unify_dictionaries()
    try:
        array = nw.from_native(column, series_only=True).to_arrow()
    except (pa.ArrowException, TypeError, ValueError) as error:
        return _unreadable(column, error)
    kind = arrow_kind(array.type)
    if kind == "text":
        found = _category(*codes_and_levels(array))
        return replace(found, is_plain_text=not pa.types.is_dictionary(array.type))
    if kind not in READABLE_KINDS:
        return FrameColumn(kind, np.zeros(0))
    return _numbers_of_arrow(kind, array)


def _plain_numbers(column: Any) -> NDArray[Any] | None:
    """Return numbers, where a column holds them as NumPy does and none is missing."""
    dtype = getattr(column, "dtype", None)
    if isinstance(dtype, np.dtype) or str(dtype).startswith("Sparse["):
        values = np.asarray(column)
        return values if values.dtype.kind in KINDS_OF_NUMPY else None
    series = nw.from_native(column, series_only=True)
    if (series.dtype.is_integer() or series.dtype.is_float()) and series.null_count() == 0:
        return np.asarray(series.to_numpy())
    return None


def _numbers_of_arrow(kind: str, array: Any) -> FrameColumn:
    """Return numbers and booleans of Arrow, what is missing as NaN."""
    if kind == "integer":
        present = FrameColumn(kind, array.drop_null().to_numpy(zero_copy_only=False))
        if present.long_integer is not None or array.null_count == 0:
            return present
    single = pa.types.is_float32(array.type)
    floats = array if single else array.cast(pa.float64(), safe=False)
    values = floats.to_numpy(zero_copy_only=False)
    missing = int(np.isnan(values).sum())
    if kind == "boolean" and not missing:
        values = values.astype(bool)
    return FrameColumn(kind, values, n_missing=missing)


def _category(codes: NDArray[np.intp], levels: NDArray[Any]) -> FrameColumn:
    """Give the levels that occur new codes in their order, whatever their codes were."""
    present = codes >= 0
    used = np.unique(codes[present])
    found = levels[used]
    if found.dtype.kind == "O" and len({type(level) for level in found}) > 1:
        kinds = ", ".join(sorted({type(level).__name__ for level in found}))
        return FrameColumn("text", np.zeros(0), problem=f"levels of several kinds ({kinds})")
    sorted_levels, ranks = np.unique(found, return_inverse=True)
    values = np.full(len(codes), np.nan)
    values[present] = ranks[np.searchsorted(used, codes[present])]
    return FrameColumn("text", values, tuple(sorted_levels.tolist()), int((~present).sum()))


def _unreadable(column: Any, error: BaseException) -> FrameColumn:
    """Say what is in a column that Arrow cannot make sense of."""
    kinds = sorted({type(value).__name__ for value in column if value is not None})
    if len(kinds) > 1:
        shown = ", ".join(kinds[:5])
        return FrameColumn("object", np.zeros(0), problem=f"values of several kinds ({shown})")
    problem = f"values of type {kinds[0]}" if kinds else brief(error)
    return FrameColumn("object", np.zeros(0), problem=problem)


class FrameBlocks(ColumnBlocks):
    """Columns of a data frame.

    Parameters
    ----------
    frame : DataFrame of any library that Narwhals knows
        The frame; it is not copied.

    Attributes
    ----------
    columns : tuple of FrameColumn
        What each column holds.
    declared : ndarray of int
        Positions of the columns that are categories: those of category type and text.

    Raises
    ------
    ValueError
        If names are repeated. What the columns hold is looked at by `refuse_unusable`.

    Examples
    --------
    >>> import pyarrow
    >>> blocks = FrameBlocks(pyarrow.table({"age": [30, 41], "sex": ["m", "f"]}))
    >>> blocks.names, blocks.declared.tolist(), blocks.read([1, 0]).tolist()
    (('age', 'sex'), [1], [[1.0, 30.0], [0.0, 41.0]])
    """

    def __init__(self, frame: Any) -> None:
        known = as_frame(frame)
        if known is None:
            msg = f"A data frame of pandas, polars or Arrow is needed, got {type(frame).__name__}."
            raise TypeError(msg)
        self._shown = [str(name) for name in known.columns]
        self.names = _checked_names(known.columns)
        self.columns = _opened(known)
        self.n_samples, self.n_features = known.shape
        self.declared: IndexArray = np.flatnonzero([c.kind == "text" for c in self.columns])
        self.notes: tuple[str, ...] = ()
        numbers = [column.values.dtype for column in self.columns if not column.is_category]
        single = bool(numbers) and all(d.kind == "f" and d.itemsize <= 4 for d in numbers)
        self.dtype = np.dtype(np.float32 if single else np.float64)

    def name_of(self, position: int) -> str:
        """Return the name of a column as text, whatever it is in the frame."""
        return self._shown[position]

    def refuse_unusable(
        self, *, gaps: bool, categories: Collection[int] | None = None
    ) -> dict[int, str]:
        """Refuse all that cannot be used at once; find the columns that tell nothing but the row.

        Parameters
        ----------
        gaps : bool
            Whether values may be missing.
        categories : collection of int or None, default=None
            The columns that are categories by request; None where roles are known already.

        Returns
        -------
        dict of int to str
            Positions of the columns to leave out, and why.
        """
        found = ColumnFindings(self.n_samples)
        for place, (column, name) in enumerate(zip(self.columns, self._shown, strict=True)):
            if not column.is_usable:
                found.unusable(name, column.problem or type_in_words(column.kind))
            elif column.long_integer is not None:
                what = f"column {quoted(name)} holds {column.long_integer}, an integer beyond 2^53"
                advice = "rescale it, make it text"
                found.problems.append((f"{what} that would be rounded", advice))
            elif categories is not None and place not in categories:
                if found.index(place, name, lambda at: self.columns[at].values):
                    continue
                if column.kind == "integer":
                    found.counts(place, name, column.values)
                elif column.kind == "text":
                    plain = column.is_plain_text
                    found.text(place, name, column.levels, is_plain=plain)
            if not gaps and place not in found.left_out:
                found.lacking(name, column.n_missing)
        found.refuse(self.n_features, fill=HOW_TO_FILL)
        infinite = {} if gaps else dict(self._infinite())
        if infinite:
            what = counts_in_words(infinite, self.n_features, self.n_samples)
            msg = f"{what} infinite values; only finite numbers are accepted."
            raise ValueError(msg)
        self.notes = (*found.left_out.values(), *found.notes)
        return found.left_out

    def _infinite(self) -> Iterator[tuple[str, int]]:
        """Count infinite values by the names of the columns that have some."""
        for column, name in zip(self.columns, self._shown, strict=True):
            if column.values.dtype.kind == "f" and np.isinf(column.values).any():
                yield name, int(np.isinf(column.values).sum())

    def set_aside(self, places: Collection[int]) -> None:
        """Let some columns hold one single value, so that they are never selected."""
        zeros = FrameColumn("number", np.zeros(self.n_samples))
        self.columns = tuple(
            zeros if place in places else column for place, column in enumerate(self.columns)
        )
        self.declared = np.setdiff1d(self.declared, list(places))

    def refuse_categories(self, whose: str) -> None:
        """Refuse categories where only numbers are of use; booleans are 0 and 1."""
        names = [
            name for name, c in zip(self._shown, self.columns, strict=True) if c.kind == "text"
        ]
        if names:
            what = "column is a category" if len(names) == 1 else "columns are categories"
            msg = (
                f"{whose} takes numbers only, but this {what}: {listed(names)}. Code levels as "
                "columns of 0 and 1, leave them out, or take a selector that has categorical=..., "
                "such as N3LARS or BAHSIC."
            )
            raise ValueError(msg)

    def matrix(self) -> FloatArray:
        """Return all columns as one array, without a look at missing values."""
        block = np.empty((self.n_samples, self.n_features), dtype=self.dtype, order="F")
        self._fill(block, np.arange(self.n_features))
        return block

    def _fill(self, block: FloatArray, positions: IndexArray) -> None:
        with np.errstate(over="ignore"):
            for place, position in enumerate(positions):
                block[:, place] = self.columns[position].values


def refuse_repeated(names: Sequence[Any]) -> None:
    """Refuse names by which a column cannot be told."""
    repeated = sorted(str(name) for name, times in Counter(names).items() if times > 1)
    if repeated:
        msg = f"Column names must differ, got {listed(repeated)} more than once."
        raise ValueError(msg)


def _checked_names(names: Sequence[Any]) -> tuple[str, ...] | None:
    """Return names that are text; others are none, as scikit-learn has it."""
    are_text = [isinstance(name, str) for name in names]
    if any(are_text) and not all(are_text):
        other = next(name for name in names if not isinstance(name, str))
        msg = f"Column names must be all text or all something else, got {other!r} beside text."
        raise TypeError(msg)
    return tuple(names) if names and all(are_text) else None


def _opened(known: Any) -> tuple[FrameColumn, ...]:
    """Open all columns, those of a frame of one type of number without a look at each."""
    frame = known.to_native()
    if known.implementation.is_pandas() and len(set(frame.dtypes)) == 1:
        dtype = frame.dtypes.iloc[0]
        if isinstance(dtype, np.dtype) and dtype.kind in "iuf":
            values: NDArray[Any] = frame.to_numpy()
            is_float = dtype.kind == "f"
            missing = np.isnan(values).sum(axis=0) if is_float else np.zeros(values.shape[1])
            return tuple(
                FrameColumn(KINDS_OF_NUMPY[dtype.kind], column, n_missing=int(n))
                for column, n in zip(values.T, missing, strict=True)
            )
    return tuple(open_column(column.to_native()) for column in known.iter_columns())


def pandas_frame(rows: Any, instead: str, **options: Any) -> Any:
    """Return results as a frame of pandas, which is asked for only here.

    Parameters
    ----------
    rows : list of mappings, or mapping of columns
        What the frame holds.
    instead : str
        What gives the same without pandas.
    **options
        For ``pandas.DataFrame``.
    """
    try:
        pandas = import_module("pandas")
    except ImportError as error:
        msg = f"to_frame needs pandas ('pip install pandas'); {instead} needs nothing."
        raise ImportError(msg) from error
    return pandas.DataFrame(rows, **options)
