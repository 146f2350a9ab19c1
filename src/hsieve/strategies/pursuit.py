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
   that carries nearly the same information if that lowers the error.

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

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hsieve.deadline import Deadline
from hsieve.parameters import NONE, Rule, number, word
from hsieve.progress import report
from hsieve.strategies.base import LONGEST_SEARCH, Strategy, best_first
from hsieve.strategies.mrmr import continued
from hsieve.strategies.pursuit_candidates import CandidateSearch, PursuitCandidate
from hsieve.strategies.pursuit_members import PursuitMembers, standard_errors
from hsieve.strategies.pursuit_path import PursuitEvent, PursuitPath

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
# With a number of features given the search goes on for some more, and then drops the least needed;
# of many features, among which each matters less, for fewer.
EXTRA_FEATURES = 5
MOST_TO_TRIM = 60
TIME_IS_UP = "the time is up"
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
    # Its tests and left-out errors need so many samples.
    weights_are_counts: ClassVar[bool] = True

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

    def search(self, bound: Any, n_features_to_select: int) -> PursuitPath:
        """Add features until none passes the gates, then trim or fill up to the number wanted."""
        wanted = min(n_features_to_select, bound.n_features)
        extra = 0 if self.finds_number else min(wanted, EXTRA_FEATURES, MOST_TO_TRIM // wanted)
        chase = _Chase(bound, self)
        stop_reason = chase.run(min(wanted + extra, bound.n_features))
        if not self.finds_number and len(chase.members) > wanted:
            chase.members.trim(wanted)
            stop_reason = "enough features"
        return self._path(bound, chase, wanted, stop_reason)

    def _path(self, bound: Any, chase: "_Chase", wanted: int, stop_reason: str) -> PursuitPath:
        """Put all features in order: those found, fillers, the others."""
        members = chase.members.features
        residual_relevance = chase.search.relevance(chase.members.current, len(members))
        sizes, errors, gains = chase.members.steps()
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
            n_selectable=len(members) if self.finds_number else None,
            errors=errors,
            n_found=len(members),
            relevance=bound.relevance(np.arange(bound.n_features)),
            residual_relevance=residual_relevance,
            width=chase.members.width,
            events=tuple(chase.members.events),
            substitutes=chase.members.substitutes(),
        )


class _Chase:
    """The search: what joins the members, until time or candidates run out."""

    def __init__(self, bound: Any, settings: PursuitSearch) -> None:
        limit = settings.time_limit
        self._deadline = Deadline() if limit is None else Deadline(limit)
        self.members = PursuitMembers(
            bound,
            self._deadline,
            level=settings.level,
            least_gain=settings.least_gain,
            seed=settings.random_state,
        )
        self.search = CandidateSearch(
            bound, level=settings.level, with_tuples=settings.interactions is not None
        )
        self._least_gain = settings.least_gain
        self._n_failures = self._n_copies = 0

    def run(self, most: int) -> str:
        """Add features until there are so many or none passes; return why it ended."""
        members, settled = self.members, None
        for _ in range(MOST_ROUNDS):
            reason = self._grow(most)
            grown = members.current
            self._try_aside(most - len(members))
            if members.current is not settled:
                members.settle()
            settled = members.current
            # Beside other members, what was set aside may do better.
            still = {group: was for group, was in members.aside.items() if was[0] is settled}
            is_settled = settled is grown and len(still) == len(members.aside)
            if is_settled or not self._deadline.allows_step():
                break
            members.aside = still
        return reason

    def _grow(self, most: int) -> str:
        """Let features join while they pass the gates; return why that ended."""
        members = self.members
        self._n_failures = self._n_copies = 0
        while len(members) < most:
            self._deadline.begin_step()
            if not self._deadline.allows_step(GROWING_TIME):
                return TIME_IS_UP
            if self._n_failures > MOST_ASIDE or self._n_copies > MOST_COPIES:
                return "other features do not lower the leave-one-out error"
            candidate = self.search.candidate(
                members.current,
                members.features,
                members.aside,
                most=most - len(members),
                seconds=self._deadline.left(GROWING_TIME),
            )
            if candidate is None:
                return "no other feature is related to the residuals beyond chance"
            first, rest = candidate.features[0], candidate.companions
            together = {first: candidate.p_value, **rest}
            if not (rest and self._try_together(together, candidate.pool)):
                self._try(candidate)
            report(len(members) / most, "pursuit")
        return "enough features"

    def _try(self, candidate: PursuitCandidate) -> None:
        """Let a candidate join if it tells more than its relatives and the loss falls by enough."""
        members, features = self.members, candidate.features
        new = tuple(f for f in features if f not in members.features)
        if len(features) == 1 and members.is_copy(features[0], members.current):
            self._tell("set aside", new, members.current.error, 0.0, candidate.p_value)
            members.set_aside(features, 1.0)
            self._n_copies += 1
            return
        fit = members.with_others(new, together=features if len(features) > 1 else ())
        gain = standard_errors(members.current.losses - fit.losses)
        explained = members.current.error - fit.error
        if gain < self._least_gain or explained < LEAST_EXPLAINED:
            if new:
                self._tell("set aside", new, fit.error, gain, candidate.p_value)
            members.set_aside(features, candidate.p_value)
            self._n_failures += 1
            return
        self._n_failures = self._n_copies = 0
        if new:
            self._tell("joined", new, fit.error, gain, candidate.p_value)
            members.join([new], fit, candidate.pool)
        else:
            # Members that act together: the regression is better now, and they stay the same.
            members.adopt(fit)

    def _try_aside(self, most: int) -> None:
        """Try features together that were set aside one by one, though far beyond chance.

        Each may lower the error too little beside a noisy copy of them all that came in first.
        """
        far = {
            group[0]: p_value
            for group, (fit, p_value) in self.members.aside.items()
            if len(group) == 1 and fit is self.members.current and p_value <= self.search.far_beyond
        }
        together = dict(sorted(far.items(), key=lambda item: item[1])[: min(most, MOST_ASIDE)])
        if len(together) > 1 and self._deadline.allows_step():
            self._try_together(together, np.array(list(together), dtype=np.intp))

    def _try_together(self, new: dict[int, float], pool: IndexArray) -> bool:
        """Let features, with their p-values, join if the loss falls by enough for all of them."""
        fit = self.members.with_others(new)
        gain = standard_errors(self.members.current.losses - fit.losses)
        # The gains of features that share little add up, and so do their variances.
        if gain < self._least_gain * len(new) ** 0.5:
            return False
        self._n_failures = self._n_copies = 0
        for feature, p_value in new.items():
            self._tell("joined", (feature,), fit.error, gain, p_value)
        self.members.join([(feature,) for feature in new], fit, pool)
        return True

    def _tell(self, *event: Any) -> None:
        self.members.events.append(PursuitEvent(*event))
