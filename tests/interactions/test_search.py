"""The search: all triples against a loop, beams, threads, permutations."""

from dataclasses import replace

import numpy as np
import pytest

from hsieve.interactions.pair_statistic import InteractionTarget
from hsieve.interactions.search import InteractionSearch
from hsieve.kernels import leading_factors
from tests.measures.factors import factors_of
from tests.reference import naive_interactions as naive


def parity(rng, n_samples=150, n_features=9, members=(1, 4, 7)):
    X = rng.choice([-1.0, 1.0], size=(n_samples, n_features))
    return X, (X[:, list(members)].prod(axis=1) > 0).astype(int)


def search_in(X, y, **options):
    options.setdefault("n_permutations", 0)
    most_bytes = options.pop("most_bytes", 2 * 10**9)
    factors = factors_of(X, most_bytes=most_bytes, form=options.pop("form", "auto"))
    return InteractionSearch(factors, InteractionTarget.of(y), **options)


def test_all_triples_find_the_best_one_of_a_loop(rng):
    X, y = parity(rng)
    y = np.where(rng.random(len(y)) < 0.1, 1 - y, y)
    found = search_in(X, y).triples(5, exhaustive=True)
    best = naive.best_triple([naive.number_gram(x) for x in X.T], naive.class_gram(y))
    assert tuple(found.features[0]) == best == (1, 4, 7)
    assert found.n_looked_at == 84
    assert found.complete


def test_every_triple_is_looked_at_once(rng):
    X, y = parity(rng, n_features=7, members=(0, 1, 5))
    X[:, 2:5] = rng.normal(size=(len(X), 3))  # ranks differ, so tiles are not in order
    found = search_in(X, y).triples(1000, exhaustive=True)
    assert found.n_looked_at == 35
    assert len({tuple(members) for members in found.features.tolist()}) == 35
    assert (np.diff(found.features, axis=1) > 0).all()
    assert (np.diff(found.tests.scores) <= 0).all()


@pytest.mark.parametrize("form", ["dense", "coded"])
@pytest.mark.parametrize("exhaustive", [True, False])
def test_pieces_of_memory_do_not_change_triples(form, exhaustive, rng, monkeypatch):
    X, y = rng.normal(size=(100, 10)), rng.integers(0, 2, 100)
    monkeypatch.setattr(leading_factors, "TILE_WIDTH", 2)
    whole, cut = (
        search_in(X, y, most_bytes=most_bytes, form=form).triples(10, exhaustive=exhaustive)
        for most_bytes in (2 * 10**9, 5_000)
    )
    np.testing.assert_array_equal(whole.features, cut.features)
    np.testing.assert_allclose(whole.tests.scores, cut.tests.scores, rtol=1e-6)


def test_beam_extends_a_strong_pair(rng):
    """The pair (0, 1) shows itself; the third feature turns its effect round now and then."""
    X = rng.choice([-1.0, 1.0], size=(400, 40))
    effect = X[:, 0] * X[:, 1] * np.where(X[:, 2] > 0, 1.0, -0.4)
    y = (rng.uniform(-1, 1, 400) < effect).astype(int)
    found = search_in(X, y).triples(5, exhaustive=False)
    assert found.features[0].tolist() == [0, 1, 2]


def test_beam_reports_each_triple_once_and_none_with_a_feature_twice(rng):
    found = search_in(rng.normal(size=(80, 8)), rng.integers(0, 2, 80)).triples(
        1000, exhaustive=False
    )
    assert len({tuple(members) for members in found.features.tolist()}) == len(found.features) == 56
    assert (np.diff(found.features, axis=1) > 0).all()


def test_beam_that_tested_all_triples_is_complete(rng):
    found = search_in(rng.normal(size=(80, 8)), rng.integers(0, 2, 80)).triples(
        50, exhaustive=False
    )
    assert found.complete


@pytest.mark.parametrize("what", ["pairs", "triples"])
def test_number_of_threads_does_not_matter(what, rng, monkeypatch):
    X, y = rng.normal(size=(100, 14)), rng.integers(0, 3, 100)
    monkeypatch.setattr(leading_factors, "TILE_WIDTH", 3)
    one, three = (
        getattr(search_in(X, y, n_threads=n_threads, n_permutations=3), what)(10)
        for n_threads in (1, 3)
    )
    np.testing.assert_array_equal(one.features, three.features)
    np.testing.assert_allclose(one.tests.scores, three.tests.scores, rtol=1e-9)
    np.testing.assert_allclose(one.family_wise, three.family_wise, rtol=1e-6)


@pytest.mark.parametrize("what", ["pairs", "triples"])
def test_no_permutations_tell_nothing_about_chance(what, rng):
    found = getattr(search_in(*parity(rng)), what)(5)
    assert np.isnan(found.family_wise).all()
    assert np.isnan(found.false_discovery).all()
    assert np.isfinite(found.tests.scores).all()


def test_seed_decides_the_permutations(rng):
    search = search_in(rng.normal(size=(60, 12)), rng.integers(0, 2, 60), n_permutations=5)
    first, again, other = (replace(search, seed=seed).pairs(3).family_wise for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_permutations_over_drawn_features_say_the_same_as_over_all(rng, monkeypatch):
    X, y = rng.normal(size=(100, 60)), rng.integers(0, 2, 100)
    search = search_in(X, y, n_permutations=30)
    over_all = search.pairs(5).family_wise
    monkeypatch.setattr("hsieve.interactions.search.FEW_ENOUGH", {2: 10})
    over_drawn = search.pairs(5).family_wise
    np.testing.assert_allclose(np.log(over_drawn), np.log(over_all), atol=1.2)


def test_sweeps_look_at_the_heaviest_columns_of_the_target(rng):
    target = InteractionTarget.of(rng.normal(size=200), kernel="gaussian")
    leading = target.leading()
    assert 2 <= len(leading.columns) < len(target.columns)
    assert leading.weights().sum() >= 0.95 * target.weights().sum()
    assert leading.weights()[:-1].sum() < 0.95 * target.weights().sum()
    np.testing.assert_array_equal(leading.columns, target.columns[: len(leading.columns)])
    three_classes = InteractionTarget.of(np.arange(90) % 3)
    assert len(three_classes.leading().columns) == len(three_classes.columns) == 2


def test_best_pairs_are_the_best_of_all_tested(rng):
    """Testing from the top down by evidence loses none of those wanted."""
    X, y = rng.normal(size=(120, 30)), rng.integers(0, 2, 120)
    search = search_in(X, y)
    few, everything = search.pairs(5), search.pairs(435)
    assert few.complete
    assert len(everything.features) == 435
    np.testing.assert_array_equal(few.features, everything.features[:5])
