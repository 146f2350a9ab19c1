"""Selectors of sets of features by HSIC: backward, forward, and by random sets of the others.

BAHSIC and FOHSIC are the algorithms of Song, Smola, Gretton and Borgwardt (2007). A backward round
of BAHSIC is one sweep over all features by matrix products; see
:mod:`hsieve.kernels.quadratic_forms`. randSel and its predecessor judge features by what they bring
to random sets of others.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hsieve.kernels import Gaussian, Kernel
from hsieve.measures import HSIC, NHSIC, Measure
from hsieve.selectors.search import Components, SearchSelector, WeightedSelector
from hsieve.selectors.spec import FEW, JOINT, TOGETHER, MethodSpec, Variant
from hsieve.strategies import Backward, Forward, RandomHalves, RandomisedContributions


@dataclass(eq=False, repr=False, kw_only=True)
class BAHSIC(WeightedSelector):
    """Backward elimination with HSIC: finds features that matter only together.

    Parameters
    ----------
    {n_features_to_select}
    kernel_x : Kernel or None, default=None
        Kernel on the features. None is ``Gaussian("narrow")``, narrow enough to see interactions.
    kernel_y : Kernel or None, default=None
        Kernel on the target. None is ``Delta()`` for classes and a Gaussian for numbers;
        ``Precomputed()`` takes y as a Gram matrix.
    step : float or int, default=0.25
        Fraction (below 1) or number of features dropped each round.
    n_contexts : int, default=8
        Random contexts in which features are judged each round; 1 is the paper's algorithm. See
        :mod:`hsieve.strategies.sequential`.
    compensate : bool, default=True
        Whether a feature is compared with an independent one of the same distribution rather than
        with none, which keeps sparse features and features with outliers from being favoured. See
        :class:`hsieve.HSIC`.
    estimator : {"unbiased", "biased"}, default="unbiased"
        Estimator of HSIC.
    {categorical}
    {target_kind}
    {feature_groups}
    n_jobs : int or None, default=None
        Number of threads, each with one context at a time; -1 for one on each core. The answer does
        not depend on it, but None, which leaves the work to the threads of BLAS, may give other
        last digits.
    {checkpoint}
    random_state : int, Generator or None, default=0
        Seed of the contexts; a fixed seed gives one answer.

    Attributes
    ----------
    {usual_attributes}

    Notes
    -----
    The paper's own rule is
    ``BAHSIC(kernel_x=Gaussian("maximise"), n_contexts=1, step=0.1, compensate=False)``: the width
    with the highest HSIC is chosen again each round. HSIC shrinks with the width, so that rule
    picks wide kernels, which see each feature's own effect and all but miss interactions.

    References
    ----------
    L. Song, A. Smola, A. Gretton, K. Borgwardt, "Supervised feature selection via dependence
    estimation", 2007.

    Examples
    --------
    >>> from hsieve import BAHSIC
    >>> from hsieve.datasets import make_xor
    >>> problem = make_xor(200, 40, random_state=0)
    >>> sorted(BAHSIC(2).fit(problem.X, problem.y).selected_indices_.tolist())
    [0, 1]
    """

    kernel_x: Kernel | None = None
    kernel_y: Kernel | None = None
    step: float = 0.25
    n_contexts: int = 8
    compensate: bool = True
    estimator: str = "unbiased"
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"
    feature_groups: Any = None
    n_jobs: int | None = None
    checkpoint: str | os.PathLike[str] | None = None
    random_state: int | np.random.Generator | None = 0

    spec = MethodSpec(
        does=(
            "begins with all features and drops, again and again, those whose going costs the "
            "least dependence (HSIC) of the rest on the target. Features that matter only "
            "together are seen."
        ),
        score=(
            "What the feature was worth to the others when it was dropped; the last ones kept are"
            " best."
        ),
        name="bahsic",
        purpose="joint effects of any order, by dropping features",
        cost="32 n^2 d",
        group=JOINT,
        sees=TOGETHER,
        variants=(
            Variant(
                "bahsic-paper",
                "BAHSIC as published in 2007: mostly single effects",
                lambda: {
                    "kernel_x": Gaussian("maximise"),
                    "compensate": False,
                    "n_contexts": 1,
                    "step": 0.1,
                },
                "n^2 d a round",
            ),
        ),
    )

    def make_components(self) -> Components:
        """Make the measure and the strategy of these settings."""
        kernel_x = Gaussian("narrow") if self.kernel_x is None else self.kernel_x
        measure = self._make(HSIC, kernel_x=kernel_x, precision="single")
        return measure, self._make(Backward)


@dataclass(eq=False, repr=False, kw_only=True)
class FOHSIC(WeightedSelector):
    """Forward selection with HSIC: quick where few features are wanted.

    Parameters
    ----------
    {n_features_to_select}
        Rules look at the first 100 features.
    kernel_x : Kernel or None, default=None
        Kernel on the features. None is a Gaussian of width sqrt(size of the set).
    kernel_y : Kernel or None, default=None
        Kernel on the target, as in :class:`BAHSIC`.
    estimator : {"unbiased", "biased"}, default="unbiased"
        Estimator of HSIC.
    {categorical}
    {target_kind}
    {feature_groups}
    {checkpoint}

    Attributes
    ----------
    {usual_attributes}

    References
    ----------
    As in :class:`BAHSIC`.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import FOHSIC
    >>> X = np.random.default_rng(0).normal(size=(120, 8))
    >>> y = X[:, 3] ** 2 + np.sin(3 * X[:, 5])
    >>> sorted(FOHSIC(2).fit(X, y).selected_indices_.tolist())
    [3, 5]
    """

    kernel_x: Kernel | None = None
    kernel_y: Kernel | None = None
    estimator: str = "unbiased"
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"
    feature_groups: Any = None
    checkpoint: str | os.PathLike[str] | None = None

    spec = MethodSpec(
        does=(
            "adds, one by one, the feature with which the chosen ones depend most on the target, "
            "by HSIC. Features that say nothing alone are hardly ever found."
        ),
        score="What the feature brought to those chosen before it.",
        name="fohsic",
        purpose="few features, added one by one; no pure interactions",
        cost="k n^2 d",
        group=FEW,
    )

    def make_components(self) -> Components:
        """Make the measure and the strategy of these settings."""
        return self._make(HSIC), Forward()


@dataclass(eq=False, repr=False, kw_only=True)
class RandSel(SearchSelector):
    """Randomised contributions: finds features that matter only together, from subsamples.

    Parameters
    ----------
    {n_features_to_select}
    estimator : {"sweep", "plain"}, default="sweep"
        "plain" is the algorithm of the thesis: centred alignment, mean over the halves that hold a
        feature minus mean over those that do not. "sweep" scores in each round what every feature
        brings to a random set, by HSIC compensated as in :class:`BAHSIC`; measured rates of
        both are in ``docs/explanation/recovery.md``.
    n_rounds : int or None, default=None
        Rounds an iteration; None for 32 (sweep) or 3000 (plain).
    subsample : float, int or None, default=None
        Fraction (up to 1) or number of samples per round; None for 0.5 (sweep) or 0.25 (plain), but
        for at most 1000 samples.
    balanced : bool, default=False
        Whether a subsample holds equally many samples of each class.
    step : float, default=0.25
        Fraction of the features culled after each iteration.
    fix_after : int or None, default=None
        Fix features that were among the best for so many iterations in a row.
    top_share : float, default=0.1
        Fraction of the features left that counts as the best.
    kernel_x : Kernel or None, default=None
        Kernel on the features. None is ``Gaussian("narrow")``, narrow enough to see interactions.
    kernel_y : Kernel or None, default=None
        Kernel on the target. None is ``Delta()`` for classes and a Gaussian for numbers.
    {categorical}
    {target_kind}
    n_jobs : int or None, default=None
        Number of processes; the selection does not depend on it.
    engine : {"local", "threads", "dask", "spark"}, dict, EngineSettings or None, default=None
        Who does the rounds, instead of `n_jobs`: see :func:`hsieve.parallel.make_engine`. The
        answer does not depend on it. Each iteration sends its features to each worker once.
    {checkpoint}
    random_state : int, Generator or None, default=0
        Seed of the draws; a fixed seed gives one answer.

    Attributes
    ----------
    selected_indices_, ranking_, scores_, path_
        As in every selector: chosen features best first, place of each feature, its last
        contribution, the whole search. ``path_.contributions`` holds those of every iteration,
        ``path_.merits`` what features were judged by, ``path_.nested_sets`` the features of
        positive contribution, ``path_.fixed`` those fixed.

    References
    ----------
    D. Athanasakis, "Feature selection in computational biology", University College London, 2014,
    algorithm 6.

    Examples
    --------
    >>> from hsieve import RandSel
    >>> from hsieve.datasets import make_xor
    >>> problem = make_xor(200, 40, random_state=0)
    >>> sorted(RandSel(2).fit(problem.X, problem.y).selected_indices_.tolist())
    [0, 1]
    """

    estimator: str = "sweep"
    n_rounds: int | None = None
    subsample: float | None = None
    balanced: bool = False
    step: float = 0.25
    fix_after: int | None = None
    top_share: float = 0.1
    kernel_x: Kernel | None = None
    kernel_y: Kernel | None = None
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"
    n_jobs: int | None = None
    engine: Any = None
    checkpoint: str | os.PathLike[str] | None = None
    random_state: int | np.random.Generator | None = 0

    spec = MethodSpec(
        does=(
            "asks random sets of features, on random parts of the samples, what each feature "
            "brings to them, and culls those that bring least. Features that matter only together"
            " are seen."
        ),
        score="The last contribution of the feature.",
        name="randsel",
        purpose="as bahsic, from random subsamples and feature sets",
        cost="64 n^2 d",
        group=JOINT,
        sees=TOGETHER,
    )

    def make_components(self) -> Components:
        """Make the measure and the strategy of these settings."""
        kernel_x = Gaussian("narrow") if self.kernel_x is None else self.kernel_x
        measure: Measure
        if self.estimator == "plain":
            measure = self._make(NHSIC, kernel_x=kernel_x)
        else:
            # The estimator asked for is that of the contributions.
            measure = self._make(
                HSIC, estimator="unbiased", compensate=True, kernel_x=kernel_x, precision="single"
            )
        return measure, self._make(RandomisedContributions)


@dataclass(eq=False, repr=False, kw_only=True)
class HalvesRegression(SearchSelector):
    """Random halves of the features, their difference in HSIC explained by a sparse regression.

    The thesis' earlier weighting scheme, kept for comparison; :class:`RandSel` finds more.

    Parameters
    ----------
    {number_without_rules}
    n_rounds : int, default=1000
        Number of random splits.
    epsilon : float, default=0.1
        Differences up to this size, in deviations of all differences, need not be explained.
    penalty : float or None, default=None
        Cost of a weight, as a fraction of the least one with which no feature has a weight; only
        features with a weight are selected then. None takes the penalty that gives as many
        features as wanted a weight; where it gives fewer, others follow by position.
    kernel_x, kernel_y, categorical, target_kind
        As in :class:`RandSel`.
    random_state : int, Generator or None, default=0
        Seed of the splits.

    Attributes
    ----------
    selected_indices_, ranking_, scores_, path_
        As in every selector: chosen features best first, place of each feature, its weight, the
        whole search.

    References
    ----------
    D. Athanasakis, "Feature selection in computational biology", University College London, 2014,
    section 4.5, algorithm 7.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import HalvesRegression
    >>> X = np.random.default_rng(0).normal(size=(100, 8))
    >>> y = X[:, 2] + X[:, 5] ** 2
    >>> sorted(HalvesRegression(2, n_rounds=100).fit(X, y).selected_indices_.tolist())
    [2, 5]
    """

    n_rounds: int = 1000
    epsilon: float = 0.1
    penalty: float | None = None
    kernel_x: Kernel | None = None
    kernel_y: Kernel | None = None
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"
    random_state: int | np.random.Generator | None = 0

    spec = MethodSpec(
        does=(
            "compares random halves of the features by their dependence on the target (HSIC) and "
            "explains the differences by a sparse, non-negative regression."
        ),
        score="Weight of the feature in that regression.",
        sees=TOGETHER,
    )

    def make_components(self) -> Components:
        """Make the measure and the strategy of these settings."""
        kernel_x = Gaussian("narrow") if self.kernel_x is None else self.kernel_x
        return self._make(HSIC, kernel_x=kernel_x), self._make(RandomHalves)
