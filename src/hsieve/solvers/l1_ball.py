"""Projection onto the positive part of the l1 ball.

The nearest point of {w : w >= 0, sum(w) <= r} to v is max(v - theta, 0), with theta = 0 if that
lies inside already and else the one theta for which the sum is r. Which entries stay positive is
found like the median by quickselect: the entries not below a pivot are either all positive in the
answer, or the pivot is too low; either way only one of the two parts is left to look at.

Cost: expected O(d), without sorting.

References
----------
J. Duchi, S. Shalev-Shwartz, Y. Singer, T. Chandra, "Efficient projections onto the l1-ball for
learning in high dimensions", 2008.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["project_onto_positive_l1_ball"]

FloatArray = NDArray[np.floating]


def project_onto_positive_l1_ball(point: ArrayLike, radius: float) -> FloatArray:
    """Return the nearest point that has no negative entry and a sum of at most the radius.

    Parameters
    ----------
    point : array-like of shape (n,)
        Finite numbers.
    radius : float
        Largest sum, above zero.

    Returns
    -------
    ndarray of shape (n,)
        The projection.

    Examples
    --------
    >>> project_onto_positive_l1_ball([3.0, 1.0, -2.0], 2.0).tolist()
    [2.0, 0.0, 0.0]
    >>> project_onto_positive_l1_ball([0.5, 0.25, -2.0], 2.0).tolist()
    [0.5, 0.25, 0.0]
    """
    values = np.asarray(point, dtype=np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        msg = f"point must be a vector of finite numbers, got shape {values.shape}."
        raise ValueError(msg)
    if not 0 < radius < np.inf:
        msg = f"radius must be above zero, got {radius!r}."
        raise ValueError(msg)
    positive = np.maximum(values, 0.0)
    if positive.sum() <= radius:
        return np.asarray(positive)
    return np.asarray(np.maximum(values - _threshold(positive[positive > 0], radius), 0.0))


def _threshold(positive: FloatArray, radius: float) -> float:
    """Find theta among positive entries whose sum exceeds the radius."""
    undecided, total, count = positive, 0.0, 0
    while len(undecided):
        pivot = undecided[len(undecided) // 2]
        above = undecided >= pivot
        n_above, sum_above = int(np.count_nonzero(above)), float(undecided[above].sum())
        if total + sum_above - (count + n_above) * pivot < radius:
            # All of these stay positive; what lies below the pivot is left to decide.
            total, count = total + sum_above, count + n_above
            undecided = undecided[~above]
        else:
            # The pivot itself, and all that equal it, become zero.
            undecided = undecided[undecided > pivot]
    return (total - radius) / count
