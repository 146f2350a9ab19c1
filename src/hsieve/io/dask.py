"""Columns of Dask arrays and data frames, which stay on the workers of the cluster.

With an engine on Dask the array is rechunked there, once, so that a chunk holds whole columns: just
the pieces of the first pass over the data. Workers keep these chunks, and tasks go to them. What is
lost with a worker Dask makes again, from the graph of the array. With an engine in this process,
the wanted columns are computed and come here, whatever way the array is cut.

A chunk of an array that is cut by rows goes into all chunks of columns, so the data move once
through the cluster; an array that is cut by columns stays nearly where it is.

A data frame becomes an array of numbers: a partition where it is, categories as codes of their
sorted levels, for which their columns come here. What cannot be a number exactly is refused by the
name of its column.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hsieve.data.arrays import StoredBlocks
from hsieve.data.columns import ColumnBlocks, FloatArray, IndexArray, float_type
from hsieve.data.errors import no_numbers
from hsieve.data.validation import beyond_exact
from hsieve.fingerprint import Ignored, fingerprint_of, fingerprint_of_arrays
from hsieve.io.source import Source
from hsieve.io.targets import feature_names
from hsieve.io.values import NUMPY_KINDS, Array, arrow_kind, arrow_values
from hsieve.parallel.base import Engine, Held
from hsieve.parallel.dask import DaskEngine

__all__ = ["DaskBlocks", "DaskFrame", "HeldDaskBlocks", "computed", "dask_columns"]

MATRIX_DIMENSIONS = 2
# Columns of one chunk, where the first pass does not say.
CHUNK_BYTES = 32 * 10**6
LONG_INTEGERS = (np.dtype(np.int64), np.dtype(np.uint64))
# Brings values of small collections here.
Compute: TypeAlias = Callable[[Sequence[Any]], list[Any]]


class DaskBlocks(StoredBlocks):
    """Columns of a Dask array, computed when they are read.

    Notes
    -----
    Each `read` computes what its columns need, by the client of Dask that this process has, or else
    in threads. An array that is slow to compute, or is cut by rows, is better persisted before, or
    left to an engine on Dask.
    """

    def __init__(self, array: Any, names: Sequence[str] | None = None) -> None:
        _refuse_array(array)
        self._array = array
        self.n_samples, self.n_features = map(int, array.shape)
        self.stored_types, self.dtype = [array.dtype], float_type(array.dtype)
        self.names = None if names is None else tuple(names)

    @property
    def is_local(self) -> bool:
        """False: each reading computes chunks of all rows."""
        return False

    @property
    def fingerprint_kind(self) -> str:
        """What a mark is one of: it is put together from those of the chunks."""
        return "data, or the same cut into other chunks"

    def held_by(self, engine: Engine) -> ColumnBlocks:
        """Return the same columns, held by the workers of an engine on Dask."""
        if isinstance(engine, DaskEngine):
            return HeldDaskBlocks(self._array, self.names, engine)
        return self

    def fingerprint(self) -> str:
        """Return a mark of all values and of the chunks, worked out where these are."""
        from dask import delayed

        chunks = self._array.to_delayed().ravel()
        marks = self._computed([delayed(_mark_of_chunk)(chunk) for chunk in chunks])
        return fingerprint_of((self._array.chunks, marks))

    def _computed(self, collections: Sequence[Any]) -> list[Any]:
        """Compute small collections."""
        return computed(collections, None)

    def _fill(self, block: FloatArray, positions: IndexArray) -> None:
        block[:] = self._columns(positions)

    def _stored(self, feature: int) -> NDArray[Any]:
        return self._columns(np.array([feature]))[:, 0]

    def _columns(self, positions: IndexArray) -> NDArray[Any]:
        """Compute some columns."""
        wanted, places = np.unique(positions, return_inverse=True)
        # Dask is far quicker with slices than with lists.
        consecutive = len(wanted) and wanted[-1] - wanted[0] == len(wanted) - 1
        chosen = slice(int(wanted[0]), int(wanted[-1]) + 1) if consecutive else wanted
        (columns,) = self._computed([self._array[:, chosen]])
        return np.asarray(columns)[:, places]


class HeldDaskBlocks(DaskBlocks):
    """Columns of a Dask array that are held by the workers of an engine."""

    def __init__(self, array: Any, names: Sequence[str] | None, engine: DaskEngine) -> None:
        super().__init__(array, names)
        self._engine = engine
        self._starts: IndexArray = np.empty(0, dtype=np.intp)
        self._chunks: list[Any] = []

    def held(self, pieces: Sequence[IndexArray]) -> Iterator[Held]:
        """Return tasks for pieces of the columns, each with the data it needs."""
        if not self._chunks:
            self._hold(pieces)
        return map(self._task, pieces)

    def _computed(self, collections: Sequence[Any]) -> list[Any]:
        return computed(collections, self._engine)

    def _hold(self, pieces: Sequence[IndexArray]) -> None:
        """Cut the array into pieces of all columns, and keep it on the workers."""
        from dask import config

        if sum(map(len, pieces)) < self.n_features:
            pieces = list(self.walk(CHUNK_BYTES))
        widths = tuple(len(piece) for piece in pieces)
        # The other way of Dask, p2p, would start again with all chunks when one is lost.
        method = config.get("array.rechunk.method", None) or "tasks"
        array = self._array.rechunk(((self.n_samples,), widths), method=method)
        self._starts = np.cumsum((0, *widths[:-1]))
        self._chunks = self._engine.hold(array)
        self._widths = widths

    def _task(self, piece: IndexArray) -> Held:
        """Say which columns a piece takes from which chunks; only these travel."""
        chunks = np.searchsorted(self._starts, piece, side="right") - 1
        data: list[Any] = []
        for run in np.split(np.arange(len(piece)), np.flatnonzero(np.diff(chunks)) + 1):
            chunk = int(chunks[run[0]])
            inside = piece[run] - self._starts[chunk]
            held = self._chunks[chunk]
            if not np.array_equal(inside, np.arange(self._widths[chunk])):
                held = self._engine.derive(_columns_inside, held, inside)
            data.append(held)
        names = None if self.names is None else tuple(self.names[i] for i in piece)
        return Held((piece, Ignored(names)), tuple(data))


def _mark_of_chunk(chunk: NDArray[Any]) -> str:
    """Return a mark of the values of a chunk, where it is."""
    return fingerprint_of_arrays([chunk])


def _columns_inside(chunk: NDArray[Any], columns: IndexArray) -> NDArray[Any]:
    """Take columns from a chunk, where it is."""
    return np.take(chunk, columns, axis=1)


def dask_columns(X: Any, y: Any, engine: Engine) -> tuple[ColumnBlocks, Any]:
    """Take features and target from collections of Dask."""
    if not (engine.is_local or isinstance(engine, DaskEngine)):
        msg = "Collections of Dask are worked on by engine 'dask', 'threads' or 'local'."
        raise ValueError(msg)
    if hasattr(X, "columns"):
        names = feature_names(list(X.columns), y if isinstance(y, str) else None)
        source = DaskFrame(X, None, partial(computed, engine=engine))
        refused = [name for name in names if source.types[name] is None]
        if refused:
            kind = X.dtypes[refused[0]]
            raise no_numbers([str(name) for name in refused], kind, "X.drop(columns=[...])")
        X, y = source.columns(names, ()), X[y] if isinstance(y, str) else y
    elif isinstance(y, str):
        msg = f"y must be values, since an array of Dask has no column names; got {y!r}."
        raise ValueError(msg)
    else:
        X = DaskBlocks(X)
    if hasattr(y, "__dask_graph__"):
        (y,) = computed([y], engine)
    return X.held_by(engine), y


def _refuse_array(array: Any) -> None:
    """Refuse what is no matrix of numbers, or one of unknown size."""
    if not all(hasattr(array, wanted) for wanted in ("ndim", "dtype", "rechunk", "_meta")):
        msg = (
            "Of Dask's collections, arrays and data frames are accepted, got "
            f"{type(array).__module__}.{type(array).__name__}."
        )
        raise ValueError(msg)
    if array.ndim != MATRIX_DIMENSIONS:
        msg = f"An array of Dask must be 2-D, got {array.ndim} dimension(s)."
        raise ValueError(msg)
    if not isinstance(array._meta, np.ndarray) or array.dtype.kind not in "biuf":
        msg = (
            "An array of Dask must hold NumPy arrays of booleans, integers or floats, got "
            f"{type(array._meta).__name__} of {array.dtype}."
        )
        raise ValueError(msg)
    if np.isnan(array.shape).any():
        msg = "The sizes of the chunks are not known; call X.compute_chunk_sizes() before."
        raise ValueError(msg)


def computed(collections: Sequence[Any], engine: Engine | None = None) -> list[Any]:
    """Compute small collections by the engine, or as Dask does it in this process."""
    import dask

    if isinstance(engine, DaskEngine):
        return engine.compute(collections)
    return list(dask.compute(*collections))


class DaskFrame(Source):
    """Columns of a data frame of Dask.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        The frame.
    target : str or None
        Name of the target.
    compute : callable
        Computes small collections.
    values : ndarray or None, default=None
        The target, where it is no column.
    """

    def __init__(
        self, frame: Any, target: str | None, compute: Compute, values: Array | None = None
    ) -> None:
        self._frame, self._compute, self._values = frame, compute, values
        self.types = dict(zip(frame.columns, map(_numpy_type, frame.dtypes), strict=True))
        self._loaded: dict[str, Any] = {}
        names = list(frame.columns) if values is None else [*frame.columns, str(target)]
        super().__init__(Path("data frame of Dask"), names, target)

    def open(self, wanted: Sequence[str], declared: Collection[str] = ()) -> dict[str, str]:
        """Tell the kind of each wanted column; those that are no plain numbers come here."""
        self._may_count = self._counting([name for name in wanted if self._is_integer(name)])
        self._bring([name for name in wanted if name in self.types and self.types[name] is None])
        return {name: self._kind_of(name) for name in wanted}

    def load(self, name: str) -> Array:
        """Compute one column."""
        if name == self.target and self._values is not None:
            values = self._values
            return values.astype(object) if values.dtype.kind == "U" else values
        return arrow_values(self.path, name, self._column(name))

    def may_count_rows(self, name: str) -> bool:
        """Say so by the first partition."""
        return name in self._may_count

    def columns(
        self, features: Sequence[Any], declared: Collection[str], *, may_lack: bool = False
    ) -> DaskBlocks:
        """Return columns that are computed when they are read."""
        import dask.array
        from dask import delayed

        names = list(features)
        levels = {
            place: np.array(sorted(set(self._column(name).drop_null().to_pylist())))
            for place, name in enumerate(names)
            if name in declared
        }
        types = [self.types[name] for name in names]
        floats = [float_type(of) for of in types if of is not None]
        dtype = np.result_type(np.float32, *floats)
        self._refuse_long([name for place, name in enumerate(names) if place not in levels])
        parts = self._frame[names].to_delayed()
        first = self._frame[names[:1]].to_delayed()
        lengths = self._compute([delayed(len)(part) for part in first])
        array = dask.array.concatenate(
            [
                dask.array.from_delayed(
                    delayed(_numbers)(part, dtype, levels), (length, len(names)), dtype
                )
                for part, length in zip(parts, lengths, strict=True)
            ]
        )
        return DaskBlocks(array, names if all(isinstance(name, str) for name in names) else None)

    def _column(self, name: str) -> Any:
        """Return a column as one of Arrow."""
        self._bring([name])
        return self._loaded[name]

    def _bring(self, names: Sequence[str]) -> None:
        """Compute some columns together, and keep them."""
        lacking = [name for name in names if name not in self._loaded]
        if not lacking:
            return
        (found,) = self._compute([self._frame[lacking]])
        for name in lacking:
            self._loaded[name] = pa.chunked_array([pa.array(found[name], from_pandas=True)])

    def _is_integer(self, name: str) -> bool:
        found = self.types.get(name)
        return found is not None and found.kind in "iu"

    def _kind_of(self, name: str) -> str:
        if name == self.target and self._values is not None:
            return NUMPY_KINDS.get(self._values.dtype.kind, "text")
        found = self.types[name]
        return arrow_kind(self._column(name).type) if found is None else NUMPY_KINDS[found.kind]

    def _counting(self, names: list[str]) -> set[str]:
        """Return the columns of integers that count the rows of the first partition."""
        if not names:
            return set()
        (part,) = self._compute([self._frame[names].partitions[0]])
        found = {name: part[name].to_numpy(na_value=-1) for name in names}
        return {
            name
            for name, values in found.items()
            if not len(values) or (values[0] in (0, 1) and (np.diff(values) == 1).all())
        }

    def _refuse_long(self, names: list[Any]) -> None:
        """Refuse integers that would be rounded."""
        from dask import delayed

        # Shorter ones are exact.
        longest = [name for name in names if self.types[name] in LONG_INTEGERS]
        if not longest:
            return
        parts = [delayed(_first_long)(part) for part in self._frame[longest].to_delayed()]
        for name, value in filter(None, self._compute(parts)):
            msg = (
                f"Column {name!r} holds {value}, an integer beyond 2^53 that would be rounded; "
                "rescale it or leave it out."
            )
            raise ValueError(msg)


def _numpy_type(dtype: Any) -> np.dtype | None:
    """Return the type of NumPy that holds a column of pandas, if it is one of numbers."""
    found = getattr(dtype, "numpy_dtype", dtype)
    return found if isinstance(found, np.dtype) and found.kind in "biuf" else None


def _numbers(part: Any, dtype: np.dtype, levels: Mapping[int, Array]) -> NDArray[Any]:
    """Turn one partition into numbers and codes, in a worker; what is missing is NaN."""
    found = np.empty(part.shape, dtype=dtype, order="F")
    for place in range(part.shape[1]):
        column = part.iloc[:, place]
        if place not in levels:
            found[:, place] = column.to_numpy(dtype=dtype, na_value=np.nan)
            continue
        known = column.notna().to_numpy(dtype=bool)
        values = column[known].to_numpy(dtype=levels[place].dtype)
        found[~known, place] = np.nan
        found[known, place] = np.searchsorted(levels[place], values)
    return found


def _first_long(part: Any) -> tuple[Any, int] | None:
    """Find an integer that would be rounded, in a worker."""
    for name in part.columns:
        values = part[name].dropna().to_numpy()
        for value in values[beyond_exact(values)][:1]:
            return name, int(value)
    return None
