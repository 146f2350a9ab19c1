"""Data for selections on engines: the same numbers in memory and in files of several layouts."""

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hsieve import open_dataset
from hsieve.data.arrays import as_blocks
from hsieve.data.columns import ColumnBlocks, FloatArray, IndexArray
from tests.parallel.work import executor_of_spark

__all__ = ["LAYOUTS", "DeadlyColumns", "Problem", "make_problem", "stored"]

N, D, CATEGORY = 300, 60, 7


@dataclass(frozen=True)
class Problem:
    """Features of which the first few matter, some of them copied, and two kinds of target."""

    X: np.ndarray
    numbers: np.ndarray
    classes: np.ndarray

    def target(self, kind: str) -> np.ndarray:
        return self.numbers if kind == "continuous" else self.classes


def make_problem() -> Problem:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(N, D)).astype(np.float32)
    X[:, CATEGORY] = rng.integers(0, 4, N)
    X[:, 40:45] = X[:, :5] + 0.2 * rng.normal(size=(N, 5))
    X[:, 50:55] = X[:, 50:55].round()
    signal_part = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + X[:, 2] + (X[:, CATEGORY] == 2)
    numbers = signal_part + 0.3 * rng.normal(size=N)
    classes = np.digitize(signal_part, np.quantile(signal_part, [0.3, 0.6]))
    return Problem(X, numbers, classes)


def _row_parts(problem: Problem, folder: Path) -> ColumnBlocks:
    """Parquet files that hold some rows each."""
    for part, rows in enumerate(np.array_split(np.arange(N), 3)):
        _write(folder / f"part-{part}.parquet", problem.X[rows], range(D), problem.numbers[rows])
    return open_dataset(folder, target="y").columns


def _column_parts(problem: Problem, folder: Path) -> ColumnBlocks:
    """Parquet files that hold some columns each."""
    for part, columns in enumerate(np.array_split(np.arange(D), 4)):
        target = problem.numbers if part == 3 else None
        _write(folder / f"part-{part}.parquet", problem.X[:, columns], columns, target)
    return open_dataset(folder, target="y").columns


def _matrix(problem: Problem, folder: Path) -> ColumnBlocks:
    """One .npy file, row by row."""
    np.save(folder / "all.npy", np.column_stack([problem.X, problem.numbers.astype(np.float32)]))
    return open_dataset(folder / "all.npy", target="-1").columns


def _memory(problem: Problem, folder: Path) -> ColumnBlocks:
    """An array of the driver, the columns of which are sent."""
    return as_blocks(problem.X)


def _write(path: Path, X: np.ndarray, columns, target: np.ndarray | None) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    table = {f"f{feature}": X[:, place] for place, feature in enumerate(columns)}
    parquet.write_table(pa.table(table if target is None else {**table, "y": target}), path)


LAYOUTS: dict[str, Callable[[Problem, Path], ColumnBlocks]] = {
    "row parts": _row_parts,
    "column parts": _column_parts,
    "matrix": _matrix,
    "memory": _memory,
}


def stored(layout: str, problem: Problem, folder: Path) -> ColumnBlocks:
    """Store the features in a folder and open them."""
    return LAYOUTS[layout](problem, folder)


@dataclass(frozen=True)
class DeadlyColumns:
    """A reference to columns that kills the first process to read a feature for the k-th time.

    Readings are counted by files beside the trace, which then holds the ids of those killed.
    """

    path: str
    trace: str
    feature: int
    reading: int
    with_executor: bool

    def open(self) -> ColumnBlocks:
        return _Deadly(open_dataset(self.path, target="y").columns, self)

    def state(self) -> tuple[()]:
        """The files do not change."""
        return ()

    def count(self) -> None:
        """Count a reading and die if it is the one."""
        trace = Path(self.trace)
        number = 1
        while True:
            try:
                trace.with_suffix(f".{number}").touch(exist_ok=False)
            except FileExistsError:
                number += 1
            else:
                break
        if number == self.reading:
            doomed = [*([executor_of_spark()] if self.with_executor else []), os.getpid()]
            trace.write_text(" ".join(map(str, doomed)))
            for pid in doomed:
                os.kill(pid, signal.SIGKILL)


class _Deadly(ColumnBlocks):
    """Columns that belong to a `DeadlyColumns`."""

    def __init__(self, blocks: ColumnBlocks, deadly: DeadlyColumns) -> None:
        self._blocks = blocks
        self._deadly = deadly
        self.n_samples, self.n_features = blocks.shape
        self.names, self.dtype = blocks.names, blocks.dtype

    def reference(self) -> DeadlyColumns:
        return self._deadly

    def _fill(self, block: FloatArray, positions: IndexArray) -> None:
        if self._deadly.feature in positions:
            self._deadly.count()
        self._blocks._fill(block, positions)
