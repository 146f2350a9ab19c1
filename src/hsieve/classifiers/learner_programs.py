"""Linear programs over left-out answers of learners: members of an ensemble, and their nu.

Answers of each learner are scaled to deviation 1 around the middle of the classes: a program
(:mod:`hsieve.classifiers.learner_programs`) looks at margins, and would else shun learners whose
ridge shrinks their answers. The learners are highly correlated, and a program is sparse, so each
member sees a random half of the learners; halves come in complementary pairs.

nu is chosen by cross validation over the samples of the programs: two halves of the learners are
mixed by the other folds, and the samples of a fold are judged. The nu with the least log loss after
calibration (:mod:`hsieve.classifiers.calibration`) wins, the larger of two that are equal.

Cost: C (n_members + 2 n_folds n_nus) programs of 5 to 20 ms for C classes.

LPBoost over learners that are used with one sign only: the mixture of largest soft margin.

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

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hsieve.classifiers.calibration import Calibration, calibrate
from hsieve.classifiers.largest_edge import equal_weights
from hsieve.classifiers.lpboost_solver import EDGE_TOLERANCE, SOLVER_TOLERANCE, _Program
from hsieve.data.subsamples import half_samples

__all__ = ["ConvexFit", "Members", "convex_lpboost", "convex_lpboost_path", "fit_members"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

# Learners that join in one round.
BATCH = 10


@dataclass(frozen=True, eq=False)
class Members:
    """LPBoosts over random halves of the learners.

    Parameters
    ----------
    weights : ndarray of shape (n_targets, n_learners, n_members)
        Weights of the scaled answers, summing to one over the learners.
    scales : ndarray of shape (n_targets, n_learners)
        What answers are divided by.
    calibration : Calibration
        From decisions to log-odds.
    nu : float
        The nu used.
    losses : ndarray of shape (n_nus,)
        Log loss for each nu that was tried.
    """

    weights: FloatArray
    scales: FloatArray
    calibration: Calibration
    nu: float
    losses: FloatArray

    def among(self, kept: IndexArray) -> Self:
        """Return the members without the learners that none of them uses.

        Parameters
        ----------
        kept : ndarray of int
            The learners left.
        """
        return replace(self, weights=self.weights[:, kept], scales=self.scales[:, kept])

    def decisions(self, answers: FloatArray) -> FloatArray:
        """Let each member decide.

        Parameters
        ----------
        answers : ndarray of shape (n_samples, n_learners, n_targets)
            Answers of the learners, as they are.

        Returns
        -------
        ndarray of shape (n_samples, n_members, n_targets)
            Log-odds.
        """
        mixed = [
            answers[:, :, target].astype(np.float64) @ (weights / scales[:, None])
            for target, (weights, scales) in enumerate(zip(self.weights, self.scales, strict=True))
        ]
        return self.calibration.apply(np.stack(mixed, axis=-1))


def fit_members(
    answers: FloatArray,
    codes: IndexArray,
    *,
    counts: FloatArray,
    nus: Sequence[float],
    n_members: int,
    n_folds: int,
    rng: np.random.Generator,
) -> Members:
    """Fit the members from left-out answers.

    Parameters
    ----------
    answers : ndarray of shape (n_samples, n_learners, n_targets)
        What learners say of samples they were not fitted on.
    codes : ndarray of shape (n_samples,)
        Class of each sample as a position; all classes are there.
    counts : ndarray of shape (n_samples,)
        How many samples each stands for in the calibration.
    nus : sequence of float
        What to choose from, from large to small.
    n_members, n_folds : int
        Number of members, and of folds.
    rng : Generator
        Source of halves and folds.

    Returns
    -------
    Members
        With the best nu.
    """
    n_learners, n_targets = answers.shape[1:]
    labels = _labels(codes, n_targets)
    scales = np.stack([_spread(answers[:, :, t], labels[:, t]) for t in range(n_targets)])
    scaled = [answers[:, :, t] / scales[t] for t in range(n_targets)]
    folds = _folds(codes, n_folds, rng)
    pair = _halves(n_learners, 2, rng)
    tried = np.stack(
        [_left_out(scaled[t], labels[:, t], folds, pair, nus) for t in range(n_targets)], axis=-1
    )
    calibrations = [calibrate(decisions, codes, weights=counts) for decisions in tried]
    losses = np.array([calibration.loss for calibration in calibrations])
    best = int(np.argmin(losses))
    weights = np.zeros((n_targets, n_learners, n_members))
    for member, half in enumerate(_halves(n_learners, n_members, rng)):
        for t in range(n_targets):
            fit = convex_lpboost(scaled[t][:, half], labels[:, t], nus[best])
            weights[t, half, member] = fit.weights
    return Members(weights, scales, calibrations[best], float(nus[best]), losses)


def _labels(codes: IndexArray, n_targets: int) -> FloatArray:
    """Code each class as +1 against the rest as -1; one column for two classes."""
    positives = np.array([1]) if n_targets == 1 else np.arange(n_targets)
    return np.where(codes[:, None] == positives, 1.0, -1.0)


def _spread(answers: FloatArray, labels: FloatArray) -> FloatArray:
    """Deviation of each learner's answers, both classes counting the same; 1 where it is none."""
    above, below = answers[labels > 0], answers[labels < 0]
    middle = (above.mean(axis=0) + below.mean(axis=0)) / 2
    parts = [np.mean((part - middle) ** 2, axis=0, dtype=np.float64) for part in (above, below)]
    spread = np.sqrt((parts[0] + parts[1]) / 2)
    return np.where(spread > 0, spread, 1.0)


def _folds(codes: IndexArray, n_folds: int, rng: np.random.Generator) -> IndexArray:
    """Give each sample a fold; those of a class are spread over as many folds as they can be."""
    order = rng.permutation(len(codes))
    by_class = order[np.argsort(codes[order], kind="stable")]
    folds = np.empty(len(codes), dtype=np.intp)
    folds[by_class] = np.arange(len(codes)) % n_folds
    return folds


def _halves(n_learners: int, n_members: int, rng: np.random.Generator) -> list[IndexArray]:
    """Draw a half of the learners for each member, two at a time that share none."""
    if n_learners == 1:
        return [np.zeros(1, dtype=np.intp)] * n_members
    halves: list[IndexArray] = []
    while len(halves) < n_members:
        halves.extend(half_samples(n_learners, rng))
    return halves[:n_members]


def _left_out(
    answers: FloatArray,
    labels: FloatArray,
    folds: IndexArray,
    halves: Sequence[IndexArray],
    nus: Sequence[float],
) -> FloatArray:
    """Decide for each fold by programs over the others, for each nu; the mean over the halves."""
    found = np.zeros((len(nus), len(labels)))
    for fold in np.unique(folds):
        inside, outside = folds != fold, folds == fold
        for half in halves:
            seen, asked = answers[np.ix_(inside, half)], answers[np.ix_(outside, half)]
            if len(np.unique(labels[inside])) < 2:
                # All samples of a class are in this fold: nothing can be weighed without it.
                found[:, outside] += asked.mean(axis=1) / len(halves)
                continue
            for place, fit in enumerate(convex_lpboost_path(seen, labels[inside], nus)):
                found[place, outside] += asked @ fit.weights / len(halves)
    return found


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
