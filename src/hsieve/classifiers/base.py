"""What classifiers have in common: checked data, predictions from decisions, folds, weights."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data.validation import checked_data, refuse_mixed
from hsieve.io.distributed import refuse_distributed
from hsieve.parallel.threads import one_blas_thread
from hsieve.parameters import Rule, check_parameters
from hsieve.selectors.base import whole_or_nothing

PRECISIONS = (np.float64, np.float32)


class BaseClassifier(ClassifierMixin, BaseEstimator, ABC):
    """A classifier that learns from checked data, and gives decisions."""

    classes_: NDArray[Any]
    # What the parameters may be.
    allowed: ClassVar[Mapping[str, Rule]] = {}
    # What features may hold; the first where they hold anything else.
    _precisions: ClassVar[tuple[type[np.floating], ...]] = PRECISIONS

    @whole_or_nothing
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features: finite numbers.
        y : array-like of shape (n_samples,)
            Classes, at least two.

        Returns
        -------
        self
            The fitted classifier.
        """
        check_parameters(self)
        data, _, codes = validated_classes(self, X, y, precisions=self._precisions)
        self._fit(data, codes)
        return self

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Decide about samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Above zero for the second of two classes; of several, the largest wins.
        """
        check_is_fitted(self)
        refuse_distributed(X, f"{type(self).__name__}.decision_function")
        data = checked_data(self, X, dtype=list(self._precisions), reset=False)
        with one_blas_thread():
            decisions = self._decisions(data)
        return np.ravel(decisions) if len(self.classes_) == 2 else decisions

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

    @abstractmethod
    def _fit(self, data: FloatArray, codes: IndexArray) -> None:
        """Learn from features and classes, which are positions among `classes_`."""

    @abstractmethod
    def _decisions(self, data: FloatArray) -> FloatArray:
        """Return a column a class, or for two classes one that is for the second."""


class LogOddsClassifier(BaseClassifier):
    """A classifier whose decisions are log-odds."""

    def predict_proba(self, X: ArrayLike) -> FloatArray:
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
    estimator: Any, X: Any, y: Any, *, precisions: Sequence[type[np.floating]] = PRECISIONS
) -> tuple[FloatArray, NDArray[Any], IndexArray]:
    """Return features, classes and the place of each class among all, which become `classes_`."""
    name = type(estimator).__name__
    refuse_distributed(X, name)
    data, target = checked_data(estimator, X, y, dtype=list(precisions), ensure_min_samples=2)
    refuse_mixed(target)
    check_classification_targets(target)
    estimator.classes_, codes = np.unique(target, return_inverse=True)
    if len(estimator.classes_) < 2:
        msg = f"{name} needs at least two classes, got 1 class: {estimator.classes_[0]!r}."
        raise ValueError(msg)
    return data, target, codes


def deal_out(codes: IndexArray, n_folds: int, rng: np.random.Generator) -> IndexArray:
    """Return a fold for each sample, with as many of a class as any other fold has, or one less."""
    shuffled = rng.permutation(len(codes))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    folds = np.empty(len(codes), dtype=np.intp)
    folds[by_class] = np.arange(len(codes)) % n_folds
    return folds


def equal_weights(labels: FloatArray) -> FloatArray:
    """Return weights that are equal within each class, of sum one half."""
    above = labels > 0
    return np.asarray(0.5 / np.where(above, above.sum(), (~above).sum()))


def importances_of(sets: Iterable[IndexArray], weights: FloatArray, n_features: int) -> FloatArray:
    """Share the weight of each set out evenly over its features."""
    importances = np.zeros(n_features)
    for features, weight in zip(sets, weights, strict=True):
        importances[features] += weight / len(features)
    return importances


def numbers_of(given: Any) -> tuple[float, ...]:
    """Return one number or several as a tuple."""
    return (float(given),) if isinstance(given, Real) else tuple(float(one) for one in given)
