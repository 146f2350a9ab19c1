"""Correlation as a pairwise measure: Hall's form, squares as inner products of kernels."""

import numpy as np
import pytest

from hsieve import LarsSearch, Pearson, kernels
from tests.reference import naive, naive_pairwise
from tests.reference.coordinate_descent import nonnegative_lasso

N = 60


@pytest.fixture
def features(rng):
    X = rng.normal(size=(N, 7))
    X[:, 4] = X[:, 0] + 0.3 * X[:, 4]
    X[:, 5] = rng.lognormal(size=N)
    X[:, 6] = rng.integers(0, 2, N)
    return X


def linear_grams(columns):
    z = (columns - columns.mean(axis=0)) / columns.std(axis=0)
    return [np.outer(column, column) / len(z) for column in z.T]


TARGETS = {
    "classes": lambda X: np.digitize(X[:, 0] + X[:, 2], [-1.0, 0.3]),
    "numbers": lambda X: X[:, 0] - X[:, 2] + X[:, 5],
    "several outputs": lambda X: X[:, [0, 3]] + X[:, [1, 5]],
}


def target_gram(y):
    """The kernel whose inner products with the features' are the squared relevances."""
    if y.dtype.kind == "i":
        return kernels.centre(naive.delta_gram(y.tolist()))
    return np.mean(linear_grams(y.reshape(len(y), -1)), axis=0)


def test_classes_get_halls_form(features):
    y = TARGETS["classes"](features)
    expected = [naive_pairwise.hall_correlation(column, y) for column in features.T]
    np.testing.assert_allclose(Pearson().bind(features, y).relevance(np.arange(7)), expected)


@pytest.mark.parametrize("squared", [False, True])
def test_redundancy_is_the_correlation_matrix(squared, features):
    everything = np.arange(7)
    redundancy = Pearson(squared=squared).bind(features, features[:, 0]).redundancy
    expected = np.abs(np.corrcoef(features.T)) ** (2 if squared else 1)
    np.testing.assert_allclose(redundancy(everything, everything), expected, atol=1e-14)
    np.testing.assert_allclose(redundancy([5, 1], [4]), expected[[5, 1]][:, [4]])


@pytest.mark.parametrize("block_numbers", [2 * N + 7, N - 1])
def test_blocks_give_what_one_block_gives(features, block_numbers, monkeypatch):
    everything = np.arange(7)
    whole = Pearson().bind(features, features[:, 0]).redundancy(everything, everything)
    monkeypatch.setattr("hsieve.measures.pearson.BLOCK_NUMBERS", block_numbers)
    cut = Pearson().bind(features, features[:, 0]).redundancy(everything, everything)
    np.testing.assert_allclose(cut, whole, atol=1e-14)


@pytest.mark.parametrize("target", TARGETS)
def test_squares_are_inner_products_of_kernels(target, features):
    y = TARGETS[target](features)
    L = target_gram(y)
    expected = [np.vdot(K, L) for K in linear_grams(features)]
    bound = Pearson(squared=True).bind(features, y)
    np.testing.assert_allclose(bound.relevance(np.arange(7)), expected, atol=1e-14)
    np.testing.assert_array_equal(bound.feature_scores([2, 3]), bound.relevance([2, 3]))


def test_squared_relevance_of_classes_is_the_variance_between_them(features):
    y = TARGETS["classes"](features)
    x = features[:, 0]
    between = sum((y == c).mean() * (x[y == c].mean() - x.mean()) ** 2 for c in range(3))
    relevance = Pearson(squared=True).bind(features, y).relevance([0])[0]
    assert relevance == pytest.approx(between / x.var())


def test_absolute_correlations_can_be_indefinite_but_squares_cannot(rng):
    X = rng.normal(size=(8, 40))
    everything = np.arange(40)
    plain, squared = Pearson(), Pearson(squared=True)
    assert not plain.redundancy_is_psd
    assert squared.redundancy_is_psd
    matrices = [m.bind(X, X[:, 0]).redundancy(everything, everything) for m in (plain, squared)]
    assert np.linalg.eigvalsh(matrices[0])[0] < -0.1
    assert np.linalg.eigvalsh(matrices[1])[0] > -1e-12


@pytest.mark.parametrize("target", TARGETS)
def test_the_path_over_squares_is_the_linear_hsic_lasso(target, features):
    y = TARGETS[target](features)
    path = LarsSearch().search(Pearson(squared=True).bind(features, y), 4)
    grams, L = linear_grams(features), target_gram(y)
    Q = np.array([[np.vdot(K, M) for M in grams] for K in grams])
    r = np.array([np.vdot(K, L) for K in grams])
    levels = path.lars.levels[1:]
    for level, expected in zip(levels, nonnegative_lasso(Q, r, levels), strict=True):
        np.testing.assert_allclose(path.lars.coefficients(level), expected, atol=1e-6)


def test_single_precision_data_stay_single_and_keep_their_digits(features):
    y = TARGETS["numbers"](features)
    bound = Pearson().bind((features + 1e3).astype(np.float32), y)
    assert bound.columns.dtype == np.float32
    exact = Pearson().bind(features, y).relevance(np.arange(7))
    np.testing.assert_allclose(bound.relevance(np.arange(7)), exact, atol=1e-4)


def test_a_column_is_no_table_of_features(features):
    with pytest.raises(
        ValueError, match=r"table of samples and columns, got an array of shape \(60,"
    ):
        Pearson().bind(features[:, 0], features[:, 1])


def test_features_of_single_precision_take_no_more_memory_than_they_did(features):
    assert Pearson().bind(features.astype(np.float32), features[:, 0]).columns.dtype == np.float32
