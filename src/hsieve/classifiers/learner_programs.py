"""Linear programs over left-out answers of learners: members of an ensemble, and their nu.

Answers of each learner are scaled to deviation 1 around the middle of the classes: a program
looks at margins, and would else shun learners whose ridge shrinks their answers. The learners are
highly correlated, and a program is sparse, so each member sees a random half of the learners;
halves come in complementary pairs.

nu is chosen by cross validation over the samples of the programs: two halves of the learners are
mixed by the other folds, and the samples of a fold are judged. The nu with the least log loss after
calibration (:mod:`hsieve.classifiers.calibration`) wins, the larger of two that are equal.

A member is LPBoost over learners that are used with one sign only: the mixture of largest soft
margin (thesis of Athanasakis, program 5.1). With w >= 0, sum w = 1 and labels y of +1 and -1:

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

The optimum is half the distance between two means: of the fraction nu of the upper class for which
the mixture is lowest, and of the fraction nu of the lower class for which it is highest. So every
nu above 0 and up to 1 has a solution, for classes of any sizes, and no intercept has to be known;
where the classes overlap, beta is below zero, which is no obstacle as there is no w = 0 to fall
back to.
With nu = 1 all samples count, and the learner with the widest gap between the classes is taken.

One program of HiGHS lives for a path over nu.

Cost: C (n_members + 2 n_folds n_nus) programs for C classes, each of n variables and a row for
each learner: 5 to 20 ms for 1,000 to 2,000 samples and 50 to 100 learners.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from hsieve.array_types import FloatArray, IndexArray
from hsieve.classifiers.base import deal_out, equal_weights
from hsieve.classifiers.calibration import Calibration, calibrate
from hsieve.classifiers.linear_program import SOLVER_TOLERANCE, LinearProgram
from hsieve.data.subsamples import half_samples
from hsieve.kernels.labels import sign_coding

# How far the class that most members vote for is put above the others where the mean of the
# decisions has another one.
ABOVE = 1e-9


@dataclass(frozen=True, eq=False)
class Members:
    """LPBoosts over random halves of the learners."""

    # (n_targets, n_learners, n_members): weights of the scaled answers, summing to one over the
    # learners.
    weights: FloatArray
    scales: FloatArray  # (n_targets, n_learners): what answers are divided by
    calibration: Calibration  # from decisions to log-odds
    nu: float  # the nu used
    losses: FloatArray  # (n_nus,): log loss for each nu that was tried

    def among(self, kept: IndexArray) -> Self:
        """Return the members without the learners that none of them uses."""
        return replace(self, weights=self.weights[:, kept], scales=self.scales[:, kept])

    def decisions(self, answers: FloatArray) -> FloatArray:
        """Turn answers of the learners into log-odds, (n_samples, n_members, n_targets)."""
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
    """Fit the members from left-out answers, (n_samples, n_learners, n_targets), with the best nu.

    `counts` tells how many samples each stands for in the calibration.
    """
    n_learners, n_targets = answers.shape[1:]
    labels = sign_coding(codes)
    scales = np.stack([_spread(answers[:, :, t], labels[:, t]) for t in range(n_targets)])
    scaled = [answers[:, :, t] / scales[t] for t in range(n_targets)]
    folds = deal_out(codes, n_folds, rng)
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


def voted(decisions: FloatArray) -> FloatArray:
    """Return the mean decision over members, with the class of most votes on top.

    Where the class that most members vote for is not that of the mean, it is put just above the
    others; the mean decides between classes of equally many votes.
    """
    mean: FloatArray = decisions.mean(axis=1)
    if decisions.shape[2] == 1:
        lead = np.sign(decisions).sum(axis=1)
        disagree = lead * mean < 0
        mean[disagree] = ABOVE * np.sign(lead[disagree])
        return mean
    votes = np.zeros(mean.shape)
    chosen = np.argmax(decisions, axis=2)
    np.add.at(votes, (np.arange(len(votes))[:, None], chosen), 1.0)
    most = votes == votes.max(axis=1, keepdims=True)
    winner = np.argmax(np.where(most, mean, -np.inf), axis=1)
    rows = np.flatnonzero(winner != np.argmax(mean, axis=1))
    mean[rows, winner[rows]] = mean[rows].max(axis=1) + ABOVE
    return mean


def _spread(answers: FloatArray, labels: FloatArray) -> FloatArray:
    """Deviation of each learner's answers, both classes counting the same; 1 where it is none."""
    above, below = answers[labels > 0], answers[labels < 0]
    middle = (above.mean(axis=0) + below.mean(axis=0)) / 2
    parts = [np.mean((part - middle) ** 2, axis=0, dtype=np.float64) for part in (above, below)]
    spread = np.sqrt((parts[0] + parts[1]) / 2)
    return np.where(spread > 0, spread, 1.0)


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
    """An optimal mixture."""

    weights: FloatArray  # (n_learners,): w, at least zero, summing to one
    sample_weights: FloatArray  # (n_samples,): u
    objective: float  # beta


def convex_lpboost(answers: FloatArray, labels: FloatArray, nu: float) -> ConvexFit:
    """Fit the mixture of learners, the columns of the answers, to labels of +1 and -1."""
    return next(convex_lpboost_path(answers, labels, [nu]))


def convex_lpboost_path(
    answers: FloatArray, labels: FloatArray, nus: Iterable[float]
) -> Iterator[ConvexFit]:
    """Fit the mixture for one nu after the other, each begun where the last ended."""
    n_samples, n_learners = answers.shape
    # Variables of the program are not below zero: with a constant added to all margins, which
    # adds itself to every edge since sum u = 1, neither is beta.
    scale = float(np.abs(answers).max()) or 1.0
    rows = (answers.T.astype(np.float64) * labels) / scale + 1.0
    program = LinearProgram(np.r_[np.zeros(n_samples), 1.0], np.full(n_samples + 1, np.inf))
    halves = np.zeros((2, n_samples + 1))
    halves[0, :-1], halves[1, :-1] = labels > 0, labels < 0
    program.add(halves, lower=[0.5, 0.5], upper=[0.5, 0.5])
    below = np.zeros(n_learners)
    program.add(np.hstack([rows, below[:, None] - 1]), lower=below - np.inf, upper=below)
    for nu in nus:
        program.bound(equal_weights(labels) / nu)
        solved = program.solve()
        weights = np.maximum(-solved.duals[2:], 0.0)
        weights[weights <= SOLVER_TOLERANCE] = 0.0
        if not weights.any():
            # All learners are as wrong as can be, as on one sample a class: none is the better.
            weights[:] = 1.0
        objective = scale * (solved.objective - 1.0)
        yield ConvexFit(weights / weights.sum(), solved.values[:-1], objective)
