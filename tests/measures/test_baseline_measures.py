"""Spectral scores, symmetrical uncertainty and the linear machine against their definitions."""

import numpy as np
import pytest
from sklearn.svm import LinearSVC, LinearSVR

from hsieve import KernelSVM, LinearSVM, SpectralScore, SymmetricalUncertainty
from hsieve.kernels import Gaussian
from hsieve.kernels.columns import standardised
from hsieve.measures import spectral
from tests.reference import naive_baselines as naive
from tests.reference import naive_pairwise

EVERY = np.arange(5)


@pytest.fixture
def features(rng):
    X = rng.normal(size=(40, 5))
    X[:, 1] += 3.0
    X[:, 3] = rng.integers(0, 3, 40)
    return X


def graphs(X):
    labels = np.digitize(X[:, 0], [-0.4, 0.6])
    same = labels[:, None] == labels
    numbers = standardised(X[:, :1])
    return {
        "classes": ({}, labels, same / same.sum(axis=1)),
        "numbers": ({}, X[:, 0], Gaussian(1.0).gram(numbers)),
        "features": ({"graph": "features"}, None, Gaussian("median").gram(standardised(X))),
        "neighbours": (
            {"graph": "neighbours", "n_neighbors": 4},
            None,
            naive.neighbour_graph(standardised(X), 4),
        ),
    }


@pytest.mark.parametrize("n_eigenvectors", [None, 2, 4])
@pytest.mark.parametrize("graph", ["numbers", "features", "neighbours"])
def test_spectral_scores_are_sums_over_eigenvectors(features, graph, n_eigenvectors):
    settings, y, S = graphs(features)[graph]
    expected = np.array([naive.spec(f, S, n_eigenvectors) for f in features.T])
    expected[:, :2] = 2 - expected[:, :2]
    for name, scores in zip(("phi1", "phi2", "phi3"), expected.T, strict=True):
        measure = SpectralScore(name, n_eigenvectors=n_eigenvectors, **settings)
        np.testing.assert_allclose(
            measure.bind(features, y).feature_scores(EVERY), scores, atol=1e-9
        )


def test_phi2_of_classes_is_the_share_of_variance_between_them(features):
    _, y, S = graphs(features)["classes"]
    found = SpectralScore().bind(features, y).feature_scores(EVERY)
    for f, score in zip(features.T, found, strict=True):
        assert score == pytest.approx(2 - naive.laplacian_score(f, S), abs=1e-10)
        between = sum((y == c).mean() * (f[y == c].mean() - f.mean()) ** 2 for c in set(y.tolist()))
        assert score - 1 == pytest.approx(between / f.var(), abs=1e-10)
    # Three classes have two directions but the trivial one, all of eigenvalue zero.
    part = SpectralScore("phi3", n_eigenvectors=3).bind(features - features.mean(axis=0), y)
    np.testing.assert_allclose(part.feature_scores(EVERY), 2 * (found - 1), atol=1e-10)


def test_the_laplacian_score_is_phi2_of_neighbours(features):
    settings, _, S = graphs(features)["neighbours"]
    expected = [2 - naive.laplacian_score(f, S) for f in features.T]
    found = SpectralScore(**settings).bind(features).feature_scores(EVERY)
    np.testing.assert_allclose(found, expected, atol=1e-10)


@pytest.mark.parametrize("n_unlike", [4, 0])
def test_where_most_neighbours_are_copies_their_mean_distance_is_the_width(n_unlike, rng):
    X = np.vstack([np.repeat(rng.normal(size=(5, 2)), 4, axis=0), 9 + rng.random((n_unlike, 2))])
    S = naive.neighbour_graph(standardised(X), 3)
    assert len(np.unique(S)) == (8 if n_unlike else 2)
    expected = [2 - naive.laplacian_score(f, S) for f in X.T]
    bound = SpectralScore(graph="neighbours", n_neighbors=3).bind(X)
    np.testing.assert_allclose(bound.feature_scores([0, 1]), expected, atol=1e-10)


def test_phi2_does_not_depend_on_scale_and_offset(features):
    y = features[:, 0] > 0
    moved = features * [1e-5, 1, 1e200, 2, 3] + [1e3, 0, 0, 1, -5]
    np.testing.assert_allclose(
        SpectralScore().bind(moved, y).feature_scores(EVERY),
        SpectralScore().bind(features, y).feature_scores(EVERY),
        atol=1e-6,
    )


@pytest.mark.parametrize("name", ["phi1", "phi2", "phi3"])
@pytest.mark.parametrize("value", [0.1, 0.0])
def test_constant_columns_score_zero_and_a_far_sample_does_no_harm(features, name, value):
    features[:, 4] = value
    features[0, 0] = 1e9
    for graph in ("target", "features", "neighbours"):
        bound = SpectralScore(name, graph=graph).bind(features, features[:, 1])
        scores = bound.feature_scores(EVERY)
        assert scores[4] == 0.0
        assert np.isfinite(scores).all()


@pytest.mark.parametrize("n_neighbors", [1, 3, 8, 23])
@pytest.mark.parametrize("spacing", [1.0, 0.1, 1e5])
def test_of_equally_near_samples_the_first_are_neighbours(rng, n_neighbors, spacing):
    """Of few values, so that integers tell exactly who ties."""
    levels = rng.integers(0, 3, (24, 2))
    exact = ((levels[:, None] - levels) ** 2).sum(axis=2)
    np.fill_diagonal(exact, 100)
    expected = np.argsort(exact, axis=1, kind="stable")[:, :n_neighbors]
    distances, found = spectral._nearest(0.3 + spacing * levels, n_neighbors)
    np.testing.assert_array_equal(np.sort(found), np.sort(expected))
    true = np.take_along_axis(exact, found, axis=1)
    np.testing.assert_allclose(distances, spacing * np.sqrt(true), rtol=1e-9)


@pytest.mark.parametrize("block_numbers", [1, 4_000_000])
def test_neighbours_that_tie_are_not_chosen_by_rounding(rng, monkeypatch, block_numbers):
    monkeypatch.setattr(spectral, "BLOCK_NUMBERS", block_numbers)
    X = rng.integers(0, 4, (30, 3)) * np.array([1.0, 3.7, 0.2])
    measure = SpectralScore(graph="neighbours")
    scores = measure.bind(X).feature_scores(np.arange(3))
    for same in (np.asfortranarray(X), 1e3 * X - 7, X[:, ::-1][:, ::-1], X / 2**520):
        np.testing.assert_allclose(
            measure.bind(same).feature_scores(np.arange(3)), scores, rtol=1e-9
        )


def test_more_neighbours_than_there_are_samples_are_all_others(features):
    S = naive.neighbour_graph(standardised(features), 39)
    expected = [2 - naive.laplacian_score(f, S) for f in features.T]
    for n_neighbors in (39, 1000):
        bound = SpectralScore(graph="neighbours", n_neighbors=n_neighbors).bind(features)
        np.testing.assert_allclose(bound.feature_scores(EVERY), expected, atol=1e-10)


@pytest.mark.parametrize("name", ["phi1", "phi2", "phi3"])
def test_a_sample_that_is_like_no_other_leaves_scores_from_0_to_2(name, rng):
    X = np.append(rng.normal(size=40), 1e6)[:, None]
    [score] = SpectralScore(name, graph="neighbours").bind(X).feature_scores([0])
    assert 0.0 <= score <= 2.0


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"ranking_function": "phi4"}, "ranking_function must be '"),
        ({"graph": "samples"}, "graph must be '"),
        ({"n_neighbors": 0}, "n_neighbors must be an integer of at least 1, got 0"),
        ({"n_eigenvectors": 1}, "n_eigenvectors must be None or an integer of at least 2"),
    ],
)
def test_wrong_settings_of_spectral_scores_are_refused(features, settings, words):
    with pytest.raises(ValueError, match=words):
        SpectralScore(**settings).bind(features, features[:, 0])


def test_the_graph_of_the_target_needs_one(features):
    with pytest.raises(ValueError, match="got y=None; choose 'features'"):
        SpectralScore().bind(features)


@pytest.mark.parametrize("kind", ["classes", "continuous"])
def test_symmetrical_uncertainty_is_information_over_mean_entropy(features, kind):
    y = np.digitize(features[:, 0], [-0.4, 0.6]) if kind == "classes" else features[:, 0]
    bound = SymmetricalUncertainty(categorical=[3], target_kind=kind).bind(features, y)
    levels = [
        f.tolist() if j == 3 else naive_pairwise.three_levels(f.tolist())
        for j, f in enumerate(features.T)
    ]
    target = y.tolist() if kind == "classes" else naive_pairwise.three_levels(y.tolist())

    def uncertainty(a, b):
        information = naive_pairwise.plug_in_information(a, b)
        return 2 * information / (naive.entropy(a) + naive.entropy(b))

    np.testing.assert_allclose(bound.relevance(EVERY), [uncertainty(f, target) for f in levels])
    np.testing.assert_allclose(
        bound.redundancy(EVERY, EVERY[:3]),
        [[uncertainty(f, levels[a]) for a in range(3)] for f in levels],
        atol=1e-9,
    )
    np.testing.assert_array_equal(bound.self_redundancy(EVERY), 1.0)


def test_a_constant_feature_shares_nothing_even_with_itself(features):
    features[:, 4] = 7.0
    bound = SymmetricalUncertainty().bind(features, features[:, 0])
    assert bound.self_redundancy(EVERY).tolist() == [1.0, 1.0, 1.0, 1.0, 0.0]
    assert bound.relevance([4])[0] == 0.0
    assert not bound.redundancy([4], EVERY).any()


@pytest.mark.parametrize("kind", ["two classes", "three classes", "numbers"])
@pytest.mark.parametrize("n_features", [5, 60])
def test_worth_is_half_the_squared_weight_of_scikit_learns_machine(rng, kind, n_features):
    X = standardised(rng.normal(size=(40, n_features)))
    tight = {"dual": True, "tol": 1e-10, "max_iter": 1_000_000, "random_state": 0}
    if kind == "numbers":
        y = standardised(X[:, :1])[:, 0] ** 2
        y = (y - y.mean()) / y.std()
        loss = {"loss": "squared_epsilon_insensitive", "epsilon": 0.1}
        machine = LinearSVR(**loss, **tight).fit(X, y)
    else:
        y = np.digitize(X[:, 0], [0.0] if kind == "two classes" else [-0.5, 0.5])
        machine = LinearSVC(**tight).fit(X, y)
    every = np.arange(n_features)
    worth = LinearSVM().bind(X, y).elimination_scores(every, every)
    expected = 0.5 * (np.atleast_2d(machine.coef_) ** 2).sum(axis=0)
    np.testing.assert_allclose(worth, expected, atol=1e-6 * expected.max())


@pytest.mark.parametrize("C", [0.1, 3.0])
def test_the_score_of_a_set_is_what_scikit_learns_machine_minimises(rng, C):
    X = standardised(rng.normal(size=(40, 4)))
    above = X[:, 0] + rng.normal(size=40) > 0
    machine = LinearSVC(C=C, dual=True, tol=1e-10, max_iter=1_000_000, random_state=0)
    lost = np.maximum(0, 1 - np.where(above, 1, -1) * machine.fit(X, above).decision_function(X))
    norm = np.sum(machine.coef_**2) + np.sum(machine.intercept_**2)
    score = LinearSVM(C).bind(X, above).subset_score(np.arange(4))
    assert score == pytest.approx(-0.5 * norm - C * np.sum(lost**2), rel=1e-6)


@pytest.mark.parametrize("C", [0.1, 3.0])
def test_worth_follows_the_weight_of_the_losses(rng, C):
    X = standardised(rng.normal(size=(40, 4)))
    above = X[:, 0] + rng.normal(size=40) > 0
    machine = LinearSVC(C=C, dual=True, tol=1e-10, max_iter=1_000_000, random_state=0)
    expected = 0.5 * machine.fit(X, above).coef_[0] ** 2
    worth = LinearSVM(C).bind(X, above).elimination_scores(np.arange(4), np.arange(4))
    np.testing.assert_allclose(worth, expected, atol=1e-6 * expected.max())


@pytest.mark.parametrize("measure", [LinearSVM(), KernelSVM()], ids=repr)
def test_several_outputs_have_a_machine_each(rng, measure):
    X, Y = rng.normal(size=(30, 3)), rng.normal(size=(30, 2))
    every = np.arange(3)
    together, *alone = (measure.bind(X, y).elimination_scores(every, every) for y in (Y, *Y.T))
    np.testing.assert_allclose(together, np.sum(alone, axis=0), rtol=5e-3)


def test_removing_a_feature_costs_no_less_than_its_worth_says(rng):
    """With the dual variables free again the loss grows by less than with them held."""
    X = rng.normal(size=(60, 6))
    bound = LinearSVM().bind(X, X[:, 0] + X[:, 1] > 0)
    everything = np.arange(6)
    for gone in range(6):
        real = bound.subset_score(everything) - bound.subset_score(np.delete(everything, gone))
        assert real >= bound.elimination_scores(everything, [gone])[0] - 1e-9


def test_a_wrong_c_is_refused(features):
    with pytest.raises(ValueError, match="C must be a number above 0, got 0"):
        LinearSVM(0).bind(features, features[:, 0])
