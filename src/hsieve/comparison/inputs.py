"""What a comparison of selectors is given, checked and brought into one form before any work."""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from hsieve.comparison.evaluation import can_select
from hsieve.data.arrays import ArrayBlocks
from hsieve.data.validation import TargetKind, refuse_constant
from hsieve.data.views import FilledBlocks
from hsieve.dataset import Dataset
from hsieve.inference.gaussian_machine import Fold, validation_folds
from hsieve.parameters import integer
from hsieve.selectors.base import MIN_SAMPLES


def compared_data(data: Dataset) -> Dataset:
    """Bring data into memory as finite numbers, or refuse what nothing can be compared on."""
    columns = data.columns
    has_gaps = isinstance(columns, FilledBlocks)
    X = check_array(
        columns.unfilled() if isinstance(columns, FilledBlocks) else data.X,
        dtype=[np.float64, np.float32],
        ensure_all_finite="allow-nan" if has_gaps else True,
        input_name="X",
    )
    if len(X) < MIN_SAMPLES:
        msg = f"Found n_samples = {len(X)}; at least {MIN_SAMPLES} samples are needed."
        raise ValueError(msg)
    refuse_constant(data.y, data.target_kind, "compare selectors")
    return replace(data, columns=ArrayBlocks(X))


def named(selectors: Any) -> dict[str, Any]:
    """Give each selector a name: its own, or that of its class, with a number if need be."""
    if can_select(selectors):
        selectors = [selectors]
    if isinstance(selectors, str) or not isinstance(selectors, Iterable):
        msg = f"selectors must be a list of selectors, or a dictionary by name, got {selectors!r}."
        raise ValueError(msg)
    if isinstance(selectors, Mapping):
        found = {str(name): selector for name, selector in selectors.items()}
        if len(found) < len(selectors):
            msg = f"selectors must have names of their own, got {list(selectors)!r}."
            raise ValueError(msg)
    else:
        found = {}
        for selector in selectors:
            kind = name = type(selector).__name__
            number = 1
            while name in found:
                number += 1
                name = f"{kind} {number}"
            found[name] = selector
    for selector in found.values():
        if not can_select(selector):
            msg = (
                "selectors must be selectors such as N3LARS(10) and SelectKBest(), or pipelines "
                f"that end in one, got {selector!r}."
            )
            if isinstance(selector, str):
                msg += " Names of methods work on the command line only."
            raise ValueError(msg)
    if not found:
        msg = "selectors must hold at least one selector, got none."
        raise ValueError(msg)
    return found


def check_predictor(predictor: BaseEstimator | None, kind: TargetKind) -> None:
    """Refuse what is no predictor, or one for the other kind of target."""
    if predictor is None:
        return
    if isinstance(predictor, type) or not (
        hasattr(predictor, "fit") and hasattr(predictor, "predict")
    ):
        msg = f"predictor must be an estimator such as SVC(), or None, got {predictor!r}."
        raise ValueError(msg)
    if kind == "classes" and is_regressor(predictor):
        msg = f"The target holds classes, but {predictor!r} predicts numbers; give a classifier."
        raise ValueError(msg)
    if kind == "continuous" and is_classifier(predictor):
        msg = f"The target holds numbers, but {predictor!r} predicts classes; give a regressor."
        raise ValueError(msg)


def make_folds(
    data: Dataset, cv: Any, n_repeats: int, seed: int, groups: Any = None
) -> tuple[list[list[Fold]], tuple[str, ...]]:
    """Return the folds of each repetition, and notes on what is not as it was asked for."""
    is_classes = data.target_kind == "classes"
    if groups is not None:
        groups = column_or_1d(groups)
        check_consistent_length(groups, data.y)
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        integer(2).check("cv", cv)
        n_folds = int(cv)
        if is_classes and np.unique(data.y, return_counts=True)[1].min() < 2:
            msg = (
                "One class of the target has a single sample; each class needs two at least, to "
                "train with and to predict."
            )
            raise ValueError(msg)
        if groups is None:
            repeats = [
                validation_folds(data.y, is_classes=is_classes, n_folds=n_folds, seed=seed + repeat)
                for repeat in range(n_repeats)
            ]
        else:
            seeds = range(seed, seed + n_repeats)
            repeats = [_folds_of_groups(data, groups, n_folds, one) for one in seeds]
        found = len(repeats[0])
        if found == n_folds:
            return repeats, ()
        why = "the rarest class has no more samples" if is_classes else "samples are few"
        if groups is not None:
            why = "there are no more groups"
        return repeats, (f"There are {found} folds, not {n_folds} as asked for, since {why}.",)
    if n_repeats > 1:
        msg = (
            "n_repeats needs a number of folds as cv; give a splitter that repeats itself, such as "
            "RepeatedKFold, with n_repeats=1."
        )
        raise ValueError(msg)
    return [_given_folds(data, cv, groups)], ()


def _folds_of_groups(data: Dataset, groups: NDArray[Any], n_folds: int, seed: int) -> list[Fold]:
    """Share groups out over folds, classes as evenly as they allow."""
    n_groups = len(np.unique(groups))
    if n_groups < 2:
        msg = "groups holds a single group; at least two are needed, to train with and to predict."
        raise ValueError(msg)
    kind = (
        StratifiedGroupKFold if data.target_kind == "classes" and data.y.ndim == 1 else GroupKFold
    )
    splitter = kind(min(n_folds, n_groups), shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of classes in fewer groups than folds
        return list(splitter.split(np.zeros((len(data.y), 1)), data.y, groups))


def _given_folds(data: Dataset, cv: Any, groups: Any) -> list[Fold]:
    """Take the folds of a splitter or of a list."""
    try:
        pairs = list(cv.split(data.X, data.y, groups) if hasattr(cv, "split") else cv)
        folds = [(np.asarray(training), np.asarray(held_out)) for training, held_out in pairs]
    except TypeError as error:
        msg = (
            "cv must be a number of folds, a splitter such as KFold(), or pairs of training and "
            f"held-out samples, got {cv!r}."
        )
        raise ValueError(msg) from error
    if not folds:
        msg = "cv holds no folds; at least one is needed."
        raise ValueError(msg)
    for number, (training, held_out) in enumerate(folds):
        _check_fold(number, training, held_out, data)
    return folds


def _check_fold(number: int, training: NDArray[Any], held_out: NDArray[Any], data: Dataset) -> None:
    """Refuse a fold that cannot be used, or that would give away what is to be predicted."""
    problem = ""
    least = 1 if data.target_kind == "classes" else 2  # R2 compares with a mean
    for samples in (training, held_out):
        if samples.ndim != 1 or samples.dtype.kind not in "iu":
            problem = "must hold the positions of its samples as integers"
        elif len(samples) and not (samples.min() >= 0 and samples.max() < len(data.y)):
            problem = f"names samples outside 0 to {len(data.y) - 1}"
    if not problem and (len(training) == 0 or len(held_out) < least):
        problem = f"needs training samples and at least {least} held out"
    if not problem and len(np.intersect1d(training, held_out)):
        problem = "has samples both to train with and held out"
    if problem:
        msg = f"Fold {number} of cv {problem}."
        raise ValueError(msg)
