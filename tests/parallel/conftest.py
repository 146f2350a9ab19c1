"""Every engine, those of clusters on a real Dask and a real Spark (see `conftest.py` above)."""

import numpy as np
import pytest

from hsieve.parallel import EngineSettings

IN_FLIGHT = 8


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
