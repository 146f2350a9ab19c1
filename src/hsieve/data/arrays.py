"""Columns of an array: in memory, mapped from a file, or in an HDF5 file.

A column of an array in C order lies scattered over all its rows, so copying one at a time would
touch the whole array for each. Here tiles of rows and columns small enough for the cache are copied
as they lie and then turned over into the block: the walk through all columns costs a few plain
passes over the data. In Fortran order columns are copied as they are.
"""

from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from mmap import ALLOCATIONGRANULARITY
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hsieve.data.columns import ColumnBlocks, FloatArray, IndexArray, float_type
from hsieve.data.file_fingerprint import fingerprint_of_content, states_of
from hsieve.data.validation import LARGEST_EXACT_INTEGER, beyond_exact
from hsieve.fingerprint import fingerprint_of

__all__ = ["ArrayBlocks", "BackedBlocks", "StoredBlocks", "as_blocks"]

# A tile of float32 takes 128 KiB: it stays in the second cache while it is turned over.
TILE_ROWS = 512
TILE_COLUMNS = 64

# Rows read together.
STEP_BYTES = 16 * 10**6


class StoredBlocks(ColumnBlocks):
    """Columns of numbers that are stored in types some of whose integers no float holds.

    Attributes
    ----------
    stored_types : collection of dtype
        The types before the values became floats.
    """

    stored_types: Collection[np.dtype[Any]]

    def _stored(self, feature: int) -> NDArray[Any] | None:
        """Return one column as it is stored, where that can be had."""
        del feature
        return None

    def _check(self, block: FloatArray, positions: IndexArray) -> None:
        """Refuse what is not finite, and integers that would be rounded."""
        if any(of.kind not in "biu" for of in self.stored_types):
            super()._check(block, positions)
        if any(of.kind in "iu" and of.itemsize == 8 for of in self.stored_types):
            for place, feature in enumerate(positions.tolist()):
                # The smallest integer beyond is rounded to the largest exact one.
                if np.abs(block[:, place]).max(initial=0.0) >= LARGEST_EXACT_INTEGER:
                    self._refuse_rounded(feature, self._stored(feature))

    def _refuse_rounded(self, feature: int, values: NDArray[Any] | None) -> None:
        """Refuse a column that may hold integers beyond, unless its values are known and do not."""
        found, advice = "integers", "rescale it or leave it out."
        if values is not None:
            rows = np.flatnonzero(beyond_exact(values))
            if not len(rows):
                return
            found = f"{values[rows[0]]} in row {rows[0]} (counted from 0), an integer"
        msg = f"Column {self._called(feature)} holds {found} beyond 2^53 that would be rounded; "
        raise ValueError(msg + advice)


class ArrayBlocks(StoredBlocks):
    """Columns of a 2-D array, which is never copied whole.

    Parameters
    ----------
    array : ndarray or memmap of shape (n_samples, n_features)
        Booleans, integers or floats of any size, in any order; it may be read-only.
    names : sequence of str or None, default=None
        Names of the features.

    Examples
    --------
    >>> import numpy as np
    >>> blocks = ArrayBlocks(np.arange(6, dtype=np.int8).reshape(2, 3))
    >>> blocks.read([2, 0])
    array([[2., 0.],
           [5., 3.]], dtype=float32)
    >>> [block.tolist() for block in blocks.walk(max_bytes=16)]
    [[0], [1, 2]]
    """

    def __init__(self, array: NDArray[Any], names: Sequence[str] | None = None) -> None:
        if not isinstance(array, np.ndarray) or array.ndim != 2 or array.dtype.kind not in "biuf":
            given = getattr(array, "dtype", type(array).__name__), getattr(array, "shape", ())
            msg = f"array must be a 2-D array of booleans, integers or floats, got {given}."
            raise ValueError(msg)
        # A plain view, because each slice of a memmap costs a search for its file.
        self._array = array.view(np.ndarray)
        self.n_samples, self.n_features = array.shape
        self.stored_types, self.dtype = [array.dtype], float_type(array.dtype)
        self.names = None if names is None else tuple(names)
        if self.names is not None and len(self.names) != self.n_features:
            msg = f"names must be one for each of {self.n_features} columns, got {len(self.names)}."
            raise ValueError(msg)

    def whole(self) -> NDArray[Any]:
        """Return the array itself, which nobody has checked."""
        return self._array

    def reference(self) -> "MappedReference | None":
        """Return what opens the same columns in another process, if they are mapped from a file."""
        return _reference_to(self._array, self.names)

    def fingerprint(self) -> str:
        """Return a mark of the values, or of file, time and content where that is mapped."""
        reference = self.reference()
        if reference is None:
            return super().fingerprint()
        path = Path(reference.path)
        content = fingerprint_of_content([path])
        return fingerprint_of(
            (path.name, path.stat().st_mtime_ns, content, replace(reference, path=""))
        )

    def _fill(self, block: FloatArray, positions: IndexArray) -> None:
        """Copy columns, in tiles where they do not lie together in memory."""
        row_stride, column_stride = map(abs, self._array.strides)
        # What float64 has not becomes infinite or NaN, which is refused afterwards.
        with np.errstate(all="ignore"):
            if row_stride <= column_stride:
                for place, position in enumerate(positions):
                    block[:, place] = self._array[:, position]
            else:
                self._fill_in_tiles(block, positions)

    def _fill_in_tiles(self, block: FloatArray, positions: IndexArray) -> None:
        """Copy tiles of an array in C order, row by row through the whole block."""
        pieces = list(_pieces(positions))
        for start in range(0, self.n_samples, TILE_ROWS):
            rows = slice(start, start + TILE_ROWS)
            for places, wanted in pieces:
                # Its own copy first: rows a power of two apart fall into the same few lines of the
                # cache and would throw each other out before their neighbours are read.
                if isinstance(wanted, slice):
                    tile = self._array[rows, wanted].copy()
                else:
                    tile = np.take(self._array[rows], wanted, axis=1)
                block[rows, places] = tile

    def _stored(self, feature: int) -> NDArray[Any]:
        return self._array[:, feature]


@dataclass(frozen=True)
class MappedReference:
    """What opens a mapped array in any process that has its file at the same path.

    Parameters
    ----------
    path : str
        The file.
    n_bytes : int
        Its size; a file of another one is refused.
    offset, dtype, shape, order
        Where in the file the array is, and how.
    names : tuple of str or None
        Names of the features.
    """

    path: str
    n_bytes: int
    offset: int
    dtype: str
    shape: tuple[int, ...]
    order: Literal["C", "F"]
    names: tuple[str, ...] | None

    def open(self) -> ArrayBlocks:
        """Open the columns."""
        try:
            found = Path(self.path).stat().st_size
        except OSError as error:
            msg = (
                f"{self.path}, from which the array is mapped, cannot be read here; all workers "
                "must see it at this path, or give an array in memory, which is sent to them."
            )
            raise ValueError(msg) from error
        if found != self.n_bytes:
            msg = f"{self.path} has {found} bytes, and {self.n_bytes} where the work was begun."
            raise ValueError(msg)
        array = np.memmap(
            self.path, self.dtype, mode="r", offset=self.offset, shape=self.shape, order=self.order
        )
        return ArrayBlocks(array, self.names)

    def state(self) -> Hashable:
        """Return what changes, on this machine, when another file takes the place of this one."""
        return states_of([Path(self.path)])


def _reference_to(array: NDArray[Any], names: tuple[str, ...] | None) -> MappedReference | None:
    """Refer to an array that is a whole mapped one, perhaps transposed; parts have no reference."""
    mapped = _mapping(array)
    # Changes to a copy on write are not in the file.
    if mapped is None or mapped.filename is None or mapped.mode == "c":
        return None
    flags = array.flags
    held = np.frombuffer(mapped._mmap, dtype=np.uint8)
    # Mapped from the beginning of a page; views say the offset of the first array, not theirs.
    lead = len(held) - array.nbytes
    whole = lead == mapped.offset % ALLOCATIONGRANULARITY
    at_start = held.ctypes.data + lead == array.ctypes.data
    if not (whole and at_start and (flags.c_contiguous or flags.f_contiguous)):
        return None
    path = Path(mapped.filename).absolute()
    try:
        n_bytes = path.stat().st_size
    except OSError:
        # Gone since it was mapped: this process still has it, others can only be sent it.
        return None
    if mapped.mode != "r":
        mapped.flush()
    return MappedReference(
        path=str(path),
        n_bytes=n_bytes,
        offset=int(mapped.offset),
        dtype=array.dtype.str,
        shape=array.shape,
        order="C" if flags.c_contiguous else "F",
        names=names,
    )


def _mapping(array: Any) -> Any:
    """Return the mapped array that an array is a view of, if any."""
    while array is not None and not isinstance(array, np.memmap):
        array = getattr(array, "base", None)
    return array


def as_blocks(X: Any, names: Sequence[str] | None = None) -> ColumnBlocks:
    """Return data as column blocks."""
    return X if isinstance(X, ColumnBlocks) else ArrayBlocks(X, names)


def _pieces(positions: IndexArray) -> Iterator[tuple[slice, slice | IndexArray]]:
    """Cut positions into the widths of tiles; consecutive ones become slices, much faster."""
    for start in range(0, len(positions), TILE_COLUMNS):
        piece = positions[start : start + TILE_COLUMNS]
        places = slice(start, start + len(piece))
        consecutive = bool((np.diff(piece) == 1).all())
        yield places, slice(int(piece[0]), int(piece[-1]) + 1) if consecutive else piece


class BackedBlocks(StoredBlocks):
    """Columns of a two-dimensional data set, such as the matrix of a backed AnnData.

    Notes
    -----
    The span from the first to the last column of a block is read, some rows at a time, unless most
    of it is not wanted. Data sets in chunks of many rows and few columns are quickest.
    """

    def __init__(self, dataset: Any, names: Sequence[str] | None = None) -> None:
        kind = getattr(getattr(dataset, "dtype", None), "kind", "")
        if len(getattr(dataset, "shape", ())) != 2 or kind not in tuple("biuf"):
            given = f"{type(dataset).__module__}.{type(dataset).__name__}"
            msg = f"A matrix of numbers in memory or in an HDF5 file is needed, got {given}."
            raise ValueError(msg)
        self._dataset = dataset
        self.n_samples, self.n_features = map(int, dataset.shape)
        self.stored_types, self.dtype = [dataset.dtype], float_type(dataset.dtype)
        self.names = None if names is None else tuple(names)

    def _fill(self, block: FloatArray, positions: IndexArray) -> None:
        wanted, places = np.unique(positions, return_inverse=True)
        if not len(wanted):
            return
        first, last = int(wanted[0]), int(wanted[-1]) + 1
        if last - first > 4 * len(wanted):
            for column, position in enumerate(positions):
                block[:, column] = self._dataset[:, int(position)]
            return
        step = max(1, STEP_BYTES // (self._dataset.dtype.itemsize * (last - first)))
        for start in range(0, self.n_samples, step):
            rows = slice(start, start + step)
            block[rows] = self._dataset[rows, first:last][:, (wanted - first)[places]]
