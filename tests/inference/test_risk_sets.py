"""Tests against times with events: what is at risk, and levels under dependent censoring."""

import numpy as np
import pytest

from hsieve import feature_tests
from hsieve.data.survival import martingale_residuals, survival_times
from hsieve.inference.risk_sets import RiskSets
from tests.reference import naive


def test_differences_are_those_from_the_mean_at_risk():
    rng = np.random.default_rng(0)
    times = survival_times(rng.random(40) < 0.6, rng.integers(0, 15, 40))
    gram = naive.gaussian_gram(rng.normal(size=(40, 1)), 1.0)
    expected = naive.risk_set_products(gram, times["event"], times["time"])
    found = RiskSets.of(times).differences(gram)
    np.testing.assert_allclose(np.sort(np.diag(found)), np.sort(np.diag(expected)))
    residuals = martingale_residuals(times)
    assert found.sum() == pytest.approx(expected.sum())
    assert found.sum() == pytest.approx(residuals @ gram @ residuals)


@pytest.mark.parametrize("method", ["gamma", "permutation"])
@pytest.mark.parametrize("early", [lambda x: 2 * x, lambda x: 1 - 2 * np.abs(x)])
def test_level_where_the_feature_decides_who_is_censored(method, early):
    rng = np.random.default_rng(3)
    p_values = []
    for _ in range(200):
        x = rng.normal(size=80)
        died, left = rng.exponential(size=80), rng.exponential(size=80) * np.exp(-early(x))
        y = np.array(
            list(zip(died <= left, np.minimum(died, left), strict=True)),
            dtype=[("e", bool), ("t", float)],
        )
        p_values.append(feature_tests(x[:, None], y, method=method, n_permutations=99).p_values[0])
    assert 0.01 <= np.mean(np.array(p_values) <= 0.05) <= 0.09


def test_effects_are_found():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(150, 4))
    died, left = rng.exponential(size=150) * np.exp(-(X[:, 2] ** 2)), rng.exponential(size=150)
    y = survival_times(died <= left, np.minimum(died, left))
    for method in ("gamma", "permutation"):
        assert feature_tests(X, y, method=method).p_values.argmin() == 2
