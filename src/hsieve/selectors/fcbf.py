"""FCBF: relevant features that no more relevant one stands for."""

from collections.abc import Iterable

from hsieve.measures.base import Measure
from hsieve.measures.symmetrical_uncertainty import SymmetricalUncertainty
from hsieve.selectors.pairwise import chosen_measure
from hsieve.selectors.search import SearchSelector
from hsieve.strategies import FCBFSearch
from hsieve.strategies.base import Strategy

__all__ = ["FCBF"]


class FCBF(SearchSelector):
    """The fast correlation-based filter.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        A number, a share below 1, or None for as many as the method keeps. Where it keeps fewer
        than asked for, these are selected, with a warning.
    measure : Measure or None, default=None
        Any pairwise measure whose relevance and redundancy are on one scale. None is
        ``SymmetricalUncertainty()``, as in the paper.
    threshold : float, default=0.0
        Only features of a relevance above this are kept.
    categorical : iterable of int or str, default=()
        Features that are categories, by position or name; handed on to the measure. In a data frame
        those of category, text or boolean type are categories anyway.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds; handed on to the measure unless "auto".

    Attributes
    ----------
    selected_indices_, ranking_, scores_, path_
        As in every selector: chosen features best first, place of each feature, relevance of each
        feature, the whole search.

    References
    ----------
    L. Yu, H. Liu, "Feature selection for high-dimensional data: a fast correlation-based filter
    solution", 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import FCBF
    >>> X = np.random.default_rng(0).normal(size=(300, 10))
    >>> X[:, 5] = X[:, 3]
    >>> FCBF(2).fit(X, 2 * X[:, 3] + X[:, 7]).selected_indices_
    array([3, 7])
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        measure: Measure | None = None,
        threshold: float = 0.0,
        categorical: Iterable[int | str] = (),
        target_kind: str = "auto",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.measure = measure
        self.threshold = threshold
        self.categorical = categorical
        self.target_kind = target_kind

    def make_components(self) -> tuple[Measure, Strategy]:
        """Make the measure and the strategy of these settings."""
        measure = chosen_measure(
            self.measure,
            SymmetricalUncertainty(),
            categorical=self.categorical,
            target_kind=self.target_kind,
        )
        return measure, FCBFSearch(self.threshold)

    def _n_wanted(self, n_features: int) -> int:
        return n_features if self.n_features_to_select is None else super()._n_wanted(n_features)
