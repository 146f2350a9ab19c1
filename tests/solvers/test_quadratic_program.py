"""Quadratic programs over the simplex: optimality, independent solutions, Nystroem's factor."""

import clarabel
import numpy as np
import pytest
from scipy.optimize import minimize

from hsieve.solvers import (
    nonnegative_lars_path,
    redundancy_factor,
    simplex_quadratic_program,
)
from hsieve.solvers import quadratic_program as module


@pytest.fixture
def correlated(rng):
    """Squared correlations of features of which half are copies with noise."""
    Z = rng.normal(size=(80, 15))
    Z = np.hstack([Z, Z + 0.5 * rng.normal(size=(80, 15))])
    Q = np.corrcoef(Z.T) ** 2
    return Q, Q[:, :4] @ np.array([0.5, 0.4, 0.3, 0.2])


def factor_of(Q):
    return np.linalg.cholesky(Q)


def assert_optimal(solution, matrix, linear, tolerance=1e-7):
    """The Karush-Kuhn-Tucker conditions."""
    x = solution.weights
    gradient = matrix @ x - linear
    assert (x >= 0).all()
    assert x.sum() == pytest.approx(1.0, abs=1e-12)
    level = gradient[x > 0]
    np.testing.assert_allclose(level, level.mean(), atol=tolerance)
    assert gradient.min() >= level.mean() - tolerance
    np.testing.assert_allclose(solution.gradient, gradient, atol=1e-10)
    assert solution.objective == pytest.approx(0.5 * x @ matrix @ x - linear @ x)


@pytest.mark.parametrize("strength", [0.1, 1.0, 10.0])
def test_the_conditions_of_optimality_hold(strength, correlated):
    Q, r = correlated
    assert_optimal(simplex_quadratic_program(strength * r, factor_of(Q)), Q, strength * r)


@pytest.mark.parametrize("strength", [0.1, 1.0, 10.0])
def test_a_general_purpose_solver_agrees(strength, correlated):
    Q, r = correlated
    c = strength * r
    other = minimize(
        lambda x: 0.5 * x @ Q @ x - c @ x,
        np.full(30, 1 / 30),
        jac=lambda x: Q @ x - c,
        bounds=[(0, None)] * 30,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1, "jac": np.ones_like},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    solution = simplex_quadratic_program(c, factor_of(Q))
    np.testing.assert_allclose(solution.weights, other.x, atol=1e-6)


def test_the_regularisation_path_passes_through_the_solution(correlated):
    """Where the path's coefficients sum to one they solve the program: the level is its price."""
    Q, r = correlated
    r = 3 * r
    path = nonnegative_lars_path(r, lambda k, j: Q[np.ix_(k, j)], max_features=30)
    low, high = 0.0, float(path.levels[0])
    for _ in range(100):
        level = 0.5 * (low + high)
        low, high = (level, high) if path.coefficients(level).sum() > 1 else (low, level)
    solution = simplex_quadratic_program(r, factor_of(Q))
    np.testing.assert_allclose(solution.weights, path.coefficients(level), atol=1e-6)
    support = np.flatnonzero(path.coefficients(level) > 1e-9)
    np.testing.assert_array_equal(np.flatnonzero(solution.weights), support)


def test_a_growing_working_set_ends_at_the_same_solution(correlated, monkeypatch):
    Q, r = correlated
    whole = simplex_quadratic_program(r, factor_of(Q))
    monkeypatch.setattr(module, "FIRST_WORKING_SET", 1)
    grown = simplex_quadratic_program(r, factor_of(Q))
    assert whole.n_rounds == 1
    assert grown.n_rounds > 1
    np.testing.assert_allclose(grown.weights, whole.weights, atol=1e-7)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_scale_of_the_problem_does_not_matter(scale, correlated):
    Q, r = correlated
    plain = simplex_quadratic_program(r, factor_of(Q)).weights
    scaled = simplex_quadratic_program(scale * r, np.sqrt(scale) * factor_of(Q)).weights
    np.testing.assert_allclose(scaled, plain, atol=1e-7)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_the_scale_does_not_matter_without_a_linear_part(scale, correlated, monkeypatch):
    Q, _ = correlated
    monkeypatch.setattr(module, "FIRST_WORKING_SET", 1)
    plain = simplex_quadratic_program(np.zeros(30), factor_of(Q)).weights
    scaled = simplex_quadratic_program(np.zeros(30), np.sqrt(scale) * factor_of(Q)).weights
    assert np.count_nonzero(plain) > 1
    np.testing.assert_allclose(scaled, plain, atol=1e-7)


def test_exact_copies_and_a_diagonal(correlated):
    """With copies the matrix is singular and the solution not unique, yet optimal."""
    Q, r = correlated
    Q, r = np.tile(Q, (2, 2)), np.tile(r, 2)
    F = np.vstack([factor_of(Q[:30, :30])] * 2)
    assert_optimal(simplex_quadratic_program(r, F), Q, r)
    D = np.linspace(0, 1, 60)
    assert_optimal(simplex_quadratic_program(r, F, D), Q + np.diag(D), r)


def test_a_variable_that_the_interior_point_missed_is_brought_in():
    linear = np.array([-1.0, 0.5, 0.4, 0.1])
    found = module._polished(np.eye(4), linear, np.array([0.0, 0.6, 0.4, 0.0]))
    np.testing.assert_allclose(found, [0.0, 0.5, 0.4, 0.1], atol=1e-12)


def test_without_a_quadratic_part_all_weight_goes_to_the_best():
    solution = simplex_quadratic_program([0.2, 0.9, 0.3], np.zeros((3, 2)))
    np.testing.assert_allclose(solution.weights, [0, 1, 0], atol=1e-9)


@pytest.mark.parametrize("n_landmarks", [30, 12])
def test_the_factor_gives_nystroems_matrix_with_the_true_diagonal(n_landmarks, correlated):
    Q, _ = correlated
    landmarks = np.arange(29, 29 - n_landmarks, -1)
    F, D = redundancy_factor(Q[:, landmarks], landmarks, np.diag(Q))
    C, W = Q[:, landmarks], Q[np.ix_(landmarks, landmarks)]
    expected = C @ np.linalg.pinv(W) @ C.T
    np.fill_diagonal(expected, 1.0)
    np.testing.assert_allclose(F @ F.T + np.diag(D), expected, atol=1e-5)
    assert (D >= 0).all()


def test_an_indefinite_matrix_is_clipped_and_keeps_its_diagonal(rng):
    Q = np.abs(np.corrcoef(rng.normal(size=(40, 8))))
    values, vectors = np.linalg.eigh(Q)
    assert values[0] < -0.1
    F, D = redundancy_factor(Q, np.arange(40), np.diag(Q))
    repaired = F @ F.T + np.diag(D)
    nearest = vectors @ np.diag(np.maximum(values, 0)) @ vectors.T
    root = np.sqrt(np.diag(nearest))
    np.testing.assert_allclose(repaired, nearest / np.outer(root, root), atol=1e-4)
    np.testing.assert_allclose(np.diag(repaired), 1.0)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_the_factor_follows_the_scale_of_the_matrix(scale, correlated):
    Q, _ = correlated
    landmarks = np.arange(12)
    F, D = redundancy_factor(Q[:, landmarks], landmarks, np.diag(Q))
    scaled, rest = redundancy_factor(scale * Q[:, landmarks], landmarks, scale * np.diag(Q))
    np.testing.assert_allclose(scaled @ scaled.T / scale, F @ F.T, atol=1e-9)
    np.testing.assert_allclose(rest / scale, D, atol=1e-9)


def test_a_diagonal_entry_below_zero_counts_as_zero(correlated):
    Q, _ = correlated
    own = np.diag(Q).copy()
    own[3] = -0.1
    F, D = redundancy_factor(Q, np.arange(30), own)
    assert not F[3].any()
    assert D[3] == 0.0
    np.testing.assert_allclose(np.delete((F**2).sum(axis=1) + D, 3), 1.0)


def test_a_solver_that_gives_up_is_reported_with_its_status(correlated, monkeypatch):
    Q, r = correlated

    def impatient():
        settings = default()
        settings.max_iter = 1
        return settings

    default = clarabel.DefaultSettings
    monkeypatch.setattr(module.clarabel, "DefaultSettings", impatient)
    with pytest.raises(RuntimeError, match="not solved: clarabel ended with status MaxIterations"):
        simplex_quadratic_program(r, factor_of(Q))


@pytest.mark.parametrize(
    ("linear", "factor", "diagonal", "message"),
    [
        ([1.0, 2.0], np.ones((3, 1)), None, "must have shapes"),
        ([1.0, 2.0], np.ones((1, 1)), None, "must have shapes"),
        ([], np.ones((0, 1)), None, "must have shapes"),
        (1.0, np.ones((1, 1)), None, "must have shapes"),
        ([1.0, np.nan], np.ones((2, 1)), None, "must be finite"),
        ([1.0, 2.0], np.ones((2, 1)), [1.0, -1.0], "not negative"),
    ],
)
def test_bad_input_is_refused(linear, factor, diagonal, message):
    with pytest.raises(ValueError, match=message):
        simplex_quadratic_program(linear, factor, diagonal)
