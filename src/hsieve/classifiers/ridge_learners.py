"""Weak learners of an ensemble: kernel ridge regressions on balanced subsamples.

Thesis of Athanasakis, section 5.3. There is one learner for each subsample, set of features, width
and ridge (or the best of several ridges, by its left-out answers). All classes share its Gram
matrix: its targets are +1 for a class and -1 / (C - 1) for the C - 1 others, so that classes of
equal weight have mean zero and no intercept is needed. Where a subsample could not be balanced,
because a class has too few samples, weights v of the samples even it out, up to a ratio of 10.

A learner is h(x) = sum_i a_i k(x_i, x), where (K + ridge diag(1 / v)) a = y: the minimum of
sum_i v_i (y_i - h(x_i))^2 + ridge |h|^2. Leaving sample i out changes the answer for it to
y_i - a_i / B_ii, where B is the inverse of the matrix on the left. This is exact, also with
weights, and there is no intercept or mean through which the sample could still be felt. A learner
answers for samples it was not fitted on by its prediction, and for its own as if each had been left
out, so that no answer knows the class of its sample.

Cost: for each subsample of m samples, set and width O(m^3): one Cholesky factor and inverse a ridge
(0.035 s for 1,000 samples) or, for more than three ridges, one eigendecomposition for all of them
(0.15 s); and an exponential for every pair of a sample of it and one that is answered for.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.linalg.lapack import dpotri

from hsieve.array_types import FloatArray, IndexArray
from hsieve.kernels.set_kernels import SetKernels

# Samples of a rare class count so much more than others at most.
LARGEST_RATIO = 10.0
# So many ridges at most are solved one by one: an eigendecomposition costs as much as four.
FEW_RIDGES = 3


@dataclass(frozen=True, eq=False)
class Subsample:
    """Samples that learners are fitted on."""

    places: IndexArray  # (n_drawn,): their positions among all samples, in rising order
    data: FloatArray  # (n_drawn, n_features): standardised features
    codes: IndexArray  # (n_drawn,): class of each as a position


@dataclass(frozen=True, eq=False)
class RidgeLearners:
    """Learners that can answer for any sample."""

    kernels: SetKernels  # kernels of all sets and widths
    samples: tuple[FloatArray, ...]  # standardised features of each subsample
    # (n_learners,): places of the subsample, the set and the width of each learner.
    subsamples: IndexArray
    sets: IndexArray
    widths: IndexArray
    ridges: FloatArray  # (n_learners,)
    errors: FloatArray  # (n_learners,): mean squared error of the left-out answers
    coefficients: tuple[FloatArray, ...]  # (n_drawn, n_targets) of each learner

    def __len__(self) -> int:
        return len(self.sets)

    def among(self, kept: IndexArray) -> Self:
        """Return some of the learners."""
        return replace(
            self,
            subsamples=self.subsamples[kept],
            sets=self.sets[kept],
            widths=self.widths[kept],
            ridges=self.ridges[kept],
            errors=self.errors[kept],
            coefficients=tuple(self.coefficients[learner] for learner in kept),
        )

    def answers(self, data: FloatArray) -> FloatArray:
        """Answer for samples that no learner was fitted on, (n_samples, n_learners, n_targets)."""
        said = np.empty((len(data), len(self), self.n_targets), dtype=data.dtype)
        for learners, gram in self._grams(data):
            for learner in learners:
                said[:, learner] = gram @ self.coefficients[learner]
        return said

    @property
    def n_targets(self) -> int:
        """Number of targets: 1 for two classes, else one a class."""
        return int(self.coefficients[0].shape[1])

    def _grams(self, rows: FloatArray) -> Iterator[tuple[IndexArray, FloatArray]]:
        """Yield the kernels that learners need, each once, and the learners."""
        for subsample, samples in enumerate(self.samples):
            here = self.subsamples == subsample
            for features in np.unique(self.sets[here]).tolist():
                these = here & (self.sets == features)
                widths = np.unique(self.widths[these]).tolist()
                grams = self.kernels.grams(features, rows, samples, widths=widths)
                for width, gram in zip(widths, grams, strict=True):
                    yield np.flatnonzero(these & (self.widths == width)), gram


def fit_learners(
    kernels: SetKernels,
    subsamples: Sequence[Subsample],
    asked: Subsample,
    *,
    n_classes: int,
    ridges: Sequence[float],
    best_ridge: bool,
) -> tuple[RidgeLearners, FloatArray]:
    """Fit all learners, and let them answer for some samples, whose classes no answer knows.

    With `best_ridge` only the ridge with the best left-out answers is kept, for each kernel; the
    first subsample decides for all. Else there is a learner for each.
    """
    found: list[tuple[int, int, int, RidgeFit]] = []
    answers: list[FloatArray] = []
    chosen: dict[tuple[int, int], Sequence[float]] = {}
    for place, drawn in enumerate(subsamples):
        targets, weights = class_targets(drawn.codes, n_classes), class_weights(drawn.codes)
        own, at = _own_samples(drawn, asked)
        for features in range(len(kernels.sets)):
            grams = kernels.grams(features, drawn.data, drawn.data)
            others = kernels.grams(features, asked.data, drawn.data)
            for width, (gram, other) in enumerate(zip(grams, others, strict=True)):
                tried = chosen.get((features, width), ridges)
                fits = kernel_ridge(gram, targets, tried, weights=weights)
                if best_ridge:
                    fits = [min(fits, key=lambda one: one.error)]
                    chosen[features, width] = [fits[0].ridge]
                for fit in fits:
                    coefficients = fit.coefficients.astype(drawn.data.dtype)
                    said = other @ coefficients
                    said[own] = fit.left_out[at]
                    answers.append(said)
                    found.append((place, features, width, replace(fit, coefficients=coefficients)))
    places, sets, widths, kept = zip(*found, strict=True)
    learners = RidgeLearners(
        kernels=kernels,
        samples=tuple(drawn.data for drawn in subsamples),
        subsamples=np.array(places),
        sets=np.array(sets),
        widths=np.array(widths),
        ridges=np.array([fit.ridge for fit in kept]),
        errors=np.array([fit.error for fit in kept]),
        coefficients=tuple(fit.coefficients for fit in kept),
    )
    return learners, np.stack(answers, axis=1)


def class_targets(codes: IndexArray, n_classes: int) -> FloatArray:
    """Code classes: +1 and -1 in one column for two, else +1 and -1 / (C - 1), a column a class."""
    if n_classes == 2:
        return 2.0 * codes[:, None] - 1.0
    targets = np.full((len(codes), n_classes), -1.0 / (n_classes - 1))
    targets[np.arange(len(codes)), codes] = 1.0
    return targets


def class_weights(codes: IndexArray) -> FloatArray:
    """Weigh samples so that classes weigh the same, as far as a ratio of 10 allows; mean 1."""
    weights = 1.0 / np.bincount(codes)[codes]
    weights = np.minimum(weights, LARGEST_RATIO * weights.min())
    return np.asarray(weights / weights.mean())


def _own_samples(drawn: Subsample, asked: Subsample) -> tuple[IndexArray, IndexArray]:
    """Places among those asked for of samples that were fitted on, and among the fitted ones."""
    _, own, at = np.intersect1d(asked.places, drawn.places, return_indices=True)
    return own, at


@dataclass(frozen=True, eq=False)
class RidgeFit:
    """A kernel ridge regression."""

    ridge: float  # what was added to the diagonal
    coefficients: FloatArray  # (n_samples, n_targets): a
    left_out: FloatArray  # (n_samples, n_targets): what the regression from all others says of each
    error: float  # mean squared error of these answers, samples counted by their weights


def kernel_ridge(
    gram: FloatArray,
    targets: FloatArray,
    ridges: Sequence[float],
    *,
    weights: FloatArray | None = None,
) -> list[RidgeFit]:
    """Fit a regression for each ridge, in double precision; columns of targets have their own."""
    weights = np.ones(len(gram)) if weights is None else np.asarray(weights, dtype=np.float64)
    solve = _by_factors if len(ridges) <= FEW_RIDGES else _by_eigenvectors
    fits = []
    for ridge, coefficients, diagonal in solve(gram, targets, ridges, weights):
        residuals = coefficients / diagonal[:, None]
        error = float(np.average(np.mean(residuals**2, axis=1), weights=weights))
        fits.append(RidgeFit(float(ridge), coefficients, targets - residuals, error))
    return fits


def _by_factors(
    gram: FloatArray, targets: FloatArray, ridges: Sequence[float], weights: FloatArray
) -> Iterator[tuple[float, FloatArray, FloatArray]]:
    """Yield each ridge, its coefficients and the diagonal of the inverse, by Cholesky's factors."""
    for ridge in ridges:
        system = np.array(gram, dtype=np.float64, order="F")
        system[np.diag_indices(len(system))] += ridge / weights
        factor, lower = cho_factor(system, lower=True, overwrite_a=True, check_finite=False)
        coefficients = cho_solve((factor, lower), targets, check_finite=False)
        # Cannot fail: a factor with a zero on its diagonal has been refused by cho_factor.
        inverse, _ = dpotri(factor, lower=True, overwrite_c=True)
        yield ridge, coefficients, np.diag(inverse).copy()


def _by_eigenvectors(
    gram: FloatArray, targets: FloatArray, ridges: Sequence[float], weights: FloatArray
) -> Iterator[tuple[float, FloatArray, FloatArray]]:
    """Yield the same from one eigendecomposition for all ridges."""
    roots = np.sqrt(weights)
    # The same system, scaled to have the ridge alone on the diagonal.
    scaled = roots[:, None] * np.asarray(gram, dtype=np.float64) * roots
    values, vectors = eigh(scaled, overwrite_a=True, check_finite=False, driver="evd")
    values = np.maximum(values, 0.0)
    squares = vectors**2
    seen = vectors.T @ (roots[:, None] * targets)
    for ridge in ridges:
        shrunk = 1 / (values + ridge)
        coefficients = roots[:, None] * (vectors @ (shrunk[:, None] * seen))
        yield ridge, coefficients, weights * (squares @ shrunk)
