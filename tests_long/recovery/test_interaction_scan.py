"""Known interactions come first, and noise holds none, with the stated probability."""

import time

import joblib
import numpy as np
import pytest
from scipy.stats import binom

from hsieve import InteractionScan
from hsieve.datasets import make_xor

KINDS = ["binary", "clustered", "continuous"]
N_SEEDS = 20
LEVEL = 0.05
N_NULL_SETS = 1000
CONFIDENCE = 0.999


def xor_pair_is_first(n, d, kind, seed):
    """The columns are permuted, so that no tie is broken in favour of the true pair."""
    problem = make_xor(n, d, kind=kind, shuffle=True, random_state=seed)
    scan = InteractionScan(n_permutations=0, n_pairs=2).fit(problem.X, problem.y)
    return scan.pairs_[0].features == tuple(problem.relevant.tolist())


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "least"), [(1000, 20), (300, 19)])
def test_the_pair_of_an_xor_is_the_first_of_fifty_million(kind, n, least):
    start = time.perf_counter()
    found = sum(xor_pair_is_first(n, 10_000, kind, seed) for seed in range(N_SEEDS))
    seconds = (time.perf_counter() - start) / N_SEEDS
    print(f"xor, {kind}, n={n} d=10000: {found} of {N_SEEDS}, {seconds:.1f} s a run with the data")
    assert found >= least


@pytest.mark.parametrize("kind", KINDS)
def test_the_pair_of_an_xor_is_the_first_of_some_thousands(kind):
    assert all(xor_pair_is_first(300, 300, kind, seed) for seed in range(3))


def parity_triple_is_first(kind, seed, n=500, d=100):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n, d)) * 2.0 - 1 if kind == "binary" else rng.normal(size=(n, d))
    true = np.sort(rng.choice(d, 3, replace=False))
    y = np.sign(X[:, true]).prod(axis=1)
    scan = InteractionScan(order=3, n_permutations=0, n_pairs=2).fit(X, y)
    return scan.triples_[0].features == tuple(true.tolist())


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["binary", "continuous"])
def test_the_triple_of_a_parity_is_the_first_of_all(kind):
    found = sum(parity_triple_is_first(kind, seed) for seed in range(N_SEEDS))
    print(f"parity of three, {kind}, n=500 d=100: {found} of {N_SEEDS}")
    assert found >= 18


@pytest.mark.parametrize("kind", ["binary", "continuous"])
def test_the_triple_of_a_parity_is_the_first_of_some_hundreds(kind):
    assert all(parity_triple_is_first(kind, seed, d=15) for seed in range(3))


def normal_features_and_classes(rng, n=100, d=60):
    return rng.normal(size=(n, d)), rng.integers(0, 2, n)


def correlated_features_and_numbers(rng, n=100, d=60):
    """Features of ten groups, correlated by 0.7 within a group."""
    shared = np.repeat(rng.normal(size=(n, 10)), d // 10, axis=1)
    return np.sqrt(0.7) * shared + np.sqrt(0.3) * rng.normal(size=(n, d)), rng.normal(size=n)


def genotypes_and_unequal_classes(rng, n=100, d=60):
    """One case for four controls."""
    frequencies = rng.uniform(0.1, 0.5, d)
    return rng.binomial(2, frequencies, (n, d)), (np.arange(n) % 5 == 0).astype(int)


def near_copies_and_classes(rng, n=100, d=60):
    """As the correlated features, but correlated by 0.99."""
    shared = np.repeat(rng.normal(size=(n, 10)), d // 10, axis=1)
    return np.sqrt(0.99) * shared + 0.1 * rng.normal(size=(n, d)), rng.integers(0, 2, n)


NULL_SETS = [
    normal_features_and_classes,
    correlated_features_and_numbers,
    genotypes_and_unequal_classes,
    near_copies_and_classes,
]


def best_family_wise_p(make, seed, order=2):
    """Seeds of data and of permutations differ: the same would tie them together."""
    X, y = make(np.random.default_rng([order, seed]))
    scan = InteractionScan(order=order, n_pairs=1, n_threads=1, random_state=seed).fit(X, y)
    return (scan.pairs_ if order == 2 else scan.triples_)[0].family_wise_p


def rate_of_false_discoveries(make, n_sets, order=2):
    """Two processes; joblib leaves one BLAS thread to each."""
    p_values = np.array(
        joblib.Parallel(n_jobs=2)(
            joblib.delayed(best_family_wise_p)(make, seed, order) for seed in range(n_sets)
        )
    )
    levels = (0.01, LEVEL, 0.1, 0.5)
    rates = ", ".join(f"{(p_values < level).mean():.3f} below {level}" for level in levels)
    print(f"{make.__name__}, order {order}, {n_sets} sets: {rates}")
    return int((p_values < LEVEL).sum())


@pytest.mark.slow
@pytest.mark.parametrize("make", NULL_SETS)
def test_noise_has_a_significant_pair_as_often_as_stated(make):
    """The family-wise error at 5 % lies in the band that holds 99.9 % of binomial counts."""
    low, high = binom.interval(CONFIDENCE, N_NULL_SETS, LEVEL)
    assert low <= rate_of_false_discoveries(make, N_NULL_SETS) <= high


@pytest.mark.parametrize("make", NULL_SETS)
def test_noise_seldom_has_a_significant_pair(make):
    """The same for few sets, in this process."""
    n_sets = 20
    found = sum(best_family_wise_p(make, seed) < LEVEL for seed in range(n_sets))
    assert found <= binom.ppf(CONFIDENCE, n_sets, LEVEL)
