"""Knockoffs: the law against its literal form, exchangeability, thresholds and e-values."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.covariance import ledoit_wolf_shrinkage

from hsieve.inference.knockoff_filter import e_values, knockoff_threshold, selected_by_e_values
from hsieve.inference.knockoffs import (
    DenseLaw,
    LowRankLaw,
    SparseLaw,
    in_order_of,
    knockoff_law,
    normal_scores,
    shrinkage,
    sparse_correlations,
)
from tests.reference import naive_knockoffs as naive

LAWS = [DenseLaw, LowRankLaw]


def chained(n_samples, n_features, seed=0, correlation=0.6):
    """Features of which each is correlated with the one before."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    for j in range(1, n_features):
        X[:, j] = correlation * X[:, j - 1] + np.sqrt(1 - correlation**2) * X[:, j]
    return X


def scores_of(*shape, **options):
    return normal_scores(chained(*shape, **options), np.random.default_rng(1))


@pytest.mark.parametrize("shape", [(40, 6), (15, 30)])
def test_shrinkage_is_that_of_ledoit_and_wolf(shape):
    Z = scores_of(*shape)
    assert_allclose(shrinkage(Z), naive.ledoit_wolf(Z))
    assert_allclose(shrinkage(Z), ledoit_wolf_shrinkage(Z, assume_centered=True))


def test_normal_scores_follow_ranks_and_break_ties_both_ways():
    x = np.repeat([3.0, 1.0, 2.0], 40)[:, None]
    one, two = (normal_scores(x, np.random.default_rng(seed)) for seed in (0, 1))
    assert_allclose([one.mean(), one.std()], [0, 1], atol=1e-12)
    assert one[40:80].max() < one[80:].min() < one[80:].max() < one[:40].min()
    assert not np.array_equal(one, two)
    values = in_order_of(-one, x)
    assert np.array_equal(np.sort(values, axis=0), np.sort(x, axis=0))
    assert np.all(values[40:80] == 3.0)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("shape", [(80, 8), (20, 30)])
def test_draws_have_the_literal_mean_and_covariance(law, shape):
    Z = scores_of(*shape)
    ours = law(Z, shrinkage(Z))
    mean, covariance = naive.knockoff_moments(Z, ours.identity, ours.distances)
    rng = np.random.default_rng(2)
    n_draws = 3000
    noise = np.array([ours.draw(rng) - mean for _ in range(n_draws)])
    assert np.abs(noise.mean(axis=0)).max() < 5 * np.sqrt(covariance.max() / n_draws)
    pooled = noise.reshape(-1, shape[1])
    assert_allclose(pooled.T @ pooled / len(pooled), covariance, atol=5 * 2 / np.sqrt(len(pooled)))


@pytest.mark.parametrize("shape", [(80, 8), (20, 30)])
def test_distances_have_the_greatest_entropy(shape):
    Z = scores_of(*shape)
    law = DenseLaw(Z, shrinkage(Z))
    C = law.identity * np.eye(shape[1]) + (1 - law.identity) / shape[0] * Z.T @ Z
    assert_allclose(law.distances, naive.entropy_distances(C, 30), atol=2e-3)
    # Many samples of few correlated features: the bound of the form of low rank matters.
    low = LowRankLaw(Z, law.identity).distances
    assert np.linalg.eigvalsh(2 * C - np.diag(low))[0] > 0
    assert low.max() < 2 * law.identity


def test_knockoffs_of_few_samples_keep_the_correlations_with_neighbours():
    # Shrinkage makes these too small, by 0.14 here, and the graphical lasso by 0.04, so that
    # neighbours of relevant features seem to be relevant.
    Z = scores_of(200, 100)
    law = knockoff_law(Z)
    assert isinstance(law, SparseLaw)
    rng = np.random.default_rng(3)

    def gap(law):
        drawn = np.mean([law.draw(rng) for _ in range(5)], axis=0)
        return np.mean(Z[:, 1:] * (Z[:, :-1] - drawn[:, :-1]))

    assert abs(gap(law)) < 0.02
    assert gap(DenseLaw(Z, shrinkage(Z))) > 0.1


def test_sparse_correlations_have_the_greatest_likelihood_of_their_pattern():
    # Then they are those of the scores where the inverse is not zero (Dempster, 1972).
    Z = scores_of(300, 30)
    C = sparse_correlations(Z, 1.5)
    inverse, products = np.linalg.inv(C), Z.T @ Z / 300
    depends = np.abs(inverse) > 0.01
    assert np.all(np.diag(depends, 1))
    assert 30 + 2 * 29 <= depends.sum() < 200
    assert np.abs(inverse[~depends]).max() < 0.01
    assert_allclose(C[depends], products[depends], atol=2e-3)


def test_a_sparse_law_has_the_mean_and_covariance_of_its_matrix():
    Z = scores_of(60, 5)
    C = 0.4 ** np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
    law = SparseLaw(Z, C)
    D = np.diag(law.distances)
    rng = np.random.default_rng(2)
    drawn = np.array([law.draw(rng) for _ in range(2000)]) - (Z - Z @ np.linalg.inv(C) @ D)
    assert np.abs(drawn.mean(axis=0)).max() < 0.12
    pooled = drawn.reshape(-1, 5)
    expected = 2 * D - D @ np.linalg.inv(C) @ D
    assert_allclose(pooled.T @ pooled / len(pooled), expected, atol=0.03)


def test_features_of_common_factors_are_not_taken_for_sparse():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(100, 3)) @ rng.normal(size=(3, 80)) + rng.normal(size=(100, 80))
    assert not isinstance(knockoff_law(normal_scores(X, rng)), SparseLaw)


@pytest.mark.parametrize("correlation", [0.3, 0.8])
def test_features_and_knockoffs_can_be_swapped(correlation):
    n, d = 20_000, 6
    Z = scores_of(n, d, correlation=correlation)
    law = knockoff_law(Z)
    X = np.exp(chained(n, d, correlation=correlation))
    rng = np.random.default_rng(3)
    both = np.hstack([Z, normal_scores(in_order_of(law.draw(rng), X), rng)])
    C = both.T @ both / n
    for swapped in ([0], [1, 4], [0, 2, 3, 5]):
        order = np.arange(2 * d)
        order[swapped], order[d + np.array(swapped)] = d + np.array(swapped), swapped
        assert_allclose(C[np.ix_(order, order)], C, atol=0.03)
    assert_allclose(1 - np.diag(C[:d, d:]), law.distances, atol=0.03)


def test_many_features_take_the_form_of_low_rank():
    Z = scores_of(30, 1200)
    law = knockoff_law(Z)
    assert isinstance(law, LowRankLaw)
    drawn = law.draw(np.random.default_rng(0))
    assert drawn.shape == Z.shape
    assert_allclose(drawn.std(), 1, atol=0.1)


def test_copies_of_a_feature_have_no_room_for_knockoffs_of_their_own():
    X = chained(2000, 5, correlation=0.2)
    X[:, 4] = X[:, 0]
    Z = normal_scores(X, np.random.default_rng(0))
    law = knockoff_law(Z)
    assert law.distances[[0, 4]].max() < 0.02
    assert law.distances[1:4].min() > 0.5


@pytest.mark.parametrize("fdr", [0.1, 0.2, 0.5])
def test_thresholds_and_e_values_are_the_literal_ones(fdr):
    rng = np.random.default_rng(4)
    n_selected = []
    for trial in range(200):
        draws = [
            np.round(rng.normal(1.5 * (np.arange(40) < 20), 1), 1) for _ in range(trial % 4 + 1)
        ]
        assert knockoff_threshold(draws[0], fdr) == naive.knockoff_threshold(draws[0], fdr)
        chosen = selected_by_e_values(e_values(draws, fdr), fdr)
        assert chosen.tolist() == naive.selected_by_e_values(draws, fdr)
        n_selected.append(len(chosen))
    assert min(n_selected) == 0 < max(n_selected) or fdr == 0.5


def test_one_draw_selects_what_the_knockoff_filter_selects():
    rng = np.random.default_rng(5)
    for _ in range(100):
        W = rng.normal(np.arange(60) < 25, 0.7)
        chosen = selected_by_e_values(e_values([W], 0.2), 0.2)
        assert np.array_equal(chosen, np.flatnonzero(knockoff_threshold(W, 0.2) <= W))
