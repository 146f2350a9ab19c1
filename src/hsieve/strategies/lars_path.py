"""The regularisation path of the non-negative lasso over features: relevant, not redundant.

Minimises |L - sum_k alpha_k K_k|^2 + lambda sum_k alpha_k over alpha >= 0, where L and K_k are the
kernels of target and features; all that is needed of them is the relevance of each feature and the
redundancy of few pairs. With NHSIC this is N3LARS, with HSIC it is HSIC Lasso.

With interactions, pairs of features are *atoms* of the same lasso beside the single features: atoms
below the number of features are features, those from there on are pairs. Of all pairs the most
relevant are kept. A pair that was not kept cannot enter above its own relevance, so down to that
level the path is that over all pairs, and there it ends. Where it then has fewer features than are
wanted, more pairs are kept and it is followed again.

Cost: one pass over the features for the relevance, one sweep over their pairs if these are wanted;
then only the redundancies that the exact bound of :mod:`hsieve.solvers.nonnegative_lars` calls for.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from hsieve.array_types import FloatArray, IndexArray
from hsieve.exceptions import CrowdedInteractionsWarning, IncompatibleCombinationError, warn_user
from hsieve.interactions.atoms import BoundPairAtoms, with_pairs
from hsieve.kernels.columns import check_positions
from hsieve.measures.base import Measure, PairwiseBoundMeasure
from hsieve.measures.pairwise import BoundPairwiseHSIC
from hsieve.parameters import NONE, number, rules, word
from hsieve.progress import report, stage
from hsieve.solvers import LarsPath, nonnegative_lars_path
from hsieve.strategies.base import (
    DEPENDENCE_TOLERANCE,
    LONGEST_SEARCH,
    SelectionPath,
    Strategy,
    best_first,
)
from hsieve.strategies.overlaps import JoiningPairs, interchangeable, least_overlapping

# Pairs kept at first, how many times more each time they do not suffice, and at most.
FIRST_PAIRS = 16_384
TIMES_MORE_PAIRS = 8
MOST_PAIRS = 1_048_576


@dataclass(frozen=True, eq=False)
class LarsSelectionPath(SelectionPath):
    """A selection path with the coefficients along the regularisation path.

    Parameters
    ----------
    lars : LarsPath
        Levels, active sets and coefficients at every knot, over features and pairs: atoms from
        ``n_features`` on are pairs.
    relevance : ndarray of shape (n_features,)
        Relevance of every feature.
    groups : tuple of ndarray
        For each of ``lars.selected``, the features met on the path that are interchangeable
        with it, closest first; empty for a pair.
    pairs : ndarray of shape (n_pairs, 2)
        Features of each pair that could have entered.
    pair_relevance : ndarray of shape (n_pairs,)
        Relevance of each of them.
    """

    lars: LarsPath
    relevance: FloatArray
    groups: tuple[IndexArray, ...]
    pairs: IndexArray = field(default_factory=lambda: np.empty((0, 2), dtype=np.intp))
    pair_relevance: FloatArray = field(default_factory=lambda: np.empty(0))

    is_nested = False

    def features_of(self, atom: int) -> tuple[int, ...]:
        """Features that an atom of the path is made of."""
        n_features = len(self.relevance)
        return (atom,) if atom < n_features else tuple(self.pairs[atom - n_features].tolist())

    @property
    def features_on_path(self) -> set[int]:
        """Features of the atoms that were active at the end."""
        return {f for atom in self.lars.selected.tolist() for f in self.features_of(atom)}

    @property
    def nested_order(self) -> IndexArray:
        """Features in the order in which they entered the path, then the others."""
        selectable = self.order[: self.n_selectable].tolist()
        met = [f for atom in self.lars.order.tolist() for f in self.features_of(atom)]
        allowed = set(selectable)
        entered = [feature for feature in met if feature in allowed]
        return np.array(list(dict.fromkeys([*entered, *selectable])), dtype=np.intp)

    def among(self, features: IndexArray, n_features: int) -> Self:
        """Return the path of a search over some features as one over all of them."""
        relevance = np.zeros(n_features)
        relevance[features] = self.relevance
        atoms = np.concatenate([features, n_features + np.arange(len(self.pairs))])
        events = [
            replace(event, feature=int(atoms[event.feature]) if event.feature >= 0 else -1)
            for event in self.lars.events
        ]
        lars = replace(
            self.lars,
            active_sets=tuple(atoms[active] for active in self.lars.active_sets),
            selected=atoms[self.lars.selected],
            order=atoms[self.lars.order],
            events=tuple(events),
            n_features=n_features + len(self.pairs),
            known=tuple((atoms[others], entries) for others, entries in self.lars.known),
        )
        groups = tuple(features[group] for group in self.groups)
        selectable = len(features) if self.n_selectable is None else self.n_selectable
        return replace(
            super().among(features, n_features),
            lars=lars,
            relevance=relevance,
            groups=groups,
            pairs=features[self.pairs],
            n_selectable=selectable,
        )


@dataclass(eq=False, repr=False, kw_only=True)
class LarsSearch(Strategy):
    """Follow the non-negative regularisation path until enough features are active.

    Parameters
    ----------
    covariates : iterable of int, default=()
        Features to adjust for: their kernels are fitted first, without penalty, and they are never
        selected.
    max_redundancy : float or None, default=None
        Most that two selected features may share (NHSIC, from 0 to 1); None for no limit.
    interactions : {None, "pairs"}, default=None
        "pairs": pairs of features may enter beside single ones, of all there are.

    Notes
    -----
    Features in the answer are ordered by their coefficient where the path stops, those of a pair by
    that of the pair; the others follow by relevance. Where the path ends with fewer features than
    are wanted, the most relevant of the others, as far as `max_redundancy` allows, come next.
    """

    covariates: Iterable[int] = ()
    max_redundancy: float | None = None
    interactions: str | None = None

    needs = ("relevance", "redundancy", "self_redundancy")
    demands = ("redundancy_is_psd",)
    refusal = "Choose a pairwise measure such as PairwiseHSIC()."

    allowed = rules(
        max_redundancy=NONE | number(above=0, most=1), interactions=NONE | word("pairs")
    )

    @property
    def no_weights(self) -> str:  # type: ignore[override]
        """Atoms of pairs are products of factors, whose rows would be weighted twice."""
        is_plain = self.interactions is None
        return "" if is_plain else "counts all samples alike in the sweep over pairs"

    def check(self, measure: Measure, n_features: int, n_wanted: int) -> None:
        """Refuse statistics that give no convex path, wrong covariates, a cap out of range."""
        super().check(measure, n_features, n_wanted)
        if self.interactions is not None and not issubclass(measure.bound_type, BoundPairwiseHSIC):
            msg = (
                f"LarsSearch(interactions={self.interactions!r}) cannot search with {measure!r}, "
                "which knows no pairs of features. Choose PairwiseHSIC()."
            )
            raise IncompatibleCombinationError(msg)
        covariates = check_positions(self.covariates, n_features, name="covariates")
        if len(np.unique(covariates % n_features)) == n_features:
            msg = f"Of {n_features} features none is left to select beside the covariates."
            raise ValueError(msg)

    def n_ranked(self, n_features: int) -> int:
        """Return how many features to look for where a rule chooses their number afterwards."""
        return min(LONGEST_SEARCH, n_features)

    def search(self, bound: PairwiseBoundMeasure, n_features_to_select: int) -> LarsSelectionPath:
        """Follow the path."""
        covariates = np.array(list(self.covariates), dtype=np.intp) % bound.n_features
        relevance = bound.relevance(np.arange(bound.n_features))
        atoms: PairwiseBoundMeasure = bound
        if self.interactions is None or n_features_to_select < 2:
            lars = self._path(bound, relevance, n_features_to_select, covariates)
        else:
            assert isinstance(bound, BoundPairwiseHSIC)
            atoms, lars = self._path_with_pairs(bound, n_features_to_select, covariates)
        coefficients = lars.coefficients(float(lars.levels[-1]))
        coefficients[covariates] = 0.0
        path = LarsSelectionPath(
            order=np.arange(bound.n_features),
            feature_scores=np.zeros(bound.n_features),
            sizes=np.zeros(1, dtype=np.intp),
            set_scores=np.array(
                [float(coefficients @ atoms.relevance(np.arange(atoms.n_features)))]
            ),
            stop_reason=lars.stop_reason,
            lars=lars,
            relevance=relevance,
            groups=tuple(interchangeable(bound, lars)),
        )
        if isinstance(atoms, BoundPairAtoms):
            every_pair = np.arange(bound.n_features, atoms.n_features)
            path = replace(path, pairs=atoms.pairs, pair_relevance=atoms.relevance(every_pair))
        return self._ordered(path, bound, coefficients, n_features_to_select)

    def _path(
        self,
        atoms: PairwiseBoundMeasure,
        relevance: FloatArray,
        n_wanted: int,
        covariates: IndexArray,
    ) -> LarsPath:
        """Follow the path over features, or over features and pairs."""
        report(0.8, "regularisation path")
        rules: dict[str, Any] = {"max_overlap": self._most_redundancy()}
        if isinstance(atoms, BoundPairwiseHSIC):
            rules["least_redundancy"] = atoms.least_redundancy
        if isinstance(atoms, BoundPairAtoms):
            joining = JoiningPairs(atoms, self._most_redundancy())
            rules = {
                "lowest_level": atoms.ceiling,
                "size_of": joining.n_features_of,
                "may_join": joining.may_join,
            }
        lars = nonnegative_lars_path(
            relevance,
            atoms.redundancy,
            max_features=n_wanted,
            first=covariates.tolist(),
            batch_entries=atoms.worthwhile_entries,
            dependence_tolerance=DEPENDENCE_TOLERANCE,
            tie_tolerance=atoms.rounding,
            **rules,
        )
        report(1.0, "regularisation path")
        return lars

    def _path_with_pairs(
        self, bound: BoundPairwiseHSIC, n_wanted: int, covariates: IndexArray
    ) -> tuple[BoundPairAtoms, LarsPath]:
        """Keep so many pairs that no other could have entered the path."""
        n_kept = FIRST_PAIRS
        while True:
            with stage(0.1, 0.8):
                atoms = with_pairs(bound, n_kept, covariates)
            relevance = atoms.relevance(np.arange(atoms.n_features))
            lars = self._path(atoms, relevance, n_wanted, covariates)
            n_found = JoiningPairs(atoms, 1.0).n_features_of(lars.selected.tolist())
            if n_found >= n_wanted or lars.stop_reason != "lowest level":
                return atoms, lars
            if n_kept >= MOST_PAIRS:
                msg = (
                    f"{n_found} features are on the path over the {n_kept:,} most relevant pairs; "
                    "the others selected are the most relevant single features."
                )
                warn_user(msg, CrowdedInteractionsWarning)
                return atoms, lars
            n_kept = min(TIMES_MORE_PAIRS * n_kept, MOST_PAIRS)

    def _ordered(
        self,
        path: LarsSelectionPath,
        bound: PairwiseBoundMeasure,
        coefficients: FloatArray,
        n_wanted: int,
    ) -> LarsSelectionPath:
        """Put all features in order: those on the path, fillers, the rest, covariates."""
        lars, relevance = path.lars, path.relevance
        covariates = np.array(list(self.covariates), dtype=np.intp) % bound.n_features
        scores = np.zeros(bound.n_features)
        found: dict[int, None] = {}
        for atom in lars.selected[best_first(coefficients[lars.selected])].tolist():
            for feature in sorted(path.features_of(atom), key=lambda f: -relevance[f]):
                scores[feature] += coefficients[atom]
                found[feature] = None
        chosen = np.array(list(found), dtype=np.intp)
        others = np.setdiff1d(np.arange(bound.n_features), np.concatenate([chosen, covariates]))
        others = others[best_first(relevance[others])]
        if lars.events[-1].feature >= bound.n_features:
            # Of the pair that would have entered next not both features were wanted.
            is_next = np.isin(others, path.features_of(lars.events[-1].feature))
            others = np.concatenate([others[is_next], others[~is_next]])
        fillers = self._fillers(bound, chosen, others, n_wanted)
        rest = others[~np.isin(others, fillers)]
        order = np.concatenate([chosen, fillers, rest, covariates])
        return replace(
            path,
            order=order,
            feature_scores=scores[order],
            sizes=np.array([len(chosen)]),
            n_selectable=len(chosen) + len(fillers),
        )

    def _fillers(
        self,
        statistics: PairwiseBoundMeasure,
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
        return least_overlapping(
            statistics, before, others, n_more=n_wanted - len(chosen), most=most
        )

    def _most_redundancy(self) -> float:
        return 1.0 if self.max_redundancy is None else float(self.max_redundancy)
