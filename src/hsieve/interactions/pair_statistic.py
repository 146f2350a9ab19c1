"""Interaction of two features with the target: the pair statistic and its scores.

For centred kernels K_a, K_b of two features and L of the target,

    I(a, b; y) = <K_a * K_b, L>,

with * elementwise. Each kernel is centred, so for independent features a part f(a) + h(b) of a
column of the target's factor has no share in it: of each column only what the features tell
together counts. Where features depend on each other their own effects leave a trace there; the best
pairs are therefore tested with these projected out (:mod:`hsieve.interactions.tests`).

**Which kernel for numbers.** With the linear kernel the column is y itself, and a sum of effects is
no interaction. A Gaussian kernel has columns that bend: for y = a + b one of them is near y^2, and
that holds the product a b. It sees every way in which the distribution of y depends on a and b
together, also such that users would not call an interaction. So scans take the linear kernel unless
told otherwise, while the path of :class:`hsieve.N3LARS`, which explains the whole kernel of y,
keeps its Gaussian one.

**On a common scale.** Over random orders of y the mean of I is trace(K_a * K_b) trace(L) / n, and
its law is near a sum of k chi-squares, with k the effective number of directions of all three
kernels. The *evidence* of a pair is the exponent of Chernoff's bound on the tail of that law,

    evidence = k/2 (s - 1 - log s),    s = I / mean,

minus the natural logarithm of a p-value, roughly. It makes bits, genotypes, normal and skewed
features comparable; by the plain statistic those with few values come first by chance.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.array_types import FloatArray
from hsieve.data.validation import target_kind_of
from hsieve.interactions.pair_products import PairProducts, WeightedTile
from hsieve.interactions.sweep import SweepTarget
from hsieve.kernels import Delta, Gaussian, centre
from hsieve.kernels.bit_tiles import ClassTarget
from hsieve.kernels.columns import check_finite, check_positions, standardised
from hsieve.kernels.leading_factors import FactorTile
from hsieve.kernels.levels import category_levels
from hsieve.measures.targets import TARGET_KERNELS, heaviest, target_factor
from hsieve.parameters import NONE, integer, word

__all__ = ["InteractionTarget", "PairEvidence", "pair_statistics"]


# A sweep looks at the heaviest columns of the target's factor, with this fraction of its trace.
SWEEP_SHARE = 0.95
# Weights below this fraction of the largest are rounding.
ROUNDING = 1e-13
# From so many pairs times samples on, bits save more seconds than it takes to compile their loop.
WORTH_COMPILING = 10**10


def pair_statistics(
    X: ArrayLike,
    y: Any,
    pairs: ArrayLike,
    *,
    rank: int | None = None,
    categorical: Iterable[int | str] = (),
    target_kind: str = "auto",
    target_kernel: str = "linear",
) -> FloatArray:
    """Compute the interaction statistic I(a, b; y) of some pairs, in double precision.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features, finite numbers.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Classes, numbers or several outputs.
    pairs : array-like of int of shape (n_pairs, 2)
        Positions of the features of each pair.
    rank : int or None, default=None
        Columns kept of each feature's factor; None for all, which makes it exact.
    categorical : iterable of int, default=()
        Features that are categories.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds.
    target_kernel : {"linear", "gaussian"}, default="linear"
        Kernel of numbers, as in :class:`hsieve.InteractionScan`.

    Returns
    -------
    ndarray of shape (n_pairs,)
        <K_a * K_b, L> over the squared number of samples.

    Notes
    -----
    O(n^3) a feature: for a look at few pairs of few samples, and for tests.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import pair_statistics
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> values = pair_statistics(X, X[:, 0] * X[:, 1] > 0, [(0, 1), (0, 2), (1, 2)])
    >>> values.argmax()
    np.int64(0)
    """
    columns = np.asarray(X, dtype=np.float64)
    if columns.ndim != 2 or len(columns) != len(np.asarray(y)):
        msg = (
            "X must be of shape (n_samples, n_features) with one sample for each of y, got "
            f"{columns.shape} and {len(np.asarray(y))} samples of y."
        )
        raise ValueError(msg)
    check_finite(columns)
    (NONE | integer(1)).check("rank", rank)
    word(*TARGET_KERNELS).check("target_kernel", target_kernel)
    chosen = _checked_pairs(pairs, columns.shape[1])
    is_category = np.zeros(columns.shape[1], dtype=bool)
    is_category[check_positions(categorical, columns.shape[1])] = True
    target = _factor_rows(_target_gram(y, target_kind, target_kernel), None)
    rows = {
        int(feature): _factor_rows(_gram(columns[:, feature], category=is_category[feature]), rank)
        for feature in np.unique(chosen)
    }
    products, statistics = PairProducts(), np.empty(len(chosen))
    for place, (a, b) in enumerate(chosen.tolist()):
        first, second = (FactorTile(np.array([f]), rows[f][:, None]) for f in (a, b))
        block = products.block(WeightedTile.of(first, target), second)
        statistics[place] = block.statistics[0, 0]
    return statistics / len(columns) ** 2


@dataclass(frozen=True, eq=False)
class InteractionTarget:
    """The target of a sweep."""

    # (n_columns, n_samples): transposed factor of its centred kernel, orthogonal, the heaviest row
    # first.
    columns: FloatArray

    @classmethod
    def of(cls, y: Any, target_kind: str = "auto", kernel: str = "linear") -> "InteractionTarget":
        """Make the target from classes, numbers or several outputs."""
        # Columns of the factor come with rising weight.
        return cls(np.ascontiguousarray(target_factor(y, target_kind, kernel).T[::-1]))

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.columns.shape[1])

    def leading(self) -> "InteractionTarget":
        """Return the columns that a sweep looks at."""
        return InteractionTarget(heaviest(self.columns[::-1].T, SWEEP_SHARE).T)

    def permuted(self, order: NDArray[np.intp]) -> "InteractionTarget":
        """Return the target with its samples in another order."""
        return InteractionTarget(self.columns[:, order])

    def weights(self) -> FloatArray:
        """Weight of each column."""
        return np.asarray((self.columns**2).sum(axis=1))

    def for_sweep(self, n_pairs: int = 0) -> SweepTarget:
        """Return the target of a sweep that scores pairs by their evidence.

        Where that is a sweep over many pairs, or one of several, features of few values are treated
        as bits.
        """
        rows = self.columns.astype(np.float32)
        by_bits = n_pairs * self.n_samples >= WORTH_COMPILING
        classes = ClassTarget.of(rows) if by_bits else None
        return SweepTarget(rows, self._evidence(), classes=classes)

    def for_sweep_beside(self, rows: FloatArray) -> SweepTarget:
        """Return the target of a sweep for triples that one feature is in.

        Shapes: rows (rank, n_samples).
        """
        alone = self._evidence()
        own = _degrees((rows**2).sum(axis=1))
        scoring = PairEvidence(alone.mean_ratio, own * alone.target_degrees)
        weighted = (self.columns[:, None, :] * rows[None]).reshape(-1, self.n_samples)
        diagonal = (rows**2).sum(axis=0)
        return SweepTarget(weighted.astype(np.float32), scoring, diagonal.astype(np.float32))

    def _evidence(self) -> "PairEvidence":
        weights = self.weights()
        return PairEvidence(float(weights.sum()) / (self.n_samples - 1), _degrees(weights))


@dataclass(frozen=True)
class PairEvidence:
    """Score pairs by their evidence; see the module."""

    # Mean, over random orders of the target, of I(a, b) over the trace of K_a * K_b.
    mean_ratio: float
    target_degrees: float  # effective number of directions of the target's kernel

    def scores(self, ratios: FloatArray, degrees: FloatArray, traces: FloatArray) -> FloatArray:
        """Evidence of pairs, zero for those under the mean."""
        relative = np.maximum(ratios / self.mean_ratio, 1.0)
        return np.asarray(0.5 * self.target_degrees * degrees * (relative - 1.0 - np.log(relative)))

    def least_ratio(self, score: float, degrees: float, trace: float) -> float:
        """Return the ratio at which a pair of so many degrees has this evidence, or a bit less."""
        wanted = 2.0 * score / (self.target_degrees * degrees)
        # Newton's method for x - log(1 + x) = wanted, from below, since that is under x^2 / 2.
        excess = math.sqrt(2.0 * wanted)
        for _ in range(20):
            slope = excess / (1.0 + excess)
            excess += (wanted - excess + math.log1p(excess)) / slope
        return (1.0 + excess) * self.mean_ratio * (1.0 - 1e-6)


def _degrees(weights: FloatArray) -> float:
    """Effective number of directions of a kernel with these weights."""
    return float(weights.sum() ** 2 / (weights**2).sum())


def _checked_pairs(pairs: ArrayLike, n_features: int) -> NDArray[np.intp]:
    """Pairs as an array, if there are such features."""
    chosen = np.asarray(pairs)
    if chosen.ndim != 2 or chosen.shape[1] != 2 or chosen.dtype.kind not in "iu":
        msg = f"pairs must be positions of shape (n_pairs, 2), got {pairs!r}."
        raise ValueError(msg)
    if chosen.size and (chosen.min() < 0 or chosen.max() >= n_features):
        msg = f"pairs must hold positions from 0 to {n_features - 1}, got {pairs!r}."
        raise ValueError(msg)
    return chosen.astype(np.intp)


def _gram(column: FloatArray, *, category: np.bool_) -> FloatArray:
    """Gram matrix of one feature, by the rules of :class:`hsieve.PairwiseHSIC`."""
    if category:
        unlike = category_levels(column).share_of_unlike_pairs
        return Delta(normalised=False).gram(column) / (unlike or 1.0)
    return Gaussian(bandwidth=1.0).gram(standardised(column[:, None], robust=True))


def _target_gram(y: Any, target_kind: str, kernel: str) -> FloatArray:
    """Gram matrix of the target."""
    values = np.asarray(y)
    if target_kind_of(values, target_kind) == "classes":
        return Delta().gram(values)
    outputs = values.astype(np.float64).reshape(len(values), -1)
    check_finite(outputs)
    numbers = standardised(outputs, robust=True)
    if kernel == "linear":
        return np.asarray(numbers @ numbers.T)
    return Gaussian(bandwidth=math.sqrt(outputs.shape[1])).gram(numbers)


def _factor_rows(gram: FloatArray, rank: int | None) -> FloatArray:
    """Transposed factor of a centred Gram matrix, the heaviest rows first."""
    weights, vectors = np.linalg.eigh(centre(gram))
    kept = weights > ROUNDING * weights[-1]
    kept[-1] = True
    rows = (vectors[:, kept] * np.sqrt(np.maximum(weights[kept], 0.0))).T
    return np.asarray(rows[::-1][:rank])
