"""An engine that keeps each result in a folder and, run again, computes only what is missing.

Tasks of a map are known by marks of the function, the shared value and the task itself, not by
their number. A result is therefore taken for exactly what was asked for, and a run may be taken up
again on another engine, which may ask for other things in between. What tasks and shared values
hold as :class:`hsieve.fingerprint.Unmarked` - the data - must follow from what the whole checkpoint
is known by.
"""

import os
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from hsieve.fingerprint import fingerprint_of
from hsieve.parallel.base import Engine, Held, Traffic
from hsieve.parallel.checkpoint_folder import Arrays, CheckpointError, KeptResults, open_checkpoint

__all__ = ["CheckpointError", "Checkpointed"]

Task = TypeVar("Task")
Result = TypeVar("Result")


class Checkpointed(Engine):
    """Another engine, the results of which are kept; the answer is the same.

    Notes
    -----
    Each result is brought to the disk before it is handed on, and a damaged one is computed again,
    with a warning.

    Examples
    --------
    >>> import tempfile
    >>> from hsieve.parallel import make_engine
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for _ in range(2):  # the second time nothing is computed
    ...         with Checkpointed(make_engine("threads"), folder, {"seed": 1}) as engine:
    ...             [int(last[0]) for _, last in engine.map(np.divmod, [np.array([7])], shared=4)]
    [3]
    [3]
    """

    keeps_results = True

    def __init__(
        self,
        engine: Engine,
        folder: str | os.PathLike[str],
        settings: Mapping[str, Any],
        marks: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self.is_local, self.staging = engine.is_local, engine.staging
        self._engine = engine
        self._folder = Path(folder)
        self._belongs_to = (settings, marks or {})

    @property
    def traffic(self) -> Traffic:
        """Bytes moved between processes so far."""
        return self._engine.traffic

    def _start(self, opened: ExitStack) -> None:
        # Before workers are started, because most of what can be wrong is wrong here.
        opened.enter_context(open_checkpoint(self._folder, *self._belongs_to))
        if not self._engine.is_open:
            opened.enter_context(self._engine)

    def _map(
        self, function: Callable[[Task, Any], Result], tasks: Iterator[Task], shared: Any
    ) -> Generator[Result, None, None]:
        return self._map_missing(function, tasks, shared, None)

    def _map_some(
        self, function: Callable[[Task, Any], Result], tasks: Iterator[Task], shared: Any, most: int
    ) -> Generator[Result, None, None]:
        return self._map_missing(function, tasks, shared, most)

    def _map_missing(
        self,
        function: Callable[[Task, Any], Result],
        tasks: Iterator[Task],
        shared: Any,
        most: int | None,
    ) -> Generator[Result, None, None]:
        """Let the engine do what is not kept."""
        kept = KeptResults(self._folder, fingerprint_of((function, shared)))
        # Marks of the tasks asked for and not yet given back, and whether their results are kept.
        asked: deque[tuple[str, bool]] = deque()

        def missing() -> Iterator[Task]:
            for task in tasks:
                # Data that workers hold are known by the whole checkpoint, as all data are.
                of_task = fingerprint_of(task.task if isinstance(task, Held) else task)
                asked.append((of_task, kept.has(of_task)))
                if not asked[-1][1]:
                    yield task

        with closing(
            self._engine.map(function, missing(), shared=shared, most_in_flight=most)
        ) as computed:
            for result in computed:
                while asked[0][1]:
                    yield kept.get(asked.popleft()[0])  # type: ignore[misc]
                kept.put(asked.popleft()[0], _arrays(function, result))
                yield result
            while asked:
                yield kept.get(asked.popleft()[0])  # type: ignore[misc]


def _arrays(function: Callable[..., Any], result: Any) -> Arrays:
    """Pass on what can be kept, and refuse the rest."""
    is_plain = isinstance(result, tuple) and all(
        isinstance(array, np.ndarray) and not array.dtype.hasobject for array in result
    )
    if not is_plain:
        msg = (
            "A checkpoint keeps results that are tuples of arrays of numbers or text, but "
            f"{getattr(function, '__name__', function)} returned {type(result).__name__}."
        )
        raise TypeError(msg)
    arrays: Arrays = result
    return arrays
