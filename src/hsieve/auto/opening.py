"""Data of any kind become what rules and methods need: columns, a target, names, and notes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, check_consistent_length

from hsieve.data.annotated import is_annotated, open_annotated
from hsieve.data.blocks import (
    ArrayBlocks,
    ColumnBlocks,
    SparseBlocks,
    is_sparse,
    refuse_distributed,
)
from hsieve.data.frames import FrameBlocks, frame_library, split_target, target_array
from hsieve.data.memory import free_memory
from hsieve.data.validation import TargetKind, numbers_if_all_are, target_kind_of
from hsieve.selectors import FillMissing
from hsieve.selectors.base import MIN_SAMPLES
from hsieve.selectors.input_data import category_positions

__all__ = ["Opened", "open_data"]

FloatArray = NDArray[np.floating]
MISSING = ("refuse", "impute")
BYTES_AT_A_TIME = 64 * 2**20


@dataclass(frozen=True, eq=False)
class Opened:
    """Data that are ready.

    Parameters
    ----------
    features : object
        What a selector is fitted on: a frame, an array or column blocks.
    columns : ColumnBlocks
        The same as column blocks.
    y : ndarray
        The target.
    kind : {"classes", "continuous"}
        What it holds.
    names : tuple of str
        Names of all features.
    categorical : tuple of int
        Features that are categories.
    notes : tuple of str
        What was done to the data, in words.
    filler : FillMissing or None
        What filled in missing values.
    """

    features: Any
    columns: ColumnBlocks
    y: NDArray[Any]
    kind: TargetKind
    names: tuple[str, ...]
    categorical: tuple[int, ...]
    notes: tuple[str, ...]
    filler: FillMissing | None = None

    @property
    def fits(self) -> bool:
        """Whether all data fit into memory, twice."""
        n_bytes = self.columns.n_samples * self.columns.n_features * self.columns.dtype.itemsize
        return 2 * n_bytes <= free_memory()

    def whole(self) -> Any:
        """Return the data for a method that holds them all."""
        if isinstance(self.features, ColumnBlocks):
            return self.columns.read(np.arange(self.columns.n_features))
        return self.features

    def rows(self, rows: NDArray[np.intp]) -> FloatArray:
        """Read some samples of all features, a few columns at a time."""
        found = np.empty((len(rows), self.columns.n_features), dtype=np.float64, order="F")
        for features in self.columns.walk(BYTES_AT_A_TIME):
            found[:, features] = self.columns.read(features)[rows]
        return found


def open_data(
    X: Any,
    y: Any,
    *,
    names: Sequence[str] | None,
    missing: str,
    categorical: Iterable[int | str],
    target_kind: str,
    layer: str | None = None,
) -> Opened:
    """Open data of any kind.

    Parameters
    ----------
    X, y, names, missing, categorical, target_kind
        As in :func:`hsieve.select`.
    layer : str or None, default=None
        Layer of an AnnData.

    Returns
    -------
    Opened
        Columns, target, names, categories and notes.

    Raises
    ------
    ValueError
        If the data cannot be used, in words.
    """
    if missing not in MISSING:
        msg = f"missing must be one of {', '.join(map(repr, MISSING))}, got {missing!r}."
        raise ValueError(msg)
    refuse_distributed(X, "hsieve.select")
    if y is None:
        msg = "y must hold the target, one value for each sample, or name its column; got None."
        raise ValueError(msg)
    notes: tuple[str, ...] = ()
    if is_annotated(X):
        annotated = open_annotated(X, y, layer=layer, target_kind=target_kind)
        X, y, notes = annotated.columns, annotated.y, annotated.notes
    elif isinstance(y, str):
        X, y = split_target(X, y)
    filler = None
    if missing == "impute":
        X, filler = _filled(X, categorical)
        notes += filler.notes_ or ("No value was missing.",)
    features, columns = _columns_of(X)
    target = _checked_target(y, target_kind, columns.n_samples)
    found = _names_of(columns, names)
    listed = category_positions(categorical, columns.n_features, found) % columns.n_features
    if isinstance(columns, FrameBlocks):
        columns.refuse_identifiers(listed.tolist())
        listed = np.union1d(listed, columns.declared)
    kind = target_kind_of(target, target_kind)
    told = tuple(np.unique(listed).astype(int).tolist())
    return Opened(features, columns, target, kind, found, told, notes, filler)


def _filled(X: Any, categorical: Iterable[int | str]) -> tuple[Any, FillMissing]:
    """Fill in what is missing."""
    if isinstance(X, ColumnBlocks) or is_sparse(X):
        msg = "missing='impute' needs an array or a data frame; fill in such data before."
        raise ValueError(msg)
    filler = FillMissing(categorical=categorical)
    return filler.fit_transform(X), filler


def _columns_of(X: Any) -> tuple[Any, ColumnBlocks]:
    """Return what selectors are fitted on, and the same as column blocks."""
    if isinstance(X, ColumnBlocks):
        return X, X
    if is_sparse(X):
        blocks = SparseBlocks(X)
        return blocks, blocks
    if frame_library(X) is not None:
        frame = FrameBlocks(X)
        frame.refuse_missing()
        return X, frame
    array = check_array(X, dtype="numeric", ensure_all_finite=False, input_name="X")
    if array.dtype.kind not in "biuf":
        array = check_array(X, dtype=np.float64, ensure_all_finite=False, input_name="X")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise _refused_array(array)
    return array, ArrayBlocks(array)


def _refused_array(array: NDArray[Any]) -> ValueError:
    """Say where an array is not finite."""
    missing = np.isnan(array).sum(axis=0)
    if not missing.any():
        return ValueError("X holds infinite values; only finite numbers are accepted.")
    worst = np.argsort(-missing, kind="stable")[:5]
    shown = ", ".join(f"{i} ({missing[i]})" for i in sorted(worst[missing[worst] > 0].tolist()))
    return ValueError(
        f"{int((missing > 0).sum())} of {array.shape[1]} columns of X have missing values, such as "
        f"{shown}. Fill them in first, leave them out, or say missing='impute' (the median of "
        "numbers, a level of its own for categories)."
    )


def _checked_target(y: Any, target_kind: str, n_samples: int) -> NDArray[Any]:
    """Return the target as an array that selectors will take."""
    plain = target_array(y, target_kind)
    target = numbers_if_all_are(check_array(plain, ensure_2d=False, dtype=None, input_name="y"))
    if target.ndim == 2 and target.shape[1] == 1:
        target = target[:, 0]
    check_consistent_length(target, np.empty(n_samples))
    if n_samples < MIN_SAMPLES:
        msg = f"Found n_samples = {n_samples}; at least {MIN_SAMPLES} samples are needed."
        raise ValueError(msg)
    return target


def _names_of(columns: ColumnBlocks, names: Sequence[str] | None) -> tuple[str, ...]:
    """Return a name for each feature."""
    if names is not None:
        given = tuple(str(name) for name in names)
        if isinstance(names, str) or len(given) != columns.n_features:
            n_given = 1 if isinstance(names, str) else len(given)
            msg = f"names must be one for each of {columns.n_features} features, got {n_given}."
            raise ValueError(msg)
        if len(set(given)) < len(given):
            msg = "names must differ from each other."
            raise ValueError(msg)
        return given
    if isinstance(columns, FrameBlocks):
        return tuple(columns.name_of(i) for i in range(columns.n_features))
    return columns.names or tuple(f"x{i}" for i in range(columns.n_features))
