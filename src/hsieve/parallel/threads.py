"""Threads of BLAS and of our own.

Threads: one for BLAS where more only wait for each other, all for parts of many rows.

Products of the thin factors of single features are too small to be shared out: two threads take
the same time as one and twice the processor, and on a machine with other work many times longer.

One BLAS thread for each of several tasks that run side by side in one process.

Most BLAS have one limit for the whole process, some one for each thread. If tasks set and restored
the former by themselves, the first to end would take it away from the others; it is therefore held
until the last has ended. From version 3.8 on threadpoolctl lets one thread at a time set it and
ignores the others in silence, so the thread that uses an engine holds it for those of the engine.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from threading import Lock
from typing import Any, TypeVar

import joblib
from threadpoolctl import ThreadpoolController

Result = TypeVar("Result")

ROWS_AT_A_TIME = 2_048


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS use one thread inside the block."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


def over_rows(function: Callable[[slice], Result], n_rows: int) -> list[Result]:
    """Apply a function to parts of the rows, on all cores where there are many.

    The parts depend on the number of rows alone, so that sums over the results have the same digits
    on any number of cores.
    """
    parts = [slice(start, start + ROWS_AT_A_TIME) for start in range(0, n_rows, ROWS_AT_A_TIME)]
    if len(parts) == 1:
        return [function(parts[0])]
    with ThreadPoolExecutor(joblib.cpu_count()) as pool:
        return list(pool.map(function, parts))


def over_threads(
    function: Callable[..., Result], tasks: Sequence[tuple[Any, ...]], n_threads: int
) -> list[Result]:
    """Apply a function that releases Python's lock to some arguments each, in order."""
    if n_threads == 1 or len(tasks) == 1:
        return [function(*task) for task in tasks]
    with ThreadPoolExecutor(min(n_threads, len(tasks))) as pool:
        return list(pool.map(function, *zip(*tasks, strict=True)))


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    """Find the libraries once: looking for them takes milliseconds."""
    return ThreadpoolController()


@contextmanager
def hold_one_blas_thread() -> Iterator[None]:
    """Let BLAS use one thread until the last of all blocks that want it has ended."""
    _LIMIT.begin()
    try:
        yield
    finally:
        _LIMIT.end()


@contextmanager
def one_blas_thread_a_task() -> Iterator[None]:
    """Let BLAS use one thread in a task, whether its limit is one of the process or the thread."""
    with hold_one_blas_thread(), one_blas_thread():
        yield


class _Limit:
    """The limit of the process, and how many blocks want it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._n_blocks = 0
        self._set = ExitStack()

    def begin(self) -> None:
        """Set the limit for the first block."""
        with self._lock:
            if self._n_blocks == 0:
                self._set.enter_context(one_blas_thread())
            self._n_blocks += 1

    def end(self) -> None:
        """Lift the limit after the last block."""
        with self._lock:
            self._n_blocks -= 1
            if self._n_blocks == 0:
                self._set.close()


_LIMIT = _Limit()
