"""The older scores of the BAHSIC family as a ranking selector."""

from hsieve.measures.base import Measure
from hsieve.measures.family import FamilyScore
from hsieve.selectors.search import SearchSelector
from hsieve.strategies import Ranking
from hsieve.strategies.base import Strategy

__all__ = ["FamilyRanking"]


class FamilyRanking(SearchSelector):
    """Rank features by one of the scores that HSIC with linear kernels unifies.

    Parameters
    ----------
    n_features_to_select : int, float, str or None, default=None
        A number, a share below 1, None for 10 (or all, where there are fewer), or "alignment",
        "guarded" or "cv" to find the number; see :mod:`hsieve.inference.feature_number`.
    statistic : str, default="pc"
        ``pc`` (squared correlation), ``centroid``, ``t``, ``snr``, ``moderated-t``, ``lods``,
        ``pam``, ``one-vs-rest`` or ``block``; see :mod:`hsieve.measures.family`.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds.

    Attributes
    ----------
    selected_indices_, ranking_, scores_, path_
        As in every selector: chosen features best first, place of each feature, score of each
        feature, the whole search.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import FamilyRanking
    >>> X = np.random.default_rng(0).normal(size=(40, 5))
    >>> y = np.repeat([0, 1], 20)
    >>> X[y == 1, 3] += 2
    >>> FamilyRanking(1, statistic="moderated-t").fit(X, y).selected_indices_
    array([3])
    """

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        statistic: str = "pc",
        target_kind: str = "auto",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.statistic = statistic
        self.target_kind = target_kind

    def make_components(self) -> tuple[Measure, Strategy]:
        """Make the measure and the strategy of these settings."""
        return FamilyScore(self.statistic, target_kind=self.target_kind), Ranking()
