"""Weights of all features within an l1 ball, climbed until only a few are left.

With LSMI this is l1-LSMI, with HSIC l1-HSIC (Jitkrittum, Hachiya and Sugiyama 2012). All features
are there from the start, so those that matter only together are seen; redundant features add
nothing and lose their weight. The score has many local maxima: the search begins again from several
random weights and takes the best set met. :mod:`hsieve.strategies.weight_search` holds the two ways
of a single search.

Cost: for each restart some ten to twenty gradients, and a choice of the model at every third.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray, IndexArray
from hsieve.exceptions import NoRankingError
from hsieve.parallel.jobs import make_job_engine
from hsieve.parameters import NONE, integer, number, rules, word
from hsieve.progress import report
from hsieve.strategies.base import SelectionPath, Strategy, best_first
from hsieve.strategies.weight_search import random_weights, search_radius, shrink


@dataclass(frozen=True, eq=False)
class WeightedSet:
    """A set of features that a restart ended with.

    Parameters
    ----------
    features : ndarray of int
        Features that kept a weight, the largest weight first.
    weights : ndarray of shape (n_features,)
        Their weights, the largest 1.
    others : ndarray of int
        All other features, those that left last first.
    score : float
        Score of the set, every feature with weight 1.
    """

    features: IndexArray
    weights: FloatArray
    others: IndexArray
    score: float


@dataclass(frozen=True, eq=False)
class L1SelectionPath(SelectionPath):
    """The chosen set, and all sets that the restarts met.

    Parameters
    ----------
    sets : tuple of WeightedSet
        Different sets met, the best first; the first one is chosen.
    n_restarts : int
        Number of restarts that were begun.
    """

    sets: tuple[WeightedSet, ...]
    n_restarts: int

    def among(self, features: IndexArray, n_features: int) -> Self:
        """Return the path of a search over some features as one over all of them."""
        outside = np.setdiff1d(np.arange(n_features), features)
        sets = tuple(
            replace(
                found,
                features=features[found.features],
                others=np.concatenate([features[found.others], outside]),
            )
            for found in self.sets
        )
        return replace(super().among(features, n_features), sets=sets)


@dataclass(eq=False, repr=False, kw_only=True)
class L1Ball(Strategy):
    """Climb a score in the weights of all features until only as many as wanted are left.

    Parameters
    ----------
    optimiser : {"shrink", "paper"}, default="shrink"
        "shrink" passes through all sizes in one ascent; "paper" is algorithm 1 of the paper, plain
        gradient ascents within balls whose radius is doubled and then bisected. See
        :mod:`hsieve.strategies.weight_search`.
    n_restarts : int, default=20
        Number of random weights to begin from.
    time_limit : float or None, default=None
        Seconds after which the best set so far is taken; a first set is always found, if need be
        by taking the largest weights as they are.
    radius : float, default=0.1
        First radius of "paper".
    n_jobs : int or None, default=None
        Number of processes that share the restarts. The result does not depend on it.
    engine : {"local", "threads", "dask", "spark"}, dict, EngineSettings or None, default=None
        Who does the restarts, instead of `n_jobs`: see :func:`hsieve.parallel.make_engine`. With a
        time limit, the clocks of its machines should agree.
    random_state : int, Generator or None, default=0
        Seed of the weights.

    Notes
    -----
    Of all sets met, the one nearest in size to what is wanted is taken, then the smaller, then the
    one with the highest score of its features without weights. "shrink" always ends with the size
    wanted, and then exchanges features for others as long as that raises the score: with few
    samples, all restarts may lose a feature in the first steps, whose slopes are mostly noise.
    Features are ordered by their weights; should a set be larger than wanted, those with the
    largest weights are selected, and should it be smaller, fewer are, with a warning.
    """

    optimiser: str = "shrink"
    n_restarts: int = 20
    time_limit: float | None = None
    radius: float = 0.1
    n_jobs: int | None = None
    engine: Any = None
    random_state: int | np.random.Generator | None = 0

    needs = (
        "subset_score",
        "addition_scores",
        "removal_scores",
        "weighted_model",
        "weighted_value_and_gradient",
    )
    refusal = "It has no slope in weights of features."

    allowed = rules(
        n_restarts=integer(1),
        radius=number(above=0),
        time_limit=NONE | number(above=0),
        optimiser=word("shrink", "paper"),
    )

    def n_ranked(self, n_features: int) -> int:
        """Refuse to rank more features than are asked for."""
        msg = "its weights are found for one number of features"
        raise NoRankingError(msg)

    def search(self, bound: Any, n_features_to_select: int) -> L1SelectionPath:
        """Run the restarts and take the best set met."""
        rngs = np.random.default_rng(self.random_state).spawn(int(self.n_restarts))
        met: dict[tuple[int, ...], tuple[FloatArray, IndexArray]] = {}
        n_begun = 0
        with make_job_engine(self.n_jobs, self.engine) as workers:
            climb = _Climb(
                bound,
                n_features_to_select,
                self.optimiser,
                self.radius,
                np.inf if self.time_limit is None else time.time() + self.time_limit,
            )
            in_time = _while_there_is_time(rngs, climb.deadline())
            for found in workers.map(_restart, in_time, shared=climb):
                n_begun += 1
                for weights, gone in zip(found[::2], found[1::2], strict=True):
                    # The first restart that met a set lends it its weights.
                    met.setdefault(tuple(np.flatnonzero(weights).tolist()), (weights, gone))
                report(n_begun / len(rngs), "restarts")
        deadline = climb.deadline()
        met.pop((), None)
        if not met:
            msg = (
                f"No radius from {self.radius:g} on kept a feature with a weight in {n_begun} "
                "restart(s); take a larger radius, or optimiser='shrink'."
            )
            raise ValueError(msg)
        sets = _best_first(bound, met, n_features_to_select)
        if self.optimiser == "shrink":
            sets = (*_exchanges(bound, sets[0], deadline), *sets)
        return self._path(bound, sets, n_begun)

    def _path(self, bound: Any, sets: tuple[WeightedSet, ...], n_begun: int) -> L1SelectionPath:
        best = sets[0]
        reason = f"{n_begun} restart(s) done"
        if n_begun < self.n_restarts:
            reason = f"time limit of {self.time_limit:g} s, {n_begun} restart(s) begun"
        scores = np.zeros(bound.n_features)
        scores[: len(best.features)] = best.weights
        return L1SelectionPath(
            order=np.concatenate([best.features, best.others]),
            feature_scores=scores,
            sizes=np.array([len(best.features)]),
            set_scores=np.array([best.score]),
            stop_reason=reason,
            n_selectable=len(best.features),
            sets=sets,
            n_restarts=n_begun,
        )


@dataclass(frozen=True, eq=False)
class _Climb:
    """What all restarts need: the measure, how to climb, and until which time of day."""

    bound: Any
    n_wanted: int
    optimiser: str
    radius: float
    end: float

    @property
    def known_by(self) -> tuple[int]:
        """What tells these restarts from others of the same search on the same data."""
        return (self.n_wanted,)

    def deadline(self) -> float:
        """Return the end by the steady clock of this process: machines share the time of day."""
        return time.monotonic() + self.end - time.time()


def _restart(rng: np.random.Generator, climb: _Climb) -> tuple[NDArray[Any], ...]:
    """Weights met in one restart, each with the features that left, in order; a task."""
    bound, n_wanted = climb.bound, climb.n_wanted
    deadline = climb.deadline()
    if climb.optimiser == "shrink":
        start = random_weights(bound.n_features, rng)
        return shrink(bound, start, n_wanted, deadline=deadline)
    met = search_radius(bound, n_wanted, rng, first_radius=climb.radius, deadline=deadline)
    # Who left when is not known here; the others stay in the order of the data.
    pairs = ((weights, np.flatnonzero(weights == 0)[::-1]) for weights in met)
    return tuple(chain.from_iterable(pairs))


def _while_there_is_time(
    rngs: list[np.random.Generator], deadline: float
) -> Iterator[np.random.Generator]:
    """Hand out sources of weights until it is too late, one in any case."""
    for place, rng in enumerate(rngs):
        if place == 0 or time.monotonic() <= deadline:
            yield rng


def _best_first(
    bound: Any,
    met: dict[tuple[int, ...], tuple[FloatArray, IndexArray]],
    n_wanted: int,
) -> tuple[WeightedSet, ...]:
    """Order the sets nearest in size: the smaller first, then the higher score."""
    nearest = min(abs(len(features) - n_wanted) for features in met)
    sets = []
    for features, (weights, gone) in met.items():
        if abs(len(features) - n_wanted) == nearest:
            kept = np.array(features, dtype=np.intp)
            kept = kept[best_first(weights[kept])]
            score = bound.subset_score(kept)
            sets.append(WeightedSet(kept, weights[kept] / weights.max(), gone[::-1], score))
    return tuple(sorted(sets, key=lambda found: (len(found.features), -found.score)))


def _exchanges(bound: Any, found: WeightedSet, deadline: float) -> tuple[WeightedSet, ...]:
    """Exchange the feature that is missed least for the best other one while the score rises.

    A feature takes over the weight of the one it replaces. Sets come best first.
    """
    sets: list[WeightedSet] = []
    for _ in range(len(found.features) if len(found.others) else 0):
        if time.monotonic() > deadline:
            break
        place = int(np.argmax(bound.removal_scores(found.features, found.features)))
        others = np.sort(found.others)
        kept = np.delete(found.features, place)
        joining = others[np.argmax(bound.addition_scores(kept, others))]
        features = found.features.copy()
        features[place] = joining
        score = bound.subset_score(features)
        if not score > found.score:
            break
        left = np.concatenate([[found.features[place]], found.others[found.others != joining]])
        found = WeightedSet(features, found.weights, left, score)
        sets.insert(0, found)
    return tuple(sets)
