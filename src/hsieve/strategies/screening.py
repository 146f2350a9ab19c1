"""Ranking by relevance, and iterative screening on top of it.

Iterative screening: rank by relevance, then pass over features redundant with those taken.

The N3LARS paper (section 3.4), after Balasubramanian et al. (2013): screen m features by relevance,
then choose m' of them by an iteration that filters out redundancy, which the paper does not spell
out. Here it is orthogonal matching pursuit over kernels. Each step takes the feature k whose kernel
K_k has the largest inner product with what is left of the target's kernel L after projecting the
kernels of the features taken, S, out of it:

    <K_k, L - P_S L> = r_k - Q_kS Q_SS^-1 r_S,

which needs nothing but relevances r and redundancies Q. An exact copy of a feature taken has
nothing left. The projection is carried along as a Cholesky factor of Q_SS, a column a step.

Cost: the relevance of d features and m' columns of m redundancies.
"""

import math
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from hsieve.array_types import FloatArray, IndexArray
from hsieve.measures.base import PairwiseBoundMeasure
from hsieve.parameters import integer, rules
from hsieve.progress import report
from hsieve.strategies.base import (
    DEPENDENCE_TOLERANCE,
    LONGEST_SEARCH,
    SelectionPath,
    Strategy,
    best_first,
    scores_of_all,
)


@dataclass(eq=False, repr=False)
class IterativeScreening(Strategy):
    """Screen by relevance, then take features by what they add to those taken.

    Parameters
    ----------
    n_screened : int, default=500
        Features that pass the first screen (all, where there are fewer); as many as are wanted if
        these are more.

    Notes
    -----
    The score of a taken feature is its relevance after the projection, when it was taken; a set
    scores the sum of these. The other screened features follow by what they would add at the end,
    then come those that were screened out, by relevance. The iteration ends early where no feature
    has a positive product left with the target.
    """

    n_screened: int = 500

    needs = ("relevance", "redundancy")
    demands = ("redundancy_is_psd",)
    refusal = "Choose a pairwise measure such as PairwiseHSIC()."

    allowed = rules(n_screened=integer(1))

    def n_ranked(self, n_features: int) -> int:
        """Return how many features to look for where a rule chooses their number afterwards."""
        screened = self.n_screened if isinstance(self.n_screened, Integral) else n_features
        return max(1, min(LONGEST_SEARCH, n_features, int(screened)))

    def search(self, bound: PairwiseBoundMeasure, n_features_to_select: int) -> SelectionPath:
        """Screen, then take features until there are enough."""
        relevance = scores_of_all(bound.relevance, bound.n_features, share_of_work=0.5)
        by_relevance = best_first(relevance)
        n_screened = max(self.n_screened, n_features_to_select)
        screened = np.sort(by_relevance[:n_screened])
        pursuit = _Pursuit(bound, screened, relevance[screened])
        scores = pursuit.take(n_features_to_select)
        others, left = pursuit.others()
        rest = by_relevance[n_screened:]
        enough = len(scores) == n_features_to_select
        return SelectionPath(
            order=np.concatenate([screened[pursuit.taken], others, rest]).astype(np.intp),
            feature_scores=np.concatenate([scores, left, relevance[rest]]),
            sizes=np.arange(1, len(scores) + 1),
            set_scores=np.cumsum(scores),
            stop_reason="enough features" if enough else "nothing left to explain",
        )


class _Pursuit:
    """Orthogonal matching pursuit over some features; positions are among these."""

    def __init__(
        self, bound: PairwiseBoundMeasure, features: IndexArray, relevance: FloatArray
    ) -> None:
        self.bound, self.features = bound, features
        self.left = relevance.copy()
        self.taken: list[int] = []
        self.barred = np.zeros(len(features), dtype=bool)
        # Coordinates of every kernel on the orthonormalised kernels taken, one row each.
        self.coordinates: list[FloatArray] = []

    def take(self, n_wanted: int) -> list[float]:
        """Take features while there are any with something left; return what each had left."""
        scores: list[float] = []
        while len(scores) < n_wanted:
            left = np.where(self.barred, -np.inf, self.left)
            best = int(np.argmax(left))
            if left[best] <= 0:
                break
            if self._project_out(best):
                self.taken.append(best)
                scores.append(float(left[best]))
                report(0.5 + 0.5 * len(scores) / n_wanted, "iterative screening")
            self.barred[best] = True
        return scores

    def _project_out(self, position: int) -> bool:
        """Project one kernel out of the target's; False, doing nothing, where it is dependent."""
        column = self.bound.redundancy(self.features, self.features[[position]])[:, 0]
        squared_norm = float(column[position])
        for coordinate in self.coordinates:
            column = column - coordinate[position] * coordinate
        if column[position] <= DEPENDENCE_TOLERANCE * squared_norm:
            return False
        root = math.sqrt(column[position])
        self.left -= self.left[position] / root * (column / root)
        self.coordinates.append(column / root)
        return True

    def others(self) -> tuple[IndexArray, FloatArray]:
        """Features not taken, by what they would add, and that."""
        rest = np.setdiff1d(np.arange(len(self.features)), self.taken)
        rest = rest[best_first(self.left[rest])]
        return self.features[rest], self.left[rest]


class Ranking(Strategy):
    """Sort the features by their own dependence on the target."""

    needs = ("feature_scores",)
    refusal = "Choose a measure of single features."

    def search(self, bound: Any, n_features_to_select: int) -> SelectionPath:
        """Rank all features."""
        scores = scores_of_all(bound.feature_scores, bound.n_features)
        order = best_first(scores)
        return SelectionPath(
            order=order,
            feature_scores=scores[order],
            sizes=np.array([1]),
            set_scores=scores[order[:1]],
            stop_reason="all features ranked",
        )
