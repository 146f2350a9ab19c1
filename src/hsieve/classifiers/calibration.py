"""Decisions of several classifiers made comparable: probabilities that fit samples left out.

Classifier c of one class against the rest gives decisions f_c on a scale of its own. The
log-odds are a_c f_c + b_c, fitted to the classes of samples that the classifiers have not seen:

    minimise over a >= 0, b  - sum_i v_i log softmax(a * f(x_i) + b)[class of i]
                             + sum_c (a_c - mean a)^2 / 2 + STEADY sum_c (s_c - mean s)^2 / 2
                             + WEAK (mean a)^2 / 2,   s_c = b_c - log(fraction of class c)

With two classes there is one f, and its log-odds are those of the second class. The scales a_c, and
the offsets beyond the frequency of a class, are kept near each other, since few samples cannot tell
them apart; scales are never negative, since left-out answers to noise run against the classes.
Without any information a is zero, and the class with the greatest weight wins everywhere.

Cost: some tens of passes over n x C decisions; convex, so the answer is unique.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from hsieve.array_types import FloatArray

# Keeps the scale finite where the classes are told apart without an error.
WEAK = 1e-2
# Strength by which offsets are kept together: they differ by one or two units, not by ten.
STEADY = 0.3
# Of a class without samples.
LEAST_WEIGHT = 1e-9
TOLERANCE = 1e-10
MAX_ITERATIONS = 500


@dataclass(frozen=True, eq=False)
class Calibration:
    """Scales and offsets of decisions."""

    slopes: FloatArray  # a, one for two classes, else one a class
    offsets: FloatArray  # b
    loss: float  # mean loss, -log of the probability of the right class, without the penalties

    def apply(self, decisions: FloatArray) -> FloatArray:
        """Return log-odds."""
        return np.asarray(self.slopes * decisions + self.offsets)


def calibrate(
    decisions: FloatArray, codes: NDArray[np.intp], *, weights: FloatArray | None = None
) -> Calibration:
    """Fit scales and offsets to decisions about samples left out, a column a classifier.

    `weights` tells how many samples each stands for.
    """
    weights = np.ones(len(codes)) if weights is None else weights
    loss = _Loss.of(decisions, codes, weights)
    found = minimize(
        loss,
        np.r_[np.ones(loss.n_classifiers), np.zeros(loss.n_classifiers)],
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * loss.n_classifiers + [(None, None)] * loss.n_classifiers,
        options={"maxiter": MAX_ITERATIONS, "ftol": TOLERANCE, "gtol": TOLERANCE},
    )
    slopes, shifts = np.split(found.x, 2)
    mean_loss = (found.fun - loss.penalty(slopes, shifts)[0]) / weights.sum()
    return Calibration(slopes, shifts + loss.priors, float(mean_loss))


@dataclass(frozen=True, eq=False)
class _Loss:
    """The function that is minimised, of slopes a and shifts b - log prior."""

    decisions: FloatArray
    right: FloatArray
    weights: FloatArray
    priors: FloatArray

    @classmethod
    def of(cls, decisions: FloatArray, codes: NDArray[np.intp], weights: FloatArray) -> "_Loss":
        """Say which column is right for each sample, and how frequent the classes are."""
        n_classes = max(2, decisions.shape[1])
        right = np.zeros((len(codes), n_classes))
        right[np.arange(len(codes)), codes] = 1.0
        frequent = np.log(np.maximum(weights @ right, LEAST_WEIGHT) / weights.sum())
        priors = frequent[1:] - frequent[:1] if decisions.shape[1] == 1 else frequent
        return cls(decisions, right, weights, priors)

    @property
    def n_classifiers(self) -> int:
        """Number of columns of decisions."""
        return int(self.decisions.shape[1])

    def __call__(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Give the loss with its penalty, and the gradient."""
        slopes, shifts = np.split(parameters, 2)
        # Two classes: the log-odds of the first are zero.
        first = self.right.shape[1] - self.n_classifiers
        logits = np.zeros_like(self.right)
        logits[:, first:] = slopes * self.decisions + shifts + self.priors
        losses = -np.einsum("ij,ij->i", self.right, log_softmax(logits, axis=1))
        change = (self.weights[:, None] * (softmax(logits, axis=1) - self.right))[:, first:]
        penalty, by_slopes, by_shifts = self.penalty(slopes, shifts)
        by_slopes = by_slopes + np.einsum("ij,ij->j", change, self.decisions)
        gradient = np.concatenate([by_slopes, by_shifts + change.sum(axis=0)])
        return float(self.weights @ losses + penalty), gradient

    def penalty(
        self, slopes: FloatArray, shifts: FloatArray
    ) -> tuple[float, FloatArray, FloatArray]:
        """Give the penalty and its gradients."""
        middle = slopes.mean()
        apart, moved = slopes - middle, shifts - shifts.mean()
        value = 0.5 * (apart @ apart + STEADY * moved @ moved + WEAK * middle**2)
        return float(value), apart + WEAK * middle / len(slopes), STEADY * moved
