"""Relevance against redundancy: what each feature tells of the target, and what of it is known.

Every feature is a point. Right is what one wants; low is what adds to the chosen features. A
feature far to the right that was not chosen stands high, beside a chosen one that tells the same.

Chosen features often fall together, and names are long, so points get the numbers of a list. Points
that lie nearly on each other share one tag, "1, 4–6". A tag tries eight sides of its point, ever
further away, and takes the first that covers nothing, or else what covers least.
"""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from hsieve.array_types import FloatArray, IndexArray
from hsieve.measures.base import Measure
from hsieve.parameters import integer, word
from hsieve.report.fitted import measure_name, pairwise_of, selection_of
from hsieve.report.plots.base import (
    COLOURS,
    FONT_SIZE,
    LETTER,
    LINE_SPACING,
    LITERAL,
    PALE,
    POINTS_PER_INCH,
    Display,
    height_for,
    require_matplotlib,
    room_for_names,
    write_note,
)
from hsieve.text import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation, Text

Box = tuple[float, float, float, float]

# Points of 1/72 inch: what counts as the same point, distances of a tag, half the size of a point.
SAME = 8.0
DISTANCES = (4.0, 9.0, 15.0)
POINT = 3.0
# Sides of a point, the best to read first: right, above right, ...
SIDES = ((1, 0), (1, 1), (1, -1), (0, 1), (0, -1), (-1, 0), (-1, 1), (-1, -1))
# Another tag under a tag is worse than so many points.
TAG_COVERED = 1000
# So is a tag outside the axes.
OUTSIDE = 100

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
            measure=measure_name(measure),
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


def number_points(
    ax: "Axes", points: ArrayLike, *, others: ArrayLike = (), colour: str = "black"
) -> "list[Annotation]":
    """Write 1, 2, ... beside points of a scatter plot."""
    places = np.asarray(points, dtype=float).reshape(-1, 2)
    on_page, rest = _in_points(ax, places), _in_points(ax, others)
    avoided = np.vstack([on_page, rest])
    frame = _frame(ax)
    taken: list[Box] = []
    tags = []
    for members in _together(on_page):
        text = as_ranges([member + 1 for member in members])
        at = on_page[members].mean(axis=0)
        size = (LETTER * FONT_SIZE * len(text) + 2.0, FONT_SIZE)
        box = _best_box(at, size, frame, (taken, avoided))
        taken.append(box)
        first = members[0]
        tags.append(
            ax.annotate(
                text,
                xy=tuple(places[first].tolist()),
                xytext=(
                    (box[0] + box[2]) / 2 - on_page[first, 0],
                    (box[1] + box[3]) / 2 - on_page[first, 1],
                ),
                textcoords="offset points",
                ha="center",
                va="center_baseline",
                fontsize=FONT_SIZE,
                color=colour,
                annotation_clip=False,
                zorder=5,
                **LITERAL,
            )
        )
    return tags


def write_key(ax: "Axes", names: Sequence[str]) -> "list[Text]":
    """List names with their numbers at the right of the axes, from the top down."""
    n_digits = len(str(len(names)))
    return [
        ax.annotate(
            # Figure spaces are as wide as digits.
            f"{place + 1:\u2007>{n_digits}}  {name}",
            xy=(1.0, 1.0),
            xycoords="axes fraction",
            xytext=(10.0, -(place + 0.5) * FONT_SIZE * LINE_SPACING),
            textcoords="offset points",
            va="center",
            fontsize=FONT_SIZE,
            annotation_clip=False,
            **LITERAL,
        )
        for place, name in enumerate(names)
    ]


def as_ranges(numbers: Sequence[int]) -> str:
    """Write rising numbers in short."""
    parts: list[str] = []
    for _, run in itertools.groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        row = [number for _, number in run]
        parts += [f"{row[0]}–{row[-1]}"] if len(row) > 2 else [str(number) for number in row]
    return ", ".join(parts)


def _together(on_page: FloatArray) -> list[list[int]]:
    """Group points that lie nearly on the first of their group."""
    groups: list[list[int]] = []
    for place, point in enumerate(on_page):
        for group in groups:
            if math.dist(on_page[group[0]], point) <= SAME:
                group.append(place)
                break
        else:
            groups.append([place])
    return groups


def _best_box(
    at: FloatArray,
    size: tuple[float, float],
    frame: Box,
    covered: tuple[list[Box], FloatArray],
) -> Box:
    """Find the place of a tag in the frame that covers least, the nearest of several."""
    taken, avoided = covered
    best, least = None, math.inf
    for distance, side in itertools.product(DISTANCES, SIDES):
        box = _box(at, size, distance, side)
        cost = TAG_COVERED * sum(_overlap(box, other) for other in taken)
        cost += _n_covered(box, avoided) + (0 if _inside(box, frame) else OUTSIDE)
        if best is None or cost < least:
            best, least = box, cost
        if least == 0:
            break
    assert best is not None
    return best


def _box(at: FloatArray, size: tuple[float, float], distance: float, side: tuple[int, int]) -> Box:
    """Box of a tag on one side of a point: left, bottom, right, top."""
    (across, up), (width, height) = side, size
    step = distance / math.hypot(across, up)
    middle_x = float(at[0]) + across * (step + width / 2)
    middle_y = float(at[1]) + up * (step + height / 2)
    return (
        middle_x - width / 2,
        middle_y - height / 2,
        middle_x + width / 2,
        middle_y + height / 2,
    )


def _frame(ax: "Axes") -> Box:
    """Box of the axes on the page."""
    extent, scale = ax.get_window_extent(), POINTS_PER_INCH / ax.figure.dpi
    return (extent.x0 * scale, extent.y0 * scale, extent.x1 * scale, extent.y1 * scale)


def _inside(box: Box, frame: Box) -> bool:
    return box[0] >= frame[0] and box[1] >= frame[1] and box[2] <= frame[2] and box[3] <= frame[3]


def _overlap(first: Box, second: Box) -> bool:
    return (
        first[0] < second[2]
        and second[0] < first[2]
        and first[1] < second[3]
        and second[1] < first[3]
    )


def _n_covered(box: Box, points: FloatArray) -> int:
    """Count the points under a box."""
    x, y = points.T
    inside = (x > box[0] - POINT) & (x < box[2] + POINT)
    inside &= (y > box[1] - POINT) & (y < box[3] + POINT)
    return int(np.count_nonzero(inside))


def _in_points(ax: "Axes", points: ArrayLike) -> FloatArray:
    """Places on the page in points of 1/72 inch."""
    places = np.asarray(points, dtype=float).reshape(-1, 2)
    if not len(places):
        return places
    return np.asarray(ax.transData.transform(places) * POINTS_PER_INCH / ax.figure.dpi)
