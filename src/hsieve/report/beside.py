"""One feature beside the target, as plain numbers that a page or a figure draws.

The form suits the kinds of both: samples with a smooth curve, violins of numbers, or fractions of
classes.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray
from hsieve.report.curves import plain_number, plain_numbers
from hsieve.report.names import SampleLevels, levels_of
from hsieve.report.shapes import density, edges, smooth_curve, some_of

__all__ = ["beside", "form_of", "fractions", "pairs_of_numbers", "violins"]

MOST_POINTS = 250
MOST_GROUPS = 10
MOST_IN_VIOLIN, N_ON_CURVE = 60, 80
# Numeric features of no more values than this are shown level by level.
FEW_VALUES = 6
LONGEST_LABEL = 40
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def form_of(values: FloatArray, *, is_category: bool, is_classes: bool) -> str:
    """Choose the form for a feature, with classes or numbers for a target."""
    by_level = is_category or len(np.unique(values)) <= FEW_VALUES
    if is_classes:
        return "fractions" if by_level else "violins"
    return "violins" if by_level else "points"


def beside(
    values: FloatArray,
    target: NDArray[Any],
    *,
    is_category: bool,
    is_classes: bool,
    level_names: Sequence[Any] | None = None,
    classes: SampleLevels | None = None,
) -> dict[str, Any]:
    """Show one feature beside the target; `classes` are those of all samples, where known."""
    form = form_of(values, is_category=is_category, is_classes=is_classes)
    if form == "points":
        return {"form": form, **_cloud(values, target.astype(np.float64))}
    if is_classes and classes is None:
        classes = levels_of(target, MOST_GROUPS, longest=LONGEST_LABEL)
    if form == "violins" and classes is not None:
        return {"form": form, "along": "feature", "groups": violins(values, classes)}
    levels = levels_of(values, MOST_GROUPS, longest=LONGEST_LABEL, names=level_names)
    if classes is None:
        numbers = target.astype(np.float64)
        return {"form": form, "along": "target", "groups": violins(numbers, levels)}
    return {"form": form, "levels": fractions(levels, classes), "classes": classes.names}


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
