"""Held-out prediction by a Gaussian machine."""

import numpy as np
import pytest
from sklearn.metrics import r2_score
from sklearn.svm import SVC, SVR

from hsieve.inference.gaussian_machine import held_out_score, score_of, validation_folds


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(3.0, 2.0, size=(90, 4))
    return X, np.where(X[:, 0] * X[:, 2] > 9, "b", "a"), (np.arange(60), np.arange(60, 90))


def standardised_by(X, rows):
    return (X - X[rows].mean(axis=0)) / X[rows].std(axis=0)


def test_classes_are_predicted_as_by_the_machine_of_scikit_learn(data):
    X, y, fold = data
    Z = standardised_by(X[:, [0, 2]], fold[0])
    machine = SVC(C=1.0, gamma=0.5 / 1.3**2).fit(Z[fold[0]], y[fold[0]])
    expected = machine.score(Z[fold[1]], y[fold[1]])
    assert held_out_score(X, y, fold, np.array([0, 2]), width=1.3) == pytest.approx(expected)


def test_numbers_are_predicted_on_the_scale_of_the_training_samples(data):
    X, _, fold = data
    y = 100 + 7 * np.sin(X[:, 1])
    Z = standardised_by(X[:, [1]], fold[0])
    known = y[fold[0]]
    machine = SVR(C=1.0, gamma=0.5).fit(Z[fold[0]], (known - known.mean()) / known.std())
    predicted = known.mean() + known.std() * machine.predict(Z[fold[1]])
    left = np.mean((y[fold[1]] - predicted) ** 2) / known.var()
    # The machine is solved to 1e-3.
    assert held_out_score(X, y, fold, np.array([1])) == pytest.approx(1 - left, abs=1e-3)


def test_r2_of_few_samples_held_out_is_near_that_of_many(data):
    X, _, _ = data
    y = X[:, 0] + X[:, 1]
    folds = validation_folds(y, is_classes=False, n_folds=45)
    scores = [held_out_score(X, y, fold, np.array([0, 1])) for fold in folds]
    assert len(scores) == 45
    assert min(scores) > 0
    assert np.mean(scores) > 0.8


def test_score_of_numbers_is_r2(data):
    X, _, _ = data
    outputs, predicted = X[:, :2], X[:, :2] + 0.5 * X[:, 2:]
    assert score_of(outputs, predicted, is_classes=False) == pytest.approx(
        r2_score(outputs, predicted)
    )
    assert score_of(np.ones(5), np.zeros(5), is_classes=False) == 0.0


@pytest.mark.parametrize("unit", [1e200, 1e-200])
def test_huge_and_tiny_units_change_nothing(data, unit):
    X, y, fold = data
    features = np.array([0, 2])
    assert held_out_score(unit * X, y, fold, features) == held_out_score(X, y, fold, features)
    numbers = X[:, 0]
    assert held_out_score(X, unit * numbers, fold, features) == pytest.approx(
        held_out_score(X, numbers, fold, features)
    )


def test_a_feature_that_is_constant_in_training_says_nothing(data):
    X, y, fold = data
    table = np.column_stack([X[:, :3], np.where(np.arange(90) < 60, 0.1, 0.2)])
    both = [held_out_score(table, y, fold, np.array(features)) for features in ([0, 2, 3], [0, 2])]
    width = np.sqrt(3)
    assert both[0] == held_out_score(table, y, fold, np.array([0, 2]), width=width)


def test_categories_are_told_apart_and_not_put_in_order(data):
    X, _, fold = data
    codes = np.arange(90) % 3
    y = np.where(codes == 1, "odd", "even")
    table = np.column_stack([X[:, :2], codes])
    assert held_out_score(table, y, fold, np.array([2]), categorical=[2]) == 1.0


def test_samples_held_out_do_not_change_the_scale(data):
    X, y, fold = data
    one = np.array([60])
    features = np.array([0, 2])
    before = held_out_score(X, y, (fold[0], one), features)
    X = X.copy()
    X[61:] *= 1e6
    assert held_out_score(X, y, (fold[0], one), features) == before


def test_folds_share_out_all_samples_and_every_class():
    y = np.repeat(["a", "b"], [40, 7])
    folds = validation_folds(y, is_classes=True)
    assert len(folds) == 7
    held_out = np.sort(np.concatenate([part for _, part in folds]))
    np.testing.assert_array_equal(held_out, np.arange(47))
    assert all(set(y[part]) == {"a", "b"} for _, part in folds)
    assert not set(folds[0][0]) & set(folds[0][1])


def test_a_class_of_one_sample_cannot_be_validated():
    with pytest.raises(ValueError, match="one class has a single sample"):
        validation_folds(np.array(["a"] * 9 + ["b"]), is_classes=True)
