"""Kernel pursuit: what it finds, when it ends, and that its path tells what happened."""

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from hsieve import (
    NHSIC,
    DependenceSelector,
    IncompatibleCombinationError,
    MutualInformation,
    PairwiseHSIC,
    Pearson,
    PursuitSearch,
    deadline,
)
from hsieve.datasets import make_problem
from hsieve.inference import kernel_smoother
from hsieve.inference.kernel_smoother import ADDITIVE_FRACTIONS, RIDGES, KernelSmoother
from hsieve.kernels.columns import standardised
from hsieve.kernels.mixed_kernel import KernelColumn, MixedKernel
from hsieve.parallel import threads
from hsieve.progress import listen
from hsieve.strategies import pursuit, pursuit_candidates, pursuit_members
from tests.reference import naive_pursuit

NO_OTHER = "no other feature is related to the residuals beyond chance"
NO_LOWER = "other features do not lower the leave-one-out error"
ENOUGH = "enough features"


def searched(X, y, n_wanted=None, *, measure=None, **settings):
    """Search; without a number wanted the search finds it."""
    bound = (measure or PairwiseHSIC()).bind(X, y)
    finds = n_wanted is None
    strategy = PursuitSearch(finds_number=finds, **settings)
    return strategy.search(bound, X.shape[1] if finds else n_wanted)


def found(path):
    return sorted(path.order[: path.n_found].tolist())


def friedman(seed, n_samples=200, n_features=12):
    """Four kinds of effect in five features; the first two act together."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_samples, n_features))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, y + 10 * X[:, 3] + 5 * X[:, 4] + rng.normal(size=n_samples)


def mixture(seed, n_samples=200):
    """Feature 5 is a noisy copy of 0 with some of 1 in it, and alone tells more than either."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, 8))
    X[:, 5] = X[:, 0] + 0.5 * X[:, 1] + 0.3 * rng.normal(size=n_samples)
    return X, X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=n_samples)


def xor(seed, n_samples=200, n_features=10):
    X = np.random.default_rng(seed).normal(size=(n_samples, n_features))
    return X, (X[:, 2] * X[:, 7] > 0).astype(int)


def and_or(seed):
    """Features 0 to 3 make the classes; 7 to 9 are noisy copies of these."""
    made = make_problem("and-or", random_state=seed, n_samples=400)
    return made.X, made.y


PROBLEMS = {
    "friedman": lambda: friedman(0),
    "mixture": lambda: mixture(0),
    "xor": lambda: xor(0),
    "and-or": lambda: and_or(0),
}


@cache
def path_of(problem, n_wanted=None):
    return searched(*PROBLEMS[problem](), n_wanted)


@pytest.mark.parametrize("seed", range(3))
def test_the_five_features_of_a_friedman_problem_and_no_other(seed):
    path = searched(*friedman(seed))
    assert found(path) == [0, 1, 2, 3, 4]
    assert path.stop_reason == NO_OTHER
    # The variance of the noise is 1, that of the target about 24.
    assert path.errors[-1] < 0.15


@pytest.mark.parametrize("seed", range(3))
def test_a_pair_that_acts_only_together(seed):
    path = searched(*xor(seed))
    assert found(path) == [2, 7]
    assert path.sizes.tolist() == [2]
    (joined,) = [event for event in path.events if event.what == "joined"]
    assert sorted(joined.features) == [2, 7]
    # Both members get half of what the pair added.
    np.testing.assert_allclose(path.feature_scores[:2], (path.errors[0] - path.errors[1]) / 2)


@pytest.mark.parametrize("seed", range(2))
def test_a_triple_that_acts_only_together(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 8))
    y = np.sign(X[:, 1] * X[:, 4] * X[:, 6]) + 0.3 * rng.normal(size=300)
    path = searched(X, y)
    assert found(path) == [1, 4, 6]
    assert path.sizes.tolist() == [3]


def test_without_interactions_a_pair_that_acts_only_together_is_not_found():
    assert found(searched(*xor(0), interactions=None)) == []


def test_where_pairs_are_too_many_they_are_not_looked_for(monkeypatch):
    monkeypatch.setattr(pursuit_candidates, "TUPLE_OPERATIONS", 2.0 * 45 * 4 * 200 - 1)
    assert found(searched(*xor(0))) == []
    monkeypatch.setattr(pursuit_candidates, "TUPLE_OPERATIONS", 2.0 * 45 * 4 * 200)
    assert found(searched(*xor(0))) == [2, 7]


@pytest.mark.parametrize("seed", range(3))
def test_a_noisy_copy_is_replaced_by_its_original(seed):
    path = searched(*mixture(seed), interactions=None)
    assert found(path) == [0, 1]
    assert path.events[0].what == "joined"
    assert path.events[0].features == (5,)
    (replaced,) = [event for event in path.events if event.what == "replaced"]
    assert replaced.features == (5, 0)
    assert replaced.standard_errors > 0
    assert 5 in path.substitutes[0]


@pytest.mark.parametrize("n_wanted", [4, None])
def test_noisy_copies_of_the_target_leave_when_its_causes_have_joined(n_wanted):
    path = path_of("and-or", n_wanted)
    assert sorted(path.order[:4].tolist()) == [0, 1, 2, 3]
    joined = [f for event in path.events if event.what == "joined" for f in event.features]
    left = [f for event in path.events if event.what == "left" for f in event.features]
    assert set(joined[:3]) == set(left) == {7, 8, 9}


def test_noise_is_chosen_no_more_often_than_the_level_says():
    chosen = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 8))
        path = searched(X, rng.standard_t(2, 60) if seed % 2 else np.arange(60) % 2)
        chosen += path.n_found > 0
        if not path.n_found:
            assert path.stop_reason == NO_OTHER
            assert path.errors.tolist() == pytest.approx([1.0])
            assert path.n_selectable == 0
            assert np.isnan(path.width)
            assert len(path.sizes) == 0
    # With a chance of 0.05 each, more than 7 of 40 come up once in 1,400 times.
    assert chosen <= 7


def test_a_change_of_spread_alone_is_not_chosen():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    y = np.exp(X[:, 2]) * rng.normal(size=300)
    assert found(searched(X, y, interactions=None)) == []


def replayed(events):
    """The members after all that happened."""
    members = set()
    for event in events:
        if event.what == "joined":
            assert not members & set(event.features)
            members |= set(event.features)
        elif event.what == "left":
            assert set(event.features) <= members
            members -= set(event.features)
        elif event.what == "replaced":
            before, after = event.features
            assert before in members
            assert after not in members
            members = members - {before} | {after}
        else:
            assert event.what == "set aside"
            assert not members & set(event.features)
    return members


@pytest.mark.parametrize("n_wanted", [None, 2, 8])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_events_replay_to_the_members(problem, n_wanted):
    path = path_of(problem, n_wanted)
    assert replayed(path.events) == set(path.order[: path.n_found].tolist())
    gain = 1.5
    for place, event in enumerate(path.events):
        assert np.isnan(event.p_value) == (event.what in ("left", "replaced"))
        assert event.error > 0
        # The level grows with the number of members.
        level = 0.05 * (1 + len(replayed(path.events[:place])))
        if event.what == "joined":
            assert event.standard_errors >= gain
            assert event.p_value <= level
        elif event.what == "set aside":
            assert event.standard_errors < gain
            assert event.p_value <= level


@pytest.mark.parametrize("n_wanted", [None, 2, 8])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_steps_add_up(problem, n_wanted):
    path = path_of(problem, n_wanted)
    n_features = len(path.order)
    assert path.errors[0] == pytest.approx(1.0)
    assert len(path.errors) == len(path.sizes) + 1
    assert path.sizes[-1] == path.n_found
    assert np.all(np.diff([0, *path.sizes]) > 0)
    np.testing.assert_allclose(path.set_scores, 1 - path.errors[1:])
    sums = np.concatenate([[0.0], np.cumsum(path.feature_scores)])
    np.testing.assert_allclose(sums[path.sizes], path.set_scores, atol=1e-12)
    assert not path.feature_scores[path.n_found :].any()
    assert sorted(path.order.tolist()) == list(range(n_features))
    if n_wanted is None:
        assert path.n_selectable == path.n_found
    else:
        assert path.n_selectable is None
        assert path.n_found <= n_wanted


def test_the_last_error_and_what_is_left_are_those_of_literal_refits():
    X, y = mixture(0, n_samples=50)
    path = searched(X, y, interactions=None)
    members = path.order[: path.n_found]
    assert 0 < len(members) < 4
    scaled, targets = standardised(X, robust=True), standardised(y[:, None])
    groups = [scaled[:, [feature]] for feature in members]
    best, residuals = np.inf, None
    for additive, ridge in itertools.product(ADDITIVE_FRACTIONS, RIDGES):
        values, vectors = np.linalg.eigh(naive_pursuit.mixed_gram(groups, path.width, additive))
        features = vectors * np.sqrt(np.maximum(values, 0.0))
        left = naive_pursuit.left_out_residuals(features, targets, ridge)
        if np.mean(left**2) < best:
            best, residuals = np.mean(left**2), left
    # Regressions add 1e-6 to the diagonal of the kernel.
    assert path.errors[-1] == pytest.approx(best, rel=1e-3)
    expected = naive_pursuit.relevance_to(naive_pursuit.exact_grams(X), residuals)
    np.testing.assert_allclose(path.residual_relevance, expected, atol=2e-3)
    np.testing.assert_allclose(
        path.relevance, PairwiseHSIC().bind(X, y).relevance(np.arange(X.shape[1]))
    )


def test_with_gates_wide_open_it_is_the_literal_pursuit(monkeypatch):
    """One kernel and ridge, no candidate refused, no member dropped or replaced."""
    monkeypatch.setattr(kernel_smoother, "WIDTHS", (2.0,))
    monkeypatch.setattr(kernel_smoother, "ADDITIVE_FRACTIONS", (0.0,))
    monkeypatch.setattr(kernel_smoother, "RIDGES", (0.1,))
    monkeypatch.setattr(pursuit_members, "STAYS_FROM", 0.0)
    monkeypatch.setattr(pursuit_members, "SUBSTITUTE", 2.0)
    X, y = friedman(1, n_samples=50, n_features=6)
    expected, errors = naive_pursuit.ungated_pursuit(X, y, 3, width=2.0, ridge=0.1)
    path = searched(X, y, level=1 - 1e-9, least_gain=0.0, interactions=None)
    assert path.order[:3].tolist() == expected
    np.testing.assert_allclose(path.errors[1:4], errors, rtol=1e-4)


def test_the_rest_follow_by_relevance_to_the_residuals():
    path = path_of("friedman")
    rest = path.order[path.n_found :]
    assert np.all(np.diff(path.residual_relevance[rest]) <= 0)


@pytest.mark.parametrize("n_wanted", [2, 5, 8])
def test_a_given_number_is_trimmed_or_filled_up(n_wanted):
    path = path_of("friedman", n_wanted)
    assert path.n_found == min(5, n_wanted)
    assert set(path.order[: path.n_found].tolist()) <= {0, 1, 2, 3, 4}
    assert path.stop_reason == (ENOUGH if n_wanted < 5 else NO_OTHER)
    if n_wanted > 5:
        fillers = path.order[5:n_wanted].tolist()
        assert fillers == literal_mrmr(
            PairwiseHSIC().bind(*friedman(0)), path.order[:5].tolist(), 3
        )


def literal_mrmr(bound, taken, n_more):
    """Relevance to the target less mean redundancy with those taken, one at a time."""
    everything, taken = np.arange(bound.n_features), list(taken)
    relevance, n_before = bound.relevance(everything), len(taken)
    redundancy = bound.redundancy(everything, everything)
    for _ in range(n_more):
        scores = relevance - redundancy[:, taken].mean(axis=1)
        scores[taken] = -np.inf
        taken.append(int(np.argmax(scores)))
    return taken[n_before:]


def test_with_nothing_found_fillers_begin_with_the_most_relevant(rng):
    X, y = rng.normal(size=(60, 6)), rng.normal(size=60)
    path = searched(X, y, 3)
    assert path.n_found == 0
    assert path.order[0] == np.argmax(path.relevance)
    assert path.n_selectable is None


def test_it_ends_when_all_features_have_joined(rng):
    X = rng.normal(size=(80, 2))
    path = searched(X, X[:, 0] + X[:, 1] + 0.1 * rng.normal(size=80))
    assert found(path) == [0, 1]
    assert path.stop_reason == ENOUGH


def test_it_ends_when_many_candidates_do_not_lower_the_error(monkeypatch):
    monkeypatch.setattr(pursuit, "MOST_ASIDE", 2)
    path = searched(*friedman(0), least_gain=50.0, interactions=None)
    assert path.stop_reason == NO_LOWER
    assert path.n_found == 0
    assert [event.what for event in path.events] == ["set aside"] * 3
    assert len({event.features for event in path.events}) == 3


def test_a_stricter_level_finds_no_more(rng):
    X = rng.normal(size=(80, 6))
    y = X[:, 0] + 0.35 * X[:, 1] + rng.normal(size=80)
    n_found = [searched(X, y, level=level).n_found for level in (0.5, 0.05, 1e-30)]
    assert n_found == sorted(n_found, reverse=True)
    assert n_found[-1] == 0
    assert n_found[0] > 0


@pytest.mark.parametrize("measure", [PairwiseHSIC(), Pearson()], ids=str)
def test_three_classes(measure, rng):
    X = rng.normal(size=(200, 10))
    y = np.array(["low", "mid", "top"])[np.digitize(X[:, 2] + X[:, 6], [-0.7, 0.7])]
    assert found(searched(X, y, measure=measure)) == [2, 6]


def test_several_outputs(rng):
    X = rng.normal(size=(200, 10))
    y = np.column_stack([X[:, 1], X[:, 7] ** 2]) + 0.2 * rng.normal(size=(200, 2))
    path = searched(X, y)
    assert found(path) == [1, 7]
    # Each feature explains one of two outputs.
    np.testing.assert_allclose(path.feature_scores[:2], 0.5, atol=0.1)


def test_a_category_with_many_levels(rng):
    X = rng.normal(size=(300, 8))
    X[:, 3] = rng.integers(0, 12, 300)
    effects = np.resize([1.0, -1.0], 12)
    y = effects[X[:, 3].astype(int)] + X[:, 6] + 0.3 * rng.normal(size=300)
    path = searched(X, y, measure=PairwiseHSIC(categorical=[3]))
    assert found(path) == [3, 6]
    assert path.errors[-1] < 0.2


def test_a_category_is_found_beside_others_whatever_its_codes(rng):
    X = rng.normal(size=(200, 5))
    X[:, 1] = rng.integers(0, 5, 200)
    y = np.array([0.0, 2.0, -1.0, 1.0, -2.0])[X[:, 1].astype(int)] + 0.2 * rng.normal(size=200)
    measure = PairwiseHSIC(categorical=[1])
    plain = searched(X, y, measure=measure)
    X[:, 1] = np.array([30.0, -2.0, 7.0, 1.5, 8.0])[X[:, 1].astype(int)]
    renamed = searched(X, y, measure=measure)
    assert found(plain) == found(renamed) == [1]
    np.testing.assert_allclose(renamed.errors, plain.errors, rtol=1e-6)


def test_fewer_samples_than_features(rng):
    X = rng.normal(size=(50, 120))
    path = searched(X, 2 * X[:, 17] + 0.3 * rng.normal(size=50), interactions=None)
    assert path.order[0] == 17
    assert path.errors[1] < 0.3


@pytest.mark.filterwarnings("ignore:.*constant column", "ignore:4 features were asked for")
def test_constant_features_are_never_chosen(rng):
    X = rng.normal(size=(150, 6))
    X[:, [0, 4]] = 3.0
    y = X[:, 1] * 2 + X[:, 3] ** 2 + 0.2 * rng.normal(size=150)
    for strategy in (PursuitSearch(), PursuitSearch(finds_number=True)):
        selector = DependenceSelector(PairwiseHSIC(), strategy=strategy, n_features_to_select=4)
        path = selector.fit(X, y).path_
        assert found(path) == [1, 3]
        assert not {0, 4} & set(selector.selected_indices_.tolist())
        assert path.relevance.shape == path.residual_relevance.shape == (6,)
        assert {f for event in path.events for f in event.features} <= {1, 2, 3, 5}
        assert set(path.substitutes) <= {1, 3}
        assert replayed(path.events) == {1, 3}


@pytest.mark.parametrize("n_samples", range(4, 11))
@pytest.mark.parametrize("n_features", [1, 3])
@pytest.mark.parametrize("kind", ["numbers", "classes", "outputs"])
def test_few_samples_are_no_trouble(n_samples, n_features, kind, rng):
    X = rng.normal(size=(n_samples, n_features))
    y = {
        "numbers": X[:, 0],
        "classes": np.arange(n_samples) % 2,
        "outputs": np.column_stack([X[:, 0], rng.normal(size=n_samples)]),
    }[kind]
    for n_wanted in (None, 1, n_features):
        path = searched(X, y, n_wanted)
        assert sorted(path.order.tolist()) == list(range(n_features))
        assert np.isfinite(path.errors).all()
        assert np.isfinite(path.feature_scores).all()


def test_one_feature_that_is_the_target(rng):
    X = rng.normal(size=(40, 1))
    path = searched(X, X[:, 0])
    assert found(path) == [0]
    assert path.errors[-1] < 0.01


def test_equal_samples_and_few_values_are_no_trouble(rng):
    X = rng.integers(0, 2, size=(80, 5)).astype(float)
    path = searched(X, X[:, 1] + X[:, 3])
    assert found(path) == [1, 3]
    assert path.errors[-1] < 1e-3


def test_copies_join_once(rng):
    x = rng.normal(size=(100, 2))
    X = np.hstack([x, x, x])
    path = searched(X, x[:, 0] + x[:, 1] + 0.2 * rng.normal(size=100))
    assert sorted(feature % 2 for feature in found(path)) == [0, 1]
    for feature in found(path):
        assert {int(other) % 2 for other in path.substitutes[feature]} == {feature % 2}
        assert len(path.substitutes[feature]) == 2


@pytest.mark.parametrize("problem", ["friedman", "xor"])
def test_scale_and_offset_of_columns_change_nothing(problem, rng):
    X, y = PROBLEMS[problem]()
    scales = rng.choice([-1.0, 1.0], X.shape[1]) * 10.0 ** rng.uniform(-4, 4, X.shape[1])
    plain = path_of(problem)
    changed = searched(X * scales + scales * rng.normal(size=X.shape[1]) * 10, y)
    assert changed.order[: plain.n_found].tolist() == plain.order[: plain.n_found].tolist()
    assert changed.n_found == plain.n_found
    np.testing.assert_allclose(changed.errors, plain.errors, rtol=1e-5)


def test_scale_and_offset_of_the_target_change_nothing():
    X, y = friedman(0)
    plain, changed = path_of("friedman"), searched(X, 1e6 - 1e-3 * y)
    assert changed.order.tolist()[:5] == plain.order.tolist()[:5]
    np.testing.assert_allclose(changed.errors, plain.errors, rtol=1e-5)


def test_names_of_two_classes_change_nothing():
    X, y = xor(0)
    plain, changed = path_of("xor"), searched(X, np.array(["yes", "no"])[y])
    assert found(changed) == found(plain)
    np.testing.assert_allclose(changed.errors, plain.errors, rtol=1e-9)


def test_the_seed_draws_landmarks_and_the_same_seed_the_same(monkeypatch):
    monkeypatch.setattr(kernel_smoother, "N_LANDMARKS", 20)
    X, y = friedman(0)
    first, again, other = (searched(X, y, random_state=seed).errors for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert len(first) != len(other) or not np.array_equal(first, other)
    generator = searched(X, y, random_state=np.random.default_rng(0)).errors
    np.testing.assert_array_equal(generator, first)


def test_kernels_tried_on_some_samples_find_the_same(monkeypatch):
    X, y = friedman(0, n_samples=300)
    monkeypatch.setattr(kernel_smoother, "N_LANDMARKS", 60)
    monkeypatch.setattr(kernel_smoother, "N_TRIED", 200)
    assert found(searched(X, y)) == [0, 1, 2, 3, 4]


def test_progress_does_not_go_back_much_and_stays_within_one():
    heard = []
    with listen(lambda share, _: heard.append(share)):
        searched(*friedman(0), 5)
    assert heard
    assert min(heard) >= 0
    assert max(heard) <= 1


WRONG = [
    ({"level": 0}, r"level must be a number between 0 and 1, got 0\."),
    ({"level": 1.0}, r"level must be a number between 0 and 1, got 1\.0"),
    ({"level": "0.05"}, r"level must be a number between 0 and 1, got '0\.05'"),
    ({"level": float("nan")}, "level must be a number between 0 and 1, got nan"),
    ({"level": True}, "level must be a number between 0 and 1, got True"),
    ({"least_gain": -0.1}, r"least_gain must be a number of at least 0, got -0\.1"),
    ({"least_gain": True}, "least_gain must be a number of at least 0, got True"),
    ({"least_gain": None}, "least_gain must be a number of at least 0, got None"),
    ({"least_gain": float("nan")}, "least_gain must be a number of at least 0, got nan"),
    ({"interactions": "pairs"}, "interactions must be None or 'auto', got 'pairs'"),
    ({"interactions": True}, "interactions must be None or 'auto', got True"),
    ({"time_limit": 0}, "time_limit must be None or a number above 0, got 0"),
    ({"time_limit": True}, "time_limit must be None or a number above 0, got True"),
]


@pytest.mark.parametrize(("settings", "message"), WRONG)
def test_wrong_settings_are_refused_before_any_work(settings, message, rng, monkeypatch):
    monkeypatch.setattr(PairwiseHSIC, "bind", lambda *_: pytest.fail("work was done"))
    selector = DependenceSelector(PairwiseHSIC(), strategy=PursuitSearch(**settings))
    with pytest.raises(ValueError, match=message):
        selector.fit(rng.normal(size=(30, 3)), np.arange(30.0))


@pytest.mark.parametrize(("settings", "message"), WRONG)
def test_wrong_settings_are_refused_by_the_search(settings, message):
    with pytest.raises(ValueError, match=message):
        PursuitSearch(**settings).check(PairwiseHSIC(), 3, 2)


def test_a_measure_without_relevance_to_other_targets_is_refused():
    with pytest.raises(IncompatibleCombinationError, match=r"Choose PairwiseHSIC\(\), Pearson"):
        PursuitSearch().check(NHSIC(), 5, 2)


@pytest.mark.parametrize("estimator", ["discretised", "copula"])
def test_mutual_information_is_tested_by_permutations(estimator, rng):
    X = rng.normal(size=(200, 8))
    y = 2 * X[:, 2] + 1.5 * X[:, 5] + 0.2 * rng.normal(size=200)
    measure = MutualInformation(estimator=estimator)
    path = searched(X, y, measure=measure, level=0.05)
    assert found(path) == [2, 5]
    for event in path.events:
        if event.what == "joined":
            # The least that 19 permutations can give.
            assert event.p_value == pytest.approx(1 / 20)


def test_permutations_let_noise_in_no_more_often_than_the_level_says():
    chosen = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 6)), rng.normal(size=60)
        measure = MutualInformation(estimator="discretised")
        chosen += searched(X, y, measure=measure).n_found > 0
    # With a chance of 0.05 each, more than 6 of 30 come up once in 1,700 times.
    assert chosen <= 6


def test_pearson_sees_lines_only():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 8))
    y = 2 * X[:, 2] + X[:, 5] ** 2 + 0.2 * rng.normal(size=200)
    assert found(searched(X, y, measure=Pearson(), level=0.01)) == [2]
    assert found(searched(X, y)) == [2, 5]


def test_the_regression_on_no_feature_leaves_the_outputs(rng):
    data = PairwiseHSIC().bind(rng.normal(size=(40, 3)), rng.normal(size=40)).regression_data
    nothing = KernelSmoother(data).nothing()
    np.testing.assert_array_equal(nothing.residuals, data.outputs)
    assert nothing.error == pytest.approx(1.0)
    assert nothing.kernel is None


def test_a_smoother_chooses_the_kernel_and_ridge_with_the_least_error(rng):
    """A sum of many curves by the sum of kernels, a product by the product."""
    X = rng.normal(size=(120, 6))
    noise = 0.3 * rng.normal(size=120)
    for y, features, additive in (
        (np.sin(X).sum(axis=1) + noise, range(6), 0.5),
        (X[:, 0] * X[:, 1], range(2), 0.0),
    ):
        smoother = KernelSmoother(PairwiseHSIC().bind(X, y).regression_data)
        fit = smoother.fit(features)
        assert fit.kernel.additive == additive
        assert fit.error == pytest.approx(np.mean(fit.losses))
        others = [
            smoother.refit(features, replace(fit, kernel=MixedKernel(width, a), ridge=ridge)).error
            for width in (0.25, 1.0, 8.0)
            for a in ADDITIVE_FRACTIONS
            for ridge in RIDGES
        ]
        assert fit.error <= min(others) * (1 + 1e-6)


def test_from_nine_features_on_the_kernel_is_chosen_now_and_then(rng):
    X = rng.normal(size=(60, 12))
    smoother = KernelSmoother(PairwiseHSIC().bind(X, X.sum(axis=1)).regression_data)
    like = smoother.fit(range(8))
    odd = replace(like, kernel=MixedKernel(0.3, 0.25), ridge=0.7)
    for n_features in (9, 10, 11):
        kept = smoother.fit(range(n_features), odd)
        assert (kept.kernel, kept.ridge) == (odd.kernel, odd.ridge)
    chosen = smoother.fit(range(12), odd)
    assert chosen.kernel.additive in ADDITIVE_FRACTIONS
    assert chosen.ridge in RIDGES
    # Without another regression to go by, it is always chosen.
    assert smoother.fit(range(9)).ridge in RIDGES


@pytest.mark.parametrize("rows", [50, 77])
def test_parts_of_the_rows_on_several_threads_give_the_same(rows, monkeypatch):
    monkeypatch.setattr(threads, "ROWS_AT_A_TIME", rows)
    X, y = mixture(0)
    found_in_parts = searched(X, y)
    monkeypatch.undo()
    whole = path_of("mixture")
    assert found_in_parts.order.tolist()[:2] == whole.order.tolist()[:2]
    np.testing.assert_allclose(found_in_parts.errors, whole.errors, rtol=1e-8)


def test_features_set_aside_one_by_one_join_together():
    """In this draw noisy copies come first, beside which no true feature alone lowers the error."""
    path = searched(*and_or(18))
    assert found(path) == [0, 1, 2, 3]
    aside = {event.features for event in path.events if event.what == "set aside"}
    left = {event.features for event in path.events if event.what == "left"}
    assert {(0,), (1,), (2,), (3,)} <= aside
    assert {(7,), (8,), (9,)} <= left


@pytest.fixture
def many():
    """Twenty features of equal effect, and four that have none."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 24))
    return X, X[:, :20].sum(axis=1) + 0.5 * rng.normal(size=600)


def test_from_twelve_members_on_features_join_several_at_a_time(many, monkeypatch):
    path = searched(*many)
    assert found(path) == list(range(20))
    errors = [event.error for event in path.events if event.what == "joined"]
    assert len(set(errors[:12])) == 12
    assert len(set(errors)) < len(errors)
    # Each still has a step of its own.
    assert path.sizes.tolist() == list(range(1, 21))
    assert (np.diff(path.errors) < 0).all()
    monkeypatch.setattr(pursuit_candidates, "MOST_COMPANIONS", 0)
    assert found(searched(*many)) == found(path)


def test_no_more_features_than_wanted_join_at_a_time(many):
    path = searched(*many, 14)
    assert path.n_found == 14
    assert path.stop_reason == ENOUGH


def test_between_long_passes_a_shortlist_is_asked(many, monkeypatch):
    whole = searched(*many)
    monkeypatch.setattr(pursuit_candidates, "LONG_PASS", 0)
    monkeypatch.setattr(pursuit_candidates, "N_SHORTLISTED", 8)
    shortlisted = searched(*many)
    assert found(shortlisted) == found(whole)


def test_no_candidate_is_tried_when_the_time_is_up(many, monkeypatch):
    ticks = itertools.count()
    monkeypatch.setattr(deadline, "monotonic", lambda: float(next(ticks)))
    path = searched(*many, time_limit=20.5)
    assert path.stop_reason == "the time is up"
    assert 1 <= path.n_found <= 4
    assert searched(*many, time_limit=1e6).stop_reason == NO_OTHER


def test_samples_beyond_those_fitted_to_are_predicted(rng, monkeypatch):
    """Their residuals are those of the regression that has not seen them."""
    monkeypatch.setattr(kernel_smoother, "N_FITTED", 60)
    monkeypatch.setattr(kernel_smoother, "N_TRIED", 50)
    monkeypatch.setattr(kernel_smoother, "N_LANDMARKS", 40)
    X = rng.normal(size=(100, 3))
    data = PairwiseHSIC().bind(X, X[:, 0] ** 2 + X[:, 1]).regression_data
    order = np.random.default_rng(0).permutation(100)
    fitted_to, landmarks = np.sort(order[:60]), np.sort(order[:40])
    for features in ([0], [0, 1]):
        fit = KernelSmoother(data, seed=0).fit(features)
        columns = [KernelColumn(data.column(feature)) for feature in features]
        explicit = fit.kernel.features(columns, [column.part(landmarks) for column in columns])
        seen, outputs = explicit[fitted_to], data.outputs[fitted_to]
        left_out = naive_pursuit.left_out_residuals(seen, outputs, fit.ridge)
        np.testing.assert_allclose(fit.residuals[fitted_to], left_out, rtol=1e-8, atol=1e-8)
        centred = seen - seen.mean(axis=0)
        penalised = centred.T @ centred + fit.ridge * np.eye(centred.shape[1])
        weights = np.linalg.solve(penalised, centred.T @ (outputs - outputs.mean(axis=0)))
        others = np.sort(order[60:])
        predicted = outputs.mean(axis=0) + (explicit[others] - seen.mean(axis=0)) @ weights
        expected = data.outputs[others] - predicted
        np.testing.assert_allclose(fit.residuals[others], expected, rtol=1e-8, atol=1e-8)
        assert fit.error == pytest.approx(np.mean(fit.residuals**2))


def test_many_features_have_fewer_landmarks_and_columns(rng, monkeypatch):
    X = rng.normal(size=(300, 14))
    smoother = KernelSmoother(PairwiseHSIC().bind(X, X.sum(axis=1)).regression_data)
    assert smoother.fit(range(12)).kernel.most_columns is None
    whole = smoother.fit(range(14))
    assert whole.kernel.most_columns == kernel_smoother.COLUMNS_OF_MANY
    # Without a feature it is the same kind of regression, so that only the feature is missed.
    fewer = smoother.refit(range(12), whole)
    assert (fewer.kernel, fewer.n_tuned) == (whole.kernel, 14)
    monkeypatch.setattr(kernel_smoother, "N_LANDMARKS", 20)
    other = KernelSmoother(PairwiseHSIC().bind(X, X.sum(axis=1)).regression_data)
    assert other.refit(range(12), whole).error == fewer.error


def classes_of_a_sum(seed, n_samples=700, n_true=10, n_features=40, n_classes=5):
    """Classes cut from a sum of curves, of which none alone says much about any class."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    curves = [X[:, f] if f % 2 else np.abs(X[:, f]) * 1.7 for f in range(n_true)]
    total = np.sum(curves, axis=0)
    edges = np.quantile(total, np.linspace(0, 1, n_classes + 1)[1:-1])
    return X, np.searchsorted(edges, total)


def test_classes_cut_from_a_sum_of_many_effects():
    path = searched(*classes_of_a_sum(0), measure=PairwiseHSIC(target_kind="classes"))
    assert found(path) == list(range(10))


def test_scores_are_turned_to_the_axes_that_are_explained_best():
    X, y = classes_of_a_sum(1)
    data = PairwiseHSIC(target_kind="classes").bind(X, y).regression_data
    smoother = KernelSmoother(data)
    fit = smoother.fit([0, 1, 2, 3, 4, 5])
    turned = smoother.turned(fit)
    # The same regression, of scores that are turned and weighted.
    again = smoother.refit(fit.features, fit)
    np.testing.assert_allclose(turned.residuals, again.residuals, atol=1e-8)
    products = turned.residuals.T @ turned.residuals / len(y)
    np.testing.assert_allclose(products, np.diag(np.diag(products)), atol=1e-8)
    assert smoother.nothing().error == pytest.approx(1.0)
    assert turned.error < fit.error


def test_numbers_are_not_turned(rng):
    X, y = rng.normal(size=(60, 3)), rng.normal(size=(60, 2))
    smoother = KernelSmoother(PairwiseHSIC().bind(X, y).regression_data)
    fit = smoother.fit([0])
    assert smoother.turned(fit) is fit


def test_a_noisy_copy_of_a_curve_that_is_fitted_poorly_stays_out():
    """Steps leave residuals to which a copy is related far beyond chance."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 6))
    X[:, 5] = 0.95 * X[:, 0] + np.sqrt(1 - 0.95**2) * X[:, 5]
    y = 2.0 * (np.abs(X[:, 0]) < 0.8) + 0.5 * X[:, 1] + 0.1 * rng.normal(size=1500)
    assert found(searched(X, y, interactions=None)) == [0, 1]


def test_members_that_act_together_are_fitted_as_a_pair_beside_many_others():
    """One isotropic kernel over all members is blind to a product of two among twelve."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 20))
    y = X[:, :10].sum(axis=1) + 2 * np.sign(X[:, 10] * X[:, 11]) + 0.3 * rng.normal(size=800)
    path = searched(X, y)
    assert found(path) == list(range(12))
    # The product alone is 0.28 of the variance.
    assert path.errors[-1] < 0.15


def test_a_feature_that_explains_a_trifle_is_set_aside():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 4))
    y = X[:, 0] + 0.01 * X[:, 1] + 1e-3 * rng.normal(size=3000)
    assert found(searched(X, y)) == [0]
