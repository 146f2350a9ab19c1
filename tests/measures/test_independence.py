"""Tests of independence, alone and given others, against their definitions."""

import numpy as np
import pytest
from scipy.special import gammaln, log_ndtr, logsumexp

from hsieve import IndependenceTest
from hsieve.measures.independence import SAMPLES_A_CELL, _log_chi2_tail
from tests.reference import naive_baselines as naive
from tests.reference import naive_pairwise


@pytest.fixture
def features(rng):
    X = rng.normal(size=(400, 5))
    X[:, 1] += X[:, 0]
    X[:, 4] = rng.integers(0, 4, 400)
    return X


SETS = {0: [[]], 1: [[1], [2]], 2: [[1, 2], [2, 3]], 3: [[1, 2, 3]]}


@pytest.mark.parametrize("size", [1, 2, 3])
def test_fisher_z_is_that_of_the_residuals(features, size):
    y = features[:, 0] + features[:, 2] + features[:, 3] ** 2
    bound = IndependenceTest().bind(features, y)
    log_p = bound.conditional_log_p(0, np.array(SETS[size]))
    expected = [naive.fisher_z_p_value(features[:, 0], y, features[:, s]) for s in SETS[size]]
    np.testing.assert_allclose(log_p, np.log(expected), rtol=1e-8)
    alone = [naive.fisher_z_p_value(f, y, features[:, []]) for f in features.T]
    np.testing.assert_allclose(bound.feature_scores(np.arange(5)), -np.log(alone), rtol=1e-8)


@pytest.mark.parametrize(("size", "edges"), [(1, [0.0]), (2, [0.0]), (1, [-0.7, 0.7])])
def test_g2_is_added_up_over_strata(features, size, edges):
    y = np.digitize(features[:, 0] + features[:, 2], edges)
    levels = np.column_stack([naive_pairwise.three_levels(f.tolist()) for f in features.T[:4]])
    levels = np.column_stack([levels, features[:, 4]])
    bound = IndependenceTest(categorical=[4]).bind(features, y)
    sets = [[*SETS[size][0][:-1], 4], *SETS[size]]
    log_p = bound.conditional_log_p(0, np.array(sets))
    expected = [naive.g2_p_value(levels[:, 0], y, levels[:, s]) for s in sets]
    np.testing.assert_allclose(log_p, np.log(expected), rtol=1e-8)
    alone = [naive.g2_p_value(f, y, levels[:, []]) for f in levels.T]
    np.testing.assert_allclose(bound.feature_scores(np.arange(5)), -np.log(alone), rtol=1e-8)


def test_g2_takes_numbers_as_their_levels(features):
    y = features[:, 0] ** 2
    levels = np.array(naive_pairwise.three_levels(y.tolist()))
    found = IndependenceTest("g2").bind(features, y)
    expected = IndependenceTest("g2").bind(features, levels)
    np.testing.assert_allclose(found.feature_scores([0, 1]), expected.feature_scores([0, 1]))
    given = np.array([[2]])
    np.testing.assert_allclose(
        found.conditional_log_p(0, given), expected.conditional_log_p(0, given)
    )


def test_sets_of_three_are_tested_together_as_alone(rng):
    X, y = rng.integers(0, 2, (400, 5)).astype(float), rng.integers(0, 2, 400)
    sets = [[1, 2, 3], [2, 3, 4]]
    bound = IndependenceTest(categorical=range(5)).bind(X, y)
    expected = [np.log(naive.g2_p_value(X[:, 0], y, X[:, s])) for s in sets]
    np.testing.assert_allclose(bound.conditional_log_p(0, np.array(sets)), expected)
    alone = [bound.conditional_log_p(0, np.array([s]))[0] for s in sets]
    np.testing.assert_allclose(alone, expected)


def test_strata_with_empty_rows_lose_degrees_of_freedom(rng):
    z = rng.integers(0, 2, 200)
    x = np.where(z == 0, rng.integers(0, 3, 200), 0)
    X, y = np.column_stack([x, z]).astype(float), rng.integers(0, 2, 200)
    [log_p] = IndependenceTest().bind(X, y).conditional_log_p(0, np.array([[1]]))
    assert log_p == pytest.approx(np.log(naive.g2_p_value(x, y, X[:, [1]])))


def test_strata_of_one_class_lose_degrees_of_freedom(rng):
    z = rng.integers(0, 2, 200)
    x, y = rng.integers(0, 3, 200), np.where(z == 0, rng.integers(0, 2, 200), 0)
    X = np.column_stack([x, z]).astype(float)
    [log_p] = IndependenceTest().bind(X, y).conditional_log_p(0, np.array([[1]]))
    assert log_p == pytest.approx(np.log(naive.g2_p_value(x, y, X[:, [1]])))


def test_too_few_samples_a_cell_are_not_tested(features):
    y = (features[:, 0] > 0).astype(int)
    n = SAMPLES_A_CELL * 3 * 2 * 3
    for size, tested in ((n - 1, False), (n, True)):
        bound = IndependenceTest().bind(features[:size, :4], y[:size])
        assert np.isfinite(bound.conditional_log_p(0, np.array([[1]]))).all() == tested
    few = IndependenceTest().bind(features[:5], features[:5, 0] * 1.5)
    assert np.isnan(few.conditional_log_p(0, np.array([[1, 2]]))).all()


@pytest.mark.parametrize(("n_given", "least"), [(1, 5), (2, 6)])
def test_fisher_z_needs_one_degree_of_freedom(features, n_given, least):
    given = np.arange(1, 1 + n_given)
    y = features[:, 0] + features[:, 3]
    for n, tested in ((least - 1, False), (least, True)):
        bound = IndependenceTest().bind(features[:n, :4], y[:n])
        [log_p] = bound.conditional_log_p(0, given[None])
        assert np.isfinite(log_p) == tested
    expected = naive.fisher_z_p_value(features[:least, 0], y[:least], features[:least, given])
    assert log_p == pytest.approx(np.log(expected))


def test_a_copy_is_told_by_its_original(features):
    features[:, 2] = 3 * features[:, 0] - 1
    bound = IndependenceTest().bind(features, features[:, 0] + features[:, 3])
    assert bound.conditional_log_p(2, np.array([[0]])).tolist() == [0.0]
    twice = bound.conditional_log_p(3, np.array([[0, 2]]))
    np.testing.assert_allclose(twice, bound.conditional_log_p(3, np.array([[0]])), rtol=0.05)


@pytest.mark.parametrize("n_samples", [6, 17, 40, 200])
def test_the_target_itself_has_one_score_however_it_is_rounded(rng, n_samples):
    """The order of summation used to decide how near to one the correlation was."""
    y = rng.integers(-256, 257, n_samples) / 64
    scales, offsets = [1, 3, -0.1, 1e9, 1e-9, 1], [0, 1, 2, 3, 4, 1e6]
    X = np.column_stack([scale * y + shift for scale, shift in zip(scales, offsets, strict=True)])
    for columns in (X, np.asfortranarray(X), X[::-1].copy()[::-1]):
        scores = IndependenceTest().bind(columns, y).feature_scores(np.arange(6))
        np.testing.assert_allclose(scores, scores[0], rtol=1e-12)
    almost = y + rng.normal(scale=1e-4, size=n_samples)
    assert IndependenceTest().bind(almost[:, None], y).feature_scores([0])[0] < scores[0]


@pytest.mark.parametrize("half_degrees", [1, 2, 5])
@pytest.mark.parametrize("statistic", [0.5, 30.0, 900.0, 3_000.0, 1e5])
def test_tails_of_chi_square_are_those_of_a_poisson_sum(half_degrees, statistic):
    """With 2 k degrees of freedom the tail beyond x is that of k events at a rate of x / 2."""
    terms = [i * np.log(statistic / 2) - gammaln(i + 1) for i in range(half_degrees)]
    found = _log_chi2_tail(np.array([statistic]), np.array([2 * half_degrees]))[0]
    assert found == pytest.approx(logsumexp(terms) - statistic / 2, rel=1e-8)


@pytest.mark.parametrize("statistic", [0.5, 30.0, 900.0, 3_000.0])
def test_tails_with_one_degree_of_freedom_are_those_of_a_normal_variable(statistic):
    found = _log_chi2_tail(np.array([statistic]), np.array([1]))[0]
    assert found == pytest.approx(np.log(2) + log_ndtr(-np.sqrt(statistic)), rel=1e-8)


def test_no_degree_of_freedom_tells_nothing():
    assert _log_chi2_tail(np.array([3.0]), np.array([0])).tolist() == [0.0]


def test_two_by_two_tables_have_one_degree_of_freedom(rng):
    X = rng.integers(0, 2, size=(200, 2)).astype(float)
    y = np.where(rng.random(200) < 0.3, X[:, 0], rng.integers(0, 2, 200)).astype(int)
    bound = IndependenceTest().bind(X, y)
    expected = naive.g2_p_value(X[:, 0], y, X[:, []])
    assert bound.feature_scores([0])[0] == pytest.approx(-np.log(expected))
    [given] = bound.conditional_log_p(0, np.array([[1]]))
    assert given == pytest.approx(np.log(naive.g2_p_value(X[:, 0], y, X[:, [1]])))


def test_p_values_too_small_for_a_number_still_have_an_order(rng):
    y = np.repeat(np.arange(3), 2000)
    noisy = np.where(rng.random(6000) < 0.01, rng.integers(0, 3, 6000), y)
    X = np.column_stack([noisy, y]).astype(float)
    by_levels = IndependenceTest().bind(X, y).feature_scores([0, 1])
    assert 1000 < by_levels[0] < by_levels[1] < np.inf
    by_numbers = IndependenceTest("fisher-z", target_kind="continuous").bind(X, y)
    scores = by_numbers.feature_scores([0, 1])
    assert 1000 < scores[0] < scores[1] < np.inf


def test_wrong_settings_are_refused(features):
    with pytest.raises(ValueError, match="test must be '"):
        IndependenceTest("t").bind(features, features[:, 0])
    with pytest.raises(ValueError, match="takes numbers only"):
        IndependenceTest("fisher-z", categorical=[4]).bind(features, features[:, 0])
    with pytest.raises(ValueError, match="at most two classes, got 4"):
        IndependenceTest("fisher-z").bind(features, features[:, 4])
    with pytest.raises(ValueError, match="at most two classes, got 3"):
        IndependenceTest("fisher-z").bind(features, np.arange(400) % 3)
    with pytest.raises(ValueError, match="one output"):
        IndependenceTest().bind(features, features[:, :2])
