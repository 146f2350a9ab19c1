"""Kernel pursuit: features that explain what those already chosen leave unexplained."""

import math
import os
import warnings
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.data.columns import ColumnBlocks
from hsieve.dataset import Dataset
from hsieve.deadline import Deadline
from hsieve.exceptions import NothingFoundWarning
from hsieve.inference.feature_number import NumberChoice
from hsieve.measures.base import Measure
from hsieve.measures.pairwise import PairwiseHSIC
from hsieve.selectors.base import whole_or_nothing
from hsieve.selectors.search import WeightedSelector
from hsieve.selectors.spec import BEGIN, MethodSpec
from hsieve.strategies import PursuitPath, PursuitSearch
from hsieve.strategies.base import Strategy

# What is left for the search where reading the columns has taken all the time.
LEAST_SECONDS = 0.05


@dataclass(eq=False, repr=False)
class KernelPursuit(WeightedSelector):
    """Choose features by what they add to those chosen before, and choose their number.

    Parameters
    ----------
    n_features_to_select : int, float, str or None, default="auto"
        "auto": as many as pass the gates, perhaps none. A number, a fraction below 1, or None for
        10: the best of these, filled up by relevance less redundancy where fewer pass the gates.
        "alignment", "guarded" or "cv" cut the order by the rules of
        :mod:`hsieve.inference.feature_number`.
    level : float, default=0.05
        Probability that anything is chosen where no feature is related to the target. With k
        features chosen, the next one is tested at k + 1 times this level.
    least_gain : float, default=1.5
        Number of standard errors by which the leave-one-out loss must fall for a feature to join.
    interactions : {"auto", None}, default="auto"
        "auto": where no single feature is left, pairs and triples that matter only together are
        looked for, if all of them can be looked at in a few seconds. None: single features only.
    time_limit : float or None, default=None
        Seconds after which no further feature is tried; the best answer so far is given, and
        ``path_.stop_reason`` says so. None for no limit.
    {categorical}
    {target_kind}
    memory_limit : int, str or None, default=None
        Most memory to use beside the data handed in, in bytes or as "2GB".
    n_jobs : int or None, default=None
        Number of threads for the passes over the columns; -1 for one on each core, None for one.
        The answer does not depend on it.
    engine : {"local", "threads", "dask", "spark"}, dict, EngineSettings or None, default=None
        Where the passes over the columns run: see :func:`hsieve.parallel.make_engine`. The
        regressions run in this process. The answer does not depend on it.
    {checkpoint}
    random_state : int, Generator or None, default=0
        Draws the landmarks of the regressions.

    Attributes
    ----------
    path_ : PursuitPath
        The search: ``path_.errors`` is the leave-one-out error after each step (1 with no feature),
        ``path_.events`` all that happened, ``path_.stop_reason`` why it ended.
    n_features_choice_ : NumberChoice
        With "auto" or a rule: the number, the reason, and the curve over all numbers.
    substitutes_ : list of ndarray
        For each of ``selected_indices_``, features that were met on the way and share much with it
        (NHSIC of 0.5 or more), closest first.
    traffic_ : Traffic
        Bytes that went to worker processes and came back.
    selected_indices_, ranking_, scores_
        As in every selector: chosen features in the order in which they joined, place of each
        feature, and by how much the leave-one-out error fell when it joined.

    See Also
    --------
    N3LARS : One convex path; marginal relevance less redundancy. Better for few samples.
    BAHSIC : Backward elimination by joint dependence.

    Notes
    -----
    Relevance is NHSIC with the leave-one-out residuals of a kernel ridge regression on the features
    chosen so far, so that a weak effect is seen beside strong ones. It is meant for effects on the
    *mean* of the target: a feature that changes only its spread is not chosen.

    References
    ----------
    J. Fan and J. Lv, "Sure independence screening for ultrahigh dimensional feature space", 2008;
    P. Vincent and Y. Bengio, "Kernel matching pursuit", 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import KernelPursuit
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 50))
    >>> y = 3 * X[:, 7] + X[:, 3] ** 2 + X[:, 11] * X[:, 12] + 0.3 * rng.normal(size=300)
    >>> pursuit = KernelPursuit().fit(X, y)
    >>> sorted(pursuit.selected_indices_.tolist())
    [3, 7, 11, 12]
    """

    n_features_to_select: int | float | str | None = "auto"
    _: KW_ONLY
    level: float = 0.05
    least_gain: float = 1.5
    interactions: str | None = "auto"
    time_limit: float | None = None
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"
    memory_limit: int | str | None = None
    n_jobs: int | None = None
    engine: Any = None
    checkpoint: str | os.PathLike[str] | None = None
    random_state: int | np.random.Generator | None = 0

    spec = MethodSpec(
        does=(
            "adds features that explain what those already chosen leave unexplained: each step "
            "takes the feature most related to the leave-one-out residuals of a kernel regression"
            " on the features chosen so far. A feature stays only if its relation to the "
            "residuals is beyond chance and it lowers the leave-one-out error, so the number of "
            "features is part of the result. Where no single feature is left, pairs and triples "
            "that act only together are searched, if that takes no more than a few seconds."
        ),
        score=(
            "How much the leave-one-out error fell when the feature was added, as a fraction of "
            "the variance of the target; features that were added together share it equally."
        ),
        name="pursuit",
        purpose="features that explain what others leave; finds how many",
        cost="n d a step",
        group=BEGIN,
        keeps_copies=False,
    )

    path_: PursuitPath = field(init=False)
    own_rules: ClassVar[tuple[str, ...]] = ("auto",)

    @whole_or_nothing
    def fit(
        self,
        X: ArrayLike | ColumnBlocks | Dataset,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Choose features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or ColumnBlocks
            Features: finite numbers. Also what :class:`N3LARS` takes.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Classes, numbers or several outputs.
        sample_weight : array-like of int of shape (n_samples,) or None, default=None
            How many samples each row stands for. None counts each once.

        Returns
        -------
        self
            The fitted selector.
        """
        self._deadline = Deadline(math.inf if self.time_limit is None else self.time_limit)
        super().fit(X, y, sample_weight)
        path, chosen = self.path_, self.selected_indices_
        nobody = np.zeros(0, dtype=np.intp)
        self.substitutes_ = [path.substitutes.get(int(feature), nobody) for feature in chosen]
        if self._finds_number:
            self.n_features_choice_ = NumberChoice(
                rule="auto",
                number=len(chosen),
                sizes=np.array([0, *path.sizes], dtype=np.intp),
                values=1.0 - path.errors,
                criterion="explained variance",
                width=path.width,
                stop_reason=path.stop_reason,
            )
        if not len(chosen):
            msg = (
                f"No feature is related to the target beyond chance (level={self.level:g}) and "
                "lowers the leave-one-out error, so none is selected. Give a number as "
                "n_features_to_select to select so many in any case."
            )
            warnings.warn(msg, NothingFoundWarning, stacklevel=3)
        return self

    @property
    def _finds_number(self) -> bool:
        return isinstance(self.n_features_to_select, str) and self.n_features_to_select == "auto"

    @property
    def _may_have_groups(self) -> bool:  # type: ignore[override]
        """Whether the number is given; else tests of samples as independent find it."""
        return self.n_features_to_select is not None

    def make_components(self) -> tuple[Measure, Strategy]:
        """Make the measure and the strategy of these settings."""
        strategy = self._make(PursuitSearch, finds_number=self._finds_number)
        return self._make(PairwiseHSIC), strategy

    def _search(self, parts: tuple[Measure, Strategy], *data: Any) -> None:
        _, strategy = parts
        if isinstance(strategy, PursuitSearch) and self.time_limit is not None:
            # Reading and factoring the columns has taken some of it.
            strategy.time_limit = max(self._deadline.left(), LEAST_SECONDS)
        super()._search(parts, *data)

    def _n_wanted(self, n_features: int) -> int:
        if self._finds_number:
            return self.make_components()[1].n_ranked(n_features)
        return super()._n_wanted(n_features)

    def _by_rule(self, ranked: NDArray[np.intp], n_wanted: int, *data: Any) -> int:
        if self._finds_number:
            return len(ranked)
        return super()._by_rule(ranked, n_wanted, *data)
