"""mRMR on engines: the same features and scores as here, and little that travels."""

from pathlib import Path

import numpy as np
import pytest

from hsieve import MRMR, PairwiseHSIC, open_dataset
from hsieve.data import memory
from hsieve.measures import level_codes, level_information
from hsieve.measures.pairwise import BoundPairwiseHSIC
from hsieve.parallel import EngineSettings
from tests.parallel.columns import CATEGORY, N, Problem, make_problem, stored

COLUMN_BYTES = 4 * N
TOLERANCE = 1e-12
OPTIONS = {
    "levels": {},
    "levels, quotient": {"form": "quotient"},
    "NHSIC": {"measure": PairwiseHSIC()},
    "HSIC, quotient": {"measure": PairwiseHSIC(normalised=False), "form": "quotient"},
    "codes, quotient": {"measure": PairwiseHSIC(form="coded"), "form": "quotient"},
}


@pytest.fixture(scope="module")
def problem() -> Problem:
    return make_problem()


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine pieces for the first pass, and few features looked at together."""
    monkeypatch.setattr(level_codes, "PIECE_BYTES", 7 * COLUMN_BYTES)
    monkeypatch.setattr(level_information, "WORTHWHILE_VALUES", 1)
    monkeypatch.setattr(level_information, "WORTHWHILE_FEATURES", 5)
    monkeypatch.setattr(BoundPairwiseHSIC, "worthwhile_entries", 5)


def assert_same(found: MRMR, expected: MRMR) -> None:
    np.testing.assert_array_equal(found.selected_indices_, expected.selected_indices_)
    np.testing.assert_array_equal(found.ranking_, expected.ranking_)
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=TOLERANCE, atol=TOLERANCE)


@pytest.mark.parametrize(
    ("options", "layout", "kind", "categorical"),
    [
        ("levels", "row parts", "continuous", []),
        ("levels", "matrix", "classes", [CATEGORY]),
        ("levels, quotient", "row parts", "classes", [CATEGORY]),
        ("NHSIC", "row parts", "classes", [CATEGORY]),
        ("NHSIC", "matrix", "continuous", []),
        ("HSIC, quotient", "row parts", "continuous", [CATEGORY]),
        ("codes, quotient", "row parts", "classes", []),
    ],
    ids=str,
)
def test_the_selection_does_not_depend_on_the_engine(
    settings: EngineSettings,
    problem: Problem,
    tmp_path: Path,
    options: str,
    layout: str,
    kind: str,
    categorical: list[int],
) -> None:
    chosen = {**OPTIONS[options], "target_kind": kind, "categorical": categorical}
    y = problem.target(kind)
    expected = MRMR(8, **chosen).fit(problem.X, y)
    columns = stored(layout, problem, tmp_path)
    found = MRMR(8, engine=settings, **chosen).fit(columns, y)
    assert_same(found, expected)


@pytest.mark.parametrize("form", ["difference", "quotient"])
def test_codes_that_find_no_room(
    settings: EngineSettings,
    problem: Problem,
    tmp_path: Path,
    form: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = MRMR(8, form=form, categorical=[CATEGORY]).fit(problem.X, problem.classes)
    monkeypatch.setattr(memory, "FETCHED_CODES", 6 * N)
    columns = stored("row parts", problem, tmp_path)
    selector = MRMR(8, form=form, categorical=[CATEGORY], engine=settings)
    assert_same(selector.fit(columns, problem.classes), expected)


def test_work_that_was_kept_is_taken_up(
    settings: EngineSettings, problem: Problem, tmp_path: Path
) -> None:
    columns = stored("row parts", problem, tmp_path)
    selector = MRMR(8, categorical=[CATEGORY], checkpoint=tmp_path / "kept")
    expected = MRMR(8, categorical=[CATEGORY]).fit(problem.X, problem.classes)
    assert_same(selector.fit(columns, problem.classes), expected)
    again = selector.set_params(engine=settings).fit(columns, problem.classes)
    assert_same(again, expected)


def test_constant_and_bad_columns_are_named(settings: EngineSettings, tmp_path: Path) -> None:
    problem = make_problem()
    problem.X[:, 12] = 3.0
    columns = stored("row parts", problem, tmp_path)
    with pytest.warns(UserWarning, match="1 constant column.*f12"):
        found = MRMR(8, engine=settings).fit(columns, problem.numbers)
    with pytest.warns(UserWarning, match="1 constant column"):
        assert_same(found, MRMR(8).fit(problem.X, problem.numbers))
    problem.X[11, 33] = np.nan
    folder = tmp_path / "bad"
    folder.mkdir()
    columns = stored("row parts", problem, folder)
    with pytest.raises(ValueError, match=r"'f33'.* row"):
        MRMR(4, engine=settings).fit(columns, problem.numbers)


@pytest.mark.parametrize("measure", [None, PairwiseHSIC(form="coded")], ids=["levels", "NHSIC"])
def test_much_less_travels_than_the_data(
    settings: EngineSettings, tmp_path: Path, measure: PairwiseHSIC | None
) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(2_000, 500)).astype(np.float32)
    X[:, 20:40] = X[:, :20] + 0.5 * X[:, 20:40]
    y = (X[:, :5].sum(axis=1) > 0).astype(np.float32)
    np.save(tmp_path / "all.npy", np.column_stack([X, y]))
    columns = open_dataset(tmp_path / "all.npy", target="-1").columns
    found = MRMR(5, measure=measure, engine=settings).fit(columns, y)
    assert_same(found, MRMR(5, measure=measure).fit(X, y))
    print(f"{settings.name}: {found.traffic_} of {X.nbytes}")
    if settings.name in {"local", "threads"}:
        assert found.traffic_.total == 0
    else:
        assert 0 < found.traffic_.total < X.nbytes / 4
