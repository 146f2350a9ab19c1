"""Mutual information of single features with the target and with each other, in nats.

Three estimators, none of which looks at more than two variables at a time:

*neighbours*
    Nearest-neighbour estimates (Kraskov et al. 2004; Ross 2014) for numbers and plug-in ones for
    categories, by scikit-learn. Sees any shape; O(n log n) a pair with a large constant.
*discretised*
    Numbers become three levels, below, within and above mean -+ one standard deviation, as Peng,
    Long and Ding (2005) do for mRMR, or another multiple of it (half of it makes the levels about
    equally frequent for a Gaussian, which tells more). A number with at most three distinct values
    keeps them, and categories and classes are levels as they are. The plug-in estimate comes from
    counts of pairs of levels (:mod:`hsieve.measures.level_information`). O(n L^2) a pair of L
    levels, in BLAS. Its bias, about (L - 1)(L' - 1) / 2n, favours categories with many levels.
    Features are read in blocks of columns, so that they may be larger than memory.
*copula*
    Ranks become normal scores; two numbers of correlation rho then have -1/2 log(1 - rho^2), exact
    for a Gaussian copula, a lower bound otherwise in the limit of many samples. A target of classes
    gets H(z) - sum_c p_c H(z | c) with Gaussian entropies of the normal scores z, which is again a
    lower bound for continuous features, since no law of given variance has more entropy (Ince et
    al. 2017). Sees monotone relations, and classes that differ in place or spread. No estimate
    exceeds log n, what n ranks can tell: a copy of a feature would have infinite information. O(n)
    a pair. Features that are categories are refused.

Mutual information is no inner product: the matrix of redundancies may have negative eigenvalues.

References
----------
H. Peng, F. Long, C. Ding, "Feature selection based on mutual information", 2005.
R. Ince et al., "A statistical framework for neuroimaging data analysis based on mutual information
estimated via a Gaussian copula", 2017.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri
from scipy.stats import rankdata
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data.arrays import as_blocks
from hsieve.data.columns import ColumnBlocks
from hsieve.data.validation import target_kind_of
from hsieve.kernels.columns import check_finite, check_positions
from hsieve.measures.base import Measure, PairwiseBoundMeasure
from hsieve.measures.level_codes import Coding, level_codes, slices
from hsieve.measures.level_information import LevelInformation, bind_levels
from hsieve.measures.regression_data import RegressionData
from hsieve.measures.targets import one_output
from hsieve.parameters import check_parameters, number, rules, word


@dataclass(eq=False, repr=False, kw_only=True)
class MutualInformation(Measure):
    """Mutual information of single features with the target and with each other, in nats.

    Parameters
    ----------
    estimator : {"neighbours", "discretised", "copula"}, default="neighbours"
        How it is estimated; see :mod:`hsieve.measures.mutual_information`. "neighbours" sees any
        shape and is slow; "discretised" is quick and coarse; "copula" is quick, sees monotone
        relations and takes no features that are categories.
    n_deviations : float, default=0.5
        Standard deviations from the mean to the edges of the middle level of "discretised".
    n_neighbors : int, default=3
        Neighbours of the estimator "neighbours".
    categorical : iterable of int, default=()
        Features that are categories.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds.
    random_state : int or None, default=0
        Seed of the tiny noise scikit-learn adds to break ties; the default gives one answer.
    n_jobs : int or None, default=None
        Number of parallel jobs of "neighbours".

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import MutualInformation
    >>> x = np.repeat([0.0, 1.0], 50)
    >>> bound = MutualInformation(estimator="discretised").bind(x[:, None], x.astype(int))
    >>> bound.relevance([0]).round(3)  # log 2
    array([0.693])
    """

    estimator: str = "neighbours"
    n_deviations: float = 0.5
    n_neighbors: int = 3
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"
    random_state: int | None = 0
    n_jobs: int | None = None

    # What all estimators offer.
    bound_type = LevelInformation
    allowed = rules(
        estimator=word("neighbours", "discretised", "copula"), n_deviations=number(above=0, most=1)
    )

    @property
    def takes_blocks(self) -> bool:  # type: ignore[override]
        """Whether levels are looked at: "discretised" reads its features in blocks of columns."""
        return self.estimator == "discretised"

    def bind(self, X: ArrayLike | ColumnBlocks, y: Any) -> PairwiseBoundMeasure:
        """Bind the measure to data; "discretised" also takes column blocks."""
        check_parameters(self)
        columns = X if isinstance(X, ColumnBlocks) else np.asarray(X)
        discrete = np.zeros(columns.shape[1], dtype=bool)
        discrete[check_positions(self.categorical, columns.shape[1])] = True
        target = one_output(y, self, columns.shape[0])
        classes = target_kind_of(target, self.target_kind) == "classes"
        kind = "classes" if classes else "continuous"
        data = RegressionData.of(columns, target, target_kind=kind, categorical=discrete)
        if self.estimator == "discretised":
            coding = Coding(discrete, float(self.n_deviations))
            return bind_levels(as_blocks(columns), target, coding, data, classes=classes)
        if isinstance(columns, ColumnBlocks):
            msg = f"estimator={self.estimator!r} needs the whole data as an array, got blocks."
            raise ValueError(msg)
        check_finite(columns)
        if self.estimator == "copula":
            return _bind_scores(columns, target, data, classes=classes)
        return _Neighbours(columns, target, discrete, classes, self, data)


def levels_of(settings: Any, X: ArrayLike | ColumnBlocks, y: Any) -> LevelInformation:
    """Bind the information of levels to data, with the settings of another measure."""
    names = ("n_deviations", "categorical", "target_kind")
    own = {name: getattr(settings, name) for name in names}
    bound = MutualInformation(estimator="discretised", **own).bind(X, y)
    assert isinstance(bound, LevelInformation)
    return bound


@dataclass(frozen=True, eq=False)
class _Neighbours(PairwiseBoundMeasure):
    """Estimates of scikit-learn, one call a target or active feature."""

    columns: NDArray[Any]
    target: NDArray[Any]
    discrete: NDArray[np.bool_]
    classes: bool
    settings: MutualInformation
    regression_data: RegressionData

    def relevance(self, features: ArrayLike) -> FloatArray:
        return self._with(np.asarray(features, dtype=np.intp), self.target, levels=self.classes)

    def relevance_to(self, targets: FloatArray) -> FloatArray:
        everything = np.arange(self.n_features)
        return np.asarray(sum(self._with(everything, of, levels=False) for of in targets.T))

    def redundancy(self, features: ArrayLike, active: ArrayLike) -> FloatArray:
        positions, others = np.asarray(features, np.intp), np.asarray(active, np.intp)
        redundancy = np.empty((len(positions), len(others)))
        for place, other in enumerate(others):
            redundancy[:, place] = self._with(
                positions, self.columns[:, other], levels=bool(self.discrete[other])
            )
        return redundancy

    def self_redundancy(self, features: ArrayLike) -> FloatArray:
        positions = np.asarray(features, dtype=np.intp)[:, None]
        return np.array([self.redundancy(position, position)[0, 0] for position in positions])

    def _with(self, features: IndexArray, other: NDArray[Any], *, levels: bool) -> FloatArray:
        """Mutual information of features with one more variable: levels, or a number."""
        estimate = mutual_info_classif if levels else mutual_info_regression
        return np.asarray(
            estimate(
                self.columns[:, features],
                other,
                discrete_features=self.discrete[features],
                n_neighbors=min(self.settings.n_neighbors, len(self.columns) - 1),
                random_state=self.settings.random_state,
                n_jobs=self.settings.n_jobs,
            )
        )


@dataclass(frozen=True, eq=False)
class _Scores(PairwiseBoundMeasure):
    """Gaussian estimates from normal scores; the target is scores, or codes of classes."""

    scores: FloatArray
    target: NDArray[Any]
    classes: bool
    regression_data: RegressionData

    @property
    def n_features(self) -> int:  # type: ignore[override]
        return int(self.scores.shape[1])

    def relevance(self, features: ArrayLike) -> FloatArray:
        positions = np.asarray(features, dtype=np.intp)
        if self.classes:
            return self._with_classes(positions)
        return self._with(positions, self.target[:, None])[:, 0]

    def relevance_to(self, targets: FloatArray) -> FloatArray:
        found = self._with(np.arange(self.n_features), _normal_scores(targets))
        return np.asarray(found.sum(axis=1))

    def redundancy(self, features: ArrayLike, active: ArrayLike) -> FloatArray:
        others = self.scores[:, np.asarray(active, dtype=np.intp)]
        return self._with(np.asarray(features, dtype=np.intp), others)

    def self_redundancy(self, features: ArrayLike) -> FloatArray:
        """Information is log n at most, and a feature has that about itself."""
        varying = self.scores[:, np.asarray(features, dtype=np.intp)].any(axis=0)
        return np.where(varying, np.log(len(self.scores)), 0.0)

    def _with(self, features: IndexArray, others: FloatArray) -> FloatArray:
        """-1/2 log(1 - rho^2), at most log n."""
        n = len(self.scores)
        correlations: list[FloatArray] = [np.empty((0, others.shape[1]))]
        correlations += [
            self.scores[:, features[block]].T @ others / n for block in slices(len(features), n)
        ]
        rest = 1.0 - np.vstack(correlations) ** 2
        return np.asarray(-0.5 * np.log(np.maximum(rest, float(n) ** -2)))

    def _with_classes(self, features: IndexArray) -> FloatArray:
        """Gaussian entropy of the scores less that within classes: -1/2 sum p_c log var_c."""
        n = len(self.scores)
        counts = np.bincount(self.target)
        information: list[FloatArray] = [np.empty(0)]
        for block in slices(len(features), n):
            scores = self.scores[:, features[block]]
            variances = np.stack([scores[self.target == c].var(axis=0) for c in range(len(counts))])
            logarithms = np.log(np.maximum(variances, float(n) ** -2))
            # Scores of a constant feature are zero, and tell nothing.
            information.append(np.where(scores.any(axis=0), -0.5 * (counts / n) @ logarithms, 0.0))
        return np.asarray(np.maximum(np.concatenate(information), 0.0))


def _bind_scores(
    columns: NDArray[Any], target: NDArray[Any], data: RegressionData, *, classes: bool
) -> _Scores:
    """Turn every column, and a numeric target, into normal scores."""
    if data.categorical.any():
        listed = np.flatnonzero(data.categorical)
        msg = (
            f"estimator='copula' takes numbers only, got categorical={listed}; "
            "choose 'discretised' or 'neighbours'."
        )
        raise ValueError(msg)
    scores: FloatArray = np.empty(columns.shape, order="F")
    for block in slices(columns.shape[1], len(columns)):
        scores[:, block] = _normal_scores(columns[:, block])
    if classes:
        return _Scores(scores, level_codes(target), classes=True, regression_data=data)
    return _Scores(
        scores, _normal_scores(target[:, None])[:, 0], classes=False, regression_data=data
    )


def _normal_scores(numbers: NDArray[Any]) -> FloatArray:
    """Ranks (their mean where values tie) as quantiles of the normal law, standardised."""
    scores = ndtri(rankdata(numbers, axis=0) / (len(numbers) + 1.0))
    scores -= scores.mean(axis=0)
    deviation = scores.std(axis=0)
    return np.asarray(scores / np.where(deviation > 0, deviation, 1.0))


@dataclass(eq=False, repr=False, kw_only=True)
class SymmetricalUncertainty(Measure):
    """Mutual information of levels on a scale from 0 to 1 (Yu and Liu 2003).

    Parameters
    ----------
    n_deviations : float, default=0.5
        Standard deviations from the mean to the edges of the middle of three levels of a number.
    categorical : iterable of int, default=()
        Features that are categories.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds; numbers become levels, too.

    Notes
    -----
    SU(a, b) = 2 I(a, b) / (H(a) + H(b)): 0 for independent variables and 1 where each tells the
    other. Dividing by entropies takes back some of the favour that plug-in estimates do to
    categories with many levels. (Yu and Liu cut numbers by the description length of the classes,
    which needs classes.)

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import SymmetricalUncertainty
    >>> x = np.repeat([0.0, 1.0], 50)
    >>> SymmetricalUncertainty().bind(x[:, None], x.astype(int)).relevance([0])
    array([1.])
    """

    n_deviations: float = 0.5
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"

    def bind(self, X: ArrayLike, y: Any) -> "BoundSymmetricalUncertainty":
        """Bind the measure to data."""
        information = levels_of(self, X, y)
        entropies = information.self_redundancy(np.arange(information.n_features))
        return BoundSymmetricalUncertainty(information, entropies)


@dataclass(frozen=True, eq=False)
class BoundSymmetricalUncertainty(PairwiseBoundMeasure):
    """Symmetrical uncertainty bound to data: information, and the entropy of each feature."""

    redundancy_may_be_skipped = True

    information: LevelInformation
    entropies: FloatArray

    @property
    def n_features(self) -> int:  # type: ignore[override]
        """Number of features."""
        return self.information.n_features

    def relevance(self, features: ArrayLike) -> FloatArray:
        """Symmetrical uncertainty of each feature and the target, of shape (n_features,)."""
        own = self.entropies[np.asarray(features, dtype=np.intp)]
        return _share(self.information.relevance(features), own, self.information.target_entropy())

    def redundancy(self, features: ArrayLike, active: ArrayLike) -> FloatArray:
        """Symmetrical uncertainty between features, of shape (n_features, n_active)."""
        own = self.entropies[np.asarray(features, dtype=np.intp)]
        others = self.entropies[np.asarray(active, dtype=np.intp)]
        return _share(self.information.redundancy(features, active), own[:, None], others)

    def self_redundancy(self, features: ArrayLike) -> FloatArray:
        """Each feature tells itself: one, or zero where it has a single level."""
        return np.asarray(self.entropies[np.asarray(features, dtype=np.intp)] > 0, dtype=float)


SymmetricalUncertainty.bound_type = BoundSymmetricalUncertainty


def _share(information: FloatArray, first: FloatArray, second: FloatArray | float) -> FloatArray:
    """2 I / (H + H'), zero where neither has any entropy."""
    total = first + second
    shares = 2.0 * information / np.where(total > 0, total, 1.0)
    return np.asarray(np.clip(shares, 0.0, 1.0))
