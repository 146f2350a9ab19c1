"""One BLAS thread for each of several tasks that run side by side in one process.

Most BLAS have one limit for the whole process, some one for each thread. If tasks set and restored
the former by themselves, the first to end would take it away from the others; it is therefore held
until the last has ended. From version 3.8 on threadpoolctl lets one thread at a time set it and
ignores the others in silence, so the thread that uses an engine holds it for those of the engine.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Lock

from hsieve.parallel.threads import one_blas_thread

__all__ = ["hold_one_blas_thread", "one_blas_thread_a_task"]


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
