"""How large statistics of dependence become by chance.

The law of <A, B> over all orders of the samples, from its exact mean and variance.

For centred symmetric matrices A and B of n samples the mean and the variance of
sum_ij A_ij B_s(i)s(j) over all orders s are known in closed form [1]_. Where both are positive
semi-definite the law is near that of a sum of chi-squares, weighted by the products of their
eigenvalues, and a gamma law with these moments comes close. Far out in the tail the heaviest
weights decide; a gamma law shifted so that its skewness is that of the sum, too, follows them.

The chance that a feature shares so much with a target that does not depend on it.

With a centred factor F of a feature's kernel and a centred target R of one or more columns, look at

    ratio = |F'R|^2 / |R|^2.

Where R is normal and does not depend on the feature, the ratio is that of two sums of squares of
the same independent normal variables z: of directions k and columns l,

    sum_kl weight_k target_l z_kl^2 / sum_il target_l z_il^2,

with the eigenvalues of F'F and of R'R for weights, and i running over all directions. Its tail is
the chance that a weighted sum of squares, some weights below zero, comes out above zero, which a
saddlepoint approximation gives with a small *relative* error however far out [2]_. With one
direction and one column this is the t-test of a correlation.

A gamma law with the same moments would not do here: p-values are multiplied by the number of
features looked at, and at 1e-5 its tail is too short by a factor of two.

Cost: O(k l) for each of some fifty steps of bisection, for all features at once.

References
----------
.. [1] F. Kazi-Aoual, S. Hitier, R. Sabatier, J.-D. Lebreton, "Refined approximations to permutation
   tests for multivariate inference", Computational Statistics and Data Analysis 20, 1995.
.. [2] D. Kuonen, "Saddlepoint approximations for distributions of quadratic forms in normal
   variables", Biometrika 86, 1999.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

FloatArray = NDArray[np.floating]

# Below this the incomplete gamma function is too near the smallest number there is.
SMALLEST_TAIL = 1e-290

N_BISECTIONS = 60
# Nearer to the mean than this the approximation is 0 / 0; the chance is about one half.
NEAR_MEAN = 1e-3


@dataclass(frozen=True, eq=False)
class MatrixMoments:
    """What the moments need to know of a centred matrix, or of many (arrays of equal shape).

    Parameters
    ----------
    trace, squares : float or ndarray
        Trace of the matrix and of its square.
    squared_diagonal : float or ndarray
        Sum of the squared diagonal.
    n : float or ndarray
        Number of samples; less where directions were projected out of both matrices.
    cubes : float or ndarray, default=nan
        Trace of the third power, which the skewness alone needs, and which costs n^3.
    """

    trace: ArrayLike
    squares: ArrayLike
    squared_diagonal: ArrayLike
    n: ArrayLike
    cubes: ArrayLike = np.nan

    @classmethod
    def of(cls, centred: FloatArray) -> "MatrixMoments":
        """Look at one matrix, of shape (n_samples, n_samples)."""
        diagonal = np.diagonal(centred)
        return cls(
            float(diagonal.sum()),
            float(np.vdot(centred, centred)),
            float(diagonal @ diagonal),
            len(centred),
        )

    @classmethod
    def of_rows(cls, rows: FloatArray, n: ArrayLike) -> "MatrixMoments":
        """Look at matrices R'R given by centred rows R, of shape (..., n_rows, n_samples)."""
        diagonals = np.einsum("...ri,...ri->...i", rows, rows)
        gram = np.matmul(rows, np.swapaxes(rows, -1, -2))
        return cls(
            diagonals.sum(axis=-1),
            np.einsum("...ij,...ij->...", gram, gram),
            np.einsum("...i,...i->...", diagonals, diagonals),
            n,
            np.einsum("...ij,...ij->...", np.matmul(gram, gram), gram),
        )

    @property
    def spread(self) -> FloatArray:
        """Part of the variance that comes from off-diagonal structure."""
        n, trace, squares = map(np.asarray, (self.n, self.trace, self.squares))
        return np.asarray((n - 1) * squares - trace**2)

    @property
    def unevenness(self) -> FloatArray:
        """Part of the variance that comes from an uneven diagonal."""
        n, trace, squares = map(np.asarray, (self.n, self.trace, self.squares))
        squared_diagonal = np.asarray(self.squared_diagonal)
        return np.asarray(n * (n + 1) * squared_diagonal - (n - 1) * (trace**2 + 2 * squares))


def permutation_law(a: MatrixMoments, b: MatrixMoments) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of <A, B> over all orders of the samples.

    Parameters
    ----------
    a, b : MatrixMoments
        The matrices.

    Returns
    -------
    mean, variance : ndarray
        In the shape of the moments.
    """
    n = np.asarray(a.n, dtype=np.float64)
    mean = np.asarray(a.trace) * np.asarray(b.trace) / (n - 1)
    variance = 2 * a.spread * b.spread / ((n - 1) ** 2 * (n + 1) * (n - 2))
    variance += a.unevenness * b.unevenness / (n * (n + 1) * (n - 1) * (n - 2) * (n - 3))
    return mean, variance


def weighted_sum_skewness(a: MatrixMoments, b: MatrixMoments) -> FloatArray:
    """Skewness of a sum of chi-squares weighted by the products of eigenvalues of two matrices.

    Parameters
    ----------
    a, b : MatrixMoments
        The matrices.

    Returns
    -------
    ndarray
        In the shape of the moments; zero where a matrix is.
    """
    cubes = 8.0 * np.asarray(a.cubes) * np.asarray(b.cubes)
    spread = (2.0 * np.asarray(a.squares) * np.asarray(b.squares)) ** 1.5
    skewness: FloatArray = np.zeros_like(cubes + spread)
    np.divide(cubes, spread, out=skewness, where=spread > 0)
    return skewness


def log_gamma_tail(
    values: ArrayLike, mean: ArrayLike, variance: ArrayLike, skewness: ArrayLike = 0.0
) -> FloatArray:
    """Logarithm of the chance that a gamma variable exceeds a value, however small it is.

    Parameters
    ----------
    values, mean, variance : array-like
        Values, and the moments of the law of each. Where a moment is not positive there is no
        law, and the answer is 0 (a chance of one).
    skewness : array-like, default=0.0
        Where this is more than a gamma law with these moments has, the law is shifted to have it.

    Returns
    -------
    ndarray
        Natural logarithms, at most zero.

    Examples
    --------
    >>> log_gamma_tail([3.0, 3000.0], 1.0, 1.0).round(6).tolist()
    [-3.0, -3000.0]
    """
    values, mean, variance, skewness = np.broadcast_arrays(
        *(np.asarray(part, dtype=np.float64) for part in (values, mean, variance, skewness))
    )
    lawful = (mean > 0) & (variance > 0)
    safe_mean, deviation = np.where(lawful, mean, 1.0), np.sqrt(np.where(lawful, variance, 1.0))
    skewed = np.maximum(skewness, 2.0 * deviation / safe_mean)
    shape = 4.0 / skewed**2
    # Distance from the lower end of the law, in units of its scale.
    scaled = np.maximum((values - safe_mean) * 2.0 / (deviation * skewed) + shape, 0.0)
    tail = special.gammaincc(shape, scaled)
    logs = np.log(np.maximum(tail, SMALLEST_TAIL))
    # Far out, the first two terms of the asymptotic series are right to many digits.
    far = tail < SMALLEST_TAIL
    far_out = np.where(far, scaled, 1.0)
    series = np.log1p(np.where(far, (shape - 1) / far_out, 0.0))
    asymptotic = (shape - 1) * np.log(far_out) - far_out - special.gammaln(shape) + series
    return np.asarray(np.where(lawful, np.where(far, asymptotic, logs), 0.0))


def gamma_quantile(chance: float, mean: float, variance: float, skewness: float) -> float:
    """Value that a shifted gamma variable with these moments exceeds with some chance.

    Parameters
    ----------
    chance : float
        Chance, from 0 to 1.
    mean, variance, skewness : float
        Moments; variance and skewness above zero.

    Returns
    -------
    float
        The value; the inverse of :func:`log_gamma_tail`.

    Examples
    --------
    >>> round(gamma_quantile(np.exp(-3.0), 1.0, 1.0, 2.0), 9)
    3.0
    """
    shape = 4.0 / skewness**2
    above_mean = float(special.gammainccinv(shape, chance)) - shape
    return mean + 0.5 * float(np.sqrt(variance)) * skewness * above_mean


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
