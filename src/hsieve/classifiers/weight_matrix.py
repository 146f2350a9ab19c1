"""Position weight matrix as a classifier: the usual yardstick for sites in sequences.

Position weight matrices: how much each category at each position speaks for a class.

With n_c(j, r) the number of samples of class c that have category r at position j, and q(r) the
share of category r at all positions of all samples, the matrix of class c is

    log( (n_c(j, r) + a q(r)) / (n_c(j) + a) / q(r) ),

a being the pseudo-count: so many further samples that follow the background. A category that is
declared unknown, or that was never met, speaks for no class. G. Stormo's matrices for binding
sites and G. von Heijne's for signal peptides are of this kind; the difference of two classes is the
decision of naive Bayes.

Cost: one pass over the codes.
"""

from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from hsieve.classifiers.base import validated_classes
from hsieve.data.sequences import UNKNOWN_CODE
from hsieve.data.validation import checked_data
from hsieve.selectors.base import whole_or_nothing

__all__ = ["PositionWeightMatrix", "WeightMatrices", "weight_matrices"]

FloatArray = NDArray[np.floating]


class PositionWeightMatrix(ClassifierMixin, BaseEstimator):
    """Classifier by the categories at each position, each position judged by itself.

    Parameters
    ----------
    pseudo_count : float, default=1.0
        Number of further samples, of the composition of all samples, that each class is thought to
        have; above 0.
    unknown : float or None, default=20
        Code that says nothing: by default that of residues that are not known and of what lies
        beyond the ends of a sequence (:func:`hsieve.data.sequences.windows`). None if all codes
        count.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    categories_ : ndarray of shape (n_categories,)
        Codes met in `fit`, but for the unknown one; others say nothing.
    log_odds_ : ndarray of shape (n_classes, n_positions, n_categories)
        Logarithm of the share of a category at a position in the class, over its share at all
        positions of all samples.
    log_prior_ : ndarray of shape (n_classes,)
        Logarithm of the share of each class.

    Notes
    -----
    The numbers of `X` are categories without order. Scores of windows in one sequence are compared
    with each other (:func:`hsieve.data.sequences.site_accuracy`), so that the prior does not matter
    there.

    References
    ----------
    G. von Heijne, "A new method for predicting signal sequence cleavage sites", 1986.

    Examples
    --------
    >>> from hsieve import PositionWeightMatrix
    >>> from hsieve.data.sequences import windows
    >>> cut = windows(["ALAS", "VLAG", "LKDE", "RKLD"], before=3, after=0)
    >>> matrix = PositionWeightMatrix().fit(cut.codes, [1, 1, 0, 0])
    >>> matrix.predict(windows(["ALAG", "LKLD"], before=3, after=0).codes)
    array([1, 0])
    """

    def __init__(self, *, pseudo_count: float = 1.0, unknown: float | None = UNKNOWN_CODE) -> None:
        self.pseudo_count = pseudo_count
        self.unknown = unknown

    @whole_or_nothing
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Count categories.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_positions)
            Category at each position, as a number.
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        self
            The fitted classifier.
        """
        count = self.pseudo_count
        if isinstance(count, bool) or not isinstance(count, Real) or not 0 < count < np.inf:
            msg = f"pseudo_count must be a number above 0, got {count!r}."
            raise ValueError(msg)
        codes, _, labels = validated_classes(self, X, y)
        self._matrices: WeightMatrices = weight_matrices(
            codes, labels, pseudo_count=float(count), unknown=self.unknown
        )
        self.categories_ = self._matrices.categories
        self.log_odds_ = self._matrices.log_odds
        self.log_prior_: FloatArray = np.log(np.bincount(labels) / len(labels))
        return self

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Add up the log-odds of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_positions)
            Category at each position.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Above zero for the second of two classes; for several classes, the largest wins.
        """
        check_is_fitted(self)
        codes = checked_data(self, X, dtype=[np.float64, np.float32], reset=False)
        evidence: FloatArray = self._matrices.evidence(codes) + self.log_prior_
        return evidence[:, 1] - evidence[:, 0] if len(self.classes_) == 2 else evidence

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_positions)
            Category at each position.

        Returns
        -------
        ndarray of shape (n_samples,)
            The classes.
        """
        decisions = self.decision_function(X)
        if decisions.ndim == 1:
            return np.asarray(self.classes_[(decisions > 0).astype(int)])
        return np.asarray(self.classes_[np.argmax(decisions, axis=1)])


@dataclass(frozen=True, eq=False)
class WeightMatrices:
    """The matrices of all classes.

    Parameters
    ----------
    categories : ndarray of shape (n_categories,)
        What may be met at a position, in rising order, but for what is unknown.
    log_odds : ndarray of shape (n_classes, n_positions, n_categories)
        Logarithm of the share in the class over that in the background.
    """

    categories: NDArray[Any]
    log_odds: FloatArray

    def evidence(self, codes: NDArray[Any]) -> FloatArray:
        """Add up what the positions say for each class.

        Parameters
        ----------
        codes : ndarray of shape (n_samples, n_positions)
            Category at each position.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Log-odds against the background.
        """
        total = np.zeros((len(codes), len(self.log_odds)))
        for position, column in enumerate(codes.T):
            places, known = _places(column, self.categories)
            total[known] += self.log_odds[:, position, places[known]].T
        return total


def weight_matrices(
    codes: NDArray[Any],
    labels: NDArray[np.intp],
    *,
    pseudo_count: float = 1.0,
    unknown: float | None = None,
) -> WeightMatrices:
    """Estimate a matrix for each class.

    Parameters
    ----------
    codes : ndarray of shape (n_samples, n_positions)
        Category at each position, as numbers.
    labels : ndarray of shape (n_samples,)
        Class of each sample, from 0.
    pseudo_count : float, default=1.0
        Above 0.
    unknown : float or None, default=None
        Code that stands for no category.

    Returns
    -------
    WeightMatrices
        Categories and log-odds.

    Examples
    --------
    >>> import numpy as np
    >>> codes = np.array([[0, 1], [0, 0], [1, 1], [1, 0]])
    >>> matrices = weight_matrices(codes, np.array([0, 0, 1, 1]))
    >>> np.exp(matrices.log_odds[0]).round(2)
    array([[1.67, 0.33],
           [1.  , 1.  ]])
    """
    categories, counts = np.unique(codes, return_counts=True)
    is_known = np.ones(len(categories), dtype=bool) if unknown is None else categories != unknown
    categories, counts = categories[is_known], counts[is_known]
    background = counts / max(counts.sum(), 1)
    n_classes = int(labels.max()) + 1
    found = np.zeros((n_classes, codes.shape[1], len(categories)))
    for position, column in enumerate(codes.T):
        places, known = _places(column, categories)
        np.add.at(found, (labels[known], position, places[known]), 1.0)
    smooth = found + pseudo_count * background
    shares = smooth / (found.sum(axis=2, keepdims=True) + pseudo_count)
    return WeightMatrices(categories, np.log(shares) - np.log(background))


def _places(column: NDArray[Any], categories: NDArray[Any]) -> tuple[NDArray[np.intp], Any]:
    """Find each code among the categories, and tell which are there."""
    if not len(categories):
        return np.zeros(len(column), dtype=np.intp), np.zeros(len(column), dtype=bool)
    places = np.minimum(np.searchsorted(categories, column), len(categories) - 1)
    return places, categories[places] == column
