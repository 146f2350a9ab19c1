"""Features and pairs of features side by side, as atoms of one non-negative lasso.

The elementwise product of two centred kernels, centred once more, is positive semi-definite, so it
can join the kernels of single features wherever all that is asked for are inner products:
its relevance is the interaction statistic I(a, b; y), and inner products of atoms are never
negative, on which the exact bound of :mod:`hsieve.solvers.nonnegative_lars` rests. Of all pairs
only those with the highest relevance are kept, and how relevant any other can be at most: as long
as a path stays above that level, it is the path over all of them.

**Scale.** With NHSIC single kernels have norm one. The norm of a product would cost n r^4 for every
pair. Its trace costs n, and its norm is the trace over the square root of the number of directions
k_a k_b if the features are unrelated; so a product is divided by

    trace(K_a * K_b) / sqrt(k_a k_b),    k = trace(K)^2 / |K|^2,

which is its norm for unrelated features and more where few samples carry it. With plain HSIC
products are taken as they are. But there are many more pairs than features, and the best of many
rises higher by chance. So all products are also divided by one number: the relevance that the best
of so many pairs exceeds by chance in one data set of a thousand, over that which the best of so
many single features exceeds in every other, both by the law of a weighted sum of chi-squares for a
feature of median weights. Products have longer tails than that law, so that in truth, without any
effect some 5 % of data sets have a pair before all features.

A product is made of the r = 3 leading columns of each feature's factor, and its relevance of the
leading columns of the target's, with 99 % of its trace.

Cost: one sweep over all pairs; O(n r^4) for each inner product of two pairs that is asked for.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.array_types import FloatArray, IndexArray
from hsieve.interactions.sweep import PairScoring, SweepTarget, pairs_among, strongest_pairs
from hsieve.kernels.factor_store import FactorGroup, Stack
from hsieve.kernels.leading_factors import LeadingFactors
from hsieve.kernels.null_laws import MatrixMoments, gamma_quantile, weighted_sum_skewness
from hsieve.measures.base import SINGLE_PRECISION, PairwiseBoundMeasure
from hsieve.measures.pairwise import BoundPairwiseHSIC
from hsieve.measures.targets import heaviest

# Columns of each feature's factor that enter a product; categories have more.
PAIR_RANK = 3
# Numbers of product rows made together.
BATCH_NUMBERS = 1_000_000
# How often the best pair, and the best single feature, exceed by chance what scales pairs.
SELDOM = 0.001
OFTEN = 0.5
# Fraction of the trace of the target's kernel that pairs are held against.
TARGET_SHARE = 0.99


@dataclass(frozen=True)
class _NormalisedRelevance:
    """Relevance of pairs with the scale of the module, to a target kernel of this norm."""

    target_norm: float

    def scores(self, ratios: FloatArray, degrees: FloatArray, traces: FloatArray) -> FloatArray:
        return np.asarray(ratios * np.sqrt(degrees) / self.target_norm)

    def least_ratio(self, score: float, degrees: float, trace: float) -> float:
        return score * self.target_norm / math.sqrt(degrees) * (1.0 - 1e-6)


@dataclass(frozen=True)
class _PlainRelevance:
    """Relevance of pairs as they are."""

    def scores(self, ratios: FloatArray, degrees: FloatArray, traces: FloatArray) -> FloatArray:
        return np.asarray(ratios * traces)

    def least_ratio(self, score: float, degrees: float, trace: float) -> float:
        return score / max(trace, 1e-300) * (1.0 - 1e-6)


@dataclass(frozen=True, eq=False)
class BoundPairAtoms(PairwiseBoundMeasure):
    """Pairwise statistics over features, numbered first, and pairs of them, numbered after."""

    rounding: ClassVar[float] = SINGLE_PRECISION

    singles: BoundPairwiseHSIC
    pairs: IndexArray  # (n_pairs, 2): features of each pair kept, the most relevant first
    # (n_pairs,): relevance of each pair, and what its kernel is divided by.
    pair_relevance: FloatArray
    pair_norms: FloatArray  # (n_pairs,)
    ceiling: float  # no pair that was not kept is more relevant than this
    factors: LeadingFactors = field(repr=False)  # factors of the features that enter products
    _ranks: IndexArray = field(repr=False)

    @property
    def n_features(self) -> int:  # type: ignore[override]
        """Number of atoms."""
        return self.singles.n_features + len(self.pairs)

    @property
    def worthwhile_entries(self) -> int:
        """How many redundancies take about as long as asking for them does."""
        return self.singles.worthwhile_entries

    def relevance(self, features: ArrayLike) -> FloatArray:
        """Dependence of each atom on the target."""
        atoms = np.asarray(features, dtype=np.intp)
        everything = self.singles.relevance(np.arange(self.singles.n_features))
        return np.asarray(np.concatenate([everything, self.pair_relevance])[atoms])

    def redundancy(self, features: ArrayLike, active: ArrayLike) -> FloatArray:
        """Dependence between atoms, of shape (n_features, n_active)."""
        rows, columns = np.asarray(features, dtype=np.intp), np.asarray(active, dtype=np.intp)
        n_singles = self.singles.n_features
        if max(rows.max(initial=0), columns.max(initial=0)) < n_singles:
            return self.singles.redundancy(rows, columns)
        found, stack = np.empty((len(rows), len(columns))), self._stack(columns)
        single, pair = np.flatnonzero(rows < n_singles), np.flatnonzero(rows >= n_singles)
        for products in self.singles.store.products(self.singles.columns[rows[single]], stack):
            found[single[products.places]] = products.squares
        for group in self._groups(rows[pair]):
            products = group.times(stack)
            found[pair[products.places]] = products.squares
        return found / np.outer(self._norms(rows), self._norms(columns))

    def self_redundancy(self, features: ArrayLike) -> FloatArray:
        """Redundancy of each atom with itself."""
        atoms = np.asarray(features, dtype=np.intp)
        n_singles = self.singles.n_features
        own = np.empty(len(atoms))
        is_pair = atoms >= n_singles
        own[~is_pair] = self.singles.self_redundancy(atoms[~is_pair])
        places = np.flatnonzero(is_pair)
        for group in self._groups(atoms[places]):
            own[places[group.places]] = group.norms**2
        own[places] /= self._norms(atoms[places]) ** 2
        return own

    def _norms(self, atoms: IndexArray) -> FloatArray:
        """Norms that the kernels of atoms are divided by."""
        n_singles = self.singles.n_features
        norms = np.ones(len(atoms))
        is_pair = atoms >= n_singles
        norms[is_pair] = self.pair_norms[atoms[is_pair] - n_singles]
        if self.singles.normalised:
            of_single = self.singles.norms[self.singles.columns[atoms[~is_pair]]]
            norms[~is_pair] = np.where(of_single > 0, of_single, 1.0)
        return norms

    def _stack(self, atoms: IndexArray) -> Stack:
        """Stack the factors of some atoms, one below the other."""
        n_singles = self.singles.n_features
        rows = [
            self.singles.store.rows(int(self.singles.columns[atom]))[0]
            if atom < n_singles
            else self._product_rows(np.array([atom])).reshape(-1, self.singles.store.n_samples)
            for atom in atoms.tolist()
        ]
        lengths = np.array([len(of_atom) for of_atom in rows])
        return Stack(np.concatenate(rows), np.cumsum(lengths) - lengths)

    def _groups(self, atoms: IndexArray) -> Iterator[FactorGroup]:
        """Make the factors of pairs, some at a time; places count along `atoms`."""
        n_samples = self.singles.store.n_samples
        columns = self.singles.columns[self.pairs[atoms - self.singles.n_features]]
        ranks = self._ranks[columns]
        for first, second in sorted(set(map(tuple, ranks.tolist()))):
            same = np.flatnonzero((ranks == (first, second)).all(axis=1))
            n_rows = first * second
            width = max(1, BATCH_NUMBERS // (n_rows * n_samples))
            for start in range(0, len(same), width):
                places = same[start : start + width]
                rows = self._product_rows(atoms[places])
                gram = np.matmul(rows, rows.transpose(0, 2, 1).copy())
                norms = np.linalg.norm(gram, axis=(1, 2))
                starts = np.arange(0, len(places) * n_rows, n_rows)
                yield FactorGroup(places, rows.reshape(-1, n_samples), starts, norms)

    def _product_rows(self, atoms: IndexArray) -> NDArray[np.float32]:
        """Transposed, centred factors of the products of two kernels, of pairs of equal ranks."""
        columns = self.singles.columns[self.pairs[atoms - self.singles.n_features]]
        first = np.stack([self.factors.rows(int(column)) for column in columns[:, 0]])
        second = np.stack([self.factors.rows(int(column)) for column in columns[:, 1]])
        rows = (first[:, :, None] * second[:, None]).reshape(len(atoms), -1, first.shape[2])
        rows -= rows.mean(axis=2, keepdims=True)
        return np.asarray(rows, dtype=np.float32)


def with_pairs(singles: BoundPairwiseHSIC, n_kept: int, barred: IndexArray) -> BoundPairAtoms:
    """Look at all pairs of features and put the most relevant beside the single features."""
    store = singles.store
    allowed = np.setdiff1d(np.arange(singles.n_features), barred)
    columns = np.sort(singles.columns[allowed])
    factors = LeadingFactors.of(store, columns, PAIR_RANK, singles.tile_bytes)
    scoring = _scoring(singles)
    target = heaviest(singles.target, TARGET_SHARE)
    found = strongest_pairs(factors, _sweep_target(target, scoring), n_kept=n_kept)
    position = np.empty(store.n_features, dtype=np.intp)
    position[singles.columns] = np.arange(singles.n_features)
    ranks, degrees = _ranks_and_degrees(factors)
    times = _times_as_relevant_by_chance(factors, target, normalised=singles.normalised)
    norms = np.full(len(found.features), times)
    scores = found.scores / norms
    if singles.normalised:
        norms *= found.traces / np.sqrt(degrees[found.features].prod(axis=1))
    is_cut = len(found.features) < pairs_among(len(factors.features))
    return BoundPairAtoms(
        singles=singles,
        pairs=np.sort(position[found.features], axis=1),
        pair_relevance=scores,
        pair_norms=norms,
        ceiling=float(scores[-1]) if is_cut and len(scores) else 0.0,
        factors=factors,
        _ranks=ranks,
    )


def _scoring(singles: BoundPairwiseHSIC) -> PairScoring:
    """Relevance before all pairs are divided by the same number."""
    if not singles.normalised:
        return _PlainRelevance()
    return _NormalisedRelevance(float(np.linalg.norm(singles.target.T @ singles.target)))


def _sweep_target(target: FloatArray, scoring: PairScoring) -> SweepTarget:
    return SweepTarget(np.ascontiguousarray(target.T, dtype=np.float32), scoring)


def _times_as_relevant_by_chance(
    factors: LeadingFactors, target: FloatArray, *, normalised: bool
) -> float:
    """How many times as relevant as the best feature the best pair is by chance."""
    n_samples, n_features = factors.store.n_samples, len(factors.features)
    single = np.median(_power_sums(factors), axis=0)
    # Eigenvalues of a product of kernels are, for unrelated features, products of theirs over n.
    pair = single**2 / n_samples ** np.array([1.0, 2.0, 3.0])
    of_target = ((target**2).sum(axis=0)[:, None] ** np.array([1, 2, 3])).sum(axis=0)
    if single[1] <= 0:
        return 1.0
    best_single = _exceeded(single, of_target, n_samples, OFTEN / n_features)
    best_pair = _exceeded(pair, of_target, n_samples, SELDOM / max(pairs_among(n_features), 1))
    if normalised:
        best_single /= math.sqrt(single[1])
        best_pair /= math.sqrt(pair[1])
    return best_pair / best_single


def _exceeded(kernel: FloatArray, target: FloatArray, n_samples: int, chance: float) -> float:
    """Statistic that a kernel has by chance, from sums of powers of its weights and the target's.

    Over orders of the samples it is near a sum of chi-squares, weighted by products of weights
    over n.
    """
    moments = [
        MatrixMoments(
            trace=sums[0], squares=sums[1], cubes=sums[2], squared_diagonal=0.0, n=n_samples
        )
        for sums in (kernel, target)
    ]
    first, second, _ = kernel * target
    return gamma_quantile(
        min(chance, 1.0),
        float(first) / n_samples,
        2.0 * float(second) / n_samples**2,
        float(weighted_sum_skewness(*moments)),
    )


def _power_sums(factors: LeadingFactors) -> FloatArray:
    """Sum the first, second and third powers of each kernel's weights."""
    sums = []
    for piece in factors.pieces:
        for tile in factors.tiles(piece):
            weights = np.einsum("rts,rts->rt", tile.rows, tile.rows, dtype=np.float64)
            sums.append(np.stack([(weights**power).sum(axis=0) for power in (1, 2, 3)], axis=1))
    return np.concatenate(sums) if sums else np.zeros((1, 3))


def _ranks_and_degrees(factors: LeadingFactors) -> tuple[IndexArray, FloatArray]:
    """Count the columns, and the effective directions, of each feature's factor."""
    n_features = factors.store.n_features
    ranks, degrees = np.zeros(n_features, dtype=np.intp), np.ones(n_features)
    for piece in factors.pieces:
        for tile in factors.tiles(piece):
            ranks[tile.features], degrees[tile.features] = tile.rank, tile.degrees
    return ranks, degrees
