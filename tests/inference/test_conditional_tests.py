"""A feature beside its relatives: the statistic as written down, its level, and its power."""

import numpy as np
import pytest

from hsieve.inference import conditional_tests
from hsieve.inference.conditional_tests import conditional_p_value
from hsieve.inference.kernel_smoother import KernelSmoother
from hsieve.kernels.mixed_kernel import KernelColumn, MixedKernel
from hsieve.measures.regression_data import RegressionData
from tests.reference.naive_pursuit import conditional_ratio


def relatives(seed, effect, n_samples=150):
    """Feature 1 is a noisy copy of feature 0, which acts by a curve, with unequal variance."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, 2))
    X[:, 1] = 0.8 * X[:, 0] + 0.6 * X[:, 1]
    noise = (0.3 + 0.3 * np.abs(X[:, 0])) * rng.normal(size=n_samples)
    y = X[:, 0] ** 2 + effect * X[:, 1] + noise
    data = RegressionData.of(X, y, target_kind="continuous")
    return data, KernelSmoother(data).fit([0]).residuals


def test_the_statistic_is_that_of_two_regressions_refitted_without_each_sample(monkeypatch):
    data, residuals = relatives(0, 0.5, n_samples=40)
    ratios = []
    monkeypatch.setattr(
        conditional_tests, "log_ratio_tail", lambda found, *_: ratios.append(found[0]) or [0.0]
    )
    conditional_p_value(KernelSmoother(data), 1, [0], residuals)
    factor = KernelColumn(data.column(1)).factor
    fit = KernelSmoother(
        RegressionData(data.blocks, data.categorical, data.positions, factor), n_landmarks=64
    ).fit([0])
    given = KernelColumn(data.column(0))
    assert isinstance(fit.kernel, MixedKernel)
    features = fit.kernel.features([given], [given])
    assert ratios[0] == pytest.approx(
        conditional_ratio(factor, features, fit.ridge, residuals), rel=1e-8
    )


def test_a_relative_that_adds_nothing_is_found_at_the_level_and_no_more():
    found = [conditional_p_value(*args_of(seed, 0.0)) < 0.05 for seed in range(200)]
    # 5 % of 200 is 10; 22 or more come up once in 2,000 times.
    assert sum(found) < 22


def test_a_relative_with_an_effect_of_its_own_is_found():
    found = [conditional_p_value(*args_of(seed, 0.5)) < 0.05 for seed in range(20)]
    assert sum(found) >= 18


def args_of(seed, effect):
    data, residuals = relatives(seed, effect)
    return KernelSmoother(data), 1, [0], residuals
