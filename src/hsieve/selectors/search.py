"""Selectors that are a measure and a strategy: they say which, and the search is run for them."""

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.data.blocks import (
    ColumnBlocks,
    EngineColumns,
    as_blocks,
    distributed_columns,
    is_distributed,
)
from hsieve.data.validation import constant_columns
from hsieve.measures.base import Measure
from hsieve.measures.mutual_information import MutualInformation
from hsieve.parallel import Engine, make_engine
from hsieve.parallel.threads import one_blas_thread
from hsieve.selectors.base import BaseSelector, whole_or_nothing
from hsieve.selectors.checkpoint import checkpointed, refuse_fleeting
from hsieve.selectors.input_data import with_categories
from hsieve.selectors.number_rules import check_rule_reaches, no_ranking
from hsieve.strategies.base import Strategy

__all__ = ["SearchSelector", "chosen_measure"]


class SearchSelector(BaseSelector):
    """Base of selectors that are a measure and a strategy."""

    @abstractmethod
    def make_components(self) -> tuple[Measure, Strategy]:
        """Measure and strategy made from the constructor's parameters."""

    @whole_or_nothing
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
        measure, strategy = self.make_components()
        strategy.check_compatible(measure)
        engine = make_engine(self._engine_for(measure))
        refuse_fleeting(self, X)
        if measure.takes_blocks:
            with _columns_of(X, y, engine) as (features, values):
                blocks, target = self._validated_blocks(features, values, measure)
                measure = with_categories(measure, self.categorical_)
                self._check(measure, target, blocks.n_samples)
                self._check_strategy(strategy)
                check_rule_reaches(
                    self.n_features_to_select, is_local=engine.is_local and blocks.is_local
                )
                engine = checkpointed(self, engine, blocks, target)
                with one_blas_thread(), nullcontext() if engine.is_open else engine:
                    placed = EngineColumns(blocks, engine)
                    everything = measure.bind(placed, target)
                    varying = self._varying_features(everything.constant)
                    bound = everything.among(varying)
                    self._search((measure, strategy), bound, varying, (placed, target))
                    self.traffic_ = engine.traffic
        else:
            data, target = self._validated(X, y, measure, dtype=[np.float64, np.float32])
            measure = with_categories(measure, self.categorical_)
            self._check(measure, target, len(data))
            self._check_strategy(strategy)
            varying = self._varying_features(constant_columns(data))
            if getattr(self, "checkpoint", None) is not None:
                strategy = strategy.keeping(
                    lambda workers: checkpointed(self, workers, as_blocks(data), target)
                )
            with one_blas_thread() if measure.has_small_products else nullcontext():
                bound = _bind(measure, data, target, varying)
                self._search((measure, strategy), bound, varying, (as_blocks(data), target))
        return self

    def _engine_for(self, measure: Measure) -> Any:
        """Return the description of the engine, which some measures cannot make use of."""
        engine = getattr(self, "engine", None)
        kept = (
            None if self.make_components()[1].keeps_results else getattr(self, "checkpoint", None)
        )
        given = {"engine": engine, "checkpoint": kept}
        name = next((name for name, value in given.items() if value is not None), None)
        if name is None or measure.takes_blocks:
            return engine
        msg = (
            f"{name}={given[name]!r} needs a measure that is worked out column by column; "
            f"{measure!r} is not. {_instead_of(measure)} or leave {name} out."
        )
        raise ValueError(msg)

    def _check_strategy(self, strategy: Strategy) -> None:
        """Refuse settings of the strategy that do not fit the data, before any work."""
        strategy.check_parameters(self.n_features_in_, self._n_wanted(self.n_features_in_))

    def _n_ranked(self, rule: str, n_features: int) -> int:
        strategy = self.make_components()[1]
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


def _instead_of(measure: Measure) -> str:
    """Advise a measure that is worked out column by column, as near as there is."""
    if isinstance(measure, MutualInformation):
        return "Choose MutualInformation(estimator='discretised'),"
    return "Choose PairwiseHSIC(),"


@contextmanager
def _columns_of(X: Any, y: Any, engine: Engine) -> Iterator[tuple[Any, Any]]:
    """Give data as they are; those of Dask and Spark as columns, their engine open."""
    if not is_distributed(X):
        yield X, y
        return
    with engine:
        yield distributed_columns(X, y, engine)


def _bind(measure: Measure, X: NDArray[Any], y: Any, varying: NDArray[np.intp]) -> Any:
    """Bind the measure to the varying features, its categories renumbered to match."""
    categorical = np.asarray(list(getattr(measure, "categorical", ())), dtype=np.intp)
    if len(categorical) and len(varying) < X.shape[1]:
        positions = {int(feature): place for place, feature in enumerate(varying)}
        kept = [positions[j] for j in categorical % X.shape[1] if j in positions]
        measure = type(measure)(**{**measure.get_params(deep=False), "categorical": kept})
    return measure.bind(X if len(varying) == X.shape[1] else X[:, varying], y)


def chosen_measure(
    measure: Measure | None, default: Measure, *, categorical: Iterable[int | str], target_kind: str
) -> Measure:
    """Return the measure, or the default, with the selector's settings where any are given.

    Raises
    ------
    ValueError
        If the measure has no such parameter, so that it would be ignored.
    """
    chosen = default if measure is None else measure
    settings: dict[str, object] = {}
    if not isinstance(categorical, Collection) or len(categorical):
        settings["categorical"] = categorical
    if target_kind != "auto":
        settings["target_kind"] = target_kind
    # Something else than a measure is refused by the strategy, in words.
    if not settings or not isinstance(chosen, Measure):
        return chosen
    parameters = chosen.get_params(deep=False)
    for name, value in settings.items():
        if name not in parameters:
            msg = f"{type(chosen).__name__} takes no {name}, got {name}={value!r}."
            raise ValueError(msg)
    return type(chosen)(**{**parameters, **settings})
