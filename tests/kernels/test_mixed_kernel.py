"""The kernel of the regressions: explicit features against the formula, entry by entry."""

import numpy as np
import pytest

from hsieve.kernels import centre, encode_columns
from hsieve.kernels.mixed_kernel import NEGLIGIBLE, KernelColumn, MixedKernel
from hsieve.solvers.left_out_ridge import left_out_ridge
from tests.reference.naive_pursuit import mixed_gram

N = 40
WIDTHS = (0.25, 1.0, 8.0)
EVERYTHING = np.arange(N)


def columns_of(X, categorical=()):
    """One column of the kernel for each feature."""
    encoded = encode_columns(X, categorical=categorical)
    return [KernelColumn(group) for group in np.split(encoded.matrix, encoded.starts[1:-1], axis=1)]


def parts(columns, rows):
    return [column.part(rows) for column in columns]


@pytest.fixture
def columns(rng):
    """Two numbers and between them a category of four levels."""
    X = np.column_stack([rng.normal(size=N), rng.integers(0, 4, N), rng.lognormal(size=N)])
    return columns_of(X, categorical=[1])


def gram(columns, width, additive):
    return mixed_gram([column.numbers for column in columns], width, additive)


@pytest.mark.parametrize("width", WIDTHS)
def test_features_of_the_product_are_the_kernel_where_all_samples_are_landmarks(columns, width):
    features = MixedKernel(width, 0.0).features(columns, columns)
    np.testing.assert_allclose(features @ features.T, gram(columns, width, 0.0), atol=2e-6)


@pytest.mark.parametrize("additive", [0.3, 0.5, 1.0])
@pytest.mark.parametrize("width", WIDTHS)
def test_features_of_the_mixture_are_the_centred_kernel_but_for_weak_directions(
    columns, width, additive
):
    """Left out of each single kernel are directions below a thousandth of its largest weight."""
    features = MixedKernel(width, additive).features(columns, columns)
    error = centre(features @ features.T) - centre(gram(columns, width, additive))
    singles = [centre(gram([column], 2.0, 0.0)) for column in columns]
    left_out = NEGLIGIBLE * sum(np.linalg.norm(K, 2) for K in singles)
    assert np.linalg.norm(error, 2) <= additive / len(columns) * left_out + 1e-5
    # Nothing is made up: what is missing is positive semi-definite.
    assert np.linalg.eigvalsh(error)[-1] < 1e-5


def test_the_factor_of_a_category_is_exact(rng):
    labels = rng.integers(0, 4, N).astype(float)
    (column,) = columns_of(labels[:, None], categorical=[0])
    expected = centre(gram([column], 2.0, 0.0))
    np.testing.assert_allclose(column.factor @ column.factor.T, expected, atol=1e-10)
    # Four levels differ in three directions.
    assert column.factor.shape == (N, 3)


def test_the_factor_of_a_feature_with_far_outliers(rng):
    (column,) = columns_of(np.concatenate([rng.normal(size=N - 1), [60.0]])[:, None])
    stretched = KernelColumn(8 * column.numbers)
    for one in (column, stretched):
        expected = centre(gram([one], 2.0, 0.0))
        error = np.linalg.norm(one.factor @ one.factor.T - expected, 2)
        assert error <= NEGLIGIBLE * np.linalg.norm(expected, 2) + 1e-5


def test_with_some_landmarks_features_are_right_between_landmarks_and_never_too_large(columns):
    """Nystroem's method leaves a positive semi-definite error, zero among the landmarks."""
    landmarks = np.arange(0, N, 4)
    features = MixedKernel(1.0, 0.0).features(columns, parts(columns, landmarks))
    assert features.shape == (N, len(landmarks))
    error = gram(columns, 1.0, 0.0) - features @ features.T
    np.testing.assert_allclose(error[np.ix_(landmarks, landmarks)], 0.0, atol=2e-6)
    assert np.linalg.eigvalsh(error)[0] > -1e-8
    assert np.abs(error).max() > 1e-3


@pytest.mark.parametrize("additive", [0.0, 0.5])
def test_features_of_some_samples_are_those_rows_of_the_features_of_all(columns, additive):
    landmarks, some = parts(columns, np.arange(0, N, 3)), np.array([3, 17, 8])
    kernel = MixedKernel(1.0, additive)
    expected = kernel.features(columns, landmarks)[some]
    np.testing.assert_allclose(kernel.features(parts(columns, some), landmarks), expected)


@pytest.mark.parametrize("additive", [0.0, 0.5])
def test_landmarks_with_equal_values_are_no_trouble(additive):
    columns = columns_of(np.repeat([[0.0], [1.0]], 20, axis=0))
    features = MixedKernel(1.0, additive).features(columns, columns)
    expected = centre(gram(columns, 1.0, additive))
    np.testing.assert_allclose(centre(features @ features.T), expected, atol=1e-4)


def test_a_sum_does_not_see_what_a_product_sees(rng):
    """Of xor the sum predicts nothing; regressed on the product's features it is nearly exact."""
    X = rng.choice([-1.0, 1.0], size=(200, 2))
    columns = columns_of(X)
    landmarks = parts(columns, np.arange(50))
    errors = [
        left_out_ridge(
            MixedKernel(1.0, additive).features(columns, landmarks), X[:, :1] * X[:, 1:], [1e-2]
        ).error
        for additive in (0.0, 1.0)
    ]
    assert errors[0] < 0.01
    assert errors[1] > 0.9


@pytest.mark.parametrize("additive", [0.0, 0.5])
@pytest.mark.parametrize("most_columns", [None, 3])
def test_values_are_features_times_coefficients(columns, additive, most_columns, rng):
    landmarks = parts(columns, np.arange(0, 20, 2))
    kernel = MixedKernel(1.0, additive, most_columns)
    features = kernel.features(columns, landmarks)
    if additive and most_columns:
        assert features.shape[1] <= 10 + most_columns * len(columns)
    coefficients = rng.normal(size=(features.shape[1], 2))
    values = kernel.values(columns, landmarks, coefficients)
    np.testing.assert_allclose(values, features @ coefficients, rtol=1e-9, atol=1e-9)


def test_what_features_do_together_is_the_product_of_their_centred_kernels(rng):
    """Exact for features of few values; it adds nothing to the product over all features."""
    X = np.column_stack([rng.integers(0, 2, N), rng.integers(0, 3, N)]).astype(float)
    first, second = columns_of(X)
    both = KernelColumn.together([first, second])
    kernels = [centre(gram([column], 2.0, 0.0)) for column in (first, second)]
    np.testing.assert_allclose(
        both.factor @ both.factor.T, centre(kernels[0] * kernels[1]), atol=1e-3 * N
    )
    alone = MixedKernel(1.0, 0.0).features([first, second], [first, second])
    along = MixedKernel(1.0, 0.0).features([first, second, both], [first, second, both])
    np.testing.assert_allclose(along, alone, atol=1e-12)
