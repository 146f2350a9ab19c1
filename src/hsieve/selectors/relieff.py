"""ReliefF and RReliefF as a selector."""

from collections.abc import Iterable

from hsieve.measures.base import Measure
from hsieve.measures.relief import Relief
from hsieve.selectors.search import SearchSelector
from hsieve.strategies import Ranking
from hsieve.strategies.base import Strategy

__all__ = ["ReliefF"]


class ReliefF(SearchSelector):
    """Rank features by how they differ between near samples: ReliefF, or RReliefF for numbers.

    Parameters
    ----------
    n_features_to_select : int, float, str or None, default=None
        A number, a share below 1, None for 10 (or all, where there are fewer), or "alignment",
        "guarded" or "cv" to find the number; see :mod:`hsieve.inference.feature_number`.
    n_neighbors : int or None, default=None
        Neighbours of each sample: of each class, or in all for numbers. None is 10 for classes and
        70 for numbers.
    sigma : float or None, default=None
        How fast the weight exp(-(place / sigma)^2) of a neighbour falls with its place. None is
        20 for numbers if `n_neighbors` is None too, else equal weights.
    categorical : iterable of int or str, default=()
        Features that are categories, by position or name. In a data frame those of category, text
        or boolean type are categories anyway.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds.

    Attributes
    ----------
    selected_indices_, ranking_, scores_, path_
        As in every selector: chosen features best first, place of each feature, score of each
        feature (from -1 to 1, about 0 for noise), the whole search.

    Notes
    -----
    Sees features that matter only together, among few others: with many noise features the
    nearest samples are near by chance. Copies of a feature score as it does. All samples are used,
    so there is nothing random; see :mod:`hsieve.measures.relief` for the formulas and for ties.

    References
    ----------
    M. Robnik-Sikonja, I. Kononenko, "Theoretical and empirical analysis of ReliefF and RReliefF",
    2003.

    Examples
    --------
    >>> from hsieve import ReliefF
    >>> from hsieve.datasets import make_xor_toy
    >>> problem = make_xor_toy(random_state=0)
    >>> sorted(ReliefF(2).fit(problem.X, problem.y).selected_indices_.tolist())
    [0, 1]
    """

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        n_neighbors: int | None = None,
        sigma: float | None = None,
        categorical: Iterable[int | str] = (),
        target_kind: str = "auto",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.categorical = categorical
        self.target_kind = target_kind

    def make_components(self) -> tuple[Measure, Strategy]:
        """Make the measure and the strategy of these settings."""
        measure = Relief(
            n_neighbors=self.n_neighbors,
            sigma=self.sigma,
            categorical=self.categorical,
            target_kind=self.target_kind,
        )
        return measure, Ranking()
