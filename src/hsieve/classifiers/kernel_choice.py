"""Kernels and nu of :class:`hsieve.LPBoostMKL`, chosen by samples held out.

The choice has two steps. Each set with each width is judged alone, and each set keeps its best
width. Then the program is solved in each fold over families of these kernels, from the best set
alone to all sets, and for each nu; the family and the nu are taken whose decisions, once
calibrated, give the samples held out the highest probabilities. So what the program weighs are
sets, between kernels that have shown what they are worth. Probabilities tell more than the number
of right answers, which jumps.

The largest margin alone cannot choose the width of a kernel: narrow kernels separate any training
samples. So each kernel is judged before by kernel ridge regression on labels of +1 and -1 with an
intercept, the thesis' weak learner for many samples (section 5.3), because all classes of a kernel
share one Cholesky factor for each penalty: n^3 / 3 multiplications for each fold, kernel and
penalty.

Samples held out had no part in what is judged: features are scaled by the training samples of each
fold, and sets of features that were found by a search are found again in each fold. Sets found once
from all samples look better on them than they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from hsieve.array_types import FloatArray, IndexArray
from hsieve.classifiers.base import deal_out
from hsieve.classifiers.calibration import Calibration, calibrate
from hsieve.classifiers.lpboost_mkl_solver import KernelPool, LPBoostMKLFit, lpboost_mkl_path
from hsieve.kernels.column_scale import ColumnScale
from hsieve.kernels.set_kernels import KernelList, SetKernels

Fold: TypeAlias = tuple[IndexArray, IndexArray]

# Added to the diagonal of the kernel, which is one.
PENALTIES = (1e-3, 1e-2, 1e-1, 1.0)
# Differences of shares of samples below this are none.
NO_DIFFERENCE = 1e-9
# By how many standard errors sets of a family may fall short of the best set.
FAMILY_ERRORS = (1.0, np.inf)
# Gap of the programs that are only to be compared.
COMPARED_GAP = 5e-2
# Rows of samples that are decided on together.
ROWS = 4096


@dataclass(frozen=True, eq=False)
class HeldOutFold:
    """The data of one fold."""

    training: IndexArray
    held_out: IndexArray
    sets: tuple[IndexArray, ...]  # sets of features, found without those held out
    seen: FloatArray  # (n_training, n_features): features on the scale of the training samples
    unseen: FloatArray

    @classmethod
    def of(cls, X: FloatArray, fold: Fold, sets: tuple[IndexArray, ...]) -> "HeldOutFold":
        """Scale the data of a fold."""
        training, held_out = fold
        scale = ColumnScale.of(X[training])
        kept = varying_sets(sets, scale.varies)
        return cls(training, held_out, kept, scale.apply(X[training]), scale.apply(X[held_out]))


def varying_sets(sets: tuple[IndexArray, ...], varies: NDArray[np.bool_]) -> tuple[IndexArray, ...]:
    """Leave features that do not vary out of sets: a kernel would be wider for nothing."""
    kept = (features[varies[features]] for features in sets)
    return tuple(few if len(few) else features for few, features in zip(kept, sets, strict=True))


def dealt_folds(codes: IndexArray, n_folds: int, rng: np.random.Generator) -> list[Fold]:
    """Return training samples and those held out of each fold.

    There are fewer folds where the second largest class has fewer samples, so that there are two
    classes to tell apart in every fold, and none if only one class has more than one sample.
    """
    sizes = np.bincount(codes)
    n_folds = min(n_folds, int(np.sort(sizes)[-2]))
    if n_folds < 2:
        return []
    dealt = deal_out(codes, n_folds, rng)
    return [
        (np.flatnonzero(dealt != fold), np.flatnonzero(dealt == fold)) for fold in range(n_folds)
    ]


@dataclass(frozen=True, eq=False)
class ScreenedKernels:
    """Which samples each kernel predicts when they are held out, with its best penalty."""

    is_right: NDArray[np.bool_]  # (n_sets, n_widths, n_samples): whether the class was said

    @property
    def accuracies(self) -> FloatArray:
        """Fraction of samples predicted, of shape (n_sets, n_widths)."""
        return np.asarray(self.is_right.mean(axis=2))

    @property
    def best_widths(self) -> IndexArray:
        """Place of the best width of each set; of several, the one in the middle."""
        return np.array([middle_best(row) for row in self.accuracies], dtype=np.intp)

    def families(self, errors: Sequence[float]) -> list[IndexArray]:
        """Return the best set alone, then those about as good, each with its best width.

        `errors` are standard errors of the difference by which a set may fall short of the best.
        """
        right = self.is_right[np.arange(len(self.is_right)), self.best_widths].astype(np.float64)
        best = int(np.argmax(right.mean(axis=1)))
        short = right[best] - right
        error = short.std(axis=1) / np.sqrt(right.shape[1])
        found = {np.array([best]).tobytes(): np.array([best])}
        for number in errors:
            # What always says the same as the best falls short by nothing.
            allowed = np.where(error > 0, number, 0.0) * np.where(error > 0, error, 1.0)
            family = np.flatnonzero(short.mean(axis=1) <= allowed + NO_DIFFERENCE)
            found.setdefault(family.tobytes(), family)
        return list(found.values())


def screen_kernels(
    folds: Sequence[HeldOutFold], labels: FloatArray, codes: IndexArray, widths: tuple[float, ...]
) -> ScreenedKernels:
    """Judge every set with every width."""
    n_sets = len(folds[0].sets)
    right = np.zeros((n_sets, len(widths), len(PENALTIES), len(codes)), dtype=bool)
    for fold in folds:
        kernels = SetKernels(fold.sets, widths)
        known, truth = labels[fold.training], codes[fold.held_out]
        for place in range(n_sets):
            pairs = zip(
                kernels.grams(place, fold.seen, fold.seen),
                kernels.grams(place, fold.unseen, fold.seen),
                strict=True,
            )
            for width, (gram, unseen) in enumerate(pairs):
                for penalty, said in enumerate(_ridge_decisions(gram, unseen, known)):
                    right[place, width, penalty, fold.held_out] = classes_said(said) == truth
    best = right.mean(axis=3).argmax(axis=2)
    return ScreenedKernels(np.take_along_axis(right, best[:, :, None, None], axis=2)[:, :, 0])


def classes_said(decisions: FloatArray) -> IndexArray:
    """Return the class that decisions are for: above zero, or the largest of several."""
    if decisions.shape[-1] == 1:
        return np.asarray(decisions[..., 0] > 0, dtype=np.intp)
    return np.asarray(np.argmax(decisions, axis=-1))


def middle_best(scores: FloatArray) -> int:
    """Return the place of the largest score; of several, the one in the middle."""
    best = np.flatnonzero(scores >= scores.max() - NO_DIFFERENCE)
    return int(best[len(best) // 2])


def _ridge_decisions(gram: FloatArray, unseen: FloatArray, known: FloatArray) -> list[FloatArray]:
    """Return decisions on samples held out, for one penalty after the other."""
    decisions = []
    sides = np.column_stack([known, np.ones(len(known))])
    for penalty in PENALTIES:
        added = gram.T.copy(order="F")
        added.flat[:: len(added) + 1] += penalty
        factor = cho_factor(added, overwrite_a=True, check_finite=False)
        solved = cho_solve(factor, sides, check_finite=False)
        intercepts = solved[:, :-1].sum(axis=0) / solved[:, -1].sum()
        coefficients = solved[:, :-1] - solved[:, -1:] * intercepts
        decisions.append(unseen @ coefficients + intercepts)
    return decisions


@dataclass(frozen=True, eq=False)
class KernelMachines:
    """One classifier over kernels for each column of labels."""

    kernels: KernelList
    samples: FloatArray  # (n_samples, n_features): training samples, standardised
    fits: tuple[LPBoostMKLFit, ...]

    def decisions(self, new: FloatArray) -> FloatArray:
        """Return what the classifiers say of standardised samples, in units of their margins."""
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
    """Kernels and nu that predict samples held out best."""

    sets: IndexArray  # (n_kernels,): place of the set of each kernel
    widths: IndexArray  # (n_kernels,): place of its width
    nu: float  # the fraction of samples within the margin
    calibration: Calibration | None  # to log-odds; None where no samples were held out
    accuracy: float  # share of samples predicted when held out; flattering, as the best of several


def fit_machines(
    kernels: KernelList,
    samples: FloatArray,
    labels: FloatArray,
    nus: Sequence[float],
    *,
    memory_limit: int,
    tolerance: float,
) -> list[KernelMachines]:
    """Fit a classifier for each column of labels of +1 and -1, for one nu after the other."""
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
    """Choose kernels and nu: of families and values of nu that are as good, the first.

    With `together` every set has all widths in the program, instead of its best. The second value
    tells how good each set is with each width; None where there was nothing to choose.
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
