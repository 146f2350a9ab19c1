"""Quadratic forms of many vectors at once, and the Gaussian factor as a short series of them.

Adding a feature x to a Gaussian product kernel K multiplies it elementwise by
``exp(-rate (x_a - x_b)^2)``; removing one multiplies by ``exp(+rate (x_a - x_b)^2)``. A score that
is linear in the kernel, ``sum(W * K)``, therefore changes by

    change(x) = sum_ab V_ab (exp(t (x_a - x_b)^2) - 1),   V = W * K,  t = -rate or +rate.

Written out, ``exp(t (x_a - x_b)^2) = e_a e_b exp(-2 t x_a x_b)`` with ``e = exp(t x^2)``, and the
power series of the last factor turns the double sum into quadratic forms of e x^p:

    change(x) = 2 v'u + u'Vu + sum_{p >= 1} (-2t)^p / p! * (e x^p)' V (e x^p),   u = e - 1, v = V1.

Each term is one matrix product for a whole block of features, where the literal sum would need an
exponential for every pair of samples and every feature. The leading 1 is taken off before the sum,
so no digits cancel when the change is small. How many terms are needed follows from
z = 2 rate max|x|^2 alone (:func:`series_order`); where z is so large that the series would lose
digits, the caller takes the literal sum.

A feature of two values needs one term only: the factor is constant on the pairs that differ.

Cost: 2 n^2 multiplications per feature and term, half of it saved by symmetry for larger n.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc

from hsieve.array_types import FloatArray

# Below this size one matrix product is quicker than two smaller ones.
SYMMETRY_BLOCK = 384
# Beyond this many terms the literal sum is the cheaper one.
MAX_ORDER = 64
# exp(2z) bounds the growth of rounding errors in the alternating series of a removal.
MAX_REMOVAL_EXPONENT = {np.dtype(np.float32): 2.0, np.dtype(np.float64): 8.0}


def quadratic_forms(
    matrix: NDArray[np.floating], vectors: NDArray[np.floating]
) -> NDArray[np.floating]:
    """Compute v'Mv for every column v, for a symmetric matrix M.

    Shapes: matrix (n, n), vectors (n, n_vectors) -> (n_vectors,).

    Examples
    --------
    >>> import numpy as np
    >>> quadratic_forms(np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([[1.0, 1.0], [0.0, 1.0]]))
    array([2., 7.])
    """
    n = len(matrix)
    if n <= SYMMETRY_BLOCK:
        forms: FloatArray = np.einsum("ij,ij->j", vectors, matrix @ vectors)
        return forms
    half = n // 2
    top, bottom = vectors[:half], vectors[half:]
    cross = np.einsum("ij,ij->j", top, matrix[:half, half:] @ bottom)
    forms = (
        quadratic_forms(matrix[:half, :half], top)
        + quadratic_forms(matrix[half:, half:], bottom)
        + 2.0 * cross
    )
    return forms


def series_order(exponent: float, *, removal: bool, tolerance: float) -> int:
    """Count the series terms that keep the error of the Gaussian factor under the tolerance.

    Notes
    -----
    Addition: the terms of one entry are Poisson probabilities with mean at most z, so the
    remainder is a Poisson tail. Removal: the remainder of the alternating series is at most its
    first missing term, ``e^z z^(p+1) / (p+1)!``.
    """
    for order in range(1, MAX_ORDER + 1):
        if removal:
            log_term = exponent + (order + 1) * math.log(max(exponent, 1e-300))
            error = math.exp(min(log_term - math.lgamma(order + 2), 700.0))
        else:
            error = float(gammainc(order + 1, exponent))
        if error <= tolerance:
            return order
    return MAX_ORDER + 1


def series_changes(
    weighted: NDArray[np.floating], block: NDArray[np.floating], rate: float, order: int
) -> NDArray[np.floating]:
    """Change of sum(V) when every entry is multiplied by exp(rate (x_a - x_b)^2), by the series."""
    typed_rate = block.dtype.type(rate)
    excess = np.expm1(typed_rate * block * block)
    changes: FloatArray = 2.0 * (weighted.sum(axis=1) @ excess) + quadratic_forms(weighted, excess)
    # The root of the coefficient goes into the powers, which then never grow beyond the kernel.
    scaled = block * np.sqrt(2 * abs(typed_rate))
    powers = excess + 1
    for term in range(1, order + 1):
        powers *= scaled / block.dtype.type(math.sqrt(term))
        sign = -1 if typed_rate > 0 and term % 2 else 1
        changes += sign * quadratic_forms(weighted, powers)
    return changes


def factor_means(block: NDArray[np.floating], rate: float) -> NDArray[np.floating]:
    """Mean of exp(-rate (x_a - x_b)^2) over all pairs of different samples, for each feature.

    With equal weights the quadratic forms are squares of sums, so a feature costs O(n) a term.
    """
    n = len(block)
    centred = (block - 0.5 * (block.max(axis=0) + block.min(axis=0))).astype(np.float64)
    exponent = 2.0 * rate * float(np.abs(centred).max(initial=0.0)) ** 2
    order = series_order(exponent, removal=False, tolerance=1e-9)
    if order > MAX_ORDER:
        gaps = (np.subtract.outer(x, x) for x in centred.T)
        totals = np.array([np.exp(-rate * gap * gap).sum() for gap in gaps])
    else:
        powers = np.exp(-rate * centred * centred)
        totals = powers.sum(axis=0) ** 2
        for term in range(1, order + 1):
            powers *= centred * math.sqrt(2.0 * rate / term)
            totals += powers.sum(axis=0) ** 2
    return np.clip((totals - n) / (n * (n - 1)), 0.0, 1.0)


def two_level_changes(
    weighted: NDArray[np.floating], block: NDArray[np.floating], rate: float
) -> NDArray[np.floating]:
    """Do what :func:`series_changes` does, exactly and in one product, for two-valued features."""
    low, high = block.min(axis=0), block.max(axis=0)
    is_high = (block == high).astype(weighted.dtype)
    different = 2.0 * (weighted.sum(axis=1) @ is_high - quadratic_forms(weighted, is_high))
    changes: FloatArray = np.expm1(rate * (high - low) ** 2) * different
    return changes
