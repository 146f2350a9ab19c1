"""The l1 ball: both searches, the choice among the sets met, limits and refusals."""

import time
from copy import deepcopy

import numpy as np
import pytest

from hsieve import (
    HSIC,
    L1HSIC,
    L1LSMI,
    LSMI,
    BackwardLSMI,
    FewerFeaturesWarning,
    ForwardLSMI,
    IncompatibleCombinationError,
    L1Ball,
    MutualInformation,
    kernels,
)
from hsieve.datasets import make_and_or, make_quad, make_xor_toy
from hsieve.measures.density_ratio import RatioModel
from hsieve.strategies import weight_search
from hsieve.strategies.l1_ball import _best_first
from hsieve.strategies.weight_search import random_weights, search_radius, shrink
from tests.reference import naive_l1_ball

TOYS = {"and-or": (make_and_or, 4), "quad": (make_quad, 2), "xor": (make_xor_toy, 2)}


class Bowl:
    """A score with known slopes: features are worth what they say, weights of zero nothing."""

    def __init__(self, worth):
        self.worth = np.asarray(worth, dtype=float)
        self.n_features = len(self.worth)
        self.n_models = self.n_gradients = 0

    def subset_score(self, subset):
        return float(self.worth[np.asarray(subset, dtype=np.intp)].sum())

    def weighted_model(self, weights):
        self.n_models += 1
        return 1.0

    def weighted_value_and_gradient(self, weights, model):
        self.n_gradients += 1
        shares = weights / weights.sum()
        return float(self.worth @ shares), np.where(weights > 0, self.worth, 0.0)

    addition_scores = removal_scores = contributions = worth_of = None


@pytest.mark.parametrize("toy", TOYS)
def test_the_true_features_of_the_toys_are_found(toy):
    make, n_true = TOYS[toy]
    problem = make(400, random_state=3)
    selector = L1LSMI(n_true, n_restarts=8).fit(problem.X, problem.y)
    assert set(selector.selected_indices_) == set(problem.relevant)
    assert selector.path_.stop_reason == "8 restart(s) done"


@pytest.mark.parametrize("seed", [0, 1])
def test_features_lost_in_the_first_steps_of_every_restart_are_taken_back(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 30))
    y = X[:, 0] ** 2 + X[:, 1] + np.abs(X[:, 2]) > 1.5
    assert set(L1LSMI(3, n_restarts=5).fit(X, y).selected_indices_) == {0, 1, 2}


@pytest.mark.parametrize("toy", ["quad", "xor"])
def test_the_search_of_the_paper_finds_them_too(toy):
    make, n_true = TOYS[toy]
    problem = make(200, random_state=1)
    selector = L1LSMI(n_true, n_restarts=4, optimiser="paper", n_centres=40)
    assert set(selector.fit(problem.X, problem.y).selected_indices_) == set(problem.relevant)


@pytest.mark.parametrize("radius", [0.4, 1.6, 6.4])
def test_the_ascent_in_a_ball_is_that_of_the_reference(radius, monkeypatch):
    """Same start, radius, folds, centres and model: same weights."""
    problem = make_xor_toy(120, random_state=0)
    bound = LSMI(n_centres=30).bind(problem.X, problem.y)
    ratio = bound.ratio
    reference = naive_l1_ball.Problem(
        problem.X, problem.y, classes=True, n_centres=30, rng=np.random.default_rng(0)
    )
    reference.X = reference.X[ratio.samples]
    reference.psi, reference.centres = np.asarray(ratio.psi), ratio.centres
    start = radius * random_weights(10, np.random.default_rng(5))
    model = RatioModel(0.5 * radius, 0.01)
    monkeypatch.setattr(type(bound), "weighted_model", lambda *_: model)
    monkeypatch.setattr(reference, "model", lambda _: (model.width, model.ridge))
    ours = weight_search._ascend_in_ball(bound, start, radius, 2, deadline=np.inf)
    theirs = naive_l1_ball.solve(reference, start, radius, 2)
    assert 0 < np.count_nonzero(ours) <= 10
    np.testing.assert_allclose(ours, theirs, atol=1e-8 * radius)


def test_shrinking_keeps_the_worthy_and_tells_who_left_when():
    bound = Bowl([5.0, 4.0, 3.0, 2.0, 1.0, 0.5, 0.2, 0.1])
    weights, gone = shrink(bound, np.ones(8), 3)
    assert np.flatnonzero(weights).tolist() == [0, 1, 2]
    assert weights.max() == 1
    assert sorted(gone.tolist()) == [3, 4, 5, 6, 7]
    assert gone.tolist().index(7) < gone.tolist().index(3)


def test_shrinking_that_comes_to_rest_drops_the_smallest_weight():
    bound = Bowl(np.ones(6))
    start = np.array([1.0, 0.9, 0.8, 0.7, 0.6, 0.5])
    weights, gone = shrink(bound, start, 2)
    assert np.flatnonzero(weights).tolist() == [0, 1]
    assert gone.tolist() == [5, 4, 3, 2]


def test_six_steps_without_a_feature_leaving_are_rest():
    bound = Bowl([1.0, 1.0, 1.0, 0.0])
    _, gone = shrink(bound, np.array([1.0, 0.9, 0.8, 0.5]), 2)
    assert gone.tolist() == [3, 2]
    # One step until the worthless feature has left, and six in which nothing moves.
    assert bound.n_gradients == 1 + 6


def test_each_rest_takes_six_steps():
    bound = Bowl(np.ones(4))
    _, gone = shrink(bound, np.array([0.7, 1.0, 0.8, 0.9]), 1)
    assert gone.tolist() == [0, 2, 3]
    assert bound.n_gradients == 3 * 6


def test_features_that_would_leave_together_leave_one_by_one():
    bound = Bowl([1.0, 0.0, 0.0, 0.0])
    weights, gone = shrink(bound, np.ones(4), 3)
    assert np.count_nonzero(weights) == 3
    assert len(gone) == 1


@pytest.mark.parametrize("n_wanted", [5, 7])
def test_all_features_wanted_is_no_work(n_wanted):
    bound = Bowl(np.ones(5))
    weights, gone = shrink(bound, np.arange(1.0, 6.0), n_wanted)
    assert bound.n_gradients == 0
    assert len(gone) == 0
    assert (weights > 0).all()


def test_a_late_search_takes_the_largest_weights():
    bound = Bowl(np.ones(6))
    weights, gone = shrink(bound, np.arange(1.0, 7.0), 2, deadline=time.monotonic() - 1.0)
    assert bound.n_gradients == 0
    assert np.flatnonzero(weights).tolist() == [4, 5]
    assert gone.tolist() == [0, 1, 2, 3]


def test_the_radius_is_doubled_and_then_bisected(monkeypatch, rng):
    radii, starts = [], []

    def ascend(bound, start, radius, n_wanted, **_):
        radii.append(radius)
        starts.append(start / radius)
        weights = np.zeros(8)
        weights[: 1 if radius < 0.5 else 3 if radius < 0.65 else 7] = radius
        return weights

    again = deepcopy(rng)
    monkeypatch.setattr(weight_search, "_ascend_in_ball", ascend)
    found = list(search_radius(Bowl(np.ones(8)), 3, rng, first_radius=0.1))
    assert radii[:4] == [0.1, 0.2, 0.4, 0.8]
    assert radii[4:] == pytest.approx([0.8, 0.6])
    assert np.count_nonzero(found[-1]) == 3
    np.testing.assert_allclose(starts, [random_weights(8, again) for _ in starts])


def test_the_radius_rises_where_too_few_are_left(monkeypatch, rng):
    radii = []

    def ascend(bound, start, radius, n_wanted, **_):
        radii.append(radius)
        return np.where(np.arange(20) < int(radius), radius, 0.0)

    monkeypatch.setattr(weight_search, "_ascend_in_ball", ascend)
    list(search_radius(Bowl(np.ones(20)), 7, rng, first_radius=1.0))
    assert radii == [1, 2, 4, 8, 8, 6, 7]


def test_a_radius_is_doubled_twenty_times_and_bisected_twelve_times(monkeypatch, rng):
    """The authors' settings."""
    radii = []

    def ascend(bound, start, radius, n_wanted, **_):
        radii.append(radius)
        return np.zeros(3)

    monkeypatch.setattr(weight_search, "_ascend_in_ball", ascend)
    assert len(list(search_radius(Bowl(np.ones(3)), 2, rng, first_radius=1.0))) == 20 + 12
    assert radii[:20] == [2.0**k for k in range(20)]


def test_the_ascent_chooses_its_model_at_the_first_three_and_every_fifth_step(monkeypatch):
    class Uneven(Bowl):
        """A score that never settles and has no slope."""

        def weighted_value_and_gradient(self, weights, model):
            self.n_gradients += 1
            return float(self.n_gradients), np.zeros(4)

        def weighted_model(self, weights):
            chosen_at.append(self.n_gradients + 1)

    chosen_at = []
    bound = Uneven(np.ones(4))
    weight_search._ascend_in_ball(bound, np.full(4, 0.25), 1.0, 2, deadline=np.inf)
    assert bound.n_gradients == 100
    assert chosen_at == [1, 2, 3, *range(5, 101, 5)]


def test_the_radius_search_ends_when_the_time_is_over(rng):
    bound = Bowl([1.0, 0.5, 0.1])
    found = list(search_radius(bound, 2, rng, first_radius=1e-3, deadline=time.monotonic() - 1.0))
    assert len(found) == 1


def test_sets_are_chosen_by_size_then_score(rng):
    """Nearest in size, then the smaller, then the higher score."""
    bound = Bowl([1.0, 2.0, 3.0, 4.0, 5.0])
    met = {}
    for features in ([0, 1], [2, 3], [2, 3, 4, 0], [4]):
        weights = np.zeros(5)
        weights[features] = 1.0 + np.arange(len(features))
        met[tuple(features)] = weights, np.setdiff1d(np.arange(5), features)
    sets = _best_first(bound, met, 3)
    assert [sorted(found.features.tolist()) for found in sets] == [[2, 3], [0, 1], [0, 2, 3, 4]]
    assert sets[0].features.tolist() == [3, 2]
    assert sets[0].weights.tolist() == [1.0, 0.5]
    assert sets[0].score == 7.0


def test_the_nearest_size_is_counted_in_features():
    bound = Bowl(np.ones(7))
    met = {}
    for size in (3, 6):
        weights = np.where(np.arange(7) < size, 1.0, 0.0)
        met[tuple(range(size))] = weights, np.arange(size, 7)
    (only,) = _best_first(bound, met, 4)
    assert len(only.features) == 3


@pytest.mark.parametrize("optimiser", ["shrink", "paper"])
def test_order_scores_and_sets_of_the_path(optimiser):
    problem = make_xor_toy(150, random_state=0)
    X = np.insert(problem.X, 3, 1.0, axis=1)
    with pytest.warns(UserWarning, match="constant"):
        selector = L1LSMI(2, n_restarts=3, optimiser=optimiser, n_centres=30).fit(X, problem.y)
    path = selector.path_
    assert sorted(path.order.tolist()) == list(range(11))
    assert path.order[-1] == 3
    assert set(path.sets[0].features) == set(selector.selected_indices_)
    assert {3} <= set(path.sets[0].others)
    assert selector.scores_[selector.selected_indices_[0]] == 1.0
    assert (selector.scores_ > 0).sum() == len(path.sets[0].features)
    scores = [found.score for found in path.sets]
    assert scores == sorted(scores, reverse=True)
    assert path.set_scores[0] == path.sets[0].score


def test_without_times_of_leaving_the_others_stay_in_the_order_of_the_data():
    problem = make_xor_toy(60, random_state=0)
    bound = HSIC(kernel_x=kernels.Gaussian("narrow")).bind(problem.X, problem.y)
    path = L1Ball(optimiser="paper", n_restarts=1).search(bound, 3)
    assert len(path.sets[0].others) > 1
    for found in path.sets:
        expected = np.setdiff1d(np.arange(10), found.features)
        assert found.others.tolist() == expected.tolist()


@pytest.mark.parametrize("selector", [L1LSMI(3, n_restarts=4), L1HSIC(3, n_restarts=4)], ids=repr)
def test_the_number_of_processes_does_not_matter(selector, rng):
    X = rng.normal(size=(60, 8))
    y = X[:, 0] * X[:, 1] + X[:, 2]
    one = selector.set_params(n_jobs=1).fit(X, y)
    first, weights = one.selected_indices_, one.scores_
    two = selector.set_params(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(two.selected_indices_, first)
    np.testing.assert_array_equal(two.scores_, weights)


def test_a_time_limit_gives_the_best_so_far(rng):
    X = rng.normal(size=(100, 30))
    y = X[:, 0] + X[:, 1] ** 2
    selector = L1LSMI(3, n_restarts=1000, time_limit=0.3).fit(X, y)
    assert len(selector.selected_indices_) == 3
    assert selector.path_.n_restarts < 1000
    assert "time limit of 0.3 s" in selector.path_.stop_reason


def test_a_time_limit_of_almost_nothing_still_gives_as_many_as_wanted(rng):
    X = rng.normal(size=(60, 20))
    selector = L1LSMI(4, time_limit=1e-9).fit(X, X[:, 0])
    assert len(selector.selected_indices_) == 4
    assert selector.path_.n_restarts == 1


def test_all_features_wanted(rng):
    X = rng.normal(size=(50, 4))
    for kind in (L1LSMI, L1HSIC, ForwardLSMI, BackwardLSMI):
        selector = kind(4).fit(X, X[:, 0])
        assert sorted(selector.selected_indices_.tolist()) == [0, 1, 2, 3]


def test_more_features_wanted_than_there_are(rng):
    X = rng.normal(size=(50, 3))
    with pytest.warns(FewerFeaturesWarning, match="there are only 3"):
        assert len(L1LSMI(9, n_restarts=2).fit(X, X[:, 0]).selected_indices_) == 3


def test_duplicated_samples_and_columns(rng):
    X = np.repeat(rng.integers(0, 2, size=(4, 3)).astype(float), 20, axis=0)
    X = np.hstack([X, X])
    y = np.repeat([0, 1, 0, 1], 20)
    X[:, 1] = y
    selector = L1LSMI(1, n_restarts=3).fit(X, y)
    assert selector.selected_indices_.tolist() == [1]


def test_a_radius_that_keeps_no_feature_is_told(monkeypatch, rng):
    monkeypatch.setattr(
        weight_search, "_ascend_in_ball", lambda bound, start, *_, **__: np.zeros_like(start)
    )
    X = rng.normal(size=(40, 3))
    with pytest.raises(ValueError, match=r"No radius from 0\.1 on kept a feature"):
        L1LSMI(2, optimiser="paper", n_restarts=2).fit(X, X[:, 0])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"optimiser": "newton"}, "optimiser must be '"),
        ({"n_restarts": 0}, "n_restarts must be"),
        ({"n_restarts": 2.5}, "n_restarts must be"),
        ({"time_limit": 0.0}, "time_limit must be None or a number above 0"),
        ({"time_limit": -1}, "time_limit must be None or a number above 0"),
        ({"radius": 0.0}, "radius must be a number above 0"),
        ({"radius": np.nan}, "radius must be a number above 0"),
        ({"radius": None}, "radius must be a number above 0"),
    ],
)
def test_wrong_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        L1Ball(**settings).check(HSIC(), 5, 2)


def test_a_measure_without_slopes_is_refused_by_name():
    with pytest.raises(IncompatibleCombinationError, match="weighted_value_and_gradient"):
        L1Ball().check(MutualInformation(), 5, 2)


def test_any_measure_with_slopes_will_do(rng):
    problem = make_xor_toy(200, random_state=2)
    bound = HSIC(kernel_x=kernels.Gaussian("narrow")).bind(problem.X, problem.y)
    path = L1Ball(n_restarts=4).search(bound, 2)
    assert set(path.order[:2].tolist()) == {0, 1}
