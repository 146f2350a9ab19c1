"""Cross-validated prediction from each prefix of a ranking that is made anew in every fold.

The inner loop of sec. 2.5.1 of the thesis [1]_: in each of ten folds features are ranked on the
training samples alone; a support vector machine with a Gaussian kernel is trained on each number of
the best of them, for a few widths; and number and width with the best prediction of the samples
left out are taken, the smaller number of two as good.

Cost: ten rankings, and a machine for every fold, number and width.

References
----------
.. [1] D. Athanasakis, "Feature selection in computational biology", thesis, 2014.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.data.validation import target_kind_of
from hsieve.inference.gaussian_machine import (
    criterion_of,
    gaussian_predictions,
    scaled_by,
    score_of,
    validation_folds,
)
from hsieve.kernels import encode_columns, squared_distances
from hsieve.progress import report

__all__ = ["NestedValidation", "nested_validation"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]
Ranker = Callable[[IndexArray], IndexArray]

# Widths in units of the square root of the number of features.
WIDTH_FACTORS = (2.0, 1.0, 0.5)


@dataclass(frozen=True, eq=False)
class NestedValidation:
    """Cross-validated prediction for numbers of features and widths.

    Parameters
    ----------
    sizes : ndarray of shape (n_sizes,)
        Numbers of features, rising.
    widths : ndarray of shape (n_sizes, n_widths)
        Widths of the Gaussian kernel.
    scores : ndarray of shape (n_sizes, n_widths)
        Accuracy or R2 over all samples, each predicted by the machine that had not seen it.
    criterion : {"accuracy", "R2"}
        What `scores` are.
    n_folds : int
        Number of folds.
    """

    sizes: IndexArray
    widths: FloatArray
    scores: FloatArray
    criterion: str
    n_folds: int


def nested_validation(
    X: NDArray[Any],
    y: NDArray[Any],
    rank: Ranker,
    sizes: IndexArray,
    *,
    categorical: Iterable[int] = (),
    target_kind: str = "auto",
) -> NestedValidation:
    """Validate the prefixes of rankings that see the training samples only.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features.
    y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Classes or numbers; the score of several outputs is their mean.
    rank : callable
        Takes the positions of training samples and gives features, best first.
    sizes : ndarray of int
        Numbers of features to try, rising. A fold whose ranking is shorter takes all of it.
    categorical : iterable of int, default=()
        Features that are categories.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds.

    Returns
    -------
    NestedValidation
        The scores.
    """
    is_classes = target_kind_of(y, target_kind) == "classes"
    outputs = y.reshape(len(y), -1)
    columns = encode_columns(X.astype(np.float64), categorical=categorical, standardise=False)
    folds = validation_folds(outputs, is_classes=is_classes, seed=0)
    widths = np.sqrt(sizes)[:, None] * np.array(WIDTH_FACTORS)
    kind: Any = outputs.dtype if is_classes else np.float64
    predicted = np.empty((*widths.shape, *outputs.shape), dtype=kind)
    for number, (training, held_out) in enumerate(folds):
        order = np.asarray(rank(training))
        distances, before = np.zeros((len(y), len(y))), 0
        scaled = scaled_by(columns, training)
        for place, size in enumerate(sizes):
            added = order[before:size]
            if len(added):
                distances += squared_distances(scaled.block(added))
            before = size
            for column, width in enumerate(widths[place]):
                gram = np.exp(-0.5 / width**2 * distances[:, training])
                predicted[place, column, held_out] = gaussian_predictions(
                    gram, outputs, (training, held_out), is_classes=is_classes
                )
        report((number + 1) / len(folds), "nested cross validation")
    scores = np.array(
        [[score_of(outputs, cell, is_classes=is_classes) for cell in row] for row in predicted]
    )
    return NestedValidation(sizes, widths, scores, criterion_of(is_classes=is_classes), len(folds))
