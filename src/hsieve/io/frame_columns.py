"""One column of a data frame: what kind of values it holds, and these as numbers.

Plain numbers of NumPy are taken as they are. Everything else goes through Arrow, which knows the
types of all three libraries, so that text, categories and missing values mean the same in each.
Categories become the codes 0, 1, ... of their sorted levels, whatever order the frame has them in.
"""

from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hsieve.data.errors import brief
from hsieve.data.validation import beyond_exact
from hsieve.io.source import READABLE_KINDS
from hsieve.io.values import arrow_kind

__all__ = [
    "FrameColumn",
    "Library",
    "as_array",
    "codes_and_levels",
    "collected",
    "column_handles",
    "frame_library",
    "frame_names",
    "open_column",
    "pandas_frame",
    "take_columns",
]

Library: TypeAlias = Literal["pandas", "polars", "arrow"]
# By package and class, also of classes derived from these.
FRAMES: dict[tuple[str, str], Library] = {
    ("pandas", "DataFrame"): "pandas",
    ("polars", "DataFrame"): "polars",
    ("pyarrow", "Table"): "arrow",
    ("pyarrow", "RecordBatch"): "arrow",
}
KINDS_OF_NUMPY = {"b": "boolean", "i": "integer", "u": "integer", "f": "number"}
CATEGORIES = frozenset({"text", "boolean"})


def frame_library(X: Any) -> Library | None:
    """Say whose data frame this is.

    Examples
    --------
    >>> import pyarrow
    >>> frame_library(pyarrow.table({"a": [1, 2]})), frame_library([[1, 2]])
    ('arrow', None)
    """
    for kind in type(X).__mro__:
        library = FRAMES.get((kind.__module__.split(".")[0], kind.__name__))
        if library is not None:
            return library
    return None


def collected(X: Any) -> Any:
    """Return a lazy frame of polars as a frame, anything else as it is."""
    is_lazy = type(X).__module__.startswith("polars") and type(X).__name__ == "LazyFrame"
    return X.collect() if is_lazy else X


def frame_names(X: Any) -> list[Any]:
    """Return the names of a frame's columns."""
    return list(X.column_names if frame_library(X) == "arrow" else X.columns)


def column_handles(X: Any, library: Library) -> list[Any]:
    """Return the columns of a frame as its library has them."""
    if library == "pandas":
        return [X.iloc[:, place] for place in range(X.shape[1])]
    return list(X.get_columns() if library == "polars" else X.columns)


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
    """Find out what a column holds."""
    numbers = _plain_numbers(column)
    if numbers is not None:
        missing = np.isnan(numbers).sum() if numbers.dtype.kind == "f" else 0
        return FrameColumn(KINDS_OF_NUMPY[numbers.dtype.kind], numbers, n_missing=int(missing))
    if str(getattr(column, "dtype", "")) == "category":
        codes, levels = np.asarray(column.cat.codes), column.cat.categories.to_numpy()
        return _category(codes.astype(np.intp), levels)
    import pyarrow as arrow

    try:
        array = _as_arrow(column, arrow)
    except (arrow.ArrowException, TypeError, ValueError) as error:
        return _unreadable(column, error)
    kind = arrow_kind(arrow, array.type)
    if kind == "text":
        found = _category(*codes_and_levels(array, arrow))
        return replace(found, is_plain_text=not arrow.types.is_dictionary(array.type))
    if kind not in READABLE_KINDS:
        return FrameColumn(kind, np.zeros(0))
    return _numbers_of_arrow(kind, array, arrow)


def _plain_numbers(column: Any) -> NDArray[Any] | None:
    """Return numbers of NumPy, where a column holds them as they are."""
    dtype = getattr(column, "dtype", None)
    if isinstance(dtype, np.dtype):
        return np.asarray(column) if dtype.kind in KINDS_OF_NUMPY else None
    if type(column).__module__.startswith("polars"):
        is_plain = dtype is not None and (dtype.is_integer() or dtype.is_float())
        if is_plain and column.null_count() == 0:
            return np.asarray(column.to_numpy())
    if str(dtype).startswith("Sparse["):
        values = np.asarray(column)
        return values if values.dtype.kind in KINDS_OF_NUMPY else None
    return None


def _as_arrow(column: Any, arrow: Any) -> Any:
    """Return a column as one array of Arrow."""
    if isinstance(column, arrow.ChunkedArray):
        if arrow.types.is_dictionary(column.type):
            column = column.unify_dictionaries()
        return column.combine_chunks()
    if isinstance(column, arrow.Array):
        return column
    if type(column).__module__.startswith("polars"):
        return column.to_arrow()
    return arrow.array(column, from_pandas=True)


def _numbers_of_arrow(kind: str, array: Any, arrow: Any) -> FrameColumn:
    """Return numbers and booleans of Arrow, what is missing as NaN."""
    if kind == "integer" and array.null_count == 0:
        return FrameColumn(kind, array.to_numpy(zero_copy_only=False))
    if kind == "integer":
        present = FrameColumn(kind, array.drop_null().to_numpy(zero_copy_only=False))
        if present.long_integer is not None:
            return present
    single = arrow.types.is_float32(array.type)
    floats = array if single else array.cast(arrow.float64(), safe=False)
    values = floats.to_numpy(zero_copy_only=False)
    missing = int(np.isnan(values).sum())
    if kind == "boolean" and not missing:
        values = values.astype(bool)
    return FrameColumn(kind, values, n_missing=missing)


def codes_and_levels(array: Any, arrow: Any) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Return codes, -1 where a value is missing, and the levels that they stand for."""
    if not arrow.types.is_dictionary(array.type):
        if str(array.type) == "string_view":
            array = array.cast(arrow.large_string())
        array = array.dictionary_encode()
    if isinstance(array, arrow.ChunkedArray):
        array = array.unify_dictionaries().combine_chunks()
    codes = array.indices.cast(arrow.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    return codes.astype(np.intp), np.asarray(array.dictionary.to_pylist(), dtype=object)


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


def take_columns(X: Any, positions: NDArray[np.intp]) -> Any:
    """Return some columns of a frame, their names and types as they are."""
    library = frame_library(X)
    if library == "pandas":
        return X.iloc[:, positions]
    if library == "polars":
        return X[:, positions.tolist()]
    return X.select(positions.tolist())


def as_array(frame: Any) -> NDArray[Any]:
    """Return a frame as an array: numbers where all columns are numbers, else objects."""
    library = frame_library(frame)
    if library == "arrow":
        return np.column_stack([np.asarray(column) for column in frame.columns])
    return np.asarray(frame.to_numpy())


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
