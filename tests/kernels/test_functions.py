"""Kernels against literal sums and hand-computed values."""

import numpy as np
import pytest

from hsieve import kernels
from tests.reference import naive


def test_gaussian_equals_the_literal_sum(rng):
    X = rng.normal(size=(12, 3))
    np.testing.assert_allclose(
        kernels.Gaussian(0.7).gram(X), naive.gaussian_gram(X, 0.7), atol=1e-14
    )


def test_gaussian_survives_a_large_offset(rng):
    X = rng.normal(size=(20, 2))
    shifted = kernels.Gaussian(1.0).gram(X + 1e7)
    np.testing.assert_allclose(shifted, kernels.Gaussian(1.0).gram(X), atol=1e-7)


def test_laplace_and_inverse_distance_by_hand():
    X = [[0.0, 0.0], [3.0, 4.0]]
    assert kernels.Laplace(2.0).gram(X)[0, 1] == pytest.approx(np.exp(-2.5))
    assert kernels.InverseDistance(0.5).gram(X)[0, 1] == pytest.approx(1 / 5.5)
    assert kernels.InverseDistance(0.5).gram(X)[0, 0] == pytest.approx(2.0)


def test_polynomial_of_degree_one_is_linear_plus_constant(rng):
    X = rng.normal(size=(6, 3))
    np.testing.assert_allclose(
        kernels.Polynomial(1, constant=2.0).gram(X), kernels.Linear().gram(X) + 2.0
    )


def test_delta_is_normalised_by_class_size():
    labels = ["a", "b", "a", "a"]
    np.testing.assert_allclose(kernels.Delta().gram(labels), naive.delta_gram(labels))


def test_block_coding_is_the_delta_kernel():
    labels = [2, 0, 1, 1, 0, 2, 2]
    np.testing.assert_allclose(
        kernels.LabelCoding("block").gram(labels), kernels.Delta().gram(labels), atol=1e-15
    )


@pytest.mark.parametrize("coding", ["signed", "centroid", "one-vs-rest"])
def test_codings_that_compare_classes_are_centred(coding):
    gram = kernels.LabelCoding(coding).gram([0, 1, 1, 0, 1, 1, 1])
    np.testing.assert_allclose(gram.sum(axis=0), 0, atol=1e-15)


@pytest.mark.parametrize(
    ("kernel", "data", "message"),
    [
        (kernels.Gaussian(-1.0), [[0.0], [1.0]], "bandwidth must be a positive number"),
        (kernels.Gaussian("wide"), [[0.0], [1.0]], "'wide'"),
        (kernels.InverseDistance(0.0), [[0.0], [1.0]], "epsilon must be a number above 0"),
        (kernels.Polynomial(1.5), [[0.0], [1.0]], "degree must be an integer"),
        (kernels.Precomputed(), np.ones((2, 3)), "must be square"),
        (kernels.Precomputed(), [[1.0, 0.5], [0.1, 1.0]], "must be symmetric"),
        (kernels.Precomputed(), [[1.0, np.nan], [np.nan, 1.0]], "must be finite"),
        (kernels.LabelCoding("odd"), [0, 1], "coding must be 'block', .* or 'signed'"),
        (kernels.LabelCoding("signed"), [0, 1, 2], "needs two classes, got 3"),
        (kernels.LabelCoding("block"), [1, 1], "at least two classes, got 1"),
        (kernels.Delta(), np.zeros((3, 2)), "one label a sample"),
    ],
)
def test_bad_settings_are_refused_in_words(kernel, data, message):
    with pytest.raises(ValueError, match=message):
        kernel.gram(data)


@pytest.mark.parametrize("kernel", [kernels.Delta(), kernels.Precomputed(), kernels.LabelCoding()])
def test_target_kernels_are_no_kernels_over_features(kernel):
    columns = kernels.encode_columns(np.eye(4))
    with pytest.raises(TypeError, match="no kernel over sets of features"):
        kernel.on_subset(columns, np.array([0]))


def test_median_bandwidth_is_the_median_distance(rng):
    X = rng.normal(size=(9, 2))
    distances = [np.linalg.norm(X[i] - X[j]) for i in range(9) for j in range(i)]
    squared = kernels.squared_distances(X)
    # The median of squares is the square of the median for an odd number of pairs and near it else.
    assert kernels.resolve_bandwidth("median", squared, 2) == pytest.approx(
        np.median(distances), rel=0.05
    )


def test_median_bandwidth_of_mostly_equal_samples_is_not_zero():
    X = np.zeros((20, 1))
    X[0] = 3.0
    assert kernels.resolve_bandwidth("median", kernels.squared_distances(X), 1) == (
        pytest.approx(3.0)
    )
    assert kernels.resolve_bandwidth("median", np.zeros((4, 4)), 1) == 1.0


def test_narrow_bandwidth_sets_the_mean_exponent(rng):
    X = kernels.encode_columns(rng.normal(size=(40, 128))).matrix
    squared = kernels.squared_distances(X)
    sigma = kernels.resolve_bandwidth("narrow", squared, 128)
    mean = squared.sum() / (40 * 39)
    assert mean / (2 * sigma**2) == pytest.approx(4.0)
    assert kernels.resolve_bandwidth("narrow", np.zeros((5, 5)), 1) == 1.0


def test_categories_are_as_far_apart_as_standardised_numbers(rng):
    X = np.column_stack([rng.normal(size=300), rng.integers(0, 3, 300)])
    columns = kernels.encode_columns(X, categorical=[1])
    means = [kernels.squared_distances(columns.block([j])).mean() for j in (0, 1)]
    np.testing.assert_allclose(means, 2.0)


def test_gaussian_on_a_category_is_a_delta_kernel_up_to_constants(rng):
    labels = rng.integers(0, 4, 30)
    columns = kernels.encode_columns(labels[:, None].astype(float), categorical=[0])
    gram = kernels.Gaussian(1.0).on_subset(columns, np.array([0])).gram
    same = labels[:, None] == labels[None, :]
    assert np.ptp(gram[~same]) < 1e-14
    np.testing.assert_allclose(gram[same], 1.0)


def test_constant_columns_become_zero_and_huge_values_stay_finite():
    X = np.array([[5.0, 1e300, 1e12], [5.0, -1e300, 1e12 + 1], [5.0, 0.0, 1e12 + 2]])
    matrix = kernels.encode_columns(X).matrix
    assert (matrix[:, 0] == 0).all()
    np.testing.assert_allclose(matrix.std(axis=0), [0, 1, 1], rtol=1e-9)
