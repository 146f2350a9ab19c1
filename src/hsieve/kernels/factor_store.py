"""Factors of the kernels of single features, made from column blocks whenever they are asked for.

Two forms give the same interface:

* **dense** (:mod:`hsieve.kernels.dense_factors`): landmark factors from the numbers themselves,
  right to 5e-5 an entry.
* **coded** (:mod:`hsieve.kernels.coded_factors`): one byte per value. Three times as quick for many
  samples, right to about 1e-3 of a dependence that matters.

What is mostly asked of a store are squared norms of products F'G with a stack of other factors G.
The factors of many features make one matrix, because products of thin matrices are slow one by one.

Products of all features are made where the columns are. Those of few features are made here: their
columns, or only their codes, are fetched for it. How work is cut and grouped is the same in both
cases, whoever does it, so that results are the same to the last digit.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data.columns import ColumnBlocks, ColumnPiece
from hsieve.data.memory import BYTES_A_SAMPLE, USUAL_FACTORS

# From this many samples *and* values on, features are coded.
CODED_SAMPLES = 8_192
CODED_VALUES = 20_000_000
# Columns of the factor of a feature, about.
USUAL_RANK = 16
SAMPLES_AT_A_TIME = 4_096
# Multiplications below which a product counts as small.
SMALL_PRODUCT = 2**20
# Columns of one piece of a pass over all features.
PIECE_BYTES = 32 * 10**6

# Bytes of the first stack.
FIRST_STACK = 8 * 10**6


def form_for(n_samples: int, n_features: int, form: str = "auto") -> Literal["dense", "coded"]:
    """Say in which form features of so many samples are held.

    Examples
    --------
    >>> form_for(1_000, 20_000), form_for(26_120, 5_408)
    ('dense', 'coded')
    """
    if form not in {"auto", "dense", "coded"}:
        msg = f"form must be 'auto', 'dense' or 'coded', got {form!r}."
        raise ValueError(msg)
    many = n_samples >= CODED_SAMPLES and n_samples * n_features >= CODED_VALUES
    return "coded" if form == "coded" or (form == "auto" and many) else "dense"


@dataclass(frozen=True, eq=False)
class Stack:
    """Factors of several kernels, one below the other."""

    rows: FloatArray  # (n_rows, n_samples): transposed factors, centred
    starts: IndexArray  # (n_factors,): row at which each begins

    @property
    def n_factors(self) -> int:
        """Number of factors."""
        return len(self.starts)

    def alone(self) -> "Stack":
        """Return the stack, all of which is needed."""
        return self


class AnyStack(Protocol):
    """Factors of several kernels, in whatever form a store multiplies with."""

    @property
    def n_factors(self) -> int:
        """Number of factors."""

    def alone(self) -> "AnyStack":
        """Return what is worth sending to other processes."""


@dataclass(frozen=True, eq=False)
class Products:
    """Squared norms of F'G for some features and all factors of a stack."""

    places: IndexArray  # (n_group,): which of the features asked for these are
    squares: FloatArray  # (n_group, n_factors): the squared norms
    # (n_group,): Frobenius norm of each feature's own kernel; zero for a constant feature.
    norms: FloatArray


class FactorStore(ABC):
    """Factors of the kernels of all features, on demand."""

    # Whether products of leading directions alone are at hand, and much cheaper.
    has_leading_products = False

    def __init__(
        self,
        blocks: ColumnBlocks,
        categorical: NDArray[np.bool_],
        *,
        block_bytes: int,
        factor_bytes: int,
        work_bytes: int = 2**62,
        sample_weight: FloatArray | None = None,
    ) -> None:
        self._blocks = blocks
        self._sample_weight = sample_weight
        self._categorical = categorical
        self._block_bytes = block_bytes
        self._factor_bytes = factor_bytes
        self._work_bytes = work_bytes
        # The other half is for factors at work.
        self._room = factor_bytes // 2

    @property
    def categorical(self) -> NDArray[np.bool_]:
        """True where a feature is a category."""
        return self._categorical

    @property
    def precision(self) -> type[np.floating]:
        """Precision of the factors: double where samples have weights."""
        return np.float32 if self._sample_weight is None else np.float64

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self._blocks.n_samples

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self._blocks.n_features

    def expect(self, features: IndexArray) -> None:
        """Say which features will be asked for, the most likely first."""
        self._blocks.expect(features)

    def products_of_all(self, stack: AnyStack) -> Iterator[Products]:
        """Multiply all features with a stack, where their columns are."""
        yield from self._products_elsewhere(None, stack)

    def products(self, features: IndexArray, stack: AnyStack) -> Iterator[Products]:
        """Multiply some features with a stack; places count along `features`."""
        is_kept = self._has_room_for(features)
        for places, multiply in (
            (np.flatnonzero(is_kept), self._products_here),
            (np.flatnonzero(~is_kept), self._products_elsewhere),
        ):
            if len(places):
                for found in multiply(features[places], stack):
                    yield Products(places[found.places], found.squares, found.norms)

    def products_again(self, features: IndexArray, stack: AnyStack) -> Iterator[Products]:
        """Multiply features that were all met before with a stack; places count along `features`.

        Where results of workers are sent or stored this is one more pass over the columns; in this
        process what is kept of the features is used.
        """
        if self._blocks.takes_large_results:
            yield from self.products(features, stack)
        else:
            yield from self._products_elsewhere(features, stack)

    def groups(self, features: IndexArray) -> Iterator["FactorGroup"]:
        """Give the factors of some features, some at a time; places count along `features`.

        A group is to be used before the next one is asked for: its memory may be used again.
        """
        width = max(1, self._block_bytes // (self.n_samples * self._blocks.dtype.itemsize))
        for start in range(0, len(features), width):
            chosen = features[start : start + width]
            yield from self._groups(chosen, np.arange(start, start + len(chosen)))

    def multiplied(self, features: IndexArray, stack: AnyStack) -> Iterator[Products]:
        """Multiply features of this store with a stack, some at a time."""
        assert isinstance(stack, Stack)
        for group in self.groups(features):
            yield group.times(stack)

    def actives(self, most_bytes: int) -> "Actives":
        """Return what hands out stacks of features that are asked for again and again."""
        return ActiveFactors(self, most_bytes)

    @abstractmethod
    def rows(self, feature: int) -> tuple[FloatArray, float]:
        """Transposed factor of one feature, at least one row, and the norm of its kernel."""

    def _products_elsewhere(
        self, features: IndexArray | None, stack: AnyStack
    ) -> Iterator[Products]:
        """Multiply all features, or some, piece by piece; places count along them."""
        keep = self._blocks.takes_large_results
        # Workers have memory of their own, and small groups of features are slow.
        factor_bytes = self._factor_bytes if self._blocks.is_local else USUAL_FACTORS
        start, max_bytes = 0, min(PIECE_BYTES, self._block_bytes)
        sent = stack if self._blocks.is_local else stack.alone()
        for positions, (squares, norms, *kept) in self._blocks.map(
            products_of_piece,
            (type(self), self._categorical, factor_bytes, sent, keep, self._sample_weight),
            max_bytes=max_bytes,
            features=features,
            most_at_work=self._most_at_work(max_bytes),
        ):
            self._adopt(positions, kept)
            yield Products(np.arange(start, start + len(positions)), squares, norms)
            start += len(positions)

    def _most_at_work(self, piece_bytes: int) -> int:
        """Tell how many pieces of so many bytes may be in work together."""
        on_the_way = BYTES_A_SAMPLE * self.n_samples
        return max(1, self._work_bytes // (self._bytes_at_work(piece_bytes) + on_the_way))

    def _bytes_at_work(self, piece_bytes: int) -> int:
        """Tell what a piece takes while it is worked on: its columns, and a part of them alone."""
        return 2 * piece_bytes

    def _products_here(self, features: IndexArray, stack: AnyStack) -> Iterator[Products]:
        """Multiply some features in this process."""
        yield from self.multiplied(features, stack)

    def _has_room_for(self, features: IndexArray) -> NDArray[np.bool_]:
        """Mark the features whose columns, or codes, can be kept here."""
        return self._blocks.has_room_for(features)

    def _adopt(self, features: IndexArray, kept: list[NDArray[Any]]) -> None:  # noqa: B027
        """Keep what the store of a piece hands over, if that is something."""

    def _handed_over(self) -> list[NDArray[Any]]:
        """Arrays that are worth keeping when a piece is done."""
        return []

    @abstractmethod
    def _groups(self, features: IndexArray, places: IndexArray) -> Iterator["FactorGroup"]:
        """Make the factors of the features of one block."""


def products_of_piece(
    piece: ColumnPiece,
    shared: tuple[type[FactorStore], NDArray[np.bool_], int, AnyStack, bool, FloatArray | None],
) -> tuple[NDArray[Any], ...]:
    """Multiply the features of one piece with a stack."""
    kind, categorical, factor_bytes, stack, keep, sample_weight = shared
    # Coded factors take no weights.
    given: dict[str, Any] = {} if sample_weight is None else {"sample_weight": sample_weight}
    store = kind(
        piece.columns,
        categorical[piece.features],
        block_bytes=2**62,
        factor_bytes=factor_bytes,
        **given,
    )
    everything = np.arange(store.n_features)
    squares = np.empty((store.n_features, stack.n_factors))
    norms = np.empty(store.n_features)
    for found in store.multiplied(everything, stack):
        squares[found.places], norms[found.places] = found.squares, found.norms
    return squares, norms, *(store._handed_over() if keep else ())


@dataclass(frozen=True, eq=False)
class FactorGroup:
    """Transposed factors of some features, one below the other, as in a stack."""

    places: IndexArray  # (n_group,): which of the features asked for these are
    # (n_rows, n_samples): the factors; a constant feature has one row of zeros.
    rows: FloatArray
    starts: IndexArray  # (n_group,): row at which each feature begins
    norms: FloatArray  # (n_group,): Frobenius norm of each feature's own kernel

    def times(self, stack: Stack) -> Products:
        """Squared norms of the products of these factors with those of a stack."""
        n_samples = self.rows.shape[1]
        n_parts = -(-n_samples // SAMPLES_AT_A_TIME)
        cross = np.zeros((len(self.rows), len(stack.rows)))
        # Some samples at a time: BLAS is many times slower on matrices of few, very long rows.
        for part in range(n_parts):
            some = slice(part * n_samples // n_parts, (part + 1) * n_samples // n_parts)
            cross += _product(self.rows[:, some], stack.rows[:, some])
        squares = np.add.reduceat(cross * cross, stack.starts, axis=1)
        return Products(self.places, np.add.reduceat(squares, self.starts, axis=0), self.norms)


def _product(rows: FloatArray, others: FloatArray) -> FloatArray:
    """Multiply every row with every other one.

    Small products, and those with vectors, take other ways through some BLAS, with other last
    digits. Rows of zeros make them large enough, so that what is found for a feature does not
    depend on the features that are treated along with it.
    """
    n_rows, n_others = len(rows), len(others)
    others = _padded(others, 1)
    rows = _padded(rows, max(1, SMALL_PRODUCT // others.size))
    return np.asarray((rows @ others.T)[:n_rows, :n_others])


def _padded(rows: FloatArray, least: int) -> FloatArray:
    """Append rows of zeros, unless there are more rows than so many."""
    if len(rows) > least:
        return rows
    padded = np.zeros((least + 1, rows.shape[1]), dtype=rows.dtype)
    padded[: len(rows)] = rows
    return padded


class Actives(Protocol):
    """Stacks of features whose redundancy with others is asked for again and again."""

    def stacks(self, columns: IndexArray) -> Iterator[tuple[IndexArray, AnyStack]]:
        """Give places of features among `columns` and their stack, in pieces that fit."""


class ActiveFactors:
    """Factors of active features, kept in one stack as far as memory allows.

    Consecutive features of the stack are handed out without copying, which is what a path asks for.
    """

    def __init__(self, store: FactorStore, most_bytes: int) -> None:
        self._store = store
        self._most_bytes = most_bytes
        self._stack: FloatArray = np.empty((0, store.n_samples), dtype=store.precision)
        self._span: dict[int, tuple[int, int]] = {}
        self._last: tuple[IndexArray, Stack] | None = None

    def stacks(self, columns: IndexArray) -> Iterator[tuple[IndexArray, Stack]]:
        """Give places of features among `columns` and their stack, in pieces that fit."""
        self._add([int(column) for column in columns if int(column) not in self._span])
        held = np.array([int(column) in self._span for column in columns], dtype=bool)
        inside = np.flatnonzero(held)
        if len(inside):
            spans = np.array([self._span[int(column)] for column in columns[inside]])
            order = np.argsort(spans[:, 0], kind="stable")
            inside, spans = inside[order], spans[order]
            if self._last is None or not np.array_equal(self._last[0], spans):
                self._last = (spans, self._stacked(spans))
            yield inside, self._last[1]
        for place in np.flatnonzero(~held):
            rows, _ = self._store.rows(int(columns[place]))
            of_one = Stack(rows, np.zeros(1, dtype=np.intp))
            yield np.array([place]), of_one

    def _stacked(self, spans: IndexArray) -> Stack:
        """Stack the rows of some features, without copying those that lie together."""
        if (spans[1:, 0] == spans[:-1, 1]).all():
            rows = self._stack[spans[0, 0] : spans[-1, 1]]
        else:
            rows = np.concatenate([self._stack[first:last] for first, last in spans])
        lengths = spans[:, 1] - spans[:, 0]
        return Stack(rows, np.cumsum(lengths) - lengths)

    def _add(self, columns: list[int]) -> None:
        """Append factors, unless the stack is full."""
        used = max((last for _, last in self._span.values()), default=0)
        for column in columns:
            rows, _ = self._store.rows(column)
            needed = used + len(rows)
            if needed * self._stack.itemsize * self._store.n_samples > self._most_bytes:
                return
            if needed > len(self._stack):
                self._grow(needed)
            self._stack[used:needed] = rows
            self._span[column] = (used, needed)
            used = needed

    def _grow(self, needed: int) -> None:
        """Make room: a little at first, then all there may be, which takes memory when it fills."""
        row_bytes = self._stack.itemsize * self._store.n_samples
        few = FIRST_STACK // row_bytes
        most = self._most_bytes // row_bytes
        larger = np.empty(
            (few if needed <= few <= most else most, self._store.n_samples), self._stack.dtype
        )
        larger[: len(self._stack)] = self._stack
        self._stack = larger
