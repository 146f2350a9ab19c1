"""Times with events become residuals whose mean no censoring moves, or are refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from hsieve import (
    BAHSIC,
    L1LSMI,
    MRMR,
    N3LARS,
    KernelPursuit,
    LassoSelector,
    MaxRelevance,
    StabilitySelection,
    open_dataset,
    select,
)
from hsieve.cli.main import app
from hsieve.data.survival import kaplan_meier, martingale_residuals, survival_times
from tests.reference import naive


@pytest.fixture
def times():
    rng = np.random.default_rng(0)
    return survival_times(rng.random(60) < 0.6, rng.integers(0, 25, 60) / 2)


@pytest.fixture(scope="module")
def problem():
    """Ten features; the first acts by its absolute value, the second by a straight line."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(240, 10))
    died = rng.exponential(size=240) * np.exp(-2 * np.abs(X[:, 0]) - X[:, 1])
    left = rng.exponential(size=240) * 0.6
    y = np.array(
        list(zip(died <= left, np.minimum(died, left), strict=True)),
        dtype=[("died", bool), ("days", float)],
    )
    return X, y


def test_residuals_are_those_of_the_paper(times):
    expected = naive.martingale_residuals(times["event"], times["time"])
    np.testing.assert_allclose(martingale_residuals(times), expected, atol=1e-12)
    assert abs(expected.sum()) < 1e-10


def test_survival_is_that_of_kaplan_and_meier(times):
    places, fractions = kaplan_meier(times)
    expected = [naive.kaplan_meier(times["event"], times["time"], at) for at in places[1:]]
    np.testing.assert_allclose(fractions[1:], expected, atol=1e-12)
    assert fractions[0] == 1


def test_a_feature_times_the_residuals_is_the_score_of_cox(times):
    x = np.random.default_rng(2).normal(size=60)
    score = sum(
        x[j] - x[times["time"] >= times["time"][j]].mean() for j in np.flatnonzero(times["event"])
    )
    assert martingale_residuals(times) @ x == pytest.approx(score)


@pytest.mark.parametrize(
    "selector",
    [
        N3LARS(2),
        BAHSIC(2),
        MaxRelevance(2),
        KernelPursuit(),
        KernelPursuit(2),
        StabilitySelection(N3LARS(2), n_subsamples=20),
    ],
    ids=lambda one: type(one).__name__,
)
def test_selectors_find_effects_of_any_shape(selector, problem):
    X, y = problem
    assert sorted(selector.fit(X, y).selected_indices_[:2]) == [0, 1]


def test_every_door_gives_the_same(problem, tmp_path):
    X, y = problem
    names = [f"g{place}" for place in range(10)]
    features = pd.DataFrame(X, columns=names)
    columns = pd.DataFrame({"died": y["died"], "days": y["days"]})
    table = pd.concat([features, columns], axis=1)
    table.to_csv(tmp_path / "table.csv", index=False)
    table.astype({"died": int}).to_parquet(tmp_path / "table.parquet")
    expected = N3LARS(4).fit(X, y).scores_
    two = np.column_stack([y["days"], y["died"]])
    for X_given, y_given in (
        (features, columns),
        (pl.from_pandas(features), pl.from_pandas(columns)),
        (X, columns.astype(float)),
    ):
        np.testing.assert_array_equal(N3LARS(4).fit(X_given, y_given).scores_, expected)
    said = N3LARS(4, target_kind="survival").fit(X, two)
    np.testing.assert_array_equal(said.scores_, expected)
    for source in (
        table,
        pl.from_pandas(table),
        tmp_path / "table.csv",
        tmp_path / "table.parquet",
    ):
        data = open_dataset(source, "days", event="died")
        assert (data.target_kind, data.names) == ("survival", tuple(names))
        np.testing.assert_allclose(N3LARS(4).fit(data).scores_, expected, rtol=1e-6)
        np.testing.assert_array_equal(data.times["event"], y["died"])
    found = select(X, y, method="n3lars", n_features_to_select=4)
    np.testing.assert_array_equal(found.selector.scores_, expected)


def test_the_command_line_takes_the_column_of_events(problem, tmp_path):
    from typer.testing import CliRunner

    X, y = problem
    table = pd.DataFrame(X, columns=[f"g{place}" for place in range(10)])
    table.assign(days=y["days"], died=y["died"]).to_csv(tmp_path / "a.csv", index=False)
    words = ["select", str(tmp_path / "a.csv"), "--target", "days", "--event", "died"]
    page = tmp_path / "a.html"
    run = CliRunner().invoke(app, [*words, "-m", "pursuit", "--report", str(page)])
    assert run.exit_code == 0, run.output
    assert "times with" in run.output
    assert '"form": "survival"' in page.read_text() or '"form":"survival"' in page.read_text()
    wrong = CliRunner().invoke(app, [*words[:-1], "g3"])
    assert wrong.exit_code != 0


@pytest.mark.filterwarnings("ignore::hsieve.exceptions.NothingFoundWarning")
def test_features_that_only_decide_who_is_censored_are_not_found():
    found = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(200, 30))
        died = rng.exponential(size=200)
        left = rng.exponential(size=200) * np.exp(-2 * X[:, 0])
        y = np.array(
            list(zip(died <= left, np.minimum(died, left), strict=True)),
            dtype=[("died", bool), ("days", float)],
        )
        found.append(len(KernelPursuit().fit(X, y).selected_indices_))
    assert np.count_nonzero(found) <= 3  # at most one is expected


def test_what_sees_more_than_the_mean_is_refused(problem):
    X, y = problem
    for selector in (L1LSMI(2), MRMR(2)):
        with pytest.raises(ValueError, match="does not take times with events"):
            selector.fit(X, y)
    assert 1 in LassoSelector(2).fit(X, y).selected_indices_


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (np.array([(2.0, 1.0)] * 60, dtype=[("a", float), ("b", float)]), "first the event"),
        (survival_times([1, 1] * 30, np.arange(60.0))[["event"]], "have two"),
    ],
)
def test_other_structured_arrays_are_refused(y, words):
    with pytest.raises(ValueError, match=words):
        N3LARS(1).fit(np.random.default_rng(0).normal(size=(60, 3)), y)


@pytest.mark.parametrize(
    ("event", "time", "words"),
    [
        ([0, 2, 1], [1.0, 2.0, 3.0], "True or False, or 1 and 0"),
        ([0, 1, 1], [1.0, -2.0, 3.0], "never negative"),
        ([0, 1, 1], [1.0, np.nan, 3.0], "finite"),
        ([0, 0, 1], [1.0, 2.0, 3.0], "1 event"),
    ],
)
def test_odd_times_are_refused(event, time, words):
    with pytest.raises(ValueError, match=words):
        survival_times(event, time)


def test_times_alone_are_refused(problem):
    X, y = problem
    with pytest.raises(ValueError, match="needs the time and the event"):
        N3LARS(2, target_kind="survival").fit(X, y["days"])
    with pytest.raises(ValueError, match="no target of target_kind='continuous'"):
        N3LARS(2, target_kind="continuous").fit(X, y)
    with pytest.raises(ValueError, match="names a column of a file"):
        open_dataset(X, y, event="died")


def test_a_report_draws_survival(problem):
    X, y = problem
    selector = KernelPursuit().fit(X, y)
    summary = selector.summary(X, y)
    assert summary.data["target"]["n_events"] == y["died"].sum()
    (panels,) = (one for one in selector.report(X, y).summary.pictures if one["id"] == "panels")
    groups = panels["panels"][0]["groups"]
    assert [group["count"] for group in groups] == [80, 80, 80]
    assert sum(group["events"] for group in groups) == y["died"].sum()
