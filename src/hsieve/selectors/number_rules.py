"""How many features a selector keeps, where it is to find that out itself.

The rules are in :mod:`hsieve.inference.feature_number`. Here they get what they need of a selector:
its ranking and its data, and for "cv" the selector once more for every fold.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data.columns import ColumnBlocks, ColumnPiece
from hsieve.exceptions import ConstantFeatureWarning, FewerFeaturesWarning, ignored
from hsieve.inference.alignment_sweep import alignment_sweep
from hsieve.inference.feature_number import (
    ALIGNMENT_SAMPLES,
    RULES,
    NumberChoice,
    by_alignment,
    nested_validation,
    prefix_sizes,
    representative_rows,
)
from hsieve.kernels import Kernel, Precomputed
from hsieve.kernels.columns import check_positions
from hsieve.selectors.input_data import on_arrays

# Alignment is looked at for every number up to 500, then in steps of 2 %, up to 10,000 features.
ALIGNMENT_GRID: dict[str, Any] = {"n_each": 500, "growth": 1.02}
MOST_RANKED = 10_000
# Cross validation tries every number up to 10, then steps of a quarter.
VALIDATION_GRID: dict[str, Any] = {"n_each": 10, "growth": 1.25}
# Columns of one task when some samples of them are fetched.
PIECE_BYTES = 16 * 10**6
# Data for cross validation are held in memory as a whole.
MOST_VALUES = 2**27


@dataclass(frozen=True)
class RuleSettings:
    """What a rule is told by a selector that does not know it by itself.

    Parameters
    ----------
    target_kind : {"auto", "classes", "continuous"}
        How the target is read.
    categorical : iterable of int, default=()
        Features that are categories.
    kernel_y : Kernel or None, default=None
        Kernel of the target.
    in_folds : mapping of str to object, default={}
        Parameters of the selector that "cv" sets, beside the number, when it ranks in a fold.
    """

    target_kind: str
    categorical: Iterable[int | str] = ()
    kernel_y: Kernel | None = None
    in_folds: Mapping[str, Any] = field(default_factory=dict)


def check_rule(rule: str, own: tuple[str, ...] = ()) -> None:
    """Refuse words that name no rule; a selector may have rules of its own."""
    if rule not in (*own, *RULES):
        names = ", ".join(repr(name) for name in (*own, *RULES))
        msg = (
            "n_features_to_select must be None, an integer of at least 1, a fraction between 0 "
            f"and 1, or one of {names}, got {rule!r}."
        )
        raise ValueError(msg)


def check_rule_fits(rule: Any, *, kernel_y: Any = None, is_local: bool = True) -> None:
    """Refuse a rule that can do nothing with the target, or would bring all data here."""
    if rule == "cv" and isinstance(kernel_y, Precomputed):
        msg = (
            "n_features_to_select='cv' predicts classes or numbers, but the target is a Gram "
            "matrix; use 'alignment' or 'guarded'."
        )
        raise ValueError(msg)
    if rule == "cv" and not is_local:
        msg = (
            "n_features_to_select='cv' fits in this process, for which all columns would be "
            "brought here; use 'alignment' or 'guarded', or data and an engine of this process."
        )
        raise ValueError(msg)


def choose_number(
    selector: BaseEstimator,
    ranked: IndexArray,
    columns: ColumnBlocks,
    target: NDArray[Any],
    settings: BaseEstimator | RuleSettings,
) -> NumberChoice:
    """Find out how many features to keep."""
    rule = str(selector.n_features_to_select)
    kind = getattr(settings, "target_kind", "auto")
    listed = check_positions(getattr(settings, "categorical", ()), columns.n_features)
    kernel_y = getattr(settings, "kernel_y", None)
    check_rule_fits(rule, kernel_y=kernel_y)
    if rule == "cv":
        sizes = prefix_sizes(len(ranked), **VALIDATION_GRID)
        data = _whole(columns)
        as_in_all = on_arrays(selector, listed).set_params(**getattr(settings, "in_folds", {}))
        ranker = without_checkpoint(as_in_all).set_params(n_features_to_select=int(sizes[-1]))
        rank = partial(_ranked, ranker, data, target)
        return nested_validation(
            data, target, rank, sizes, categorical=listed.tolist(), target_kind=kind
        )
    ranked = ranked[:MOST_RANKED]
    rows = representative_rows(target, ALIGNMENT_SAMPLES)
    sweep = alignment_sweep(
        samples_of(columns, ranked, rows),
        target[np.ix_(rows, rows)] if isinstance(kernel_y, Precomputed) else target[rows],
        sizes=prefix_sizes(len(ranked), **ALIGNMENT_GRID),
        kernel_y=kernel_y,
        categorical=np.flatnonzero(np.isin(ranked, listed)).tolist(),
        target_kind=kind,
    )
    return by_alignment(rule, sweep)


def _ranked(
    selector: BaseEstimator, data: FloatArray, target: NDArray[Any], rows: IndexArray
) -> IndexArray:
    """Rank the features by some of the samples only."""
    # What is constant, or missing, in a part of the samples only needs no word.
    with ignored((ConstantFeatureWarning, FewerFeaturesWarning)):
        fitted = clone(selector).fit(data[rows], target[rows])
    order: IndexArray = fitted.path_.nested_order
    return order


def without_checkpoint(selector: BaseEstimator) -> BaseEstimator:
    """Copy a selector for some of the samples, whose fit is a run of its own."""
    copy = clone(selector)
    if "checkpoint" in copy.get_params(deep=False):
        copy.set_params(checkpoint=None)
    return copy


def samples_of(columns: ColumnBlocks, features: IndexArray, rows: IndexArray) -> FloatArray:
    """Read some samples of some features, a few columns at a time; no others travel."""
    wanted, places = np.unique(features, return_inverse=True)
    pieces = columns.map(samples_of_piece, rows, max_bytes=PIECE_BYTES, features=wanted)
    found = np.hstack([values for _, (values,) in pieces])
    return found[:, places].astype(np.float64)


def samples_of_piece(piece: ColumnPiece, rows: IndexArray) -> tuple[FloatArray]:
    """Read some samples of a piece, where it is."""
    return (piece.columns.read(np.arange(piece.columns.n_features))[rows],)


def _whole(columns: ColumnBlocks) -> FloatArray:
    """All features, or a refusal where they are too many to hold."""
    if columns.n_samples * columns.n_features > MOST_VALUES:
        msg = (
            f"n_features_to_select='cv' holds all values in memory, at most {MOST_VALUES:,}, but "
            f"there are {columns.n_samples * columns.n_features:,}; use 'alignment' or 'guarded'."
        )
        raise ValueError(msg)
    return columns.read(np.arange(columns.n_features))
