"""Tests of independence reject independent data as often as they say."""

import numpy as np
import pytest
from scipy import stats

from hsieve import hsic_test, kernels

WIDTH = kernels.Gaussian(1.0)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["gamma", "permutation"])
@pytest.mark.parametrize("target", ["classes", "numbers"])
@pytest.mark.parametrize("n", [20, 60])
def test_level_on_independent_data_is_as_stated(method, target, n):
    """1,000 repetitions at 5 %: the share of rejections stays within its 99.9 % binomial band."""
    rejected = 0
    for seed in range(1000):
        generator = np.random.default_rng([seed, n])
        x = generator.normal(size=(n, 1))
        y = generator.integers(0, 2, n) if target == "classes" else generator.normal(size=n)
        p_value = hsic_test(
            x, y, method=method, n_permutations=199, kernel_x=WIDTH, random_state=seed
        ).p_value
        rejected += p_value <= 0.05
    low, high = stats.binom.interval(0.999, 1000, 0.05)
    print(f"level {method} {target} n={n}: {rejected / 1000:.3f}")
    assert low <= rejected <= high
