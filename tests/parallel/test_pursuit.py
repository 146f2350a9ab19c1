"""Kernel pursuit on engines: the same features and errors as here, and work that is resumed."""

from pathlib import Path

import numpy as np
import pytest

from hsieve import KernelPursuit
from hsieve.kernels import factor_store
from hsieve.parallel import EngineSettings
from tests.parallel.columns import CATEGORY, N, Problem, make_problem, stored

TOLERANCE = 1e-9


@pytest.fixture(scope="module")
def problem() -> Problem:
    return make_problem()


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several pieces for each pass."""
    monkeypatch.setattr(factor_store, "PIECE_BYTES", 7 * 4 * N)


def assert_same(found: KernelPursuit, expected: KernelPursuit) -> None:
    np.testing.assert_array_equal(found.selected_indices_, expected.selected_indices_)
    np.testing.assert_array_equal(found.ranking_, expected.ranking_)
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=TOLERANCE, atol=TOLERANCE)
    events = [[(e.what, e.features) for e in s.path_.events] for s in (found, expected)]
    assert events[0] == events[1]


@pytest.mark.parametrize(
    ("settings", "layout", "kind", "number", "interactions"),
    [
        ("dask", "row parts", "continuous", "auto", None),
        ("threads", "matrix", "classes", "auto", None),
        ("threads", "row parts", "continuous", 12, "auto"),
    ],
    indirect=["settings"],
    ids=str,
)
def test_the_selection_does_not_depend_on_the_engine(
    settings: EngineSettings,
    problem: Problem,
    tmp_path: Path,
    layout: str,
    kind: str,
    number: int | str,
    interactions: str | None,
) -> None:
    chosen = {"target_kind": kind, "categorical": [CATEGORY], "interactions": interactions}
    y = problem.target(kind)
    expected = KernelPursuit(number, **chosen).fit(problem.X, y)
    assert expected.path_.n_found >= 3
    columns = stored(layout, problem, tmp_path)
    found = KernelPursuit(number, engine=settings, **chosen).fit(columns, y)
    assert_same(found, expected)


@pytest.mark.parametrize("settings", ["threads"], indirect=True)
def test_work_that_was_kept_is_resumed(
    settings: EngineSettings, problem: Problem, tmp_path: Path
) -> None:
    columns = stored("row parts", problem, tmp_path)
    kept = tmp_path / "kept"
    selector = KernelPursuit(interactions=None, checkpoint=kept)
    expected = KernelPursuit(interactions=None).fit(problem.X, problem.numbers)
    assert_same(selector.fit(columns, problem.numbers), expected)
    before = {path: path.stat().st_mtime_ns for path in kept.glob("*/*.result")}
    assert len(before) > 9
    again = selector.set_params(engine=settings).fit(columns, problem.numbers)
    assert_same(again, expected)
    after = {path: path.stat().st_mtime_ns for path in kept.glob("*/*.result")}
    assert after == before
