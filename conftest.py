"""Fixtures shared by all tests, and the rule that nothing is left out in silence."""

import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Must be set before SciPy is imported; without it scikit-learn leaves one of its checks out.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
# Must be set before Dask is imported: workers are forked from a process that has imported already.
os.environ.setdefault("DASK_DISTRIBUTED__WORKER__MULTIPROCESSING_METHOD", "forkserver")

import hypothesis
import numpy as np
import pytest

ROOT = Path(__file__).parent

# New examples on a developer's machine, the same ones in every full run.
hypothesis.settings.register_profile("full-run", derandomize=True, deadline=None)
if os.environ.get("HSIEVE_REQUIRE_ALL"):
    hypothesis.settings.load_profile("full-run")


@pytest.fixture
def rng():
    return np.random.default_rng(20070613)


@pytest.fixture
def interrupts():
    """Ctrl-C as Python has it, here and in child processes, also where the run ignores it.

    Runs in the background, by nohup, cron and some CI systems are started with SIGINT ignored, and
    child processes inherit that.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def reads_here(monkeypatch):
    """Read files of AnnData in this process, for tests that open many of them."""
    from tests.file_readers import in_a_thread

    monkeypatch.setattr("hsieve.io.reader_process.start", in_a_thread)


@pytest.fixture(scope="session")
def client_of_two() -> Iterator[Any]:
    """A real Dask cluster, started once, with worker processes of its own."""
    from tests.dask_workers import two_workers

    with two_workers() as client:
        yield client


@pytest.fixture
def dask_client(client_of_two: Any) -> Any:
    """Both workers are there, also after a test that killed one."""
    client_of_two.wait_for_workers(2, timeout=120)
    return client_of_two


@pytest.fixture(scope="session")
def spark_context() -> Iterator[Any]:
    """Two executors of one core, Java processes of their own."""
    if shutil.which("java") is None:
        pytest.skip("Spark needs a Java runtime, 17 or newer")
    from pyspark import SparkConf, SparkContext

    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.executorEnv.PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")]),
        "spark.executorEnv.OPENBLAS_NUM_THREADS": "1",
    }
    conf = SparkConf().setMaster("local-cluster[2,1,1024]").setAppName("tests")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        context = SparkContext(conf=conf.setAll(list(settings.items())))
    yield context
    context.stop()


def pytest_sessionfinish(session, exitstatus):
    """Fail the run if something was skipped although everything is required."""
    if hasattr(session.config, "workeroutput"):
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if os.environ.get("HSIEVE_REQUIRE_ALL") and skipped and exitstatus == 0:
        reporter.write_line(f"{len(skipped)} test(s) left out, but all are required here", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
