"""N3LARS on the paper's data: three signals among 1,000 features and their near copies."""

import pytest

from hsieve import N3LARS
from hsieve.datasets import make_n3lars

N_SEEDS = 20
N_ORIGINALS = 1000


@pytest.mark.parametrize(("n_samples", "at_least"), [(300, 18), (1000, 19)])
def test_all_three_signals_are_among_the_first_ten(n_samples, at_least):
    complete = 0
    for seed in range(N_SEEDS):
        problem = make_n3lars(n_samples, 2 * N_ORIGINALS, random_state=seed)
        chosen = N3LARS(10).fit(problem.X, problem.y).selected_indices_
        complete += {0, 1, 2} <= {int(feature) % N_ORIGINALS for feature in chosen}
    assert complete >= at_least


@pytest.mark.parametrize("n_samples", [300, 1000])
def test_with_a_cap_on_redundancy_no_copy_is_among_the_ten(n_samples):
    for seed in range(N_SEEDS):
        problem = make_n3lars(n_samples, 2 * N_ORIGINALS, random_state=seed)
        selector = N3LARS(10, max_redundancy=0.9).fit(problem.X, problem.y)
        originals = {int(feature) % N_ORIGINALS for feature in selector.selected_indices_}
        assert len(originals) == 10
