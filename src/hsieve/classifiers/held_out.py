"""Samples dealt out to folds, each with its own scale and its own sets of features.

What is chosen by cross validation is judged by samples that had no part in it: features are scaled
by the training samples of each fold, and sets of features that were found by a search are found
again in each fold. Sets found once from all samples look better on them than they are.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hsieve.kernels.column_scale import ColumnScale

__all__ = ["Fold", "HeldOutFold", "dealt_folds", "varying_sets"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]
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
