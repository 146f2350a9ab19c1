"""What a checkpoint of a selector belongs to: its parameters, the data and the target."""

import os
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from hsieve.data.blocks import ColumnBlocks
from hsieve.data.blocks.distributed import is_of_spark, no_fixed_order
from hsieve.fingerprint import WITHOUT_EFFECT, fingerprint_of_arrays, fingerprint_of_estimator
from hsieve.parallel import Engine
from hsieve.parallel.checkpoint import Checkpointed

__all__ = ["checkpointed", "refuse_fleeting"]

# Longer lists are known by their mark.
MOST_LISTED = 20


def checkpointed(
    selector: BaseEstimator, engine: Engine, columns: ColumnBlocks, target: NDArray[Any]
) -> Engine:
    """Let an engine keep its results where the selector wants that.

    Parameters
    ----------
    selector : BaseSelector
        Its parameter ``checkpoint``, if it has one, is the folder or None.
    engine : Engine
        Does the work.
    columns : ColumnBlocks
        The features, as they were handed in.
    target : ndarray
        The target.

    Returns
    -------
    Engine
        The engine itself, or one around it that keeps results.

    Raises
    ------
    ValueError
        If the parameter is no path, or every run would draw other numbers.
    """
    folder = getattr(selector, "checkpoint", None)
    if folder is None:
        return engine
    if not isinstance(folder, str | os.PathLike) or not os.fspath(folder):
        msg = f"checkpoint must be the path of a folder or None, got {folder!r}."
        raise ValueError(msg)
    if getattr(selector, "random_state", 0) is None:
        msg = (
            f"checkpoint={folder!r} needs the same random numbers when a run is taken up again; "
            "give random_state a number instead of None."
        )
        raise ValueError(msg)
    settings = {
        "selector": type(selector).__name__,
        **{
            name: _described(value)
            for name, value in selector.get_params(deep=False).items()
            if name not in WITHOUT_EFFECT
        },
        "n_samples": columns.n_samples,
        "n_features": columns.n_features,
    }
    marks = {
        "values of the target": fingerprint_of_arrays([target]),
        "names of the features": fingerprint_of_arrays(
            [np.array(columns.names or (), dtype=object)]
        ),
        columns.fingerprint_kind: columns.fingerprint(),
    }
    return Checkpointed(engine, folder, settings, marks)


def refuse_fleeting(selector: BaseEstimator, X: Any) -> None:
    """Refuse a checkpoint of data that are not the same in the next run, before any work.

    Parameters
    ----------
    selector : BaseSelector
        As in :func:`checkpointed`.
    X : object
        The features as they were handed in.

    Raises
    ------
    ValueError
        For a data frame of Spark, whose rows have no fixed order, if a folder is given.
    """
    if getattr(selector, "checkpoint", None) is not None and is_of_spark(X):
        raise no_fixed_order()


def _described(value: Any) -> Any:
    """Write a parameter in a form that JSON keeps and people can read."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple | range | AbstractSet | np.ndarray):
        parts = sorted(value) if isinstance(value, AbstractSet) else list(value)
        if len(parts) <= MOST_LISTED:
            return [_described(part) for part in parts]
        return (
            f"{len(parts)} values, {fingerprint_of_estimator([_described(part) for part in parts])}"
        )
    return f"{type(value).__name__} {fingerprint_of_estimator(value)}"
