"""Factors looked up from codes of one byte a value (:mod:`hsieve.kernels.levels`).

Columns are read and coded once; codes are kept as far as the memory allows, and made again if not.
Products of two coded features come from the joint table of their codes, products with other factors
from sums by level (:mod:`hsieve.kernels.loops.joint_tables`).

Where the columns are held by workers they are coded there: the codes of few features are fetched,
and a stack that goes to the columns travels as codes, too.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import local
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data.columns import ColumnBlocks, ColumnPiece
from hsieve.data.engine_columns import Fetched
from hsieve.kernels.columns import slices
from hsieve.kernels.factor_store import (
    SAMPLES_AT_A_TIME,
    USUAL_RANK,
    AnyStack,
    FactorGroup,
    FactorStore,
    Products,
    Stack,
)
from hsieve.kernels.levels import CodeArray, Levels, category_levels, coded_levels
from hsieve.kernels.loops.feature_levels import linear_over_groups, values_of_levels
from hsieve.kernels.loops.joint_tables import joint_squares, sums_by_level
from hsieve.parallel.threads import over_threads

# Coded features treated together, at most.
CODED_BATCH = 64
# Bytes of a feature beside its codes: positions and counts of 256 levels.
LEVELS_BYTES = 2_048
# Codes of one piece when those of some features are fetched.
FETCHED_CODES = 4 * 10**6
# Up to so many rows of a stack are summed level by level, without looking factors up.
FEW_ROWS = 8
# A table of more levels than this is made linear over groups of neighbouring levels, so that joint
# tables have fewer rows (:mod:`hsieve.kernels.loops.joint_tables`): over the widest groups, 2^shift
# levels each, in which it loses no more than this fraction of its weight. What that shifts in NHSIC
# is less than what coding does.
FEW_LEVELS = 32
GROUP_SHIFTS = (3, 2)
LINEARITY = 2e-4
# Counted samples that are worth starting threads for.
WORTH_THREADS = 2**20
# What the table of a feature takes beside its codes, about.
TABLE_BYTES_A_FEATURE = 16_384
# Where nobody names a limit, tables of levels that are kept: some 20 KB a feature.
UNLIMITED = 2**62
TABLE_BYTES = 256 * 10**6


class CodedFactors(FactorStore):
    """Factors from codes of one byte a value; see the module."""

    def __init__(
        self,
        blocks: ColumnBlocks,
        categorical: NDArray[np.bool_],
        *,
        block_bytes: int,
        factor_bytes: int,
        code_bytes: int = UNLIMITED,
        work_bytes: int = 2**62,
    ) -> None:
        super().__init__(
            blocks,
            categorical,
            block_bytes=block_bytes,
            factor_bytes=factor_bytes,
            work_bytes=work_bytes,
        )
        self._levels: Fetched[Levels] = Fetched(
            self._fetch, code_bytes // (self.n_samples + LEVELS_BYTES)
        )
        self._tables: dict[int, LevelTable] = {}
        self.has_leading_products = blocks.is_local and code_bytes == UNLIMITED
        if code_bytes == UNLIMITED:
            self._room = max(self._room, TABLE_BYTES)
        itemsize = np.dtype(np.float32).itemsize
        most_numbers = factor_bytes // (2 * USUAL_RANK * itemsize)
        self._batch_numbers = min(most_numbers, CODED_BATCH * self.n_samples)

    def expect(self, features: IndexArray) -> None:
        """Say which features will be asked for, the most likely first."""
        if not self._blocks.is_local:
            self._levels.expect(features)

    def rows(self, feature: int) -> tuple[NDArray[np.float32], float]:
        """Transposed factor of one feature, and the norm of its kernel."""
        codes, table = self.coded(feature)
        return np.asarray(np.take(table.rows, codes, axis=1)), table.norm

    def actives(self, most_bytes: int) -> "CodedActives":
        """Return what hands out the codes of active features."""
        return CodedActives(self, most_bytes)

    def multiplied(self, features: IndexArray, stack: AnyStack) -> Iterator[Products]:
        """Multiply features with a stack: few rows, and coded features, without looking factors up.

        The former are summed by level: F'G = T' (sums); the latter have a joint table of codes.
        """
        n_threads = self._blocks.n_threads
        multiply: Callable[[int, Levels], tuple[FloatArray, float]]
        if isinstance(stack, CodedStack):
            multiply = partial(self._squares, stack)
            if len(features) * stack.n_factors * self.n_samples < WORTH_THREADS:
                n_threads = 1
        elif isinstance(stack, Stack) and len(stack.rows) <= FEW_ROWS and stack.n_factors == 1:
            sums = _SumsByLevel(stack)
            multiply = lambda _, levels: sums.squares(levels)  # noqa: E731
        else:
            yield from super().multiplied(features, stack)
            return
        for part in slices(len(features), max(1, self._block_bytes // (8 * self.n_samples))):
            chosen = features[part].tolist()
            tasks = list(zip(chosen, self._levels.get(chosen), strict=True))
            found = over_threads(multiply, tasks, n_threads)
            squares, norms = map(np.array, zip(*found, strict=True))
            yield Products(np.arange(part.start, part.start + len(tasks)), squares, norms)

    def _squares(
        self, stack: "CodedStack", feature: int, levels: Levels
    ) -> tuple[FloatArray, float]:
        """Multiply one feature with a stack of coded ones."""
        return stack.squares(levels.codes, self._table(feature, levels))

    def leading_products(self, features: IndexArray, others: IndexArray) -> FloatArray:
        """Products of the leading directions of features, of shape (n_features, n_others).

        Their squares are lower bounds of squared norms of F'G, and many times cheaper.
        """
        left, right = self._leading(features), self._leading(others)

        def product(part: slice) -> NDArray[np.float32]:
            return np.asarray(left.values(part) @ right.values(part).T)

        parts = [(part,) for part in slices(self.n_samples, SAMPLES_AT_A_TIME)]
        products = np.zeros((len(features), len(others)))
        for found in over_threads(product, parts, self._blocks.n_threads):
            products += found
        return products

    def _leading(self, features: IndexArray) -> "LeadingDirections":
        all_levels = self._levels.get(features.tolist())
        rows = np.zeros((len(features), max(len(of.counts) for of in all_levels)), np.float32)
        for row, feature, levels in zip(rows, features.tolist(), all_levels, strict=True):
            # Directions come in rising order of weight.
            row[: len(levels.counts)] = self._table(feature, levels).rows[-1]
        return LeadingDirections(np.stack([levels.codes for levels in all_levels]), rows)

    def coded(self, feature: int) -> tuple[CodeArray, "LevelTable"]:
        """Return the codes of one feature and its table."""
        (levels,) = self._levels.get([feature])
        return levels.codes, self._table(feature, levels)

    def _has_room_for(self, features: IndexArray) -> NDArray[np.bool_]:
        if self._blocks.is_local:
            return super()._has_room_for(features)
        return np.array(self._levels.has_room_for(features.tolist()), dtype=bool)

    def _bytes_at_work(self, piece_bytes: int) -> int:
        """Tell what a piece takes: its columns, their codes, tables and the factors of a group."""
        return piece_bytes + piece_bytes // self._blocks.dtype.itemsize + self._factor_bytes

    def _groups(self, features: IndexArray, places: IndexArray) -> Iterator[FactorGroup]:
        all_levels = self._levels.get(features.tolist())
        for part in slices(len(features), self._batch_numbers // self.n_samples):
            yield self._group(features[part].tolist(), places[part], all_levels[part])

    def _group(
        self, features: list[int], places: IndexArray, all_levels: list[Levels]
    ) -> FactorGroup:
        """Look the factors of coded features up in their tables."""
        tables = [self._table(*of) for of in zip(features, all_levels, strict=True)]
        ends = np.cumsum([len(table.rows) for table in tables])
        starts = np.concatenate([[0], ends[:-1]])
        rows = _rows_of_buffer(int(ends[-1]), self.n_samples)
        norms = np.array([table.norm for table in tables])
        for place, (levels, table) in enumerate(zip(all_levels, tables, strict=True)):
            # Codes are inside the table, so that checking them ("raise") would only cost a copy.
            out = rows[starts[place] : ends[place]]
            np.take(table.rows, levels.codes, axis=1, out=out, mode="clip")
        return FactorGroup(places, rows, starts, norms)

    def _fetch(self, features: IndexArray) -> Iterator[tuple[int, Levels]]:
        """Read and code features, where they are."""
        if self._blocks.is_local:
            columns = self._blocks.read(features)
            found = _coded(columns, self._categorical[features])
            yield from zip(features.tolist(), found, strict=True)
            return
        max_bytes = FETCHED_CODES * self._blocks.dtype.itemsize
        for positions, arrays in self._blocks.map(
            codes_of_piece,
            self._categorical,
            max_bytes=max_bytes,
            features=features,
            most_at_work=self._most_at_work(max_bytes),
        ):
            yield from zip(positions.tolist(), _from_arrays(arrays), strict=True)

    def _adopt(self, features: IndexArray, kept: list[NDArray[Any]]) -> None:
        self._levels.add(zip(features.tolist(), _from_arrays(kept), strict=False))

    def _handed_over(self) -> list[NDArray[Any]]:
        return _to_arrays(self._levels.get(range(self.n_features)))

    def _table(self, feature: int, levels: Levels) -> "LevelTable":
        """Table of levels of a feature, kept if there is room."""
        if feature in self._tables:
            return self._tables[feature]
        table = LevelTable.of(levels)
        if table.rows.nbytes <= self._room:
            self._room -= table.rows.nbytes
            self._tables[feature] = table
        return table


@dataclass(frozen=True, eq=False)
class LevelTable:
    """Factor of a feature, one column for each level."""

    rows: NDArray[np.float32]  # (rank, n_levels)
    # (rank, n_columns): what makes a row out of the counts of groups of levels and, where a group
    # is more than one level, the places inside them.
    coefficients: NDArray[np.float32]
    shift: int  # turns a level into its group
    norm: float  # Frobenius norm of the feature's kernel

    @classmethod
    def of(cls, levels: Levels) -> "LevelTable":
        """Make the table of a feature, with one row of zeros at least."""
        table, counts = levels.table().T, levels.counts
        if not len(table):
            table = np.zeros((1, len(counts)))
        weights = table**2 @ counts  # columns are orthogonal
        rows = np.ascontiguousarray(table)
        if levels.positions is not None and len(counts) > FEW_LEVELS:
            most_lost = LINEARITY * float(weights @ weights)
            for shift in GROUP_SHIFTS:
                lines = np.empty((2, len(rows), -(-len(counts) // (1 << shift))))
                if linear_over_groups(rows, counts, shift, *lines) <= most_lost:
                    return cls._of_lines(lines, counts, shift)
        rows = rows.astype(np.float32)
        return cls(rows, rows, 0, float(np.linalg.norm(weights)))

    @classmethod
    def _of_lines(cls, lines: FloatArray, counts: NDArray[np.int32], shift: int) -> "LevelTable":
        """Make the table of a feature that is linear over groups of levels."""
        firsts, slopes = lines[..., None]
        rows = (firsts + slopes * np.arange(1 << shift)).reshape(lines.shape[1], -1)
        rows = rows[:, : len(counts)].astype(np.float32)
        norm = float(np.linalg.norm(rows * counts @ rows.T))
        return cls(rows, np.concatenate(lines, axis=1).astype(np.float32), shift, norm)


@dataclass(frozen=True, eq=False)
class LeadingDirections:
    """One direction of the factors of some coded features."""

    codes: CodeArray  # (n_features, n_samples)
    rows: NDArray[np.float32]  # (n_features, n_levels)

    def values(self, part: slice) -> NDArray[np.float32]:
        """Values of some samples, of shape (n_features, n_part)."""
        n_part = min(part.stop, self.codes.shape[1]) - part.start
        values = np.empty((len(self.codes), n_part), dtype=np.float32)
        values_of_levels(self.codes, self.rows, part.start, values)
        return values


@dataclass(frozen=True, eq=False)
class CodedStack:
    """Some coded features; they also go to workers like this, a byte a sample."""

    codes: CodeArray  # (n_stacked, n_samples)
    tables: tuple[LevelTable, ...]  # (n_stacked,)
    # The tables as flat arrays, for loops.
    shifts: NDArray[np.int64]
    ranks: IndexArray
    starts: IndexArray
    coefficients: NDArray[np.float32]
    chosen: IndexArray  # (n_factors,): the features in question

    @classmethod
    def of(cls, codes: CodeArray, tables: tuple[LevelTable, ...]) -> "CodedStack":
        """Stack features."""
        sizes = [table.coefficients.size for table in tables]
        return cls(
            codes,
            tables,
            shifts=np.array([table.shift for table in tables], dtype=np.int64),
            ranks=np.array([len(table.rows) for table in tables], dtype=np.intp),
            starts=np.cumsum([0, *sizes]).astype(np.intp),
            coefficients=np.concatenate([table.coefficients.ravel() for table in tables]),
            chosen=np.arange(len(tables)),
        )

    @property
    def n_factors(self) -> int:
        """Number of features."""
        return len(self.chosen)

    def alone(self) -> "CodedStack":
        """Return a stack of nothing but the features in question."""
        tables = tuple(self.tables[place] for place in self.chosen)
        return CodedStack.of(self.codes[self.chosen], tables)

    def squares(self, codes: CodeArray, table: LevelTable) -> tuple[FloatArray, float]:
        """Squared norms of the products of one more feature with these; norm of its kernel."""
        squares = np.empty(self.n_factors)
        joint_squares(
            codes,
            table.rows,
            self.codes,
            self.chosen,
            self.shifts,
            self.coefficients,
            self.starts,
            self.ranks,
            squares,
        )
        return squares, table.norm


class CodedActives:
    """Codes of active features, one below the other as far as the memory goes."""

    def __init__(self, store: CodedFactors, most_bytes: int) -> None:
        self._store = store
        self._most = max(1, most_bytes // (store.n_samples + TABLE_BYTES_A_FEATURE))
        self._codes = np.empty((0, store.n_samples), dtype=np.uint8)
        self._tables: list[LevelTable] = []
        self._places: dict[int, int] = {}
        self._stack: CodedStack | None = None

    def stacks(self, columns: IndexArray) -> Iterator[tuple[IndexArray, CodedStack]]:
        """Give places of features among `columns` and their stack, in pieces that fit."""
        for part in slices(len(columns), self._most):
            yield np.arange(part.start, part.start + len(columns[part])), self._of(columns[part])

    def _of(self, features: IndexArray) -> CodedStack:
        new = [feature for feature in features.tolist() if feature not in self._places]
        if len(self._tables) + len(new) > self._most:
            self._tables, self._places, new = [], {}, list(dict.fromkeys(features.tolist()))
        for feature in dict.fromkeys(new):
            self._add(feature)
        if new or self._stack is None:
            self._stack = CodedStack.of(self._codes[: len(self._tables)], tuple(self._tables))
        chosen = [self._places[feature] for feature in features.tolist()]
        return replace(self._stack, chosen=np.array(chosen, dtype=np.intp))

    def _add(self, feature: int) -> None:
        codes, table = self._store.coded(feature)
        place = self._places[feature] = len(self._tables)
        dtype = np.result_type(self._codes, codes)
        if place == len(self._codes) or dtype != self._codes.dtype:
            larger = np.empty((min(self._most, max(8, 2 * place)), len(codes)), dtype)
            larger[:place] = self._codes[:place]
            self._codes = larger
        self._codes[place] = codes
        self._tables.append(table)


class _SumsByLevel:
    """Products with the rows of one other factor, by sums over the samples of each level."""

    def __init__(self, stack: Stack) -> None:
        self._columns = np.ascontiguousarray(stack.rows.T)

    def squares(self, levels: Levels) -> tuple[FloatArray, float]:
        """Squared norm of the product of a feature with the factor; norm of its kernel."""
        sums = np.zeros((len(levels.counts), self._columns.shape[1]))
        sums_by_level(levels.codes, self._columns, sums)
        table = levels.whole_table()
        gram = (table * levels.counts[:, None]).T @ table
        return np.array([np.sum((table.T @ sums) ** 2)]), float(np.linalg.norm(gram))


def codes_of_piece(piece: ColumnPiece, categorical: NDArray[np.bool_]) -> tuple[NDArray[Any], ...]:
    """Code the features of one piece."""
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
