"""The pipeline of the thesis in one classifier."""

import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_digits, load_iris
from sklearn.decomposition import PCA
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from hsieve import (
    FamilyRanking,
    KernelEnsembleClassifier,
    LPBoostMKL,
    NestedKernelClassifier,
    SparseFiltering,
)
from hsieve.datasets import make_xor

QUICK = KernelEnsembleClassifier(n_members=4, widths=(0.5, 1.0))


def quick(representation=None, **changed):
    usual = {"selector": FamilyRanking(2), "classifier": QUICK, "max_sets": 3}
    return NestedKernelClassifier(representation, **{**usual, **changed})


def digits(n_samples, rng):
    X, y = load_digits(return_X_y=True)
    order = rng.permutation(len(y))[:n_samples]
    return X[order], np.array([f"digit {label}" for label in y[order]])


def test_without_a_representation_it_is_the_ensemble_over_the_sets_of_the_selector():
    problem = make_xor(300, 20, random_state=2)
    model = NestedKernelClassifier(classifier=QUICK).fit(problem.X[:200], problem.y[:200])
    assert model.score(problem.X[200:], problem.y[200:]) > 0.9
    assert set(np.argsort(-model.feature_importances_)[:2]) == {0, 1}
    assert model.representation_ is None
    assert len(model.set_weights_) == len(model.feature_sets_) <= 8
    alone = clone(QUICK).set_params(feature_sets=model.feature_sets_)
    alone.fit(problem.X[:200], problem.y[:200])
    np.testing.assert_array_equal(
        model.decision_function(problem.X), alone.decision_function(problem.X)
    )


def test_sets_are_nested_and_about_the_features_of_the_representation(rng):
    X, y = digits(300, rng)
    model = quick(SparseFiltering(30, max_iter=15, preparation="range"), max_sets=4).fit(X, y)
    assert model.feature_importances_.shape == (30,)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.represented_names_[0] == "sparsefiltering0"
    sets = [set(features.tolist()) for features in model.feature_sets_]
    assert all(small < large for large, small in pairwise(sets))
    assert set(model.predict(X)) == set(y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    np.testing.assert_array_equal(
        model.predict(X), model.classes_[np.argmax(model.decision_function(X), axis=1)]
    )


def test_a_representation_is_learned_from_unlabelled_samples_too(rng):
    X, y = digits(200, rng)
    few = np.arange(60)
    model = quick(StandardScaler()).fit(X[few], y[few], X_unlabelled=X[60:])
    np.testing.assert_allclose(model.representation_.mean_, X.mean(axis=0))
    alone = quick(StandardScaler()).fit(X[few], y[few])
    np.testing.assert_allclose(alone.representation_.mean_, X[few].mean(axis=0))


def test_unlabelled_samples_pass_through_cross_validation(rng):
    X, y = load_iris(return_X_y=True)
    labelled = rng.permutation(150)[:90]
    scores = cross_val_score(
        quick(PCA(2)),
        X[labelled],
        y[labelled],
        cv=2,
        params={"X_unlabelled": X[np.setdiff1d(np.arange(150), labelled)]},
        error_score="raise",
    )
    assert scores.mean() > 0.8


def test_a_fitted_representation_stays_as_it_is_when_frozen(rng):
    X, y = digits(150, rng)
    learned = SparseFiltering(20, max_iter=10).fit(X)
    model = quick(FrozenEstimator(learned)).fit(X[:80], y[:80])
    np.testing.assert_array_equal(model.representation_.transform(X), learned.transform(X))


@pytest.mark.parametrize("classifier", [None, LPBoostMKL(random_state=0)], ids=["usual", "mkl"])
def test_both_classifiers(classifier):
    X, y = load_iris(return_X_y=True)
    model = quick(classifier=classifier, max_sets=2).fit(X[::2], y[::2])
    assert type(model.classifier_) is type(classifier or KernelEnsembleClassifier())
    assert model.score(X[1::2], y[1::2]) > 0.85
    assert model.set_weights_.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict_proba(X), model.classifier_.predict_proba(X))
    np.testing.assert_array_equal(model.predict(X), model.classifier_.predict(X))


def test_parts_are_reached_by_nested_names_in_a_search(rng):
    X, y = load_iris(return_X_y=True)
    grid = {
        "representation__n_components": [2, 3],
        "selector__n_features_to_select": [1],
        "classifier__nu": [0.3],
    }
    search = GridSearchCV(quick(PCA(2)), grid, cv=2).fit(X, y)
    assert search.best_score_ > 0.85
    assert search.best_estimator_.classifier_.nu_ == 0.3


def test_frames_names_and_pickles(rng):
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    model = quick().fit(frame, y)
    assert model.represented_names_.tolist() == ["a", "b", "c", "d"]
    stored = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(stored.predict(frame), model.predict(frame))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["b", "a", "c", "d"]])


def test_the_same_seed_gives_the_same_answer(rng):
    X, y = load_iris(return_X_y=True)
    options = {"selector": None, "classifier": None, "max_sets": 2}
    one, other = (
        quick(SparseFiltering(), **options).fit(X, y).decision_function(X) for _ in range(2)
    )
    np.testing.assert_array_equal(one, other)


def test_nothing_that_varies_predicts_the_larger_class():
    model = quick().fit(np.ones((10, 3)), list("aaaaaabbbb"))
    assert set(model.predict(np.ones((4, 3)))) == {"a"}
    assert model.selector_ is None


class Rows(BaseEstimator):
    """A transformer that loses samples."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X[::2]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"representation": "pca"}, "representation must be a transformer"),
        ({"representation": 3}, "representation must be a transformer"),
        ({"representation": Rows()}, "a row for each of 60 samples"),
        ({"classifier": SVC()}, "must be a KernelEnsembleClassifier or an LPBoostMKL"),
        ({"max_sets": 0}, "max_sets must be None or an integer of at least 1"),
        ({"max_selector_samples": 2}, "max_selector_samples must be an integer of at least 8"),
    ],
)
def test_odd_settings_are_refused_in_words(rng, changed, told):
    X, y = digits(60, rng)
    with pytest.raises(ValueError, match=told):
        quick(**changed).fit(X, y)


def test_unlabelled_samples_without_use_or_with_other_features_are_refused(rng):
    X, y = digits(60, rng)
    with pytest.raises(ValueError, match="representation is None"):
        quick().fit(X, y, X_unlabelled=X)
    with pytest.raises(ValueError, match="63 features"):
        quick(PCA(3)).fit(X, y, X_unlabelled=X[:, 1:])
    with pytest.raises(ValueError, match="1 class"):
        quick().fit(X, np.zeros(60))
