"""Consistency of selections, by hand, against the literal versions, and at the extremes."""

import math

import numpy as np
import pytest

from hsieve import stability
from tests.reference import naive_consistency as naive

MEASURES = [
    stability.mean_variance,
    stability.log_probability,
    stability.nogueira,
    stability.jaccard,
    stability.kuncheva,
]


def random_sets(rng, n_sets, n_features, size=None):
    sizes = rng.integers(0, n_features, n_sets) if size is None else [size] * n_sets
    return [rng.choice(n_features, k, replace=False) for k in sizes]


@pytest.mark.parametrize("seed", range(5))
def test_all_measures_equal_the_literal_ones(seed):
    rng = np.random.default_rng(seed)
    free, fixed = random_sets(rng, 7, 12), random_sets(rng, 7, 12, size=4)
    plain = [chosen.tolist() for chosen in free]
    assert stability.mean_variance(free, 12) == pytest.approx(naive.mean_variance(plain, 12))
    assert stability.log_probability(free, 12) == pytest.approx(naive.log_probability(plain, 12))
    assert stability.jaccard(free, 12) == pytest.approx(naive.jaccard(plain, 12))
    index, variance = naive.nogueira(plain, 12)
    found = stability.nogueira(free, 12)
    assert found.stability == pytest.approx(index)
    assert found.standard_error**2 == pytest.approx(variance)
    assert (found.low + found.high) / 2 == pytest.approx(index)
    assert found.high - index == pytest.approx(1.959964 * math.sqrt(variance))
    assert stability.kuncheva(fixed, 12) == pytest.approx(naive.kuncheva(fixed, 12))


def test_values_computed_by_hand():
    sets = [[0, 1], [0, 2], [0, 1]]  # of four features; shares 1, 2/3, 1/3, 0
    assert stability.mean_variance(sets, 4) == pytest.approx((2 / 9 + 2 / 9) / 4)
    assert stability.jaccard(sets, 4) == pytest.approx((1 / 3 + 1 + 1 / 3) / 3)
    assert stability.kuncheva(sets, 4) == pytest.approx((0 + 1 + 0) / 3)
    # 1 - (3/2 * 4/9 / 4) / (1/2 * 1/2)
    assert stability.nogueira(sets, 4).stability == pytest.approx(1 / 3)
    # Six places, each within three of four features; four choices of three features.
    stirling = 4 * math.log(4) - 3 * math.log(3)
    assert stability.log_probability(sets, 4) == pytest.approx(6 * math.log(3 / 4) + stirling)


def test_kuncheva_equals_nogueira_for_sets_of_one_size(rng):
    sets = random_sets(rng, 9, 20, size=5)
    assert stability.nogueira(sets, 20).stability == pytest.approx(stability.kuncheva(sets, 20))


def test_the_same_set_every_time():
    sets = [[3, 1]] * 5
    assert stability.mean_variance(sets, 10) == 0
    assert stability.jaccard(sets, 10) == 1
    assert stability.kuncheva(sets, 10) == 1
    found = stability.nogueira(sets, 10)
    assert (found.stability, found.standard_error) == (1, 0)


def test_disjoint_sets():
    sets = [[0], [1], [2]]
    assert stability.jaccard(sets, 6) == 0
    assert stability.kuncheva(sets, 6) == pytest.approx(-1 / 5)
    assert stability.nogueira(sets, 6).stability == pytest.approx(-1 / 5)
    halves = [[0, 1], [2, 3]]
    assert stability.kuncheva(halves, 4) == -1


def test_empty_sets():
    empty = [[], [], []]
    assert stability.mean_variance(empty, 5) == 0
    assert stability.jaccard(empty, 5) == 1
    assert stability.log_probability(empty, 5) == 0
    with pytest.raises(ValueError, match="all empty"):
        stability.nogueira(empty, 5)
    with pytest.raises(ValueError, match="sets of 0 out of 5"):
        stability.kuncheva(empty, 5)
    assert stability.jaccard([[], [1]], 5) == 0


def test_full_sets():
    full = [[0, 1], [0, 1]]
    assert stability.log_probability(full, 2) == pytest.approx(0)
    with pytest.raises(ValueError, match="sets of all features"):
        stability.nogueira(full, 2)
    with pytest.raises(ValueError, match="sets of 2 out of 2 features"):
        stability.kuncheva(full, 2)


@pytest.mark.parametrize("measure", MEASURES)
def test_one_set_is_refused(measure):
    with pytest.raises(ValueError, match="at least two selections, got 1"):
        measure([[0, 1]], 4)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_matrix_says_the_same_as_lists(measure, rng):
    sets = random_sets(rng, 6, 9, size=3)
    matrix = stability.selection_matrix(sets, 9)
    assert measure(matrix.astype(int)) == measure(sets, 9)
    assert measure(matrix) == measure(sets, 9)


@pytest.mark.parametrize(
    ("sets", "n_features", "message"),
    [
        ([[0, 1], [5]], 5, "positions from 0 to 4"),
        ([[0, -1], [2]], 5, "positions from 0 to 4"),
        ([[0.5], [2]], 5, "integer positions"),
        ([[1, 1], [2]], 5, "each feature once"),
        ([[0, 1], [2]], None, "need n_features"),
        ([[0, 2], [2, 1]], None, "zeros and ones"),
    ],
)
def test_what_is_no_selection_is_refused(sets, n_features, message):
    with pytest.raises(ValueError, match=message):
        stability.mean_variance(sets, n_features)


def test_kuncheva_needs_one_size():
    with pytest.raises(ValueError, match="sizes from 1 to 2"):
        stability.kuncheva([[0], [0, 1]], 5)


def test_level_of_the_interval_is_checked():
    with pytest.raises(ValueError, match="level"):
        stability.nogueira([[0], [1]], 4, level=95)


def test_nogueiras_interval_covers_the_truth_of_independent_sets():
    rng = np.random.default_rng(0)
    chances = np.r_[np.full(5, 0.8), np.full(25, 0.1)]
    mean = chances.mean()
    truth = 1 - np.mean(chances * (1 - chances)) / (mean * (1 - mean))
    covered = 0
    for _ in range(400):
        found = stability.nogueira(rng.random((60, 30)) < chances)
        covered += found.low <= truth <= found.high
    assert 0.92 <= covered / 400 <= 0.98
