"""NHSIC through factors and through codes against the exact n x n value, by distribution."""

import numpy as np
import pytest

from hsieve import PairwiseHSIC, kernels

N = 4000
DENSE_ERROR = 1e-4
CODED_ERROR = 2e-3

FEATURES = {
    "gaussian": lambda rng, signal: signal + 0.5 * rng.normal(size=N),
    "t(3)": lambda rng, signal: signal + rng.standard_t(3, N),
    "lognormal": lambda rng, signal: np.exp(signal + 0.3 * rng.normal(size=N)),
    "uniform": lambda rng, signal: rng.random(N) + 0.5 * (signal > 0),
    "binary": lambda rng, signal: (signal + 0.5 * rng.normal(size=N) > 0).astype(float),
    "3 levels": lambda rng, signal: np.digitize(signal + 0.5 * rng.normal(size=N), [-0.5, 0.7]),
}
TARGETS = {
    "numbers": lambda signal: np.sin(signal) + 0.1 * signal**2,
    "classes": lambda signal: np.digitize(signal, [-1.0, 0.4]),
}


@pytest.fixture(scope="module")
def signal():
    return np.random.default_rng(7).normal(size=N)


@pytest.fixture(scope="module")
def features(signal):
    rng = np.random.default_rng(8)
    return np.column_stack([make(rng, signal) for make in FEATURES.values()]).astype(float)


def unit(K):
    K = kernels.centre(K)
    return K / np.linalg.norm(K)


@pytest.fixture(scope="module")
def exact_kernels(features):
    scaled = (features - features.mean(axis=0)) / features.std(axis=0)
    return [unit(kernels.Gaussian(1.0).gram(column[:, None])) for column in scaled.T]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("form", "error"), [("dense", DENSE_ERROR), ("coded", CODED_ERROR)])
def test_relevance(target, form, error, features, exact_kernels, signal):
    y = TARGETS[target](signal)
    if target == "classes":
        L = unit(kernels.Delta().gram(y))
    else:
        L = unit(kernels.Gaussian(1.0).gram(((y - y.mean()) / y.std())[:, None]))
    expected = [np.vdot(K, L) for K in exact_kernels]
    found = PairwiseHSIC(form=form).bind(features, y).relevance(np.arange(len(FEATURES)))
    np.testing.assert_allclose(found, expected, rtol=error)


@pytest.mark.parametrize(("form", "error"), [("dense", DENSE_ERROR), ("coded", CODED_ERROR)])
def test_redundancy(form, error, features, exact_kernels, signal):
    everything = np.arange(len(FEATURES))
    expected = [[np.vdot(K, M) for M in exact_kernels] for K in exact_kernels]
    bound = PairwiseHSIC(form=form).bind(features, signal)
    np.testing.assert_allclose(bound.redundancy(everything, everything), expected, rtol=error)


@pytest.mark.parametrize("form", ["dense", "coded"])
def test_features_of_few_values_are_exact_but_for_the_rounding_of_single_precision(
    form, features, exact_kernels, signal
):
    few = np.array([4, 5])
    bound = PairwiseHSIC(form=form).bind(features, signal)
    expected = [[np.vdot(exact_kernels[j], exact_kernels[k]) for k in few] for j in few]
    np.testing.assert_allclose(bound.redundancy(few, few), expected, rtol=3e-5)
