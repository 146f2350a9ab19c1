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
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.svm import SVC, SVR

from hsieve.data.validation import target_kind_of
from hsieve.kernels import EncodedColumns, encode_columns, squared_distances
from hsieve.progress import report

__all__ = ["NestedValidation", "nested_validation"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]
Ranker = Callable[[IndexArray], IndexArray]

N_FOLDS = 10
# Widths in units of the square root of the number of features.
WIDTH_FACTORS = (2.0, 1.0, 0.5)
COST = 1.0


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
    seed: int = 0,
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
    seed : int, default=0
        Seed of the folds.

    Returns
    -------
    NestedValidation
        The scores.
    """
    is_classes = target_kind_of(y, target_kind) == "classes"
    outputs = y.reshape(len(y), -1)
    columns = encode_columns(X.astype(np.float64), categorical=categorical, standardise=False)
    folds = _folds(outputs, is_classes=is_classes, seed=seed)
    widths = np.sqrt(sizes)[:, None] * np.array(WIDTH_FACTORS)
    kind: Any = outputs.dtype if is_classes else np.float64
    predicted = np.empty((*widths.shape, *outputs.shape), dtype=kind)
    for number, (training, held_out) in enumerate(folds):
        order = np.asarray(rank(training))
        distances, before = np.zeros((len(y), len(y))), 0
        scaled = _scaled(columns, training)
        for place, size in enumerate(sizes):
            added = order[before:size]
            if len(added):
                distances += squared_distances(scaled.block(added))
            before = size
            for column, width in enumerate(widths[place]):
                gram = np.exp(-0.5 / width**2 * distances[:, training])
                predicted[place, column, held_out] = _predictions(
                    gram, outputs, (training, held_out), is_classes=is_classes
                )
        report((number + 1) / len(folds), "nested cross validation")
    score = _accuracy if is_classes else _r2
    scores = np.array([[score(outputs, cell) for cell in row] for row in predicted])
    criterion = "accuracy" if is_classes else "R2"
    return NestedValidation(sizes, widths, scores, criterion, len(folds))


def _folds(
    outputs: NDArray[Any], *, is_classes: bool, seed: int
) -> list[tuple[IndexArray, IndexArray]]:
    """Training and held-out samples of each fold; every class is in each, where possible."""
    if not is_classes:
        n_folds = min(N_FOLDS, len(outputs) // 2)
        return list(KFold(max(2, n_folds), shuffle=True, random_state=seed).split(outputs))
    _, labels = np.unique(outputs[:, 0], return_inverse=True)
    rarest = int(np.bincount(labels).min())
    if rarest < 2:
        msg = (
            "Cross validation needs at least two samples of each class, but one class has a "
            "single sample; give a number of features, or 'alignment'."
        )
        raise ValueError(msg)
    folds = StratifiedKFold(min(N_FOLDS, rarest), shuffle=True, random_state=seed)
    return list(folds.split(outputs, labels))


def _scaled(columns: EncodedColumns, training: IndexArray) -> EncodedColumns:
    """Standardise numbers by the training samples alone; categories stay as they are."""
    matrix = columns.matrix.copy()
    numbers = columns.starts[:-1][~columns.categorical]
    seen = matrix[np.ix_(training, numbers)]
    deviations = seen.std(axis=0)
    # A feature that is constant here says nothing, whatever it does elsewhere.
    scales = np.divide(1.0, deviations, out=np.zeros_like(deviations), where=deviations > 0)
    matrix[:, numbers] = (matrix[:, numbers] - seen.mean(axis=0)) * scales
    return EncodedColumns(matrix, columns.starts, columns.categorical)


def _predictions(
    gram: FloatArray,
    outputs: NDArray[Any],
    fold: tuple[IndexArray, IndexArray],
    *,
    is_classes: bool,
) -> NDArray[Any]:
    """Predict each output of the samples held out; `gram` has a column for each training sample."""
    training, held_out = fold
    found = np.empty((len(held_out), outputs.shape[1]), dtype=outputs.dtype if is_classes else None)
    for column in range(outputs.shape[1]):
        known = outputs[training, column]
        if len(np.unique(known)) == 1:
            found[:, column] = known[0]
        elif is_classes:
            machine = SVC(C=COST, kernel="precomputed").fit(gram[training], known)
            found[:, column] = machine.predict(gram[held_out])
        else:
            known = known.astype(np.float64)
            mean, deviation = known.mean(), known.std()
            machine = SVR(C=COST, kernel="precomputed")
            machine.fit(gram[training], (known - mean) / deviation)
            found[:, column] = mean + deviation * machine.predict(gram[held_out])
    return found


def _accuracy(outputs: NDArray[Any], predicted: NDArray[Any]) -> float:
    return float(np.mean(outputs == predicted))


def _r2(outputs: NDArray[Any], predicted: NDArray[Any]) -> float:
    return float(r2_score(outputs.astype(np.float64), predicted))
