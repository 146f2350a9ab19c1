"""How alike the selections of several runs are: folds, subsamples, seeds.

Each measure takes the sets of features that were selected, as lists of positions together with
the number of features, or as a matrix of zeros and ones with a row for each set. `mean_variance`
and `log_probability` are those of Athanasakis' thesis (sec. 2.5); they depend on how many features
are selected, so that only selections of like size should be compared by them. Nogueira's index is
corrected for chance and for size, and is the one with an interval.

Cost: O(n_sets d) for all but the pairwise ones, which take O(n_sets^2 d).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, xlogy

from hsieve.parameters import number

Selections: TypeAlias = Sequence[ArrayLike] | NDArray[np.integer] | NDArray[np.bool_]


@dataclass(frozen=True)
class NogueiraStability:
    """Nogueira's index of a list of selections, with its interval.

    Parameters
    ----------
    stability : float
        1 if all sets are the same, about 0 if they are drawn at random.
    low, high : float
        Ends of the confidence interval.
    standard_error : float
        Estimated deviation of the index.
    """

    stability: float
    low: float
    high: float
    standard_error: float


def selection_matrix(selections: Selections, n_features: int | None = None) -> NDArray[np.bool_]:
    """Bring selections into one form.

    Parameters
    ----------
    selections : list of array-like of int, or array-like of shape (n_sets, n_features)
        Positions of the selected features of each set; or, without `n_features`, one row of zeros
        and ones for each set.
    n_features : int or None, default=None
        Number of features there were to select from; None if a matrix is given.

    Returns
    -------
    ndarray of bool of shape (n_sets, n_features)
        Which set holds which feature.

    Examples
    --------
    >>> selection_matrix([[0, 2], [2]], 3).astype(int)
    array([[1, 0, 1],
           [0, 0, 1]])
    """
    matrix = _from_matrix(selections) if n_features is None else _from_sets(selections, n_features)
    if len(matrix) < 2:
        msg = f"Consistency is that of at least two selections, got {len(matrix)}."
        raise ValueError(msg)
    return matrix


def mean_variance(selections: Selections, n_features: int | None = None) -> float:
    """Mean variance of the features' indicators (thesis, sec. 2.5): 0 if all sets are the same.

    Parameters
    ----------
    selections, n_features
        As in :func:`selection_matrix`.

    Returns
    -------
    float
        Mean over features of p (1 - p), where p is the fraction of sets with the feature.

    Examples
    --------
    >>> mean_variance([[0, 1], [0, 2]], 4)
    0.125
    """
    shares = selection_matrix(selections, n_features).mean(axis=0)
    return float(np.mean(shares * (1 - shares)))


def log_probability(selections: Selections, n_features: int | None = None) -> float:
    """Bound on the log-probability that random sets stay within so few features (eq. 2.8).

    Parameters
    ----------
    selections, n_features
        As in :func:`selection_matrix`.

    Returns
    -------
    float
        The lower, the less the agreement of the sets is due to chance. Above 0, the bound says
        nothing.

    Notes
    -----
    With s features in the union of all sets of sizes s_i, out of n: log(n over s) + log(s / n) sum
    of s_i.

    Examples
    --------
    >>> round(log_probability([[0, 1], [0, 1], [0, 1]], 20), 3)
    -7.314
    """
    chosen = selection_matrix(selections, n_features)
    n, union = chosen.shape[1], int(chosen.any(axis=0).sum())
    # Stirling's approximation of the binomial coefficient, as in the thesis.
    choices = xlogy(n, n) - xlogy(union, union) - xlogy(n - union, n - union)
    return float(xlogy(chosen.sum(), union / n) + choices)


def nogueira(
    selections: Selections, n_features: int | None = None, *, level: float = 0.95
) -> NogueiraStability:
    """Stability by Nogueira, Sechidis and Brown, corrected for chance, with an interval.

    Parameters
    ----------
    selections, n_features
        As in :func:`selection_matrix`; sets may differ in size.
    level : float, default=0.95
        Confidence of the interval.

    Returns
    -------
    NogueiraStability
        The index and its interval, which holds for many sets drawn independently; folds and
        subsamples of one data set overlap, so that theirs is too short.

    References
    ----------
    S. Nogueira, K. Sechidis, G. Brown, "On the stability of feature selection algorithms", 2018:
    definition 4, theorem 7 and corollary 9.

    Examples
    --------
    >>> nogueira([[0, 1], [0, 1], [0, 1]], 4).stability
    1.0
    """
    number(above=0, below=1).check("level", level)
    chosen = selection_matrix(selections, n_features).astype(np.float64)
    n_sets, n = chosen.shape
    shares, sizes = chosen.mean(axis=0), chosen.sum(axis=1)
    mean_share = sizes.mean() / n
    by_chance = mean_share * (1 - mean_share)
    if by_chance == 0:
        what = "empty" if mean_share == 0 else "sets of all features"
        msg = f"The index is not defined for selections that are all {what}."
        raise ValueError(msg)
    variance = np.mean(shares * (1 - shares)) * n_sets / (n_sets - 1)
    stability = 1 - variance / by_chance
    size_shares = sizes / n
    of_each_set = (
        chosen @ shares / n
        - size_shares * mean_share
        + stability / 2 * (2 * mean_share * size_shares - size_shares - mean_share + 1)
    ) / by_chance
    error = 2 / n_sets * float(np.sqrt(np.sum((of_each_set - of_each_set.mean()) ** 2)))
    reach = float(ndtri((1 + level) / 2)) * error
    return NogueiraStability(
        float(stability), float(stability - reach), float(stability + reach), error
    )


def jaccard(selections: Selections, n_features: int | None = None) -> float:
    """Mean over all pairs of sets of the fraction of their union that both hold.

    Parameters
    ----------
    selections, n_features
        As in :func:`selection_matrix`; two empty sets agree fully.

    Returns
    -------
    float
        1 if all sets are the same, 0 if no two share a feature. Larger sets agree more by chance.

    Examples
    --------
    >>> jaccard([[0, 1], [0]], 4)
    0.5
    """
    chosen = selection_matrix(selections, n_features)
    both, first, second = _pairs(chosen)
    union = first + second - both
    return float(np.mean(np.where(union == 0, 1.0, both / np.maximum(union, 1))))


def kuncheva(selections: Selections, n_features: int | None = None) -> float:
    """Mean over all pairs of Kuncheva's index: overlap beyond that of random sets of that size.

    Parameters
    ----------
    selections, n_features
        As in :func:`selection_matrix`; all sets must be of one size, neither empty nor full.

    Returns
    -------
    float
        1 if all sets are the same, about 0 if they are drawn at random, at least -1.

    References
    ----------
    L. Kuncheva, "A stability index for feature selection", 2007.

    Examples
    --------
    >>> kuncheva([[0, 1], [0, 2]], 4)
    0.0
    """
    chosen = selection_matrix(selections, n_features)
    n, sizes = chosen.shape[1], np.unique(chosen.sum(axis=1))
    if len(sizes) > 1:
        msg = (
            f"Kuncheva's index needs sets of one size, got sizes from {sizes[0]} to {sizes[-1]}; "
            "Nogueira's index takes any."
        )
        raise ValueError(msg)
    size = int(sizes[0])
    if size in (0, n):
        msg = f"Kuncheva's index is not defined for sets of {size} out of {n} features."
        raise ValueError(msg)
    both, _, _ = _pairs(chosen)
    return float(np.mean((both * n - size**2) / (size * (n - size))))


def _pairs(chosen: NDArray[np.bool_]) -> tuple[NDArray[np.float64], ...]:
    """Size of the overlap of every two sets, and sizes of the two."""
    numbers = chosen.astype(np.float64)
    first, second = np.triu_indices(len(chosen), k=1)
    sizes = numbers.sum(axis=1)
    return (numbers @ numbers.T)[first, second], sizes[first], sizes[second]


def _from_matrix(selections: Selections) -> NDArray[np.bool_]:
    """Check a matrix of zeros and ones."""
    try:
        matrix = np.asarray(selections)
    except ValueError:
        matrix = np.empty(0, dtype=object)
    if matrix.ndim != 2 or not np.isin(matrix, (0, 1)).all():
        msg = (
            "Without n_features, selections must be a matrix of zeros and ones with a row for each "
            "set; lists of positions need n_features."
        )
        raise ValueError(msg)
    return matrix.astype(bool)


def _from_sets(selections: Selections, n_features: int) -> NDArray[np.bool_]:
    """Turn lists of positions into a matrix."""
    matrix = np.zeros((len(selections), n_features), dtype=bool)
    for row, selected in zip(matrix, selections, strict=True):
        positions = np.asarray(selected)
        whole = positions.ndim == 1 and (len(positions) == 0 or positions.dtype.kind in "iu")
        if not whole or (positions < 0).any() or (positions >= n_features).any():
            msg = (
                "Each selection must be a list of integer positions from 0 to "
                f"{n_features - 1}, got {positions.tolist()!r}."
            )
            raise ValueError(msg)
        if len(np.unique(positions)) < len(positions):
            msg = f"A selection holds each feature once, got {positions.tolist()!r}."
            raise ValueError(msg)
        row[positions.astype(np.intp)] = True
    return matrix
