"""Factors made from the numbers of a feature themselves.

Landmark factors, right to 5e-5 an entry; exact ones for features of few values and categories.
Factors that are asked for by name are kept as far as the memory allows, the others are made again
each time.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray, IndexArray
from hsieve.kernels.columns import slices, standardised
from hsieve.kernels.factor_store import (
    USUAL_RANK,
    AnyStack,
    FactorGroup,
    FactorStore,
    Products,
    Stack,
)
from hsieve.kernels.levels import category_levels, few_valued, few_valued_factors
from hsieve.kernels.low_rank import landmark_factors

# Where nobody names a limit, factors that are kept for further passes over all features.
UNLIMITED = 2**62
KEPT_BYTES = 5 * 10**8
# Fewest kept features multiplied at once: many more would be copied through memory.
KEPT_AT_ONCE = 16
# Numbers treated together, of columns or of factors: 4 MB. Fewer stay in a smaller cache, but calls
# of NumPy then take longer than their work.
BATCH_NUMBERS = 1_048_576


class DenseFactors(FactorStore):
    """Factors from the numbers themselves; see the module."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._kept: dict[int, tuple[FloatArray, float]] = {}
        self._has_more_room = False

    def rows(self, feature: int) -> tuple[FloatArray, float]:
        """Transposed factor of one feature, and the norm of its kernel."""
        if feature not in self._kept:
            (group,) = self._groups(np.array([feature]), np.zeros(1, dtype=np.intp))
            if not self._keep(np.array([feature]), group):
                return group.rows, float(group.norms[0])
        return self._kept[feature]

    def products_again(self, features: IndexArray, stack: AnyStack) -> Iterator[Products]:
        """Multiply features that were all met before; their factors are kept if they may be."""
        if self._work_bytes >= UNLIMITED and not self._has_more_room:
            self._room += KEPT_BYTES
            self._has_more_room = True
        yield from super().products_again(features, stack)

    def _products_here(self, features: IndexArray, stack: AnyStack) -> Iterator[Products]:
        """Multiply some features; those asked for before come from memory, as far as it goes."""
        assert isinstance(stack, Stack)
        new = np.array([p for p, feature in enumerate(features) if int(feature) not in self._kept])
        new = new.astype(np.intp)
        width = max(1, self._block_bytes // (self.n_samples * self._blocks.dtype.itemsize))
        for start in range(0, len(new), width):
            chosen = new[start : start + width]
            for group in self._groups(features[chosen], chosen):
                if not self._keep(features[group.places], group):
                    yield group.times(stack)
        kept = [p for p, feature in enumerate(features) if int(feature) in self._kept]
        at_once = max(KEPT_AT_ONCE, BATCH_NUMBERS // (USUAL_RANK * self.n_samples))
        for part in slices(len(kept), at_once):
            yield _joined(kept[part], [self._kept[int(features[p])] for p in kept[part]]).times(
                stack
            )

    def _keep(self, features: IndexArray, group: FactorGroup) -> bool:
        """Remember the factors of a group, if there is room for them."""
        if group.rows.nbytes > self._room:
            return False
        self._room -= group.rows.nbytes
        ends = [*group.starts[1:], len(group.rows)]
        for feature, first, last, norm in zip(
            features, group.starts, ends, group.norms, strict=True
        ):
            self._kept[int(feature)] = (group.rows[first:last], float(norm))
        return True

    def _groups(self, features: IndexArray, places: IndexArray) -> Iterator[FactorGroup]:
        numbers = self._blocks.read(features)
        categorical = self._categorical[features]
        for place in np.flatnonzero(categorical):
            levels = category_levels(numbers[:, place], self._sample_weight)
            factor = levels.table()[levels.codes]
            yield self._group_of_factors(places[[place]], factor[None])
        if categorical.any():
            numbers, places = numbers[:, ~categorical], places[~categorical]
        for part in slices(len(places), BATCH_NUMBERS // self.n_samples):
            yield from self._numeric_groups(numbers[:, part], places[part])

    def _numeric_groups(self, numbers: FloatArray, places: IndexArray) -> Iterator[FactorGroup]:
        if self._sample_weight is not None:
            numbers = numbers.astype(np.float64)
        numbers = standardised(numbers, robust=True, sample_weight=self._sample_weight)
        few = few_valued(numbers)
        for kind, make in ((few, few_valued_factors), (~few, landmark_factors)):
            chosen = np.flatnonzero(kind)
            for part in slices(len(chosen), BATCH_NUMBERS // (USUAL_RANK * self.n_samples)):
                for group, factors in make(numbers[:, chosen[part]], self.precision):
                    yield self._group_of_factors(places[chosen[part][group]], factors)

    def _group_of_factors(self, places: IndexArray, factors: FloatArray) -> FactorGroup:
        """Stack factors of equal rank, of shape (n_group, n_samples, rank)."""
        n_group, n_samples, rank = factors.shape
        if not rank:
            zero = np.zeros((n_group, n_samples), dtype=self.precision)
            return FactorGroup(places, zero, np.arange(n_group), np.zeros(n_group))
        if self._sample_weight is not None:
            factors = weighted_factor(factors, self._sample_weight)
        rows = np.ascontiguousarray(factors.transpose(0, 2, 1), dtype=self.precision)
        starts = np.arange(0, n_group * rank, rank)
        return FactorGroup(places, rows.reshape(-1, n_samples), starts, _gram_norms(rows))


class GroupFactors(DenseFactors):
    """Factors of groups of features, whose kernel is the sum of those of the members.

    The sum sees what each member does, whatever the others: a kernel on all members together would
    need many more samples. It is divided by the root of their number, so that a large group of
    independent features weighs no more than one feature.
    """

    def __init__(self, *args: Any, members: Sequence[IndexArray], **options: Any) -> None:
        super().__init__(*args, **options)
        self._members = members

    @property
    def n_features(self) -> int:
        """Number of groups."""
        return len(self._members)

    def expect(self, features: IndexArray) -> None:
        """Do nothing: columns are of this machine."""

    def products_of_all(self, stack: AnyStack) -> Iterator[Products]:
        """Multiply all groups with a stack."""
        yield from self.multiplied(np.arange(self.n_features), stack)

    def products_again(self, features: IndexArray, stack: AnyStack) -> Iterator[Products]:
        """Multiply groups that were all met before."""
        yield from self.products(features, stack)

    def _has_room_for(self, features: IndexArray) -> NDArray[np.bool_]:
        return np.ones(len(features), dtype=bool)

    def _groups(self, features: IndexArray, places: IndexArray) -> Iterator[FactorGroup]:
        for feature, place in zip(features, places, strict=True):
            members = self._members[feature]
            parts: dict[int, FloatArray] = {}
            for group in super()._groups(members, np.arange(len(members))):
                ends = [*group.starts[1:], len(group.rows)]
                for member, first, last in zip(group.places, group.starts, ends, strict=True):
                    parts[int(member)] = group.rows[first:last]
            rows = np.concatenate([parts[member] for member in range(len(members))])
            rows /= rows.dtype.type(len(members) ** 0.25)
            start = np.zeros(1, dtype=np.intp)
            yield FactorGroup(np.array([place]), rows, start, _gram_norms(rows[None]))


def weighted_factor(factor: FloatArray, sample_weight: FloatArray) -> FloatArray:
    """Centre a factor by weighted means, and multiply each row by the root of its weight.

    Products of such factors are what those of plain factors are where each sample stands there as
    often as its weight says.

    Shape: (..., n_samples, rank).
    """
    roots = np.sqrt(sample_weight)[:, None]
    shares = sample_weight / sample_weight.sum()
    means = np.matmul(shares, factor)[..., None, :]
    return np.asarray((factor - means) * roots)


def _joined(places: list[int], factors: list[tuple[FloatArray, float]]) -> FactorGroup:
    """Make one group of the factors of single features."""
    starts = np.cumsum([0, *(len(rows) for rows, _ in factors[:-1])])
    rows = np.concatenate([rows for rows, _ in factors])
    norms = np.array([norm for _, norm in factors])
    return FactorGroup(np.array(places, dtype=np.intp), rows, starts, norms)


def _gram_norms(rows: FloatArray) -> FloatArray:
    """Frobenius norms of FF', one for each matrix of the stack."""
    # Two products of different blocks: given a matrix and its own transpose, NumPy calls a routine
    # that is several times slower for matrices as wide as these.
    transposed = rows.transpose(0, 2, 1)
    halves = (np.matmul(rows[:, :1], transposed), np.matmul(rows[:, 1:], transposed))
    squares = [np.einsum("fij,fij->f", half, half, dtype=np.float64) for half in halves]
    return np.asarray(np.sqrt(squares[0] + squares[1]))
