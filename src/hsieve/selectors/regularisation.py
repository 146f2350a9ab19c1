"""What a base of stability selection selects along its range of regularisation.

A range is made once from all data, so that its points mean the same for every subsample, and then
asked for the features selected at each point, from the strongest regularisation to the weakest.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ElasticNet, Lasso, enet_path
from sklearn.pipeline import Pipeline
from sklearn.svm import l1_min_c

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data.validation import TargetKind, constant_columns
from hsieve.exceptions import ConstantFeatureWarning, FewerFeaturesWarning, ignored
from hsieve.kernels.columns import standardised
from hsieve.kernels.labels import sign_coding
from hsieve.parameters import check_parameters
from hsieve.selectors.base import BaseSelector
from hsieve.selectors.input_data import parameters_called
from hsieve.selectors.number_rules import without_checkpoint

N_POINTS = 30
# The weakest regularisation of a default range, as a fraction of that at which nothing is selected.
WEAKEST_SHARE = 0.05
LEAST_NU = 0.2
# Models of which a whole path is followed at once.
PATH_MODELS = (Lasso, ElasticNet)
# Points of a lasso path between two looks at whether it is followed further.
SEGMENT = 5
# Up to so many features, and twice as many as samples, products between all features pay.
MOST_FOR_PRODUCTS = 1000


class Range(ABC):
    """A base and the points of its range, strongest regularisation first."""

    values: NDArray[Any]
    # Warnings of its fits that say nothing about the data.
    unheard: ClassVar[tuple[type[Warning], ...]] = ()

    @abstractmethod
    def selections(self, X: FloatArray, y: NDArray[Any], seed: int) -> Iterable[IndexArray]:
        """Features selected from a subsample at each point, in turn."""


@dataclass(frozen=True, eq=False)
class RankingRange(Range):
    """The first 1, 2, ... features of a selector's ranking."""

    selector: BaseSelector
    values: NDArray[Any]
    # What a subsample lacks is no news: features may be constant in it, or too few.
    unheard: ClassVar[tuple[type[Warning], ...]] = (ConstantFeatureWarning, FewerFeaturesWarning)

    def selections(self, X: FloatArray, y: NDArray[Any], seed: int) -> list[IndexArray]:
        """Fit the selector once and cut its ranking at every size."""
        if constant_columns(X).all():
            return [np.zeros(0, dtype=np.intp)] * len(self.values)
        selector = _seeded(self.selector, seed).set_params(
            n_features_to_select=int(self.values[-1])
        )
        with ignored(self.unheard):
            best = selector.fit(X, y).selected_indices_
        return [best[:size] for size in self.values]


@dataclass(frozen=True, eq=False)
class LassoRange(Range):
    """A lasso (or elastic net) path, followed as far as it is asked for.

    Several outputs share their features in one path, unless a model is given: that fits each output
    alone.
    """

    values: NDArray[Any]
    model: BaseEstimator | None = None
    # Which features have a coefficient is settled long before the coefficients are.
    unheard: ClassVar[tuple[type[Warning], ...]] = (ConvergenceWarning,)

    def selections(self, X: FloatArray, y: NDArray[Any], seed: int) -> Iterator[IndexArray]:
        """Follow the path, or one path an output; a feature counts if any of them uses it."""
        columns, outputs = _centred(self.model, X, y)
        outputs = np.asfortranarray(outputs, dtype=np.float64)
        options: dict[str, Any] = {"l1_ratio": getattr(self.model, "l1_ratio", 1.0)}
        if self.model is not None:
            options |= {"tol": self.model.tol, "max_iter": self.model.max_iter}
            if self.model.positive:
                options["positive"] = True
        if self.model is None and outputs.ndim == 2:
            paths = [self._followed(columns, outputs, options | {"precompute": False})]
        else:
            pays = columns.shape[1] <= min(MOST_FOR_PRODUCTS, 2 * len(columns))
            options["precompute"] = columns.T @ columns if pays else False
            paths = [
                self._followed(
                    columns, output, options | ({"Xy": columns.T @ output} if pays else {})
                )
                for output in outputs.reshape(len(outputs), -1).T
            ]
        for selected in zip(*paths, strict=True):
            yield np.unique(np.concatenate(selected))

    def _followed(
        self, columns: FloatArray, outputs: FloatArray, options: dict[str, Any]
    ) -> Iterator[IndexArray]:
        """Follow one path by coordinate descent, each point begun where the last ended."""
        weights = None
        for start in range(0, len(self.values), SEGMENT):
            alphas = self.values[start : start + SEGMENT]
            with ignored(self.unheard):
                _, path, _ = enet_path(
                    columns,
                    outputs,
                    alphas=alphas,
                    coef_init=weights,
                    check_input=False,
                    **options,
                )
            weights = path[..., -1]
            used = (path != 0).reshape(-1, *path.shape[-2:]).any(axis=0)
            yield from (np.flatnonzero(point) for point in used.T)


@dataclass(frozen=True, eq=False)
class OwnPath(Range):
    """A model that follows its own path, such as LPBoost, each point begun where the last ended."""

    values: NDArray[Any]
    model: Any

    def selections(self, X: FloatArray, y: NDArray[Any], seed: int) -> Iterator[IndexArray]:
        """Fit every value that is asked for."""
        return iter(self.model.selections_along(X, y, self.values))


@dataclass(frozen=True, eq=False)
class GridRange(Range):
    """One fit of an estimator for each value of a parameter."""

    estimator: BaseEstimator
    parameter: str
    values: NDArray[Any]

    def selections(self, X: FloatArray, y: NDArray[Any], seed: int) -> Iterator[IndexArray]:
        """Fit the estimator at every value that is asked for."""
        for value in self.values.tolist():
            fitted = _seeded(self.estimator, seed).set_params(**{self.parameter: value}).fit(X, y)
            yield np.flatnonzero(_weights(fitted, X.shape[1]))


def make_range(
    estimator: BaseEstimator | None,
    X: FloatArray,
    y: NDArray[Any],
    *,
    parameter: str | None,
    values: ArrayLike | None,
    most: int,
) -> Range:
    """Make the range of a base."""
    if isinstance(estimator, BaseSelector):
        if parameter is not None or values is not None:
            msg = (
                f"{type(estimator).__name__} is a selector: its range is the first features of "
                "its ranking, as many as n_per_subsample says; parameter and values have no place."
            )
            raise ValueError(msg)
        return RankingRange(without_checkpoint(estimator), np.arange(1, min(most, X.shape[1]) + 1))
    parameter = usual_parameter(estimator) if parameter is None else parameter
    if estimator is not None and parameter not in estimator.get_params():
        msg = f"{type(estimator).__name__} has no parameter {parameter!r} to vary."
        raise ValueError(msg)
    points = _usual_values(estimator, parameter, X, y) if values is None else _checked(values)
    if parameter == "alpha" and (estimator is None or type(estimator) in PATH_MODELS):
        falling = bool(np.all(np.diff(points.astype(np.float64)) < 0))
        if falling and points[-1] > 0 and getattr(estimator, "l1_ratio", 1) > 0:
            return LassoRange(points, estimator)
        if estimator is None:
            msg = "values of the lasso's alpha must fall and be above 0."
            raise ValueError(msg)
    if estimator is not None and parameter == getattr(estimator, "path_parameter", None):
        for value in points.tolist():
            check_parameters(clone(estimator).set_params(**{parameter: value}))
        return OwnPath(points, estimator)
    return GridRange(estimator, parameter, points)


def model_target(
    estimator: BaseEstimator | None, y: NDArray[Any], kind: TargetKind
) -> NDArray[Any]:
    """Give the target as the base shall see it: a regression sees classes as -1 and 1."""
    regression = estimator is None or (
        not isinstance(estimator, BaseSelector) and is_regressor(estimator)
    )
    if not regression:
        return y
    if kind == "classes":
        signs = sign_coding(y)
        return signs[:, 0] if signs.shape[1] == 1 else signs
    return y.astype(np.float64)


def usual_parameter(estimator: BaseEstimator | None) -> str:
    """Name the parameter that regularises an estimator."""
    if estimator is None:
        return "alpha"
    if hasattr(estimator, "path_parameter"):
        return str(estimator.path_parameter)
    for name in ("alpha", "C"):
        if name in estimator.get_params(deep=False):
            return name
    msg = (
        f"{type(estimator).__name__} has neither alpha nor C; name what to vary by parameter=..., "
        "with values=[...], the strongest regularisation first."
    )
    raise ValueError(msg)


def _usual_values(
    estimator: BaseEstimator | None, parameter: str, X: FloatArray, y: NDArray[Any]
) -> FloatArray:
    """Values from where nothing is selected to where much is, in even ratios."""
    shares = np.geomspace(1.0, WEAKEST_SHARE, N_POINTS)
    if parameter == "alpha" and (estimator is None or is_regressor(estimator)):
        columns, outputs = _centred(estimator, X, y)
        products = np.abs(columns.T @ outputs.reshape(len(outputs), -1)) / len(X)
        alone = type(estimator) in PATH_MODELS
        strongest = (products if alone else np.sqrt(np.sum(products**2, axis=1))).max()
        ratio = max(float(getattr(estimator, "l1_ratio", 1.0)), 1e-3)
        return np.asarray(max(strongest, np.finfo(np.float64).tiny) / ratio * shares)
    loss = getattr(estimator, "loss", "log")
    if parameter == "C" and loss in ("log", "squared_hinge"):
        # The loss is a sum over samples, of which a subsample has half.
        intercept = getattr(estimator, "fit_intercept", True)
        return np.asarray(2 * l1_min_c(X, y, loss=loss, fit_intercept=intercept) / shares)
    if parameter == "nu":
        return np.geomspace(1.0, LEAST_NU, N_POINTS)
    msg = f"Give values=[...] for {parameter!r}, the strongest regularisation first."
    raise ValueError(msg)


def _checked(values: ArrayLike) -> NDArray[Any]:
    """Refuse values that are no list."""
    points = np.asarray(values)
    if points.ndim != 1 or len(points) == 0:
        msg = f"values must be a list of at least one value, got {values!r}."
        raise ValueError(msg)
    return points


def _centred(
    model: BaseEstimator | None, X: FloatArray, y: NDArray[Any]
) -> tuple[FloatArray, FloatArray]:
    """Features and outputs as the lasso sees them: standardised by default, else its own way."""
    if model is None:
        outputs = standardised(y.reshape(len(y), -1))
        columns = standardised(X)
        return np.asfortranarray(columns), outputs[:, 0] if y.ndim == 1 else outputs
    if getattr(model, "fit_intercept", True):
        return np.asfortranarray(X - X.mean(axis=0)), y - y.mean(axis=0)
    return np.asfortranarray(X), y


def _seeded(estimator: BaseEstimator, seed: int) -> Any:
    """Copy an estimator, with a seed wherever it has none."""
    copy = clone(estimator)
    seeds = parameters_called(copy, "random_state")
    return copy.set_params(**{name: seed for name, value in seeds.items() if value is None})


def _weights(fitted: Any, n_features: int) -> FloatArray:
    """Size of each feature's coefficients."""
    model = fitted[-1] if isinstance(fitted, Pipeline) else fitted
    weights = getattr(model, "coef_", getattr(model, "feature_importances_", None))
    if weights is None:
        msg = (
            f"{type(model).__name__} has neither coef_ nor feature_importances_ after fit, so that "
            "there is no telling which features it selects."
        )
        raise ValueError(msg)
    sizes = np.abs(np.asarray(weights)).reshape(-1, np.shape(weights)[-1]).max(axis=0)
    if len(sizes) != n_features:
        msg = f"{type(model).__name__} has {len(sizes)} coefficients for {n_features} features."
        raise ValueError(msg)
    return np.asarray(sizes)
