"""Shapes that show what many samples tell: a smooth curve, a violin, limits of an axis.

SciPy's smoothing spline with generalised cross validation draws the curve. It is given the means of
at most 100 groups of neighbours, with their counts for weights, so that a million points are no
trouble. It works on a scale on which the feature is about normal, made from a few quantiles, so
that a skewed feature or a far outlier is none either.
"""

import math

import numpy as np
from scipy.interpolate import PchipInterpolator, make_smoothing_spline
from scipy.special import ndtri

from hsieve.array_types import FloatArray

__all__ = ["density", "edges", "smooth_curve", "some_of", "view_limits"]

# A range so many times that of the middle 98 % hides the others.
FAR = 5.0
MOST_GROUPS = 100
# SciPy's spline needs so many different places.
LEAST_GROUPS = 5
N_DRAWN = 400
# Fractions of the samples whose quantiles make the scale.
KNOTS = np.array([0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0])
# Places at which a density is drawn, and values that it is made of.
N_HEIGHTS, MOST_IN_DENSITY = 48, 1000
# Silverman's rule; the interquartile range of a normal law is 1.349 deviations.
SILVERMAN, QUARTILES_APART = 0.9, 1.349


def view_limits(values: FloatArray) -> tuple[float, float]:
    """Limits of an axis: all values, unless a few are so far out that they hide the others."""
    lowest, highest = edges(values)
    room = 0.05 * (highest - lowest) or max(0.05 * abs(highest), 0.5)
    return lowest - room, highest + room


def edges(values: FloatArray) -> tuple[float, float]:
    """Lowest and highest value to be drawn; a few that lie further out would hide the others."""
    ordered = np.sort(values)
    lowest, highest = float(ordered[0]), float(ordered[-1])
    # Whole ranks: one value far out must not move the quantile that it is held against.
    aside = math.ceil(0.01 * (len(ordered) - 1))
    low, high = float(ordered[aside]), float(ordered[-1 - aside])
    if 0 < FAR * (high - low) < highest - lowest:
        lowest = max(lowest, low - 0.5 * (high - low))
        highest = min(highest, high + 0.5 * (high - low))
    return lowest, highest


def some_of(values: FloatArray, most: int) -> FloatArray:
    """Take so many values, evenly from the lowest to the highest."""
    ordered: FloatArray = np.sort(values)
    places = np.linspace(0, len(ordered) - 1, min(len(ordered), most)).astype(int)
    return np.asarray(ordered[places])


def density(values: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Return places and heights of a Gaussian kernel density, which does not leave the values.

    None where all values are equal, or nearly all.
    """
    taken = some_of(values, MOST_IN_DENSITY)
    quartiles = np.quantile(taken, [0.25, 0.75])
    widths = [float(taken.std()), float(quartiles[1] - quartiles[0]) / QUARTILES_APART]
    width = SILVERMAN * min((one for one in widths if one > 0), default=0.0)
    width *= len(taken) ** -0.2
    if not width > 0:
        return None
    places = np.linspace(taken[0], taken[-1], N_HEIGHTS)
    kernels = np.exp(-0.5 * ((places[:, None] - taken) / width) ** 2)
    heights: FloatArray = kernels.sum(axis=1) / (len(taken) * width * np.sqrt(2 * np.pi))
    return places, heights


def smooth_curve(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Return places and heights of a smooth curve; None for fewer than five different places."""
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
