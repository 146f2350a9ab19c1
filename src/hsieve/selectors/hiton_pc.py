"""HITON-PC: the features next to the target in its causal graph."""

from collections.abc import Iterable

from hsieve.measures.base import Measure
from hsieve.measures.independence import IndependenceTest
from hsieve.selectors.search import SearchSelector
from hsieve.strategies import ParentsChildren
from hsieve.strategies.base import Strategy

__all__ = ["HITONPC"]


class HITONPC(SearchSelector):
    """Parents and children of the target, by tests of conditional independence.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        A number, a share below 1, or None for as many as the method finds. Where it finds fewer
        than asked for, these are selected, with a warning.
    test : {"auto", "fisher-z", "g2"}, default="auto"
        Fisher's z for numbers, or G2 for classes and categories, numbers in three levels. "auto" is
        G2 unless target and features are all numbers. "fisher-z" takes two classes, too.
    alpha : float, default=0.05
        Level of the tests.
    max_given : int, default=3
        Largest number of features given in a test.
    categorical : iterable of int or str, default=()
        Features that are categories, by position or name. In a data frame those of category, text
        or boolean type are categories anyway.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds.

    Attributes
    ----------
    selected_indices_, ranking_, scores_, path_
        As in every selector: chosen features best first, place of each feature, minus the
        logarithm of each feature's p-value alone, the whole search.

    Notes
    -----
    The set is found by all tests, whatever the number asked for; its strongest features are
    selected. Features outside it follow in ``ranking_`` by their p-value. G2 given other features
    is done only with five samples a cell: with many classes or few samples hardly any feature can
    be explained by others, and all that depend on the target are kept. The symmetry correction,
    which would run the search for every member, is left out.

    References
    ----------
    C. Aliferis, I. Tsamardinos, A. Statnikov, "HITON: a novel Markov blanket algorithm for optimal
    variable selection", 2003; C. Aliferis et al., "Local causal and Markov blanket induction for
    causal discovery and feature selection for classification", 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import HITONPC
    >>> X = np.random.default_rng(0).normal(size=(300, 4))
    >>> X[:, 2] += X[:, 0]  # a child of a parent: dependent on y, but through feature 0 alone
    >>> HITONPC(alpha=0.01).fit(X, 2 * X[:, 0] + X[:, 3]).selected_indices_
    array([0, 3])
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        test: str = "auto",
        alpha: float = 0.05,
        max_given: int = 3,
        categorical: Iterable[int | str] = (),
        target_kind: str = "auto",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.test = test
        self.alpha = alpha
        self.max_given = max_given
        self.categorical = categorical
        self.target_kind = target_kind

    def make_components(self) -> tuple[Measure, Strategy]:
        """Make the measure and the strategy of these settings."""
        measure = IndependenceTest(
            self.test, categorical=self.categorical, target_kind=self.target_kind
        )
        return measure, ParentsChildren(alpha=self.alpha, max_given=self.max_given)

    def _n_wanted(self, n_features: int) -> int:
        return n_features if self.n_features_to_select is None else super()._n_wanted(n_features)
