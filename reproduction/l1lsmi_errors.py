"""How the l1-LSMI paper judges selected features: errors of a support vector machine.

The figure is the smallest 5-fold cross-validation error over a grid of costs and widths, on the
very rows on which the features were selected: optimistic, and only to be compared with figures got
in the same way. Errors are pooled over the folds, as LIBSVM's own cross-validation does.

A cell of the grid is given up as soon as the error on the folds done so far is not below the
smallest error of a whole cell: what follows can only add to it, so this changes nothing. The
likeliest cells come first, so that most of the slow ones (large costs) are given up.

Cost: 200 fits at most, each between O(n^2) and the cap on iterations.

Over data sets the paper counts "tops" and "wins": how often a method is best or not worse than the
best, and how often its mean error is smaller than another method's.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
from sklearn.svm import SVC, SVR

from hsieve.kernels import resolve_bandwidth, squared_distances

__all__ = [
    "COSTS",
    "LEVEL",
    "MAX_ITERATIONS",
    "WIDTH_FACTORS",
    "BestCell",
    "Errors",
    "draw_rows",
    "is_worse",
    "make_folds",
    "n_tops",
    "n_wins",
    "smallest_error",
]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]
Folds = Sequence[tuple[IndexArray, IndexArray]]

N_FOLDS = 5
N_QUANTILES = 10
# Likeliest first; the order does not change the smallest error.
COSTS = (10.0, 1.0, 100.0, 0.1, 1e3, 0.01, 1e-3, 1e4)
WIDTH_FACTORS = (1.0, 2.0, 0.5, 5.0, 0.2)
# LIBSVM's default, in the units of the target.
EPSILON = 0.1
MAX_ITERATIONS = 200_000

# Of one data set: the error of each method in each trial.
Errors: TypeAlias = Mapping[str, Mapping[int, float]]
LEVEL = 0.05
N_DIGITS = 12


@dataclass(frozen=True)
class BestCell:
    """The cell of the grid with the smallest error.

    Parameters
    ----------
    error : float
        Share of wrong classes, or root mean square error, over all folds.
    cost, width_factor : float
        Cost C, and the width in units of the median distance.
    n_capped : int
        How many fits of the cell were ended by the cap on iterations.
    """

    error: float
    cost: float
    width_factor: float
    n_capped: int


def draw_rows(y: NDArray[Any], n_most: int, *, classes: bool, seed: int) -> IndexArray:
    """Draw rows at random with the shares of the classes, or of the target's tenths, kept.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Target.
    n_most : int
        How many to draw; all where there are not more.
    classes : bool
        Whether y holds classes.
    seed : int
        Seed of the draw.

    Returns
    -------
    ndarray of int
        Rows in rising order.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.repeat([0, 1], [30, 10])
    >>> np.bincount(y[draw_rows(y, 20, classes=True, seed=0)])
    array([15,  5])
    """
    rows = np.arange(len(y))
    if len(y) <= n_most:
        return rows
    strata = y if classes else np.argsort(np.argsort(y, kind="stable")) * N_QUANTILES // len(y)
    drawn, _ = train_test_split(rows, train_size=n_most, stratify=strata, random_state=seed)
    return np.sort(drawn)


def make_folds(y: NDArray[Any], *, classes: bool, seed: int) -> Folds:
    """Split the rows into five folds, stratified by class.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Target.
    classes : bool
        Whether y holds classes.
    seed : int
        Seed of the split.

    Returns
    -------
    list of tuple of ndarray
        Rows that train and rows that test, of each fold.
    """
    splitter = (StratifiedKFold if classes else KFold)(N_FOLDS, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        # A class smaller than the number of folds is missing in some of them, as with LIBSVM.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        return list(splitter.split(np.zeros((len(y), 1)), y))


def smallest_error(
    columns: FloatArray, y: NDArray[Any], folds: Folds, *, classes: bool
) -> BestCell:
    """Find the smallest cross-validation error of a Gaussian support vector machine.

    Parameters
    ----------
    columns : ndarray of shape (n_samples, n_selected)
        Standardised selected features.
    y : ndarray of shape (n_samples,)
        Target.
    folds : sequence of tuple of ndarray
        Rows that train and rows that test.
    classes : bool
        Whether y holds classes.

    Returns
    -------
    BestCell
        Smallest error and where it is.
    """
    squared = squared_distances(columns)
    # Where more than half of the pairs coincide, the rule takes the mean of the other distances.
    median = resolve_bandwidth("median", squared, columns.shape[1])
    best, least = None, np.inf
    for cost in COSTS:
        machine = _machine(cost, classes=classes)
        for factor in WIDTH_FACTORS:
            gram = np.exp(squared / (-2.0 * (factor * median) ** 2))
            loss, n_capped = _pooled_loss(machine, gram, y, folds, least)
            if loss < least:
                least = loss
                error = loss / len(y) if classes else np.sqrt(loss / len(y))
                best = BestCell(float(error), cost, factor, n_capped)
    assert best is not None
    return best


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


def _machine(cost: float, *, classes: bool) -> SVC | SVR:
    """Make a machine that takes Gram matrices."""
    if classes:
        return SVC(kernel="precomputed", C=cost, max_iter=MAX_ITERATIONS)
    return SVR(kernel="precomputed", C=cost, epsilon=EPSILON, max_iter=MAX_ITERATIONS)


def _pooled_loss(
    machine: SVC | SVR, gram: FloatArray, y: NDArray[Any], folds: Folds, least: float
) -> tuple[float, int]:
    """Sum of losses over the folds, or of the first ones if these reach the least sum known."""
    loss, n_capped = 0.0, 0
    for train, test in folds:
        with warnings.catch_warnings():
            # Fits that are ended by the cap are counted.
            warnings.simplefilter("ignore", ConvergenceWarning)
            machine.fit(gram[np.ix_(train, train)], y[train])
        n_capped += int(machine.fit_status_)
        predicted = machine.predict(gram[np.ix_(test, train)])
        if isinstance(machine, SVC):
            loss += float(np.count_nonzero(predicted != y[test]))
        else:
            loss += float(np.sum((predicted - y[test]) ** 2))
        if loss >= least:
            break
    return loss, n_capped


def _mean(by_trial: Mapping[int, float]) -> float:
    """Mean over trials, rounded so that equal errors in another order tie."""
    return round(float(np.mean(list(by_trial.values()))), N_DIGITS)
