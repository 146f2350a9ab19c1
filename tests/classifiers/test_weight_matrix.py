"""Position weight matrices against counting by hand and naive Bayes."""

import numpy as np
import pytest
from sklearn.naive_bayes import CategoricalNB

from hsieve import PositionWeightMatrix
from hsieve.data.sequences import UNKNOWN_CODE, windows


def some_codes(n_samples=80, n_positions=4, n_categories=3, seed=0, n_classes=2):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_samples)
    X = rng.integers(0, n_categories, (n_samples, n_positions))
    X[:, 1] = np.where(rng.random(n_samples) < 0.6, y % n_categories, X[:, 1])
    return X, y


def test_log_odds_are_those_counted_one_by_one():
    X, y = some_codes()
    matrix = PositionWeightMatrix(pseudo_count=2.5).fit(X, y)
    for label in (0, 1):
        for position in range(4):
            for code in range(3):
                background = np.mean(code == X)
                count = sum(X[row, position] == code and y[row] == label for row in range(len(X)))
                share = (count + 2.5 * background) / (np.sum(y == label) + 2.5)
                found = matrix.log_odds_[label, position, code]
                assert found == pytest.approx(np.log(share / background))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_with_an_even_background_it_is_naive_bayes(n_classes):
    # Every category equally often: then our pseudo-count and Laplace's are the same.
    X = np.array([[0, 1, 2], [1, 2, 0], [2, 0, 1]] * 12)
    y = np.random.default_rng(0).integers(0, n_classes, len(X))
    ours = PositionWeightMatrix(pseudo_count=3.0).fit(X, y)
    bayes = CategoricalNB(alpha=1.0).fit(X, y)
    log_joint = bayes.predict_joint_log_proba(X)
    expected = log_joint[:, 1] - log_joint[:, 0] if n_classes == 2 else log_joint
    shift = 0 if n_classes == 2 else 3 * np.log(1 / 3)
    np.testing.assert_allclose(ours.decision_function(X) + shift, expected, rtol=1e-10)
    np.testing.assert_array_equal(ours.predict(X), bayes.predict(X))


def test_unknown_codes_and_codes_never_met_say_nothing():
    X, y = some_codes()
    X[:20, 2] = UNKNOWN_CODE
    matrix = PositionWeightMatrix().fit(X, y)
    assert matrix.categories_.tolist() == [0, 1, 2]
    prior = np.log(y.mean() / (1 - y.mean()))
    silent = np.array([[UNKNOWN_CODE] * 4, [17] * 4, [-3] * 4])
    np.testing.assert_allclose(matrix.decision_function(silent), prior)
    heard = np.array([[UNKNOWN_CODE, 1, 17, UNKNOWN_CODE]])
    said = matrix.log_odds_[1, 1, 1] - matrix.log_odds_[0, 1, 1]
    np.testing.assert_allclose(matrix.decision_function(heard), prior + said)


def test_nothing_known_leaves_the_larger_class():
    X = np.full((5, 2), UNKNOWN_CODE)
    matrix = PositionWeightMatrix().fit(X, ["a", "b", "b", "a", "b"])
    assert matrix.predict(X).tolist() == ["b"] * 5


def test_unknown_none_counts_every_code():
    X, y = some_codes()
    X[:20, 2] = UNKNOWN_CODE
    matrix = PositionWeightMatrix(unknown=None).fit(X, y)
    assert matrix.categories_.tolist() == [0, 1, 2, UNKNOWN_CODE]


def test_windows_go_straight_in():
    cut = windows(["ALASQ", "VLAGQ", "LKDEQ", "RKLDQ"], before=3, after=1)
    matrix = PositionWeightMatrix().fit(cut.codes, [True, True, False, False])
    assert matrix.predict(cut.codes).tolist() == [True, True, False, False]


@pytest.mark.parametrize("given", [0, -1.0, "much", True, np.inf])
def test_odd_pseudo_counts_are_refused(given):
    X, y = some_codes()
    with pytest.raises(ValueError, match="pseudo_count must be a number above 0"):
        PositionWeightMatrix(pseudo_count=given).fit(X, y)
