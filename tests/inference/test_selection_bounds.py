"""The bounds on false selections are each other's inverses, and never loosen."""

import numpy as np
import pytest
from scipy.optimize import linprog

from hsieve.inference.selection_bounds import (
    false_selection_bound,
    most_per_subsample,
    threshold_for,
    unimodal_bound,
)


def test_the_three_ways_to_read_the_bound_agree():
    for expected in (0.5, 1.0, 4.0):
        for threshold in (0.6, 0.75, 0.9):
            most = most_per_subsample(expected, 1000, threshold)
            assert false_selection_bound(most, 1000, threshold) <= expected * (1 + 1e-9)
            assert false_selection_bound(most + 1, 1000, threshold) > expected
            solved = threshold_for(expected, most, 1000)
            assert solved <= threshold + 1e-9
            assert false_selection_bound(most, 1000, solved) == pytest.approx(expected)


def test_exact_squares_are_not_rounded_down():
    assert most_per_subsample(1.0, 200, 0.75) == 10
    assert most_per_subsample(2.0, 10_000, 0.75) == 100


def test_no_more_than_all_features():
    for expected in (100.0, 1e308, np.inf):
        assert most_per_subsample(expected, 50, 0.75) == 50


def test_unimodal_bound_is_continuous_and_at_most_the_basic_one():
    below, above = (unimodal_bound(5, 500, t, n_pairs=50) for t in (0.75, 0.75 + 1e-9))
    assert below == pytest.approx(above, rel=0.01)
    for threshold in np.linspace(0.55, 1, 20):
        basic = false_selection_bound(5, 500, threshold)
        assert 0 < unimodal_bound(5, 500, threshold, n_pairs=50) <= basic


def test_unimodal_bound_is_silent_where_the_theorem_is():
    assert unimodal_bound(5, 500, 0.505, n_pairs=50) is None
    assert unimodal_bound(300, 500, 0.9, n_pairs=50) is None


@pytest.mark.parametrize("threshold", [0.5, 1.01, -1])
def test_thresholds_without_a_bound_are_refused(threshold):
    with pytest.raises(ValueError, match=r"threshold must be a number above 0\.5 and at most 1"):
        false_selection_bound(5, 100, threshold)


def worst_unimodal_chance(n_pairs, share, threshold):
    """Most that a law of one mode with mean share^2 can put on "twice selected" pairs.

    A feature in a share pi of the subsamples is in both halves of at least 2 pi - 1 of the pairs.
    """
    values = np.arange(n_pairs + 1) / n_pairs
    reached = (values >= 2 * threshold - 1 - 1e-9).astype(float)
    steps = np.diff(np.eye(n_pairs + 1), axis=0)
    worst = 0.0
    for mode in range(n_pairs + 1):
        rising = (np.arange(n_pairs) < mode)[:, None]
        shape = np.where(rising, -steps, steps)
        solved = linprog(
            -reached,
            A_ub=np.vstack([shape, values]),
            b_ub=np.r_[np.zeros(n_pairs), share**2],
            A_eq=np.ones((1, n_pairs + 1)),
            b_eq=[1.0],
        )
        worst = max(worst, -solved.fun) if solved.status == 0 else worst
    return worst


@pytest.mark.parametrize("threshold", [0.6, 0.7, 0.8, 0.9, 1.0])
def test_unimodal_bound_is_the_worst_case_of_laws_with_one_mode(threshold):
    worst = worst_unimodal_chance(10, 0.2, threshold)
    assert unimodal_bound(200, 1000, threshold, n_pairs=10) == pytest.approx(1000 * worst)
