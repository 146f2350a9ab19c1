"""A small panel for each chosen feature against the target, best first."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray
from hsieve.data.validation import check_lengths, numbers_if_all_are, target_kind_of
from hsieve.io.frames import FrameBlocks, collected, is_frame
from hsieve.kernels import Precomputed
from hsieve.parameters import integer
from hsieve.report.fitted import categories_of, chosen_columns, declared, selection_of
from hsieve.report.plots.base import (
    COLOURS,
    DARK,
    FONT_SIZE,
    LITERAL,
    Display,
    new_figure,
    require_matplotlib,
)
from hsieve.report.plots.panels import (
    LETTER_INCHES,
    class_colours,
    draw_mosaic,
    draw_scatter,
    draw_violins,
)
from hsieve.report.shapes import beside, form_of, levels_of, view_limits
from hsieve.text import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MOST_CLASSES = 7
MOST_COLUMNS = 4
# Size of a panel in inches, with what stands around it; room for title and legend.
WIDTH, HEIGHT, AROUND = 2.35, 2.05, 0.75
# Inches of a row of the legend, and of the patch of colour beside a name.
LEGEND_ROW, PATCH = 0.25, 0.6


@dataclass(eq=False, repr=False)
class FeaturePanelsDisplay(Display):
    """Each chosen feature against the target, in the picture that suits the two.

    Numbers against numbers: points (hexagons where there are many) and a smooth curve. Numbers
    against classes, and categories against numbers: violins with points. Categories against
    classes: fractions of the classes. Numbers with at most six values are drawn by value. Make it
    with :meth:`from_selector`, or from its parts and call :meth:`plot`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_shown)
        The features, best first; NaN is left out.
    y : ndarray of shape (n_samples,)
        The target.
    feature_names : sequence of str
        A name for each of the features.
    categorical : sequence of bool
        Which of them are categories.
    target_kind : {"classes", "continuous"}
        How the target is read.
    target_name : str, default="y"
        Name of the target.
    title : str, default=""
        Title of the picture.
    level_names : mapping of int to sequence, default=()
        Names of the levels of some features, in the order of their codes 0, 1, 2, ...

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        One for each feature, best first.
    kinds_ : list of str
        "points", "violins" or "fractions" for each of them.
    drawn_ : list
        What is drawn in each: parts of a scatter plot ("points" or "hexagons", "smooth"), or the
        numbers of violins and fractions.
    figure_ : matplotlib Figure
        The figure of these axes.
    ax_ : matplotlib Axes
        The first of them, or the axes that were given, in whose place they stand.

    Examples
    --------
    >>> from hsieve import N3LARS
    >>> from hsieve.datasets import make_n3lars
    >>> from hsieve.report import FeaturePanelsDisplay
    >>> problem = make_n3lars(300, 100, random_state=0)
    >>> selector = N3LARS(3).fit(problem.X, problem.y)
    >>> FeaturePanelsDisplay.from_selector(selector, problem.X, problem.y).kinds_
    ['points', 'points', 'points']
    """

    X: FloatArray
    y: NDArray[Any]
    _: KW_ONLY
    feature_names: Sequence[str]
    categorical: Sequence[bool]
    target_kind: str
    target_name: str = "y"
    title: str = ""
    level_names: Mapping[int, Sequence[Any]] = field(default_factory=dict)

    @classmethod
    def from_selector(
        cls,
        selector: Any,
        X: Any,
        y: Any,
        *,
        n_panels: int = 12,
        smooth: bool = True,
        target_name: str = "y",
        ax: "Axes | None" = None,
        feature_names: Iterable[Any] | None = None,
    ) -> Self:
        """Draw the chosen features of a fitted selector.

        Parameters
        ----------
        selector : selector
            A fitted selector of this package or of scikit-learn.
        X : array-like of shape (n_samples, n_features) or ColumnBlocks
            The features it was fitted on.
        y : array-like of shape (n_samples,)
            The target it was fitted on: classes or numbers.
        n_panels : int, default=12
            Largest number of features to draw, the best.
        smooth : bool, default=True
            Whether to draw a smooth curve through points.
        target_name : str, default="y"
            Name of the target.
        ax : matplotlib Axes or None, default=None
            Axes of a grid, as from ``plt.subplots()``, in whose place the panels are drawn; None
            makes a figure, apart from those of pyplot.
        feature_names : iterable or None, default=None
            Names of all features; None for those of the data frame, or x0, x1, ...

        Returns
        -------
        FeaturePanelsDisplay
            What was drawn.
        """
        require_matplotlib()
        integer(1).check("n_panels", n_panels)
        selection = selection_of(selector, feature_names)
        if isinstance(declared(selector, "kernel_y", None), Precomputed):
            msg = f"{cls.__name__} needs classes or numbers for y, not a Gram matrix."
            raise ValueError(msg)
        shown = selection.chosen[: int(n_panels)]
        columns = chosen_columns(selector, X, shown, cls.__name__)
        target = _checked_target(y, len(columns))
        left_out = len(selection.chosen) - len(shown)
        display = cls(
            columns,
            target,
            feature_names=[selection.names[feature] for feature in shown],
            categorical=np.isin(shown, categories_of(selector)).tolist(),
            target_kind=target_kind_of(target, declared(selector, "target_kind", "auto")),
            target_name=str(target_name),
            title=selection.title + (f", the best {len(shown)} shown" if left_out else ""),
            level_names=_level_names(X, shown),
        )
        return display.plot(ax, smooth=smooth)

    def plot(self, ax: "Axes | None" = None, *, smooth: bool = True) -> Self:
        """Draw the panels; options as in :meth:`from_selector`."""
        require_matplotlib()
        is_classes = self.target_kind == "classes"
        classes = levels_of(self.y, MOST_CLASSES).names if is_classes else []
        columns = np.asarray(self.X, dtype=float).T
        self.kinds_ = [
            form_of(values[np.isfinite(values)], is_category=category, is_classes=is_classes)
            for values, category in zip(columns, self.categorical, strict=True)
        ]
        grid = PanelGrid.make(len(columns), ax, classes, has_legend="fractions" in self.kinds_)
        self.axes_ = grid.axes
        self.figure_, self.ax_ = self.axes_[0].figure.figure, self.axes_[0] if ax is None else ax
        self.drawn_ = [
            self._draw(place, values, smooth=smooth) for place, values in enumerate(columns)
        ]
        for place, values in enumerate(columns):
            self._name(place, values, is_first=grid.is_first_in_row(place))
        grid.write_title(self.title)
        return self

    def _draw(self, place: int, values: FloatArray, *, smooth: bool) -> Any:
        """Draw one panel."""
        panel, kind = self.axes_[place], self.kinds_[place]
        known = np.isfinite(values)
        values, target = values[known], self.y[known]
        if not len(values):
            return None
        if kind == "points":
            drawn = draw_scatter(panel, values, target.astype(float), smooth=smooth)
            panel.set_ylim(view_limits(self.y.astype(float)))
            return drawn
        is_classes = self.target_kind == "classes"
        drawn = beside(
            values,
            target,
            is_category=bool(self.categorical[place]),
            is_classes=is_classes,
            level_names=self.level_names.get(place),
            classes=levels_of(self.y, MOST_CLASSES).of(known) if is_classes else None,
        )
        if kind == "fractions":
            draw_mosaic(panel, drawn["levels"], class_colours(drawn["classes"]))
            return drawn
        names = [group["name"] for group in drawn["groups"]]
        colours = class_colours(names) if is_classes else [COLOURS[0]] * len(names)
        draw_violins(panel, drawn["groups"], upright=not is_classes, colours=colours)
        if not is_classes:
            panel.set_ylim(view_limits(self.y.astype(float)))
        return drawn

    def _name(self, place: int, values: FloatArray, *, is_first: bool) -> None:
        """Write rank and name above a panel, and what the target is at its left."""
        panel, kind = self.axes_[place], self.kinds_[place]
        name = f"{place + 1}  {shortened(self.feature_names[place])}"
        panel.set_title(name, loc="left", fontsize=FONT_SIZE, **LITERAL)
        is_classes = self.target_kind == "classes"
        notes = _notes(values, is_number=kind == ("violins" if is_classes else "points"))
        if notes:
            panel.set_xlabel(notes, fontsize=FONT_SIZE - 1, color=DARK)
        # Numbers stand at the left of all panels, or classes and fractions do.
        alike = place > 0 and (not is_classes or kind == self.kinds_[place - 1])
        # Where there are fractions, a legend tells the colours of classes.
        is_in_legend = is_classes and kind == "violins" and "fractions" in self.kinds_
        if not is_first and (alike or is_in_legend):
            panel.tick_params(labelleft=False)
            return
        words = f"fraction of {self.target_name}" if kind == "fractions" else self.target_name
        panel.set_ylabel(shortened(words), fontsize=FONT_SIZE, **LITERAL)


def _notes(values: FloatArray, *, is_number: bool) -> str:
    """Say what a panel does not show."""
    known = values[np.isfinite(values)]
    n_missing = len(values) - len(known)
    notes = [f"{n_missing} missing"] if n_missing else []
    if is_number and len(known):
        low, high = view_limits(known)
        n_outside = int(np.sum((known < low) | (known > high)))
        notes += [f"{n_outside} further out"] if n_outside else []
    return ", ".join(notes)


def _level_names(X: Any, shown: NDArray[np.intp]) -> dict[int, tuple[Any, ...]]:
    """Names of the levels of those features that are categories of a data frame."""
    X = collected(X)
    if not is_frame(X):
        return {}
    columns = FrameBlocks(X).columns
    found = {place: columns[feature].levels for place, feature in enumerate(shown)}
    return {place: levels for place, levels in found.items() if levels}


def _checked_target(y: Any, n_samples: int) -> NDArray[Any]:
    """Return a target of one value a sample, numbers as numbers."""
    target = numbers_if_all_are(np.asarray(y))
    if target.ndim == 2 and target.shape[1] == 1:
        target = target[:, 0]
    if target.ndim != 1:
        msg = (
            f"y has {target.shape[1]} outputs; give the one to draw against, such as y[:, 0]."
            if target.ndim == 2
            else f"y must hold one value a sample, got an array of shape {target.shape}."
        )
        raise ValueError(msg)
    check_lengths(n_samples, len(target))
    return target


@dataclass(frozen=True, eq=False)
class PanelGrid:
    """Panels in rows."""

    place: Any  # What they fill
    axes: "list[Axes]"  # The panels, row by row
    n_columns: int  # Panels a row

    @classmethod
    def make(
        cls, n_panels: int, ax: "Axes | None", classes: Sequence[str], *, has_legend: bool
    ) -> Self:
        """Make a grid of panels, in the place of given axes or in a figure of our own."""
        n_columns = min(MOST_COLUMNS, math.ceil(math.sqrt(n_panels)))
        n_rows = math.ceil(n_panels / n_columns)
        if ax is None:
            size = (n_columns * WIDTH + AROUND, n_rows * HEIGHT + AROUND)
            place: Any = new_figure(*size, layout="constrained")
            room = None
        else:
            place = _in_place_of(ax)
            room = _room(place, classes, has_legend=has_legend)
        grid = place.subplots(n_rows, n_columns, squeeze=False, gridspec_kw=room).ravel()
        for empty in grid[n_panels:]:
            empty.remove()
        for panel in grid[:n_panels]:
            panel.spines[["top", "right"]].set_visible(False)
            panel.tick_params(labelsize=FONT_SIZE - 1)
            panel.locator_params(nbins=4)
        made = cls(place, list(grid[:n_panels]), n_columns)
        if has_legend:
            made._write_legend(classes, outside=ax is None)
        return made

    def is_first_in_row(self, place: int) -> bool:
        """Whether a panel stands at the left."""
        return place % self.n_columns == 0

    def write_title(self, title: str) -> None:
        """Write a title above all panels, at the left."""
        self.place.suptitle(title, x=0.01, ha="left", fontsize=FONT_SIZE + 3, **LITERAL)

    def _write_legend(self, classes: Sequence[str], *, outside: bool) -> None:
        """Show the colours of the classes below the panels."""
        from matplotlib.patches import Patch

        legend = self.place.legend(
            [Patch(color=colour, alpha=0.75) for colour in class_colours(classes)],
            classes,
            loc="outside lower left" if outside else "lower left",
            ncols=_legend_columns(self.place, classes),
            frameon=False,
            fontsize=FONT_SIZE,
        )
        for text in legend.get_texts():
            text.set(**LITERAL)


def _in_place_of(ax: "Axes") -> Any:
    """Make a figure inside a figure, where axes of a grid stand."""
    spec = ax.get_subplotspec()
    if spec is None:
        msg = "ax must be of a grid, as from plt.subplots(); these axes stand alone."
        raise ValueError(msg)
    ax.set_axis_off()
    return ax.figure.figure.add_subfigure(spec)


def _room(place: Any, names: Sequence[str], *, has_legend: bool) -> dict[str, float]:
    """Fractions of a figure that are kept free around the panels."""
    width, height = place.bbox.width / place.dpi, place.bbox.height / place.dpi
    longest = max((len(name) for name in names), default=4)
    n_rows = math.ceil(len(names) / _legend_columns(place, names)) if has_legend else 0
    return {
        "left": min(0.4, (0.5 + longest * LETTER_INCHES) / width),
        "right": 0.98,
        "bottom": min(0.4, (0.3 + 0.3 * has_legend + LEGEND_ROW * n_rows) / height),
        "top": max(0.6, 1.0 - 0.65 / height),
        "hspace": 0.6,
        "wspace": 0.25,
    }


def _legend_columns(place: Any, names: Sequence[str]) -> int:
    """How many names have room side by side."""
    longest = max((len(name) for name in names), default=1)
    width = place.bbox.width / place.dpi
    return max(1, min(len(names), int(width / (PATCH + longest * LETTER_INCHES))))
