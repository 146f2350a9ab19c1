"""What scales pairs beside features: how much more relevant the best pair is by chance."""

import numpy as np
import pytest
from scipy import stats

from hsieve import PairwiseHSIC
from hsieve.interactions.atoms import _times_as_relevant_by_chance, with_pairs
from hsieve.measures.targets import heaviest, target_factor
from tests.measures.factors import factors_of
from tests.reference import naive_interactions as naive

N = 60


def exceeded(weights, chance):
    """Quantile of a sum of chi-squares with these weights, by its first three cumulants."""
    mean, variance = weights.sum(), 2 * (weights**2).sum()
    skewness = 8 * (weights**3).sum() / variance**1.5
    return stats.pearson3(skewness, loc=mean, scale=np.sqrt(variance)).isf(chance)


@pytest.mark.parametrize("n_features", [2, 5])
@pytest.mark.parametrize("normalised", [True, False])
def test_pairs_are_scaled_by_the_law_of_weighted_chi_squares(normalised, n_features, rng):
    values, y = rng.normal(size=N), rng.normal(size=N)
    X = np.column_stack([rng.permutation(values) for _ in range(n_features)])
    columns = heaviest(target_factor(y, "continuous"), 0.99)
    found = _times_as_relevant_by_chance(factors_of(X), columns, normalised=normalised)

    of_target = np.linalg.eigvalsh(columns @ columns.T)
    single = np.linalg.eigvalsh(naive.centred(naive.number_gram(values)))[-3:]
    pair = np.outer(single, single).ravel() / N
    n_pairs = n_features * (n_features - 1) / 2
    best_single = exceeded(np.outer(single, of_target).ravel() / N, 0.5 / n_features)
    best_pair = exceeded(np.outer(pair, of_target).ravel() / N, 0.001 / n_pairs)
    if normalised:
        best_single /= np.linalg.norm(single)
        best_pair /= np.linalg.norm(pair)
    assert found == pytest.approx(best_pair / best_single, rel=1e-4)


def test_a_constant_feature_beside_pairs_is_redundant_with_nothing(rng):
    X, y = rng.normal(size=(N, 3)), rng.integers(0, 2, N)
    X[:, 1] = 5.0
    atoms = with_pairs(PairwiseHSIC().bind(X, y), 3, [])
    assert atoms.pairs.tolist() == [[0, 2]]
    redundancy = atoms.redundancy(np.arange(4), np.arange(4))
    assert not redundancy[1].any()
    assert not redundancy[:, 1].any()
    assert (np.delete(np.delete(redundancy, 1, axis=0), 1, axis=1) > 0).all()


@pytest.mark.parametrize("normalised", [True, False])
def test_without_features_that_vary_there_is_no_pair(normalised, rng):
    X, y = rng.normal(size=(N, 3)), rng.integers(0, 2, N)
    measure = PairwiseHSIC(normalised=normalised)
    for columns, barred in ((X, [0, 1, 2]), (np.full((N, 3), 5.0), []), (X, [0, 2])):
        atoms = with_pairs(measure.bind(columns, y), 3, barred)
        assert atoms.pairs.shape == (0, 2)
        assert atoms.n_features == 3
