"""The regularisation path of the non-negative lasso over features: relevant, not redundant.

Minimises |L - sum_k alpha_k K_k|^2 + lambda sum_k alpha_k over alpha >= 0, where L and K_k are the
kernels of target and features; all that is needed of them is the relevance of each feature and the
redundancy of few pairs. With NHSIC this is N3LARS, with HSIC it is HSIC Lasso.

Cost: one pass over the features for the relevance; then only the redundancies that the exact
bound of :mod:`hsieve.solvers.nonnegative_lars` calls for.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from numbers import Real
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from hsieve.exceptions import IncompatibleCombinationError
from hsieve.kernels.columns import check_positions
from hsieve.measures.base import BoundMeasure, Measure, PairwiseStatistics
from hsieve.progress import report
from hsieve.solvers import LarsPath, nonnegative_lars_path
from hsieve.strategies.base import (
    DEPENDENCE_TOLERANCE,
    SelectionPath,
    Strategy,
    best_first,
)

__all__ = ["LarsSearch", "LarsSelectionPath"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

# Features that share this much (NHSIC) with a selected one are interchangeable with it.
INTERCHANGEABLE = 0.9
# Candidates looked at together when the path gave fewer features than are wanted.
FILL_BATCH = 64


@dataclass(frozen=True, eq=False)
class LarsSelectionPath(SelectionPath):
    """A selection path with the coefficients along the regularisation path.

    Parameters
    ----------
    lars : LarsPath
        Levels, active sets and coefficients at every knot.
    relevance : ndarray of shape (n_features,)
        Relevance of every feature.
    groups : tuple of ndarray
        For each of ``lars.selected``, the features met on the path that are interchangeable
        with it, closest first.
    """

    lars: LarsPath
    relevance: FloatArray
    groups: tuple[IndexArray, ...]

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
            known=tuple((features[others], entries) for others, entries in self.lars.known),
        )
        groups = tuple(features[group] for group in self.groups)
        selectable = len(features) if self.n_selectable is None else self.n_selectable
        return replace(
            super().among(features, n_features),
            lars=lars,
            relevance=relevance,
            groups=groups,
            n_selectable=selectable,
        )


class LarsSearch(Strategy):
    """Follow the non-negative regularisation path until enough features are active.

    Parameters
    ----------
    covariates : iterable of int, default=()
        Features to adjust for: their kernels are fitted first, without penalty, and they are never
        selected.
    max_redundancy : float or None, default=None
        Most that two selected features may share (NHSIC, from 0 to 1); None for no limit.

    Notes
    -----
    Features in the answer are ordered by their coefficient where the path stops; the others follow
    by relevance. Where the path ends with fewer features than are wanted, the most relevant of the
    others, as far as `max_redundancy` allows, come next.
    """

    needs: ClassVar[tuple[str, ...]] = ("relevance", "redundancy", "self_redundancy")
    refusal: ClassVar[str] = "Choose a pairwise measure such as PairwiseHSIC()."

    def __init__(
        self, *, covariates: Iterable[int] = (), max_redundancy: float | None = None
    ) -> None:
        self.covariates = covariates
        self.max_redundancy = max_redundancy

    def check_compatible(self, measure: Measure) -> None:
        """Refuse a measure without pairwise statistics, or with ones that give no convex path."""
        pairwise = hasattr(getattr(measure, "bound_type", None), "redundancy")
        if pairwise and not measure.redundancy_is_psd:
            msg = (
                f"LarsSearch cannot search with {measure!r}: its matrix of redundancies is not "
                "positive semi-definite, so that there is no convex path. Choose PairwiseHSIC() "
                "or Pearson(squared=True)."
            )
            raise IncompatibleCombinationError(msg)
        super().check_compatible(measure)

    def check_parameters(self, n_features: int, n_wanted: int) -> None:
        """Refuse covariates that are not there, or all there are, and a cap out of range."""
        covariates = check_positions(self.covariates, n_features, name="covariates")
        if len(np.unique(covariates % n_features)) == n_features:
            msg = f"Of {n_features} features none is left to select beside the covariates."
            raise ValueError(msg)
        self._most_redundancy()

    def among(self, features: IndexArray, n_features: int) -> Self:
        """Return the strategy with its covariates counted among some of the features."""
        covariates = check_positions(self.covariates, n_features, name="covariates")
        place = np.full(n_features, -1)
        place[features] = np.arange(len(features))
        places = np.unique(place[covariates])
        return type(self)(
            covariates=places[places >= 0].tolist(), max_redundancy=self.max_redundancy
        )

    def search(self, bound: BoundMeasure, n_features_to_select: int) -> LarsSelectionPath:
        """Follow the path."""
        assert isinstance(bound, PairwiseStatistics)
        self.check_parameters(bound.n_features, n_features_to_select)
        covariates = np.array(list(self.covariates), dtype=np.intp) % bound.n_features
        relevance = bound.relevance(np.arange(bound.n_features))
        report(0.8, "regularisation path")
        lars = nonnegative_lars_path(
            relevance,
            bound.redundancy,
            max_features=n_features_to_select,
            first=covariates.tolist(),
            max_overlap=self._most_redundancy(),
            batch_entries=bound.worthwhile_entries,
            dependence_tolerance=DEPENDENCE_TOLERANCE,
        )
        report(1.0, "regularisation path")
        coefficients = lars.coefficients(float(lars.levels[-1]))
        coefficients[covariates] = 0.0
        chosen = lars.selected[best_first(coefficients[lars.selected])]
        others = np.setdiff1d(np.arange(bound.n_features), np.concatenate([chosen, covariates]))
        others = others[best_first(relevance[others])]
        fillers = self._fillers(bound, chosen, others, n_features_to_select)
        rest = others[~np.isin(others, fillers)]
        order = np.concatenate([chosen, fillers, rest, covariates])
        return LarsSelectionPath(
            order=order,
            feature_scores=coefficients[order],
            sizes=np.array([len(chosen)]),
            set_scores=np.array([float(coefficients @ relevance)]),
            stop_reason=lars.stop_reason,
            n_evaluations=bound.n_features + lars.entries_computed,
            n_selectable=len(chosen) + len(fillers),
            lars=lars,
            relevance=relevance,
            groups=tuple(_groups(bound, lars)),
        )

    def _fillers(
        self,
        statistics: PairwiseStatistics,
        chosen: IndexArray,
        others: IndexArray,
        n_wanted: int,
    ) -> IndexArray:
        """Others, by relevance, that may be selected where the path gave too few."""
        most = self._most_redundancy()
        if most == 1.0:
            return others
        if len(chosen) >= n_wanted:
            return others[:0]
        covariates = np.array(list(self.covariates), dtype=np.intp)
        before = np.concatenate([chosen, covariates])
        return _least_overlapping(
            statistics, before, others, n_more=n_wanted - len(chosen), most=most
        )

    def _most_redundancy(self) -> float:
        if self.max_redundancy is None:
            return 1.0
        most = self.max_redundancy
        if isinstance(most, Real) and not isinstance(most, bool) and 0 < most <= 1:
            return float(most)
        msg = f"max_redundancy must be None or a number above 0 and at most 1, got {most!r}."
        raise ValueError(msg)


def _overlaps(
    statistics: PairwiseStatistics, features: IndexArray, others: IndexArray
) -> FloatArray:
    """Redundancy of features with others as a share of what it is for a copy."""
    own = np.sqrt(np.outer(*map(statistics.self_redundancy, (features, others))))
    return np.asarray(statistics.redundancy(features, others) / np.where(own > 0, own, 1.0))


def _least_overlapping(
    statistics: PairwiseStatistics,
    chosen: IndexArray,
    candidates: IndexArray,
    *,
    n_more: int,
    most: float,
) -> IndexArray:
    """Take the most relevant candidates that share at most so much with those taken before."""
    taken: list[int] = []
    for start in range(0, len(candidates), FILL_BATCH):
        batch = candidates[start : start + FILL_BATCH]
        free = np.ones(len(batch), dtype=bool)
        before = np.concatenate([chosen, np.array(taken, dtype=np.intp)])
        if len(before):
            free = _overlaps(statistics, batch, before).max(axis=1) <= most
        among = _overlaps(statistics, batch, batch)
        for place in range(len(batch)):
            if len(taken) == n_more:
                break
            if free[place]:
                taken.append(int(batch[place]))
                free &= among[:, place] <= most
    return np.array(taken, dtype=np.intp)


def _groups(statistics: PairwiseStatistics, lars: LarsPath) -> list[IndexArray]:
    """Features met on the path that are interchangeable with each selected one."""
    groups = []
    for feature, (others, entries) in zip(lars.selected, lars.known, strict=True):
        own = statistics.self_redundancy(others) * statistics.self_redundancy(np.array([feature]))
        shares = entries / np.sqrt(np.where(own > 0, own, 1.0))
        order = best_first(shares)
        groups.append(others[order[shares[order] >= INTERCHANGEABLE]])
    return groups
