"""Position weight matrices: how much each category at each position speaks for a class.

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
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["WeightMatrices", "weight_matrices"]

FloatArray = NDArray[np.floating]


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
