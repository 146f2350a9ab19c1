"""Randomised contributions: the thesis' estimator to the letter, and the promises of both."""

import numpy as np
import pytest
from sklearn.base import clone

from hsieve import HSIC, LSMI, NHSIC, DependenceSelector, RandomisedContributions, kernels
from hsieve.datasets import make_xor
from hsieve.kernels.columns import standardised
from hsieve.progress import listen
from hsieve.strategies.random_sets import Sampler
from hsieve.strategies.randomised import best_mean
from tests.reference import naive_randsel
from tests.reference.naive import delta_gram

SIGMA = 2.0
ALIGNMENT = NHSIC(kernel_x=kernels.Gaussian(SIGMA))
NARROW = HSIC(kernel_x=kernels.Gaussian("narrow"), compensate=True)


def searched(strategy, X, y, measure=ALIGNMENT):
    return strategy.search(measure.bind(X, y), 2)


@pytest.fixture
def problem(rng):
    X = rng.normal(size=(24, 7))
    return X, (X[:, 1] * X[:, 4] > 0).astype(int)


def sampler_of(strategy, n_samples, groups=None):
    seed = int(np.random.default_rng(strategy.random_state).integers(2**63))
    groups = np.zeros(n_samples, dtype=int) if groups is None else groups
    share = {"plain": 0.5, "sweep": 0.25}[strategy.estimator]
    return Sampler.over(groups, strategy.subsample, share, seed)


@pytest.mark.parametrize("n_features", [7, 6])
def test_the_plain_estimator_is_algorithm_6(problem, n_features):
    X, y = problem
    X = X[:, :n_features]
    strategy = RandomisedContributions(
        estimator="plain", n_rounds=20, subsample=0.5, random_state=3
    )
    sampler = sampler_of(strategy, len(X))

    def rounds_of(iteration, n_left):
        draws = (sampler.draw(iteration, i, n_left, n_left) for i in range(20))
        return [(draw.samples, list(draw.chosen), list(draw.others)) for draw in draws]

    path = searched(strategy, X, y)
    history, order = naive_randsel.randsel(standardised(X), delta_gram(y), rounds_of, SIGMA, 0.25)
    assert path.order.tolist() == order
    assert len(path.contributions) == len(history)
    for row, truth in zip(path.contributions, history, strict=True):
        expected = [truth.get(feature, np.nan) for feature in range(n_features)]
        np.testing.assert_allclose(row, expected, rtol=0, atol=1e-12)


def test_a_sweep_is_what_each_feature_brings_to_the_random_sets(problem):
    X, y = problem
    strategy = RandomisedContributions(n_rounds=5, subsample=0.5, random_state=3)
    sampler = sampler_of(strategy, len(X))
    bound = ALIGNMENT.bind(X, y)
    brought = np.zeros((5, 7))
    for i in range(5):
        draw = sampler.draw(0, i, 7, 7)
        part = bound.part(draw.samples, np.arange(7))
        for j in range(7):
            with_it, without = np.union1d(draw.chosen, [j]), np.setdiff1d(draw.chosen, [j])
            brought[i, j] = part.subset_score(with_it) - part.subset_score(without)
    path = strategy.search(bound, 2)
    np.testing.assert_allclose(path.contributions[0], brought.mean(axis=0), atol=1e-9)
    # Of seven features a set holds half, and all rounds count.
    np.testing.assert_array_equal(path.merits, path.contributions)


def test_the_best_rounds_count_until_sets_are_halves():
    problem = make_xor(80, 40, random_state=0)
    path = searched(RandomisedContributions(n_rounds=8), problem.X, problem.y, NARROW)
    n_left = np.isfinite(path.merits).sum(axis=1)
    are_means = [
        np.array_equal(merits, means, equal_nan=True)
        for merits, means in zip(path.merits, path.contributions, strict=True)
    ]
    assert are_means == (n_left <= 16).tolist()
    assert 40 in n_left


@pytest.mark.parametrize("measure", [ALIGNMENT, HSIC(), HSIC(estimator="biased", compensate=True)])
def test_a_part_of_a_bound_measure_is_the_measure_of_that_part(measure, problem):
    X, y = problem
    samples, features = np.array([0, 3, 5, 6, 9, 12, 20, 22]), np.array([4, 1, 2])
    measure = clone(measure).set_params(standardise=False)
    kernel_y = kernels.Precomputed()
    gram = kernels.Delta().gram(y)
    part = measure.bind(X, y).part(samples, features)
    alone = type(measure)(**{**measure.get_params(deep=False), "kernel_y": kernel_y}).bind(
        X[np.ix_(samples, features)], gram[np.ix_(samples, samples)]
    )
    chosen, everything = np.array([0, 2]), np.arange(3)
    assert part.subset_score(chosen) == pytest.approx(alone.subset_score(chosen), rel=1e-10)
    np.testing.assert_allclose(
        part.elimination_scores(chosen, everything),
        alone.elimination_scores(chosen, everything),
        atol=1e-12,
    )


def test_categories_keep_their_columns_in_a_part(rng):
    X = np.column_stack([rng.normal(size=30), rng.integers(3, size=30), rng.normal(size=30)])
    bound = HSIC(categorical=[1]).bind(X, rng.normal(size=30))
    part = bound.part(np.arange(30), np.array([2, 1]))
    assert part.subset_score([1]) == pytest.approx(bound.subset_score([1]))
    assert part.subset_score([0, 1]) == pytest.approx(bound.subset_score([1, 2]))


@pytest.mark.parametrize(("measure", "n_rounds"), [(NARROW, 40), (LSMI(n_centres=20), 4)])
@pytest.mark.parametrize("estimator", ["plain", "sweep"])
def test_the_number_of_workers_changes_nothing(estimator, measure, n_rounds):
    data = make_xor(60, 12, random_state=0)
    paths = [
        searched(
            RandomisedContributions(estimator=estimator, n_rounds=n_rounds, n_jobs=n_jobs),
            data.X,
            data.y,
            measure,
        )
        for n_jobs in (1, 2)
    ]
    assert paths[0].order.tolist() == paths[1].order.tolist()
    np.testing.assert_array_equal(paths[0].contributions, paths[1].contributions)


@pytest.mark.parametrize(("estimator", "n_rounds"), [("sweep", 12), ("plain", 30)])
def test_lsmi_finds_what_matters_together_in_few_rounds(estimator, n_rounds, rng):
    X = rng.normal(size=(150, 6))
    strategy = RandomisedContributions(estimator=estimator, n_rounds=n_rounds, subsample=0.5)
    measure = LSMI(n_centres=30)
    for y in (X[:, 1] ** 2 + X[:, 4] ** 2, X[:, 1] * X[:, 4] > 0):
        assert sorted(searched(strategy, X, y, measure).order[:2].tolist()) == [1, 4]


def test_a_seed_gives_one_answer_and_another_seed_other_draws(problem):
    def contributions(random_state):
        strategy = RandomisedContributions(n_rounds=6, random_state=random_state)
        return searched(strategy, *problem).contributions[0]

    np.testing.assert_array_equal(contributions(1), contributions(1))
    np.testing.assert_array_equal(
        contributions(np.random.default_rng(1)), contributions(np.random.default_rng(1))
    )
    assert (contributions(1) != contributions(2)).any()


@pytest.mark.parametrize("estimator", ["plain", "sweep"])
def test_the_path_ranks_all_features_and_keeps_the_nested_sets(estimator, problem):
    strategy = RandomisedContributions(estimator=estimator, n_rounds=30, step=0.3)
    path = searched(strategy, *problem)
    assert sorted(path.order.tolist()) == list(range(7))
    # 7, 5, 4, 3, 2 features, judged one time each.
    assert np.isfinite(path.contributions).sum(axis=1).tolist() == [7, 5, 4, 3, 2]
    assert sorted(path.sizes.tolist()) == [2, 3, 4, 5, 7]
    for row, members in zip(path.contributions, path.nested_sets, strict=True):
        assert members.tolist() == np.flatnonzero(np.nan_to_num(row) > 0).tolist()
    for feature, score in zip(path.order, path.feature_scores, strict=True):
        judged = path.contributions[:, feature]
        assert score == judged[np.isfinite(judged)][-1]
    if estimator == "plain":
        np.testing.assert_array_equal(path.merits, path.contributions)
    bound = ALIGNMENT.bind(*problem)
    for size, score in zip(path.sizes, path.set_scores, strict=True):
        assert score == pytest.approx(bound.subset_score(path.order[:size]))


@pytest.mark.parametrize("estimator", ["plain", "sweep"])
def test_sets_scored_are_counted(estimator, problem):
    strategy = RandomisedContributions(estimator=estimator, n_rounds=6, fix_after=None)
    path = searched(strategy, *problem)
    assert path.stop_reason == "2 feature(s) left"


@pytest.mark.parametrize("estimator", ["plain", "sweep"])
def test_features_at_the_top_long_enough_are_fixed(estimator, rng):
    X = rng.normal(size=(80, 12))
    y = (X[:, 3] + X[:, 8] > 0).astype(int)
    strategy = RandomisedContributions(
        estimator=estimator, n_rounds=60, subsample=0.5, fix_after=2, top_share=0.2
    )
    path = searched(strategy, X, y)
    assert sorted(path.fixed[:2].tolist()) == [3, 8]
    assert path.order[: len(path.fixed)].tolist() == path.fixed.tolist()
    assert path.fixed_after[0] == 1
    assert sorted(path.order.tolist()) == list(range(12))
    # A fixed feature is judged no more, and belongs to every later set.
    assert np.isnan(path.contributions[2:, path.fixed[0]]).all()
    assert all(path.fixed[0] in members for members in path.nested_sets[2:])


def test_the_best_of_few_features_is_at_the_top(problem):
    X, _ = problem
    strategy = RandomisedContributions(n_rounds=10, fix_after=1, top_share=0.1)
    path = searched(strategy, X[:, :5], X[:, 3] > 0)
    assert path.fixed[0] == 3
    assert path.fixed_after.tolist() == list(range(len(path.fixed)))


def test_the_top_is_a_share_of_the_features_left(rng):
    X = rng.normal(size=(30, 20))
    strategy = RandomisedContributions(n_rounds=4, fix_after=1, top_share=0.3, step=0.5)
    path = searched(strategy, X, X[:, 0] > 0)
    # Of 20 features 6 are fixed and half of the others culled, of the 7 left 2, of 3 one.
    assert np.bincount(path.fixed_after)[:3].tolist() == [6, 2, 1]
    assert path.fixed[:6].tolist() == np.argsort(-path.merits[0], kind="stable")[:6].tolist()


@pytest.mark.parametrize("n_features", [3, 4, 8])
def test_two_features_are_left_however_many_are_culled(n_features, rng):
    X = rng.normal(size=(30, n_features))
    path = searched(RandomisedContributions(n_rounds=4, step=0.9), X, X[:, 0] > 0)
    assert path.sizes.tolist() == [2, n_features]
    assert np.isfinite(path.contributions).sum(axis=1).tolist() == [n_features, 2]


@pytest.mark.parametrize("estimator", ["plain", "sweep"])
def test_progress_rises_and_is_that_of_the_features_left(estimator, problem):
    heard = []
    with listen(lambda share, _: heard.append(share)):
        searched(RandomisedContributions(estimator=estimator, n_rounds=4, step=0.3), *problem)
    # 5, 4, 3, 2 features are left; sweeps cost as much as these, plain rounds all the same.
    left = np.array([5, 4, 3, 2])
    expected = 1 - (left / 7 if estimator == "sweep" else np.log(left / 2) / np.log(7 / 2))
    assert heard == pytest.approx(expected.tolist())


def test_balanced_subsamples_hold_equally_many_of_each_class(rng):
    groups = np.repeat([0, 1, 2], [60, 30, 3])
    sampler = Sampler.over(groups, 0.25, 0.5, seed=0)
    for position in range(5):
        drawn = sampler.draw(0, position, 4, 4).samples
        assert np.bincount(groups[drawn]).tolist() == [8, 8, 3]
        assert len(set(drawn)) == len(drawn)
    found = HSIC().bind(rng.normal(size=(93, 4)), groups).sample_groups
    assert len(set(zip(groups, found, strict=True))) == len(set(found)) == 3


def test_a_balanced_draw_needs_classes(rng):
    X = rng.normal(size=(30, 4))
    with pytest.raises(ValueError, match="balanced=True needs classes, but the target holds 30"):
        searched(RandomisedContributions(balanced=True), X, rng.normal(size=30))


def test_smaller_sets_of_features_can_be_drawn():
    sampler = Sampler.over(np.zeros(40, dtype=int), 0.5, 0.1, seed=0)
    assert len(sampler.draw(0, 0, 200, 200).chosen) == 20
    assert len(sampler.draw(0, 0, 20, 20).chosen) == 8
    assert len(sampler.draw(0, 0, 6, 6).chosen) == 3
    # Fixed features are in the set and in its complement.
    draw = sampler.draw(0, 0, 6, 8)
    assert draw.chosen[-2:].tolist() == draw.others[-2:].tolist() == [6, 7]


@pytest.mark.parametrize("share", [0.5, 0.25, 0.1])
@pytest.mark.parametrize("n_free", [3, 10, 20, 200])
def test_the_share_of_features_in_a_set_is_told_on_average(share, n_free):
    sampler = Sampler.over(np.zeros(40, dtype=int), 0.5, share, seed=0)
    sizes = [len(sampler.draw(0, position, n_free, n_free).chosen) for position in range(200)]
    assert np.mean(sizes) / n_free == pytest.approx(sampler.share_in(n_free), abs=0.05)


@pytest.mark.parametrize("n_free", [7, 17])
def test_of_an_odd_number_either_half_is_taken(n_free):
    sampler = Sampler.over(np.zeros(40, dtype=int), 0.5, 0.5, seed=0)
    sizes = {len(sampler.draw(0, position, n_free, n_free).chosen) for position in range(20)}
    assert sizes == {n_free // 2, n_free // 2 + 1}
    assert sampler.share_in(n_free) == 0.5


@pytest.mark.parametrize("share", [0.5, 0.25])
def test_of_one_feature_the_set_is_that_feature(share):
    sampler = Sampler.over(np.zeros(40, dtype=int), 0.5, share, seed=0)
    for position in range(20):
        draw = sampler.draw(0, position, 1, 1)
        assert (draw.chosen.tolist(), draw.others.tolist()) == ([0], [])


@pytest.mark.parametrize("n_features", [1, 2])
@pytest.mark.parametrize("estimator", ["plain", "sweep"])
def test_few_features_are_judged_once(estimator, n_features, rng):
    X = rng.normal(size=(30, n_features))
    strategy = RandomisedContributions(estimator=estimator, n_rounds=10)
    path = searched(strategy, X, X[:, -1] > 0)
    assert path.order[0] == n_features - 1
    assert path.contributions.shape == (1, n_features)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"estimator": "mean"}, "estimator must be '"),
        ({"n_rounds": 0}, "n_rounds must be None or an integer"),
        ({"fix_after": 1.5}, "fix_after must be None or an integer"),
        ({"subsample": 0}, "subsample must be None, a number"),
        ({"subsample": 1.5}, "subsample must be None, a number"),
        ({"step": 1}, "step must be a number between 0 and 1"),
        ({"top_share": "half"}, "top_share must be a number"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, complaint, problem):
    with pytest.raises(ValueError, match=complaint):
        DependenceSelector(ALIGNMENT, strategy=RandomisedContributions(**settings)).fit(*problem)


def test_constant_features_have_no_contributions(rng):
    X = rng.normal(size=(40, 5))
    X[:, 2] = 1.0
    selector = DependenceSelector(
        ALIGNMENT, strategy=RandomisedContributions(n_rounds=5), n_features_to_select=2
    )
    with pytest.warns(UserWarning, match="constant"):
        path = selector.fit(X, X[:, 3] > 0).path_
    assert np.isnan(path.contributions[:, 2]).all()
    assert path.order[-1] == 2
    assert selector.selected_indices_[0] == 3


@pytest.mark.parametrize(
    ("estimator", "n_samples", "expected"),
    [("sweep", 600, 300), ("sweep", 5000, 1000), ("plain", 600, 150), ("plain", 5000, 1000)],
)
def test_a_round_takes_a_share_of_the_samples_and_a_thousand_at_most(
    estimator, n_samples, expected, rng
):
    bound = HSIC().bind(rng.normal(size=(n_samples, 2)), rng.integers(2, size=n_samples))
    sampler = RandomisedContributions(estimator=estimator)._sampler(bound)
    assert len(sampler.draw(0, 0, 2, 2).samples) == expected


def test_an_iteration_has_thirty_two_sweeps(problem):
    X, y = problem
    path = searched(RandomisedContributions(), X[:, :2], y)
    assert path.contributions.shape == (1, 2)
    assert path.sizes.tolist() == [2]


@pytest.mark.parametrize(("estimator", "expected"), [("plain", 100), ("sweep", 50)])
def test_sets_are_halves_or_quarters_of_the_features_left(estimator, expected, problem):
    sampler = RandomisedContributions(estimator=estimator)._sampler(ALIGNMENT.bind(*problem))
    assert len(sampler.draw(0, 0, 200, 200).chosen) == expected


@pytest.mark.parametrize(("subsample", "expected"), [(1, 40), (2, 8), (9, 9), (50, 40)])
def test_a_number_above_one_is_one_of_samples_and_not_a_share(subsample, expected):
    sampler = Sampler.over(np.zeros(40, dtype=int), subsample, 0.5, seed=0)
    assert len(sampler.draw(0, 0, 6, 6).samples) == expected


def test_features_culled_together_come_in_the_order_of_their_merits(rng):
    X = rng.normal(size=(30, 20))
    path = searched(RandomisedContributions(n_rounds=4, step=0.4), X, X[:, 0] > 0)
    first = path.merits[0]
    culled = np.isnan(path.merits[1])
    assert culled.sum() == 8
    assert path.order[-8:].tolist() == np.flatnonzero(culled)[np.argsort(-first[culled])].tolist()


def test_at_least_the_best_round_counts():
    rounds = np.array([[2.0, 0.0], [0.0, 0.0], [0.0, 6.0], [0.0, 6.0]])
    assert best_mean(rounds, 0.01).tolist() == [2.0, 2.0]
