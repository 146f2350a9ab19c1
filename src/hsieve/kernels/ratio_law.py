"""The chance that a feature shares so much with a target that does not depend on it.

With a centred factor F of a feature's kernel and a centred target R of one or more columns, look at

    ratio = |F'R|^2 / |R|^2.

Where R is normal and does not depend on the feature, the ratio is that of two sums of squares of
the same independent normal variables z: of directions k and columns l,

    sum_kl weight_k target_l z_kl^2 / sum_il target_l z_il^2,

with the eigenvalues of F'F and of R'R for weights, and i running over all directions. Its tail is
the chance that a weighted sum of squares, some weights below zero, comes out above zero, which a
saddlepoint approximation gives with a small *relative* error however far out [1]_. With one
direction and one column this is the t-test of a correlation.

A gamma law with the same moments would not do here: p-values are multiplied by the number of
features looked at, and at 1e-5 its tail is too short by a factor of two.

Cost: O(k l) for each of some fifty steps of bisection, for all features at once.

References
----------
.. [1] D. Kuonen, "Saddlepoint approximations for distributions of quadratic forms in normal
   variables", Biometrika 86, 1999.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

__all__ = ["log_ratio_tail"]

FloatArray = NDArray[np.floating]

N_BISECTIONS = 60
# Nearer to the mean than this the approximation is 0 / 0; the chance is about one half.
NEAR_MEAN = 1e-3


def log_ratio_tail(
    ratios: ArrayLike, weights: FloatArray, target_weights: ArrayLike, n_directions: ArrayLike
) -> FloatArray:
    """Logarithm of the chance of at least such ratios.

    Parameters
    ----------
    ratios : array-like of shape (n_features,)
        |F'R|^2 / |R|^2 of each feature.
    weights : ndarray of shape (n_features, n_weights)
        Eigenvalues of F'F of each feature, filled up with zeros.
    target_weights : array-like of shape (n_columns,) or (n_features, n_columns)
        Eigenvalues of R'R.
    n_directions : array-like of shape () or (n_features,)
        Number of directions that the target could take: the samples, less one for centring.

    Returns
    -------
    ndarray of shape (n_features,)
        Natural logarithms; 0 for ratios at or below their mean.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.stats import beta
    >>> found = log_ratio_tail([0.2], np.array([[1.0]]), [1.0], 99)
    >>> bool(abs(found[0] - beta.logsf(0.2, 0.5, 49.0)) < 0.1)  # a correlation of 100 samples
    True
    """
    ratios = np.asarray(ratios, dtype=np.float64)
    columns = np.atleast_2d(np.asarray(target_weights, dtype=np.float64))
    excess = np.asarray(weights, dtype=np.float64) - ratios[:, None]
    rest = np.maximum(np.asarray(n_directions) - excess.shape[1], 0.0)
    # One coefficient for each direction and column, and one a column for all directions outside F.
    inside = (excess[:, :, None] * columns[:, None, :]).reshape(len(ratios), -1)
    outside = -ratios[:, None] * columns
    coefficients = np.hstack([inside, outside])
    counts = np.hstack(
        [np.ones_like(inside), np.broadcast_to(rest, len(ratios))[:, None] * np.ones_like(outside)]
    )
    mean = (counts * coefficients).sum(axis=1)
    largest = coefficients.max(axis=1)
    logs = np.zeros(len(ratios))
    logs[largest <= 0] = -np.inf
    usual = (mean < 0) & (largest > 0)
    if usual.any():
        scaled = coefficients[usual] / largest[usual, None]
        logs[usual] = _upper_tail(scaled, counts[usual])
    return logs


def _upper_tail(coefficients: FloatArray, counts: FloatArray) -> FloatArray:
    """Log chance that the weighted sums of squares come out above zero; their mean is below."""
    low, high = np.zeros(len(coefficients)), np.full(len(coefficients), 0.5)
    for _ in range(N_BISECTIONS):
        middle = 0.5 * (low + high)
        slope = (counts * coefficients / (1.0 - 2.0 * middle[:, None] * coefficients)).sum(axis=1)
        low, high = np.where(slope > 0, low, middle), np.where(slope > 0, middle, high)
    shrunk = 1.0 - 2.0 * low[:, None] * coefficients
    height = -0.5 * (counts * np.log(shrunk)).sum(axis=1)
    curvature = (2.0 * counts * (coefficients / shrunk) ** 2).sum(axis=1)
    distance = np.sqrt(np.maximum(-2.0 * height, NEAR_MEAN**2))
    corrected = (
        distance + np.log(np.maximum(low * np.sqrt(curvature), 1e-300) / distance) / distance
    )
    logs = special.log_ndtr(-corrected)
    return np.asarray(np.where(distance <= NEAR_MEAN, np.log(0.5), logs))
