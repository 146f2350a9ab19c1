"""Rankings of single features: maximum relevance, the HSIC family, neighbours and graphs."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from sklearn.utils import Tags

from hsieve.measures import FamilyScore, Measure, PairwiseHSIC, Relief, SpectralScore
from hsieve.selectors.search import Components, SearchSelector, WeightedSelector
from hsieve.selectors.spec import FEW, RANKINGS, TOGETHER, MethodSpec, Variant
from hsieve.strategies import IterativeScreening, Ranking

OTHER_STATISTICS = {
    "centroid": "distance of two class means",
    "t": "squared t of two classes",
    "snr": "signal-to-noise ratio of two classes",
    "moderated-t": "t with variances shrunk, for few samples",
    "lods": "log odds that a feature differs between two classes",
    "pam": "shrunken centroids, any number of classes",
    "one-vs-rest": "each class against the others",
    "block": "classes as blocks of a kernel, any number of them",
}


@dataclass(eq=False, repr=False, kw_only=True)
class MaxRelevance(WeightedSelector):
    """Rank features by their own dependence on the target; MR-NHSIC by default.

    Parameters
    ----------
    {n_features_to_select}
    measure : Measure or None, default=None
        Measure of single features. None is ``PairwiseHSIC()``, which makes this MR-NHSIC.
    n_screened : int or None, default=None
        None: the ranking itself. A number m: the m most relevant features, or as many as are
        wanted if these are more, are screened, and those wanted taken out of them one by one, each
        time the one with the largest product with the target's kernel after the kernels of those
        taken are projected out of it, which keeps copies back; see
        :mod:`hsieve.strategies.screening`.
        The measure must then be PairwiseHSIC or squared correlation.
    {categorical}
    {target_kind}
    {feature_groups}
    {engine}
    {checkpoint}

    Attributes
    ----------
    traffic_ : Traffic
        Bytes that went to workers of other processes and came back.
    {usual_attributes}

    References
    ----------
    K. Balasubramanian, B. Sriperumbudur, G. Lebanon, "Ultrahigh dimensional feature screening via
    RKHS embeddings", 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import MaxRelevance
    >>> X = np.random.default_rng(0).normal(size=(200, 10))
    >>> X[:, 5] = X[:, 3]
    >>> y = 2 * X[:, 3] + X[:, 7]
    >>> MaxRelevance(2).fit(X, y).selected_indices_
    array([3, 5])
    >>> MaxRelevance(2, n_screened=5).fit(X, y).selected_indices_
    array([3, 7])
    """

    measure: Measure | None = None
    n_screened: int | None = None
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"
    feature_groups: Any = None
    engine: Any = None
    checkpoint: str | os.PathLike[str] | None = None

    spec = MethodSpec(
        does="ranks features by their own dependence on the target, whatever its shape.",
        score="Dependence of the feature alone on the target.",
        name="mr-nhsic",
        purpose="effects of any shape, score from 0 to 1; large data",
        cost="n d",
        group=RANKINGS,
        variants=(
            Variant(
                "screening",
                "as mr-nhsic, then redundant features are left out",
                lambda: {"n_screened": 500},
                "n d + 500 k pairs",
                FEW,
            ),
        ),
    )

    def make_components(self) -> Components:
        """Make the measure and the strategy of these settings."""
        measure = self._chosen_measure(PairwiseHSIC())
        if self.n_screened is None:
            return measure, Ranking()
        return measure, self._make(IterativeScreening)


@dataclass(eq=False, repr=False, kw_only=True)
class FamilyRanking(SearchSelector):
    """Rank features by one of the scores that HSIC with linear kernels unifies.

    Parameters
    ----------
    {n_features_to_select}
    statistic : str, default="pc"
        ``pc`` (squared correlation), ``centroid``, ``t``, ``snr``, ``moderated-t``, ``lods``,
        ``pam``, ``one-vs-rest`` or ``block``; see :mod:`hsieve.measures.family`.
    {target_kind}

    Attributes
    ----------
    {usual_attributes}

    References
    ----------
    As in :class:`BAHSIC`.

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

    statistic: str = "pc"
    target_kind: str = "auto"

    spec = MethodSpec(
        does=(
            "ranks features one by one by one of the older scores that HSIC with linear kernels "
            "unifies."
        ),
        score="That score of the feature.",
        name="pc",
        purpose="squared correlation",
        cost="n d",
        group=RANKINGS,
        variants=(
            *(
                Variant(name, purpose, partial(dict, statistic=name))
                for name, purpose in OTHER_STATISTICS.items()
            ),
        ),
    )

    def make_components(self) -> Components:
        """Make the measure and the strategy of these settings."""
        return self._make(FamilyScore), Ranking()


class _GraphSelector(SearchSelector):
    """Base of selectors whose graph may come from the features alone."""

    def _uses_target(self) -> bool:
        """Whether the graph is made from the target."""
        return False

    def _needs_target(self) -> bool:
        """Whether there is no answer without a target: for the graph, or to find the number."""
        return self._uses_target() or isinstance(self.n_features_to_select, str)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self._needs_target()
        return tags


@dataclass(eq=False, repr=False, kw_only=True)
class SPEC(_GraphSelector):
    """Spectral feature selection.

    Parameters
    ----------
    {n_features_to_select}
    ranking_function : {"phi1", "phi2", "phi3"}, default="phi2"
        How smoothness is scored; see :mod:`hsieve.measures.spectral`. "phi1" and "phi3" depend on
        the offset of features, "phi2" does not.
    graph : {"target", "features"}, default="target"
        Which samples are similar: those of one class or near in the target (supervised), or those
        near in all features (unsupervised; y may be left out).
    n_eigenvectors : int or None, default=None
        How many eigenvectors, the trivial one included, "phi3" takes; the number of clusters
        looked for. None is all.
    {target_kind}

    Attributes
    ----------
    selected_indices_, ranking_, scores_, path_
        As in every selector: chosen features best first, place of each feature, score of each
        feature (2 - phi1, 2 - phi2 or phi3: higher is better), the whole search.

    References
    ----------
    Z. Zhao, H. Liu, "Spectral feature selection for supervised and unsupervised learning", 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import SPEC
    >>> X = np.random.default_rng(0).normal(size=(100, 10))
    >>> SPEC(1).fit(X, X[:, 3] > 0).selected_indices_
    array([3])
    """

    ranking_function: str = "phi2"
    graph: str = "target"
    n_eigenvectors: int | None = None
    target_kind: str = "auto"

    spec = MethodSpec(
        does="ranks features by how smoothly they vary over a graph of similar samples.",
        score="Smoothness; higher is better.",
        name="spec",
        purpose="smooth over a graph of samples with similar targets",
        cost="n d, or n^2 d",
        group=RANKINGS,
    )

    def _uses_target(self) -> bool:
        return self.graph == "target"

    def make_components(self) -> Components:
        """Make the measure and the strategy of these settings."""
        return self._make(SpectralScore), Ranking()


@dataclass(eq=False, repr=False, kw_only=True)
class LaplacianScore(_GraphSelector):
    """Features that keep near samples near: the Laplacian score, without a target.

    Parameters
    ----------
    {n_features_to_select}
    n_neighbors : int, default=5
        Neighbours of each sample in the graph.

    Attributes
    ----------
    selected_indices_, ranking_, scores_, path_
        As in every selector: chosen features best first, place of each feature, 2 less the
        Laplacian score of each feature (higher is better), the whole search.

    Notes
    -----
    The target is not looked at, and may be left out: features are judged by the clusters and
    curves that all of them together show. A feature without a part in these scores low however
    well it tells the target.

    References
    ----------
    X. He, D. Cai, P. Niyogi, "Laplacian score for feature selection", 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import LaplacianScore
    >>> X = np.random.default_rng(0).normal(size=(100, 6))
    >>> X[:, 2:5] += 4.0 * np.repeat([0, 1], 50)[:, None]  # two clusters in three features
    >>> sorted(LaplacianScore(3).fit(X).selected_indices_.tolist())
    [2, 3, 4]
    """

    n_neighbors: int = 5

    spec = MethodSpec(
        does="ranks features by how well they keep near samples near. The target is not looked at.",
        score="2 less the Laplacian score; higher is better.",
        name="laplacian-score",
        purpose="smooth over a graph of samples; ignores the target",
        cost="n^2 d",
        group=RANKINGS,
    )

    def make_components(self) -> Components:
        """Make the measure and the strategy of these settings."""
        return self._make(SpectralScore, graph="neighbours"), Ranking()


@dataclass(eq=False, repr=False, kw_only=True)
class ReliefF(SearchSelector):
    """Rank features by how they differ between near samples: ReliefF, or RReliefF for numbers.

    Parameters
    ----------
    {n_features_to_select}
    n_neighbors : int or None, default=None
        Neighbours of each sample: of each class, or in all for numbers. None is 10 for classes and
        70 for numbers.
    sigma : float or None, default=None
        How fast the weight exp(-(place / sigma)^2) of a neighbour falls with its place. None is
        20 for numbers if `n_neighbors` is None too, else equal weights.
    {categorical}
    {target_kind}

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

    n_neighbors: int | None = None
    sigma: float | None = None
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"

    spec = MethodSpec(
        does=(
            "ranks features by how much they differ between near samples of different and of the "
            "same target. Interactions are seen among few features."
        ),
        score="Difference from -1 to 1; about 0 for noise.",
        name="relieff",
        purpose="differences between near samples; some interactions",
        cost="n^2 d",
        group=RANKINGS,
        sees=TOGETHER,
    )

    def make_components(self) -> Components:
        """Make the measure and the strategy of these settings."""
        return self._make(Relief), Ranking()
