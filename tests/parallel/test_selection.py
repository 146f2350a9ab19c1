"""Selections are the same on every engine, for every layout of the data, to the last digit."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from hsieve import N3LARS, HSICLasso, MaxRelevance, PairwiseHSIC
from hsieve.data import engine_columns, memory
from hsieve.data.arrays import as_blocks
from hsieve.kernels import factor_store
from hsieve.parallel import EngineSettings
from tests.parallel.columns import CATEGORY, D, N, Problem, make_problem, stored

OTHER_PROCESSES = ("dask", "spark")
COLUMN_BYTES = 4 * N


@pytest.fixture(scope="module")
def problem() -> Problem:
    return make_problem()


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine pieces for the first pass, so that all workers have some."""
    monkeypatch.setattr(factor_store, "PIECE_BYTES", 7 * COLUMN_BYTES)


def assert_same(found: Any, expected: Any, tolerance: float = 1e-12) -> None:
    np.testing.assert_array_equal(found.selected_indices_, expected.selected_indices_)
    np.testing.assert_array_equal(found.ranking_, expected.ranking_)
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=0, atol=tolerance)
    if hasattr(expected, "coef_"):
        np.testing.assert_allclose(found.coef_, expected.coef_, rtol=0, atol=tolerance)
        np.testing.assert_allclose(found.relevance_, expected.relevance_, rtol=0, atol=tolerance)
        for group, same in zip(found.groups_, expected.groups_, strict=True):
            np.testing.assert_array_equal(group, same)


PARTS = [
    (layout, form, kind)
    for layout in ("row parts", "column parts")
    for form in ("dense", "coded")
    for kind in ("continuous", "classes")
]


@pytest.mark.parametrize(
    ("layout", "form", "kind"),
    [*PARTS, ("matrix", "dense", "classes"), ("memory", "coded", "continuous")],
)
def test_n3lars(
    settings: EngineSettings, problem: Problem, tmp_path: Path, layout: str, form: str, kind: str
) -> None:
    columns = stored(layout, problem, tmp_path)
    options = {"form": form, "target_kind": kind, "categorical": [CATEGORY]}
    y = problem.target(kind)
    expected = N3LARS(8, **options).fit(as_blocks(problem.X), y)
    assert {0, 1, 2, CATEGORY} & set(expected.selected_indices_.tolist())
    found = N3LARS(8, engine=settings, **options).fit(columns, y)
    assert_same(found, expected)


@pytest.mark.parametrize(
    "selector",
    [
        HSICLasso(6, form="coded"),
        HSICLasso(6, form="dense"),
        N3LARS(6, form="coded", covariates=[0], max_redundancy=0.5),
        N3LARS("guarded", form="dense"),
        MaxRelevance(6, measure=PairwiseHSIC(form="coded")),
        MaxRelevance(6, measure=PairwiseHSIC(form="dense"), n_screened=20),
    ],
    ids=["lasso", "dense lasso", "covariates", "rule", "ranking", "screening"],
)
def test_others(settings: EngineSettings, problem: Problem, tmp_path: Path, selector: Any) -> None:
    columns = stored("row parts", problem, tmp_path)
    selector = clone(selector)
    expected = clone(selector).fit(problem.X, problem.numbers)
    found = selector.set_params(engine=settings).fit(columns, problem.numbers)
    assert_same(found, expected)


@pytest.mark.parametrize("form", ["dense", "coded"])
def test_candidates_too_many_to_fetch_are_met_where_they_are(
    settings: EngineSettings,
    problem: Problem,
    tmp_path: Path,
    form: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    columns = stored("row parts", problem, tmp_path)
    expected = N3LARS(8, form=form).fit(problem.X, problem.numbers)
    # Room for five columns, or codes, beside those of the first features that are chosen.
    monkeypatch.setattr(memory, "FETCHED_CODES", 5 * (N + 2048))
    monkeypatch.setattr(engine_columns, "KEPT_BYTES", 5 * COLUMN_BYTES)
    found = N3LARS(8, form=form, engine=settings).fit(columns, problem.numbers)
    assert_same(found, expected)


@pytest.mark.parametrize("form", ["dense", "coded"])
def test_the_cut_into_pieces_changes_nothing(
    settings: EngineSettings,
    problem: Problem,
    tmp_path: Path,
    form: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    columns = stored("row parts", problem, tmp_path)
    expected = N3LARS(8, form=form, engine=settings).fit(columns, problem.numbers)
    monkeypatch.setattr(factor_store, "PIECE_BYTES", 25 * COLUMN_BYTES)
    found = N3LARS(8, form=form, engine=settings).fit(columns, problem.numbers)
    assert_same(found, expected)


@pytest.mark.parametrize("layout", ["row parts", "memory"])
def test_little_travels(
    settings: EngineSettings, problem: Problem, tmp_path: Path, layout: str
) -> None:
    columns = stored(layout, problem, tmp_path)
    found = N3LARS(4, form="coded", engine=settings).fit(columns, problem.numbers)
    print(f"{settings.name}, {layout}: {found.traffic_}")
    if settings.name not in OTHER_PROCESSES:
        assert found.traffic_.total == 0
    elif layout == "memory":
        # Each column once for the relevance; those that are asked for once more.
        assert D * COLUMN_BYTES <= found.traffic_.tasks < 3 * D * COLUMN_BYTES
    else:
        assert found.traffic_.tasks < D * COLUMN_BYTES / 4
        assert found.traffic_.results > 0


def test_relatives(settings: EngineSettings, problem: Problem, tmp_path: Path) -> None:
    columns = stored("row parts", problem, tmp_path)
    selector = N3LARS(4).fit(problem.X, problem.numbers)
    expected = selector.relatives(problem.X, 3)
    found = selector.set_params(engine=settings).relatives(columns, 3)
    for relatives, same in zip(found, expected, strict=True):
        np.testing.assert_array_equal(relatives.indices, same.indices)
        np.testing.assert_allclose(relatives.scores, same.scores, rtol=0, atol=1e-8)


def test_bad_values_are_named_from_afar(settings: EngineSettings, tmp_path: Path) -> None:
    problem = make_problem()
    problem.X[11, 33] = np.nan
    columns = stored("row parts", problem, tmp_path)
    with pytest.raises(ValueError, match=r"'f33'.* row"):
        N3LARS(4, engine=settings).fit(columns, problem.numbers)


def test_files_that_changed_are_refused(
    settings: EngineSettings, problem: Problem, tmp_path: Path
) -> None:
    columns = stored("row parts", problem, tmp_path)
    (tmp_path / "part-2.parquet").unlink()
    with pytest.raises((ValueError, OSError), match="part-2"):
        N3LARS(4, engine=settings).fit(columns, problem.numbers)
