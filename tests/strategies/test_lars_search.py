"""The LARS search over given statistics: order, fillers, limits of redundancy and copies."""

from itertools import product

import numpy as np
import pytest

from hsieve import (
    N3LARS,
    Forward,
    IncompatibleCombinationError,
    IterativeScreening,
    LarsSearch,
    MRMRSearch,
    PairwiseHSIC,
    Pearson,
    Ranking,
)
from hsieve.exceptions import CrowdedInteractionsWarning
from hsieve.solvers import nonnegative_lars_path
from hsieve.strategies.overlaps import (
    FILL_BATCH,
    INTERCHANGEABLE,
    JoiningPairs,
    interchangeable,
    least_overlapping,
    overlaps,
)
from tests.strategies.test_mrmr import Table


class Atoms(Table):
    """Statistics of four features, and of the pairs (0, 2) and (1, 3) after them."""

    ceiling = 0.0
    pairs = np.array([[0, 2], [1, 3]])


def problem(rng, d=12):
    K = rng.random((30, d))
    weights = np.zeros(d)
    weights[:3] = [1.0, 3.0, 2.0]
    target = K @ weights + 0.01 * rng.normal(size=30)
    return Table(K.T @ target, K.T @ K)


def by_hand(statistics, chosen, candidates, n_more, most):
    """One candidate after the other; None of those taken may be too near."""
    Q, taken = statistics._redundancy, list(chosen)
    for feature in candidates:
        near = [Q[feature, j] / np.sqrt(Q[feature, feature] * Q[j, j]) for j in taken]
        if len(taken) < len(chosen) + n_more and max(near, default=0.0) <= most:
            taken.append(feature)
    return taken[len(chosen) :]


@pytest.mark.parametrize("n_wanted", [1, 3, 12])
def test_features_of_the_path_are_ordered_by_coefficient_and_others_by_relevance(rng, n_wanted):
    bound = problem(rng)
    path = LarsSearch().search(bound, n_wanted)
    lars = nonnegative_lars_path(
        bound.relevance(np.arange(12)),
        bound.redundancy,
        max_features=n_wanted,
        dependence_tolerance=1e-4,
    )
    end = lars.coefficients(float(lars.levels[-1]))
    n_found = int(path.sizes[0])
    assert path.order[:n_found].tolist() == np.argsort(-end, kind="stable")[:n_found].tolist()
    assert set(path.order[:n_found].tolist()) == set(lars.selected.tolist())
    np.testing.assert_allclose(path.feature_scores[:n_found], end[path.order[:n_found]])
    assert not path.feature_scores[n_found:].any()
    assert (np.diff(path.relevance[path.order[n_found:]]) <= 0).all()
    assert path.set_scores[0] == pytest.approx(end @ path.relevance)
    assert path.n_selectable == 12
    assert path.features_on_path == set(lars.selected.tolist())


def test_longer_selections_get_features_in_the_order_of_their_entry(rng):
    path = LarsSearch().search(problem(rng), 3)
    entered = path.lars.order.tolist()
    assert path.nested_order[: len(entered)].tolist() == entered
    assert sorted(path.nested_order.tolist()) == list(range(12))


@pytest.mark.parametrize("most", [0.3, 0.6, 0.9])
def test_no_two_selected_features_share_more_than_allowed(rng, most):
    K = rng.normal(size=(40, 8))
    K = np.abs(np.hstack([K, K + rng.normal(size=K.shape)]))
    bound = Table(K.T @ K.sum(axis=1), K.T @ K - 12.0)
    bound._redundancy = np.maximum(bound._redundancy, 0.0) + 30.0 * np.eye(16)
    path = LarsSearch(max_redundancy=most).search(bound, 6)
    chosen = path.order[: path.n_selectable]
    shared = overlaps(bound, chosen, chosen)
    assert (shared - np.eye(len(chosen))).max() <= most + 1e-12
    n_found = int(path.sizes[0])
    others = np.setdiff1d(np.arange(16), chosen[:n_found])
    others = others[np.argsort(-path.relevance[others], kind="stable")]
    fillers = by_hand(bound, chosen[:n_found].tolist(), others.tolist(), 6 - n_found, most)
    assert chosen[n_found:].tolist() == fillers


@pytest.mark.parametrize("n_more", [0, 3, 40, 200])
@pytest.mark.parametrize("chosen", [[], [5, 9]])
def test_fillers_over_several_batches_are_those_found_one_by_one(rng, n_more, chosen):
    d = 2 * FILL_BATCH + 20
    K = rng.random((6, d))
    statistics = Table(np.ones(d), K.T @ K)
    candidates = np.setdiff1d(np.arange(d), chosen)[::-1]
    found = least_overlapping(
        statistics, np.array(chosen, dtype=np.intp), candidates, n_more=n_more, most=0.9
    )
    expected = by_hand(statistics, chosen, candidates.tolist(), n_more, 0.9)
    assert found.tolist() == expected
    assert n_more == 0 or len(expected) > 2


def test_a_constant_feature_shares_nothing():
    statistics = Table(np.zeros(2), np.diag([0.0, 4.0]))
    both = np.arange(2)
    np.testing.assert_array_equal(overlaps(statistics, both, both), [[0.0, 0.0], [0.0, 1.0]])


def test_pairs_join_unless_they_repeat_what_is_there():
    Q = np.eye(6)
    Q[0, 1] = Q[1, 0] = 0.7
    Q[1, 3] = Q[3, 1] = 0.995
    atoms = Atoms(np.ones(6), Q)
    atoms.n_features = 6
    free, capped = JoiningPairs(atoms, 1.0), JoiningPairs(atoms, 0.6)
    assert free.n_features_of([0, 2, 4]) == 2
    assert free.n_features_of([4, 5]) == 4
    # Features 1 and 3 are interchangeable, so that their product tells nothing new.
    assert not free.may_join(5, [])
    assert free.may_join(4, [1])
    assert free.may_join(1, [0])
    assert capped.may_join(4, [3])
    assert not capped.may_join(4, [1])
    assert not capped.may_join(1, [2, 4])
    assert capped.may_join(0, [4])
    assert JoiningPairs(atoms, 0.7).may_join(4, [1])


def test_without_a_limit_copies_may_join_whatever_rounding_makes_of_their_overlap():
    Q = np.eye(6)
    Q[0, 3] = Q[3, 0] = 1.0 + 1e-12
    atoms = Atoms(np.ones(6), Q)
    assert JoiningPairs(atoms, 1.0).may_join(0, [3])
    assert not JoiningPairs(atoms, 0.99).may_join(0, [3])


def test_interchangeable_features_are_told_closest_first(rng):
    x = rng.normal(size=(200, 3))
    X = np.column_stack([x[:, 0], x[:, 0] + 0.1 * x[:, 1], x[:, 0] + 1e-3 * x[:, 2], x[:, 1]])
    bound = PairwiseHSIC().bind(X, x[:, 0])
    path = LarsSearch().search(bound, 2)
    assert path.order[0] == 0
    shared = overlaps(bound, np.array([0]), np.arange(4))[0]
    assert shared[3] < INTERCHANGEABLE <= shared[1] < shared[2]
    assert path.groups[path.lars.selected.tolist().index(0)].tolist() == [2, 1]


def test_covariates_come_last_and_explain_first(rng):
    K = rng.random((40, 5))
    K[:, 1] = K[:, 0] + 0.05 * rng.random(40)
    target = 3 * K[:, 0] + 0.5 * K[:, 4]
    bound = Table(K.T @ target, K.T @ K)
    path = LarsSearch(covariates=[-5]).search(bound, 1)
    assert path.order[-1] == 0
    assert path.order[0] == 4
    assert path.feature_scores[-1] == 0.0
    # What the covariate explains is no part of the score.
    assert path.set_scores[0] == pytest.approx(path.feature_scores @ path.relevance[path.order])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"max_redundancy": 0}, "above 0 and at most 1, got 0"),
        ({"max_redundancy": 1.01}, "above 0 and at most 1, got 1.01"),
        ({"max_redundancy": True}, "above 0 and at most 1, got True"),
        ({"covariates": [0, 1, -1]}, "none is left to select"),
        ({"interactions": "triples"}, "must be None or 'pairs'"),
    ],
)
def test_wrong_settings_are_refused(settings, words):
    with pytest.raises(ValueError, match=words):
        LarsSearch(**settings).check(PairwiseHSIC(), 3, 1)


def test_settings_at_the_edge_are_taken():
    LarsSearch(max_redundancy=1).check(PairwiseHSIC(), 3, 1)
    LarsSearch(covariates=[0, 1, 1, -3], interactions="pairs").check(PairwiseHSIC(), 3, 1)


def test_pairs_need_a_measure_that_knows_them():
    LarsSearch(interactions="pairs").check(PairwiseHSIC(), 3, 1)
    LarsSearch().check(Pearson(squared=True), 3, 1)
    with pytest.raises(IncompatibleCombinationError, match="which knows no pairs"):
        LarsSearch(interactions="pairs").check(Pearson(squared=True), 3, 1)


def test_searches_that_take_longer_for_more_features_end_at_a_hundred():
    for strategy in (LarsSearch(), Forward(), MRMRSearch(), IterativeScreening()):
        assert strategy.n_ranked(70) <= 70
        assert strategy.n_ranked(5000) <= 100
    assert LarsSearch().n_ranked(70) == Forward().n_ranked(70) == 70
    assert IterativeScreening(n_screened=7).n_ranked(5000) == 7
    assert Ranking().n_ranked(5000) == 5000


@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_features_are_interchangeable_by_the_share_of_their_entries_on_any_scale(scale):
    redundancy = np.array([[1.0, 0.999, 0.4], [0.999, 1.0, 0.4], [0.4, 0.4, 1.0]])
    table = Table(scale * np.array([1.0, 0.9, 0.8]), scale * redundancy)
    lars = nonnegative_lars_path(
        table.relevance(np.arange(3)), table.redundancy, max_features=1, use_bound=False
    )
    assert [group.tolist() for group in interchangeable(table, lars)] == [[1]]


def test_features_that_share_just_so_much_are_interchangeable():
    redundancy = np.array([[1.0, 0.9, 0.89], [0.9, 1.0, 0.8], [0.89, 0.8, 1.0]])
    table = Table(np.array([1.0, 0.5, 0.5]), redundancy)
    lars = nonnegative_lars_path(
        table.relevance(np.arange(3)), table.redundancy, max_features=1, use_bound=False
    )
    assert [group.tolist() for group in interchangeable(table, lars)] == [[1]]


@pytest.mark.parametrize("n_wanted", [3, 5])
def test_a_path_over_some_features_is_renumbered_with_its_pairs(rng, n_wanted):
    x = rng.choice([-1.0, 1.0], size=(80, 5))
    y = x[:, 0] * x[:, 3] + 0.5 * x[:, 4]
    search = LarsSearch(interactions="pairs")
    path = search.search(PairwiseHSIC().bind(x, y), n_wanted)
    assert set(path.order[:3].tolist()) == {0, 3, 4}
    features = np.array([2, 5, 6, 8, 9])
    wide = path.among(features, 11)
    assert sorted(wide.order.tolist()) == list(range(11))
    assert wide.order[:5].tolist() == features[path.order].tolist()
    assert wide.features_on_path == {int(features[f]) for f in path.features_on_path}
    assert wide.lars.n_features == 11 + len(path.pairs)
    assert wide.n_selectable == path.n_selectable
    np.testing.assert_array_equal(wide.relevance[features], path.relevance)
    np.testing.assert_array_equal(wide.pairs, features[path.pairs])
    for old, new in zip(path.lars.events, wide.lars.events, strict=True):
        assert (new.kind, new.level) == (old.kind, old.level)
        if old.feature < 0:
            assert new.feature == -1
        else:
            told = tuple(int(features[f]) for f in path.features_of(old.feature))
            assert wide.features_of(new.feature) == told
    for before, after in zip(path.lars.order.tolist(), wide.lars.order.tolist(), strict=True):
        renumbered = tuple(int(features[f]) for f in path.features_of(before))
        assert wide.features_of(after) == renumbered


def test_more_pairs_than_may_be_kept_are_told(rng, monkeypatch):
    """With one pair kept, no path to five features can be known to be the right one."""
    monkeypatch.setattr("hsieve.strategies.lars_path.FIRST_PAIRS", 1)
    monkeypatch.setattr("hsieve.strategies.lars_path.MOST_PAIRS", 2)
    x = rng.choice([-1.0, 1.0], size=(60, 8))
    y = sum(x[:, k] * x[:, k + 1] for k in range(0, 8, 2)) + 0.1 * rng.normal(size=60)
    bound = PairwiseHSIC().bind(x, y)
    with pytest.warns(CrowdedInteractionsWarning, match="over the 2 most relevant pairs"):
        path = LarsSearch(interactions="pairs").search(bound, 7)
    assert len(path.pairs) == 2
    assert sorted(path.order.tolist()) == list(range(8))


def test_features_of_the_pair_that_would_come_next_come_before_other_fillers():
    x = np.array(list(product([-1.0, 1.0], repeat=5)) * 2)
    bound = PairwiseHSIC().bind(x, 2 * x[:, 0] + x[:, 3] * x[:, 4])
    path = LarsSearch(interactions="pairs").search(bound, 2)
    assert path.features_on_path == {0}
    # The pair (3, 4) would have made three features; alone neither is relevant.
    assert path.order[0] == 0
    assert set(path.order[1:3].tolist()) == {3, 4}


def test_a_path_cut_by_a_rule_is_that_for_the_number_found(rng):
    X = rng.normal(size=(90, 10))
    y = np.where(X[:, 3] + X[:, 7] > 0, 1, 0)
    ruled = N3LARS("alignment").fit(X, y)
    n_found = ruled.n_features_choice_.number
    assert 1 <= n_found < 10
    plain = N3LARS(n_found).fit(X, y)
    assert ruled.path_.sizes.tolist() == plain.path_.sizes.tolist()
    np.testing.assert_array_equal(ruled.selected_indices_, plain.selected_indices_)
    np.testing.assert_array_equal(ruled.scores_, plain.scores_)
