"""Linear programs over left-out answers of learners: members of an ensemble, and their nu.

Answers of each learner are scaled to deviation 1 around the middle of the classes: a program
(:mod:`hsieve.classifiers.convex_lpboost`) looks at margins, and would else shun learners whose
ridge shrinks their answers. The learners are highly correlated, and a program is sparse, so each
member sees a random half of the learners; halves come in complementary pairs.

nu is chosen by cross validation over the samples of the programs: two halves of the learners are
mixed by the other folds, and the samples of a fold are judged. The nu with the least log loss after
calibration (:mod:`hsieve.classifiers.calibration`) wins, the larger of two that are equal.

Cost: C (n_members + 2 n_folds n_nus) programs of 5 to 20 ms for C classes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hsieve.classifiers.calibration import Calibration, calibrate
from hsieve.classifiers.convex_lpboost import convex_lpboost, convex_lpboost_path
from hsieve.data.subsamples import half_samples

__all__ = ["Members", "fit_members"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]


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
