"""Ranking: score each feature on its own and sort.

One pass, blind to features that matter only together and to features that repeat each other.
"""

from typing import ClassVar

import numpy as np

from hsieve.measures.base import BoundMeasure, FeatureScores
from hsieve.progress import report
from hsieve.strategies.base import SelectionPath, Strategy, best_first

__all__ = ["Ranking"]

BLOCK = 256


class Ranking(Strategy):
    """Sort the features by their own dependence on the target."""

    needs: ClassVar[tuple[str, ...]] = ("feature_scores",)
    refusal: ClassVar[str] = "Choose a measure of single features."

    def search(self, bound: BoundMeasure, n_features_to_select: int) -> SelectionPath:
        """Rank all features."""
        assert isinstance(bound, FeatureScores)
        features = np.arange(bound.n_features)
        scores = np.empty(len(features))
        for start in range(0, len(features), BLOCK):
            block = features[start : start + BLOCK]
            scores[block] = bound.feature_scores(block)
            report((start + len(block)) / len(features), "ranking features")
        order = best_first(scores)
        return SelectionPath(
            order=order,
            feature_scores=scores[order],
            sizes=np.array([1]),
            set_scores=scores[order[:1]],
            stop_reason="all features ranked",
            n_evaluations=len(features),
        )
