"""Data as they are given become arrays or column blocks, and a target beside them.

Arrays go through scikit-learn's own checks. Frames of pandas, polars and Arrow are opened first
(:mod:`hsieve.io`), so that their types are known before they become plain numbers.

Which features are categories: those listed, by position or name, and those a frame declares.

Selectors, or their measures, have a parameter ``categorical``. It is written down once, here, what
may be given for it, and how a selector that works on plain arrays later (inside folds, or halves of
the samples) is told the same.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_array, check_consistent_length

from hsieve.data.arrays import ArrayBlocks, as_blocks
from hsieve.data.columns import ColumnBlocks, ColumnView
from hsieve.data.errors import listed
from hsieve.data.memory import free_memory
from hsieve.data.survival import SURVIVAL
from hsieve.data.validation import (
    check_size,
    checked_data,
    numbers_if_all_are,
    refuse_constant,
    target_kind_of,
)
from hsieve.dataset import Dataset
from hsieve.exceptions import IdentifierWarning, warn_user
from hsieve.fingerprint import fingerprint_of_arrays
from hsieve.io.anndata import refuse_annotated
from hsieve.io.distributed import refuse_distributed
from hsieve.io.frames import FrameBlocks, collected, is_frame
from hsieve.io.sparse import SparseBlocks, sparse_as_blocks
from hsieve.io.targets import target_array
from hsieve.kernels import Precomputed
from hsieve.kernels.columns import check_positions
from hsieve.text import how

# Values looked at to recognise the features; the target is looked at in full.
ROWS_RECOGNISED, COLUMNS_RECOGNISED = 1000, 64


class DataInput(BaseEstimator):
    """What every selector does with the data it is given."""

    n_features_in_: int
    feature_names_in_: NDArray[Any]
    categorical_: NDArray[np.intp]
    # Columns of a data frame that identify or count the rows.
    _left_out: tuple[int, ...] = ()
    # What the data of the fit are recognised by.
    _fitted_data: Mapping[str, Any] = {}

    def _validated(self, X: Any, y: Any, settings: Any, **options: Any) -> tuple[NDArray[Any], Any]:
        """Arrays of features and target that scikit-learn finds in order.

        `settings` is the measure, or the selector itself, that knows the categories.
        """
        X, frame = self._opened(X, settings)
        table = X if frame is None else frame.matrix()
        names = None if frame is None else frame.names
        if isinstance(X, ColumnBlocks):
            table, names = self._whole(X), X.names
        options |= {"ensure_min_samples": 2, "ensure_min_features": 1}
        data: NDArray[Any]
        if self._needs_target():
            plain = target_array(y, getattr(settings, "target_kind", "auto"))
            data, target = checked_data(self, table, plain, multi_output=True, **options)
            target = _flat(target)
        else:
            data, target = np.asarray(checked_data(self, table, **options)), None
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        self._keep_categories(settings, frame)
        self._fitted_data = fingerprint_of_data(data, target)
        return data, target

    def _validated_blocks(self, X: Any, y: Any, settings: Any) -> tuple[ColumnBlocks, NDArray[Any]]:
        """Column blocks and a target of the same number of samples."""
        X, frame = self._opened(X, settings)
        if frame is None and not isinstance(X, ColumnBlocks):
            data, target = self._validated(X, y, settings, **self._block_options(X))
            return as_blocks(data), target
        if y is None:
            msg = f"{type(self).__name__} requires y to be passed, but the target y is None."
            raise ValueError(msg)
        blocks = self._as_blocks(X if frame is None else frame, reset=True)
        if frame is not None:
            check_size(frame, type(self).__name__)
        plain = target_array(y, getattr(settings, "target_kind", "auto"))
        target = check_array(plain, ensure_2d=False, dtype=None, input_name="y")
        check_consistent_length(target, np.empty(blocks.n_samples))
        self._keep_categories(settings, frame)
        target = _flat(target)
        self._fitted_data = fingerprint_of_data(blocks, target)
        return blocks, target

    def _whole(self, columns: ColumnBlocks) -> NDArray[Any]:
        """Read all columns, if they fit into memory."""
        n_bytes = columns.n_samples * columns.n_features * columns.dtype.itemsize
        if not isinstance(columns, ArrayBlocks) and 2 * n_bytes > free_memory():
            msg = (
                f"{type(self).__name__} holds all data in memory, twice, and {columns.n_samples} "
                f"samples of {columns.n_features} features do not fit; take a selector that reads "
                "some columns at a time, such as KernelPursuit, N3LARS or MRMR."
            )
            raise ValueError(msg)
        return columns.whole()

    def refuse_other_data(self, columns: ColumnBlocks, target: NDArray[Any] | None) -> None:
        """Refuse data that are not those of the fit, as far as a cheap look can tell."""
        given = fingerprint_of_data(columns, target)
        other = [part for part, seen in self._fitted_data.items() if given.get(part, seen) != seen]
        if other:
            name = type(self).__name__
            msg = (
                f"The {' and '.join(other)} are not those that {name} was fitted on; give the same "
                f"samples in the same order as fit, or fit {name} to these."
            )
            if "samples" in other:
                msg = (
                    f"{name} was fitted on {self._fitted_data['samples']:,} samples, but got "
                    f"{columns.n_samples:,}; give the same samples as fit, or fit {name} to these."
                )
            raise ValueError(msg)

    def _needs_target(self) -> bool:
        """Whether there is no answer without a target."""
        return True

    def _opened(self, X: Any, settings: Any) -> tuple[Any, FrameBlocks | None]:
        """Return features that are no frame, or a frame opened; refuse what no selector can use."""
        if isinstance(X, np.ndarray | ColumnBlocks):
            return X, None
        refuse_distributed(X, type(self).__name__)
        refuse_annotated(X, f"{type(self).__name__}.fit")
        if not is_frame(X):
            return sparse_as_blocks(X), None
        frame = FrameBlocks(X)
        given = settings.categorical if takes_categories(settings) else ()
        categories = check_positions(given, frame.n_features, names=frame.names).tolist()
        gaps = self.__sklearn_tags__().input_tags.allow_nan
        left_out = frame.refuse_unusable(gaps=gaps, categories=categories)
        frame.set_aside(left_out)
        self._left_out = tuple(left_out)
        for sentence in left_out.values():
            warn_user(sentence, IdentifierWarning)
        return X, frame

    def _keep_categories(self, settings: Any, frame: FrameBlocks | None) -> None:
        """Find the features that are categories; a frame has none where nobody takes any."""
        if not takes_categories(settings):
            if frame is not None:
                frame.refuse_categories(type(self).__name__)
            self.categorical_ = np.zeros(0, dtype=np.intp)
            return
        n_features = self.n_features_in_
        names = getattr(self, "feature_names_in_", None)
        self.categorical_ = np.unique(
            check_positions(settings.categorical, n_features, names=names)
        )
        if frame is not None:
            self.categorical_ = np.union1d(self.categorical_, frame.declared)

    def _as_blocks(self, X: Any, *, reset: bool) -> ColumnBlocks:
        """Column blocks of features alone, checked against those of `fit` unless `reset`."""
        if not isinstance(X, ColumnBlocks):
            refuse_distributed(X, type(self).__name__)
            X = sparse_as_blocks(collected(X))
        if not isinstance(X, ColumnBlocks) and is_frame(X):
            checked_data(self, X, reset=reset, skip_check_array=True)
            frame = FrameBlocks(X)
            frame.refuse_unusable(gaps=self.__sklearn_tags__().input_tags.allow_nan)
            frame.set_aside(self._left_out)
            return frame
        if not isinstance(X, ColumnBlocks):
            return as_blocks(checked_data(self, X, reset=reset, **self._block_options(X)))
        if reset:
            self.n_features_in_ = X.n_features
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


def check_target(y: NDArray[Any], settings: BaseEstimator) -> None:
    """Refuse a target with nothing to depend on."""
    if isinstance(getattr(settings, "kernel_y", None), Precomputed):
        return
    kind = target_kind_of(y, getattr(settings, "target_kind", "auto"))
    refuse_constant(y, kind, "select features")
    if kind == SURVIVAL and not getattr(settings, "takes_survival", True):
        raise _no_survival(settings)
    if kind == "classes" and len(np.unique(y)) == len(y):
        meant = ""
        if y.dtype.kind in "iufb":
            option = how("target_kind='continuous'", "--target-kind continuous")
            meant = f", or {option} meant"
        msg = (
            "Every sample is a class of its own, so every feature would score zero or by chance; "
            f"is the target an identifier{meant}?"
        )
        raise ValueError(msg)
    if kind != "classes" and y.dtype.kind not in "fiub":
        msg = f"A continuous target must be numeric, got values such as {y.flat[0]!r}."
        raise ValueError(msg)


def _no_survival(settings: BaseEstimator) -> ValueError:
    """Say that a measure looks at more of a target than its mean, which censoring changes."""
    return ValueError(
        f"{type(settings).__name__} does not take times with events: it would find features that "
        "only decide how early samples are censored. Take KernelPursuit, N3LARS, BAHSIC, "
        "MaxRelevance or LassoSelector."
    )


def fingerprint_of_data(
    columns: NDArray[Any] | ColumnBlocks, target: NDArray[Any] | None
) -> dict[str, Any]:
    """Return what features and a target are recognised by, at little cost.

    Features that are not in memory are recognised by the number of samples, and those of a cluster,
    whose order may change, by nothing else.
    """
    found: dict[str, Any] = {"samples": columns.shape[0]}
    if isinstance(columns, ColumnBlocks) and not columns.is_local:
        return found
    rows, features = (
        np.unique(np.linspace(0, size - 1, min(size, most)).astype(np.intp))
        for size, most in zip(columns.shape, (ROWS_RECOGNISED, COLUMNS_RECOGNISED), strict=True)
    )
    inner = columns
    while isinstance(inner, ColumnView):
        inner = inner.viewed
    if isinstance(columns, ArrayBlocks):
        columns = columns.whole()
    if isinstance(columns, np.ndarray):
        found["values of X"] = _recognised(columns[np.ix_(rows, features)])
    elif isinstance(inner, ArrayBlocks | FrameBlocks | SparseBlocks):
        # Not `read`, since missing values are no matter here.
        block = np.empty((columns.n_samples, len(features)), dtype=columns.dtype, order="F")
        columns._fill(block, features)
        found["values of X"] = _recognised(block[rows])
    if target is not None:
        found["values of y"] = _recognised(target if target.ndim == 1 else target[rows])
    return found


def _recognised(values: NDArray[Any]) -> str:
    """Return a fingerprint of values, whichever type of number they are held as."""
    if values.dtype.kind in "biuf":
        with np.errstate(over="ignore"):
            values = values.astype(np.float32) + np.float32(0.0)
    return fingerprint_of_arrays([np.atleast_2d(values)])


def _flat(target: NDArray[Any]) -> NDArray[Any]:
    """Return a target of one column as a vector, and numbers as numbers."""
    target = numbers_if_all_are(target)
    return np.ravel(target) if target.ndim == 2 and target.shape[1] == 1 else target


def parameters_called(estimator: BaseEstimator, name: str) -> dict[str, Any]:
    """Parameters of that name of an estimator and of its parts, by their full names."""
    found = estimator.get_params()
    return {key: value for key, value in found.items() if key.rpartition("__")[2] == name}


def takes_categories(settings: Any) -> bool:
    """Say whether a measure, or a selector, has a parameter for categories."""
    # Something else than a measure is refused by the strategy, in words.
    return isinstance(settings, BaseEstimator) and "categorical" in settings.get_params(deep=False)


def with_categories(settings: Any, positions: NDArray[np.intp]) -> Any:
    """Return a measure that is told which features are categories."""
    if not takes_categories(settings):
        return settings
    parameters = settings.get_params(deep=False)
    return type(settings)(**{**parameters, "categorical": tuple(positions.tolist())})


def refuse_groups(base: Any, outer: Any) -> None:
    """Refuse a base of groups of features inside a selector that looks at single ones."""
    if getattr(base, "feature_groups", None) is not None:
        msg = (
            f"{type(outer).__name__} selects single features, and takes no {type(base).__name__} "
            "with feature_groups."
        )
        raise ValueError(msg)


def on_arrays(selector: Any, positions: NDArray[np.intp]) -> Any:
    """Copy a selector for plain arrays, which have neither names nor types."""
    copy = clone(selector)
    if takes_categories(copy):
        return with_categories(copy, positions)
    if "measure" in copy.get_params(deep=False):
        copy.set_params(measure=with_categories(copy.make_components()[0], positions))
    return copy


def told(selector: Any, data: Dataset, *, strict: bool = True) -> Any:
    """Copy a selector that knows the categories and the kind of target of a data set.

    Its own parameters come on top: categories are added to those of the data, and a kind of target
    that it was given stays.
    """
    copy = clone(selector)
    if getattr(copy, "measure", copy) is None:
        copy = on_arrays(copy, np.array(data.categorical, dtype=np.intp))
    known: dict[str, Any] = {}
    for name, value in parameters_called(copy, "categorical").items():
        given = check_positions(value, data.n_features, names=data.names)
        known[name] = tuple(np.union1d(given, data.categorical).astype(int).tolist())
    refused = data.categorical if strict else tuple(data.levels)
    if refused and not known:
        names = listed(data.names[place] for place in refused)
        msg = (
            f"{type(copy).__name__} takes numbers only, but there are categories: {names}. Leave "
            "these columns out, or take a selector that has categorical=..., such as N3LARS or "
            "BAHSIC."
        )
        raise ValueError(msg)
    kinds = parameters_called(copy, "target_kind")
    if data.target_kind == SURVIVAL and not kinds:
        raise _no_survival(copy)
    for name, value in kinds.items():
        if isinstance(value, str) and value == "auto":
            known[name] = data.target_kind
    return copy.set_params(**known)
