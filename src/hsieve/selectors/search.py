"""Selectors that are a measure and a strategy: they say which, and the search is run for them.

:class:`DependenceSelector` takes any measure with any strategy that fits it.
"""

from abc import abstractmethod
from collections.abc import Collection, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import KW_ONLY, dataclass
from inspect import signature
from numbers import Real
from typing import Any, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import _check_sample_weight

from hsieve.data.columns import ColumnBlocks, some_columns
from hsieve.data.engine_columns import EngineColumns
from hsieve.data.validation import constant_columns
from hsieve.data.views import SampleBlocks
from hsieve.dataset import Dataset
from hsieve.exceptions import (
    FewerFeaturesWarning,
    IncompatibleCombinationError,
    warn_user,
)
from hsieve.io.distributed import (
    distributed_columns,
    is_distributed,
    is_of_spark,
    no_fixed_order,
)
from hsieve.kernels import Linear, Precomputed
from hsieve.measures import HSIC, NHSIC, KernelRidge, MutualInformation, Pearson, Ridge
from hsieve.measures.base import Measure
from hsieve.parallel import Engine, make_engine
from hsieve.parallel.settings import SerialEngine
from hsieve.parallel.threads import one_blas_thread
from hsieve.selectors.base import MIN_SAMPLES, BaseSelector, whole_or_nothing
from hsieve.selectors.checkpoint import checkpointed, has_jobs, has_sweeps, kept_search
from hsieve.selectors.feature_groups import GROUPS, FeatureGroups
from hsieve.selectors.input_data import with_categories
from hsieve.selectors.number_rules import check_rule_fits
from hsieve.selectors.spec import MODELS, RANKINGS, MethodSpec, Variant
from hsieve.strategies import Backward, Forward, Ranking
from hsieve.strategies.base import Strategy

STRATEGIES = {"ranking": Ranking, "forward": Forward, "backward": Backward}
Component = TypeVar("Component", Measure, Strategy)
Components: TypeAlias = tuple[Measure, Strategy]
BYTES_AT_A_TIME = 64 * 2**20


@dataclass(eq=False, repr=False)
class SearchSelector(BaseSelector):
    """Base of selectors that are a measure and a strategy."""

    n_features_to_select: int | float | str | None = None

    @abstractmethod
    def make_components(self) -> Components:
        """Measure and strategy made from the constructor's parameters."""

    def _make(self, kind: type[Component], **settings: Any) -> Component:
        """Make a measure or a strategy; what is not given is this selector's, if it has it."""
        own = self.get_params(deep=False)
        shared = {name: own[name] for name in signature(kind).parameters if name in own}
        return kind(**(shared | settings))

    def _chosen_measure(self, usual: Measure) -> Measure:
        """Return the measure asked for, or the usual one, with this selector's settings."""
        own = self.get_params(deep=False)
        chosen = usual if own["measure"] is None else own["measure"]
        settings: dict[str, object] = {}
        if not isinstance(own["categorical"], Collection) or len(own["categorical"]):
            settings["categorical"] = own["categorical"]
        if own["target_kind"] != "auto":
            settings["target_kind"] = own["target_kind"]
        # Something else than a measure is refused by the strategy, in words.
        if not settings or not isinstance(chosen, Measure):
            return chosen
        parameters = chosen.get_params(deep=False)
        for name, value in settings.items():
            if name not in parameters:
                msg = f"{type(chosen).__name__} takes no {name}, got {name}={value!r}."
                raise ValueError(msg)
        return type(chosen)(**{**parameters, **settings})

    @whole_or_nothing
    def fit(self, X: ArrayLike | ColumnBlocks | Dataset, y: Any = None) -> Self:
        """Choose features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features: finite numbers. Measures that read their features in blocks of columns also
            take :class:`hsieve.io.ColumnBlocks`, arrays and data frames of Dask, and data
            frames of Spark; these stay where they are. Or a :class:`hsieve.Dataset`, without y.
        y : array-like of shape (n_samples,), (n_samples, n_outputs) or (n_samples, n_samples)
            Classes, numbers, several outputs, or a Gram matrix where the measure takes one. For a
            data frame of Dask or Spark, the name of the target's column. Methods that do not look
            at the target do without.

        Returns
        -------
        self
            The fitted selector.
        """
        return self._fit(X, y, None)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Choose features, of samples that may have weights."""
        measure, strategy = self.make_components()
        if not isinstance(measure, Measure):
            msg = f"measure must be a hsieve measure such as HSIC(), got {measure!r}."
            if isinstance(measure, type) and issubclass(measure, Measure):
                msg += f" Did you mean {measure.__name__}()?"
            if isinstance(measure, Real):
                msg += f" The number of features is n_features_to_select={measure!r}."
            raise IncompatibleCombinationError(msg)
        if self.engine is not None or self.checkpoint is not None:
            self._check_engine(measure, strategy)
        if self.checkpoint is not None and is_of_spark(X):
            raise no_fixed_order()
        fit = self._fit_columns if measure.takes_blocks else self._fit_array
        if sample_weight is not None:
            self._check_weights(measure, strategy)
        if self.feature_groups is not None:
            self._check_groups(measure, strategy)
        fit(X, y, measure, strategy, sample_weight)
        return self

    def _check_weights(self, measure: Measure, strategy: Strategy) -> None:
        """Refuse weights of samples where they have no meaning."""
        name, rule = type(self).__name__, self.n_features_to_select
        for part in (measure, strategy):
            if part.no_weights:
                msg = (
                    f"{name} takes no sample_weight here: {type(part).__name__} {part.no_weights}."
                )
                raise ValueError(msg)
        if isinstance(rule, str) and rule not in self.own_rules:
            msg = (
                f"{name} takes no sample_weight with n_features_to_select={rule!r}, a rule for "
                "samples that count alike; give a number."
            )
            raise ValueError(msg)

    def _check_groups(self, measure: Measure, strategy: Strategy) -> None:
        """Refuse groups of features where they have no meaning."""
        GROUPS.check("feature_groups", self.feature_groups)
        name = type(self).__name__
        if not measure.takes_groups:
            msg = (
                f"{name} takes no feature_groups with {measure!r}; PairwiseHSIC(form='auto') "
                "knows groups."
            )
            raise ValueError(msg)
        for parameter in ("covariates", "interactions", "n_jobs", "engine", "checkpoint"):
            value = getattr(self, parameter, None)
            if value is not None and (parameter != "covariates" or list(value)):
                msg = f"{name} takes no {parameter} with feature_groups, got {value!r}."
                raise ValueError(msg)
        if isinstance(self.n_features_to_select, str):
            msg = (
                f"n_features_to_select={self.n_features_to_select!r} is no rule for "
                "feature_groups; give the number of groups."
            )
            raise ValueError(msg)

    def _groups_among(self, varying: NDArray[np.intp]) -> dict[str, Any]:
        """Return the groups of the varying features as `bind` takes them, and remember them."""
        self._groups = None
        if self.feature_groups is None:
            return {}
        names = getattr(self, "feature_names_in_", None)
        every = FeatureGroups.of(self.feature_groups, self.n_features_in_, names)
        self.feature_groups_ = dict(zip(every.labels, every.members, strict=True))
        self._groups = every.among(varying)
        return {"feature_groups": self._groups.members}

    def _fit_array(
        self, X: Any, y: Any, measure: Measure, strategy: Strategy, sample_weight: Any
    ) -> None:
        """Bind the measure to the whole data and search."""
        precisions = [np.float64, np.float32] if sample_weight is None else np.float64
        data, target = self._validated(X, y, measure, dtype=precisions)
        weights: dict[str, Any] = {}
        if sample_weight is not None:
            rows, weights = _weighted_rows(sample_weight, len(data), strategy)
            data, target = data[rows], _rows_of(target, rows, measure)
        measure = self._checked(measure, strategy, target, len(data))
        varying = self._varying_features(constant_columns(data))
        among = _renumbered(measure, "categorical", varying, data.shape[1])
        with one_blas_thread() if measure.has_small_products else nullcontext():
            own = data if len(varying) == data.shape[1] else data[:, varying]
            bound = among.bind(own, target, **weights, **self._groups_among(varying))
            kept = kept_search(self, strategy, bound, data, target)
            with kept as (search, bound):
                self._search((measure, search), bound, varying, (data, target))

    def _fit_columns(
        self, X: Any, y: Any, measure: Measure, strategy: Strategy, sample_weight: Any
    ) -> None:
        """Bind the measure to columns, wherever they are, and search."""
        engine = make_engine(self.engine, self.n_jobs)
        with _columns_of(X, y, engine) as (features, values):
            blocks, target = self._validated_blocks(features, values, measure)
            weights: dict[str, Any] = {}
            if sample_weight is not None:
                if not blocks.is_local:
                    msg = "sample_weight needs data of this machine, not of Dask or Spark."
                    raise ValueError(msg)
                rows, weights = _weighted_rows(sample_weight, blocks.n_samples, strategy)
                if not np.array_equal(rows, np.arange(blocks.n_samples)):
                    blocks, target = SampleBlocks(blocks, rows), target[rows]
            measure = self._checked(measure, strategy, target, blocks.n_samples)
            is_local = engine.is_local and blocks.is_local
            check_rule_fits(self.n_features_to_select, is_local=is_local)
            engine = checkpointed(self, engine, blocks, target)
            with one_blas_thread(), nullcontext() if engine.is_open else engine:
                # Local columns are looped over; those of Dask are kept once computed.
                if not (isinstance(engine, SerialEngine) and blocks.is_local):
                    blocks = EngineColumns(blocks, engine)
                if self.feature_groups is None:
                    everything = measure.bind(blocks, target, **weights)
                    varying = self._varying_features(everything.constant)
                    bound = everything.among(varying)
                    self._groups_among(varying)
                else:
                    varying = self._varying_features(_constant_blocks(blocks))
                    weights |= self._groups_among(varying)
                    among = _renumbered(measure, "categorical", varying, blocks.n_features)
                    bound = among.bind(some_columns(blocks, varying), target, **weights)
                self._search((measure, strategy), bound, varying, (blocks, target))
                self.traffic_ = engine.traffic

    def _checked(
        self, measure: Measure, strategy: Strategy, target: Any, n_samples: int
    ) -> Measure:
        """Refuse what nothing can be done with; return a measure that knows the categories."""
        measure = with_categories(measure, self.categorical_)
        n_wanted = self._check(measure, target, n_samples)
        strategy.check(measure, self.n_features_in_, n_wanted)
        return measure

    def _check_engine(self, measure: Measure, strategy: Strategy) -> None:
        """Refuse an engine or a checkpoint that nothing can make use of."""
        name = "checkpoint" if self.engine is None else "engine"
        has_use = has_jobs(strategy) or (name == "checkpoint" and has_sweeps(strategy))
        if measure.takes_blocks or has_use:
            return
        msg = (
            f"{name}={getattr(self, name)!r} needs a measure that is worked out column by column; "
            f"{measure!r} is not. {_instead_of(measure)} or leave {name} out."
        )
        raise ValueError(msg)

    def _n_ranked(self, n_features: int) -> int:
        return self.make_components()[1].n_ranked(n_features)

    def _search(
        self,
        parts: Components,
        bound: Any,
        varying: NDArray[np.intp],
        data: tuple[ColumnBlocks | NDArray[Any], NDArray[Any]],
    ) -> None:
        """Search among the varying features and keep the result."""
        measure, strategy = parts
        if self._groups is not None:
            self._search_groups(strategy, bound, varying, self._groups)
            return
        n_wanted = self._n_wanted(self.n_features_in_)
        strategy = _renumbered(strategy, "covariates", varying, self.n_features_in_)
        path = strategy.search(bound, max(1, min(n_wanted, len(varying))))
        if isinstance(self.n_features_to_select, str):
            n_ruled = self._by_rule(varying[path.nested_order], n_wanted, *data, measure)
            if n_ruled < n_wanted and not path.is_nested:
                path = strategy.search(bound, n_ruled)
            n_wanted = n_ruled
        self._keep(path, varying, n_wanted)

    def _search_groups(
        self, strategy: Strategy, bound: Any, varying: NDArray[np.intp], groups: FeatureGroups
    ) -> None:
        """Search among groups and keep all features of those chosen."""
        n_groups = len(groups.labels)
        wanted = self._n_wanted(n_groups)
        path = strategy.search(bound, min(wanted, n_groups))
        n_chosen = min(wanted, n_groups if path.n_selectable is None else path.n_selectable)
        if n_chosen < wanted and self.n_features_to_select is not None:
            msg = f"{wanted} groups of features were asked for, but only {n_chosen} are selected."
            warn_user(msg, FewerFeaturesWarning)
        self.group_path_ = path
        self.selected_groups_ = [groups.labels[group] for group in path.order[:n_chosen]]
        n_features = sum(len(groups.members[group]) for group in path.order[:n_chosen])
        self._keep(groups.path_of_features(path), varying, n_features)


class WeightedSelector(SearchSelector):
    """Base of selectors whose samples may have weights."""

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
        X : array-like of shape (n_samples, n_features)
            Features: finite numbers. Measures that read their features in blocks of columns also
            take :class:`hsieve.io.ColumnBlocks`, arrays and data frames of Dask, and data
            frames of Spark; these stay where they are. Or a :class:`hsieve.Dataset`, without y.
        y : array-like of shape (n_samples,), (n_samples, n_outputs) or (n_samples, n_samples)
            Classes, numbers, several outputs, or a Gram matrix where the measure takes one. For a
            data frame of Dask or Spark, the name of the target's column.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each sample counts: a weight of 2 is as good as a second copy of the sample,
            and a sample of weight 0 is left out. None counts each once.

        Returns
        -------
        self
            The fitted selector.
        """
        return self._fit(X, y, sample_weight)


def _weighted_rows(
    sample_weight: Any, n_samples: int, strategy: Strategy
) -> tuple[NDArray[np.intp], dict[str, Any]]:
    """Return the samples to bind to, and their weights as `bind` takes them."""
    weight = _check_sample_weight(
        sample_weight, np.empty((n_samples, 0)), dtype=np.float64, ensure_non_negative=True
    )
    if weight.sum() < MIN_SAMPLES:
        msg = (
            f"sample_weight says how often each sample counts, so that it must sum to at least "
            f"{MIN_SAMPLES}, got {weight.sum():g}; multiply it by a number."
        )
        raise ValueError(msg)
    if strategy.weights_are_counts:
        if (weight != np.round(weight)).any():
            msg = (
                f"{type(strategy).__name__} tests features on so many samples, and takes a "
                f"sample_weight of integers only, got {weight[weight != np.round(weight)][0]:g}; "
                "N3LARS takes any."
            )
            raise ValueError(msg)
        return np.repeat(np.arange(n_samples), weight.astype(np.intp)), {}
    rows = np.flatnonzero(weight)
    return rows, {"sample_weight": weight[rows]}


def _constant_blocks(blocks: ColumnBlocks) -> NDArray[np.bool_]:
    """Mark the columns that hold one single value, read some at a time."""
    constant = np.empty(blocks.n_features, dtype=bool)
    for features in blocks.walk(BYTES_AT_A_TIME):
        constant[features] = constant_columns(blocks.read(features))
    return constant


def _rows_of(target: Any, rows: NDArray[np.intp], measure: Measure) -> Any:
    """Return some samples of a target, or of a Gram matrix in its place."""
    is_gram = isinstance(getattr(measure, "kernel_y", None), Precomputed)
    return target[np.ix_(rows, rows)] if is_gram else target[rows]


@dataclass(eq=False, repr=False)
class DependenceSelector(WeightedSelector):
    """Select features with a measure of dependence and a search strategy of your choice.

    Parameters
    ----------
    measure : Measure or None, default=None
        How dependent features and target are; None is ``HSIC()``.
    strategy : Strategy or {"ranking", "forward", "backward"}, default="ranking"
        How sets of features are searched.
    {n_features_to_select}

    Attributes
    ----------
    {usual_attributes}

    Notes
    -----
    A strategy refuses a measure that lacks what it needs, by name: correlation and mutual
    information know single features and pairs but no sets, so ``Forward`` and ``Backward`` refuse
    them.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import NHSIC, DependenceSelector
    >>> X = np.random.default_rng(0).normal(size=(100, 6))
    >>> y = np.abs(X[:, 4])
    >>> DependenceSelector(NHSIC(), n_features_to_select=1).fit(X, y).selected_indices_
    array([4])
    """

    measure: Measure | None = None
    _: KW_ONLY
    strategy: Strategy | str = "ranking"
    n_features_to_select: int | float | str | None = None

    spec = MethodSpec(
        does="searches with a measure and a strategy of your choice.",
        score="Score that decided the place of the feature.",
        cost="n^2 d",
        group=RANKINGS,
        variants=(
            Variant("hsic", "effects of any shape", lambda: {"measure": HSIC()}),
            Variant(
                "nhsic", "effects of any shape, score from 0 to 1", lambda: {"measure": NHSIC()}
            ),
            Variant(
                "linear-hsic", "straight-line effects", lambda: {"measure": HSIC(kernel_x=Linear())}
            ),
            Variant(
                "mutual-information",
                "effects of any shape, in nats",
                lambda: {"measure": MutualInformation()},
                "n log(n) d",
            ),
            Variant("pearson", "absolute correlation", lambda: {"measure": Pearson()}, "n d"),
            Variant(
                "ridge",
                "drops what a linear ridge regression does not miss",
                lambda: {"measure": Ridge(), "strategy": Backward(step=0.25)},
                "n^3 + n^2 d a round",
                MODELS,
            ),
            Variant(
                "kernel-ridge",
                "drops what a kernel ridge regression does not miss",
                lambda: {"measure": KernelRidge(), "strategy": Backward(step=0.25)},
                "n^3 d a round",
                MODELS,
            ),
        ),
    )

    def make_components(self) -> Components:
        """Make the measure and the strategy of these settings."""
        measure = HSIC() if self.measure is None else self.measure
        if isinstance(self.strategy, Strategy):
            return measure, self.strategy
        if self.strategy not in STRATEGIES:
            msg = (
                f"strategy must be a Strategy or one of {tuple(STRATEGIES)}, got "
                f"{self.strategy!r}; give others as objects, such as MRMRSearch()."
            )
            raise ValueError(msg)
        return measure, STRATEGIES[self.strategy]()


def _instead_of(measure: Measure) -> str:
    """Advise a measure that is worked out column by column, as near as there is."""
    if isinstance(measure, MutualInformation):
        return "Choose MutualInformation(estimator='discretised'),"
    return "Choose PairwiseHSIC(),"


@contextmanager
def _columns_of(X: Any, y: Any, engine: Engine) -> Iterator[tuple[Any, Any]]:
    """Give data as they are; those of Dask and Spark as columns, their engine open."""
    are_columns = isinstance(X, ColumnBlocks)
    if X.is_local if are_columns else not is_distributed(X):
        yield X, y
        return
    with engine:
        yield (X.held_by(engine), y) if are_columns else distributed_columns(X, y, engine)


def _renumbered(
    owner: Component, parameter: str, varying: NDArray[np.intp], n_features: int
) -> Component:
    """Return a measure or strategy with positions of features counted among the varying ones."""
    positions = np.asarray(list(getattr(owner, parameter, ())), dtype=np.intp)
    if not len(positions) or len(varying) == n_features:
        return owner
    places = np.flatnonzero(np.isin(varying, positions % n_features)).tolist()
    return type(owner)(**{**owner.get_params(deep=False), parameter: places})
