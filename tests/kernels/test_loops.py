"""Compiled loops against the NumPy forms they stand in for."""

import subprocess
import sys

import numpy as np
import pytest

from hsieve.kernels._loops import count_bins, look_up, sum_by_level
from hsieve.threads import in_threads


@pytest.mark.parametrize("n_samples", [1, 100, 5000])
def test_sums_by_level_are_products_with_indicators(n_samples, rng):
    codes = rng.integers(0, 7, size=(3, n_samples)).astype(np.uint8)
    right = rng.normal(size=(n_samples, 4)).astype(np.float32)
    sums = np.zeros((3, 7, 4))
    sum_by_level(codes, right, sums)
    indicators = codes[:, :, None] == np.arange(7)
    expected = np.einsum("fnl,nc->flc", indicators, right.astype(float))
    np.testing.assert_allclose(sums, expected, atol=1e-9 * n_samples)


@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_bins_are_counted(precision, rng):
    column = rng.random(1000).astype(precision)
    bins, filled = np.empty(1000, dtype=np.uint16), np.zeros(16, dtype=np.int64)
    count_bins(column, precision(0), precision(16), bins, filled)
    np.testing.assert_array_equal(bins, (column * 16).astype(int))
    np.testing.assert_array_equal(filled, np.bincount(bins, minlength=16))


def test_looking_up_is_indexing(rng):
    table = rng.integers(0, 256, 50).astype(np.uint8)
    places = rng.integers(0, 50, 300).astype(np.uint16)
    found = np.empty(300, dtype=np.uint8)
    look_up(table, places, found)
    np.testing.assert_array_equal(found, table[places])


def test_threads_keep_the_order_of_the_tasks():
    assert list(in_threads(lambda x: x * x, range(50))) == [x * x for x in range(50)]
    assert list(in_threads(abs, [])) == []


def test_a_fault_in_a_thread_is_not_lost():
    with pytest.raises(ZeroDivisionError):
        list(in_threads(lambda x: 1 / x, [1, 0, 2]))


def test_importing_the_package_imports_no_compiler():
    code = "import hsieve, sys; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
