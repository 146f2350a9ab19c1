"""Factors of the kernels of single features, made from column blocks whenever they are asked for.

Two forms give the same interface:

* **dense**: landmark factors from the numbers themselves, right to 5e-5 an entry. Factors that are
  asked for by name are kept as far as the memory allows; the others are made anew each time.
* **coded**: one byte a value (:mod:`hsieve.kernels.levels`). Columns are read and coded once; codes
  are kept as far as the memory allows and made anew where not. Three times as quick for many
  samples, right to about 1e-3 of a dependence that matters.

What is mostly asked of a store are squared norms of products F'G with a stack of other factors G.
The factors of many features make one matrix, because products of thin matrices are slow one by one.

Products of all features are made where the columns are. Those of few features are made here: their
columns, or only their codes, are fetched for it. How work is cut and grouped is the same in both
cases, whoever does it, so that results are the same to the last digit.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import local
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hsieve.data.blocks import ColumnBlocks, Fetched, Piece
from hsieve.kernels.columns import standardised
from hsieve.kernels.levels import (
    Levels,
    category_levels,
    coded_levels,
    few_valued,
    few_valued_factors,
)
from hsieve.kernels.low_rank import landmark_factors

__all__ = [
    "CodedFactors",
    "DenseFactors",
    "FactorGroup",
    "FactorStore",
    "Products",
    "Stack",
    "form_for",
]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

# From this many samples *and* values on, features are coded.
CODED_SAMPLES = 8_192
CODED_VALUES = 20_000_000
# Numbers treated together, of columns or of factors: they stay in the second cache.
BATCH_NUMBERS = 131_072
USUAL_RANK = 16
SAMPLES_AT_A_TIME = 4_096
# Multiplications below which a product counts as small.
SMALL_PRODUCT = 2**20
# Coded features treated together, at most.
CODED_BATCH = 64
# Bytes of a feature beside its codes: positions and counts of 256 levels.
LEVELS_BYTES = 2_048
# Columns of one piece of a pass over all features.
PIECE_BYTES = 32 * 10**6
# Codes of one piece when those of some features are fetched.
FETCHED_CODES = 4 * 10**6
# Features whose columns, or codes, take more than this are not fetched: stacks go to them instead.
MOST_FETCHED = 128 * 10**6


def form_for(n_samples: int, n_features: int, form: str = "auto") -> Literal["dense", "coded"]:
    """Say in which form features of so many samples are held.

    Parameters
    ----------
    n_samples, n_features : int
        Size of the data.
    form : {"auto", "dense", "coded"}, default="auto"
        "auto": coded from 8,192 samples and 20 million values on, else dense.

    Returns
    -------
    {"dense", "coded"}
        The form.

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
    """Factors of several kernels, one below the other.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_samples)
        Transposed factors, centred.
    starts : ndarray of shape (n_factors,)
        Row at which each begins.
    """

    rows: NDArray[np.float32]
    starts: IndexArray


@dataclass(frozen=True, eq=False)
class Products:
    """Squared norms of F'G for some features and all factors of a stack.

    Parameters
    ----------
    places : ndarray of shape (n_group,)
        Which of the features asked for these are.
    squares : ndarray of shape (n_group, n_factors)
        The squared norms.
    norms : ndarray of shape (n_group,)
        Frobenius norm of each feature's own kernel; zero for a constant feature.
    """

    places: IndexArray
    squares: FloatArray
    norms: FloatArray


class FactorStore(ABC):
    """Factors of the kernels of all features, on demand.

    Parameters
    ----------
    blocks : ColumnBlocks
        The features.
    categorical : ndarray of bool of shape (n_features,)
        True where a feature is a category.
    block_bytes : int
        Most that the columns of one reading may take.
    factor_bytes : int
        Most that factors, kept for being asked for again or at work, may take.
    """

    def __init__(
        self,
        blocks: ColumnBlocks,
        categorical: NDArray[np.bool_],
        *,
        block_bytes: int,
        factor_bytes: int,
    ) -> None:
        self._blocks = blocks
        self._categorical = categorical
        self._block_bytes = block_bytes
        self._factor_bytes = factor_bytes
        # The other half is for factors at work.
        self._room = factor_bytes // 2

    @property
    def categorical(self) -> NDArray[np.bool_]:
        """True where a feature is a category."""
        return self._categorical

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

    def products_of_all(self, stack: Stack) -> Iterator[Products]:
        """Multiply all features with a stack, where their columns are."""
        yield from self._products_elsewhere(None, stack)

    def products(self, features: IndexArray, stack: Stack) -> Iterator[Products]:
        """Multiply some features with a stack; places count along `features`."""
        if not self._blocks.is_here and self._n_bytes_missing(features) > MOST_FETCHED:
            order = np.argsort(features, kind="stable")
            for found in self._products_elsewhere(features[order], stack):
                yield Products(order[found.places], found.squares, found.norms)
        else:
            yield from self._products_here(features, stack)

    def groups(self, features: IndexArray) -> Iterator["FactorGroup"]:
        """Give the factors of some features, some at a time; places count along `features`.

        A group is to be used before the next one is asked for: its memory may be used again.
        """
        width = max(1, self._block_bytes // (self.n_samples * self._blocks.dtype.itemsize))
        for start in range(0, len(features), width):
            chosen = features[start : start + width]
            yield from self._groups(chosen, np.arange(start, start + len(chosen)))

    @abstractmethod
    def rows(self, feature: int) -> tuple[NDArray[np.float32], float]:
        """Transposed factor of one feature, at least one row, and the norm of its kernel."""

    def _products_elsewhere(self, features: IndexArray | None, stack: Stack) -> Iterator[Products]:
        """Multiply all features, or some, piece by piece; places count along them."""
        keep = self._blocks.takes_large_results
        start = 0
        for positions, (squares, norms, *kept) in self._blocks.map(
            products_of_piece,
            (type(self), self._categorical, self._factor_bytes, stack, keep),
            max_bytes=min(PIECE_BYTES, self._block_bytes),
            features=features,
        ):
            self._adopt(positions, kept)
            yield Products(np.arange(start, start + len(positions)), squares, norms)
            start += len(positions)

    def _products_here(self, features: IndexArray, stack: Stack) -> Iterator[Products]:
        """Multiply some features in this process."""
        for group in self.groups(features):
            yield group.times(stack)

    @abstractmethod
    def _n_bytes_missing(self, features: IndexArray) -> int:
        """Bytes that would have to be fetched for the factors of some features."""

    def _adopt(self, features: IndexArray, kept: list[NDArray[Any]]) -> None:  # noqa: B027
        """Keep what the store of a piece hands over, if that is something."""

    def _handed_over(self) -> list[NDArray[Any]]:
        """Arrays that are worth keeping when a piece is done."""
        return []

    @abstractmethod
    def _groups(self, features: IndexArray, places: IndexArray) -> Iterator["FactorGroup"]:
        """Make the factors of the features of one block."""


def products_of_piece(
    piece: Piece, shared: tuple[type[FactorStore], NDArray[np.bool_], int, Stack, bool]
) -> tuple[NDArray[Any], ...]:
    """Multiply the features of one piece with a stack.

    Parameters
    ----------
    piece : Piece
        The columns.
    shared : tuple
        Kind of store, which features are categories, most bytes of factors, the stack, and whether
        the codes are wanted, too.

    Returns
    -------
    squares, norms, *kept
        As in :class:`Products`, for all features of the piece, and what is to be kept of it.
    """
    kind, categorical, factor_bytes, stack, keep = shared
    store = kind(
        piece.columns,
        categorical[piece.features],
        block_bytes=2**62,
        factor_bytes=factor_bytes,
    )
    everything = np.arange(store.n_features)
    squares = np.empty((store.n_features, len(stack.starts)))
    norms = np.empty(store.n_features)
    for group in store.groups(everything):
        found = group.times(stack)
        squares[found.places], norms[found.places] = found.squares, found.norms
    return squares, norms, *(store._handed_over() if keep else ())


class DenseFactors(FactorStore):
    """Factors from the numbers themselves; see the module."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._kept: dict[int, tuple[NDArray[np.float32], float]] = {}

    def rows(self, feature: int) -> tuple[NDArray[np.float32], float]:
        """Transposed factor of one feature, and the norm of its kernel."""
        if feature not in self._kept:
            (group,) = self._groups(np.array([feature]), np.zeros(1, dtype=np.intp))
            if not self._keep(np.array([feature]), group):
                return group.rows, float(group.norms[0])
        return self._kept[feature]

    def _products_here(self, features: IndexArray, stack: Stack) -> Iterator[Products]:
        """Multiply some features; those asked for before come from memory, as far as it goes."""
        new = np.array([p for p, feature in enumerate(features) if int(feature) not in self._kept])
        new = new.astype(np.intp)
        width = max(1, self._block_bytes // (self.n_samples * self._blocks.dtype.itemsize))
        for start in range(0, len(new), width):
            chosen = new[start : start + width]
            for group in self._groups(features[chosen], chosen):
                if not self._keep(features[group.places], group):
                    yield group.times(stack)
        kept = [p for p, feature in enumerate(features) if int(feature) in self._kept]
        if kept:
            yield _joined(kept, [self._kept[int(features[p])] for p in kept]).times(stack)

    def _n_bytes_missing(self, features: IndexArray) -> int:
        missing = [feature for feature in features.tolist() if feature not in self._kept]
        return len(missing) * self.n_samples * self._blocks.dtype.itemsize

    def _keep(self, features: IndexArray, group: "FactorGroup") -> bool:
        """Remember the factors of a group, if there is room for them."""
        if group.rows.nbytes > self._room:
            return False
        self._room -= group.rows.nbytes
        ends = [*group.starts[1:], len(group.rows)]
        for feature, first, last, norm in zip(
            features, group.starts, ends, group.norms, strict=True
        ):
            self._kept[int(feature)] = (group.rows[first:last], float(norm))
        return True

    def _groups(self, features: IndexArray, places: IndexArray) -> Iterator["FactorGroup"]:
        numbers = self._blocks.read(features)
        categorical = self._categorical[features]
        for place in np.flatnonzero(categorical):
            levels = category_levels(numbers[:, place])
            factor = levels.table()[levels.codes]
            yield _group_of_factors(places[[place]], factor[None])
        if categorical.any():
            numbers, places = numbers[:, ~categorical], places[~categorical]
        for part in _slices(len(places), BATCH_NUMBERS // self.n_samples):
            yield from self._numeric_groups(numbers[:, part], places[part])

    def _numeric_groups(self, numbers: FloatArray, places: IndexArray) -> Iterator["FactorGroup"]:
        numbers = standardised(numbers, robust=True)
        few = few_valued(numbers)
        for kind, make in ((few, few_valued_factors), (~few, landmark_factors)):
            chosen = np.flatnonzero(kind)
            for part in _slices(len(chosen), BATCH_NUMBERS // (USUAL_RANK * self.n_samples)):
                for group, factors in make(numbers[:, chosen[part]]):
                    yield _group_of_factors(places[chosen[part][group]], factors)


class CodedFactors(FactorStore):
    """Factors from codes of one byte a value; see the module.

    Parameters
    ----------
    blocks, categorical, block_bytes, factor_bytes
        As in :class:`FactorStore`.
    code_bytes : int, default=2**62
        Most that kept codes may take; features beyond are read and coded anew.
    """

    def __init__(
        self,
        blocks: ColumnBlocks,
        categorical: NDArray[np.bool_],
        *,
        block_bytes: int,
        factor_bytes: int,
        code_bytes: int = 2**62,
    ) -> None:
        super().__init__(blocks, categorical, block_bytes=block_bytes, factor_bytes=factor_bytes)
        if not blocks.is_here:
            code_bytes = min(code_bytes, MOST_FETCHED)
        self._levels: Fetched[Levels] = Fetched(
            self._fetch, code_bytes // (self.n_samples + LEVELS_BYTES)
        )
        self._tables: dict[int, FloatArray] = {}
        itemsize = np.dtype(np.float32).itemsize
        most_numbers = factor_bytes // (2 * USUAL_RANK * itemsize)
        self._batch_numbers = min(most_numbers, CODED_BATCH * self.n_samples)

    def expect(self, features: IndexArray) -> None:
        """Say which features will be asked for, the most likely first."""
        if not self._blocks.is_here:
            self._levels.expect(features)

    def rows(self, feature: int) -> tuple[NDArray[np.float32], float]:
        """Transposed factor of one feature, and the norm of its kernel."""
        (levels,) = self._levels.get([feature])
        table = self._table(feature, levels)
        lookup = np.ascontiguousarray(table.T, dtype=np.float32)
        return np.take(lookup, levels.codes, axis=1), _norm(levels, table)

    def _n_bytes_missing(self, features: IndexArray) -> int:
        return self._levels.n_missing(features.tolist()) * (self.n_samples + LEVELS_BYTES)

    def _groups(self, features: IndexArray, places: IndexArray) -> Iterator["FactorGroup"]:
        all_levels = self._levels.get(features.tolist())
        for part in _slices(len(features), self._batch_numbers // self.n_samples):
            yield self._group(features[part].tolist(), places[part], all_levels[part])

    def _group(
        self, features: list[int], places: IndexArray, all_levels: list[Levels]
    ) -> "FactorGroup":
        """Look the factors of coded features up in their tables."""
        tables = [self._table(*of) for of in zip(features, all_levels, strict=True)]
        ends = np.cumsum([table.shape[1] for table in tables])
        starts = np.concatenate([[0], ends[:-1]])
        rows = _rows_of_buffer(int(ends[-1]), self.n_samples)
        norms = np.empty(len(features))
        for place, (levels, table) in enumerate(zip(all_levels, tables, strict=True)):
            lookup = np.ascontiguousarray(table.T, dtype=np.float32)
            # Codes are inside the table, so that checking them ("raise") would only cost a copy.
            out = rows[starts[place] : ends[place]]
            np.take(lookup, levels.codes, axis=1, out=out, mode="clip")
            norms[place] = _norm(levels, table)
        return FactorGroup(places, rows, starts, norms)

    def _fetch(self, features: IndexArray) -> Iterator[tuple[int, Levels]]:
        """Read and code features, where they are."""
        if self._blocks.is_here:
            columns = self._blocks.read(features)
            found = _coded(columns, self._categorical[features])
            yield from zip(features.tolist(), found, strict=True)
            return
        itemsize = self._blocks.dtype.itemsize
        for positions, arrays in self._blocks.map(
            codes_of_piece, self._categorical, max_bytes=FETCHED_CODES * itemsize, features=features
        ):
            yield from zip(positions.tolist(), _from_arrays(arrays), strict=True)

    def _adopt(self, features: IndexArray, kept: list[NDArray[Any]]) -> None:
        self._levels.add(zip(features.tolist(), _from_arrays(kept), strict=False))

    def _handed_over(self) -> list[NDArray[Any]]:
        return _to_arrays(self._levels.get(range(self.n_features)))

    def _table(self, feature: int, levels: Levels) -> FloatArray:
        """Table of levels of a feature, kept if there is room."""
        if feature in self._tables:
            return self._tables[feature]
        table = levels.table()
        table = table if table.shape[1] else np.zeros((len(table), 1))
        if table.nbytes <= self._room:
            self._room -= table.nbytes
            self._tables[feature] = table
        return table


def codes_of_piece(piece: Piece, categorical: NDArray[np.bool_]) -> tuple[NDArray[Any], ...]:
    """Code the features of one piece.

    Parameters
    ----------
    piece : Piece
        The columns.
    categorical : ndarray of bool of shape (n_features,)
        Which of all features are categories.

    Returns
    -------
    tuple of ndarray
        Codes, counts and positions of each feature in turn; a category has no positions.
    """
    columns = piece.columns.read(np.arange(piece.columns.n_features))
    return tuple(_to_arrays(list(_coded(columns, categorical[piece.features]))))


def _coded(columns: FloatArray, categorical: NDArray[np.bool_]) -> Iterator[Levels]:
    """Code columns."""
    for column, is_category in zip(columns.T, categorical, strict=True):
        yield category_levels(column) if is_category else coded_levels(column)


def _to_arrays(all_levels: Sequence[Levels]) -> list[NDArray[Any]]:
    """Write features as a list of arrays, three each."""
    arrays: list[NDArray[Any]] = []
    for levels in all_levels:
        positions = np.empty(0, np.float32) if levels.positions is None else levels.positions
        arrays += [levels.codes, levels.counts, positions]
    return arrays


def _from_arrays(arrays: Sequence[NDArray[Any]]) -> Iterator[Levels]:
    """Read what `_to_arrays` has written."""
    for place in range(0, len(arrays), 3):
        codes, counts, positions = arrays[place : place + 3]
        yield Levels(codes, counts, positions if len(positions) else None)


@dataclass(frozen=True, eq=False)
class FactorGroup:
    """Transposed factors of some features, one below the other, as in a stack.

    Parameters
    ----------
    places : ndarray of shape (n_group,)
        Which of the features asked for these are.
    rows : ndarray of shape (n_rows, n_samples)
        The factors; a constant feature has one row of zeros.
    starts : ndarray of shape (n_group,)
        Row at which each feature begins.
    norms : ndarray of shape (n_group,)
        Frobenius norm of each feature's own kernel.
    """

    places: IndexArray
    rows: NDArray[np.float32]
    starts: IndexArray
    norms: FloatArray

    def times(self, stack: Stack) -> Products:
        """Squared norms of the products of these factors with those of a stack."""
        n_samples = self.rows.shape[1]
        n_parts = -(-n_samples // SAMPLES_AT_A_TIME)
        rows = _padded(self.rows, SMALL_PRODUCT // (len(stack.rows) * (n_samples // n_parts)))
        cross = np.zeros((len(rows), len(stack.rows)))
        # Some samples at a time: BLAS is many times slower on matrices of few, very long rows.
        for part in range(n_parts):
            some = slice(part * n_samples // n_parts, (part + 1) * n_samples // n_parts)
            cross += rows[:, some] @ stack.rows[:, some].T
        squares = np.add.reduceat(cross * cross, stack.starts, axis=1)[: len(self.rows)]
        return Products(self.places, np.add.reduceat(squares, self.starts, axis=0), self.norms)


def _padded(rows: NDArray[np.float32], least: int) -> NDArray[np.float32]:
    """Append rows of zeros where there are too few.

    Small products take another way through some BLAS, with other last digits. Without these, what
    is found for a feature does not depend on the features that are treated along with it.
    """
    if len(rows) > least:
        return rows
    padded = np.zeros((least + 1, rows.shape[1]), dtype=rows.dtype)
    padded[: len(rows)] = rows
    return padded


_OF_THREAD = local()


def _rows_of_buffer(n_rows: int, n_samples: int) -> NDArray[np.float32]:
    """Return memory for the rows of one group after the other; what was there before is lost.

    A fresh array of this size would be handed out by the system page by page, each page cleared
    first, which takes as long as the work itself.
    """
    memory = getattr(_OF_THREAD, "memory", None)
    if memory is None or n_rows * n_samples > len(memory):
        memory = _OF_THREAD.memory = np.empty(n_rows * n_samples, dtype=np.float32)
    return np.asarray(memory[: n_rows * n_samples].reshape(n_rows, n_samples))


def _group_of_factors(places: IndexArray, factors: FloatArray) -> FactorGroup:
    """Stack factors of equal rank, of shape (n_group, n_samples, rank)."""
    n_group, n_samples, rank = factors.shape
    if not rank:
        zero = np.zeros((n_group, n_samples), dtype=np.float32)
        return FactorGroup(places, zero, np.arange(n_group), np.zeros(n_group))
    rows = np.ascontiguousarray(factors.transpose(0, 2, 1), dtype=np.float32)
    starts = np.arange(0, n_group * rank, rank)
    return FactorGroup(places, rows.reshape(-1, n_samples), starts, _gram_norms(rows))


def _joined(places: list[int], factors: list[tuple[NDArray[np.float32], float]]) -> FactorGroup:
    """Make one group of the factors of single features."""
    starts = np.cumsum([0, *(len(rows) for rows, _ in factors[:-1])])
    rows = np.concatenate([rows for rows, _ in factors])
    norms = np.array([norm for _, norm in factors])
    return FactorGroup(np.array(places, dtype=np.intp), rows, starts, norms)


def _gram_norms(rows: NDArray[np.float32]) -> FloatArray:
    """Frobenius norms of FF', one for each matrix of the stack."""
    # Two products of different blocks: given a matrix and its own transpose, NumPy calls a routine
    # that is several times slower for matrices as wide as these.
    transposed = rows.transpose(0, 2, 1)
    halves = (np.matmul(rows[:, :1], transposed), np.matmul(rows[:, 1:], transposed))
    squares = [np.einsum("fij,fij->f", half, half, dtype=np.float64) for half in halves]
    norms: FloatArray = np.sqrt(squares[0] + squares[1])
    return norms


def _norm(levels: Levels, table: FloatArray) -> float:
    """Frobenius norm of the kernel of a feature: the columns of its factor are orthogonal."""
    return float(np.linalg.norm(levels.counts @ table**2))


def _slices(n_features: int, width: int) -> Iterator[slice]:
    """Cut features into pieces."""
    width = max(1, width)
    for start in range(0, n_features, width):
        yield slice(start, start + width)
