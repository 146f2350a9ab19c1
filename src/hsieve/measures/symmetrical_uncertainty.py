"""Symmetrical uncertainty: mutual information on a scale from 0 to 1 (Yu and Liu 2003).

    SU(a, b) = 2 I(a, b) / (H(a) + H(b)),

0 for independent variables and 1 where each tells the other. Information and entropies are those of
levels, see the estimator "discretised" of :mod:`hsieve.measures.mutual_information`. (Yu and Liu
cut numbers by the description length of the classes, which needs classes.) Dividing by entropies
takes back some of the favour that plug-in estimates do to categories with many levels.

Cost: as mutual information, O(n L^2) a pair of variables of L levels.
"""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hsieve.array_types import FloatArray
from hsieve.measures.base import Measure, PairwiseBoundMeasure
from hsieve.measures.level_information import LevelInformation
from hsieve.measures.mutual_information import MutualInformation


@dataclass(eq=False, repr=False)
class SymmetricalUncertainty(Measure):
    """Mutual information of levels, divided by the mean of both entropies.

    Parameters
    ----------
    n_deviations : float, default=0.5
        Standard deviations from the mean to the edges of the middle of three levels of a number.
    categorical : iterable of int, default=()
        Features that are categories.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds; numbers become levels, too.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import SymmetricalUncertainty
    >>> x = np.repeat([0.0, 1.0], 50)
    >>> SymmetricalUncertainty().bind(x[:, None], x.astype(int)).relevance([0])
    array([1.])
    """

    _: KW_ONLY
    n_deviations: float = 0.5
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"

    def bind(self, X: ArrayLike, y: Any) -> "BoundSymmetricalUncertainty":
        """Bind the measure to data."""
        information = MutualInformation(
            estimator="discretised",
            n_deviations=self.n_deviations,
            categorical=self.categorical,
            target_kind=self.target_kind,
        ).bind(X, y)
        assert isinstance(information, LevelInformation)
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
