"""QPFS: relevant features that do not repeat each other, by one quadratic program."""

from collections.abc import Iterable

import numpy as np

from hsieve.measures.base import Measure
from hsieve.measures.pairwise import PairwiseHSIC
from hsieve.selectors.pairwise import chosen_measure
from hsieve.selectors.search import SearchSelector
from hsieve.strategies import QuadraticProgram
from hsieve.strategies.base import Strategy

__all__ = ["QPFS"]


class QPFS(SearchSelector):
    """Quadratic programming feature selection.

    Parameters
    ----------
    n_features_to_select : int, float, str or None, default=None
        A number, a share below 1, None for 10 (or all, where there are fewer), or "alignment",
        "guarded" or "cv" to find the number; see :mod:`hsieve.inference.feature_number`.
        Where fewer have a weight, those that came nearest to one fill up, with a score of zero.
    measure : Measure or None, default=None
        Any pairwise measure. None is ``PairwiseHSIC()``. The paper used absolute correlation,
        ``Pearson()``, and mutual information.
    alpha : "auto" or float, default="auto"
        Weight of relevance against redundancy, from 0 to 1; "auto" is the paper's q / (q + f), the
        means of both.
    n_landmarks : "auto", "all" or int, default="auto"
        Features whose redundancy with all others is computed, the rest following by Nystroem's
        formula. "auto" is all of at most 1000 features and 400 of more.
    categorical : iterable of int or str, default=()
        Features that are categories, by position or name; handed on to the measure. In a data frame
        those of category, text or boolean type are categories anyway.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds; handed on to the measure unless "auto".
    random_state : int, Generator or None, default=0
        Seed of the landmarks drawn at random; a fixed seed gives one answer.

    Attributes
    ----------
    path_ : QuadraticSelectionPath
        The search, with ``path_.alpha``.
    selected_indices_, ranking_, scores_
        As in every selector: chosen features best first, place of each feature, weight of each
        feature.

    Notes
    -----
    An exact copy shares the weight of its original in any proportion, so both may be chosen: the
    program has no reason to prefer one. :class:`N3LARS` keeps copies back. Where the redundancies
    have negative eigenvalues (mutual information, absolute correlation), these are set to zero; see
    :mod:`hsieve.strategies.quadratic_program`.

    References
    ----------
    I. Rodriguez-Lujan, R. Huerta, C. Elkan, C. Santa Cruz, "Quadratic programming feature
    selection", 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import QPFS
    >>> X = np.random.default_rng(0).normal(size=(200, 10))
    >>> sorted(QPFS(2).fit(X, np.abs(X[:, 3]) + X[:, 7]).selected_indices_.tolist())
    [3, 7]
    """

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        measure: Measure | None = None,
        alpha: float | str = "auto",
        n_landmarks: int | str = "auto",
        categorical: Iterable[int | str] = (),
        target_kind: str = "auto",
        random_state: int | np.random.Generator | None = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.measure = measure
        self.alpha = alpha
        self.n_landmarks = n_landmarks
        self.categorical = categorical
        self.target_kind = target_kind
        self.random_state = random_state

    def make_components(self) -> tuple[Measure, Strategy]:
        """Make the measure and the strategy of these settings."""
        measure = chosen_measure(
            self.measure,
            PairwiseHSIC(),
            categorical=self.categorical,
            target_kind=self.target_kind,
        )
        strategy = QuadraticProgram(
            alpha=self.alpha, n_landmarks=self.n_landmarks, random_state=self.random_state
        )
        return measure, strategy
