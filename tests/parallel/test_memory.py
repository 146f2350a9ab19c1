"""What threads have in work together: no more than the memory allows, whatever their number."""

import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hsieve import MRMR, N3LARS
from hsieve.data import memory
from hsieve.data.memory import MemoryPlan
from hsieve.measures import level_codes
from hsieve.parallel import EngineSettings, make_engine
from hsieve.parallel.checkpoint import Checkpointed
from tests.parallel.columns import make_problem

MANY_THREADS = {"name": "threads", "n_workers": 16}


def doubled(task: int, shared: None) -> tuple[np.ndarray]:
    return (np.array([2 * task]),)


class Flight:
    """Counts tasks that are begun and not given back."""

    def __init__(self) -> None:
        self.now = self.most = 0

    def tasks(self, number: int) -> Iterator[int]:
        for task in range(number):
            self.now += 1
            self.most = max(self.most, self.now)
            yield task


def flown(engine: Any, most: int | None) -> int:
    flight, found = Flight(), []
    for (result,) in engine.map(doubled, flight.tasks(20), most_in_flight=most):
        flight.now -= 1
        found.append(int(result[0]))
    assert found == list(range(0, 40, 2))
    return flight.most


@pytest.mark.parametrize(("most", "expected"), [(None, 8), (1, 1), (3, 3), (100, 8)])
def test_threads_have_no_more_in_flight_than_told(
    most: int | None, expected: int, tmp_path: Path
) -> None:
    description = EngineSettings("threads", n_workers=4, in_flight=8)
    with make_engine(description) as engine:
        assert flown(engine, most) == expected
    with Checkpointed(make_engine(description), tmp_path / "kept", {}) as engine:
        assert flown(engine, most) == expected


def test_every_engine_takes_the_number(settings: EngineSettings) -> None:
    with make_engine(settings) as engine:
        flown(engine, 1)


@pytest.mark.parametrize("form", ["dense", "coded"])
def test_a_limit_is_kept_with_many_threads(form: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2_000, 3_000)).astype(np.float32)
    y = X[:, 3] + np.abs(X[:, 7])
    limit = 32 * 10**6
    options = {"form": form, "memory_limit": limit}
    expected = N3LARS(3, **options).fit(X, y)
    found, peak = with_peak(N3LARS(3, engine=MANY_THREADS, **options), X, y)
    np.testing.assert_array_equal(found.scores_, expected.scores_)
    assert peak < limit


def test_a_limit_is_shared_out_to_kept_things_and_work() -> None:
    plan = MemoryPlan.for_data(10_000, "200MB")
    kept = plan.code_bytes + plan.stack_bytes + plan.factor_bytes
    assert kept + plan.work_bytes + memory.FIXED_BYTES == 200 * 10**6
    # One piece is worked on in any case.
    assert plan.work_bytes > 2 * plan.block_bytes + memory.BYTES_A_SAMPLE * 10_000


def test_threads_share_the_memory_of_mrmr(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(level_codes, "PIECE_BYTES", 10**6)
    monkeypatch.setattr(memory, "USUAL_WORK", 1)
    X = np.random.default_rng(0).normal(size=(5_000, 1_000)).astype(np.float32)
    y = X[:, 3] + np.abs(X[:, 7])
    expected, alone = with_peak(MRMR(3), X, y)
    found, together = with_peak(MRMR(3, engine=MANY_THREADS), X, y)
    np.testing.assert_array_equal(found.scores_, expected.scores_)
    assert together < 1.2 * alone


@pytest.mark.parametrize("name", ["local", "threads"])
def test_codes_beyond_the_share_of_mrmr_are_not_kept(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    problem = make_problem()
    expected = MRMR(8).fit(problem.X, problem.numbers)
    # Room for five of the features, so that others are read for each comparison.
    monkeypatch.setattr(memory, "KEPT_LEVELS", 5 * len(problem.X))
    found = MRMR(8, engine=name).fit(problem.X, problem.numbers)
    np.testing.assert_array_equal(found.ranking_, expected.ranking_)
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-12)


def with_peak(selector: Any, X: Any, y: Any) -> tuple[Any, int]:
    """A fitted selector, and most bytes that it had at a time."""
    tracemalloc.start()
    try:
        return selector.fit(X, y), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
