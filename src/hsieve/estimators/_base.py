"""What every selector owes scikit-learn and its users, written once.

The base validates the data, sets constant columns aside and puts the result where people look for
it. Most selectors are a measure and a strategy (:mod:`hsieve.estimators._search`).
"""

import warnings
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any, ClassVar

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
    as_blocks,
    refuse_distributed,
)
from hsieve.data.validation import (
    check_frame,
    numbers_if_all_are,
    target_kind_of,
)
from hsieve.estimators._number import checked_rule, choose_number, no_ranking
from hsieve.exceptions import ConstantFeatureWarning, FewerFeaturesWarning
from hsieve.kernels import Precomputed
from hsieve.kernels.columns import check_positions
from hsieve.strategies.base import SelectionPath

__all__ = ["BaseSelector"]

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
