"""RandSel as a selector: what it finds, and that its answer does not depend on the workers."""

import numpy as np
import pytest

from hsieve import RandSel
from hsieve.datasets import make_xor


@pytest.mark.parametrize("estimator", ["sweep", "plain"])
def test_the_same_seed_gives_the_same_selection_for_one_and_two_workers(estimator):
    problem = make_xor(80, 16, kind="binary", random_state=1)
    rounds = 8 if estimator == "sweep" else 40
    one = RandSel(3, estimator=estimator, n_rounds=rounds).fit(problem.X, problem.y)
    other = RandSel(3, estimator=estimator, n_rounds=rounds, n_jobs=2)
    other.fit(problem.X, problem.y)
    assert one.ranking_.tolist() == other.ranking_.tolist()
    np.testing.assert_array_equal(one.scores_, other.scores_)


@pytest.mark.parametrize("kind", ["binary", "clustered"])
def test_an_interaction_is_found_by_sweeps(kind):
    problem = make_xor(150, 50, kind=kind, random_state=0)
    selector = RandSel(2, n_rounds=16).fit(problem.X, problem.y)
    assert sorted(selector.selected_indices_.tolist()) == [0, 1]
    assert set(selector.path_.nested_sets[-1]) == {0, 1}


def test_the_plain_estimator_finds_what_is_strong(rng):
    X = rng.normal(size=(100, 8))
    y = (X[:, 2] + X[:, 6] > 0).astype(int)
    selector = RandSel(2, estimator="plain", n_rounds=200).fit(X, y)
    assert sorted(selector.selected_indices_.tolist()) == [2, 6]


def test_numbers_categories_and_balanced_classes_are_taken(rng):
    X = np.column_stack([rng.normal(size=(90, 4)), rng.integers(3, size=90)])
    number = X[:, 1] ** 2 + 2.0 * (X[:, 4] == 1)
    found = RandSel(2, n_rounds=8, categorical=[4]).fit(X, number).selected_indices_
    assert sorted(found.tolist()) == [1, 4]
    rare = X[:, 1] > 1.0
    found = RandSel(1, n_rounds=8, balanced=True).fit(X, rare).selected_indices_
    assert found.tolist() == [1]
