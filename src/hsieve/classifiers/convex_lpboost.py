"""LPBoost over learners that are used with one sign only: the mixture of largest soft margin.

Thesis of Athanasakis, program 5.1. With w >= 0, sum w = 1 and labels y of +1 and -1:

    maximise  rho - sum_i D_i xi_i
    so that   y_i (sum_j w_j h_j(x_i) + b) >= rho - xi_i,   xi_i >= 0

======  ==========================================================================================
symbol  meaning
======  ==========================================================================================
h_j     answers of learner j
D_i     price of a violation, 1 / (2 nu m), where m is the size of the sample's class
u_i     dual weights of the samples: 0 <= u_i <= D_i, and one half for each class together
beta    largest edge sum_i u_i y_i h_j(x_i), which is minimised over u
======  ==========================================================================================

The optimum is half the distance between two means: of the share nu of the upper class for which the
mixture is lowest, and of the share nu of the lower class for which it is highest. So every nu above
0 and up to 1 has a solution, for classes of any sizes, and no intercept has to be known; where the
classes overlap, beta is below zero, which is no obstacle as there is no w = 0 to fall back to.
With nu = 1 all samples count, and the learner with the widest gap between the classes is taken.

One program of HiGHS lives for a path over nu; learners whose edge is above beta join it.

Cost: a program of n variables and as many rows as learners met, 5 to 20 ms for 1,000 to 2,000
samples and 50 to 100 learners.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hsieve.classifiers.largest_edge import equal_weights
from hsieve.classifiers.lpboost_solver import EDGE_TOLERANCE, SOLVER_TOLERANCE, _Program

__all__ = ["ConvexFit", "convex_lpboost", "convex_lpboost_path"]

FloatArray = NDArray[np.floating]

# Learners that join in one round.
BATCH = 10


@dataclass(frozen=True, eq=False)
class ConvexFit:
    """An optimal mixture.

    Parameters
    ----------
    weights : ndarray of shape (n_learners,)
        w, at least zero, summing to one.
    sample_weights : ndarray of shape (n_samples,)
        u.
    objective : float
        beta.
    gap : float
        Largest edge of any learner less beta: a bound on what is missing to the optimum.
    nu : float
        The nu given.
    """

    weights: FloatArray
    sample_weights: FloatArray
    objective: float
    gap: float
    nu: float


def convex_lpboost(answers: FloatArray, labels: FloatArray, nu: float) -> ConvexFit:
    """Fit the mixture.

    Parameters
    ----------
    answers : ndarray of shape (n_samples, n_learners)
        What each learner says of each sample.
    labels : ndarray of shape (n_samples,)
        +1 and -1, both present.
    nu : float
        Share of each class that may lie within the margin, above 0 and at most 1.

    Returns
    -------
    ConvexFit
        With a gap of about 1e-8 times the size of the answers, or less.

    Examples
    --------
    >>> import numpy as np
    >>> answers = np.array([[-2.0, 1.0], [-1.0, -1.0], [1.0, 1.0], [2.0, -1.0]])
    >>> fit = convex_lpboost(answers, np.array([-1.0, -1.0, 1.0, 1.0]), 0.5)
    >>> fit.weights, round(fit.objective, 6)
    (array([1., 0.]), 1.0)
    """
    return next(convex_lpboost_path(answers, labels, [nu]))


def convex_lpboost_path(
    answers: FloatArray, labels: FloatArray, nus: Iterable[float]
) -> Iterator[ConvexFit]:
    """Fit the mixture for one nu after the other, each begun where the last ended.

    Parameters
    ----------
    answers, labels
        As in :func:`convex_lpboost`.
    nus : iterable of float
        Values of nu; from large to small is quickest.

    Yields
    ------
    ConvexFit
        The optimum for each.
    """
    master = _ConvexMaster(np.asarray(answers, dtype=np.float64), labels)
    for nu in nus:
        yield master.fit(nu)


class _ConvexMaster:
    """The program over the learners met so far."""

    def __init__(self, answers: FloatArray, labels: FloatArray) -> None:
        n_samples = len(labels)
        self.equal = equal_weights(labels)
        # Variables of the program are not below zero: with a constant added to all margins, which
        # adds itself to every edge since sum u = 1, neither is beta.
        self.scale = float(np.abs(answers).max()) or 1.0
        self.rows = (answers.T * labels) / self.scale + 1.0
        self.met = np.zeros(0, dtype=np.intp)
        self.program = _Program(np.r_[np.zeros(n_samples), 1.0], np.full(n_samples + 1, np.inf))
        halves = np.zeros((2, n_samples + 1))
        halves[0, :-1], halves[1, :-1] = labels > 0, labels < 0
        self.program.add(halves, lower=[0.5, 0.5], upper=[0.5, 0.5])

    def fit(self, nu: float) -> ConvexFit:
        """Minimise the largest edge."""
        self.program.bound(self.equal / nu)
        if len(self.met) == 0:
            self._join(self.rows @ self.equal, -np.inf)
        while True:
            solved = self.program.solve()
            sample_weights, edge = solved.values[:-1], solved.objective
            edges = self.rows @ sample_weights
            if not self._join(edges, edge + EDGE_TOLERANCE):
                break
        weights = np.zeros(len(self.rows))
        weights[self.met] = np.maximum(-solved.duals[2:], 0.0)
        weights[weights <= SOLVER_TOLERANCE] = 0.0
        if not weights.any():
            # All learners are as wrong as can be, as on one sample a class: none is the better.
            weights[self.met] = 1.0
        return ConvexFit(
            weights=weights / weights.sum(),
            sample_weights=sample_weights,
            objective=self.scale * (edge - 1.0),
            gap=self.scale * max(0.0, float(edges.max()) - edge),
            nu=nu,
        )

    def _join(self, edges: FloatArray, level: float) -> bool:
        """Let learners outside with an edge above a level join; whether any did."""
        outside = edges.copy()
        outside[self.met] = -np.inf
        best = np.argsort(-outside, kind="stable")[:BATCH]
        new = best[outside[best] > level]
        below = np.zeros(len(new))
        rows = np.hstack([self.rows[new], below[:, None] - 1])
        self.program.add(rows, lower=below - np.inf, upper=below)
        self.met = np.concatenate([self.met, new])
        return len(new) > 0
