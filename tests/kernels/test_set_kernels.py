"""Kernels over sets of features are those written out, whichever way they are asked for."""

import numpy as np
import pytest

from hsieve.kernels.set_kernels import KernelList, SetKernels

SETS = (np.array([0]), np.array([1, 3]), np.arange(5))
WIDTHS = (0.25, 1.0, 3.0)


def literal(left, right, features, width):
    values = np.empty((len(left), len(right)))
    for i, row in enumerate(left):
        for j, other in enumerate(right):
            distance = np.sum((row[features] - other[features]) ** 2)
            values[i, j] = np.exp(-distance / (2 * width**2 * len(features)))
    return values


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-12), (np.float32, 2e-5)])
def test_kernels_are_those_written_out(rng, dtype, tolerance):
    left, right = rng.normal(size=(7, 5)).astype(dtype), rng.normal(size=(4, 5)).astype(dtype)
    kernels = SetKernels(SETS, WIDTHS)
    for place, features in enumerate(SETS):
        together = list(kernels.grams(place, left, right))
        assert len(together) == len(WIDTHS)
        for width, gram in enumerate(together):
            assert gram.dtype == dtype
            truth = literal(left, right, features, WIDTHS[width])
            np.testing.assert_allclose(gram, truth, atol=tolerance)
            (wanted,) = kernels.grams(place, left, right, widths=[width])
            np.testing.assert_array_equal(wanted, gram)
            alone = KernelList((features,), (WIDTHS[width],)).gram(0, left, right)
            np.testing.assert_array_equal(alone, gram)


def test_a_list_of_kernels_has_a_width_for_each_set(rng):
    X, new = rng.normal(size=(12, 4)), rng.normal(size=(5, 4))
    sets, widths = (np.array([0]), np.array([1, 2, 3])), (0.5, 2.0)
    listed = KernelList(sets, widths)
    assert listed.n_kernels == 2
    for place in range(2):
        (alone,) = SetKernels(sets, widths).grams(place, new, X, widths=[place])
        np.testing.assert_array_equal(listed.gram(place, new, X), alone)
