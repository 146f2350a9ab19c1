"""Features and pairs as atoms of one lasso: their statistics, and the path over all of them."""

import numpy as np
import pytest

from hsieve import N3LARS, HSICLasso, LarsSearch, PairwiseHSIC
from hsieve.datasets import make_xor
from hsieve.interactions.atoms import with_pairs
from hsieve.strategies import lars_path
from tests.reference.coordinate_descent import nonnegative_lasso

NO_FEATURES = np.empty(0, dtype=np.intp)


@pytest.fixture
def few_valued(rng):
    """Features of two to four values, for which products of three columns are exact."""
    n = 120
    X = np.column_stack([rng.integers(0, 2 + j % 3, n) for j in range(7)]).astype(float)
    y = ((X[:, 0] > 0) ^ (X[:, 3] > 0)) + 2 * (X[:, 1] > 1)
    return X, y.astype(int)


def centred(gram):
    return gram - gram.mean(axis=0) - gram.mean(axis=1)[:, None] + gram.mean()


def literal_kernels(X, pairs):
    """Centred kernels of the features, then of the products, as n x n matrices."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    singles = [centred(np.exp(-0.5 * (z[:, None] - z) ** 2)) for z in Z.T]
    return singles, [centred(singles[a] * singles[b]) for a, b in pairs]


def literal_norm(single_a, single_b):
    """The scale of a pair, as the module says it."""
    directions = [np.trace(K) ** 2 / np.sum(K * K) for K in (single_a, single_b)]
    return np.trace(single_a * single_b) / np.sqrt(np.prod(directions))


def target_kernel(y):
    return centred((y[:, None] == y) / np.bincount(y)[y][:, None])


@pytest.mark.parametrize("normalised", [True, False])
def test_statistics_are_inner_products_of_literal_kernels(few_valued, normalised):
    X, y = few_valued
    atoms = with_pairs(PairwiseHSIC(normalised=normalised).bind(X, y), 1000, NO_FEATURES)
    assert len(atoms.pairs) == 21
    singles, products = literal_kernels(X, atoms.pairs)
    L = target_kernel(y)
    L_norm = 1.0
    if normalised:
        L_norm = np.linalg.norm(L)
        norms = [literal_norm(singles[a], singles[b]) for a, b in atoms.pairs]
        products = [K / norm for K, norm in zip(products, norms, strict=True)]
        singles = [K / np.linalg.norm(K) for K in singles]
    kernels = np.array([K.ravel() for K in [*singles, *products]])
    Q, r = kernels @ kernels.T, kernels @ L.ravel() / L_norm
    everything = np.arange(atoms.n_features)
    # One number divides all pairs.
    divisor = np.median(r[7:] / atoms.relevance(everything)[7:])
    scale = np.where(everything < 7, 1.0, divisor)
    np.testing.assert_allclose(atoms.relevance(everything), r / scale, rtol=2e-4, atol=1e-6 * r[0])
    expected = Q / np.outer(scale, scale)
    found = atoms.redundancy(everything, everything)
    np.testing.assert_allclose(found, expected, rtol=2e-4, atol=2e-5 * expected.max())
    np.testing.assert_allclose(atoms.self_redundancy(everything), np.diag(expected), rtol=2e-4)


def test_by_chance_the_best_pair_is_no_more_relevant_than_the_best_feature(rng):
    X, y = rng.normal(size=(200, 60)), rng.integers(0, 2, 200)
    higher = 0
    for _ in range(20):
        atoms = with_pairs(PairwiseHSIC().bind(X, rng.permutation(y)), 10, NO_FEATURES)
        singles = atoms.singles.relevance(np.arange(60))
        higher += atoms.pair_relevance[0] > singles.max()
    assert higher <= 4


@pytest.mark.parametrize("lasso", [N3LARS, HSICLasso])
def test_the_path_equals_an_independent_solver_over_all_atoms(few_valued, lasso):
    X, y = few_valued
    selector = lasso(4, interactions="pairs").fit(X, y)
    path = selector.path_
    measure = PairwiseHSIC(normalised=lasso is N3LARS).bind(X, y)
    atoms = with_pairs(measure, 1000, NO_FEATURES)
    everything = np.arange(atoms.n_features)
    np.testing.assert_array_equal(path.pairs, atoms.pairs)
    Q, r = atoms.redundancy(everything, everything), atoms.relevance(everything)
    expected = nonnegative_lasso(0.5 * (Q + Q.T), r, path.lars.levels)
    np.testing.assert_allclose(path.lars.dense(), expected, atol=2e-4 * expected.max())


def test_few_kept_pairs_give_the_path_over_all_of_them(rng, monkeypatch):
    X = rng.normal(size=(150, 25))
    y = (X[:, 0] * X[:, 1] > 0).astype(int) + 2 * (np.abs(X[:, 2]) > 0.7)
    whole = N3LARS(6, interactions="pairs").fit(X, y)
    monkeypatch.setattr(lars_path, "FIRST_PAIRS", 2)
    monkeypatch.setattr(lars_path, "TIMES_MORE_PAIRS", 2)
    few = N3LARS(6, interactions="pairs").fit(X, y)
    assert len(few.path_.pairs) < len(whole.path_.pairs)
    np.testing.assert_array_equal(few.selected_indices_, whole.selected_indices_)
    n_events = len(few.path_.lars.events) - 1
    entered = [
        [(e.kind, path.features_of(e.feature)) for e in path.lars.events[:n_events]]
        for path in (few.path_, whole.path_)
    ]
    assert entered[0] == entered[1]
    levels = [event.level for event in few.path_.lars.events[:n_events]]
    assert levels == pytest.approx(
        [event.level for event in whole.path_.lars.events[:n_events]], rel=1e-6
    )


def test_features_that_matter_only_together_are_found_and_named(rng):
    problem = make_xor(300, 200, kind="continuous", random_state=1)
    selector = N3LARS(2, interactions="pairs").fit(problem.X, problem.y)
    assert sorted(selector.selected_indices_) == [0, 1]
    (pair,) = selector.pairs_
    assert pair.features == (0, 1)
    assert pair.names == ("0", "1")
    assert pair.coefficient > 0
    assert pair.relevance > 3 * selector.relevance_.max()
    assert selector.scores_[0] >= pair.coefficient


@pytest.mark.parametrize("lasso", [N3LARS, HSICLasso])
@pytest.mark.parametrize("repeats", [1, 2, 5, 20])
def test_a_full_table_of_xor_gives_the_pair_whatever_its_size(lasso, repeats):
    X = np.tile([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], (repeats, 1))
    selector = lasso(2, interactions="pairs").fit(X, (X[:, 0] != X[:, 1]).astype(int))
    assert [pair.features for pair in selector.pairs_] == [(0, 1)]


def test_order_of_samples_and_columns_does_not_matter(rng):
    X = rng.normal(size=(150, 14))
    y = X[:, 0] * X[:, 1] + np.abs(X[:, 2]) + 0.3 * rng.normal(size=150)
    expected = N3LARS(5, interactions="pairs").fit(X, y)
    rows, columns = rng.permutation(150), rng.permutation(14)
    other = N3LARS(5, interactions="pairs").fit(X[np.ix_(rows, columns)], y[rows])
    np.testing.assert_array_equal(columns[other.selected_indices_], expected.selected_indices_)
    named = {tuple(sorted(columns[list(pair.features)])): pair.relevance for pair in other.pairs_}
    assert named.keys() == {pair.features for pair in expected.pairs_}
    for pair in expected.pairs_:
        assert named[pair.features] == pytest.approx(pair.relevance, rel=1e-4)


def test_constant_features_do_not_shift_the_pairs(rng):
    problem = make_xor(200, 30, random_state=0)
    X = np.insert(problem.X, [0, 1, 5], 4.0, axis=1)
    with pytest.warns(UserWarning, match="constant"):
        selector = N3LARS(2, interactions="pairs").fit(X, problem.y)
    assert selector.pairs_[0].features == (1, 3)
    assert sorted(selector.selected_indices_) == [1, 3]


def test_covariates_are_in_no_pair(rng):
    problem = make_xor(200, 20, random_state=0)
    selector = N3LARS(3, interactions="pairs", covariates=[0]).fit(problem.X, problem.y)
    assert 0 not in selector.selected_indices_
    assert not (selector.path_.pairs == 0).any()


def test_a_feature_and_its_copy_make_no_pair(rng):
    X = rng.normal(size=(300, 12))
    X[:, 1] = X[:, 0]
    X[:, 2] = X[:, 0] + 0.02 * rng.normal(size=300)
    y = (np.abs(X[:, 0]) > 0.7).astype(int)
    selector = N3LARS(4, interactions="pairs").fit(X, y)
    together = [set(pair.features) for pair in selector.pairs_]
    assert not any(pair <= {0, 1, 2} for pair in together)


def test_a_cap_on_redundancy_holds_for_the_features_of_pairs_too(rng):
    problem = make_xor(300, 20, random_state=3)
    X = problem.X.copy()
    X[:, 7] = X[:, 0] + 0.05 * rng.normal(size=300)
    selector = N3LARS(5, interactions="pairs", max_redundancy=0.5).fit(X, problem.y)
    assert not {0, 7} <= set(selector.selected_indices_.tolist())
    assert len({0, 7} & set(selector.selected_indices_.tolist())) == 1
    assert 1 in selector.selected_indices_


def test_categories_interact(rng):
    codes = rng.integers(0, 4, size=(400, 15))
    y = ((codes[:, 2] + codes[:, 9]) % 4 < 2).astype(int)
    selector = N3LARS(2, interactions="pairs", categorical=range(15)).fit(codes.astype(float), y)
    assert selector.pairs_[0].features == (2, 9)


@pytest.mark.parametrize("lasso", [N3LARS, HSICLasso])
def test_without_interaction_the_single_features_come_out_as_without_the_option(lasso):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(400, 200))
        y = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + np.abs(X[:, 2]) + 0.2 * rng.normal(size=400)
        plain = lasso(3).fit(X, y)
        paired = lasso(3, interactions="pairs").fit(X, y)
        assert sorted(plain.selected_indices_) == [0, 1, 2]
        assert sorted(paired.selected_indices_) == [0, 1, 2]
        np.testing.assert_allclose(paired.relevance_, plain.relevance_)


def test_other_measures_and_settings_are_refused(rng):
    from hsieve import DependenceSelector, IncompatibleCombinationError, Pearson

    X, y = rng.normal(size=(40, 5)), rng.normal(size=40)
    strategy = LarsSearch(interactions="pairs")
    with pytest.raises(IncompatibleCombinationError, match="knows no pairs"):
        DependenceSelector(Pearson(squared=True), strategy=strategy).fit(X, y)
    with pytest.raises(ValueError, match="interactions must be None or 'pairs', got 'all'"):
        N3LARS(interactions="all").fit(X, y)
