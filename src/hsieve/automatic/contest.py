"""Methods side by side on held-out samples: which predicts best, and from how many features.

Each candidate ranks the features of the training samples of every fold; a Gaussian machine then
predicts the samples held out from its first 1, 2, 3, ... features. All see the same folds of at
most some hundred samples, so that a contest costs little, whatever the size of the data.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from hsieve.automatic.candidates import Candidate
from hsieve.data.validation import TargetKind
from hsieve.estimators._ranges import ignored
from hsieve.exceptions import ConstantFeatureWarning, FewerFeaturesWarning
from hsieve.inference.gaussian_machine import (
    Fold,
    gaussian_predictions,
    scaled_by,
    score_of,
    validation_folds,
)
from hsieve.kernels.columns import EncodedColumns, encode_columns, squared_distances
from hsieve.progress import report, stage

__all__ = ["WIDTH_FACTORS", "Contest", "Standing", "hold_contest", "least_of"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

# Widths that are tried, in square roots of the number of features; parities need a narrow one.
WIDTH_FACTORS = (1.0, 0.5, 0.25)


@dataclass(frozen=True, eq=False)
class Standing:
    """How one candidate did.

    Parameters
    ----------
    method : str
        Its name.
    sizes : ndarray of shape (n_sizes,)
        Numbers of features tried, rising.
    scores : ndarray of shape (n_sizes, n_folds)
        Accuracy or R2 on each fold, with the best width for that number.
    widths : ndarray of shape (n_sizes,)
        That width.
    """

    method: str
    sizes: IndexArray
    scores: FloatArray
    widths: FloatArray

    @property
    def best(self) -> int:
        """Place of the number with the best mean score; the smallest of several."""
        return int(self.scores.mean(axis=1).argmax())

    @property
    def score(self) -> float:
        """Best mean score."""
        return float(self.scores[self.best].mean())


@dataclass(frozen=True, eq=False)
class Contest:
    """How all candidates did.

    Parameters
    ----------
    standings : tuple of Standing
        In the order of the candidates.
    nothing : ndarray of shape (n_folds,)
        Score of a prediction that looks at no feature.
    n_samples : int
        Samples that took part.
    spread : float
        What the variance over folds is multiplied by for that of a mean: folds share their training
        samples (Nadeau and Bengio).
    """

    standings: tuple[Standing, ...]
    nothing: FloatArray
    n_samples: int
    spread: float

    def error_of(self, differences: FloatArray) -> float:
        """Return the standard error of a mean of differences over the folds."""
        return float(np.sqrt(self.spread * differences.var(ddof=1)))


def hold_contest(
    candidates: Sequence[Candidate],
    X: FloatArray,
    y: NDArray[Any],
    *,
    sizes: IndexArray,
    kind: TargetKind,
    categorical: Sequence[int] = (),
    n_folds: int = 5,
    seed: int = 0,
) -> Contest:
    """Let candidates rank the features of training samples, and predict the others.

    Parameters
    ----------
    candidates : sequence of Candidate
        Who takes part.
    X : ndarray of shape (n_samples, n_features)
        Features, finite.
    y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Target.
    sizes : ndarray of int
        Numbers of features to try, rising.
    kind : {"classes", "continuous"}
        What the target holds.
    categorical : sequence of int, default=()
        Features that are categories.
    n_folds : int, default=5
        Number of folds.
    seed : int, default=0
        Seed of the folds.

    Returns
    -------
    Contest
        The scores.
    """
    is_classes = kind == "classes"
    outputs = y.reshape(len(y), -1)
    folds = validation_folds(outputs, is_classes=is_classes, n_folds=n_folds, seed=seed)
    columns = encode_columns(X.astype(np.float64), categorical=categorical, standardise=False)
    judge = _Judge(columns, outputs, is_classes)
    scaled = [scaled_by(columns, training) for training, _ in folds]
    standings = []
    for number, candidate in enumerate(candidates):
        share = number / len(candidates), (number + 1) / len(candidates)
        with stage(*share, f"trying {candidate.name}"):
            tried = candidate.sizes_of(sizes)
            cells = []
            for place, (fold, prepared) in enumerate(zip(folds, scaled, strict=True)):
                sets = _ranked(candidate, X[fold[0]], y[fold[0]], tried)
                cells.append(judge.scores(sets, prepared, fold))
                report((place + 1) / len(folds), candidate.name)
            standings.append(_standing(candidate.name, tried, np.stack(cells, axis=-1)))
    nothing = np.array([judge.score_of_nothing(fold) for fold in folds])
    spread = 1 / len(folds) + len(folds[0][1]) / len(folds[0][0])
    return Contest(tuple(standings), nothing, len(y), spread)


def least_of(standing: Standing, contest: Contest) -> int:
    """Return the place of the smallest number that is as good as the best, but for chance.

    Parameters
    ----------
    standing : Standing
        One candidate.
    contest : Contest
        Knows the errors.

    Returns
    -------
    int
        The first place whose mean lacks at most one standard error of the difference.
    """
    best = standing.scores[standing.best]
    for place, scores in enumerate(standing.scores):
        lacking = best - scores
        if lacking.mean() <= contest.error_of(lacking):
            return place
    return standing.best


class _Judge:
    """Predicts held-out samples from sets of features."""

    def __init__(self, columns: EncodedColumns, outputs: NDArray[Any], is_classes: bool) -> None:  # noqa: FBT001
        self.columns = columns
        self.outputs = outputs
        self.is_classes = is_classes

    def scores(
        self, sets: Mapping[int, IndexArray], scaled: EncodedColumns, fold: Fold
    ) -> FloatArray:
        """Score each set with each width."""
        found = np.empty((len(sets), len(WIDTH_FACTORS)))
        distances: FloatArray = np.zeros((len(self.outputs), len(fold[0])))
        before = np.zeros(0, dtype=np.intp)
        for place, features in enumerate(sets.values()):
            if not np.array_equal(features[: len(before)], before):
                distances, before = np.zeros_like(distances), before[:0]
            added = features[len(before) :]
            if len(added):
                distances = distances + squared_distances(scaled.block(added))[:, fold[0]]
            before = features
            for column, factor in enumerate(WIDTH_FACTORS):
                gram = np.exp(distances * (-0.5 / (max(1, len(features)) * factor**2)))
                predicted = gaussian_predictions(
                    gram, self.outputs, fold, is_classes=self.is_classes
                )
                found[place, column] = self._score(predicted, fold)
        return found

    def score_of_nothing(self, fold: Fold) -> float:
        """Score the commonest class, or the mean."""
        training = self.outputs[fold[0]]
        if self.is_classes:
            values, counts = np.unique(training, return_counts=True)
            return self._score(np.full_like(self.outputs[fold[1]], values[counts.argmax()]), fold)
        means = np.broadcast_to(
            training.astype(np.float64).mean(axis=0), (len(fold[1]), training.shape[1])
        )
        return self._score(means, fold)

    def _score(self, predicted: NDArray[Any], fold: Fold) -> float:
        truth, known = self.outputs[fold[1]], self.outputs[fold[0]]
        return score_of(truth, predicted, is_classes=self.is_classes, training=known)


def _ranked(
    candidate: Candidate, X: FloatArray, y: NDArray[Any], sizes: IndexArray
) -> dict[int, IndexArray]:
    """Return the features that a candidate takes for each number of them."""
    # What is constant, or missing, in a part of the samples only needs no word.
    with ignored((ConstantFeatureWarning, FewerFeaturesWarning)):
        if candidate.is_nested:
            order = clone(candidate.selector).set_params(n_features_to_select=int(sizes[-1]))
            ranked = order.fit(X, y).path_.nested_order
            return {int(size): ranked[:size] for size in sizes}
        return {
            int(size): clone(candidate.selector)
            .set_params(n_features_to_select=int(size))
            .fit(X, y)
            .selected_indices_
            for size in sizes
        }


def _standing(name: str, sizes: IndexArray, scores: FloatArray) -> Standing:
    """Keep the best width of each number; `scores` are by number, width and fold."""
    widest = scores.mean(axis=-1).argmax(axis=1)
    widths = np.sqrt(sizes) * np.array(WIDTH_FACTORS)[widest]
    return Standing(name, sizes, scores[np.arange(len(sizes)), widest], widths)
