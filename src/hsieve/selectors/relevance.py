"""Features one by one: maximum relevance, and the scores of the HSIC family."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from hsieve.measures.base import Measure
from hsieve.measures.family import FamilyScore
from hsieve.measures.pairwise import PairwiseHSIC
from hsieve.selectors.search import SearchSelector
from hsieve.selectors.spec import FEW, RANKINGS, MethodSpec, Variant
from hsieve.strategies import IterativeScreening, Ranking
from hsieve.strategies.base import Strategy

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
class MaxRelevance(SearchSelector):
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

    def make_components(self) -> tuple[Measure, Strategy]:
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

    def make_components(self) -> tuple[Measure, Strategy]:
        """Make the measure and the strategy of these settings."""
        return self._make(FamilyScore), Ranking()
