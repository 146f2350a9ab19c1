"""The kernel of a set of features, and how it changes when one feature comes or goes.

A search asks thousands of times: what would the score be with one feature more, or one less? Each
class here holds the Gram matrix of the current set and answers for many candidates at once, in
O(n^2) a candidate: never d kernel evaluations over all features, never a d x n x n array.

* :class:`GaussianSubset`: the product form of the Gaussian, by short series of matrix products.
* :class:`PolynomialSubset`: binomial expansion, exact; the linear kernel is its first degree.
* :class:`RadialSubset`: any other function of the distance (Laplace, inverse distance), literal.

A *change* is ``sum(W * (K_after - K_before))``, for a symmetric weight matrix W.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from math import comb
from typing import Any

import numpy as np

from hsieve.array_types import FloatArray, IndexArray
from hsieve.kernels.centring import centred_squared_norm
from hsieve.kernels.columns import EncodedColumns, squared_distances
from hsieve.kernels.quadratic_forms import (
    MAX_ORDER,
    MAX_REMOVAL_EXPONENT,
    factor_means,
    quadratic_forms,
    series_changes,
    series_order,
    two_level_changes,
)

# A block of candidates holds about this many numbers, a few megabytes, to stay in the cache.
BLOCK_NUMBERS = 1_000_000
TOLERANCE = {np.dtype(np.float32): 1e-4, np.dtype(np.float64): 1e-11}


class SubsetKernel(ABC):
    """Gram matrix of a set of features, able to score the coming or going of others.

    Parameters
    ----------
    columns : EncodedColumns
        All features.
    subset : ndarray of int
        Features that make up the kernel.
    """

    gram: FloatArray

    def __init__(self, columns: EncodedColumns, subset: IndexArray) -> None:
        self.columns = columns
        self.subset = subset

    @property
    def vanishes(self) -> bool:
        """Whether no two different samples have any similarity; never, for most kernels."""
        return False

    @abstractmethod
    def changed(self, feature: int, *, removal: bool) -> FloatArray:
        """Gram matrix after one feature is added or removed, computed literally."""

    def changes(self, weights: FloatArray, features: IndexArray, *, removal: bool) -> FloatArray:
        """Change of ``sum(weights * gram)`` when each feature alone is added or removed."""
        return np.array(
            [np.vdot(weights, self.changed(j, removal=removal) - self.gram) for j in features]
        )

    def own_factors(self, features: IndexArray) -> FloatArray:
        """Factor by which an independent feature like each of these would shrink the kernel.

        One for kernels that are not products over features.
        """
        return np.ones(len(features))

    def changed_norms(self, features: IndexArray, *, removal: bool) -> FloatArray:
        """Squared Frobenius norms of the *centred* Gram matrices after each change."""
        weight = self.columns.sample_weight
        changed = (self.changed(feature, removal=removal) for feature in features)
        return np.array([centred_squared_norm(gram, weight) for gram in changed])

    def _blocks(self, positions: IndexArray) -> Iterator[IndexArray]:
        """Walk over positions in blocks of bounded memory."""
        width = max(16, BLOCK_NUMBERS // self.columns.n_samples)
        for start in range(0, len(positions), width):
            yield positions[start : start + width]


class RadialSubset(SubsetKernel):
    """Any kernel that is a function of the squared distance, changed literally.

    Parameters
    ----------
    columns, subset
        As in :class:`SubsetKernel`.
    profile : callable
        Makes, from the squared distances of the set, the function that turns squared distances
        into kernel values (so that a bandwidth rule can look at the distances once). That function
        may overwrite what it is given.
    """

    precision: np.dtype[Any] = np.dtype(np.float64)

    def __init__(
        self,
        columns: EncodedColumns,
        subset: IndexArray,
        profile: Callable[[FloatArray], Callable[[FloatArray], FloatArray]],
    ) -> None:
        super().__init__(columns, subset)
        distances = squared_distances(columns.block(subset), self.precision)
        self.values = profile(distances)
        # The distances become the Gram matrix in place: at some thousand samples, fresh memory
        # costs more than the arithmetic.
        self.gram = self.values(distances)

    @property
    def vanishes(self) -> bool:
        """Whether the width is so small that no two different samples have any similarity."""
        return int(np.count_nonzero(self.gram)) <= len(self.gram)

    @cached_property
    def distances(self) -> FloatArray:
        """Squared distances between the samples, computed again where they are needed."""
        return squared_distances(self.columns.block(self.subset), self.precision)

    def changed(self, feature: int, *, removal: bool) -> FloatArray:
        """Gram matrix after one feature is added or removed."""
        own = squared_distances(self.columns.block([feature]), self.precision)
        after = self.distances - own if removal else self.distances + own
        return self.values(np.maximum(after, 0.0))


class GaussianSubset(RadialSubset):
    """Gaussian kernel exp(-rate |x - x'|^2) of a set of features.

    Parameters
    ----------
    columns, subset
        As in :class:`SubsetKernel`.
    bandwidth : callable
        Gives the bandwidth sigma from the squared distances; rate = 1 / (2 sigma^2).
    precision : dtype, default=float64
        Of the Gram matrix and the products. float32 takes less than half of the time; its error in
        a change is about 1e-5 of the terms summed, enough to put features in order.
    """

    def __init__(
        self,
        columns: EncodedColumns,
        subset: IndexArray,
        bandwidth: Callable[[FloatArray], float],
        precision: type[np.floating] = np.float64,
    ) -> None:
        self.precision = np.dtype(precision)
        self._last_weights: FloatArray | None = None
        self._last_weighted: FloatArray = np.empty((0, 0))
        SubsetKernel.__init__(self, columns, subset)
        distances = squared_distances(columns.block(subset), self.precision)
        self.rate = 0.5 / bandwidth(distances) ** 2
        # It must not refer to this object: a cycle would keep its matrices alive until the garbage
        # collector comes by, gigabytes later.
        self.values = partial(_gaussian_in_place, self.rate)
        self.gram = self.values(distances)

    def changes(self, weights: FloatArray, features: IndexArray, *, removal: bool) -> FloatArray:
        """Change of ``sum(weights * gram)`` for each feature, by the sweep that serves it."""
        if not len(features):
            return np.empty(0)
        changes = np.empty(len(features))
        exponents = 0.5 * self.rate * self.columns.largest_squared_gap[features]
        # Taking away a feature that alone makes far pairs unlike each other multiplies tiny
        # numbers by huge ones; such features are left to a method that keeps their digits.
        beyond = removal & (exponents > MAX_REMOVAL_EXPONENT[self.precision])
        # Groups of columns have no series.
        beyond |= self.columns.joint[features]
        if beyond.any():
            changes[beyond] = self._careful_changes(weights, features[beyond], removal=removal)
        signed_rate = self.rate if removal else -self.rate
        weighted = self._weighted(weights)
        categorical = self.columns.categorical[features]
        for block in self._blocks(np.flatnonzero(categorical & ~beyond)):
            changes[block] = self._category_changes(weighted, features[block], signed_rate)
        two_level = self.columns.two_level[features]
        for sweep, kind in ((two_level_changes, two_level), (self._smooth_changes, ~two_level)):
            served = np.flatnonzero(kind & ~categorical & ~beyond)
            # Features of similar range go together, so that a few far outliers do not lengthen
            # the series of all the others.
            for group in _groups_by_size(served, exponents[served]):
                for block in self._blocks(group):
                    numbers = self.columns.block(features[block]).astype(self.precision, copy=False)
                    changes[block] = sweep(weighted, numbers, signed_rate)
        return changes

    def _weighted(self, weights: FloatArray) -> FloatArray:
        """Product of weights and Gram matrix, kept because additions and removals both need it."""
        if self._last_weights is not weights:
            self._last_weights = weights
            self._last_weighted = weights.astype(self.precision, copy=False) * self.gram
        return self._last_weighted

    def own_factors(self, features: IndexArray) -> FloatArray:
        """Mean of each feature's own kernel over all pairs of different samples."""
        weight = self.columns.sample_weight
        if weight is not None or self.columns.joint.any():
            weight = np.ones(self.columns.n_samples) if weight is None else weight
            total = weight.sum()
            own = (squared_distances(self.columns.block([f]), self.precision) for f in features)
            sums = np.array([weight @ self.values(squared) @ weight for squared in own])
            return np.asarray((sums - total) / (total * (total - 1.0)))
        factors = np.empty(len(features))
        categorical = self.columns.categorical[features]
        for block in self._blocks(np.flatnonzero(categorical)):
            factors[block] = self._category_factors(features[block])
        two_level = self.columns.two_level[features]
        gaps = self.columns.largest_squared_gap[features]
        unlike = self.columns.share_of_unlike_pairs[features[two_level]]
        factors[two_level] = 1.0 + np.expm1(-self.rate * gaps[two_level]) * unlike
        smooth = np.flatnonzero(~categorical & ~two_level)
        for group in _groups_by_size(smooth, gaps[smooth]):
            for block in self._blocks(group):
                factors[block] = factor_means(self.columns.block(features[block]), self.rate)
        return factors

    def _careful_changes(
        self, weights: FloatArray, features: IndexArray, *, removal: bool
    ) -> FloatArray:
        """Compute changes in double precision, or literally where that is not enough either."""
        if self.precision == np.float64:
            return super().changes(weights, features, removal=removal)
        bandwidth = (0.5 / self.rate) ** 0.5
        double = GaussianSubset(self.columns, self.subset, lambda _: bandwidth)
        return double.changes(weights, features, removal=removal)

    def _category_changes(
        self, weighted: FloatArray, features: IndexArray, signed_rate: float
    ) -> FloatArray:
        """Exact changes for categories: the factor is constant on pairs of different levels."""
        levels, first, heights = self._levels(features)
        same = np.add.reduceat(quadratic_forms(weighted, levels), first)
        return np.asarray(np.expm1(signed_rate * 2.0 * heights**2) * (weighted.sum() - same))

    def _category_factors(self, features: IndexArray) -> FloatArray:
        """Mean of each category's own kernel, from the sizes of its levels."""
        levels, first, heights = self._levels(features)
        counts = levels.sum(axis=0, dtype=np.float64)
        n = self.columns.n_samples
        alike = np.add.reduceat(counts * (counts - 1.0), first) / (n * (n - 1))
        return np.asarray(1.0 + np.expm1(-self.rate * 2.0 * heights**2) * (1.0 - alike))

    def _levels(self, features: IndexArray) -> tuple[FloatArray, IndexArray, FloatArray]:
        """Give indicators of some categories, where each begins, and their encoded heights."""
        indicators = self.columns.block(features)
        widths = np.diff(self.columns.starts)[features]
        first = np.cumsum(widths) - widths
        heights = np.maximum.reduceat(indicators.max(axis=0), first).astype(np.float64)
        return (indicators > 0).astype(self.precision), first, heights

    def _smooth_changes(
        self, weighted: FloatArray, numbers: FloatArray, signed_rate: float
    ) -> FloatArray:
        """Compute changes for a block of continuous features: the series, or the literal sum."""
        # Distances ignore a shift; centred on the middle of its range a feature has the smallest
        # exponent and so the shortest series.
        numbers = numbers - 0.5 * (numbers.max(axis=0) + numbers.min(axis=0))
        exponent = 2.0 * self.rate * float(np.abs(numbers).max()) ** 2
        order = series_order(exponent, removal=signed_rate > 0, tolerance=TOLERANCE[weighted.dtype])
        if order <= MAX_ORDER:
            return series_changes(weighted, numbers, signed_rate, order)
        gaps = (np.subtract.outer(x, x) for x in numbers.T)
        return np.array([np.vdot(weighted, np.expm1(signed_rate * gap * gap)) for gap in gaps])


class PolynomialSubset(SubsetKernel):
    """Polynomial kernel (x'x + constant)^degree of a set of features.

    With B the inner products plus the constant, adding or removing a feature x gives
    (B +- xx')^p = sum_q C(p, q) (+-1)^q B^(p-q) (xx')^q elementwise, and (xx')^q is the outer
    product of x^q: a few exact quadratic forms.
    """

    def __init__(
        self, columns: EncodedColumns, subset: IndexArray, degree: int, constant: float
    ) -> None:
        super().__init__(columns, subset)
        block = columns.block(subset).astype(np.float64, copy=False)
        self.base = block @ block.T + constant
        self.degree = degree
        self.gram = self.base**degree

    def changed(self, feature: int, *, removal: bool) -> FloatArray:
        """Gram matrix after one feature is added or removed."""
        own = self.columns.block([feature])
        sign = -1.0 if removal else 1.0
        return (self.base + sign * (own @ own.T)) ** self.degree

    def changes(self, weights: FloatArray, features: IndexArray, *, removal: bool) -> FloatArray:
        """Change of ``sum(weights * gram)`` for each feature, by the binomial expansion."""
        if self.columns.joint.any():
            return super().changes(weights, features, removal=removal)
        sign = -1.0 if removal else 1.0
        changes = np.zeros(len(features))
        categorical = self.columns.categorical[features]
        for q in range(1, self.degree + 1):
            weighted = comb(self.degree, q) * sign**q * weights * self.base ** (self.degree - q)
            for block in self._blocks(np.flatnonzero(~categorical)):
                numbers = self.columns.block(features[block]).astype(np.float64, copy=False)
                changes[block] += quadratic_forms(weighted, numbers**q)
            for position in np.flatnonzero(categorical):
                # Indicators of one category never overlap, so powers of their sum of outer
                # products are sums of outer products of powers.
                levels = self.columns.block([features[position]]) ** q
                changes[position] += quadratic_forms(weighted, levels).sum()
        return changes


def _gaussian_in_place(rate: float, squared: FloatArray) -> FloatArray:
    """Turn squared distances into Gaussian kernel values, overwriting them."""
    squared *= squared.dtype.type(-rate)
    return np.exp(squared, out=squared)


def _groups_by_size(positions: IndexArray, sizes: FloatArray) -> Iterator[IndexArray]:
    """Split positions into groups within which the sizes differ by less than a factor of two."""
    octaves = np.floor(np.log2(np.maximum(sizes, np.finfo(float).tiny)))
    for octave in np.unique(octaves):
        yield positions[octaves == octave]
