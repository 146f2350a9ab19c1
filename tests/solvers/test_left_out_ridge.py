"""Leave-one-out residuals of a ridge regression against refits without each sample."""

import numpy as np
import pytest

from hsieve.kernels import encode_columns
from hsieve.kernels.mixed_kernel import KernelColumn, MixedKernel
from hsieve.parallel import threads
from hsieve.solvers.left_out_ridge import left_out_ridge
from tests.reference.naive_pursuit import left_out_residuals

N = 30


def targets_of(rng, n_outputs=1, n_samples=N):
    return 3.0 + rng.normal(size=(n_samples, n_outputs)) * np.arange(1, n_outputs + 1)


def assert_refits(features, targets, ridge):
    """One ridge is fitted by another factorisation than several."""
    expected = left_out_residuals(features, targets, ridge)
    for ridges in ([ridge], [ridge, ridge]):
        fit = left_out_ridge(features, targets, ridges)
        np.testing.assert_allclose(fit.residuals, expected, rtol=1e-8, atol=1e-8)
        assert fit.error == pytest.approx(np.mean(expected**2), rel=1e-8)
        assert fit.ridge == ridge


@pytest.mark.parametrize("ridge", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize("n_features", [1, 5, N, 50])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_residuals_are_those_of_refits(rng, n_features, n_outputs, ridge):
    features = 2.0 + rng.normal(size=(N, n_features))
    assert_refits(features, targets_of(rng, n_outputs), ridge)


@pytest.mark.parametrize("additive", [0.0, 0.5])
@pytest.mark.parametrize("n_landmarks", [8, N])
def test_residuals_on_nystroem_features_are_those_of_refits(rng, n_landmarks, additive):
    X = rng.normal(size=(N, 3))
    X[:, 2] = rng.integers(0, 4, N)
    encoded = encode_columns(X, categorical=[2])
    columns = [KernelColumn(part) for part in np.split(encoded.matrix, encoded.starts[1:-1], 1)]
    landmarks = [column.part(rng.permutation(N)[:n_landmarks]) for column in columns]
    features = MixedKernel(1.0, additive).features(columns, landmarks)
    assert_refits(features, targets_of(rng, 2), 0.1)


def test_the_ridge_with_the_least_error_is_chosen(rng):
    features, targets = rng.normal(size=(N, 10)), targets_of(rng, 2)
    ridges = [1e-3, 0.1, 1.0, 10.0, 1e3]
    errors = [left_out_ridge(features, targets, [ridge]).error for ridge in ridges]
    best = left_out_ridge(features, targets, ridges)
    assert best.ridge == ridges[int(np.argmin(errors))]
    assert best.error == pytest.approx(min(errors), rel=1e-9)


def test_of_equal_errors_the_first_ridge_is_chosen():
    """Nothing varies, so that no ridge has anything to penalise."""
    fit = left_out_ridge(np.ones((5, 2)), np.arange(5.0)[:, None], [0.1, 10.0])
    assert fit.ridge == 0.1
    # The mean of the other four misses sample i by (i - 2) * 5 / 4.
    np.testing.assert_allclose(fit.residuals[:, 0], (np.arange(5) - 2) * 1.25, rtol=1e-12)


def test_a_residual_does_not_know_its_own_target_twice(rng):
    """Residual = target less a prediction that the target has no part in."""
    features, targets = rng.normal(size=(N, 4)), targets_of(rng)
    changed = targets.copy()
    changed[7] += 100.0
    before, after = (left_out_ridge(features, y, [0.1]).residuals for y in (targets, changed))
    assert after[7] - before[7] == pytest.approx(100.0, rel=1e-9)


@pytest.mark.parametrize("rows", [7, 10, 29])
def test_parts_of_the_rows_on_several_threads_give_the_same(rows, rng, monkeypatch):
    features, targets = rng.normal(size=(N, 4)), targets_of(rng, 2)
    whole = left_out_ridge(features, targets, [0.1])
    monkeypatch.setattr(threads, "ROWS_AT_A_TIME", rows)
    in_parts = left_out_ridge(features, targets, [0.1])
    np.testing.assert_allclose(in_parts.residuals, whole.residuals, rtol=1e-10)


def test_constant_features_change_nothing(rng):
    features, targets = rng.normal(size=(N, 4)), targets_of(rng)
    more = np.column_stack([features, np.full(N, 7.0)])
    found = left_out_ridge(more, targets, [0.1]).residuals
    np.testing.assert_allclose(found, left_out_ridge(features, targets, [0.1]).residuals, atol=1e-9)


def test_single_precision_features_give_double_precision_residuals(rng):
    features, targets = rng.normal(size=(N, 4)), targets_of(rng)
    found = left_out_ridge(features.astype(np.float32), targets, [0.1])
    assert found.residuals.dtype == np.float64
    expected = left_out_ridge(features, targets, [0.1]).residuals
    np.testing.assert_allclose(found.residuals, expected, atol=1e-4)
