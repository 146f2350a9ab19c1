"""The kernel ensemble beside its literal version."""

import numpy as np
import pytest

from hsieve import KernelEnsembleClassifier
from hsieve.classifiers.base import deal_out
from hsieve.classifiers.learner_programs import _halves, fit_members, voted
from hsieve.classifiers.ridge_learners import Subsample, class_weights, fit_learners
from hsieve.kernels.column_scale import ColumnScale
from hsieve.kernels.set_kernels import SetKernels
from tests.reference.naive_kernel_ensemble import (
    ensemble_decisions,
    gram,
    left_out_answers,
    ridge_coefficients,
    vote,
)

SETS = (np.array([0, 1, 2, 3]), np.array([0, 1]), np.array([2]))
WIDTHS = (0.5, 1.0)


def problem(rng, n_classes, n_samples=45):
    X = rng.normal(size=(n_samples + 10, 4))
    codes = rng.permutation(np.arange(n_samples) % n_classes)
    X[:n_samples, 0] += 1.5 * codes
    return X[:n_samples], codes, X[n_samples:]


def halves_of(model, codes, n_learners, *, drawn_before):
    """Halves that the members see: drawn after subsamples, folds and the halves of the choice."""
    rng = np.random.default_rng(model.random_state)
    drawn_before(rng)
    deal_out(codes, model.n_folds, rng)
    _halves(n_learners, 2, rng)
    return _halves(n_learners, model.n_members, rng)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_decisions_and_votes_are_those_of_the_literal_version(rng, n_classes):
    train, codes, test = problem(rng, n_classes)
    scale = ColumnScale.of(train)
    model = KernelEnsembleClassifier(
        SETS, widths=WIDTHS, ridges=0.3, nu=0.4, n_members=6, n_folds=3, random_state=3
    ).fit(train, codes)
    # All samples are in both subsamples, whose draws shuffle each class.
    halves = halves_of(
        model,
        codes,
        len(SETS) * len(WIDTHS),
        drawn_before=lambda rng: [
            rng.choice(np.flatnonzero(codes == code), np.sum(codes == code), replace=False)
            for _ in range(2)
            for code in range(n_classes)
        ],
    )
    literal = ensemble_decisions(
        scale.apply(train),
        codes,
        scale.apply(test),
        sets=SETS,
        widths=WIDTHS,
        ridge=0.3,
        halves=halves,
        nu=0.4,
    )
    calibrated = model._ensemble.members.calibration.apply(literal)
    fast = model.decision_function(test).reshape(len(test), -1)
    np.testing.assert_allclose(fast, voted(calibrated), rtol=1e-4, atol=1e-6)
    for row, members in zip(fast, calibrated, strict=True):
        both = np.hstack([np.zeros_like(members), members]) if n_classes == 2 else members
        winner = int(row[0] > 0) if n_classes == 2 else int(np.argmax(row))
        assert winner == vote(both)


def test_answers_for_own_samples_are_left_out_and_for_others_predicted(rng):
    X, codes, _ = problem(rng, 2)
    drawn, asked = np.arange(0, 30), np.arange(20, 45)
    kernels = SetKernels(SETS[:2], (0.7,))
    learners, answers = fit_learners(
        kernels,
        [Subsample(drawn, X[drawn], codes[drawn])],
        Subsample(asked, X[asked], codes[asked]),
        n_classes=2,
        ridges=(0.2, 2.0),
        best_ridge=False,
    )
    assert answers.shape == (25, 4, 1)
    target, weights = 2.0 * codes[drawn] - 1, class_weights(codes[drawn])
    for learner in range(4):
        features = SETS[learner // 2]
        K = gram(X[drawn], X[drawn], features, 0.7)
        ridge = learners.ridges[learner]
        own = left_out_answers(K, target, ridge, weights)[20:]
        np.testing.assert_allclose(answers[:10, learner, 0], own, atol=1e-8)
        a = ridge_coefficients(K, target, ridge, weights)
        others = gram(X[30:45], X[drawn], features, 0.7) @ a
        np.testing.assert_allclose(answers[10:, learner, 0], others, atol=1e-8)
        np.testing.assert_allclose(learners.answers(X[30:45])[:, learner, 0], others, atol=1e-8)


def test_no_answer_knows_the_class_of_its_sample(rng):
    """Two samples change their classes; the answer for each is as if only the other had."""
    X, codes, _ = problem(rng, 2, n_samples=44)
    pair = [np.flatnonzero(codes == code)[0] for code in (0, 1)]
    changed = codes.copy()
    changed[pair] = 1 - codes[pair]
    every = Subsample(np.arange(44), X, changed)
    _, answers = fit_learners(
        SetKernels(SETS[:1], (0.7,)), [every], every, n_classes=2, ridges=(0.5,), best_ridge=False
    )
    K, weights = gram(X, X, SETS[0], 0.7), class_weights(codes)
    for one, other in (pair, pair[::-1]):
        only_other = codes.copy()
        only_other[other] = changed[other]
        expected = left_out_answers(K, 2.0 * only_other - 1, 0.5, weights)[one]
        assert answers[one, 0, 0] == pytest.approx(expected, abs=1e-8)


def test_the_best_ridge_has_the_least_left_out_error(rng):
    X, codes, _ = problem(rng, 3)
    every = Subsample(np.arange(45), X, codes)
    ridges = (1e-3, 1e-2, 0.1, 1.0, 10.0)
    options = {"n_classes": 3, "ridges": ridges}
    one, _ = fit_learners(SetKernels(SETS, WIDTHS), [every], every, best_ridge=True, **options)
    each, _ = fit_learners(SetKernels(SETS, WIDTHS), [every], every, best_ridge=False, **options)
    assert len(one) == 6
    assert len(each) == 30
    errors = each.errors.reshape(6, 5)
    np.testing.assert_allclose(one.errors, errors.min(axis=1))
    np.testing.assert_array_equal(one.ridges, np.array(ridges)[errors.argmin(axis=1)])


def test_programs_prefer_learners_whose_left_out_answers_are_good(rng):
    codes = np.arange(80) % 2
    labels = 2.0 * codes - 1
    answers = rng.normal(size=(80, 9))
    answers[:, 4] += 2 * labels
    # A ridge that shrinks the answers must not count against a learner.
    answers[:, 4] *= 1e-3
    members = fit_members(
        answers[:, :, None],
        codes,
        counts=np.ones(80),
        nus=(0.8, 0.3),
        n_members=8,
        n_folds=4,
        rng=rng,
    )
    weights = members.weights.mean(axis=(0, 2))
    assert np.argmax(weights) == 4
    np.testing.assert_allclose(members.weights.sum(axis=1), 1.0)
    assert members.nu in (0.8, 0.3)
    assert members.losses.min() == pytest.approx(members.calibration.loss)


@pytest.mark.parametrize("n_learners", [1, 2, 5])
def test_few_learners_still_make_members(rng, n_learners):
    codes = np.arange(30) % 3
    answers = rng.normal(size=(30, n_learners, 3))
    members = fit_members(
        answers, codes, counts=np.ones(30), nus=(0.5,), n_members=5, n_folds=3, rng=rng
    )
    np.testing.assert_allclose(members.weights.sum(axis=1), 1.0)
    seen = (members.weights > 0).sum(axis=1)
    assert seen.max() <= max(1, n_learners // 2)


def test_folds_spread_every_class(rng):
    codes = np.repeat([0, 1, 2], [40, 12, 2])
    folds = deal_out(codes, 5, rng)
    for code, n_samples in enumerate([40, 12, 2]):
        counts = np.bincount(folds[codes == code], minlength=5)
        assert counts.max() - counts.min() <= 1
        assert counts.sum() == n_samples


def test_votes_go_before_means_and_means_before_chance():
    two = np.array([[[2.0], [2.0], [-9.0]], [[-1.0], [-1.0], [0.5]], [[1.0], [-3.0], [0.0]]])
    np.testing.assert_allclose(voted(two)[:, 0], [1e-9, -0.5, -2 / 3])
    three = np.array(
        [
            [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 9.0, 0.0]],
            [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.5]],
        ]
    )
    means = voted(three)
    np.testing.assert_array_equal(np.argmax(means, axis=1), [0, 1])
    assert means[0, 0] == pytest.approx(means[0, 1])
