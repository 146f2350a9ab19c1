"""The path against coordinate descent, scikit-learn and the optimality conditions."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.linear_model import lars_path_gram

from hsieve.solvers import nonnegative_lars, nonnegative_lars_path
from hsieve.solvers.active_set import ActiveFactor, EntriesOnDemand
from tests.reference import coordinate_descent

SEEDS = st.integers(0, 2**32 - 1)
few = settings(max_examples=25, deadline=None)
many = settings(max_examples=60, deadline=None)


def blocks_of(Q):
    return lambda features, active: Q[np.ix_(features, active)]


def whole_path(Q, r, **options):
    return nonnegative_lars_path(r, blocks_of(Q), max_features=len(r) + 1, **options)


def inner_products(K, target):
    """Redundancy and relevance of columns that stand for flattened kernel matrices."""
    return K.T @ K, K.T @ target


def random_problem(rng, d, *, surplus=4, positive=True):
    shape = (d + surplus, d)
    K = rng.random(shape) if positive else rng.normal(size=shape)
    weights = rng.random(d) * (rng.random(d) < 0.5)
    return inner_products(K, K @ weights + rng.normal(size=d + surplus))


def duplicated_problem(rng, d):
    K = rng.random((d + 4, d))[:, rng.integers(0, d, size=2 * d)]
    return inner_products(K, rng.random(d + 4) + K[:, 0])


def nearly_singular_problem(rng, d, noise):
    K = rng.random((d + 4, d))
    K = np.hstack([K, K[:, :2] + noise * rng.normal(size=(d + 4, 2))])
    return inner_products(K, K @ rng.random(d + 2) + 0.3 * rng.normal(size=d + 4))


def rbf_problem(rng, d):
    points = rng.normal(size=(d, 2))
    Q = np.exp(-np.square(points[:, None] - points[None]).sum(axis=2))
    return Q, Q @ rng.random(d) - 0.3 * rng.random(d)


def low_rank_problem(rng, d):
    return inner_products(rng.random((3, d)), rng.random(3))


def hsic_problem(rng, d):
    """Q_uv = |F_u'F_v|_F^2, as the low-rank factors give it; the target depends on a few."""
    factors = rng.normal(size=(d, 12, 2))
    factors -= factors.mean(axis=1, keepdims=True)
    factors[-1] += factors[: d // 3].sum(axis=0)
    cross = np.einsum("unb,vnc->uvbc", factors, factors)
    statistics = np.square(cross).sum(axis=(2, 3))
    return statistics[:-1, :-1], statistics[:-1, -1]


def tied_problem(rng, d):
    """Small whole numbers: exact ties, duplicates, zero columns and dependent features."""
    K = rng.integers(0, 3, size=(rng.integers(1, 8), d)).astype(float)
    return inner_products(K, rng.integers(-1, 3, size=len(K)).astype(float))


NONNEGATIVE_PROBLEMS = {
    "random": random_problem,
    "duplicated": duplicated_problem,
    "nearly singular": lambda rng, d: nearly_singular_problem(rng, d, 10.0 ** -rng.integers(1, 6)),
    "rbf": rbf_problem,
    "low rank": low_rank_problem,
    "hsic": hsic_problem,
    "tied": tied_problem,
}


def between_knots(levels, rng):
    inside = levels[1:] + rng.random(len(levels) - 1) * -np.diff(levels)
    return np.concatenate([levels, inside, levels[:1] * 1.5])


def assert_optimal(Q, r, path, *, penalty=1.0, tolerance=1e-9):
    """Gradients at most the level, and equal to it where the coefficient is positive."""
    scale = max(1.0, np.abs(r).max())
    for level, a in zip(path.levels, path.dense(), strict=True):
        shortfall = level * penalty - (r - Q @ a)
        assert (a >= 0).all()
        assert shortfall.min() >= -tolerance * scale
        assert np.abs(shortfall * a).max() <= tolerance * scale * max(1.0, a.max())


@few
@given(seed=SEEDS, d=st.integers(1, 8), positive=st.booleans())
def test_path_equals_coordinate_descent(seed, d, positive):
    rng = np.random.default_rng(seed)
    Q, r = random_problem(rng, d, positive=positive, surplus=3 * d)
    path = whole_path(Q, r, use_bound=positive)
    levels = between_knots(path.levels, rng)
    expected = coordinate_descent.nonnegative_lasso(Q, r, levels)
    found = np.stack([path.coefficients(level) for level in levels])
    np.testing.assert_allclose(found, expected, atol=1e-6)


@few
@given(seed=SEEDS, d=st.integers(1, 5))
def test_path_with_duplicates_equals_coordinate_descent_in_what_is_determined(seed, d):
    rng = np.random.default_rng(seed)
    Q, r = duplicated_problem(rng, d)
    path = whole_path(Q, r)
    levels = between_knots(path.levels, rng)
    expected = coordinate_descent.nonnegative_lasso(Q, r, levels)
    found = np.stack([path.coefficients(level) for level in levels])
    # Copies share their weight as they like: their sum and the fit are what the data determine.
    copies = (np.abs(Q[:, :, None] - Q[:, None, :]).max(axis=0) < 1e-12).astype(float)
    np.testing.assert_allclose(found @ copies, expected @ copies, atol=1e-6)
    np.testing.assert_allclose(found @ Q, expected @ Q, atol=1e-6)
    assert_optimal(Q, r, path)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("noise", [0.2, 0.05])
def test_nearly_singular_path_equals_coordinate_descent(seed, noise):
    rng = np.random.default_rng(seed)
    Q, r = nearly_singular_problem(rng, 4, noise)
    path = whole_path(Q, r)
    levels = between_knots(path.levels, rng)
    expected = coordinate_descent.nonnegative_lasso(Q, r, levels, tolerance=1e-13)
    found = np.stack([path.coefficients(level) for level in levels])
    np.testing.assert_allclose(found, expected, atol=1e-6)


@few
@given(seed=SEEDS, d=st.integers(2, 8), digits=st.integers(2, 9))
def test_nearly_singular_path_is_optimal_where_descent_is_too_slow(seed, d, digits):
    rng = np.random.default_rng(seed)
    Q, r = nearly_singular_problem(rng, d, 10.0**-digits)
    path = whole_path(Q, r)
    # Features nearer than the dependence tolerance are passed over: 1e-12, squared, of |K| = 2.
    assert_optimal(Q, r, path, tolerance=1e-6)
    slow = coordinate_descent.nonnegative_lasso(Q, r, path.levels, max_sweeps=300)
    for level, found, other in zip(path.levels, path.dense(), slow, strict=True):
        best, reached = (coordinate_descent.objective(Q, r, level, a) for a in (found, other))
        assert best <= reached + 1e-6 * max(1.0, abs(reached))


@few
@given(seed=SEEDS, d=st.integers(2, 20))
def test_path_equals_scikit_learn_where_well_conditioned(seed, d):
    Q, r = random_problem(np.random.default_rng(seed), d, positive=False, surplus=5 * d)
    path = whole_path(Q, r, use_bound=False)
    levels, _, expected = lars_path_gram(r, Q, n_samples=1, method="lasso", positive=True)
    # Its documentation promises nothing below the smallest positive level, and rightly so.
    above = levels > 0
    np.testing.assert_allclose(path.levels[path.levels > 0], levels[above], atol=1e-6)
    found = path.dense()[path.levels > 0]
    np.testing.assert_allclose(found, expected.T[above], atol=1e-6)


@pytest.mark.parametrize("kind", NONNEGATIVE_PROBLEMS)
@many
@given(seed=SEEDS, d=st.integers(1, 12), max_features=st.integers(1, 13))
def test_the_bound_changes_nothing(kind, seed, d, max_features):
    Q, r = NONNEGATIVE_PROBLEMS[kind](np.random.default_rng(seed), d + 1)
    options = {"max_features": max_features}
    with_bound = nonnegative_lars_path(r, blocks_of(Q), batch_entries=2, **options)
    without = nonnegative_lars_path(r, blocks_of(Q), use_bound=False, **options)
    assert [(e.kind, e.feature) for e in with_bound.events] == [
        (e.kind, e.feature) for e in without.events
    ]
    np.testing.assert_array_equal(with_bound.order, without.order)
    np.testing.assert_array_equal(with_bound.selected, without.selected)
    np.testing.assert_allclose(with_bound.levels, without.levels, rtol=0, atol=1e-10)
    np.testing.assert_allclose(with_bound.dense(), without.dense(), rtol=0, atol=1e-10)
    # Tiny problems may compute known entries again to save calls.
    assert with_bound.entries_computed <= 2 * without.entries_computed


@pytest.mark.parametrize("kind", NONNEGATIVE_PROBLEMS)
@few
@given(seed=SEEDS, d=st.integers(1, 12), together=st.sampled_from([1, 3, 64]))
def test_lower_bounds_of_entries_change_nothing(kind, seed, d, together):
    rng = np.random.default_rng(seed)
    Q, r = NONNEGATIVE_PROBLEMS[kind](rng, d + 1)
    least = rng.random(Q.shape) * Q
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nonnegative_lars, "BOUNDED_TOGETHER", together)
        bounded = whole_path(Q, r, batch_entries=2, least_redundancy=blocks_of(least))
    plain = whole_path(Q, r, use_bound=False)
    assert bounded.events == plain.events
    np.testing.assert_allclose(bounded.dense(), plain.dense(), rtol=0, atol=1e-10)


def test_lower_bounds_spare_entries(rng):
    Q, r = sparse_problem(rng)
    least = blocks_of(0.9 * Q)
    plain = nonnegative_lars_path(r, blocks_of(Q), max_features=60)
    bounded = nonnegative_lars_path(r, blocks_of(Q), max_features=60, least_redundancy=least)
    assert bounded.events == plain.events
    assert bounded.entries_computed < 0.7 * plain.entries_computed


@pytest.mark.parametrize("kind", NONNEGATIVE_PROBLEMS)
@many
@given(seed=SEEDS, d=st.integers(1, 12))
def test_every_knot_is_optimal_and_levels_fall(kind, seed, d):
    Q, r = NONNEGATIVE_PROBLEMS[kind](np.random.default_rng(seed), d + 1)
    path = whole_path(Q, r)
    assert path.stop_reason == "level zero"
    assert path.levels[-1] == 0
    assert (np.diff(path.levels) < 0).all()
    assert_optimal(Q, r, path, tolerance=1e-6 if kind in {"nearly singular", "rbf"} else 1e-9)


def problem_with_a_drop():
    """Feature 0 imitates the sum of 1 and 2, which replace it: its rest opposes the target."""
    K = np.array([[0.6, 1.0, 0.0], [0.6, 0.0, 1.0], [0.1, 0.0, 0.0]])
    return inner_products(K, np.array([1.0, 0.9, -0.5]))


def test_a_coefficient_that_reaches_zero_leaves():
    Q, r = problem_with_a_drop()
    path = whole_path(Q, r)
    assert [(e.kind, e.feature) for e in path.events] == [
        ("entered", 0),
        ("entered", 1),
        ("entered", 2),
        ("left", 0),
        ("stopped", -1),
    ]
    assert path.order.tolist() == [0, 1, 2]
    assert path.selected.tolist() == [1, 2]
    np.testing.assert_allclose(path.coefficients(0.0), [0.0, 1.0, 0.9], atol=1e-12)
    expected = coordinate_descent.nonnegative_lasso(Q, r, path.levels, tolerance=1e-14)
    np.testing.assert_allclose(path.dense(), expected, atol=1e-6)


def test_a_feature_may_leave_where_there_are_as_many_as_wanted():
    Q, r = problem_with_a_drop()
    path = nonnegative_lars_path(r, blocks_of(Q), max_features=3)
    assert path.events == whole_path(Q, r).events
    assert path.stop_reason == "level zero"
    assert path.selected.tolist() == [1, 2]


def test_drops_are_common_enough_to_be_tested_by_the_random_problems():
    kinds = {
        e.kind
        for seed in range(20)
        for e in whole_path(*random_problem(np.random.default_rng(seed), 8)).events
    }
    assert kinds == {"entered", "left", "stopped"}


def sparse_problem(rng, n=300, d=500):
    """Squared correlations; five of the features make the target."""
    X = rng.normal(size=(n, d))
    y = X[:, :5] @ [1.5, 1.3, 1.1, 0.9, 0.8] + 0.5 * rng.normal(size=n)
    squared = np.corrcoef(X, y, rowvar=False) ** 2
    return squared[:-1, :-1], squared[:-1, -1]


def test_the_bound_spares_most_entries_of_a_sparse_problem(rng):
    Q, r = sparse_problem(rng)
    path = nonnegative_lars_path(r, blocks_of(Q), max_features=5)
    assert set(path.selected.tolist()) == set(range(5))
    assert path.share_spared > 0.5
    whole = nonnegative_lars_path(r, blocks_of(Q), max_features=5, use_bound=False)
    assert whole.share_spared < 0.01
    assert whole.events == path.events


def test_the_bound_changes_nothing_at_a_larger_size(rng):
    Q, r = hsic_problem(rng, 150)
    path = nonnegative_lars_path(r, blocks_of(Q), max_features=60)
    whole = nonnegative_lars_path(r, blocks_of(Q), max_features=60, use_bound=False)
    assert path.events == whole.events
    np.testing.assert_allclose(path.dense(), whole.dense(), rtol=0, atol=1e-10)
    assert_optimal(Q, r, path)


@pytest.mark.parametrize("use_bound", [True, False])
def test_few_entries_are_asked_for_twice_and_all_are_counted(use_bound, rng):
    Q, r = sparse_problem(rng, d=60)
    asked = np.zeros(Q.shape, dtype=int)

    def redundancy(features, active):
        asked[np.ix_(features, active)] += 1
        return Q[np.ix_(features, active)]

    path = nonnegative_lars_path(r, redundancy, max_features=10, use_bound=use_bound)
    either_way = np.triu(asked + asked.T - np.diag(asked.diagonal()))
    # Twice only where a block of mostly missing entries held some that were known.
    assert either_way.sum() <= 1.5 * np.count_nonzero(either_way)
    assert asked.sum() == path.entries_computed


def test_path_stops_where_one_feature_too_many_would_enter(rng):
    Q, r = sparse_problem(rng)
    short = nonnegative_lars_path(r, blocks_of(Q), max_features=3)
    longer = nonnegative_lars_path(r, blocks_of(Q), max_features=10)
    assert short.stop_reason == "enough features"
    assert len(short.selected) == 3
    assert (short.coefficients(short.levels[-1])[short.selected] > 0).all()
    assert short.events[-1].feature == longer.order[3]
    np.testing.assert_array_equal(short.levels, longer.levels[: len(short.levels)])
    with pytest.raises(ValueError, match="where the path ends"):
        short.coefficients(short.levels[-1] / 2)


def test_features_to_adjust_for_are_fitted_first_and_unpenalised(rng):
    for _ in range(20):
        Q, r = random_problem(rng, 7, surplus=20)
        penalty = np.ones(7)
        penalty[[4, 2]] = 0.0
        path = whole_path(Q, r, first=[4, 2])
        bare = whole_path(Q, r, first=[4, 2], use_bound=False)
        assert path.events == bare.events
        levels = between_knots(path.levels, rng)
        expected = coordinate_descent.nonnegative_lasso(Q, r, levels, penalty=penalty)
        found = np.stack([path.coefficients(level) for level in levels])
        np.testing.assert_allclose(found, expected, atol=1e-6)
        assert not set(path.order.tolist()) & {2, 4}
        assert_optimal(Q, r, path, penalty=penalty)


def test_features_to_adjust_for_do_not_count(rng):
    Q, r = sparse_problem(rng)
    path = nonnegative_lars_path(r, blocks_of(Q), max_features=2, first=[0, 1])
    assert set(path.selected.tolist()) < {2, 3, 4}
    assert len(path.selected) == 2


def test_a_feature_to_adjust_for_may_enter_late_and_still_does_not_count():
    """Its own relevance is below zero until the other feature, which opposes it, has a weight."""
    Q = np.array([[1.0, -0.5], [-0.5, 1.0]])
    r = np.array([-0.1, 1.0])
    path = nonnegative_lars_path(r, blocks_of(Q), max_features=1, first=[0], use_bound=False)
    assert [(e.kind, e.feature) for e in path.events] == [
        ("entered", 1),
        ("entered", 0),
        ("stopped", -1),
    ]
    assert path.levels == pytest.approx([1.0, 0.8, 0.0])
    np.testing.assert_allclose(path.coefficients(0.0), np.linalg.solve(Q, r))


def test_a_duplicate_never_joins_its_original_and_the_lowest_index_wins():
    rng = np.random.default_rng(3)
    K = rng.random((9, 4))[:, [0, 1, 1, 2, 0, 3, 1]]
    Q, r = inner_products(K, rng.random(9))
    original = np.array([0, 1, 1, 3, 0, 5, 1])
    path = whole_path(Q, r)
    assert set(path.order.tolist()) <= {0, 1, 3, 5}
    for active in path.active_sets:
        assert len(set(original[active])) == len(active)


def test_features_that_tie_at_once_enter_at_one_knot():
    path = whole_path(np.eye(4), np.array([0.5, 1.0, 1.0, 1.0]))
    assert path.order.tolist() == [1, 2, 3, 0]
    np.testing.assert_allclose(path.levels, [1.0, 0.5, 0.0])
    np.testing.assert_allclose(path.coefficients(0.25), [0.25, 0.75, 0.75, 0.75])


@pytest.mark.parametrize("use_bound", [True, False])
@pytest.mark.parametrize(
    ("Q", "r", "order", "end"),
    [
        ([[2.0]], [1.0], [0], [0.5]),
        ([[0.0]], [0.0], [], [0.0]),
        (np.eye(3), [0.0, 0.0, 0.0], [], [0.0] * 3),
        (np.eye(3), [-1.0, -2.0, 0.0], [], [0.0] * 3),
        (np.eye(3), [-1.0, 2.0, 0.0], [1], [0.0, 2.0, 0.0]),
        (np.diag([1.0, 0.0, 1.0]), [0.5, 0.0, 0.7], [2, 0], [0.5, 0.0, 0.7]),
        (np.ones((3, 3)), [0.5, 0.5, 0.5], [0], [0.5, 0.0, 0.0]),
    ],
)
def test_small_and_empty_problems(Q, r, order, end, use_bound):
    path = whole_path(np.array(Q), r, use_bound=use_bound)
    assert path.order.tolist() == order
    assert path.stop_reason == "level zero"
    np.testing.assert_allclose(path.coefficients(0.0), end)


def test_a_path_without_features_spares_nothing():
    assert whole_path(np.eye(3), np.zeros(3)).share_spared == 0.0


def test_scale_of_the_statistics_does_not_matter():
    Q, r = random_problem(np.random.default_rng(11), 8)
    path = whole_path(Q, r)
    for factor in (1e-12, 1e12):
        scaled = whole_path(factor * Q, factor * r)
        assert scaled.order.tolist() == path.order.tolist()
        np.testing.assert_allclose(scaled.levels / factor, path.levels, atol=1e-9)
        np.testing.assert_allclose(scaled.dense(), path.dense(), atol=1e-9)


@pytest.mark.parametrize("use_bound", [True, False])
def test_no_entry_is_asked_for_again_in_its_mirror_image(use_bound):
    Q, r = random_problem(np.random.default_rng(3), 12)
    asked = []

    def block(features, active):
        asked.extend((k, j) for k in features.tolist() for j in active.tolist())
        return Q[np.ix_(features, active)]

    path = nonnegative_lars_path(r, block, max_features=13, use_bound=use_bound)
    met = set(path.order.tolist())
    among_met = [tuple(sorted(pair)) for pair in asked if pair[0] != pair[1] and set(pair) <= met]
    assert len(among_met) == len(set(among_met))
    assert path.entries_computed == len(asked)


def test_what_was_not_asked_for_stays_unknown():
    Q = np.array([[1.0, 0.5, 0.25], [0.5, 1.0, 0.75], [0.25, 0.75, 1.0]])
    entries = EntriesOnDemand(blocks_of(Q), 3, nonnegative=True)
    entries.open_column(0)
    entries.fill(np.array([2]), [0])
    entries.open_column(1)
    entries.open_column(2)
    everything = np.arange(3)
    assert entries.complete([0], everything).tolist() == [True, False, True]
    assert entries.complete([1], everything).tolist() == [False, True, False]
    # That of 0 and 2 is known from either side.
    assert entries.complete([2], everything).tolist() == [True, False, True]
    entries.fill(everything, [0, 1, 2])
    np.testing.assert_array_equal([entries.column(j, everything) for j in range(3)], Q)


def test_entries_may_be_asked_for_one_by_one():
    Q, r = random_problem(np.random.default_rng(3), 12)
    path, by_one = whole_path(Q, r), whole_path(Q, r, batch_entries=1)
    assert by_one.order.tolist() == path.order.tolist()
    np.testing.assert_allclose(by_one.levels, path.levels)


@pytest.mark.parametrize("most", [0.5, 0.8])
def test_features_that_overlap_with_active_ones_stay_out(most):
    rng = np.random.default_rng(9)
    K = rng.random((20, 8))
    K = np.hstack([K, K + 0.3 * rng.random((20, 8))])
    K -= K.min(axis=0)
    Q, r = inner_products(K, K[:, :4].sum(axis=1))
    path = whole_path(Q, r, max_overlap=most)
    for active in path.active_sets:
        shares = Q[np.ix_(active, active)] / np.sqrt(
            np.outer(Q.diagonal()[active], Q.diagonal()[active])
        )
        assert (shares - np.eye(len(active))).max(initial=0.0) <= most
    assert len(path.order) < len(whole_path(Q, r).order)


def test_a_feature_that_may_not_join_is_asked_about_once_while_none_leaves():
    asked = []

    def may_join(feature, active):
        asked.append(feature)
        return feature != 0

    path = whole_path(np.eye(4), np.array([1.0, 0.9, 0.8, 0.7]), may_join=may_join)
    assert path.order.tolist() == [1, 2, 3]
    assert asked == [0, 1, 2, 3]


def test_noise_of_single_precision_is_borne_with_a_fitting_tolerance():
    rng = np.random.default_rng(5)
    K = np.repeat(rng.random((30, 6)), 2, axis=1)
    Q, r = inner_products(K, rng.random(30))
    noisy = np.maximum(Q + 1e-7 * rng.normal(size=Q.shape), 0.0)
    noisy = (noisy + noisy.T) / 2
    path = whole_path(noisy, r, dependence_tolerance=1e-5)
    assert path.stop_reason == "level zero"
    assert_optimal(Q, r, path, tolerance=1e-5)


def test_factor_of_the_active_features_follows_entries_and_exits(rng):
    K = rng.random((12, 6))
    Q = K.T @ K
    factor = ActiveFactor(1e-12)
    for feature in (3, 0, 5, 1):
        factor.add(feature, Q[feature, factor.members], Q[feature, feature])
    factor.drop(0)
    factor.add(2, Q[2, factor.members], Q[2, 2])
    assert factor.members == [3, 5, 1, 2]
    right_sides = rng.random((4, 2))
    solved = Q[np.ix_(factor.members, factor.members)] @ factor.solve(right_sides)
    np.testing.assert_allclose(solved, right_sides)
    assert not factor.is_independent(Q[5, factor.members], Q[5, 5])


@pytest.mark.parametrize(
    ("r", "options", "message"),
    [
        ([[1.0]], {}, "vector of finite numbers"),
        ([], {}, "vector of finite numbers"),
        ([np.nan, 1.0], {}, "vector of finite numbers"),
        ([1.0, 1.0], {"max_features": 0}, "at least 1"),
        ([1.0, 1.0], {"batch_entries": 0}, "at least 1"),
        ([1.0, 1.0], {"max_overlap": 0.0}, "above 0 and at most 1"),
        ([1.0, 1.0], {"max_overlap": -0.5}, "above 0 and at most 1"),
        ([1.0, 1.0], {"max_overlap": 1.0 + 1e-9}, "above 0 and at most 1"),
        ([1.0, 1.0], {"first": [2]}, "different indices below 2"),
        ([1.0, 1.0], {"first": [-1]}, "different indices below 2"),
        ([1.0, 1.0], {"first": [1, 1]}, "different indices below 2"),
    ],
)
def test_wrong_arguments_are_refused(r, options, message):
    with pytest.raises(ValueError, match=message):
        nonnegative_lars_path(r, blocks_of(np.eye(2)), **{"max_features": 1, **options})


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda k, j: np.ones(len(k) + 1), "block of shape"),
        (lambda k, j: 1.0, "block of shape"),
        (lambda k, j: np.full((len(k), len(j)), np.nan), "not finite"),
        (blocks_of(np.array([[1.0, -0.5], [-0.5, 1.0]])), "use_bound=False"),
    ],
)
def test_wrong_redundancies_are_refused(answer, message):
    with pytest.raises(ValueError, match=message):
        nonnegative_lars_path([1.0, 0.9], answer, max_features=2)


@many
@given(seed=SEEDS)
@example(seed=5084)  # three copies on both sides of the tolerance
@example(seed=2665742841)  # two groups of copies at one knot
@pytest.mark.parametrize("use_bound", [True, False])
def test_of_copies_with_rounded_entries_the_first_enters(use_bound, seed):
    """Entries off by less than the tolerance give the path of the exact ones, to that error."""
    rng = np.random.default_rng(seed)
    K = rng.random((40, 5))
    source = rng.permutation(np.repeat(np.arange(5), 3))
    Q, r = inner_products(K[:, source], K @ rng.random(5))
    noise = 1 + 1e-7 * rng.uniform(-1, 1, Q.shape)
    rounded = Q * np.triu(noise) + Q * np.triu(noise, 1).T
    found = nonnegative_lars_path(
        r * (1 + 1e-7 * rng.uniform(-1, 1, 15)),
        blocks_of(rounded),
        max_features=5,
        use_bound=use_bound,
        dependence_tolerance=1e-4,
        tie_tolerance=1e-5,
        batch_entries=4,
    )
    firsts = [int(np.flatnonzero(source == kind)[0]) for kind in range(5)]
    assert set(found.order.tolist()) <= set(firsts)


def test_without_a_tolerance_rounding_decides_between_copies():
    Q, r = np.full((2, 2), 1.0), np.array([1.0, 1.0 + 1e-7])
    options = {"max_features": 1, "dependence_tolerance": 1e-4}
    assert nonnegative_lars_path(r, blocks_of(Q), **options).order.tolist() == [1]
    tied = nonnegative_lars_path(r, blocks_of(Q), tie_tolerance=1e-6, **options)
    assert tied.order.tolist() == [0]
