"""What a comparison of selectors is given, checked and brought into one form before any work."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.utils.validation import check_array, check_consistent_length

from hsieve.data.annotated import refuse_annotated
from hsieve.data.blocks import ColumnBlocks, refuse_distributed
from hsieve.data.frames import FrameBlocks, frame_library, target_array
from hsieve.data.tables.errors import listed
from hsieve.data.validation import TargetKind, numbers_if_all_are, target_kind_of
from hsieve.inference.gaussian_machine import Fold, validation_folds
from hsieve.selectors.base import MIN_SAMPLES, BaseSelector
from hsieve.selectors.input_data import category_positions, on_arrays

__all__ = [
    "Data",
    "check_predictor",
    "checked_count",
    "checked_data",
    "make_folds",
    "named",
    "told",
]


@dataclass(frozen=True, eq=False)
class Data:
    """Features and target of a comparison.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Finite numbers.
    y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Classes or numbers.
    kind : {"classes", "continuous"}
        Which of them.
    categorical : tuple of int
        Features that are categories.
    feature_names : tuple of str
        One for each feature; x0, x1, ... where none were given.
    coded : tuple of int, default=()
        Those of the categories that were text in a frame: their codes are no numbers at all.
    """

    X: NDArray[Any]
    y: NDArray[Any]
    kind: TargetKind
    categorical: tuple[int, ...]
    feature_names: tuple[str, ...]
    coded: tuple[int, ...] = ()

    @property
    def is_classes(self) -> bool:
        """Whether the target holds classes."""
        return self.kind == "classes"


def checked_data(X: Any, y: Any, categorical: Iterable[int | str], target_kind: str) -> Data:
    """Turn arrays and frames into data, or refuse them.

    Parameters
    ----------
    X, y, categorical, target_kind
        As in :func:`hsieve.compare`.

    Returns
    -------
    Data
        Arrays and names.

    Raises
    ------
    ValueError
        If nothing can be compared on them.
    """
    refuse_distributed(X, "A comparison")
    if isinstance(X, ColumnBlocks):
        msg = "A comparison needs the whole data as an array or a frame, got column blocks."
        raise ValueError(msg)
    if y is None:
        msg = "y must hold the target, one value for each sample, got None."
        raise ValueError(msg)
    values, roles = _checked_features(X, categorical)
    plain = target_array(y, target_kind)
    target = numbers_if_all_are(check_array(plain, ensure_2d=False, dtype=None, input_name="y"))
    if target.ndim == 2 and target.shape[1] == 1:
        target = target[:, 0]
    check_consistent_length(values, target)
    if len(values) < MIN_SAMPLES:
        msg = f"Found n_samples = {len(values)}; at least {MIN_SAMPLES} samples are needed."
        raise ValueError(msg)
    kind = target_kind_of(target, target_kind)
    if len(np.unique(target)) < 2:
        what = "1 class" if kind == "classes" else "1 distinct value"
        msg = f"The target holds {what}; at least two are needed to compare selectors."
        raise ValueError(msg)
    return Data(values, target, kind, **roles)


def _checked_features(
    X: Any, categorical: Iterable[int | str]
) -> tuple[NDArray[Any], dict[str, tuple[Any, ...]]]:
    """Return features as an array, and what is known of them beside."""
    refuse_annotated(X, "A comparison")
    frame = None if frame_library(X) is None else FrameBlocks(X)
    if frame is not None:
        frame.refuse_missing()
    values = check_array(
        X if frame is None else frame.matrix(), dtype=[np.float64, np.float32], input_name="X"
    )
    n_features = values.shape[1]
    known = None if frame is None else frame.names
    given = np.unique(category_positions(categorical, n_features, known) % n_features)
    if frame is None:
        names = tuple(f"x{i}" for i in range(n_features))
        return values, {"categorical": tuple(given.tolist()), "feature_names": names}
    frame.refuse_identifiers(given.tolist())
    return values, {
        "categorical": tuple(np.union1d(given, frame.declared).tolist()),
        "feature_names": tuple(frame.name_of(i) for i in range(n_features)),
        "coded": tuple(i for i, column in enumerate(frame.columns) if column.kind == "text"),
    }


def named(selectors: Any) -> dict[str, BaseSelector]:
    """Give each selector a name of its own.

    Parameters
    ----------
    selectors : mapping of str to BaseSelector, or iterable of BaseSelector
        Without names, they are called by their class, with a number where that is not enough.

    Returns
    -------
    dict of str to BaseSelector
        In the order given.

    Raises
    ------
    ValueError
        If there is none, or something else among them.

    Examples
    --------
    >>> from hsieve import MRMR, N3LARS
    >>> list(named([N3LARS(5), MRMR(5), N3LARS(10)]))
    ['N3LARS', 'MRMR', 'N3LARS 2']
    """
    if isinstance(selectors, BaseSelector):
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
            name, number = type(selector).__name__, 1
            while (name if number == 1 else f"{name} {number}") in found:
                number += 1
            found[name if number == 1 else f"{name} {number}"] = selector
    for selector in found.values():
        if not isinstance(selector, BaseSelector):
            msg = f"selectors must be selectors of hsieve such as N3LARS(10), got {selector!r}."
            raise ValueError(msg)
    if not found:
        msg = "selectors must hold at least one selector, got none."
        raise ValueError(msg)
    return found


def told(selector: BaseSelector, data: Data) -> BaseSelector:
    """Copy a selector and tell it the kind of target and the categories, where it was not told.

    A part of the samples may look otherwise than all of them, so that a selector left to itself
    might take a target for classes on one fold and for numbers on the next.

    Parameters
    ----------
    selector : BaseSelector
        As the user made it.
    data : Data
        Knows the kind and the categories.

    Returns
    -------
    BaseSelector
        A copy.
    """
    copy: BaseSelector = clone(selector)
    if getattr(copy, "measure", copy) is None:
        copy = on_arrays(copy, np.array(data.categorical, dtype=np.intp))
    known: dict[str, Any] = {}
    takes_any = False
    for name, value in copy.get_params().items():
        own = name.rpartition("__")[2]
        if own == "target_kind" and isinstance(value, str) and value == "auto":
            known[name] = data.kind
        elif own == "categorical":
            takes_any = True
            given = category_positions(value, len(data.feature_names), data.feature_names)
            if len(given) == 0:
                known[name] = data.categorical
            elif any(isinstance(feature, str) for feature in value):
                known[name] = tuple(given.tolist())
    if data.coded and not takes_any:
        msg = (
            f"{type(copy).__name__} takes numbers only, but there are categories: "
            f"{listed(data.feature_names[i] for i in data.coded)}. Leave these columns or this "
            "selector out."
        )
        raise ValueError(msg)
    copy.set_params(**known)
    return copy


def check_predictor(predictor: BaseEstimator | None, kind: TargetKind) -> None:
    """Refuse what cannot predict the target.

    Parameters
    ----------
    predictor : BaseEstimator or None
        None for the usual one.
    kind : {"classes", "continuous"}
        What the target holds.

    Raises
    ------
    ValueError
        If it is no predictor, or one for the other kind of target.
    """
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


def checked_count(name: str, value: Any, least: int) -> int:
    """Return a whole number of at least so much, or refuse it by the name of the parameter."""
    if isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least:
        return int(value)
    msg = f"{name} must be a whole number of at least {least}, got {value!r}."
    raise ValueError(msg)


def make_folds(
    data: Data, cv: Any, n_repeats: int, seed: int
) -> tuple[list[list[Fold]], tuple[str, ...]]:
    """Share the samples out.

    Parameters
    ----------
    data : Data
        What to share out.
    cv, n_repeats, seed
        As in :func:`hsieve.compare`.

    Returns
    -------
    folds : list of list of Fold
        Those of each repetition.
    notes : tuple of str
        What is not as it was asked for.

    Raises
    ------
    ValueError
        If there are no such folds.
    """
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        n_folds = checked_count("cv", cv, 2)
        if data.is_classes and np.unique(data.y, return_counts=True)[1].min() < 2:
            msg = (
                "One class of the target has a single sample; each class needs two at least, to "
                "train with and to predict."
            )
            raise ValueError(msg)
        repeats = [
            validation_folds(
                data.y, is_classes=data.is_classes, n_folds=n_folds, seed=seed + repeat
            )
            for repeat in range(n_repeats)
        ]
        found = len(repeats[0])
        if found == n_folds:
            return repeats, ()
        why = "the rarest class has no more samples" if data.is_classes else "samples are few"
        return repeats, (f"There are {found} folds, not {n_folds} as asked for, since {why}.",)
    if n_repeats > 1:
        msg = (
            "n_repeats needs a number of folds as cv; give a splitter that repeats itself, such as "
            "RepeatedKFold, with n_repeats=1."
        )
        raise ValueError(msg)
    return [_given_folds(data, cv)], ()


def _given_folds(data: Data, cv: Any) -> list[Fold]:
    """Take the folds of a splitter or of a list."""
    try:
        pairs = list(cv.split(data.X, data.y) if hasattr(cv, "split") else cv)
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


def _check_fold(number: int, training: NDArray[Any], held_out: NDArray[Any], data: Data) -> None:
    """Refuse a fold that cannot be used, or that would give away what is to be predicted."""
    problem = ""
    least = 1 if data.is_classes else 2  # R2 compares with a mean
    for samples in (training, held_out):
        if samples.ndim != 1 or samples.dtype.kind not in "iu":
            problem = "must hold the positions of its samples as whole numbers"
        elif len(samples) and not (samples.min() >= 0 and samples.max() < len(data.y)):
            problem = f"names samples outside 0 to {len(data.y) - 1}"
    if not problem and (len(training) == 0 or len(held_out) < least):
        problem = f"needs training samples and at least {least} held out"
    if not problem and len(np.intersect1d(training, held_out)):
        problem = "has samples both to train with and held out"
    if problem:
        msg = f"Fold {number} of cv {problem}."
        raise ValueError(msg)
