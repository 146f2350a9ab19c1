"""A real Dask cluster and a real Spark, each started once, with worker processes of their own."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hsieve.parallel import EngineSettings
from tests.dask_workers import two_workers

ROOT = Path(__file__).parents[2]
IN_FLIGHT = 8


@pytest.fixture(scope="session")
def client_of_two() -> Iterator[Any]:
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


@pytest.fixture(params=["local", "threads", "dask", "spark"])
def settings(request: pytest.FixtureRequest) -> EngineSettings:
    """Each engine in turn, the clusters being those of the user."""
    name = request.param
    if name == "dask":
        client = request.getfixturevalue("dask_client")
        return EngineSettings(name, scheduler=client.scheduler.address, in_flight=IN_FLIGHT)
    if name == "spark":
        request.getfixturevalue("spark_context")
        return EngineSettings(name, in_flight=IN_FLIGHT)
    return EngineSettings(name, n_workers=2 if name == "threads" else None, in_flight=IN_FLIGHT)


@pytest.fixture(scope="session")
def numbers() -> np.ndarray:
    return np.random.default_rng(7).normal(size=8_000)


@pytest.fixture(scope="session")
def ranges() -> list[tuple[int, int]]:
    return [(start, start + 400) for start in range(0, 8_000, 400)]


@pytest.fixture(scope="session")
def totals(numbers: np.ndarray, ranges: list[tuple[int, int]]) -> list[float]:
    """What every engine must return for `total_of_range`, to the last digit."""
    return [float(np.sin(numbers[a:b]) @ numbers[a:b]) for a, b in ranges]
