"""N3LARS and HSIC Lasso: relevant features that do not repeat each other, by one convex path."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from hsieve.data.columns import ColumnBlocks
from hsieve.data.engine_columns import EngineColumns
from hsieve.io.distributed import distributed_features, is_distributed
from hsieve.kernels.columns import check_positions
from hsieve.measures import Measure
from hsieve.measures.pairwise import PairwiseHSIC, nearest_relatives
from hsieve.parallel import make_engine
from hsieve.parallel.threads import one_blas_thread
from hsieve.selectors.input_data import with_categories
from hsieve.selectors.search import Components, WeightedSelector
from hsieve.selectors.spec import BEGIN, FEW, JOINT, MethodSpec, Variant
from hsieve.strategies import LarsSearch
from hsieve.strategies.base import Strategy
from hsieve.strategies.lars_path import LarsSelectionPath


@dataclass(frozen=True, eq=False)
class Relatives:
    """The features most like a selected one.

    Parameters
    ----------
    feature : int
        The selected feature.
    indices : ndarray of shape (n_relatives,)
        The others, closest first.
    scores : ndarray of shape (n_relatives,)
        NHSIC of each with the selected feature: 0 for independent features, 1 for a copy.
    """

    feature: int
    indices: NDArray[np.intp]
    scores: NDArray[np.floating]


@dataclass(frozen=True)
class SelectedPair:
    """Two features that entered the path together.

    Parameters
    ----------
    features : tuple of int
        Positions of the features.
    names : tuple of str
        Their names.
    coefficient : float
        Coefficient of the pair where the path stops.
    relevance : float
        Dependence of the target on the pair beyond the effects of its features alone.
    """

    features: tuple[int, int]
    names: tuple[str, str]
    coefficient: float
    relevance: float


@dataclass(eq=False, repr=False, kw_only=True)
class _LarsSelector(WeightedSelector):
    """What N3LARS and HSIC Lasso share: all but the normalisation of the kernels."""

    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"
    covariates: Iterable[int] = ()
    max_redundancy: float | None = None
    interactions: str | None = None
    feature_groups: Any = None
    form: str = "auto"
    memory_limit: int | str | None = None
    n_jobs: int | None = None
    engine: Any = None
    checkpoint: str | os.PathLike[str] | None = None

    path_: LarsSelectionPath = field(init=False)
    coef_: NDArray[np.floating] = field(init=False)
    relevance_: NDArray[np.floating] = field(init=False)
    _normalised: ClassVar[bool]

    def _keep(self, path: Any, varying: NDArray[np.intp], n_wanted: int) -> None:
        super()._keep(path, varying, n_wanted)
        if self._groups is not None:
            self.coef_, self.pairs_ = self.scores_.copy(), []
            self.relevance_ = np.zeros(self.n_features_in_)
            self.relevance_[varying] = self._groups.spread(self.group_path_.relevance)
            self.groups_ = [np.zeros(0, dtype=np.intp) for _ in self.selected_indices_]
            return
        lars = self.path_.lars
        coefficients = lars.coefficients(float(lars.levels[-1]))
        self.coef_ = coefficients[: self.n_features_in_]
        self.coef_[check_positions(self.covariates, self.n_features_in_, name="covariates")] = 0.0
        self.pairs_ = self._selected_pairs(coefficients)
        self.relevance_ = self.path_.relevance
        met = dict(zip(lars.selected.tolist(), self.path_.groups, strict=True))
        nobody = np.zeros(0, dtype=np.intp)
        self.groups_ = [met.get(int(feature), nobody) for feature in self.selected_indices_]

    def _selected_pairs(self, coefficients: NDArray[np.floating]) -> list[SelectedPair]:
        """Pairs on the path, the largest coefficient first."""
        path, n_features = self.path_, self.n_features_in_
        names = getattr(self, "feature_names_in_", np.arange(n_features))
        atoms = path.lars.selected[path.lars.selected >= n_features]
        pairs = []
        for atom in atoms[np.argsort(-coefficients[atoms], kind="stable")].tolist():
            a, b = path.features_of(atom)
            relevance = float(path.pair_relevance[atom - n_features])
            named = (str(names[a]), str(names[b]))
            pairs.append(SelectedPair((a, b), named, float(coefficients[atom]), relevance))
        return pairs

    def relatives(self, X: ArrayLike | ColumnBlocks, n_relatives: int = 10) -> list[Relatives]:
        """Find the features most like each selected one, among all features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or ColumnBlocks
            The features the selector was fitted on; as in `fit`, also data of Dask and Spark.
        n_relatives : int, default=10
            How many to report for each selected feature.

        Returns
        -------
        list of Relatives
            One for each selected feature, in the order of ``selected_indices_``.

        Notes
        -----
        One more pass over the data, with a product for every feature and selected feature: the
        one step that the bound does not shorten, and so not a part of ``fit``.
        """
        check_is_fitted(self)
        # Before workers are started, where that does not need them.
        blocks = None if is_distributed(X) else self._as_blocks(X, reset=False)
        with one_blas_thread(), make_engine(self.engine, self.n_jobs) as engine:
            if blocks is None:
                names = getattr(self, "feature_names_in_", None)
                features = distributed_features(X, names, engine)
                blocks = self._as_blocks(features, reset=False)
            found = nearest_relatives(
                EngineColumns(blocks, engine),
                self.selected_indices_,
                n_relatives,
                measure=with_categories(self._measure(), self.categorical_),
            )
        chosen = self.selected_indices_.tolist()
        return [Relatives(feature, *of) for feature, of in zip(chosen, found, strict=True)]

    def _check_engine(self, measure: Measure, strategy: Strategy) -> None:
        super()._check_engine(measure, strategy)
        if self.interactions is not None and not make_engine(self.engine).is_local:
            msg = (
                f"interactions={self.interactions!r} goes through all pairs in this process, which "
                f"engine={self.engine!r} does not help with; use 'threads' or leave engine out."
            )
            raise ValueError(msg)
        if self.interactions is not None and self.checkpoint is not None:
            msg = (
                f"checkpoint={self.checkpoint!r} keeps nothing of the sweep over all pairs, which "
                f"is nearly all the work of interactions={self.interactions!r}; leave one out."
            )
            raise ValueError(msg)

    def _measure(self) -> PairwiseHSIC:
        return self._make(PairwiseHSIC, normalised=self._normalised)

    def make_components(self) -> Components:
        """Make the measure and the strategy of these settings."""
        return self._measure(), self._make(LarsSearch)


class N3LARS(_LarsSelector):
    """Non-negative LARS with normalised HSIC: nonlinear, and wary of redundancy.

    Parameters
    ----------
    {n_features_to_select}
        Rules cut the order in which features enter the path, up to 100. Where the path ends before,
        the most relevant of the other features fill up, with a coefficient of zero.
    {categorical}
    {target_kind}
    covariates : iterable of int, default=()
        Features to adjust for, such as age or batch: they explain what they can of the target
        first, without penalty, and are never selected.
    max_redundancy : float or None, default=None
        Most that two selected features may share (NHSIC: 0 independent, 1 copies). With 0.9 near
        copies of a selected feature stay out. None lets the path decide; it keeps copies back but
        does not bar them.
    interactions : {None, "pairs"}, default=None
        "pairs": every pair of features is a candidate beside the single features, so that features
        which matter only together are found too. One sweep over all pairs, on all cores of this
        machine, so not with a cluster for an engine. Covariates are in no pair. Of a pair that
        would bring in one feature too many, one may be selected.
    {feature_groups}
    form : {"auto", "dense", "coded"}, default="auto"
        How features are held; see :class:`PairwiseHSIC`. "auto" takes one byte per value from 8,192
        samples and 20 million values on.
    memory_limit : int, str or None, default=None
        Most memory to use beside the data handed in, in bytes or as "2GB". Threads share it: with
        little, only some of them work at a time.
    {n_jobs}
    {engine}
    {checkpoint}

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficient of each single feature where the path stops; not negative.
    pairs_ : list of SelectedPair
        The pairs on the path, the largest coefficient first; empty without `interactions`.
    relevance_ : ndarray of shape (n_features,)
        Dependence of each feature on the target.
    groups_ : list of ndarray
        For each of ``selected_indices_``, the features met on the path that are interchangeable
        with it (NHSIC of 0.9 or more), closest first. :meth:`relatives` looks at all features.
    traffic_ : Traffic
        Bytes that went to workers of other processes and came back.
    path_ : LarsSelectionPath
        The search: ``path_.lars`` holds levels and coefficients at every knot.
    selected_indices_, ranking_, scores_
        As in every selector: chosen features best first, place of each feature, score of each
        feature (its coefficient and those of its pairs).

    Notes
    -----
    Features enter by what they add to those already in, so copies of a good feature stay back.
    Features that matter only together are seen with ``interactions="pairs"``; how sure they are
    tells :class:`InteractionScan`.

    References
    ----------
    M. Yamada et al., "N3LARS: minimum redundancy maximum relevance feature selection for large and
    high-dimensional data", 2014.

    Examples
    --------
    >>> from hsieve import N3LARS
    >>> from hsieve.datasets import make_n3lars
    >>> problem = make_n3lars(300, 100, random_state=0)
    >>> chosen = N3LARS(5).fit(problem.X, problem.y).selected_indices_
    >>> sorted({int(feature) % 50 for feature in chosen[:3]})
    [0, 1, 2]
    """

    spec = MethodSpec(
        does=(
            "follows a path of falling penalty on which a feature comes in as soon as it tells "
            "something about the target, by normalised HSIC, that those already in do not. It "
            "sees relations of any shape, and copies of a feature are kept back."
        ),
        score="Coefficient of the feature where the path stops, with those of its pairs.",
        name="n3lars",
        purpose="effects of any shape, redundant features left out",
        cost="n d + few pairs",
        group=BEGIN,
        keeps_copies=False,
        variants=(
            Variant(
                "pairs",
                "as n3lars, with pairs that matter only together",
                lambda: {"interactions": "pairs"},
                "9 n d^2",
                JOINT,
            ),
        ),
    )

    _normalised = True


class HSICLasso(_LarsSelector):
    """HSIC Lasso: the path of :class:`N3LARS` without the normalisation of the kernels.

    Parameters
    ----------
    n_features_to_select, categorical, target_kind, covariates, max_redundancy, interactions
        As in :class:`N3LARS`.
    feature_groups, form, memory_limit, n_jobs, engine, checkpoint
        As in :class:`N3LARS`.

    Attributes
    ----------
    coef_, pairs_, relevance_, groups_, traffic_, path_, selected_indices_, ranking_, scores_
        As in :class:`N3LARS`.

    References
    ----------
    M. Yamada, W. Jitkrittum, L. Sigal, E. Xing, M. Sugiyama, "High-dimensional feature selection by
    feature-wise kernelized lasso", 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import HSICLasso
    >>> X = np.random.default_rng(0).normal(size=(200, 10))
    >>> sorted(HSICLasso(2).fit(X, np.abs(X[:, 3]) + X[:, 7]).selected_indices_.tolist())
    [3, 7]
    """

    spec = MethodSpec(
        does=(
            "explains the kernel of the target by a sparse, non-negative sum of the kernels of "
            "single features: relevant features of any shape that do not repeat each other."
        ),
        score="Coefficient of the feature where the path stops, with those of its pairs.",
        name="hsic-lasso",
        purpose="as n3lars, kernels not normalised",
        cost="n d + few pairs",
        group=FEW,
        keeps_copies=False,
    )

    _normalised = False
