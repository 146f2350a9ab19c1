"""The memory that a fit takes beside its data, measured by the system in a process of its own.

``python -m tests.parallel.memory_of_fits problem.json`` prints bytes. A small fit comes first, so
that libraries, their buffers and code are there before; then the system's mark of the most memory
that the process ever had is set back. Pages of mapped files count as memory there, though the
system takes them back at need; for those the highest of many readings without them is taken.
"""

import json
import sys
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np

import hsieve
from hsieve import open_dataset
from hsieve.data.memory import give_back_memory

SELECTORS = {
    "N3LARS": lambda limit, **options: hsieve.N3LARS(3, memory_limit=limit, **options),
    "HSICLasso": lambda limit, **options: hsieve.HSICLasso(3, memory_limit=limit, **options),
    "MaxRelevance": lambda limit, form="auto", **options: hsieve.MaxRelevance(
        3, measure=hsieve.PairwiseHSIC(memory_limit=limit, form=form), **options
    ),
    "MRMR": lambda limit, form="auto", **options: hsieve.MRMR(
        3, measure=hsieve.PairwiseHSIC(memory_limit=limit, form=form), **options
    ),
    "InteractionScan": lambda limit, **options: hsieve.InteractionScan(
        memory_limit=limit, time_limit=None, **options
    ),
    "LPBoostMKL": lambda limit, **options: hsieve.LPBoostMKL(
        selector=hsieve.FamilyRanking(), memory_limit=limit, n_folds=2, **options
    ),
}
SECONDS_BETWEEN_READINGS = 0.002


def measured(problem: dict[str, Any]) -> int:
    """Fit, and return the most bytes that were taken beside what was there before."""
    X, y = _data(problem)
    rng = np.random.default_rng(0)
    small = rng.normal(size=(300, 40))
    selector = SELECTORS[problem["selector"]](problem["limit"], **problem["options"])
    selector.fit(small, (small[:, 0] > 0).astype(int))
    del selector
    give_back_memory()
    wanted = SELECTORS[problem["selector"]](problem["limit"], **problem["options"])
    if problem["source"] == "mapped":
        before = _status("RssAnon")
        with _Readings() as readings:
            wanted.fit(X, y)
        return readings.highest - before
    Path("/proc/self/clear_refs").write_text("5")
    before = _status("VmRSS")
    wanted.fit(X, y)
    return _status("VmHWM") - before


def _data(problem: dict[str, Any]) -> tuple[Any, Any]:
    """Open a file, or make an array."""
    if "file" in problem:
        table = open_dataset(problem["file"], target=problem["target"])
        return table.X, table.y
    X = np.random.default_rng(1).normal(size=problem["shape"]).astype(np.float32)
    y = X[:, 3] + np.abs(X[:, 7])
    return X, (y > np.median(y)).astype(int) if problem["classes"] else y


class _Readings:
    """The highest of many readings of this process's own memory, while a block lasts."""

    def __init__(self) -> None:
        self.highest = 0
        self._over = Event()
        self._thread = Thread(target=self._read, daemon=True)

    def __enter__(self) -> "_Readings":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()

    def _read(self) -> None:
        while not self._over.wait(SECONDS_BETWEEN_READINGS):
            self.highest = max(self.highest, _status("RssAnon"))


def _status(name: str) -> int:
    """Return a line of the system's account of this process, in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    line = next(line for line in lines if line.startswith(f"{name}:"))
    return 1024 * int(line.split()[1])


if __name__ == "__main__":
    print(measured(json.loads(Path(sys.argv[1]).read_text())))
