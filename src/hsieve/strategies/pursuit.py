"""Kernel pursuit: look for features that explain what those already chosen leave unexplained.

The relevance of a feature to the target is *marginal*: with strong effects in the target, a weaker
one drowns in the variance that they make. So each step takes the relevance of all features to the
*residuals* of a kernel regression on those chosen, and three gates make their number part of the
answer:

1. **Beyond chance.** A candidate's relevance is tested on normal scores of the residuals; the
   p-value counts all features looked at. Where no single feature passes, pairs and triples that
   act only together are looked for among the residuals, as far as all of them can be looked at.
2. **Lower error.** The leave-one-out loss must fall by enough of its standard errors; a candidate
   for which it does not is set aside, and the next one is tried.
3. **Still needed.** Features that the error does not miss leave, such as a noisy copy that came in
   before its original; a feature is replaced by one that tells nearly the same if that lowers the
   error.

Residuals are those of samples left out of the regression, so that close fits do not hide what is
left. Where more features are wanted than pass the gates (few samples are soon explained to the last
digit), the rest follow by relevance to the target less redundancy with those chosen.

Cost: a pass over the features for each step, O(n m^2) for each regression of m landmarks, and a
sweep over all pairs each time that no single feature is left.

References
----------
J. Fan and J. Lv, "Sure independence screening for ultrahigh dimensional feature space", 2008, whose
iterated form screens residuals; P. Vincent and Y. Bengio, "Kernel matching pursuit", 2002.
"""

from dataclasses import dataclass, field
from math import comb
from numbers import Real
from time import monotonic
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata

from hsieve.inference.interaction_search import InteractionSearch
from hsieve.inference.interaction_tests import InteractionTester
from hsieve.inference.kernel_smoother import KernelSmoother, Smooth
from hsieve.kernels.leading_factors import LeadingFactors
from hsieve.measures.base import BoundMeasure
from hsieve.measures.interactions import InteractionTarget
from hsieve.progress import report
from hsieve.strategies.base import LONGEST_SEARCH, Strategy, best_first
from hsieve.strategies.mrmr import continued
from hsieve.strategies.pursuit_path import PursuitEvent, PursuitPath

__all__ = ["PursuitSearch"]

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
# Where the data hold more values than this, a pass over all features looks for the candidates of
# some steps: the most relevant ones are asked again, and all where none of them passes.
LONG_PASS = 2**24
N_SHORTLISTED = 256
STEPS_A_PASS = 5
# Candidates set aside one after the other before the search ends.
MOST_ASIDE = 10
# Members are looked at again when no candidate is left, and the search may go on after that.
MOST_ROUNDS = 2
# A chosen feature leaves if the loss would rise by less than this part of what let it in.
STAYS_FROM = 0.5
# After each entry the members most like the new feature are looked at, in the end all of them.
N_CHECKED = 3
# Of many samples, whose regressions take longer, only members that share this much (NHSIC) with
# another one.
SHARED = 0.1
# Features that share this much (NHSIC) with a chosen one may replace it; so many are tried.
SUBSTITUTE = 0.5
N_SUBSTITUTES = 4
# From twelve members on, candidates far beyond chance that share little with each other and with
# the members are tried several at a time: one for every four members, at most so many.
MEMBERS_A_COMPANION = 4
MOST_COMPANIONS = 7
FAR_BEYOND = 1e-3
# With a number of features given the search goes on for some more, and then drops the least needed;
# of many features, among which each matters less, for fewer.
EXTRA_FEATURES = 5
MOST_TO_TRIM = 60
INTERACTIONS = ("auto", None)


class PursuitSearch(Strategy):
    """Add features that explain what those chosen leave unexplained.

    Parameters
    ----------
    finds_number : bool, default=False
        Whether only features that pass the gates may be selected; else others fill up.
    level : float, default=0.05
        Chance that the first feature is chosen although none depends on the target. Half of it is
        spent on single features and half on pairs and triples, where these are looked for.
    least_gain : float, default=1.5
        Standard errors by which the leave-one-out loss must fall.
    interactions : {"auto", None}, default="auto"
        "auto": pairs and triples are looked for where all of them can be looked at in a few
        seconds. None: single features only.
    time_limit : float or None, default=None
        Seconds after which no further candidate is tried; None for no limit.
    random_state : int, Generator or None, default=0
        Seed of the landmarks of the regression.

    Notes
    -----
    The score of a feature is by how much the leave-one-out error fell when it joined those before
    it (members of a pair get equal parts); a set scores the explained fraction of the variance.
    """

    needs: ClassVar[tuple[str, ...]] = ("relevance", "redundancy", "relevance_to")
    refusal: ClassVar[str] = "Choose PairwiseHSIC(), Pearson() or MutualInformation()."

    def __init__(
        self,
        *,
        finds_number: bool = False,
        level: float = 0.05,
        least_gain: float = 1.5,
        interactions: str | None = "auto",
        time_limit: float | None = None,
        random_state: int | np.random.Generator | None = 0,
    ) -> None:
        self.finds_number = finds_number
        self.level = level
        self.least_gain = least_gain
        self.interactions = interactions
        self.time_limit = time_limit
        self.random_state = random_state

    def check_parameters(self, n_features: int, n_wanted: int) -> None:
        """Refuse a level or gain that is none, and unknown words."""
        level, gain = self.level, self.least_gain
        if not (isinstance(level, Real) and 0 < level < 1):
            msg = f"level must be a number between 0 and 1, got {level!r}."
            raise ValueError(msg)
        if not (isinstance(gain, Real) and not isinstance(gain, bool) and gain >= 0):
            msg = f"least_gain must be a number of at least 0, got {gain!r}."
            raise ValueError(msg)
        if self.interactions not in INTERACTIONS:
            msg = f"interactions must be 'auto' or None, got {self.interactions!r}."
            raise ValueError(msg)
        limit = self.time_limit
        is_number = isinstance(limit, Real) and not isinstance(limit, bool)
        if limit is not None and not (is_number and limit > 0):
            msg = f"time_limit must be None or a number of seconds above 0, got {limit!r}."
            raise ValueError(msg)

    def n_searched(self, n_features: int) -> int:
        """Return how many features to look for where the number wanted is not known yet."""
        return min(LONGEST_SEARCH, n_features)

    def search(self, bound: BoundMeasure, n_features_to_select: int) -> PursuitPath:
        """Add features until none passes the gates, then trim or fill up to the number wanted."""
        self.check_parameters(bound.n_features, n_features_to_select)
        wanted = min(n_features_to_select, bound.n_features)
        extra = 0 if self.finds_number else min(wanted, EXTRA_FEATURES, MOST_TO_TRIM // wanted)
        chase = _Chase(bound, self)
        stop_reason = chase.run(min(wanted + extra, bound.n_features))
        if not self.finds_number and len(chase.members) > wanted:
            chase.trim(wanted)
            stop_reason = "enough features"
        return self._path(bound, chase, wanted, stop_reason)

    def _path(self, bound: Any, chase: "_Chase", wanted: int, stop_reason: str) -> PursuitPath:
        """Put all features in order: those found, fillers, the others."""
        members = list(chase.members)
        sizes, errors, gains = chase.steps()
        fillers = np.empty(0, dtype=np.intp)
        if not self.finds_number and len(members) < wanted:
            fillers = continued(bound, members, wanted - len(members))
        residual_relevance = chase.relevance()
        front = np.concatenate([np.array(members, dtype=np.intp), fillers])
        rest = np.setdiff1d(np.arange(bound.n_features), front)
        rest = rest[best_first(residual_relevance[rest])]
        order = np.concatenate([front, rest]).astype(np.intp)
        return PursuitPath(
            order=order,
            feature_scores=np.concatenate([gains, np.zeros(len(order) - len(gains))]),
            sizes=sizes,
            set_scores=1.0 - errors[1:],
            stop_reason=stop_reason,
            n_evaluations=chase.n_relevances,
            n_selectable=len(members) if self.finds_number else None,
            errors=errors,
            n_found=len(members),
            relevance=bound.relevance(np.arange(bound.n_features)),
            residual_relevance=residual_relevance,
            width=chase.width,
            events=tuple(chase.events),
            substitutes=chase.substitutes(),
        )


class _Chase:
    """The state of a search: the members, the regression on them, and what was set aside."""

    def __init__(self, bound: Any, settings: PursuitSearch) -> None:
        # Each member and the step in which it joined.
        self.members: dict[int, int] = {}
        self.events: list[PursuitEvent] = []
        self.n_relevances = 0
        self._bound, self._settings = bound, settings
        self._smoother = KernelSmoother(bound.regression_data, seed=settings.random_state)
        self._current = self._smoother.nothing()
        # What was set aside, the regression that it would not better, and its p-value.
        self._aside: dict[tuple[int, ...], tuple[Smooth, float]] = {}
        self._substitutes: dict[int, list[int]] = {}
        self._relevance: tuple[Smooth, FloatArray] | None = None
        self._n_failures = self._n_at_pass = 0
        n_values = bound.n_features * len(bound.regression_data.outputs)
        self._is_long = n_values > LONG_PASS
        limit = settings.time_limit
        self._ends_at = np.inf if limit is None else monotonic() + limit
        wants_tuples = settings.interactions is not None and hasattr(bound, "leading_factors")
        self._tuples = _Tuples.of(bound) if wants_tuples else None

    def run(self, most: int) -> str:
        """Add features until there are so many or none passes; return why it ended."""
        for _ in range(MOST_ROUNDS):
            reason = self._grow(most)
            grown = self._current
            self._try_aside(most - len(self.members))
            self._settle()
            # Beside other members, what was set aside may do better.
            still = {group: was for group, was in self._aside.items() if was[0] is self._current}
            is_settled = self._current is grown and len(still) == len(self._aside)
            if is_settled or self._is_late:
                break
            self._aside = still
        return reason

    def trim(self, n_wanted: int) -> None:
        """Drop the features that are missed least."""
        suspects = list(self.members)
        while len(self.members) > n_wanted:
            losses = self._losses_without(suspects, quickly=True)
            suspects = sorted(losses, key=lambda feature: losses[feature])
            least = suspects.pop(0)
            self._leave(least, losses[least])
            # Those missed most now will be missed most after it, too.
            suspects = suspects[: 2 * (len(self.members) - n_wanted)]
        self._refit()
        self._replace()

    def relevance(self) -> FloatArray:
        """Relevance of all features to the residuals."""
        if self._relevance is None or self._relevance[0] is not self._current:
            found = self._bound.relevance_to(self._current.residuals)
            self.n_relevances += len(found)
            self._relevance = (self._current, found)
            self._n_at_pass = len(self.members)
        return self._relevance[1]

    def steps(self) -> tuple[IndexArray, FloatArray, FloatArray]:
        """Sizes and errors along the steps, and what each member added."""
        members, numbers = list(self.members), np.array(list(self.members.values()), dtype=np.intp)
        sizes = np.cumsum([np.count_nonzero(numbers == step) for step in np.unique(numbers)])
        fits = [self._refitted(members[:size], quickly=True) for size in sizes]
        errors = np.array([self._smoother.nothing().error, *(fit.error for fit in fits)])
        counts = np.diff([0, *sizes]).astype(np.intp)
        return sizes.astype(np.intp), errors, np.repeat(-np.diff(errors) / counts, counts)

    @property
    def width(self) -> float:
        """Width of the kernel of the regression; NaN with no member."""
        kernel = self._current.kernel
        return float("nan") if kernel is None else kernel.width

    def substitutes(self) -> dict[int, IndexArray]:
        """Features that share much with a member and are not members, for each member."""
        return {
            member: np.array([f for f in alike if f not in self.members], dtype=np.intp)
            for member, alike in self._substitutes.items()
            if member in self.members
        }

    def _grow(self, most: int) -> str:
        """Let features join while they pass the gates; return why that ended."""
        self._n_failures = 0
        while len(self.members) < most:
            if self._is_late:
                return "the time is up"
            if self._n_failures > MOST_ASIDE:
                return "other features do not lower the leave-one-out error"
            candidate = self._candidate(most - len(self.members))
            if candidate is None:
                return "no other feature is related to the residuals beyond chance"
            first, rest = candidate.features[0], candidate.companions
            together = {first: candidate.p_value, **rest}
            if not (rest and self._try_together(together, candidate.pool)):
                self._try(candidate)
            report(len(self.members) / most, "pursuit")
        return "enough features"

    @property
    def _is_late(self) -> bool:
        return monotonic() > self._ends_at

    def _try(self, candidate: "_Candidate") -> None:
        """Let a candidate join if the loss falls by enough."""
        new = tuple(f for f in candidate.features if f not in self.members)
        fit = self._smoother.fit([*self.members, *new], self._current)
        gain = _standard_errors(self._current.losses - fit.losses)
        passes = gain >= self._settings.least_gain
        what = "joined" if passes else "set aside"
        self.events.append(PursuitEvent(what, new, fit.error, gain, candidate.p_value))
        if passes:
            self._join([new], fit, candidate.pool)
        else:
            self._aside[candidate.features] = (self._current, candidate.p_value)
            self._n_failures += 1

    def _try_aside(self, most: int) -> None:
        """Try features together that were set aside one by one, though far beyond chance.

        Each may lower the error too little beside a noisy copy of them all that came in first.
        """
        far = {
            group[0]: p_value
            for group, (fit, p_value) in self._aside.items()
            if len(group) == 1 and fit is self._current and p_value <= self._far_beyond
        }
        together = dict(sorted(far.items(), key=lambda item: item[1])[: min(most, MOST_ASIDE)])
        if len(together) > 1 and not self._is_late:
            self._try_together(together, np.array(list(together), dtype=np.intp))

    def _try_together(self, new: dict[int, float], pool: IndexArray) -> bool:
        """Let features, with their p-values, join if the loss falls by enough for all of them."""
        fit = self._smoother.fit([*self.members, *new], self._current)
        gain = _standard_errors(self._current.losses - fit.losses)
        # The gains of features that share little add up, and so do their variances.
        if gain < self._settings.least_gain * len(new) ** 0.5:
            return False
        for feature, p_value in new.items():
            self.events.append(PursuitEvent("joined", (feature,), fit.error, gain, p_value))
        self._join([(feature,) for feature in new], fit, pool)
        return True

    @property
    def _far_beyond(self) -> float:
        return FAR_BEYOND * self._settings.level

    def _join(self, groups: list[tuple[int, ...]], fit: Smooth, pool: IndexArray) -> None:
        """Make features members, each group in a step of its own."""
        self._current, self._n_failures = fit, 0
        earlier = list(self.members)
        for step, group in enumerate(groups, max(self.members.values(), default=0) + 1):
            self.members.update(dict.fromkeys(group, step))
        new = [feature for group in groups for feature in group]
        for feature in new:
            self._substitutes[feature] = self._like(feature, pool)
        self._drop_unneeded(self._most_like(earlier, new))

    def _candidate(self, most: int) -> "_Candidate | None":
        """Find the most relevant feature that passes the test, or else a pair or triple.

        The feature may have companions, with which there are no more than `most`.
        """
        scores = _normal_scores(self._current.residuals)
        level = self._settings.level / (1 if self._tuples is None else 2)
        n_new = len(self.members) - self._n_at_pass
        if self._is_long and 0 < n_new < STEPS_A_PASS and self._relevance is not None:
            shortlist = best_first(self._relevance[1])[:N_SHORTLISTED]
            relevance = self._bound.among(shortlist).relevance_to(self._current.residuals)
            self.n_relevances += len(shortlist)
            found = self._single(shortlist, relevance, scores, level, most)
            if found is not None:
                return found
        relevance = self.relevance()
        found = self._single(np.arange(len(relevance)), relevance, scores, level, most)
        if found is not None or self._tuples is None:
            return found
        known = {*self._aside, *((feature,) for feature in self.members)}
        return self._tuples.candidate(self._current, scores, level, known)

    def _single(
        self,
        features: IndexArray,
        relevance: FloatArray,
        scores: FloatArray,
        level: float,
        most: int,
    ) -> "_Candidate | None":
        """Find the most relevant of some features that passes the test."""
        barred = [*self.members, *(group[0] for group in self._aside if len(group) == 1)]
        relevance = np.where(np.isin(features, barred), 0.0, relevance)
        order = best_first(relevance)[:N_TESTED]
        best = features[order[relevance[order] > 0]]
        p_values = self._chances(best, scores) if len(best) else np.empty(0)
        passing = np.flatnonzero(p_values <= level)
        if not len(passing):
            return None
        first = passing[0]
        companions = self._companions(best[first:], p_values[first:], most - 1)
        return _Candidate((int(best[first]),), float(p_values[first]), best, companions)

    def _companions(
        self, features: IndexArray, p_values: FloatArray, most: int
    ) -> dict[int, float]:
        """Find features to try along with the first: far beyond chance, and different."""
        most = min(most, len(self.members) // MEMBERS_A_COMPANION - 2, MOST_COMPANIONS)
        far = np.flatnonzero(p_values <= self._far_beyond)
        if most < 1 or 0 not in far or len(far) < 2:
            return {}
        members = np.array(list(self.members))
        with_members = self._bound.redundancy(features[far], members).max(axis=1)
        with_others = self._bound.redundancy(features[far], features[far])
        found: dict[int, float] = {}
        taken = [0]
        for place in range(1, len(far)):
            apart = with_members[place] < SHARED and with_others[place, taken].max() < SHARED
            if apart and len(found) < most:
                found[int(features[far[place]])] = float(p_values[far[place]])
                taken.append(place)
        return found

    def _chances(self, features: IndexArray, scores: FloatArray) -> FloatArray:
        """Chance that any feature at all is as relevant to the residuals, for some features."""
        if not hasattr(self._bound, "log_p_values"):
            return self._chances_by_permutation(features)
        logs = self._bound.log_p_values(features, scores)
        return np.asarray(np.minimum(self._bound.n_features * np.exp(logs), 1.0))

    def _chances_by_permutation(self, features: IndexArray) -> FloatArray:
        """Compare relevance with the highest of all features for residuals in random orders."""
        residuals, found = self._current.residuals, self.relevance()[features]
        n_orders = int(np.ceil(1.0 / self._settings.level)) - 1
        rng = np.random.default_rng(0)
        highest = [
            self._bound.relevance_to(residuals[rng.permutation(len(residuals))]).max()
            for _ in range(n_orders)
        ]
        reached = np.count_nonzero(np.array(highest) >= found[:, None], axis=1)
        return np.asarray((1 + reached) / (1 + n_orders))

    def _like(self, feature: int, pool: IndexArray) -> list[int]:
        """Features of a pool that tell nearly the same as one, the closest first."""
        others = pool[pool != feature]
        shared = self._bound.redundancy(others, np.array([feature]))[:, 0]
        close = best_first(shared)[:N_SUBSTITUTES]
        return [int(other) for other in others[close[shared[close] >= SUBSTITUTE]]]

    def _most_like(self, members: list[int], new: list[int]) -> list[int]:
        """Members that share most with the features that joined."""
        if not members:
            return []
        shared = self._bound.redundancy(np.array(members), np.array(new)).max(axis=1)
        least = 0.0 if self._smoother.tries_all else SHARED
        most_like = best_first(shared)[:N_CHECKED]
        return [members[place] for place in most_like if shared[place] >= least]

    def _settle(self) -> None:
        """Drop what is not needed, replace what can be bettered."""
        self._drop_unneeded(self._suspects())
        self._replace()

    def _drop_unneeded(self, suspects: list[int]) -> None:
        """Let those of some members leave that the error does not miss."""
        least, left = STAYS_FROM * self._settings.least_gain, list[int]()
        while suspects and len(self.members) > 1 and not self._is_late:
            losses = self._losses_without(suspects)
            worst = min(losses, key=lambda feature: losses[feature])
            if losses[worst] >= least:
                break
            self._leave(worst, losses[worst])
            # With one feature less the others are needed all the more.
            suspects = [f for f in suspects if f != worst and losses[f] < least]
            left.append(worst)
        if left:
            self._refit()
            self._aside.update({(feature,): (self._current, 1.0) for feature in left})

    def _suspects(self) -> list[int]:
        """Members that might not be needed: all, or those that share something, of many samples."""
        members = list(self.members)
        if self._smoother.tries_all or not members:
            return members
        shared = self._bound.redundancy(np.array(members), np.array(members))
        np.fill_diagonal(shared, 0.0)
        return [f for f, most in zip(members, shared.max(axis=1), strict=True) if most >= SHARED]

    def _losses_without(self, members: list[int], *, quickly: bool = False) -> dict[int, float]:
        """Tell for some members by how many standard errors the loss rises without them."""
        whole = self._refitted(list(self.members), quickly=quickly).losses
        without = {
            f: self._refitted([m for m in self.members if m != f], quickly=quickly) for f in members
        }
        return {f: _standard_errors(fit.losses - whole) for f, fit in without.items()}

    def _leave(self, feature: int, loss: float) -> None:
        """Take a member out."""
        del self.members[feature]
        error = self._refitted(list(self.members)).error
        self.events.append(PursuitEvent("left", (feature,), error, loss))

    def _replace(self) -> None:
        """Replace members by features that tell nearly the same, where that lowers the error."""
        changed = False
        for member in [] if self._is_late else list(self.members):
            best, error = member, self._refitted(list(self.members)).error
            quick_error = self._refitted(list(self.members), quickly=True).error
            for other in self._substitutes.get(member, []):
                if other in self.members:
                    continue
                exchanged = [other if f == member else f for f in self.members]
                # Of many samples some tell which exchanges are worth a regression on all.
                if self._refitted(exchanged, quickly=True).error > quick_error:
                    continue
                tried = self._refitted(exchanged)
                if tried.error < error:
                    best, error = other, tried.error
            if best != member:
                self._put_in_place(member, best, error)
                changed = True
        if changed:
            self._refit()

    def _put_in_place(self, member: int, other: int, error: float) -> None:
        """Give the place of a member to another feature."""
        rising = _standard_errors(
            self._refitted(list(self.members)).losses
            - self._refitted([other if f == member else f for f in self.members]).losses
        )
        self.members = {other if f == member else f: step for f, step in self.members.items()}
        alike = [f for f in self._substitutes.pop(member, []) if f != other]
        self._substitutes[other] = [member, *alike]
        self.events.append(PursuitEvent("replaced", (member, other), error, rising))

    def _refitted(self, features: list[int], *, quickly: bool = False) -> Smooth:
        """Regress on some features by the kernel of the current regression."""
        return self._smoother.refit(features, self._current, quickly=quickly)

    def _refit(self) -> None:
        """Regress on the members anew."""
        self._current = self._smoother.fit(list(self.members), self._current)


@dataclass(frozen=True)
class _Candidate:
    """Features that might join.

    Parameters
    ----------
    features : tuple of int
        One, or two or three that act together.
    p_value : float
        Chance that any as relevant is found where none is.
    pool : ndarray of int
        Features among which there may be some that tell nearly the same.
    companions : dict of int to float
        Other features that might join at the same time, and their p-values.
    """

    features: tuple[int, ...]
    p_value: float
    pool: IndexArray
    companions: dict[int, float] = field(default_factory=dict)


class _Tuples:
    """The search for pairs and triples that act on the residuals only together."""

    def __init__(self, factors: LeadingFactors, orders: tuple[int, ...]) -> None:
        self._factors, self._orders = factors, orders
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
        orders = tuple(
            order
            for order in (2, 3)
            if comb(bound.n_features, order)
            and 2.0 * comb(bound.n_features, order) * TUPLE_RANK**order * n_numbers
            <= TUPLE_OPERATIONS
        )
        return cls(factors, orders) if orders else None

    def candidate(
        self, fit: Smooth, scores: FloatArray, level: float, known: set[tuple[int, ...]]
    ) -> _Candidate | None:
        """Find the strongest pair, or else triple, that passes the test and is not known."""
        for order in self._orders:
            features, p_values = self._tested(order, fit, scores)
            for place in np.argsort(p_values, kind="stable"):
                members = tuple(features[place].tolist())
                if p_values[place] > level / len(self._orders):
                    break
                if members not in known and not all((f,) in known for f in members):
                    return _Candidate(members, float(p_values[place]), np.unique(features))
        return None

    def _tested(self, order: int, fit: Smooth, scores: FloatArray) -> tuple[IndexArray, FloatArray]:
        """Strongest pairs or triples of what a regression leaves, and their p-values."""
        # Candidates that are set aside leave the residuals, and so the answer, as they were.
        if order not in self._last or self._last[order][0] is not fit:
            search = InteractionSearch(self._factors, _as_target(fit.residuals), n_permutations=0)
            columns, n_looked_at = search.strongest(order, N_TUPLES)
            tester = InteractionTester(self._factors.store, self._factors.most_columns)
            logs = tester.log_p_values(columns, _as_target(scores))
            p_values = np.minimum(n_looked_at * np.exp(logs), 1.0)
            self._last[order] = (fit, self._places[columns], p_values)
        return self._last[order][1:]


def _as_target(numbers: FloatArray) -> InteractionTarget:
    """Make columns of numbers the target of a search for interactions."""
    return InteractionTarget(np.ascontiguousarray((numbers - numbers.mean(axis=0)).T))


def _normal_scores(residuals: FloatArray) -> FloatArray:
    """Residuals as normal scores, so that tests hold whatever their law."""
    return np.asarray(ndtri((rankdata(residuals, axis=0) - 0.5) / len(residuals)))


def _standard_errors(differences: FloatArray) -> float:
    """Mean of differences in units of its standard error."""
    spread = float(differences.std())
    mean = float(differences.mean())
    if spread == 0.0:
        return 0.0 if mean == 0.0 else float(np.copysign(np.inf, mean))
    return mean / spread * float(np.sqrt(len(differences)))
