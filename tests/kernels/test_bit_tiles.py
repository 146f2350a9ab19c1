"""Features of few values as bits, against products of their factors sample by sample."""

import numpy as np
import pytest

from hsieve.data.arrays import as_blocks
from hsieve.interactions.pair_statistic import WORTH_COMPILING, InteractionTarget
from hsieve.interactions.sweep import strongest_pairs
from hsieve.kernels.bit_tiles import BitTile, ClassTarget, WeightedBits
from hsieve.kernels.leading_factors import LeadingFactors
from hsieve.measures.pairwise import PairwiseHSIC
from tests.reference import naive_bits

N = 150  # two words of bits and a part of a third


def tiles_of(X):
    """Tiles of features, by rank."""
    bound = PairwiseHSIC().bind(as_blocks(X), X[:, 0])
    factors = LeadingFactors.of(bound.store, np.arange(X.shape[1]), 3, 10**9)
    return {tile.rank: tile for tile in factors.tiles(factors.features)}


@pytest.fixture(scope="module")
def tiles():
    rng = np.random.default_rng(5)
    genotypes = rng.binomial(2, rng.uniform(0.1, 0.5, 6), (N, 6))
    bits = rng.random((N, 5)) < rng.uniform(0.1, 0.9, 5)
    return tiles_of(np.hstack([genotypes, bits]).astype(float))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("ranks", [(1, 1), (1, 2), (2, 1), (2, 2)])
def test_products_are_those_of_the_samples(tiles, ranks, n_classes, rng):
    first, second = (tiles[rank] for rank in ranks)
    target = InteractionTarget.of(rng.integers(0, n_classes, N)).for_sweep(WORTH_COMPILING)
    assert len(target.rows) == n_classes - 1
    weighted = WeightedBits.of(first.bits, target.classes)
    shape = len(first.features), len(second.features)
    statistics, traces = np.empty(shape, np.float32), np.empty(shape, np.float32)
    weighted.products(second.bits, statistics, traces)
    expected = naive_bits.products(first.rows, second.rows, target.rows)
    np.testing.assert_allclose(statistics, expected[0], rtol=1e-4, atol=1e-5 * N)
    np.testing.assert_allclose(traces, expected[1], rtol=1e-4)


def test_a_feature_of_four_values_has_no_bits(rng):
    tile = tiles_of(rng.integers(0, 4, (N, 3)).astype(float))[3]
    assert tile.bits is None
    # Neither have two columns of more levels.
    assert BitTile.of(tile.rows[:2]) is None


@pytest.mark.parametrize("kind", ["numbers", "five classes"])
def test_a_target_of_many_values_has_no_classes(kind, rng):
    y = rng.normal(size=N) if kind == "numbers" else rng.integers(0, 5, N)
    assert InteractionTarget.of(y, "auto").for_sweep(WORTH_COMPILING).classes is None


def test_a_small_sweep_compiles_nothing(rng):
    assert InteractionTarget.of(rng.integers(0, 2, N)).for_sweep(1000).classes is None


def test_the_strongest_pairs_are_the_same(rng):
    X = rng.binomial(2, 0.4, (N, 30)).astype(float)
    X[:, 7] = X[:, 3]  # a copy
    X[:, 20:25] = rng.normal(size=(N, 5))  # no bits
    y = (X[:, 3] == 1) ^ (X[:, 11] == 1)
    bound = PairwiseHSIC().bind(as_blocks(X), y)
    factors = LeadingFactors.of(bound.store, np.arange(30), 2, 10**9)
    found = [
        strongest_pairs(factors, InteractionTarget.of(y).for_sweep(n_pairs), n_kept=40)
        for n_pairs in (0, WORTH_COMPILING)
    ]
    np.testing.assert_array_equal(found[0].features, found[1].features)
    np.testing.assert_allclose(found[0].scores, found[1].scores, rtol=1e-3)
    assert found[1].features[:2].tolist() == [[3, 11], [7, 11]]
    assert found[1].scores[0] == found[1].scores[1]


def test_classes_are_told_by_the_factor():
    target = ClassTarget.of(np.array([[0.5, -0.5, 0.5 + 1e-9, -0.5]]))
    assert sorted(target.weights[0].tolist()) == [-0.5, 0.5]
    assert target.members.tolist() == [[0b01010000], [0b10100000]]
