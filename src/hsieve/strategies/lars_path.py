"""The regularisation path of the non-negative lasso over features: relevant, not redundant.

Minimises |L - sum_k alpha_k K_k|^2 + lambda sum_k alpha_k over alpha >= 0, where L and K_k are the
kernels of target and features; all that is needed of them is the relevance of each feature and the
redundancy of few pairs. With NHSIC this is N3LARS, with HSIC it is HSIC Lasso.

Cost: one pass over the features for the relevance; then only the redundancies that the exact
bound of :mod:`hsieve.solvers.nonnegative_lars` calls for.
"""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from hsieve.exceptions import IncompatibleCombinationError
from hsieve.measures.base import BoundMeasure, Measure, PairwiseStatistics
from hsieve.progress import report
from hsieve.solvers import LarsPath, nonnegative_lars_path
from hsieve.strategies.base import SelectionPath, Strategy, best_first

__all__ = ["LarsSearch", "LarsSelectionPath"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

BLOCK = 512
# Redundancies through factors are right to about 1e-5; a feature closer than that to the span of
# the active ones is taken for dependent on them.
DEPENDENCE_TOLERANCE = 1e-4


@dataclass(frozen=True, eq=False)
class LarsSelectionPath(SelectionPath):
    """A selection path with the coefficients along the regularisation path.

    Parameters
    ----------
    lars : LarsPath
        Levels, active sets and coefficients at every knot.
    relevance : ndarray of shape (n_features,)
        Relevance of every feature.
    """

    lars: LarsPath
    relevance: FloatArray

    def among(self, features: IndexArray, n_features: int) -> Self:
        """Return the path of a search over some features as one over all of them."""
        relevance = np.zeros(n_features)
        relevance[features] = self.relevance
        events = [
            replace(event, feature=int(features[event.feature]) if event.feature >= 0 else -1)
            for event in self.lars.events
        ]
        lars = replace(
            self.lars,
            active_sets=tuple(features[active] for active in self.lars.active_sets),
            selected=features[self.lars.selected],
            order=features[self.lars.order],
            events=tuple(events),
            n_features=n_features,
        )
        return replace(super().among(features, n_features), lars=lars, relevance=relevance)


class LarsSearch(Strategy):
    """Follow the non-negative regularisation path until enough features are active.

    Features in the answer are ordered by their coefficient where the path stops; the others follow
    by relevance.
    """

    needs: ClassVar[tuple[str, ...]] = ("relevance", "redundancy")
    refusal: ClassVar[str] = "Choose a pairwise measure such as PairwiseHSIC()."

    def check_compatible(self, measure: Measure) -> None:
        """Refuse a measure without pairwise statistics, or with ones that give no convex path."""
        super().check_compatible(measure)
        if not measure.redundancy_is_psd:
            msg = (
                f"LarsSearch cannot search with {measure!r}: its matrix of redundancies is not "
                "positive semi-definite, so that there is no convex path. Choose PairwiseHSIC() "
                "or Pearson(squared=True)."
            )
            raise IncompatibleCombinationError(msg)

    def search(self, bound: BoundMeasure, n_features_to_select: int) -> LarsSelectionPath:
        """Follow the path."""
        assert isinstance(bound, PairwiseStatistics)
        features = np.arange(bound.n_features)
        relevance = np.empty(len(features))
        for start in range(0, len(features), BLOCK):
            block = features[start : start + BLOCK]
            relevance[block] = bound.relevance(block)
            report(0.9 * (start + len(block)) / len(features), "relevance")
        lars = nonnegative_lars_path(
            relevance,
            bound.redundancy,
            max_features=n_features_to_select,
            dependence_tolerance=DEPENDENCE_TOLERANCE,
        )
        report(1.0, "regularisation path")
        coefficients = lars.coefficients(float(lars.levels[-1]))
        chosen = lars.selected[best_first(coefficients[lars.selected])]
        rest = np.setdiff1d(features, chosen)
        rest = rest[best_first(relevance[rest])]
        order = np.concatenate([chosen, rest])
        return LarsSelectionPath(
            order=order,
            feature_scores=coefficients[order],
            sizes=np.array([len(chosen)]),
            set_scores=np.array([float(coefficients @ relevance)]),
            stop_reason=lars.stop_reason,
            n_evaluations=len(features) + lars.entries_computed,
            lars=lars,
            relevance=relevance,
        )
