"""Forward selection and backward elimination with squared-loss mutual information."""

import os
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass

import numpy as np

from hsieve.measures import LSMI
from hsieve.measures.base import Measure
from hsieve.selectors.search import SearchSelector
from hsieve.selectors.spec import FEW, JOINT, TOGETHER, MethodSpec
from hsieve.strategies import Backward, Forward
from hsieve.strategies.base import Strategy


@dataclass(eq=False, repr=False)
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

    n_features_to_select: int | float | str | None = None
    _: KW_ONLY
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


@dataclass(eq=False, repr=False)
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

    _: KW_ONLY
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
