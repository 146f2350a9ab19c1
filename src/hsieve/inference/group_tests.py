"""Orders of the samples under which groups such as donors stay together.

Samples of one donor are alike, so that 4,000 cells of 20 donors are far from 4,000 independent
samples. Two designs are told apart by the target:

between groups   the target is the same within each group, such as the treatment of a donor: whole
                 groups change places
within groups    it differs within groups, such as treated and untreated cells of each donor: only
                 samples of one group change places, so that what differs between groups plays no
                 part

The level holds if groups are independent and, between groups, which of them get which target does
not depend on their sizes; within groups, if samples of a group are exchangeable.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.array_types import FloatArray, IndexArray

__all__ = ["GroupOrders", "target_is_between"]

FEWEST_GROUPS = 2


def target_is_between(y: NDArray[Any], codes: IndexArray, firsts: IndexArray) -> bool:
    """Say whether a target is the same within each group."""
    return bool(np.all(y == y[firsts][codes]))


@dataclass(frozen=True, eq=False)
class GroupOrders:
    """Which samples may take whose target.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        Group of each sample, from 0.
    firsts : ndarray of shape (n_groups,)
        A sample of each group.
    between : bool
        Whether whole groups change places.
    """

    codes: IndexArray
    firsts: IndexArray
    between: bool

    @classmethod
    def of(cls, groups: ArrayLike, y: NDArray[Any]) -> Self:
        """Find the design that groups and target have."""
        _, firsts, codes = np.unique(np.asarray(groups), return_index=True, return_inverse=True)
        codes = codes.reshape(-1)
        if len(codes) != len(y):
            msg = f"groups must be one for each of {len(y)} samples, got {len(codes)}."
            raise ValueError(msg)
        if len(firsts) < FEWEST_GROUPS:
            msg = "groups holds a single group; at least two are needed."
            raise ValueError(msg)
        return cls(codes, firsts, target_is_between(y, codes, firsts))

    def draw(self, rng: np.random.Generator) -> IndexArray:
        """Draw for each sample the one whose target it takes."""
        if self.between:
            return np.asarray(self.firsts[rng.permutation(len(self.firsts))][self.codes])
        order = np.empty(len(self.codes), dtype=np.intp)
        order[np.argsort(self.codes, kind="stable")] = np.lexsort(
            (rng.random(len(self.codes)), self.codes)
        )
        return order

    def p_values(
        self,
        factors: Sequence[FloatArray],
        target: FloatArray,
        n_permutations: int,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Chance of squared norms of F'E as large for features, with factors F, in such orders.

        Parameters
        ----------
        factors : list of ndarray of shape (rank, n_samples)
            Transposed factors of the centred kernels of the features.
        target : ndarray of shape (n_samples, rank)
            Factor of the target's kernel.
        n_permutations : int
            Number of orders, the same for all features.
        rng : Generator
            Source of the orders.
        """
        if self.between:  # sums over groups tell all
            membership = np.eye(len(self.firsts))[self.codes]
            factors = [rows @ membership for rows in factors]
            target = target[self.firsts]
        whole = type(self)(np.arange(len(target)), np.arange(len(target)), self.between)
        drawn = whole if self.between else self
        least = np.array([np.sum((rows @ target) ** 2) for rows in factors]) * (1 - 1e-9)
        n_as_large = np.zeros(len(factors))
        for _ in range(n_permutations):
            moved = target[drawn.draw(rng)]
            n_as_large += [
                np.sum((rows @ moved) ** 2) >= low for rows, low in zip(factors, least, strict=True)
            ]
        return np.asarray((1 + n_as_large) / (n_permutations + 1))
