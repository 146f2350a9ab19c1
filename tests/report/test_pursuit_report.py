"""The page of a kernel pursuit: what each feature adds, the steps, and nothing found."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

from hsieve import KernelPursuit
from hsieve.exceptions import NothingFoundWarning
from hsieve.report.analysis import AnalysisOptions, analyse
from hsieve.report.tables import EVENTS, steps_of
from hsieve.strategies import PursuitEvent
from tests.report.pages import explained

NAMES = [f"gene {place}" for place in range(15)]


def summarise(selector, X=None, y=None, options=None):
    return analyse(selector, X, y, options=options).to_dict()


@pytest.fixture(scope="module")
def fitted():
    selector, X, y = explained()
    return selector.fit(X, y), X, y


@pytest.fixture(scope="module")
def summary(fitted):
    return summarise(*fitted, AnalysisOptions(feature_names=NAMES))


def picture(summary, name):
    return next((one for one in summary["pictures"] if one["id"] == name), None)


def titles(summary):
    return {one["title"] for one in summary["pitfalls"]}


def test_the_curve_is_what_is_explained_with_the_features_named(fitted, summary):
    selector = fitted[0]
    shown = picture(summary, "explained")
    assert shown["x"]["values"] == [0, *selector.path_.sizes.tolist()]
    values = np.array([line["values"] for line in shown["series"]], dtype=float)
    assert_allclose(np.nanmax(values, axis=0), 1.0 - selector.path_.errors, rtol=1e-5)
    assert all(np.count_nonzero(~np.isnan(line)) == 2 for line in values)
    assert shown["series"][0]["name"] == "gene 2"
    pair = next(line for line in shown["series"] if "also" in line)
    assert set(pair["name"].split(" × ")) == {"gene 6", "gene 7"}
    assert selector.n_features_choice_.reason in shown["caption"]
    assert picture(summary, "number") is None


def test_the_steps_are_the_events(fitted, summary):
    selector = fitted[0]
    steps = summary["steps"]
    events = selector.path_.events
    assert [row["what"] for row in steps["rows"]] == [event.what for event in events]
    assert [row["features"] for row in steps["rows"]] == [event.features for event in events]
    assert_allclose([row["error"] for row in steps["rows"]], [e.error for e in events], rtol=1e-5)
    assert steps["ended"] == selector.path_.stop_reason
    assert {one["label"] for one in steps["events"]} == {event.what for event in events}


def test_every_event_has_a_row_and_a_meaning(fitted):
    from dataclasses import replace

    selector, X, y = fitted
    other = KernelPursuit().fit(X, y)
    events = tuple(
        PursuitEvent(what, (2, 9) if what == "replaced" else (2,), 0.5, np.inf) for what in EVENTS
    )
    other.path_ = replace(selector.path_, events=events)
    steps = steps_of(other, NAMES)
    assert [row.what for row in steps.rows] == list(EVENTS)
    assert [one.label for one in steps.events] == list(EVENTS)
    assert steps.rows[0].standard_errors is None
    html = other.report(X, y).html
    assert '<bdi>x2</bdi><span class="times"> → </span><bdi>x9</bdi>' in html
    other.path_ = replace(selector.path_, events=events * 20)
    assert "The first 60 steps of the search; 20 more are left out." in other.report(X, y).html


def test_the_method_and_its_limits_are_told(fitted, summary):
    assert "leave-one-out residuals" in summary["does"]
    assert summary["repeat"]["command"] == "hsieve select data.csv --target y --method pursuit"
    assert "Only effects on the mean are found" in titles(summary)
    assert "Features that matter only together are not seen" not in titles(summary)
    assert "Some features only fill up the number" not in titles(summary)
    assert not any("does not come from the data" in title for title in titles(summary))
    _, X, y = fitted
    single = summarise(KernelPursuit(interactions=None).fit(X, y), X, y)
    assert "Features that matter only together are not seen" in titles(single)


def test_features_that_fill_up_the_number_are_told(fitted):
    _, X, y = fitted
    summary = summarise(KernelPursuit(8).fit(X, y), X, y)
    assert "Some features only fill up the number" in titles(summary)
    assert len(picture(summary, "explained")["x"]["values"]) < 8


def test_a_rule_has_its_own_picture(fitted):
    _, X, y = fitted
    summary = summarise(KernelPursuit("alignment").fit(X, y), X, y)
    assert picture(summary, "number") is not None


def test_nothing_found_makes_a_page(fitted):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 10)), rng.normal(size=100)
    with pytest.warns(NothingFoundWarning):
        selector = KernelPursuit().fit(X, y)
    summary = summarise(selector, X, y)
    assert summary["headline"] == (
        "KernelPursuit chose none of 10 features from 100 samples: no feature is related to the "
        "target beyond chance."
    )
    assert summary["steps"]["rows"] == ()
    assert picture(summary, "explained") is None
    json.dumps(summary, allow_nan=False)
    page = selector.report(X, y).html
    assert "chose none of 10 features" in page
    assert summary["repeat"]["python"].endswith("selector.selected_indices_  # []")
    assert not any("were chosen" in one["text"] for one in summary["pitfalls"])
    assert summarise(selector)["n_selected"] == 0


def test_candidates_that_did_not_lower_the_error_are_told_of(fitted):
    _, X, y = fitted
    with pytest.warns(NothingFoundWarning):
        selector = KernelPursuit(least_gain=100.0).fit(X, y)
    assert summarise(selector, X, y)["headline"].endswith(
        "no feature lowers the error of left-out samples enough."
    )
