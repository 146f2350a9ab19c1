"""Tests of single features and the target for independence, given sets of other features.

*Fisher's z*, for numbers: with r the correlation of feature and target after both are regressed on
the m features given, sqrt(n - m - 3) atanh(r) is standard normal if there is no dependence left and
all is Gaussian.

*G2*, for levels: 2 sum O log(O / E) over the cells of feature x target, within each combination of
the levels given, is chi-square with sum (rows - 1)(columns - 1) degrees of freedom, rows and
columns that are empty in a combination not counted. Numbers become three levels. Given features,
the test is done only where there are five samples a cell on average.

P-values are handled as logarithms, so that strong dependences still have an order.

Cost: O(n d) for all features alone, O(n) a test given others.
"""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc, gammaln, log_ndtr, xlogy

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data.validation import target_kind_of
from hsieve.kernels.columns import check_finite, standardised
from hsieve.measures.base import BoundMeasure, Measure
from hsieve.measures.level_information import LevelInformation
from hsieve.measures.mutual_information import levels_of
from hsieve.measures.targets import one_output
from hsieve.parameters import check_parameters, rules, word

SAMPLES_A_CELL = 5
# A variable of which less than this fraction is left after regression is told by those given.
NOTHING_LEFT = 1e-10
# Correlations nearer to one than this are one: what is beyond is rounding, and z would follow it.
NEAREST_TO_ONE = 1e-12


@dataclass(eq=False, repr=False)
class IndependenceTest(Measure):
    """P-values of features, alone and given other features.

    Parameters
    ----------
    test : {"auto", "fisher-z", "g2"}, default="auto"
        "auto" is Fisher's z where target and features are all numbers, G2 otherwise. "fisher-z"
        takes two classes, too, as two numbers.
    n_deviations : float, default=0.5
        Standard deviations from the mean to the edges of the middle of three levels, for G2.
    categorical : iterable of int, default=()
        Features that are categories.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds.
    """

    test: str = "auto"
    _: KW_ONLY
    n_deviations: float = 0.5
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"

    allowed = rules(test=word("auto", "fisher-z", "g2"))

    def bind(self, X: ArrayLike, y: Any) -> "_NumberTests | _LevelTests":
        """Bind the measure to data."""
        check_parameters(self)
        columns = np.asarray(X)
        check_finite(columns)
        target = one_output(y, self, len(columns))
        numbers = target_kind_of(target, self.target_kind) == "continuous"
        has_categories = len(list(self.categorical)) > 0
        if self.test == "fisher-z" or (self.test == "auto" and numbers and not has_categories):
            return _bind_numbers(columns, target, has_categories=has_categories, numbers=numbers)
        return _LevelTests(levels_of(self, columns, target))


@dataclass(frozen=True, eq=False)
class _NumberTests(BoundMeasure):
    """Fisher's z from standardised columns; the target is the last of them."""

    columns: FloatArray

    @property
    def n_features(self) -> int:  # type: ignore[override]
        return int(self.columns.shape[1]) - 1

    def feature_scores(self, features: ArrayLike) -> FloatArray:
        columns = self.columns[:, np.asarray(features, dtype=np.intp)]
        return -self._log_p(columns.T @ self.columns[:, -1] / len(columns), 0)

    def conditional_log_p(self, feature: int, given: IndexArray) -> FloatArray:
        members, places = np.unique(given, return_inverse=True)
        places = places.reshape(given.shape)
        columns = self.columns[:, [*members.tolist(), feature, -1]]
        correlations = columns.T @ columns / len(columns)
        among = correlations[places[:, :, None], places[:, None, :]]
        # Of the two tested (columns), with those given (rows), set by set.
        across = correlations[places][:, :, -2:]
        rest = correlations[-2:, -2:] - across.transpose(0, 2, 1) @ (
            np.linalg.pinv(among, rcond=NOTHING_LEFT, hermitian=True) @ across
        )
        left = np.einsum("sii->si", rest)
        told = (left <= NOTHING_LEFT).any(axis=1)
        scale = np.sqrt(np.where(told[:, None], 1.0, left).prod(axis=1))
        return self._log_p(np.where(told, 0.0, rest[:, 0, 1] / scale), given.shape[1])

    def _log_p(self, correlations: FloatArray, n_given: int) -> FloatArray:
        """Two-sided, NaN without degrees of freedom."""
        freedom = len(self.columns) - n_given - 3
        if freedom < 1:
            return np.full(len(correlations), np.nan)
        strengths = np.minimum(np.abs(correlations), 1.0 - NEAREST_TO_ONE)
        z = np.sqrt(freedom) * np.arctanh(strengths)
        return np.asarray(np.minimum(np.log(2.0) + log_ndtr(-z), 0.0))


@dataclass(frozen=True, eq=False)
class _LevelTests(BoundMeasure):
    """G2 from levels."""

    information: LevelInformation

    @property
    def n_features(self) -> int:  # type: ignore[override]
        return self.information.n_features

    def feature_scores(self, features: ArrayLike) -> FloatArray:
        positions = np.asarray(features, dtype=np.intp)
        codes, target = self.information.codes, self.information.target
        statistic = 2 * len(codes) * self.information.relevance(positions)
        n_levels = np.array([len(np.unique(codes[:, position])) for position in positions])
        return -_log_chi2_tail(statistic, (n_levels - 1) * (len(np.unique(target)) - 1))

    def conditional_log_p(self, feature: int, given: IndexArray) -> FloatArray:
        n_levels, target = self.information.n_levels, self.information.target
        n_cells = int(n_levels[feature]) * (int(target.max()) + 1) * n_levels[given].prod(axis=1)
        enough = len(target) >= SAMPLES_A_CELL * n_cells
        log_p = np.full(len(given), np.nan)
        if enough.any():
            log_p[enough] = self._log_p(feature, given[enough])
        return log_p

    def _log_p(self, feature: int, given: IndexArray) -> FloatArray:
        """Test many sets at once: one table of counts a set, each combination given a layer."""
        codes, target = self.information.codes, self.information.target
        n_levels = self.information.n_levels
        shape = (len(given), -1, int(n_levels[feature]), int(target.max()) + 1)
        layers = np.zeros((len(codes), len(given)), dtype=np.intp)
        for others in given.T:
            layers = layers * n_levels[others] + codes[:, others]
        n_layers = int(n_levels[given].prod(axis=1).max())
        layers += n_layers * np.arange(len(given))
        cells = (layers * shape[2] + codes[:, [feature]]) * shape[3] + target[:, None]
        n_cells = len(given) * n_layers * shape[2] * shape[3]
        counts = np.bincount(cells.ravel(), minlength=n_cells).reshape(shape).astype(np.float64)
        rows, columns, totals = counts.sum(axis=3), counts.sum(axis=2), counts.sum(axis=(2, 3))
        statistic = 2.0 * (
            xlogy(counts, counts).sum(axis=(1, 2, 3))
            - xlogy(rows, rows).sum(axis=(1, 2))
            - xlogy(columns, columns).sum(axis=(1, 2))
            + xlogy(totals, totals).sum(axis=1)
        )
        free_rows = np.maximum(np.count_nonzero(rows, axis=2) - 1, 0)
        free_columns = np.maximum(np.count_nonzero(columns, axis=2) - 1, 0)
        return _log_chi2_tail(statistic, (free_rows * free_columns).sum(axis=1))


IndependenceTest.bound_type = _LevelTests


def _bind_numbers(
    columns: NDArray[Any], target: NDArray[Any], *, has_categories: bool, numbers: bool
) -> _NumberTests:
    """Standardise features and target for Fisher's z."""
    if has_categories:
        msg = "test='fisher-z' takes numbers only, got categorical features; choose 'g2'."
        raise ValueError(msg)
    if not numbers:
        labels, target = np.unique(target, return_inverse=True)
        if len(labels) > 2:
            msg = f"test='fisher-z' takes at most two classes, got {len(labels)}; choose 'g2'."
            raise ValueError(msg)
    check_finite(target.astype(np.float64))
    both = np.column_stack([columns, target]).astype(np.float64)
    return _NumberTests(np.asarray(standardised(both)))


def _log_chi2_tail(statistic: FloatArray, freedom: NDArray[np.integer]) -> FloatArray:
    """Logarithm of the chance of a larger chi-square, also where that chance is no number."""
    half, shape = np.maximum(statistic, 0.0) / 2, freedom / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        plain = np.log(np.where(freedom > 0, chdtrc(np.maximum(freedom, 1), 2 * half), 1.0))
        # The first term of the asymptotic series, and its ratio to the next as a geometric series.
        series = (shape - 1) * np.log(half) - half - gammaln(shape) - np.log1p((1 - shape) / half)
    return np.where(np.isfinite(plain), np.minimum(plain, 0.0), series)
