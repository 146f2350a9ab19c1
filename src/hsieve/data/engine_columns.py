"""Columns and the engine that works on them: functions go to the columns, few columns come here.

Pieces are worked on by the engine's workers. Where these are other processes, each opens the data
itself, by a reference that says how, unless it holds them in memory; columns that have none (an
array in this process) are sent along, each once for a pass. A column that is read here is worth
many times its bytes, since asking takes a round trip, so columns that were read are kept, and those
that are *expected* to be asked for next come along.
"""

import uuid
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from functools import lru_cache
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from hsieve.data.arrays import ArrayBlocks
from hsieve.data.columns import ColumnBlocks, ColumnPiece, FloatArray, IndexArray, Reference
from hsieve.fingerprint import Ignored
from hsieve.parallel.base import Engine, Held
from hsieve.text import at_command_line, is_at_command_line

__all__ = ["EngineColumns", "Fetched", "HeldColumns"]

Item = TypeVar("Item")

# Columns of one task when some columns are fetched.
FETCHED_BYTES = 4 * 10**6
KEPT_BYTES = 64 * 10**6
# Features that come along with the first ones asked for; later as many as there are already.
FIRST_FETCHED = 64
# References that a worker keeps open: the data at hand, and those of a run before.
MOST_OPEN = 2


class Fetched(Generic[Item]):
    """Things of single features, fetched when they are asked for, more than one at a time."""

    def __init__(
        self, fetch: Callable[[IndexArray], Iterator[tuple[int, Item]]], most_kept: int
    ) -> None:
        self._fetch = fetch
        self._most_kept = max(1, most_kept)
        self._kept: dict[int, Item] = {}
        self._expected: Sequence[int] = ()

    def expect(self, features: IndexArray) -> None:
        """Say which features will be asked for, the most likely first."""
        self._expected = features.tolist()

    def has_room_for(self, features: Sequence[int]) -> list[bool]:
        """Mark the features that are kept, or could be without forgetting any."""
        n_free = self._most_kept - len(self._kept)
        marks = []
        for feature in features:
            is_new = feature not in self._kept
            marks.append(not is_new or n_free > 0)
            n_free -= is_new
        return marks

    def add(self, found: Iterable[tuple[int, Item]]) -> None:
        """Keep what came without being asked for, if there is room."""
        for feature, item in found:
            if len(self._kept) < self._most_kept:
                self._kept[feature] = item

    def get(self, features: Sequence[int]) -> list[Item]:
        """Return the things of some features, in their order."""
        wanted = dict.fromkeys(features)
        missing = [feature for feature in wanted if feature not in self._kept]
        if missing:
            missing += self._likely_next(set(missing))
            self._kept |= dict(self._fetch(np.sort(np.array(missing, dtype=np.intp))))
        items = [self._kept[feature] for feature in features]
        for feature in list(self._kept)[: max(0, len(self._kept) - self._most_kept)]:
            del self._kept[feature]
        return items

    def _likely_next(self, missing: set[int]) -> list[int]:
        """Choose as many expected features again as there are, so that few round trips do."""
        n_more = max(FIRST_FETCHED, len(self._kept)) - len(missing)
        n_more = min(n_more, self._most_kept - len(self._kept) - len(missing))
        likely: list[int] = []
        for feature in self._expected:
            if len(likely) >= n_more:
                break
            if feature not in self._kept and feature not in missing:
                likely.append(feature)
        return likely


class EngineColumns(ColumnBlocks):
    """Columns on which an engine works."""

    def __init__(self, blocks: ColumnBlocks, engine: Engine) -> None:
        self._blocks = blocks
        self._engine = engine
        self.n_samples, self.n_features = blocks.shape
        self.names, self.dtype = blocks.names, blocks.dtype
        column_bytes = max(1, self.n_samples * self.dtype.itemsize)
        self._columns: Fetched[FloatArray] = Fetched(self._fetch, KEPT_BYTES // column_bytes)
        # By which workers know that files they have open are to be looked at again.
        self._work = uuid.uuid4().hex
        self._reference: Reference | None = None

    @property
    def is_local(self) -> bool:
        """Whether the engine works in this process and the columns are at hand in it."""
        return self._engine.is_local and self._blocks.is_local

    @property
    def n_threads(self) -> int:
        """Threads of this process that work on columns."""
        return self._engine.n_threads

    @property
    def takes_large_results(self) -> bool:
        """Whether results of `map` are neither sent nor stored."""
        return self._engine.is_local and not self._engine.keeps_results

    def expect(self, features: IndexArray) -> None:
        """Say which columns will be read, the most likely first."""
        self._columns.expect(features)

    def has_room_for(self, features: IndexArray) -> NDArray[np.bool_]:
        """Mark the columns that can be kept here once they were read."""
        if self.is_local:
            return super().has_room_for(features)
        return np.array(self._columns.has_room_for(features.tolist()), dtype=bool)

    def map(
        self,
        function: Callable[[ColumnPiece, Any], Any],
        shared: Any = None,
        *,
        max_bytes: int,
        features: IndexArray | None = None,
        most_at_work: int | None = None,
    ) -> Iterator[tuple[IndexArray, Any]]:
        """Run a function over pieces of the columns, by the engine."""
        pieces = list(self._pieces(max_bytes, features))
        held = None if self._engine.is_local else self._blocks.held(pieces)
        source: Any = None
        if self._engine.is_local:
            source = self._blocks
        elif held is None:
            # Once, since it may take a look at very many files.
            self._reference = self._reference or self._blocks.reference()
            source = self._reference and (self._reference, self._work)
        sends = source is None
        tasks: Iterable[Any] = held or (
            (piece, Ignored(self._blocks.read(piece) if sends else None)) for piece in pieces
        )
        results = self._engine.map(
            _work,
            tasks,
            shared=(function, Ignored((source, is_at_command_line())), shared),
            most_in_flight=most_at_work,
        )
        yield from zip(pieces, results, strict=True)

    def read(self, features: Any) -> FloatArray:
        """Return the columns of some features."""
        if self.is_local:
            return self._blocks.read(features)
        return super().read(features)

    def _fill(self, block: FloatArray, positions: IndexArray) -> None:
        for place, column in enumerate(self._columns.get(positions.tolist())):
            block[:, place] = column

    def _fetch(self, features: IndexArray) -> Iterator[tuple[int, FloatArray]]:
        for positions, (columns,) in self.map(
            _columns_of, max_bytes=FETCHED_BYTES, features=features
        ):
            yield from zip(positions.tolist(), columns.T, strict=True)


def _columns_of(piece: ColumnPiece, shared: None) -> tuple[FloatArray]:
    """Read a whole piece."""
    return (piece.columns.read(np.arange(piece.columns.n_features)),)


def _work(task: Held | tuple[IndexArray, Ignored], shared: tuple[Any, Ignored, Any]) -> Any:
    """Do the work on one piece, in a worker."""
    function, (source, names_options), argument = shared[0], shared[1].value, shared[2]
    with at_command_line() if names_options else nullcontext():
        if isinstance(task, Held):
            return function(_piece_of_held(task), argument)
        positions, sent = task[0], task[1].value
        if sent is not None:
            return function(ColumnPiece(positions, ArrayBlocks(sent)), argument)
        blocks = source if isinstance(source, ColumnBlocks) else _opened(*source)
        ((_, result),) = blocks.map(function, argument, max_bytes=2**62, features=positions)
        return result


def _piece_of_held(held: Held) -> ColumnPiece:
    """Put a piece together, in a worker, from its task and the data."""
    features, names = held.task[0], held.task[1].value
    array = held.data[0] if len(held.data) == 1 else np.concatenate(held.data, axis=1)
    return ColumnPiece(features, HeldColumns(array, features, names))


class HeldColumns(ArrayBlocks):
    """Columns of an array that know by which number they are called elsewhere."""

    def __init__(
        self, array: NDArray[Any], features: IndexArray, names: Sequence[str] | None
    ) -> None:
        super().__init__(np.asarray(array), names)
        self._features = features

    def _called(self, feature: int) -> str:
        return super()._called(feature) if self.names else str(self._features[feature])


@lru_cache(maxsize=MOST_OPEN)
def _opened(reference: Reference, work: str) -> ColumnBlocks:
    """Open columns once in each process; whether they are still the same is seen once a work.

    Not more often, so that a piece of work does not begin with one file and end with another.
    """
    del work
    return _opened_in_state(reference, reference.state())


@lru_cache(maxsize=MOST_OPEN)
def _opened_in_state(reference: Reference, state: Hashable) -> ColumnBlocks:
    """Open columns, unless those that are open are still the ones at their place."""
    del state
    return reference.open()
