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
    one_by_one = [kernels.gram(kernel, left, right) for kernel in range(kernels.n_kernels)]
    by_set = [gram for place in range(len(SETS)) for gram in kernels.grams(place, left, right)]
    assert kernels.n_kernels == 9 == len(by_set)
    for kernel, (single, together) in enumerate(zip(one_by_one, by_set, strict=True)):
        place, width = kernels.place(kernel)
        truth = literal(left, right, SETS[place], WIDTHS[width])
        assert single.dtype == together.dtype == dtype
        np.testing.assert_allclose(single, truth, atol=tolerance)
        np.testing.assert_array_equal(single, together)
        wanted = list(kernels.grams(place, left, right, widths=[width]))
        assert len(wanted) == 1
        np.testing.assert_array_equal(wanted[0], single)


def test_a_list_of_kernels_has_a_width_for_each_set(rng):
    X, new = rng.normal(size=(12, 4)), rng.normal(size=(5, 4))
    sets, widths = (np.array([0]), np.array([1, 2, 3])), (0.5, 2.0)
    family, listed = SetKernels(sets, widths), KernelList(sets, widths)
    assert listed.n_kernels == 2
    np.testing.assert_array_equal(listed.gram(0, new, X), family.gram(0, new, X))
    np.testing.assert_array_equal(listed.gram(1, new, X), family.gram(3, new, X))
