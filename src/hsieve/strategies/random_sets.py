"""Random sets of features and samples, and the halves of algorithm 7 of the thesis.

Every round of a randomised search has a generator of its own, made from the seed and the place of
the round, so a draw does not depend on who makes it or when.

**Random halves.** Features are split at random into two halves, again and again; the difference of
the halves' scores is explained by which feature was in which half. The thesis calls it an earlier
attempt and found it sensitive to both of its parameters; here the width of the tube is in
deviations of the differences, and the penalty follows from the number of features wanted. The
regression (Athanasakis 2014, section 4.5) is sparse, non-negative and ignores small errors:
minimise over w >= 0

    sum_i max(|b_i'w - z_i| - epsilon, 0) + penalty * sum_j w_j.

Its dual has one constraint a feature instead of two a row,

    maximise z'u - epsilon |u|_1  over  -1 <= u <= 1  with  B'u <= penalty,

and the multipliers of these constraints are w. Solved by HiGHS through SciPy. (The thesis sums the
losses over the features; the rows are meant.)

Cost: two scores a round, and some linear programs of n_rounds bounded variables and n_features
constraints.

References
----------
D. Athanasakis, "Feature selection in computational biology", University College London, 2014,
section 4.5.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.optimize import linprog

from hsieve.array_types import FloatArray, IndexArray
from hsieve.exceptions import NoRankingError
from hsieve.measures.base import JointBoundMeasure
from hsieve.parameters import NONE, integer, number, rules
from hsieve.progress import report
from hsieve.solvers.sparse_fits import SparseFit, fit_of_size
from hsieve.strategies.base import SelectionPath, Strategy

# Differences within this fraction of the largest are the same: with one feature there is one split.
SAME = 1e-9
REPORTED_EVERY = 50

# Weights under this fraction of the largest are rounding of the solver.
NEGLIGIBLE = 1e-9
# Fewer samples, or fewer features in a set that is not a half, tell nothing.
MIN_SUBSAMPLE = 8
MIN_SET = 8


@dataclass(frozen=True, eq=False)
class Draw:
    """What one round looks at."""

    samples: IndexArray  # (n_drawn,): the subsample
    chosen: IndexArray  # the random set and its complement; fixed features are in both
    others: IndexArray


@dataclass(frozen=True, eq=False)
class Sampler:
    """Source of draws."""

    groups: tuple[IndexArray, ...]  # samples of each group that is drawn from
    n_drawn: tuple[int, ...]  # how many samples are drawn from each
    share_of_features: float  # size of the random sets
    seed: int  # seed of all rounds

    @classmethod
    def over(
        cls, group_of_sample: IndexArray, subsample: float, share_of_features: float, seed: int
    ) -> Self:
        """Make a sampler that draws equally many samples from each group, as far as there are."""
        n_samples, n_groups = len(group_of_sample), int(group_of_sample.max()) + 1
        if 1 < n_samples < 2 * n_groups:
            msg = (
                f"balanced=True needs classes, but the target holds {n_groups} different values "
                f"among {n_samples} samples."
            )
            raise ValueError(msg)
        wanted = subsample * n_samples if subsample <= 1 else subsample
        total = min(n_samples, max(MIN_SUBSAMPLE, int(wanted)))
        groups = tuple(np.flatnonzero(group_of_sample == group) for group in range(n_groups))
        n_drawn = tuple(min(len(group), -(-total // n_groups)) for group in groups)
        return cls(groups, n_drawn, share_of_features, seed)

    def draw(self, iteration: int, position: int, n_free: int, n_members: int) -> Draw:
        """Draw samples and features for one round."""
        seeds = np.random.SeedSequence(self.seed, spawn_key=(iteration, position))
        rng = np.random.default_rng(seeds)
        samples = np.concatenate(
            [
                rng.choice(group, n, replace=False)
                for group, n in zip(self.groups, self.n_drawn, strict=True)
            ]
        )
        order = rng.permutation(n_free)
        size = self._set_size(rng, n_free)
        fixed = np.arange(n_free, n_members)
        chosen, others = (
            np.concatenate([np.sort(part), fixed]) for part in (order[:size], order[size:])
        )
        return Draw(np.sort(samples), chosen, others)

    def share_in(self, n_free: int) -> float:
        """Fraction of the free features that a set holds, on average."""
        return self._size(n_free, n_free / 2) / n_free

    def _set_size(self, rng: np.random.Generator, n_free: int) -> int:
        """Size of the random set; of an odd number of features either half is taken as often."""
        return int(self._size(n_free, max((n_free + int(rng.integers(2))) // 2, 1)))

    def _size(self, n_free: int, half: float) -> float:
        """Size of a set, no smaller than is telling and no larger than a half."""
        size = max(round(self.share_of_features * n_free), MIN_SET)
        return half if self.share_of_features == 0.5 else min(size, half)


@dataclass(eq=False, repr=False, kw_only=True)
class RandomHalves(Strategy):
    """Weigh features by a regression of the differences between random halves.

    Parameters
    ----------
    n_rounds : int, default=1000
        Number of random splits.
    epsilon : float, default=0.1
        Differences up to this size, in deviations of all differences, need not be explained.
    penalty : float or None, default=None
        Cost of a weight, as a fraction (below 1) of the least one with which no feature has a
        weight. None takes the penalty that gives as many features as wanted a weight.
    random_state : int, Generator or None, default=0
        Seed of the splits.
    """

    n_rounds: int = 1000
    epsilon: float = 0.1
    penalty: float | None = None
    random_state: int | np.random.Generator | None = 0

    needs = ("subset_score",)
    refusal = "It scores no sets of features, such as halves."

    allowed = rules(
        n_rounds=integer(1), epsilon=number(least=0), penalty=NONE | number(above=0, below=1)
    )

    def n_ranked(self, n_features: int) -> int:
        """Refuse to rank more features than are asked for."""
        msg = "its weights are found for one number of features"
        raise NoRankingError(msg)

    def search(self, bound: JointBoundMeasure, n_features_to_select: int) -> SelectionPath:
        """Split, score and regress."""
        halves, differences = self._differences(bound)
        deviation = _scale_of(differences)
        target, epsilon = differences / deviation, float(self.epsilon)
        if self.penalty is None:
            fit = insensitive_fit_of_size(halves, target, n_features_to_select, epsilon=epsilon)
        else:
            penalty = float(self.penalty) * strongest_penalty(halves, target, epsilon)
            fit = insensitive_fit(halves, target, epsilon=epsilon, penalty=penalty)
        order, n_used = fit.order, max(1, fit.n_used)
        return SelectionPath(
            order=order,
            feature_scores=deviation * fit.weights[order],
            sizes=np.array([n_used]),
            set_scores=np.array([bound.subset_score(np.sort(order[:n_used]))]),
            stop_reason=f"{fit.n_used} feature(s) have a weight",
            n_selectable=None if self.penalty is None else n_used,
        )

    def _differences(self, bound: JointBoundMeasure) -> tuple[FloatArray, FloatArray]:
        """Half of each feature as a sign, and difference of the scores, for each split."""
        n_rounds, n_features = int(self.n_rounds), bound.n_features
        seed = int(np.random.default_rng(self.random_state).integers(2**63))
        sampler = Sampler.over(np.zeros(1, dtype=np.intp), 1.0, 0.5, seed)
        halves, differences = np.full((n_rounds, n_features), -1.0), np.empty(n_rounds)
        for position in range(n_rounds):
            draw = sampler.draw(0, position, n_features, n_features)
            halves[position, draw.chosen] = 1.0
            differences[position] = bound.subset_score(draw.chosen) - bound.subset_score(
                draw.others
            )
            if position % REPORTED_EVERY == 0:
                report(0.8 * position / n_rounds, "random halves")
        return halves, differences


def _scale_of(differences: FloatArray) -> float:
    """Deviation of the differences, or their size if all are the same but for rounding."""
    largest = float(np.abs(differences).max())
    if float(np.ptp(differences)) <= SAME * largest:
        return largest or 1.0
    return float(differences.std())


def insensitive_fit(
    rows: FloatArray, target: FloatArray, *, epsilon: float, penalty: float
) -> SparseFit:
    """Fit the regression for one penalty; the pull is the gradient B'u of the loss.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]])
    >>> fit = insensitive_fit(rows, np.array([2.0, -2.0, 2.0]), epsilon=0.5, penalty=0.1)
    >>> fit.weights.round(6)
    array([1.5, 0. ])
    """
    solution = linprog(
        np.concatenate([epsilon - target, epsilon + target]),
        A_ub=np.vstack([rows, -rows]).T,
        b_ub=np.full(rows.shape[1], penalty),
        bounds=(0.0, 1.0),
        method="highs",
    )
    if solution.status != 0:
        msg = f"The linear program of the regression was not solved: {solution.message}"
        raise RuntimeError(msg)
    up, down = np.split(solution.x, 2)
    weights = -solution.ineqlin.marginals
    weights[weights <= NEGLIGIBLE * weights.max(initial=0.0)] = 0.0
    return SparseFit(penalty, weights, rows.T @ (up - down))


def strongest_penalty(rows: FloatArray, target: FloatArray, epsilon: float) -> float:
    """Return the least penalty at which no feature has a weight; zero where none ever has."""
    pulls = rows.T @ (np.sign(target) * (np.abs(target) > epsilon))
    return float(pulls.max(initial=0.0))


def insensitive_fit_of_size(
    rows: FloatArray, target: FloatArray, n_wanted: int, *, epsilon: float
) -> SparseFit:
    """Fit the regression with the penalty that gives so many features a weight."""
    strongest = strongest_penalty(rows, target, epsilon)
    if strongest == 0.0:
        return SparseFit(0.0, np.zeros(rows.shape[1]), rows.T @ target)
    return fit_of_size(
        lambda penalty, _: insensitive_fit(rows, target, epsilon=epsilon, penalty=penalty),
        strongest,
        n_wanted,
    )
