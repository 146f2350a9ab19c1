"""Sparse models with a given number of features: right numbers, and optimal where they stop."""

from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import Lasso, MultiTaskLasso
from sklearn.preprocessing import SplineTransformer

from hsieve.kernels.columns import standardised
from hsieve.selectors.sparse_models import spline_blocks
from hsieve.solvers import GroupLasso, SparseFit, fit_of_size, l1_svm_of_size, lasso_of_size
from hsieve.strategies import random_sets as insensitive
from tests.reference import naive_baselines as naive


@pytest.fixture
def columns(rng):
    X = rng.normal(size=(80, 12))
    X[:, 1] += 0.8 * X[:, 0]
    return standardised(X)


@pytest.mark.parametrize("n_wanted", [1, 2, 3, 5, 8, 12])
def test_the_lasso_path_passes_every_number_and_is_coordinate_descent(columns, rng, n_wanted):
    y = standardised(columns[:, :3] @ [[1.0], [-2.0], [0.5]] + rng.normal(size=(80, 1)))
    fit = lasso_of_size(columns, y, n_wanted)
    assert fit.n_used == n_wanted
    expected = np.abs(naive.lasso(columns, y[:, 0], fit.penalty))
    np.testing.assert_allclose(fit.weights, expected, atol=1e-8)
    assert (fit.pull <= fit.penalty * (1 + 1e-8)).all()


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_where_nothing_pulls_the_search_ends_with_no_feature(columns, n_outputs):
    """It used to go on for ever, and to keep every fit."""
    fit = lasso_of_size(columns, np.zeros((80, n_outputs)), 2)
    assert fit.n_used == 0
    assert not fit.pull.any()


def test_the_search_ends_for_the_least_of_all_penalties():
    """Rounding leaves the least number as it is, whatever share of it is asked for."""
    asked = []

    def fit(penalty, sparser):
        asked.append(penalty)
        return SparseFit(penalty, np.zeros(3), np.full(3, 5e-324))

    assert fit_of_size(fit, 5e-324, 2).n_used == 0
    assert 1 <= len(asked) < 100


def test_a_feature_that_leaves_the_path_is_counted_between_knots(rng):
    """Correlated columns make features leave again; no number may be missed for it."""
    X = standardised(
        rng.normal(size=(30, 3)) @ rng.normal(size=(3, 20)) + rng.normal(size=(30, 20))
    )
    y = standardised(rng.normal(size=(30, 1)))
    for n_wanted in range(1, 20):
        assert lasso_of_size(X, y, n_wanted).n_used == n_wanted


@pytest.mark.parametrize("n_wanted", [1, 4, 9])
def test_the_lasso_is_optimal_where_it_stops(columns, rng, n_wanted):
    """The pull is the penalty where there is a weight, and no more elsewhere."""
    y = standardised(columns[:, :5] @ rng.normal(size=(5, 1)) + rng.normal(size=(len(columns), 1)))
    fit = lasso_of_size(columns, y, n_wanted)
    used = fit.weights > 0
    np.testing.assert_allclose(fit.pull[used], fit.penalty, rtol=1e-9)
    assert (fit.pull[~used] < fit.penalty).all()
    expected = Lasso(alpha=fit.penalty, fit_intercept=False, tol=1e-12).fit(columns, y[:, 0])
    np.testing.assert_allclose(fit.weights, np.abs(expected.coef_), atol=1e-6)


def test_of_several_stretches_with_so_many_features_the_first_is_taken():
    """The path has 1, 2, 3, 2, 3 and 4 features, from the largest penalty to none."""
    rng = np.random.default_rng(2)
    X = standardised(
        rng.normal(size=(12, 2)) @ rng.normal(size=(2, 4)) + 0.5 * rng.normal(size=(12, 4))
    )
    y = standardised(rng.normal(size=(12, 1)))
    fits = [lasso_of_size(X, y, n_wanted) for n_wanted in (1, 2, 3, 4)]
    penalties = [fit.penalty for fit in fits]
    assert penalties == sorted(penalties, reverse=True)
    models = [Lasso(alpha, fit_intercept=False) for alpha in np.linspace(*penalties[2:], 20)]
    assert 2 in [np.count_nonzero(model.fit(X, y[:, 0]).coef_) for model in models]
    for fit in fits:
        np.testing.assert_allclose(fit.pull[fit.weights > 0], fit.penalty, rtol=1e-9)


def test_a_path_that_needs_more_knots_than_first_tried_is_followed_on(columns, rng, monkeypatch):
    y = standardised(columns[:, :5] @ rng.normal(size=(5, 1)) + rng.normal(size=(len(columns), 1)))
    whole = lasso_of_size(columns, y, 9)
    monkeypatch.setattr("hsieve.solvers.sparse_fits.KNOTS_A_FEATURE", 0)
    step_by_step = lasso_of_size(columns, y, 9)
    assert step_by_step.penalty == pytest.approx(whole.penalty)
    np.testing.assert_allclose(step_by_step.weights, whole.weights)


def test_copies_and_too_few_samples_leave_the_nearest_number(columns, rng):
    twice = np.hstack([columns[:, 2:5], columns[:, 2:5]])
    y = standardised(twice[:, :3] @ [[1.0], [2.0], [3.0]])
    fit = lasso_of_size(twice, y, 2)
    assert fit.n_used == 2
    assert set((fit.order[:2] % 3).tolist()) == {1, 2}
    assert sorted(lasso_of_size(twice, y, 6).order.tolist()) == list(range(6))
    few = standardised(rng.normal(size=(6, 40)))
    assert 1 <= lasso_of_size(few, standardised(rng.normal(size=(6, 1))), 30).n_used < 30


@pytest.mark.parametrize("penalty", [0.5, 0.2, 0.05])
def test_blocks_of_one_column_are_the_multi_task_lasso(columns, rng, penalty):
    Y = standardised(columns[:, :4] @ rng.normal(size=(4, 3)) + rng.normal(size=(80, 3)))
    problem = GroupLasso(columns.T[:, :, None], Y)
    found = problem.fit(penalty)
    model = MultiTaskLasso(alpha=penalty, fit_intercept=False, tol=1e-12, max_iter=100_000)
    expected = np.linalg.norm(model.fit(columns, Y).coef_, axis=0)
    np.testing.assert_allclose(found.weights, expected, atol=1e-6)
    warm = problem.fit(penalty, problem.fit(2 * penalty))
    np.testing.assert_allclose(warm.weights, found.weights, atol=1e-8)


def test_the_lasso_of_several_outputs_looks_at_all_of_them(columns, rng):
    Y = standardised(columns[:, [3, 7]] + 0.3 * rng.normal(size=(80, 2)))
    fit = lasso_of_size(columns, Y, 2)
    assert np.flatnonzero(fit.weights).tolist() == [3, 7]
    model = MultiTaskLasso(alpha=fit.penalty, fit_intercept=False, tol=1e-12, max_iter=100_000)
    expected = np.linalg.norm(model.fit(columns, Y).coef_, axis=0)
    np.testing.assert_allclose(fit.weights, expected, atol=1e-6)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_the_group_lasso_does_not_depend_on_the_scale_of_the_outputs(columns, rng, scale):
    Y = standardised(columns[:, :4] @ rng.normal(size=(4, 3)) + rng.normal(size=(80, 3)))
    blocks = columns.T[:, :, None]
    plain, scaled = GroupLasso(blocks, Y).fit(0.1), GroupLasso(blocks, scale * Y).fit(0.1 * scale)
    np.testing.assert_allclose(scaled.weights / scale, plain.weights, atol=1e-9)


def test_outputs_of_zero_leave_no_weight_whatever_the_fit_begins_with(columns):
    blocks = columns.T[:, :, None]
    dense = GroupLasso(blocks, columns[:, :2]).fit(0.1)
    assert dense.n_used > 0
    assert not GroupLasso(blocks, np.zeros((80, 2))).fit(0.1, dense).weights.any()


def test_a_feature_that_pulls_only_once_another_is_in_joins():
    """The second column has nothing of the output but what takes away from the first."""
    a, b = standardised(np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])).T
    columns = np.column_stack([(a + b) / np.sqrt(2), b])
    problem = GroupLasso(columns.T[:, :, None], a[:, None])
    fit = problem.fit(0.05)
    assert problem.fit(0.6).weights[1] == 0
    assert fit.n_used == 2
    assert abs(columns[:, 1] @ a) < 1e-12
    np.testing.assert_allclose(fit.pull, 0.05, rtol=1e-8)


def test_the_strongest_penalty_is_where_the_first_feature_enters(columns):
    problem = GroupLasso(columns.T[:, :, None], columns[:, [3]] + 0.1 * columns[:, [5]])
    assert problem.fit(1.001 * problem.strongest).n_used == 0
    assert problem.fit(0.999 * problem.strongest).n_used == 1


@pytest.mark.parametrize("penalty", [0.6, 0.3, 0.1])
def test_group_lasso_over_splines_is_backfitting(rng, penalty):
    X = rng.uniform(size=(60, 5))
    X[:, 4] = X[:, 4] > 0.5  # a feature of two values has one direction
    y = standardised(np.sin(6 * X[:, :1]) + X[:, 1:2] + 0.3 * rng.normal(size=(60, 1)))
    found = GroupLasso(spline_blocks(X, n_knots=4), y).fit(penalty).weights
    bases = []
    for j in range(5):
        basis = SplineTransformer(n_knots=4, knots="uniform").fit_transform(X[:, [j]])
        bases.append(basis - basis.mean(axis=0))
    expected = naive.backfitting(bases, y[:, 0], penalty, n_sweeps=300)
    np.testing.assert_allclose(found, expected, atol=1e-8)


@pytest.mark.parametrize("power", [-1068, -530, 520, 1018])
def test_spline_blocks_are_those_of_any_scale(rng, power):
    """Halves of the least numbers are rounded, which is why they are scaled before."""
    X = rng.integers(-256, 257, (20, 3)) / 64
    np.testing.assert_array_equal(
        spline_blocks(np.ldexp(X, power), n_knots=4), spline_blocks(X, n_knots=4)
    )


def test_spline_blocks_are_orthonormal_and_span_lines(rng):
    X = rng.normal(size=(50, 4)) * [1, 1e-9, 1e300, 3]
    X[:, 3] = rng.integers(0, 2, 50)
    blocks = spline_blocks(X, n_knots=4)
    for feature, block in zip(X.T, blocks, strict=True):
        gram = block.T @ block / 50
        np.testing.assert_allclose(gram, np.diag(np.diag(gram).round()), atol=1e-9)
        line = standardised(feature[:, None])[:, 0]
        np.testing.assert_allclose(block @ (block.T @ line) / 50, line, atol=1e-8)
    assert [int(np.trace(block.T @ block / 50).round()) for block in blocks] == [5, 5, 5, 1]
    assert spline_blocks(X[:3, :2], n_knots=4).shape == (2, 3, 5)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_wanted", [1, 3, 6, 12])
def test_l1_machines_are_optimal_where_they_stop(columns, n_classes, n_wanted):
    codes = np.digitize(columns[:, 0] - columns[:, 4], np.linspace(-0.7, 0.7, n_classes - 1))
    labels = np.where(codes[:, None] == np.arange(n_classes), 1.0, -1.0)
    labels = labels[:, 1:] if n_classes == 2 else labels
    fit = l1_svm_of_size(columns, labels, n_wanted)
    assert abs(fit.n_used - n_wanted) <= (n_classes > 2)
    if n_classes == 2:
        # The gradient of the losses balances that of the penalty where there is a weight.
        used = fit.weights > 0
        np.testing.assert_allclose(fit.pull[used], fit.penalty, rtol=1e-2)
        assert (fit.pull <= fit.penalty * 1.01).all()


def test_a_copy_of_a_column_has_the_pull_but_no_weight(columns):
    labels = np.where(columns[:, :1] - columns[:, 4:5] > 0, 1.0, -1.0)
    alone = l1_svm_of_size(columns, labels, 3)
    order = [4, 0, 4, *range(1, 4), *range(5, columns.shape[1]), 0]
    fit = l1_svm_of_size(columns[:, order], labels, 3)
    first = [order.index(feature) for feature in range(columns.shape[1])]
    np.testing.assert_allclose(fit.weights[first], alone.weights, atol=1e-3)
    np.testing.assert_allclose(fit.pull, alone.pull[order], rtol=1e-2)
    assert fit.weights[2] == fit.weights[-1] == 0.0
    assert fit.weights[0] > 0
    assert fit.weights[1] > 0


def test_the_insensitive_regression_follows_the_scale_of_its_rows(columns):
    target = columns[:, :2] @ [1.0, 0.5]
    plain = insensitive.insensitive_fit(columns, target, epsilon=0.1, penalty=3.0)
    large = insensitive.insensitive_fit(1e10 * columns, target, epsilon=0.1, penalty=3e10)
    assert plain.n_used == 2
    np.testing.assert_allclose(1e10 * large.weights, plain.weights, atol=1e-8)


def test_features_that_pull_only_below_zero_have_no_weight():
    rows, target = np.array([[-0.5, 0.0], [0.0, -0.25], [0.0, 0.0]]), np.ones(3)
    assert insensitive.strongest_penalty(rows, target, 0.1) == 0.0
    fit = insensitive.insensitive_fit_of_size(rows, target, 1, epsilon=0.1)
    assert fit.penalty == 0.0
    assert fit.weights.tolist() == [0.0, 0.0]
    assert fit.pull.tolist() == [-0.5, -0.25]


def test_an_insensitive_regression_that_is_not_solved_is_reported(columns, monkeypatch):
    impatient = partial(insensitive.linprog, options={"maxiter": 0})
    monkeypatch.setattr(insensitive, "linprog", impatient)
    with pytest.raises(RuntimeError, match="was not solved"):
        insensitive.insensitive_fit(columns, columns[:, 0], epsilon=0.1, penalty=3.0)


def of_size(penalty, n_used):
    return SparseFit(penalty, np.repeat([1.0, 0.0], [n_used, 10 - n_used]), np.zeros(10))


def test_a_number_that_is_jumped_over_gives_the_nearest_and_the_smaller_of_two():
    def jumping(low, high):
        return lambda penalty, _: of_size(penalty, low if penalty > 0.3 else high)

    assert fit_of_size(jumping(2, 8), 1.0, 4).n_used == 2
    assert fit_of_size(jumping(2, 8), 1.0, 6).n_used == 8
    assert fit_of_size(jumping(2, 8), 1.0, 5).n_used == 2
    assert fit_of_size(jumping(2, 8), 1.0, 10).n_used == 8
    assert fit_of_size(jumping(5, 5), 1.0, 3).n_used == 5


def test_no_fit_follows_the_one_that_meets_the_number():
    tried = []

    def fit(penalty, _):
        tried.append(of_size(penalty, 4 if penalty <= 0.5 else 1))
        return tried[-1]

    assert fit_of_size(fit, 1.0, 4) is tried[-1]
    assert [found.n_used for found in tried] == [1, 1, 1, 4]


def test_the_search_finds_a_narrow_stretch():
    def stretch(penalty, _):
        return of_size(penalty, 3 if penalty > 0.5001 else 4 if penalty > 0.5 else 5)

    tried = []
    found = fit_of_size(lambda *given: tried.append(stretch(*given)) or tried[-1], 1.0, 4)
    assert found.n_used == 4
    assert found is tried[-1]
    assert 0.5 < found.penalty <= 0.5001


def test_order_is_by_weight_then_by_pull_then_by_position():
    fit = SparseFit(1.0, np.array([0.0, 2.0, 0.0, 3.0, 2.0]), np.array([0.1, 1.0, 0.9, 1.0, 1.0]))
    assert fit.order.tolist() == [3, 1, 4, 2, 0]
