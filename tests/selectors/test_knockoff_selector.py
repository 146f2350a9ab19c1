"""KnockoffSelector: what it selects, its rates, places of columns, refusals."""

import warnings

import numpy as np
import pytest

import hsieve
from hsieve import (
    BAHSIC,
    N3LARS,
    KernelPursuit,
    KnockoffSelector,
    LassoSelector,
    MaxRelevance,
    StabilitySelection,
)
from hsieve.exceptions import ConstantFeatureWarning, NothingFoundWarning
from tests.cli.running import invoke

TRUE = np.arange(0, 36, 3)


def curved(n_samples=400, n_features=50):
    """Twelve features matter, each in a straight or an even way; neighbours are correlated."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, n_features))
    X[:, 1:] = 0.9 * X[:, 1:] + 0.45 * X[:, :-1]
    y = X[:, TRUE[:6]].sum(axis=1) + 2 * np.abs(X[:, TRUE[6:]]).sum(axis=1)
    return X, y + rng.normal(size=n_samples)


@pytest.mark.parametrize(
    "options",
    [{}, {"selector": N3LARS(60)}, {"selector": MaxRelevance(), "statistic": "score"}],
    ids=str,
)
def test_finds_straight_and_even_effects(options):
    X, y = curved()
    selection = KnockoffSelector(**options, fdr=0.2).fit(X, y)
    chosen = set(selection.selected_indices_)
    # One by one, features beside relevant ones hide those that matter less.
    assert len(chosen & set(TRUE)) >= (10 if "statistic" in options else 11)
    assert len(chosen - set(TRUE)) <= 5
    assert selection.statistics_.shape == (1, 50)
    assert np.all(np.abs(selection.statistics_) <= 1)
    assert np.all(selection.statistics_[0, selection.selected_indices_] > 0)


def test_nothing_is_selected_where_nothing_matters():
    rng = np.random.default_rng(1)
    n_false = 0
    for seed in range(40):
        X, y = rng.normal(size=(60, 40)), rng.normal(size=60)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NothingFoundWarning)
            selection = KnockoffSelector(MaxRelevance(), fdr=0.2, random_state=seed).fit(X, y)
        n_false += len(selection.selected_indices_) > 0
    # With no true feature every selection is false: it may happen in a fifth of the trials.
    assert n_false / 40 <= 0.2 + 3 * np.sqrt(0.2 * 0.8 / 40)


def test_too_few_relevant_features_are_told_of():
    X, _ = curved()
    y = X[:, 0] + 0.1 * np.random.default_rng(0).normal(size=len(X))
    with pytest.warns(
        NothingFoundWarning, match="One draw selects at least 10 features at this rate, or none"
    ):
        KnockoffSelector(fdr=0.1).fit(X, y)
    with pytest.warns(
        NothingFoundWarning, match="2 draws select at least 20 features at this rate"
    ):
        KnockoffSelector(MaxRelevance(), fdr=0.1, n_draws=2).fit(X, y)


def test_signs_of_irrelevant_features_are_those_of_a_fair_coin():
    # The base prefers the first of two equals; columns are shuffled so that no one gains by it.
    rng = np.random.default_rng(3)
    signs = []
    for seed in range(30):
        X, y = rng.normal(size=(30, 20)), rng.integers(0, 2, 30)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NothingFoundWarning)
            selection = KnockoffSelector(N3LARS(3), random_state=seed).fit(X, y)
        signs.append(np.sign(selection.statistics_[0]))
    assert abs(np.mean(signs)) < 4 / np.sqrt(600)


def test_several_draws_agree_more_than_single_ones():
    X, y = curved(n_features=60)

    def selected(seed, n_draws):
        base = KnockoffSelector(MaxRelevance(), n_draws=n_draws, random_state=seed, fdr=0.3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NothingFoundWarning)
            return frozenset(base.fit(X, y).selected_indices_.tolist())

    single = {selected(seed, 1) for seed in range(6)}
    several = {selected(seed, 20) for seed in range(6)}
    assert len(several) <= len(single)


def test_jobs_and_repetition_give_the_same_answer():
    X, y = curved(200, 40)
    one = KnockoffSelector(MaxRelevance(), n_draws=3, fdr=0.5).fit(X, y)
    two = KnockoffSelector(MaxRelevance(), n_draws=3, fdr=0.5, n_jobs=2).fit(X, y)
    assert np.array_equal(one.statistics_, two.statistics_)
    assert np.array_equal(one.selected_indices_, two.selected_indices_)


def test_differences_of_scores_are_those_of_the_base():
    X, y = curved(200, 40)
    selection = KnockoffSelector(MaxRelevance(), statistic="score", fdr=0.5).fit(X, y)
    own = MaxRelevance().fit(X, y).scores_
    assert np.all(selection.statistics_[0] <= own + 1e-9)
    assert np.corrcoef(selection.statistics_[0], own)[0, 1] > 0.8


def test_constant_columns_have_no_knockoffs():
    X, y = curved()
    X[:, 1] = 7.0
    with pytest.warns(ConstantFeatureWarning):
        selection = KnockoffSelector(MaxRelevance(), fdr=0.3).fit(X, y)
    assert selection.statistics_[0, 1] == selection.distances_[1] == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fdr": 0}, "fdr must be a number between 0 and 1, got 0"),
        ({"n_draws": 0}, "n_draws must be an integer of at least 1, got 0"),
        ({"statistic": "rank"}, "statistic must be 'order' or 'score', got 'rank'"),
        ({"selector": "n3lars"}, "selector must be a selector of hsieve such as"),
        ({"selector": BAHSIC}, "selector must be a selector of hsieve such as"),
    ],
)
def test_refuses_settings_that_have_no_meaning(options, message):
    X, y = curved(20)
    with pytest.raises(ValueError, match=message):
        KnockoffSelector(**options).fit(X, y)


@pytest.mark.parametrize("base", [LassoSelector(), StabilitySelection(n_subsamples=10)], ids=repr)
def test_any_ranking_can_be_the_base(base):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(200, 30))
    y = X[:, :10].sum(axis=1) + rng.normal(size=200)
    chosen = KnockoffSelector(base, fdr=0.2).fit(X, y).selected_indices_
    assert len(set(chosen) & set(range(10))) >= 8


@pytest.mark.parametrize("given", ["selector", "base", "frame"])
def test_categories_by_any_way_are_the_same(given):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(7)
    X = rng.normal(size=(300, 24))
    X[:, ::4] = rng.integers(0, 3, (300, 6))
    y = 2.0 * (X[:, ::4] == 1).sum(axis=1) + X[:, 1::4].sum(axis=1) + rng.normal(size=300)
    places = list(range(0, 24, 4))
    expected = KnockoffSelector(fdr=0.2, categorical=places).fit(X, y)
    assert len(set(expected.selected_indices_) & set(places)) >= 5
    assert np.isnan(expected.distances_[places]).all()
    if given == "base":
        same = KnockoffSelector(KernelPursuit(interactions=None, categorical=places), fdr=0.2)
        same.fit(X, y)
    elif given == "frame":
        frame = pd.DataFrame(X).rename(columns=str)
        for place in places:
            frame[str(place)] = frame[str(place)].map({0: "a", 1: "b", 2: "c"}).astype("category")
        same = KnockoffSelector(fdr=0.2).fit(frame, y)
    else:
        same = KnockoffSelector(fdr=0.2, categorical=places).fit(X.astype(np.float32), y)
    assert np.array_equal(same.selected_indices_, expected.selected_indices_)


def test_a_base_that_takes_numbers_only_refuses_categories():
    X, y = curved(20)
    with pytest.raises(ValueError, match="LassoSelector takes numbers only"):
        KnockoffSelector(LassoSelector(), categorical=[0]).fit(X.round(), y)


def test_features_that_contradict_the_law_are_told_of():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(400, 20))
    y = rng.normal(size=400)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NothingFoundWarning)
        assert KnockoffSelector(MaxRelevance()).fit(X, y).match_.p_value > 0.01
        X[:, 10:] = X[:, :10] ** 2
        assert KnockoffSelector(MaxRelevance()).fit(X, y).match_.p_value <= 0.01


def test_select_and_summary_tell_the_rate():
    X, y = curved()
    found = hsieve.select(X, y, fdr=0.2)
    assert found.method == "knockoffs"
    expected = KnockoffSelector(fdr=0.2).fit(X, y)
    assert np.array_equal(found.indices, expected.selected_indices_)
    assert "at most 20% are expected not to depend on the target" in str(found)
    assert expected.in_words() in expected.summary(X, y).notes
    around = hsieve.select(X, y, fdr=0.2, method="n3lars").selector.selector
    assert isinstance(around, N3LARS)
    assert hsieve.select(X, y, fdr=0.2, method=MaxRelevance()).method == "knockoffs"
    named = hsieve.select(X, y, method=KnockoffSelector())
    assert "at most 10%" in str(named)


def test_select_refuses_a_rate_and_a_number():
    X, y = curved(40)
    with pytest.raises(ValueError, match="both decide how many features are chosen"):
        hsieve.select(X, y, fdr=0.2, n_features_to_select=3)
    with pytest.raises(ValueError, match="fdr must be None or a number between 0 and 1"):
        hsieve.select(X, y, fdr=1.5)


def test_the_command_selects_at_a_rate(tmp_path):
    X, y = curved()
    named = ",".join([*(f"f{i}" for i in range(50)), "y"])
    np.savetxt(
        tmp_path / "data.csv", np.column_stack([X, y]), delimiter=",", header=named, comments=""
    )
    call = ["select", str(tmp_path / "data.csv"), "--target", "y"]
    expected = [f"f{i}" for i in KnockoffSelector(fdr=0.2).fit(X, y).selected_indices_]
    assert invoke(*call, "--fdr", "0.2", "-q").output.split() == expected
    nothing = invoke(*call, "--fdr", "0.01", "-m", "mr-nhsic")
    assert nothing.exit_code == 0
    assert "0 of 50 features by knockoffs around mr-nhsic" in nothing.output
    assert "at least 100 features at this rate" in " ".join(nothing.output.split())
    for wrong in (["-k", "3"], ["--stability", "-m", "n3lars"]):
        refused = invoke(*call, "--fdr", "0.2", *wrong)
        assert refused.exit_code == 2
        assert "both decide how many features are selected" in " ".join(refused.stderr.split())
