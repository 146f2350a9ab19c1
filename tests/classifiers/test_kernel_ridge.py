"""Kernel ridge regression and its left-out answers, against plain solutions and refits."""

import numpy as np
import pytest

from hsieve.classifiers.ridge_learners import kernel_ridge
from tests.reference.naive_kernel_ensemble import gram, left_out_answers, ridge_coefficients


def case(rng, n_samples=25):
    X = rng.normal(size=(n_samples, 3))
    K = gram(X, X, [0, 2], 0.8)
    targets = np.column_stack([np.sign(X[:, 0] * X[:, 2]), rng.normal(size=n_samples)])
    return K, targets, rng.uniform(0.2, 5, n_samples)


@pytest.mark.parametrize("ridges", [(1e-3, 0.1), (1e-3, 1e-2, 0.1, 1.0, 10.0)])
@pytest.mark.parametrize("weighted", [False, True])
def test_coefficients_and_left_out_answers_are_those_of_plain_solutions(rng, weighted, ridges):
    K, targets, weights = case(rng)
    weights = weights if weighted else np.ones(len(K))
    for ridge, fit in zip(ridges, kernel_ridge(K, targets, ridges, weights=weights), strict=True):
        assert fit.ridge == ridge
        for column, target in enumerate(targets.T):
            plain = ridge_coefficients(K, target, ridge, weights)
            np.testing.assert_allclose(fit.coefficients[:, column], plain, rtol=1e-6, atol=1e-8)
            refitted = left_out_answers(K, target, ridge, weights)
            np.testing.assert_allclose(fit.left_out[:, column], refitted, rtol=1e-6, atol=1e-8)
        squares = np.mean((fit.left_out - targets) ** 2, axis=1)
        assert fit.error == pytest.approx(np.sum(weights * squares) / np.sum(weights))


def test_a_left_out_answer_does_not_know_its_own_target(rng):
    K, targets, weights = case(rng)
    changed = targets.copy()
    changed[7] += 1000.0
    (before,) = kernel_ridge(K, targets, [0.1], weights=weights)
    (after,) = kernel_ridge(K, changed, [0.1], weights=weights)
    np.testing.assert_allclose(after.left_out[7], before.left_out[7], atol=1e-8)
    assert np.all(np.abs(after.left_out[6] - before.left_out[6]) > 1e-6)


def test_a_weight_of_two_is_a_sample_that_is_there_twice(rng):
    K, targets, _ = case(rng)
    weights = np.ones(len(K))
    weights[3] = 2.0
    (fit,) = kernel_ridge(K, targets, [0.3], weights=weights)
    twice = np.r_[np.arange(len(K)), 3]
    (repeated,) = kernel_ridge(K[np.ix_(twice, twice)], targets[twice], [0.3])
    np.testing.assert_allclose(K[:, twice] @ repeated.coefficients, K @ fit.coefficients, atol=1e-9)


def test_single_precision_and_equal_samples_are_no_obstacle():
    K = np.ones((6, 6), dtype=np.float32)
    target = np.array([[1.0], [1.0], [1.0], [-1.0], [-1.0], [-1.0]])
    (fit,) = kernel_ridge(K, target, [0.5])
    assert fit.coefficients.dtype == np.float64
    np.testing.assert_allclose(fit.left_out, -target / 5.5, atol=1e-6)


def test_eigenvalues_that_rounding_puts_below_zero_count_as_zero(rng):
    vectors = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    target, ridges = rng.normal(size=(5, 1)), (1e-6, 1e-3, 0.1, 1.0)
    indefinite, definite = (
        kernel_ridge(vectors * [2.0, 1.0, 0.5, 0.1, least] @ vectors.T, target, ridges)
        for least in (-1e-6, 0.0)
    )
    for found, expected in zip(indefinite, definite, strict=True):
        np.testing.assert_allclose(found.coefficients, expected.coefficients, rtol=1e-6)
        np.testing.assert_allclose(found.left_out, expected.left_out, rtol=1e-6, atol=1e-8)


def test_factors_and_eigenvectors_agree(rng):
    K, targets, weights = case(rng)
    for fit in kernel_ridge(K, targets, (0.01, 0.1, 1.0, 10.0), weights=weights):
        (alone,) = kernel_ridge(K, targets, [fit.ridge], weights=weights)
        np.testing.assert_allclose(alone.coefficients, fit.coefficients, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(alone.left_out, fit.left_out, rtol=1e-8, atol=1e-10)
