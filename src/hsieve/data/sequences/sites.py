"""Judge scores of windows by sequence: the predicted site is the window with the highest score.

Whether a window holds a site is not asked one by one, as most do not; a sequence counts as right if
its best window is the true one, as in section 5.4 of the thesis. Groups are what scikit-learn's
``GroupKFold`` takes, so that no sequence is both trained on and judged.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["best_windows", "site_accuracy", "site_reciprocal_rank"]

IndexArray = NDArray[np.intp]


def best_windows(scores: ArrayLike, groups: ArrayLike) -> IndexArray:
    """Return the window with the highest score of each sequence.

    Parameters
    ----------
    scores : array-like of shape (n_windows,)
        Larger is more likely a site.
    groups : array-like of shape (n_windows,)
        Sequence of each window.

    Returns
    -------
    ndarray of shape (n_groups,)
        Row of the best window of each group, groups in rising order; of equal scores the first.

    Examples
    --------
    >>> best_windows([0.1, 0.9, 0.4, 0.2], ["a", "a", "b", "b"])
    array([1, 2])
    """
    order, _ = _ranked(scores, groups)
    first = np.unique(np.asarray(groups)[order], return_index=True)[1]
    return np.asarray(order[first], dtype=np.intp)


def site_accuracy(scores: ArrayLike, groups: ArrayLike, is_site: ArrayLike) -> float:
    """Return the fraction of sequences whose best window is a true site.

    Parameters
    ----------
    scores : array-like of shape (n_windows,)
        Larger is more likely a site.
    groups : array-like of shape (n_windows,)
        Sequence of each window.
    is_site : array-like of bool of shape (n_windows,)
        Whether a window is a site. A sequence without one counts as missed.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> site_accuracy([0.1, 0.9, 0.4, 0.2], ["a", "a", "b", "b"], [0, 1, 0, 1])
    0.5
    """
    best = best_windows(scores, groups)
    return float(np.mean(_checked_truth(is_site, scores)[best]))


def site_reciprocal_rank(scores: ArrayLike, groups: ArrayLike, is_site: ArrayLike) -> float:
    """Return the mean over sequences of 1 / rank of the best true site.

    Parameters
    ----------
    scores, groups, is_site
        As in :func:`site_accuracy`.

    Returns
    -------
    float
        At least the accuracy, at most 1. It varies less, and so is better to choose settings by.

    Examples
    --------
    >>> site_reciprocal_rank([0.1, 0.9, 0.4, 0.2], ["a", "a", "b", "b"], [0, 1, 0, 1])
    0.75
    """
    order, rank = _ranked(scores, groups)
    truth = _checked_truth(is_site, scores)[order]
    _, labels = np.unique(np.asarray(groups)[order], return_inverse=True)
    best = np.zeros(int(labels.max()) + 1)
    np.maximum.at(best, labels[truth], 1.0 / (1 + rank[truth]))
    return float(best.mean())


def _ranked(scores: ArrayLike, groups: ArrayLike) -> tuple[IndexArray, IndexArray]:
    """Order windows by group and falling score, and tell the rank of each within its group."""
    values, labels = np.asarray(scores), np.asarray(groups)
    if values.ndim != 1 or values.shape != labels.shape or not len(values):
        msg = (
            "scores and groups must have one value for each window, and at least one, got shapes "
            f"{values.shape} and {labels.shape}."
        )
        raise ValueError(msg)
    values = values.astype(np.float64)
    if np.isnan(values).any():
        msg = "scores must be numbers, got NaN."
        raise ValueError(msg)
    # Of equal scores the first by row comes first.
    order = np.lexsort((-values, labels))
    _, first, sizes = np.unique(labels[order], return_index=True, return_counts=True)
    return order, np.arange(len(order)) - np.repeat(first, sizes)


def _checked_truth(is_site: ArrayLike, scores: ArrayLike) -> NDArray[np.bool_]:
    """Return what is a site, for as many windows as have scores."""
    truth = np.asarray(is_site)
    if truth.shape != np.shape(scores):
        msg = (
            f"is_site must have one value for each of the {np.size(scores)} windows, got shape "
            f"{truth.shape}."
        )
        raise ValueError(msg)
    return truth.astype(bool)
