"""Which features to select by comparing each with its knockoff, and how false they may be.

A statistic W of each feature is positive where the feature ranks before its knockoff, the larger
the earlier; irrelevant features have either sign with the same probability, so that W <= -t counts
the false ones among W >= t [1]_. Several draws of knockoffs are combined by e-values [2]_.

References
----------
.. [1] R. F. Barber, E. Candes, "Controlling the false discovery rate via knockoffs", 2015.
.. [2] Z. Ren, R. F. Barber, "Derandomised knockoffs: leveraging e-values for false discovery rate
   control", 2024.
"""

from collections.abc import Sequence

import numpy as np

from hsieve.array_types import FloatArray, IndexArray

__all__ = ["e_values", "knockoff_threshold", "selected_by_e_values"]


def knockoff_threshold(W: FloatArray, fdr: float) -> float:
    """Find the smallest t with ``(1 + #{W <= -t}) / #{W >= t} <= fdr``; infinity if there is none.

    Examples
    --------
    >>> knockoff_threshold(np.array([5.0, 4.0, -1.0, 3.0, 0.5]), 0.34)
    3.0
    """
    sizes = np.unique(np.abs(W[W != 0]))
    falling = np.sort(W)
    n_above = len(W) - np.searchsorted(falling, sizes, side="left")
    n_below = np.searchsorted(falling, -sizes, side="right")
    allowed = sizes[1 + n_below <= fdr * n_above]
    return float(allowed[0]) if len(allowed) else np.inf


def e_values(draws: Sequence[FloatArray], fdr: float) -> FloatArray:
    """Mean e-value of each feature over draws of knockoffs.

    Each draw has its threshold at half the rate, so that a feature need not be selected in every
    draw; a single one has it at the rate itself, and selects what the knockoff filter selects.

    Parameters
    ----------
    draws : sequence of ndarray of shape (n_features,)
        The statistics W of each draw.
    fdr : float
        The false discovery rate.
    """
    level = fdr if len(draws) == 1 else fdr / 2
    total = np.zeros(len(draws[0]))
    for W in draws:
        t = knockoff_threshold(W, level)
        total[t <= W] += len(W) / (1 + np.count_nonzero(-t >= W))
    return np.asarray(total / len(draws))


def selected_by_e_values(values: FloatArray, fdr: float) -> IndexArray:
    """Select by the procedure of Benjamini and Hochberg for e-values.

    Examples
    --------
    >>> selected_by_e_values(np.array([0.0, 10.0, 0.0, 10.0]), 0.2)
    array([1, 3])
    """
    falling = np.sort(values)[::-1]
    needed = len(values) / (fdr * np.arange(1, len(values) + 1))
    # A quotient of small integers may miss what it equals by rounding.
    passing = np.flatnonzero(falling >= needed * (1 - 1e-12))
    if not len(passing):
        return np.zeros(0, dtype=np.intp)
    return np.flatnonzero(values >= falling[passing[-1]])
