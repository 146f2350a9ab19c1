"""Base class of all selectors.

The base sees to the data (:mod:`hsieve.selectors.input_data`), sets constant columns aside and puts
the result where people look for it. Most selectors are a measure and a strategy
(:mod:`hsieve.selectors.search`).
"""

import os
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import signature
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, ParamSpec, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from hsieve.data.arrays import as_blocks
from hsieve.data.columns import ColumnBlocks
from hsieve.data.validation import checked_data, plain_features
from hsieve.dataset import Dataset, open_dataset
from hsieve.exceptions import (
    ConstantFeatureWarning,
    FewerFeaturesWarning,
    NoRankingError,
    warn_user,
)
from hsieve.io.anndata import refuse_annotated
from hsieve.io.distributed import refuse_distributed
from hsieve.io.frames import as_array, collected, frame_library, pandas_frame, take_columns
from hsieve.io.targets import survival_target
from hsieve.parameters import Rule, check_parameters
from hsieve.selectors.feature_groups import FeatureGroups
from hsieve.selectors.input_data import DataInput, check_target, told
from hsieve.selectors.number_rules import check_rule, choose_number
from hsieve.selectors.spec import MethodSpec, with_common_parameters
from hsieve.strategies.base import SelectionPath

if TYPE_CHECKING:
    from hsieve.inference import FeatureTests
    from hsieve.report.analysis import Analysis
    from hsieve.report.page import Report

DEFAULT_N_FEATURES = 10
MIN_SAMPLES = 4

Owner = TypeVar("Owner", bound=BaseEstimator)
Given = ParamSpec("Given")
Result = TypeVar("Result")


class BaseSelector(SelectorMixin, DataInput):
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
    categorical_ : ndarray of shape (n_categorical,)
        Features treated as categories: those listed in `categorical`, and those of category type
        or text in a data frame.
    """

    n_features_to_select: int | float | str | None
    # Selectors without these parameters work here and keep nothing.
    n_jobs: int | None = None
    engine: Any = None
    checkpoint: str | os.PathLike[str] | None = None
    feature_groups: Any = None
    # Groups of the varying features, and the path over them; `path_` is over their features.
    _groups: FeatureGroups | None = None
    group_path_: Any
    # Whether features are put in order without a test, so that samples may be in groups.
    _may_have_groups: ClassVar[bool] = True
    # Whether None is as many features as the method keeps.
    _keeps_own_number: ClassVar[bool] = False

    # What the parameters may be, where the measure and the strategy do not know it.
    allowed: ClassVar[Mapping[str, Rule]] = {}
    # What the method is, for lists and reports.
    spec: ClassVar[MethodSpec | None] = None
    # Rules beside those of `hsieve.inference.feature_number`.
    own_rules: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.__doc__ = with_common_parameters(cls.__doc__)

    def _check(self, settings: BaseEstimator, target: Any, n_samples: int) -> int:
        """Refuse targets and sizes that nothing can be done with; return the number wanted.

        `settings` is the measure, or the selector itself, that knows the kind of target; the target
        is None where it is not used.
        """
        check_parameters(self)
        if target is not None:
            check_target(target, settings)
        if n_samples < MIN_SAMPLES:
            msg = f"Found n_samples = {n_samples}; at least {MIN_SAMPLES} samples are needed."
            raise ValueError(msg)
        return self._n_wanted(self.n_features_in_)

    def _n_wanted(self, n_features: int) -> int:
        """Work out the number of features asked for."""
        wanted = self.n_features_to_select
        if isinstance(wanted, str):
            check_rule(wanted, self.own_rules)
            try:
                return self._n_ranked(n_features)
            except NoRankingError as reason:
                msg = (
                    f"{type(self).__name__} cannot find its number by "
                    f"n_features_to_select={wanted!r}: {reason}. Give a number."
                )
                raise ValueError(msg) from None
        if wanted is None:
            return n_features if self._keeps_own_number else min(DEFAULT_N_FEATURES, n_features)
        if isinstance(wanted, Integral) and not isinstance(wanted, bool):
            if wanted >= 1:
                return int(wanted)
        elif isinstance(wanted, Real) and not isinstance(wanted, bool) and 0 < wanted < 1:
            return max(1, int(wanted * n_features))
        msg = (
            "n_features_to_select must be None, an integer of at least 1 or a fraction between "
            f"0 and 1, got {wanted!r}."
        )
        raise ValueError(msg)

    def _n_ranked(self, n_features: int) -> int:
        """Return how many features to put in order for a rule to choose among."""
        msg = "it looks for as many features as are asked for"
        raise NoRankingError(msg)

    def _by_rule(
        self,
        ranked: NDArray[np.intp],
        n_wanted: int,
        columns: ColumnBlocks | NDArray[Any],
        target: NDArray[Any],
        settings: BaseEstimator,
    ) -> int:
        """Cut a ranking where a rule is asked for; else pass the number wanted on.

        The rule chooses among the first `n_wanted` features. `settings` is the measure, or the
        selector itself, that knows categories and the kind and kernel of the target.
        """
        if not isinstance(self.n_features_to_select, str):
            return n_wanted
        self.n_features_choice_ = choose_number(
            self, ranked[:n_wanted], as_blocks(columns), target, settings
        )
        return self.n_features_choice_.number

    def _varying_features(self, constant: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Features that hold more than one value; the others are named in a warning."""
        self.constant_features_ = np.flatnonzero(constant)
        if constant.all():
            msg = f"All {len(constant)} feature(s) are constant: there is nothing to select from."
            raise ValueError(msg)
        told_of = constant.copy()
        told_of[list(self._left_out)] = False
        if told_of.any():
            names = _check_feature_names_in(self)[told_of]
            shown = ", ".join(str(name) for name in names[:5]) + (", ..." if len(names) > 5 else "")
            msg = f"{len(names)} constant column(s) will never be selected: {shown}."
            warn_user(msg, ConstantFeatureWarning)
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
            warn_user(msg, category)
        self.selected_indices_ = order[:n_selected]
        self.ranking_ = np.empty(len(order), dtype=np.intp)
        self.ranking_[order] = np.arange(1, len(order) + 1)
        self.scores_ = np.empty(len(order))
        self.scores_[order] = self.path_.feature_scores

    def transform(self, X: Any) -> Any:
        """Keep the selected features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, as in `fit`. Data of Dask and Spark are refused, since they would be
            collected here; take their columns by `get_support` or `get_feature_names_out`.

        Returns
        -------
        ndarray or frame of shape (n_samples, n_selected)
            The columns of the selected features, values as they are; with ``set_output`` names and
            types of a frame survive, where it is of the library asked for.
        """
        refuse_distributed(X, f"{type(self).__name__}.transform")
        refuse_annotated(X, f"{type(self).__name__}.transform")
        X = collected(X)
        library = frame_library(X)
        if library is None:
            # Quiet as `checked_data` is, and for its reason.
            with np.errstate(invalid="ignore"):
                return super().transform(plain_features(self, X))
        check_is_fitted(self)
        checked_data(self, X, reset=False, skip_check_array=True)
        chosen = np.flatnonzero(self._get_support_mask())
        if len(chosen) == 0:
            warn_user("No features were selected.")
            return np.empty((len(X), 0))
        kept = take_columns(X, chosen)
        asked = _get_output_config("transform", estimator=self)["dense"]
        return kept if asked == library else as_array(kept)

    def report(
        self,
        X: ArrayLike | ColumnBlocks | Dataset | None = None,
        y: Any = None,
        *,
        title: str | None = None,
        feature_names: Iterable[Any] | None = None,
        target_name: str | None = None,
        p_values: "str | FeatureTests" = "auto",
        n_shown: int = 300,
    ) -> "Report":
        """Tell all about the selection on one page: ``selector.report(X, y).save("page.html")``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), ColumnBlocks, Dataset or None, default=None
            The features the selector was fitted on. Without them, and for data of Dask and Spark,
            nothing is shown that needs values.
        y : array-like or None, default=None
            The target.
        title : str or None, default=None
            Heading of the page; None for the method and the target.
        feature_names : iterable or None, default=None
            Names of all features; None for those of the data frame, or x0, x1, ...
        target_name : str or None, default=None
            What the target is called; None for the name of its series, or y.
        p_values : {"auto", "none", "gamma", "permutation"} or FeatureTests, default="auto"
            Which test of single features to show. "auto": the gamma test, of as many of the best
            features as takes a few seconds. Or what :func:`hsieve.feature_tests` gives.
        n_shown : int, default=300
            How many features to show, the best ones, from 1 to 500.

        Returns
        -------
        Report
            With ``save(path)``, ``html`` and ``summary``; in a notebook it shows itself.

        Notes
        -----
        Needs Jinja: ``pip install "hsieve[report]"``. The page is one self-contained file under
        5 MB that works offline.
        """
        from hsieve.report.analysis import AnalysisOptions, analyse
        from hsieve.report.page import Report, require_jinja2

        require_jinja2()
        options = AnalysisOptions(title, feature_names, target_name, p_values, n_shown)
        return Report(analyse(self, X, y, options=options))

    def summary(
        self,
        X: ArrayLike | ColumnBlocks | Dataset | None = None,
        y: Any = None,
        *,
        feature_names: Iterable[Any] | None = None,
        target_name: str | None = None,
        p_values: "str | FeatureTests" = "auto",
        n_shown: int | None = 300,
    ) -> "Analysis":
        """Tell the result in a table and a few sentences: ``print(selector.summary(X, y))``.

        Parameters
        ----------
        X, y, feature_names, target_name, p_values, n_shown
            As in :meth:`report`; ``n_shown=None`` for the chosen features only.

        Returns
        -------
        Analysis
            What screen and report show, as plain values, with ``to_frame()`` and ``to_dict()``.
        """
        from hsieve.report.analysis import AnalysisOptions, analyse

        options = AnalysisOptions(
            None, feature_names, target_name, p_values, n_shown, pictures=False
        )
        return analyse(self, X, y, options=options)

    def to_frame(self) -> Any:
        """Return a pandas frame with a row for each feature, best first, which needs pandas.

        Returns
        -------
        DataFrame
            Columns ``rank``, ``score`` and ``selected``, names of the features as the index.
        """
        check_is_fitted(self)
        order = np.argsort(self.ranking_, kind="stable")
        columns = {
            "feature": _check_feature_names_in(self)[order],
            "rank": self.ranking_[order],
            "score": self.scores_[order],
            "selected": self.support_[order],
        }
        return pandas_frame(columns, "ranking_ and scores_").set_index("feature")

    @property
    def support_(self) -> NDArray[np.bool_]:
        """Mask of the selected features, as ``get_support()`` gives it."""
        return self._get_support_mask()

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.selected_indices_] = True
        return mask

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.two_d_labels = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def whole_or_nothing(
    fit: Callable[Concatenate[Owner, Given], Result],
) -> Callable[Concatenate[Owner, Given], Result]:
    """Let a fit take a Dataset, and begin and, after an exception, end with nothing learned."""

    @wraps(fit)
    def fit_wholly(self: Owner, /, *given: Given.args, **options: Given.kwargs) -> Result:
        _forget(self)
        try:
            X = given[0] if given else options.get("X")
            if options.get("sample_weight") is None:
                options.pop("sample_weight", None)
            elif "sample_weight" not in signature(fit).parameters:
                raise _takes_no_weights(self)
            if not isinstance(X, np.ndarray):
                given = tuple(map(collected, given))  # type: ignore[assignment]
                options = {name: collected(value) for name, value in options.items()}  # type: ignore[assignment]
            y = given[1] if len(given) > 1 else options.get("y")
            if isinstance(self, BaseSelector) and not isinstance(X, Dataset):
                kind = getattr(self, "target_kind", "auto")
                if survival_target(y, kind) is not None:
                    weight = given[2] if len(given) > 2 else options.get("sample_weight")
                    groups = options.get("groups")
                    data = open_dataset(X, y, target_kind=kind, sample_weight=weight, groups=groups)
                    return cast("Result", _fitted_on(self, data, fit))
            if isinstance(X, Dataset):
                if y is not None:
                    msg = "A Dataset has its target; give fit(dataset), without y."
                    raise ValueError(msg)
                if len(given) > 2 or "sample_weight" in options:
                    msg = (
                        "A Dataset has its own weights; give sample_weight to open_dataset, and "
                        "fit(dataset) without it."
                    )
                    raise ValueError(msg)
                if options.get("groups") is not None:
                    msg = "A Dataset has its own groups; give groups to open_dataset."
                    raise ValueError(msg)
                return cast("Result", _fitted_on(self, X, fit))
            return fit(self, *given, **options)
        except BaseException:
            _forget(self)
            raise

    return fit_wholly


def _takes_no_weights(estimator: Any) -> ValueError:
    """Say that samples cannot have weights."""
    msg = (
        f"{type(estimator).__name__} takes no sample_weight; N3LARS, HSICLasso, MaxRelevance, "
        "KernelPursuit and BAHSIC(estimator='biased') do."
    )
    return ValueError(msg)


def _fitted_on(estimator: Any, data: Dataset, fit: Callable[..., Any]) -> Any:
    """Fit to a Dataset: a copy that knows categories and kind of target learns for `estimator`."""
    ready = told(estimator, data)
    weights: dict[str, Any] = {}
    if data.sample_weight is not None:
        if "sample_weight" not in signature(fit).parameters:
            raise _takes_no_weights(estimator)
        weights["sample_weight"] = data.sample_weight
    if data.groups is not None:
        if "groups" in signature(fit).parameters:
            weights["groups"] = data.groups
        else:
            _refuse_groups(estimator)
    fit(ready, data.columns, data.y, **weights)
    parameters = ready.get_params(deep=False)
    learned = {name: value for name, value in vars(ready).items() if name not in parameters}
    vars(estimator).update(learned, target_kind_=data.target_kind)
    return estimator


def _refuse_groups(estimator: Any) -> None:
    """Refuse groups where samples would be judged as independent; a ranking does not judge."""
    wanted = getattr(estimator, "n_features_to_select", None)
    own = wanted is None and getattr(estimator, "_keeps_own_number", True)
    if isinstance(wanted, str) or own or not getattr(estimator, "_may_have_groups", False):
        msg = (
            f"{type(estimator).__name__} would judge features as if the samples of a group were "
            "independent. Give n_features_to_select a number, or take StabilitySelection, which "
            "draws whole groups."
        )
        raise ValueError(msg)


def _forget(estimator: BaseEstimator) -> None:
    """Drop what was learned, which has names as in scikit-learn."""
    for name in [*vars(estimator)]:
        if name.endswith("_") and not name.startswith("_"):
            delattr(estimator, name)
