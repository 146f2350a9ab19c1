"""Pictures of an analysis on axes of matplotlib, one function for each kind of picture.

The numbers, colours and words are those of the page. No state of pyplot is touched: a figure of our
own needs neither a display nor a backend.
"""

import math
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray
from hsieve.text import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours without yellow, which is too faint on white: no two of them look alike to
# the colour-blind. Dashes tell the second round from the first.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", "--", ":")
DARK, PALE = "#5b6770", "#b0b0b0"
# What stands out on lines, points and shades.
MARKED = "#D55E00"
FONT_SIZE = 9.0
LINE_SPACING = 1.35
POINTS_PER_INCH = 72
# Width of a letter, as a fraction of the size of the font.
LETTER = 0.52
# Names are no formulas, whatever they hold.
LITERAL: dict[str, Any] = {"parse_math": False, "usetex": False}
# Room in inches for ticks and the axis' name at the left, and for title and names of axes.
LEFT, ABOVE, BELOW = 0.72, 0.5, 0.9
MOST_NAMED = 15
# Lines of so few points are drawn with their points.
FEW_POINTS = 12
# Up to so many features the numbers are written into the cells; width of a cell in inches.
FEW_CELLS, WIDE_CELL = 12, 0.36
# Panels in a row, size of a panel in inches, and room around panels in a part of a figure.
MOST_COLUMNS, WIDTH, HEIGHT = 4, 2.35, 2.25
ROOM = {"left": 0.14, "right": 0.98, "bottom": 0.2, "top": 0.85, "hspace": 0.8, "wspace": 0.5}
# Half the height of a violin; steps of the golden section spread dots without a pattern.
HALF, GOLDEN = 0.28, 0.6180339887498949


def require_matplotlib() -> None:
    """Raise an ImportError that says what to install, if matplotlib is missing."""
    try:
        import matplotlib as mpl  # noqa: F401
    except ImportError as error:
        msg = 'pictures need matplotlib, which is not installed: pip install "hsieve[report]"'
        raise ImportError(msg) from error


def draw(picture: dict[str, Any], ax: "Axes | None" = None) -> "list[Axes]":
    """Draw a picture on axes, or on new ones; return them, the panels where it has several."""
    if picture["kind"] == "panels":
        return draw_panels(picture, ax)
    if picture["kind"] == "heat":
        n_features = len(picture["features"])
        side = max(2.4, n_features * (WIDE_CELL if n_features <= FEW_CELLS else _line_inches()))
        ax = new_axes(side, width=side, beside=1.4) if ax is None else ax
        draw_heat(ax, picture)
    else:
        marks = picture["series" if picture["kind"] == "lines" else "points"]
        n_names = min(sum(mark["chosen"] for mark in marks), MOST_NAMED)
        ax = new_axes(max(3.2, n_names * _line_inches())) if ax is None else ax
        (draw_lines if picture["kind"] == "lines" else draw_scatter)(ax, picture)
    ax.set_title(picture["title"], loc="left", **LITERAL)
    write_note(ax, picture["caption"], lines_above=1.0 if picture["kind"] == "heat" else 4.2)
    return [ax]


def draw_lines(ax: "Axes", picture: dict[str, Any]) -> None:
    """Draw lines along an axis, with names at their ends."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

    x, ends = _numbers(picture["x"]["values"]), []
    marker = "." if len(x) <= FEW_POINTS else None
    for line in picture["series"]:
        values, style = _numbers(line["values"]), style_of(line)
        ax.plot(x, values, label=shortened(line["name"]), marker=marker, **style)
        known = np.flatnonzero(np.isfinite(values))
        if line["chosen"] and line["feature"] is not None and len(known):
            ends.append((line["name"], (x[known[-1]], values[known[-1]]), style["color"]))
    ax.set(xlabel=picture["x"]["label"], ylabel=picture["y"]["label"])
    if picture["x"].get("log"):
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        ax.xaxis.set_minor_formatter(NullFormatter())
    else:
        whole = all(float(value).is_integer() for value in x)
        ax.xaxis.set_major_locator(MaxNLocator(8, integer=whole, min_n_ticks=1))
    room = 0.5 if x[0] == x[-1] else 0.0
    ax.set_xlim(x[0] - room, x[-1] + room)
    if "to" in picture["y"]:
        ax.set_ylim(picture["y"]["from"], 1.03 * picture["y"]["to"])
    for rule in picture.get("lines", ()):
        _draw_rule(ax, rule)
    name_marks(ax, ends)


def _draw_rule(ax: "Axes", rule: dict[str, Any]) -> None:
    """Draw a line at a value of an axis, with its label inside the axes."""
    is_level = rule["axis"] == "y"
    line = ax.axhline if is_level else ax.axvline
    line(rule["value"], color=DARK, linewidth=1.0, linestyle=(0, (6, 3)), zorder=2)
    ax.annotate(
        rule["label"],
        xy=(0.0, rule["value"]) if is_level else (rule["value"], 0.0),
        xycoords=("axes fraction", "data") if is_level else ("data", "axes fraction"),
        xytext=(4.0, 3.0),
        textcoords="offset points",
        fontsize=FONT_SIZE,
        color=DARK,
        bbox={"color": "white", "alpha": 0.8, "pad": 0.5},
    )


def draw_scatter(ax: "Axes", picture: dict[str, Any]) -> None:
    """Draw a dot for each feature; chosen ones are filled and named."""
    chosen = [point for point in picture["points"] if point["chosen"]]
    others = [point for point in picture["points"] if not point["chosen"]]
    for points, size, is_filled in ((others, 12, False), (chosen, 34, True)):
        colours = [style_of(point)["color"] for point in points]
        ax.scatter(
            [point["x"] for point in points],
            [point["y"] for point in points],
            s=size,
            c=colours if is_filled else "none",
            edgecolors=colours,
            zorder=2 + is_filled,
        )
    ax.set(xlabel=picture["x"]["label"], ylabel=picture["y"]["label"])
    ax.set_xlim(left=picture["x"].get("from"))
    ax.set_ylim(bottom=picture["y"].get("from"))
    name_marks(ax, [(one["name"], (one["x"], one["y"]), style_of(one)["color"]) for one in chosen])


def draw_heat(ax: "Axes", picture: dict[str, Any]) -> None:
    """Draw what each two features share, with their names at the left."""
    values = np.array(picture["values"], dtype=float)
    edges = np.arange(len(values) + 1) - 0.5
    draw_cells(ax, edges, values, "NHSIC (0 independent, 1 copies)", highest=1.0, shades="Blues")
    ax.set_aspect("equal")
    ax.invert_yaxis()
    ax.set_xticks([])
    _name_rows(ax, [one["name"] for one in picture["features"]])
    if len(values) > FEW_CELLS:
        return
    for (row, column), value in np.ndenumerate(values):
        ax.text(
            column,
            row,
            f"{value:.2f}".removeprefix("0"),
            ha="center",
            va="center",
            fontsize=FONT_SIZE - 1,
            color="white" if value > 0.6 else "black",
        )


def draw_cells(
    ax: "Axes", edges: FloatArray, values: FloatArray, label: str, *, highest: float, shades: str
) -> None:
    """Draw a heat map of cells between edges that are the same on both axes, and its scale."""
    shown = np.ma.masked_invalid(values)
    cells = ax.pcolormesh(edges, edges, shown, cmap=shades, vmin=0.0, vmax=highest, rasterized=True)
    bar = ax.figure.colorbar(cells, ax=ax, fraction=0.046, pad=0.04)
    bar.set_label(label)
    bar.outline.set_visible(False)  # type: ignore[operator]
    ax.spines[:].set_visible(False)


def draw_panels(picture: dict[str, Any], ax: "Axes | None" = None) -> "list[Axes]":
    """Draw small pictures in rows, in a new figure or in the place of axes of a grid."""
    from matplotlib.patches import Patch

    panels = picture["panels"]
    n_columns = min(MOST_COLUMNS, math.ceil(math.sqrt(len(panels))))
    n_rows = math.ceil(len(panels) / n_columns)
    place: Any = (
        new_figure(n_columns * WIDTH, n_rows * HEIGHT + 1.0, layout="constrained")
        if ax is None
        else _in_place_of(ax)
    )
    grid = place.subplots(n_rows, n_columns, squeeze=False, gridspec_kw=ROOM if ax else None)
    for empty in grid.ravel()[len(panels) :]:
        empty.remove()
    axes = list(grid.ravel()[: len(panels)])
    for panel, box in zip(panels, axes, strict=True):
        box.spines[["top", "right"]].set_visible(False)
        box.tick_params(labelsize=FONT_SIZE - 1)
        box.locator_params(nbins=4)
        box.set_title(shortened(panel["name"]), loc="left", fontsize=FONT_SIZE, **LITERAL)
        FORMS[panel["form"]](box, panel, picture["target"])
    place.suptitle(picture["title"], x=0.01, ha="left", fontsize=FONT_SIZE + 3, **LITERAL)
    classes: list[str] = next((panel["classes"] for panel in panels if "classes" in panel), [])
    if classes:
        colours = [COLOURS[code % len(COLOURS)] for code in range(len(classes))]
        legend = place.legend(
            [Patch(color=colour) for colour in colours],
            [shortened(name, 20) for name in classes],
            loc="outside lower left" if ax is None else "lower left",
            ncols=min(len(classes), 2 * n_columns),
            frameon=False,
            fontsize=FONT_SIZE,
        )
        for text in legend.get_texts():
            text.set(**LITERAL)
    return axes


def _draw_points(ax: "Axes", panel: dict[str, Any], target: str) -> None:
    """Draw samples as dots, and a smooth curve through all of them."""
    points, line = (_numbers(panel[part]).reshape(-1, 2).T for part in ("points", "line"))
    ax.plot(*points, ".", markersize=3.5, color=COLOURS[0], alpha=0.6)
    ax.plot(*line, color=MARKED, linewidth=1.8)
    ax.set_ylabel(shortened(target), fontsize=FONT_SIZE, **LITERAL)


def _draw_violins(ax: "Axes", panel: dict[str, Any], target: str) -> None:
    """Draw a violin for each group, with some of its values, quartiles and median."""
    for place, group in enumerate(panel["groups"]):
        if not group["count"]:
            continue
        colour = COLOURS[place % len(COLOURS) if panel["along"] == "feature" else 0]
        at, widths = _numbers(group["density"] or [[group["quantiles"][2], 0.0]]).T
        ax.fill_between(
            at, place - HALF * widths, place + HALF * widths, color=colour, alpha=0.25, linewidth=0
        )
        dots = _numbers(group["points"])
        aside = 2.0 * ((np.arange(len(dots)) * GOLDEN) % 1.0) - 1.0
        heights = place + 0.8 * HALF * aside * np.interp(dots, at, widths)
        ax.plot(dots, heights, ".", markersize=2.5, color=colour)
        _, first, middle, last, _ = group["quantiles"]
        ax.plot([first, last], [place, place], color=DARK, linewidth=2.5)
        ax.plot([middle], [place], "o", markersize=5, color=DARK, markerfacecolor="white")
    _name_groups(ax, [group["name"] for group in panel["groups"]])
    if panel["along"] == "target":
        ax.set_xlabel(shortened(target), fontsize=FONT_SIZE, **LITERAL)


def _draw_fractions(ax: "Axes", panel: dict[str, Any], target: str) -> None:
    """Draw the fractions of the classes at each level of the feature as a bar."""
    heights = _numbers([level["fractions"] for level in panel["levels"]])
    lefts = np.cumsum(heights, axis=1) - heights
    for code, (left, width) in enumerate(zip(lefts.T, heights.T, strict=True)):
        colour = COLOURS[code % len(COLOURS)]
        ax.barh(
            np.arange(len(heights)), width, 2 * HALF, left=left, color=colour, edgecolor="white"
        )
    _name_groups(ax, [level["name"] for level in panel["levels"]])
    ax.set(xlim=(0.0, 1.0), xticks=(0.0, 0.5, 1.0))
    ax.set_xlabel(f"fraction of {shortened(target)}", fontsize=FONT_SIZE, **LITERAL)


def _draw_survival(ax: "Axes", panel: dict[str, Any], target: str) -> None:
    """Draw a Kaplan-Meier curve for each group."""
    for place, group in enumerate(panel["groups"]):
        colour = COLOURS[place % len(COLOURS)]
        ax.step(*_numbers(group["curve"]).T, where="post", color=colour)
        ax.text(
            0.98,
            0.98 - 0.09 * place,
            shortened(group["name"], 20),
            color=colour,
            transform=ax.transAxes,
            ha="right",
            va="top",
            fontsize=FONT_SIZE - 2,
            **LITERAL,
        )
    ax.set_ylim(0.0, 1.03)
    ax.set_xlabel(shortened(target), fontsize=FONT_SIZE, **LITERAL)
    ax.set_ylabel("without event", fontsize=FONT_SIZE)


FORMS: dict[str, Callable[["Axes", dict[str, Any], str], None]] = {
    "points": _draw_points,
    "violins": _draw_violins,
    "fractions": _draw_fractions,
    "survival": _draw_survival,
}


def style_of(mark: dict[str, Any]) -> dict[str, Any]:
    """Return colour and dashes of a mark, which follow from the place of a chosen feature."""
    if not mark["chosen"] or mark["colour"] is None:
        return {"color": PALE, "linewidth": 0.9, "zorder": 1}
    rounds, colour = divmod(mark["colour"], len(COLOURS))
    dashes = DASHES[rounds % len(DASHES)]
    return {"color": COLOURS[colour], "linestyle": dashes, "linewidth": 1.8, "zorder": 3}


def name_marks(
    ax: "Axes", marks: Sequence[tuple[str, tuple[float, float], str]], most: int = MOST_NAMED
) -> None:
    """Write names at the right of the axes, each tied to its mark, as many as have room.

    A mark is a name, a point and a colour.
    """
    line = _line_inches() * ax.figure.dpi / ax.get_window_extent().height
    named = list(marks[: min(most, int(1.0 / line) + 1)])
    points = np.array([point for _, point, _ in named], dtype=float).reshape(-1, 2)
    # Heights in the axes, whatever their scale is.
    heights = ax.transAxes.inverted().transform(ax.transData.transform(points))[:, 1]
    order = np.argsort(heights, kind="stable")
    for place, height in zip(order.tolist(), spread(heights[order], line), strict=True):
        name, point, colour = named[place]
        ax.annotate(
            shortened(name),
            xy=point,
            xytext=(1.07, height),
            textcoords="axes fraction",
            annotation_clip=False,
            va="center",
            fontsize=FONT_SIZE,
            arrowprops={
                "arrowstyle": "-",
                "color": colour,
                # Level at both ends, so that leaders do not run through other names.
                "connectionstyle": "arc,angleA=180,angleB=0,armA=10,armB=5,rad=0",
                "relpos": (0.0, 0.5),
                "shrinkA": 2.0,
                "shrinkB": 0.0,
                "linewidth": 0.8,
            },
            **LITERAL,
        )


def spread(heights: FloatArray, gap: float) -> FloatArray:
    """Move rising heights apart within [0, 1], as little as it takes in the sum of squares."""
    from sklearn.isotonic import isotonic_regression

    if not len(heights):
        return heights
    steps = gap * np.arange(len(heights))
    moved: FloatArray = steps + isotonic_regression(
        heights - steps, y_min=0.0, y_max=max(0.0, 1.0 - steps[-1])
    )
    return moved


def write_note(ax: "Axes", note: str, *, lines_above: float = 4.2) -> None:
    """Write how a picture is to be read below the axes."""
    width = ax.get_window_extent().width / ax.figure.dpi * POINTS_PER_INCH
    ax.annotate(
        "\n".join(textwrap.wrap(note, max(40, int(width / (LETTER * FONT_SIZE))))),
        xy=(0.0, 0.0),
        xycoords="axes fraction",
        xytext=(0.0, -lines_above * FONT_SIZE),
        textcoords="offset points",
        va="top",
        fontsize=FONT_SIZE,
        color=DARK,
        annotation_clip=False,
        **LITERAL,
    )


def new_figure(width: float, height: float, **options: Any) -> "Figure":
    """Make a figure of a size in inches, apart from those of pyplot."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), **options)
    FigureCanvasAgg(figure)
    return figure


def new_axes(height: float = 3.2, *, width: float = 5.12, beside: float = 2.16) -> "Axes":
    """Make a figure of our own with axes of a size in inches, and room for names beside them."""
    whole_width, whole_height = LEFT + width + beside, ABOVE + height + BELOW
    axes = new_figure(whole_width, whole_height).add_axes(
        (LEFT / whole_width, BELOW / whole_height, width / whole_width, height / whole_height)
    )
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _in_place_of(ax: "Axes") -> Any:
    """Make a figure inside a figure, where axes of a grid stand."""
    spec = ax.get_subplotspec()
    if spec is None:
        msg = "ax must be of a grid, as from plt.subplots(); these axes stand alone."
        raise ValueError(msg)
    ax.set_axis_off()
    return ax.figure.figure.add_subfigure(spec)


def _name_rows(ax: "Axes", names: Sequence[str]) -> None:
    """Write names at the left, a row for each."""
    ax.set_yticks(range(len(names)), [shortened(name) for name in names])
    ax.tick_params(axis="y", length=0, labelsize=FONT_SIZE)
    for label in ax.get_yticklabels():
        label.set(**LITERAL)


def _name_groups(ax: "Axes", names: Sequence[str]) -> None:
    """Write a name above each row of a panel, the first row on top."""
    ax.set_ylim(len(names) - 0.5, -0.75)
    ax.set_yticks([])
    for place, name in enumerate(names):
        ax.text(
            0.02,
            place - 1.15 * HALF,
            shortened(name),
            transform=ax.get_yaxis_transform(),
            fontsize=FONT_SIZE - 2,
            **LITERAL,
        )


def _line_inches() -> float:
    """Height of a line of text."""
    return FONT_SIZE * LINE_SPACING / POINTS_PER_INCH


def _numbers(values: Any) -> NDArray[np.float64]:
    """Return numbers of a picture, NaN where there is none."""
    return np.array(values, dtype=np.float64)
