"""Preparations of data and principal axes, beside their definitions."""

import numpy as np
import pytest

from hsieve.classifiers.preparation import PREPARATIONS, Preparation, principal_axes


@pytest.fixture
def X(rng):
    mixed = rng.normal(size=(200, 5)) @ rng.normal(size=(5, 5))
    return mixed * [1, 10, 0.1, 100, 1] + [5, 0, -3, 1000, 0]


def test_standardised_features_have_mean_zero_and_deviation_one(X):
    prepared = Preparation.learned(X, "standardise").applied(X)
    np.testing.assert_allclose(prepared.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(prepared.std(axis=0), 1)


def test_ranges_become_zero_to_one(X):
    prepared = Preparation.learned(X, "range").applied(X)
    np.testing.assert_allclose(prepared.min(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(prepared.max(axis=0), 1)


def test_nothing_is_done_by_none(X):
    np.testing.assert_array_equal(Preparation.learned(X, "none").applied(X), X)


@pytest.mark.parametrize("kind", PREPARATIONS)
@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_weights_can_be_told_for_features_as_they_were(X, rng, kind, precision):
    data = X.astype(precision)
    preparation = Preparation.learned(data, kind)
    prepared = preparation.applied(data, intercept=True)
    assert prepared.dtype == precision
    assert (prepared[:, -1] == 1).all()
    weights = rng.normal(size=(3, 5))
    by_features = (data - preparation.offset) @ (weights * preparation.factors).T
    tolerance = 1e-9 if precision is np.float64 else 1e-4
    np.testing.assert_allclose(
        prepared[:, :5] @ weights.T,
        by_features,
        rtol=1e-4,
        atol=tolerance * np.abs(by_features).max(),
    )


@pytest.mark.parametrize("kind", ["standardise", "range"])
@pytest.mark.parametrize("factor", [1e200, 1e-200, 1e300, 1e-290])
def test_very_large_and_small_values(X, kind, factor):
    plain = Preparation.learned(X, kind).applied(X)
    moved = Preparation.learned(X * factor, kind).applied(X * factor)
    np.testing.assert_allclose(moved, plain, atol=1e-9)


@pytest.mark.parametrize("kind", ["standardise", "range"])
def test_constant_features_become_zero(X, kind):
    X[:, 2] = 0.1
    preparation = Preparation.learned(X, kind)
    np.testing.assert_allclose(preparation.applied(X)[:, 2], 0, atol=1e-12)
    # New samples that differ there change nothing.
    changed = X.copy()
    changed[:, 2] = 7.0
    np.testing.assert_allclose(preparation.applied(changed), preparation.applied(X), atol=1e-12)


@pytest.mark.parametrize("kind", ["standardise", "range"])
def test_roundings_of_a_mean_do_not_make_constant_features_vary(rng, kind):
    X = np.tile(rng.normal(size=100), (199, 1))
    assert (X.std(axis=0) > 0).any()
    assert (Preparation.learned(X, kind).applied(X) == 0).all()


def test_a_large_offset_does_not_take_the_digits_of_single_precision(rng):
    X = (10_000 + rng.integers(0, 100, size=(500, 3))).astype(np.float32)
    prepared = Preparation.learned(X, "standardise").applied(X)
    exact = X.astype(np.float64)
    np.testing.assert_allclose(prepared, (exact - exact.mean(0)) / exact.std(0), atol=1e-6)


@pytest.mark.parametrize(("precision", "value"), [(np.float32, 1e30), (np.float64, 1e200)])
def test_values_whose_products_overflow_are_refused_unprepared(precision, value):
    with pytest.raises(ValueError, match="preparation='none' takes at most"):
        Preparation.learned(np.array([[value, 1.0], [0.0, 2.0]], dtype=precision), "none")


@pytest.mark.parametrize("shape", [(50, 8), (8, 50), (20, 20), (5000, 3)])
@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_axes_are_orthonormal_and_columns_orthogonal(rng, shape, precision):
    data = rng.normal(size=shape).astype(precision)
    axes, coordinates, squares = principal_axes(data)
    tolerance = 1e-10 if precision is np.float64 else 1e-4
    assert coordinates.dtype == precision
    assert axes.shape == (shape[1], min(shape))
    np.testing.assert_allclose(axes.T @ axes, np.eye(min(shape)), atol=1e-10)
    np.testing.assert_allclose(coordinates @ axes.T, data, atol=tolerance)
    gram = coordinates.T.astype(np.float64) @ coordinates
    np.testing.assert_allclose(gram, np.diag(squares), atol=tolerance * squares.max())
    lengths = np.linalg.svd(data, compute_uv=False)
    np.testing.assert_allclose(np.sqrt(squares), lengths, rtol=tolerance)


@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_residues_coded_by_scales_have_the_rank_of_residues(rng, precision):
    # Twelve residues of 20 kinds: one direction each less one, and one they share.
    scales, residues = rng.normal(size=(20, 54)), rng.integers(0, 20, size=(2000, 12))
    data = scales[residues].reshape(2000, -1).astype(precision)
    axes, coordinates, _ = principal_axes(data)
    assert axes.shape == (648, 12 * 19 + 1)
    restored = coordinates @ axes.T
    np.testing.assert_allclose(restored, data, atol=1e-12 if precision is np.float64 else 1e-4)


@pytest.mark.parametrize("shape", [(200, 30), (30, 200)])
@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_roundings_of_data_are_no_axes(rng, shape, precision):
    data = rng.normal(size=(shape[0], 5)) @ rng.normal(size=(5, shape[1]))
    assert len(principal_axes(data.astype(precision))[2]) == 5


def test_short_axes_are_kept_if_they_are_there(rng):
    data = rng.normal(size=(100, 4)) * [1, 1e-3, 1e-6, 1e-9]
    assert len(principal_axes(data)[2]) == 4


def test_data_of_zeros_have_one_axis():
    axes, coordinates, squares = principal_axes(np.zeros((5, 3)))
    assert axes.shape == (3, 1)
    assert (coordinates == 0).all()
    assert squares == 0
