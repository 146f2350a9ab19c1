"""Low-rank factors of one-dimensional Gaussian kernels, for any number of samples.

The Gram matrix of one feature is K = exp(-(x - x')^2 / 2) on standardised values. Landmarks at an
*even spacing* h cover the range of the feature, a margin beyond both ends, so that no sample is
lost however far out it lies; then K ~ F F' with F = K_nb K_bb^(-1/2). Two facts make this quick:

* K_bb depends on h and the number of landmarks alone, not on the feature, so its inverse root is
  computed once for each number of landmarks and a whole block of features shares one product;
* the error falls like exp(-pi^2 / (2 h^2)). At h = 0.6 no entry of K is off by more than 5e-5, on
  any distribution, with some 15 landmarks for a Gaussian feature and one more for each further
  0.6 deviations of range.

Features of two values and categories have exact factors. A feature whose range is extreme gets its
landmarks among its samples instead, by pivoted Cholesky with a bound on the error.

Cost: O(n b) exponentials and O(n b^2) multiplications a feature with b landmarks.
"""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["feature_factors", "landmark_root", "pivoted_cholesky"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

SPACING = 0.6
MARGIN = 1
MAX_LANDMARKS = 64
CHOLESKY_TOLERANCE = 1e-5


def feature_factors(numbers: FloatArray) -> Iterator[tuple[IndexArray, FloatArray]]:
    """Give centred factors of the Gaussian kernels (width 1) of single features.

    Parameters
    ----------
    numbers : ndarray of shape (n_samples, n_features)
        Standardised features.

    Yields
    ------
    features : ndarray of shape (n_group,)
        Positions of a group of features with equally many factor columns.
    factors : ndarray of shape (n_group, n_samples, rank)
        Their factors F, single precision, columns of mean zero: the centred kernel is F F'.
    """
    low, high = numbers.min(axis=0), numbers.max(axis=0)
    two_valued = ((numbers == low) | (numbers == high)).all(axis=0)
    if two_valued.any():
        chosen = np.flatnonzero(two_valued)
        yield chosen, _two_valued_factors(numbers[:, chosen], high[chosen] - low[chosen])
    n_landmarks = np.ceil((high - low) / SPACING).astype(np.intp) + 1 + 2 * MARGIN
    for count in np.unique(n_landmarks[~two_valued]):
        chosen = np.flatnonzero(~two_valued & (n_landmarks == count))
        if count <= MAX_LANDMARKS:
            middle = 0.5 * (low[chosen] + high[chosen])
            yield chosen, _landmark_factors(numbers[:, chosen] - middle, int(count))
            continue
        for feature in chosen:
            factor = pivoted_cholesky(numbers[:, [feature]])
            yield np.array([feature]), _centred(factor.astype(np.float32)[None])


@lru_cache(maxsize=MAX_LANDMARKS)
def landmark_root(n_landmarks: int) -> FloatArray:
    """Inverse square root of the Gram matrix of evenly spaced landmarks, of shape (b, b)."""
    positions = SPACING * np.arange(n_landmarks)
    gram = np.exp(-0.5 * np.subtract.outer(positions, positions) ** 2)
    values, vectors = np.linalg.eigh(gram)
    return np.asarray(vectors / np.sqrt(values))


def pivoted_cholesky(
    points: FloatArray, *, rate: float = 0.5, tolerance: float = CHOLESKY_TOLERANCE
) -> FloatArray:
    """Factor a Gaussian Gram matrix exp(-rate |x - x'|^2) with landmarks among the samples.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_columns)
        The samples.
    rate : float, default=0.5
        1 / (2 sigma^2).
    tolerance : float, default=1e-5
        No entry of K - F F' is larger.

    Returns
    -------
    ndarray of shape (n_samples, rank)
        F.
    """
    residual = np.ones(len(points))
    columns: list[FloatArray] = []
    while residual.max() > tolerance and len(columns) < len(points):
        pivot = int(residual.argmax())
        column = np.exp(-rate * ((points - points[pivot]) ** 2).sum(axis=1))
        for earlier in columns:
            column = column - earlier[pivot] * earlier
        column = column / np.sqrt(residual[pivot])
        columns.append(column)
        residual = np.maximum(residual - column * column, 0.0)
        residual[pivot] = 0.0
    return np.stack(columns, axis=1)


def _two_valued_factors(numbers: FloatArray, gap: FloatArray) -> FloatArray:
    """Exact factors of rank one: the centred kernel is 2 (1 - k) zz', z the centred indicator."""
    indicator = (numbers == numbers.max(axis=0)).astype(np.float64)
    centred = (indicator - indicator.mean(axis=0)) * np.sqrt(-2.0 * np.expm1(-0.5 * gap**2))
    return np.ascontiguousarray(centred.T[:, :, None], dtype=np.float32)


def _landmark_factors(centred_numbers: FloatArray, n_landmarks: int) -> FloatArray:
    """Factors with evenly spaced landmarks around the middle of each feature's range."""
    positions = SPACING * (np.arange(n_landmarks) - 0.5 * (n_landmarks - 1))
    values = centred_numbers.T.astype(np.float32)[:, :, None] - positions.astype(np.float32)
    np.multiply(values, values, out=values)
    values *= np.float32(-0.5)
    np.exp(values, out=values)
    return _centred(values @ landmark_root(n_landmarks).astype(np.float32))


def _centred(factors: FloatArray) -> FloatArray:
    factors -= factors.mean(axis=1, dtype=np.float64, keepdims=True).astype(factors.dtype)
    return factors
