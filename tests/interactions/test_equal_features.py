"""Exact copies of features are scored once, and all of them get the score in order."""

import itertools
import tracemalloc

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from hsieve.interactions.equal_features import EqualFeatures
from hsieve.interactions.pair_statistic import InteractionTarget
from hsieve.interactions.sweep import pairs_among, strongest_pairs
from tests.measures.factors import factors_of


def firsts_of(kinds):
    """The first feature of each kind."""
    return np.array([kinds.index(kind) for kind in kinds], dtype=np.intp)


@hypothesis.given(
    kinds=st.lists(st.integers(0, 4), min_size=3, max_size=9),
    order=st.integers(2, 3),
    n_kept=st.integers(1, 90),
    seed=st.integers(0, 99),
)
@hypothesis.settings(deadline=None, max_examples=60)
def test_copies_of_the_tuples_that_stand_for_them_are_all_tuples(kinds, order, n_kept, seed):
    """With a score for each set of kinds, some of them equal, against a sort of everything."""
    equal = EqualFeatures(firsts_of(kinds))
    everything = list(itertools.combinations(range(len(kinds)), order))
    draws = np.random.default_rng(seed).integers(0, 4, 5**order).astype(float)

    def score(features):
        return draws[sum(5**i * k for i, k in enumerate(sorted(kinds[f] for f in features)))]

    tuples = np.array(everything, dtype=np.intp)
    standing = sorted(
        map(tuple, tuples[equal.stand_for_all(tuples)].tolist()), key=lambda t: (-score(t), t)
    )
    scores = np.array([score(one) for one in standing])
    found, places = equal.with_copies(np.array(standing, dtype=np.intp), scores, n_kept)
    expected = sorted(everything, key=lambda one: (-score(one), one))[:n_kept]
    assert list(map(tuple, found.tolist())) == expected
    np.testing.assert_array_equal(scores[places], [score(one) for one in expected])
    stands, columns = equal.standing_for(found)
    assert {tuple(one) for one in stands.tolist()} <= set(standing)
    kinds_of = np.array(kinds)
    np.testing.assert_array_equal(
        kinds_of[np.take_along_axis(stands, columns, axis=1)], kinds_of[found]
    )


def test_features_that_are_not_looked_at_are_in_no_tuple():
    equal = EqualFeatures(np.array([-1, 1, -1, 1, 4]))
    assert equal.has_copies
    assert equal.n_features == 3
    assert equal.first_few(1).tolist() == [1, 4]
    assert equal.first_few(2).tolist() == [1, 3, 4]
    found, _ = equal.with_copies(np.array([[1, 4], [1, 3]]), np.array([2.0, 1.0]), 9)
    assert found.tolist() == [[1, 4], [3, 4], [1, 3]]


def test_millions_of_ties_take_no_more_memory_than_is_kept():
    firsts = np.arange(6_000) % 2
    equal = EqualFeatures(firsts.astype(np.intp))
    tracemalloc.start()
    found, _ = equal.with_copies(np.array([[0, 1]]), np.ones(1), 1_000)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.tolist() == [[0, 1 + 2 * place] for place in range(1_000)]
    assert most < 5e6


@pytest.mark.parametrize("n_kept", [1, 40, 400])
@pytest.mark.parametrize("most_bytes", [10**9, 20_000])
def test_pairs_of_copies_have_the_scores_of_the_pairs_they_are_copies_of(n_kept, most_bytes, rng):
    """Numbers, not bits, so that only copies tie; the cut may fall among them."""
    few = rng.normal(size=(90, 7))
    source = rng.permutation(np.repeat(np.arange(7), 4))
    y = few[:, 0] * few[:, 1] + 0.1 * few[:, 2]
    target = InteractionTarget.of(y).for_sweep()
    factors = factors_of(few[:, source], most_bytes=most_bytes)
    found = strongest_pairs(factors, target, n_kept=n_kept, n_threads=1)
    assert found.n_pairs == pairs_among(28)
    scores = {}
    for pair, score in zip(found.features.tolist(), found.scores, strict=True):
        scores.setdefault(tuple(sorted(source[pair].tolist())), set()).add(score)
    assert all(len(of_kind) == 1 for of_kind in scores.values())
    keys = [(-s, *pair) for s, pair in zip(found.scores, found.features.tolist(), strict=True)]
    assert keys == sorted(keys)
    assert len(keys) == min(n_kept, pairs_among(28))
    best = np.flatnonzero((source == 0) | (source == 1))
    assert found.features[0, 0] == best[0]
