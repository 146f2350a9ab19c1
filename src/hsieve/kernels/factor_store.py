"""Factors of the kernels of single features, made from column blocks whenever they are asked for.

Two forms give the same interface:

* **dense**: landmark factors from the numbers themselves, right to 5e-5 an entry. Factors that are
  asked for by name are kept as far as the memory allows; the others are made anew each time.
* **coded**: one byte a value (:mod:`hsieve.kernels.levels`). Columns are read and coded once; codes
  are kept as far as the memory allows and made anew where not. Three times as quick for many
  samples, right to about 1e-3 of a dependence that matters.

What is mostly asked of a store are squared norms of products F'G with a stack of other factors G.
The factors of many features make one matrix, because products of thin matrices are slow one by one.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hsieve.data.blocks import ColumnBlocks
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
# Coded features treated together, at most.
CODED_BATCH = 64
# Bytes of a feature beside its codes: positions and counts of 256 levels.
LEVELS_BYTES = 2_048


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
        # The other half is for factors at work.
        self._room = factor_bytes // 2
        self._kept: dict[int, Any] = {}

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

    def products_of_all(self, stack: Stack) -> Iterator[Products]:
        """Multiply all features with a stack, as their storage reads fastest."""
        for features in self._blocks.walk(self._block_bytes):
            yield from self._products(features, features, stack)

    def products(self, features: IndexArray, stack: Stack) -> Iterator[Products]:
        """Multiply some features with a stack; places count along `features`."""
        width = max(1, self._block_bytes // (self.n_samples * self._blocks.dtype.itemsize))
        for start in range(0, len(features), width):
            chosen = features[start : start + width]
            yield from self._products(chosen, np.arange(start, start + len(chosen)), stack)

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

    def _products(
        self, features: IndexArray, places: IndexArray, stack: Stack
    ) -> Iterator[Products]:
        """Multiply the features of one block."""
        for group in self._groups(features, places):
            yield group.times(stack)

    @abstractmethod
    def _groups(self, features: IndexArray, places: IndexArray) -> Iterator["FactorGroup"]:
        """Make the factors of the features of one block."""


class DenseFactors(FactorStore):
    """Factors from the numbers themselves; see the module."""

    _kept: dict[int, tuple[NDArray[np.float32], float]]

    def products(self, features: IndexArray, stack: Stack) -> Iterator[Products]:
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

    def rows(self, feature: int) -> tuple[NDArray[np.float32], float]:
        """Transposed factor of one feature, and the norm of its kernel."""
        if feature not in self._kept:
            (group,) = self._groups(np.array([feature]), np.zeros(1, dtype=np.intp))
            if not self._keep(np.array([feature]), group):
                return group.rows, float(group.norms[0])
        return self._kept[feature]

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
    code_bytes : int
        Most that kept codes may take; features beyond are read and coded anew.
    """

    _kept: dict[int, Levels]

    def __init__(
        self,
        blocks: ColumnBlocks,
        categorical: NDArray[np.bool_],
        *,
        block_bytes: int,
        factor_bytes: int,
        code_bytes: int,
    ) -> None:
        super().__init__(blocks, categorical, block_bytes=block_bytes, factor_bytes=factor_bytes)
        self._most_kept = max(1, code_bytes // (self.n_samples + LEVELS_BYTES))
        self._tables: dict[int, FloatArray] = {}
        itemsize = np.dtype(np.float32).itemsize
        most_numbers = factor_bytes // (2 * USUAL_RANK * itemsize)
        self._batch_numbers = min(most_numbers, CODED_BATCH * self.n_samples)
        self._buffer = _Buffer()

    def rows(self, feature: int) -> tuple[NDArray[np.float32], float]:
        """Transposed factor of one feature, and the norm of its kernel."""
        self._code([feature])
        levels, table = self._kept[feature], self._table(feature)
        self._forget()
        lookup = np.ascontiguousarray(table.T, dtype=np.float32)
        return np.take(lookup, levels.codes, axis=1), _norm(levels, table)

    def _groups(self, features: IndexArray, places: IndexArray) -> Iterator["FactorGroup"]:
        self._code(features.tolist())
        for part in _slices(len(features), self._batch_numbers // self.n_samples):
            yield self._group(features[part], places[part])
        self._forget()

    def _group(self, features: IndexArray, places: IndexArray) -> "FactorGroup":
        """Look the factors of coded features up in their tables."""
        tables = [self._table(int(feature)) for feature in features]
        ends = np.cumsum([table.shape[1] for table in tables])
        starts = np.concatenate([[0], ends[:-1]])
        rows = self._buffer.rows(int(ends[-1]), self.n_samples)
        norms = np.empty(len(features))
        for place, (feature, table) in enumerate(zip(features.tolist(), tables, strict=True)):
            levels = self._kept[feature]
            lookup = np.ascontiguousarray(table.T, dtype=np.float32)
            # Codes are inside the table, so that checking them ("raise") would only cost a copy.
            out = rows[starts[place] : ends[place]]
            np.take(lookup, levels.codes, axis=1, out=out, mode="clip")
            norms[place] = _norm(levels, table)
        return FactorGroup(places, rows, starts, norms)

    def _code(self, features: list[int]) -> None:
        """Read and code the features that are not kept."""
        missing = [feature for feature in features if feature not in self._kept]
        if not missing:
            return
        numbers = self._blocks.read(np.array(missing, dtype=np.intp))
        for feature, column in zip(missing, numbers.T, strict=True):
            make = category_levels if self._categorical[feature] else coded_levels
            self._kept[feature] = make(column)

    def _table(self, feature: int) -> FloatArray:
        """Table of levels of a feature, kept if there is room."""
        if feature in self._tables:
            return self._tables[feature]
        table = self._kept[feature].table()
        table = table if table.shape[1] else np.zeros((len(table), 1))
        if table.nbytes <= self._room:
            self._room -= table.nbytes
            self._tables[feature] = table
        return table

    def _forget(self) -> None:
        """Drop the codes that were kept longest, until the rest fits."""
        for feature in list(self._kept)[: max(0, len(self._kept) - self._most_kept)]:
            del self._kept[feature]


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
        cross = np.zeros((len(self.rows), len(stack.rows)))
        # Some samples at a time: BLAS is many times slower on matrices of few, very long rows.
        for start in range(0, self.rows.shape[1], SAMPLES_AT_A_TIME):
            some = slice(start, start + SAMPLES_AT_A_TIME)
            cross += self.rows[:, some] @ stack.rows[:, some].T
        squares = np.add.reduceat(cross * cross, stack.starts, axis=1)
        return Products(self.places, np.add.reduceat(squares, self.starts, axis=0), self.norms)


class _Buffer:
    """Memory for the rows of one group after the other.

    A fresh array of this size would be handed out by the system page by page, each page cleared
    first, which takes as long as the work itself.
    """

    def __init__(self) -> None:
        self._memory = np.empty(0, dtype=np.float32)

    def rows(self, n_rows: int, n_samples: int) -> NDArray[np.float32]:
        """Return an array of the buffer; what was there before is lost."""
        if n_rows * n_samples > len(self._memory):
            self._memory = np.empty(n_rows * n_samples, dtype=np.float32)
        return self._memory[: n_rows * n_samples].reshape(n_rows, n_samples)


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
