"""Backward elimination and forward selection, with HSIC (BAHSIC, FOHSIC) and with LSMI.

The algorithms of Song, Smola, Gretton and Borgwardt (2007). A backward round of BAHSIC is one sweep
over all features by matrix products; see :mod:`hsieve.kernels.quadratic_forms`.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from hsieve.kernels import Gaussian, Kernel
from hsieve.measures import HSIC, LSMI
from hsieve.measures.base import Measure
from hsieve.selectors.search import SearchSelector
from hsieve.selectors.spec import FEW, JOINT, TOGETHER, MethodSpec, Variant
from hsieve.strategies import Backward, Forward
from hsieve.strategies.base import Strategy


@dataclass(eq=False, repr=False, kw_only=True)
class BAHSIC(SearchSelector):
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
        Share (below 1) or number of features dropped each round.
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

    def make_components(self) -> tuple[Measure, Strategy]:
        """Make the measure and the strategy of these settings."""
        kernel_x = Gaussian("narrow") if self.kernel_x is None else self.kernel_x
        measure = self._make(HSIC, kernel_x=kernel_x, precision="single")
        return measure, self._make(Backward)


@dataclass(eq=False, repr=False, kw_only=True)
class FOHSIC(SearchSelector):
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

    def make_components(self) -> tuple[Measure, Strategy]:
        """Make the measure and the strategy of these settings."""
        return self._make(HSIC), Forward()


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

    def make_components(self) -> tuple[Measure, Strategy]:
        """Make the measure and the strategy of these settings."""
        return self._make(LSMI, precision="single"), Forward()


@dataclass(eq=False, repr=False, kw_only=True)
class BackwardLSMI(ForwardLSMI):
    """Drop, again and again, the features whose going costs the least mutual information.

    Parameters
    ----------
    {n_features_to_select}
    step : float or int, default=1
        Share (below 1) or number of features dropped each round; one by one as in the paper.
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

    def make_components(self) -> tuple[Measure, Strategy]:
        """Make the measure and the strategy of these settings."""
        return self._make(LSMI, precision="single"), self._make(Backward)
