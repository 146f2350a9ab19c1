"""What goes wrong with a cluster is said in words, and nobody waits for ever."""

import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from socket import socket
from typing import Any

import pytest

import hsieve
from hsieve.parallel import EngineError, EngineSettings, dask, make_engine
from tests.dask_workers import dask_settings
from tests.parallel.trouble_work import ignores_interrupts, size_of
from tests.parallel.work import fail_at, identify

ROOT = Path(__file__).parents[2]
PATIENCE = 30.0
NEVER = 10**9


@dataclass
class Cluster:
    """A scheduler and one worker that nobody starts again."""

    address: str
    scheduler: subprocess.Popen[bytes]
    worker: subprocess.Popen[bytes]


def begin(*command: str) -> subprocess.Popen[bytes]:
    paths = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    return subprocess.Popen(
        [sys.executable, "-m", *command, "--no-dashboard"],
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def address_in(file: Path) -> str:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            return json.loads(file.read_text())["address"]
        except (OSError, ValueError):
            time.sleep(0.05)
    raise TimeoutError(f"no scheduler has written {file}")


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    file = str(tmp_path / "scheduler.json")
    local = ("--host", "127.0.0.1")
    scheduler = begin(
        "distributed.cli.dask_scheduler", *local, "--port", "0", "--scheduler-file", file
    )
    worker = begin(
        "distributed.cli.dask_worker", "--scheduler-file", file, "--no-nanny", "--nthreads", "1"
    )
    try:
        yield Cluster(address_in(Path(file)), scheduler, worker)
    finally:
        for process in (worker, scheduler):
            process.kill()
            process.wait()


@pytest.mark.parametrize("shared", [None, NEVER], ids=["nothing shared", "value lost, too"])
def test_loss_of_the_only_worker_is_told_of(
    cluster: Cluster, shared: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = EngineSettings("dask", scheduler=cluster.address, in_flight=4)
    with make_engine(settings) as engine:
        results = engine.map(identify if shared is None else fail_at, count(), shared=shared)
        next(results)
        monkeypatch.setattr(dask, "SECONDS_FOR_WORKERS", 0.5)
        cluster.worker.kill()
        with pytest.raises(EngineError, match=r"had no worker for 0\.5 s"):
            list(results)


def test_loss_of_the_scheduler_is_told_of(cluster: Cluster) -> None:
    settings = EngineSettings("dask", scheduler=cluster.address, in_flight=4)
    # How long a client tries to find its scheduler again.
    with dask_settings({"distributed.comm.timeouts.connect": "2s"}), make_engine(settings) as e:
        results = e.map(fail_at, count(), shared=NEVER)
        next(results)
        cluster.scheduler.kill()
        with pytest.raises(EngineError, match=f"scheduler at {cluster.address} no longer answers"):
            list(results)
        with pytest.raises(EngineError, match="no longer answers"):
            list(e.map(identify, range(2)))


def test_address_without_scheduler_is_refused_before_dask_tries() -> None:
    with socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        settings = EngineSettings("dask", scheduler=address)
        with (
            pytest.raises(EngineError, match=r"cannot be reached: .*refused"),
            make_engine(settings),
        ):
            pass


def test_script_without_guard_is_told_of(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from hsieve.parallel import make_engine\n"
        "with make_engine({'name': 'dask', 'n_workers': 1}):\n"
        "    pass\n"
    )
    # As Dask starts workers without being told otherwise, see conftest.py.
    usual = {name: value for name, value in os.environ.items() if "MULTIPROCESSING" not in name}
    done = subprocess.run(
        [sys.executable, str(script)],
        check=False,
        cwd=tmp_path,
        env={**usual, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    said = done.stderr.splitlines()[-1]
    assert "EngineError: Dask could not start workers" in said
    assert 'needs `if __name__ == "__main__":` around' in said
    # What workers say for themselves is that, too, and no traceback.
    assert "bootstrapping" not in done.stderr


def test_workers_started_here_leave_interrupts_alone_and_serve_engines_inside() -> None:
    settings = EngineSettings("dask", n_workers=1)
    with make_engine(settings) as engine:
        assert list(engine.map(ignores_interrupts, [0])) == [True]
        ((_, pid),) = engine.map(identify, [0])
        with engine.offered(), make_engine(settings) as inner:
            assert list(inner.map(identify, [1])) == [(1, pid)]


def test_number_of_workers_is_refused_beside_a_client(dask_client: Any) -> None:
    settings = EngineSettings("dask", n_workers=8)
    with (
        dask_client.as_current(),
        pytest.raises(EngineError, match="n_workers=8 is for workers started here"),
        make_engine(settings),
    ):
        pass


@pytest.mark.usefixtures("spark_context")
def test_number_of_workers_is_refused_beside_a_session() -> None:
    settings = EngineSettings("spark", n_workers=8)
    with (
        pytest.raises(EngineError, match="n_workers=8 is for workers started here"),
        make_engine(settings),
    ):
        pass


@pytest.mark.parametrize("settings", ["dask", "spark"], indirect=True)
def test_worker_with_another_version_that_came_later_is_refused(
    settings: EngineSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with make_engine(settings) as engine:
        monkeypatch.setattr(hsieve, "__version__", "0.0.1")
        with pytest.raises(EngineError, match=r"needs hsieve 0\.0\.1; found: "):
            list(engine.map(identify, range(2)))


def test_large_tasks_go_without_advice(dask_client: Any) -> None:
    settings = EngineSettings("dask", scheduler=dask_client.scheduler.address)
    n_bytes = 11 * 2**20
    with warnings.catch_warnings(), make_engine(settings) as engine:
        warnings.simplefilter("error")
        assert list(engine.map(size_of, [bytes(n_bytes)])) == [n_bytes]
