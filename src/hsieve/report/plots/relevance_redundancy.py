"""Relevance against redundancy: what each feature tells of the target, and what of it is known.

Every feature is a point. Right is what one wants; low is what adds to the chosen features. A
feature far to the right that was not chosen stands high, beside a chosen one that tells the same.
"""

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from hsieve.array_types import FloatArray, IndexArray
from hsieve.measures.base import Measure
from hsieve.parameters import integer, word
from hsieve.report.fitted import measure_in_words, pairwise_of, selection_of
from hsieve.report.names import shortened
from hsieve.report.plots.base import Display, require_matplotlib
from hsieve.report.plots.points import number_points, write_key
from hsieve.report.plots.style import (
    COLOURS,
    PALE,
    height_for,
    room_for_names,
    write_note,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


REDUCTIONS = ("largest", "mean")
# More points than this are a picture inside a drawing of lines, not each a shape of its own.
MANY_POINTS = 2000


@dataclass(eq=False, repr=False)
class RelevanceRedundancyDisplay(Display):
    """Relevance of every feature against its redundancy with the chosen ones.

    Make it with :meth:`from_selector`, or from its parts and call :meth:`plot`.

    Parameters
    ----------
    relevance : ndarray of shape (n_features,)
        Dependence of each feature on the target.
    redundancy : ndarray of shape (n_features,)
        Dependence of each feature on the chosen ones, without itself.
    chosen : ndarray of shape (n_chosen,)
        The chosen features, best first.
    feature_names : sequence of str
        A name for each feature.
    title : str, default=""
        Title of the picture.
    measure : str, default="NHSIC"
        Name of the measure.
    reduction : {"largest", "mean"}, default="largest"
        How the redundancies with several chosen features became one number.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn.
    chosen_points_, other_points_ : matplotlib PathCollection
        The chosen features, best first, and the others in the order of columns; relevance and
        redundancy are their offsets.
    labels_ : list of matplotlib Annotation
        Numbers and names of chosen features, best first.
    tags_ : list of matplotlib Annotation
        Their numbers beside the points; points that lie together have one tag.

    Examples
    --------
    >>> from hsieve import N3LARS
    >>> from hsieve.datasets import make_n3lars
    >>> from hsieve.report import RelevanceRedundancyDisplay
    >>> problem = make_n3lars(300, 100, random_state=0)
    >>> selector = N3LARS(3).fit(problem.X, problem.y)
    >>> display = RelevanceRedundancyDisplay.from_selector(selector, problem.X, problem.y)
    >>> len(display.labels_), len(display.other_points_.get_offsets())
    (3, 97)
    """

    relevance: FloatArray
    redundancy: FloatArray
    _: KW_ONLY
    chosen: IndexArray
    feature_names: Sequence[str]
    title: str = ""
    measure: str = "NHSIC"
    reduction: str = "largest"

    @classmethod
    def from_selector(
        cls,
        selector: Any,
        X: Any,
        y: Any,
        *,
        measure: Measure | None = None,
        reduction: str = "largest",
        ax: "Axes | None" = None,
        feature_names: Iterable[Any] | None = None,
        n_labels: int = 15,
    ) -> Self:
        """Draw the features of a fitted selector.

        Parameters
        ----------
        selector : selector
            A fitted selector of this package or of scikit-learn.
        X : array-like of shape (n_samples, n_features) or ColumnBlocks
            The features it was fitted on.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            The target it was fitted on.
        measure : Measure or None, default=None
            A pairwise measure such as ``MutualInformation()``; None is NHSIC, with the
            categories and the kind of target of the selector.
        reduction : {"largest", "mean"}, default="largest"
            Which redundancy to draw, of those with all chosen features.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure, apart from those of pyplot.
        feature_names : iterable or None, default=None
            Names of all features; None for those of the data frame, or x0, x1, ...
        n_labels : int, default=15
            Largest number of chosen features to name.

        Returns
        -------
        RelevanceRedundancyDisplay
            What was drawn.
        """
        require_matplotlib()
        word(*REDUCTIONS).check("reduction", reduction)
        selection = selection_of(selector, feature_names)
        statistics = pairwise_of(selector, X, y, measure=measure, whose=cls.__name__)
        features = np.arange(statistics.n_features)
        redundancy = statistics.redundancy(features, selection.chosen)
        display = cls(
            statistics.relevance(features),
            _reduced(redundancy, selection.chosen, reduction),
            chosen=selection.chosen,
            feature_names=selection.names,
            title=selection.title,
            measure=measure_in_words(measure),
            reduction=reduction,
        )
        return display.plot(ax, n_labels=n_labels)

    def plot(self, ax: "Axes | None" = None, *, n_labels: int = 15) -> Self:
        """Draw the features; options as in :meth:`from_selector`."""
        integer(0).check("n_labels", n_labels)
        ax = self._take_axes(ax, height_for(n_labels, least=3.6))
        points = np.column_stack([self.relevance, self.redundancy])
        chosen = points[self.chosen]
        others = points[~np.isin(np.arange(len(points)), self.chosen)]
        self.other_points_ = ax.scatter(
            others[:, 0],
            others[:, 1],
            s=12,
            color=PALE,
            linewidths=0,
            rasterized=len(points) > MANY_POINTS,
            label="not chosen",
        )
        self.chosen_points_ = ax.scatter(
            chosen[:, 0], chosen[:, 1], s=26, color=COLOURS[0], zorder=3, label="chosen"
        )
        _limit(ax, points)
        n_named = min(n_labels, len(chosen), max(1, room_for_names(ax) - 1))
        self.tags_ = number_points(ax, chosen[:n_named], others=others, colour=COLOURS[0])
        self.labels_ = write_key(
            ax, [shortened(self.feature_names[feature]) for feature in self.chosen[:n_named]]
        )
        self._draw_words(n_without_name=len(chosen) - n_named)
        return self

    def _draw_words(self, *, n_without_name: int) -> None:
        """Write title, axes and a note."""
        self.ax_.set_title(self.title, loc="left")
        self.ax_.set(
            xlabel=f"relevance: {self.measure} with the target",
            ylabel=f"redundancy: {self.reduction} {self.measure}\nwith the chosen features",
        )
        alone = len(self.chosen) == 1
        own = "with no other to repeat" if alone else "each against the other chosen ones"
        notes = [f"blue: chosen, {own}; grey: not chosen"]
        if n_without_name:
            notes.append(f"{n_without_name} more chosen without a number")
        write_note(self.ax_, notes)


def _reduced(redundancy: FloatArray, chosen: IndexArray, reduction: str) -> FloatArray:
    """Redundancy of each feature with the chosen ones other than itself, as one number."""
    others = redundancy.astype(float)
    others[chosen, np.arange(len(chosen))] = np.nan
    known = ~np.isnan(others)
    if reduction == "largest":
        return np.asarray(np.where(known, others, 0.0).max(axis=1))
    return np.asarray(np.where(known, others, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1))


def _limit(ax: "Axes", points: FloatArray) -> None:
    """Set limits with room for tags around the points."""
    low, high = points.min(axis=0), points.max(axis=0)
    gap = np.where(high > low, high - low, np.maximum(np.abs(high), 1.0))
    ax.set_xlim(low[0] - 0.05 * gap[0], high[0] + 0.06 * gap[0])
    ax.set_ylim(low[1] - 0.07 * gap[1], high[1] + 0.07 * gap[1])
