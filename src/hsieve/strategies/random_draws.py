"""Random draws of a randomised search: samples and sets of features, one round at a time.

Every round has a generator of its own, made from the seed and the place of the round, so a draw
does not depend on who makes it or when.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from hsieve.array_types import IndexArray

# Fewer samples, or fewer features in a set that is not a half, tell nothing.
MIN_SUBSAMPLE = 8
MIN_SET = 8


@dataclass(frozen=True, eq=False)
class Draw:
    """What one round looks at."""

    samples: IndexArray  # (n_drawn,): the subsample
    chosen: IndexArray  # the random set and its complement; fixed features are in both
    others: IndexArray


@dataclass(frozen=True, eq=False)
class Sampler:
    """Source of draws."""

    groups: tuple[IndexArray, ...]  # samples of each group that is drawn from
    n_drawn: tuple[int, ...]  # how many samples are drawn from each
    share_of_features: float  # size of the random sets
    seed: int  # seed of all rounds

    @classmethod
    def over(
        cls, group_of_sample: IndexArray, subsample: float, share_of_features: float, seed: int
    ) -> Self:
        """Make a sampler that draws equally many samples from each group, as far as there are."""
        n_samples, n_groups = len(group_of_sample), int(group_of_sample.max()) + 1
        if 1 < n_samples < 2 * n_groups:
            msg = (
                f"balanced=True needs classes, but the target holds {n_groups} different values "
                f"among {n_samples} samples."
            )
            raise ValueError(msg)
        wanted = subsample * n_samples if subsample <= 1 else subsample
        total = min(n_samples, max(MIN_SUBSAMPLE, int(wanted)))
        groups = tuple(np.flatnonzero(group_of_sample == group) for group in range(n_groups))
        n_drawn = tuple(min(len(group), -(-total // n_groups)) for group in groups)
        return cls(groups, n_drawn, share_of_features, seed)

    def draw(self, iteration: int, position: int, n_free: int, n_members: int) -> Draw:
        """Draw samples and features for one round."""
        seeds = np.random.SeedSequence(self.seed, spawn_key=(iteration, position))
        rng = np.random.default_rng(seeds)
        samples = np.concatenate(
            [
                rng.choice(group, n, replace=False)
                for group, n in zip(self.groups, self.n_drawn, strict=True)
            ]
        )
        order = rng.permutation(n_free)
        size = self._set_size(rng, n_free)
        fixed = np.arange(n_free, n_members)
        chosen, others = (
            np.concatenate([np.sort(part), fixed]) for part in (order[:size], order[size:])
        )
        return Draw(np.sort(samples), chosen, others)

    def share_in(self, n_free: int) -> float:
        """Fraction of the free features that a set holds, on average."""
        return self._size(n_free, n_free / 2) / n_free

    def _set_size(self, rng: np.random.Generator, n_free: int) -> int:
        """Size of the random set; of an odd number of features either half is taken as often."""
        return int(self._size(n_free, max((n_free + int(rng.integers(2))) // 2, 1)))

    def _size(self, n_free: int, half: float) -> float:
        """Size of a set, no smaller than is telling and no larger than a half."""
        size = max(round(self.share_of_features * n_free), MIN_SET)
        return half if self.share_of_features == 0.5 else min(size, half)
