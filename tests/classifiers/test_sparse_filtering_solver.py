"""Sparse filtering: value, gradient and descent beside the literal program, and what they cost."""

import tracemalloc

import numpy as np
import pytest

from hsieve import progress
from hsieve.classifiers.preparation import principal_axes
from hsieve.classifiers.sparse_filtering import (
    SparseFilteringProblem,
    learned_features,
    sparse_filtering,
)
from tests.reference import naive_sparse_filtering as naive

SHAPES = {"tall": (90, 12, 20), "wide": (30, 40, 8), "one feature": (50, 6, 1)}


def draw(rng, n_samples, n_columns, n_components, *, rank=None):
    """Data, of some rank, and weights to begin with."""
    data = rng.laplace(size=(n_samples, rank or n_columns))
    if rank is not None:
        data = data @ rng.normal(size=(rank, n_columns))
    return data, rng.normal(size=(n_components, n_columns))


def problem_of(data, chunk_rows=1024):
    """Problem on the principal axes, and the axes."""
    axes, coordinates, squares = principal_axes(data)
    return SparseFilteringProblem(coordinates, squares, chunk_rows), axes


def literal(weights, data):
    """Value and gradient by the literal program."""
    value, gradient = naive.objective(weights.ravel(), data.T, len(weights))
    return value, gradient.reshape(weights.shape)


@pytest.mark.parametrize("chunk_rows", [1, 7, 30, 90, 1000])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_value_and_gradient_are_those_of_the_literal_program(rng, shape, chunk_rows):
    data, weights = draw(rng, *shape)
    problem, axes = problem_of(data, chunk_rows)
    value, gradient = problem.value_and_gradient(weights @ axes)
    expected, slopes = literal(weights, data)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(gradient @ axes.T, slopes, atol=1e-10 * np.abs(slopes).max())


@pytest.mark.parametrize("chunk_rows", [7, 1000])
def test_gradient_is_the_slope_of_the_value(rng, chunk_rows):
    data, weights = draw(rng, 40, 5, 4)
    problem, axes = problem_of(data, chunk_rows)
    weights = weights @ axes
    _, gradient = problem.value_and_gradient(weights)
    step = 1e-6
    for place in np.ndindex(weights.shape):
        moved = np.zeros(weights.shape)
        moved[place] = step
        rise = (
            problem.value_and_gradient(weights + moved)[0]
            - problem.value_and_gradient(weights - moved)[0]
        )
        assert gradient[place] == pytest.approx(
            rise / (2 * step), abs=1e-5 * np.abs(gradient).max()
        )


def test_the_gradient_holds_where_the_softness_counts(rng):
    # Values far below the softness of 1e-4, where the soft absolute is a parabola.
    data, weights = draw(rng, 60, 5, 4)
    data *= 1e-5
    problem, axes = problem_of(data)
    value, gradient = problem.value_and_gradient(weights @ axes)
    expected, slopes = literal(weights, data)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(gradient @ axes.T, slopes, atol=1e-10 * np.abs(slopes).max())


def test_single_precision_differs_by_its_rounding(rng):
    data, weights = draw(rng, 3000, 20, 30)
    problem, axes = problem_of(data.astype(np.float32), 128)
    value, gradient = problem.value_and_gradient(weights @ axes)
    expected, slopes = literal(weights, data)
    assert gradient.dtype == np.float64
    assert value == pytest.approx(expected, rel=1e-6)
    # Where a feature is near zero the slope jumps within 1e-4: by processor up to 3e-5 were seen.
    np.testing.assert_allclose(gradient @ axes.T, slopes, atol=1e-4 * np.abs(slopes).max())


@pytest.mark.parametrize("n_samples", [90, 91])
def test_feature_norms_need_no_walk_over_the_samples(rng, n_samples):
    data, weights = draw(rng, n_samples, 12, 20)
    problem, axes = problem_of(data)
    soft = naive.soft_absolute(weights @ data.T)
    expected = naive.normalise_rows(soft)[1]
    np.testing.assert_allclose(problem.feature_norms(weights @ axes), expected, rtol=1e-12)


@pytest.mark.parametrize("rank", [None, 4])
def test_the_descent_begins_as_the_literal_one(rank):
    # Where a feature is zero the slope jumps within 1e-4, so that roundings grow along the path:
    # the literal program on turned data parts from itself by up to 4e-8 within ten iterations.
    differences = []
    for seed in range(12):
        data, start = draw(np.random.default_rng(seed), 200, 12, 20, rank=rank)
        ours = sparse_filtering(data, start, max_iter=10)
        _, theirs = naive.fit(data.T, start, max_iter=10)
        assert ours.n_iter == theirs.nit == 10
        differences.append(abs(ours.objective / theirs.fun - 1))
    assert np.median(differences) < 1e-9
    assert max(differences) < 1e-5


@pytest.mark.parametrize("precision", [np.float64, np.float32])
def test_long_descents_come_as_far_as_the_literal_one(precision):
    # Single runs part to either side, by 0.02 % (0.1 % in single precision) after 100 iterations.
    ratios = []
    for seed in range(8):
        data, start = draw(np.random.default_rng(seed), 200, 12, 20)
        ours = sparse_filtering(data.astype(precision), start, max_iter=100)
        ratios.append(ours.objective / naive.fit(data.T, start, max_iter=100)[1].fun)
    assert abs(np.mean(ratios) - 1) < 0.004


def test_data_of_low_rank_have_the_weights_of_the_literal_descent(rng):
    data, start = draw(rng, 80, 30, 10, rank=5)
    axes, coordinates, _ = principal_axes(data)
    assert coordinates.shape == (80, 5)
    ours = sparse_filtering(data, start, max_iter=5)
    weights, theirs = naive.fit(data.T, start, max_iter=5)
    # The literal one keeps what the start had beside the span of the data; ours leaves it out.
    outside = start - start @ axes @ axes.T
    np.testing.assert_allclose(ours.weights, weights - outside, atol=1e-6)
    assert ours.objective == pytest.approx(theirs.fun, rel=1e-8)


def test_the_result_belongs_to_its_weights(rng):
    data, start = draw(rng, 90, 12, 20)
    fit = sparse_filtering(data, start, max_iter=30)
    assert fit.objective == pytest.approx(literal(fit.weights, data)[0], rel=1e-10)
    assert fit.objective < literal(start, data)[0]
    learned = learned_features(data, fit.weights, fit.feature_norms)
    np.testing.assert_allclose(learned, naive.features(fit.weights, data.T).T, atol=1e-10)
    assert learned.sum() == pytest.approx(fit.objective, rel=1e-10)


def test_constants_are_added_to_the_products(rng):
    data, weights = draw(rng, 20, 5, 4)
    constants, norms = rng.normal(size=4), 1 + rng.random(4)
    wider = np.column_stack([data, np.ones(20)])
    expected = learned_features(wider, np.column_stack([weights, constants]), norms)
    np.testing.assert_allclose(learned_features(data, weights, norms, constants), expected)


def test_samples_without_end_are_refused_and_not_turned_to_nan(rng):
    data, weights = draw(rng, 5, 3, 2)
    with pytest.raises(ValueError, match="as large as 1e\\+200"):
        learned_features(np.vstack([data, [1e200] * 3]), weights, np.ones(2))


def test_a_tolerance_ends_the_descent_early(rng):
    data, start = draw(rng, 90, 12, 20)
    loose = sparse_filtering(data, start, max_iter=100, tol=1e-2)
    tight = sparse_filtering(data, start, max_iter=100, tol=1e-4)
    assert loose.n_iter < tight.n_iter <= 100
    assert tight.objective < loose.objective


def test_a_hundred_iterations_are_taken_whatever_evaluations_they_need(rng):
    data, start = draw(rng, 90, 12, 20)
    assert sparse_filtering(data, start, max_iter=100).n_iter == 100


def test_data_of_zeros_have_equal_features():
    fit = sparse_filtering(np.zeros((10, 3)), np.ones((4, 3)), max_iter=5)
    assert fit.objective == pytest.approx(10 * np.sqrt(4), rel=1e-4)
    learned = learned_features(np.zeros((2, 3)), fit.weights, fit.feature_norms)
    np.testing.assert_allclose(learned, 0.5, rtol=1e-4)


def test_features_are_never_held_for_all_samples(rng):
    data, weights = draw(rng, 20_000, 10, 100)
    problem, axes = problem_of(data.astype(np.float32), 500)
    weights = weights @ axes
    problem.value_and_gradient(weights)
    peaks = []
    for _ in range(5):
        tracemalloc.start()
        problem.value_and_gradient(weights)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # The least, since other threads of the process allocate, too.
    peak = min(peaks)
    # Two arrays of a chunk and some of the size of the weights; all features would take 8 MB.
    assert peak < 2 * 500 * 100 * 4 + 20 * weights.nbytes + 50_000


def test_iterations_are_reported(rng):
    data, start = draw(rng, 30, 4, 3)
    told = []
    with progress.listen(lambda share, what: told.append((share, what))):
        fit = sparse_filtering(data, start, max_iter=6)
    assert [share for share, _ in told] == pytest.approx(np.arange(1, fit.n_iter + 1) / 6)
    assert {what for _, what in told} == {"learning features"}
