"""Stability paths: how often each feature is selected, along the range of regularisation."""

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray, IndexArray
from hsieve.parameters import integer
from hsieve.report.fitted import selection_of
from hsieve.report.plots.base import (
    CULLED,
    FONT_SIZE,
    Display,
    chosen_styles,
    draw_pale_lines,
    halo,
    height_for,
    log_axis,
    name_ends,
    room_for_names,
    without_name,
    write_note,
)
from hsieve.selectors import StabilitySelection
from hsieve.selectors.base import BaseSelector
from hsieve.selectors.regularisation import usual_parameter
from hsieve.text import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Values that differ by this factor are drawn on a logarithmic axis.
WIDE_RANGE = 8.0
# Room above 1, so that features that are always selected are not cut in half.
HIGHEST = 1.03


@dataclass(eq=False, repr=False)
class StabilityDisplay(Display):
    """Fraction of the subsamples that select each feature, along the range of regularisation.

    Make it with :meth:`from_selector`, or from its parts and call :meth:`plot`.

    Parameters
    ----------
    values : ndarray of shape (n_points,)
        Points of the range, the strongest regularisation first.
    frequencies : ndarray of shape (n_points, n_features)
        Fraction of the subsamples that select each feature at each point.
    threshold : float
        Fraction from which on a feature is stable.
    chosen : ndarray of int
        The chosen features, most stable first.
    feature_names : sequence of str
        A name for each feature.
    title : str, default=""
        Title of the picture.
    range_name : str, default=""
        What the values are, for the axis.
    notes : sequence of str, default=()
        What is written below, such as the error bound.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn.
    lines_ : list of matplotlib Line2D
        One for each chosen feature, most stable first.
    others_ : matplotlib LineCollection
        One path for each other feature that some subsample selects, in the order of columns.
    threshold_line_ : matplotlib Line2D
        The threshold.
    labels_ : list of matplotlib Annotation
        Names and stability of chosen features, from the lowest end of a line to the highest.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import StabilitySelection
    >>> from hsieve.report import StabilityDisplay
    >>> X = np.random.default_rng(0).normal(size=(100, 50))
    >>> y = X[:, 3] - X[:, 7] + np.random.default_rng(1).normal(size=100)
    >>> display = StabilityDisplay.from_selector(StabilitySelection().fit(X, y))
    >>> sorted(label.get_text().split()[0] for label in display.labels_)
    ['x3', 'x7']
    """

    values: NDArray[Any]
    frequencies: FloatArray
    _: KW_ONLY
    threshold: float
    chosen: IndexArray
    feature_names: Sequence[str]
    title: str = ""
    range_name: str = ""
    notes: Sequence[str] = ()

    @classmethod
    def from_selector(
        cls,
        selector: StabilitySelection,
        *,
        ax: "Axes | None" = None,
        feature_names: Iterable[Any] | None = None,
        n_labels: int = 15,
    ) -> Self:
        """Draw the stability paths of a fitted stability selection.

        Parameters
        ----------
        selector : StabilitySelection
            A fitted stability selection, around any base.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure, apart from those of pyplot.
        feature_names : iterable or None, default=None
            Names of all features; None for those of the data frame, or x0, x1, ...
        n_labels : int, default=15
            Largest number of chosen features to name, the most stable.

        Returns
        -------
        StabilityDisplay
            What was drawn.
        """
        if not isinstance(selector, StabilitySelection):
            msg = (
                "StabilityDisplay needs a fitted StabilitySelection, got "
                f"{type(selector).__name__}; StabilitySelection({type(selector).__name__}()) "
                "is one around it."
            )
            raise TypeError(msg)
        selection = selection_of(selector, feature_names, may_be_empty=True)
        base = selector.estimator
        inside = "lasso" if base is None else type(base).__name__
        display = cls(
            selector.range_,
            selector.frequencies_,
            threshold=selector.threshold_,
            chosen=selection.chosen,
            feature_names=selection.names,
            title=selection.title.replace(":", f" ({inside}):", 1),
            range_name=_range_label(selector),
            notes=_notes(selector),
        )
        return display.plot(ax, n_labels=n_labels)

    def plot(self, ax: "Axes | None" = None, *, n_labels: int = 15) -> Self:
        """Draw the paths; options as in :meth:`from_selector`."""
        integer(0).check("n_labels", n_labels)
        ax = self._take_axes(ax, height_for(min(n_labels, len(self.chosen))))
        places = self._draw_range()
        self._draw_others(places)
        n_named = min(n_labels, len(self.chosen), room_for_names(ax))
        styles = chosen_styles(n_named, len(self.chosen))
        self.lines_ = [
            ax.plot(
                places,
                self.frequencies[:, feature],
                label=shortened(self.feature_names[feature]),
                marker="o" if len(places) == 1 else None,
                **style,
            )[0]
            for feature, style in zip(self.chosen, styles, strict=True)
        ]
        self._draw_threshold()
        named = self.chosen[:n_named]
        scores = self.frequencies.max(axis=0)
        self.labels_ = name_ends(
            ax,
            [(places[-1], self.frequencies[-1, feature]) for feature in named],
            [f"{shortened(self.feature_names[f])}  {scores[f]:.2f}" for f in named],
            [style["color"] for style in styles[:n_named]],
        )
        self._draw_words(n_without_name=len(self.chosen) - n_named)
        return self

    def _draw_range(self) -> FloatArray:
        """Set the limits; return where the points of the range lie on the axis."""
        numeric = self.values.dtype.kind in "fiu"
        places = self.values.astype(float) if numeric else np.arange(len(self.values), dtype=float)
        steps = np.diff(places)
        if not numeric or not ((steps > 0).all() or (steps < 0).all()):
            places = np.arange(len(self.values), dtype=float)
            shown = np.unique(np.linspace(0, len(places) - 1, min(len(places), 6)).astype(int))
            self.ax_.set_xticks(shown, [shortened(str(self.values[place]), 12) for place in shown])
        elif self.values.dtype.kind == "f" and places.max() >= WIDE_RANGE * places.min() > 0:
            self.ax_.set_xscale("log")
            log_axis(self.ax_.xaxis, places.min(), places.max())
        first, last = float(places[0]), float(places[-1])
        room = 0.5 if first == last else 0.0
        self.ax_.set_xlim(first - room, last + room)
        self.ax_.set_ylim(0.0, HIGHEST)
        return np.asarray(places)

    def _draw_others(self, places: FloatArray) -> None:
        """Draw the features that some subsample selects but that were not chosen."""
        ever = np.flatnonzero(self.frequencies.max(axis=0) > 0)
        others = np.setdiff1d(ever, self.chosen)
        paths = [np.column_stack([places, self.frequencies[:, feature]]) for feature in others]
        self.others_ = draw_pale_lines(self.ax_, paths, linewidth=0.9)

    def _draw_threshold(self) -> None:
        """Draw the threshold, with its value at the left."""
        self.threshold_line_ = self.ax_.axhline(
            self.threshold, color=CULLED, linewidth=1.0, linestyle=(0, (6, 3)), zorder=2
        )
        self.ax_.annotate(
            f"threshold {self.threshold:.2f}",
            xy=(0.0, self.threshold),
            xycoords=("axes fraction", "data"),
            xytext=(4.0, 3.0 if self.threshold < 0.93 else -3.0),
            textcoords="offset points",
            va="bottom" if self.threshold < 0.93 else "top",
            fontsize=FONT_SIZE,
            color=CULLED,
            path_effects=halo(),
            zorder=4,
        )

    def _draw_words(self, *, n_without_name: int) -> None:
        """Write title, axes and notes."""
        self.ax_.set_title(self.title, loc="left")
        self.ax_.set(xlabel=self.range_name, ylabel="fraction of the subsamples")
        write_note(self.ax_, [*self.notes, *without_name(n_without_name)])


def _range_label(selector: StabilitySelection) -> str:
    """Say what the points of the range are."""
    base = selector.estimator
    if isinstance(base, BaseSelector):
        return "number of features taken from each subsample's ranking"
    parameter = selector.parameter or usual_parameter(base)
    return f"{parameter} (weaker regularisation to the right)"


def _notes(selector: StabilitySelection) -> list[str]:
    """State the error bound."""
    scores = selector.stability_scores_
    n_stable = int(np.sum(scores >= selector.threshold_ - 1e-12))
    mean = float(selector.n_selected_.mean())
    each = (
        f"each of {len(selector.n_selected_)} subsamples selects {mean:.3g} of {len(scores)} "
        "features on average"
    )
    if not n_stable:
        return [f"no feature reaches the threshold; {each}"]
    notes = [
        f"{n_stable} reach the threshold; at most {selector.bound_:.2g} of such features are "
        f"expected to be false ({each})"
    ]
    if selector.unimodal_bound_ is not None and selector.unimodal_bound_ < selector.bound_:
        notes.append(
            f"at most {selector.unimodal_bound_:.2g} if fractions of noise features have one peak "
            "(Shah and Samworth)"
        )
    if selector.n_features_to_select is not None:
        notes.append("the bound is for the features above the threshold, not for all chosen ones")
    return notes
