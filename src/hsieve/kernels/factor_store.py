"""Factors of the kernels of single features, made from column blocks whenever they are asked for.

Two forms give the same interface:

* **dense**: landmark factors from the numbers themselves, right to 5e-5 an entry. Factors that are
  asked for by name are kept as far as the memory allows; the others are made anew each time.
* **coded**: one byte a value (:mod:`hsieve.kernels.levels`). Columns are read and coded once; codes
  are kept as far as the memory allows and made anew where not. Three times as quick for many
  samples, right to about 1e-3 of a dependence that matters.

Factors come in groups, all rows of a group in one matrix, because products of many thin matrices
are several times slower than one product of a stack of them.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

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

__all__ = ["CodedFactors", "DenseFactors", "FactorGroup", "FactorStore", "form_for"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]
Result = TypeVar("Result")

# From this many samples *and* values on, features are coded.
CODED_SAMPLES = 8_192
CODED_VALUES = 20_000_000
# Numbers treated together, of columns or of factors: they stay in the second cache.
BATCH_NUMBERS = 131_072
USUAL_RANK = 16
# Coded features treated together.
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
class FactorGroup:
    """Centred factors of some features.

    Parameters
    ----------
    places : ndarray of shape (n_group,)
        Which of the features asked for these are.
    rows : ndarray of shape (n_rows, n_samples)
        Transposed factors, one below the other: the kernel of the first feature is F'F with F its
        rows.
    starts : ndarray of shape (n_group,)
        Row at which each feature begins; each has at least one.
    norms : ndarray of shape (n_group,)
        Frobenius norm of each kernel; zero for a constant feature.
    """

    places: IndexArray
    rows: NDArray[np.float32]
    starts: IndexArray
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
    """

    def __init__(
        self, blocks: ColumnBlocks, categorical: NDArray[np.bool_], *, block_bytes: int
    ) -> None:
        self._blocks = blocks
        self._categorical = categorical
        self._block_bytes = block_bytes

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self._blocks.n_samples

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self._blocks.n_features

    def walk(self, function: Callable[[FactorGroup], Result]) -> Iterator[Result]:
        """Apply a function to groups of all features, as their storage reads fastest."""
        for features in self._blocks.walk(self._block_bytes):
            yield from self._each(features, features, function)

    def each(
        self, features: IndexArray, function: Callable[[FactorGroup], Result]
    ) -> Iterator[Result]:
        """Apply a function to groups of some features; places count along `features`.

        A group may be overwritten as soon as the function has returned.
        """
        width = max(1, self._block_bytes // (self.n_samples * self._blocks.dtype.itemsize))
        for start in range(0, len(features), width):
            chosen = features[start : start + width]
            yield from self._each(chosen, np.arange(start, start + len(chosen)), function)

    @abstractmethod
    def _each(
        self,
        features: IndexArray,
        places: IndexArray,
        function: Callable[[FactorGroup], Result],
    ) -> Iterator[Result]:
        """Apply a function to groups of the features of one block."""

    def _slices(self, n_features: int, n_numbers: int) -> Iterator[slice]:
        """Cut features into pieces of about so many numbers."""
        width = max(1, n_numbers // self.n_samples)
        for start in range(0, n_features, width):
            yield slice(start, start + width)


class DenseFactors(FactorStore):
    """Factors from the numbers themselves; see the module.

    Parameters
    ----------
    blocks, categorical, block_bytes
        As in :class:`FactorStore`.
    factor_bytes : int
        Most that factors kept for being asked for again may take.
    """

    def __init__(
        self,
        blocks: ColumnBlocks,
        categorical: NDArray[np.bool_],
        *,
        block_bytes: int,
        factor_bytes: int,
    ) -> None:
        super().__init__(blocks, categorical, block_bytes=block_bytes)
        self._room = factor_bytes
        self._kept: dict[int, tuple[NDArray[np.float32], float]] = {}

    def each(
        self, features: IndexArray, function: Callable[[FactorGroup], Result]
    ) -> Iterator[Result]:
        """Apply a function; features asked for before come from memory, as far as it goes."""
        new = np.array([p for p, feature in enumerate(features) if int(feature) not in self._kept])
        new = new.astype(np.intp)
        for group in super().each(features[new], lambda group: group):
            if not self._keep(features[new[group.places]], group):
                yield function(replace(group, places=new[group.places]))
        kept = [p for p, feature in enumerate(features) if int(feature) in self._kept]
        if kept:
            yield function(_joined(kept, [self._kept[int(features[place])] for place in kept]))

    def _each(
        self,
        features: IndexArray,
        places: IndexArray,
        function: Callable[[FactorGroup], Result],
    ) -> Iterator[Result]:
        return map(function, self._groups(features, places))

    def _keep(self, features: IndexArray, group: FactorGroup) -> bool:
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

    def _groups(self, features: IndexArray, places: IndexArray) -> Iterator[FactorGroup]:
        numbers = self._blocks.read(features)
        categorical = self._categorical[features]
        for place in np.flatnonzero(categorical):
            yield _group_of_levels(places[[place]], [category_levels(numbers[:, place])])
        if categorical.any():
            numbers, places = numbers[:, ~categorical], places[~categorical]
        for part in self._slices(len(places), BATCH_NUMBERS):
            yield from self._numeric_groups(numbers[:, part], places[part])

    def _numeric_groups(self, numbers: FloatArray, places: IndexArray) -> Iterator[FactorGroup]:
        numbers = standardised(numbers, robust=True)
        few = few_valued(numbers)
        for kind, make in ((few, few_valued_factors), (~few, landmark_factors)):
            chosen = np.flatnonzero(kind)
            for part in self._slices(len(chosen), BATCH_NUMBERS // USUAL_RANK):
                for group, factors in make(numbers[:, chosen[part]]):
                    yield _group_of_factors(places[chosen[part][group]], factors)


class CodedFactors(FactorStore):
    """Factors from codes of one byte a value; see the module.

    Parameters
    ----------
    blocks, categorical, block_bytes
        As in :class:`FactorStore`.
    code_bytes : int
        Most that kept codes may take; features beyond are read and coded anew.
    batch_bytes : int
        Most that the factors of features treated together may take: enough for products of
        stacks, few enough to be quick in memory.
    """

    def __init__(
        self,
        blocks: ColumnBlocks,
        categorical: NDArray[np.bool_],
        *,
        block_bytes: int,
        code_bytes: int,
        batch_bytes: int,
    ) -> None:
        super().__init__(blocks, categorical, block_bytes=block_bytes)
        most_numbers = batch_bytes // (USUAL_RANK * np.dtype(np.float32).itemsize)
        self._batch_numbers = min(most_numbers, CODED_BATCH * self.n_samples)
        self._most_kept = code_bytes // (self.n_samples + LEVELS_BYTES)
        self._kept: dict[int, Levels] = {}
        self._buffer = _Buffer()

    def _each(
        self,
        features: IndexArray,
        places: IndexArray,
        function: Callable[[FactorGroup], Result],
    ) -> Iterator[Result]:
        self._code([int(feature) for feature in features if int(feature) not in self._kept])

        def apply(part: slice) -> Result:
            levels = [self._kept[int(feature)] for feature in features[part]]
            return function(_group_of_levels(places[part], levels, self._buffer))

        yield from map(apply, self._slices(len(features), self._batch_numbers))
        self._forget()

    def _code(self, features: list[int]) -> None:
        """Read features and code them."""
        if not features:
            return
        numbers = self._blocks.read(np.array(features, dtype=np.intp))
        for place, feature in enumerate(features):
            make = category_levels if self._categorical[feature] else coded_levels
            self._kept[feature] = make(numbers[:, place])

    def _forget(self) -> None:
        """Drop the codes that were kept longest, until the rest fits."""
        for feature in list(self._kept)[: max(0, len(self._kept) - self._most_kept)]:
            del self._kept[feature]


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


def _group_of_levels(
    places: IndexArray, levels: list[Levels], buffer: _Buffer | None = None
) -> FactorGroup:
    """Look factors up in the tables of their levels."""
    tables = [_with_a_column(feature.table()) for feature in levels]
    ends = np.cumsum([table.shape[1] for table in tables])
    starts = np.concatenate([[0], ends[:-1]])
    rows = (buffer or _Buffer()).rows(int(ends[-1]), len(levels[0].codes))
    norms = np.empty(len(levels))
    for place, (feature, table) in enumerate(zip(levels, tables, strict=True)):
        lookup = np.ascontiguousarray(table.T, dtype=np.float32)
        # Codes are inside the table, so that checking them ("raise") would only cost a copy.
        out = rows[starts[place] : ends[place]]
        np.take(lookup, feature.codes, axis=1, out=out, mode="clip")
        norms[place] = np.linalg.norm(feature.counts @ table**2)
    return FactorGroup(places, rows, starts, norms)


def _with_a_column(table: FloatArray) -> FloatArray:
    """Give a constant feature, whose factor has rank zero, one column of zeros."""
    return table if table.shape[1] else np.zeros((len(table), 1))
