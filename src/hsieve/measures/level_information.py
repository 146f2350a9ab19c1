"""Mutual information of levels: plug-in estimates from counts of pairs of levels.

The estimate is sums of c log c over the counts c of pairs of levels, and the counts of many pairs
are one product of indicator matrices (:mod:`hsieve.measures.level_codes`). Relevance is known
from one pass over the columns; redundancies are worked out for the pairs asked for only, from codes
that are kept or fetched (:mod:`hsieve.measures.level_codes`).

Cost: one pass over the features, and O(n L^2) for each pair of L levels, in BLAS.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data.columns import ColumnBlocks
from hsieve.measures.base import PairwiseBoundMeasure
from hsieve.measures.level_codes import (
    Coding,
    Indicators,
    LevelCodes,
    LevelSummary,
    entropies,
    level_codes,
    summarise,
)
from hsieve.measures.regression_data import RegressionData

Codes = NDArray[np.integer]

# Values that take about as long as asking for them does.
WORTHWHILE_VALUES = 200_000
WORTHWHILE_FEATURES = 64


@dataclass(frozen=True, eq=False)
class LevelInformation(PairwiseBoundMeasure):
    """Mutual information of levels bound to data."""

    redundancy_may_be_skipped = True

    columns: IndexArray  # (n_features,): column of the data for each feature
    summary: LevelSummary
    target: Codes = field(repr=False)  # (n_samples,): codes of the target, from 0
    store: LevelCodes = field(repr=False)  # where the codes of columns come from
    coding: Coding = field(repr=False)  # how numbers become levels
    regression_data: RegressionData = field(repr=False)  # the columns and the target as numbers

    @property
    def n_features(self) -> int:  # type: ignore[override]
        """Number of features."""
        return len(self.columns)

    @property
    def worthwhile_entries(self) -> int:
        """How many redundancies take about as long as asking for them does."""
        return max(WORTHWHILE_FEATURES, WORTHWHILE_VALUES // len(self.target))

    @property
    def constant(self) -> NDArray[np.bool_]:
        """True where a feature holds one single value."""
        return np.asarray(self.summary.constant[self.columns])

    @property
    def n_levels(self) -> IndexArray:
        """How many levels each feature may have."""
        return np.asarray(self.summary.n_levels[self.columns])

    @cached_property
    def codes(self) -> Codes:
        """Codes of all features, of shape (n_samples, n_features)."""
        found = [codes for _, codes in self.store.walk(self.columns)]
        return np.asarray(np.hstack(found))

    def among(self, features: IndexArray) -> "LevelInformation":
        """Return the same measure over some of the features, renumbered."""
        data = self.regression_data.among(features)
        return replace(self, columns=self.columns[features], regression_data=data)

    def relevance(self, features: ArrayLike) -> FloatArray:
        """Mutual information of each feature with the target, of shape (n_features,)."""
        positions = self.columns[np.asarray(features, dtype=np.intp)]
        return np.asarray(self.summary.relevance[positions])

    def relevance_to(self, targets: FloatArray) -> FloatArray:
        """Sum of the information of all features about each of other targets, in three levels."""
        codes = self.coding.numbers(targets)
        others = (codes, np.full(codes.shape[1], int(codes.max()) + 1, dtype=np.intp))
        n_levels = self.summary.n_levels[self.columns]
        return np.asarray(self.store.information(self.columns, n_levels, others).sum(axis=1))

    def redundancy(self, features: ArrayLike, active: ArrayLike) -> FloatArray:
        """Mutual information between features, of shape (n_features, n_active)."""
        rows = self.columns[np.asarray(features, dtype=np.intp)]
        others = self.columns[np.asarray(active, dtype=np.intp)]
        n_levels = self.summary.n_levels
        found = np.empty((len(rows), len(others)))
        for places, codes in self.store.walk(others):
            with_others = (codes, n_levels[others[places]])
            found[:, places] = self.store.information(rows, n_levels[rows], with_others)
        return found

    def self_redundancy(self, features: ArrayLike) -> FloatArray:
        """Entropies."""
        positions = self.columns[np.asarray(features, dtype=np.intp)]
        return np.asarray(self.summary.entropies[positions])

    def target_entropy(self) -> float:
        """Entropy of the target's levels."""
        n_levels = np.array([int(self.target.max()) + 1])
        return float(entropies(Indicators.of(self.target[:, None], n_levels))[0])


def bind_levels(
    blocks: ColumnBlocks,
    target: NDArray[Any],
    coding: Coding,
    data: RegressionData,
    *,
    classes: bool,
) -> LevelInformation:
    """Tie the information of levels to data, by one pass over the columns."""
    codes = level_codes(target) if classes else coding.numbers(target[:, None])[:, 0]
    summary, store = summarise(blocks, coding, codes)
    everything = np.arange(blocks.n_features)
    return LevelInformation(everything, summary, codes, store, coding, data)
