"""Families of weak learners over single features, priced without ever being written out.

A family answers two questions of column generation (:mod:`hsieve.classifiers.lpboost_solver`):
which learners have the largest edge sum_i g_i h(x_i) for given signed weights g of the samples, at
most one for each feature, and what a learner says of each sample. Every learner also comes with its
opposite, so the size of the edge counts and its sign says which of the two is meant.

Cost: O(n d) for all edges.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["SingleFeatures", "Stumps", "WeakLearners"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

# Columns whose order statistics are looked at together: 8 MB for 1,000 samples.
BLOCK = 1024


class WeakLearners(ABC):
    """A family of learners, each over one feature."""

    @abstractmethod
    def best_edges(self, signed_weights: FloatArray) -> tuple[FloatArray, IndexArray]:
        """Give the edge of each feature's best learner, with its sign, and the place of its cut."""

    @abstractmethod
    def answers(self, feature: int, cut: int) -> FloatArray:
        """Give what a learner says of each sample."""


@dataclass(frozen=True, eq=False)
class SingleFeatures(WeakLearners):
    """Features as they are.

    Parameters
    ----------
    columns : ndarray of shape (n_samples, n_features)
        Standardised features.
    """

    columns: FloatArray

    def best_edges(self, signed_weights: FloatArray) -> tuple[FloatArray, IndexArray]:
        """Give the edge of each feature; there are no cuts."""
        return self.columns.T @ signed_weights, np.zeros(self.columns.shape[1], dtype=np.intp)

    def answers(self, feature: int, cut: int) -> FloatArray:
        """Give the feature."""
        return np.asarray(self.columns[:, feature])


class Stumps(WeakLearners):
    """Decision stumps: +1 from a threshold on, -1 below, at every gap between values of a feature.

    Parameters
    ----------
    columns : ndarray of shape (n_samples, n_features)
        Features on any scale.

    Notes
    -----
    The cut k of a feature lies between its k-th and its (k + 1)-th smallest value.
    """

    def __init__(self, columns: FloatArray) -> None:
        self._columns = columns
        self._order = np.argsort(columns, axis=0, kind="stable")

    def best_edges(self, signed_weights: FloatArray) -> tuple[FloatArray, IndexArray]:
        """Give the edge of each feature's best cut: what lies above minus what lies below."""
        n_features = self._columns.shape[1]
        edges, cuts = np.zeros(n_features), np.zeros(n_features, dtype=np.intp)
        for start in range(0, n_features, BLOCK):
            order = self._order[:, start : start + BLOCK]
            values = np.take_along_axis(self._columns[:, start : start + BLOCK], order, axis=0)
            below = np.cumsum(signed_weights[order], axis=0)
            edge = (below[-1] - 2 * below)[:-1]
            edge[values[1:] == values[:-1]] = 0.0
            best = np.argmax(np.abs(edge), axis=0)
            edges[start : start + BLOCK] = edge[best, np.arange(edge.shape[1])]
            cuts[start : start + BLOCK] = best
        return edges, cuts

    def answers(self, feature: int, cut: int) -> FloatArray:
        """Give +1 above the cut and -1 below."""
        said = np.ones(len(self._columns))
        said[self._order[: cut + 1, feature]] = -1.0
        return said

    def threshold(self, feature: int, cut: int) -> float:
        """Give the value from which on the stump says +1: midway between two values.

        Parameters
        ----------
        feature, cut : int
            The stump.
        """
        low, high = self._columns[self._order[cut : cut + 2, feature], feature].tolist()
        middle = low + (high - low) / 2
        # Two neighbouring floats have nothing between them.
        return float(middle if low < middle <= high else high)
