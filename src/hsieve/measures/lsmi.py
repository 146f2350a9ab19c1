"""Squared-loss mutual information by a least-squares fit of the density ratio (LSMI).

The squared-loss mutual information of x and y is half the mean of (g(x, y) - 1)^2 over independent
x and y, with g = p(x, y) / (p(x) p(y)): zero exactly where they are independent. The ratio is
fitted by a sum of products of kernels at b centres among the samples,

    g(x, y) = sum_l alpha_l phi(x, x_l) psi(y, y_l),

phi a Gaussian of width sigma, psi a Gaussian for numbers and equality for classes. With

    H = (Phi'Phi) * (Psi'Psi) / n^2,    h_l = mean of Phi_il Psi_il,    alpha = (H + lambda I)^-1 h

the estimate is h'alpha / 2 - 1/2. Width and ridge are those with the lowest squared loss on
held-out folds; one eigendecomposition for each width and fold serves all ridges.

========== ==================== ==========================================
symbol     name                 meaning
========== ==================== ==========================================
Phi, Psi   ``phi``, ``psi``     basis functions of x and y, (n, b)
H, h       ``quadratic, linear`` the fitted quadratic form
sigma      ``width``            of the Gaussian over x
lambda     ``ridge``            penalty of the coefficients
========== ==================== ==========================================

Cost: O(n b d) for the distances, O(n b^2 + b^3) for each width and fold.

References
----------
W. Jitkrittum, H. Hachiya, M. Sugiyama, "Feature selection via l1-penalized squared-loss mutual
information", 2012.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.data.validation import target_kind_of
from hsieve.kernels.columns import check_finite, standardised

__all__ = ["LSMIFit", "lsmi", "weighted_value_and_gradient"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

# The authors' grids: factors of the median distance, and ridges.
WIDTH_FACTORS = tuple(
    factor / root for root in (1.0, np.sqrt(2.0)) for factor in (0.2, 0.5, 1.0, 2.0, 5.0)
)
RIDGES = tuple(np.logspace(-4, 1, 5))
N_CENTRES = 100
LEAST_SAMPLES = 4


@dataclass(frozen=True, eq=False)
class LSMIFit:
    """A fitted density ratio and the estimate that follows from it.

    Parameters
    ----------
    value : float
        Squared-loss mutual information; near zero for independent x and y.
    width, ridge : float
        Width of the Gaussian over x and penalty, as chosen.
    target_width : float or None
        Width of the Gaussian over y; None where y holds classes.
    centres : ndarray of shape (n_centres, n_features)
        Standardised features at the centres.
    target_centres : ndarray of shape (n_centres,) or (n_centres, n_outputs)
        Target at the centres.
    coefficients : ndarray of shape (n_centres,)
        alpha.
    """

    value: float
    width: float
    ridge: float
    target_width: float | None
    centres: FloatArray
    target_centres: NDArray[Any]
    coefficients: FloatArray

    def density_ratio(self, X: ArrayLike, y: Any) -> FloatArray:
        """Ratio p(x, y) / (p(x) p(y)) at pairs of standardised features and targets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features on the scale of the fit.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets; numbers on the scale of the fit.

        Returns
        -------
        ndarray of shape (n_samples,)
            The ratio; it may be a little negative where the fit is poor.
        """
        phi = np.exp(-_squared(np.asarray(X, dtype=np.float64), self.centres) / (2 * self.width**2))
        psi = _target_basis(np.asarray(y), self.target_centres, self.target_width)
        return np.asarray((phi * psi) @ self.coefficients)


def lsmi(
    X: ArrayLike,
    y: Any,
    *,
    n_centres: int = N_CENTRES,
    widths: Sequence[float] | None = None,
    ridges: Sequence[float] = RIDGES,
    n_folds: int = 5,
    target_kind: str = "auto",
    random_state: int | np.random.Generator | None = 0,
) -> LSMIFit:
    """Estimate the squared-loss mutual information of all columns of X together and y.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features; standardised first.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Classes, numbers or several outputs; numbers are standardised.
    n_centres : int, default=100
        Number of basis functions; all samples where there are fewer.
    widths : sequence of float or None, default=None
        Widths to choose from; None for the authors' ten multiples of the median distance.
    ridges : sequence of float, default=(1e-4, ..., 10)
        Penalties to choose from.
    n_folds : int, default=5
        Folds of the cross validation, stratified by class.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds.
    random_state : int, Generator or None, default=0
        Seed of centres and folds.

    Returns
    -------
    LSMIFit
        The estimate and the fitted density ratio.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve.measures.lsmi import lsmi
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = (X[:, 0] * X[:, 1] > 0).astype(int)
    >>> bool(lsmi(X, y).value > 0.2 > lsmi(X[:, :1], y).value)
    True
    """
    features, target, is_classes = _checked(X, y, target_kind)
    if not isinstance(n_centres, Integral) or n_centres < 1:
        msg = f"n_centres must be a whole number of at least 1, got {n_centres!r}."
        raise ValueError(msg)
    rng = np.random.default_rng(random_state)
    chosen = np.sort(rng.choice(len(features), min(n_centres, len(features)), replace=False))
    squared = _squared(features, features[chosen])
    target_width = None if is_classes else _median_distance(target)
    psi = _target_basis(target, target[chosen], target_width)
    if widths is None:
        middle = _median_distance(features)
        widths = [middle * factor for factor in WIDTH_FACTORS]
    folds = _folds(target, is_classes=is_classes, n_folds=n_folds, rng=rng)
    width, ridge = _chosen(squared, psi, folds, widths, ridges)
    phi = np.exp(-squared / (2 * width**2))
    quadratic, linear = _system(phi, psi)
    coefficients = np.linalg.solve(quadratic + ridge * np.eye(len(linear)), linear)
    return LSMIFit(
        value=float(0.5 * linear @ coefficients - 0.5),
        width=float(width),
        ridge=float(ridge),
        target_width=target_width,
        centres=features[chosen],
        target_centres=target[chosen],
        coefficients=coefficients,
    )


def weighted_value_and_gradient(
    features: FloatArray,
    psi: FloatArray,
    centres: IndexArray,
    weights: FloatArray,
    *,
    width: float,
    ridge: float,
) -> tuple[float, FloatArray]:
    """LSMI of weighted features, and its gradient in the weights.

    Parameters
    ----------
    features : ndarray of shape (n_samples, n_features)
        Standardised features.
    psi : ndarray of shape (n_samples, n_centres)
        Basis functions of the target.
    centres : ndarray of int of shape (n_centres,)
        Samples that are centres.
    weights : ndarray of shape (n_features,)
        What each feature is multiplied by.
    width, ridge : float
        Width of the Gaussian over weighted features, and penalty.

    Returns
    -------
    value : float
        The estimate.
    gradient : ndarray of shape (n_features,)
        Its derivatives, for fixed width and ridge.

    Notes
    -----
    With J = h'alpha / 2 - 1/2 and alpha = (H + lambda I)^-1 h, dJ = alpha'dh - alpha'dH alpha / 2.
    Both are sums over entries of Phi, whose derivative in weight m is
    -Phi_il w_m (x_im - x_lm)^2 / sigma^2, so the gradient is three products of matrices: O(n b d).
    """
    n_samples = len(features)
    weighted = features * weights
    phi = np.exp(-_squared(weighted, weighted[centres]) / (2 * width**2))
    psi_gram = psi.T @ psi
    quadratic = (phi.T @ phi) * psi_gram / n_samples**2
    linear = (phi * psi).mean(axis=0)
    alpha = np.linalg.solve(quadratic + ridge * np.eye(len(linear)), linear)
    from_quadratic = phi @ (np.outer(alpha, alpha) * psi_gram) / n_samples**2
    pull = phi * (psi * alpha / n_samples - from_quadratic)
    at = features[centres]
    distances = pull.sum(axis=1) @ features**2 + pull.sum(axis=0) @ at**2
    distances -= 2.0 * ((pull.T @ features) * at).sum(axis=0)
    gradient = -weights / width**2 * distances
    return float(0.5 * linear @ alpha - 0.5), np.asarray(gradient)


def _checked(X: ArrayLike, y: Any, target_kind: str) -> tuple[FloatArray, NDArray[Any], bool]:
    """Standardised features, target, and whether it holds classes."""
    numbers = np.asarray(X, dtype=np.float64)
    target = np.asarray(y)
    if numbers.ndim != 2 or len(numbers) != len(target) or len(numbers) < LEAST_SAMPLES:
        msg = (
            f"X must be of shape (n_samples, n_features) with at least {LEAST_SAMPLES} samples, "
            f"one for each of y, got {numbers.shape} and {len(target)} samples of y."
        )
        raise ValueError(msg)
    check_finite(numbers)
    is_classes = target_kind_of(target, target_kind) == "classes"
    if not is_classes:
        outputs = target.astype(np.float64).reshape(len(target), -1)
        check_finite(outputs)
        target = standardised(outputs)
    return standardised(numbers), target, is_classes


def _squared(points: FloatArray, centres: FloatArray) -> FloatArray:
    """Squared distances, of shape (n_points, n_centres)."""
    squared = (points**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1)
    squared -= 2.0 * points @ centres.T
    return np.asarray(np.maximum(squared, 0.0))


def _median_distance(points: FloatArray) -> float:
    """Median distance of different samples, or 1 where most are the same."""
    distances = np.sqrt(_squared(points, points)[np.triu_indices(len(points), 1)])
    positive = distances[distances > 0]
    return float(np.median(positive)) if len(positive) else 1.0


def _target_basis(target: NDArray[Any], centres: NDArray[Any], width: float | None) -> FloatArray:
    """Basis functions of the target, of shape (n_samples, n_centres)."""
    if width is None:
        return np.asarray(target[:, None] == centres[None], dtype=np.float64)
    points, at = (np.asarray(part, dtype=np.float64) for part in (target, centres))
    squared = _squared(points.reshape(len(points), -1), at.reshape(len(at), -1))
    return np.asarray(np.exp(-squared / (2 * width**2)))


def _system(phi: FloatArray, psi: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Quadratic and linear part of the fit."""
    n_samples = len(phi)
    quadratic = (phi.T @ phi) * (psi.T @ psi) / n_samples**2
    return quadratic, np.asarray((phi * psi).mean(axis=0))


def _folds(
    target: NDArray[Any], *, is_classes: bool, n_folds: int, rng: np.random.Generator
) -> IndexArray:
    """Give each sample the number of its fold, as evenly as may be within each class."""
    n_samples = len(target)
    if not isinstance(n_folds, Integral) or not 2 <= n_folds <= n_samples:
        msg = f"n_folds must be a whole number from 2 to {n_samples} samples, got {n_folds!r}."
        raise ValueError(msg)
    shuffled = rng.permutation(n_samples)
    if is_classes:
        codes = np.unique(target, return_inverse=True)[1]
        shuffled = shuffled[np.argsort(codes[shuffled], kind="stable")]
    folds = np.empty(n_samples, dtype=np.intp)
    folds[shuffled] = np.arange(n_samples) % n_folds
    return folds


def _chosen(
    squared: FloatArray,
    psi: FloatArray,
    folds: IndexArray,
    widths: Sequence[float],
    ridges: Sequence[float],
) -> tuple[float, float]:
    """Width and ridge with the lowest held-out loss, alpha'H alpha / 2 - h'alpha."""
    n_folds = int(folds.max()) + 1
    sizes = np.bincount(folds, minlength=n_folds)
    psi_grams = [psi[folds == fold].T @ psi[folds == fold] for fold in range(n_folds)]
    psi_total = np.sum(psi_grams, axis=0)
    losses = np.zeros((len(widths), len(ridges)))
    for place, width in enumerate(widths):
        phi = np.exp(-squared / (2 * width**2))
        grams = [phi[folds == fold].T @ phi[folds == fold] for fold in range(n_folds)]
        linears = [(phi * psi)[folds == fold].sum(axis=0) for fold in range(n_folds)]
        gram_total, linear_total = np.sum(grams, axis=0), np.sum(linears, axis=0)
        for fold in range(n_folds):
            n_train = len(folds) - sizes[fold]
            quadratic = (gram_total - grams[fold]) * (psi_total - psi_grams[fold]) / n_train**2
            weights, vectors = np.linalg.eigh(quadratic)
            rotated = vectors.T @ ((linear_total - linears[fold]) / n_train)
            # One column of coefficients for each ridge.
            fitted = vectors @ (rotated[:, None] / (weights[:, None] + np.asarray(ridges)))
            held_out = grams[fold] * psi_grams[fold] / sizes[fold] ** 2
            losses[place] += 0.5 * np.einsum("ir,ij,jr->r", fitted, held_out, fitted)
            losses[place] -= linears[fold] / sizes[fold] @ fitted
    best_width, best_ridge = divmod(int(np.argmin(losses)), len(ridges))
    return float(widths[best_width]), float(ridges[best_ridge])
