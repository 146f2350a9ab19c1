"""Work shared out over threads, for loops and array operations that leave the interpreter free."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["in_threads"]

Task = TypeVar("Task")
Result = TypeVar("Result")


def in_threads(function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
    """Apply a function to tasks, side by side; results come in the order of the tasks.

    Parameters
    ----------
    function : callable
        Pure, or writing to places of its own.
    tasks : iterable
        What it is applied to. How they are cut must not depend on the number of threads, so that
        the result does not.

    Yields
    ------
    object
        The results.
    """
    listed = list(tasks)
    n_threads = min(_n_cores(), len(listed))
    if n_threads <= 1:
        yield from map(function, listed)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        yield from pool.map(function, listed)


def _n_cores() -> int:
    """Count the cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
