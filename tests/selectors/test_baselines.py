"""The baselines of the papers as selectors: what they find, and how they agree with others."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_selection import RFE
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from hsieve import (
    FCBF,
    HITONPC,
    L1SVM,
    SPEC,
    SVMRFE,
    FewerFeaturesWarning,
    LaplacianScore,
    LassoSelector,
    ReliefF,
    SpAM,
)
from hsieve.datasets import make_and_or, make_quad, make_xor_toy
from hsieve.kernels.columns import standardised

SUPERVISED = [LassoSelector, ReliefF, FCBF, SPEC, SpAM, HITONPC, SVMRFE, L1SVM]
OF_NUMBERS = [s for s in SUPERVISED if s is not L1SVM]
EVERY = [*SUPERVISED, LaplacianScore]


@pytest.fixture
def two_classes(rng):
    X = rng.normal(size=(300, 8))
    return X, np.where(1.3 * X[:, 2] - X[:, 5] > 0, "up", "down")


@pytest.fixture
def numbers(rng):
    X = rng.normal(size=(150, 8))
    return X, 2 * X[:, 2] - X[:, 5] + 0.1 * rng.normal(size=150)


@pytest.mark.parametrize("selector", SUPERVISED)
def test_linear_effects_of_two_classes_are_found(selector, two_classes):
    fitted = selector(2).fit(*two_classes)
    assert fitted.selected_indices_.tolist() == [2, 5]
    assert sorted(fitted.ranking_.tolist()) == list(range(1, 9))


@pytest.mark.parametrize("selector", OF_NUMBERS)
def test_linear_effects_on_numbers_are_found(selector, numbers):
    assert selector(2).fit(*numbers).selected_indices_.tolist() == [2, 5]


@pytest.mark.parametrize("selector", SUPERVISED)
def test_several_classes(selector, rng):
    X = rng.normal(size=(300, 8))
    y = np.digitize(X[:, 2], [-0.5, 0.5]) + 3 * (X[:, 5] > 0)
    assert sorted(selector(2).fit(X, y).selected_indices_.tolist()) == [2, 5]


@pytest.mark.parametrize("selector", [LassoSelector, SpAM, SVMRFE, SPEC])
def test_several_outputs(selector, rng):
    X = rng.normal(size=(120, 6))
    Y = np.column_stack([X[:, 0], X[:, 3]]) + 0.1 * rng.normal(size=(120, 2))
    assert sorted(selector(2).fit(X, Y).selected_indices_.tolist()) == [0, 3]


@pytest.mark.parametrize("selector", EVERY)
def test_answers_repeat_and_single_precision_agrees(selector, two_classes):
    X, y = two_classes
    first = selector(2).fit(X, y)
    again = pickle.loads(pickle.dumps(clone(first).fit(X, y)))
    np.testing.assert_array_equal(first.scores_, again.scores_)
    single = selector(2).fit(X.astype(np.float32), y)
    np.testing.assert_array_equal(single.selected_indices_, first.selected_indices_)
    np.testing.assert_allclose(single.scores_, first.scores_, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("selector", [ReliefF, SPEC, FCBF, SVMRFE, LassoSelector])
def test_neither_order_of_samples_nor_shift_nor_scale_matters(selector, two_classes, rng):
    X, y = two_classes
    order = rng.permutation(len(X))
    there = selector(2).fit(X[order] * rng.uniform(0.1, 9, 8) + 5, y[order])
    np.testing.assert_array_equal(there.selected_indices_, selector(2).fit(X, y).selected_indices_)


@pytest.mark.parametrize("selector", EVERY)
def test_names_of_columns_reach_the_answer(selector, two_classes):
    X, y = two_classes
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    fitted = selector(2).set_output(transform="pandas").fit(frame, y)
    assert list(fitted.transform(frame).columns) == list(fitted.get_feature_names_out())


def test_a_grid_search_tunes_them_inside_a_pipeline(two_classes):
    pipeline = make_pipeline(ReliefF(2), LogisticRegression())
    grid = {"relieff__n_neighbors": [5, 20], "relieff__n_features_to_select": [1, 2]}
    found = GridSearchCV(pipeline, grid, cv=3).fit(*two_classes)
    assert found.best_params_["relieff__n_features_to_select"] == 2


@pytest.mark.parametrize("make", [make_quad, make_xor_toy])
def test_relieff_sees_interactions_among_few_features(make):
    for seed in range(3):
        problem = make(random_state=seed)
        chosen = ReliefF(2).fit(problem.X, problem.y).selected_indices_
        assert sorted(chosen.tolist()) == [0, 1]


def test_noisy_copies_of_the_target_deceive_relieff_and_the_lasso_as_the_paper_says():
    problem = make_and_or(random_state=0)
    for selector in (ReliefF, LassoSelector):
        assert {7, 8, 9} & set(selector(4).fit(problem.X, problem.y).selected_indices_.tolist())


def test_curves_are_seen_by_spam_and_not_by_the_lasso(rng):
    X = rng.uniform(-1, 1, size=(300, 10))
    y = X[:, 4] ** 2 + 0.05 * rng.normal(size=300)
    assert SpAM(1).fit(X, y).selected_indices_.tolist() == [4]
    weak = LassoSelector(1).fit(X, y)
    assert weak.scores_.max() < 0.2


def test_the_lassos_scores_are_scikit_learns_coefficients(numbers):
    X, y = numbers
    fitted = LassoSelector(4).fit(X, y)
    assert np.count_nonzero(fitted.scores_) == 4
    model = Lasso(alpha=fitted.penalty_, tol=1e-12, max_iter=100_000)
    model.fit(standardised(X), standardised(y[:, None])[:, 0])
    np.testing.assert_allclose(fitted.scores_, np.abs(model.coef_), atol=1e-8)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_svm_rfe_one_by_one_is_scikit_learns(rng, n_classes):
    X = standardised(rng.normal(size=(80, 12)))
    y = np.digitize(X[:, :3].sum(axis=1), [0.0] if n_classes == 2 else [-0.8, 0.8])
    machine = LinearSVC(tol=1e-8, max_iter=1_000_000, dual=True, random_state=0)
    expected = RFE(machine, n_features_to_select=1, step=1).fit(X, y).ranking_
    np.testing.assert_array_equal(SVMRFE(3, step=1).fit(X, y).ranking_, expected)


def test_the_l1_machine_keeps_exactly_as_many_as_wanted(two_classes):
    for n_wanted in range(1, 9):
        fitted = L1SVM(n_wanted).fit(*two_classes)
        assert np.count_nonzero(fitted.scores_) == n_wanted
        machine = LinearSVC(penalty="l1", C=1 / fitted.penalty_, dual=False, max_iter=10_000)
        coefficients = machine.fit(standardised(two_classes[0]), two_classes[1]).coef_[0]
        np.testing.assert_allclose(fitted.scores_, np.abs(coefficients), rtol=5e-3, atol=1e-3)


def test_the_laplacian_score_needs_no_target_and_looks_at_none(rng):
    X = rng.normal(size=(120, 7))
    X[:, [1, 4]] += 5 * rng.integers(0, 3, 120)[:, None]
    alone = LaplacianScore(2).fit(X)
    assert sorted(alone.selected_indices_.tolist()) == [1, 4]
    np.testing.assert_array_equal(alone.scores_, LaplacianScore(2).fit(X, X[:, 0]).scores_)
    unsupervised = SPEC(2, graph="features").fit(X)
    assert sorted(unsupervised.selected_indices_.tolist()) == [1, 4]
    with pytest.raises(ValueError, match="requires y"):
        SPEC(2).fit(X)


@pytest.mark.parametrize("selector", [FCBF, HITONPC])
def test_methods_that_find_their_number_say_when_it_is_less(selector, rng):
    X = rng.normal(size=(400, 6))
    X[:, 3:] = X[:, :3] + 1e-3 * rng.normal(size=(400, 3))
    y = X[:, 0] + X[:, 1]
    with pytest.warns(FewerFeaturesWarning, match="5 features were asked for, but only"):
        asked = selector(5).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        free = selector().fit(X, y)
    np.testing.assert_array_equal(asked.selected_indices_, free.selected_indices_)
    assert sorted(asked.ranking_.tolist()) == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("selector", [ReliefF, FCBF, HITONPC])
def test_categories_whose_numbers_mean_nothing(selector, rng):
    X = rng.normal(size=(200, 5))
    X[:, 3] = rng.integers(0, 6, 200)
    y = np.isin(X[:, 3], [0, 3, 4]).astype(int)
    assert selector(1, categorical=[3]).fit(X, y).selected_indices_.tolist() == [3]
