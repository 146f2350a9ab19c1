"""The scale of columns, taken from some samples and applied to others."""

import numpy as np
import pytest

from hsieve.kernels.column_scale import OUT_OF_REACH, ColumnScale


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_samples_of_the_scale_have_mean_0_and_deviation_1(rng, dtype):
    X = (rng.normal(size=(9000, 3)) * [1e-3, 1.0, 50.0] + [0, 5, 1000]).astype(dtype)
    scaled = ColumnScale.of(X).apply(X)
    np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(scaled.std(axis=0), 1, rtol=1e-5)
    moved = ColumnScale.of(X).apply(X[:5] + np.array([0, 0, 50], dtype=dtype))
    np.testing.assert_allclose(moved[:, 2] - scaled[:5, 2], 1.0, atol=0.05)


def test_columns_that_do_not_vary_become_zero(rng):
    X = np.column_stack([rng.normal(size=20), np.full(20, 3.0)])
    scale = ColumnScale.of(X)
    assert scale.varies.tolist() == [True, False]
    assert scale.apply(np.array([[0.0, 8.0]]))[0, 1] == 0


@pytest.mark.parametrize("factor", [1e-300, 1e-150, 1e150, 1e300])
def test_very_large_and_small_values_neither_overflow_nor_vanish(rng, factor):
    X = rng.uniform(-1, 1, size=(50, 2))
    np.testing.assert_allclose(
        ColumnScale.of(X * factor).apply(X * factor), ColumnScale.of(X).apply(X), rtol=1e-9
    )


def test_values_far_out_stay_finite(rng):
    X = rng.normal(size=(30, 1)) * 1e-10
    far = ColumnScale.of(X).apply(np.array([[1e308], [-1e308]]))
    assert far.ravel().tolist() == [OUT_OF_REACH, -OUT_OF_REACH]


def test_other_samples_are_moved_alike(rng):
    X, new = rng.normal(size=(50, 3)), rng.normal(size=(7, 3))
    expected = (new - X.mean(axis=0)) / X.std(axis=0)
    np.testing.assert_allclose(ColumnScale.of(X).apply(new), expected, atol=1e-12)
