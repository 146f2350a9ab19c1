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

Bandwidth: TypeAlias = float | Literal["median", "sqrt_d", "narrow", "maximise"]

RULES = ("median", "sqrt_d", "narrow", "maximise")
NARROW_EXPONENT = 4.0
ROUNDING = 1e-12
GRID_FACTORS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)


def resolve_bandwidth(
    rule: Bandwidth, squared_distances: NDArray[np.floating], n_columns: int
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
            return _narrow_width(squared_distances)
        if rule == "median":
            return _median_distance(squared_distances)
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


def bandwidth_grid(squared_distances: NDArray[np.floating]) -> list[float]:
    """Widths tried by the rule ``"maximise"``: multiples of the median distance."""
    centre = _median_distance(squared_distances)
    return [factor * centre for factor in GRID_FACTORS]


def _is_real_number(value: Any) -> bool:
    return bool(np.isscalar(value) and np.isreal(value))


def _narrow_width(squared_distances: NDArray[np.floating]) -> float:
    """Width at which the mean exponent is NARROW_EXPONENT."""
    n = len(squared_distances)
    mean = float(squared_distances.sum(dtype=np.float64)) / max(n * (n - 1), 1)
    return math.sqrt(mean / (2.0 * NARROW_EXPONENT)) if mean > 0 else 1.0


def _median_distance(squared_distances: NDArray[np.floating]) -> float:
    """Median of the distances between different samples, never zero."""
    return median_distance(squared_distances[np.triu_indices(len(squared_distances), k=1)])


def median_distance(squared: NDArray[np.floating]) -> float:
    """Median of distances; where that is zero the mean of the positive ones, and else 1."""
    if not len(squared):
        return 1.0
    # Distances of equal samples come out of a matrix product as rounding noise, not as zero.
    noise = max(ROUNDING, 8.0 * float(np.finfo(squared.dtype).eps)) * float(squared.max())
    median = float(np.median(squared))
    if median > noise:
        return math.sqrt(median)
    positive = squared[squared > noise]
    return float(np.sqrt(positive).mean()) if len(positive) else 1.0
