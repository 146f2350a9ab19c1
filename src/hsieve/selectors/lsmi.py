"""Selectors of sets of features by squared-loss mutual information, and l1-HSIC.

Forward, backward, or weights of all features at once, until only a few are left (Jitkrittum,
Hachiya and Sugiyama 2012); this search, :mod:`hsieve.strategies.l1_ball`, goes with HSIC, too.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hsieve.kernels import Gaussian
from hsieve.measures import HSIC, LSMI
from hsieve.selectors.search import Components, SearchSelector, WeightedSelector
from hsieve.selectors.spec import FEW, JOINT, TOGETHER, MethodSpec
from hsieve.strategies import Backward, Forward, L1Ball


@dataclass(eq=False, repr=False, kw_only=True)
class ForwardLSMI(SearchSelector):
    """Add, one by one, the feature that leaves the squared-loss mutual information highest.

    Parameters
    ----------
    {n_features_to_select}
        Rules look at the first 100 features.
    n_centres : int, default=100
        Number of basis functions of the density ratio.
    {categorical}
    {target_kind}
    {checkpoint}
    random_state : int, Generator or None, default=0
        Seed of centres and folds.

    Attributes
    ----------
    {usual_attributes}

    References
    ----------
    H. Hachiya, M. Sugiyama, "Feature selection for reinforcement learning: evaluating implicit
    state-reward dependency via conditional mutual information", 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import ForwardLSMI
    >>> X = np.random.default_rng(0).normal(size=(150, 5))
    >>> sorted(ForwardLSMI(2).fit(X, X[:, 1] ** 2 + X[:, 3]).selected_indices_.tolist())
    [1, 3]
    """

    n_centres: int = 100
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"
    checkpoint: str | os.PathLike[str] | None = None
    random_state: int | np.random.Generator | None = 0

    spec = MethodSpec(
        does=(
            "adds, one by one, the feature with which the squared-loss mutual information of the "
            "set with the target is highest."
        ),
        score="What the feature brought to those chosen before it.",
        name="forward-lsmi",
        purpose="few features, added one by one, by mutual information",
        cost="10^4 n d k",
        group=FEW,
        keeps_copies=False,
    )

    def make_components(self) -> Components:
        """Make the measure and the strategy of these settings."""
        return self._make(LSMI, precision="single"), Forward()


@dataclass(eq=False, repr=False, kw_only=True)
class BackwardLSMI(ForwardLSMI):
    """Drop, again and again, the features whose going costs the least mutual information.

    Parameters
    ----------
    {n_features_to_select}
    step : float or int, default=1
        Fraction (below 1) or number of features dropped each round; one by one as in the paper.
    n_centres : int, default=100
        Number of basis functions of the density ratio.
    {categorical}
    {target_kind}
    {checkpoint}
    random_state : int, Generator or None, default=0
        Seed of centres and folds.

    Attributes
    ----------
    {usual_attributes}

    References
    ----------
    As in :class:`L1LSMI`.

    Examples
    --------
    >>> from hsieve import BackwardLSMI
    >>> from hsieve.datasets import make_xor_toy
    >>> problem = make_xor_toy(200, random_state=0)
    >>> sorted(BackwardLSMI(2).fit(problem.X, problem.y).selected_indices_.tolist())
    [0, 1]
    """

    step: float = 1

    spec = MethodSpec(
        does=(
            "drops, one by one, the feature whose going costs the least squared-loss mutual "
            "information of the set with the target."
        ),
        score=(
            "What the feature was worth to the others when it was dropped; the last ones kept are"
            " best."
        ),
        name="backward-lsmi",
        purpose="joint effects, dropping features one by one",
        cost="10^4 n d^2",
        group=JOINT,
        sees=TOGETHER,
        keeps_copies=False,
    )

    def make_components(self) -> Components:
        """Make the measure and the strategy of these settings."""
        return self._make(LSMI, precision="single"), self._make(Backward)


@dataclass(eq=False, repr=False, kw_only=True)
class _L1Selector(SearchSelector):
    """Base of selectors that weigh all features."""

    n_restarts: int = 20
    optimiser: str = "shrink"
    time_limit: float | None = None
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"
    n_jobs: int | None = None
    engine: Any = None
    checkpoint: str | os.PathLike[str] | None = None
    random_state: int | np.random.Generator | None = 0


@dataclass(eq=False, repr=False, kw_only=True)
class L1LSMI(_L1Selector):
    """Features of a weighted set with the highest squared-loss mutual information.

    Sees features that matter only together, leaves out those that repeat others, and chooses the
    width of its kernel itself. Made for up to some hundreds of features.

    Parameters
    ----------
    {number_without_rules}
    n_restarts : int, default=20
        Number of random weights to begin from; the best set is taken.
    optimiser : {"shrink", "paper"}, default="shrink"
        "shrink" passes through all sizes in one ascent, "paper" searches for a radius as
        published; see :mod:`hsieve.strategies.weight_search`.
    time_limit : float or None, default=None
        Seconds after which the best set so far is taken.
    n_centres : int, default=100
        Number of basis functions of the density ratio.
    {categorical}
    {target_kind}
    n_jobs : int or None, default=None
        Number of processes that share the restarts.
    engine : {"local", "threads", "dask", "spark"}, dict, EngineSettings or None, default=None
        Who does the restarts, instead of `n_jobs`: see :func:`hsieve.parallel.make_engine`. The
        answer does not depend on it.
    {checkpoint}
    random_state : int, Generator or None, default=0
        Seed of centres, folds and weights.

    Attributes
    ----------
    selected_indices_, ranking_, scores_, path_
        As in every selector; `scores_` are the weights of the selected features, the largest 1,
        and ``path_.sets`` all sets that were met.

    References
    ----------
    W. Jitkrittum, H. Hachiya, M. Sugiyama, "Feature selection via l1-penalized squared-loss mutual
    information", 2012.

    Examples
    --------
    >>> from hsieve import L1LSMI
    >>> from hsieve.datasets import make_xor_toy
    >>> problem = make_xor_toy(200, random_state=0)
    >>> sorted(L1LSMI(2, n_restarts=3).fit(problem.X, problem.y).selected_indices_.tolist())
    [0, 1]
    """

    n_centres: int = 100

    spec = MethodSpec(
        does=(
            "climbs the squared-loss mutual information of weighted features with the target, "
            "while the weights shrink until few are left. Features that matter only together are "
            "seen, and redundant features lose their weight."
        ),
        score="Weight of the feature, the largest being 1; zero for features that lost theirs.",
        name="l1-lsmi",
        purpose="joint effects, redundant features left out",
        cost="20,000 n d",
        group=JOINT,
        sees=TOGETHER,
        keeps_copies=False,
    )

    def make_components(self) -> Components:
        """Make the measure and the strategy of these settings."""
        return self._make(LSMI, precision="single"), self._make(L1Ball)


class L1HSIC(_L1Selector, WeightedSelector):
    """Features of a weighted set with the highest HSIC.

    As :class:`L1LSMI`, with the biased HSIC of a Gaussian kernel whose width is the median distance
    of the weighted features. Quicker with few samples, less able to tell repetition.

    Parameters
    ----------
    {number_without_rules}
    n_restarts : int, default=20
        Number of random weights to begin from; the best set is taken.
    optimiser : {"shrink", "paper"}, default="shrink"
        See :class:`L1LSMI`.
    time_limit : float or None, default=None
        Seconds after which the best set so far is taken.
    {categorical}
    {target_kind}
    n_jobs : int or None, default=None
        Number of processes that share the restarts.
    engine : {"local", "threads", "dask", "spark"}, dict, EngineSettings or None, default=None
        Who does the restarts, instead of `n_jobs`: see :func:`hsieve.parallel.make_engine`. The
        answer does not depend on it.
    {checkpoint}
    random_state : int, Generator or None, default=0
        Seed of the weights.

    Attributes
    ----------
    selected_indices_, ranking_, scores_, path_
        As in :class:`L1LSMI`.

    References
    ----------
    As in :class:`L1LSMI`.

    Examples
    --------
    >>> from hsieve import L1HSIC
    >>> from hsieve.datasets import make_xor_toy
    >>> problem = make_xor_toy(200, random_state=0)
    >>> sorted(L1HSIC(2, n_restarts=3).fit(problem.X, problem.y).selected_indices_.tolist())
    [0, 1]
    """

    spec = MethodSpec(
        does=(
            "climbs the dependence (HSIC) of weighted features on the target, while the weights "
            "shrink until few are left."
        ),
        score="Weight of the feature, the largest being 1; zero for features that lost theirs.",
        name="l1-hsic",
        purpose="as l1-lsmi by HSIC; faster with few samples",
        cost="200 n^2 d",
        group=JOINT,
        sees=TOGETHER,
    )

    def make_components(self) -> Components:
        """Make the measure and the strategy of these settings."""
        kernel = Gaussian("median")
        measure = self._make(HSIC, estimator="biased", kernel_x=kernel, precision="single")
        return measure, self._make(L1Ball)
