"""Position weight matrices: how much each category at each position speaks for a class.

They are the usual yardstick for sites in sequences.

With n_c(j, r) the number of samples of class c that have category r at position j, and q(r) the
fraction of category r at all positions of all samples, the matrix of class c is

    log( (n_c(j, r) + a q(r)) / (n_c(j) + a) / q(r) ),

a being the pseudo-count: so many further samples that follow the background. A category that is
declared unknown, or that was never met, speaks for no class. G. Stormo's matrices for binding
sites and G. von Heijne's for signal peptides are of this kind; the difference of two classes is the
decision of naive Bayes.

Cost: one pass over the codes.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray, IndexArray
from hsieve.classifiers.base import BaseClassifier
from hsieve.data.sequences import UNKNOWN_CODE
from hsieve.parameters import Rule, number


@dataclass(eq=False, repr=False)
class PositionWeightMatrix(BaseClassifier):
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
        Logarithm of the fraction of a category at a position in the class, over its fraction at all
        positions of all samples.
    log_prior_ : ndarray of shape (n_classes,)
        Logarithm of the fraction of each class.

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

    _: KW_ONLY
    pseudo_count: float = 1.0
    unknown: float | None = UNKNOWN_CODE

    allowed: ClassVar[Mapping[str, Rule]] = {
        "pseudo_count": number(above=0),
    }

    def _fit(self, data: FloatArray, codes: IndexArray) -> None:
        """Count categories."""
        categories, counts = np.unique(data, return_counts=True)
        if self.unknown is not None:
            is_known = categories != self.unknown
            categories, counts = categories[is_known], counts[is_known]
        self.categories_: NDArray[Any] = categories
        background = counts / max(counts.sum(), 1)
        found = np.zeros((len(self.classes_), data.shape[1], len(categories)))
        for position, column in enumerate(data.T):
            places, known = self._places(column)
            np.add.at(found, (codes[known], position, places[known]), 1.0)
        smooth = found + float(self.pseudo_count) * background
        shares = smooth / (found.sum(axis=2, keepdims=True) + float(self.pseudo_count))
        self.log_odds_: FloatArray = np.log(shares) - np.log(background)
        self.log_prior_: FloatArray = np.log(np.bincount(codes) / len(codes))

    def _decisions(self, data: FloatArray) -> FloatArray:
        """Add up the log-odds of each sample."""
        evidence = np.zeros((len(data), len(self.classes_)))
        for position, column in enumerate(data.T):
            places, known = self._places(column)
            evidence[known] += self.log_odds_[:, position, places[known]].T
        evidence += self.log_prior_
        return evidence[:, 1:] - evidence[:, :1] if len(self.classes_) == 2 else evidence

    def _places(self, column: NDArray[Any]) -> tuple[IndexArray, Any]:
        """Find each code among the categories, and tell which are there."""
        if not len(self.categories_):
            return np.zeros(len(column), dtype=np.intp), np.zeros(len(column), dtype=bool)
        places = np.minimum(np.searchsorted(self.categories_, column), len(self.categories_) - 1)
        return places, self.categories_[places] == column
