"""Relief against its definition, and what must not change its scores."""

import numpy as np
import pytest

from hsieve import Relief
from tests.reference import naive_baselines as naive


@pytest.fixture
def features(rng):
    X = rng.normal(size=(60, 5))
    X[:, 2] = rng.integers(0, 2, 60)
    X[:, 3] = rng.integers(0, 4, 60)
    return X


def scores(X, y, **settings):
    return Relief(**settings).bind(X, y).feature_scores(np.arange(X.shape[1]))


@pytest.mark.parametrize("categorical", [(), (3,), (3, 2)])
@pytest.mark.parametrize("n_neighbors", [1, 10, 100])
def test_relieff_is_the_sum_over_hits_and_misses(features, categorical, n_neighbors):
    y = np.digitize(features[:, 0] + features[:, 2], [-0.5, 1.0])
    np.testing.assert_allclose(
        scores(features, y, n_neighbors=n_neighbors, categorical=categorical),
        naive.relieff(features, y, n_neighbors, categorical),
        atol=1e-10,
    )


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({}, {"n_neighbors": 70, "sigma": 20.0}),
        ({"n_neighbors": 10}, {"n_neighbors": 10, "sigma": None}),
        ({"n_neighbors": 5, "sigma": 2.0}, {"n_neighbors": 5, "sigma": 2.0}),
        ({"sigma": 3.0}, {"n_neighbors": 70, "sigma": 3.0}),
    ],
)
def test_rrelieff_is_figure_3_of_the_paper(features, given, meant):
    y = features[:, 0] * features[:, 1]
    np.testing.assert_allclose(
        scores(features, y, categorical=[3], **given),
        naive.rrelieff(features, y, categorical=[3], **meant),
        atol=1e-10,
    )


def test_categories_may_be_counted_from_the_end_and_named_twice(features):
    y = features[:, 0] > 0
    np.testing.assert_array_equal(
        scores(features, y, categorical=[-2, 3, -3]), scores(features, y, categorical=[2, 3])
    )


def test_far_neighbours_at_one_distance_are_tied_even_beside_a_near_one(rng):
    """Distances of hundreds of features are rounded in ways that depend on their order."""
    middle, gaps = rng.integers(4, 6, 800), rng.integers(1, 4, 800)
    turned = gaps[::-1]
    X = np.array([middle, middle, middle - gaps, middle + turned, 0 * gaps, 9 + 0 * gaps]) / 10
    X[1, 0] += 0.1
    y = [0, 0, 0, 0, 1, 1]
    expected = scores(X, y, n_neighbors=2)
    for _ in range(4):
        order = rng.permutation(800)
        np.testing.assert_allclose(
            scores(X[:, order], y, n_neighbors=2), expected[order], atol=1e-10
        )


def test_a_target_in_which_neighbours_hardly_differ(rng):
    """Two groups far apart, with next to one value of the target each."""
    X = rng.normal(size=(24, 3)) + np.repeat([0.0, 9.0], 12)[:, None]
    y = np.repeat([0.0, 1.0], 12) + 1e-3 * rng.uniform(size=24)
    settings = {"n_neighbors": 3, "sigma": 2.0}
    np.testing.assert_allclose(scores(X, y, **settings), naive.rrelieff(X, y, **settings))


@pytest.mark.parametrize("last", [1.0, 0.9])
def test_a_target_in_which_all_neighbours_differ(last):
    """The nearest sample is the one with another value of the third feature."""
    X = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]], dtype=float)
    y = np.array([0.0, 1.0, 0.0, last])
    found = scores(X, y, target_kind="continuous", n_neighbors=1)
    np.testing.assert_allclose(found, [0.0, 0.0, 1.0 if last == 1 else 0.0], atol=1e-12)


def test_neighbours_with_the_same_target_count_for_the_features(features):
    y = np.digitize(features[:, 0], [-0.5, 0.5]).astype(float)
    found = scores(features, y, target_kind="continuous", n_neighbors=5)
    expected = naive.rrelieff(features, y, n_neighbors=5, sigma=None)
    np.testing.assert_allclose(found, expected, atol=1e-10)


def test_near_neighbours_at_one_distance_are_tied_however_it_is_rounded():
    """The first sample is as far from the second as from the third, but for the last digit."""
    d = 3e-4
    X = np.array([[0.3, 0.6], [0.3 + d, 0.6], [0.3, 0.6 + d], [0.0, 0.0], [1.0, 1.0]])
    hits = np.array([3 * d / 2 + 2, 3 * d / 2 + 2])
    misses = np.array([4 * 0.3 + d + 0.7 - d / 2, 4 * 0.6 + d + 0.4 - d / 2])
    found = scores(X, [0, 0, 0, 1, 1], n_neighbors=1)
    np.testing.assert_allclose(found, (misses - hits) / 5, atol=1e-9)


@pytest.mark.parametrize("kind", ["classes", "continuous"])
def test_a_small_sigma_leaves_the_nearest_neighbour_all_the_weight(features, kind):
    y = np.digitize(features[:, 0], [-0.5, 0.5])
    settings = {"target_kind": kind, "categorical": [3]}
    np.testing.assert_allclose(
        scores(features, y, sigma=1e-3, **settings), scores(features, y, n_neighbors=1, **settings)
    )


def test_binary_features_in_which_most_distances_tie(rng):
    X = rng.integers(0, 2, size=(50, 4)).astype(float)
    y = np.logical_xor(X[:, 0], X[:, 1]).astype(int)
    y[:5] = 1 - y[:5]
    found = scores(X, y)
    np.testing.assert_allclose(found, naive.relieff(X, y), atol=1e-10)
    order = rng.permutation(50)
    np.testing.assert_allclose(scores(X[order], y[order]), found, atol=1e-12)
    np.testing.assert_allclose(scores(X[:, ::-1], y), found[::-1], atol=1e-12)


def test_a_feature_that_is_the_class_scores_one_minus_nothing():
    X = np.repeat([0.0, 1.0], 10)[:, None]
    assert scores(X, X[:, 0].astype(int)) == pytest.approx([1.0])
    assert scores(X, X[:, 0], target_kind="continuous", n_neighbors=9) == pytest.approx([0.0])


@pytest.mark.parametrize("kind", ["classes", "continuous"])
def test_scale_and_offset_do_not_matter(features, kind):
    y = (features[:, 0] > 0).astype(int)
    moved = features * [1e-3, 1.0, 7.0, 2.0, 1e3] + [0, 5, -3, 1, 100]
    np.testing.assert_allclose(
        scores(moved, y, target_kind=kind), scores(features, y, target_kind=kind), atol=1e-9
    )


def test_a_constant_column_and_huge_numbers(features):
    y = (features[:, 0] > 0).astype(int)
    wide = np.column_stack([features, np.full(60, 7.0)])
    np.testing.assert_allclose(scores(wide, y)[:5], scores(features, y), atol=1e-12)
    assert scores(wide, y)[5] == 0.0
    np.testing.assert_allclose(scores(features * 1.0e307, y), scores(features, y), atol=1e-9)


def test_copies_score_alike_and_single_precision_agrees(features):
    y = (features[:, 0] > 0).astype(int)
    twice = np.column_stack([features, features[:, 0]])
    found = scores(twice, y)
    assert found[0] == pytest.approx(found[5], abs=1e-14)
    np.testing.assert_allclose(scores(twice.astype(np.float32), y), found, atol=1e-5)


def test_blocks_give_what_one_block_gives(features, monkeypatch):
    y = features[:, 0]
    whole = scores(features, y)
    monkeypatch.setattr("hsieve.measures.relief.BLOCK_NUMBERS", 200)
    np.testing.assert_allclose(scores(features, y), whole, atol=1e-12)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_neighbors": 0}, "n_neighbors must be None or an integer of at least 1, got 0"),
        ({"n_neighbors": 2.5}, "got 2.5"),
        ({"sigma": -1.0}, "sigma must be None or a number above 0, got -1.0"),
        ({"categorical": [9]}, "positions below 5"),
    ],
)
def test_wrong_settings_are_refused(features, settings, words):
    with pytest.raises(ValueError, match=words):
        Relief(**settings).bind(features, features[:, 0])


def test_targets_without_an_answer_are_refused(features):
    with pytest.raises(ValueError, match="one of class b"):
        Relief().bind(features, ["b", *["a"] * 30, *["c"] * 29])
    with pytest.raises(ValueError, match="two classes, got 1"):
        Relief().bind(features, ["a"] * 60)
    with pytest.raises(ValueError, match="two distinct values, got one"):
        Relief(target_kind="continuous").bind(features, np.ones(60))
    with pytest.raises(ValueError, match=r"one output, got a target of shape \(60, 2\)"):
        Relief().bind(features, features[:, :2])
    with pytest.raises(ValueError, match="60 samples but y has 59"):
        Relief().bind(features, features[:59, 0])
    with pytest.raises(ValueError, match="NaN or infinity"):
        Relief().bind(np.where(features == features[0, 0], np.nan, features), features[:, 0])
