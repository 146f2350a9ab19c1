"""One feature against the target, in four kinds of panel; the target goes upwards in each."""

from typing import TYPE_CHECKING, Any

import numpy as np

from hsieve.array_types import FloatArray
from hsieve.report.names import SampleLevels
from hsieve.report.plots.style import COLOURS, DARK, FONT_SIZE, LITERAL, MARKED, PALE
from hsieve.report.shapes import smooth_curve, view_limits

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# More points than this are counted in hexagons, and so many of a box are drawn at most.
MANY_POINTS, POINTS_OF_BOX = 1500, 150
# Half the height of a box, and of the cloud of its points.
HALF_BOX, HALF_CLOUD = 0.32, 0.26
# Width of a letter of a level's name.
LETTER_INCHES = 0.07
GOLDEN = 0.6180339887498949


def class_colours(classes: SampleLevels) -> list[str]:
    """Colours of classes, the same in all panels."""
    colours = list(COLOURS[: len(classes.names)])
    if classes.has_others:
        colours[-1] = PALE
    return colours


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


def draw_boxes(
    ax: "Axes", values: FloatArray, levels: SampleLevels, *, upright: bool, colours: list[str]
) -> list[dict[str, Any]]:
    """Draw a box of numbers for each level, with some of the points.

    Returns the statistics of each box, as :func:`matplotlib.cbook.boxplot_stats` has them; empty
    for a level without samples.
    """
    from matplotlib.cbook import boxplot_stats

    found = []
    for place, colour in enumerate(colours):
        own = values[levels.codes == place]
        statistics: dict[str, Any] = boxplot_stats(own)[0] if len(own) else {}
        found.append(statistics)
        if statistics:
            _draw_points(ax, own, place, colour, upright=upright)
            _draw_box(ax, statistics, place, colour, upright=upright)
    limits = view_limits(values)
    ends = (-0.6, len(colours) - 0.4)
    (ax.set_ylim if upright else ax.set_xlim)(*limits)
    (ax.set_xlim if upright else ax.set_ylim)(*ends)
    return found


def draw_mosaic(
    ax: "Axes", feature: SampleLevels, target: SampleLevels, colours: list[str]
) -> FloatArray:
    """Draw fractions of classes above each category, as wide as it is frequent; return them."""
    counts = np.zeros((len(feature.names), len(target.names)))
    np.add.at(counts, (feature.codes, target.codes), 1.0)
    totals = counts.sum(axis=1)
    shares: FloatArray = counts / np.maximum(totals, 1.0)[:, None]
    widths = totals / totals.sum()
    lefts = np.concatenate([[0.0], np.cumsum(widths)[:-1]])
    floors = np.cumsum(shares, axis=1) - shares
    for place, colour in enumerate(colours):
        ax.bar(
            lefts,
            shares[:, place],
            width=widths,
            bottom=floors[:, place],
            align="edge",
            color=colour,
            alpha=0.75,
            edgecolor="white",
            linewidth=1.0,
        )
    ax.set_xlim(0.0, 1.0)
    ax.set_ylim(0.0, 1.0)
    ax.set_yticks([0.0, 0.5, 1.0])
    label_levels(ax, feature.names, lefts + widths / 2, across=True, widths=widths)
    return shares


def label_levels(
    ax: "Axes",
    names: list[str],
    places: FloatArray,
    *,
    across: bool,
    widths: FloatArray | None = None,
) -> None:
    """Write names of levels at an axis, aslant where they would meet."""
    axis = ax.xaxis if across else ax.yaxis
    shares = np.full(len(names), 1.0 / max(len(names), 1)) if widths is None else widths
    shown = [name if share > 0.05 else "" for name, share in zip(names, shares, strict=True)]
    axis.set_ticks(list(places), shown)
    axis.set_tick_params(length=0, labelsize=FONT_SIZE - 1)
    inches = ax.get_window_extent().width / ax.figure.dpi
    needed = np.array([(len(name) + 1) * LETTER_INCHES for name in shown])
    for label in axis.get_ticklabels():
        label.set(**LITERAL)
        if across and (needed > shares * inches).any():
            label.set(rotation=35, ha="right", rotation_mode="anchor")


def _draw_points(ax: "Axes", values: FloatArray, place: int, colour: str, *, upright: bool) -> None:
    """Draw some of the numbers of a level, evenly from the lowest to the highest."""
    ordered = np.sort(values)
    n_drawn = min(len(ordered), POINTS_OF_BOX)
    chosen = ordered[np.linspace(0, len(ordered) - 1, n_drawn).astype(int)]
    # Steps of the golden section spread them without a pattern.
    aside = place + HALF_CLOUD * (2.0 * ((np.arange(n_drawn) * GOLDEN) % 1.0) - 1.0)
    x, y = (aside, chosen) if upright else (chosen, aside)
    ax.scatter(x, y, s=5, color=colour, alpha=0.35, linewidths=0, zorder=1)


def _draw_box(
    ax: "Axes", statistics: dict[str, Any], place: int, colour: str, *, upright: bool
) -> None:
    """Draw box, median and whiskers."""
    from matplotlib.patches import Rectangle

    quartiles = statistics["q1"], statistics["q3"]
    corner, sides = (quartiles[0], place - HALF_BOX), (quartiles[1] - quartiles[0], 2 * HALF_BOX)
    if upright:
        corner, sides = corner[::-1], sides[::-1]
    ax.add_patch(Rectangle(corner, *sides, fill=False, edgecolor=colour, linewidth=1.4, zorder=2))
    ends = (
        (statistics["whislo"], quartiles[0], 0.0, 1.0, DARK),
        (quartiles[1], statistics["whishi"], 0.0, 1.0, DARK),
        (statistics["med"], statistics["med"], HALF_BOX, 2.2, "black"),
    )
    for first, last, half, width, shade in ends:
        along, aside = [first, last], [place - half, place + half]
        x, y = (aside, along) if upright else (along, aside)
        ax.plot(x, y, color=shade, linewidth=width, zorder=3, solid_capstyle="butt")
