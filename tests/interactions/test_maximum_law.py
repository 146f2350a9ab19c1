"""The law of the highest score, on scores whose law is known."""

import numpy as np
import pytest
from scipy import stats

from hsieve.interactions.maximum_law import MaximumLaw


def best_of_exponentials(rng, n_scores, scale=1.0, n_best=20):
    return np.sort(scale * rng.exponential(size=n_scores))[::-1][:n_best]


@pytest.mark.parametrize("scale", [1.0, 1.3])
def test_family_wise_p_is_below_five_percent_as_often_as_it_says(scale):
    """2,000 searches among 500 exponential scores, against 20 permutations each."""
    rng, n_below = np.random.default_rng(11), 0
    for _ in range(2000):
        by_chance = [best_of_exponentials(rng, 500, scale) for _ in range(20)]
        found = best_of_exponentials(rng, 500, scale)[0]
        law = MaximumLaw.fitted(by_chance, 1.0)
        n_below += law.family_wise(np.array([found]))[0] <= 0.05
    low, high = stats.binom.interval(0.999, 2000, 0.05)
    assert low - 10 <= n_below <= high + 10


def test_permutations_that_look_at_a_part_speak_for_the_whole():
    """Each permutation looks at 100 of 2,000 scores, so that there are 20 times more."""
    rng, n_below = np.random.default_rng(12), 0
    for _ in range(1000):
        by_chance = [best_of_exponentials(rng, 100) for _ in range(20)]
        found = best_of_exponentials(rng, 2000)[0]
        n_below += MaximumLaw.fitted(by_chance, 20.0).family_wise(np.array([found]))[0] <= 0.05
    low, high = stats.binom.interval(0.9999, 1000, 0.05)
    # The fitted scale is carried further out here than it was measured.
    assert low - 10 <= n_below <= high + 25


def test_family_wise_p_grows_with_the_number_of_scores_and_falls_with_the_score(rng):
    by_chance = [best_of_exponentials(rng, 300) for _ in range(20)]
    scores = np.array([4.0, 8.0, 12.0])
    once, often = (MaximumLaw.fitted(by_chance, times).family_wise(scores) for times in (1, 50))
    assert (often > once).all()
    assert (np.diff(once) < 0).all()
    assert once.min() > 0
    assert often.max() <= 1


def test_far_scores_do_not_vanish_too_soon(rng):
    law = MaximumLaw.fitted([1.5 * best_of_exponentials(rng, 300) for _ in range(20)], 1.0)
    p_values = law.family_wise(np.array([100.0, 200.0]))
    assert np.diff(np.log(p_values)) == pytest.approx(-100 / law.scale, rel=1e-3)


def test_no_chance_falls_below_that_of_one_score_alone(rng):
    law = MaximumLaw.fitted([0.5 * best_of_exponentials(rng, 300) for _ in range(20)], 1.0)
    scores = np.array([300.0, 100.0, 50.0])
    np.testing.assert_allclose(law.family_wise(scores), np.exp(-scores))
    assert (law.false_discovery(scores) >= np.exp(-scores)).all()


def test_order_of_the_scores_handed_in_does_not_matter(rng):
    by_chance = [best_of_exponentials(rng, 300) for _ in range(5)]
    shuffled = [rng.permutation(scores) for scores in by_chance[::-1]]
    found = [MaximumLaw.fitted(scores, 2.0) for scores in (by_chance, shuffled)]
    scores = np.array([9.0, 5.0, 1.0])
    np.testing.assert_allclose(found[0].family_wise(scores), found[1].family_wise(scores))
    np.testing.assert_allclose(found[0].false_discovery(scores), found[1].false_discovery(scores))


def test_false_discovery_rate_rises_down_the_list_and_stays_below_one(rng):
    law = MaximumLaw.fitted([best_of_exponentials(rng, 300) for _ in range(20)], 1.0)
    falling = np.sort(np.concatenate([[800.0, 30.0], rng.exponential(size=60)]))[::-1]
    rates = law.false_discovery(falling)
    assert (np.diff(rates) >= 0).all()
    assert rates[1] < 1e-6
    assert rates[-1] == 1


def test_false_discovery_rate_is_the_share_of_false_ones():
    """30 true scores far out, 300 false ones: of those with a rate of 20 % that share is false."""
    rng, false, found = np.random.default_rng(4), 0, 0
    for _ in range(200):
        law = MaximumLaw.fitted([best_of_exponentials(rng, 300) for _ in range(20)], 1.0)
        scores = np.concatenate([rng.uniform(5, 15, 30), rng.exponential(size=300)])
        order = np.argsort(-scores)
        taken = order[law.false_discovery(scores[order]) <= 0.2]
        false, found = false + np.count_nonzero(taken >= 30), found + len(taken)
    assert 0.1 < false / found < 0.25


@pytest.mark.parametrize("n_scores", [1, 2])
def test_few_scores_and_one_permutation_still_make_a_law(n_scores, rng):
    law = MaximumLaw.fitted([rng.exponential(size=n_scores)], 1.0)
    p_values = law.family_wise(np.array([0.5, 5.0]))
    assert 0 < p_values[1] < p_values[0] <= 1


def test_scores_of_zero_throughout_let_nothing_be_sure():
    """Where no permutation leaves anything to test, a score of zero is found with certainty."""
    law = MaximumLaw.fitted([np.zeros(20) for _ in range(20)], 1.0)
    assert law.family_wise(np.zeros(3)).min() > 0.5
    assert law.false_discovery(np.zeros(3)).min() > 0.5
