"""Mutual information of single features with the target, by scikit-learn's estimators.

Nearest-neighbour estimates (Kraskov et al. 2004; Ross 2014) for continuous features, plug-in ones
for categories. It is a measure of single features only: there is no joint estimate behind it.

Cost: O(n log n) a feature, with a large constant.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

from hsieve.data.validation import target_kind_of
from hsieve.measures.base import BoundMeasure, Measure

__all__ = ["BoundMutualInformation", "MutualInformation"]

FloatArray = NDArray[np.floating]


class MutualInformation(Measure):
    """Mutual information of single features with the target, in nats.

    Parameters
    ----------
    n_neighbors : int, default=3
        Neighbours of the estimator.
    categorical : iterable of int, default=()
        Features that are categories.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds.
    random_state : int or None, default=0
        Seed of the tiny noise scikit-learn adds to break ties; the default gives one answer.
    n_jobs : int or None, default=None
        Number of parallel jobs.
    """

    def __init__(
        self,
        *,
        n_neighbors: int = 3,
        categorical: Iterable[int] = (),
        target_kind: str = "auto",
        random_state: int | None = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.categorical = categorical
        self.target_kind = target_kind
        self.random_state = random_state
        self.n_jobs = n_jobs

    def bind(self, X: ArrayLike, y: Any) -> "BoundMutualInformation":
        """Tie the measure to data."""
        columns = np.asarray(X)
        discrete = np.zeros(columns.shape[1], dtype=bool)
        discrete[list(self.categorical)] = True
        kind = target_kind_of(y, self.target_kind)
        values = np.asarray(y)
        if values.ndim != 1:
            msg = f"MutualInformation takes one output, got a target of shape {values.shape}."
            raise ValueError(msg)
        return BoundMutualInformation(columns, values, discrete, kind, self)


@dataclass(frozen=True, eq=False)
class BoundMutualInformation(BoundMeasure):
    """Mutual information tied to data."""

    columns: FloatArray
    target: NDArray[Any]
    discrete: NDArray[np.bool_]
    kind: str
    settings: MutualInformation

    @property
    def n_features(self) -> int:  # type: ignore[override]
        """Number of features."""
        return int(self.columns.shape[1])

    def feature_scores(self, features: ArrayLike) -> FloatArray:
        """Mutual information of each feature with the target."""
        features = np.asarray(features, dtype=np.intp)
        estimate = mutual_info_classif if self.kind == "classes" else mutual_info_regression
        neighbours = min(self.settings.n_neighbors, len(self.columns) - 1)
        return np.asarray(
            estimate(
                self.columns[:, features],
                self.target,
                discrete_features=self.discrete[features],
                n_neighbors=neighbours,
                random_state=self.settings.random_state,
                n_jobs=self.settings.n_jobs,
            )
        )


MutualInformation.bound_type = BoundMutualInformation
