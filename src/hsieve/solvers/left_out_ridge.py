"""Ridge regression on given features, with the exact residual of every sample left out.

With centred features P of shape (n, m), an intercept that is not penalised and H the matrix that
turns targets into fitted values, the regression fitted without sample i misses it by

    (y_i - (H y)_i) / (1 - H_ii).

One eigendecomposition of P'P serves all ridges; a single one needs only a Cholesky factor.

Cost: O(n m^2), once for all ridges and targets; O(n m) more for each ridge and target.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, eigh, solve_triangular

from hsieve.array_types import FloatArray
from hsieve.parallel.threads import over_rows

# Directions with less than this fraction of the largest one's weight are rounding.
NEGLIGIBLE = 1e-12


@dataclass(frozen=True, eq=False)
class LeftOutFit:
    """A ridge regression and its leave-one-out residuals.

    Parameters
    ----------
    ridge : float
        The penalty.
    residuals : ndarray of shape (n_samples, n_targets)
        What the regression without a sample misses it by.
    error : float
        Mean of the squared residuals.
    coefficients : ndarray of shape (n_features, n_targets)
        Weights of the features in the regression on all samples.
    intercepts : ndarray of shape (n_targets,)
        Its values where all features are zero.
    """

    ridge: float
    residuals: FloatArray
    error: float
    coefficients: FloatArray
    intercepts: FloatArray


def left_out_ridge(
    features: FloatArray, targets: FloatArray, ridges: Sequence[float]
) -> LeftOutFit:
    """Fit ridge regressions and return the one with the least leave-one-out error.

    Parameters
    ----------
    features : ndarray of shape (n_samples, n_features)
        What to predict from.
    targets : ndarray of shape (n_samples, n_targets)
        What to predict; each column by a regression of its own, all with the same ridge.
    ridges : sequence of float
        Penalties to try, above 0.

    Returns
    -------
    LeftOutFit
        The best fit, in double precision; of equal ones the first.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[-1.0], [0.0], [1.0]])
    >>> left_out_ridge(x, np.array([[0.0], [1.0], [2.0]]), [1e-9]).residuals.round(6).ravel() + 0.0
    array([0., 0., 0.])
    """
    if len(ridges) == 1:
        return _by_factor(features, targets, float(ridges[0]))
    means, middle = targets.mean(axis=0), features.mean(axis=0)
    centred = features - middle
    weights, vectors = eigh(centred.T @ centred, driver="evd", check_finite=False)
    kept = weights > max(NEGLIGIBLE * weights[-1], 0.0)
    weights = weights[kept].astype(np.float64)
    scores = (centred @ vectors[:, kept]).astype(np.float64, copy=False)
    products = scores.T @ (targets - means)
    # One column for each ridge, and one for each ridge and target.
    shrunk = 1.0 / (weights[:, None] + np.asarray(ridges, dtype=np.float64))
    leverages = 1.0 / len(targets) + scores**2 @ shrunk
    n_targets = targets.shape[1]
    weighted = (shrunk[:, :, None] * products[:, None, :]).reshape(
        len(weights), len(ridges) * n_targets
    )
    fitted = means + (scores @ weighted).reshape(len(targets), len(ridges), n_targets)
    residuals = (targets[:, None, :] - fitted) / (1.0 - leverages)[:, :, None]
    errors = np.mean(residuals**2, axis=(0, 2))
    chosen = int(errors.argmin())
    best = float(ridges[chosen])
    coefficients = vectors[:, kept] @ (products / (weights + best)[:, None])
    return LeftOutFit(
        ridge=best,
        residuals=np.ascontiguousarray(residuals[:, chosen]),
        error=float(errors[chosen]),
        coefficients=coefficients,
        intercepts=means - middle @ coefficients,
    )


def _by_factor(features: FloatArray, targets: FloatArray, ridge: float) -> LeftOutFit:
    """Fit one ridge, by Cholesky's factor of P'P + ridge I."""
    means, middle = targets.mean(axis=0), features.mean(axis=0)

    def products(rows: slice) -> tuple[FloatArray, FloatArray]:
        centred = features[rows] - middle
        return centred.T @ centred, centred.T @ (targets[rows] - means)

    def residuals(rows: slice) -> FloatArray:
        centred = (features[rows] - middle).T
        scores = solve_triangular(factor, centred, lower=True, overwrite_b=True, check_finite=False)
        leverage = 1.0 / len(targets) + np.einsum("ij,ij->j", scores, scores)
        return np.asarray((targets[rows] - means - scores.T @ shrunk) / (1.0 - leverage)[:, None])

    parts = over_rows(products, len(targets))
    system = np.sum([part for part, _ in parts], axis=0)
    system[np.diag_indices(len(system))] += ridge
    factor = cholesky(system, lower=True, overwrite_a=True, check_finite=False)
    moments = np.sum([part for _, part in parts], axis=0)
    shrunk = solve_triangular(factor, moments, lower=True, check_finite=False)
    found = np.concatenate(over_rows(residuals, len(targets)))
    weights = solve_triangular(factor, shrunk, lower=True, trans="T", check_finite=False)
    return LeftOutFit(ridge, found, float(np.mean(found**2)), weights, means - middle @ weights)
