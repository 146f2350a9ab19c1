"""Held-out prediction by a support vector machine with a Gaussian kernel.

The judge of the thesis [1]_ (sec. 2.5.1 and 4.3): C = 1, features standardised by the training
samples alone, accuracy for classes; for numbers R2, with the target standardised too. R2 of one
fold compares with the variance of the training samples: that of a few samples held out is often
near 0.

References
----------
.. [1] D. Athanasakis, "Feature selection in computational biology", thesis, 2014.
"""

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.svm import SVC, SVR

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data.validation import target_kind_of
from hsieve.kernels import EncodedColumns, encode_columns, squared_distances
from hsieve.kernels.columns import standardised_by

Fold: TypeAlias = tuple[IndexArray, IndexArray]

N_FOLDS = 10
COST = 1.0


def held_out_score(
    X: NDArray[Any],
    y: NDArray[Any],
    fold: Fold,
    features: IndexArray,
    *,
    width: float | None = None,
    categorical: Iterable[int] = (),
    target_kind: str = "auto",
) -> float:
    """Predict the samples held out from some features, and judge the prediction.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> fold = np.arange(40), np.arange(40, 60)
    >>> round(held_out_score(X, X[:, 0] > 0, fold, np.array([0])), 2)
    0.9
    """
    is_classes = target_kind_of(y, target_kind) == "classes"
    outputs = y.reshape(len(y), -1)
    listed = np.flatnonzero(np.isin(features, list(categorical))).tolist()
    values = X[:, features].astype(np.float64)
    columns = encode_columns(values, categorical=listed, standardise=False)
    distances = squared_distances(scaled_by(columns, fold[0]).matrix)
    rate = 0.5 / (len(features) if width is None else width**2)
    gram = np.exp(-rate * distances[:, fold[0]])
    predicted = gaussian_predictions(gram, outputs, fold, is_classes=is_classes)
    return score_of(outputs[fold[1]], predicted, is_classes=is_classes, training=outputs[fold[0]])


def validation_folds(
    y: NDArray[Any], *, is_classes: bool, n_folds: int = N_FOLDS, seed: int = 0
) -> list[Fold]:
    """Share samples out over folds, every class in each where possible.

    Gives training samples and those held out for each fold. There are fewer folds where the rarest
    class, or half of the samples, has fewer.
    """
    leading = y.reshape(len(y), -1)[:, 0]
    if not is_classes:
        n_folds = max(2, min(n_folds, len(y) // 2))
        return list(KFold(n_folds, shuffle=True, random_state=seed).split(leading))
    _, labels = np.unique(leading, return_inverse=True)
    rarest = int(np.bincount(labels).min())
    if rarest < 2:
        msg = (
            "Cross validation needs at least two samples of each class, but one class has a "
            "single sample; give a number of features, or 'alignment'."
        )
        raise ValueError(msg)
    folds = StratifiedKFold(min(n_folds, rarest), shuffle=True, random_state=seed)
    return list(folds.split(leading, labels))


def scaled_by(columns: EncodedColumns, training: IndexArray) -> EncodedColumns:
    """Standardise numbers by the training samples alone; categories stay as they are."""
    matrix = columns.matrix.copy()
    numbers = columns.starts[:-1][~columns.categorical]
    matrix[:, numbers] = standardised_by(matrix[:, numbers], training)
    return EncodedColumns(matrix, columns.starts, columns.categorical)


def gaussian_predictions(
    gram: FloatArray, outputs: NDArray[Any], fold: Fold, *, is_classes: bool
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
            largest = np.abs(known).max()
            known = known / largest
            mean, deviation = known.mean(), known.std()
            machine = SVR(C=COST, kernel="precomputed")
            machine.fit(gram[training], (known - mean) / deviation)
            found[:, column] = largest * (mean + deviation * machine.predict(gram[held_out]))
    return found


def score_of(
    outputs: NDArray[Any],
    predicted: NDArray[Any],
    *,
    is_classes: bool,
    training: NDArray[Any] | None = None,
) -> float:
    """Judge predictions: accuracy of classes, mean R2 of numbers; 0 for one that does not vary.

    R2 compares with the variance of `training`, where it is given, and else of `outputs`.
    """
    if is_classes:
        return float(np.mean(outputs == predicted))
    known = outputs if training is None else training
    columns = [
        values.astype(np.float64).reshape(len(values), -1) for values in (outputs, predicted, known)
    ]
    largest = np.abs(columns[2]).max(axis=0)
    truth, guess, compared = (values / np.where(largest > 0, largest, 1.0) for values in columns)
    errors, variances = np.mean((truth - guess) ** 2, axis=0), compared.var(axis=0)
    shares = np.divide(errors, variances, out=np.ones_like(errors), where=variances > 0)
    return float(np.mean(1.0 - shares))


def criterion_of(*, is_classes: bool) -> str:
    """Name what :func:`score_of` gives."""
    return "accuracy" if is_classes else "R2"
