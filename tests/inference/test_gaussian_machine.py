"""Held-out prediction by a Gaussian machine."""

import numpy as np
import pytest
from sklearn.svm import SVC, SVR

from hsieve.inference.gaussian_machine import held_out_score, validation_folds


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
    left = np.sum((y[fold[1]] - predicted) ** 2) / np.sum((y[fold[1]] - y[fold[1]].mean()) ** 2)
    assert held_out_score(X, y, fold, np.array([1])) == pytest.approx(1 - left)


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
