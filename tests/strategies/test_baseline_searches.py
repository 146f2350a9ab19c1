"""FCBF and HITON-PC against the papers' algorithms, and what they say of wrong settings."""

from unittest.mock import Mock

import numpy as np
import pytest

from hsieve import (
    HITONPC,
    FCBFSearch,
    IndependenceTest,
    ParentsChildren,
    Pearson,
    SymmetricalUncertainty,
)
from tests.reference import naive_baselines as naive
from tests.reference import naive_pairwise
from tests.strategies.test_mrmr import Table


@pytest.fixture
def features(rng):
    hidden = rng.normal(size=(300, 3))
    X = hidden @ rng.normal(size=(3, 12)) + rng.normal(size=(300, 12))
    return X, hidden[:, 0] + hidden[:, 1] + 0.5 * X[:, 3]


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.3])
@pytest.mark.parametrize("measure", [SymmetricalUncertainty(), Pearson()], ids=repr)
def test_fcbf_keeps_what_the_papers_list_keeps(features, measure, threshold):
    bound = measure.bind(*features)
    every = np.arange(12)
    expected = naive.fcbf(
        bound.relevance(every).tolist(), bound.redundancy(every, every).tolist(), threshold
    )
    # The most relevant feature is kept even where none is relevant enough.
    expected = expected or [int(np.argmax(bound.relevance(every)))]
    path = FCBFSearch(threshold).search(bound, 12)
    assert path.order[: path.n_selectable].tolist() == expected
    assert path.sizes.tolist() == list(range(1, len(expected) + 1))
    np.testing.assert_allclose(path.set_scores, np.cumsum(bound.relevance(expected)))
    assert path.stop_reason == "nothing left that is not told"
    assert sorted(path.order.tolist()) == every.tolist()
    assert (np.diff(path.feature_scores[path.n_selectable :]) <= 0).all()
    for n_wanted in range(1, len(expected)):
        part = FCBFSearch(threshold).search(bound, n_wanted)
        assert part.order[:n_wanted].tolist() == expected[:n_wanted]
        assert part.stop_reason == "enough features"


def test_fcbf_drops_copies_and_keeps_at_least_the_best(features):
    X, y = features
    bound = SymmetricalUncertainty().bind(np.hstack([X[:, :2], X[:, :2]]), y)
    path = FCBFSearch().search(bound, 4)
    assert not {0, 2} <= set(path.order[: path.n_selectable].tolist())
    assert FCBFSearch(0.99).search(bound, 4).n_selectable == 1


def test_fcbf_counts_the_statistics_it_asks_for(features):
    bound = SymmetricalUncertainty().bind(*features)
    table = Table(bound.relevance(np.arange(12)), bound.redundancy(np.arange(12), np.arange(12)))
    path = FCBFSearch().search(table, 12)
    # Each feature kept is held against those still left, not against itself.
    assert table.n_asked < 12 * len(path.sizes)
    n_asked = table.n_asked
    FCBFSearch().search(table, 1)
    assert table.n_asked == n_asked + 11


@pytest.mark.parametrize("max_given", [0, 1, 3])
@pytest.mark.parametrize("seed", range(4))
def test_parents_and_children_of_numbers_are_those_of_the_slow_search(max_given, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 9))
    X[:, 1] += X[:, 0]
    X[:, 2] += X[:, 1]
    X[:, 5] += X[:, 4] + 0.5 * X[:, 2]
    y = X[:, 0] + X[:, 4] + rng.normal(size=200)
    X[:, 8] += y
    path = ParentsChildren(max_given=max_given).search(IndependenceTest().bind(X, y), 9)
    expected = naive.hiton_pc(X, y, naive.fisher_z_p_value, max_given=max_given)
    assert path.order[: path.n_selectable].tolist() == expected
    assert path.sizes.tolist() == list(range(1, len(expected) + 1))
    assert len(path.set_scores) == len(expected)
    assert sorted(path.order.tolist()) == list(range(9))


@pytest.mark.parametrize("seed", range(2))
def test_parents_and_children_of_levels_are_those_of_the_slow_search(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 6))
    X[:, 1] += X[:, 0]
    y = (X[:, 0] + X[:, 3] > 0).astype(int)
    levels = np.column_stack([naive_pairwise.three_levels(f.tolist()) for f in X.T])
    path = ParentsChildren(max_given=2).search(IndependenceTest().bind(X, y), 6)
    expected = naive.hiton_pc(levels, y, naive.g2_p_value, max_given=2)
    assert path.order[: path.n_selectable].tolist() == expected


def test_a_chain_ends_at_the_feature_next_to_the_target(rng):
    """a -> b -> y -> c -> d: only b and c are next to y."""
    a = rng.normal(size=2000)
    b = a + rng.normal(size=2000)
    y = b + rng.normal(size=2000)
    c = y + rng.normal(size=2000)
    X = np.column_stack([a, b, c, c + rng.normal(size=2000), rng.normal(size=2000)])
    path = ParentsChildren(alpha=0.01).search(IndependenceTest().bind(X, y), 5)
    assert sorted(path.order[: path.n_selectable].tolist()) == [1, 2]
    assert path.order[-1] == 4


def test_features_kept_without_a_test_given_others_are_told_of(rng):
    y = np.repeat(np.arange(10), 12)
    X = 0.3 * y[:, None] + rng.normal(size=(120, 30))
    with pytest.warns(UserWarning, match="30 of 30 features were kept without any test given"):
        HITONPC().fit(X, y)


def test_the_strongest_feature_is_kept_where_nothing_depends(rng):
    bound = IndependenceTest().bind(rng.normal(size=(50, 4)), rng.normal(size=50))
    path = ParentsChildren(alpha=1e-6).search(bound, 4)
    assert path.n_selectable == 1
    assert path.order[0] == np.argmax(bound.feature_scores(np.arange(4)))


@pytest.mark.parametrize(
    ("strategy", "words"),
    [
        (FCBFSearch(-1), "threshold must be a number of at least 0, got -1"),
        (FCBFSearch("high"), "threshold must be a number"),
        (ParentsChildren(alpha=0), "alpha must be a number between 0 and 1, got 0"),
        (ParentsChildren(max_given=1.5), "max_given must be an integer of at least 0, got 1.5"),
    ],
    ids=repr,
)
def test_wrong_settings_are_refused(strategy, words):
    with pytest.raises(ValueError, match=words):
        strategy.check(Mock(), 5, 2)
