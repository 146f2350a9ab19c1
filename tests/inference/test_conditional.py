"""A feature beside its relatives: the statistic as written down, its level, and its power."""

import numpy as np
import pytest

import hsieve
from hsieve import KernelPursuit, MaxRelevance, conditional_tests
from hsieve.datasets import make_xor
from hsieve.exceptions import NothingFoundWarning
from hsieve.inference import conditional
from hsieve.inference.conditional import conditional_p_value, multiplier_p_value, quantile_rule
from hsieve.inference.kernel_smoother import KernelSmoother
from hsieve.kernels.mixed_kernel import KernelColumn, MixedKernel
from hsieve.measures.regression_data import RegressionData
from tests.reference import naive_conditional
from tests.reference.naive_conditional import conditional_ratio


def relatives(seed, effect, n_samples=150):
    """Feature 1 is a noisy copy of feature 0, which acts by a curve, with unequal variance."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, 2))
    X[:, 1] = 0.8 * X[:, 0] + 0.6 * X[:, 1]
    noise = (0.3 + 0.3 * np.abs(X[:, 0])) * rng.normal(size=n_samples)
    y = X[:, 0] ** 2 + effect * X[:, 1] + noise
    data = RegressionData.of(X, y, target_kind="continuous")
    return data, KernelSmoother(data).fit([0]).residuals


def test_the_statistic_is_that_of_two_regressions_refitted_without_each_sample(monkeypatch):
    data, residuals = relatives(0, 0.5, n_samples=40)
    ratios = []
    monkeypatch.setattr(
        conditional, "log_ratio_tail", lambda found, *_: ratios.append(found[0]) or [0.0]
    )
    conditional_p_value(KernelSmoother(data), 1, [0], residuals)
    factor = KernelColumn(data.column(1)).factor
    fit = KernelSmoother(
        RegressionData(data.blocks, data.categorical, data.positions, factor), n_landmarks=64
    ).fit([0])
    given = KernelColumn(data.column(0))
    assert isinstance(fit.kernel, MixedKernel)
    features = fit.kernel.features([given], [given])
    assert ratios[0] == pytest.approx(
        conditional_ratio(factor, features, fit.ridge, residuals), rel=1e-8
    )


def test_a_relative_that_adds_nothing_is_found_at_the_level_and_no_more():
    found = [conditional_p_value(*args_of(seed, 0.0)) < 0.05 for seed in range(200)]
    # 5 % of 200 is 10; 22 or more come up once in 2,000 times.
    assert sum(found) < 22


def test_a_relative_with_an_effect_of_its_own_is_found():
    found = [conditional_p_value(*args_of(seed, 0.5)) < 0.05 for seed in range(20)]
    assert sum(found) >= 18


def args_of(seed, effect):
    data, residuals = relatives(seed, effect)
    return KernelSmoother(data), 1, [0], residuals


@pytest.mark.parametrize(("n_samples", "n_outputs"), [(60, 1), (12, 4)])
def test_the_law_is_that_of_drawn_multipliers(n_samples, n_outputs):
    rng = np.random.default_rng(1)
    own = rng.normal(size=(n_samples, 4)) * [1, 0.7, 0.5, 0.2]
    residuals = rng.normal(size=(n_samples, n_outputs)) + 0.2 * own[:, :1]
    drawn = naive_conditional.multiplier_p_value(own, residuals, 4000, rng)
    assert multiplier_p_value(own, residuals) == pytest.approx(drawn, abs=0.03)


def test_the_level_holds_where_the_spread_depends_on_the_feature():
    rng = np.random.default_rng(2)
    found = []
    for _ in range(1000):
        own = rng.normal(size=(100, 3))
        found.append(multiplier_p_value(own, own[:, :1] ** 2 * rng.normal(size=(100, 1))) < 0.05)
    # The law for equal spread would reject in a third of the draws.
    assert 0.02 < np.mean(found) < 0.065


def test_quantiles_are_combined_as_written_down():
    p_values = np.random.default_rng(3).uniform(size=(20, 6)) ** 3
    expected = [naive_conditional.quantile_rule(column) for column in p_values.T]
    assert quantile_rule(p_values) == pytest.approx(expected, rel=1e-2)
    assert quantile_rule(np.ones((1, 2))).tolist() == [1.0, 1.0]


def acting(n_samples=250):
    """Feature 2 acts by a curve, 0 by a straight line; 4 is correlated with 2."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(n_samples, 6))
    X[:, 4] = 0.8 * X[:, 2] + 0.6 * X[:, 4]
    return X, X[:, 2] ** 2 + X[:, 0] + 0.5 * rng.normal(size=n_samples)


def test_tells_what_acts_from_what_is_correlated():
    X, y = acting()
    tests = conditional_tests(X, y, [2, 4, 0])
    assert tests.features.tolist() == [2, 4, 0]
    assert tests.p_values[[0, 2]].max() < 1e-6
    assert tests.p_values[1] > 0.05
    assert np.all(tests.low <= tests.contributions)
    assert np.all(tests.contributions <= tests.high)
    assert tests.contributions[2] == pytest.approx(X[:, 0].var() / y.var(), abs=0.05)
    assert tests.low[1] < 0.01
    assert conditional_tests(X, y, [2, 4, 0], level=0.5).high[2] < tests.high[2]


def test_names_categories_and_frames():
    pd = pytest.importorskip("pandas")
    X, y = acting()
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["b"] = np.where(frame["b"] > 0, "up", "down")
    frame["y"] = y + 2 * (frame["b"] == "up")
    tests = conditional_tests(frame, "y", ["b", "c", "d"])
    assert tests.names == ("b", "c", "d")
    assert tests.to_frame().loc["b", "p_value"] < 1e-6
    assert tests.to_frame().loc["d", "p_value"] > 0.01


def test_features_that_act_only_together_are_both_needed():
    problem = make_xor(200, 4, random_state=0)
    tests = conditional_tests(problem.X, problem.y)
    assert np.all(tests.p_values[:2] < 1e-6)
    assert np.all(tests.p_values[2:] > 0.01)


def test_features_of_a_selection_are_tested():
    X, y = acting()
    found = hsieve.select(X, y, method="pearson", n_features_to_select=2)
    assert conditional_tests(X, y, found).names == found.features


def test_one_feature_is_tested_given_nothing():
    X, y = acting()
    assert conditional_tests(X, y, [2]).p_values[0] < 1e-6
    assert conditional_tests(X, y, [3]).p_values[0] > 0.01


def test_a_selector_selects_on_other_samples_than_the_tests_use():
    X, y = acting()
    rng = np.random.default_rng(5)
    more = np.hstack([X, rng.normal(size=(250, 40))])
    tests = conditional_tests(more, y, MaxRelevance(4), n_splits=5)
    assert set(tests.features[tests.p_values < 0.05]) == {0, 2}
    assert np.all(np.diff(tests.p_values) >= 0)
    assert tests.frequencies[:2].tolist() == [1.0, 1.0]
    assert np.all(tests.frequencies > 0)
    # With nothing to be found, features that look best are no evidence.
    nothing = conditional_tests(more, np.random.default_rng(6).normal(size=250), MaxRelevance(3))
    assert nothing.p_values.min() > 0.05


def test_a_selector_that_finds_nothing_is_told_of_once():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 5)), rng.normal(size=80)
    with pytest.warns(NothingFoundWarning, match="no feature on any of 3 random halves") as caught:
        tests = conditional_tests(X, y, KernelPursuit(interactions=None), n_splits=3)
    assert len(caught) == 1
    assert len(tests.to_frame()) == 0


def test_results_print_as_tables():
    X, y = acting()
    lines = repr(conditional_tests(X, y, [2, 3])).splitlines()
    assert lines[1].split() == ["p_value", "contribution", "low", "high", "frequency"]
    assert [line.split()[0] for line in lines[2:]] == ["x2", "x3"]
    lines = repr(hsieve.feature_tests(np.hstack([X, X, X]), y)).splitlines()
    assert lines[0] == f"Tests of {3 * X.shape[1]} features (gamma), the smallest p-values first"
    assert lines[-1].strip() == f"... and {3 * X.shape[1] - 10} more"


@pytest.mark.parametrize("features", ["x2", KernelPursuit, hsieve.select])
def test_refuses_what_is_neither_a_list_nor_a_selector(features):
    with pytest.raises(TypeError, match=r"features must be a list .* or a selector such as"):
        conditional_tests(*acting(), features)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": [9]}, "features"),
        ({"features": ["x33"]}, "Did you mean .*'x3'"),
        ({"level": 1.5}, "level must be a number between 0 and 1"),
        ({"n_splits": 0}, "n_splits must be an integer of at least 1"),
    ],
)
def test_refuses_what_has_no_meaning(options, message):
    X, y = acting()
    with pytest.raises(ValueError, match=message):
        conditional_tests(X, y, **options)


def test_refuses_too_few_samples():
    X, y = acting(39)
    with pytest.raises(ValueError, match="at least 40 samples, got 39"):
        conditional_tests(X, y)
