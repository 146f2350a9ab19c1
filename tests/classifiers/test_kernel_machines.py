"""Classifiers over kernels, and the choice between kernels."""

import numpy as np
import pytest

from hsieve.classifiers import kernel_choice as module
from hsieve.classifiers.calibration import calibrate
from hsieve.classifiers.kernel_choice import (
    HeldOutFold,
    choose_kernels,
    dealt_folds,
    fit_machines,
)
from hsieve.kernels.labels import sign_coding
from hsieve.kernels.set_kernels import KernelList

SETS = (np.array([0, 1]), np.array([2, 3]), np.array([0, 1, 2, 3]))
WIDTHS = (0.25, 1.0, 4.0)
MEMORY = 1 << 30


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
    folds = [
        HeldOutFold.of(X, fold, SETS) for fold in dealt_folds(codes, 3, np.random.default_rng(0))
    ]
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
