"""What a process holds, read again and again, and when that counts as growth.

Memory is read after a collection of garbage, with what the allocator keeps for later given back, so
that what is left is held. The growth is a line through the last three quarters of the readings
(the first quarter fills caches and loads libraries) over the processor time used, in means of
some readings each, so that neighbours that are alike do not feign certainty. It is told for 24
hours of computing, with limits of 95 %:

* the upper limit is below the bound: no growth;
* the lower limit is above it: growth;
* else the run was too short to tell.

Workers of joblib live on between rounds, cannot be made to give memory back from here, and take it
in steps; their memory in the last quarter must not be more than some megabytes above that in the
second.

Open files, threads, child processes and temporary files are counted; the most of the last
quarter must not be above the most of the second.
"""

import ctypes
import ctypes.util
import gc
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil
from scipy import stats

__all__ = ["BOUND", "COUNTED", "Reading", "Verdict", "judge", "read"]

DAY = 24 * 3600
# Megabytes that a process may grow by in a day of computing.
BOUND = 256.0
N_MEANS = 12
COUNTED = ("files", "threads", "children", "temporary")
# Megabytes that workers, all together, may take between the second quarter and the last.
STEPS_OF_WORKERS = 32.0


@dataclass(frozen=True)
class Reading:
    """Processor seconds used so far, megabytes held here and by child processes, and counts."""

    seconds: float
    memory: float
    memory_of_children: float
    files: int
    threads: int
    children: int
    temporary: int


@dataclass(frozen=True)
class Verdict:
    """Whether a process grows: True, False, or None if that cannot be told, and why."""

    grows: bool | None
    sentences: tuple[str, ...]


def read(seconds: float, temporary: Path) -> Reading:
    """Look at this process, and at a folder for temporary files."""
    gc.collect()
    _give_back()
    process = psutil.Process()
    held = [_memory(child) for child in process.children(recursive=True)]
    alive = [memory for memory in held if memory is not None]
    return Reading(
        seconds=round(seconds, 3),
        memory=round(process.memory_info().rss / 2**20, 3),
        memory_of_children=round(sum(alive), 3),
        files=process.num_fds() if hasattr(process, "num_fds") else process.num_handles(),
        threads=process.num_threads(),
        children=len(alive),
        temporary=sum(1 for _ in temporary.rglob("*")),
    )


def judge(readings: Sequence[Reading], bound: float = BOUND) -> Verdict:
    """Tell whether memory or counts grow."""
    if len(readings) < 4 * N_MEANS // 3:
        return Verdict(None, (f"{len(readings)} readings are too few to tell",))
    verdicts = [_growth_of_memory(readings, bound), _growth_of_workers(readings)]
    verdicts += [_growth_of_count(readings, name) for name in COUNTED]
    found = [verdict.grows for verdict in verdicts]
    grows = True if True in found else None if None in found else False
    return Verdict(grows, tuple(sentence for each in verdicts for sentence in each.sentences))


def _growth_of_memory(readings: Sequence[Reading], bound: float) -> Verdict:
    """Draw a line through means of the last three quarters."""
    late = readings[len(readings) // 4 :]
    parts = np.array_split(np.array([(each.seconds, each.memory) for each in late]), N_MEANS)
    seconds, memory = np.array([part.mean(axis=0) for part in parts]).T
    centred = seconds - seconds.mean()
    slope = centred @ memory / (centred @ centred)
    residuals = memory - memory.mean() - slope * centred
    error = np.sqrt(residuals @ residuals / (N_MEANS - 2) / (centred @ centred))
    reach = stats.t.ppf(0.975, N_MEANS - 2) * error
    low, middle, high = (DAY * (slope + change) for change in (-reach, 0.0, reach))
    grows = False if high < bound else True if low > bound else None
    words = {False: "no growth", True: "growth", None: "too short to tell"}[grows]
    sentence = (
        f"memory: {words}; {readings[0].memory:.1f} MB at the beginning, {memory.min():.1f} to "
        f"{memory.max():.1f} MB in the last three quarters, {middle:+.0f} MB in 24 hours of "
        f"computing (95 %: {low:+.0f} to {high:+.0f}; bound {bound:.0f})"
    )
    return Verdict(grows, (sentence,))


def _growth_of_workers(readings: Sequence[Reading]) -> Verdict:
    """Hold the memory of child processes in the last quarter to that in the second."""
    held, quarter = [each.memory_of_children for each in readings], len(readings) // 4
    before, after = np.mean(held[quarter : 2 * quarter]), np.mean(held[-quarter:])
    grows = bool(after > before + STEPS_OF_WORKERS)
    words = "growth" if grows else "no growth"
    sentence = f"memory of child processes: {words}; {before:.1f} MB, then {after:.1f} MB"
    return Verdict(grows, (sentence,))


def _growth_of_count(readings: Sequence[Reading], name: str) -> Verdict:
    """Hold the last quarter to the second."""
    counts = [getattr(each, name) for each in readings]
    quarter = len(counts) // 4
    before, after = max(counts[quarter : 2 * quarter]), max(counts[-quarter:])
    words = "growth" if after > before else "no growth"
    sentence = f"{name}: {words}; at most {before} in the second quarter, {after} in the last"
    return Verdict(after > before, (sentence,))


def _memory(process: psutil.Process) -> float | None:
    """Return the megabytes of a child process, or None if it has just ended."""
    try:
        return process.memory_info().rss / 2**20
    except psutil.NoSuchProcess:
        return None


def _give_back() -> None:
    """Let the allocator give free memory back to the system, where it can (glibc)."""
    library = ctypes.util.find_library("c")
    trim = getattr(ctypes.CDLL(library), "malloc_trim", None) if library else None
    if trim is not None:
        trim(0)
