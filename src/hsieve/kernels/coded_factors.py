"""Factors looked up from codes of one byte a value (:mod:`hsieve.kernels.levels`).

Columns are read and coded once; codes are kept as far as the memory allows, and made again if not.
Where the columns are held by workers they are coded there: the codes of few features are fetched,
and a stack that goes to the columns travels as codes, too.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from threading import local
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data.columns import ColumnBlocks, ColumnPiece
from hsieve.data.engine_columns import Fetched
from hsieve.kernels.columns import slices
from hsieve.kernels.factor_store import (
    USUAL_RANK,
    FactorGroup,
    FactorStore,
    Products,
    SentStack,
    Stack,
)
from hsieve.kernels.levels import Levels, category_levels, coded_levels

# Coded features treated together, at most.
CODED_BATCH = 64
# Bytes of a feature beside its codes: positions and counts of 256 levels.
LEVELS_BYTES = 2_048
# Codes of one piece when those of some features are fetched.
FETCHED_CODES = 4 * 10**6
# Up to so many rows of a stack are summed level by level, without looking factors up.
FEW_ROWS = 8
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
        self._tables: dict[int, tuple[FloatArray, float]] = {}
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
        (levels,) = self._levels.get([feature])
        table, norm = self._table(feature, levels)
        return _looked_up(levels, table), norm

    def multiplied(self, features: IndexArray, stack: Stack) -> Iterator[Products]:
        """Multiply features with a stack; few rows are summed by level first: F'G = T' (sums)."""
        if len(stack.starts) > 1 or len(stack.rows) > FEW_ROWS:
            yield from super().multiplied(features, stack)
            return
        rows = stack.rows.astype(np.float64)
        for part in slices(len(features), max(1, self._block_bytes // (8 * self.n_samples))):
            chosen = features[part].tolist()
            squares, norms = np.empty((len(chosen), 1)), np.empty(len(chosen))
            for place, (feature, levels) in enumerate(
                zip(chosen, self._levels.get(chosen), strict=True)
            ):
                table, norms[place] = self._table(feature, levels)
                codes = levels.codes.astype(np.intp)
                products = [np.bincount(codes, row, minlength=len(table)) @ table for row in rows]
                squares[place, 0] = sum(product @ product for product in products)
            yield Products(np.arange(part.start, part.start + len(chosen)), squares, norms)

    def _has_room_for(self, features: IndexArray) -> NDArray[np.bool_]:
        if self._blocks.is_local:
            return super()._has_room_for(features)
        return np.array(self._levels.has_room_for(features.tolist()), dtype=bool)

    def _bytes_at_work(self, piece_bytes: int) -> int:
        """Tell what a piece takes: its columns, their codes, tables and the factors of a group."""
        return piece_bytes + piece_bytes // self._blocks.dtype.itemsize + self._factor_bytes

    def _sent(self, stack: Stack) -> SentStack:
        if stack.features is None or self._blocks.is_local:
            return stack
        return CodedStack(_to_arrays(self._levels.get(stack.features.tolist())))

    def _groups(self, features: IndexArray, places: IndexArray) -> Iterator[FactorGroup]:
        all_levels = self._levels.get(features.tolist())
        for part in slices(len(features), self._batch_numbers // self.n_samples):
            yield self._group(features[part].tolist(), places[part], all_levels[part])

    def _group(
        self, features: list[int], places: IndexArray, all_levels: list[Levels]
    ) -> FactorGroup:
        """Look the factors of coded features up in their tables."""
        tables = [self._table(*of) for of in zip(features, all_levels, strict=True)]
        ends = np.cumsum([table.shape[1] for table, _ in tables])
        starts = np.concatenate([[0], ends[:-1]])
        rows = _rows_of_buffer(int(ends[-1]), self.n_samples)
        norms = np.array([norm for _, norm in tables])
        for place, (levels, (table, _)) in enumerate(zip(all_levels, tables, strict=True)):
            lookup = np.ascontiguousarray(table.T, dtype=np.float32)
            # Codes are inside the table, so that checking them ("raise") would only cost a copy.
            out = rows[starts[place] : ends[place]]
            np.take(lookup, levels.codes, axis=1, out=out, mode="clip")
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

    def _table(self, feature: int, levels: Levels) -> tuple[FloatArray, float]:
        """Table of levels of a feature and the norm of its kernel, kept if there is room."""
        if feature in self._tables:
            return self._tables[feature]
        table = _table_of(levels)
        found = (table, _norm(levels, table))
        if table.nbytes <= self._room:
            self._room -= table.nbytes
            self._tables[feature] = found
        return found


class CodedStack:
    """The stack of some coded features, sent as their codes: a byte a sample instead of some 50."""

    def __init__(self, arrays: list[NDArray[Any]]) -> None:
        self._arrays = arrays

    def opened(self) -> Stack:
        """Return the stack, the same object each time."""
        return self._stack

    @cached_property
    def _stack(self) -> Stack:
        factors = [_looked_up(levels, _table_of(levels)) for levels in _from_arrays(self._arrays)]
        starts = np.cumsum([0, *(len(rows) for rows in factors[:-1])])
        return Stack(np.concatenate(factors), starts)


def codes_of_piece(piece: ColumnPiece, categorical: NDArray[np.bool_]) -> tuple[NDArray[Any], ...]:
    """Code the features of one piece."""
    columns = piece.columns.read(np.arange(piece.columns.n_features))
    return tuple(_to_arrays(list(_coded(columns, categorical[piece.features]))))


def _table_of(levels: Levels) -> FloatArray:
    """Table of the levels of a feature, with one column of zeros at least."""
    table = levels.table()
    return table if table.shape[1] else np.zeros((len(table), 1))


def _looked_up(levels: Levels, table: FloatArray) -> NDArray[np.float32]:
    """Transposed factor of a feature."""
    lookup = np.ascontiguousarray(table.T, dtype=np.float32)
    return np.asarray(np.take(lookup, levels.codes, axis=1))


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


def _norm(levels: Levels, table: FloatArray) -> float:
    """Frobenius norm of the kernel of a feature: the columns of its factor are orthogonal."""
    return float(np.linalg.norm(levels.counts @ table**2))
