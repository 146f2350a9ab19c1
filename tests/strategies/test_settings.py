"""Settings at the edge: the last right value is taken, the first wrong one refused."""

from unittest.mock import Mock

import numpy as np
import pytest

from hsieve import (
    HSIC,
    Backward,
    FCBFSearch,
    IterativeScreening,
    L1Ball,
    MRMRSearch,
    ParentsChildren,
    Pearson,
    QuadraticProgram,
    RandomHalves,
    RandomisedContributions,
)

NO_NUMBER = "x"
ALMOST_ONE = 1 - 1e-9

RIGHT = [
    FCBFSearch(0),
    ParentsChildren(alpha=1e-9),
    ParentsChildren(alpha=ALMOST_ONE),
    ParentsChildren(max_given=0),
    RandomHalves(n_rounds=1),
    RandomHalves(epsilon=0),
    RandomHalves(penalty=1e-9),
    RandomHalves(penalty=ALMOST_ONE),
    RandomHalves(penalty=None),
    RandomisedContributions(n_rounds=1),
    RandomisedContributions(fix_after=1),
    RandomisedContributions(fix_after=None),
    RandomisedContributions(step=1e-9),
    RandomisedContributions(step=ALMOST_ONE),
    RandomisedContributions(top_share=ALMOST_ONE),
    RandomisedContributions(subsample=1),
    RandomisedContributions(subsample=1e-9),
    RandomisedContributions(subsample=0.7),
    RandomisedContributions(subsample=2),
    RandomisedContributions(subsample=40.0),
    RandomisedContributions(subsample=None),
    RandomisedContributions(estimator="plain"),
    QuadraticProgram(alpha=0),
    QuadraticProgram(alpha=1),
    QuadraticProgram(alpha="auto"),
    QuadraticProgram(n_landmarks=1),
    QuadraticProgram(n_landmarks="all"),
    QuadraticProgram(n_landmarks="auto"),
    L1Ball(n_restarts=1),
    L1Ball(time_limit=1e-9),
    L1Ball(time_limit=None),
    L1Ball(radius=1e-9),
    MRMRSearch(form="quotient"),
]
WRONG = [
    (FCBFSearch(-1e-9), "threshold"),
    (FCBFSearch(True), "threshold"),
    (ParentsChildren(alpha=1), "alpha"),
    (ParentsChildren(alpha=0), "alpha"),
    (ParentsChildren(alpha=NO_NUMBER), "alpha"),
    (ParentsChildren(max_given=-1), "max_given"),
    (RandomHalves(n_rounds=0), "n_rounds"),
    (RandomHalves(n_rounds=2.5), "n_rounds"),
    (RandomHalves(epsilon=-1e-9), "epsilon"),
    (RandomHalves(epsilon=np.inf), "epsilon"),
    (RandomHalves(epsilon=NO_NUMBER), "epsilon"),
    (RandomHalves(penalty=0), "penalty"),
    (RandomHalves(penalty=1), "penalty"),
    (RandomHalves(penalty=NO_NUMBER), "penalty"),
    (RandomisedContributions(n_rounds=0), "n_rounds"),
    (RandomisedContributions(n_rounds=True), "n_rounds"),
    (RandomisedContributions(fix_after=0), "fix_after"),
    (RandomisedContributions(fix_after=1.5), "fix_after"),
    (RandomisedContributions(step=0), "step"),
    (RandomisedContributions(step=1), "step"),
    (RandomisedContributions(top_share=0), "top_share"),
    (RandomisedContributions(top_share=NO_NUMBER), "top_share"),
    (RandomisedContributions(subsample=0), "subsample"),
    (RandomisedContributions(subsample=-2), "subsample"),
    (RandomisedContributions(subsample=1.5), "subsample"),
    (RandomisedContributions(subsample=True), "subsample"),
    (RandomisedContributions(subsample=NO_NUMBER), "subsample"),
    (QuadraticProgram(alpha=-1e-9), "alpha"),
    (QuadraticProgram(alpha=1 + 1e-9), "alpha"),
    (QuadraticProgram(alpha=True), "alpha"),
    (QuadraticProgram(alpha=NO_NUMBER), "alpha"),
    (QuadraticProgram(n_landmarks=0), "n_landmarks"),
    (QuadraticProgram(n_landmarks=True), "n_landmarks"),
    (QuadraticProgram(n_landmarks=1.5), "n_landmarks"),
    (QuadraticProgram(n_landmarks=NO_NUMBER), "n_landmarks"),
    (L1Ball(n_restarts=0), "n_restarts"),
    (L1Ball(time_limit=np.inf), "time_limit"),
    (L1Ball(radius=np.inf), "radius"),
    (L1Ball(radius=NO_NUMBER), "radius"),
    (MRMRSearch(form=NO_NUMBER), "form"),
]


@pytest.mark.parametrize("strategy", RIGHT, ids=repr)
def test_the_last_right_value_is_taken(strategy):
    strategy.check(Mock(), 50, 3)


@pytest.mark.parametrize(("strategy", "setting"), WRONG, ids=repr)
def test_the_first_wrong_value_is_refused_by_name(strategy, setting):
    with pytest.raises(ValueError, match=setting):
        strategy.check(Mock(), 50, 3)


@pytest.mark.parametrize("step", [1e-9, 0.5, ALMOST_ONE, 1, 1.0, 3])
def test_steps_of_the_backward_search_are_shares_or_whole_numbers(step, rng):
    bound = HSIC().bind(rng.normal(size=(10, 4)), rng.normal(size=10))
    assert len(Backward(step=step, n_contexts=1).search(bound, 2).order) == 4
    for wrong in (0, 1 + 1e-9, 2.5, np.inf, NO_NUMBER):
        with pytest.raises(ValueError, match="step must be"):
            Backward(step=wrong).check(HSIC(), 4, 2)


def test_a_screen_as_narrow_as_the_selection_is_taken(rng):
    X = rng.normal(size=(300, 6))
    bound = Pearson(squared=True).bind(X, X[:, 0] + X[:, 1] + X[:, 2])
    path = IterativeScreening(3).search(bound, 3)
    assert sorted(path.order[:3].tolist()) == [0, 1, 2]
