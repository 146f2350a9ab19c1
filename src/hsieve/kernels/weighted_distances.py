"""Distances between samples and some of them, when every feature carries a weight.

With weights w the squared distance is D_il = sum_m w_m^2 (x_im - x_lm)^2. A function of D with the
slopes P_il = df / dD_il has, in the weight of feature m, the derivative

    2 w_m sum_il P_il (x_im - x_lm)^2 = 2 w_m (p'x_m^2 + q'c_m^2 - 2 c_m' (P'x_m)),

with p, q the sums of P over centres and over samples and c_m the feature at the centres: three
products of matrices for all features together. A feature of weight zero changes nothing and has no
slope, so both take only the features with a weight.

Cost: O(n b a) for n samples, b centres and a features with a weight.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hsieve.array_types import FloatArray, IndexArray
from hsieve.kernels.columns import EncodedColumns


def squared_to(points: FloatArray, centres: FloatArray) -> FloatArray:
    """Squared distances of shape (n_points, n_centres), by one product."""
    squared = points @ (-2.0 * centres.T)
    squared += np.einsum("ij,ij->i", points, points)[:, None]
    squared += np.einsum("ij,ij->i", centres, centres)
    return np.asarray(np.maximum(squared, 0.0, out=squared))


@dataclass(frozen=True, eq=False)
class WeightedDistances:
    """Squared distances from samples to centres among them, for any weights of the features."""

    columns: EncodedColumns  # encoded features; their precision is that of the distances
    centres: IndexArray  # (n_centres,): samples that are centres

    def squared(self, weights: FloatArray) -> FloatArray:
        """Squared distances of shape (n_samples, n_centres)."""
        active = np.flatnonzero(weights)
        block = self.columns.block(active)
        block = block * np.repeat(weights[active], self._widths[active]).astype(block.dtype)
        return squared_to(block, block[self.centres])

    def of_feature(self, feature: int) -> FloatArray:
        """Squared distances in one feature of weight one."""
        block = self.columns.block([feature])
        return squared_to(block, block[self.centres])

    def gradient(self, weights: FloatArray, slopes: FloatArray) -> FloatArray:
        """Differentiate a function of the squared distances in the weights."""
        active = np.flatnonzero(weights)
        block = self.columns.block(active)
        at = block[self.centres]
        sums = slopes.sum(axis=1) @ block**2 + slopes.sum(axis=0) @ at**2
        sums -= 2.0 * np.einsum("lm,lm->m", slopes.T @ block, at)
        widths = self._widths[active]
        gradient = np.zeros(len(weights))
        if len(active):
            by_feature = np.add.reduceat(sums, np.cumsum(widths) - widths)
            gradient[active] = 2.0 * weights[active] * by_feature
        return gradient

    @cached_property
    def _widths(self) -> IndexArray:
        """Encoded columns of each feature."""
        return np.diff(self.columns.starts)
