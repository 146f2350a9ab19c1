"""Moments over all orders, and tails however far out."""

import numpy as np
import pytest
from scipy import special, stats

from hsieve.kernels.null_laws import (
    MatrixMoments,
    log_gamma_tail,
    permutation_law,
    weighted_sum_skewness,
)
from tests.reference import naive_interactions as naive


@pytest.mark.parametrize("classes", [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 2]])
def test_moments_of_a_product_of_kernels_are_those_over_all_orders(classes, rng):
    first, second = (naive.number_gram(x) for x in rng.normal(size=(2, 6)))
    product = naive.centred(naive.centred(first) * naive.centred(second))
    target = naive.centred(naive.class_gram(classes))
    expected = naive.moments_over_all_orders(product, target)
    found = permutation_law(MatrixMoments.of(product), MatrixMoments.of(target))
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_moments_from_rows_are_those_of_their_matrices(rng):
    rows = rng.normal(size=(3, 4, 20))
    rows -= rows.mean(axis=2, keepdims=True)
    together = MatrixMoments.of_rows(rows, 20)
    for place, own in enumerate(rows):
        alone = MatrixMoments.of(own.T @ own)
        for name in ("trace", "squares", "squared_diagonal", "spread", "unevenness"):
            expected = getattr(alone, name)
            assert getattr(together, name)[place] == pytest.approx(expected, rel=1e-10), name


@pytest.mark.parametrize("shape", [0.05, 0.5, 1.0, 3.7, 60.0, 900.0])
def test_tail_is_that_of_the_gamma_law(shape):
    scale = 0.3
    law = stats.gamma(shape, scale=scale)
    values = law.mean() + law.std() * np.array([-3.0, -0.5, 0.0, 1.0, 4.0, 12.0])
    np.testing.assert_allclose(
        log_gamma_tail(values, law.mean(), law.var()), law.logsf(np.maximum(values, 0)), rtol=1e-9
    )


@pytest.mark.parametrize("shape", [0.5, 1.0, 2.0, 10.0, 80.0])
def test_tail_goes_on_smoothly_where_numbers_end(shape):
    """Beyond 1e-290 the slope is the hazard of the law, by the continued fraction of its tail."""
    values = np.linspace(600.0, 1_500.0, 400)
    logs = log_gamma_tail(values, shape, shape)
    assert np.isfinite(logs).all()
    assert logs[0] > np.log(1e-290) > logs[-1]
    # Lentz: Gamma(a, x) = x^a e^-x / (x + 1 - a - 1 (1 - a) / (x + 3 - a - 2 (2 - a) / ...)).
    fraction = values + 1 + 2 * 200 - shape
    for k in range(200, 0, -1):
        fraction = values + 2 * k - 1 - shape - k * (k - shape) / fraction
    exact = shape * np.log(values) - values - special.gammaln(shape) - np.log(fraction)
    np.testing.assert_allclose(logs, exact, rtol=1e-4)


def test_tail_without_a_law_is_one():
    np.testing.assert_array_equal(log_gamma_tail([5.0, 5.0, 5.0], [0, 1, -1], [1, 0, 1]), 0.0)


def test_tail_of_nothing_is_one():
    np.testing.assert_array_equal(log_gamma_tail([0.0, -2.0], 1.0, 0.5), 0.0)


def test_skewness_is_that_of_the_weighted_sum_of_chi_squares(rng):
    rows, others = rng.normal(size=(3, 40)), rng.normal(size=(2, 40))
    weights = np.multiply.outer(
        np.linalg.eigvalsh(rows @ rows.T), np.linalg.eigvalsh(others @ others.T)
    ).ravel()
    draws = rng.chisquare(1, size=(400_000, weights.size)) @ weights
    moments = [MatrixMoments.of_rows(part, 40) for part in (rows, others)]
    assert weighted_sum_skewness(*moments) == pytest.approx(stats.skew(draws), rel=0.05)


def test_a_shifted_law_keeps_mean_and_variance_and_has_the_skewness():
    mean, variance, skewness = 3.0, 2.0, 1.9
    grid = np.linspace(0.0, 60.0, 600_001)
    survival = np.exp(log_gamma_tail(grid, mean, variance, skewness))
    density = -np.gradient(survival, grid)
    moments = [np.trapezoid(density * (grid - mean) ** k, grid) for k in (1, 2, 3)]
    assert moments[0] == pytest.approx(0.0, abs=0.01)
    assert moments[1] == pytest.approx(variance, rel=0.01)
    assert moments[2] / variance**1.5 == pytest.approx(skewness, rel=0.01)
