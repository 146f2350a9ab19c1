"""Kernels chosen by samples held out: folds, kernels alone, classifiers over them, the choice."""

import numpy as np
import pytest

from hsieve.classifiers import kernel_choice as module
from hsieve.classifiers.calibration import calibrate
from hsieve.classifiers.kernel_choice import (
    HeldOutFold,
    ScreenedKernels,
    choose_kernels,
    classes_said,
    dealt_folds,
    fit_machines,
    middle_best,
    screen_kernels,
    varying_sets,
)
from hsieve.kernels.labels import sign_coding
from hsieve.kernels.set_kernels import KernelList, SetKernels

SETS = (np.array([0, 1]), np.array([2, 3]), np.array([0, 1, 2, 3]))
WIDTHS = (0.25, 1.0, 4.0)
MEMORY = 1 << 30


@pytest.mark.parametrize("sizes", [(30, 30), (40, 7, 3), (9, 2), (5, 5, 1)])
def test_each_sample_is_held_out_once_and_classes_are_shared_out_evenly(rng, sizes):
    codes = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    folds = dealt_folds(codes, 5, np.random.default_rng(0))
    assert len(folds) == min(5, sorted(sizes)[-2])
    np.testing.assert_array_equal(
        np.sort(np.concatenate([held_out for _, held_out in folds])), np.arange(len(codes))
    )
    for training, held_out in folds:
        assert not set(training) & set(held_out)
        assert len(training) + len(held_out) == len(codes)
        assert len(np.unique(codes[training])) >= 2
    counts = np.array([np.bincount(codes[held_out], minlength=len(sizes)) for _, held_out in folds])
    assert (np.ptp(counts, axis=0) <= 1).all()


def test_the_seed_decides():
    codes = np.arange(40) % 2
    first, again, other = (
        [held_out.tolist() for _, held_out in dealt_folds(codes, 5, np.random.default_rng(seed))]
        for seed in (0, 0, 1)
    )
    assert first == again != other


def test_a_class_of_one_sample_beside_one_other_class_gives_no_folds():
    assert dealt_folds(np.array([0, 0, 0, 1]), 5, np.random.default_rng(0)) == []


def test_folds_are_scaled_by_their_training_samples_alone(rng):
    X = rng.normal(size=(20, 3))
    X[10:] += 100
    fold = HeldOutFold.of(X, (np.arange(10), np.arange(10, 20)), (np.array([0, 2]),))
    np.testing.assert_allclose(fold.seen.mean(axis=0), 0, atol=1e-12)
    expected = (X[10:] - X[:10].mean(axis=0)) / X[:10].std(axis=0)
    np.testing.assert_allclose(fold.unseen, expected, rtol=1e-9)


def test_features_that_do_not_vary_leave_the_sets():
    varies = np.array([True, False, True, False])
    sets = (np.array([0, 1]), np.array([1, 3]), np.array([2]))
    kept = varying_sets(sets, varies)
    assert [features.tolist() for features in kept] == [[0], [1, 3], [2]]


def xor(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, ((X[:, 0] > 0) ^ (X[:, 1] > 0)).astype(np.intp)


def folds_of(X, codes):
    return [
        HeldOutFold.of(X, fold, SETS) for fold in dealt_folds(codes, 3, np.random.default_rng(0))
    ]


def naive_ridge(gram, unseen, known, penalty):
    """Coefficients that sum to zero, and an intercept."""
    n = len(gram)
    system = np.block([[gram + penalty * np.eye(n), np.ones((n, 1))], [np.ones((1, n)), 0]])
    solved = np.linalg.solve(system, np.vstack([known, np.zeros((1, known.shape[1]))]))
    return unseen @ solved[:-1] + solved[-1]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_screening_equals_ridge_regression_written_out(n_classes):
    X, codes = xor()
    if n_classes == 3:
        codes[X[:, 2] > 1] = 2
    labels, folds = sign_coding(codes), folds_of(X, codes)
    expected = np.zeros((3, 3, len(module.PENALTIES), len(codes)), dtype=bool)
    for fold in folds:
        kernels = SetKernels(fold.sets, WIDTHS)
        for place, width in np.ndindex(3, 3):
            gram, unseen = (
                next(kernels.grams(place, rows, fold.seen, widths=[width]))
                for rows in (fold.seen, fold.unseen)
            )
            for column, penalty in enumerate(module.PENALTIES):
                said = naive_ridge(gram, unseen, labels[fold.training], penalty)
                right = classes_said(said) == codes[fold.held_out]
                expected[place, width, column, fold.held_out] = right
    screened = screen_kernels(folds, labels, codes, WIDTHS)
    np.testing.assert_allclose(screened.accuracies, expected.mean(axis=3).max(axis=2), atol=1e-12)


def test_the_set_that_matters_is_best_and_a_narrow_kernel_is_not():
    X, codes = xor()
    screened = screen_kernels(folds_of(X, codes), sign_coding(codes), codes, WIDTHS)
    accuracies = screened.accuracies
    assert accuracies.max(axis=1).argmax() == 0
    assert accuracies[0].max() > 0.85
    assert accuracies[1].max() < 0.65
    # On all four features a narrow kernel remembers samples and knows nothing of others.
    assert accuracies[2, 0] < accuracies[2].max()


def test_families_grow_from_the_best_set_to_all():
    right = np.arange(200) < np.array([[180], [180], [100]])
    # One less, by four samples that differ: far less than one standard error.
    right[1, [0, 1]] = False
    right[1, 199] = True
    screened = ScreenedKernels(right[:, None, :])
    best, near, everything = screened.families((1.0, np.inf))
    assert best.tolist() == [0]
    assert near.tolist() == [0, 1]
    assert everything.tolist() == [0, 1, 2]
    assert len(screened.families((0.0, 0.0))) == 1


def test_sets_that_say_the_same_belong_together():
    right = np.ones((2, 1, 50), dtype=bool)
    best, both = ScreenedKernels(right).families((0.0, 1.0, np.inf))
    assert best.tolist() == [0]
    assert both.tolist() == [0, 1]


def test_of_several_best_the_middle_is_taken():
    assert middle_best(np.array([0.5, 0.9, 0.9, 0.9, 0.1])) == 2
    assert middle_best(np.array([0.9, 0.2])) == 0


def three_classes(n=90):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    codes = np.where(X[:, 0] > 0, (X[:, 1] > 0) + 1, 0)
    return X, codes


def test_decisions_are_sums_of_kernels_in_units_of_the_margin(monkeypatch):
    X, codes = three_classes()
    labels, kernels = sign_coding(codes), KernelList(SETS, WIDTHS)
    large, small = fit_machines(kernels, X, labels, [0.8, 0.3], memory_limit=MEMORY, tolerance=1e-6)
    new = np.random.default_rng(1).normal(size=(25, 4))
    for machines, nu in ((large, 0.8), (small, 0.3)):
        for column, fit in enumerate(machines.fits):
            assert fit.nu == nu
            summed = sum(
                share * kernels.gram(kernel, new, X) for kernel, share in enumerate(fit.shares)
            )
            expected = (summed @ fit.coefficients + fit.intercept) / fit.margin
            np.testing.assert_allclose(machines.decisions(new)[:, column], expected, atol=1e-9)
        np.testing.assert_allclose(
            machines.decisions(X),
            np.column_stack([fit.values / fit.margin for fit in machines.fits]),
            atol=1e-9,
        )
    whole = small.decisions(new)
    monkeypatch.setattr(module, "ROWS", 7)
    np.testing.assert_allclose(small.decisions(new), whole, atol=1e-12)


def test_a_class_that_is_missing_is_never_said():
    X, _ = three_classes(30)
    labels = np.column_stack([np.where(X[:, 0] > 0, 1.0, -1.0), -np.ones(30)])
    (machines,) = fit_machines(
        KernelList(SETS, WIDTHS), X, labels, [0.5], memory_limit=MEMORY, tolerance=1e-4
    )
    np.testing.assert_array_equal(machines.decisions(X)[:, 1], -1)


def held_out_by_hand(folds, kernels, labels, nus):
    """What fits without the samples of a fold say of them, for each nu."""
    tried = np.zeros((len(nus), *labels.shape))
    for fold in folds:
        machines = fit_machines(
            kernels,
            fold.seen,
            labels[fold.training],
            nus,
            memory_limit=MEMORY,
            tolerance=module.COMPARED_GAP,
        )
        tried[:, fold.held_out] = [one.decisions(fold.unseen) for one in machines]
    return tried


@pytest.mark.parametrize("together", [False, True])
def test_choice_is_the_best_of_what_was_tried(together):
    X, codes = three_classes()
    labels, nus = sign_coding(codes), (0.9, 0.5, 0.2)
    folds = folds_of(X, codes)
    choice, screened = choose_kernels(
        folds, labels, codes, WIDTHS, nus, together=together, memory_limit=MEMORY
    )
    assert (screened is None) == together
    if together:
        assert list(zip(choice.sets, choice.widths, strict=True)) == [
            (features, width) for features in range(3) for width in range(3)
        ]
    else:
        np.testing.assert_array_equal(choice.widths, screened.best_widths[choice.sets])
        assert 0 in choice.sets
        assert choice.accuracy > 0.8
    kernels = KernelList(
        tuple(SETS[place] for place in choice.sets), tuple(WIDTHS[p] for p in choice.widths)
    )
    tried = held_out_by_hand(folds, kernels, labels, nus)
    losses = [calibrate(decisions, codes).loss for decisions in tried]
    assert choice.nu == nus[np.argmin(losses)]
    assert choice.calibration.loss == pytest.approx(min(losses), rel=1e-6)
    said = np.argmax(choice.calibration.apply(tried[np.argmin(losses)]), axis=1)
    assert choice.accuracy == pytest.approx(np.mean(said == codes))
