"""HSIC and NHSIC against literal sums over quadruples and against each other."""

import numpy as np
import pytest

from hsieve import HSIC, NHSIC, hsic, kernels, nhsic
from tests.reference import naive

TARGETS = {
    "classes": lambda rng, n: rng.integers(0, 3, n),
    "numbers": lambda rng, n: rng.normal(size=n),
    "several outputs": lambda rng, n: rng.normal(size=(n, 2)),
}


@pytest.mark.parametrize("n", [8, 9, 10])
def test_unbiased_hsic_equals_the_sum_over_quadruples(n, rng):
    X, y = rng.normal(size=(n, 2)), rng.normal(size=n)
    K, L = naive.gaussian_gram(X, 1.0), naive.gaussian_gram(y[:, None], 0.5)
    value = hsic(X, y, kernel_x=kernels.Gaussian(1.0), kernel_y=kernels.Gaussian(0.5))
    assert value == pytest.approx(naive.hsic_by_quadruples(K, L), abs=1e-10)
    assert value == pytest.approx(naive.unbiased_hsic(K, L), abs=1e-14)


def test_biased_hsic_equals_the_trace(rng):
    X, y = rng.normal(size=(15, 2)), rng.integers(0, 2, 15)
    K, L = naive.gaussian_gram(X, 2.0), naive.delta_gram(y)
    value = hsic(X, y, estimator="biased", kernel_x=kernels.Gaussian(2.0))
    assert value == pytest.approx(naive.biased_hsic(K, L), abs=1e-15)


def test_unbiased_hsic_has_mean_zero_under_independence(rng):
    values = [hsic(rng.normal(size=(12, 1)), rng.normal(size=12)) for _ in range(800)]
    assert abs(np.mean(values)) < 4 * np.std(values) / np.sqrt(800)


def test_unbiased_hsic_ignores_a_large_offset_of_the_target_kernel(rng):
    K = naive.gaussian_gram(rng.normal(size=(30, 1)), 1.0)
    L = naive.gaussian_gram(rng.normal(size=(30, 1)), 1.0)
    plain = np.vdot(K, kernels.unbiased_weights(L))
    offset = np.vdot(K, kernels.unbiased_weights(L + 1e9))
    assert offset == pytest.approx(plain, abs=1e-8)


def test_nhsic_is_centred_alignment_and_one_for_itself(rng):
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    K, L = naive.gaussian_gram(X, 1.0), naive.gaussian_gram(y[:, None], 1.0)
    value = nhsic(X, y, kernel_x=kernels.Gaussian(1.0), kernel_y=kernels.Gaussian(1.0))
    assert value == pytest.approx(naive.alignment(K, L), abs=1e-12)
    assert nhsic(X, K, kernel_x=kernels.Gaussian(1.0), kernel_y=kernels.Precomputed()) == (
        pytest.approx(1.0)
    )


def test_nhsic_of_a_constant_feature_is_zero(rng):
    assert nhsic(np.ones((10, 1)), rng.normal(size=10)) == 0.0


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "kernel", [kernels.Gaussian("narrow"), kernels.Linear(), kernels.Laplace()]
)
@pytest.mark.parametrize("measure", [HSIC(), HSIC(estimator="biased"), NHSIC()], ids=repr)
def test_additions_removals_and_contributions_agree_with_subset_scores(
    measure, kernel, target, rng
):
    """The definition of each capability.

    The width is held at that of the set before the change.
    """
    X, y = rng.normal(size=(25, 7)), TARGETS[target](rng, 25)
    measure = type(measure)(**{**measure.get_params(deep=False), "kernel_x": kernel})
    bound = measure.bind(X, y)
    subset, outside = np.array([0, 2, 3, 5]), np.array([1, 6])
    fixed = kernel
    if hasattr(kernel, "bandwidth"):
        squared = kernels.squared_distances(bound.columns.block(subset))
        fixed = type(kernel)(kernels.resolve_bandwidth(kernel.bandwidth, squared, len(subset)))
    literal = type(measure)(**{**measure.get_params(deep=False), "kernel_x": fixed}).bind(X, y)
    score = literal.subset_score(subset)
    assert bound.subset_score(subset) == pytest.approx(score, abs=1e-12)
    added = [literal.subset_score([*subset, j]) for j in outside]
    removed = [literal.subset_score([k for k in subset if k != j]) for j in subset]
    np.testing.assert_allclose(bound.addition_scores(subset, outside), added, atol=1e-10)
    np.testing.assert_allclose(bound.removal_scores(subset), removed, atol=1e-10)
    both = bound.contributions(subset, np.concatenate([outside, subset]))
    np.testing.assert_allclose(
        both, np.concatenate([np.array(added) - score, score - np.array(removed)]), atol=1e-10
    )


@pytest.mark.parametrize("measure", [HSIC(), NHSIC()], ids=repr)
@pytest.mark.parametrize("kernel", [None, kernels.Gaussian(1.0), kernels.Gaussian("median")])
def test_feature_scores_are_subset_scores_of_single_features(measure, kernel, rng):
    X, y = rng.normal(size=(30, 4)), rng.integers(0, 2, 30)
    bound = type(measure)(kernel_x=kernel).bind(X, y)
    expected = [bound.subset_score([j]) for j in range(4)]
    np.testing.assert_allclose(bound.feature_scores(np.arange(4)), expected, atol=1e-11)


def test_maximise_takes_the_width_of_the_grid_with_the_highest_score(rng):
    X = rng.normal(size=(40, 3))
    y = X[:, 0] ** 2
    bound = HSIC(kernel_x=kernels.Gaussian("maximise")).bind(X, y)
    columns = kernels.encode_columns(X)
    widths = kernels.bandwidth_grid(kernels.squared_distances(columns.matrix))
    by_hand = max(
        HSIC(kernel_x=kernels.Gaussian(width)).bind(X, y).subset_score([0, 1, 2])
        for width in widths
    )
    assert bound.subset_score([0, 1, 2]) == pytest.approx(by_hand, rel=1e-12)


def test_a_precomputed_target_gives_what_its_kernel_gives(rng):
    X, y = rng.normal(size=(20, 3)), rng.integers(0, 2, 20)
    plain = HSIC().bind(X, y).feature_scores([0, 1, 2])
    gram = kernels.Delta().gram(y)
    handed_in = HSIC(kernel_y=kernels.Precomputed()).bind(X, gram).feature_scores([0, 1, 2])
    np.testing.assert_allclose(handed_in, plain)


def test_additions_outside_and_removals_inside_only(rng):
    bound = HSIC().bind(rng.normal(size=(10, 3)), rng.normal(size=10))
    with pytest.raises(ValueError, match="candidates outside the set"):
        bound.addition_scores([0, 1], [1])
    with pytest.raises(ValueError, match="members of the set"):
        bound.removal_scores([0, 1], [2])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"estimator": "best"}, "estimator must be '"),
        ({"precision": "half"}, "precision must be '"),
        ({"target_kind": "text"}, "target_kind must be '"),
        ({"categorical": [9]}, "positions below 3"),
        ({"kernel_y": kernels.Precomputed()}, "must be square"),
    ],
)
def test_bad_settings_are_refused_in_words(settings, message, rng):
    with pytest.raises(ValueError, match=message):
        HSIC(**settings).bind(rng.normal(size=(10, 3)), rng.normal(size=10))


def test_text_needs_a_kernel_for_text(rng):
    with pytest.raises(ValueError, match="needs a numeric target"):
        hsic(rng.normal(size=(4, 1)), ["a", "b", "a", "b"], kernel_y=kernels.Gaussian(1.0))


def test_unbiased_hsic_needs_four_samples(rng):
    with pytest.raises(ValueError, match="at least 4 samples"):
        hsic(rng.normal(size=(3, 1)), rng.normal(size=3))


def test_sample_counts_must_agree(rng):
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[6, 5\]"):
        hsic(rng.normal(size=(5, 1)), rng.normal(size=6))
    with pytest.raises(ValueError, match="X has 5 samples but y has 6"):
        HSIC().bind(rng.normal(size=(5, 1)), rng.normal(size=6))


@pytest.mark.parametrize("bandwidth", ["narrow", 1.0, 0.3])
def test_compensated_contributions_compare_with_an_independent_feature(bandwidth, rng):
    """HSIC(S) - m HSIC(S without j).

    m is the mean of the feature's own kernel over different pairs.
    """
    X = rng.normal(size=(30, 6))
    X[:, 1] = X[:, 1] > 0.8
    X[:, 2] = rng.integers(0, 4, 30)
    X[0, 3] = 50.0
    y = rng.normal(size=30)
    kernel = kernels.Gaussian(bandwidth)
    bound = HSIC(kernel_x=kernel, compensate=True, categorical=[2]).bind(X, y)
    subset = np.array([0, 1, 2, 3])
    sigma = kernels.resolve_bandwidth(
        bandwidth, kernels.squared_distances(bound.columns.block(subset)), 4
    )
    literal = HSIC(kernel_x=kernels.Gaussian(sigma), categorical=[2]).bind(X, y)
    expected = []
    for j in range(6):
        own = naive.gaussian_gram(bound.columns.block([j]), sigma)
        mean = (own.sum() - 30) / (30 * 29)
        rest = [k for k in subset if k != j]
        expected.append(literal.subset_score([*rest, j]) - mean * literal.subset_score(rest))
    np.testing.assert_allclose(bound.elimination_scores(subset, np.arange(6)), expected, atol=1e-9)


def test_compensation_leaves_scores_of_sets_alone(rng):
    X, y = rng.normal(size=(20, 4)), rng.normal(size=20)
    plain, compensated = (HSIC(compensate=flag).bind(X, y) for flag in (False, True))
    np.testing.assert_allclose(plain.removal_scores([0, 1]), compensated.removal_scores([0, 1]))


def test_an_independent_feature_contributes_nothing_on_average():
    """Without compensation its plain contribution is negative: it shrinks the kernel."""
    plain, compensated = [], []
    for seed in range(60):
        generator = np.random.default_rng(seed)
        X = generator.normal(size=(60, 3))
        y = X[:, 0]
        for flag, values in ((False, plain), (True, compensated)):
            bound = HSIC(kernel_x=kernels.Gaussian(1.0), compensate=flag).bind(X, y)
            values.append(bound.elimination_scores([0, 1], [2])[0])
    assert np.mean(plain) < -5 * np.std(plain) / np.sqrt(60)
    assert abs(np.mean(compensated)) < 3 * np.std(compensated) / np.sqrt(60)
