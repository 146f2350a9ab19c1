"""What every selector owes scikit-learn and its users, written once.

The base validates the data, sets constant columns aside and puts the result where people look for
it. Most selectors are a measure and a strategy: they say which (:meth:`SearchSelector._parts`), and
the search is run for them.
"""

import warnings
from abc import abstractmethod
from collections.abc import Collection, Iterator
from contextlib import contextmanager, nullcontext
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import (
    check_array,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from hsieve.data.blocks import (
    ColumnBlocks,
    PlacedBlocks,
    as_blocks,
    distributed_columns,
    is_distributed,
    refuse_distributed,
)
from hsieve.data.validation import (
    check_frame,
    constant_columns,
    numbers_if_all_are,
    target_kind_of,
)
from hsieve.engines import Engine, make_engine
from hsieve.estimators._checkpoint import checkpointed
from hsieve.estimators._number import checked_rule, choose_number, no_ranking
from hsieve.exceptions import ConstantFeatureWarning, FewerFeaturesWarning
from hsieve.kernels import Precomputed
from hsieve.kernels.columns import check_positions
from hsieve.measures.base import Measure
from hsieve.strategies.base import SelectionPath, Strategy
from hsieve.threads import one_blas_thread

__all__ = ["BaseSelector", "SearchSelector"]

DEFAULT_N_FEATURES = 10
MIN_SAMPLES = 4


class BaseSelector(SelectorMixin, BaseEstimator):
    """Base of all selectors.

    Attributes
    ----------
    selected_indices_ : ndarray of shape (n_selected,)
        Chosen features, best first.
    ranking_ : ndarray of shape (n_features,)
        Place of each feature, 1 = best.
    scores_ : ndarray of shape (n_features,)
        Score that decided each feature's place; zero for constant columns.
    constant_features_ : ndarray of shape (n_constant,)
        Features that hold one single value and can never be selected.
    path_ : SelectionPath
        The whole search.
    n_features_choice_ : NumberChoice
        Where `n_features_to_select` is a rule: the number, why, and the curve over all numbers.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where they were given.
    """

    n_features_to_select: int | float | str | None
    # Why there is no ranking that a rule could cut; searches have an answer of their own.
    _own_number: ClassVar[str] = "it looks for as many features as are asked for"

    def _validated(self, X: Any, y: Any, **options: Any) -> tuple[NDArray[Any], Any]:
        """Arrays of features and target that scikit-learn finds in order."""
        refuse_distributed(X, type(self).__name__)
        if isinstance(X, ColumnBlocks):
            msg = f"{type(self).__name__} needs the whole data as an array, got column blocks."
            raise ValueError(msg)
        categorical = getattr(self, "categorical", ())
        check_frame(X, categorical if isinstance(categorical, Collection) else ())
        data: NDArray[Any]
        data, target = validate_data(
            self,
            X,
            y,
            multi_output=True,
            ensure_min_samples=2,
            ensure_min_features=1,
            **options,
        )
        return data, _flat(target)

    def _validated_blocks(self, X: Any, y: Any) -> tuple[ColumnBlocks, NDArray[Any]]:
        """Column blocks and a target of the same number of samples."""
        if isinstance(X, ColumnBlocks):
            if y is None:
                msg = f"{type(self).__name__} requires y to be passed, but the target y is None."
                raise ValueError(msg)
            blocks = self._as_blocks(X, reset=True)
            target = check_array(y, ensure_2d=False, dtype=None, input_name="y")
            check_consistent_length(target, np.empty(blocks.n_samples))
            return blocks, _flat(target)
        data, target = self._validated(X, y, **self._block_options(X))
        return as_blocks(data), target

    def _as_blocks(self, X: Any, *, reset: bool) -> ColumnBlocks:
        """Column blocks of features alone, checked against those of `fit` unless `reset`."""
        refuse_distributed(X, type(self).__name__)
        if not isinstance(X, ColumnBlocks):
            return as_blocks(validate_data(self, X, reset=reset, **self._block_options(X)))
        if reset:
            self.n_features_in_ = X.n_features
            self.__dict__.pop("feature_names_in_", None)
            if X.names is not None:
                self.feature_names_in_ = np.array(X.names, dtype=object)
        elif X.n_features != self.n_features_in_:
            msg = (
                f"X has {X.n_features} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )
            raise ValueError(msg)
        elif X.names is not None and list(X.names) != list(
            getattr(self, "feature_names_in_", X.names)
        ):
            msg = "The names of the columns, or their order, are not those of fit."
            raise ValueError(msg)
        return X

    def _block_options(self, X: Any) -> dict[str, Any]:
        """How scikit-learn shall look at features that are read in blocks."""
        if isinstance(X, np.ndarray) and X.dtype.kind in "biuf":
            # Numbers are taken as they are and checked block by block, so that a mapped file is
            # neither copied nor read twice.
            return {"dtype": None, "ensure_all_finite": False}
        allowed = "allow-nan" if self.__sklearn_tags__().input_tags.allow_nan else True
        return {"dtype": [np.float64, np.float32], "ensure_all_finite": allowed}

    def _check(self, settings: BaseEstimator, target: Any, n_samples: int) -> None:
        """Refuse targets, positions and sizes that nothing can be done with, before any work.

        `settings` is the measure, or the selector itself, that knows the kind of target; the target
        is None where it is not used.
        """
        if target is not None:
            _check_target(target, settings)
        check_positions(getattr(settings, "categorical", ()), self.n_features_in_)
        if n_samples < MIN_SAMPLES:
            msg = f"Found n_samples = {n_samples}; at least {MIN_SAMPLES} samples are needed."
            raise ValueError(msg)
        self._n_wanted(self.n_features_in_)

    def _n_wanted(self, n_features: int) -> int:
        """Work out the number of features asked for."""
        wanted = self.n_features_to_select
        if isinstance(wanted, str):
            return self._n_ranked(checked_rule(wanted), n_features)
        if wanted is None:
            return min(DEFAULT_N_FEATURES, n_features)
        if isinstance(wanted, Integral) and not isinstance(wanted, bool):
            if wanted >= 1:
                return int(wanted)
        elif isinstance(wanted, Real) and not isinstance(wanted, bool) and 0 < wanted < 1:
            return max(1, int(wanted * n_features))
        msg = (
            "n_features_to_select must be None, a whole number of at least 1 or a share between "
            f"0 and 1, got {wanted!r}."
        )
        raise ValueError(msg)

    def _n_ranked(self, rule: str, n_features: int) -> int:
        """Tell how many features to put in order for a rule to choose among; refuse most rules."""
        raise ValueError(no_ranking(type(self).__name__, rule, self._own_number))

    def _by_rule(
        self,
        ranked: NDArray[np.intp],
        n_wanted: int,
        columns: ColumnBlocks,
        target: NDArray[Any],
        settings: BaseEstimator,
    ) -> int:
        """Cut a ranking where a rule is asked for; else pass the number wanted on.

        The rule chooses among the first `n_wanted` features. `settings` is the measure, or the
        selector itself, that knows categories and the kind and kernel of the target.
        """
        self.__dict__.pop("n_features_choice_", None)
        if not isinstance(self.n_features_to_select, str):
            return n_wanted
        self.n_features_choice_ = choose_number(self, ranked[:n_wanted], columns, target, settings)
        return self.n_features_choice_.number

    def _varying_features(self, constant: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Features that hold more than one value; the others are named in a warning."""
        self.constant_features_ = np.flatnonzero(constant)
        if constant.all():
            msg = f"All {len(constant)} feature(s) are constant: there is nothing to select from."
            raise ValueError(msg)
        if constant.any():
            names = getattr(self, "feature_names_in_", np.arange(len(constant)))[constant]
            shown = ", ".join(str(name) for name in names[:5]) + (", ..." if len(names) > 5 else "")
            msg = f"{len(names)} constant column(s) will never be selected: {shown}."
            warnings.warn(msg, ConstantFeatureWarning, stacklevel=3)
        return np.flatnonzero(~constant)

    def _keep(self, path: SelectionPath, varying: NDArray[np.intp], n_wanted: int) -> None:
        """Translate the path back to all features and store it."""
        self.path_ = path.among(varying, self.n_features_in_)
        order, selectable = self.path_.order, self.path_.n_selectable
        n_selected = min(n_wanted, len(varying) if selectable is None else selectable)
        if n_selected < n_wanted and self.n_features_to_select is not None:
            category: type[Warning] = FewerFeaturesWarning
            only = f"only {n_selected} may be selected"
            if n_selected == self.n_features_in_:
                only = f"there are only {n_selected}"
            elif n_selected == len(varying):
                only, category = f"only {n_selected} are not constant", ConstantFeatureWarning
            msg = f"{n_wanted} features were asked for, but {only}; these are selected."
            warnings.warn(msg, category, stacklevel=4)
        self.selected_indices_ = order[:n_selected]
        self.ranking_ = np.empty(len(order), dtype=np.intp)
        self.ranking_[order] = np.arange(1, len(order) + 1)
        self.scores_ = np.empty(len(order))
        self.scores_[order] = self.path_.feature_scores

    def transform(self, X: ArrayLike) -> Any:
        """Keep the selected features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, as in `fit`. Data of Dask and Spark are refused, since they would be
            collected here; take their columns by `get_support` or `get_feature_names_out`.

        Returns
        -------
        ndarray of shape (n_samples, n_selected)
            The columns of the selected features.
        """
        refuse_distributed(X, f"{type(self).__name__}.transform")
        return super().transform(X)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.selected_indices_] = True
        return mask

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.two_d_labels = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class SearchSelector(BaseSelector):
    """Base of selectors that are a measure and a strategy."""

    @abstractmethod
    def _parts(self) -> tuple[Measure, Strategy]:
        """Measure and strategy made from the constructor's parameters."""

    def fit(self, X: ArrayLike | ColumnBlocks, y: Any) -> Self:
        """Choose features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features: finite numbers. Measures that read their features in blocks of columns also
            take :class:`hsieve.data.blocks.ColumnBlocks`, arrays and data frames of Dask, and data
            frames of Spark; these stay where they are.
        y : array-like of shape (n_samples,), (n_samples, n_outputs) or (n_samples, n_samples)
            Classes, numbers, several outputs, or a Gram matrix where the measure takes one. For a
            data frame of Dask or Spark, the name of the target's column.

        Returns
        -------
        self
            The fitted selector.
        """
        measure, strategy = self._parts()
        strategy.check_compatible(measure)
        engine = make_engine(self._engine_for(measure))
        if measure.takes_blocks:
            with _columns_of(X, y, engine) as (features, values):
                blocks, target = self._validated_blocks(features, values)
                self._check(measure, target, blocks.n_samples)
                self._check_strategy(strategy)
                engine = checkpointed(self, engine, blocks, target)
                with one_blas_thread(), nullcontext() if engine.is_open else engine:
                    placed = PlacedBlocks(blocks, engine)
                    everything = measure.bind(placed, target)
                    varying = self._varying_features(everything.constant)
                    bound = everything.among(varying)
                    self._search((measure, strategy), bound, varying, (placed, target))
                    self.traffic_ = engine.traffic
        else:
            data, target = self._validated(X, y, dtype=[np.float64, np.float32])
            self._check(measure, target, len(data))
            self._check_strategy(strategy)
            varying = self._varying_features(constant_columns(data))
            with one_blas_thread() if measure.has_small_products else nullcontext():
                bound = _bind(measure, data, target, varying)
                self._search((measure, strategy), bound, varying, (as_blocks(data), target))
        return self

    def _engine_for(self, measure: Measure) -> Any:
        """Return the description of the engine, which some measures cannot make use of."""
        engine = getattr(self, "engine", None)
        given = {"engine": engine, "checkpoint": getattr(self, "checkpoint", None)}
        name = next((name for name, value in given.items() if value is not None), None)
        if name is None or measure.takes_blocks:
            return engine
        msg = (
            f"{name}={given[name]!r} needs a measure that is worked out column by column; "
            f"{measure!r} is not. Choose PairwiseHSIC(), or leave {name} out."
        )
        raise ValueError(msg)

    def _check_strategy(self, strategy: Strategy) -> None:
        """Refuse settings of the strategy that do not fit the data, before any work."""
        strategy.check_parameters(self.n_features_in_, self._n_wanted(self.n_features_in_))

    def _n_ranked(self, rule: str, n_features: int) -> int:
        strategy = self._parts()[1]
        if strategy.own_number:
            raise ValueError(no_ranking(type(self).__name__, rule, strategy.own_number))
        return strategy.n_searched(n_features)

    def _search(
        self,
        parts: tuple[Measure, Strategy],
        bound: Any,
        varying: NDArray[np.intp],
        data: tuple[ColumnBlocks, NDArray[Any]],
    ) -> None:
        """Search among the varying features and keep the result."""
        measure, strategy = parts
        n_wanted = self._n_wanted(self.n_features_in_)
        strategy = strategy.among(varying, self.n_features_in_)
        path = strategy.search(bound, max(1, min(n_wanted, len(varying))))
        n_ruled = self._by_rule(varying[path.nested_order], n_wanted, *data, measure)
        if n_ruled < n_wanted and not strategy.is_nested:
            path = strategy.search(bound, n_ruled)
        self._keep(path, varying, n_ruled)


@contextmanager
def _columns_of(X: Any, y: Any, engine: Engine) -> Iterator[tuple[Any, Any]]:
    """Give data as they are; those of Dask and Spark as columns, their engine open."""
    if not is_distributed(X):
        yield X, y
        return
    with engine:
        yield distributed_columns(X, y, engine)


def _flat(target: NDArray[Any]) -> NDArray[Any]:
    """Return a target of one column as a vector, and numbers as numbers."""
    target = numbers_if_all_are(target)
    return np.ravel(target) if target.ndim == 2 and target.shape[1] == 1 else target


def _check_target(y: NDArray[Any], settings: BaseEstimator) -> None:
    """Refuse a target with nothing to depend on."""
    if isinstance(getattr(settings, "kernel_y", None), Precomputed):
        return
    kind = target_kind_of(y, getattr(settings, "target_kind", "auto"))
    if y.dtype.kind == "O" and len({type(value) for value in y.flat}) > 1:
        kinds = sorted({type(value).__name__ for value in y.flat})
        msg = f"The target must hold values of one kind, got {', '.join(kinds)}."
        raise ValueError(msg)
    if len(np.unique(y)) < 2:
        what = "1 class" if kind == "classes" else "1 distinct value"
        msg = f"The target holds {what}; at least two are needed to select features."
        raise ValueError(msg)
    if kind == "classes" and len(np.unique(y)) == len(y):
        msg = (
            "Every sample is a class of its own, so every feature would score zero or by chance; "
            "is the target an identifier, or target_kind='continuous' meant?"
        )
        raise ValueError(msg)
    if kind == "continuous" and y.dtype.kind not in "fiub":
        msg = f"A continuous target must be numeric, got values such as {y.flat[0]!r}."
        raise ValueError(msg)


def _bind(measure: Measure, X: NDArray[Any], y: Any, varying: NDArray[np.intp]) -> Any:
    """Bind the measure to the varying features, its categories renumbered to match."""
    categorical = np.asarray(list(getattr(measure, "categorical", ())), dtype=np.intp)
    if len(categorical) and len(varying) < X.shape[1]:
        positions = {int(feature): place for place, feature in enumerate(varying)}
        kept = [positions[j] for j in categorical % X.shape[1] if j in positions]
        measure = type(measure)(**{**measure.get_params(deep=False), "categorical": kept})
    return measure.bind(X if len(varying) == X.shape[1] else X[:, varying], y)
