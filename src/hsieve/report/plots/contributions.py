"""What features brought in each iteration of a randomised search, and which were culled.

Contributions grow by powers of ten as features get fewer, so each iteration is drawn in fractions
of its largest one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from hsieve.array_types import FloatArray, IndexArray
from hsieve.parameters import integer, word
from hsieve.report.fitted import selection_of
from hsieve.report.plots.base import (
    CULLED,
    DARK,
    FONT_SIZE,
    LETTER,
    MANY_LINES,
    PALE,
    POINTS_PER_INCH,
    Display,
    chosen_styles,
    draw_pale_lines,
    height_for,
    name_ends,
    room_for_names,
    without_name,
    write_note,
)
from hsieve.strategies.randomised import ContributionPath
from hsieve.text import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes


QUANTITIES = ("merits", "contributions")


@dataclass(eq=False, repr=False)
class ContributionsDisplay(Display):
    """Contributions of the features over the iterations of a randomised search.

    Make it with :meth:`from_selector`, or from its parts and call :meth:`plot`.

    Parameters
    ----------
    path : ContributionPath
        The search.
    chosen : ndarray of int
        The chosen features, best first.
    feature_names : sequence of str
        A name for each feature.
    title : str, default=""
        Title of the picture.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn.
    shares_ : ndarray of shape (n_iterations, n_features)
        What is drawn: each iteration divided by its largest absolute value; NaN once a feature was
        culled or fixed.
    lines_ : list of matplotlib Line2D
        One for each chosen feature, best first.
    others_ : matplotlib LineCollection
        One path for each other feature, in the order of columns.
    culls_ : matplotlib Line2D
        A cross where a feature was culled.
    fixes_ : matplotlib Line2D
        A square where a feature was fixed.
    cut_ : matplotlib StepPatch
        Height below which features were culled, NaN where none was; not drawn for contributions,
        which do not decide.
    labels_ : list of matplotlib Annotation
        Names of chosen features, from the lowest end of a line to the highest.

    Examples
    --------
    >>> from hsieve import RandSel
    >>> from hsieve.datasets import make_xor
    >>> from hsieve.report import ContributionsDisplay
    >>> problem = make_xor(200, 40, random_state=0)
    >>> selector = RandSel(2).fit(problem.X, problem.y)
    >>> display = ContributionsDisplay.from_selector(selector)
    >>> sorted(label.get_text() for label in display.labels_)
    ['x0', 'x1']
    """

    path: ContributionPath
    _: KW_ONLY
    chosen: IndexArray
    feature_names: Sequence[str]
    title: str = ""

    @classmethod
    def from_selector(
        cls,
        selector: Any,
        *,
        quantity: str = "merits",
        ax: "Axes | None" = None,
        feature_names: Iterable[Any] | None = None,
        n_labels: int = 10,
    ) -> Self:
        """Draw the search of a fitted selector.

        Parameters
        ----------
        selector : selector
            A fitted :class:`RandSel`, or selector with ``RandomisedContributions()``.
        quantity : {"merits", "contributions"}, default="merits"
            "merits" is what features were culled by; "contributions" the mean over all rounds. The
            plain estimator makes no difference between them.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure, apart from those of pyplot.
        feature_names : iterable or None, default=None
            Names of all features; None for those of the data frame, or x0, x1, ...
        n_labels : int, default=10
            Largest number of chosen features to name, the best.

        Returns
        -------
        ContributionsDisplay
            What was drawn.
        """
        selection = selection_of(selector, feature_names)
        path = getattr(selector, "path_", None)
        if not isinstance(path, ContributionPath):
            msg = (
                f"{type(selector).__name__} keeps no contributions; accepted are RandSel and "
                "selectors whose strategy is RandomisedContributions()."
            )
            raise TypeError(msg)
        display = cls(
            path, chosen=selection.chosen, feature_names=selection.names, title=selection.title
        )
        return display.plot(ax, quantity=quantity, n_labels=n_labels)

    def plot(
        self, ax: "Axes | None" = None, *, quantity: str = "merits", n_labels: int = 10
    ) -> Self:
        """Draw the contributions; options as in :meth:`from_selector`."""
        integer(0).check("n_labels", n_labels)
        word(*QUANTITIES).check("quantity", quantity)
        ax = self._take_axes(ax, height_for(min(n_labels, len(self.chosen))))
        self.shares_ = _shares(getattr(self.path, quantity))
        self._frame()
        self._draw_others()
        n_named = min(n_labels, len(self.chosen), room_for_names(ax))
        self._draw_chosen(n_named)
        self._draw_ends()
        self._draw_cut(is_decisive=quantity == "merits")
        self._draw_words(quantity, n_without_name=len(self.chosen) - n_named)
        return self

    @property
    def _last(self) -> IndexArray:
        """Last iteration in which each feature had a contribution; -1 for constant features."""
        known = np.isfinite(self.shares_)
        last = len(known) - 1 - np.argmax(known[::-1], axis=0)
        return np.where(known.any(axis=0), last, -1)

    def _frame(self) -> None:
        """Set the limits, and the number of features left for ticks."""
        n_iterations = len(self.shares_)
        lowest = float(np.nanmin(self.shares_))
        self.ax_.set_xlim(0.5, n_iterations + 0.25)
        self.ax_.set_ylim(min(-0.04, 1.1 * lowest), 1.06)
        fixed_before = [int(np.sum(self.path.fixed_after < i)) for i in range(n_iterations)]
        n_left = np.isfinite(self.shares_).sum(axis=1) + fixed_before
        width = self.ax_.get_window_extent().width / self.figure_.dpi * POINTS_PER_INCH
        needed = LETTER * FONT_SIZE * (len(str(n_left[0])) + 2) * n_iterations
        step = max(1, int(np.ceil(needed / width)))
        shown = np.arange(0, n_iterations, step)
        self.ax_.set_xticks(shown + 1, [str(number) for number in n_left[shown]])
        self.ax_.tick_params(axis="x", labelsize=FONT_SIZE)
        self.ax_.axhline(0.0, color=PALE, linewidth=0.8, zorder=0)

    def _draw_others(self) -> None:
        """Draw the features that were not chosen."""
        others = np.setdiff1d(np.flatnonzero(self._last >= 0), self.chosen)
        iterations = np.arange(1, len(self.shares_) + 1)
        paths = [
            np.column_stack([iterations, self.shares_[:, feature]])[: self._last[feature] + 1]
            for feature in others
        ]
        self.others_ = draw_pale_lines(self.ax_, paths, linewidth=0.7)

    def _draw_chosen(self, n_named: int) -> None:
        """Draw the chosen features, and name the best."""
        iterations = np.arange(1, len(self.shares_) + 1)
        styles = chosen_styles(n_named, len(self.chosen))
        self.lines_, ends = [], []
        right = self.ax_.get_xlim()[1]
        for feature, style in zip(self.chosen, styles, strict=True):
            line = self.ax_.plot(
                iterations,
                self.shares_[:, feature],
                marker=".",
                label=shortened(self.feature_names[feature]),
                **style,
            )[0]
            self.lines_.append(line)
            last = int(self._last[feature])
            height = float(self.shares_[last, feature])
            ends.append((right, height))
            if len(ends) <= n_named:
                # From where it left on to its name.
                self.ax_.hlines(
                    height, last + 1, right, colors=style["color"], linewidths=0.8, linestyles=":"
                )
        self.labels_ = name_ends(
            self.ax_,
            ends[:n_named],
            [shortened(self.feature_names[feature]) for feature in self.chosen[:n_named]],
            [style["color"] for style in styles[:n_named]],
        )

    def _draw_ends(self) -> None:
        """Mark where features were culled, and where they were fixed."""
        last, n_iterations = self._last, len(self.shares_)
        fixed = self.path.fixed
        culled = np.setdiff1d(np.flatnonzero((last >= 0) & (last < n_iterations - 1)), fixed)
        self.culls_, self.fixes_ = (
            self.ax_.plot(
                last[features] + 1,
                self.shares_[last[features], features],
                linestyle="none",
                marker=marker,
                markersize=size,
                markeredgewidth=0.8,
                color=CULLED,
                zorder=4,
                rasterized=len(features) > MANY_LINES,
            )[0]
            for features, marker, size in ((culled, "x", 3.5), (fixed, "s", 5.0))
        )

    def _draw_cut(self, *, is_decisive: bool) -> None:
        """Shade what was culled: all below the height between the best culled and the worst kept.

        Fixed features are out of it; their merits end with a square.
        """
        last, n_iterations = self._last, len(self.shares_)
        free = np.setdiff1d(np.arange(len(last)), self.path.fixed)
        cut = np.full(n_iterations, np.nan)
        for iteration, row in enumerate(self.shares_[:-1] if is_decisive else []):
            gone = free[last[free] == iteration]
            kept = free[last[free] > iteration]
            if len(gone) and len(kept):
                cut[iteration] = (row[gone].max() + row[kept].min()) / 2
        edges = np.arange(n_iterations + 1) + 0.5
        self.cut_ = self.ax_.stairs(cut, edges, baseline=None, color=DARK, linewidth=0.8, zorder=2)
        self.ax_.stairs(
            cut,
            edges,
            baseline=self.ax_.get_ylim()[0],
            fill=True,
            color=PALE,
            alpha=0.25,
            linewidth=0,
            zorder=0,
        )

    def _draw_words(self, quantity: str, *, n_without_name: int) -> None:
        """Write title, axes and notes."""
        self.ax_.set_title(self.title, loc="left")
        what = "merit" if quantity == "merits" else "contribution"
        self.ax_.set(
            xlabel="features left, iteration by iteration",
            ylabel=f"{what}, as a fraction\nof the largest in the iteration",
        )
        notes = ["× culled after this iteration"]
        if quantity == "merits":
            notes = ["× culled after this iteration, below the line that ends the grey area"]
        if len(self.path.fixed):
            notes.append("■ fixed after this iteration: in every set from then on")
        notes += without_name(n_without_name)
        write_note(self.ax_, notes)


def _shares(values: FloatArray) -> FloatArray:
    """Each iteration divided by its largest absolute value."""
    largest = np.nanmax(np.abs(values), axis=1, keepdims=True)
    shares: FloatArray = values / np.where(largest > 0, largest, 1.0)
    return shares
