"""Random halves explained by a regression: algorithm 7 of the thesis.

Features are split at random into two halves, again and again; the difference of the halves' scores
is explained by which feature was in which half. A sparse, non-negative regression that ignores
small differences (:mod:`hsieve.solvers.insensitive_regression`) gives the weights. The thesis
calls it an earlier attempt and found it sensitive to both of its parameters; here the width of the
tube is in deviations of the differences, and the penalty follows from the number of features
wanted.

Cost: two scores a round, and some linear programs of n_rounds variables and d constraints.

References
----------
D. Athanasakis, "Feature selection in computational biology", University College London, 2014,
section 4.5.
"""

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hsieve.measures.base import BoundMeasure, SubsetScores
from hsieve.progress import report
from hsieve.solvers.insensitive_regression import (
    insensitive_fit,
    insensitive_fit_of_size,
    strongest_penalty,
)
from hsieve.strategies.base import SelectionPath, Strategy
from hsieve.strategies.random_draws import Sampler

__all__ = ["RandomHalves"]

FloatArray = NDArray[np.floating]

# Differences within this share of the largest are the same: with one feature there is one split.
SAME = 1e-9
REPORTED_EVERY = 50


class RandomHalves(Strategy):
    """Weigh features by a regression of the differences between random halves.

    Parameters
    ----------
    n_rounds : int, default=1000
        Number of random splits.
    epsilon : float, default=0.1
        Differences up to this size, in deviations of all differences, need not be explained.
    penalty : float or None, default=None
        Cost of a weight, as a share (below 1) of the least one with which no feature has a weight.
        None takes the penalty that gives as many features as wanted a weight.
    random_state : int, Generator or None, default=0
        Seed of the splits.
    """

    needs: ClassVar[tuple[str, ...]] = ("subset_score",)
    refusal: ClassVar[str] = "It scores single features only, so halves have no score."
    own_number: ClassVar[str] = "its weights are found for one number of features"

    def __init__(
        self,
        *,
        n_rounds: int = 1000,
        epsilon: float = 0.1,
        penalty: float | None = None,
        random_state: int | np.random.Generator | None = 0,
    ) -> None:
        self.n_rounds = n_rounds
        self.epsilon = epsilon
        self.penalty = penalty
        self.random_state = random_state

    def check_parameters(self, n_features: int, n_wanted: int) -> None:
        """Refuse settings that make no sense, in words."""
        if not isinstance(self.n_rounds, Integral) or self.n_rounds < 1:
            msg = f"n_rounds must be a whole number of at least 1, got {self.n_rounds!r}."
            raise ValueError(msg)
        if not (isinstance(self.epsilon, Real) and 0 <= self.epsilon < np.inf):
            msg = f"epsilon must be a number of at least 0, got {self.epsilon!r}."
            raise ValueError(msg)
        if self.penalty is not None and not (
            isinstance(self.penalty, Real) and 0 < self.penalty < 1
        ):
            msg = f"penalty must be None or a share between 0 and 1, got {self.penalty!r}."
            raise ValueError(msg)

    def search(self, bound: BoundMeasure, n_features_to_select: int) -> SelectionPath:
        """Split, score and regress."""
        assert isinstance(bound, SubsetScores)
        self.check_parameters(bound.n_features, n_features_to_select)
        halves, differences = self._differences(bound, bound.n_features)
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
            n_evaluations=2 * int(self.n_rounds) + 1,
            n_selectable=None if self.penalty is None else n_used,
        )

    def _differences(self, bound: SubsetScores, n_features: int) -> tuple[FloatArray, FloatArray]:
        """Half of each feature as a sign, and difference of the scores, for each split."""
        n_rounds = int(self.n_rounds)
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
