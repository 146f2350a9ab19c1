"""The identities of the BAHSIC paper, section 4: older scores as special cases of HSIC."""

import numpy as np
import pytest
from scipy import special, stats
from sklearn.linear_model import Ridge as SklearnRidge

from hsieve import NHSIC, FamilyScore, KernelRidge, Pearson, Ridge, kernels, nhsic
from hsieve.kernels.labels import centroid_coding, one_vs_rest_coding, signed_coding
from hsieve.measures import family
from hsieve.measures.family import _effect_variance, linear_hsic
from tests.reference import naive, naive_log_odds

N = 23
NEED_CLASSES = ("centroid", "t", "snr", "moderated-t", "lods", "pam", "one-vs-rest", "block")


@pytest.fixture
def two_classes(rng):
    y = np.repeat([-1, 1], [10, 13])
    X = rng.normal(size=(N, 6)) * rng.uniform(0.5, 3, 6) + rng.normal(size=6)
    X[y == 1, 2] += 1.5
    return X, y


@pytest.fixture
def three_classes(rng):
    return rng.normal(size=(N, 4)), np.repeat([0, 1, 2], [6, 8, 9])


def trace(x, L):
    """tr(KHLH) with a linear kernel on one feature, literally."""
    return naive.biased_hsic(np.outer(x, x), L) * (len(x) - 1) ** 2


def scores(name, X, y):
    return FamilyScore(name).bind(X, y).feature_scores(np.arange(X.shape[1]))


def halves(X, y):
    return X[y == 1], X[y == -1]


def test_linear_hsic_is_the_trace_formula(two_classes):
    X, y = two_classes
    codes = signed_coding(y)
    expected = [trace(x, codes @ codes.T) for x in X.T]
    np.testing.assert_allclose(linear_hsic(X, codes), expected, atol=1e-10)


def test_standardised_linear_hsic_is_the_squared_correlation(rng):
    X, y = rng.normal(size=(N, 5)), rng.normal(size=N)
    expected = [stats.pearsonr(x, y)[0] ** 2 for x in X.T]
    np.testing.assert_allclose(scores("pc", X, y), expected, atol=1e-10)
    standardised = (y - y.mean()) / y.std()
    by_trace = [trace((x - x.mean()) / x.std(), np.outer(standardised, standardised)) for x in X.T]
    np.testing.assert_allclose(np.array(by_trace) / N**2, expected, atol=1e-10)


def test_pc_does_not_take_class_codes_for_numbers(three_classes):
    X, y = three_classes
    shuffled = np.array([2, 0, 1])[y]
    np.testing.assert_allclose(scores("pc", X, y), scores("pc", X, shuffled), atol=1e-12)
    two = (y > 0).astype(int)
    expected = [stats.pearsonr(x, two)[0] ** 2 for x in X.T]
    np.testing.assert_allclose(scores("pc", X, two), expected, atol=1e-10)


def test_pc_of_classes_is_the_mean_squared_correlation_weighted_by_their_shares(three_classes):
    X, y = three_classes
    expected = [
        sum(np.mean(y == c) * stats.pearsonr(x, y == c)[0] ** 2 for c in range(3)) for x in X.T
    ]
    np.testing.assert_allclose(scores("pc", X, y), expected, atol=1e-12)


def test_pc_of_several_outputs_is_the_mean_of_squared_correlations(rng):
    X, Y = rng.normal(size=(N, 4)), rng.normal(size=(N, 3))
    expected = [np.mean([stats.pearsonr(x, y)[0] ** 2 for y in Y.T]) for x in X.T]
    np.testing.assert_allclose(scores("pc", X, Y), expected, atol=1e-12)


def test_linear_nhsic_is_the_squared_correlation(rng):
    x, y = rng.normal(size=N), rng.normal(size=N)
    value = nhsic(x, y, kernel_x=kernels.Linear(), kernel_y=kernels.Linear())
    assert value == pytest.approx(stats.pearsonr(x, y)[0] ** 2, abs=1e-10)
    bound = NHSIC(kernel_x=kernels.Linear(), kernel_y=kernels.Linear()).bind(x[:, None], y)
    assert bound.feature_scores([0])[0] == pytest.approx(value, abs=1e-10)


def test_signed_labels_give_the_squared_difference_of_means(two_classes):
    X, y = two_classes
    plus, minus = halves(X, y)
    expected = (plus.mean(axis=0) - minus.mean(axis=0)) ** 2
    np.testing.assert_allclose(scores("centroid", X, y), expected, atol=1e-10)


def test_t_score_is_the_squared_welch_statistic(two_classes):
    X, y = two_classes
    expected = stats.ttest_ind(*halves(X, y), equal_var=False).statistic ** 2
    np.testing.assert_allclose(scores("t", X, y), expected, rtol=1e-10)


def test_snr_divides_by_the_sum_of_deviations(two_classes):
    X, y = two_classes
    plus, minus = halves(X, y)
    expected = (plus.mean(axis=0) - minus.mean(axis=0)) / (
        plus.std(axis=0, ddof=1) + minus.std(axis=0, ddof=1)
    )
    np.testing.assert_allclose(scores("snr", X, y), expected**2, rtol=1e-10)


def test_moderated_t_lies_between_pooled_t_and_common_variance(rng):
    """Shrinking fully gives a common variance, not at all the pooled t; the truth lies between."""
    y = np.repeat([0, 1], 5)
    X = rng.normal(size=(10, 400)) * np.sqrt(1 / rng.gamma(4, 1 / 4, 400))
    moderated = scores("moderated-t", X, y)
    pooled = stats.ttest_ind(X[y == 1], X[y == 0]).statistic ** 2
    difference = (X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)) ** 2
    implied_variance = difference / moderated / (1 / 5 + 1 / 5)
    own_variance = difference / pooled / (1 / 5 + 1 / 5)
    slope = np.polyfit(own_variance, implied_variance, 1)[0]
    # True prior degrees of freedom are 8, so the weight of the own variance is 8 / (8 + 8).
    assert 0.35 < slope < 0.65
    np.testing.assert_allclose(
        implied_variance,
        np.polyval(np.polyfit(own_variance, implied_variance, 1), own_variance),
        rtol=1e-6,
    )


@pytest.mark.parametrize(
    ("n_features", "unequal", "effect"),
    [(60, True, 2.0), (700, True, 3.0), (60, False, 2.0), (700, False, 3.0), (60, True, 0.0)],
)
def test_moderated_t_and_log_odds_are_those_of_smyth(rng, n_features, unequal, effect):
    y = np.repeat([0, 1], [5, 7])
    X = rng.normal(size=(12, n_features))
    X = X / np.sqrt(X.var(axis=0))  # variances within classes are nearly equal
    if unequal:
        X *= np.sqrt(1 / rng.gamma(2, 1 / 2, n_features))
    X[y == 1, :10] += effect * rng.normal(size=10)
    t, _, freedom, _ = naive_log_odds.moderated_t(X, y)
    assert np.isinf(freedom) != unequal
    np.testing.assert_allclose(scores("moderated-t", X, y), np.square(t), rtol=1e-6)
    np.testing.assert_allclose(scores("lods", X, y), naive_log_odds.log_odds(X, y), rtol=1e-6)


@pytest.mark.parametrize("n_features", [10, 60])
@pytest.mark.parametrize("effect", [0.0, 1.0, 1e3])
def test_the_variance_of_effects_stays_within_its_limits(effect, n_features, rng):
    y = np.repeat([0, 1], 6)
    X = np.tile(rng.normal(size=(6, n_features)) * rng.gamma(2, size=n_features), (2, 1))
    X[y == 1] += 1e-3 * rng.normal(size=n_features)
    X[y == 1, 0] += effect
    with np.errstate(divide="ignore"):  # an effect without limit
        expected = naive_log_odds.log_odds(X, y)
    np.testing.assert_allclose(scores("lods", X, y), expected, rtol=1e-6)


def test_largest_t_slightly_above_chance_are_a_small_effect():
    t = stats.t(9.0).isf((np.arange(400) + 0.5) / 800)
    t[:2] *= 1.005
    found = _effect_variance(t**2, 0.3, 9.0, 1.0)
    assert 0.01 < found < 0.3
    assert found == pytest.approx(naive_log_odds.effect_variance(t, 0.3, 9.0, 0.01))


@pytest.mark.parametrize("scales", [[1.0, 3.0], np.logspace(-6, 6, 40)], ids=["two", "far apart"])
def test_moderated_t_shrinks_few_features_and_features_of_very_unlike_scales(scales, rng):
    y = np.repeat([0, 1], [5, 8])  # an odd number of degrees of freedom
    X = rng.normal(size=(13, len(scales))) * scales
    t, _, freedom, _ = naive_log_odds.moderated_t(X, y)
    assert 11 < freedom < np.inf
    np.testing.assert_allclose(scores("moderated-t", X, y), np.square(t), rtol=1e-6)


def test_a_single_feature_has_no_prior_to_be_shrunk_to(two_classes):
    X, y = two_classes
    alone = X[:, :1]
    pooled = stats.ttest_ind(*halves(alone, y)).statistic ** 2
    np.testing.assert_allclose(scores("moderated-t", alone, y), pooled)


def test_the_only_feature_that_varies_within_classes_has_no_prior_either(rng):
    y = np.repeat([-1, 1], 8)
    x = rng.normal(size=16)
    noisy, separating = scores("moderated-t", np.column_stack([x, y]), y)
    assert noisy == pytest.approx(stats.ttest_ind(*halves(x, y)).statistic ** 2)
    assert separating == np.finfo(float).max


def test_log_odds_order_features_as_the_moderated_t(rng):
    y = np.repeat([0, 1], 6)
    X = rng.normal(size=(12, 300))
    X[y == 1, :10] += 2.5
    odds, moderated = scores("lods", X, y), scores("moderated-t", X, y)
    np.testing.assert_array_equal(np.argsort(odds), np.argsort(moderated))
    assert np.median(odds) < np.log(0.01 / 0.99) < odds[:10].max()


def test_centroid_coding_gives_shrunken_centroid_distances(three_classes):
    X, y = three_classes
    expected = sum((X[y == c].mean(axis=0) - X.mean(axis=0)) ** 2 for c in range(3))
    np.testing.assert_allclose(linear_hsic(X, centroid_coding(y)), expected, atol=1e-10)
    pooled = np.sqrt(
        sum(((X[y == c] - X[y == c].mean(axis=0)) ** 2).sum(axis=0) for c in range(3)) / (N - 3)
    )
    np.testing.assert_allclose(
        scores("pam", X, y), expected / (pooled + np.median(pooled)) ** 2, rtol=1e-10
    )


def test_one_vs_rest_coding_compares_each_class_with_the_others(three_classes):
    X, y = three_classes
    expected = sum((X[y == c].mean(axis=0) - X[y != c].mean(axis=0)) ** 2 for c in range(3))
    np.testing.assert_allclose(linear_hsic(X, one_vs_rest_coding(y)), expected, atol=1e-10)
    np.testing.assert_allclose(scores("one-vs-rest", X, y), expected / X.var(axis=0), rtol=1e-10)


def test_block_score_is_hsic_with_the_delta_kernel(three_classes):
    X, y = three_classes
    standardised = (X - X.mean(axis=0)) / X.std(axis=0)
    expected = [trace(x, naive.delta_gram(y)) for x in standardised.T]
    np.testing.assert_allclose(scores("block", X, y), expected, rtol=1e-10)


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_ridge_measure_is_what_ridge_regression_explains(n_outputs, rng):
    X, y = rng.normal(size=(N, 6)), rng.normal(size=(N, n_outputs))
    bound = Ridge(alpha=0.7).bind(X, y)
    V, Y = bound.columns.matrix, bound.outputs
    model = SklearnRidge(alpha=0.7, fit_intercept=False).fit(V, Y)
    w = model.coef_.reshape(n_outputs, -1)
    loss = np.sum((Y - V @ w.T) ** 2) + 0.7 * np.sum(w**2)
    assert bound.subset_score(np.arange(6)) == pytest.approx(np.sum(Y**2) - loss, abs=1e-10)
    K = V @ np.linalg.inv(V.T @ V + 0.7 * np.eye(6)) @ V.T
    by_hsic = naive.biased_hsic(K, Y @ Y.T) * (N - 1) ** 2
    assert bound.subset_score(np.arange(6)) == pytest.approx(by_hsic, abs=1e-10)


def test_ridge_measure_of_classes_is_hsic_with_the_delta_kernel(three_classes):
    X, y = three_classes
    bound = Ridge(alpha=0.7).bind(X, y)
    V = bound.columns.matrix
    K = V @ np.linalg.inv(V.T @ V + 0.7 * np.eye(4)) @ V.T
    by_hsic = naive.biased_hsic(K, naive.delta_gram(y.tolist())) * (N - 1) ** 2
    assert bound.subset_score(np.arange(4)) == pytest.approx(by_hsic, abs=1e-10)


@pytest.mark.parametrize("measure", [Ridge(0.5), KernelRidge(0.5, kernel_x=kernels.Gaussian(2.0))])
def test_ridge_changes_equal_the_scores_of_the_changed_sets(measure, rng):
    X = rng.normal(size=(N, 6))
    X[:, 4] = rng.integers(0, 3, N)
    measure.set_params(categorical=[4])
    bound = measure.bind(X, rng.integers(0, 2, N))
    subset, outside = np.array([0, 2, 4]), np.array([1, 3, 5])
    added = [bound.subset_score([*subset, j]) for j in outside]
    removed = [bound.subset_score([k for k in subset if k != j]) for j in subset]
    np.testing.assert_allclose(bound.addition_scores(subset, outside), added, atol=1e-10)
    np.testing.assert_allclose(bound.removal_scores(subset), removed, atol=1e-10)
    np.testing.assert_allclose(
        bound.feature_scores(np.arange(6)), [bound.subset_score([j]) for j in range(6)], atol=1e-10
    )


def test_kernel_ridge_measure_is_hsic_with_its_kernel(rng):
    X, y = rng.normal(size=(N, 3)), rng.normal(size=N)
    bound = KernelRidge(0.3, kernel_x=kernels.Gaussian(1.5)).bind(X, y)
    Q = naive.gaussian_gram(bound.columns.matrix, 1.5)
    K = np.linalg.inv(Q + 0.3 * np.eye(N)) @ Q
    expected = bound.outputs[:, 0] @ K @ bound.outputs[:, 0]
    assert bound.subset_score([0, 1, 2]) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("n", [50, 100, 200, 400])
def test_mmd_and_kta_differ_from_hsic_by_one_over_n(n):
    """Theorem 3.

    With rho = 1/m_+ and -1/m_-, HSIC and MMD/(m-1)^2, KTA/(m-1)^2 differ by O(1/m).
    """
    generator = np.random.default_rng(n)
    y = np.where(generator.random(n) < 0.5, 1, -1)
    X = generator.normal(size=(n, 2)) + 0.3 * y[:, None]
    K = naive.gaussian_gram(X, 1.0)
    rho = signed_coding(y)[:, 0]
    L = np.outer(rho, rho)
    mmd = K[np.ix_(y == 1, y == 1)].mean() + K[np.ix_(y == -1, y == -1)].mean()
    mmd -= 2 * K[np.ix_(y == 1, y == -1)].mean()
    hsic_value = naive.unbiased_hsic(K, L)
    for other in (mmd, np.trace(K @ L)):
        assert abs(hsic_value - other / (n - 1) ** 2) < 1.0 / n


def test_pearson_measure_uses_halls_weights_for_classes(three_classes):
    X, y = three_classes
    expected = np.zeros(4)
    for c in range(3):
        share = np.mean(y == c)
        expected += share * np.abs([stats.pearsonr(x, y == c)[0] for x in X.T])
    np.testing.assert_allclose(Pearson().bind(X, y).feature_scores(np.arange(4)), expected)


def test_pearson_measure_averages_over_outputs(rng):
    X, Y = rng.normal(size=(N, 3)), rng.normal(size=(N, 2))
    expected = np.mean([[abs(stats.pearsonr(x, y)[0]) for x in X.T] for y in Y.T], axis=0)
    np.testing.assert_allclose(Pearson().bind(X, Y).feature_scores([0, 1, 2]), expected)


@pytest.mark.parametrize(
    ("name", "y", "message"),
    [
        ("f", [0, 1] * 5, "statistic must be '"),
        ("t", [0, 1, 2, 0, 1, 2, 0, 1, 2, 0], "needs two classes, got 3"),
        ("t", [0] * 9 + [1], "two samples in each class, got 1"),
        ("pam", list("abcdefghij"), "more samples"),
        *[(name, np.linspace(0, 1, 10), "needs classes") for name in NEED_CLASSES],
    ],
)
def test_scores_refuse_targets_they_cannot_take(name, y, message, rng):
    with pytest.raises(ValueError, match=message):
        FamilyScore(name).bind(rng.normal(size=(10, 3)), y)


def test_a_feature_without_spread_in_its_classes_does_not_break_the_scores(rng):
    X = rng.normal(size=(12, 3))
    y = np.repeat([0, 1], 6)
    X[:, 1] = y
    for name in ("t", "snr", "moderated-t", "lods", "pam"):
        values = scores(name, X, y)
        assert np.isfinite(values).all()
        assert values.argmax() == 1


@pytest.mark.parametrize("name", ["pc", *(name for name in NEED_CLASSES if name != "lods")])
def test_a_constant_feature_scores_nothing(name, two_classes):
    X, y = two_classes
    X[:, 3] = 4.0
    values = scores(name, X, y)
    assert values[3] == 0.0
    assert (np.delete(values, 3) > 0).all()


def test_alpha_must_be_positive(rng):
    with pytest.raises(ValueError, match="alpha must be a number above 0"):
        Ridge(0.0).bind(rng.normal(size=(5, 2)), rng.normal(size=5))


@pytest.mark.parametrize("statistic", ["t", "snr", "moderated-t", "lods", "pam"])
def test_a_feature_constant_within_classes_has_no_spread_that_rounding_leaves(rng, statistic):
    """It used to enter the prior of all variances, or not, as the mean was rounded."""
    y = np.repeat([0, 1], [7, 9])
    X = rng.normal(size=(16, 50)) + 0.3 * y[:, None]
    scores = {}
    for low, high in ((0.25, 0.5), (0.1, 0.7), (1 / 3, 2 / 3)):
        X[:, 4] = np.where(y == 0, low, high)
        scores[low] = FamilyScore(statistic).bind(X, y).feature_scores(np.delete(np.arange(50), 4))
    for found in scores.values():
        np.testing.assert_allclose(found, scores[0.25], rtol=1e-6)


def test_variances_that_spread_hardly_more_than_chance_have_a_prior_without_end():
    freedom, excess = 6, 1e-10
    spread = np.sqrt((special.polygamma(1, freedom / 2) + excess) * 2)
    variances = np.exp([0.0, spread])
    assert family._prior_of_variances(variances, freedom)[0] == np.inf


@pytest.mark.parametrize("size", [1e-70, 1e70])
def test_sizes_at_the_limits_are_taken(rng, size):
    X = rng.uniform(-1, 1, size=(12, 3))
    X[0, 0] = 1.0
    assert np.isfinite(FamilyScore("centroid").bind(size * X, np.arange(12) % 2).scores).all()
