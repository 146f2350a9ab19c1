"""N3LARS and HSIC Lasso: relevant features that do not repeat each other, by one convex path."""

from collections.abc import Iterable
from typing import Any, Self

from numpy.typing import ArrayLike

from hsieve.estimators._base import BaseSelector
from hsieve.measures.base import Measure
from hsieve.measures.pairwise import PairwiseHSIC
from hsieve.strategies import LarsSearch
from hsieve.strategies.base import Strategy

__all__ = ["N3LARS", "HSICLasso"]


class _LarsSelector(BaseSelector):
    """What N3LARS and HSIC Lasso share: all but the normalisation of the kernels."""

    _normalised: bool

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        categorical: Iterable[int] = (),
        target_kind: str = "auto",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.categorical = categorical
        self.target_kind = target_kind

    def fit(self, X: ArrayLike, y: Any) -> Self:
        """Choose features; see :meth:`BaseSelector.fit`."""
        super().fit(X, y)
        self.coef_ = self.scores_
        return self

    def _parts(self) -> tuple[Measure, Strategy]:
        measure = PairwiseHSIC(
            normalised=self._normalised,
            categorical=self.categorical,
            target_kind=self.target_kind,
        )
        return measure, LarsSearch()


class N3LARS(_LarsSelector):
    """Non-negative LARS with normalised HSIC: nonlinear, and wary of redundancy.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        A number, a share below 1, or None for 10 (or all, where there are fewer). Where the path
        ends before, the most relevant of the other features fill up, with a coefficient of zero.
    categorical : iterable of int, default=()
        Features that are categories.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficient of each feature where the path stops; not negative.
    path_ : LarsSelectionPath
        The search: ``path_.lars`` holds levels and coefficients at every knot,
        ``path_.relevance`` the relevance of every feature.
    selected_indices_, ranking_, scores_
        As in every selector: chosen features best first, place of each feature, score of each
        feature.

    Notes
    -----
    Features enter by what they add to those already in, so copies of a good feature stay back, but
    a feature that matters only beside another is not seen: use :class:`BAHSIC` for that.

    References
    ----------
    M. Yamada et al., "N3LARS: minimum redundancy maximum relevance feature selection for large and
    high-dimensional data", 2014.

    Examples
    --------
    >>> from hsieve import N3LARS
    >>> from hsieve.data.synthetic import make_n3lars
    >>> problem = make_n3lars(300, 100, random_state=0)
    >>> chosen = N3LARS(5).fit(problem.X, problem.y).selected_indices_
    >>> sorted({int(feature) % 50 for feature in chosen[:3]})
    [0, 1, 2]
    """

    _normalised = True


class HSICLasso(_LarsSelector):
    """HSIC Lasso: the path of :class:`N3LARS` without the normalisation of the kernels.

    Parameters
    ----------
    n_features_to_select, categorical, target_kind
        As in :class:`N3LARS`.

    Attributes
    ----------
    coef_, path_, selected_indices_, ranking_, scores_
        As in :class:`N3LARS`.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import HSICLasso
    >>> X = np.random.default_rng(0).normal(size=(200, 10))
    >>> sorted(HSICLasso(2).fit(X, np.abs(X[:, 3]) + X[:, 7]).selected_indices_.tolist())
    [3, 7]
    """

    _normalised = False
