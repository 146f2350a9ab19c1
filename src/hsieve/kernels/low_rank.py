"""Low-rank factors of one-dimensional Gaussian kernels, for any number of samples.

The Gram matrix of one feature is K = exp(-(x - x')^2 / 2) on standardised values. Landmarks at an
*even spacing* h cover the range of the feature, a margin beyond both ends, so that no sample is
lost however far out it lies; then K ~ F F' with F = K_nb K_bb^(-1/2). Three facts make this quick:

* K_bb depends on h and the number of landmarks alone, not on the feature, so its inverse root is
  computed once for each number of landmarks and a whole block of features shares one product;
* the error falls like exp(-pi^2 / (2 h^2)). At h = 0.6 no entry of K is off by more than 5e-5, on
  any distribution, with some 15 landmarks for a Gaussian feature and one more for each further
  0.6 deviations of range;
* from one landmark to the next the kernel changes by a factor exp(h x) times a constant, so two
  exponentials a sample serve all landmarks.

A feature whose range is extreme gets its landmarks among its samples instead, by pivoted Cholesky
with a bound on the error. Features of few values have exact factors: see
:mod:`hsieve.kernels.levels`.

Cost: O(n) exponentials and O(n b^2) multiplications per feature with b landmarks.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from hsieve.array_types import FloatArray, IndexArray

SPACING = 0.6
MARGIN = 1
MAX_LANDMARKS = 64
# Up to here powers of exp(h x) stay inside the range of single precision.
MAX_BY_POWERS = 36
CHOLESKY_TOLERANCE = 1e-5


def landmark_factors(
    numbers: FloatArray, precision: type[np.floating] = np.float32
) -> Iterator[tuple[IndexArray, FloatArray]]:
    """Give centred factors of the Gaussian kernels (width 1) of single features.

    Those with equally many columns come together: positions of the features, and their factors F of
    shape (n_group, n_samples, rank) in that precision, columns of mean zero, samples next to each
    other in memory. The centred kernel is F F'.
    """
    low, high = numbers.min(axis=0), numbers.max(axis=0)
    n_landmarks = landmarks_needed(low, high)
    middle = (0.5 * (low + high)).astype(numbers.dtype)
    for count in np.unique(n_landmarks):
        chosen = np.flatnonzero(n_landmarks == count)
        if count <= MAX_LANDMARKS:
            rows = np.ascontiguousarray(numbers.T[chosen] - middle[chosen, None], dtype=precision)
            by_landmark = _by_powers if count <= MAX_BY_POWERS else _by_exponentials
            yield chosen, _centred(by_landmark(rows, int(count))).transpose(0, 2, 1)
            continue
        for feature in chosen:
            factor = pivoted_cholesky(numbers[:, [feature]].astype(np.float64))
            by_sample = _centred(np.ascontiguousarray(factor.T[None], dtype=precision))
            yield np.array([feature]), by_sample.transpose(0, 2, 1)


def landmarks_needed(low: FloatArray, high: FloatArray) -> IndexArray:
    """Count the evenly spaced landmarks that cover a range, margins included."""
    count = np.ceil(np.minimum((high - low) / SPACING, 1e9)) + 1 + 2 * MARGIN
    return np.asarray(count, dtype=np.intp)


@lru_cache(maxsize=MAX_LANDMARKS)
def landmark_positions(n_landmarks: int) -> FloatArray:
    """Evenly spaced landmarks around zero."""
    return np.asarray(SPACING * (np.arange(n_landmarks) - 0.5 * (n_landmarks - 1)))


@lru_cache(maxsize=MAX_LANDMARKS)
def landmark_root(n_landmarks: int) -> FloatArray:
    """Inverse square root of the Gram matrix of evenly spaced landmarks, of shape (b, b)."""
    positions = landmark_positions(n_landmarks)
    gram = np.exp(-0.5 * np.subtract.outer(positions, positions) ** 2)
    values, vectors = np.linalg.eigh(gram)
    return np.asarray(vectors / np.sqrt(values))


@lru_cache(maxsize=2 * MAX_BY_POWERS)
def _scaled_root(n_landmarks: int, precision: np.dtype[Any]) -> FloatArray:
    """Transposed inverse root, ready to be multiplied by powers of exp(h x) exp(-x^2 / 2)."""
    damping = np.exp(-0.5 * landmark_positions(n_landmarks) ** 2)
    return np.ascontiguousarray((damping[:, None] * landmark_root(n_landmarks)).T, dtype=precision)


def pivoted_cholesky(
    points: FloatArray, *, rate: float = 0.5, tolerance: float = CHOLESKY_TOLERANCE
) -> FloatArray:
    """Factor a Gaussian Gram matrix exp(-rate |x - x'|^2) with landmarks among the samples.

    Gives F of shape (n_samples, rank); no entry of K - F F' is larger than the tolerance.
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


def _by_powers(rows: FloatArray, n_landmarks: int) -> FloatArray:
    """Factors from exp(-(x - c)^2 / 2) = exp(-x^2 / 2) exp(x c) exp(-c^2 / 2)."""
    number = rows.dtype.type
    values = np.empty((len(rows), n_landmarks, rows.shape[1]), dtype=rows.dtype)
    middle = n_landmarks // 2
    first = number(landmark_positions(n_landmarks)[middle])
    values[:, middle] = np.exp(rows * (first - number(0.5) * rows))
    step = np.exp(number(SPACING) * rows)
    for landmark in range(middle + 1, n_landmarks):
        np.multiply(values[:, landmark - 1], step, out=values[:, landmark])
    np.reciprocal(step, out=step)
    for landmark in range(middle - 1, -1, -1):
        np.multiply(values[:, landmark + 1], step, out=values[:, landmark])
    return np.asarray(np.matmul(_scaled_root(n_landmarks, rows.dtype), values))


def _by_exponentials(rows: FloatArray, n_landmarks: int) -> FloatArray:
    """Factors with one exponential for each sample and landmark."""
    positions = landmark_positions(n_landmarks).astype(rows.dtype)
    values = rows[:, None, :] - positions[:, None]
    np.multiply(values, values, out=values)
    values *= rows.dtype.type(-0.5)
    np.exp(values, out=values)
    return np.asarray(np.matmul(landmark_root(n_landmarks).T.astype(rows.dtype), values))


def _centred(factors: FloatArray) -> FloatArray:
    factors -= factors.mean(axis=-1, keepdims=True)
    return factors
