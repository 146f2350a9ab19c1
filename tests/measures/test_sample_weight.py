"""Measures of samples that count more or less than once."""

import numpy as np
import pytest

from hsieve import HSIC, NHSIC, PairwiseHSIC, Pearson, kernels
from hsieve.kernels.bandwidths import resolve_bandwidth
from hsieve.kernels.columns import squared_distances, standardised
from tests.reference import naive

RNG = np.random.default_rng(3)
X = np.column_stack([RNG.normal(size=(12, 3)), RNG.integers(0, 3, 12)])
X[0, 1] = 40.0  # an outlier, which is scaled by quantiles
NUMBERS = np.abs(X[:, 0]) + 0.1 * RNG.normal(size=12)
CLASSES = np.array(["a", "b", "b"] * 4)
FRACTIONS = RNG.uniform(0.2, 3.0, size=12)
COUNTS = RNG.integers(1, 5, size=12)


def weighted_scale(x, weight):
    mean = np.average(x, weights=weight)
    return (x - mean) / np.sqrt(np.average((x - mean) ** 2, weights=weight))


@pytest.mark.parametrize("weight", [FRACTIONS, COUNTS])
def test_hsic_is_the_weighted_sum(weight):
    bound = HSIC(estimator="biased").bind(
        X[:, :1], NUMBERS, sample_weight=np.asarray(weight, float)
    )
    x, y = weighted_scale(X[:, 0], weight), weighted_scale(NUMBERS, weight)
    K, L = (naive.gaussian_gram(v[:, None], 1.0) for v in (x, y))
    found = bound.subset_score([0])
    assert found == pytest.approx(naive.weighted_hsic(K, L, weight), rel=1e-10)


def test_the_literal_weighted_hsic_counts_copies():
    K, L = naive.gaussian_gram(X, 1.0), naive.gaussian_gram(NUMBERS[:, None], 1.0)
    rows = np.repeat(np.arange(12), COUNTS)
    of_copies = naive.biased_hsic(K[np.ix_(rows, rows)], L[np.ix_(rows, rows)])
    assert naive.weighted_hsic(K, L, COUNTS) == pytest.approx(of_copies, rel=1e-12)


@pytest.mark.parametrize("y", [NUMBERS, CLASSES], ids=["numbers", "classes"])
@pytest.mark.parametrize("categorical", [(), (3,)])
def test_pairwise_statistics_are_weighted_sums(y, categorical):
    """For categories and a robust scale of numbers no formula is short: copies are."""
    rows = np.repeat(np.arange(12), COUNTS)
    measure = PairwiseHSIC(normalised=False, categorical=categorical)
    once = measure.bind(X, y, sample_weight=COUNTS.astype(float))
    copied = measure.bind(X[rows], y[rows], sample_weight=np.ones(len(rows)))
    plain = measure.bind(X[rows], y[rows])
    for found in ("relevance", "self_redundancy"):
        value = getattr(once, found)(np.arange(4))
        np.testing.assert_allclose(value, getattr(copied, found)(np.arange(4)), rtol=1e-10)
        np.testing.assert_allclose(value, getattr(plain, found)(np.arange(4)), rtol=1e-4)
    np.testing.assert_allclose(
        once.redundancy([0, 3], [1, 2]), copied.redundancy([0, 3], [1, 2]), rtol=1e-10
    )


def test_pairwise_statistics_take_fractions():
    weight = FRACTIONS
    bound = PairwiseHSIC(normalised=False).bind(X[:, :1], NUMBERS, sample_weight=weight)
    K, L = (
        naive.gaussian_gram(weighted_scale(v, weight)[:, None], 1.0) for v in (X[:, 0], NUMBERS)
    )
    expected = naive.weighted_hsic(K, L, weight) * (weight.sum() - 1) ** 2
    # The factors of the kernels are right to 5e-5 an entry.
    assert bound.relevance([0])[0] == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize("y", [NUMBERS, CLASSES], ids=["numbers", "classes"])
@pytest.mark.parametrize(
    "measure",
    [
        HSIC(estimator="biased"),
        HSIC(estimator="biased", kernel_x=kernels.Gaussian("narrow"), compensate=True),
        HSIC(estimator="biased", kernel_x=kernels.Gaussian("maximise"), categorical=(3,)),
        HSIC(estimator="biased", kernel_x=kernels.Laplace(), kernel_y=kernels.Delta()),
        NHSIC(),
        NHSIC(kernel_x=kernels.Linear(), categorical=(3,)),
        Pearson(),
        Pearson(squared=True),
    ],
    ids=repr,
)
def test_integer_weights_are_copies(measure, y):
    rows = np.repeat(np.arange(12), COUNTS)
    once = measure.bind(X, y, sample_weight=COUNTS.astype(float))
    copied = measure.bind(X[rows], y[rows])
    np.testing.assert_allclose(
        once.feature_scores([0, 1, 2, 3]), copied.feature_scores([0, 1, 2, 3]), rtol=1e-10
    )
    if hasattr(once, "elimination_scores"):
        for found in ("elimination_scores", "removal_scores"):
            np.testing.assert_allclose(
                getattr(once, found)([0, 1, 3], [0, 3]),
                getattr(copied, found)([0, 1, 3], [0, 3]),
                rtol=1e-8,
                atol=1e-12,
            )


@pytest.mark.parametrize("measure", [HSIC(estimator="biased"), NHSIC()], ids=repr)
def test_slopes_in_weights_of_features_are_those_of_copies(measure):
    rows = np.repeat(np.arange(12), COUNTS)
    once = measure.bind(X, NUMBERS, sample_weight=COUNTS.astype(float))
    copied = measure.bind(X[rows], NUMBERS[rows])
    of_features = np.array([1.0, 0.5, 0.0, 2.0])
    value, slopes = once.weighted_value_and_gradient(of_features, 1.5)
    expected, expected_slopes = copied.weighted_value_and_gradient(of_features, 1.5)
    assert value == pytest.approx(expected, rel=1e-10)
    np.testing.assert_allclose(slopes, expected_slopes, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("rule", ["median", "narrow"])
def test_widths_count_samples(rule):
    rows = np.repeat(np.arange(12), COUNTS)
    once, copied = squared_distances(X), squared_distances(X[rows])
    found = resolve_bandwidth(rule, once, 4, COUNTS.astype(float))
    assert found == pytest.approx(resolve_bandwidth(rule, copied, 4), rel=1e-12)


def test_robust_scales_count_samples():
    values = np.concatenate([RNG.normal(size=300), [1e6]])[:, None]
    counts = RNG.integers(1, 4, 301)
    once = standardised(values, robust=True, sample_weight=counts.astype(float))
    copied = standardised(np.repeat(values, counts, axis=0), robust=True)
    np.testing.assert_allclose(np.repeat(once, counts, axis=0), copied, rtol=1e-12)
