"""Factors of features whose products with others are asked for again and again."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hsieve.kernels.factor_store import FactorStore, Stack

__all__ = ["ActiveFactors"]

IndexArray = NDArray[np.intp]

# Bytes of the first stack.
FIRST_STACK = 8 * 10**6


class ActiveFactors:
    """Factors of active features, kept in one stack as far as memory allows.

    Consecutive features of the stack are handed out without copying, which is what a path asks for.
    """

    def __init__(self, store: FactorStore, most_bytes: int) -> None:
        self._store = store
        self._most_bytes = most_bytes
        self._stack = np.empty((0, store.n_samples), dtype=np.float32)
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
                self._last = (spans, self._stacked(spans, columns[inside]))
            yield inside, self._last[1]
        for place in np.flatnonzero(~held):
            rows, _ = self._store.rows(int(columns[place]))
            of_one = Stack(rows, np.zeros(1, dtype=np.intp), columns[[place]])
            yield np.array([place]), of_one

    def _stacked(self, spans: IndexArray, features: IndexArray) -> Stack:
        """Stack the rows of some features, without copying those that lie together."""
        if (spans[1:, 0] == spans[:-1, 1]).all():
            rows = self._stack[spans[0, 0] : spans[-1, 1]]
        else:
            rows = np.concatenate([self._stack[first:last] for first, last in spans])
        lengths = spans[:, 1] - spans[:, 0]
        return Stack(rows, np.cumsum(lengths) - lengths, features)

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
            (few if needed <= few <= most else most, self._store.n_samples), np.float32
        )
        larger[: len(self._stack)] = self._stack
        self._stack = larger
