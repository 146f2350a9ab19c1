"""The rules of choice, one by one, as the table in their module states them."""

import numpy as np
import pytest

from hsieve.automatic import rules
from hsieve.automatic.candidates import CANDIDATES, make_candidate
from hsieve.automatic.contest import Contest, Standing, least_of
from hsieve.automatic.costs import CAN_COST, Size, seconds_of, seconds_to_judge
from hsieve.automatic.rules import (
    Plan,
    Situation,
    by_contest,
    by_tests,
    make_plan,
    tried_sizes,
    within_reach,
)

LONG = 1e6


def situation(n=300, d=50, seconds=LONG, **changes):
    given = {"kind": "classes", "n_classes": 2, "rarest": n // 2, **changes}
    return Situation(n, d, seconds=seconds, **given)


def standing(method, scores, sizes=None):
    """Scores by number of features; each fold has its own offset."""
    scores = np.array(scores, dtype=float)
    if scores.ndim == 1:
        scores = scores[:, None] + np.array([-0.02, -0.01, 0.0, 0.01, 0.02])
    sizes = np.array(sizes or [2**i for i in range(len(scores))])
    return Standing(method, sizes, scores, np.sqrt(sizes))


def contest(*standings, nothing=0.5):
    return Contest(standings, np.full(5, nothing), 100, 0.45)


class TestWithinReach:
    """Rules A to A3."""

    def test_n3lars_always_is_and_all_else_given_time(self):
        assert within_reach(situation(seconds=1e-9)) == ("n3lars",)
        assert within_reach(situation()) == ("n3lars", "mrmr", "pairs", "l1-lsmi", "bahsic")

    def test_one_feature_leaves_nothing_to_choose(self):
        assert within_reach(situation(d=1)) == ("n3lars",)

    @pytest.mark.parametrize("method", [m for m in CANDIDATES if m not in ("n3lars", "randsel")])
    def test_a_method_needs_half_of_the_time(self, method):
        needed = 2 * seconds_of(method, Size(300, 50, 2))
        assert method in within_reach(situation(seconds=1.01 * needed))
        assert method not in within_reach(situation(seconds=0.99 * needed))

    def test_what_is_held_in_memory_must_fit(self):
        found = within_reach(situation(fits=False))
        assert found == ("n3lars", "mrmr", "pairs")

    def test_l1_lsmi_is_for_few_features_and_one_output(self):
        assert "l1-lsmi" in within_reach(situation(d=200))
        assert "l1-lsmi" not in within_reach(situation(d=201))
        assert within_reach(situation(n_outputs=2)) == ("n3lars", "pairs", "bahsic")

    def test_randsel_stands_in_where_bahsic_takes_too_long(self):
        many = situation(n=100_000, d=300, seconds=600.0)
        assert seconds_of("bahsic", many.size) > 300 > seconds_of("randsel", many.size)
        assert "randsel" in within_reach(many)
        assert "bahsic" not in within_reach(many)
        assert "randsel" not in within_reach(situation(n=100_000, d=300, seconds=600.0, fits=False))


class TestPlan:
    """Rules B and B1."""

    def test_methods_are_tried_where_there_is_time(self):
        plan = make_plan(situation())
        assert (plan.way, plan.n_samples) == ("try", 300)
        assert plan.methods == ("n3lars", "mrmr", "pairs", "l1-lsmi", "bahsic")
        assert "5 folds of all samples" in plan.reasons[0]

    def test_no_more_than_500_samples_take_part(self):
        plan = make_plan(situation(n=4000))
        assert plan.n_samples == 500
        assert "500 of 4000 samples" in plan.reasons[0]

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"n": 39, "rarest": 19}, "39 samples are too few"),
            ({"rarest": 4}, "4 samples of the rarest class are too few"),
        ],
    )
    def test_few_samples_are_tested_instead(self, changes, words):
        plan = make_plan(situation(**changes))
        assert plan.way == "test"
        assert words in plan.reasons[0]
        assert make_plan(situation(n=40, rarest=5)).way == "try"

    def test_numbers_need_no_classes(self):
        assert make_plan(situation(kind="continuous", n_classes=None, rarest=None)).way == "try"

    def test_with_less_time_fewer_samples_take_part_then_fewer_methods_and_then_none(self):
        seen = [make_plan(situation(n=1000, seconds=s)) for s in np.geomspace(1e4, 0.1, 60)]
        tried = [plan for plan in seen if plan.way == "try"]
        samples = [plan.n_samples for plan in tried]
        assert samples == sorted(samples, reverse=True)
        assert {500, 250, 100} == set(samples)
        numbers = [len(plan.methods) for plan in tried]
        assert numbers[0] == 5
        assert numbers[-1] < 5
        assert all(plan.methods[0] == "n3lars" for plan in seen)
        ways = [plan.way for plan in seen]
        assert ways == ["try"] * len(tried) + ["test"] * (len(seen) - len(tried))
        assert ways[-1] == "test"
        assert "takes longer than" in seen[-1].reasons[0]
        fewer = next(plan for plan in tried if len(plan.methods) < len(within_reach(situation())))
        assert "Not tried for want of time: l1-lsmi" in fewer.reasons[1]

    def test_a_plan_keeps_to_its_time(self):
        for seconds in np.geomspace(1, 1e4, 12):
            for n, d in ((100, 20), (1000, 300), (20_000, 2000)):
                one = situation(n=n, d=d, seconds=seconds)
                plan = make_plan(one)
                if plan.way == "try":
                    needed = rules._seconds_to_try(plan.methods, one, plan.n_samples)
                    assert needed <= seconds / 2

    def test_numbers_that_are_tried(self):
        assert tried_sizes(situation(d=7)).tolist() == [1, 2, 3, 4, 6]
        assert tried_sizes(situation(d=5000))[-1] == 96
        assert tried_sizes(situation(n_wanted=5)).tolist() == [5]
        assert tried_sizes(situation(d=4, n_wanted=5)).tolist() == [4]


class TestContest:
    """Rules B2 and B3."""

    def test_the_best_prediction_wins(self):
        found = by_contest(
            contest(standing("n3lars", [0.6, 0.6]), standing("bahsic", [0.7, 0.9])), situation()
        )
        assert (found.method, found.number, found.width) == ("bahsic", 2, pytest.approx(2**0.5))
        assert "n3lars 0.600 (1), bahsic 0.900 (2)" in found.reasons[0]
        assert "without any feature 0.500" in found.reasons[0]
        assert found.reasons[1].startswith("bahsic predicts best")

    def test_of_equals_the_earlier_is_taken(self):
        noisy = [[0.8, 0.82, 0.79, 0.81, 0.8]]
        better = [[0.83, 0.78, 0.82, 0.8, 0.81]]
        found = by_contest(
            contest(standing("n3lars", noisy), standing("bahsic", better)), situation()
        )
        assert found.method == "n3lars"
        assert "bahsic predicts no better than n3lars but for chance" in found.reasons[1]

    def test_an_earlier_one_that_fails_once_in_five_times_is_not_taken(self):
        """It lacks less than a standard error, because a single fold makes for a large one."""
        failing = standing("n3lars", [[1.0, 1.0, 1.0, 1.0, 0.75]])
        sure = standing("pairs", [[1.0] * 5])
        assert by_contest(contest(failing, sure), situation()).method == "pairs"
        nearly = standing("n3lars", [[1.0, 1.0, 1.0, 1.0, 0.96]])
        assert by_contest(contest(nearly, sure), situation()).method == "n3lars"

    def test_a_later_one_that_needs_two_thirds_as_many_features_is_taken(self):
        many = standing("n3lars", [0.6, 0.7, 0.9], sizes=[2, 4, 6])
        few = standing("l1-lsmi", [0.6, 0.9, 0.9], sizes=[2, 4, 6])
        assert by_contest(contest(many, few), situation()).method == "l1-lsmi"
        nearly = standing("l1-lsmi", [0.6, 0.9, 0.9], sizes=[2, 5, 6])
        assert by_contest(contest(many, nearly), situation()).method == "n3lars"

    def test_the_smallest_number_as_good_as_the_best(self):
        scores = [[0.5] * 5, [0.79, 0.82, 0.8, 0.78, 0.81], [0.81, 0.8, 0.82, 0.8, 0.79]]
        one = standing("n3lars", scores)
        assert least_of(one, contest(one)) == 1
        found = by_contest(contest(one), situation())
        assert found.number == 2
        assert "2 features: the smallest number tried" in found.reasons[2]

    def test_a_number_given_is_kept(self):
        one = standing("n3lars", [0.9], sizes=[7])
        found = by_contest(contest(one), situation(n_wanted=7))
        assert found.number == 7
        assert not any("smallest number" in reason for reason in found.reasons)

    def test_where_nothing_predicts_it_is_said(self):
        blind = standing("n3lars", [[0.52, 0.47, 0.5, 0.51, 0.49]])
        assert (
            "take the selection as a guess" in by_contest(contest(blind), situation()).reasons[-1]
        )
        seeing = standing("n3lars", [0.8])
        reasons = by_contest(contest(seeing), situation()).reasons
        assert not any("guess" in reason for reason in reasons)


class TestTests:
    """Rules C to C4."""

    PLAN = Plan("test", ("n3lars", "bahsic"))

    def test_single_features_that_show_need_no_more(self):
        found = by_tests(self.PLAN, situation(), single_p=0.009, pair_p=None)
        assert (found.method, found.number) == ("n3lars", "guarded")
        assert "Single features show (p = 0.009" in found.reasons[0]

    def test_pairs_come_next(self):
        found = by_tests(self.PLAN, situation(), single_p=0.01, pair_p=0.009)
        assert found.method == "pairs"
        assert "Pairs do (family-wise p = 0.009)" in found.reasons[1]

    def test_then_groups_if_within_reach(self):
        assert by_tests(self.PLAN, situation(), single_p=0.5, pair_p=0.01).method == "bahsic"
        plan = Plan("test", ("n3lars", "randsel"))
        assert by_tests(plan, situation(), single_p=0.5, pair_p=None).method == "randsel"

    def test_else_it_is_a_guess(self):
        found = by_tests(Plan("test", ("n3lars",)), situation(), single_p=0.5, pair_p=0.6)
        assert found.method == "n3lars"
        assert "No pair does either (family-wise p = 0.6)" in found.reasons[1]
        assert found.reasons[-1].endswith("whose selection is a guess.")

    def test_a_number_given_is_kept(self):
        assert by_tests(self.PLAN, situation(n_wanted=4), single_p=0.5, pair_p=0).number == 4


class TestCosts:
    def test_costs_grow_with_the_data(self):
        for method in CAN_COST:
            small, large = seconds_of(method, Size(100, 50)), seconds_of(method, Size(200, 100))
            assert 0 < small < large
        assert seconds_to_judge(100, 3, n_folds=5, n_widths=3) < seconds_to_judge(
            200, 3, n_folds=5, n_widths=3
        )

    def test_every_candidate_has_a_cost_and_a_selector(self):
        for name in CANDIDATES:
            assert seconds_of(name, Size(100, 10, 2)) > 0
            made = make_candidate(name, categorical=(1,), target_kind="classes", random_state=3)
            assert made.selector.categorical == (1,)
            assert made.selector.target_kind == "classes"

    def test_unknown_methods_have_none(self):
        with pytest.raises(ValueError, match=r"method must be one of n3lars.*got 'lasso'"):
            seconds_of("lasso", Size(10, 10))

    def test_a_search_for_each_number_is_made_for_few_numbers(self):
        made = make_candidate("l1-lsmi", categorical=(), target_kind="auto", random_state=0)
        assert made.sizes_of(np.arange(1, 14)).tolist() == [3, 6, 8, 11]
        assert made.sizes_of(np.array([1, 2, 3, 4, 6])).tolist() == [2, 3, 4]
        assert made.sizes_of(np.array([5])).tolist() == [5]
