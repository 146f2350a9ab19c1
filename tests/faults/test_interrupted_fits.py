"""Ctrl-C in the middle of a fit: a real SIGINT, sent when the work reports how far it is."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from sklearn.exceptions import NotFittedError
from threadpoolctl import threadpool_info

from hsieve import (
    BAHSIC,
    FOHSIC,
    L1LSMI,
    MRMR,
    N3LARS,
    BackwardLSMI,
    ForwardLSMI,
    InteractionScan,
    RandSel,
    StabilitySelection,
)
from hsieve.progress import listen

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to itself"),
    pytest.mark.usefixtures("interrupts"),
]

SELECTORS = {
    "BAHSIC": BAHSIC(3),
    "FOHSIC": FOHSIC(6),
    "ForwardLSMI": ForwardLSMI(2),
    "MRMR": MRMR(6),
    "N3LARS": N3LARS(6),
    "N3LARS on threads": N3LARS(6, engine={"name": "threads", "n_workers": 2}),
    "InteractionScan": InteractionScan(n_permutations=5),
    "L1LSMI": L1LSMI(3, n_restarts=4),
    "RandSel": RandSel(3, n_rounds=8),
    "RandSel on threads": RandSel(3, n_rounds=8, engine={"name": "threads", "n_workers": 2}),
    "StabilitySelection": StabilitySelection(N3LARS(), n_subsamples=8),
    "StabilitySelection in processes": StabilitySelection(N3LARS(), n_subsamples=8, n_jobs=2),
}


@pytest.fixture
def data(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.normal(size=(80, 24))
    return X, np.sin(2 * X[:, 0]) + X[:, 5] ** 2


@contextmanager
def ctrl_c(at_report: int) -> Iterator[None]:
    """Press Ctrl-C once the work reports for so manieth time, and expect it to come through."""
    n_reports = 0

    def press(_share: float, _words: str) -> None:
        nonlocal n_reports
        n_reports += 1
        if n_reports == at_report:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt), listen(press):
        yield


def n_blas_threads() -> dict[str, int]:
    return {library["filepath"]: library["num_threads"] for library in threadpool_info()}


def open_files() -> set[str]:
    # Files only: sockets and pipes of browsers and clusters that other tests use come and go.
    return {file.path for file in psutil.Process().open_files()}


def answer(selector: Any) -> tuple[list[int], bytes]:
    return selector.selected_indices_.tolist(), selector.scores_.tobytes()


@pytest.mark.parametrize("name", SELECTORS)
def test_a_fit_that_is_interrupted_leaves_an_unfitted_selector_that_can_be_fitted(
    name: str, data: tuple[np.ndarray, np.ndarray], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(tmp_path))
    selector = SELECTORS[name]
    expected = answer(selector.fit(*data))
    threads, files = n_blas_threads(), open_files()
    with ctrl_c(at_report=1):
        selector.fit(data[0][:, 3:], data[1])
    with pytest.raises(NotFittedError):
        selector.transform(data[0])
    assert not hasattr(selector, "n_features_in_")
    assert n_blas_threads() == threads
    assert open_files() <= files
    assert list(tmp_path.rglob("*.pkl")) == []
    assert answer(selector.fit(*data)) == expected


def test_processes_of_an_interrupted_fit_do_not_go_on(data: tuple[np.ndarray, np.ndarray]) -> None:
    with ctrl_c(at_report=1):
        StabilitySelection(BackwardLSMI(3), n_subsamples=200, n_jobs=2).fit(*data)
    workers = psutil.Process().children(recursive=True)
    before = {worker.pid: used(worker) for worker in workers}
    gone, alive = psutil.wait_procs(workers, timeout=1.0)
    # Joblib may keep processes for the next work; these are idle.
    assert all(used(worker) - before[worker.pid] < 0.5 for worker in alive), (gone, alive)


def used(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system)


def test_an_error_in_a_fit_leaves_nothing_of_an_earlier_one(
    data: tuple[np.ndarray, np.ndarray],
) -> None:
    X, y = data
    selector = N3LARS(3).fit(X, y)
    with pytest.raises(ValueError, match="1 class"):
        selector.fit(X[:, :4], np.ones_like(y))
    with pytest.raises(NotFittedError):
        selector.get_support()
