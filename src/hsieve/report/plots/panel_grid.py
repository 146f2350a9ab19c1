"""A grid of small panels with one title and one legend."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from hsieve.report.names import SampleLevels
from hsieve.report.plots.base import new_figure
from hsieve.report.plots.panels import LETTER_INCHES, class_colours
from hsieve.report.plots.style import FONT_SIZE, LITERAL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PanelGrid"]

MOST_COLUMNS = 4
# Size of a panel in inches, with what stands around it; room for title and legend.
WIDTH, HEIGHT, AROUND = 2.35, 2.05, 0.75
# Inches of a row of the legend, and of the patch of colour beside a name.
LEGEND_ROW, PATCH = 0.25, 0.6


@dataclass(frozen=True, eq=False)
class PanelGrid:
    """Panels in rows.

    Parameters
    ----------
    place : matplotlib Figure or SubFigure
        What they fill.
    axes : list of matplotlib Axes
        The panels, row by row.
    n_columns : int
        Panels a row.
    """

    place: Any
    axes: "list[Axes]"
    n_columns: int

    @classmethod
    def make(
        cls, n_panels: int, ax: "Axes | None", classes: SampleLevels | None, *, has_legend: bool
    ) -> Self:
        """Make a grid of panels, in the place of given axes or in a figure of our own.

        Parameters
        ----------
        n_panels : int
            Number of panels.
        ax : matplotlib Axes or None
            Axes of a grid; None makes a figure.
        classes : Levels or None
            Classes of the target, whose names need room.
        has_legend : bool
            Whether a legend tells their colours.

        Returns
        -------
        PanelGrid
            The panels.
        """
        n_columns = min(MOST_COLUMNS, math.ceil(math.sqrt(n_panels)))
        n_rows = math.ceil(n_panels / n_columns)
        names = [] if classes is None else classes.names
        if ax is None:
            size = (n_columns * WIDTH + AROUND, n_rows * HEIGHT + AROUND)
            place: Any = new_figure(*size, layout="constrained")
            room = None
        else:
            place = _in_place_of(ax)
            room = _room(place, names, has_legend=has_legend)
        grid = place.subplots(n_rows, n_columns, squeeze=False, gridspec_kw=room).ravel()
        for empty in grid[n_panels:]:
            empty.remove()
        for panel in grid[:n_panels]:
            panel.spines[["top", "right"]].set_visible(False)
            panel.tick_params(labelsize=FONT_SIZE - 1)
            panel.locator_params(nbins=4)
        made = cls(place, list(grid[:n_panels]), n_columns)
        if has_legend and classes is not None:
            made._write_legend(classes, outside=ax is None)
        return made

    def is_first_in_row(self, place: int) -> bool:
        """Tell whether a panel stands at the left."""
        return place % self.n_columns == 0

    def write_title(self, title: str) -> None:
        """Write a title above all panels, at the left."""
        self.place.suptitle(title, x=0.01, ha="left", fontsize=FONT_SIZE + 3, **LITERAL)

    def _write_legend(self, classes: SampleLevels, *, outside: bool) -> None:
        """Tell the colours of the classes below the panels."""
        from matplotlib.patches import Patch

        legend = self.place.legend(
            [Patch(color=colour, alpha=0.75) for colour in class_colours(classes)],
            classes.names,
            loc="outside lower left" if outside else "lower left",
            ncols=_legend_columns(self.place, classes.names),
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


def _room(place: Any, names: list[str], *, has_legend: bool) -> dict[str, float]:
    """Shares of a figure that are kept free around the panels."""
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


def _legend_columns(place: Any, names: list[str]) -> int:
    """How many names have room side by side."""
    longest = max((len(name) for name in names), default=1)
    width = place.bbox.width / place.dpi
    return max(1, min(len(names), int(width / (PATCH + longest * LETTER_INCHES))))
