"""Newton's machines stand at the optimum, wherever they begin."""

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from hsieve.measures.svm import fit_machine, losses


@pytest.mark.parametrize("tube", [None, 0.0, 0.1])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("n_columns", [3, 60])
def test_weights_balance_the_losses(rng, n_columns, C, tube):
    X = rng.normal(size=(40, n_columns))
    y = X[:, 0] + 0.5 * rng.normal(size=40)
    y = np.where(y > 0, 1.0, -1.0) if tube is None else y
    weights = fit_machine(X, y, C, tube=tube)
    gradient = weights - 2 * C * losses(X @ weights, y, tube) @ X
    np.testing.assert_allclose(gradient, 0.0, atol=1e-8 * max(1.0, C))
    elsewhere = fit_machine(X, y, C, tube=tube, start=5 * rng.normal(size=40))
    np.testing.assert_allclose(elsewhere, weights, atol=1e-8)


def test_the_machine_is_scikit_learns(rng):
    X = rng.normal(size=(50, 4))
    y = np.where(X[:, 1] + 0.3 * rng.normal(size=50) > 0, 1.0, -1.0)
    expected = LinearSVC(C=0.7, tol=1e-10, max_iter=1_000_000, random_state=0).fit(X, y)
    weights = fit_machine(np.column_stack([X, np.ones(50)]), y, 0.7)
    np.testing.assert_allclose(weights[:4], expected.coef_[0], atol=1e-5)
    np.testing.assert_allclose(weights[4], expected.intercept_[0], atol=1e-5)


def test_many_random_problems_settle(rng):
    for _ in range(200):
        n, d = rng.integers(4, 30, size=2)
        X = rng.standard_t(2, size=(n, d))
        y = np.where(rng.random(n) < 0.3, 1.0, -1.0)
        weights = fit_machine(X, y, 10.0)
        gradient = weights - 20.0 * losses(X @ weights, y, None) @ X
        assert np.abs(gradient).max() <= 1e-6 * max(1.0, np.abs(X).max() ** 2)
