"""Relevance against redundancy: MRMR, QPFS, FCBF and HITONPC."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hsieve.measures import (
    IndependenceTest,
    Measure,
    MutualInformation,
    PairwiseHSIC,
    SymmetricalUncertainty,
)
from hsieve.selectors.search import Components, SearchSelector, WeightedSelector
from hsieve.selectors.spec import FEW, MethodSpec
from hsieve.strategies import FCBFSearch, MRMRSearch, ParentsChildren, QuadraticProgram


@dataclass(eq=False, repr=False, kw_only=True)
class MRMR(WeightedSelector):
    """Minimum redundancy, maximum relevance, one feature at a time.

    Parameters
    ----------
    {n_features_to_select}
        Rules look at the first 100 features.
    measure : Measure or None, default=None
        Any pairwise measure. None is ``MutualInformation(estimator="discretised")``, as in the
        paper.
    form : {"difference", "quotient"}, default="difference"
        Whether the mean redundancy is taken from the relevance (MID) or divides it (MIQ).
    {categorical}
    {target_kind}
    {engine}
        It needs a measure that is worked out column by column, as the default and
        ``PairwiseHSIC()`` are.
    {checkpoint}

    Attributes
    ----------
    traffic_ : Traffic
        Bytes that went to workers of other processes and came back.
    {usual_attributes}

    Notes
    -----
    The default takes one output; for several, use ``measure=PairwiseHSIC()``. Both read their
    features in blocks of columns, so that :class:`hsieve.io.ColumnBlocks` are taken, too;
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

    measure: Measure | None = None
    form: str = "difference"
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"
    engine: Any = None
    checkpoint: str | os.PathLike[str] | None = None

    spec = MethodSpec(
        does=(
            "adds, one by one, the feature that is most relevant less what it repeats of those "
            "chosen."
        ),
        score="Relevance less mean redundancy (or their quotient) when the feature was chosen.",
        name="mrmr",
        purpose="relevance less redundancy, by mutual information",
        cost="n d + k d pairs",
        group=FEW,
        keeps_copies=False,
    )

    def make_components(self) -> Components:
        """Make the measure and the strategy of these settings."""
        usual = MutualInformation(estimator="discretised")
        return self._chosen_measure(usual), self._make(MRMRSearch)


@dataclass(eq=False, repr=False, kw_only=True)
class QPFS(WeightedSelector):
    """Quadratic programming feature selection.

    Parameters
    ----------
    {n_features_to_select}
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
    {categorical}
    {target_kind}
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

    measure: Measure | None = None
    alpha: float | str = "auto"
    n_landmarks: int | str = "auto"
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"
    random_state: int | np.random.Generator | None = 0

    spec = MethodSpec(
        does="weighs all features at once, by a quadratic program of relevance and redundancy.",
        score="Weight of the feature; all weights sum up to 1.",
        name="qpfs",
        purpose="relevance and redundancy, weighed for all at once",
        cost="n d^2, or 400 n d",
        group=FEW,
        keeps_copies=False,
    )

    def make_components(self) -> Components:
        """Make the measure and the strategy of these settings."""
        return self._chosen_measure(PairwiseHSIC()), self._make(QuadraticProgram)


@dataclass(eq=False, repr=False, kw_only=True)
class FCBF(SearchSelector):
    """The fast correlation-based filter.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        A number, a fraction below 1, or None for as many as the method keeps. Where it keeps fewer
        than asked for, these are selected, with a warning.
    measure : Measure or None, default=None
        Any pairwise measure whose relevance and redundancy are on one scale. None is
        ``SymmetricalUncertainty()``, as in the paper.
    threshold : float, default=0.0
        Only features of a relevance above this are kept.
    {categorical}
    {target_kind}

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

    measure: Measure | None = None
    threshold: float = 0.0
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"

    _keeps_own_number = True

    spec = MethodSpec(
        does="keeps relevant features for which no more relevant one stands.",
        score="Relevance of the feature.",
        name="fcbf",
        purpose="relevant, not redundant features; finds how many",
        cost="n d per feature kept",
        group=FEW,
        keeps_copies=False,
    )

    def make_components(self) -> Components:
        """Make the measure and the strategy of these settings."""
        return self._chosen_measure(SymmetricalUncertainty()), self._make(FCBFSearch)


@dataclass(eq=False, repr=False, kw_only=True)
class HITONPC(SearchSelector):
    """Parents and children of the target, by tests of conditional independence.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        A number, a fraction below 1, or None for as many as the method finds. Where it finds fewer
        than asked for, these are selected, with a warning.
    test : {"auto", "fisher-z", "g2"}, default="auto"
        Fisher's z for numbers, or G2 for classes and categories, numbers in three levels. "auto" is
        G2 unless target and features are all numbers. "fisher-z" takes two classes, too.
    alpha : float, default=0.05
        Level of the tests.
    max_given : int, default=3
        Largest number of features given in a test.
    {categorical}
    {target_kind}

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

    test: str = "auto"
    alpha: float = 0.05
    max_given: int = 3
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"

    _keeps_own_number = True

    spec = MethodSpec(
        does=(
            "keeps features that stay dependent on the target, whichever few of the others are "
            "given."
        ),
        score="Minus the logarithm of the p-value of the feature alone.",
        name="hiton-pc",
        purpose="dependent whichever others are given; finds how many",
        cost="n d + t^3 tests each",
        group=FEW,
        keeps_copies=False,
    )

    def make_components(self) -> Components:
        """Make the measure and the strategy of these settings."""
        return self._make(IndependenceTest), self._make(ParentsChildren)
