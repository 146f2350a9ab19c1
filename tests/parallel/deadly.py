"""What goes wrong inside a job; in a module, because workers import it."""

import os
import signal
from pathlib import Path
from typing import Any, Self

import numpy as np

from hsieve.parallel import make_engine
from hsieve.selectors.base import BaseSelector
from tests.parallel.work import executor_of_spark

__all__ = ["Deadly", "open_dask"]


def open_dask(task: int, shared: None) -> int:
    """Ask the cluster from inside one of its tasks."""
    with make_engine("dask"):
        return task


class Deadly(BaseSelector):
    """Features by their correlation with the target; one of the fits ends its process.

    The fits are counted by files beside the trace, which then holds the ids of those killed.
    """

    def __init__(
        self,
        n_features_to_select: int = 3,
        *,
        trace: str | None = None,
        deadly_fit: int = 5,
        with_executor: bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.trace = trace
        self.deadly_fit = deadly_fit
        self.with_executor = with_executor

    def fit(self, X: Any, y: Any) -> Self:
        if self.trace is not None:
            self._count(Path(self.trace))
        self.n_features_in_ = X.shape[1]
        covariance = np.abs((X - X.mean(axis=0)).T @ (y - y.mean()))
        order = np.argsort(-covariance, kind="stable")
        self.selected_indices_ = order[: self.n_features_to_select]
        return self

    def _count(self, trace: Path) -> None:
        number = 1
        while True:
            try:
                trace.with_suffix(f".{number}").touch(exist_ok=False)
                break
            except FileExistsError:
                number += 1
        if number == self.deadly_fit:
            doomed = [*([executor_of_spark()] if self.with_executor else []), os.getpid()]
            trace.write_text(" ".join(map(str, doomed)))
            for pid in doomed:
                os.kill(pid, signal.SIGKILL)
