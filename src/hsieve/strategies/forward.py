"""Forward selection: add, again and again, the feature that brings most.

With HSIC this is FOHSIC. Cheaper than backward elimination when few features are wanted, but a
feature that matters only beside another cannot be seen while that other is not there.

Cost: k rounds, each one sweep over the features outside the set.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hsieve.fingerprint import Ignored
from hsieve.measures.base import BoundMeasure, FeatureScores, SubsetScores
from hsieve.progress import report
from hsieve.strategies.base import LONGEST_SEARCH, SelectionPath, Strategy, best_first

__all__ = ["Forward"]


class Forward(Strategy):
    """Add the feature that leaves the score highest, until enough are chosen.

    Features that were not chosen follow in the order of their scores in the last round.
    """

    needs: ClassVar[tuple[str, ...]] = ("feature_scores", "subset_score", "addition_scores")
    refusal: ClassVar[str] = (
        "It scores single features only, for which forward selection equals Ranking."
    )

    keeps_results: ClassVar[bool] = True

    def n_searched(self, n_features: int) -> int:
        """Return how many features to look for where the number wanted is not known yet."""
        return min(LONGEST_SEARCH, n_features)

    def search(self, bound: BoundMeasure, n_features_to_select: int) -> SelectionPath:
        """Add features one by one."""
        assert isinstance(bound, FeatureScores)
        with self._rounds() as done:
            return self._add(bound, n_features_to_select, done)

    def _add(
        self, bound: BoundMeasure, n_features_to_select: int, done: Callable[..., Any]
    ) -> SelectionPath:
        """Add features, round by round."""
        assert isinstance(bound, SubsetScores)
        chosen: list[int] = []
        gains: list[float] = []
        set_scores: list[float] = []
        outside = np.arange(bound.n_features)
        evaluations = 0
        score = 0.0
        contributions = np.zeros(len(outside))
        while len(chosen) < n_features_to_select:
            subset = np.array(chosen, dtype=np.intp)
            (after,) = done(_scores_after, (subset, outside), bound)
            evaluations += len(outside)
            best = int(best_first(after)[0])
            before, score = score, bound.subset_score(np.append(subset, outside[best]))
            gains.append(score - before)
            set_scores.append(score)
            chosen.append(int(outside[best]))
            contributions = np.delete(after - after[best], best)
            outside = np.delete(outside, best)
            report(len(chosen) / n_features_to_select, "forward selection")
        rest = best_first(contributions)
        return SelectionPath(
            order=np.concatenate([np.array(chosen, dtype=np.intp), outside[rest]]),
            feature_scores=np.concatenate([gains, contributions[rest]]),
            sizes=np.arange(1, len(chosen) + 1),
            set_scores=np.array(set_scores),
            stop_reason=f"{len(chosen)} features chosen",
            n_evaluations=evaluations,
        )


def _scores_after(
    task: tuple[NDArray[np.intp], NDArray[np.intp]], of: Ignored
) -> tuple[NDArray[np.floating]]:
    """Score of the set with each feature outside it; a round of the search."""
    subset, outside = task
    # On the empty set a bandwidth rule has no distances to look at; scores of single features have.
    if len(subset):
        return (of.value.addition_scores(subset, outside),)
    return (of.value.feature_scores(outside),)
