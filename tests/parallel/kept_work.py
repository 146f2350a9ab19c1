"""Functions whose results are kept, and that leave a trace of each time they are run."""

import uuid
from pathlib import Path

import numpy as np

__all__ = ["done", "nothing_to_keep", "objects", "sums_of_range"]


def sums_of_range(
    task: tuple[int, int], shared: tuple[np.ndarray, Path]
) -> tuple[np.ndarray, np.ndarray]:
    """Two arrays of other types and shapes; a range that begins below zero is an error."""
    numbers, traces = shared
    start, stop = task
    if start < 0:
        msg = f"{task} is no range"
        raise ValueError(msg)
    (traces / f"{start}-{uuid.uuid4().hex}").touch()
    chosen = numbers[start:stop]
    return np.asfortranarray(np.outer(chosen, chosen)), np.array(chosen.sum(), dtype=np.float32)


def done(traces: Path) -> list[int]:
    """Where the ranges begin that were worked on, in order."""
    return sorted(int(trace.name.partition("-")[0]) for trace in traces.iterdir())


def nothing_to_keep(task: int, shared: None) -> int:
    return task


def objects(task: int, shared: None) -> tuple[np.ndarray]:
    return (np.array([task, None]),)
