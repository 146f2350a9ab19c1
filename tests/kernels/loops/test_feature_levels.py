"""Compiled levels of a feature against literal ones."""

import numpy as np
import pytest

from hsieve.kernels.loops.feature_levels import binned, linear_over_groups, looked_up
from tests.reference import naive_feature_levels as naive


@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_bins_are_literal(precision, rng):
    column = rng.normal(size=500).astype(precision)
    low, scale = column.min(), precision(31.9) / (column.max() - column.min())
    bins, counts = np.empty(500, dtype=np.uint16), np.zeros(32, dtype=np.int64)
    binned(column, low, scale, bins, counts)
    expected, expected_counts = naive.binned(column, low, scale, 32)
    np.testing.assert_array_equal(bins, expected)
    np.testing.assert_array_equal(counts, expected_counts)


def test_codes_are_looked_up(rng):
    bins, table = rng.integers(0, 32, 200).astype(np.uint16), rng.integers(0, 9, 32)
    codes = np.empty(200, dtype=np.uint8)
    looked_up(bins, table.astype(np.uint8), codes)
    np.testing.assert_array_equal(codes, table[bins])


@pytest.mark.parametrize(("n_levels", "shift"), [(64, 3), (61, 3), (61, 2)])
def test_lines_are_literal(n_levels, shift, rng):
    table = rng.normal(size=(3, n_levels)).cumsum(axis=1)
    counts = rng.integers(0, 5, n_levels).astype(np.int32)
    counts[8:16] = 0  # a group without samples
    firsts, slopes = np.empty((2, 3, -(-n_levels // 2**shift)))
    error = linear_over_groups(table, counts, shift, firsts, slopes)
    lines, expected = naive.linear_over_groups(table.tolist(), counts.tolist(), 2**shift)
    np.testing.assert_allclose(np.stack([firsts, slopes], axis=2), lines, atol=1e-9)
    assert error == pytest.approx(expected)
