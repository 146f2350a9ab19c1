"""How our pictures look: colours that all eyes can tell apart, names that do not overlap."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from hsieve.array_types import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.collections import LineCollection
    from matplotlib.text import Annotation


# Okabe and Ito's colours without yellow, which is too faint on white: no two of them look alike to
# the colour-blind. Dashes tell the second round from the first.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", "--", ":")
# Chosen without a name, not chosen, and marks of what was left out.
DARK, PALE, CULLED = "#5b6770", "#b0b0b0", "#444444"
# Blue to yellow, of rising lightness: the same order to all eyes, and in print.
SHADES = "cividis"
# What stands out on every shade of it.
MARKED = "#D55E00"
FONT_SIZE = 9.0
LINE_SPACING = 1.35
POINTS_PER_INCH = 72
# Width of a letter, as a fraction of the size of the font.
LETTER = 0.52
NAMES_IN_NOTE = 3
# More lines than this are a picture inside a drawing.
MANY_LINES = 500
# Up to this ratio a logarithmic axis has numbers between the powers of ten.
FEW_DECADES = 3e3
# Names are no formulas, whatever they hold.
LITERAL: dict[str, Any] = {"parse_math": False, "usetex": False}


def height_for(n_names: int, *, least: float = 3.2) -> float:
    """Height in inches of axes beside which so many names have room."""
    return max(least, n_names * FONT_SIZE * LINE_SPACING / POINTS_PER_INCH)


def halo() -> list[Any]:
    """Make the white rim of letters that stand on lines."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=3.0, foreground="white")]


def log_axis(axis: "Axis", low: float, high: float) -> None:
    """Put plain numbers at 1, 2 and 5 times the powers of ten on a logarithmic axis."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    steps = (1.0, 2.0, 5.0) if high / low < FEW_DECADES else (1.0,)
    axis.set_major_locator(LogLocator(subs=steps, numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def chosen_styles(n_named: int, n_chosen: int) -> list[dict[str, Any]]:
    """Return styles of the lines of chosen features: a colour for those named, thin for others."""
    thin: list[dict[str, Any]] = [{"color": DARK, "linewidth": 0.9}] * (n_chosen - n_named)
    return [line_style(rank) for rank in range(n_named)] + thin


def draw_pale_lines(
    ax: "Axes", paths: Sequence[FloatArray], *, linewidth: float
) -> "LineCollection":
    """Draw lines of features that were not chosen; many of them as a picture, not as shapes."""
    from matplotlib.collections import LineCollection

    lines = LineCollection(
        paths, colors=PALE, linewidths=linewidth, zorder=1, rasterized=len(paths) > MANY_LINES
    )
    ax.add_collection(lines, autolim=False)
    return lines


def without_name(n_without_name: int) -> list[str]:
    """Explain the thin dark lines, if there are any."""
    return [f"thin dark lines: {n_without_name} more chosen"] if n_without_name else []


def line_style(rank: int) -> dict[str, Any]:
    """Colour and dashes of the line of so many-th rank, from 0."""
    rounds, colour = divmod(rank, len(COLOURS))
    return {
        "color": COLOURS[colour],
        "linestyle": DASHES[rounds % len(DASHES)],
        "linewidth": 1.8,
        "zorder": 3,
    }


def listed(names: Sequence[str], most: int = NAMES_IN_NOTE) -> str:
    """Write some names in a row, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def room_for_names(ax: "Axes") -> int:
    """Count the names for which there is room beside the axes."""
    return int(1.0 / _line_height(ax)) + 1


def name_ends(
    ax: "Axes", ends: ArrayLike, names: Sequence[str], colours: Sequence[Any]
) -> "list[Annotation]":
    """Write names at the right of the axes, each tied to the end of its line."""
    points = np.asarray(ends, dtype=float).reshape(-1, 2)
    # Heights in the axes, whatever their scale is.
    shares = ax.transAxes.inverted().transform(ax.transData.transform(points))[:, 1]
    order = np.argsort(shares, kind="stable")
    heights = spread(shares[order], _line_height(ax))
    return [
        ax.annotate(
            names[place],
            xy=tuple(points[place].tolist()),
            xytext=(1.07, height),
            textcoords="axes fraction",
            annotation_clip=False,
            va="center",
            fontsize=FONT_SIZE,
            arrowprops={
                "arrowstyle": "-",
                "color": colours[place],
                # Level at both ends, so that leaders do not run through other names.
                "connectionstyle": "arc,angleA=180,angleB=0,armA=10,armB=5,rad=0",
                "relpos": (0.0, 0.5),
                "shrinkA": 2.0,
                "shrinkB": 0.0,
                "linewidth": 0.8,
            },
            **LITERAL,
        )
        for place, height in zip(order.tolist(), heights, strict=True)
    ]


def write_note(ax: "Axes", notes: Sequence[str], *, lines_above: float = 4.2) -> "Annotation":
    """Write what the picture does not say below the axes, one note a line or more."""
    width = ax.get_window_extent().width / ax.figure.dpi * POINTS_PER_INCH
    n_letters = max(20, int(width / (LETTER * FONT_SIZE)))
    return ax.annotate(
        "\n".join(line for note in notes for line in textwrap.wrap(note, n_letters)),
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


def _line_height(ax: "Axes") -> float:
    """Height of a line of text, as a fraction of the axes'."""
    height = ax.get_window_extent().height / ax.figure.dpi * POINTS_PER_INCH
    return FONT_SIZE * LINE_SPACING / height
