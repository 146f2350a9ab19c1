"""One fold of an evaluation."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier

from hsieve import FamilyRanking, StabilitySelection
from hsieve.comparison.evaluation import Judge, evaluate_fold
from hsieve.inference.gaussian_machine import held_out_score


@pytest.fixture
def data():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 6))
    return X, (X[:, 4] + 0.3 * rng.normal(size=80) > 0).astype(int)


FOLD = np.arange(60), np.arange(60, 80)


def test_only_training_samples_are_seen(data):
    X, y = data
    outcome = evaluate_fold(FamilyRanking(2), X, y, FOLD)
    changed = X.copy()
    changed[FOLD[1]] = 0.0
    again = evaluate_fold(FamilyRanking(2), changed, y, FOLD)
    np.testing.assert_array_equal(outcome.selected, again.selected)
    np.testing.assert_array_equal(outcome.selector.scores_, again.selector.scores_)


def test_the_same_features_score_the_same_whoever_chose_them(data):
    X, y = data
    outcome = evaluate_fold(FamilyRanking("alignment"), X, y, FOLD)
    assert outcome.score == held_out_score(X, y, FOLD, outcome.selected)
    again = evaluate_fold(FamilyRanking(len(outcome.selected)), X, y, FOLD)
    assert (again.score, set(again.selected)) == (outcome.score, set(outcome.selected))
    assert outcome.seconds > 0
    assert outcome.cpu_seconds > 0


def test_any_predictor_may_judge(data):
    X, y = data
    outcome = evaluate_fold(
        FamilyRanking(1), X, y, FOLD, Judge("classes", predictor=KNeighborsClassifier(3))
    )
    assert outcome.selected.tolist() == [4]
    model = KNeighborsClassifier(3).fit(X[:60, [4]], y[:60])
    assert outcome.score == model.score(X[60:, [4]], y[60:])


@pytest.mark.parametrize("numeric", [False, True])
def test_a_selection_of_nothing_predicts_the_commonest_class_or_the_mean(data, numeric):
    X, y = data
    rng = np.random.default_rng(2)
    y = rng.normal(size=80) if numeric else rng.permutation(y)
    nothing = StabilitySelection(threshold=1.0, n_per_subsample=1, n_subsamples=10)
    outcome = evaluate_fold(nothing, X, y, FOLD)
    assert len(outcome.selected) == 0
    if numeric:
        assert outcome.score <= 0
    else:
        dummy = DummyClassifier().fit(X[:60], y[:60])
        assert outcome.score == dummy.score(X[60:], y[60:])
