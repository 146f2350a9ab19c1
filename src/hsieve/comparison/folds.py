"""One fold of an evaluation: select on the training samples, predict those held out.

Everything that is learned, the selection, its number of features and the scale of the features, is
learned from the training samples alone.
"""

import time
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from hsieve.data.validation import target_kind_of
from hsieve.exceptions import ConstantFeatureWarning, FewerFeaturesWarning
from hsieve.inference.gaussian_machine import Fold, held_out_score, score_of
from hsieve.selectors.base import BaseSelector


@dataclass(frozen=True, eq=False)
class FoldOutcome:
    """What came of one selector on one fold."""

    selector: BaseSelector  # fitted to the training samples
    score: float  # accuracy or R2 of the samples held out
    seconds: float  # of the selection
    cpu_seconds: float  # of the selection, in this process

    @property
    def selected(self) -> NDArray[np.intp]:
        """Selected features, best first."""
        chosen: NDArray[np.intp] = self.selector.selected_indices_
        return chosen


def evaluate_fold(
    selector: BaseSelector,
    X: NDArray[Any],
    y: NDArray[Any],
    fold: Fold,
    *,
    predictor: BaseEstimator | None = None,
    categorical: Iterable[int] = (),
    target_kind: str = "auto",
) -> FoldOutcome:
    """Select on the training samples and predict the others from the selected features.

    Without a predictor this is done by a support vector machine with a Gaussian kernel, whose width
    is the one that came with the number of features, if the selector found that out, else the
    square root of the number.
    """
    training, held_out = fold
    kind = target_kind_of(y, target_kind)
    started, cpu_started = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        # What is constant, or missing, in a part of the samples only needs no word.
        warnings.simplefilter("ignore", ConstantFeatureWarning)
        warnings.simplefilter("ignore", FewerFeaturesWarning)
        fitted = clone(selector).fit(X[training], y[training])
    cpu_seconds, seconds = time.process_time() - cpu_started, time.perf_counter() - started
    chosen = fitted.selected_indices_
    if len(chosen) == 0:
        score = _score_of_nothing(y, fold, is_classes=kind == "classes")
    elif predictor is None:
        choice = getattr(fitted, "n_features_choice_", None)
        score = held_out_score(
            X,
            y,
            fold,
            chosen,
            width=None if choice is None else choice.width,
            categorical=categorical,
            target_kind=kind,
        )
    else:
        model = clone(predictor).fit(X[np.ix_(training, chosen)], y[training])
        predicted = model.predict(X[np.ix_(held_out, chosen)])
        score = score_of(y[held_out], predicted, is_classes=kind == "classes", training=y[training])
    return FoldOutcome(fitted, score, seconds, cpu_seconds)


def _score_of_nothing(y: NDArray[Any], fold: Fold, *, is_classes: bool) -> float:
    """Judge a prediction that looks at no feature."""
    training, held_out = fold
    if not is_classes:
        means = np.broadcast_to(y[training].mean(axis=0), y[held_out].shape)
        return score_of(y[held_out], means, is_classes=False, training=y[training])
    values, counts = np.unique(y[training], return_counts=True)
    return score_of(y[held_out], values[[counts.argmax()]], is_classes=True)
