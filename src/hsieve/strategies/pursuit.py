"""Kernel pursuit: look for features that explain what those already chosen leave unexplained.

The relevance of a feature to the target is *marginal*: with strong effects in the target, a weaker
one drowns in the variance that they make. So each step takes the relevance of all features to the
*residuals* of a kernel regression on those chosen, and the gates make their number part of the
answer:

1. **Beyond chance.** A candidate's relevance is tested on normal scores of the residuals; the
   p-value counts all features searched, and the level grows with the number of features chosen.
   Where no single feature passes, pairs and triples that act only together are searched
   (:mod:`hsieve.strategies.pursuit_candidates`).
2. **Beyond its relatives.** A candidate that shares something with chosen features is tested again
   on what they leave unexplained of itself, so that a noisy copy gains nothing from a poor fit.
3. **Lower error.** The leave-one-out loss must fall by enough of its standard errors, and by more
   than a trifle; a candidate for which it does not is set aside, and the next one is tried.
4. **Still needed.** Members that pass the second test no longer, or that the error does not miss,
   leave, such as a noisy copy that came in before its original; a member is replaced by a feature
   that tells nearly the same if that lowers the error.

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

from collections.abc import Iterable, Mapping
from dataclasses import replace
from time import monotonic
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hsieve.inference.conditional_tests import conditional_p_value
from hsieve.inference.kernel_smoother import KernelSmoother, Smooth
from hsieve.measures.base import BoundMeasure
from hsieve.parameters import NONE, Rule, number, word
from hsieve.progress import report
from hsieve.strategies.base import LONGEST_SEARCH, Strategy, best_first
from hsieve.strategies.mrmr import continued
from hsieve.strategies.overlaps import SUBSTITUTE
from hsieve.strategies.pursuit_candidates import (
    SHARED,
    CandidateSearch,
    PursuitCandidate,
    normal_scores,
)
from hsieve.strategies.pursuit_path import PursuitEvent, PursuitPath

__all__ = ["PursuitSearch"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

# Candidates set aside one after the other before the search ends, and copies of members.
MOST_ASIDE = 10
MOST_COPIES = 50
# Members are looked at again when no candidate is left, and the search may go on after that.
MOST_ROUNDS = 2
# Fraction of the time after which no candidate is tried, so that members can be looked at again.
GROWING_TIME = 0.85
# Fraction of the variance that a candidate must explain: with many samples, tests see trifles.
LEAST_EXPLAINED = 2e-4
# A chosen feature leaves if the loss would rise by less than this part of what let it in.
STAYS_FROM = 0.5
# Members most like a feature that it is tested against, and that are looked at after it joined.
N_ALIKE = 3
# So many features that could stand for a chosen one are tried in its place.
N_SUBSTITUTES = 4
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
        spent on single features and half on pairs and triples, where these are searched. With k
        features chosen it is k + 1 times as large, as in Benjamini and Hochberg's procedure: of
        many features some may be false.
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

    allowed: ClassVar[Mapping[str, Rule]] = {
        "level": number(above=0, below=1),
        "least_gain": number(least=0),
        "interactions": NONE | word("auto"),
        "time_limit": NONE | number(above=0, is_finite=False),
    }

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

    def n_ranked(self, n_features: int) -> int:
        """Return how many features to look for where a rule chooses their number afterwards."""
        return min(LONGEST_SEARCH, n_features)

    def search(self, bound: BoundMeasure, n_features_to_select: int) -> PursuitPath:
        """Add features until none passes the gates, then trim or fill up to the number wanted."""
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
        residual_relevance = chase.search.relevance(chase.current, len(members))
        sizes, errors, gains = chase.steps()
        fillers = np.empty(0, dtype=np.intp)
        if not self.finds_number and len(members) < wanted:
            fillers = continued(bound, members, wanted - len(members))
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
            n_evaluations=chase.search.n_relevances,
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
        self.search = CandidateSearch(
            bound, level=settings.level, with_tuples=settings.interactions is not None
        )
        self._bound, self._settings = bound, settings
        self._smoother = KernelSmoother(bound.regression_data, seed=settings.random_state)
        self.current = self._smoother.nothing()
        # What was set aside, the regression that it would not better, and its p-value.
        self._aside: dict[tuple[int, ...], tuple[Smooth, float]] = {}
        self._substitutes: dict[int, list[int]] = {}
        # What two features share (NHSIC).
        self._shared: dict[frozenset[int], float] = {}
        self._n_failures = self._n_copies = 0
        limit = np.inf if settings.time_limit is None else settings.time_limit
        self._ends_at = monotonic() + limit
        self._grows_until = monotonic() + GROWING_TIME * limit
        # What a step took: the next one may take as long, and is not begun where it would be late.
        self._step_began, self._step_seconds = monotonic(), 0.0

    def run(self, most: int) -> str:
        """Add features until there are so many or none passes; return why it ended."""
        settled = None
        for _ in range(MOST_ROUNDS):
            reason = self._grow(most)
            grown = self.current
            self._try_aside(most - len(self.members))
            if self.current is not settled:
                self._settle()
            settled = self.current
            # Beside other members, what was set aside may do better.
            still = {group: was for group, was in self._aside.items() if was[0] is self.current}
            is_settled = self.current is grown and len(still) == len(self._aside)
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
        kernel = self.current.kernel
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
        self._n_failures = self._n_copies = 0
        while len(self.members) < most:
            self._note_step()
            if monotonic() + self._step_seconds > self._grows_until:
                return "the time is up"
            if self._n_failures > MOST_ASIDE or self._n_copies > MOST_COPIES:
                return "other features do not lower the leave-one-out error"
            candidate = self.search.candidate(
                self.current,
                list(self.members),
                self._aside,
                most=most - len(self.members),
                seconds=self._grows_until - monotonic(),
            )
            if candidate is None:
                return "no other feature is related to the residuals beyond chance"
            first, rest = candidate.features[0], candidate.companions
            together = {first: candidate.p_value, **rest}
            if not (rest and self._try_together(together, candidate.pool)):
                self._try(candidate)
            report(len(self.members) / most, "pursuit")
        return "enough features"

    def _note_step(self) -> None:
        """Note how long a step takes: as long as the last one, or half of the one before."""
        now = monotonic()
        self._step_seconds = max(now - self._step_began, 0.5 * self._step_seconds)
        self._step_began = now

    @property
    def _is_late(self) -> bool:
        return monotonic() + self._step_seconds > self._ends_at

    def _try(self, candidate: PursuitCandidate) -> None:
        """Let a candidate join if it tells more than its relatives and the loss falls by enough."""
        features = candidate.features
        new = tuple(f for f in features if f not in self.members)
        if len(features) == 1 and self._is_copy(features[0], self.current):
            self.events.append(
                PursuitEvent("set aside", new, self.current.error, 0.0, candidate.p_value)
            )
            self._aside[features] = (self.current, 1.0)
            self._n_copies += 1
            return
        together = features if len(features) > 1 else ()
        fit = self._smoother.fit([*self.members, *new], self.current, together)
        gain = _standard_errors(self.current.losses - fit.losses)
        explained = self.current.error - fit.error
        if gain < self._settings.least_gain or explained < LEAST_EXPLAINED:
            if new:
                self.events.append(
                    PursuitEvent("set aside", new, fit.error, gain, candidate.p_value)
                )
            self._aside[features] = (self.current, candidate.p_value)
            self._n_failures += 1
        elif new:
            self.events.append(PursuitEvent("joined", new, fit.error, gain, candidate.p_value))
            self._join([new], fit, candidate.pool)
        else:
            # Members that act together: the regression is better now, and they stay the same.
            self._adopt(fit)

    def _is_copy(self, feature: int, fit: Smooth) -> bool:
        """Say whether a feature tells nothing beside the members that share most with it.

        The regression is one on other members.
        """
        alike = self._alike(feature)
        if not alike:
            return False
        scores = normal_scores(fit.residuals)
        chance = conditional_p_value(self._smoother, feature, alike, scores)
        return chance > self._settings.level

    def _alike(self, feature: int) -> list[int]:
        """Other members that share most with a feature."""
        others = [member for member in self.members if member != feature]
        # Asked for again and again, and each takes a product over all samples.
        unknown = [other for other in others if frozenset((feature, other)) not in self._shared]
        if unknown:
            found = self._bound.redundancy(np.array([feature]), np.array(unknown))[0]
            pairs = [frozenset((feature, other)) for other in unknown]
            self._shared.update(zip(pairs, found.tolist(), strict=True))
        shared = np.array([self._shared[frozenset((feature, other))] for other in others])
        closest = best_first(shared)[:N_ALIKE]
        return [others[place] for place in closest if shared[place] >= SHARED]

    def _try_aside(self, most: int) -> None:
        """Try features together that were set aside one by one, though far beyond chance.

        Each may lower the error too little beside a noisy copy of them all that came in first.
        """
        far = {
            group[0]: p_value
            for group, (fit, p_value) in self._aside.items()
            if len(group) == 1 and fit is self.current and p_value <= self.search.far_beyond
        }
        together = dict(sorted(far.items(), key=lambda item: item[1])[: min(most, MOST_ASIDE)])
        if len(together) > 1 and not self._is_late:
            self._try_together(together, np.array(list(together), dtype=np.intp))

    def _try_together(self, new: dict[int, float], pool: IndexArray) -> bool:
        """Let features, with their p-values, join if the loss falls by enough for all of them."""
        fit = self._smoother.fit([*self.members, *new], self.current)
        gain = _standard_errors(self.current.losses - fit.losses)
        # The gains of features that share little add up, and so do their variances.
        if gain < self._settings.least_gain * len(new) ** 0.5:
            return False
        for feature, p_value in new.items():
            self.events.append(PursuitEvent("joined", (feature,), fit.error, gain, p_value))
        self._join([(feature,) for feature in new], fit, pool)
        return True

    def _adopt(self, fit: Smooth) -> None:
        """Go on from a better regression."""
        self.current = self._smoother.turned(fit)
        self._n_failures = self._n_copies = 0

    def _join(self, groups: list[tuple[int, ...]], fit: Smooth, pool: IndexArray) -> None:
        """Make features members, each group in a step of its own."""
        self._adopt(fit)
        earlier = list(self.members)
        for step, group in enumerate(groups, max(self.members.values(), default=0) + 1):
            self.members.update(dict.fromkeys(group, step))
        new = [feature for group in groups for feature in group]
        for feature in new:
            self._substitutes[feature] = self._like(feature, pool)
        suspects = self._most_like(earlier, new)
        # Of many samples, whose regressions take longer, only the closest relative for now.
        self._drop_copies(suspects if self._smoother.tries_all else suspects[:1])
        self._drop_unneeded([feature for feature in suspects if feature in self.members])

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
        most_like = best_first(shared)[:N_ALIKE]
        return [members[place] for place in most_like if shared[place] >= least]

    def _settle(self) -> None:
        """Drop what is not needed, replace what can be bettered."""
        self._drop_copies(list(self.members)[::-1])
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
        self._part_with(left)

    def _drop_copies(self, suspects: list[int]) -> None:
        """Let those of some members leave that tell nothing beside others."""
        left = list[int]()
        for member in suspects:
            acts_alone = not any(member in group for group in self.current.groups)
            if self._is_late or not acts_alone or not self._alike(member):
                continue
            without = self._refitted([m for m in self.members if m != member])
            if self._is_copy(member, without):
                self._leave(member, _standard_errors(without.losses - self.current.losses))
                left.append(member)
        self._part_with(left)

    def _part_with(self, left: list[int]) -> None:
        """Regress anew on the members when some have left, which are set aside."""
        if left:
            self._refit()
            self._aside.update({(feature,): (self.current, 1.0) for feature in left})

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
        for member in list(self.members):
            if self._is_late:
                break
            best, error = member, self._refitted(list(self.members)).error
            quick_error = self._refitted(list(self.members), quickly=True).error
            for other in self._substitutes.get(member, []):
                if other in self.members:
                    continue
                # Of many samples some tell which exchanges are worth a regression on all.
                if self._exchanged(member, other, quickly=True).error > quick_error:
                    continue
                tried = self._exchanged(member, other)
                if tried.error < error:
                    best, error = other, tried.error
            if best != member:
                self._put_in_place(member, best, error)
                changed = True
        if changed:
            self._refit()

    def _put_in_place(self, member: int, other: int, error: float) -> None:
        """Give the place of a member to another feature."""
        exchanged = self._exchanged(member, other)
        rising = _standard_errors(self._refitted(list(self.members)).losses - exchanged.losses)
        self.current = replace(self.current, groups=exchanged.groups)
        self.members = {other if f == member else f: step for f, step in self.members.items()}
        alike = [f for f in self._substitutes.pop(member, []) if f != other]
        self._substitutes[other] = [member, *alike]
        self.events.append(PursuitEvent("replaced", (member, other), error, rising))

    def _exchanged(self, member: int, other: int, *, quickly: bool = False) -> Smooth:
        """Regress on the members, with another feature in the place of one."""

        def put(features: Iterable[int]) -> tuple[int, ...]:
            return tuple(other if feature == member else feature for feature in features)

        groups = tuple(put(group) for group in self.current.groups)
        like = replace(self.current, groups=groups)
        return self._smoother.refit(put(self.members), like, quickly=quickly)

    def _refitted(self, features: list[int], *, quickly: bool = False) -> Smooth:
        """Regress on some features by the kernel of the current regression."""
        return self._smoother.refit(features, self.current, quickly=quickly)

    def _refit(self) -> None:
        """Regress on the members anew."""
        self.current = self._smoother.fit(list(self.members), self.current)


def _standard_errors(differences: FloatArray) -> float:
    """Mean of differences in units of its standard error."""
    spread = float(differences.std())
    mean = float(differences.mean())
    if spread == 0.0:
        return 0.0 if mean == 0.0 else float(np.copysign(np.inf, mean))
    return mean / spread * float(np.sqrt(len(differences)))
