"""Find the feature, or pair or triple of features, that might explain more of what is left.

Relevance of all features to the residuals is one pass over them; the most relevant ones are tested.
Where none passes, pairs and triples that act on the residuals only together are searched, as far as
all of them can be: a screened search would miss just those whose features tell nothing alone.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata

from hsieve.deadline import Deadline
from hsieve.inference.kernel_smoother import Smooth
from hsieve.interactions.pair_statistic import InteractionTarget
from hsieve.interactions.search import InteractionSearch
from hsieve.interactions.tests import InteractionTester
from hsieve.kernels.leading_factors import LeadingFactors
from hsieve.strategies.base import best_first

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

# Most relevant features that are tested, and so many of the strongest pairs or triples.
N_TESTED = 16
N_TUPLES = 24
# Factor columns of a feature in pairs and triples, and operations up to which all are looked at, in
# this process: data held elsewhere come here for it, so they may have so many values at most.
TUPLE_RANK = 2
TUPLE_OPERATIONS = 5e10
TUPLE_VALUES = 2**25
# Operations in a second, until some have been measured.
OPERATIONS_A_SECOND = 5e9
# Where the data hold more values than this, a pass over all features looks for the candidates of
# some steps: the most relevant ones are asked again, and all where none of them passes. The first
# pass was that for the relevance to the target itself.
LONG_PASS = 2**22
N_SHORTLISTED = 256
STEPS_A_PASS = 5
# Features that share this much (NHSIC) are related.
SHARED = 0.1
# From twelve members on, candidates far beyond chance that share little with each other and with
# the members are tried several at a time: one for every four members, at most so many.
MEMBERS_A_COMPANION = 4
MOST_COMPANIONS = 7
FAR_BEYOND = 1e-3
# The level grows with the number of members up to this.
HIGHEST_LEVEL = 0.9


@dataclass(frozen=True)
class PursuitCandidate:
    """Features that might join.

    Parameters
    ----------
    features : tuple of int
        One, or two or three that act together.
    p_value : float
        Chance that any as relevant is found where none is.
    pool : ndarray of int
        Features among which there may be some that carry nearly the same information.
    companions : dict of int to float
        Other features that might join at the same time, and their p-values.
    """

    features: tuple[int, ...]
    p_value: float
    pool: IndexArray
    companions: dict[int, float] = field(default_factory=dict)


class CandidateSearch:
    """The search for what is related to residuals beyond chance.

    Parameters
    ----------
    bound : BoundMeasure
        Relevance to any numbers, and redundancy.
    level : float
        Chance that a first candidate is found where nothing is related.
    with_tuples : bool
        Whether to search pairs and triples, where all of them can be.
    """

    def __init__(self, bound: Any, *, level: float, with_tuples: bool) -> None:
        self.n_relevances = 0
        self._bound, self._level = bound, level
        self._relevance: tuple[Smooth, FloatArray] | None = None
        self._n_at_pass = 0
        n_values = bound.n_features * len(bound.regression_data.outputs)
        self._is_long = n_values > LONG_PASS and hasattr(bound, "log_p_values")
        if self._is_long:
            self._at_last_pass = bound.relevance(np.arange(bound.n_features))
        can_tuples = with_tuples and hasattr(bound, "leading_factors")
        self._tuples = _Tuples.of(bound) if can_tuples else None

    @property
    def far_beyond(self) -> float:
        """A p-value that leaves no doubt."""
        return FAR_BEYOND * self._level

    def relevance(self, fit: Smooth, n_members: int) -> FloatArray:
        """Relevance of all features to the residuals of a regression on so many members."""
        if self._relevance is None or self._relevance[0] is not fit:
            found = self._bound.relevance_to(fit.residuals)
            self.n_relevances += len(found)
            self._relevance = (fit, found)
            self._at_last_pass, self._n_at_pass = found, n_members
        return self._relevance[1]

    def candidate(
        self,
        fit: Smooth,
        members: Sequence[int],
        aside: Collection[tuple[int, ...]],
        *,
        most: int,
        seconds: float = np.inf,
    ) -> PursuitCandidate | None:
        """Find the most relevant feature that passes the test, or else a pair or triple.

        Parameters
        ----------
        fit : Smooth
            The regression on the members.
        members : sequence of int
            Features chosen.
        aside : collection of tuple of int
            What was set aside.
        most : int
            How many features may join: the candidate may have companions.
        seconds : float, default=inf
            Time left: pairs or triples that would take longer to go through are left out.
        """
        # Normal scores do not keep the mean, the only thing that is sure where spreads differ.
        means_only = self._bound.regression_data.means_only
        scores = fit.residuals if means_only else normal_scores(fit.residuals)
        level = self._level / (1 if self._tuples is None else 2)
        level = min((1 + len(members)) * level, HIGHEST_LEVEL)
        n_new = len(members) - self._n_at_pass
        barred = [*members, *(group[0] for group in aside if len(group) == 1)]
        is_known = self._relevance is not None and self._relevance[0] is fit
        if self._is_long and not is_known and n_new < STEPS_A_PASS:
            shortlist = best_first(self._at_last_pass)[:N_SHORTLISTED]
            relevance = self._bound.among(shortlist).relevance_to(fit.residuals)
            self.n_relevances += len(shortlist)
            relevance = np.where(np.isin(shortlist, barred), 0.0, relevance)
            found = self._single(shortlist, relevance, fit, scores, level)
            if found is not None:
                return self._with_companions(found, members, most - 1)
        relevance = self.relevance(fit, len(members)).copy()
        relevance[barred] = 0.0
        found = self._single(np.arange(len(relevance)), relevance, fit, scores, level)
        if found is not None:
            return self._with_companions(found, members, most - 1)
        if self._tuples is None:
            return None
        return self._tuples.candidate(fit, scores, level, {*aside, *fit.groups}, seconds)

    def _single(
        self,
        features: IndexArray,
        relevance: FloatArray,
        fit: Smooth,
        scores: FloatArray,
        level: float,
    ) -> "_Tested | None":
        """Find the most relevant of some features that passes the test."""
        order = best_first(relevance)[:N_TESTED]
        best = features[order[relevance[order] > 0]]
        p_values = self._chances(best, fit, scores) if len(best) else np.empty(0)
        passing = np.flatnonzero(p_values <= level)
        return _Tested(best, p_values, int(passing[0])) if len(passing) else None

    def _with_companions(
        self, tested: "_Tested", members: Sequence[int], most: int
    ) -> PursuitCandidate:
        """Add features to try along with the first: far beyond chance, and different."""
        features, p_values = tested.features[tested.first :], tested.p_values[tested.first :]
        most = min(most, len(members) // MEMBERS_A_COMPANION - 2, MOST_COMPANIONS)
        far = np.flatnonzero(p_values <= self.far_beyond)
        found: dict[int, float] = {}
        if most >= 1 and 0 in far and len(far) > 1:
            with_members = self._bound.redundancy(features[far], np.array(members)).max(axis=1)
            with_others = self._bound.redundancy(features[far], features[far])
            taken = [0]
            for place in range(1, len(far)):
                apart = with_members[place] < SHARED and with_others[place, taken].max() < SHARED
                if apart and len(found) < most:
                    found[int(features[far[place]])] = float(p_values[far[place]])
                    taken.append(place)
        return PursuitCandidate((int(features[0]),), float(p_values[0]), tested.features, found)

    def _chances(self, features: IndexArray, fit: Smooth, scores: FloatArray) -> FloatArray:
        """Chance that any feature at all is as relevant to the residuals, for some features."""
        if not hasattr(self._bound, "log_p_values"):
            return self._chances_by_permutation(features, fit.residuals)
        logs = self._bound.log_p_values(features, scores)
        return np.asarray(np.minimum(self._bound.n_features * np.exp(logs), 1.0))

    def _chances_by_permutation(self, features: IndexArray, residuals: FloatArray) -> FloatArray:
        """Compare relevance with the highest of all features for residuals in random orders."""
        assert self._relevance is not None
        found = self._relevance[1][features]
        n_orders = int(np.ceil(1.0 / self._level)) - 1
        rng = np.random.default_rng(0)
        highest = [
            self._bound.relevance_to(residuals[rng.permutation(len(residuals))]).max()
            for _ in range(n_orders)
        ]
        reached = np.count_nonzero(np.array(highest) >= found[:, None], axis=1)
        return np.asarray((1 + reached) / (1 + n_orders))


@dataclass(frozen=True, eq=False)
class _Tested:
    """The most relevant features, their p-values, and the place of the first that passes."""

    features: IndexArray
    p_values: FloatArray
    first: int


class _Tuples:
    """The search for pairs and triples that act on the residuals only together."""

    def __init__(self, factors: LeadingFactors, operations: dict[int, float]) -> None:
        self._factors, self._operations = factors, operations
        self._operations_a_second = OPERATIONS_A_SECOND
        self._last: dict[int, tuple[Smooth, IndexArray, FloatArray]] = {}
        # Factors are numbered by column, the search by feature.
        self._places = np.full(factors.store.n_features, -1)
        self._places[factors.features] = np.arange(len(factors.features))

    @classmethod
    def of(cls, bound: Any) -> "_Tuples | None":
        """Prepare the search; None where even the pairs are too many."""
        if len(bound.regression_data.outputs) * bound.n_features > TUPLE_VALUES:
            return None
        factors = bound.leading_factors(TUPLE_RANK)
        n_numbers = factors.store.n_samples * bound.regression_data.outputs.shape[1]
        operations = {
            order: 2.0 * comb(bound.n_features, order) * TUPLE_RANK**order * n_numbers
            for order in (2, 3)
        }
        feasible = {
            order: count for order, count in operations.items() if 0 < count <= TUPLE_OPERATIONS
        }
        return cls(factors, feasible) if feasible else None

    def candidate(
        self,
        fit: Smooth,
        scores: FloatArray,
        level: float,
        known: set[tuple[int, ...]],
        seconds: float,
    ) -> PursuitCandidate | None:
        """Find the strongest pair, or else triple, that passes the test and is not known."""
        deadline = Deadline(seconds)
        for order, operations in self._operations.items():
            if operations / self._operations_a_second > deadline.left():
                continue
            features, p_values = self._tested(order, fit, scores)
            for place in np.argsort(p_values, kind="stable"):
                members = tuple(features[place].tolist())
                if p_values[place] > level / len(self._operations):
                    break
                if members not in known:
                    return PursuitCandidate(members, float(p_values[place]), np.unique(features))
        return None

    def _tested(self, order: int, fit: Smooth, scores: FloatArray) -> tuple[IndexArray, FloatArray]:
        """Strongest pairs or triples of what a regression leaves, and their p-values."""
        # Candidates that are set aside leave the residuals, and so the answer, as they were.
        if order not in self._last or self._last[order][0] is not fit:
            watch = Deadline()
            search = InteractionSearch(self._factors, _as_target(fit.residuals), n_permutations=0)
            columns, n_looked_at = search.strongest(order, N_TUPLES)
            tester = InteractionTester(self._factors.store, self._factors.most_columns)
            logs = tester.log_p_values(columns, _as_target(scores))
            p_values = np.minimum(n_looked_at * np.exp(logs), 1.0)
            self._last[order] = (fit, self._places[columns], p_values)
            if self._operations[order] > OPERATIONS_A_SECOND:
                self._operations_a_second = self._operations[order] / watch.elapsed
        return self._last[order][1:]


def _as_target(numbers: FloatArray) -> InteractionTarget:
    """Make columns of numbers the target of a search for interactions."""
    return InteractionTarget(np.ascontiguousarray((numbers - numbers.mean(axis=0)).T))


def normal_scores(residuals: FloatArray) -> FloatArray:
    """Residuals as normal scores of the same deviation, so that tests hold whatever their law."""
    scores = ndtri((rankdata(residuals, axis=0) - 0.5) / len(residuals))
    return np.asarray(scores * residuals.std(axis=0))
