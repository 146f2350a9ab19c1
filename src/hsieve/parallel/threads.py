"""Threads: one for BLAS where more only wait for each other, all for parts of many rows.

Products of the thin factors of single features are too small to be shared out: two threads take
the same time as one and twice the processor, and on a machine with other work many times longer.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from typing import TypeVar

import joblib
from threadpoolctl import ThreadpoolController

__all__ = ["one_blas_thread", "over_rows"]

Result = TypeVar("Result")

ROWS_AT_A_TIME = 2_048


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS use one thread inside the block."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


def over_rows(function: Callable[[slice], Result], n_rows: int) -> list[Result]:
    """Apply a function to parts of the rows, on all cores where there are many.

    Parameters
    ----------
    function : callable
        Works on the rows of a slice; what it calls should release Python's lock.
    n_rows : int
        Number of rows.

    Returns
    -------
    list
        Results in the order of the rows. The parts depend on the number of rows alone, so that sums
        over them have the same digits on any number of cores.
    """
    parts = [slice(start, start + ROWS_AT_A_TIME) for start in range(0, n_rows, ROWS_AT_A_TIME)]
    if len(parts) == 1:
        return [function(parts[0])]
    with ThreadPoolExecutor(joblib.cpu_count()) as pool:
        return list(pool.map(function, parts))


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    """Find the libraries once: looking for them takes milliseconds."""
    return ThreadpoolController()
