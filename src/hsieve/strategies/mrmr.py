"""Greedy mRMR: at each step the most relevant feature that repeats those taken the least.

With S the features taken, the next one maximises over all others k (Peng, Long and Ding 2005)

    difference:   relevance_k - mean over s in S of redundancy_ks
    quotient:     relevance_k / mean over s in S of redundancy_ks

and the first is the most relevant one. The sum of redundancies is carried along, so a step asks for
one new column of redundancies.

Cost: the relevance of d features and k - 1 columns of d redundancies for k features.
"""

from collections.abc import Callable
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hsieve.exceptions import IncompatibleCombinationError
from hsieve.measures.base import BoundMeasure, Measure, PairwiseStatistics
from hsieve.progress import report
from hsieve.strategies.base import (
    LONGEST_SEARCH,
    SelectionPath,
    Strategy,
    best_first,
    relevance_of_all,
)

__all__ = ["FORMS", "MRMRSearch"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

FORMS = ("difference", "quotient")
BLOCK = 512
# A mean redundancy below this counts as this in the quotient, which would be infinite at zero.
LEAST_REDUNDANCY = 1e-12


class MRMRSearch(Strategy):
    """Add features one by one: minimum redundancy, maximum relevance.

    Parameters
    ----------
    form : {"difference", "quotient"}, default="difference"
        Whether the mean redundancy is taken from the relevance or divides it.

    Notes
    -----
    The score of a taken feature is its criterion when it was taken; a set scores the sum of these.
    Features not taken follow by their criterion at the last step. The difference needs relevance
    and redundancy on one scale, as correlation, mutual information and NHSIC have them; plain HSIC,
    whose scale is that of the kernels, is taken by the quotient only.
    """

    needs: ClassVar[tuple[str, ...]] = ("relevance", "redundancy")
    refusal: ClassVar[str] = (
        "Choose a pairwise measure such as MutualInformation(), Pearson() or PairwiseHSIC()."
    )

    def __init__(self, *, form: str = "difference") -> None:
        self.form = form

    def check_compatible(self, measure: Measure) -> None:
        """Refuse a measure without pairwise statistics, or with ones that do not fit the form."""
        super().check_compatible(measure)
        if self.form == "difference" and not getattr(measure, "normalised", True):
            msg = (
                f"MRMRSearch cannot search with {measure!r}: its relevance and redundancy are on "
                "different scales, so that their difference means nothing. Choose PairwiseHSIC() "
                "or form='quotient'."
            )
            raise IncompatibleCombinationError(msg)
        if self.form == "quotient" and not measure.redundancy_is_positive:
            msg = (
                f"MRMRSearch cannot search with {measure!r}: its redundancy of unrelated features "
                "may be estimated at or below zero, and nothing can be divided by that. Choose "
                "form='difference'."
            )
            raise IncompatibleCombinationError(msg)

    def check_parameters(self, n_features: int, n_wanted: int) -> None:
        """Refuse an unknown form."""
        if self.form not in FORMS:
            msg = f"form must be one of {FORMS}, got {self.form!r}."
            raise ValueError(msg)

    def n_searched(self, n_features: int) -> int:
        """Return how many features to look for where the number wanted is not known yet."""
        return min(LONGEST_SEARCH, n_features)

    def search(self, bound: BoundMeasure, n_features_to_select: int) -> SelectionPath:
        """Take features until there are enough."""
        assert isinstance(bound, PairwiseStatistics)
        self.check_parameters(bound.n_features, n_features_to_select)
        features = np.arange(bound.n_features)
        relevance = relevance_of_all(bound, share_of_work=1 / n_features_to_select)
        criterion = relevance.copy()
        total_redundancy = np.zeros(len(features))
        taken: list[int] = []
        scores: list[float] = []
        for step in range(n_features_to_select):
            if step:
                newest = partial(_column, bound, np.array(taken[-1:]))
                total_redundancy += _in_blocks(newest, features)
                criterion = self._criterion(relevance, total_redundancy / step)
                criterion[taken] = -np.inf
            best = int(np.argmax(criterion))
            taken.append(best)
            scores.append(float(criterion[best]))
            report((step + 1) / n_features_to_select, "adding features")
        rest = np.setdiff1d(features, taken)
        rest = rest[best_first(criterion[rest])]
        return SelectionPath(
            order=np.concatenate([np.array(taken, dtype=np.intp), rest]),
            feature_scores=np.concatenate([scores, criterion[rest]]),
            sizes=np.arange(1, len(taken) + 1),
            set_scores=np.cumsum(scores),
            stop_reason="enough features",
            n_evaluations=len(features) * len(taken),
        )

    def _criterion(self, relevance: FloatArray, redundancy: FloatArray) -> FloatArray:
        if self.form == "difference":
            return relevance - redundancy
        return np.asarray(relevance / np.maximum(redundancy, LEAST_REDUNDANCY))


def _column(bound: PairwiseStatistics, active: IndexArray, features: IndexArray) -> FloatArray:
    """Redundancies of features with one of them."""
    return bound.redundancy(features, active)[:, 0]


def _in_blocks(statistic: Callable[[IndexArray], FloatArray], features: IndexArray) -> FloatArray:
    """Values of a statistic for all features, asked for a block at a time."""
    values = np.empty(len(features))
    for start in range(0, len(features), BLOCK):
        block = features[start : start + BLOCK]
        values[block] = statistic(block)
    return values
