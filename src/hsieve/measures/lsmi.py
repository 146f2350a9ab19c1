"""Squared-loss mutual information (LSMI), of sets of features, of weighted features, and in 1-D.

The squared-loss mutual information of x and y is half the mean of (g(x, y) - 1)^2 over independent
x and y, with g = p(x, y) / (p(x) p(y)): zero exactly where they are independent. The ratio is
fitted by least squares (:mod:`hsieve.measures.density_ratio`), with width and ridge chosen by cross
validation, so nothing is left to set by hand.

All features one away from a set are scored in one sweep: the distances of the set are there, each
candidate adds or takes its own, and width and ridge are those of the set, the width in proportion
to the size, because a distance over s features grows like sqrt(s).

As a pairwise measure, the redundancy of two features is the LSMI of one and the other; the one that
comes first in the data plays the target, so that the matrix of redundancies is symmetric. It is no
matrix of inner products.

Cost: O(n b d) for the distances to b centres, O(n b^2 + b^3) for each candidate of a sweep, some 25
times that for each width when width and ridge are chosen.

References
----------
W. Jitkrittum, H. Hachiya, M. Sugiyama, "Feature selection via l1-penalized squared-loss mutual
information", 2012.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data.validation import target_kind_of
from hsieve.kernels.columns import encode_columns
from hsieve.kernels.weighted_distances import WeightedDistances
from hsieve.measures.base import JointBoundMeasure, Measure
from hsieve.measures.density_ratio import (
    RIDGES,
    WIDTH_FACTORS,
    DensityRatio,
    RatioModel,
    target_basis,
    target_width,
)
from hsieve.measures.hsic import PRECISIONS
from hsieve.measures.targets import number_columns
from hsieve.parameters import check_parameters, integer, numbers, rules, word

N_CENTRES = 100
N_FOLDS = 5


@dataclass(eq=False, repr=False, kw_only=True)
class LSMI(Measure):
    """Squared-loss mutual information between sets of features and the target.

    Parameters
    ----------
    n_centres : int, default=100
        Number of basis functions of the density ratio; all samples where there are fewer.
    width_factors : sequence of float
        Widths to choose from, in median distances; by default the authors' ten.
    ridges : sequence of float, default=(1e-4, ..., 10)
        Penalties to choose from.
    n_folds : int, default=5
        Folds of the cross validation that chooses, even within classes.
    categorical : iterable of int, default=()
        Features that are categories.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds.
    precision : {"double", "single"}, default="double"
        Of distances and basis functions; "single" is twice as fast and exact to about 1e-5.
    random_state : int, Generator or None, default=0
        Seed of centres and folds, drawn once when the measure is bound. They do not depend on the
        order of the samples.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import LSMI
    >>> X = np.random.default_rng(0).integers(0, 2, size=(200, 4)).astype(float)
    >>> y = (X[:, 1] != X[:, 3]).astype(int)
    >>> bound = LSMI().bind(X, y)
    >>> round(bound.subset_score([1, 3]), 1), round(abs(bound.subset_score([0, 1])), 1)
    (0.5, 0.0)
    """

    n_centres: int = N_CENTRES
    width_factors: Sequence[float] = WIDTH_FACTORS
    ridges: Sequence[float] = RIDGES
    n_folds: int = N_FOLDS
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"
    precision: str = "double"
    random_state: int | np.random.Generator | None = 0

    allowed = rules(
        n_centres=integer(1),
        n_folds=integer(2),
        width_factors=numbers(above=0),
        ridges=numbers(above=0),
        precision=word(*PRECISIONS),
    )

    has_small_products = True
    # The estimate of nothing is as often below zero as above.
    redundancy_is_positive = False

    def bind(self, X: ArrayLike, y: Any) -> "BoundLSMI":
        """Bind the measure to data, and draw centres and folds."""
        check_parameters(self)
        numbers, values = np.asarray(X), np.asarray(y)
        if numbers.ndim != 2 or len(numbers) != len(values):
            msg = (
                "X must be of shape (n_samples, n_features) with a sample for each of y, got "
                f"{numbers.shape} and {len(values)} samples of y."
            )
            raise ValueError(msg)
        if self.n_folds > len(numbers) // 2:
            msg = (
                f"n_folds must leave two samples in a fold: from 2 to {len(numbers) // 2} for "
                f"{len(numbers)} samples, got {self.n_folds}."
            )
            raise ValueError(msg)
        # Centres and folds are drawn among samples in an order of their own, so that the same
        # samples in another order give the same answer.
        order = _content_order(numbers, values)
        in_order, is_classes = _checked_target(values[order], self.target_kind)
        ratio = DensityRatio.of(
            in_order,
            is_classes=is_classes,
            n_centres=self.n_centres,
            n_folds=self.n_folds,
            rng=np.random.default_rng(self.random_state),
            width_factors=self.width_factors,
            ridges=self.ridges,
            precision=PRECISIONS[self.precision],
        )
        columns = encode_columns(numbers[order].astype(np.float64), categorical=self.categorical)
        by_fold = replace(columns, matrix=columns.matrix[ratio.samples])
        distances = WeightedDistances(by_fold.astype(PRECISIONS[self.precision]), ratio.centres)
        target = np.empty_like(in_order)
        target[order] = in_order
        ratio = replace(ratio, samples=order[ratio.samples])
        return BoundLSMI(distances, ratio, target, is_classes)


@dataclass(frozen=True, eq=False)
class BoundLSMI(JointBoundMeasure):
    """LSMI bound to data, with its centres and folds."""

    distances: WeightedDistances  # of the samples, in the order of `ratio`, to its centres
    ratio: DensityRatio
    target: NDArray[Any]  # target in the order of the data, numbers standardised
    is_classes: bool

    @property
    def n_features(self) -> int:  # type: ignore[override]
        """Number of features."""
        return self.distances.columns.n_features

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.target)

    @property
    def sample_groups(self) -> IndexArray:
        """Group of each sample: samples of one class, or of the same numbers."""
        axis = None if self.is_classes else 0
        return np.unique(self.target, axis=axis, return_inverse=True)[1].ravel()

    @property
    def worthwhile_entries(self) -> int:
        """How many redundancies take about as long as asking for them does."""
        return 1

    def part(self, samples: IndexArray, features: IndexArray) -> "BoundLSMI":
        """Bind the measure to some samples of some features, renumbered.

        Scales of the features and basis functions of the target stay those of all samples, and
        nothing is drawn again. Samples stay in the order of their folds, which are cut again.
        There are as many centres as before, or all samples where there are fewer: those that are
        in the part, and others evenly spread among its samples.

        Width and ridge are chosen by cross validation for each set on each part, once for all
        candidates of a sweep; that takes as long as some 150 candidates.
        """
        rows = np.argsort(self.ratio.samples)[samples]
        order = np.argsort(rows)
        rows = rows[order]
        centres = _spread_centres(np.isin(rows, self.ratio.centres), len(self.ratio.centres))
        target = self.target[samples]
        ordered = target[order]
        n_folds = max(2, min(len(self.ratio.edges) - 1, len(rows) // 2))
        sizes = [len(fold) for fold in np.array_split(rows, n_folds)]
        psi = target_basis(ordered, ordered[centres], self._target_width)
        ratio = replace(
            self.ratio,
            samples=order,
            centres=centres,
            psi=psi.astype(self.ratio.psi.dtype),
            edges=np.concatenate([[0], np.cumsum(sizes)]),
        )
        columns = self.distances.columns.part(rows, features)
        return BoundLSMI(WeightedDistances(columns, centres), ratio, target, self.is_classes)

    def feature_scores(self, features: ArrayLike) -> FloatArray:
        """LSMI of each feature alone, with its own width and ridge."""
        return np.array([self._score(self._of_feature(j)) for j in np.asarray(features, np.intp)])

    def scored_contributions(
        self, subset: IndexArray, candidates: IndexArray
    ) -> tuple[float, FloatArray]:
        """Score of the set, and what each candidate adds to it."""
        if not len(subset):
            return 0.0, self.feature_scores(candidates)
        squared = self.distances.squared(self._indicator(subset))
        model = self.ratio.model(squared)
        score = self.ratio.value(squared, model)
        contributions = np.empty(len(candidates))
        for place, feature in enumerate(candidates.tolist()):
            sign = -1 if feature in subset else 1
            after = self._score_after(squared, model, feature, sign, len(subset))
            contributions[place] = sign * (after - score)
        return score, contributions

    def weighted_model(self, weights: FloatArray) -> RatioModel:
        """Width and ridge for weighted features."""
        return self.ratio.model(self.distances.squared(weights))

    def weighted_value_and_gradient(
        self, weights: FloatArray, model: RatioModel
    ) -> tuple[float, FloatArray]:
        """LSMI of weighted features, and its derivatives in the weights for this model."""
        value, slopes = self.ratio.value_and_slopes(self.distances.squared(weights), model)
        return value, self.distances.gradient(weights, slopes)

    def relevance(self, features: ArrayLike) -> FloatArray:
        """LSMI of each feature and the target."""
        return self.feature_scores(features)

    def redundancy(self, features: ArrayLike, active: ArrayLike) -> FloatArray:
        """LSMI between features and active ones, of shape (n_features, n_active)."""
        rows, others = np.asarray(features, np.intp), np.asarray(active, np.intp)
        known: dict[tuple[int, int], float] = {}
        redundancy = np.empty((len(rows), len(others)))
        for column, other in enumerate(others.tolist()):
            for row, feature in enumerate(rows.tolist()):
                pair = (min(feature, other), max(feature, other))
                if pair not in known:
                    known[pair] = self._between(*pair)
                redundancy[row, column] = known[pair]
        return redundancy

    def self_redundancy(self, features: ArrayLike) -> FloatArray:
        """LSMI of each feature and itself."""
        return np.array([self._between(j, j) for j in np.asarray(features, np.intp).tolist()])

    @cached_property
    def _target_width(self) -> float | None:
        return target_width(self.target, is_classes=self.is_classes)

    def _score(self, squared: FloatArray) -> float:
        return self.ratio.value(squared, self.ratio.model(squared))

    def _score_after(
        self, squared: FloatArray, model: RatioModel, feature: int, sign: int, size: int
    ) -> float:
        """Score with a feature added (sign 1) to a set of a size, or taken away (sign -1)."""
        if size + sign == 0:
            return 0.0
        after = squared + squared.dtype.type(sign) * self._of_feature(feature)
        width = model.width * float(np.sqrt((size + sign) / size))
        return self.ratio.value(np.maximum(after, 0.0, out=after), replace(model, width=width))

    def _between(self, target: int, feature: int) -> float:
        """LSMI of two features, one in the part of the target."""
        squared = self._of_feature(target)
        if self.distances.columns.categorical[target]:
            # Equal levels are at distance zero, up to rounding.
            psi = (squared < 0.5 * squared.max()).astype(squared.dtype)
        else:
            column = self.distances.columns.block([target])
            width = target_width(column, is_classes=False)
            psi = target_basis(column, column[self.distances.centres], width)
        ratio = self.ratio.with_target(psi)
        squared = self._of_feature(feature)
        return ratio.value(squared, ratio.model(squared))

    def _of_feature(self, feature: int) -> FloatArray:
        return self.distances.of_feature(feature)

    def _indicator(self, subset: IndexArray) -> FloatArray:
        weights = np.zeros(self.n_features)
        weights[subset] = 1.0
        return weights


def _spread_centres(is_centre: NDArray[np.bool_], wanted: int) -> IndexArray:
    """Positions of the centres among some samples, filled up from the others evenly."""
    others = np.flatnonzero(~is_centre)
    n_more = min(wanted - int(is_centre.sum()), len(others))
    more = others[np.linspace(0, len(others) - 1, n_more).astype(np.intp)] if n_more else others[:0]
    return np.sort(np.concatenate([np.flatnonzero(is_centre), more]))


def _content_order(X: NDArray[Any], y: NDArray[Any]) -> IndexArray:
    """Order samples by what they hold: by the target, equal ones by the ranks of their features.

    Neither the order of the samples nor order, scale and offset of the features matter: features
    are compared in an order that follows from their ranks along the target.
    """
    ranks = [np.unique(column, return_inverse=True)[1].ravel() for column in X.T]
    places = np.unique(y, axis=0, return_inverse=True)[1].ravel()
    along_target = [rank[np.lexsort((rank, places))].tolist() for rank in ranks]
    features = sorted(range(len(ranks)), key=along_target.__getitem__, reverse=True)
    return np.lexsort([*(ranks[feature] for feature in features), places])


def _checked_target(values: NDArray[Any], target_kind: str) -> tuple[NDArray[Any], bool]:
    """Target, numbers standardised, and whether it holds classes."""
    if target_kind_of(values, target_kind) == "classes":
        return values, True
    return number_columns(values), False


LSMI.bound_type = BoundLSMI
