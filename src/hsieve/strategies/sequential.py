"""Sequential searches: backward elimination and forward selection.

Backward elimination: drop, again and again, the features whose going costs least.

With HSIC this is BAHSIC (algorithm 1 of Song et al. 2007). Each round scores every removal in one
sweep and drops a fraction of the features; the order of removal, reversed, is the ranking.

**Contexts (ours).** Scored beside all the others, a feature's contribution is a sum over all its
partners. One partner that matters drowns in the noise of thousands that do not: the sum of m noisy
terms grows like sqrt(m). So each round splits the features at random into a few contexts, scores
every feature against every context (members by what their removal costs, the others by what
their coming would bring), puts the scores of each context on a common scale, and keeps for each
feature its *best* context. A pair that matters only together needs to meet in one context only,
where there are fewer bystanders. Measured rates are in
``docs/explanation/recovery.md``. With one context this is the algorithm of the paper.

Cost of a round: one sweep over the remaining features for each context.

Forward selection: add, again and again, the feature that brings most.

With HSIC this is FOHSIC. Cheaper than backward elimination when few features are wanted, but a
feature that matters only beside another cannot be seen while that other is not there.

Cost: k rounds, each one sweep over the features outside the set.
"""

from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np

from hsieve.array_types import FloatArray, IndexArray
from hsieve.measures.base import JointBoundMeasure
from hsieve.parallel.settings import JOBS, n_threads_of
from hsieve.parallel.threads import hold_one_blas_thread, over_threads
from hsieve.parameters import integer, number, rules
from hsieve.progress import report
from hsieve.strategies.base import LONGEST_SEARCH, SelectionPath, Strategy, best_first

# A context needs company enough for its features to be judged in.
MIN_CONTEXT = 16


@dataclass(eq=False, repr=False, kw_only=True)
class Backward(Strategy):
    """Drop the features that contribute least, a fraction each round, until one is left.

    Parameters
    ----------
    step : float or int, default=0.25
        Fraction (below 1) or number (1 or more) of the features dropped each round; at least one.
        The BAHSIC paper drops 0.1, the thesis 0.25, ``step=1`` goes one by one.
    n_contexts : int, default=1
        Number of random contexts each round; fewer where they would hold under 16 features. 1
        scores each feature beside all the others, as in the paper.
    n_jobs : int or None, default=None
        Number of threads, each with one context at a time and one thread of BLAS; -1 for one on
        each core. None: one context after the other, and BLAS as it is set.
    random_state : int, Generator or None, default=0
        Seed of the contexts.
    """

    step: float = 0.25
    n_contexts: int = 1
    n_jobs: int | None = None
    random_state: int | np.random.Generator | None = 0

    needs = ("subset_score", "elimination_scores")
    refusal = "Add them to its bound measure, or choose Ranking()."

    allowed = rules(
        step=number(above=0, below=1) | integer(1, as_float=True),
        n_contexts=integer(1),
        n_jobs=JOBS,
    )

    def search(self, bound: JointBoundMeasure, n_features_to_select: int) -> SelectionPath:
        """Eliminate features until one is left, which ranks them all."""
        with nullcontext() if self.n_jobs is None else hold_one_blas_thread():
            return self._search(bound)

    def _search(self, bound: JointBoundMeasure) -> SelectionPath:
        rng = np.random.default_rng(self.random_state)
        members = np.arange(bound.n_features)
        worst_first: list[IndexArray] = []
        worth: list[FloatArray] = []
        sizes, set_scores = [len(members)], [bound.subset_score(members)]
        last_worth = np.array(set_scores)
        while len(members) > 1:
            contexts = self._contexts(len(members), rng)
            standing, contributions = _judged(bound, members, contexts, n_threads_of(self.n_jobs))
            order = best_first(standing)
            n_kept = len(members) - self._n_dropped(len(members))
            dropped = order[n_kept:][::-1]
            worst_first.append(members[dropped])
            worth.append(contributions[dropped])
            last_worth = contributions[order[:1]]
            members = np.sort(members[order[:n_kept]])
            sizes.append(len(members))
            set_scores.append(bound.subset_score(members))
            # A round costs about as much as its features; in all that is a geometric series.
            report(1.0 - len(members) / bound.n_features, "backward elimination")
        worst_first.append(members)
        worth.append(last_worth)
        return SelectionPath(
            order=np.concatenate(worst_first)[::-1],
            feature_scores=np.concatenate(worth)[::-1],
            sizes=np.array(sizes[::-1]),
            set_scores=np.array(set_scores[::-1]),
            stop_reason="one feature left",
        )

    def standings(self, bound: JointBoundMeasure) -> FloatArray:
        """Judge every feature once, as the first round does; the higher, the later it would go."""
        contexts = self._contexts(bound.n_features, np.random.default_rng(self.random_state))
        return _judged(bound, np.arange(bound.n_features), contexts)[0]

    def _n_dropped(self, n_members: int) -> int:
        wanted = int(self.step * n_members) if self.step < 1 else int(self.step)
        return min(max(wanted, 1), n_members - 1)

    def _contexts(self, n_members: int, rng: np.random.Generator) -> IndexArray:
        """Draw a context for each member."""
        n_contexts = max(1, min(int(self.n_contexts), n_members // MIN_CONTEXT))
        contexts = np.arange(n_members) % n_contexts
        return contexts if n_contexts == 1 else rng.permutation(contexts)


def _judged(
    bound: JointBoundMeasure, members: IndexArray, contexts: IndexArray, n_threads: int = 1
) -> tuple[FloatArray, FloatArray]:
    """Standing of each member, and its worth in its best context."""
    if not contexts.any():
        worth = bound.elimination_scores(members, members)
        return worth, worth
    standing = np.full(len(members), -np.inf)
    worth = np.zeros(len(members))
    tasks = [(members[contexts == c], members) for c in range(int(contexts.max()) + 1)]
    for here in over_threads(bound.elimination_scores, tasks, n_threads):
        standing_here = _on_common_scale(here)
        better = standing_here > standing
        standing[better] = standing_here[better]
        worth[better] = here[better]
    return standing, worth


def _on_common_scale(values: FloatArray) -> FloatArray:
    """Mean 0 and deviation 1, or all zero where there is no spread."""
    deviation = values.std()
    return (values - values.mean()) / deviation if deviation > 0 else np.zeros_like(values)


class Forward(Strategy):
    """Add the feature that leaves the score highest, until enough are chosen.

    Features that were not chosen follow in the order of their scores in the last round.
    """

    needs = ("feature_scores", "subset_score", "addition_scores")
    refusal = "Add them to its bound measure, or choose Ranking()."

    def n_ranked(self, n_features: int) -> int:
        """Return how many features to look for where a rule chooses their number afterwards."""
        return min(LONGEST_SEARCH, n_features)

    def search(self, bound: JointBoundMeasure, n_features_to_select: int) -> SelectionPath:
        """Add features one by one."""
        chosen: list[int] = []
        gains: list[float] = []
        set_scores: list[float] = []
        outside = np.arange(bound.n_features)
        score = 0.0
        contributions = np.zeros(len(outside))
        while len(chosen) < n_features_to_select:
            subset = np.array(chosen, dtype=np.intp)
            # The empty set has no distances for a bandwidth rule to look at; single features have.
            after = (
                bound.addition_scores(subset, outside) if chosen else bound.feature_scores(outside)
            )
            best = int(best_first(after)[0])
            before, score = score, bound.subset_score(np.append(subset, outside[best]))
            gains.append(score - before)
            set_scores.append(score)
            chosen.append(int(outside[best]))
            contributions = np.delete(after - after[best], best)
            outside = np.delete(outside, best)
            report(len(chosen) / n_features_to_select, "forward selection")
        rest = best_first(contributions)
        return SelectionPath(
            order=np.concatenate([np.array(chosen, dtype=np.intp), outside[rest]]),
            feature_scores=np.concatenate([gains, contributions[rest]]),
            sizes=np.arange(1, len(chosen) + 1),
            set_scores=np.array(set_scores),
            stop_reason=f"{len(chosen)} features chosen",
        )
