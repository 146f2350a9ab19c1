"""One feature against the target, in three kinds of panel."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hsieve.array_types import FloatArray
from hsieve.report.plots.base import COLOURS, DARK, FONT_SIZE, LITERAL, MARKED
from hsieve.report.shapes import smooth_curve, view_limits

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# More points than this are counted in hexagons.
MANY_POINTS = 1500
# Half the height of a violin.
HALF = 0.4
GOLDEN = 0.6180339887498949
# Width of a letter of a level's name.
LETTER_INCHES = 0.07


def class_colours(classes: Sequence[str]) -> list[str]:
    """Colours of classes, the same in all panels."""
    return list(COLOURS[: len(classes)])


def draw_scatter(ax: "Axes", x: FloatArray, y: FloatArray, *, smooth: bool) -> dict[str, Any]:
    """Draw numbers against numbers: points, or hexagons where there are many, and a smooth.

    Returns what was drawn: "points" or "hexagons", and "smooth", None where there is none.
    """
    drawn: dict[str, Any] = {"smooth": None}
    (left, right), (low, high) = view_limits(x), view_limits(y)
    if len(x) > MANY_POINTS:
        inside = (x >= left) & (x <= right) & (y >= low) & (y <= high)
        drawn["hexagons"] = ax.hexbin(
            x[inside], y[inside], gridsize=28, mincnt=1, bins="log", cmap="Blues", linewidths=0
        )
    else:
        drawn["points"] = ax.scatter(x, y, s=7, color=COLOURS[0], alpha=0.45, linewidths=0)
    curve = smooth_curve(x, y) if smooth else None
    if curve is not None:
        drawn["smooth"] = ax.plot(*curve, color=MARKED, linewidth=1.8)[0]
    ax.set_xlim(left, right)
    ax.set_ylim(low, high)
    return drawn


def draw_violins(
    ax: "Axes", groups: Sequence[dict[str, Any]], *, upright: bool, colours: Sequence[str]
) -> None:
    """Draw a violin for each group, with some of its values, quartiles and median."""
    for place, (group, colour) in enumerate(zip(groups, colours, strict=True)):
        if not group["count"]:
            continue
        at, widths = np.array(group["density"] or [[group["quantiles"][2], 0.0]]).T
        outline = ax.fill_betweenx if upright else ax.fill_between
        low, high = place - HALF * widths, place + HALF * widths
        outline(at, low, high, color=colour, alpha=0.25, linewidth=0)
        dots = np.array(group["points"])
        # Steps of the golden section spread them without a pattern.
        aside = 2.0 * ((np.arange(len(dots)) * GOLDEN) % 1.0) - 1.0
        aside = place + 0.8 * HALF * aside * np.interp(dots, at, widths)
        _, first, middle, last, _ = group["quantiles"]
        parts: tuple[tuple[Any, Any, dict[str, Any]], ...] = (
            (dots, aside, {"marker": ".", "linestyle": "", "markersize": 2.5, "color": colour}),
            ([first, last], [place, place], {"color": DARK, "linewidth": 2.5}),
            ([middle], [place], {"marker": "o", "color": DARK, "markerfacecolor": "white"}),
        )
        for along, across, style in parts:
            x, y = (across, along) if upright else (along, across)
            ax.plot(x, y, **{"markersize": 5, **style})
    ends = (-0.6, len(groups) - 0.4)
    (ax.set_xlim if upright else ax.set_ylim)(*ends)
    label_levels(ax, [group["name"] for group in groups], across=upright)


def draw_mosaic(ax: "Axes", levels: Sequence[dict[str, Any]], colours: Sequence[str]) -> None:
    """Draw fractions of classes above each level, as wide as it is frequent."""
    heights = np.array([level["fractions"] for level in levels])
    counts = np.array([level["count"] for level in levels], dtype=float)
    widths = counts / counts.sum()
    lefts = np.cumsum(widths) - widths
    floors = np.cumsum(heights, axis=1) - heights
    for place, colour in enumerate(colours):
        ax.bar(
            lefts,
            heights[:, place],
            width=widths,
            bottom=floors[:, place],
            align="edge",
            color=colour,
            alpha=0.75,
            edgecolor="white",
            linewidth=1.0,
        )
    ax.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0), yticks=[0.0, 0.5, 1.0])
    label_levels(ax, [level["name"] for level in levels], across=True, widths=widths)


def label_levels(
    ax: "Axes",
    names: Sequence[str],
    *,
    across: bool,
    widths: FloatArray | None = None,
) -> None:
    """Write names of levels at an axis, aslant where they would meet."""
    axis = ax.xaxis if across else ax.yaxis
    shares = np.full(len(names), 1.0 / max(len(names), 1)) if widths is None else widths
    places = np.arange(len(names)) if widths is None else np.cumsum(widths) - widths / 2
    shown = [name if share > 0.05 else "" for name, share in zip(names, shares, strict=True)]
    axis.set_ticks(places.tolist(), shown)
    axis.set_tick_params(length=0, labelsize=FONT_SIZE - 1)
    inches = ax.get_window_extent().width / ax.figure.dpi
    needed = np.array([(len(name) + 1) * LETTER_INCHES for name in shown])
    for label in axis.get_ticklabels():
        label.set(**LITERAL)
        if across and (needed > shares * inches).any():
            label.set(rotation=35, ha="right", rotation_mode="anchor")
