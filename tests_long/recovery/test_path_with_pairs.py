"""N3LARS over features and pairs on the toy problems of the l1-LSMI paper."""

import numpy as np
import pytest

from hsieve import N3LARS
from hsieve.datasets import make_and_or, make_quad, make_xor_toy

N_TRIALS = 50


def f_measure(chosen, relevant):
    """Harmonic mean of precision and recall."""
    return 2 * len(set(chosen) & set(relevant)) / (len(chosen) + len(relevant))


@pytest.mark.parametrize("make", [make_quad, make_xor_toy])
def test_the_features_of_the_selected_atoms_are_the_true_ones(make):
    scores = []
    for seed in range(N_TRIALS):
        problem = make(400, random_state=seed)
        selector = N3LARS(len(problem.relevant), interactions="pairs").fit(problem.X, problem.y)
        scores.append(f_measure(selector.selected_indices_.tolist(), problem.relevant.tolist()))
    assert np.mean(scores) >= 0.98


def test_and_or_shows_the_copies_then_the_features_then_both_pairs():
    both_pairs = 0
    for seed in range(N_TRIALS):
        problem = make_and_or(400, random_state=seed)
        selector = N3LARS(7, interactions="pairs").fit(problem.X, problem.y)
        assert set(selector.selected_indices_.tolist()) == {0, 1, 2, 3, 7, 8, 9}
        path = selector.path_
        entered = [path.features_of(e.feature) for e in path.lars.events if e.kind == "entered"]
        assert {feature for (feature,) in entered[:3]} == {7, 8, 9}
        both_pairs += {(0, 1), (2, 3)} <= set(entered)
    assert both_pairs >= 0.9 * N_TRIALS
