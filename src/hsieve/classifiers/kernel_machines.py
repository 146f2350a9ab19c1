"""LPBoost over kernels for each class, and its settings chosen by samples held out.

The choice has two steps. Each set with each width is judged alone
(:mod:`hsieve.classifiers.kernel_screening`); each set keeps its best width. Then the program is
solved in each fold over families of these kernels, from the best set alone to all sets, and for
each nu; the family and the nu are taken whose decisions, once calibrated, give the samples held out
the highest probabilities. So what the program weighs are sets, between kernels that have shown what
they are worth. Probabilities tell more than the number of right answers, which jumps.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from hsieve.classifiers.calibration import Calibration, calibrate
from hsieve.classifiers.kernel_screening import (
    HeldOutFold,
    ScreenedKernels,
    classes_said,
    screen_kernels,
)
from hsieve.classifiers.lpboost_mkl_solver import KernelPool, LPBoostMKLFit, lpboost_mkl_path
from hsieve.kernels.set_kernels import KernelList

__all__ = ["KernelChoice", "KernelMachines", "choose_kernels", "fit_machines"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

# By how many standard errors sets of a family may fall short of the best set.
FAMILY_ERRORS = (1.0, np.inf)
# Gap of the programs that are only to be compared.
COMPARED_GAP = 5e-2
# Rows of samples that are decided on together.
ROWS = 4096


@dataclass(frozen=True, eq=False)
class KernelMachines:
    """One classifier over kernels for each column of labels.

    Parameters
    ----------
    kernels : KernelList
        The kernels.
    samples : ndarray of shape (n_samples, n_features)
        Training samples, standardised.
    fits : tuple of LPBoostMKLFit
        The classifiers.
    """

    kernels: KernelList
    samples: FloatArray
    fits: tuple[LPBoostMKLFit, ...]

    def decisions(self, new: FloatArray) -> FloatArray:
        """Return what the classifiers say, in units of their margins.

        Parameters
        ----------
        new : ndarray of shape (n_new, n_features)
            Samples on the scale of the training samples.

        Returns
        -------
        ndarray of shape (n_new, n_fits)
            Above zero for +1.
        """
        coefficients = np.column_stack([fit.coefficients for fit in self.fits])
        shares = np.array([fit.shares for fit in self.fits])
        said = np.zeros((len(new), len(self.fits)))
        for start in range(0, len(new), ROWS):
            rows = slice(start, start + ROWS)
            for kernel in np.flatnonzero(shares.any(axis=0)).tolist():
                gram = self.kernels.gram(kernel, new[rows], self.samples)
                said[rows] += (gram @ coefficients) * shares[:, kernel]
        said += [fit.intercept for fit in self.fits]
        return np.asarray(said / [fit.margin or 1.0 for fit in self.fits])


@dataclass(frozen=True, eq=False)
class KernelChoice:
    """Kernels and nu that predict samples held out best.

    Parameters
    ----------
    sets, widths : ndarray of shape (n_kernels,)
        Places of the set and of the width of each kernel.
    nu : float
        The share of samples within the margin.
    calibration : Calibration or None
        What makes log-odds of decisions; None where no samples were held out.
    accuracy : float
        Share of samples predicted when held out; flattering, as the best of several.
    """

    sets: IndexArray
    widths: IndexArray
    nu: float
    calibration: Calibration | None
    accuracy: float


def fit_machines(
    kernels: KernelList,
    samples: FloatArray,
    labels: FloatArray,
    nus: Sequence[float],
    *,
    memory_limit: int,
    tolerance: float,
) -> list[KernelMachines]:
    """Fit one classifier for each column of labels, for one nu after the other.

    Parameters
    ----------
    kernels : KernelList
        The kernels.
    samples : ndarray of shape (n_samples, n_features)
        Training samples, standardised.
    labels : ndarray of shape (n_samples, n_columns)
        +1 and -1.
    nus : sequence of float
        Values of nu.
    memory_limit : int
        Bytes that kernels may take.
    tolerance : float
        Relative gap to reach.

    Returns
    -------
    list of KernelMachines
        The classifiers for each nu.
    """
    pool = KernelPool(
        lambda kernel: kernels.gram(kernel, samples, samples),
        kernels.n_kernels,
        len(samples),
        memory_limit=memory_limit,
    )
    paths = [list(lpboost_mkl_path(pool, column, nus, tolerance=tolerance)) for column in labels.T]
    return [KernelMachines(kernels, samples, fits) for fits in zip(*paths, strict=True)]


def choose_kernels(
    folds: Sequence[HeldOutFold],
    labels: FloatArray,
    codes: IndexArray,
    widths: tuple[float, ...],
    nus: Sequence[float],
    *,
    together: bool,
    memory_limit: int,
) -> tuple[KernelChoice, ScreenedKernels | None]:
    """Choose kernels and nu.

    Parameters
    ----------
    folds, labels, codes, widths
        As in :func:`hsieve.classifiers.kernel_screening.screen_kernels`.
    nus : sequence of float
        Values of nu to choose from.
    together : bool
        Whether every set has all widths in the program, instead of its best.
    memory_limit : int
        Bytes that kernels may take.

    Returns
    -------
    choice : KernelChoice
        The choice; of families and values of nu that are as good the first.
    screened : ScreenedKernels or None
        How good each set is with each width; None where there was nothing to choose.
    """
    n_sets, n_widths = len(folds[0].sets), len(widths)
    screened = None
    families = [np.divmod(np.arange(n_sets * n_widths), n_widths)]
    if not together and n_sets * n_widths > 1:
        screened = screen_kernels(folds, labels, codes, widths)
        best = screened.best_widths
        families = [(family, best[family]) for family in screened.families(FAMILY_ERRORS)]
    choices = []
    for sets, places in families:
        chosen = [widths[place] for place in places]
        tried = _held_out_decisions(folds, labels, sets, chosen, nus=nus, memory_limit=memory_limit)
        for nu, decisions in zip(nus, tried, strict=True):
            calibration = calibrate(decisions, codes)
            accuracy = np.mean(classes_said(calibration.apply(decisions)) == codes)
            choices.append(
                (calibration.loss, KernelChoice(sets, places, nu, calibration, float(accuracy)))
            )
    # The first of the best, as families grow.
    return min(choices, key=itemgetter(0))[1], screened


def _held_out_decisions(
    folds: Sequence[HeldOutFold],
    labels: FloatArray,
    sets: IndexArray,
    widths: Sequence[float],
    *,
    nus: Sequence[float],
    memory_limit: int,
) -> FloatArray:
    """Return what the classifiers of each nu say of each sample when it is held out."""
    decisions = np.zeros((len(nus), *labels.shape))
    for fold in folds:
        machines = fit_machines(
            KernelList(tuple(fold.sets[place] for place in sets), tuple(widths)),
            fold.seen,
            labels[fold.training],
            nus,
            memory_limit=memory_limit,
            tolerance=COMPARED_GAP,
        )
        for said, machine in zip(decisions, machines, strict=True):
            said[fold.held_out] = machine.decisions(fold.unseen)
    return decisions
