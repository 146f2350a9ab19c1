"""Calibrated decisions: optimality of the fit, and what it makes of odd decisions."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import expit, softmax
from sklearn.linear_model import LogisticRegression

from hsieve.classifiers.calibration import STEADY, WEAK, _Loss, calibrate


def objective(decisions, codes, slopes, offsets, weights):
    """The loss with penalties, written out."""
    logits = slopes * decisions + offsets
    if decisions.shape[1] == 1:
        logits = np.column_stack([np.zeros(len(logits)), logits])
    chances = softmax(logits, axis=1)[np.arange(len(codes)), codes]
    apart = np.sum((slopes - slopes.mean()) ** 2)
    if decisions.shape[1] > 1:
        shares = np.array([weights[codes == c].sum() for c in range(decisions.shape[1])])
        shifts = offsets - np.log(shares / weights.sum())
        apart += STEADY * np.sum((shifts - shifts.mean()) ** 2)
    return -np.sum(weights * np.log(chances)) + apart / 2 + WEAK * slopes.mean() ** 2 / 2


@pytest.mark.parametrize("n_classes", [2, 4])
def test_no_neighbour_has_a_lower_loss(rng, n_classes):
    codes = rng.integers(n_classes, size=200)
    n_classifiers = 1 if n_classes == 2 else n_classes
    decisions = rng.normal(size=(200, n_classifiers))
    decisions[:, 0] += codes == n_classes - 1
    weights = rng.uniform(0.5, 2, 200)
    fit = calibrate(decisions, codes, weights=weights)
    best = objective(decisions, codes, fit.slopes, fit.offsets, weights)
    for _ in range(50):
        slopes = np.maximum(fit.slopes + 0.05 * rng.normal(size=n_classifiers), 0)
        offsets = fit.offsets + 0.05 * rng.normal(size=n_classifiers)
        assert objective(decisions, codes, slopes, offsets, weights) >= best - 1e-7


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_loss_is_the_one_written_out_and_the_gradient_its_slope(rng, n_classes):
    codes = rng.integers(n_classes, size=50)
    n_classifiers = 1 if n_classes == 2 else n_classes
    decisions, weights = rng.normal(size=(50, n_classifiers)), rng.uniform(0.5, 2, 50)
    loss = _Loss.of(decisions, codes, weights)
    for _ in range(5):
        slopes, shifts = rng.uniform(0, 3, n_classifiers), rng.normal(size=n_classifiers)
        value, gradient = loss(np.r_[slopes, shifts])
        expected = objective(decisions, codes, slopes, shifts + loss.priors, weights)
        assert value == pytest.approx(expected, rel=1e-10)
        slope = approx_fprime(np.r_[slopes, shifts], lambda at: loss(at)[0], 1e-7)
        np.testing.assert_allclose(gradient, slope, rtol=1e-4, atol=1e-4)


def test_offsets_are_held_together_by_three_tenths_of_a_sample(rng):
    """At the optimum a class has as many samples too much as its offset is pulled back by."""
    codes = rng.choice(3, size=60, p=[0.6, 0.3, 0.1])
    decisions = rng.normal(size=(60, 3)) + np.eye(3)[codes] + [0.0, 1.0, -2.0]
    fit = calibrate(decisions, codes)
    counts = np.bincount(codes)
    shifts = fit.offsets - np.log(counts / 60)
    surplus = softmax(fit.apply(decisions), axis=1).sum(axis=0) - counts
    assert np.abs(shifts - shifts.mean()).max() > 0.5
    np.testing.assert_allclose(surplus, -0.3 * (shifts - shifts.mean()), atol=1e-3)


def test_the_loss_of_the_fit_leaves_the_penalty_out(rng):
    codes = rng.integers(3, size=60)
    decisions = rng.normal(size=(60, 3)) + np.eye(3)[codes]
    fit = calibrate(decisions, codes)
    chances = softmax(fit.apply(decisions), axis=1)[np.arange(60), codes]
    assert fit.loss == pytest.approx(-np.log(chances).mean(), rel=1e-8)


def test_two_classes_are_a_logistic_regression(rng):
    decisions = rng.normal(size=(400, 1))
    codes = (rng.uniform(size=400) < expit(2 * decisions[:, 0] - 1)).astype(int)
    fit = calibrate(decisions, codes)
    plain = LogisticRegression(C=1 / WEAK, tol=1e-10).fit(decisions, codes)
    assert fit.slopes[0] == pytest.approx(plain.coef_[0, 0], rel=1e-3)
    assert fit.offsets[0] == pytest.approx(plain.intercept_[0], abs=1e-3)
    assert fit.loss == pytest.approx(
        -np.mean(np.log(plain.predict_proba(decisions)[np.arange(400), codes])), rel=1e-4
    )


def test_decisions_on_other_scales_become_comparable(rng):
    """A class whose decisions are small, or shifted, is predicted as often as it is there."""
    codes = rng.integers(5, size=1000)
    decisions = 0.4 * rng.normal(size=(1000, 5))
    decisions[np.arange(1000), codes] += 1.0
    good = np.mean(np.argmax(decisions, axis=1) == codes)
    odd = decisions * np.array([1, 1, 0.3, 1, 1]) + np.array([0, -2.0, 0, 0, 3.0])
    fit = calibrate(odd, codes)
    predicted = np.argmax(fit.apply(odd), axis=1)
    assert np.mean(np.argmax(odd, axis=1) == codes) < good - 0.3
    assert np.mean(predicted == codes) > good - 0.03
    assert np.bincount(predicted, minlength=5).min() > 120


def test_a_class_without_samples_has_hardly_any_chance(rng):
    codes = np.repeat([0, 1], 30)
    decisions = rng.normal(size=(60, 3)) + 2 * np.eye(3)[codes]
    chances = softmax(calibrate(decisions, codes).apply(decisions), axis=1)
    assert chances[:, 2].max() < 1e-6


def test_decisions_that_run_against_the_classes_count_for_nothing(rng):
    codes = np.r_[np.zeros(70, dtype=int), np.ones(30, dtype=int)]
    decisions = -codes[:, None] + rng.normal(size=(100, 1))
    fit = calibrate(decisions, codes)
    assert fit.slopes[0] == 0
    assert expit(fit.offsets[0]) == pytest.approx(0.3, abs=1e-3)


def test_perfect_decisions_have_a_finite_scale():
    codes = np.repeat([0, 1], 20)
    fit = calibrate(2.0 * codes[:, None] - 1.0, codes)
    # 40 samples of loss log(1 + exp(-a)) against 0.01 a^2 / 2: the slope of their sum is zero.
    assert 40 * expit(-fit.slopes[0]) == pytest.approx(0.01 * fit.slopes[0], rel=1e-3)
