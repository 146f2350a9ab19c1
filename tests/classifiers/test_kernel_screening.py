"""Each kernel alone on samples held out, against ridge regression written out."""

import numpy as np
import pytest

from hsieve.classifiers import kernel_choice as module
from hsieve.classifiers.kernel_choice import (
    HeldOutFold,
    ScreenedKernels,
    classes_said,
    dealt_folds,
    middle_best,
    screen_kernels,
)
from hsieve.kernels.labels import sign_coding
from hsieve.kernels.set_kernels import SetKernels

SETS = (np.array([0, 1]), np.array([2, 3]), np.array([0, 1, 2, 3]))
WIDTHS = (0.25, 1.0, 4.0)


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
        for place in range(9):
            gram = kernels.gram(place, fold.seen, fold.seen)
            unseen = kernels.gram(place, fold.unseen, fold.seen)
            for column, penalty in enumerate(module.PENALTIES):
                said = naive_ridge(gram, unseen, labels[fold.training], penalty)
                right = classes_said(said) == codes[fold.held_out]
                expected[(*kernels.place(place), column, fold.held_out)] = right
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
