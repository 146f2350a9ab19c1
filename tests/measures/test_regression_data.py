"""What regressions read: outputs of every kind of target, and columns on their scales."""

import numpy as np
import pytest

from hsieve.data.arrays import as_blocks
from hsieve.kernels.columns import encode_columns, standardised
from hsieve.measures.regression_data import RegressionData

N = 60


def test_numbers_become_columns_of_mean_zero_and_deviation_one(rng):
    y = 5.0 + 3.0 * rng.normal(size=(N, 2))
    data = RegressionData.of(rng.normal(size=(N, 3)), y, target_kind="auto")
    np.testing.assert_allclose(data.outputs, (y - y.mean(axis=0)) / y.std(axis=0), rtol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_scores_of_classes_are_uncorrelated_and_their_kernel_is_the_delta_kernel(rng, n_classes):
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, N - n_classes)])
    data = RegressionData.of(rng.normal(size=(N, 2)), y.astype(str), target_kind="auto")
    assert data.is_classes
    assert data.outputs.shape == (N, n_classes - 1)
    np.testing.assert_allclose(data.outputs.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(data.outputs.T @ data.outputs / N, np.eye(n_classes - 1), atol=1e-12)
    fractions = np.bincount(y)[y] / N
    expected = np.where(y[:, None] == y, 1.0 / fractions, 0.0) - 1.0
    np.testing.assert_allclose(data.outputs @ data.outputs.T, expected, atol=1e-10)


def test_the_kind_of_target_can_be_given(rng):
    X, y = rng.normal(size=(N, 2)), np.arange(N) % 3
    assert RegressionData.of(X, y, target_kind="classes").outputs.shape == (N, 2)
    assert RegressionData.of(X, y, target_kind="continuous").outputs.shape == (N, 1)


@pytest.mark.parametrize("blocks", [False, True])
def test_columns_are_standardised_robustly_and_categories_become_indicators(rng, blocks):
    X = rng.normal(size=(N, 4))
    X[:, 1] = rng.integers(0, 3, N)
    X[0, 2] = 1e6
    given = as_blocks(X) if blocks else X
    categorical = np.array([False, True, False, False])
    data = RegressionData.of(given, X[:, 0], target_kind="auto", categorical=categorical)
    np.testing.assert_allclose(data.column(2), standardised(X[:, [2]], robust=True))
    indicators = encode_columns(X[:, [1]], categorical=[0]).matrix
    np.testing.assert_allclose(data.column(1), indicators)


def test_among_renumbers_and_can_be_repeated(rng):
    X = rng.normal(size=(N, 6))
    data = RegressionData.of(X, X[:, 0], target_kind="auto")
    some = data.among(np.array([5, 1, 3])).among(np.array([2, 0]))
    np.testing.assert_array_equal(some.column(0), data.column(3))
    np.testing.assert_array_equal(some.column(1), data.column(5))
