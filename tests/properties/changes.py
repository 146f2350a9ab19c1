"""Changes of the data that must not change an answer, and how answers are compared.

A change takes a problem and gives another, with the place where each old column is found in it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.every_selector import fresh, kind_of

__all__ = ["CHANGES", "Problem", "answers", "difference", "make_problem"]

N_SAMPLES, N_FEATURES = 26, 5


@dataclass(frozen=True)
class Problem:
    """Features and target; `places` says where the columns of the first problem went."""

    X: Any
    y: np.ndarray
    places: np.ndarray


def make_problem(seed: int, *, classes: bool) -> Problem:
    """Features, all values different, of which two matter."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_SAMPLES, N_FEATURES))
    signal = X[:, 1] + X[:, 3] ** 2 + 0.3 * rng.normal(size=N_SAMPLES)
    y = (signal > np.median(signal)).astype(int) if classes else signal
    return Problem(X, y, np.arange(N_FEATURES))


def other_order_of_samples(problem: Problem, rng: np.random.Generator) -> Problem:
    order = rng.permutation(len(problem.X))
    return Problem(problem.X[order], problem.y[order], problem.places)


def other_order_of_columns(problem: Problem, rng: np.random.Generator) -> Problem:
    order = rng.permutation(problem.X.shape[1])
    return Problem(problem.X[:, order], problem.y, np.argsort(order))


def other_scale(problem: Problem, rng: np.random.Generator) -> Problem:
    """Every feature has another factor above zero."""
    return Problem(problem.X * 10 ** rng.uniform(-4, 4, N_FEATURES), problem.y, problem.places)


def other_offset(problem: Problem, rng: np.random.Generator) -> Problem:
    """Every feature has another offset."""
    return Problem(problem.X + rng.uniform(-100, 100, N_FEATURES), problem.y, problem.places)


def other_names_of_classes(problem: Problem, rng: np.random.Generator) -> Problem:
    """Text whose order is that of the numbers; numbers get another offset and scale."""
    if problem.y.dtype.kind == "i":
        return Problem(problem.X, np.array(["a", "z"])[problem.y], problem.places)
    return Problem(problem.X, 7.0 * problem.y - 3.0, problem.places)


def other_order_of_classes(problem: Problem, rng: np.random.Generator) -> Problem:
    """The first class becomes the last; numbers change their sign."""
    if problem.y.dtype.kind == "i":
        return Problem(problem.X, 1 - problem.y, problem.places)
    return Problem(problem.X, -problem.y, problem.places)


def samples_twice(problem: Problem, rng: np.random.Generator) -> Problem:
    return Problem(np.tile(problem.X, (2, 1)), np.tile(problem.y, 2), problem.places)


def single_precision(problem: Problem, rng: np.random.Generator) -> Problem:
    return Problem(problem.X.astype(np.float32), problem.y, problem.places)


def other_layout(problem: Problem, rng: np.random.Generator) -> Problem:
    """A read-only view in Fortran order, with gaps in memory."""
    gaps = np.repeat(np.repeat(problem.X, 2, axis=0), 3, axis=1)
    X, y = np.asfortranarray(gaps)[::2, ::3], problem.y.copy()
    X.flags.writeable = y.flags.writeable = False
    return Problem(X, y, problem.places)


CHANGES: dict[str, Callable[[Problem, np.random.Generator], Problem]] = {
    "order of samples": other_order_of_samples,
    "order of columns": other_order_of_columns,
    "scale": other_scale,
    "offset": other_offset,
    "names of classes": other_names_of_classes,
    "order of classes": other_order_of_classes,
    "samples twice": samples_twice,
    "single precision": single_precision,
    "layout in memory": other_layout,
}


def answers(estimator: Any, problem: Problem) -> np.ndarray:
    """Numbers of the answer for a problem, features in their first order."""
    fitted = fresh(estimator).fit(problem.X, problem.y)
    kind = kind_of(fitted)
    if kind == "selector":
        return np.asarray(fitted.scores_)[problem.places]
    if kind == "classifier":
        importances = getattr(fitted, "feature_importances_", None)
        if importances is None:
            return np.asarray(fitted.log_odds_).sum(axis=2).ravel()
        return np.asarray(importances)[problem.places]
    if hasattr(fitted, "components_"):
        return np.asarray([fitted.objective_])
    return np.asarray(fitted.fill_values_)[problem.places]


def difference(found: np.ndarray, expected: np.ndarray) -> float:
    """Largest difference, as a share of the largest number expected."""
    return float(np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-300))
