"""What each kernel alone says of samples held out, by kernel ridge regression.

The largest margin alone cannot choose the width of a kernel: narrow kernels separate any training
samples. So each kernel is judged before, by samples held out: by kernel ridge regression on labels
of +1 and -1 with an intercept, the thesis' weak learner for many samples (section 5.3), because all
classes of a kernel share one Cholesky factor for each penalty.

Cost: n^3 / 3 multiplications for each fold, kernel and penalty.

Samples dealt out to folds, each with its own scale and its own sets of features.

What is chosen by cross validation is judged by samples that had no part in it: features are scaled
by the training samples of each fold, and sets of features that were found by a search are found
again in each fold. Sets found once from all samples look better on them than they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from hsieve.kernels.column_scale import ColumnScale
from hsieve.kernels.set_kernels import SetKernels

__all__ = [
    "Fold",
    "HeldOutFold",
    "ScreenedKernels",
    "classes_said",
    "dealt_folds",
    "middle_best",
    "screen_kernels",
    "varying_sets",
]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

# Added to the diagonal of the kernel, which is one.
PENALTIES = (1e-3, 1e-2, 1e-1, 1.0)
# Differences of shares of samples below this are none.
NO_DIFFERENCE = 1e-9
Fold: TypeAlias = tuple[IndexArray, IndexArray]


@dataclass(frozen=True, eq=False)
class HeldOutFold:
    """The data of one fold.

    Parameters
    ----------
    training, held_out : ndarray of int
        Samples.
    sets : tuple of ndarray of int
        Sets of features, found without those held out.
    seen, unseen : ndarray of shape (n_training, n_features) and (n_held_out, n_features)
        Features on the scale of the training samples.
    """

    training: IndexArray
    held_out: IndexArray
    sets: tuple[IndexArray, ...]
    seen: FloatArray
    unseen: FloatArray

    @classmethod
    def of(cls, X: FloatArray, fold: Fold, sets: tuple[IndexArray, ...]) -> "HeldOutFold":
        """Scale the data of a fold.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Features.
        fold : tuple of two ndarray of int
            Training samples and those held out.
        sets : tuple of ndarray of int
            Sets of features.
        """
        training, held_out = fold
        scale = ColumnScale.of(X[training])
        kept = varying_sets(sets, scale.varies)
        return cls(training, held_out, kept, scale.apply(X[training]), scale.apply(X[held_out]))


def varying_sets(sets: tuple[IndexArray, ...], varies: NDArray[np.bool_]) -> tuple[IndexArray, ...]:
    """Leave features that do not vary out of sets: a kernel would be wider for nothing.

    Parameters
    ----------
    sets : tuple of ndarray of int
        Sets of features.
    varies : ndarray of shape (n_features,)
        Which features vary.

    Returns
    -------
    tuple of ndarray of int
        As many sets; one without any feature that varies stays as it is.
    """
    kept = (features[varies[features]] for features in sets)
    return tuple(few if len(few) else features for few, features in zip(kept, sets, strict=True))


def dealt_folds(codes: IndexArray, n_folds: int, rng: np.random.Generator) -> list[Fold]:
    """Deal the samples of each class out to folds, like cards.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        Class of each sample, 0 to n_classes - 1.
    n_folds : int
        Number of folds; fewer where the second largest class has fewer samples, so that there are
        two classes to tell apart in every fold.
    rng : Generator
        Source of the order.

    Returns
    -------
    list of tuple of two ndarray of int
        Training samples and those held out; none if only one class has more than one sample.

    Examples
    --------
    >>> import numpy as np
    >>> folds = dealt_folds(np.array([0, 0, 0, 0, 1, 1]), 5, np.random.default_rng(0))
    >>> [len(held_out) for _, held_out in folds]
    [3, 3]
    """
    sizes = np.bincount(codes)
    n_folds = min(n_folds, int(np.sort(sizes)[-2]))
    if n_folds < 2:
        return []
    # Class by class, so that each fold has as many samples of a class as any other, or one less.
    shuffled = rng.permutation(len(codes))
    order = shuffled[np.argsort(codes[shuffled], kind="stable")]
    dealt = np.empty(len(codes), dtype=np.intp)
    dealt[order] = np.arange(len(codes)) % n_folds
    return [
        (np.flatnonzero(dealt != fold), np.flatnonzero(dealt == fold)) for fold in range(n_folds)
    ]


@dataclass(frozen=True, eq=False)
class ScreenedKernels:
    """Which samples each kernel predicts when they are held out, with its best penalty.

    Parameters
    ----------
    is_right : ndarray of shape (n_sets, n_widths, n_samples)
        Whether the class was said.
    """

    is_right: NDArray[np.bool_]

    @property
    def accuracies(self) -> FloatArray:
        """Share of samples predicted, of shape (n_sets, n_widths)."""
        return np.asarray(self.is_right.mean(axis=2))

    @property
    def best_widths(self) -> IndexArray:
        """Place of the best width of each set; of several, the one in the middle."""
        return np.array([middle_best(row) for row in self.accuracies], dtype=np.intp)

    def families(self, errors: Sequence[float]) -> list[IndexArray]:
        """Return sets that are about as good as the best, each with its best width.

        Parameters
        ----------
        errors : sequence of float
            By how many standard errors of the difference a set may fall short of the best.

        Returns
        -------
        list of ndarray of int
            The best set alone, then the sets for each number of errors; each family once.
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
    """Judge every set with every width.

    Parameters
    ----------
    folds : sequence of HeldOutFold
        Folds that hold out each sample once, with as many sets in each.
    labels : ndarray of shape (n_samples, n_columns)
        +1 and -1: one column for two classes, else one a class.
    codes : ndarray of shape (n_samples,)
        Class of each sample, 0 to n_classes - 1.
    widths : tuple of float
        Widths.

    Returns
    -------
    ScreenedKernels
        What was right.
    """
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
    """Return the class that decisions are for: above zero, or the largest of several.

    Parameters
    ----------
    decisions : ndarray of shape (..., n_samples, n_columns)
        One column for two classes, else one a class.

    Returns
    -------
    ndarray of shape (..., n_samples)
        0 to n_classes - 1.
    """
    if decisions.shape[-1] == 1:
        return np.asarray(decisions[..., 0] > 0, dtype=np.intp)
    return np.asarray(np.argmax(decisions, axis=-1))


def middle_best(scores: FloatArray) -> int:
    """Return the place of the largest score; of several, the one in the middle.

    Parameters
    ----------
    scores : ndarray of shape (n_scores,)
        The scores.
    """
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
