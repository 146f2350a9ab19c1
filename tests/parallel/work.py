"""Functions for engines; in a module of their own, because workers import them."""

import os
import signal
import time
from pathlib import Path

import numpy as np
import psutil
from threadpoolctl import threadpool_info

__all__ = [
    "OddError",
    "PlainError",
    "beyond",
    "blas_threads",
    "executor_of_spark",
    "fail_at",
    "identify",
    "kill_once",
    "kill_self",
    "raise_odd",
    "total_of_range",
    "touch",
]


class PlainError(ValueError):
    """An error of one's own that can be pickled."""


class OddError(ValueError):
    """An error that can be pickled but not rebuilt."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} and {second}")


def total_of_range(task: tuple[int, int], shared: np.ndarray) -> float:
    """A sum whose last digits would show another order or cut."""
    start, stop = task
    return float(np.sin(shared[start:stop]) @ shared[start:stop])


def identify(task: int, shared: None) -> tuple[int, int]:
    """The task and the process it was done in."""
    time.sleep(0.01)
    return task, os.getpid()


def touch(task: Path, shared: None) -> str:
    """Leave a trace of having run."""
    task.touch()
    return task.name


def fail_at(task: int, shared: int) -> int:
    if task >= shared:
        raise PlainError(f"task {task} is bad")
    return task


def raise_odd(task: int, shared: None) -> None:
    raise OddError("this", "that")


def beyond(task: int, shared: None) -> object:
    """A result that cannot be sent."""
    return lambda: task


def blas_threads(task: int, shared: np.ndarray) -> int:
    """The largest number of threads that a BLAS would use now."""
    float(shared @ shared)
    found = [lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"]
    return max(found)


def kill_self(task: int, shared: None) -> None:
    """Kill the worker, each time."""
    os.kill(os.getpid(), signal.SIGKILL)


def kill_once(task: tuple[int, int], shared: tuple[np.ndarray, Path, bool]) -> float:
    """As `total_of_range`, but the first process that comes to it half-way through is killed.

    The shared values are the numbers, a file for the process ids that were killed, and whether the
    executor of Spark above the process is to die, too.
    """
    numbers, trace, with_executor = shared
    if task[0] >= len(numbers) // 2 and not trace.exists():
        doomed = [*([executor_of_spark()] if with_executor else []), os.getpid()]
        own = trace.with_suffix(f".{os.getpid()}")
        own.write_text(" ".join(map(str, doomed)))
        # Of several workers that come here at once the first one is taken; the others go on.
        try:
            os.link(own, trace)
        except FileExistsError:
            return total_of_range(task, numbers)
        for pid in doomed:
            os.kill(pid, signal.SIGKILL)
    return total_of_range(task, numbers)


def executor_of_spark() -> int:
    """The Java process that started the daemon that forked this worker."""
    executor = psutil.Process(os.getppid()).parent()
    if executor is None or "CoarseGrainedExecutorBackend" not in " ".join(executor.cmdline()):
        raise RuntimeError(f"{executor} is no executor")
    return executor.pid
