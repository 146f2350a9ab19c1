"""A worker killed in the middle of a run costs time, never the answer."""

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from hsieve import N3LARS
from hsieve.kernels import factor_store
from hsieve.parallel import EngineSettings, make_engine
from tests.parallel.columns import DeadlyColumns, N, make_problem, stored
from tests.parallel.work import kill_once

PATIENCE = 30.0


def wait_for_death(pids: list[int]) -> bool:
    """Wait until processes are gone, or are only waited for by their parents."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if not any(is_alive(pid) for pid in pids):
            return True
        time.sleep(0.05)
    return False


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def killed(trace: Path) -> list[int]:
    return [int(pid) for pid in trace.read_text().split()]


def test_dask_survives_a_worker(
    dask_client: Any,
    numbers: np.ndarray,
    ranges: list[tuple[int, int]],
    totals: list[float],
    tmp_path: Path,
) -> None:
    trace = tmp_path / "trace"
    workers = set(dask_client.run(os.getpid).values())
    settings = EngineSettings("dask", scheduler=dask_client.scheduler.address)
    with make_engine(settings) as engine:
        found = list(engine.map(kill_once, ranges, shared=(numbers, trace, False)))
    assert found == totals
    # It had opened the shared value, which says where the trace is.
    assert set(killed(trace)) <= workers
    assert wait_for_death(killed(trace))


def test_dask_survives_the_loss_of_every_copy_of_the_shared_value(
    numbers: np.ndarray, ranges: list[tuple[int, int]], totals: list[float], tmp_path: Path
) -> None:
    trace = tmp_path / "trace"
    with make_engine({"name": "dask", "n_workers": 1}) as engine:
        found = list(engine.map(kill_once, ranges, shared=(numbers, trace, False)))
        assert found == totals
        assert wait_for_death(killed(trace))


@pytest.mark.usefixtures("spark_context")
def test_spark_survives_an_executor(
    numbers: np.ndarray, ranges: list[tuple[int, int]], totals: list[float], tmp_path: Path
) -> None:
    trace = tmp_path / "trace"
    with make_engine("spark") as engine:
        found = list(engine.map(kill_once, ranges, shared=(numbers, trace, True)))
        assert found == totals
        assert len(killed(trace)) == 2
        assert wait_for_death(killed(trace))
        # What is left, and the executor that took its place, go on.
        assert list(engine.map(kill_once, ranges, shared=(numbers, trace, True))) == totals


# A loss in the first pass, or where columns travel.
@pytest.mark.parametrize(
    ("name", "form", "reading"),
    [
        *(("dask", form, reading) for form in ("dense", "coded") for reading in (1, 2)),
        # Executors take seconds to come back, and what is done again does not depend on the form.
        ("spark", "dense", 1),
        ("spark", "coded", 2),
    ],
)
def test_a_selection_survives_the_loss_of_a_worker(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    form: str,
    reading: int,
) -> None:
    monkeypatch.setattr(factor_store, "PIECE_BYTES", 7 * 4 * N)
    problem, data, trace = make_problem(), tmp_path / "data", tmp_path / "trace"
    data.mkdir()
    columns = stored("row parts", problem, data)
    expected = N3LARS(8, form=form).fit(columns, problem.numbers)
    settings = EngineSettings("spark")
    if name == "dask":
        client = request.getfixturevalue("dask_client")
        settings = EngineSettings("dask", scheduler=client.scheduler.address)
    else:
        request.getfixturevalue("spark_context")
    # A feature that matters, so that its column is read again.
    doomed = int(expected.selected_indices_[0])
    deadly = DeadlyColumns(str(data), str(trace), doomed, reading, name == "spark").open()
    found = N3LARS(8, form=form, engine=settings).fit(deadly, problem.numbers)
    assert wait_for_death(killed(trace))
    np.testing.assert_array_equal(found.selected_indices_, expected.selected_indices_)
    np.testing.assert_array_equal(found.coef_, expected.coef_)
