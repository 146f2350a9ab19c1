"""The mixture of largest soft margin, against the program written out and by what it means."""

import numpy as np
import pytest

from hsieve.classifiers.learner_programs import convex_lpboost, convex_lpboost_path
from tests.reference.naive_kernel_ensemble import best_mixture, tail_gap


def case(seed, n_samples=60, n_learners=25, noise=1.0, share=0.5):
    rng = np.random.default_rng(seed)
    labels = np.where(np.arange(n_samples) < share * n_samples, 1.0, -1.0)
    common = labels + noise * rng.normal(size=n_samples)
    answers = common[:, None] + 0.5 * rng.normal(size=(n_samples, n_learners))
    return answers, labels


@pytest.mark.parametrize("nu", [1.0, 0.6, 0.25, 0.05])
@pytest.mark.parametrize("share", [0.5, 0.1])
@pytest.mark.parametrize("noise", [0.2, 2.0])
def test_optimum_and_weights_are_those_of_the_program_written_out(nu, share, noise):
    for seed in range(3):
        answers, labels = case(seed, noise=noise, share=share)
        fit = convex_lpboost(answers, labels, nu)
        weights, optimum = best_mixture(answers, labels, nu)
        assert fit.objective == pytest.approx(optimum, abs=1e-7)
        assert tail_gap(answers @ fit.weights, labels, nu) == pytest.approx(optimum, abs=1e-6)
        np.testing.assert_allclose(fit.weights, weights, atol=1e-5)


def test_overlapping_classes_have_a_mixture_for_every_nu():
    answers, labels = case(1, noise=5.0)
    for fit in convex_lpboost_path(answers, labels, [1.0, 0.3, 0.01]):
        assert fit.weights.min() >= 0
        assert fit.weights.sum() == pytest.approx(1.0)
    assert fit.objective < 0


@pytest.mark.parametrize("nu", [0.8, 0.2])
def test_duals_are_feasible_and_prove_the_optimum(nu):
    answers, labels = case(4, n_learners=200, share=0.3)
    fit = convex_lpboost(answers, labels, nu)
    above = labels > 0
    assert fit.sample_weights[above].sum() == pytest.approx(0.5)
    assert fit.sample_weights[~above].sum() == pytest.approx(0.5)
    bounds = 1 / (2 * nu * np.where(above, above.sum(), (~above).sum()))
    assert np.all(fit.sample_weights <= bounds + 1e-9)
    edges = (fit.sample_weights * labels) @ answers
    assert edges.max() == pytest.approx(fit.objective, abs=1e-6)


def test_with_nu_of_one_the_learner_with_the_widest_gap_between_class_means_wins():
    answers, labels = case(2)
    gaps = answers[labels > 0].mean(axis=0) - answers[labels < 0].mean(axis=0)
    assert np.argmax(convex_lpboost(answers, labels, 1.0).weights) == np.argmax(gaps)


def test_a_path_gives_what_single_programs_give():
    answers, labels = case(5, n_learners=80)
    nus = [0.9, 0.5, 0.2, 0.05]
    for nu, fit in zip(nus, convex_lpboost_path(answers, labels, nus), strict=True):
        alone = convex_lpboost(answers, labels, nu)
        assert fit.objective == pytest.approx(alone.objective, abs=1e-8)


def test_offsets_change_no_weight_and_scale_only_the_optimum():
    answers, labels = case(6)
    plain = convex_lpboost(answers, labels, 0.3)
    moved = convex_lpboost(1e4 * answers + 50.0, labels, 0.3)
    np.testing.assert_allclose(moved.weights, plain.weights, atol=1e-6)
    assert moved.objective == pytest.approx(1e4 * plain.objective, rel=1e-6)


def test_nearly_equal_learners_and_equal_answers_are_no_obstacle():
    rng = np.random.default_rng(0)
    answers, labels = case(7, n_samples=300, n_learners=1)
    near = answers + 1e-9 * rng.normal(size=(300, 120))
    fit = convex_lpboost(near, labels, 0.2)
    assert fit.objective == pytest.approx(tail_gap(answers[:, 0], labels, 0.2), abs=1e-6)
    same = convex_lpboost(np.zeros((300, 3)), labels, 0.2)
    assert same.objective == pytest.approx(0.0, abs=1e-9)
    assert same.weights.sum() == pytest.approx(1.0)


def test_a_class_of_one_sample_has_a_program():
    answers, labels = case(8, n_samples=40, share=0.025)
    assert np.sum(labels > 0) == 1
    _, optimum = best_mixture(answers, labels, 0.5)
    assert convex_lpboost(answers, labels, 0.5).objective == pytest.approx(optimum, abs=1e-7)
