"""A smooth curve through a cloud of points, for the eye.

SciPy's smoothing spline with generalised cross validation does the work. It is given the means of
at most 100 groups of neighbours, with their counts for weights, so that a million points are no
trouble. It works on a scale on which the feature is about normal, made from a few quantiles, so
that a skewed feature or a far outlier is none either.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator, make_smoothing_spline
from scipy.special import ndtri

__all__ = ["smooth_curve"]

FloatArray = NDArray[np.floating]

MOST_GROUPS = 100
# SciPy's spline needs so many different places.
LEAST_GROUPS = 5
N_DRAWN = 400
# Shares of the samples whose quantiles make the scale.
KNOTS = np.array([0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0])


def smooth_curve(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Draw a smooth curve through points.

    Parameters
    ----------
    x, y : ndarray of shape (n_points,)
        Finite numbers.

    Returns
    -------
    tuple of ndarray or None
        Places and heights of the curve, or None where fewer than five different places of x leave
        nothing to smooth.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(-1, 1, 500)
    >>> places, heights = smooth_curve(x, x**2)
    >>> bool(np.abs(heights - places**2).max() < 0.02)
    True
    """
    places, means, counts = _groups(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
    if len(places) < LEAST_GROUPS:
        return None
    scale, along = _normal_scale(places, counts)
    spread = means.std()
    heights = np.full(len(along), means[0])
    if spread > 0:
        at = np.interp(places, along, scale)
        spline = make_smoothing_spline(at, (means - means.mean()) / spread, w=counts)
        heights = means.mean() + spread * spline(scale)
    return along, heights


def _normal_scale(places: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Even steps on a scale on which the places are about normal, and where they lie."""
    shares = (np.cumsum(counts) - counts / 2) / counts.sum()
    wanted = np.clip(KNOTS, shares[0], shares[-1])
    knots, first = np.unique(np.interp(wanted, shares, places), return_index=True)
    scores = ndtri(wanted[first])
    scale = np.linspace(scores[0], scores[-1], N_DRAWN)
    return scale, np.asarray(PchipInterpolator(scores, knots)(scale))


def _groups(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mean place and height of groups of neighbours, and their counts."""
    places, of_point, found = np.unique(x, return_inverse=True, return_counts=True)
    counts: FloatArray = np.asarray(found, dtype=np.float64)
    heights = np.bincount(of_point, y) / counts
    if len(places) <= MOST_GROUPS:
        return places, heights, counts
    shares = (np.cumsum(counts) - counts / 2) / counts.sum()
    _, of_place = np.unique((shares * MOST_GROUPS).astype(int), return_inverse=True)
    sizes: FloatArray = np.asarray(np.bincount(of_place, counts), dtype=np.float64)
    return (
        np.bincount(of_place, places * counts) / sizes,
        np.bincount(of_place, heights * counts) / sizes,
        sizes,
    )
