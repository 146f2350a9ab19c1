"""Numbers beside points, and the names that they stand for at the right.

Chosen features often fall together, and names are long, so points get the numbers of a list. Points
that lie nearly on each other share one tag, "1, 4–6". A tag tries eight sides of its point, ever
further away, and takes the first that covers nothing, or else what covers least.
"""

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from hsieve.array_types import FloatArray
from hsieve.report.plots.style import (
    FONT_SIZE,
    LETTER,
    LINE_SPACING,
    LITERAL,
    POINTS_PER_INCH,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation, Text

Box = tuple[float, float, float, float]

# Points of 1/72 inch: what counts as the same point, distances of a tag, half the size of a point.
SAME = 8.0
DISTANCES = (4.0, 9.0, 15.0)
POINT = 3.0
# Sides of a point, the best to read first: right, above right, ...
SIDES = ((1, 0), (1, 1), (1, -1), (0, 1), (0, -1), (-1, 0), (-1, 1), (-1, -1))
# Another tag under a tag is worse than so many points.
TAG_COVERED = 1000
# So is a tag outside the axes.
OUTSIDE = 100


def number_points(
    ax: "Axes", points: ArrayLike, *, others: ArrayLike = (), colour: str = "black"
) -> "list[Annotation]":
    """Write 1, 2, ... beside points of a scatter plot."""
    places = np.asarray(points, dtype=float).reshape(-1, 2)
    on_page, rest = _in_points(ax, places), _in_points(ax, others)
    avoided = np.vstack([on_page, rest])
    frame = _frame(ax)
    taken: list[Box] = []
    tags = []
    for members in _together(on_page):
        text = ranges_in_words([member + 1 for member in members])
        at = on_page[members].mean(axis=0)
        size = (LETTER * FONT_SIZE * len(text) + 2.0, FONT_SIZE)
        box = _best_box(at, size, frame, (taken, avoided))
        taken.append(box)
        first = members[0]
        tags.append(
            ax.annotate(
                text,
                xy=tuple(places[first].tolist()),
                xytext=(
                    (box[0] + box[2]) / 2 - on_page[first, 0],
                    (box[1] + box[3]) / 2 - on_page[first, 1],
                ),
                textcoords="offset points",
                ha="center",
                va="center_baseline",
                fontsize=FONT_SIZE,
                color=colour,
                annotation_clip=False,
                zorder=5,
                **LITERAL,
            )
        )
    return tags


def write_key(ax: "Axes", names: Sequence[str]) -> "list[Text]":
    """List names with their numbers at the right of the axes, from the top down."""
    n_digits = len(str(len(names)))
    return [
        ax.annotate(
            # Figure spaces are as wide as digits.
            f"{place + 1:\u2007>{n_digits}}  {name}",
            xy=(1.0, 1.0),
            xycoords="axes fraction",
            xytext=(10.0, -(place + 0.5) * FONT_SIZE * LINE_SPACING),
            textcoords="offset points",
            va="center",
            fontsize=FONT_SIZE,
            annotation_clip=False,
            **LITERAL,
        )
        for place, name in enumerate(names)
    ]


def ranges_in_words(numbers: Sequence[int]) -> str:
    """Write rising numbers in short."""
    parts: list[str] = []
    for _, run in itertools.groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        row = [number for _, number in run]
        parts += [f"{row[0]}–{row[-1]}"] if len(row) > 2 else [str(number) for number in row]
    return ", ".join(parts)


def _together(on_page: FloatArray) -> list[list[int]]:
    """Group points that lie nearly on the first of their group."""
    groups: list[list[int]] = []
    for place, point in enumerate(on_page):
        for group in groups:
            if math.dist(on_page[group[0]], point) <= SAME:
                group.append(place)
                break
        else:
            groups.append([place])
    return groups


def _best_box(
    at: FloatArray,
    size: tuple[float, float],
    frame: Box,
    covered: tuple[list[Box], FloatArray],
) -> Box:
    """Find the place of a tag in the frame that covers least, the nearest of several."""
    taken, avoided = covered
    best, least = None, math.inf
    for distance, side in itertools.product(DISTANCES, SIDES):
        box = _box(at, size, distance, side)
        cost = TAG_COVERED * sum(_overlap(box, other) for other in taken)
        cost += _n_covered(box, avoided) + (0 if _inside(box, frame) else OUTSIDE)
        if best is None or cost < least:
            best, least = box, cost
        if least == 0:
            break
    assert best is not None
    return best


def _box(at: FloatArray, size: tuple[float, float], distance: float, side: tuple[int, int]) -> Box:
    """Box of a tag on one side of a point: left, bottom, right, top."""
    (across, up), (width, height) = side, size
    step = distance / math.hypot(across, up)
    middle_x = float(at[0]) + across * (step + width / 2)
    middle_y = float(at[1]) + up * (step + height / 2)
    return (
        middle_x - width / 2,
        middle_y - height / 2,
        middle_x + width / 2,
        middle_y + height / 2,
    )


def _frame(ax: "Axes") -> Box:
    """Box of the axes on the page."""
    extent, scale = ax.get_window_extent(), POINTS_PER_INCH / ax.figure.dpi
    return (extent.x0 * scale, extent.y0 * scale, extent.x1 * scale, extent.y1 * scale)


def _inside(box: Box, frame: Box) -> bool:
    return box[0] >= frame[0] and box[1] >= frame[1] and box[2] <= frame[2] and box[3] <= frame[3]


def _overlap(first: Box, second: Box) -> bool:
    return (
        first[0] < second[2]
        and second[0] < first[2]
        and first[1] < second[3]
        and second[1] < first[3]
    )


def _n_covered(box: Box, points: FloatArray) -> int:
    """Count the points under a box."""
    x, y = points.T
    inside = (x > box[0] - POINT) & (x < box[2] + POINT)
    inside &= (y > box[1] - POINT) & (y < box[3] + POINT)
    return int(np.count_nonzero(inside))


def _in_points(ax: "Axes", points: ArrayLike) -> FloatArray:
    """Places on the page in points of 1/72 inch."""
    places = np.asarray(points, dtype=float).reshape(-1, 2)
    if not len(places):
        return places
    return np.asarray(ax.transData.transform(places) * POINTS_PER_INCH / ax.figure.dpi)
