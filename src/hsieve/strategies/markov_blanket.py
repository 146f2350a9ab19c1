"""FCBF: the fast correlation-based filter of Yu and Liu (2003).

Features are walked through by falling relevance. Each one met is kept, and drops all later features
that it tells more about than they tell about the target:

    redundancy(q, kept) >= relevance(q).

What is left are the *predominant* features, a set whose size the method finds itself. Features are
dropped only by earlier ones, so the first k kept are final and the walk may end there.

Cost: the relevance of d features and a column of at most d redundancies for each feature kept.
"""

from numbers import Real
from typing import ClassVar

import numpy as np

from hsieve.exceptions import IncompatibleCombinationError
from hsieve.measures.base import BoundMeasure, Measure, PairwiseStatistics
from hsieve.progress import report
from hsieve.strategies.base import SelectionPath, Strategy, best_first, relevance_of_all

__all__ = ["FCBFSearch"]

# Redundancies this much below the relevance are taken as equal to it: both are rounded sums.
ROUNDING = 1e-12


class FCBFSearch(Strategy):
    """Keep relevant features that no more relevant one stands for.

    Parameters
    ----------
    threshold : float, default=0.0
        Only features of a relevance above this may be kept (or the most relevant one, if none is).

    Notes
    -----
    The score of a feature is its relevance. Features kept come first, then those not yet looked at
    when there were enough, then those dropped or irrelevant; only the former two may be selected,
    so that fewer than asked for may come back. Relevance and redundancy must be on one scale, as
    those of symmetrical uncertainty (the paper's), correlation and NHSIC are.
    """

    needs: ClassVar[tuple[str, ...]] = ("relevance", "redundancy")
    refusal: ClassVar[str] = (
        "Choose a pairwise measure such as SymmetricalUncertainty(), Pearson() or PairwiseHSIC()."
    )
    own_number: ClassVar[str] = "which features are kept, and so how many, is part of its answer"

    def __init__(self, threshold: float = 0.0) -> None:
        self.threshold = threshold

    def check_compatible(self, measure: Measure) -> None:
        """Refuse a measure without pairwise statistics, or with ones that cannot be compared."""
        super().check_compatible(measure)
        if not getattr(measure, "normalised", True):
            msg = (
                f"FCBFSearch cannot search with {measure!r}: its relevance and redundancy are on "
                "different scales, so that they cannot be compared. Choose PairwiseHSIC()."
            )
            raise IncompatibleCombinationError(msg)

    def check_parameters(self, n_features: int, n_wanted: int) -> None:
        """Refuse a threshold that is no number of at least zero."""
        value = self.threshold
        if not (isinstance(value, Real) and not isinstance(value, bool) and value >= 0):
            msg = f"threshold must be a number of at least 0, got {value!r}."
            raise ValueError(msg)

    def search(self, bound: BoundMeasure, n_features_to_select: int) -> SelectionPath:
        """Keep features until there are enough or none is left."""
        assert isinstance(bound, PairwiseStatistics)
        self.check_parameters(bound.n_features, n_features_to_select)
        relevance = relevance_of_all(bound, share_of_work=0.5)
        by_relevance = best_first(relevance)
        n_relevant = max(1, int((relevance > self.threshold).sum()))
        left = by_relevance[:n_relevant]
        kept: list[int] = []
        n_pairs = 0
        while len(left) and len(kept) < n_features_to_select:
            best, left = left[:1], left[1:]
            kept.append(int(best[0]))
            if len(left):
                shared = bound.redundancy(left, best)[:, 0]
                n_pairs += len(left)
                left = left[shared < relevance[left] - ROUNDING]
            report(0.5 + 0.5 * len(kept) / n_features_to_select, "dropping what repeats")
        front = np.concatenate([np.array(kept, dtype=np.intp), left])
        order = np.concatenate([front, by_relevance[~np.isin(by_relevance, front)]])
        return SelectionPath(
            order=order,
            feature_scores=relevance[order],
            sizes=np.arange(1, len(kept) + 1),
            set_scores=np.cumsum(relevance[kept]),
            stop_reason="nothing left that is not told" if not len(left) else "enough features",
            n_evaluations=len(relevance) + n_pairs,
            n_selectable=len(front),
        )
