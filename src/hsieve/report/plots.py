"""The regularisation path as a picture.

The level falls from left to right on a linear axis: between two knots the coefficients are straight
lines in the level, so the picture is the path itself, and it can show a path that ends at zero.
Names stand at the ends of the lines, moved apart as little as it takes. No state of pyplot is
touched: a figure of our own needs neither a display nor a backend.
"""

import io
import os
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from hsieve.data.tables.writing import written_whole
from hsieve.report.names import names_of, shortened
from hsieve.report.paths import atom_name, lars_selection_path
from hsieve.solvers import LarsPath
from hsieve.strategies.lars_selection import LarsSelectionPath

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation

__all__ = ["PICTURE_ENDINGS", "PathDisplay", "require_matplotlib"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

PICTURE_ENDINGS = (".png", ".svg", ".pdf")
DOTS_PER_INCH = 150
# Okabe and Ito's colours without yellow, which is too faint on white: no two of them look alike to
# the colour-blind. Dashes tell the second round from the first.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", "--", ":")
CHOSEN_WITHOUT_NAME, LEFT, EXIT = "#5b6770", "#b0b0b0", "#444444"
FONT_SIZE = 9.0
LINE_SPACING = 1.35
NAMES_IN_NOTE = 3
POINTS_PER_INCH = 72


class PathDisplay:
    """Coefficients of the features along a regularisation path.

    Make it with :meth:`from_selector`, or from its parts and call :meth:`plot`.

    Parameters
    ----------
    path : LarsSelectionPath
        The path.
    feature_names : sequence of str
        A name for each feature.
    method : str
        Name of the method, for the title.
    n_chosen : int
        Number of features chosen, for the title.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it is drawn.
    figure_ : matplotlib Figure
        The figure of these axes.
    lines_ : list of matplotlib Line2D
        One for each feature that ever came in, in that order; the levels and coefficients at the
        knots are its data, with NaN where the feature is out.
    exits_ : matplotlib Line2D
        A cross at each level where a feature leaves.
    labels_ : list of matplotlib Annotation
        Names at the ends of the lines, from the lowest to the highest.

    Examples
    --------
    >>> from hsieve import N3LARS
    >>> from hsieve.data.synthetic import make_n3lars
    >>> from hsieve.report import PathDisplay
    >>> problem = make_n3lars(300, 100, random_state=0)
    >>> display = PathDisplay.from_selector(N3LARS(5).fit(problem.X, problem.y))
    >>> len(display.labels_)
    5
    """

    def __init__(
        self, path: LarsSelectionPath, *, feature_names: Sequence[str], method: str, n_chosen: int
    ) -> None:
        self.path = path
        self.feature_names = feature_names
        self.method = method
        self.n_chosen = n_chosen

    @property
    def lars(self) -> LarsPath:
        """Levels and coefficients of the path."""
        return self.path.lars

    @classmethod
    def from_selector(
        cls,
        selector: Any,
        *,
        ax: "Axes | None" = None,
        feature_names: Iterable[Any] | None = None,
        n_labels: int = 10,
    ) -> Self:
        """Draw the path of a fitted selector.

        Parameters
        ----------
        selector : BaseSelector
            A fitted :class:`N3LARS`, :class:`HSICLasso` or selector with ``LarsSearch()``.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure, apart from those of pyplot.
        feature_names : iterable or None, default=None
            Names of all features; None for those of the data frame, or x0, x1, ...
        n_labels : int, default=10
            Largest number of features to name, by their coefficient at the end.

        Returns
        -------
        PathDisplay
            What was drawn.
        """
        require_matplotlib()
        display = cls(
            lars_selection_path(selector),
            feature_names=names_of(selector, feature_names),
            method=type(selector).__name__,
            n_chosen=len(selector.selected_indices_),
        )
        return display.plot(ax, n_labels=n_labels)

    def plot(self, ax: "Axes | None" = None, *, n_labels: int = 10) -> Self:
        """Draw the path.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure, apart from those of pyplot.
        n_labels : int, default=10
            Largest number of features to name; fewer are named where there is no room.

        Returns
        -------
        PathDisplay
            Itself, with what was drawn.
        """
        require_matplotlib()
        if n_labels < 0:
            msg = f"n_labels must be zero or more, got {n_labels}."
            raise ValueError(msg)
        ax = ax if ax is not None else _new_axes(n_labels)
        self.ax_, self.figure_ = ax, ax.figure.figure
        curves = _curves(self.lars)
        _frame(ax, self.lars.levels, curves)
        chosen = np.isin(self.lars.order, self.lars.selected)
        ends = np.where(chosen, np.nan_to_num(curves[-1]), -1.0)
        n_named = min(n_labels, int(chosen.sum()), _room(ax))
        named = np.argsort(-ends, kind="stable")[:n_named]
        styles = _styles(chosen, named)
        self.lines_ = [
            ax.plot(self.lars.levels, curve, label=self._name(feature), **style)[0]
            for feature, curve, style in zip(self.lars.order, curves.T, styles, strict=True)
        ]
        self.labels_ = self._draw_names(named[np.argsort(ends[named], kind="stable")], ends)
        self._draw_exits()
        self._draw_words(n_without_name=int(chosen.sum()) - n_named)
        return self

    def _repr_png_(self) -> bytes | None:
        """Show the picture where a notebook shows the last value of a cell."""
        if getattr(self.figure_.canvas, "manager", None) is not None:
            return None  # on axes of pyplot, which the notebook shows by itself
        picture = io.BytesIO()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            self.figure_.savefig(picture, format="png", dpi=DOTS_PER_INCH, bbox_inches="tight")
        return picture.getvalue()

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
        import matplotlib as mpl

        ending = Path(path).suffix.lower()
        if ending not in PICTURE_ENDINGS:
            msg = f"a picture must end in {' or '.join(PICTURE_ENDINGS)}, got {os.fspath(path)!r}."
            raise ValueError(msg)
        # No date and no random marks: the same path gives the same file.
        undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(ending)
        with (
            mpl.rc_context({"svg.hashsalt": "hsieve"}),
            warnings.catch_warnings(),
            written_whole(Path(path)) as temporary,
        ):
            # A name in a script that the font lacks is drawn as boxes.
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            self.figure_.savefig(
                temporary,
                format=ending[1:],
                dpi=DOTS_PER_INCH,
                bbox_inches="tight",
                metadata=undated,
            )

    def _name(self, feature: int) -> str:
        return shortened(atom_name(self.path, int(feature), self.feature_names))

    def _draw_names(self, places: IndexArray, ends: FloatArray) -> "list[Annotation]":
        """Write names beside the ends of their lines, from the lowest to the highest."""
        bottom, top = self.ax_.get_ylim()
        heights = _spread((ends[places] - bottom) / (top - bottom), _line_height(self.ax_))
        return [
            self.ax_.annotate(
                self._name(self.lars.order[place]),
                xy=(self.lars.levels[-1], ends[place]),
                xytext=(1.07, height),
                textcoords="axes fraction",
                annotation_clip=False,
                va="center",
                fontsize=FONT_SIZE,
                # Names are no formulas, whatever they hold.
                parse_math=False,
                usetex=False,
                arrowprops={
                    "arrowstyle": "-",
                    "color": self.lines_[place].get_color(),
                    # Level at both ends, so that leaders do not run through other names.
                    "connectionstyle": "arc,angleA=180,angleB=0,armA=10,armB=5,rad=0",
                    "relpos": (0.0, 0.5),
                    "shrinkA": 2.0,
                    "shrinkB": 0.0,
                    "linewidth": 0.8,
                },
            )
            for place, height in zip(places, heights, strict=True)
        ]

    def _draw_exits(self) -> None:
        """Mark where features leave."""
        levels = [event.level for event in self.lars.events if event.kind == "left"]
        self.exits_ = self.ax_.plot(
            levels,
            np.zeros(len(levels)),
            linestyle="none",
            marker="x",
            markersize=6,
            color=EXIT,
            clip_on=False,
            zorder=4,
        )[0]
        # Without any, it would still claim the corner of the figure as its place.
        self.exits_.set_in_layout(bool(levels))

    def _draw_words(self, *, n_without_name: int) -> None:
        """Write title, axes and a note on what the lines do not say."""
        n_features = len(self.feature_names)
        self.ax_.set_title(
            f"{self.method}: {self.n_chosen} of {n_features} features chosen", loc="left"
        )
        self.ax_.set(xlabel="level of the penalty (falling)", ylabel="coefficient")
        notes = []
        left = [self._name(f) for f in self.lars.order if f not in self.lars.selected]
        if left:
            more = len(left) - NAMES_IN_NOTE
            listed = ", ".join(left[:NAMES_IN_NOTE]) + (f" and {more} more" if more > 0 else "")
            notes.append(f"× came in and left again: {listed}")
        if n_without_name:
            notes.append(f"thin dark lines: {n_without_name} more chosen")
        n_filled = self.n_chosen - len(self.path.features_on_path)
        if n_filled > 0:
            notes.append(f"{n_filled} more chosen by relevance, with a coefficient of zero")
        self.ax_.annotate(
            "\n".join(notes),
            xy=(0.0, 0.0),
            xycoords="axes fraction",
            xytext=(0.0, -4.2 * FONT_SIZE),
            textcoords="offset points",
            va="top",
            fontsize=FONT_SIZE,
            color=CHOSEN_WITHOUT_NAME,
            parse_math=False,
            usetex=False,
        )


def require_matplotlib() -> None:
    """Raise an ImportError that says what to install, if matplotlib is missing."""
    try:
        import matplotlib as mpl  # noqa: F401
    except ImportError as error:
        msg = 'pictures need matplotlib, which is not installed: pip install "hsieve[report]"'
        raise ImportError(msg) from error


def _new_axes(n_labels: int) -> "Axes":
    """Make a figure that is in nobody's list, high enough for the names."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    axes_height = max(3.2, n_labels * FONT_SIZE * LINE_SPACING / POINTS_PER_INCH)
    height = axes_height + 1.4
    figure = Figure(figsize=(8.0, height))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.09, 0.9 / height, 0.64, axes_height / height))
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _curves(lars: LarsPath) -> FloatArray:
    """Coefficients at the knots of the features that ever came in, NaN where one is out."""
    curves: FloatArray = np.full((len(lars.levels), len(lars.order)), np.nan)
    places = {int(feature): place for place, feature in enumerate(lars.order)}
    for knot, (active, values) in enumerate(zip(lars.active_sets, lars.values, strict=True)):
        for feature, value in zip(active.tolist(), values, strict=True):
            if feature in places:
                place = places[feature]
                if knot and np.isnan(curves[knot - 1, place]):
                    curves[knot - 1, place] = 0.0  # it came in there
                curves[knot, place] = value
    # A feature that came in at the last knot, by a tie, has no segment behind it.
    at_end = np.isin(lars.order, lars.selected) & np.isnan(curves[-1])
    curves[-1, at_end] = 0.0
    return curves


def _frame(ax: "Axes", levels: FloatArray, curves: FloatArray) -> None:
    """Set the limits: the level falls to the right, coefficients begin at zero."""
    highest, lowest = float(levels[0]), float(levels[-1])
    room = 0.0 if highest > lowest else max(0.05 * highest, 0.05)
    ax.set_xlim(highest + room, lowest - room)
    largest = float(np.nan_to_num(curves).max(initial=0.0))
    ax.set_ylim(0.0, 1.05 * largest if largest > 0.0 else 1.0)


def _styles(chosen: BoolArray, named: IndexArray) -> list[dict[str, Any]]:
    """Give a colour to each named feature, thin lines to the others."""
    thin = {True: CHOSEN_WITHOUT_NAME, False: LEFT}
    styles: list[dict[str, Any]] = [
        {"color": thin[bool(is_chosen)], "linewidth": 0.9, "zorder": 2 if is_chosen else 1}
        for is_chosen in chosen
    ]
    for rank, place in enumerate(named):
        rounds, colour = divmod(rank, len(COLOURS))
        dashes = DASHES[rounds % len(DASHES)]
        styles[place] = {
            "color": COLOURS[colour],
            "linestyle": dashes,
            "linewidth": 1.8,
            "zorder": 3,
        }
    return styles


def _line_height(ax: "Axes") -> float:
    """Height of a line of text, as a share of the axes'."""
    height = ax.get_window_extent().height / ax.figure.dpi * POINTS_PER_INCH
    return FONT_SIZE * LINE_SPACING / height


def _room(ax: "Axes") -> int:
    """Count the names for which there is room."""
    return int(1.0 / _line_height(ax)) + 1


def _spread(heights: FloatArray, gap: float) -> FloatArray:
    """Move rising heights apart within [0, 1], as little as it takes in the sum of squares."""
    from sklearn.isotonic import isotonic_regression

    if not len(heights):
        return heights
    steps = gap * np.arange(len(heights))
    spread: FloatArray = steps + isotonic_regression(
        heights - steps, y_min=0.0, y_max=max(0.0, 1.0 - steps[-1])
    )
    return spread
