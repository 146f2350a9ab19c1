"""What pictures ask of a fitted selector: what it chose, and how its features belong together."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from hsieve.data.arrays import as_blocks
from hsieve.data.columns import ColumnBlocks
from hsieve.data.validation import checked_data
from hsieve.exceptions import IncompatibleCombinationError
from hsieve.io.distributed import refuse_distributed
from hsieve.io.frames import FrameBlocks, collected, is_frame
from hsieve.io.sparse import sparse_as_blocks
from hsieve.kernels import Precomputed
from hsieve.kernels.columns import check_positions
from hsieve.measures.base import Measure, PairwiseBoundMeasure
from hsieve.measures.pairwise import PairwiseHSIC
from hsieve.text import shortened

IndexArray = NDArray[np.intp]

PAIRWISE_METHODS = ("relevance", "redundancy", "self_redundancy")


@dataclass(frozen=True, eq=False)
class FittedSelection:
    """What a selector chose.

    Parameters
    ----------
    method : str
        Name of the selector's class.
    chosen : ndarray of shape (n_chosen,)
        The chosen features, best first; in the order of columns where the selector has no ranking.
    names : list of str
        A name for each feature.
    """

    method: str
    chosen: IndexArray
    names: list[str]

    @property
    def title(self) -> str:
        """Method and number of the chosen features."""
        return f"{self.method}: {len(self.chosen)} of {len(self.names)} features chosen"

    def name(self, feature: int) -> str:
        """Return the name of a feature as it can be shown."""
        return shortened(self.names[int(feature)])


def names_of(selector: Any, feature_names: Iterable[Any] | None = None) -> list[str]:
    """Return a name for each feature: as given, those of the data frame, or x0, x1, ..."""
    n_features = selector.n_features_in_
    if feature_names is None:
        feature_names = getattr(
            selector, "feature_names_in_", [f"x{feature}" for feature in range(n_features)]
        )
    names = [str(name) for name in feature_names]
    if len(names) != n_features:
        msg = f"feature_names must hold {n_features} names, one for each feature, got {len(names)}."
        raise ValueError(msg)
    return names


def selection_of(
    selector: Any, feature_names: Iterable[Any] | None = None, *, may_be_empty: bool = False
) -> FittedSelection:
    """Say what a fitted selector chose."""
    if not hasattr(selector, "get_support"):
        msg = f"A fitted selector is needed, such as N3LARS().fit(X, y), got {selector!r}."
        raise TypeError(msg)
    check_is_fitted(selector)
    chosen = getattr(selector, "selected_indices_", None)
    chosen = np.flatnonzero(selector.get_support()) if chosen is None else np.asarray(chosen)
    if not len(chosen) and not may_be_empty:
        msg = f"{type(selector).__name__} chose no feature, so that there is nothing to draw."
        raise ValueError(msg)
    return FittedSelection(type(selector).__name__, chosen, names_of(selector, feature_names))


def declared(selector: Any, name: str, default: Any) -> Any:
    """Find a setting of a selector, of its measure or of what it is wrapped around."""
    value = getattr(selector, f"{name}_", getattr(selector, name, default))
    for part in ("measure", "estimator", "selector"):
        if not (value is default or (isinstance(value, str) and value == default)):
            break
        inner = getattr(selector, part, None)
        value = default if inner is None else declared(inner, name, default)
    return value


def chosen_columns(selector: Any, X: Any, chosen: IndexArray, whose: str) -> NDArray[np.floating]:
    """Read some of the features that a selector was fitted on."""
    X = sparse_as_blocks(collected(X))
    if isinstance(X, ColumnBlocks) or not get_tags(selector).input_tags.allow_nan:
        return columns_of(selector, X, whose).read(chosen)
    refuse_distributed(X, whose)
    if is_frame(X):
        return _frame_of(selector, X).read(chosen)
    values: NDArray[np.floating] = checked_data(
        selector, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan"
    )
    return values[:, chosen]


def columns_of(selector: Any, X: Any, whose: str) -> ColumnBlocks:
    """Check the features that a selector was fitted on."""
    X = sparse_as_blocks(collected(X))
    refuse_distributed(X, whose)
    if not isinstance(X, ColumnBlocks) and is_frame(X):
        frame = _frame_of(selector, X)
        frame.refuse_unusable(gaps=False)
        return frame
    if not isinstance(X, ColumnBlocks):
        X = checked_data(selector, X, reset=False, dtype=[np.float64, np.float32])
    blocks = as_blocks(X)
    if blocks.n_features != selector.n_features_in_:
        msg = (
            f"X has {blocks.n_features} features, but {type(selector).__name__} was fitted on "
            f"{selector.n_features_in_}."
        )
        raise ValueError(msg)
    return blocks


def categories_of(selector: Any) -> IndexArray:
    """Find the features that a fitted selector treats as categories."""
    found = declared(selector, "categorical_", None)
    if found is None:
        found = check_positions(declared(selector, "categorical", ()), selector.n_features_in_)
    positions: IndexArray = np.asarray(found, dtype=np.intp) % selector.n_features_in_
    return positions


def pairwise_of(
    selector: Any, X: Any, y: Any, *, measure: Measure | None, whose: str
) -> PairwiseBoundMeasure:
    """Tie a pairwise measure to the data of a selector."""
    if measure is None:
        if isinstance(declared(selector, "kernel_y", None), Precomputed):
            msg = f"{whose} needs classes or numbers for y, but the target is a Gram matrix."
            raise ValueError(msg)
        measure = PairwiseHSIC(
            categorical=categories_of(selector),
            target_kind=declared(selector, "target_kind", "auto"),
        )
    bound_type = getattr(measure, "bound_type", None)
    missing = [name for name in PAIRWISE_METHODS if not hasattr(bound_type, name)]
    if isinstance(measure, type) or missing:
        msg = (
            f"{whose} needs a pairwise measure, such as PairwiseHSIC(), MutualInformation() or "
            f"Pearson(), got {measure!r}."
        )
        raise IncompatibleCombinationError(msg)
    columns = columns_of(selector, X, whose)
    everything = np.arange(columns.n_features)
    target = np.asarray(y)
    if target.ndim == 2 and target.shape[1] == 1:
        target = target[:, 0]
    bound: PairwiseBoundMeasure = measure.bind(
        columns if measure.takes_blocks else columns.read(everything), target
    )
    return bound


def _frame_of(selector: Any, X: Any) -> FrameBlocks:
    """Open a data frame whose names are those of the fit."""
    checked_data(selector, X, reset=False, skip_check_array=True)
    frame = FrameBlocks(X)
    frame.refuse_unusable(gaps=True)
    return frame


def measure_name(measure: Measure | None) -> str:
    """Name a measure for an axis."""
    if measure is None or isinstance(measure, PairwiseHSIC):
        return "HSIC" if measure is not None and not measure.normalised else "NHSIC"
    words = {"MutualInformation": "mutual information", "Pearson": "correlation"}
    return words.get(type(measure).__name__, type(measure).__name__)
