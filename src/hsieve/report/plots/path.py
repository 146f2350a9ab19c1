"""The regularisation path as a picture.

The level falls from left to right on a linear axis: between two knots the coefficients are straight
lines in the level, so the picture is the path itself, and it can show a path that ends at zero.
Names stand at the ends of the lines, moved apart as little as it takes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray, IndexArray
from hsieve.parameters import integer
from hsieve.report.curves import atom_name, coefficients_in_order, lars_selection_path
from hsieve.report.fitted import names_of
from hsieve.report.plots.base import (
    CULLED,
    DARK,
    PALE,
    Display,
    height_for,
    line_style,
    listed,
    name_ends,
    room_for_names,
    without_name,
    write_note,
)
from hsieve.solvers import LarsPath
from hsieve.strategies.lars_path import LarsSelectionPath
from hsieve.text import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BoolArray = NDArray[np.bool_]


@dataclass(eq=False, repr=False)
class PathDisplay(Display):
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
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn.
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
    >>> from hsieve.datasets import make_n3lars
    >>> from hsieve.report import PathDisplay
    >>> problem = make_n3lars(300, 100, random_state=0)
    >>> display = PathDisplay.from_selector(N3LARS(5).fit(problem.X, problem.y))
    >>> len(display.labels_)
    5
    """

    path: LarsSelectionPath
    _: KW_ONLY
    feature_names: Sequence[str]
    method: str
    n_chosen: int

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
        display = cls(
            lars_selection_path(selector),
            feature_names=names_of(selector, feature_names),
            method=type(selector).__name__,
            n_chosen=len(selector.selected_indices_),
        )
        return display.plot(ax, n_labels=n_labels)

    def plot(self, ax: "Axes | None" = None, *, n_labels: int = 10) -> Self:
        """Draw the path; options as in :meth:`from_selector`."""
        integer(0).check("n_labels", n_labels)
        ax = self._take_axes(ax, height_for(n_labels))
        curves = coefficients_in_order(self.lars)
        _frame(ax, self.lars.levels, curves)
        chosen = np.isin(self.lars.order, self.lars.selected)
        ends = np.where(chosen, np.nan_to_num(curves[-1]), -1.0)
        n_named = min(n_labels, int(chosen.sum()), room_for_names(ax))
        named = np.argsort(-ends, kind="stable")[:n_named]
        styles = _styles(chosen, named)
        self.lines_ = [
            ax.plot(self.lars.levels, curve, label=self._name(feature), **style)[0]
            for feature, curve, style in zip(self.lars.order, curves.T, styles, strict=True)
        ]
        self.labels_ = name_ends(
            ax,
            [(self.lars.levels[-1], ends[place]) for place in named],
            [self._name(self.lars.order[place]) for place in named],
            [styles[place]["color"] for place in named],
        )
        self._draw_exits()
        self._draw_words(n_without_name=int(chosen.sum()) - n_named)
        return self

    def _name(self, feature: int) -> str:
        return shortened(atom_name(self.path, int(feature), self.feature_names))

    def _draw_exits(self) -> None:
        """Mark where features leave."""
        levels = [event.level for event in self.lars.events if event.kind == "left"]
        self.exits_ = self.ax_.plot(
            levels,
            np.zeros(len(levels)),
            linestyle="none",
            marker="x",
            markersize=6,
            color=CULLED,
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
            notes.append(f"× came in and left again: {listed(left)}")
        notes += without_name(n_without_name)
        n_filled = self.n_chosen - len(self.path.features_on_path)
        if n_filled > 0:
            notes.append(f"{n_filled} more chosen by relevance, with a coefficient of zero")
        write_note(self.ax_, notes)


def _frame(ax: "Axes", levels: FloatArray, curves: FloatArray) -> None:
    """Set the limits: the level falls to the right, coefficients begin at zero."""
    highest, lowest = float(levels[0]), float(levels[-1])
    room = 0.0 if highest > lowest else max(0.05 * highest, 0.05)
    ax.set_xlim(highest + room, lowest - room)
    largest = float(np.nan_to_num(curves).max(initial=0.0))
    ax.set_ylim(0.0, 1.05 * largest if largest > 0.0 else 1.0)


def _styles(chosen: BoolArray, named: IndexArray) -> list[dict[str, Any]]:
    """Give a colour to each named feature, thin lines to the others."""
    styles: list[dict[str, Any]] = [
        {"color": DARK if is_chosen else PALE, "linewidth": 0.9, "zorder": 2 if is_chosen else 1}
        for is_chosen in chosen
    ]
    for rank, place in enumerate(named):
        styles[place] = line_style(rank)
    return styles
