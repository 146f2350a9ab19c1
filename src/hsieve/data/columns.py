"""The interface of data that are read in blocks of columns, never whole.

Selection of single features asks for columns, some at a time, all samples of each. Whoever holds
the data gives exactly these: one array in Fortran order, checked, of the caller's own. The cost of
a block is that of its bytes; the rest of the data stays where it is.

What needs all columns once is a function of a *piece*, some columns, that is run over all pieces
(`map`). Where the columns are held by the workers of an engine it is run there
(:mod:`hsieve.data.engine_columns`), and only its results travel.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.fingerprint import fingerprint_of, fingerprint_of_arrays
from hsieve.parallel.base import Engine, Held

__all__ = [
    "ColumnBlocks",
    "ColumnPiece",
    "ColumnView",
    "FloatArray",
    "IndexArray",
    "Reference",
    "float_type",
    "some_columns",
]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

# Values looked at together: their marks stay in the cache.
VALUES_CHECKED = 2**18
LARGEST_BYTES_OF_EXACT_INTEGER = 2
# Columns read together for a mark.
MARKED_BYTES = 32 * 10**6


class ColumnBlocks(ABC):
    """Columns of finite numbers that are read some at a time.

    Attributes
    ----------
    n_samples, n_features : int
        Size of the data.
    names : tuple of str or None
        Names of the features, where they have any.
    dtype : dtype
        What `read` returns, float32 or float64.
    """

    n_samples: int
    n_features: int
    names: tuple[str, ...] | None
    dtype: np.dtype[np.floating]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of samples and of features."""
        return self.n_samples, self.n_features

    def read(self, features: ArrayLike) -> FloatArray:
        """Return the columns of some features.

        Parameters
        ----------
        features : array-like of int of shape (n_wanted,)
            Positions of the features, in any order; repeated ones are welcome.

        Returns
        -------
        ndarray of shape (n_samples, n_wanted)
            Finite numbers in Fortran order: each column lies together in memory. The caller may
            write into it.

        Raises
        ------
        ValueError
            If a value is NaN or infinite, with the first such column and its first such row, or
            if there is no such feature.
        """
        positions = self._positions(features)
        block = np.empty((self.n_samples, len(positions)), dtype=self.dtype, order="F")
        self._fill(block, positions)
        self._check(block, positions)
        return block

    def whole(self) -> NDArray[Any]:
        """Return all columns as one array, which is not to be written into."""
        return self.read(np.arange(self.n_features))

    def walk(self, max_bytes: int) -> Iterator[IndexArray]:
        """Go through all features once, in order, in blocks that `read` fits into some memory.

        Parameters
        ----------
        max_bytes : int
            Most that the result of one `read` may take; one column is read in any case.

        Yields
        ------
        ndarray of int
            Consecutive positions. Blocks are as wide as they may be, since every storage reads wide
            ones faster, and of nearly the same width.
        """
        if not isinstance(max_bytes, Integral) or max_bytes < 1:
            msg = f"max_bytes must be an integer of at least 1, got {max_bytes!r}."
            raise ValueError(msg)
        widest = max(1, int(max_bytes) // max(1, self.n_samples * self.dtype.itemsize))
        n_blocks = -(-self.n_features // widest)
        for i in range(n_blocks):
            yield np.arange(
                i * self.n_features // n_blocks,
                (i + 1) * self.n_features // n_blocks,
                dtype=np.intp,
            )

    @property
    def is_local(self) -> bool:
        """Whether reading a column costs no more than getting at its bytes."""
        return True

    @property
    def n_threads(self) -> int:
        """Threads of this process that work on columns."""
        return 1

    @property
    def takes_large_results(self) -> bool:
        """Whether results of `map` as large as the data are handed over for nothing."""
        return True

    def map(
        self,
        function: Callable[["ColumnPiece", Any], Any],
        shared: Any = None,
        *,
        max_bytes: int,
        features: IndexArray | None = None,
        most_at_work: int | None = None,
    ) -> Iterator[tuple[IndexArray, Any]]:
        """Run a function over pieces of the columns, where they are.

        Parameters
        ----------
        function : callable
            A pure function of a module, called as ``function(piece, shared)``. Its result is a
            tuple of arrays, so that it can be sent and kept.
        shared : object, default=None
            What the function needs for all pieces.
        max_bytes : int
            Most that the columns of one piece may take; one column is a piece in any case.
        features : ndarray of int or None, default=None
            The columns wanted; None for all.
        most_at_work : int or None, default=None
            Most pieces that threads of this process may have in work, for want of memory.

        Yields
        ------
        features, result
            Positions of a piece and what the function returned, in the order of the columns. How
            they are cut follows from their size and `max_bytes`, never from where the work is done.
        """
        del most_at_work  # one after the other
        for positions in self._pieces(max_bytes, features):
            yield positions, function(ColumnPiece(positions, _Part(self, positions)), shared)

    def expect(self, features: IndexArray) -> None:  # noqa: B027 - only columns elsewhere care
        """Say which columns will be read, the most likely first."""

    def has_room_for(self, features: IndexArray) -> NDArray[np.bool_]:
        """Mark the columns that can be read again and again without being fetched each time."""
        return np.ones(len(features), dtype=bool)

    def reference(self) -> "Reference | None":
        """Return what opens the same columns in another process; None if they must be sent."""
        return None

    @property
    def fingerprint_kind(self) -> str:
        """What a mark is one of, for messages."""
        return "data, or files written since"

    def fingerprint(self) -> str:
        """Return a short mark that other data do not have.

        It is that of the reference where there is one; else all values are read for it.
        """
        reference = self.reference()
        if reference is not None:
            return fingerprint_of(reference)
        return fingerprint_of_arrays(self.read(features) for features in self.walk(MARKED_BYTES))

    def held_by(self, engine: Engine) -> "ColumnBlocks":
        """Return the same columns, held by the workers of an engine where that can be."""
        del engine
        return self

    def held(self, pieces: Sequence[IndexArray]) -> Iterator[Held] | None:
        """Return tasks for pieces that an engine holds already; None if it holds nothing."""
        del pieces
        return None

    def _pieces(self, max_bytes: int, features: IndexArray | None) -> Iterator[IndexArray]:
        """Cut all features, or some, into pieces."""
        if features is None:
            yield from self.walk(max_bytes)
            return
        for places in _Part(self, features).walk(max_bytes):
            yield features[places]

    @abstractmethod
    def _fill(self, block: FloatArray, positions: IndexArray) -> None:
        """Write the columns of the positions into a block, which need not be finite."""

    def _refusal(self, feature: int, values: FloatArray, bad: NDArray[np.bool_]) -> ValueError:
        """Say which value is not finite."""
        row = int(np.flatnonzero(bad)[0])
        msg = (
            f"Column {self._called(feature)} holds {values[row]} in row {row} (counted from 0); "
            "NaN and infinity are not accepted."
        )
        return ValueError(msg)

    def _called(self, feature: int) -> str:
        """Return the name of a feature, or its position where it has none."""
        return str(feature) if self.names is None else repr(self.names[feature])

    def _check(self, block: FloatArray, positions: IndexArray) -> None:
        """Refuse the first column that holds NaN or infinity."""
        step = max(1, VALUES_CHECKED // max(1, self.n_samples))
        for start in range(0, len(positions), step):
            if np.isfinite(block[:, start : start + step]).all():
                continue
            for place in range(start, len(positions)):
                bad = ~np.isfinite(block[:, place])
                if bad.any():
                    raise self._refusal(int(positions[place]), block[:, place], bad)

    def _positions(self, features: ArrayLike) -> IndexArray:
        """Return positions as an array, if there are such features."""
        positions = np.asarray(features)
        whole = positions.dtype.kind in "iu" or positions.size == 0
        if positions.ndim != 1 or not whole:
            msg = f"features must be a list of integer positions, got {features!r}."
            raise ValueError(msg)
        outside = positions[(positions < 0) | (positions >= self.n_features)]
        if outside.size:
            msg = f"features must be from 0 to {self.n_features - 1}, got {outside[0]}."
            raise ValueError(msg)
        return positions.astype(np.intp)


class Reference(Hashable, Protocol):
    """What opens columns in any process that can reach them; small once pickled."""

    def open(self) -> ColumnBlocks:
        """Open the columns."""

    def state(self) -> Hashable:
        """Return what changes, on this machine, when other data take the place of these."""


@dataclass(frozen=True, eq=False)
class ColumnPiece:
    """Some columns, at hand where they are worked on.

    Parameters
    ----------
    features : ndarray of shape (n_piece,)
        Their positions among all columns.
    columns : ColumnBlocks
        The columns, numbered from 0.
    """

    features: IndexArray
    columns: ColumnBlocks


class ColumnView(ColumnBlocks):
    """Columns of other blocks, seen in another way."""

    def __init__(self, blocks: ColumnBlocks) -> None:
        self._blocks = blocks
        self.n_samples, self.n_features = blocks.shape
        self.names, self.dtype = blocks.names, blocks.dtype

    @property
    def is_local(self) -> bool:
        """Whether the blocks are."""
        return self._blocks.is_local

    @property
    def viewed(self) -> ColumnBlocks:
        """The other blocks."""
        return self._blocks

    def _unseen(self, positions: IndexArray) -> FloatArray:
        """Return columns of the blocks as they are, not checked."""
        block = np.empty((self._blocks.n_samples, len(positions)), dtype=self.dtype, order="F")
        self._blocks._fill(block, positions)
        return block

    def _check(self, block: FloatArray, positions: IndexArray) -> None:
        """Refuse what the blocks refuse."""
        self._blocks._check(block, positions)


class _Part(ColumnView):
    """Some columns of blocks, as blocks of their own."""

    def __init__(self, blocks: ColumnBlocks, features: IndexArray) -> None:
        super().__init__(blocks)
        self._features = features
        self.n_features = len(features)
        if blocks.names is not None:
            self.names = tuple(blocks.names[feature] for feature in features)

    def read(self, features: ArrayLike) -> FloatArray:
        return self._blocks.read(self._features[self._positions(features)])

    def _fill(self, block: FloatArray, positions: IndexArray) -> None:
        self._blocks._fill(block, self._features[positions])

    def _check(self, block: FloatArray, positions: IndexArray) -> None:
        self._blocks._check(block, self._features[positions])


def some_columns(blocks: ColumnBlocks, features: IndexArray) -> ColumnBlocks:
    """Return some columns of blocks, as blocks of their own."""
    if np.array_equal(features, np.arange(blocks.n_features)):
        return blocks
    return _Part(blocks, features)


def float_type(dtype: np.dtype) -> np.dtype[np.floating]:
    """Return float32 where it holds every number of the type exactly, else float64."""
    exact = dtype.kind == "f" and dtype.itemsize <= np.dtype(np.float32).itemsize
    exact |= dtype.kind in "biu" and dtype.itemsize <= LARGEST_BYTES_OF_EXACT_INTEGER
    return np.dtype(np.float32 if exact else np.float64)
