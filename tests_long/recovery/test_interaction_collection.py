"""What InteractionScan finds on the data sets of the collection whose true features are known.

Family-wise p-values below 5 % count as found; the story in words is in
docs/explanation/interactions.md.
"""

import itertools

import numpy as np
import pytest

from hsieve import InteractionScan
from reproduction.collection import load_dataset
from tests import needs

LEVEL = 0.05

pytestmark = needs.collection


def scan_of(name, **settings):
    data = load_dataset(name)
    return InteractionScan(**settings).fit(data.X, data.y), data


def found(interactions):
    return [one.features for one in interactions if one.family_wise_p < LEVEL]


@pytest.mark.parametrize(
    ("name", "true_pairs"),
    [
        ("gametes_2way_20a_0.4h", {(18, 19)}),
        ("gametes_2way_20a_0.1h", {(18, 19)}),
        ("gametes_2way_1000a_0.4h", {(998, 999)}),
        ("gametes_het50_20a", {(16, 17), (18, 19)}),
        ("corral", {(0, 1), (2, 3)}),
        ("monk1", {(0, 1)}),
    ],
)
def test_the_true_pairs_are_first_and_alone(name, true_pairs):
    scan, data = scan_of(f"interaction/{name}")
    assert set(found(scan.pairs_)) == true_pairs
    first = scan.pairs_[: len(true_pairs)]
    assert {pair.features for pair in first} == true_pairs
    assert all(pair.family_wise_p < 1e-6 for pair in first)
    if name != "monk1":
        assert set(scan.selected_indices_[: 2 * len(true_pairs)]) == set(data.relevant)


@pytest.mark.parametrize("name", ["gametes_2way_20a_0.4h", "gametes_het50_20a"])
def test_genotypes_of_pure_epistasis_tell_nothing_alone(name):
    scan, data = scan_of(f"interaction/{name}")
    for pair in scan.pairs_[: len(data.relevant) // 2]:
        assert max(pair.own_shares) < 0.01


@pytest.mark.parametrize("categorical", [(), range(6)])
def test_monk1_has_a_pair_and_a_triple(categorical):
    """y is "column 0 equals column 1, or column 4 is 2": in the latter case the pair is idle."""
    scan, _ = scan_of("interaction/monk1", order=3, categorical=categorical)
    assert found(scan.pairs_) == [(0, 1)]
    assert found(scan.triples_) == [(0, 1, 4)]


def test_monk1_is_seen_better_as_categories():
    """Equality is no smooth function of codes."""
    as_numbers, _ = scan_of("interaction/monk1", order=3)
    as_categories, _ = scan_of("interaction/monk1", order=3, categorical=range(6))
    assert as_categories.pairs_[0].score > 1.1 * as_numbers.pairs_[0].score
    assert as_categories.triples_[0].score > 2 * as_numbers.triples_[0].score


@pytest.mark.parametrize("categorical", [(), range(6)])
def test_monk2_has_many_weak_pairs(categorical):
    """y is "exactly two of six conditions": every pair counts, those of two-valued columns most."""
    scan, _ = scan_of("interaction/monk2", order=3, categorical=categorical)
    assert scan.pairs_[0].features == (2, 5)
    assert scan.pairs_[0].family_wise_p < 1e-3
    assert len(found(scan.pairs_)) >= 3
    assert all({2, 5} & set(pair.features) for pair in scan.pairs_[:8])
    assert found(scan.triples_) == []


def test_xd6_shows_its_three_triples_and_the_pairs_within_them():
    scan, _ = scan_of("interaction/xd6", order=3)
    triples = [(0, 1, 2), (3, 4, 5), (6, 7, 8)]
    assert set(found(scan.triples_)) == set(triples)
    within = {pair for triple in triples for pair in itertools.combinations(triple, 2)}
    assert set(found(scan.pairs_)) == within
    assert {pair.features for pair in scan.pairs_[:9]} == within


def test_mofn_has_all_pairs_of_its_bits_first_and_no_triple():
    """At least three of seven: all 21 pairs weigh the same, so noise alone orders them."""
    scan, data = scan_of("interaction/mofn_3_7_10", order=3)
    true_pairs = set(itertools.combinations(data.relevant.tolist(), 2))
    assert {pair.features for pair in scan.pairs_[:21]} == true_pairs
    assert scan.pairs_[20].p_value < 0.01
    assert scan.pairs_[21].p_value > 0.3
    assert len(found(scan.pairs_)) >= 10
    assert found(scan.triples_) == []


def test_parity_of_five_is_out_of_reach():
    """No four of the five bits tell anything, and the scan says that it found nothing."""
    scan, _ = scan_of("interaction/parity5+5", order=3)
    assert found(scan.pairs_) == found(scan.triples_) == []
    assert min(one.family_wise_p for one in scan.pairs_ + scan.triples_) > 0.5


@pytest.fixture(scope="module")
def madelon():
    return scan_of("asu/madelon", n_pairs=200, n_features_to_select=20)


def test_madelon_pairs_are_made_of_useful_features(madelon):
    """Five features and fifteen combinations of them among 480 probes."""
    scan, data = madelon
    useful = set(data.relevant.tolist())
    pairs = found(scan.pairs_)
    assert len(pairs) > 100
    assert {feature for pair in pairs for feature in pair} == useful
    places = [place for place, one in enumerate(scan.pairs_) if not set(one.features) <= useful]
    assert places[0] >= len(pairs)
    assert set(scan.selected_indices_.tolist()) == useful


def test_copies_in_madelon_are_no_interaction(madelon):
    """Useful features that are nearly the same column never make a found pair."""
    scan, data = madelon
    likeness = np.abs(np.corrcoef(data.X, rowvar=False))
    assert max(likeness[pair] for pair in found(scan.pairs_)) < 0.95


@pytest.mark.slow
def test_madelon_triples_are_made_of_useful_features():
    scan, data = scan_of("asu/madelon", order=3)
    assert len(found(scan.triples_)) == 50
    assert all(set(triple) <= set(data.relevant.tolist()) for triple in found(scan.triples_))
    assert scan.triples_[0].score > scan.pairs_[0].score
