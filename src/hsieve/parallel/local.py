"""Engines of this process: one task after the other, or threads.

Nothing is copied: tasks, shared values and results are the objects themselves, and no bytes cross
a border. Threads serve functions that spend their time in BLAS, in NumPy or in reading files.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, TypeVar

import joblib

from hsieve.parallel.base import Engine, in_order
from hsieve.parallel.blas import hold_one_blas_thread, one_blas_thread_a_task

__all__ = ["InPlaceEngine", "SerialEngine", "ThreadEngine"]

Task = TypeVar("Task")
Result = TypeVar("Result")

TASKS_A_THREAD = 2


class SerialEngine(Engine):
    """One task after the other, each when its result is asked for."""

    is_local = True

    def _start(self, opened: ExitStack) -> None:
        """Nothing is needed."""

    def _map(
        self, function: Callable[[Task, Any], Result], tasks: Iterator[Task], shared: Any
    ) -> Generator[Result, None, None]:
        for task in tasks:
            yield _run(function, task, shared)


class InPlaceEngine(Engine):
    """One task after the other, with as many BLAS threads as without an engine.

    For rounds of a search that follow from each other: all that an engine can do for them is to
    keep their results.
    """

    is_local = True

    def _start(self, opened: ExitStack) -> None:
        """Nothing is needed."""

    def _map(
        self, function: Callable[[Task, Any], Result], tasks: Iterator[Task], shared: Any
    ) -> Generator[Result, None, None]:
        for task in tasks:
            yield function(task, shared)


class ThreadEngine(Engine):
    """Threads of this process.

    Parameters
    ----------
    n_workers : int or None, default=None
        Number of threads; None for one a core.
    in_flight : int or None, default=None
        Most tasks begun ahead; None for two a thread.

    Notes
    -----
    As long as a map is under way, BLAS has one thread for whoever takes the results, too.
    """

    is_local = True

    def __init__(self, n_workers: int | None = None, in_flight: int | None = None) -> None:
        super().__init__()
        self._n_workers = n_workers or joblib.cpu_count()
        self._in_flight = in_flight or TASKS_A_THREAD * self._n_workers

    def _start(self, opened: ExitStack) -> None:
        """Threads live as long as a map, so that none is left where a map is given up."""

    def _map(
        self, function: Callable[[Task, Any], Result], tasks: Iterator[Task], shared: Any
    ) -> Generator[Result, None, None]:
        return self._map_some(function, tasks, shared, self._in_flight)

    def _map_some(
        self, function: Callable[[Task, Any], Result], tasks: Iterator[Task], shared: Any, most: int
    ) -> Generator[Result, None, None]:
        most = min(most, self._in_flight)
        # No thread more than tasks: each may have memory of its own.
        pool = ThreadPoolExecutor(min(self._n_workers, most), thread_name_prefix="hsieve")
        waiting: deque[Future[Result]] = deque()
        with hold_one_blas_thread():
            try:
                yield from in_order(
                    tasks,
                    most,
                    begin=lambda task: pool.submit(_run, function, task, shared),
                    end=Future.result,
                    waiting=waiting,
                )
            finally:
                pool.shutdown(cancel_futures=True)


def _run(function: Callable[[Task, Any], Result], task: Task, shared: Any) -> Result:
    """Do one task."""
    with one_blas_thread_a_task():
        return function(task, shared)
