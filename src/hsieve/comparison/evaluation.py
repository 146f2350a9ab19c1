"""One fold: select on the training samples, predict the others from what was selected, and judge.

Anything that keeps some of the features can be compared: selectors of this package, those of
scikit-learn and of others that follow its conventions, and pipelines of steps that keep features
or select among them.
"""

import math
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.multioutput import MultiOutputClassifier, MultiOutputRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from hsieve.array_types import IndexArray
from hsieve.data.validation import TargetKind, target_kind_of
from hsieve.exceptions import ConstantFeatureWarning, FewerFeaturesWarning
from hsieve.inference.gaussian_machine import (
    COST,
    Fold,
    criterion_of,
    held_out_score,
    scaled_by,
    score_of,
)
from hsieve.kernels import encode_columns

BALANCED = "balanced_accuracy"
# Classes are unequal where the largest has so many times the samples of the smallest.
UNEQUAL = 2.0
USUAL_PREDICTOR = "a support vector machine with a Gaussian kernel"


@dataclass(frozen=True, eq=False)
class Judge:
    """What predicts the samples held out from the selected features, and how that is scored.

    Parameters
    ----------
    kind : {"classes", "continuous"}
        How the target is read.
    scoring : str, callable or None, default=None
        A scorer of scikit-learn, by name or as ``scorer(estimator, X, y)``. None is the accuracy of
        classes and, for numbers, R2 against the variance of the training samples.
    predictor : estimator or None, default=None
        None is a support vector machine with a Gaussian kernel over standardised features, whose
        width is the square root of their number: the same features score the same, whichever
        selector has chosen them.
    categorical : tuple of int, default=()
        Features that are categories, for that machine.
    """

    kind: TargetKind
    scoring: str | Callable[..., float] | None = None
    predictor: BaseEstimator | None = None
    categorical: tuple[int, ...] = ()

    @property
    def criterion(self) -> str:
        """What the scores are."""
        if self.scoring is None:
            return criterion_of(is_classes=self.kind == "classes")
        called = self.scoring if isinstance(self.scoring, str) else _name_of(self.scoring)
        return called.replace("_", " ")

    @property
    def words(self) -> str:
        """What predicts."""
        if self.predictor is not None:
            return " ".join(repr(self.predictor).split())
        return USUAL_PREDICTOR + ", classes weighted equally" * (self.scoring == BALANCED)

    def score(
        self,
        X: NDArray[Any],
        y: NDArray[Any],
        fold: Fold,
        chosen: IndexArray,
    ) -> float:
        """Predict the samples held out from the chosen features; from none, as a guess would."""
        training, _ = fold
        if len(chosen) == 0:
            return self.score_of_nothing(y, fold)
        if self.predictor is None and self.scoring is None:
            return held_out_score(
                X,
                y,
                fold,
                chosen,
                categorical=self.categorical,
                target_kind=self.kind,
            )
        if self.predictor is None:
            listed = np.flatnonzero(np.isin(chosen, self.categorical)).tolist()
            encoded = encode_columns(
                X[:, chosen].astype(np.float64), categorical=listed, standardise=False
            )
            values = scaled_by(encoded, training).matrix
            model = self._machine(0.5 / len(chosen), y)
        else:
            values, model = X[:, chosen], clone(self.predictor)
        return self._judged(model.fit(values[training], y[training]), values, y, fold)

    def score_of_nothing(self, y: NDArray[Any], fold: Fold) -> float:
        """Judge a prediction that looks at no feature: the most frequent class, or the mean."""
        is_classes = self.kind == "classes"
        model = DummyClassifier() if is_classes else DummyRegressor()
        nothing = np.zeros((len(y), 1))
        training = fold[0]
        return self._judged(model.fit(nothing[training], y[training]), nothing, y, fold)

    def _judged(self, model: Any, values: NDArray[Any], y: NDArray[Any], fold: Fold) -> float:
        """Score a fitted model on the samples held out."""
        training, held_out = fold
        if self.scoring is None:
            predicted = np.asarray(model.predict(values[held_out]))
            is_classes = self.kind == "classes"
            return score_of(
                y[held_out],
                predicted.reshape(y[held_out].shape),
                is_classes=is_classes,
                training=y[training],
            )
        scorer: Any = get_scorer(self.scoring) if isinstance(self.scoring, str) else self.scoring
        with warnings.catch_warnings():
            # Of classes that a few samples held out do not have.
            warnings.simplefilter("ignore", UserWarning)
            try:
                score = scorer(model, values[held_out], y[held_out])
            except AttributeError as error:  # scikit-learn's for a predictor that lacks a method
                msg = f"scoring {self.criterion!r} does not suit the predictor: {error}"
                raise ValueError(msg) from error
        if not isinstance(score, Real) or not math.isfinite(score):
            msg = f"scoring {self.criterion!r} gave {score!r}, which is no finite number."
            raise ValueError(msg)
        return float(score)

    def _machine(self, rate: float, y: NDArray[Any]) -> Any:
        """Make the usual predictor as an estimator."""
        if self.kind == "classes":
            weights = "balanced" if self.scoring == BALANCED else None
            machine = SVC(C=COST, gamma=rate, class_weight=weights)
            return machine if y.ndim == 1 else MultiOutputClassifier(machine)
        machine = TransformedTargetRegressor(SVR(C=COST, gamma=rate), transformer=StandardScaler())
        return machine if y.ndim == 1 else MultiOutputRegressor(machine)


def usual_scoring(y: NDArray[Any], kind: TargetKind) -> str | None:
    """Return balanced accuracy for unequal classes, None for the usual criterion."""
    if kind != "classes" or y.ndim > 1:
        return None
    counts = np.unique(y, return_counts=True)[1]
    return BALANCED if counts.max() >= UNEQUAL * counts.min() else None


def check_scoring(scoring: Any) -> None:
    """Refuse what is no scorer."""
    if scoring is None or callable(scoring):
        return
    if not isinstance(scoring, str) or scoring not in get_scorer_names():
        msg = (
            "scoring must be None, a scorer of scikit-learn such as 'roc_auc', or a function of "
            f"estimator, X and y, got {scoring!r}."
        )
        raise ValueError(msg)


def _name_of(scoring: Callable[..., float]) -> str:
    """Name a scorer that is a function, or was made by `make_scorer` from one."""
    function = getattr(scoring, "_score_func", scoring)
    return str(getattr(function, "__name__", type(function).__name__))


@dataclass(frozen=True, eq=False)
class FoldOutcome:
    """Result of one selector on one fold."""

    selector: Any  # fitted to the training samples
    selected: IndexArray  # best first, where the selector says so
    score: float  # of the samples held out
    seconds: float  # of the selection
    cpu_seconds: float  # of the selection, in this process


def evaluate_fold(
    selector: Any, X: NDArray[Any], y: NDArray[Any], fold: Fold, judge: Judge | None = None
) -> FoldOutcome:
    """Select on the training samples and predict the others from the selected features."""
    judge = Judge(target_kind_of(y, "auto")) if judge is None else judge
    started, cpu_started = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        # What is constant, or missing, in a part of the samples only needs no word.
        warnings.simplefilter("ignore", ConstantFeatureWarning)
        warnings.simplefilter("ignore", FewerFeaturesWarning)
        fitted = clone(selector).fit(X[fold[0]], y[fold[0]])
    cpu_seconds, seconds = time.process_time() - cpu_started, time.perf_counter() - started
    chosen = selected_by(fitted, X.shape[1])
    score = judge.score(X, y, fold, chosen)
    return FoldOutcome(fitted, chosen, score, seconds, cpu_seconds)


def can_select(selector: Any) -> bool:
    """Say whether an estimator may keep some of the features, as far as can be told unfitted."""
    last = selector
    if isinstance(selector, Pipeline) and selector.steps:
        last = selector.steps[-1][1]
    return (
        not isinstance(selector, type)
        and all(hasattr(selector, name) for name in ("fit", "get_params"))
        and any(hasattr(last, name) for name in ("get_support", "transform"))
    )


def selected_by(fitted: Any, n_features: int) -> IndexArray:
    """Return the features that a fitted selector or pipeline keeps, best first if it says so."""
    if hasattr(fitted, "selected_indices_"):
        return np.asarray(fitted.selected_indices_, dtype=np.intp)
    if hasattr(fitted, "get_support"):
        return np.flatnonzero(fitted.get_support())
    if hasattr(fitted, "support_"):  # such as Boruta
        return np.flatnonzero(fitted.support_)
    if isinstance(fitted, Pipeline):
        kept = chosen = np.arange(n_features)
        for step in fitted.named_steps.values():
            if step is not None and step != "passthrough":
                found = selected_by(step, len(kept))
                chosen, kept = kept[found], kept[np.sort(found)]
        return chosen
    names = [f"x{place}" for place in range(n_features)]
    places = {name: place for place, name in enumerate(names)}
    try:
        return np.array([places[str(name)] for name in fitted.get_feature_names_out(names)])
    except (AttributeError, KeyError):
        msg = (
            f"{type(fitted).__name__} makes new features; only what keeps features, or selects "
            "among them, can be compared."
        )
        raise ValueError(msg) from None
