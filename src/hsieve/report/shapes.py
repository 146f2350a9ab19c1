"""One feature beside the target, as plain numbers that a page or a figure draws.

The form suits the kinds of both: samples with a smooth curve, violins of numbers, or fractions of
classes.

SciPy's smoothing spline with generalised cross validation draws the curve. It is given the means of
at most 60 groups of neighbours, with their counts for weights, so that a million points are no
trouble. It works on a scale on which the feature is about normal, made from a few quantiles, so
that a skewed feature or a far outlier is none either.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator, make_smoothing_spline
from scipy.special import ndtri

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data.survival import kaplan_meier
from hsieve.text import shortened

# Digits of numbers that are drawn.
DIGITS = 6
MOST_POINTS = 250
MOST_GROUPS = 10
MOST_IN_VIOLIN, N_ON_CURVE = 60, 80
# Numeric features of no more values than this are shown level by level.
FEW_VALUES = 6
# Steps of a survival curve that are drawn.
MOST_STEPS = 120
LONGEST_LABEL = 40
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
# A range so many times that of the middle 98 % hides the others.
FAR = 5.0
MOST_PLACES = 60
# SciPy's spline needs so many different places.
LEAST_PLACES = 5
N_DRAWN = 400
# Fractions of the samples whose quantiles make the scale.
KNOTS = np.array([0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0])
# Places at which a density is drawn, and values that it is made of.
N_HEIGHTS, MOST_IN_DENSITY = 48, 1000
# Silverman's rule; the interquartile range of a normal law is 1.349 deviations.
SILVERMAN, QUARTILES_APART = 0.9, 1.349


def plain_number(value: Any) -> float | None:
    """Return a number of few digits that JSON knows; None for NaN and infinity.

    Examples
    --------
    >>> plain_number(1 / 3), plain_number(float("nan"))
    (0.333333, None)
    """
    number = float(value)
    return float(f"{number:.{DIGITS}g}") if math.isfinite(number) else None


def plain_numbers(values: FloatArray) -> list[float | None]:
    """Return numbers of few digits, None where there is none."""
    return [plain_number(value) for value in values]


class SampleLevels(NamedTuple):
    """Which level each sample has; the last one may stand for several others."""

    codes: IndexArray
    names: list[str]


def levels_of(
    values: NDArray[Any],
    most: int,
    *,
    names: Sequence[Any] | None = None,
) -> SampleLevels:
    """Find the levels of values in rising order; if there are too many, the rarer become "other".

    Where values are the codes 0, 1, ... of named levels, the names are shown; the code that comes
    after them is a missing value.

    Examples
    --------
    >>> import numpy as np
    >>> levels_of(np.array(["a", "b", "b", "c", "c"]), 2).names
    ['b', 'other (2)']
    """
    found, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    codes = np.ravel(codes)
    if names is not None and found[-1] <= len(names):
        found = np.array([*names, "missing"], dtype=object)[found.astype(np.intp)]
    if len(found) <= most:
        return SampleLevels(codes, [level_name(level) for level in found])
    kept = np.sort(np.argsort(-counts, kind="stable")[: most - 1])
    new = np.full(len(found), most - 1)
    new[kept] = np.arange(most - 1)
    n_others = len(found) - len(kept)
    names = [*(level_name(found[k]) for k in kept), f"other ({n_others})"]
    return SampleLevels(new[codes], names)


def level_name(level: Any) -> str:
    """Name a level: integers without a point."""
    if isinstance(level, float | np.floating):
        return f"{level:g}"
    return shortened(str(level), LONGEST_LABEL)


def beside(
    values: FloatArray,
    target: NDArray[Any],
    *,
    is_category: bool,
    is_classes: bool,
    level_names: Sequence[Any] | None = None,
) -> dict[str, Any]:
    """Show one feature beside the target, in the form that suits the kinds of both."""
    by_level = is_category or len(np.unique(values)) <= FEW_VALUES
    if not by_level and not is_classes:
        return {"form": "points", **_cloud(values, target.astype(np.float64))}
    classes = levels_of(target, MOST_GROUPS) if is_classes else None
    if classes is not None and not by_level:
        return {"form": "violins", "along": "feature", "groups": violins(values, classes)}
    levels = levels_of(values, MOST_GROUPS, names=level_names)
    if classes is None:
        numbers = target.astype(np.float64)
        return {"form": "violins", "along": "target", "groups": violins(numbers, levels)}
    return {
        "form": "fractions",
        "levels": fractions(levels, classes),
        "classes": classes.names,
    }


def survival_curves(
    values: FloatArray,
    times: NDArray[Any],
    *,
    is_category: bool,
    level_names: Sequence[Any] | None = None,
) -> dict[str, Any]:
    """Estimate survival (Kaplan and Meier) at each level of a feature, or in each third of it."""
    if is_category or len(np.unique(values)) <= FEW_VALUES:
        groups = levels_of(values, MOST_GROUPS, names=level_names)
    else:
        groups = thirds(values)
    drawn = []
    for group, name in enumerate(groups.names):
        own = times[groups.codes == group]
        if not len(own):
            continue
        places, fractions = kaplan_meier(own)
        kept = np.unique(np.linspace(0, len(places) - 1, MOST_STEPS).astype(np.intp))
        drawn.append(
            {
                "name": name,
                "count": len(own),
                "events": int(own["event"].sum()),
                "curve": pairs_of_numbers(places[kept], fractions[kept]),
            }
        )
    return {"form": "survival", "groups": drawn}


def thirds(values: FloatArray) -> SampleLevels:
    """Cut a feature into three parts of equal size, as far as ties allow."""
    cuts = np.unique(np.quantile(values, (1 / 3, 2 / 3)))
    met, codes = np.unique(np.searchsorted(cuts, values, side="left"), return_inverse=True)
    names = [f"up to {cut:.3g}" for cut in cuts] + [f"above {cuts[-1]:.3g}"]
    return SampleLevels(codes.ravel(), [names[part] for part in met])


def violins(values: FloatArray, groups: SampleLevels) -> list[dict[str, Any]]:
    """Quantiles, density and some of the values of each group; the widest density is 1."""
    low, high = edges(values)
    made: list[dict[str, Any]] = []
    for group, name in enumerate(groups.names):
        own = values[groups.codes == group]
        if not len(own):
            made.append({"name": name, "count": 0, "quantiles": [], "points": [], "density": None})
            continue
        seen = np.clip(own, low, high)
        made.append(
            {
                "name": name,
                "count": len(own),
                "quantiles": plain_numbers(np.quantile(own, QUANTILES)),
                "points": plain_numbers(some_of(seen, MOST_IN_VIOLIN)),
                "density": density(seen),
            }
        )
    widest = max((one["density"][1].max() for one in made if one["density"]), default=1.0)
    for one in made:
        if found := one["density"]:
            one["density"] = pairs_of_numbers(found[0], found[1] / widest)
    return made


def fractions(levels: SampleLevels, classes: SampleLevels) -> list[dict[str, Any]]:
    """Fractions of the classes at each level of a feature."""
    rows = []
    for level, name in enumerate(levels.names):
        counts = np.bincount(classes.codes[levels.codes == level], minlength=len(classes.names))
        total = int(counts.sum())
        rows.append(
            {"name": name, "count": total, "fractions": plain_numbers(counts / max(total, 1))}
        )
    return rows


def _cloud(values: FloatArray, target: FloatArray) -> dict[str, Any]:
    """Take some of the samples, those far out at the edge, and a smooth curve through all."""
    drawn = [np.clip(one, *edges(one)) for one in (values, target)]
    step = max(1, -(-len(values) // MOST_POINTS))
    smooth = smooth_curve(values, target)
    line = []
    if smooth is not None:
        places, heights = smooth
        low, high = edges(values)
        seen = np.flatnonzero((places >= low) & (places <= high))
        kept = seen[np.linspace(0, len(seen) - 1, min(len(seen), N_ON_CURVE)).astype(int)]
        line = pairs_of_numbers(places[kept], heights[kept])
    return {"points": pairs_of_numbers(*(one[::step] for one in drawn)), "line": line}


def pairs_of_numbers(xs: FloatArray, ys: FloatArray) -> list[list[float | None]]:
    """Join coordinates."""
    return [[plain_number(x), plain_number(y)] for x, y in zip(xs, ys, strict=True)]


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
    taken, size = _near_one(some_of(values, MOST_IN_DENSITY))
    quartiles = np.quantile(taken, [0.25, 0.75])
    widths = [float(taken.std()), float(quartiles[1] - quartiles[0]) / QUARTILES_APART]
    width = SILVERMAN * min((one for one in widths if one > 0), default=0.0)
    width *= len(taken) ** -0.2
    if not width > 0:
        return None
    places = np.linspace(taken[0], taken[-1], N_HEIGHTS)
    kernels = np.exp(-0.5 * ((places[:, None] - taken) / width) ** 2)
    heights: FloatArray = kernels.sum(axis=1) / (len(taken) * width * np.sqrt(2 * np.pi))
    return places * size, heights / size


def smooth_curve(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Return places and heights of a smooth curve; None for fewer than five different places."""
    (x, width), (y, size) = map(_near_one, (x, y))
    places, means, counts = _groups(x, y)
    if len(places) < LEAST_PLACES:
        return None
    scale, along = _normal_scale(places, counts)
    spread = means.std()
    heights = np.full(len(along), means[0])
    if spread > 0:
        at = np.interp(places, along, scale)
        spline = make_smoothing_spline(at, (means - means.mean()) / spread, w=counts)
        heights = means.mean() + spread * spline(scale)
    return along * width, heights * size


def _near_one(values: FloatArray) -> tuple[FloatArray, float]:
    """Divide by a power of two, so that squares stay in range and no digit changes."""
    largest = float(np.abs(values).max(initial=0.0))
    size = math.ldexp(1.0, math.frexp(largest)[1] - 1)
    return np.asarray(values, dtype=np.float64) / size, size


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
    if len(places) <= MOST_PLACES:
        return places, heights, counts
    shares = (np.cumsum(counts) - counts / 2) / counts.sum()
    _, of_place = np.unique((shares * MOST_PLACES).astype(int), return_inverse=True)
    sizes: FloatArray = np.asarray(np.bincount(of_place, counts), dtype=np.float64)
    return (
        np.bincount(of_place, places * counts) / sizes,
        np.bincount(of_place, heights * counts) / sizes,
        sizes,
    )
