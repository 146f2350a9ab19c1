"""Distances of weighted features against loops, and their gradient against differences."""

import numpy as np
import pytest

from hsieve.kernels.columns import encode_columns
from hsieve.kernels.weighted_distances import WeightedDistances, squared_to


@pytest.fixture
def mixed(rng):
    """Numbers and a category."""
    X = rng.normal(size=(12, 4))
    X[:, 2] = rng.integers(0, 3, 12)
    columns = encode_columns(X, categorical=[2])
    return WeightedDistances(columns, np.array([1, 4, 7]))


def by_loops(distances, weights):
    columns = distances.columns
    squared = np.zeros((columns.n_samples, len(distances.centres)))
    for feature, weight in enumerate(weights):
        block = columns.block([feature])
        for i in range(len(squared)):
            for place, centre in enumerate(distances.centres):
                squared[i, place] += weight**2 * ((block[i] - block[centre]) ** 2).sum()
    return squared


def test_squared_distances_are_sums_over_features(mixed):
    weights = np.array([0.5, 0.0, 2.0, 1.0])
    np.testing.assert_allclose(mixed.squared(weights), by_loops(mixed, weights), atol=1e-12)


def test_one_feature_is_a_weight_of_one(mixed):
    np.testing.assert_allclose(
        mixed.of_feature(2), by_loops(mixed, [0.0, 0.0, 1.0, 0.0]), atol=1e-12
    )


def test_no_weights_are_no_distances(mixed):
    assert not mixed.squared(np.zeros(4)).any()
    assert not mixed.gradient(np.zeros(4), np.ones((12, 3))).any()


def test_gradient_equals_differences(mixed, rng):
    weights, slopes = np.array([0.5, 0.0, 2.0, 1.0]), rng.normal(size=(12, 3))
    gradient = mixed.gradient(weights, slopes)
    for feature, unit in enumerate(np.eye(4)):
        above, below = (
            (slopes * mixed.squared(weights + sign * 1e-6 * unit)).sum() for sign in (1, -1)
        )
        assert gradient[feature] == pytest.approx((above - below) / 2e-6, rel=1e-6, abs=1e-8)


def test_a_common_offset_and_rounding_never_make_a_distance_negative(rng):
    points = np.float32(1e3) + rng.normal(size=(20, 3)).astype(np.float32)
    assert (squared_to(points, points) >= 0).all()
