"""A kernel over few features that knows sums of curves as well as what features do together.

With p features, d_j the distance of two samples in feature j and a the additive fraction,

    k = (1 - a) exp(-sum_j d_j^2 / (w p)) + a / p sum_j exp(-d_j^2 / 2).

The product sees any interaction but needs ever more samples as features are added; the sum sees
none and does not mind their number. Features are explicit. Those of the product come by Nystroem's
method: with the kernel K_nm between all samples and m landmarks and K_mm = L L', they are
K_nm L'^-1. Those of the sum are the leading columns of the factors of the single kernels
(:mod:`hsieve.kernels.low_rank`), some 7 a feature, which serve every set that the feature is in.

Cost: O(n m^2) and n m exponentials.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular

from hsieve.kernels.low_rank import (
    MAX_LANDMARKS,
    landmark_positions,
    landmark_root,
    landmarks_needed,
    pivoted_cholesky,
)

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

# Added to the diagonal of the landmarks' matrix, which samples with equal values make singular.
JITTER = 1e-6
# Directions of a single kernel with less than this fraction of the largest weight are left out.
NEGLIGIBLE = 1e-3
# Columns of each feature of a group that acts together.
MOST_COLUMNS_TOGETHER = 4


@dataclass(frozen=True, eq=False)
class KernelColumn:
    """One feature, ready for kernels.

    Parameters
    ----------
    numbers : ndarray of shape (n_samples, n_columns)
        Standardised values, or scaled indicators of the levels of a category.
    """

    numbers: FloatArray

    @cached_property
    def factor(self) -> FloatArray:
        """Centred factor of exp(-d^2 / 2), of shape (n_samples, rank): directions that matter."""
        if self.numbers.shape[1] > 1:
            # Samples of different levels are all equally far apart.
            gap = float((self.numbers[0] ** 2).sum() + (self.numbers**2).sum(axis=1).max())
            levels = (self.numbers > 0).astype(np.float64)
            alike = np.exp(-0.5 * gap)
            return _leading(np.sqrt(1.0 - alike) * levels)
        values = self.numbers[:, 0]
        low, high = values.min(), values.max()
        count = int(landmarks_needed(low, high))
        if count > MAX_LANDMARKS:
            return _leading(pivoted_cholesky(self.numbers))
        grid = landmark_positions(count) + 0.5 * (low + high)
        near = np.exp(-0.5 * np.subtract.outer(values, grid) ** 2)
        return _leading(near @ landmark_root(count))

    @classmethod
    def together(cls, columns: Sequence["KernelColumn"]) -> "KernelColumn":
        """Return what features do only together: the product of their centred kernels.

        It has no numbers of its own, so that it takes part in the sum alone.
        """
        joint = np.ones((len(columns[0].numbers), 1))
        for column in columns:
            leading = column.factor[:, -MOST_COLUMNS_TOGETHER:]
            joint = (joint[:, :, None] * leading[:, None, :]).reshape(len(joint), -1)
        product = cls(np.empty((len(joint), 0)))
        product.__dict__["factor"] = _leading(joint)
        return product

    def part(self, rows: IndexArray | slice) -> "KernelColumn":
        """Return some samples, with their part of the factor."""
        some = KernelColumn(self.numbers[rows])
        some.__dict__["factor"] = self.factor[rows]
        return some


@dataclass(frozen=True)
class MixedKernel:
    """A kernel over some features; see the module.

    Parameters
    ----------
    width : float
        w, for standardised features.
    additive : float
        a, from 0 to 1.
    most_columns : int or None, default=None
        Most columns of a single kernel's factor that the sum uses; None for all.
    """

    width: float
    additive: float
    most_columns: int | None = None

    def features(
        self, columns: Sequence[KernelColumn], landmarks: Sequence[KernelColumn]
    ) -> FloatArray:
        """Explicit features of some samples.

        Parameters
        ----------
        columns : sequence of KernelColumn
            The features that the kernel is over.
        landmarks : sequence of KernelColumn
            The same of the landmarks.

        Returns
        -------
        ndarray of shape (n_samples, n_columns)
            Features whose inner products approximate the kernel, up to functions that are
            constant: at most so many columns as there are landmarks, and some for each feature.
        """
        gram = self._product(columns, landmarks)
        factor = self._root(landmarks)
        joint = solve_triangular(factor, gram.T, lower=True, overwrite_b=True, check_finite=False).T
        if not self.additive:
            return np.asarray(joint)
        return np.hstack([(1.0 - self.additive) ** 0.5 * joint, self._alone(columns)])

    def values(
        self,
        columns: Sequence[KernelColumn],
        landmarks: Sequence[KernelColumn],
        coefficients: FloatArray,
    ) -> FloatArray:
        """Values of functions that are linear in the features, without the features themselves.

        Parameters
        ----------
        columns, landmarks
            As in :meth:`features`.
        coefficients : ndarray of shape (n_columns, n_functions)
            Weights of the features.

        Returns
        -------
        ndarray of shape (n_samples, n_functions)
            The same as the product of features and coefficients, in O(n m) instead of O(n m^2).
        """
        gram = self._product(columns, landmarks)
        of_landmarks, of_sum = np.split(coefficients, [gram.shape[1]])
        weights = solve_triangular(
            self._root(landmarks), of_landmarks, lower=True, trans="T", check_finite=False
        )
        if not self.additive:
            return np.asarray(gram @ weights)
        joint = (1.0 - self.additive) ** 0.5 * (gram @ weights)
        return np.asarray(joint + self._alone(columns) @ of_sum)

    def _root(self, landmarks: Sequence[KernelColumn]) -> FloatArray:
        """Lower factor of the landmarks' matrix."""
        gram = self._product(landmarks, landmarks)
        gram[np.diag_indices(len(gram))] += JITTER
        return np.asarray(cholesky(gram, lower=True, overwrite_a=True, check_finite=False))

    def _alone(self, columns: Sequence[KernelColumn]) -> FloatArray:
        """Features of the sum of single kernels."""
        first = 0 if self.most_columns is None else -self.most_columns
        alone = np.hstack([column.factor[:, first:] for column in columns])
        alone *= (self.additive / len(columns)) ** 0.5
        return alone

    def _product(
        self, columns: Sequence[KernelColumn], landmarks: Sequence[KernelColumn]
    ) -> FloatArray:
        """Product kernel between samples and landmarks."""
        numbers = np.hstack([column.numbers for column in columns])
        others = np.hstack([column.numbers for column in landmarks])
        gram = numbers @ (-2.0 * others.T)
        gram += np.einsum("ij,ij->i", numbers, numbers)[:, None]
        gram += np.einsum("ij,ij->i", others, others)
        gram *= -1.0 / (self.width * sum(column.numbers.size > 0 for column in columns))
        # Rounding leaves distances a little below zero.
        np.minimum(gram, 0.0, out=gram)
        return np.asarray(np.exp(gram, out=gram))


def _leading(factor: FloatArray) -> FloatArray:
    """Turn a factor so that its columns are orthogonal, the heaviest last; keep what matters."""
    centred = factor - factor.mean(axis=0)
    weights, directions = np.linalg.eigh(centred.T @ centred)
    return np.asarray(centred @ directions[:, weights > NEGLIGIBLE * weights[-1]])
