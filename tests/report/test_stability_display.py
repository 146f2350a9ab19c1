"""Stability paths: lines are the frequencies, words tell the bound."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression

from hsieve import N3LARS, LPBoost, StabilitySelection
from hsieve.report import StabilityDisplay
from hsieve.report.plots.stability import HIGHEST


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 40))
    return X, X[:, 3] - X[:, 7] + 0.5 * rng.normal(size=100)


@pytest.fixture(scope="module")
def selection(data):
    return StabilitySelection(n_subsamples=20).fit(*data)


def notes_of(display):
    return " ".join(" ".join(text.get_text().split()) for text in display.ax_.texts)


def test_lines_are_the_frequencies_along_the_range(selection):
    display = StabilityDisplay.from_selector(selection)
    assert len(display.lines_) == len(selection.selected_indices_) == 2
    for feature, line in zip(selection.selected_indices_, display.lines_, strict=True):
        assert_array_equal(line.get_xdata(), selection.range_)
        assert_array_equal(line.get_ydata(), selection.frequencies_[:, feature])
    ever = np.flatnonzero(selection.stability_scores_ > 0)
    others = np.setdiff1d(ever, selection.selected_indices_)
    drawn = [segment[:, 1] for segment in display.others_.get_segments()]
    assert_array_equal(drawn, selection.frequencies_[:, others].T)


def test_threshold_bound_and_names_are_those_of_the_selection(selection):
    display = StabilityDisplay.from_selector(selection)
    assert_array_equal(display.threshold_line_.get_ydata(), selection.threshold_)
    named = {label.get_text() for label in display.labels_}
    assert named == {
        f"x{feature}  {selection.stability_scores_[feature]:.2f}"
        for feature in selection.selected_indices_
    }
    assert f"at most {selection.bound_:.2g} of such features are expected to be false" in (
        notes_of(display)
    )
    assert f"at most {selection.unimodal_bound_:.2g} if" in notes_of(display)
    assert display.ax_.get_title(loc="left") == (
        "StabilitySelection (lasso): 2 of 40 features chosen"
    )


def test_regularisation_weakens_to_the_right_whatever_it_is(selection, data):
    X, y = data
    display = StabilityDisplay.from_selector(selection)
    assert display.ax_.get_xlim() == (selection.range_[0], selection.range_[-1])
    assert display.ax_.get_xscale() == "log"
    assert "alpha" in display.ax_.get_xlabel()
    model = LogisticRegression(l1_ratio=1, solver="liblinear")
    logistic = StabilitySelection(model, n_subsamples=4).fit(X, y > 0)
    assert "C (weaker" in StabilityDisplay.from_selector(logistic).ax_.get_xlabel()
    boosted = StabilitySelection(LPBoost(), n_subsamples=4, n_per_subsample=5).fit(X, y > 0)
    assert "nu (weaker" in StabilityDisplay.from_selector(boosted).ax_.get_xlabel()


def test_range_of_a_selector_is_the_size_of_its_ranking(data):
    selection = StabilitySelection(N3LARS(), n_subsamples=10).fit(*data)
    display = StabilityDisplay.from_selector(selection)
    assert "number of features" in display.ax_.get_xlabel()
    assert display.ax_.get_xscale() == "linear"
    assert_array_equal(display.lines_[0].get_xdata(), np.arange(1, len(selection.range_) + 1))


def test_values_that_are_no_rising_numbers_get_their_words():
    display = StabilityDisplay(
        np.array(["strong", "weak"], dtype=object),
        np.array([[0.1, 0.0], [0.9, 0.2]]),
        threshold=0.7,
        chosen=np.array([0]),
        feature_names=["a", "b"],
    ).plot()
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == ["strong", "weak"]
    assert_array_equal(display.lines_[0].get_xdata(), [0, 1])


def test_no_stable_feature_and_a_range_of_one_point_can_be_drawn(data):
    X, noise = data[0], np.random.default_rng(5).normal(size=100)
    base = StabilitySelection(N3LARS(), threshold=1.0, n_per_subsample=1, n_subsamples=20)
    empty = base.fit(X, noise)
    display = StabilityDisplay.from_selector(empty)
    assert not display.lines_
    assert "no feature reaches the threshold" in notes_of(display)
    single = StabilitySelection(N3LARS(), n_per_subsample=1, n_subsamples=10).fit(*data)
    low, high = StabilityDisplay.from_selector(single).ax_.get_xlim()
    assert low < 1 < high


def test_a_number_asked_for_tells_that_the_bound_is_not_for_it(data):
    selection = StabilitySelection(n_features_to_select=5, n_subsamples=10).fit(*data)
    display = StabilityDisplay.from_selector(selection, n_labels=3)
    assert "not for all chosen ones" in notes_of(display)
    assert "2 more chosen" in notes_of(display)
    assert (len(display.labels_), len(display.lines_)) == (3, 5)


def test_given_axes_are_drawn_on(selection):
    ax = Figure().subplots()
    display = StabilityDisplay.from_selector(selection, ax=ax)
    assert display.ax_ is ax
    assert ax.get_ylim() == (0.0, HIGHEST)


def test_other_selectors_are_refused_by_name(data):
    with pytest.raises(TypeError, match="got N3LARS; StabilitySelection\\(N3LARS\\(\\)\\) is one"):
        StabilityDisplay.from_selector(N3LARS(2).fit(*data))
