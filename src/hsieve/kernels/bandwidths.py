"""How wide a kernel is: a number, or a rule that reads it off the distances.

Rules
-----
``"median"``
    The median of the pairwise distances. Where it is zero (sparse columns, many identical samples)
    the mean of the positive distances takes its place, and 1 where all samples are equal.
``"sqrt_d"``
    The square root of the number of features: the scale of distances on standardised data.
``"narrow"``
    The width at which the mean exponent |x - x'|^2 / (2 sigma^2) is 4. At the usual widths,
    where it is near 1, features that matter only together are found less often
    (``docs/explanation/recovery.md``).
``"maximise"``
    The width of a grid with the highest dependence, chosen again for each set of features, as
    in algorithm 1 of the BAHSIC paper. The measure does that (it owns the dependence); the grid
    is the median distance times :data:`GRID_FACTORS`.
"""

import math
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray

Bandwidth: TypeAlias = float | Literal["median", "sqrt_d", "narrow", "maximise"]

RULES = ("median", "sqrt_d", "narrow", "maximise")
NARROW_EXPONENT = 4.0
ROUNDING = 1e-12
GRID_FACTORS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)


def resolve_bandwidth(
    rule: Bandwidth,
    squared_distances: NDArray[np.floating],
    n_columns: int,
    sample_weight: FloatArray | None = None,
) -> float:
    """Turn a bandwidth rule into a number.

    Parameters
    ----------
    rule : float or {"median", "sqrt_d", "narrow", "maximise"}
        ``"maximise"`` is refused: the measures HSIC and NHSIC resolve it themselves.
    squared_distances : ndarray of shape (n_samples, n_samples)
        Squared distances between the samples.
    n_columns : int
        Number of columns the distances were taken over.
    sample_weight : ndarray of shape (n_samples,) or None, default=None
        How often each sample counts.

    Returns
    -------
    float
        The bandwidth, positive.

    Examples
    --------
    >>> import numpy as np
    >>> resolve_bandwidth("sqrt_d", np.zeros((3, 3)), 16)
    4.0
    """
    if isinstance(rule, str):
        if rule == "sqrt_d":
            return math.sqrt(max(n_columns, 1))
        if rule == "narrow":
            return _narrow_width(squared_distances, sample_weight)
        if rule == "median":
            return _median_distance(squared_distances, sample_weight)
        if rule == "maximise":
            msg = (
                "The rule 'maximise' chooses the width with the highest dependence, which only the "
                "measures HSIC and NHSIC do; give a number or another rule here."
            )
            raise ValueError(msg)
    elif _is_real_number(rule) and 0 < rule < math.inf:
        return float(rule)
    msg = f"bandwidth must be a positive number or one of {RULES}, got {rule!r}."
    raise ValueError(msg)


def bandwidth_grid(
    squared_distances: NDArray[np.floating], sample_weight: FloatArray | None = None
) -> list[float]:
    """Widths tried by the rule ``"maximise"``: multiples of the median distance."""
    centre = _median_distance(squared_distances, sample_weight)
    return [factor * centre for factor in GRID_FACTORS]


def _is_real_number(value: Any) -> bool:
    return bool(np.isscalar(value) and np.isreal(value))


def _narrow_width(
    squared_distances: NDArray[np.floating], sample_weight: FloatArray | None
) -> float:
    """Width at which the mean exponent is NARROW_EXPONENT."""
    if sample_weight is None:
        n: float = len(squared_distances)
        total = float(squared_distances.sum(dtype=np.float64))
    else:
        n = float(sample_weight.sum())
        total = float(sample_weight @ squared_distances @ sample_weight)
    mean = total / max(n * (n - 1), 1)
    return math.sqrt(mean / (2.0 * NARROW_EXPONENT)) if mean > 0 else 1.0


def _median_distance(
    squared_distances: NDArray[np.floating], sample_weight: FloatArray | None
) -> float:
    """Median of the distances between different samples, never zero."""
    pairs = np.triu_indices(len(squared_distances), k=1)
    if sample_weight is None:
        return median_distance(squared_distances[pairs])
    # Copies of one sample are no distance apart.
    among_copies = np.maximum(0.5 * sample_weight * (sample_weight - 1.0), 0.0).sum()
    counts = np.append(sample_weight[pairs[0]] * sample_weight[pairs[1]], among_copies)
    return median_distance(np.append(squared_distances[pairs], 0.0), counts)


def median_distance(squared: NDArray[np.floating], counts: FloatArray | None = None) -> float:
    """Median of distances; where that is zero the mean of the positive ones, and else 1.

    Each distance counts once, or as often as it is told.
    """
    if not len(squared):
        return 1.0
    # Distances of equal samples come out of a matrix product as rounding noise, not as zero.
    noise = max(ROUNDING, 8.0 * float(np.finfo(squared.dtype).eps)) * float(squared.max())
    median = float(np.median(squared)) if counts is None else weighted_median(squared, counts)
    if median > noise:
        return math.sqrt(median)
    is_positive = squared > noise
    if not is_positive.any():
        return 1.0
    weights = None if counts is None else counts[is_positive]
    return float(np.average(np.sqrt(squared[is_positive]), weights=weights))


def weighted_median(values: NDArray[np.floating], counts: FloatArray) -> float:
    """Median of values each of which occurs so often; the mean of the middle two where there are.

    Examples
    --------
    >>> import numpy as np
    >>> weighted_median(np.array([3.0, 1.0, 2.0]), np.array([2.0, 1.0, 1.0]))
    2.5
    """
    order = np.argsort(values, kind="stable")
    upto = np.cumsum(counts[order])
    half = 0.5 * upto[-1]
    # Sums of fractions are rounded.
    low, high = np.searchsorted(upto, half * np.array([1.0 - ROUNDING, 1.0 + ROUNDING]))
    return float(0.5 * (values[order[low]] + values[order[min(high, len(order) - 1)]]))
