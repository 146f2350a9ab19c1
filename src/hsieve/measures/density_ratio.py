"""A least-squares fit of the density ratio p(x, y) / (p(x) p(y)).

The ratio is modelled by b products of kernels at centres among the samples,

    g(x, y) = sum_l alpha_l phi(x, x_l) psi(y, y_l),

phi a Gaussian of width sigma of the distance to a centre, psi a Gaussian for numbers and equality
for classes. With

    H = (Phi'Phi) * (Psi'Psi) / n^2,    h_l = mean of Phi_il Psi_il,    alpha = (H + lambda I)^-1 h

the squared-loss mutual information is h'alpha / 2 - 1/2. Everything about the target is here;
everything about the features comes in as squared distances to the centres, so that any set of
features, or any weights of them, can be asked about.

========== ======================= ==========================================
symbol     name                    meaning
========== ======================= ==========================================
Phi, Psi   ``phi``, ``psi``        basis functions of x and y, (n, b)
H, h       ``quadratic, linear``   the fitted quadratic form
sigma      ``width``               of the Gaussian over x
lambda     ``ridge``               penalty of the coefficients
========== ======================= ==========================================

**Model selection** takes the width and ridge with the lowest held-out loss alpha'H alpha / 2 -
h'alpha. The Gram matrices of the folds are computed once for a width and serve all of its ridges;
samples lie in the order of their folds, so a fold is a slice. Centres of different classes do not
meet in H, so each class is solved on its own.

**Slopes.** dJ = alpha'dh - alpha'dH alpha / 2 is a sum over entries of Phi, and the derivative of
Phi in a squared distance is -Phi / (2 sigma^2), so the slopes of the value in the squared distances
are -Phi * (Psi alpha' / n - Phi (alpha alpha' * Psi'Psi) / n^2) / (2 sigma^2).

Cost: O(n b^2 + b^3) for a value or its slopes; 5 folds and 5 ridges cost O(n b^2 + 25 b^3) a width.

References
----------
T. Suzuki, M. Sugiyama, "Sufficient dimension reduction via squared-loss mutual information
estimation", 2012.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.sparse.csgraph import connected_components

from hsieve.array_types import FloatArray, IndexArray
from hsieve.kernels.bandwidths import median_distance, resolve_bandwidth
from hsieve.kernels.columns import squared_distances
from hsieve.kernels.weighted_distances import squared_to

# The authors' grids: multiples of the median distance, and ridges.
WIDTH_FACTORS = tuple(
    sorted(factor / root for root in (1.0, np.sqrt(2.0)) for factor in (0.2, 0.5, 1.0, 2.0, 5.0))
)
RIDGES = tuple(np.logspace(-4, 1, 5).tolist())
# Systems of this size are solved one by one rather than all in one call.
LARGE_BLOCK = 24


@dataclass(frozen=True)
class RatioModel:
    """Width and penalty of a fit."""

    width: float  # width of the Gaussian over x, and penalty
    ridge: float


@dataclass(frozen=True, eq=False)
class DensityRatio:
    """The part of the fit that depends on the target alone.

    Samples are in the order of their folds; see :attr:`samples`.
    """

    samples: IndexArray  # (n_samples,): which sample of the data each one is
    centres: IndexArray  # (n_centres,): which of the samples, in this order, are centres
    # (n_samples, n_centres): basis functions of the target; its precision is that of the fit.
    psi: FloatArray
    # (n_folds + 1,): fold f holds the samples from ``edges[f]`` to ``edges[f + 1] - 1``.
    edges: IndexArray
    # What to choose from; widths are multiples of the median distance, in rising order.
    width_factors: tuple[float, ...]
    ridges: tuple[float, ...]

    @classmethod
    def of(
        cls,
        target: NDArray[Any],
        *,
        is_classes: bool,
        n_centres: int,
        n_folds: int,
        rng: np.random.Generator,
        width_factors: Sequence[float] = WIDTH_FACTORS,
        ridges: Sequence[float] = RIDGES,
        precision: type[np.floating] = np.float64,
    ) -> "DensityRatio":
        """Draw centres and folds, and evaluate the basis functions of a target."""
        n_samples = len(target)
        folds = _fold_numbers(target if is_classes else None, n_samples, n_folds, rng)
        samples = np.argsort(folds, kind="stable")
        centres = np.sort(rng.choice(n_samples, min(n_centres, n_samples), replace=False))
        ordered = target[samples]
        return cls(
            samples=samples,
            centres=centres,
            psi=target_basis(
                ordered, ordered[centres], target_width(target, is_classes=is_classes)
            ).astype(precision),
            edges=np.searchsorted(folds[samples], np.arange(n_folds + 1)),
            width_factors=tuple(sorted(width_factors)),
            ridges=tuple(ridges),
        )

    def with_target(self, psi: FloatArray) -> "DensityRatio":
        """Return the fit for another target with the same samples, centres and folds."""
        return replace(self, psi=psi.astype(self.psi.dtype))

    def model(self, squared: FloatArray) -> RatioModel:
        """Choose the width and ridge with the lowest held-out loss.

        Parameters
        ----------
        squared : ndarray of shape (n_samples, n_centres)
            Squared distances from the samples to the centres.

        Notes
        -----
        Every width is tried: climbing from the last one to its neighbours is quicker, but the loss
        has more than one valley, and of 200 searches of l1-LSMI on the and-or problem 100 went
        wrong that way instead of 5.
        """
        middle = median_distance(squared[self._different])
        widths = [factor * middle for factor in self.width_factors]
        losses = np.stack([self._losses(squared, width) for width in widths])
        best_width, best_ridge = np.unravel_index(np.argmin(losses), losses.shape)
        return RatioModel(widths[best_width], self.ridges[best_ridge])

    def value(self, squared: FloatArray, model: RatioModel) -> float:
        """Squared-loss mutual information."""
        phi = _gaussian(squared, model.width)
        linear = self._linear(phi)
        return float(0.5 * linear @ self._fitted(phi, linear, model.ridge) - 0.5)

    def value_and_slopes(self, squared: FloatArray, model: RatioModel) -> tuple[float, FloatArray]:
        """Squared-loss mutual information and its derivatives in the squared distances."""
        n = len(self.psi)
        phi = _gaussian(squared, model.width)
        linear = self._linear(phi)
        alpha = self._fitted(phi, linear, model.ridge)
        pull = phi @ (np.outer(alpha, alpha) * self._psi_gram / -(n**2)).astype(phi.dtype)
        pull += self.psi * (alpha / n).astype(phi.dtype)
        pull *= phi
        pull *= -0.5 / model.width**2
        return float(0.5 * linear @ alpha - 0.5), pull

    def coefficients(self, squared: FloatArray, model: RatioModel) -> FloatArray:
        """Coefficients alpha of the fitted ratio."""
        phi = _gaussian(squared, model.width)
        return self._fitted(phi, self._linear(phi), model.ridge)

    def _linear(self, phi: FloatArray) -> FloatArray:
        return np.asarray((phi * self.psi).sum(axis=0, dtype=np.float64) / len(phi))

    def _fitted(self, phi: FloatArray, linear: FloatArray, ridge: float) -> FloatArray:
        quadratic = (phi.T @ phi) * self._psi_gram / len(phi) ** 2
        return _solved(quadratic, linear, ridge)

    def _losses(self, squared: FloatArray, width: float) -> FloatArray:
        """Held-out loss of a width for each ridge, summed over the folds."""
        phi = _gaussian(squared, width)
        folds = [slice(start, stop) for start, stop in zip(self.edges, self.edges[1:])]  # noqa: B905
        sizes = np.diff(self.edges)[:, None]
        grams = np.stack([phi[fold].T @ phi[fold] for fold in folds]).astype(np.float64)
        linears = np.add.reduceat(phi * self.psi, self.edges[:-1], axis=0, dtype=np.float64)
        in_training = len(phi) - sizes
        quadratic = (grams.sum(axis=0) - grams) * self._psi_gram_in_training
        quadratic /= in_training[..., None] ** 2
        linear = (linears.sum(axis=0) - linears) / in_training
        alpha = self._ridge_solutions(quadratic, linear)
        held_out = grams * self._psi_gram_of_folds / sizes[..., None] ** 2
        losses = 0.5 * np.einsum("frb,frb->r", alpha @ held_out, alpha)
        return np.asarray(losses - np.einsum("frb,fb->r", alpha, linears / sizes))

    def _ridge_solutions(self, quadratic: FloatArray, linear: FloatArray) -> FloatArray:
        """Coefficients for each fold and ridge, of shape (n_folds, n_ridges, n_centres)."""
        if self._blocks[0].shape[1] >= LARGE_BLOCK:
            return self._solved_one_by_one(quadratic, linear)
        blocks, real = self._blocks
        diagonal = np.arange(blocks.shape[1])
        systems = quadratic[:, blocks[:, :, None], blocks[:, None, :]]
        systems *= real[:, :, None] & real[:, None, :]
        systems = np.repeat(systems[:, None], len(self.ridges), axis=1)
        systems[..., diagonal, diagonal] += np.array(self.ridges)[:, None, None]
        right = np.where(real, linear[:, blocks], 0.0)[:, None, :, :, None]
        solved = np.linalg.solve(systems, np.broadcast_to(right, (*systems.shape[:-1], 1)))
        alpha = np.empty((len(linear), len(self.ridges), linear.shape[1]))
        alpha[:, :, blocks[real]] = solved[..., 0][:, :, real]
        return alpha

    def _solved_one_by_one(self, quadratic: FloatArray, linear: FloatArray) -> FloatArray:
        """Solve block by block by Cholesky factors, which takes half the work."""
        alpha = np.empty((len(linear), len(self.ridges), linear.shape[1]))
        for centres, real in zip(*self._blocks, strict=True):
            block = centres[real]
            for fold in range(len(linear)):
                part = quadratic[fold][np.ix_(block, block)]
                for place, ridge in enumerate(self.ridges):
                    alpha[fold, place, block] = _solved(part, linear[fold, block], ridge)
        return alpha

    @cached_property
    def _blocks(self) -> tuple[IndexArray, NDArray[np.bool_]]:
        """Centres that share a block of the quadratic form, padded, and which are no padding.

        Centres of different classes have no entry in common, so each class is solved on its own.
        """
        _, labels = connected_components(self._psi_gram > 0, directed=False)
        sizes = np.bincount(labels)
        places = np.arange(sizes.max())
        real = places < sizes[:, None]
        order = np.argsort(labels, kind="stable")
        first = np.cumsum(sizes) - sizes
        return order[np.where(real, first[:, None] + places, first[:, None])], real

    @cached_property
    def _psi_gram_of_folds(self) -> FloatArray:
        parts = np.split(self.psi.astype(np.float64), self.edges[1:-1])
        return np.stack([part.T @ part for part in parts])

    @cached_property
    def _psi_gram(self) -> FloatArray:
        return np.asarray(self._psi_gram_of_folds.sum(axis=0))

    @cached_property
    def _psi_gram_in_training(self) -> FloatArray:
        return np.asarray(self._psi_gram - self._psi_gram_of_folds)

    @cached_property
    def _different(self) -> NDArray[np.bool_]:
        """True where sample and centre are not the same."""
        different = np.ones(self.psi.shape, dtype=bool)
        different[self.centres, np.arange(len(self.centres))] = False
        return different


def target_basis(target: NDArray[Any], centres: NDArray[Any], width: float | None) -> FloatArray:
    """Evaluate the basis functions of the target.

    Shapes: centres (n_centres,) or (n_centres, n_outputs).
    """
    if width is None:
        return np.asarray(target[:, None] == centres[None], dtype=np.float64)
    points, at = (np.asarray(part, dtype=np.float64) for part in (target, centres))
    return _gaussian(squared_to(points.reshape(len(points), -1), at.reshape(len(at), -1)), width)


def target_width(target: NDArray[Any], *, is_classes: bool) -> float | None:
    """Width of the Gaussian over a target: the median distance; None for classes."""
    if is_classes:
        return None
    outputs = np.asarray(target, dtype=np.float64).reshape(len(target), -1)
    return resolve_bandwidth("median", squared_distances(outputs), outputs.shape[1])


def _fold_numbers(
    classes: NDArray[Any] | None, n_samples: int, n_folds: int, rng: np.random.Generator
) -> IndexArray:
    """Give each sample the number of its fold, as evenly as may be within each class."""
    shuffled = rng.permutation(n_samples)
    if classes is not None:
        codes = np.unique(classes, return_inverse=True)[1]
        shuffled = shuffled[np.argsort(codes[shuffled], kind="stable")]
    folds = np.empty(n_samples, dtype=np.intp)
    folds[shuffled] = np.arange(n_samples) % n_folds
    return folds


def _gaussian(squared: FloatArray, width: float) -> FloatArray:
    phi = squared * squared.dtype.type(-0.5 / width**2)
    return np.asarray(np.exp(phi, out=phi))


def _solved(quadratic: FloatArray, linear: FloatArray, ridge: float) -> FloatArray:
    """Solve (H + ridge I) alpha = h; the matrix handed in stays as it is."""
    system = np.array(quadratic, dtype=np.float64, order="F")
    system[np.diag_indices(len(linear))] += ridge
    _, alpha, failed = lapack.dposv(system, linear)
    if failed:
        # Ridges far below the rounding of the quadratic form leave it indefinite.
        return np.linalg.lstsq(system, linear)[0]
    return np.asarray(alpha)
