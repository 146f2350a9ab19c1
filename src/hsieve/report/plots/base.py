"""What all pictures share: where they are drawn, how they look, how they are shown and kept.

No state of pyplot is touched: a figure of our own needs neither a display nor a backend.
"""

import io
import os
import textwrap
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from hsieve.array_types import FloatArray
from hsieve.io.writing import written_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure
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

PICTURE_ENDINGS = (".png", ".svg", ".pdf")
DOTS_PER_INCH = 150
# Room in inches for ticks and the axis' name at the left, and for title and names of axes.
LEFT, ABOVE, BELOW = 0.72, 0.5, 0.9


class Display(ABC):
    """A picture that can be drawn, shown in a notebook and saved.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it is drawn.
    figure_ : matplotlib Figure
        The figure of these axes.
    """

    ax_: "Axes"
    figure_: "Figure"

    @abstractmethod
    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure, apart from those of pyplot.

        Returns
        -------
        Display
            Itself, with what was drawn.
        """

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file, whole or not at all.

        Parameters
        ----------
        path : path-like
            A file ending in .png, .svg or .pdf; an existing one is replaced.

        Raises
        ------
        ValueError
            If the ending is another one, the folder does not exist, or the path is a folder.
        """
        ending = Path(path).suffix.lower()
        if ending not in PICTURE_ENDINGS:
            msg = f"a picture must end in {' or '.join(PICTURE_ENDINGS)}, got {os.fspath(path)!r}."
            raise ValueError(msg)
        self._draw_if_needed()
        import matplotlib as mpl

        # No date and no random marks: the same picture gives the same file.
        undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(ending)
        with mpl.rc_context({"svg.hashsalt": "hsieve"}), written_whole(Path(path)) as temporary:
            self._write(temporary, ending[1:], undated)

    def _repr_png_(self) -> bytes | None:
        """Show the picture where a notebook shows the last value of a cell."""
        self._draw_if_needed()
        if getattr(self.figure_.canvas, "manager", None) is not None:
            return None  # on axes of pyplot, which the notebook shows by itself
        picture = io.BytesIO()
        self._write(picture, "png", None)
        return picture.getvalue()

    def _take_axes(self, ax: "Axes | None", height: float = 3.2, **size: float) -> "Axes":
        """Draw on the axes given, or make some of our own of that size."""
        require_matplotlib()
        self.ax_ = new_axes(height, **size) if ax is None else ax
        self.figure_ = self.ax_.figure.figure
        return self.ax_

    def _draw_if_needed(self) -> None:
        if not hasattr(self, "figure_"):
            self.plot()

    def _write(self, where: Any, kind: str, metadata: dict[str, Any] | None) -> None:
        with warnings.catch_warnings():
            # A name in a script that the font lacks is drawn as boxes, without a warning.
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            self.figure_.savefig(
                where, format=kind, dpi=DOTS_PER_INCH, bbox_inches="tight", metadata=metadata
            )


def require_matplotlib() -> None:
    """Raise an ImportError that says what to install, if matplotlib is missing."""
    try:
        import matplotlib as mpl  # noqa: F401
    except ImportError as error:
        msg = 'pictures need matplotlib, which is not installed: pip install "hsieve[report]"'
        raise ImportError(msg) from error


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
    figure = new_figure(whole_width, whole_height)
    axes = figure.add_axes(
        (LEFT / whole_width, BELOW / whole_height, width / whole_width, height / whole_height)
    )
    axes.spines[["top", "right"]].set_visible(False)
    return axes


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
