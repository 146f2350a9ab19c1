"""Randomised contributions: judge features by what they bring to random sets of the others.

This is randSel, algorithm 6 of [1]_. Each round draws a subsample and a random set of the features
that are left; a feature's contribution is the mean, over rounds, of what it adds. The
worst share is culled, and so on until two features are left.

Two estimators of a contribution:

* ``"plain"``, the thesis' own: mean score of the halves that hold the feature minus mean score of
  those that do not. Each round scores both halves, so it says one number about all features.
* ``"sweep"``, ours: each round scores, in one sweep, what *every* feature brings to the set, by
  leaving if it is in and by joining if it is not. The difference between two random sets, which
  is nearly all of the plain estimator's noise, does not enter.

Both estimate the same kind of expectation. **Best rounds (ours).** Sweeps know more than a mean: a
feature that matters only together with another brings something in those rounds only whose set
holds that other. With sets of a quarter of the features that is a quarter of the rounds; in the
others it is noise. So features are culled by their *merit*, the mean over the quarter of the rounds
in which they bring most, each round on a common scale; the last few, by the mean. Measured rates of
either are in ``docs/explanation/recovery.md``.

Rounds are seeded one by one, so any number of workers gives the same selection.

Cost of an iteration: two scores a round (plain), or one sweep over the features left (sweep).

References
----------
.. [1] D. Athanasakis, "Feature selection in computational biology", University College London,
   2014, chapter 4.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from hsieve.array_types import FloatArray, IndexArray
from hsieve.parallel import Engine
from hsieve.parallel.jobs import make_job_engine
from hsieve.parameters import NONE, integer, number, rules, word
from hsieve.progress import report
from hsieve.strategies.base import SelectionPath, Strategy, best_first
from hsieve.strategies.random_sets import Draw, Sampler

# Rounds and shares where none are given; a sweep says far more in a round.
DEFAULT_ROUNDS = {"plain": 3000, "sweep": 32}
DEFAULT_SUBSAMPLE = {"plain": 0.25, "sweep": 0.5}
SHARE_OF_FEATURES = {"plain": 0.5, "sweep": 0.25}
# A round takes the square of its samples; so many at most, where no number is given.
MOST_SAMPLES = 1000
N_KEPT = 2
# Rounds are shared out in so many tasks, whatever the number of workers.
N_TASKS = 16


@dataclass(frozen=True, eq=False)
class ContributionPath(SelectionPath):
    """The way of a randomised search, with the contributions of every iteration.

    Parameters
    ----------
    order, feature_scores, sizes, set_scores, stop_reason, n_selectable
        As in :class:`SelectionPath`; the score of a feature is its last contribution.
    contributions : ndarray of shape (n_iterations, n_features)
        Contribution of each feature; NaN once it was culled or fixed.
    merits : ndarray of shape (n_iterations, n_features)
        What the features were judged by: the contributions themselves (plain), or the mean over
        the best rounds, in deviations of all features' contributions in a round (sweep).
    fixed : ndarray of shape (n_fixed,)
        Features that were fixed, in the order in which they were.
    fixed_after : ndarray of shape (n_fixed,)
        Iteration after which each of them was fixed, from 0.
    """

    contributions: FloatArray = field(kw_only=True)
    merits: FloatArray = field(kw_only=True)
    fixed: IndexArray = field(kw_only=True)
    fixed_after: IndexArray = field(kw_only=True)

    @property
    def nested_sets(self) -> list[IndexArray]:
        """For each iteration, the features of positive contribution, and those fixed before."""
        sets = []
        for iteration, row in enumerate(self.contributions):
            positive = np.flatnonzero(np.nan_to_num(row, nan=0.0) > 0)
            sets.append(np.union1d(positive, self.fixed[self.fixed_after < iteration]))
        return sets

    def among(self, features: IndexArray, n_features: int) -> Self:
        """Return the path of a search over some features as one over all of them."""
        contributions, merits = np.full((2, len(self.contributions), n_features), np.nan)
        contributions[:, features] = self.contributions
        merits[:, features] = self.merits
        path = super().among(features, n_features)
        return replace(path, contributions=contributions, merits=merits, fixed=features[self.fixed])


@dataclass(eq=False, repr=False, kw_only=True)
class RandomisedContributions(Strategy):
    """Cull, again and again, the features that add least to random sets of the others.

    Parameters
    ----------
    estimator : {"sweep", "plain"}, default="sweep"
        How contributions are estimated; "plain" is the algorithm of the thesis.
    n_rounds : int or None, default=None
        Rounds an iteration; None for 32 sweeps, or the thesis' 3000 rounds of the plain estimator.
    subsample : float, int or None, default=None
        Fraction (up to 1) or number of the samples drawn in a round, without replacement; None for
        a half (sweep) or a quarter (plain, as the thesis), at most 1000. At least 8, or all where
        there are fewer.
    balanced : bool, default=False
        Whether a subsample holds equally many samples of each class, as far as there are.
    step : float, default=0.25
        Fraction of the features culled after each iteration; at least one feature is.
    fix_after : int or None, default=None
        Fix a feature, that is, never cull it and put it into every set from then on, once it was
        among the best for so many iterations in a row. None fixes none.
    top_share : float, default=0.1
        Fraction of the features left that counts as the best.
    n_jobs : int or None, default=None
        Number of processes; the selection does not depend on it.
    engine : {"local", "threads", "dask", "spark"}, dict, EngineSettings or None, default=None
        Who does the rounds, instead of `n_jobs`: see :func:`hsieve.parallel.make_engine`.
    random_state : int, Generator or None, default=0
        Seed of the draws.
    """

    estimator: str = "sweep"
    n_rounds: int | None = None
    subsample: float | None = None
    balanced: bool = False
    step: float = 0.25
    fix_after: int | None = None
    top_share: float = 0.1
    n_jobs: int | None = None
    engine: Any = None
    random_state: int | np.random.Generator | None = 0

    no_weights = "draws samples that count alike"

    needs = ("subset_score", "elimination_scores", "part")
    refusal = (
        "Randomised contributions need a measure of sets on any part of the samples, "
        "such as HSIC, NHSIC or LSMI."
    )

    allowed = rules(
        n_rounds=NONE | integer(1),
        fix_after=NONE | integer(1),
        step=number(above=0, below=1),
        top_share=number(above=0, below=1),
        subsample=NONE | number(above=0, most=1) | integer(2, as_float=True),
        estimator=word("sweep", "plain"),
    )

    def search(self, bound: Any, n_features_to_select: int) -> ContributionPath:
        """Cull features until two are left, and put these in order."""
        sampler = self._sampler(bound)
        search = _Search(bound.n_features, self.fix_after, float(self.top_share))
        with make_job_engine(self.n_jobs, self.engine) as workers:
            while search.n_left > N_KEPT and len(search.free):
                self._iterate(bound, search, sampler, workers)
                search.cull(float(self.step))
                report(_done(self.estimator, search.n_left, bound.n_features), "contributions")
            if len(search.free) > 1 or not search.rows:
                self._iterate(bound, search, sampler, workers)
        return search.path(bound)

    def _sampler(self, bound: Any) -> Sampler:
        """Make the source of draws."""
        subsample = self.subsample
        if subsample is None:
            subsample = min(DEFAULT_SUBSAMPLE[self.estimator], MOST_SAMPLES / bound.n_samples)
        groups = bound.sample_groups if self.balanced else np.zeros(bound.n_samples, dtype=np.intp)
        return Sampler.over(
            groups,
            subsample,
            SHARE_OF_FEATURES[self.estimator],
            int(np.random.default_rng(self.random_state).integers(2**63)),
        )

    def _iterate(self, bound: Any, search: "_Search", sampler: Sampler, workers: Engine) -> None:
        """Estimate the contributions of all free features."""
        n_rounds = self.n_rounds or DEFAULT_ROUNDS[self.estimator]
        here = bound.part(np.arange(bound.n_samples), search.members)
        tasks = np.array_split(np.arange(n_rounds), min(N_TASKS, n_rounds))
        # Members are renumbered: free features first, then fixed ones.
        n_free = len(search.free)
        iteration = _Iteration(here, n_free, sampler, self.estimator, len(search.rows))
        results = workers.map(_contributions, tasks, shared=iteration)
        rounds = np.concatenate([of_task for (of_task,) in results])
        contributions = rounds.mean(axis=0)
        # Any partner of a feature is there in this fraction of the rounds. With halves that is half
        # of the time, and the best rounds are mostly luck.
        counted = sampler.share_in(n_free)
        search.add(contributions, contributions if counted >= 0.5 else best_mean(rounds, counted))


class _Search:
    """State of the search: features free and fixed, and what was learned about them."""

    def __init__(self, n_features: int, fix_after: int | None, top_share: float) -> None:
        self.n_features = n_features
        self.fix_after = fix_after
        self.top_share = top_share
        self.free: IndexArray = np.arange(n_features)
        self.fixed: list[tuple[int, int]] = []
        self.rows: list[FloatArray] = []
        self.merits: list[FloatArray] = []
        self.last = np.zeros(n_features)
        self.brought = np.zeros(n_features)
        self.streaks = np.zeros(n_features, dtype=np.intp)
        self.culled: list[IndexArray] = []
        self.sets: list[IndexArray] = [self.members]

    @property
    def members(self) -> IndexArray:
        """Features left: the free ones, then the fixed ones."""
        fixed = np.array([feature for feature, _ in self.fixed], dtype=np.intp)
        return np.concatenate([self.free, fixed])

    @property
    def n_left(self) -> int:
        """Number of features left."""
        return len(self.free) + len(self.fixed)

    def add(self, contributions: FloatArray, merits: FloatArray) -> None:
        """Note the contributions and merits of the free features."""
        for rows, found in ((self.rows, contributions), (self.merits, merits)):
            row = np.full(self.n_features, np.nan)
            row[self.free] = found
            rows.append(row)
        self.brought[self.free], self.last[self.free] = contributions, merits

    def cull(self, share: float) -> None:
        """Fix the features that have been among the best long enough, cull the worst."""
        order = self.free[best_first(self.last[self.free])]
        top = order[: max(1, int(self.top_share * len(order)))]
        self.streaks[np.setdiff1d(self.free, top)] = 0
        self.streaks[top] += 1
        if self.fix_after is not None:
            lasting = self.streaks[order] >= self.fix_after
            self.fixed.extend((int(feature), len(self.rows) - 1) for feature in order[lasting])
            order = order[~lasting]
        n_left = len(order) + len(self.fixed)
        n_culled = min(max(1, int(share * len(order))), n_left - N_KEPT, len(order))
        n_kept = len(order) - n_culled
        self.culled.append(order[n_kept:][::-1])
        self.free = np.sort(order[:n_kept])
        self.sets.append(self.members)

    def path(self, bound: Any) -> ContributionPath:
        """Put everything in order, best first: fixed, left, culled last, ..., culled first."""
        left = self.free[best_first(self.last[self.free])]
        fixed = np.array(self.fixed, dtype=np.intp).reshape(len(self.fixed), 2)
        order = np.concatenate([fixed[:, 0], left, np.concatenate([*self.culled, left[:0]])[::-1]])
        sets = {len(members): members for members in reversed(self.sets)}
        return ContributionPath(
            order=order,
            feature_scores=self.brought[order],
            sizes=np.array(list(sets)),
            set_scores=np.array([bound.subset_score(np.sort(sets[size])) for size in sets]),
            stop_reason=f"{self.n_left} feature(s) left",
            contributions=np.array(self.rows),
            merits=np.array(self.merits),
            fixed=fixed[:, 0],
            fixed_after=fixed[:, 1],
        )


def plain_contributions(part: Any, draw: Draw, n_free: int) -> FloatArray:
    """Difference of the two halves of one round, with the sign of the half of each feature."""
    difference = part.subset_score(draw.chosen) - part.subset_score(draw.others)
    signs = np.full(n_free, -1.0)
    signs[draw.chosen[draw.chosen < n_free]] = 1.0
    return np.asarray(signs * difference)


def swept_contributions(part: Any, draw: Draw, n_free: int) -> FloatArray:
    """Sweep over what each free feature brings to the random set of one round."""
    return np.asarray(part.elimination_scores(draw.chosen, np.arange(n_free)))


ESTIMATES: dict[str, Callable[[Any, Draw, int], FloatArray]] = {
    "sweep": swept_contributions,
    "plain": plain_contributions,
}


def best_mean(rounds: FloatArray, share: float) -> FloatArray:
    """Mean of each feature over its best rounds, each round in deviations over all features.

    Examples
    --------
    >>> import numpy as np
    >>> best_mean(np.array([[2.0, 0.0], [0.0, 0.0], [0.0, 6.0], [0.0, 6.0]]), 0.5)
    array([1., 2.])
    """
    deviations = rounds.std(axis=1, keepdims=True)
    scaled = np.divide(rounds, deviations, out=np.zeros_like(rounds), where=deviations > 0)
    n_counted = max(1, round(share * len(rounds)))
    return np.asarray(np.sort(scaled, axis=0)[-n_counted:].mean(axis=0))


@dataclass(frozen=True, eq=False)
class _Iteration:
    """What all rounds of an iteration need: measure, free features, draws, estimator, number."""

    bound: Any
    n_free: int
    sampler: Sampler
    estimator: str
    number: int

    @property
    def known_by(self) -> tuple[int, ...]:
        """What tells this iteration from others of the same search on the same data."""
        return self.number, self.n_free, self.sampler.seed


def _contributions(positions: IndexArray, of: _Iteration) -> tuple[FloatArray]:
    """Contributions in some rounds of an iteration, one a row; a task of one worker."""
    found = np.empty((len(positions), of.n_free))
    everything = np.arange(of.bound.n_features)
    for row, position in zip(found, positions.tolist(), strict=True):
        draw = of.sampler.draw(of.number, position, of.n_free, of.bound.n_features)
        part = of.bound.part(draw.samples, everything)
        row[:] = ESTIMATES[of.estimator](part, draw, of.n_free)
    return (found,)


def _done(estimator: str, n_left: int, n_features: int) -> float:
    """Fraction of the work done: sweeps cost as much as the features left, plain rounds do not."""
    if estimator == "plain":
        return 1.0 - math.log(n_left / N_KEPT) / math.log(n_features / N_KEPT)
    return 1.0 - n_left / n_features
