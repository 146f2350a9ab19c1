"""What classifiers have in common: checks before a fit, and answers from log-odds."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, softmax
from sklearn.utils.multiclass import check_classification_targets

from hsieve.data.blocks import refuse_distributed
from hsieve.data.validation import checked_data, refuse_mixed

__all__ = [
    "DecisionsMixin",
    "LogOddsMixin",
    "check_positive_numbers",
    "check_whole_numbers",
    "deal_out",
    "importances_of",
    "numbers_of",
    "validated_classes",
]


class DecisionsMixin(ABC):
    """Classes of a classifier that gives decisions."""

    classes_: NDArray[Any]

    @abstractmethod
    def decision_function(self, X: ArrayLike) -> NDArray[np.floating]:
        """Return one column for each of several classes; of two, one that is for the second."""

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict classes: those with the highest decision.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples,)
            The classes.
        """
        decisions = self.decision_function(X)
        if decisions.ndim == 1:
            return np.asarray(self.classes_[(decisions > 0).astype(int)])
        return np.asarray(self.classes_[np.argmax(decisions, axis=1)])


class LogOddsMixin(DecisionsMixin):
    """Classes and probabilities of a classifier whose decisions are log-odds."""

    def predict_proba(self, X: ArrayLike) -> NDArray[np.floating]:
        """Return probabilities of the classes, calibrated on samples held out.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of `classes_`.
        """
        decisions = self.decision_function(X)
        if decisions.ndim == 1:
            return np.column_stack([expit(-decisions), expit(decisions)])
        return np.asarray(softmax(decisions, axis=1))


def validated_classes(
    estimator: Any, X: Any, y: Any, *, dtype: Any = (np.float64, np.float32)
) -> tuple[NDArray[np.floating], NDArray[Any], NDArray[np.intp]]:
    """Return features, classes and the place of each class among all, which become `classes_`."""
    name = type(estimator).__name__
    refuse_distributed(X, name)
    data, target = checked_data(
        estimator,
        X,
        y,
        dtype=list(dtype) if isinstance(dtype, tuple) else dtype,
        ensure_min_samples=2,
    )
    refuse_mixed(target)
    check_classification_targets(target)
    estimator.classes_, codes = np.unique(target, return_inverse=True)
    if len(estimator.classes_) < 2:
        msg = f"{name} needs at least two classes, got 1 class: {estimator.classes_[0]!r}."
        raise ValueError(msg)
    return data, target, codes


def deal_out(codes: NDArray[np.intp], n_folds: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return a fold for each sample, with as many of a class as any other fold has, or one less."""
    shuffled = rng.permutation(len(codes))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    folds = np.empty(len(codes), dtype=np.intp)
    folds[by_class] = np.arange(len(codes)) % n_folds
    return folds


def importances_of(
    sets: Iterable[NDArray[np.intp]], weights: NDArray[np.floating], n_features: int
) -> NDArray[np.floating]:
    """Share the weight of each set out evenly over its features."""
    importances = np.zeros(n_features)
    for features, weight in zip(sets, weights, strict=True):
        importances[features] += weight / len(features)
    return importances


def check_whole_numbers(estimator: Any, least: Mapping[str, int], *, optional: set[str]) -> None:
    """Refuse parameters that are not whole numbers, or too small."""
    for name, smallest in least.items():
        value = getattr(estimator, name)
        if value is None and name in optional:
            continue
        if not isinstance(value, Integral) or isinstance(value, bool) or value < smallest:
            also = " or None" if name in optional else ""
            msg = f"{name} must be a whole number of at least {smallest}{also}, got {value!r}."
            raise ValueError(msg)


def numbers_of(given: Any) -> tuple[float, ...]:
    """Return one number or several as a tuple."""
    return (float(given),) if isinstance(given, Real) else tuple(float(one) for one in given)


def check_positive_numbers(name: str, given: Any) -> None:
    """Refuse anything but one number above zero, or several."""
    try:
        numbers = numbers_of(given)
    except (TypeError, ValueError):
        numbers = ()
    if not numbers or not all(0 < number < np.inf for number in numbers):
        msg = f"{name} must be numbers above 0, at least one, got {given!r}."
        raise ValueError(msg)
