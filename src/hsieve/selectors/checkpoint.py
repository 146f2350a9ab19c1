"""Checkpoints of selectors: what they belong to, and what is kept of a search.

A search is kept from outside, without its knowing: either the jobs that it gives to an engine, or
the sweeps over many candidates that it asks a bound measure for.
"""

import os
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from copy import copy
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from hsieve.data.arrays import as_blocks
from hsieve.data.columns import ColumnBlocks
from hsieve.fingerprint import (
    WITHOUT_EFFECT,
    Ignored,
    fingerprint_of_arrays,
    fingerprint_of_estimator,
)
from hsieve.measures.base import BoundMeasure
from hsieve.parallel import Engine
from hsieve.parallel.checkpoint import Checkpointed
from hsieve.parallel.jobs import make_job_engine
from hsieve.parallel.settings import SerialEngine
from hsieve.strategies.base import Strategy

# Methods of bound measures that score all candidates of one step of a search.
SWEEPS = ("elimination_scores", "addition_scores")

# Longer lists are known by their mark.
MOST_LISTED = 20


def checkpointed(
    selector: BaseEstimator, engine: Engine, data: ColumnBlocks | NDArray[Any], target: NDArray[Any]
) -> Engine:
    """Let an engine keep its results where the selector wants that."""
    folder = selector.checkpoint
    if folder is None:
        return engine
    if not isinstance(folder, str | os.PathLike) or not os.fspath(folder):
        msg = f"checkpoint must be the path of a folder or None, got {folder!r}."
        raise ValueError(msg)
    if getattr(selector, "random_state", 0) is None:
        msg = (
            f"checkpoint={folder!r} needs the same random numbers when a run resumes; "
            "give random_state a number instead of None."
        )
        raise ValueError(msg)
    columns = as_blocks(data)
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


def has_jobs(strategy: Strategy) -> bool:
    """Whether a search gives jobs to an engine."""
    return "engine" in strategy.get_params(deep=False)


def has_sweeps(strategy: Strategy) -> bool:
    """Whether a search asks a bound measure for sweeps that can be kept."""
    return not set(SWEEPS).isdisjoint(strategy.needs)


@contextmanager
def kept_search(
    selector: BaseEstimator,
    strategy: Strategy,
    bound: BoundMeasure,
    data: NDArray[Any],
    target: NDArray[Any],
) -> Iterator[tuple[Strategy, BoundMeasure]]:
    """Give strategy and bound measure, with what they work out kept if the selector wants that."""
    if selector.checkpoint is None:
        yield strategy, bound
    elif has_jobs(strategy):
        settings = strategy.get_params(deep=False)
        workers = make_job_engine(settings["n_jobs"], settings["engine"])
        kept = checkpointed(selector, workers, data, target)
        yield type(strategy)(**{**settings, "n_jobs": None, "engine": kept}), bound
    else:
        with checkpointed(selector, SerialEngine(limits_blas=False), data, target) as engine:
            if getattr(strategy, "n_jobs", None) is not None:
                # Results are kept one after the other.
                strategy = type(strategy)(**{**strategy.get_params(deep=False), "n_jobs": 1})
            yield strategy, _with_kept_sweeps(bound, engine)


def _with_kept_sweeps(bound: BoundMeasure, engine: Engine) -> BoundMeasure:
    """Return the bound measure with sweeps done by an engine that keeps results."""

    def sweep(name: str, *features: NDArray[np.intp]) -> NDArray[Any]:
        ((scores,),) = engine.map(_swept, [(name, *features)], shared=Ignored(bound))
        return np.asarray(scores)

    kept = copy(bound)
    for name in (*SWEEPS, "feature_scores"):
        # Past the guard of a frozen dataclass: the copy is our own.
        object.__setattr__(kept, name, partial(sweep, name))
    return kept


def _swept(task: tuple[Any, ...], bound: Ignored) -> tuple[NDArray[Any]]:
    """Do one sweep; the task of an engine."""
    name, *features = task
    return (getattr(bound.value, name)(*features),)


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
