"""The tail of a ratio of sums of squares, against the exact Beta law and against draws."""

import numpy as np
import pytest
from scipy.stats import beta

from hsieve.kernels.null_laws import log_ratio_tail


@pytest.mark.parametrize("n_directions", [9, 99, 1999])
@pytest.mark.parametrize("chance", [0.05, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8])
def test_one_direction_and_one_column_are_the_test_of_a_correlation(n_directions, chance):
    """z_1^2 over the sum of all z_i^2 has a Beta law."""
    law = beta(0.5, (n_directions - 1) / 2)
    found = log_ratio_tail([law.isf(chance)], np.array([[1.0]]), [1.0], n_directions)
    assert np.exp(found[0]) == pytest.approx(chance, rel=0.15)


@pytest.mark.parametrize("chance", [0.05, 1e-3, 1e-6, 1e-8])
def test_directions_of_equal_weight_add_up_in_the_beta_law(chance):
    """Of m equal weights w, ratio / w has the law of m of n squares."""
    law = beta(5 / 2, (80 - 5) / 2)
    found = log_ratio_tail([0.3 * law.isf(chance)], np.full((1, 5), 0.3), [1.0], 80)
    assert np.exp(found[0]) == pytest.approx(chance, rel=0.15)


@pytest.mark.parametrize("chance", [0.05, 1e-3, 1e-6])
def test_columns_of_equal_weight_add_up_in_the_beta_law(chance):
    """Three equal columns are three times the squares, above and below."""
    law = beta(3 / 2, 3 * (80 - 1) / 2)
    found = log_ratio_tail([law.isf(chance)], np.ones((1, 1)), np.ones(3), 80)
    assert np.exp(found[0]) == pytest.approx(chance, rel=0.15)


@pytest.mark.parametrize(
    ("weights", "target_weights"),
    [
        ([1.0, 0.6, 0.3, 0.1, 0.02], [1.0]),
        ([1.0, 0.6, 0.3, 0.1, 0.02], [5.0, 3.0, 0.5]),
        ([2.0], [1.0, 0.1]),
    ],
)
def test_several_weights_and_columns_against_draws(weights, target_weights, rng):
    n_directions, n_draws = 40, 60_000
    squares = rng.chisquare(1, size=(n_draws, n_directions, len(target_weights))) @ target_weights
    ratios = squares[:, : len(weights)] @ weights / squares.sum(axis=1)
    chances = np.array([0.2, 0.05, 0.01, 0.002])
    found = log_ratio_tail(
        np.quantile(ratios, 1 - chances),
        np.tile(weights, (len(chances), 1)),
        target_weights,
        n_directions,
    )
    # 60,000 draws know a chance of 0.002 to 9 % (one standard error).
    np.testing.assert_allclose(np.exp(found), chances, rtol=0.25)


def mean_ratio(weights, n_directions):
    return sum(weights) / n_directions


def test_ratios_at_or_below_the_mean_have_chance_one():
    weights = np.tile([1.0, 0.5, 0.1], (3, 1))
    mean = mean_ratio(weights[0], 50)
    found = log_ratio_tail([0.0, 0.5 * mean, mean * (1 - 1e-9)], weights, [2.0, 1.0], 50)
    assert found.tolist() == [0.0, 0.0, 0.0]
    (above,) = log_ratio_tail([1.5 * mean], weights[:1], [2.0, 1.0], 50)
    assert -5 < above < np.log(0.6)


def test_a_ratio_above_the_largest_weight_is_impossible():
    weights = np.tile([0.4, 0.2, 0.0], (3, 1))
    found = log_ratio_tail([0.39, 0.4, 0.41], weights, [1.0], 30)
    assert np.isfinite(found[0])
    assert found[0] < -50
    assert found[1] == found[2] == -np.inf


def test_the_scale_of_the_target_does_not_matter(rng):
    weights = np.sort(rng.random((6, 4)))
    ratios = np.linspace(0.06, 0.3, 6)
    expected = log_ratio_tail(ratios, weights, [3.0, 1.0], 60)
    for scale in (1e-8, 1e8):
        found = log_ratio_tail(ratios, weights, [3.0 * scale, scale], 60)
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_the_scale_of_the_feature_does_not_matter(rng):
    weights = rng.random((6, 4))
    ratios = np.linspace(0.06, 0.3, 6)
    expected = log_ratio_tail(ratios, weights, [3.0, 1.0], 60)
    found = log_ratio_tail(1e6 * ratios, 1e6 * weights, [3.0, 1.0], 60)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_weights_of_zero_fill_up():
    found = log_ratio_tail([0.3], np.array([[1.0, 0.2]]), [1.0], 60)
    filled = log_ratio_tail([0.3], np.array([[0.0, 1.0, 0.0, 0.2]]), [1.0], 60)
    np.testing.assert_allclose(filled, found, rtol=1e-10)


def test_columns_of_weight_zero_change_nothing():
    found = log_ratio_tail([0.3], np.array([[1.0, 0.2]]), [1.0], 60)
    np.testing.assert_allclose(
        log_ratio_tail([0.3], np.array([[1.0, 0.2]]), [1.0, 0.0], 60), found, rtol=1e-10
    )


def test_each_feature_may_have_target_weights_and_directions_of_its_own():
    ratios, weights = [0.2, 0.3], np.array([[1.0, 0.5], [0.8, 0.1]])
    columns, n_directions = np.array([[1.0, 0.5], [3.0, 0.0]]), np.array([50, 70])
    together = log_ratio_tail(ratios, weights, columns, n_directions)
    for k in range(2):
        alone = log_ratio_tail([ratios[k]], weights[[k]], columns[k], n_directions[k])
        assert together[k] == pytest.approx(alone[0], rel=1e-12)


def test_the_chance_falls_as_the_ratio_grows():
    ratios = np.linspace(0.021, 0.99, 200)
    logs = log_ratio_tail(ratios, np.tile([1.0, 0.2], (200, 1)), [1.0], 60)
    assert np.all(np.diff(logs) < 0)
