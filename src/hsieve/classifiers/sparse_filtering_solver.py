"""Sparse filtering: features whose values are sparse in every sample, by L-BFGS.

Ngiam et al. (2011), as in section 5.2 and appendix A.2 of Athanasakis' thesis (2014). Learned
features f = W x are made positive, divided by their norm over all samples, then by the norm of each
sample; the sum of what comes out is minimised over W.

    S = sqrt(F^2 + e),  c_k^2 = sum_i S_ik^2 + e      soft absolute (e = 1e-8), norm of feature k
    T = S / c,          r_i^2 = sum_k T_ik^2 + e      norm of sample i
    objective = sum_ik T_ik / r_i

Two facts make one walk over the samples, with one matrix product each way, enough for value and
gradient. With w_k / c_k in the place of w_k the product gives F / c at once, and T^2 is
(F / c)^2 + e / c^2. And the norms need no walk of their own: c_k^2 = w_k' X'X w_k + (n + 1) e.
Taking the chain of normalisations back (s_i = sum_k T_ik),

    q_ik = 1 / (T_ik r_i) - s_i / r_i^3,      M = (F / c * q)' X,
    b_k = m_k . w_k / c_k + e / c_k^2 sum_i q_ik,
    gradient of w_k = (m_k - b_k X'X w_k / c_k) / c_k.

The data are turned to their principal axes first, once. There X'X is diagonal, and axes along which
nothing varies are left out: data of rank r of d cost r / d of the time. The descent is the same,
because L-BFGS does not depend on the axes and no gradient ever leaves the span of the samples.

Cost: O(n r N) an evaluation for N features, one chunk of samples at a time; memory
O(chunk N + N r), and the descent keeps 2 x 20 gradients.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from hsieve.array_types import FloatArray
from hsieve.classifiers.preparation import principal_axes
from hsieve.progress import report

# Of the soft absolute and of both norms, as in the thesis.
SOFT = 1e-8
# Gradients that L-BFGS remembers, as in the thesis.
CORRECTIONS = 20
# Samples worked on at a time: enough for products at full speed.
CHUNK_ROWS = 1024


@dataclass(frozen=True, eq=False)
class SparseFilteringFit:
    """What the descent came to."""

    weights: FloatArray  # (n_components, n_columns): weights of the learned features, float64
    feature_norms: FloatArray  # (n_components,): norm of each learned feature over the samples
    objective: float  # sum of the normalised features over samples and features
    n_iter: int  # iterations taken


@dataclass(frozen=True, eq=False)
class SparseFilteringProblem:
    """Value and gradient of the objective, on data whose columns are orthogonal."""

    # (n_samples, n_columns): float32 or float64, which is the precision of the products.
    data: FloatArray
    squares: FloatArray  # (n_columns,): squared norms of the columns, float64
    chunk_rows: int = CHUNK_ROWS  # Samples worked on at a time

    def feature_norms(self, weights: FloatArray) -> FloatArray:
        """Norm of each learned feature over the samples, float64."""
        return np.asarray(np.sqrt(weights**2 @ self.squares + (len(self.data) + 1) * SOFT))

    def value_and_gradient(self, weights: FloatArray) -> tuple[float, FloatArray]:
        """Objective and its gradient."""
        norms = self.feature_norms(weights)
        scaled = weights / norms[:, None]
        softness = SOFT / norms**2
        value, slopes, pulls = self._walk(scaled, softness)
        along = np.einsum("kj,kj->k", slopes, scaled) + softness * pulls
        gradient = (slopes - along[:, None] * scaled * self.squares) / norms[:, None]
        return value, gradient

    def _walk(
        self, scaled: FloatArray, softness: FloatArray
    ) -> tuple[float, FloatArray, FloatArray]:
        """Objective, M and the sums of q over the samples, in one walk over chunks of samples."""
        precision = self.data.dtype
        turned = np.ascontiguousarray(scaled.T, dtype=precision)
        soft = softness.astype(precision)
        ones, total = np.ones(len(scaled), dtype=precision), 0.0
        slopes, pulls = np.zeros(scaled.shape), np.zeros(len(scaled))
        rows = min(self.chunk_rows, len(self.data))
        room = np.empty((2, rows, len(scaled)), dtype=precision)
        for chunk in _chunks(self.data, rows):
            features = np.matmul(chunk, turned, out=room[0, : len(chunk)])
            parts = np.multiply(features, features, out=room[1, : len(chunk)])
            parts += soft
            lengths = np.sqrt(parts @ ones + precision.type(SOFT))
            np.sqrt(parts, out=parts)
            sums = parts @ ones
            total += float(np.sum(sums / lengths, dtype=np.float64))
            np.divide((1 / lengths)[:, None], parts, out=parts)
            parts -= (sums / lengths**3)[:, None]
            pulls += parts.sum(axis=0)
            features *= parts
            slopes += features.T @ chunk
        return total, slopes, pulls


def sparse_filtering(
    data: FloatArray, start: FloatArray, *, max_iter: int = 200, tol: float = 0.0
) -> SparseFilteringFit:
    """Learn features that are sparse in every sample, from a start of (n_components, n_columns).

    The descent ends when an iteration lowers the objective by less than the fraction `tol` of it.
    """
    axes, coordinates, squares = principal_axes(data)
    problem = SparseFilteringProblem(coordinates, squares)
    turned = start.astype(np.float64) @ axes
    done = [0]

    def flat(vector: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = problem.value_and_gradient(vector.reshape(turned.shape))
        return value, gradient.ravel()

    def told(_: Any) -> None:
        done[0] += 1
        report(done[0] / max_iter, "learning features")

    result = minimize(
        flat,
        turned.ravel(),
        jac=True,
        method="L-BFGS-B",
        callback=told,
        options={
            "maxcor": CORRECTIONS,
            "maxiter": max_iter,
            "maxfun": 100 * max_iter,
            "ftol": tol,
            "gtol": 0.0,
        },
    )
    weights = result.x.reshape(turned.shape)
    return SparseFilteringFit(
        weights=weights @ axes.T,
        feature_norms=problem.feature_norms(weights),
        objective=float(result.fun),
        n_iter=int(result.nit),
    )


def learned_features(
    data: FloatArray,
    weights: FloatArray,
    feature_norms: FloatArray,
    constants: FloatArray | float = 0.0,
) -> FloatArray:
    """Compute learned features of samples, each from its own values alone, with norm one.

    `constants` are added to the products of weights and data. Samples so far away that their
    squares overflow are refused.
    """
    precision = data.dtype
    with np.errstate(over="ignore", invalid="ignore"):
        features = data @ (weights / feature_norms[:, None]).T.astype(precision)
        features += (constants / feature_norms).astype(precision)
        features *= features
        features += (SOFT / feature_norms**2).astype(precision)
        lengths = np.sqrt(features.sum(axis=1, keepdims=True) + precision.type(SOFT))
    if not np.isfinite(lengths).all():
        msg = (
            f"X holds values as large as {np.abs(data).max():.3g} (less the offset), which is too "
            f"far from the samples learned from for {precision}."
        )
        raise ValueError(msg)
    np.sqrt(features, out=features)
    features /= lengths
    return features


def _chunks(data: FloatArray, rows: int) -> Iterator[FloatArray]:
    """Cut data into chunks of so many samples, in order."""
    for first in range(0, len(data), rows):
        yield data[first : first + rows]
