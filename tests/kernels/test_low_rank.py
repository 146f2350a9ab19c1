"""Low-rank factors against the Gram matrices they stand for."""

import numpy as np
import pytest

from hsieve import kernels
from hsieve.kernels.low_rank import landmark_factors, pivoted_cholesky
from tests.reference import naive

N = 300


def draw(name, rng):
    draws = {
        "gaussian": lambda: rng.normal(size=N),
        "t(3)": lambda: rng.standard_t(3, N),
        "lognormal": lambda: rng.lognormal(size=N),
        "uniform": lambda: rng.random(N),
        "three values": lambda: rng.integers(0, 3, N).astype(float),
        "one far outlier": lambda: np.concatenate([[1e4], rng.normal(size=N - 1)]),
        "cauchy": lambda: rng.standard_t(1, N),
    }
    values = draws[name]()
    return (values - values.mean()) / values.std()


NAMES = [
    "gaussian", "t(3)", "lognormal", "uniform", "three values", "one far outlier", "cauchy",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_factors_reproduce_the_centred_gram_matrix(name, rng):
    x = draw(name, rng)
    ((features, factors),) = landmark_factors(x[:, None])
    assert features.tolist() == [0]
    exact = kernels.centre(naive.gaussian_gram(x[:, None], 1.0))
    assert np.abs(factors[0] @ factors[0].T - exact).max() < 1e-4
    np.testing.assert_allclose(factors[0].mean(axis=0), 0, atol=1e-6)


def test_a_block_gives_what_its_features_give_alone(rng):
    block = np.column_stack([draw(name, rng) for name in NAMES])
    seen = []
    for features, factors in landmark_factors(block):
        for feature, factor in zip(features, factors, strict=True):
            ((_, alone),) = landmark_factors(block[:, [feature]])
            np.testing.assert_allclose(factor @ factor.T, alone[0] @ alone[0].T, atol=2e-5)
            seen.append(int(feature))
    assert sorted(seen) == list(range(len(NAMES)))


def test_pivoted_cholesky_keeps_its_tolerance_for_several_columns(rng):
    points = rng.normal(size=(80, 2))
    factor = pivoted_cholesky(points, rate=0.25, tolerance=1e-6)
    exact = naive.gaussian_gram(points, np.sqrt(2.0))
    assert np.abs(factor @ factor.T - exact).max() <= 1.01e-6
    assert factor.shape[1] < 60


def test_pivoted_cholesky_of_equal_samples_has_rank_one():
    assert pivoted_cholesky(np.zeros((6, 1))).shape == (6, 1)
