"""Searches against their literal transcription."""

from types import SimpleNamespace

import numpy as np
import pytest

from hsieve import BAHSIC, FOHSIC, HSIC, MRMR, Backward, Forward, Pearson, Ranking, kernels
from hsieve.datasets import make_xor
from hsieve.progress import listen
from hsieve.strategies.base import best_first
from hsieve.strategies.sequential import MIN_CONTEXT
from tests.reference import naive


def standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.mark.parametrize("step", [1, 2, 0.25])
def test_backward_with_one_context_is_algorithm_1(step, rng):
    X, y = rng.normal(size=(14, 6)), rng.integers(0, 2, 14)
    bound = HSIC(kernel_x=kernels.Gaussian("sqrt_d")).bind(X, y)
    path = Backward(step=step).search(bound, 2)
    expected = naive.bahsic(
        standardised(X), naive.delta_gram(y), lambda columns: np.sqrt(columns.shape[1]), step
    )
    assert path.order.tolist() == expected


def test_backward_with_the_papers_width_search_is_algorithm_1(rng):
    X, y = rng.normal(size=(12, 5)), rng.normal(size=12)
    L = naive.gaussian_gram(standardised(y[:, None]), 1.0)

    def widest(columns):
        squared = kernels.squared_distances(columns)
        return max(
            kernels.bandwidth_grid(squared),
            key=lambda sigma: naive.unbiased_hsic(naive.gaussian_gram(columns, sigma), L),
        )

    bound = HSIC(kernel_x=kernels.Gaussian("maximise")).bind(X, y)
    path = Backward(step=1).search(bound, 2)
    assert path.order.tolist() == naive.bahsic(standardised(X), L, widest)


def test_backward_records_the_sets_it_visited(rng):
    bound = HSIC().bind(rng.normal(size=(20, 9)), rng.normal(size=20))
    path = Backward(step=0.3).search(bound, 3)
    assert path.sizes.tolist() == [1, 2, 3, 4, 5, 7, 9]
    for size, score in zip(path.sizes, path.set_scores, strict=True):
        assert bound.subset_score(np.sort(path.order[:size])) == pytest.approx(score, abs=1e-12)
    assert sorted(path.order.tolist()) == list(range(9))


def test_one_feature_is_left_by_a_step_larger_than_their_number(rng):
    bound = HSIC().bind(rng.normal(size=(20, 4)), rng.normal(size=20))
    path = Backward(step=10).search(bound, 1)
    assert path.sizes.tolist() == [1, 4]
    assert path.order[0] == np.argmax(bound.elimination_scores(np.arange(4), np.arange(4)))


def test_feature_scores_are_contributions_at_the_time_of_leaving(rng):
    bound = HSIC().bind(rng.normal(size=(20, 5)), rng.normal(size=20))
    path = Backward(step=1).search(bound, 1)
    members = np.arange(5)
    for place in (4, 3, 2, 1):
        contributions = bound.contributions(members, members)
        leaves = np.flatnonzero(members == path.order[place])[0]
        assert path.feature_scores[place] == pytest.approx(contributions[leaves], abs=1e-14)
        stays = np.flatnonzero(members == path.order[0])[0]
        members = np.delete(members, leaves)
    assert path.feature_scores[0] == pytest.approx(contributions[stays], abs=1e-14)
    assert path.feature_scores[0] >= path.feature_scores[1]


def test_contexts_are_repeatable_and_follow_the_seed(rng):
    problem = make_xor(60, 4 * MIN_CONTEXT, random_state=1)
    bound = HSIC(kernel_x=kernels.Gaussian("narrow")).bind(problem.X, problem.y)
    orders = [
        Backward(n_contexts=4, random_state=seed).search(bound, 2).order.tolist()
        for seed in (0, 0, 1)
    ]
    assert orders[0] == orders[1] != orders[2]


def test_standings_are_those_of_the_first_round(rng):
    bound = HSIC().bind(rng.normal(size=(20, 5)), rng.normal(size=20))
    everything = np.arange(5)
    np.testing.assert_allclose(
        Backward().standings(bound), bound.elimination_scores(everything, everything)
    )
    # In several contexts, what features are worth is put on the scale of each context.
    d = 2 * MIN_CONTEXT
    wide = HSIC().bind(rng.normal(size=(20, d)), rng.normal(size=20))
    contexts = np.random.default_rng(3).permutation(np.arange(d) % 2)
    worth = [wide.elimination_scores(np.flatnonzero(contexts == c), np.arange(d)) for c in (0, 1)]
    expected = np.max([(here - here.mean()) / here.std() for here in worth], axis=0)
    found = Backward(n_contexts=2, random_state=3).standings(wide)
    np.testing.assert_allclose(found, expected)


def test_contexts_that_tell_no_feature_from_another_leave_all_at_zero(rng, monkeypatch):
    d = 2 * MIN_CONTEXT
    bound = HSIC().bind(rng.normal(size=(12, d)), rng.normal(size=12))
    told = iter([0.5, 2.0, *[1.0] * 1000])
    monkeypatch.setattr(
        type(bound),
        "elimination_scores",
        lambda _, members, features: np.full(len(features), next(told)),
    )
    path = Backward(n_contexts=2, step=0.5).search(bound, 2)
    # All stand alike, so those in front stay; of contexts that tie the first tells the worth.
    assert sorted(path.order[MIN_CONTEXT:].tolist()) == list(range(MIN_CONTEXT, d))
    assert (path.feature_scores[MIN_CONTEXT:] == 0.5).all()
    assert (Backward(n_contexts=2).standings(bound) == 0.0).all()


def test_few_features_are_judged_in_one_context(rng):
    bound = HSIC().bind(rng.normal(size=(20, 2 * MIN_CONTEXT - 1)), rng.normal(size=20))
    one, many = (Backward(n_contexts=c).search(bound, 2).order for c in (1, 8))
    np.testing.assert_array_equal(one, many)


def test_contexts_find_a_continuous_xor_that_one_context_loses():
    found = {1: 0, 8: 0}
    for seed in range(8):
        problem = make_xor(300, 100, kind="continuous", random_state=seed)
        bound = HSIC(kernel_x=kernels.Gaussian("narrow"), precision="single").bind(
            problem.X, problem.y
        )
        for n_contexts in found:
            path = Backward(n_contexts=n_contexts).search(bound, 2)
            found[n_contexts] += set(path.order[:2]) == {0, 1}
    assert found[8] == 8
    assert found[8] >= found[1]


def test_forward_adds_what_leaves_the_score_highest(rng):
    X = rng.normal(size=(30, 6))
    y = X[:, 2] ** 2 + X[:, 4]
    bound = HSIC(kernel_x=kernels.Gaussian(1.5)).bind(X, y)
    path = Forward().search(bound, 3)
    chosen = []
    for place in range(3):
        rest = [j for j in range(6) if j not in chosen]
        scores = [bound.subset_score([*chosen, j]) for j in rest]
        chosen.append(rest[int(np.argmax(scores))])
        assert path.order[place] == chosen[-1]
        assert path.set_scores[place] == pytest.approx(max(scores), rel=1e-9)
    assert sorted(path.order.tolist()) == list(range(6))


def test_forward_tells_what_each_feature_brought_and_what_the_others_would_have_cost(rng):
    X = rng.normal(size=(30, 6))
    bound = HSIC(kernel_x=kernels.Gaussian(1.5)).bind(X, X[:, 2] ** 2 + X[:, 4])
    path = Forward().search(bound, 3)
    assert path.sizes.tolist() == [1, 2, 3]
    assert path.stop_reason == "3 features chosen"
    np.testing.assert_allclose(np.cumsum(path.feature_scores[:3]), path.set_scores)
    instead = [bound.subset_score([*path.order[:2], j]) for j in path.order[3:]]
    expected = np.array(instead) - path.set_scores[-1]
    np.testing.assert_allclose(path.feature_scores[3:], expected, atol=1e-12)
    assert (np.diff(path.feature_scores[3:]) <= 0).all()


def test_a_measure_that_gives_nan_is_refused(rng):
    scores = rng.normal(size=5)
    scores[3] = np.nan
    bound = SimpleNamespace(feature_scores=lambda features: scores[features], n_features=5)
    with pytest.raises(ValueError, match="gave NaN for 1 of 5 features, such as 3"):
        Ranking().search(bound, 2)


def test_a_ranking_of_many_blocks_is_that_of_all_scores(rng):
    X = rng.normal(size=(20, 700))
    bound = Pearson().bind(X, X[:, 300] + rng.normal(size=20))
    scores = bound.feature_scores(np.arange(700))
    path = Ranking().search(bound, 5)
    np.testing.assert_array_equal(path.order, np.argsort(-scores, kind="stable"))
    np.testing.assert_array_equal(path.feature_scores, scores[path.order])
    assert path.sizes.tolist() == [1]
    assert path.set_scores.tolist() == [scores.max()]


def test_with_linear_kernels_all_searches_agree(rng):
    """HSIC then decomposes over features: forward = backward = ranking."""
    X = rng.normal(size=(40, 7)) + 0.0
    y = X @ np.array([0.1, 2, 0.5, 0, 1, 0.2, 3]) + rng.normal(size=40)
    bound = HSIC(kernel_x=kernels.Linear(), kernel_y=kernels.Linear()).bind(X, y)
    orders = [
        strategy.search(bound, 7).order.tolist()
        for strategy in (Ranking(), Forward(), Backward(step=1), Backward(step=0.5))
    ]
    assert orders[0] == orders[1] == orders[2] == orders[3]


def test_ties_go_to_the_lower_index(rng):
    x = rng.normal(size=20)
    bound = Pearson().bind(np.column_stack([x, x, x]), x + rng.normal(size=20))
    assert Ranking().search(bound, 1).order.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"step": 0}, "step must be"),
        ({"step": -0.1}, "step must be"),
        ({"step": 1.5}, "step must be"),
        ({"n_contexts": 0}, "n_contexts must be"),
        ({"n_contexts": 2.5}, "n_contexts must be"),
    ],
)
def test_bad_settings_are_refused_in_words(settings, message):
    with pytest.raises(ValueError, match=message):
        Backward(**settings).check(HSIC(), 3, 1)


@pytest.mark.parametrize("strategy", [Ranking(), Forward(), Backward()], ids=repr)
def test_progress_rises_to_one(strategy, rng):
    bound = HSIC().bind(rng.normal(size=(10, 20)), rng.normal(size=10))
    shares = []
    with listen(lambda share, _: shares.append(share)):
        strategy.search(bound, 5)
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0, abs=0.06)
    shares.clear()
    strategy.search(bound, 5)
    assert not shares


@pytest.mark.parametrize("kind", [BAHSIC, FOHSIC])
def test_rounds_are_kept_though_the_measure_is_not_worked_out_column_by_column(kind, rng, tmp_path):
    X = rng.normal(size=(20, 5))
    kind(2, checkpoint=tmp_path).fit(X, X[:, 0])
    assert list(tmp_path.glob("*/*.result"))


def test_a_search_without_rounds_keeps_nothing_of_such_a_measure(rng, tmp_path):
    X = rng.normal(size=(20, 5))
    with pytest.raises(ValueError, match="column by column"):
        MRMR(2, measure=Pearson(), checkpoint=tmp_path).fit(X, X[:, 0])


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([1.0, 3.0, 2.0], [1, 2, 0]),
        ([1.0, 1.0 + 1e-15, 2.0, 2.0 + 4e-15], [2, 3, 0, 1]),
        ([1.0, 1.0 + 1e-9], [1, 0]),
        ([1e-13, 2e-13, 1.0], [2, 0, 1]),
        ([-np.inf, 0.5, -np.inf, np.inf, np.inf], [3, 4, 1, 0, 2]),
        ([0.0, 0.0], [0, 1]),
        ([4.0], [0]),
        ([], []),
    ],
)
def test_scores_that_differ_by_rounding_are_ties_for_the_first(scores, expected):
    assert best_first(np.array(scores)).tolist() == expected


def test_quotients_are_ties_by_themselves():
    scores = np.array([1.0, 2.0, 2.0 * (1 + 1e-15), 1e12])
    assert best_first(scores, each_by_itself=True).tolist() == [3, 1, 2, 0]
