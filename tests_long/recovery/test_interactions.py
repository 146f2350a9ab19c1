"""Known interactions are found with the stated probability, over fixed seeds."""

import time

import pytest

from hsieve import BAHSIC
from hsieve.datasets import make_xor

CASES = [
    # n, d, kind, noise, seeds, least found
    (300, 200, "binary", "gaussian", 100, 95),
    (300, 200, "clustered", "gaussian", 100, 95),
    (300, 200, "clustered", "same", 100, 95),
    (300, 200, "continuous", "gaussian", 100, 85),
    (1000, 2000, "binary", "gaussian", 20, 18),
    (3000, 10000, "binary", "gaussian", 10, 9),
]


@pytest.mark.slow
@pytest.mark.parametrize(("n", "d", "kind", "noise", "seeds", "least"), CASES)
def test_both_features_of_an_xor_are_found(n, d, kind, noise, seeds, least):
    found, start = 0, time.perf_counter()
    for seed in range(seeds):
        problem = make_xor(n, d, kind=kind, noise=noise, random_state=seed)
        chosen = BAHSIC(2).fit(problem.X, problem.y).selected_indices_
        found += sorted(chosen.tolist()) == [0, 1]
    seconds = (time.perf_counter() - start) / seeds
    print(f"{kind} ({noise}) n={n} d={d}: {found} of {seeds}, {seconds:.2f} s a run")
    assert found >= least


@pytest.mark.parametrize("kind", ["binary", "clustered", "continuous"])
def test_a_quick_look_at_the_same(kind):
    for seed in range(3):
        problem = make_xor(300, 200, kind=kind, random_state=seed)
        chosen = BAHSIC(2).fit(problem.X, problem.y).selected_indices_
        assert sorted(chosen.tolist()) == [0, 1]


def test_places_of_the_features_do_not_matter():
    problem = make_xor(300, 200, shuffle=True, random_state=5)
    chosen = BAHSIC(2).fit(problem.X, problem.y).selected_indices_
    assert sorted(chosen.tolist()) == problem.relevant.tolist()
