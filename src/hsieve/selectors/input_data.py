"""Data as they are given become arrays or column blocks, and a target beside them.

Arrays go through scikit-learn's own checks. Frames of pandas, polars and Arrow are opened first
(:mod:`hsieve.data.frames`), so that their types are known before they become plain numbers.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, check_consistent_length

from hsieve.data.annotated import refuse_annotated
from hsieve.data.blocks import ColumnBlocks, as_blocks, refuse_distributed
from hsieve.data.frames import FrameBlocks, frame_library, target_array
from hsieve.data.validation import check_size, checked_data, numbers_if_all_are
from hsieve.selectors.categories import category_positions, takes_categories

__all__ = ["DataInput"]


class DataInput(BaseEstimator):
    """What every selector does with the data it is given."""

    n_features_in_: int
    feature_names_in_: NDArray[Any]
    categorical_: NDArray[np.intp]

    def _validated(self, X: Any, y: Any, settings: Any, **options: Any) -> tuple[NDArray[Any], Any]:
        """Arrays of features and target that scikit-learn finds in order.

        `settings` is the measure, or the selector itself, that knows the categories.
        """
        refuse_distributed(X, type(self).__name__)
        if isinstance(X, ColumnBlocks):
            msg = f"{type(self).__name__} needs the whole data as an array, got column blocks."
            raise ValueError(msg)
        frame = self._opened_frame(X)
        table = X if frame is None else frame.matrix()
        options |= {"ensure_min_samples": 2, "ensure_min_features": 1}
        data: NDArray[Any]
        if self._needs_target():
            plain = self._plain_target(y, settings)
            data, target = checked_data(self, table, plain, multi_output=True, **options)
            target = _flat(target)
        else:
            data, target = np.asarray(checked_data(self, table, **options)), None
        if frame is not None and frame.names is not None:
            self.feature_names_in_ = np.array(frame.names, dtype=object)
        self._keep_categories(settings, frame)
        return data, target

    def _validated_blocks(self, X: Any, y: Any, settings: Any) -> tuple[ColumnBlocks, NDArray[Any]]:
        """Column blocks and a target of the same number of samples."""
        frame = self._opened_frame(X)
        if frame is None and not isinstance(X, ColumnBlocks):
            data, target = self._validated(X, y, settings, **self._block_options(X))
            return as_blocks(data), target
        if y is None:
            msg = f"{type(self).__name__} requires y to be passed, but the target y is None."
            raise ValueError(msg)
        blocks = self._as_blocks(X if frame is None else frame, reset=True)
        if frame is not None:
            check_size(frame, type(self).__name__)
        target = check_array(
            self._plain_target(y, settings), ensure_2d=False, dtype=None, input_name="y"
        )
        check_consistent_length(target, np.empty(blocks.n_samples))
        self._keep_categories(settings, frame)
        return blocks, _flat(target)

    def _needs_target(self) -> bool:
        """Whether there is no answer without a target."""
        return True

    def _opened_frame(self, X: Any) -> FrameBlocks | None:
        """Open a data frame and refuse what no selector can make use of; None for other data."""
        refuse_annotated(X, f"{type(self).__name__}.fit")
        if frame_library(X) is None:
            return None
        frame = FrameBlocks(X)
        if not self.__sklearn_tags__().input_tags.allow_nan:
            frame.refuse_missing()
        return frame

    def _plain_target(self, y: Any, settings: Any) -> Any:
        """Return a target of any library as an array."""
        return target_array(y, getattr(settings, "target_kind", "auto"))

    def _keep_categories(self, settings: Any, frame: FrameBlocks | None) -> None:
        """Find the features that are categories; a frame has none where nobody takes any."""
        if not takes_categories(settings):
            if frame is not None:
                frame.refuse_categories(type(self).__name__)
            self.categorical_ = np.zeros(0, dtype=np.intp)
            return
        n_features = self.n_features_in_
        names = getattr(self, "feature_names_in_", None)
        listed = category_positions(settings.categorical, n_features, names)
        self.categorical_ = np.unique(listed % n_features)
        if frame is not None:
            frame.refuse_identifiers(self.categorical_.tolist())
            self.categorical_ = np.union1d(self.categorical_, frame.declared)

    def _as_blocks(self, X: Any, *, reset: bool) -> ColumnBlocks:
        """Column blocks of features alone, checked against those of `fit` unless `reset`."""
        refuse_distributed(X, type(self).__name__)
        if not isinstance(X, ColumnBlocks) and frame_library(X) is not None:
            checked_data(self, X, reset=reset, skip_check_array=True)
            frame = FrameBlocks(X)
            frame.refuse_missing()
            return frame
        if not isinstance(X, ColumnBlocks):
            return as_blocks(checked_data(self, X, reset=reset, **self._block_options(X)))
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


def _flat(target: NDArray[Any]) -> NDArray[Any]:
    """Return a target of one column as a vector, and numbers as numbers."""
    target = numbers_if_all_are(target)
    return np.ravel(target) if target.ndim == 2 and target.shape[1] == 1 else target
