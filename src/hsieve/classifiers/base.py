"""What classifiers have in common: checks before a fit, and answers from log-odds."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
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
    """Return features, classes and the place of each class among all, which become `classes_`.

    Parameters
    ----------
    estimator : classifier
        What is to be fitted.
    X : array-like of shape (n_samples, n_features)
        Features: finite numbers.
    y : array-like of shape (n_samples,)
        Classes, at least two.
    dtype : type or tuple of types, default=(float64, float32)
        What the features may hold; the first where they hold anything else.
    """
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


def check_whole_numbers(estimator: Any, least: Mapping[str, int], *, optional: set[str]) -> None:
    """Refuse parameters that are not whole numbers, or too small.

    Parameters
    ----------
    estimator : estimator
        Whose parameters to look at.
    least : mapping of str to int
        Least value of each.
    optional : set of str
        Parameters that may be None.
    """
    for name, smallest in least.items():
        value = getattr(estimator, name)
        if value is None and name in optional:
            continue
        if not isinstance(value, Integral) or isinstance(value, bool) or value < smallest:
            also = " or None" if name in optional else ""
            msg = f"{name} must be a whole number of at least {smallest}{also}, got {value!r}."
            raise ValueError(msg)


def numbers_of(given: Any) -> tuple[float, ...]:
    """Return one number or several as a tuple.

    Parameters
    ----------
    given : float or iterable of float
        What was given.
    """
    return (float(given),) if isinstance(given, Real) else tuple(float(one) for one in given)


def check_positive_numbers(name: str, given: Any) -> None:
    """Refuse anything but one number above zero, or several.

    Parameters
    ----------
    name : str
        Name of the parameter.
    given : object
        Its value.
    """
    try:
        numbers = numbers_of(given)
    except (TypeError, ValueError):
        numbers = ()
    if not numbers or not all(0 < number < np.inf for number in numbers):
        msg = f"{name} must be numbers above 0, at least one, got {given!r}."
        raise ValueError(msg)
