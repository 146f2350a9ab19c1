"""mRMR: greedy search for relevant features that do not repeat each other."""

import os
from collections.abc import Iterable
from typing import Any

from hsieve.measures.base import Measure
from hsieve.measures.mutual_information import MutualInformation
from hsieve.selectors.pairwise import chosen_measure
from hsieve.selectors.search import SearchSelector
from hsieve.strategies import MRMRSearch
from hsieve.strategies.base import Strategy

__all__ = ["MRMR"]


class MRMR(SearchSelector):
    """Minimum redundancy, maximum relevance, one feature at a time.

    Parameters
    ----------
    n_features_to_select : int, float, str or None, default=None
        A number, a share below 1, None for 10 (or all, where there are fewer), or "alignment",
        "guarded" or "cv" to find the number; see :mod:`hsieve.inference.feature_number`.
        Rules look at the first 100 features.
    measure : Measure or None, default=None
        Any pairwise measure. None is ``MutualInformation(estimator="discretised")``, as in the
        paper.
    form : {"difference", "quotient"}, default="difference"
        Whether the mean redundancy is taken from the relevance (MID) or divides it (MIQ).
    categorical : iterable of int or str, default=()
        Features that are categories, by position or name; handed on to the measure. In a data frame
        those of category, text or boolean type are categories anyway.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds; handed on to the measure unless "auto".
    engine : {"local", "threads", "dask", "spark"}, dict, EngineSettings or None, default=None
        Who works on the columns: see :func:`hsieve.parallel.make_engine`. None and "local": this
        process, without threads. The answer does not depend on it. It needs a measure that is
        worked out column by column, as the default and ``PairwiseHSIC()`` are.
    checkpoint : path-like or None, default=None
        Folder in which results of the work on the columns are kept as they come. If `fit` is
        killed, the same `fit` with the same folder computes only what is missing, on any engine,
        and finds the same; other data or parameters are refused. It may be deleted afterwards.
        One folder a fit: not inside cross validation, where each fold has other data.

    Attributes
    ----------
    traffic_ : Traffic
        Bytes that went to workers of other processes and came back.
    selected_indices_, ranking_, scores_, path_
        As in every selector: chosen features best first, place of each feature, score of each
        feature, the whole search.

    Notes
    -----
    The default takes one output; for several, use ``measure=PairwiseHSIC()``. Both read their
    features in blocks of columns, so that :class:`hsieve.data.blocks.ColumnBlocks` are taken, too;
    one pass gives the relevance of all, and only features that might be taken are compared.
    Features not taken are ranked by what they could have reached at the last step.

    References
    ----------
    H. Peng, F. Long, C. Ding, "Feature selection based on mutual information: criteria of
    max-dependency, max-relevance, and min-redundancy", 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import MRMR
    >>> X = np.random.default_rng(0).normal(size=(300, 10))
    >>> X[:, 5] = X[:, 3]
    >>> MRMR(2).fit(X, 2 * X[:, 3] + X[:, 7]).selected_indices_
    array([3, 7])
    """

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        measure: Measure | None = None,
        form: str = "difference",
        categorical: Iterable[int | str] = (),
        target_kind: str = "auto",
        engine: Any = None,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.measure = measure
        self.form = form
        self.categorical = categorical
        self.target_kind = target_kind
        self.engine = engine
        self.checkpoint = checkpoint

    def make_components(self) -> tuple[Measure, Strategy]:
        """Make the measure and the strategy of these settings."""
        measure = chosen_measure(
            self.measure,
            MutualInformation(estimator="discretised"),
            categorical=self.categorical,
            target_kind=self.target_kind,
        )
        return measure, MRMRSearch(form=self.form)
