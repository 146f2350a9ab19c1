"""Searches for a Markov blanket of the target: FCBF and HITON-PC.

FCBF: the fast correlation-based filter of Yu and Liu (2003).

Features are walked through by falling relevance. Each one met is kept, and drops all later features
that it tells more about than they tell about the target:

    redundancy(q, kept) >= relevance(q).

What is left are the *predominant* features, a set whose size the method finds itself. Features are
dropped only by earlier ones, so the first k kept are final and the walk may end there.

Cost: the relevance of d features and a column of at most d redundancies for each feature kept.

HITON-PC: features that stay dependent on the target whatever few others are given.

Under the usual assumptions these are the parents and children of the target in its causal graph
(Aliferis, Tsamardinos and Statnikov 2003; the semi-interleaved form of Aliferis et al. 2010):

1. Features dependent on the target by themselves are walked through, strongest first.
2. Each joins the set unless some set of at most m members makes it independent of the target.
3. In the end each member is tested once more, given all sets of at most m other members, the
   weakest first, and leaves if one of them makes it independent.

Cost: d tests alone, and for each dependent feature up to t^m tests, t being the size of the set.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

import numpy as np

from hsieve.array_types import IndexArray
from hsieve.exceptions import NoRankingError, warn_user
from hsieve.measures.base import PairwiseBoundMeasure
from hsieve.parameters import integer, number, rules
from hsieve.progress import report
from hsieve.strategies.base import (
    SelectionPath,
    Strategy,
    best_first,
    scores_of_all,
)

# Redundancies this much below the relevance are taken as equal to it: both are rounded sums.
ROUNDING = 1e-12


# With more features kept without a test given others, and more than this fraction of them all, the
# search means little.
FEW_UNTESTED, MOST_UNTESTED = 10, 0.5
# Sets tested at once; the first that makes a feature independent ends the matter.
BATCH = 256


@dataclass(eq=False, repr=False)
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

    threshold: float = 0.0

    needs = ("relevance", "redundancy")
    demands = ("normalised",)
    refusal = (
        "Choose a pairwise measure such as SymmetricalUncertainty(), Pearson() or PairwiseHSIC()."
    )

    allowed = rules(threshold=number(least=0))

    def n_ranked(self, n_features: int) -> int:
        """Refuse to rank more features than are asked for."""
        msg = "which features are kept, and so how many, is part of its answer"
        raise NoRankingError(msg)

    def search(self, bound: PairwiseBoundMeasure, n_features_to_select: int) -> SelectionPath:
        """Keep features until there are enough or none is left."""
        relevance = scores_of_all(bound.relevance, bound.n_features, share_of_work=0.5)
        by_relevance = best_first(relevance)
        n_relevant = max(1, int((relevance > self.threshold).sum()))
        left = by_relevance[:n_relevant]
        kept: list[int] = []
        while len(left) and len(kept) < n_features_to_select:
            best, left = left[:1], left[1:]
            kept.append(int(best[0]))
            if len(left):
                shared = bound.redundancy(left, best)[:, 0]
                left = left[shared < relevance[left] - ROUNDING]
            report(0.5 + 0.5 * len(kept) / n_features_to_select, "dropping redundant features")
        front = np.concatenate([np.array(kept, dtype=np.intp), left])
        order = np.concatenate([front, by_relevance[~np.isin(by_relevance, front)]])
        return SelectionPath(
            order=order,
            feature_scores=relevance[order],
            sizes=np.arange(1, len(kept) + 1),
            set_scores=np.cumsum(relevance[kept]),
            stop_reason="nothing left that is not told" if not len(left) else "enough features",
            n_selectable=len(front),
        )


@dataclass(eq=False, repr=False, kw_only=True)
class ParentsChildren(Strategy):
    """Keep the features that no few others make independent of the target.

    Parameters
    ----------
    alpha : float, default=0.05
        Features with a p-value of at most this are dependent.
    max_given : int, default=3
        Largest number of features given in a test.

    Notes
    -----
    The score of a feature is minus the logarithm of its p-value alone. The features kept come
    first, strongest first; then the others, strongest first, which may not be selected, so that
    fewer than asked for may come back. The strongest feature of all may always be.
    """

    alpha: float = 0.05
    max_given: int = 3

    needs = ("feature_scores", "conditional_log_p")
    refusal = "Choose IndependenceTest()."

    allowed = rules(alpha=number(above=0, below=1), max_given=integer(0))

    def n_ranked(self, n_features: int) -> int:
        """Refuse to rank more features than are asked for."""
        msg = "which features are kept, and so how many, is part of its answer"
        raise NoRankingError(msg)

    def search(self, bound: Any, n_features_to_select: int) -> SelectionPath:
        """Find the set, then order all features."""
        scores = bound.feature_scores(np.arange(bound.n_features))
        by_strength = best_first(scores)
        dependent = by_strength[scores[by_strength] >= -math.log(self.alpha)]
        kept: list[int] = []
        for place, feature in enumerate(dependent.tolist()):
            if not self._explained(bound, feature, kept):
                kept.append(feature)
            report(0.9 * (place + 1) / len(dependent), "testing for independence")
        n_untested = 0
        for feature in kept[::-1]:
            others = [other for other in kept if other != feature]
            explained = self._explained(bound, feature, others)
            n_untested += explained is None
            if explained:
                kept = others
        report(1.0, "testing for independence")
        if n_untested > max(FEW_UNTESTED, MOST_UNTESTED * len(kept)):
            warn_user(
                f"{n_untested:,} of {len(kept):,} features were kept without any test given other "
                "features, for which there are too few samples per level or class; join classes, "
                "or take these features for those that depend on the target alone."
            )
        if not kept:
            kept = by_strength[:1].tolist()
        rest = by_strength[~np.isin(by_strength, kept)]
        order = np.concatenate([np.array(kept, dtype=np.intp), rest])
        return SelectionPath(
            order=order,
            feature_scores=scores[order],
            sizes=np.arange(1, len(kept) + 1),
            set_scores=np.cumsum(scores[kept]),
            stop_reason="no dependence left that others do not explain",
            n_selectable=len(kept),
        )

    def _explained(self, bound: Any, feature: int, others: list[int]) -> bool | None:
        """Whether some few others make the feature independent; None if no test could be done."""
        most = min(int(self.max_given), len(others))
        for size in range(1, most + 1):
            any_tested = False
            for given in _sets(others, size):
                log_p = bound.conditional_log_p(feature, given)
                # A test that could not be done (NaN) explains nothing.
                if (log_p > math.log(self.alpha)).any():
                    return True
                any_tested |= not np.isnan(log_p).all()
            if not any_tested:
                # With more given there are still fewer samples per cell.
                return None if size == 1 else False
        return False


def _sets(members: list[int], size: int) -> Iterator[IndexArray]:
    """Give all sets of some size, a batch at a time."""
    sets = combinations(members, size)
    while batch := list(islice(sets, BATCH)):
        yield np.array(batch, dtype=np.intp)
