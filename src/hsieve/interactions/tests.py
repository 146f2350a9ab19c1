"""Do these features act on the target *together*? A test of pairs and triples, one by one.

The factors of the features, multiplied elementwise, span the functions of all of them together, W.
The functions of fewer of them, B, are projected out of W and of the target's factor G: for a pair
the leading directions of either feature and all products of its own columns, for a triple those and
the products of each two. What is left can only come from all of them together. A feature and its
copy leave nothing, whatever they tell about the target, since their products are products of one
feature's own columns; for independent features the projection changes little. The statistic

    |W'G|^2,    W and G orthogonal to B,

is the inner product of two kernels. Over orders of what is left of the target it has a known mean
and variance, and nearly known skewness; the p-value is the tail of a gamma law with these
(:mod:`hsieve.kernels.null_laws`), and the *score* of the features is minus its natural
logarithm.

Cost: O(n b^2) for each pair, with some b = 20 directions.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray, IndexArray
from hsieve.interactions.pair_statistic import InteractionTarget
from hsieve.kernels.factor_store import FactorStore
from hsieve.kernels.leading_factors import leading_rows
from hsieve.kernels.null_laws import (
    MatrixMoments,
    log_gamma_tail,
    log_ratio_tail,
    permutation_law,
    weighted_sum_skewness,
)

# Leading directions of a feature that are projected out at most. So many samples are needed for
# each, and for each column that enters a product.
OWN_DIRECTIONS = 8
SAMPLES_A_DIRECTION = 20
# Own directions with less than this fraction of the heaviest one's weight are rounding.
NEGLIGIBLE = 1e-5
# Keeps the projection stable where directions of two features are the same.
RIDGE = 1e-8
# Two features of a triple that share this much (NHSIC) are one.
COPIES = 0.9
# Features that leave less than this fraction of their product are no more than functions of fewer.
NOTHING_LEFT = 1e-4
# Where the projection leaves no more free samples than this there is nothing to test.
LEAST_FREE = 6
# A product that rests on fewer samples, or on fewer in the part of the target that varies, is not
# tested: as in tables of counts, chance has no smooth law there.
LEAST_CARRIERS = 5.0
LEAST_IN_TARGET = 1.0
# Most memory, unless told otherwise; a fifth of it is for tuples that are treated together, the
# rest for rows kept for tests of other tuples with the same features.
USUAL_BYTES = 80 * 10**6
SHARE_TREATED = 5


@dataclass(frozen=True, eq=False)
class InteractionTests:
    """Tests of some tuples of features, one entry for each."""

    scores: FloatArray  # (n_tuples,): minus the natural logarithm of the p-value
    # (n_tuples,): cosine between the kernel of what only the features together can tell and the
    # target's, from 0 to 1.
    strengths: FloatArray
    own_strengths: FloatArray  # (n_tuples, order): the same for each feature alone

    @classmethod
    def joined(cls, parts: "Sequence[InteractionTests]") -> "InteractionTests":
        """Put tests one after the other."""
        return cls(
            np.concatenate([part.scores for part in parts]),
            np.concatenate([part.strengths for part in parts]),
            np.concatenate([part.own_strengths for part in parts]),
        )

    def take(self, places: IndexArray) -> "InteractionTests":
        """Return some of the tests."""
        return InteractionTests(
            self.scores[places], self.strengths[places], self.own_strengths[places]
        )

    @property
    def own_shares(self) -> FloatArray:
        """Strength of each feature alone as a fraction of theirs and that of them together."""
        total = self.own_strengths.sum(axis=1) + self.strengths
        return np.asarray(self.own_strengths / np.where(total > 0, total, 1.0)[:, None])


class InteractionTester:
    """Test tuples of features against a target."""

    def __init__(
        self, store: FactorStore, most_columns: IndexArray, most_bytes: int | None = None
    ) -> None:
        self._store = store
        self._most_columns = most_columns
        self._numbers = (USUAL_BYTES if most_bytes is None else most_bytes) // 8
        self._kept: dict[int, tuple[FloatArray, FloatArray]] = {}
        self._n_kept = 0

    def test(self, tuples: IndexArray, target: InteractionTarget) -> InteractionTests:
        """Test some tuples.

        Shapes: tuples (n_tuples, order).
        """
        parts = [_tests_of(batch, target) for batch in self._batches(tuples, target)]
        nothing = InteractionTests(np.empty(0), np.empty(0), np.empty((0, tuples.shape[1])))
        return InteractionTests.joined(parts) if parts else nothing

    def log_p_values(self, tuples: IndexArray, target: InteractionTarget) -> FloatArray:
        """Log p-values for a normal target, right far out in the tail where scores are not.

        Shapes: tuples (n_tuples, order).
        """
        logs = [np.empty(0)]
        for batch in self._batches(tuples, target):
            weights = np.linalg.eigvalsh(batch.together @ batch.together.transpose(0, 2, 1))
            of_target = np.linalg.eigvalsh(batch.left @ batch.left.transpose(0, 2, 1))
            total = np.maximum(np.einsum("pri,pri->p", batch.left, batch.left), 1e-300)
            ratios = _inner_products(batch.together, batch.left) / total
            found = log_ratio_tail(ratios, weights, of_target, batch.n_free - 1)
            logs.append(np.where(batch.testable, found, 0.0))
        return np.concatenate(logs)

    def _batches(self, tuples: IndexArray, target: InteractionTarget) -> Iterator["_Projected"]:
        """Give tuples some at a time, as far as the memory goes."""
        n_tuples, order = tuples.shape
        columns = int(self._most_columns[tuples].max(initial=1))
        n_rows = columns**order + 2 * order * (columns**2 + OWN_DIRECTIONS)
        width = max(1, self._numbers // SHARE_TREATED // (n_rows * target.n_samples))
        for start in range(0, n_tuples, width):
            yield self._projected(tuples[start : start + width], target)

    def _projected(self, tuples: IndexArray, target: InteractionTarget) -> "_Projected":
        """Treat tuples together, their factors filled up with zeros to the same rank."""
        self._prepare(np.unique(tuples))
        found = [[self._kept[feature] for feature in members] for members in tuples.tolist()]
        order = tuples.shape[1]
        factors = [_padded([members[i][0] for members in found]) for i in range(order)]
        own = [_padded([members[i][1] for members in found]) for i in range(order)]
        if order == 3:
            own += [_products(factors[:i] + factors[i + 1 :]) for i in range(order)]
        together = _products(factors)
        before = np.einsum("pri,pri->p", together, together)
        basis = _Basis(np.concatenate(own, axis=1))
        together = basis.project_out(together)
        left = basis.project_out(
            np.broadcast_to(target.columns, (len(tuples), *target.columns.shape))
        )
        n_free = target.n_samples - basis.size
        testable = n_free > LEAST_FREE
        n_free = np.where(testable, n_free, LEAST_FREE)
        kernel, rest = MatrixMoments.of_rows(together, n_free), MatrixMoments.of_rows(left, n_free)
        testable &= kernel.trace > NOTHING_LEFT * before
        testable &= _rests_on_enough(kernel, rest, target.n_samples)
        if order == 3:
            testable &= ~_with_copies(factors)
        return _Projected(factors, together, left, n_free, testable, kernel, rest)

    def _prepare(self, features: IndexArray) -> None:
        """Make the rows of features that are not kept."""
        if self._n_kept > self._numbers - self._numbers // SHARE_TREATED:
            self._kept.clear()
            self._n_kept = 0
        missing = np.array([f for f in features.tolist() if f not in self._kept], dtype=np.intp)
        for group in self._store.groups(missing):
            ends = [*group.starts[1:], len(group.rows)]
            for place, start, end in zip(group.places, group.starts, ends, strict=True):
                self._keep(int(missing[place]), group.rows[start:end].astype(np.float64))

    def _keep(self, feature: int, factor: FloatArray) -> None:
        """Keep leading rows of a feature's factor, and orthonormal rows of its own effect."""
        n_samples = factor.shape[1]
        n_allowed = max(1, n_samples // SAMPLES_A_DIRECTION)
        most = min(int(self._most_columns[feature]), n_allowed)
        rows = leading_rows(factor, max(most, min(OWN_DIRECTIONS, n_allowed)))
        own = _own_directions(rows, most)
        # A copy, because a part would hold on to the whole.
        self._kept[feature] = (rows[:most].copy(), own)
        self._n_kept += (most + len(own)) * n_samples


@dataclass(frozen=True, eq=False)
class _Projected:
    """A batch of tuples with what fewer of their features tell projected out."""

    # (n_tuples, rank, n_samples): factors of the first, second, ... feature of each tuple.
    factors: list[FloatArray]
    # (n_tuples, n_rows, n_samples): products of the factors, and the target, both projected.
    together: FloatArray
    left: FloatArray  # (n_tuples, n_rows, n_samples)
    n_free: FloatArray  # (n_tuples,): number of directions that are left
    testable: NDArray[np.bool_]  # (n_tuples,): whether enough is left of both to test
    kernel: MatrixMoments  # moments of the kernels of `together` and `left`
    rest: MatrixMoments


def _tests_of(batch: _Projected, target: InteractionTarget) -> InteractionTests:
    """Test a batch by the gamma law of its moments."""
    statistics = _inner_products(batch.together, batch.left)
    law = permutation_law(batch.kernel, batch.rest)
    skewness = weighted_sum_skewness(batch.kernel, batch.rest)
    # Zero less zero, so that a chance of one is not written as -0.
    scores = 0.0 - log_gamma_tail(statistics, *law, skewness)
    own_strengths = [_strengths(rows, target.columns) for rows in batch.factors]
    return InteractionTests(
        np.where(batch.testable, scores, 0.0),
        np.where(batch.testable, _strengths(batch.together, target.columns), 0.0),
        np.stack(own_strengths, axis=1),
    )


class _Basis:
    """Directions to project out, for each tuple of a batch."""

    def __init__(self, rows: FloatArray) -> None:
        norms = np.linalg.norm(rows, axis=2, keepdims=True)
        self._rows = rows / np.where(norms > 0, norms, 1.0)
        gram = np.matmul(self._rows, self._rows.transpose(0, 2, 1))
        ridge = RIDGE * gram.shape[1] * np.eye(gram.shape[1])
        self._inverse = np.linalg.inv(gram + ridge)
        # Trace of the projection: the number of directions that are really there.
        self.size = np.einsum("pij,pji->p", self._inverse, gram)

    def project_out(self, rows: FloatArray) -> FloatArray:
        """Return rows without their part in the basis."""
        inner = np.matmul(rows, self._rows.transpose(0, 2, 1))
        return np.asarray(rows - np.matmul(np.matmul(inner, self._inverse), self._rows))


def _own_directions(rows: FloatArray, n_columns: int) -> FloatArray:
    """Orthonormal rows that span some rows of a factor and all products of its first columns."""
    i, j = np.triu_indices(min(n_columns, len(rows)))
    products = rows[i] * rows[j]
    spanning = np.concatenate([rows, products - products.mean(axis=1, keepdims=True)])
    norms = np.linalg.norm(spanning, axis=1, keepdims=True)
    # Lighter rows are mostly rounding of single precision: with norm one they would point anywhere.
    something = norms[:, 0] ** 2 > NEGLIGIBLE * norms.max() ** 2
    spanning = leading_rows(spanning[something] / norms[something], int(something.sum()))
    weights = np.einsum("ri,ri->r", spanning, spanning)
    kept = weights > NEGLIGIBLE * weights[0]
    return np.asarray(spanning[kept] / np.sqrt(weights[kept, None]))


def _rests_on_enough(
    kernel: MatrixMoments, rest: MatrixMoments, n_samples: int
) -> NDArray[np.bool_]:
    """Mark tuples whose product, and what it shares with the target, rest on enough samples."""
    carriers, of_target = (
        np.asarray(part.trace) ** 2 / np.maximum(np.asarray(part.squared_diagonal), 1e-300)
        for part in (kernel, rest)
    )
    enough = carriers * of_target >= LEAST_IN_TARGET * n_samples
    return np.asarray(enough & (carriers >= LEAST_CARRIERS))


def _with_copies(factors: Sequence[FloatArray]) -> NDArray[np.bool_]:
    """Mark tuples in which one feature nearly repeats another."""
    norms = [np.sqrt(_inner_products(rows, rows)) for rows in factors]
    copied = np.zeros(len(factors[0]), dtype=bool)
    for i, j in itertools.combinations(range(len(factors)), 2):
        shared = _inner_products(factors[i], factors[j])
        copied |= shared > COPIES * norms[i] * norms[j]
    return copied


def _padded(rows: Sequence[FloatArray]) -> FloatArray:
    """Stack rows of several features, filled up with rows of zeros."""
    most = max(map(len, rows))
    stacked = np.zeros((len(rows), most, rows[0].shape[1]))
    for place, of_feature in enumerate(rows):
        stacked[place, : len(of_feature)] = of_feature
    return stacked


def _products(factors: Sequence[FloatArray]) -> FloatArray:
    """Centred products of one row of each factor, for all combinations of rows."""
    product = factors[0]
    for factor in factors[1:]:
        product = product[:, :, None, :] * factor[:, None, :, :]
        product = product.reshape(len(product), -1, product.shape[-1])
    return np.asarray(product - product.mean(axis=2, keepdims=True))


def _inner_products(rows: FloatArray, others: FloatArray) -> FloatArray:
    """Inner products of the kernels that two sets of rows make."""
    cross = np.matmul(rows, np.swapaxes(others, -1, -2))
    return np.asarray(np.einsum("pij,pij->p", cross, cross))


def _strengths(rows: FloatArray, target: FloatArray) -> FloatArray:
    """Cosine between kernels made of rows and that of the target."""
    own = np.sqrt(_inner_products(rows, rows)) * np.linalg.norm(target @ target.T)
    return np.asarray(_inner_products(rows, target) / np.where(own > 0, own, 1.0))
