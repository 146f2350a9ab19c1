"""LPBoost-MKL as a classifier."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

from hsieve import BAHSIC, FamilyRanking, LPBoostMKL, RandSel
from hsieve.datasets import make_xor

SETS = [[0, 1], [2, 3], [0, 1, 2, 3]]


def xor(n_samples=120, seed=0, n_features=4):
    problem = make_xor(n_samples, n_features, random_state=seed)
    return problem.X, problem.y


def blobs(sizes, seed=0, spread=1.0):
    """Classes around corners of a cube, with two features of noise."""
    rng = np.random.default_rng(seed)
    corners = np.array([[(code >> bit) & 1 for bit in range(4)] for code in range(len(sizes))])
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = 3.0 * corners[y] + spread * rng.normal(size=(len(y), 4))
    return np.hstack([X, rng.normal(size=(len(y), 2))]), y


def test_the_set_that_matters_has_the_weight_and_new_samples_are_predicted():
    X, y = xor()
    model = LPBoostMKL(SETS).fit(X, y)
    assert model.set_weights_.argmax() == 0
    assert model.set_weights_.sum() == pytest.approx(1)
    assert model.kernel_weights_.shape == (1, 3, len(model.widths_))
    assert model.score(*xor(300, 1)) > 0.9
    assert model.validation_.accuracy > 0.9
    assert model.width_accuracies_.shape == (3, len(model.widths_))
    assert all(fit.gap <= 1e-6 for fit in model.fits_)


def test_importances_are_weights_shared_out_over_the_sets():
    X, y = xor()
    model = LPBoostMKL(SETS, width_choice="program", nu=0.5, widths=[0.5, 1.0]).fit(X, y)
    expected = np.zeros(4)
    for features, weight in zip(SETS, model.set_weights_, strict=True):
        expected[features] += weight / len(features)
    np.testing.assert_allclose(model.feature_importances_, expected)
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.kernel_weights_.shape == (1, 3, 2)
    assert model.width_accuracies_ is None


def test_features_that_matter_only_together_are_found_among_others():
    X, y = xor(150, 0, 16)
    model = LPBoostMKL(selector=BAHSIC(2), n_folds=3, widths=[0.5, 1.0, 2.0]).fit(X, y)
    assert [len(features) for features in model.feature_sets_] == [16, 8, 4, 2]
    assert model.feature_sets_[-1].tolist() == [0, 1]
    assert set(np.argsort(-model.feature_importances_)[:2]) == {0, 1}
    assert model.score(*xor(300, 1, 16)) > 0.9


def test_the_default_selector_finds_nested_sets():
    X, y = xor(100, 0, 8)
    model = LPBoostMKL(n_folds=2, widths=[1.0], nu=0.5).fit(X, y)
    assert model.feature_sets_[0].tolist() == list(range(8))
    assert model.feature_sets_[-1].tolist() == [0, 1]
    given = RandSel(random_state=3)
    other = LPBoostMKL(selector=given, n_folds=2, widths=[1.0], nu=0.5).fit(X, y)
    assert not hasattr(given, "path_")
    assert other.feature_sets_[-1].tolist() == [0, 1]


def test_names_stand_for_positions():
    X, y = xor()
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    options = {"widths": [1.0], "nu": 0.5, "n_folds": 2}
    named = LPBoostMKL([["a", "b"], ["c", "d"]], **options).fit(frame, y)
    placed = LPBoostMKL([[0, 1], [2, 3]], **options).fit(X, y)
    np.testing.assert_array_equal(named.set_weights_, placed.set_weights_)
    np.testing.assert_array_equal(named.predict(frame), placed.predict(X))


def test_several_classes_are_told_apart():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    train = np.arange(150) % 3 > 0
    model = LPBoostMKL([[0, 1], [2, 3], [0, 1, 2, 3]], n_folds=3).fit(X[train], names[train])
    assert len(model.fits_) == len(model.nu_) == 3
    assert model.score(X[~train], names[~train]) > 0.9
    assert model.decision_function(X).shape == (150, 3)


def test_classes_with_few_samples_are_predicted_too():
    shares = []
    for seed in range(3):
        X, y = blobs([40, 40, 12, 6, 5, 4], seed=seed, spread=0.6)
        model = LPBoostMKL([range(6), range(4)], widths=[0.5, 1.0, 2.0], n_folds=3).fit(X, y)
        new, truth = blobs([30] * 6, seed=seed + 100, spread=0.6)
        said = model.predict(new)
        shares.append([np.mean(said[truth == label] == label) for label in range(6)])
    assert np.min(np.mean(shares, axis=0)) > 0.7


def test_probabilities_are_calibrated():
    rng = np.random.default_rng(0)

    def draw(n):
        X = rng.normal(size=(n, 2))
        return X, rng.random(n) < 1 / (1 + np.exp(-2 * X[:, 0]))

    X, y = draw(300)
    model = LPBoostMKL([[0], [0, 1]], widths=[1.0, 2.0, 4.0]).fit(X, y)
    new, _ = draw(4000)
    truth = 1 / (1 + np.exp(-2 * new[:, 0]))
    assert np.mean(np.abs(model.predict_proba(new)[:, 1] - truth)) < 0.1


@pytest.mark.parametrize("n_classes", [2, 4])
def test_predictions_decisions_and_probabilities_agree(n_classes):
    X, y = blobs([20] * n_classes)
    model = LPBoostMKL([range(6)], widths=[1.0], nu=0.3, n_folds=3).fit(X, y)
    chances, decisions, said = model.predict_proba(X), model.decision_function(X), model.predict(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    np.testing.assert_array_equal(np.argmax(chances, axis=1), said)
    if n_classes == 2:
        np.testing.assert_array_equal((decisions > 0).astype(int), said)
    else:
        np.testing.assert_array_equal(np.argmax(decisions, axis=1), said)
    far = model.predict_proba(np.full((1, 6), 1e300))
    assert np.isfinite(far).all()


def test_a_nu_of_ones_own_is_taken_or_raised():
    X, y = xor()
    assert LPBoostMKL([[0, 1]], widths=[1.0], nu=0.4, n_folds=2).fit(X, y).nu_ == [0.4]
    rounded = np.round(X)
    y = np.where(np.arange(120) % 4 == 0, 1 - (y > 0), y > 0)
    assert LPBoostMKL([[0, 1]], widths=[1.0], nu=0.01, n_folds=2).fit(rounded, y).nu_ > 0.1


def test_constant_columns_do_not_widen_kernels():
    X, y = xor()
    padded = np.hstack([X, np.full((120, 20), 7.0)])
    options = {"widths": [0.5], "nu": 0.5, "n_folds": 2}
    plain = LPBoostMKL([range(4)], **options).fit(X, y)
    wide = LPBoostMKL([range(24)], **options).fit(padded, y)
    expected = plain.decision_function(X)
    np.testing.assert_allclose(wide.decision_function(padded), expected, atol=1e-9)
    assert not wide.feature_importances_[4:].any()
    # Nor do they say anything where they come to vary later.
    padded[:, 4:] = 1e9
    np.testing.assert_allclose(wide.decision_function(padded), expected, atol=1e-9)


def test_shift_and_scale_change_nothing():
    X, y = xor()
    options = {"widths": [0.5, 1.0], "nu": 0.5, "n_folds": 2}
    plain = LPBoostMKL(SETS, **options).fit(X, y)
    for factor in (1e-200, 1e-3, 1e200):
        moved = LPBoostMKL(SETS, **options).fit(X * factor, y)
        np.testing.assert_allclose(
            moved.decision_function(X * factor), plain.decision_function(X), atol=1e-6
        )


def test_nothing_to_learn_predicts_the_larger_class():
    y = np.r_[np.zeros(12), np.ones(8)]
    model = LPBoostMKL([[0], [0, 1]]).fit(np.ones((20, 2)), y)
    assert (model.predict(np.ones((20, 2))) == 0).all()
    assert not model.feature_importances_.any()


@pytest.mark.parametrize("sizes", [(1, 1), (1, 5), (2, 2), (1, 1, 1), (3, 1, 1), (2, 2, 2)])
@pytest.mark.parametrize("n_features", [1, 5])
def test_the_fewest_samples(sizes, n_features):
    X, y = blobs(sizes, spread=0.1)
    for choice in ("cv", "program"):
        model = LPBoostMKL(width_choice=choice, widths=[1.0, 2.0]).fit(X[:, :n_features], y)
        assert model.predict_proba(X[:, :n_features]).shape == (len(y), len(sizes))
    assert (model.validation_ is None) == (sorted(sizes)[-2] < 2)


def test_identical_samples_of_two_classes():
    X = np.tile([[0.0, 1.0], [2.0, 3.0]], (10, 1))
    y = np.r_[np.zeros(10), np.ones(10)]
    chances = LPBoostMKL([[0], [0, 1]]).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(chances, 0.5, atol=0.05)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_seed_decides_and_nothing_else(n_jobs):
    X, y = xor(60, 0, 6)
    options = {"selector": FamilyRanking(), "n_folds": 2, "widths": [0.5, 1.0]}
    plain = LPBoostMKL(**options).fit(X, y)
    other = LPBoostMKL(n_jobs=n_jobs, **options).fit(X, y)
    np.testing.assert_array_equal(plain.decision_function(X), other.decision_function(X))


def test_little_memory_gives_the_same_answer():
    X, y = xor()
    options = {"width_choice": "program", "nu": 0.4, "n_folds": 2}
    plain = LPBoostMKL(SETS, **options).fit(X, y)
    small = LPBoostMKL(SETS, memory_limit="300KB", **options).fit(X, y)
    assert small.fits_[0].objective == pytest.approx(plain.fits_[0].objective, rel=1e-6)
    np.testing.assert_allclose(small.predict_proba(X), plain.predict_proba(X), atol=5e-3)


def test_fits_can_be_stored_and_cloned():
    X, y = xor()
    model = LPBoostMKL(SETS, widths=[1.0], nu=0.4, n_folds=2).fit(X, y)
    stored = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(stored.decision_function(X), model.decision_function(X))
    assert not hasattr(clone(model), "fits_")


def test_refusals():
    X, y = xor()
    with pytest.raises(ValueError, match="1 class"):
        LPBoostMKL(SETS).fit(X, np.zeros(120))
    with pytest.raises(ValueError, match="NaN"):
        LPBoostMKL(SETS).fit(np.full_like(X, np.nan), y)
    for options, told in (
        ({"nu": 1.5}, r"nu must be 'cv' or a number above 0 and at most 1, got 1\.5"),
        ({"nu": "best"}, "nu must be 'cv'"),
        ({"widths": []}, "widths must be a list of numbers above 0"),
        ({"widths": [0.0]}, "widths must be"),
        ({"widths": 1.0}, "widths must be"),
        ({"width_choice": "margin"}, "width_choice must be '"),
        ({"n_folds": 1}, "n_folds must be an integer of at least 2"),
        ({"memory_limit": "much"}, "much"),
        ({"selector": RandSel()}, "give one of them"),
    ):
        with pytest.raises(ValueError, match=told):
            LPBoostMKL(SETS, **options).fit(X, y)
    with pytest.raises(ValueError, match="selector must be a selector of hsieve"):
        LPBoostMKL(selector="randsel").fit(X, y)
    with pytest.raises(ValueError, match="positions below"):
        LPBoostMKL([[9]]).fit(X, y)
