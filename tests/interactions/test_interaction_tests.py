"""Tests of single pairs and triples: against least squares, under independence, on copies."""

import numpy as np
import pytest
from scipy import stats

from hsieve.interactions.pair_statistic import InteractionTarget
from hsieve.interactions.tests import InteractionTester
from hsieve.kernels.null_laws import (
    MatrixMoments,
    log_gamma_tail,
    permutation_law,
    weighted_sum_skewness,
)
from tests.measures.factors import factors_of
from tests.reference import naive_interactions as naive

ONLY_PAIR = np.array([[0, 1]])


def result_of(X, y, tuples=ONLY_PAIR, *, categorical=(), kernel="linear"):
    factors = factors_of(X, categorical=categorical)
    most = factors.most_columns.copy()
    most[list(categorical)] = 9
    target = InteractionTarget.of(y, kernel=kernel)
    return InteractionTester(factors.store, most).test(np.asarray(tuples), target)


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_pair_test_equals_least_squares(kind, rng):
    """200 samples, levels few enough that every own effect is projected out whole."""
    X = rng.integers(0, 4, (200, 2)).astype(float)
    X[:, 1] = np.where(rng.random(200) < 0.5, X[:, 0], X[:, 1])
    signal = (X[:, 0] - 1.5) * (X[:, 1] - 1.5) + rng.uniform(-2, 2, 200)
    y = (signal > 0).astype(int) if kind == "classes" else signal
    L = naive.class_gram(y) if kind == "classes" else naive.output_gram(y)
    K = [naive.number_gram(x) for x in X.T]
    statistic, n_free, together, left = naive.projected_statistic(*K, L, rank=3, n_own=3)
    moments = [MatrixMoments.of_rows(rows.T, n_free) for rows in (together, left)]
    skewness = weighted_sum_skewness(*moments)
    expected = -log_gamma_tail(statistic, *permutation_law(*moments), skewness)
    assert expected > 5
    assert result_of(X, y, kernel="gaussian").scores[0] == pytest.approx(float(expected), rel=2e-3)


def test_strength_is_the_cosine_of_kernels(rng):
    X = rng.choice([-1.0, 1.0], size=(100, 2))
    y = (X.prod(axis=1) > 0).astype(int)
    found = result_of(X, y)
    assert 0.9 < found.strengths[0] <= 1 + 1e-6
    own = naive.centred(naive.number_gram(X[:, 0]))
    L = naive.centred(naive.class_gram(y))
    cosine = np.sum(own * L) / np.linalg.norm(own) / np.linalg.norm(L)
    assert found.own_strengths[0, 0] == pytest.approx(cosine, abs=1e-4)


def own_targets(x, rng):
    """Targets that depend on one feature alone, straight, bent and waved."""
    noise = 0.1 * rng.normal(size=len(x))
    middle = x - x.mean()
    return [
        middle + noise,
        middle**2 + noise,
        np.sin(3 * middle) + noise,
        (middle > 0).astype(int),
        (np.abs(middle) > np.median(np.abs(middle))).astype(int),
    ]


@pytest.mark.parametrize("n", [60, 300])
@pytest.mark.parametrize("levels", [2, 3])
def test_few_valued_feature_and_its_copy_score_zero_whatever_the_target_is(n, levels, rng):
    x = rng.integers(0, levels, n).astype(float)
    for y in own_targets(x, rng):
        assert result_of(np.column_stack([x, x]), y).scores[0] == 0
        assert result_of(np.column_stack([x, 1 - 2 * x]), y).scores[0] == 0


@pytest.mark.parametrize("n", [24, 60, 100, 400])
@pytest.mark.parametrize("levels", [3, 5, 8, 12])
def test_category_and_its_copy_are_not_significant(n, levels, rng):
    x = rng.permutation(np.arange(n) % levels).astype(float)
    y = (x % 2).astype(int)
    found = result_of(np.column_stack([x, x]), y, categorical=[0, 1])
    assert found.scores[0] < -np.log(0.01)


@pytest.mark.parametrize("n", [60, 150, 300])
@pytest.mark.parametrize("draw", ["normal", "uniform", "lognormal"])
def test_continuous_feature_and_its_copy_are_not_significant(n, draw, rng):
    x = getattr(rng, draw)(size=n)
    for y in own_targets(stats.rankdata(x) / n * 4 - 2, rng):
        found = result_of(np.column_stack([x, x]), y)
        assert found.scores[0] < -np.log(0.001)


@pytest.mark.parametrize("noise", [1e-6, 0.01])
def test_continuous_feature_and_a_near_copy_are_not_significant(noise, rng):
    x = rng.normal(size=300)
    X = np.column_stack([x, x + noise * rng.normal(size=300)])
    for y in own_targets(x, rng):
        assert result_of(X, y).scores[0] < -np.log(0.001)


@pytest.mark.parametrize("features", ["numbers", "genotypes", "mixed"])
@pytest.mark.parametrize("target", ["classes", "numbers"])
def test_p_values_are_uniform_under_independence(features, target):
    """300 simulated sets of 100 samples."""
    p_values = []
    for seed in range(300):
        rng = np.random.default_rng([seed, 17])
        X = rng.normal(size=(100, 2))
        if features != "numbers":
            X[:, 0] = rng.integers(0, 3, 100)
        if features == "genotypes":
            X[:, 1] = rng.integers(0, 3, 100)
        y = rng.integers(0, 2, 100) if target == "classes" else rng.normal(size=100)
        p_values.append(np.exp(-result_of(X, y).scores[0]))
    assert stats.kstest(p_values, "uniform").pvalue > 1e-3


def test_own_effects_on_classes_do_not_make_p_values_small():
    """Own effects that add up in the chance of a class."""
    scores = []
    for seed in range(150):
        rng = np.random.default_rng([seed, 23])
        X = rng.choice([-1.0, 1.0], size=(150, 2))
        y = (rng.uniform(-1, 1, 150) < 0.4 * X.sum(axis=1)).astype(int)
        scores.append(result_of(X, y).scores[0])
    assert np.mean(np.exp(-np.array(scores)) < 0.05) < 0.12


def test_triple_of_parity_is_significant_and_its_pairs_are_not(rng):
    X = rng.normal(size=(300, 4))
    y = (X[:, :3].prod(axis=1) > 0).astype(int)
    triples = result_of(X, y, [(0, 1, 2), (0, 1, 3)])
    pairs = result_of(X, y, [(0, 1), (0, 2), (1, 2)])
    assert triples.scores[0] > 30
    assert max(triples.scores[1], pairs.scores.max()) < 10


def test_pair_with_a_bystander_is_no_triple(rng):
    """What two features tell together is projected out of the triple."""
    X = rng.choice([-1.0, 1.0], size=(300, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    assert result_of(X, y, [(0, 1, 2)]).scores[0] < -np.log(1e-3)
    assert result_of(X, y).scores[0] > 100


def test_batches_do_not_change_the_tests(rng, monkeypatch):
    X = np.column_stack([rng.normal(size=(80, 4)), rng.integers(0, 3, (80, 3))])
    y = rng.integers(0, 3, 80)
    pairs = np.array([(a, b) for a in range(7) for b in range(a + 1, 7)])
    expected = result_of(X, y, pairs)
    monkeypatch.setattr("hsieve.interactions.tests.USUAL_BYTES", 1)
    found = result_of(X, y, pairs)
    for name in ("scores", "strengths", "own_strengths", "own_shares"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-8)


def test_no_tuples_give_no_tests(rng):
    found = result_of(rng.normal(size=(30, 3)), np.arange(30) % 2, np.empty((0, 3), dtype=np.intp))
    assert found.scores.shape == (0,)
    assert found.own_shares.shape == (0, 3)


@pytest.mark.parametrize("target", ["classes", "numbers"])
def test_small_p_values_are_as_rare_as_they_say(target):
    """Some 60,000 pairs of features that tell nothing, at one in a thousand."""
    scores = []
    for seed in range(10):
        rng = np.random.default_rng([seed, 31])
        X = rng.normal(size=(150, 110))
        y = rng.integers(0, 2, 150) if target == "classes" else rng.normal(size=150)
        pairs = np.array([(a, b) for a in range(110) for b in range(a + 1, 110)])
        scores.append(result_of(X, y, pairs).scores)
    rare = np.mean(np.concatenate(scores) > np.log(1000.0))
    assert 0.5e-3 < rare < 2e-3
