"""LPBoost as a classifier."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectFromModel

from hsieve import LPBoost


def two_classes(rng, n_samples=120, n_features=30):
    X = rng.normal(size=(n_samples, n_features)) * 10.0 ** rng.integers(-3, 4, n_features)
    X += 100 * rng.normal(size=n_features)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    return X, np.where(scaled[:, 4] - scaled[:, 9] > 0, "sick", "healthy")


def test_true_features_have_the_weight(rng):
    X, y = two_classes(rng)
    model = LPBoost(nu=0.5).fit(X, y)
    assert set(np.argsort(-model.feature_importances_)[:2]) == {4, 9}
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.score(X, y) > 0.85
    assert (model.classes_ == ["healthy", "sick"]).all()
    assert model.decision_function(X).shape == (120,)


def test_coefficients_belong_to_the_features_as_given(rng):
    X, y = two_classes(rng)
    model = LPBoost().fit(X, y)
    by_hand = X @ model.coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(model.decision_function(X), by_hand, atol=1e-8)
    margins = np.where(y == "sick", 1, -1) * by_hand
    (fit,) = model.fits_
    slack = np.maximum(0, fit.margin - margins)
    price = 1 / (model.nu_[0] * 2 * min(np.sum(y == "sick"), np.sum(y == "healthy")))
    assert fit.margin - price * slack.sum() == pytest.approx(fit.objective, abs=1e-6)


def test_shift_and_scale_change_nothing(rng):
    X, y = two_classes(rng)
    plain, moved = LPBoost().fit(X, y), LPBoost().fit(3 * X - 7, y)
    np.testing.assert_allclose(plain.feature_importances_, moved.feature_importances_, atol=1e-6)
    np.testing.assert_array_equal(plain.predict(X), moved.predict(3 * X - 7))


@pytest.mark.parametrize("factor", [1e150, 1e-150, 1e200, 1e-200, 1e300, 1e-290])
def test_very_large_and_small_features(rng, factor):
    X, y = two_classes(rng)
    plain = LPBoost().fit(X, y)
    moved = LPBoost().fit(X * factor, y)
    decisions = moved.decision_function(X * factor)
    np.testing.assert_allclose(decisions, plain.decision_function(X), atol=1e-6)
    np.testing.assert_array_equal(moved.predict(X * factor), plain.predict(X))
    np.testing.assert_allclose(moved.intercept_, plain.intercept_, rtol=1e-6)
    np.testing.assert_allclose(moved.coef_ * factor, plain.coef_, rtol=1e-5, atol=1e-9)


def test_features_of_very_different_size(rng):
    X, y = two_classes(rng)
    factors = np.where(np.arange(30) % 2, 1e250, 1e-250)
    plain, moved = LPBoost().fit(X, y), LPBoost().fit(X * factors, y)
    np.testing.assert_array_equal(moved.predict(X * factors), plain.predict(X))


def test_several_classes_are_told_from_the_rest():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = LPBoost(nu=0.2).fit(X, names)
    assert len(model.fits_) == 3
    assert model.decision_function(X).shape == (150, 3)
    assert model.score(X, names) > 0.8


def test_fewer_features_for_a_larger_nu(rng):
    X, y = two_classes(rng, n_features=200)
    used = [np.count_nonzero(LPBoost(nu=nu).fit(X, y).coef_) for nu in (1.0, 0.7, 0.3)]
    assert used[0] < used[1] < used[2]


def test_copies_have_no_weight(rng):
    X, y = two_classes(rng)
    model = LPBoost().fit(np.hstack([X, X]), y)
    assert not model.coef_[0, 30:].any()


def test_nothing_to_learn_predicts_the_larger_class():
    y = np.r_[np.zeros(12), np.ones(8)]
    model = LPBoost().fit(np.ones((20, 2)), y)
    assert (model.predict(np.ones((20, 2))) == 0).all()
    assert not model.feature_importances_.any()


def test_fits_can_be_stored_and_cloned(rng):
    X, y = two_classes(rng)
    model = LPBoost(nu=0.3).fit(X, y)
    stored = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(stored.decision_function(X), model.decision_function(X))
    again = clone(model)
    assert not hasattr(again, "fits_")
    importances = again.fit(X, y).feature_importances_
    np.testing.assert_array_equal(importances, model.feature_importances_)


def test_serves_select_from_model(rng):
    X, y = two_classes(rng)
    selector = SelectFromModel(LPBoost(nu=0.9), importance_getter="feature_importances_")
    assert {4, 9} <= set(selector.fit(X, y).get_support(indices=True))


def test_refusals(rng):
    X, y = two_classes(rng)
    with pytest.raises(ValueError, match="1 class"):
        LPBoost().fit(X, np.zeros(120))
    with pytest.raises(ValueError, match="NaN"):
        LPBoost().fit(np.full_like(X, np.nan), y)
    with pytest.raises(ValueError, match=r"nu must be a number above 0 and at most 1, got 1\.5"):
        LPBoost(nu=1.5).fit(X, y)
