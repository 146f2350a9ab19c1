"""Contributions over iterations: lines are the path's numbers, ends where features were culled."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal

from hsieve import BAHSIC, HSIC, DependenceSelector, RandomisedContributions, RandSel
from hsieve.datasets import make_xor
from hsieve.report import ContributionsDisplay


@pytest.fixture(scope="module")
def data():
    problem = make_xor(120, 20, random_state=0)
    return problem.X, problem.y


@pytest.fixture(scope="module")
def selector(data):
    return RandSel(4).fit(*data)


@pytest.fixture(scope="module")
def fixing(data):
    return RandSel(3, fix_after=2, top_share=0.2).fit(*data)


def in_shares(values):
    return values / np.nanmax(np.abs(values), axis=1, keepdims=True)


@pytest.mark.parametrize("quantity", ["merits", "contributions"])
def test_lines_are_the_values_as_shares_of_each_iteration(selector, quantity):
    display = ContributionsDisplay.from_selector(selector, quantity=quantity)
    shares = in_shares(getattr(selector.path_, quantity))
    for feature, line in zip(selector.selected_indices_, display.lines_, strict=True):
        assert_array_equal(line.get_xdata(), np.arange(1, len(shares) + 1))
        assert_allclose(line.get_ydata(), shares[:, feature])
    others = np.setdiff1d(np.arange(20), selector.selected_indices_)
    for feature, path in zip(others, display.others_.get_segments(), strict=True):
        known = np.isfinite(shares[:, feature])
        assert_allclose(path[:, 1], shares[known, feature])
        assert_array_equal(path[:, 0], np.flatnonzero(known) + 1)


def test_crosses_stand_where_features_were_culled(selector):
    display = ContributionsDisplay.from_selector(selector)
    known = np.isfinite(selector.path_.merits)
    n_culled = -np.diff(known.sum(axis=1))
    iterations, counts = np.unique(display.culls_.get_xdata(), return_counts=True)
    assert_array_equal(iterations, np.arange(1, len(known)))
    assert_array_equal(counts, n_culled)


def test_the_cut_parts_what_was_culled_from_what_was_kept(selector):
    display = ContributionsDisplay.from_selector(selector)
    shares = in_shares(selector.path_.merits)
    cut = display.cut_.get_data().values
    assert np.isnan(cut[-1])
    for iteration, height in enumerate(cut[:-1]):
        stays = np.isfinite(shares[iteration + 1])
        here = np.isfinite(shares[iteration])
        assert (shares[iteration, here & stays] >= height).all()
        assert (shares[iteration, here & ~stays] <= height).all()


def test_contributions_decide_nothing_so_no_cut_is_drawn(selector):
    display = ContributionsDisplay.from_selector(selector, quantity="contributions")
    assert np.isnan(display.cut_.get_data().values).all()


def test_fixed_features_end_with_a_square_not_with_a_cross(fixing):
    display = ContributionsDisplay.from_selector(fixing)
    path = fixing.path_
    assert len(path.fixed)
    assert_array_equal(display.fixes_.get_xdata(), path.fixed_after + 1)
    shares = in_shares(path.merits)
    assert_allclose(display.fixes_.get_ydata(), shares[path.fixed_after, path.fixed])
    n_ended = np.isnan(path.merits[-1]).sum() - len(path.fixed[path.fixed_after < len(shares) - 1])
    assert len(display.culls_.get_xdata()) == n_ended
    notes = "".join(text.get_text() for text in display.ax_.texts)
    assert "fixed after this iteration" in notes


def test_ticks_are_the_numbers_of_features_left(selector, fixing):
    labels = ContributionsDisplay.from_selector(selector).ax_.get_xticklabels()
    left = [str(number) for number in np.isfinite(selector.path_.merits).sum(axis=1)]
    assert [label.get_text() for label in labels] == left
    # Features that are fixed are still left.
    first = ContributionsDisplay.from_selector(fixing).ax_.get_xticklabels()
    numbers = [int(label.get_text()) for label in first]
    assert numbers[0] == 20
    assert numbers[-1] >= len(fixing.path_.fixed[fixing.path_.fixed_after < len(numbers) - 1])


def test_the_chosen_are_named_best_first(selector):
    display = ContributionsDisplay.from_selector(selector, n_labels=2)
    named = {label.get_text() for label in display.labels_}
    assert named == {f"x{feature}" for feature in selector.selected_indices_[:2]}
    notes = "".join(text.get_text() for text in display.ax_.texts)
    assert "2 more chosen" in notes


def test_other_strategies_and_constant_columns_and_given_axes(data):
    X, y = data
    X = np.column_stack([np.ones(len(X)), X])
    free = DependenceSelector(
        HSIC(), strategy=RandomisedContributions(n_rounds=4), n_features_to_select=2
    )
    with pytest.warns(UserWarning, match="constant"):
        free.fit(X, y)
    ax = Figure().subplots()
    display = ContributionsDisplay.from_selector(free, ax=ax)
    assert display.ax_ is ax
    assert len(display.others_.get_segments()) == 18  # all but two chosen and the constant one


def test_two_features_have_one_iteration(data):
    X, y = data
    display = ContributionsDisplay.from_selector(RandSel(2).fit(X[:, :2], y))
    assert [len(line.get_xdata()) for line in display.lines_] == [1, 1]
    assert len(display.culls_.get_xdata()) == 0


def test_what_cannot_be_drawn_is_refused_in_words(selector, data):
    with pytest.raises(TypeError, match="BAHSIC keeps no contributions; accepted are RandSel"):
        ContributionsDisplay.from_selector(BAHSIC(2).fit(*data))
    with pytest.raises(ValueError, match="quantity must be 'merits' or 'contributions', got"):
        ContributionsDisplay.from_selector(selector, quantity="scores")
