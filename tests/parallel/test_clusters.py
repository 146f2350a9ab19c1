"""Clusters of the user are found and left alone; those started here end with the block."""

import json
import os
import shutil
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

import hsieve
from hsieve.parallel import EngineError, EngineSettings, dask, make_engine
from tests.parallel.work import identify, kill_self

ROOT = Path(__file__).parents[2]
GHOST = "module_of_the_driver_alone"


@pytest.fixture
def ghost(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function in a module that only this process has."""
    module = types.ModuleType(GHOST)
    exec("def function(task, shared):\n    return task", module.__dict__)
    monkeypatch.setitem(sys.modules, GHOST, module)
    return module.function


def test_client_of_the_user_is_found_and_left_open(dask_client: Any) -> None:
    workers = set(dask_client.run(os.getpid).values())
    with dask_client.as_current(), make_engine("dask") as engine:
        used = {pid for _, pid in engine.map(identify, range(12))}
    assert used <= workers
    assert dask_client.status == "running"


def test_scheduler_without_workers_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import LocalCluster

    monkeypatch.setattr(dask, "SECONDS_FOR_WORKERS", 0.1)
    with LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as cluster:
        settings = EngineSettings("dask", scheduler=cluster.scheduler_address)
        with pytest.raises(EngineError, match="had no worker"), make_engine(settings):
            pass


def test_workers_with_another_version_are_refused(
    dask_client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hsieve, "__version__", "0.0.1")
    settings = EngineSettings("dask", scheduler=dask_client.scheduler.address)
    with pytest.raises(EngineError, match=r"needs hsieve 0\.0\.1; found: "), make_engine(settings):
        pass


def test_session_of_the_user_is_found_and_left_open(spark_context: Any) -> None:
    with make_engine("spark") as engine:
        assert len(list(engine.map(identify, range(4)))) == 4
    assert spark_context.parallelize([1, 2], 1).sum() == 3


def test_second_spark_is_refused(spark_context: Any) -> None:
    settings = EngineSettings("spark", scheduler="local[2]")
    with pytest.raises(EngineError, match="with master 'local-cluster"), make_engine(settings):
        pass


def test_workers_that_lack_a_module_are_told_of(settings: EngineSettings, ghost: Any) -> None:
    with make_engine(settings) as engine:
        results = engine.map(ghost, [1])
        if settings.name not in {"dask", "spark"}:
            assert list(results) == [1]
            return
        with pytest.raises(ModuleNotFoundError, match=GHOST):
            next(results)


def test_dask_started_here_gives_up_a_deadly_task_and_ends_with_the_block() -> None:
    with make_engine({"name": "dask", "n_workers": 1}) as engine:
        with pytest.raises(EngineError, match="Dask gave up a task"):
            list(engine.map(kill_self, range(2)))
        (pid,) = {pid for _, pid in engine.map(identify, range(3))}
        assert pid in {child.pid for child in psutil.Process().children(recursive=True)}
    assert not psutil.pid_exists(pid)


def test_spark_started_here_survives_a_worker_and_ends_with_the_block(
    numbers: np.ndarray, ranges: list[tuple[int, int]], totals: list[float], tmp_path: Path
) -> None:
    if shutil.which("java") is None:
        pytest.skip("Spark needs a Java runtime, 17 or newer")
    given = tmp_path / "given.json"
    given.write_text(json.dumps({"numbers": numbers.tolist(), "ranges": ranges}))
    # In a process of its own, since there is one Spark a process.
    done = subprocess.run(
        [sys.executable, "-m", "tests.parallel.spark_alone", str(given), str(tmp_path / "trace")],
        check=True,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["totals"] == {"1": totals, "2": totals, "after a loss": totals}
    assert said["n_workers"] == {"1": 1, "2": 2}
    assert said["running_after"] is False
    assert said["environment_kept"] is True
    assert not psutil.pid_exists(int((tmp_path / "trace").read_text()))
