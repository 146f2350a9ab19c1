"""Places where squaring, subtracting or adding up once cost the digits of an answer.

Every test here failed once, in one of its cases at least. Factors are powers of two and offsets
leave all digits of the plain values, so that the same numbers are asked for twice and only the
arithmetic can differ.
"""

import warnings

import numpy as np
import pytest

from hsieve import (
    HSIC,
    N3LARS,
    FamilyScore,
    FillMissing,
    HalvesRegression,
    KernelEnsembleClassifier,
    LaplacianScore,
    LPBoost,
    LPBoostMKL,
    MaxRelevance,
    PositionWeightMatrix,
    Relief,
    SparseFiltering,
    hsic,
    lsmi,
    nhsic,
)
from hsieve.classifiers.preparation import Preparation
from hsieve.kernels.column_scale import safe_scale
from hsieve.kernels.columns import standardised
from hsieve.kernels.levels import coded_levels

OFFSET = 2.0**40  # about 1e12
FACTORS = {"1e300": 2.0**996, "1e-300": 2.0**-996, "denormal": 2.0**-1068}
SCALE_FREE = ("pc", "t", "snr", "one-vs-rest", "block")


@pytest.fixture
def plain(rng):
    """Multiples of 1/64, which any of the factors and the offset leave as they are."""
    return rng.integers(-256, 257, (30, 4)) / 64


@pytest.fixture
def classes():
    return np.arange(30) % 2


def scores(measure, X, y):
    return measure.bind(X, y).feature_scores(np.arange(X.shape[1]))


def test_the_deviation_of_a_million_single_numbers(rng):
    X = rng.normal(size=(1_000_000, 2)).astype(np.float32) + np.float32(1000)
    scaled = standardised(X).astype(np.float64)
    np.testing.assert_allclose(scaled.std(axis=0), 1, atol=1e-6)
    np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=1e-6)


@pytest.mark.parametrize("factor", FACTORS.values(), ids=FACTORS)
def test_a_power_of_two_changes_no_digit(plain, classes, factor):
    expected = scores(HSIC(), plain, classes)
    np.testing.assert_array_equal(scores(HSIC(), plain * factor, classes), expected)


def test_extreme_columns_are_divided_by_powers_of_two():
    low, high = np.array([-3e300, 5e-320, 1.0]), np.array([1e300, 7e-320, 2.0])
    mantissas, _ = np.frexp(safe_scale(low, high))
    np.testing.assert_array_equal(mantissas, 0.5)
    assert safe_scale(low, high)[2] == 1.0


@pytest.mark.parametrize("statistic", SCALE_FREE)
@pytest.mark.parametrize("factor", FACTORS.values(), ids=FACTORS)
def test_scale_free_scores_of_any_size(plain, classes, statistic, factor):
    expected = scores(FamilyScore(statistic), plain, classes)
    found = scores(FamilyScore(statistic), plain * factor, classes)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("statistic", [*SCALE_FREE, "centroid", "moderated-t", "lods", "pam"])
def test_offsets_take_no_digits_from_scores(plain, classes, statistic):
    expected = scores(FamilyScore(statistic), plain, classes)
    found = scores(FamilyScore(statistic), plain + 32 * OFFSET, classes)
    np.testing.assert_allclose(found, expected, rtol=1e-11)


@pytest.mark.parametrize("statistic", ["centroid", "moderated-t", "lods", "pam"])
@pytest.mark.parametrize("factor", FACTORS.values(), ids=FACTORS)
def test_scores_on_the_scale_of_the_features_refuse_what_has_no_square(
    plain, classes, statistic, factor
):
    with pytest.raises(ValueError, match="on the scale they are given"):
        scores(FamilyScore(statistic), plain * factor, classes)


def test_a_column_and_its_copy_have_the_same_digits(rng, classes):
    for seed in range(20):
        X = np.random.default_rng(seed).normal(size=(30, 5))
        found = scores(FamilyScore("centroid"), np.column_stack([X, X[:, 1]]), classes)
        assert found[1] == found[-1]


@pytest.mark.parametrize("factor", FACTORS.values(), ids=FACTORS)
def test_relief_of_any_size(plain, classes, factor):
    expected = scores(Relief(), plain, classes)
    np.testing.assert_allclose(scores(Relief(), plain * factor, classes), expected, rtol=1e-12)


def test_relief_beside_an_offset_of_the_target(plain):
    numbers = plain[:, 0] + plain[:, 1] / 2
    expected = scores(Relief(), plain, numbers)
    np.testing.assert_allclose(scores(Relief(), plain, numbers + OFFSET), expected, rtol=1e-12)


def test_relief_of_a_target_whose_range_is_no_number(plain):
    numbers = np.where(plain[:, 0] > 0, 1.5e308, -1.5e308) + plain[:, 1] * 1e306
    expected = scores(Relief(), plain, numbers / 2.0**1000)
    np.testing.assert_allclose(scores(Relief(), plain, numbers), expected, rtol=1e-12)


def test_spectral_scores_see_a_spread_of_one_beside_an_offset():
    X = np.eye(30)[:, :2]
    expected = LaplacianScore().fit(X).scores_
    np.testing.assert_allclose(LaplacianScore().fit(X + 32 * OFFSET).scores_, expected, rtol=1e-9)


def test_levels_of_a_constant_column_of_any_size():
    levels = coded_levels(np.full(40, 1.7e308))
    np.testing.assert_array_equal(levels.positions, 0)


def test_levels_beside_an_offset(plain):
    found, expected = coded_levels(plain[:, 0] + 32 * OFFSET), coded_levels(plain[:, 0])
    # Positions are single numbers.
    np.testing.assert_allclose(np.diff(found.positions), np.diff(expected.positions), atol=1e-6)


def test_coded_paths_take_constant_columns_of_any_size(plain, classes):
    X = np.column_stack([plain, np.full(30, 8e306)])
    with pytest.warns(match="1 constant column"):
        assert len(N3LARS(2, form="coded").fit(X, classes).selected_indices_) == 2


def test_values_at_both_ends_of_the_range_make_no_noise(plain, classes):
    X = plain.astype(np.float32)
    X[::2, 0], X[1::2, 0] = np.finfo(np.float32).max, np.finfo(np.float32).min
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        selector = MaxRelevance(1).fit(X.tolist(), classes)
        HSIC().bind(X, classes)
        LPBoost().fit(X, classes).predict(X)
    assert selector.transform(X).shape == (30, 1)


def test_lsmi_of_any_size(plain):
    fits = [lsmi(plain * factor, plain[:, 0] * factor) for factor in (1.0, 2.0**996, 2.0**-996)]
    values = [fit.value for fit in fits]
    np.testing.assert_allclose(values, values[0], rtol=1e-12)
    assert fits[0].scale.mean.shape == (4,)


@pytest.mark.parametrize("kind", ["standardise", "range"])
def test_preparations_refuse_what_has_no_scale(plain, kind):
    with pytest.raises(ValueError, match="values as large as"):
        Preparation.learned(np.where(plain > 0, 1.7e308, -1.7e308), kind)
    with pytest.raises(ValueError, match="Feature 0 varies by less than"):
        Preparation.learned(plain * FACTORS["denormal"], kind)


def test_preparations_beside_an_offset_have_deviation_one(plain):
    prepared = Preparation.learned(plain + OFFSET, "standardise").applied(plain + OFFSET)
    np.testing.assert_allclose(prepared.std(axis=0), 1, rtol=1e-12)


def test_learned_features_refuse_in_words_what_is_too_far_away(plain):
    filtering = SparseFiltering(3, max_iter=5).fit((plain + 5).astype(np.float32) * 2.0**120)
    far = np.full((2, 4), np.finfo(np.float32).min, dtype=np.float32)
    with pytest.raises(ValueError, match="too far from the samples"):
        filtering.transform(far)


def test_the_median_of_the_largest_numbers_is_a_number():
    X = np.array([[1.7e308], [1.6e308], [np.nan]])
    assert FillMissing().fit(X).fill_values_ == [pytest.approx(1.65e308)]


def test_decisions_do_not_need_coefficients_that_are_no_numbers(plain, classes):
    X = plain * FACTORS["denormal"]
    assert np.isfinite(LPBoost().fit(X, classes).decision_function(X)).all()
    expected = LPBoost().fit(plain, classes).decision_function(plain)
    np.testing.assert_allclose(LPBoost().fit(X, classes).decision_function(X), expected, atol=1e-9)


def test_decisions_beside_an_offset(plain, classes):
    far = plain + 32 * OFFSET
    expected = LPBoost().fit(plain, classes).decision_function(plain)
    np.testing.assert_allclose(
        LPBoost().fit(far, classes).decision_function(far), expected, atol=1e-6
    )


@pytest.mark.parametrize(
    "classifier", [LPBoost, LPBoostMKL, KernelEnsembleClassifier, PositionWeightMatrix]
)
def test_classes_of_several_kinds_are_refused_in_words(plain, classifier):
    mixed = np.array([1, "a"] * 15, dtype=object)
    mixed[::2] = 1
    with pytest.raises(ValueError, match="one kind, got int, str"):
        classifier().fit(plain, mixed)


def test_two_samples_leave_no_weight_undefined(plain):
    model = KernelEnsembleClassifier(n_members=2, widths=1.0, nu=0.5).fit(plain[:2], [0, 1])
    assert np.isfinite(model.decision_function(plain)).all()
    assert model.set_weights_.sum() == pytest.approx(1)


def test_log_odds_of_a_feature_that_is_the_target(classes):
    X = classes[:, None].astype(np.float64)
    assert np.isfinite(scores(FamilyScore("lods"), X, classes)).all()


@pytest.mark.parametrize("measure", [hsic, nhsic])
@pytest.mark.parametrize("factor", FACTORS.values(), ids=FACTORS)
def test_distances_that_have_no_square_are_refused_in_words(plain, classes, measure, factor):
    with pytest.raises(ValueError, match="distances cannot be told"):
        measure(plain * factor, classes)


@pytest.mark.parametrize("measure", [hsic, nhsic])
def test_distances_beside_an_offset(plain, classes, measure):
    expected = measure(plain, classes)
    assert measure(plain + 32 * OFFSET, classes) == pytest.approx(expected, rel=1e-9)


def test_the_weight_of_a_single_feature_does_not_hang_on_rounding(plain):
    y = plain[:, 0] > 0
    halves = [
        HalvesRegression(1, n_rounds=10).fit(plain[:, :1] + shift, y).scores_[0]
        for shift in (0.0, 2.0, OFFSET)
    ]
    np.testing.assert_allclose(halves, halves[0], rtol=1e-9)
    assert halves[0] != 0
