"""Pairwise HSIC through factors against the exact n x n values."""

import numpy as np
import pytest

from hsieve import PairwiseHSIC, kernels, nhsic
from hsieve.data.arrays import as_blocks
from hsieve.measures.pairwise import nearest_relatives
from tests.reference import naive

N = 400


@pytest.fixture
def features(rng):
    x = rng.normal(size=N)
    columns = [
        x,
        rng.standard_t(3, N) + x,
        rng.lognormal(size=N),
        rng.random(N) + 0.5 * x,
        rng.random(N) < 0.3,
        rng.integers(0, 3, N),
    ]
    return np.column_stack(columns).astype(float)


def exact_grams(features):
    standardised = (features - features.mean(axis=0)) / features.std(axis=0)
    return [kernels.centre(kernels.Gaussian(1.0).gram(column)) for column in standardised.T]


TARGETS = {
    "classes": lambda X: (np.abs(X[:, 0]) > 0.7).astype(int) + (X[:, 1] > 1),
    "numbers": lambda X: X[:, 0] ** 2 + X[:, 3],
    "several outputs": lambda X: np.column_stack([X[:, 0], np.sin(X[:, 1])]),
}


def target_gram(y):
    if y.dtype.kind == "i":
        return naive.delta_gram(y.tolist())
    numbers = y.reshape(len(y), -1)
    numbers = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
    return kernels.Gaussian(np.sqrt(numbers.shape[1])).gram(numbers)


@pytest.mark.parametrize("target", TARGETS)
def test_relevance_is_exact_nhsic_to_one_in_ten_thousand(target, features):
    y = TARGETS[target](features)
    L = kernels.centre(target_gram(y))
    expected = [
        np.vdot(K, L) / (np.linalg.norm(K) * np.linalg.norm(L)) for K in exact_grams(features)
    ]
    relevance = PairwiseHSIC().bind(features, y).relevance(np.arange(6))
    np.testing.assert_allclose(relevance, expected, rtol=1e-4)


def test_redundancy_is_exact_nhsic_to_one_in_ten_thousand(features):
    grams = exact_grams(features)
    norms = [np.linalg.norm(K) for K in grams]
    expected = [
        [np.vdot(K, M) / (a * b) for M, b in zip(grams, norms, strict=True)]
        for K, a in zip(grams, norms, strict=True)
    ]
    bound = PairwiseHSIC().bind(features, features[:, 0])
    redundancy = bound.redundancy(np.arange(6), np.arange(6))
    np.testing.assert_allclose(redundancy, expected, rtol=1e-4)
    np.testing.assert_allclose(np.diag(redundancy), 1.0, rtol=1e-5)


@pytest.mark.parametrize("form", ["dense", "coded"])
def test_relatives_are_the_features_of_highest_nhsic(features, form):
    X = np.column_stack([features, np.full(N, 2.0), features[:, 0] + 0.1 * features[:, 3]])
    grams = exact_grams(X[:, [0, 1, 2, 3, 4, 5, 7]])
    norms = [np.linalg.norm(K) for K in grams]
    exact = np.zeros((8, 8))
    for a, i in enumerate((0, 1, 2, 3, 4, 5, 7)):
        for b, j in enumerate((0, 1, 2, 3, 4, 5, 7)):
            exact[i, j] = np.vdot(grams[a], grams[b]) / (norms[a] * norms[b])
    np.fill_diagonal(exact, -1.0)
    wanted = np.array([3, 0, 6])
    tolerance = 1e-4 if form == "dense" else 2e-3
    found = nearest_relatives(as_blocks(X), wanted, 3, measure=PairwiseHSIC(form=form))
    for feature, (relatives, shares) in zip(wanted, found, strict=True):
        np.testing.assert_allclose(shares, np.sort(exact[feature])[::-1][:3], atol=tolerance)
        np.testing.assert_allclose(shares, exact[feature, relatives], atol=tolerance)
        assert feature not in relatives
    assert found[1][0][0] == 7
    # A constant feature is as far from one as from another.
    assert found[2][0].tolist() == [0, 1, 2]
    # Never more than there are, and never the feature itself.
    for (all_others, _), feature in zip(
        nearest_relatives(as_blocks(X), wanted, 50), wanted, strict=True
    ):
        assert sorted([*all_others.tolist(), feature]) == list(range(8))


@pytest.mark.parametrize("wrong", [0, True, 1.5])
def test_a_number_of_relatives_that_is_none_is_refused(features, wrong):
    with pytest.raises(ValueError, match="n_relatives must be an integer of at least 1"):
        nearest_relatives(as_blocks(features), np.array([0]), wrong)
    ((relatives, _),) = nearest_relatives(as_blocks(features), np.array([0]), 1)
    assert len(relatives) == 1


def test_without_normalisation_it_is_hsic_times_a_common_factor(features):
    y = TARGETS["classes"](features)
    L = kernels.centre(target_gram(y))
    expected = [np.vdot(K, L) for K in exact_grams(features)]
    relevance = PairwiseHSIC(normalised=False).bind(features, y).relevance(np.arange(6))
    np.testing.assert_allclose(relevance, expected, rtol=1e-4)


@pytest.mark.parametrize("form", ["dense", "coded"])
@pytest.mark.parametrize("normalised", [True, False])
def test_a_constant_feature_tells_nothing_even_of_itself(normalised, form, features):
    features[:, 2] = 0.1
    bound = PairwiseHSIC(normalised=normalised, form=form).bind(features, features[:, 0] ** 2)
    everything = np.arange(6)
    assert bound.constant.tolist() == [False, False, True, False, False, False]
    assert bound.relevance([2]).tolist() == bound.self_redundancy([2]).tolist() == [0.0]
    redundancy = bound.redundancy(everything, everything)
    assert not redundancy[2].any()
    assert not redundancy[:, 2].any()
    np.testing.assert_allclose(bound.self_redundancy(everything), np.diag(redundancy), rtol=1e-5)


def test_two_samples_have_one_kernel_whatever_the_feature():
    X = np.array([[0.0, 7.0, -2.0], [1.0, 3.0, -2.5]])
    redundancy = PairwiseHSIC().bind(X, [0.0, 1.0]).redundancy([0, 1, 2], [0, 1, 2])
    np.testing.assert_allclose(redundancy, 1.0, rtol=1e-5)


def test_categories_get_the_delta_kernel(rng):
    labels = rng.integers(0, 4, 60)
    y = rng.integers(0, 2, 60)
    bound = PairwiseHSIC(categorical=[0]).bind(labels[:, None].astype(float), y)
    expected = nhsic(labels, y, kernel_x=kernels.LabelCoding("block"), kernel_y=kernels.Delta())
    plain = kernels.Delta(normalised=False).gram(labels)
    K, L = kernels.centre(plain), kernels.centre(kernels.Delta().gram(y))
    exact = np.vdot(K, L) / (np.linalg.norm(K) * np.linalg.norm(L))
    assert bound.relevance([0])[0] == pytest.approx(exact, rel=1e-5)
    assert expected == pytest.approx(exact, rel=0.2)


def test_sample_counts_must_agree(features):
    with pytest.raises(ValueError, match="X has 400 samples but y has 3"):
        PairwiseHSIC().bind(features, [1.5, 2.5, 3.5])


@pytest.mark.parametrize("offset", [1e5, 1e7])
def test_large_offsets_change_nothing(offset, features):
    y = TARGETS["numbers"](features)
    plain = PairwiseHSIC().bind(features, y).relevance(np.arange(6))
    shifted = PairwiseHSIC().bind(features + offset, y).relevance(np.arange(6))
    np.testing.assert_allclose(shifted, plain, rtol=1e-3)
