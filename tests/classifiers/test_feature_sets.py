"""Sets of features given by the user, and nested ones found by a search."""

import numpy as np
import pytest

from hsieve import FamilyRanking, RandSel
from hsieve.classifiers.feature_sets import checked_sets, nested_sets, spread_sets
from hsieve.datasets import make_xor


def lists(sets):
    return [features.tolist() for features in sets]


def test_positions_and_names_are_the_same_sets():
    names = np.array(["gene", "age", "dose"], dtype=object)
    assert lists(checked_sets([[2, 0], ["age"], [-1, 0]], 3, names)) == [[0, 2], [1]]
    assert lists(checked_sets([["dose", "gene"], [1]], 3, names)) == [[0, 2], [1]]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("gene", "list of lists"),
        (3, "list of lists"),
        (["gene"], "single text"),
        ([3], "list of positions"),
        ([[]], "empty"),
        ([], "got none"),
        ([["height"]], "height"),
        ([[0, 3]], "positions below 3"),
        ([[0.5]], "0.5"),
        ([[True]], "True"),
    ],
)
def test_other_things_are_refused_in_words(given, told):
    with pytest.raises(ValueError, match=told):
        checked_sets(given, 3, np.array(["gene", "age", "dose"]))


def test_sets_of_randsel_are_nested_and_end_in_the_features_that_matter():
    problem = make_xor(200, 40, random_state=0)
    sets = nested_sets(RandSel(2).fit(problem.X, problem.y))
    assert sets[0].tolist() == list(range(40))
    assert sets[-1].tolist() == [0, 1]
    assert len({features.tobytes() for features in sets}) == len(sets)


@pytest.mark.filterwarnings("ignore:1 constant")
def test_sets_of_a_ranking_are_its_halves_without_constant_features(rng):
    X = rng.normal(size=(50, 9))
    X[:, 4] = 1.0
    selector = FamilyRanking(3).fit(X, X[:, 7] > 0)
    sets = lists(nested_sets(selector))
    order = selector.path_.order
    assert sets[0] == [0, 1, 2, 3, 5, 6, 7, 8]
    assert sets[1:] == [sorted(order[:size].tolist()) for size in (4, 2, 1, 3)]


def test_sets_are_thinned_out_evenly_between_the_largest_and_the_smallest():
    sets = [np.arange(size) for size in (100, 75, 56, 42, 32, 24, 18, 13, 10, 8, 6, 4, 3, 2, 10)]
    kept = [len(features) for features in spread_sets(sets, 5)]
    assert kept[0] == 100
    assert kept[-1] == 2
    assert len(kept) == 5
    ratios = np.array(kept[:-1]) / np.array(kept[1:])
    assert ratios.max() < 4
    assert ratios.min() > 1.5
    assert [len(features) for features in spread_sets(sets, 1)] == [100]
    assert len(spread_sets(sets, 15)) == 15
