"""Tops and wins: how the l1-LSMI paper counts over data sets which methods are good."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from scipy.stats import t as student

__all__ = ["LEVEL", "Errors", "is_worse", "n_tops", "n_wins"]

# Of one data set: the error of each method in each trial.
Errors: TypeAlias = Mapping[str, Mapping[int, float]]

LEVEL = 0.05
N_DIGITS = 12


def is_worse(errors: Mapping[int, float], best: Mapping[int, float]) -> bool:
    """Test whether errors are larger than the best method's, trial by trial.

    Parameters
    ----------
    errors, best : mapping of int to float
        Errors by trial; trials that both have are compared.

    Returns
    -------
    bool
        Whether the one-sided paired t-test says so. Where the difference is the same in all trials,
        or there is one trial only, whether it is positive.

    Examples
    --------
    >>> is_worse({0: 0.3, 1: 0.2, 2: 0.4}, {0: 0.2, 1: 0.21, 2: 0.35})
    False
    """
    differences = np.array([errors[trial] - best[trial] for trial in errors if trial in best])
    if not len(differences):
        return False
    mean, n = float(differences.mean()), len(differences)
    deviation = float(differences.std(ddof=1)) if n > 1 else 0.0
    if deviation <= np.finfo(float).eps * abs(mean) * n:
        return mean > 0
    return bool(student.sf(mean / (deviation / np.sqrt(n)), n - 1) < LEVEL)


def n_tops(all_errors: Sequence[Errors]) -> dict[str, int]:
    """Count the data sets on which each method is best, or not worse than the best.

    Parameters
    ----------
    all_errors : sequence of Errors
        One for each data set.

    Returns
    -------
    dict of str to int
        For each method that has any errors.
    """
    tops: dict[str, int] = {}
    for errors in all_errors:
        best = min(errors, key=lambda method: _mean(errors[method]))
        for method in errors:
            tops.setdefault(method, 0)
            tops[method] += method == best or not is_worse(errors[method], errors[best])
    return tops


def n_wins(all_errors: Sequence[Errors]) -> dict[str, int]:
    """Count the pairs of a data set and another method with a larger mean error.

    Parameters
    ----------
    all_errors : sequence of Errors
        One for each data set.

    Returns
    -------
    dict of str to int
        For each method that has any errors.
    """
    wins: dict[str, int] = {}
    for errors in all_errors:
        means = {method: _mean(by_trial) for method, by_trial in errors.items()}
        for method, mean in means.items():
            wins.setdefault(method, 0)
            wins[method] += sum(mean < other for other in means.values())
    return wins


def _mean(by_trial: Mapping[int, float]) -> float:
    """Mean over trials, rounded so that equal errors in another order tie."""
    return round(float(np.mean(list(by_trial.values()))), N_DIGITS)
