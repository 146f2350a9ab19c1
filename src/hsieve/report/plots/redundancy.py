"""What the chosen features share, two by two, as a heat map in which groups stand together.

Groups of features that can stand for each other, and an order that keeps them together.
"""

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.cluster.hierarchy import fcluster, leaves_list, linkage
from scipy.spatial.distance import squareform

from hsieve.array_types import FloatArray, IndexArray
from hsieve.measures.base import Measure, PairwiseBoundMeasure
from hsieve.parameters import integer, number
from hsieve.report.fitted import measure_name, pairwise_of, selection_of
from hsieve.report.plots.base import (
    DARK,
    FONT_SIZE,
    LINE_SPACING,
    LITERAL,
    MARKED,
    POINTS_PER_INCH,
    Display,
    require_matplotlib,
    write_note,
)
from hsieve.strategies.overlaps import INTERCHANGEABLE, overlaps
from hsieve.text import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# One hue from white on: what is not shared, mostly nearly all, stays quiet.
SHADES = "Blues"
# Up to so many features the numbers are written into the cells.
FEW = 12
# A cell with a number in it, and one without, in inches.
WIDE_CELL, CELL = 0.36, FONT_SIZE * LINE_SPACING / POINTS_PER_INCH


@dataclass(eq=False, repr=False)
class RedundancyDisplay(Display):
    """Redundancies of the chosen features as a heat map, interchangeable ones framed.

    Make it with :meth:`from_selector`, or from its parts and call :meth:`plot`.

    Parameters
    ----------
    shares : ndarray of shape (n_shown, n_shown)
        What two features share: their redundancy as a fraction of what it is for a copy.
    features : ndarray of shape (n_shown,)
        The features, in the order of `shares`.
    feature_names : sequence of str
        A name for each of all features.
    chosen : ndarray of int
        Those of the features that were chosen; the others are relatives.
    title : str, default=""
        Title of the picture.
    measure : str, default="NHSIC"
        Name of the measure.
    least : float, default=0.9
        What two features of one group share at least.
    n_left_out : int, default=0
        Number of chosen features that are not shown.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn.
    order_ : ndarray of shape (n_shown,)
        Features from top to bottom and from left to right.
    groups_ : list of ndarray
        Features of each group of two or more.
    image_ : matplotlib AxesImage
        The heat map; its array is the matrix of shares in the order shown.
    frames_ : list of matplotlib Rectangle
        One around each group.

    Examples
    --------
    >>> from hsieve import MaxRelevance
    >>> from hsieve.datasets import make_n3lars
    >>> from hsieve.report import RedundancyDisplay
    >>> problem = make_n3lars(300, 100, random_state=0)  # feature j + 50 copies feature j
    >>> selector = MaxRelevance(4).fit(problem.X, problem.y)
    >>> display = RedundancyDisplay.from_selector(selector, problem.X, problem.y)
    >>> sorted(sorted(group.tolist()) for group in display.groups_)
    [[0, 50], [2, 52]]
    """

    shares: FloatArray
    _: KW_ONLY
    features: IndexArray
    feature_names: Sequence[str]
    chosen: IndexArray
    title: str = ""
    measure: str = "NHSIC"
    least: float = INTERCHANGEABLE
    n_left_out: int = 0

    @classmethod
    def from_selector(
        cls,
        selector: Any,
        X: Any,
        y: Any,
        *,
        n_relatives: int = 0,
        measure: Measure | None = None,
        least: float = INTERCHANGEABLE,
        ax: "Axes | None" = None,
        feature_names: Iterable[Any] | None = None,
        n_chosen: int = 40,
    ) -> Self:
        """Draw the chosen features of a fitted selector.

        Parameters
        ----------
        selector : selector
            A fitted selector of this package or of scikit-learn.
        X : array-like of shape (n_samples, n_features) or ColumnBlocks
            The features it was fitted on.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            The target it was fitted on; measures are tied to it.
        n_relatives : int, default=0
            How many of the nearest features that were not chosen to show with each chosen one.
        measure : Measure or None, default=None
            A pairwise measure such as ``MutualInformation()``; None is NHSIC, with the
            categories of the selector.
        least : float, default=0.9
            What two features of one group share at least, whichever two.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure, apart from those of pyplot.
        feature_names : iterable or None, default=None
            Names of all features; None for those of the data frame, or x0, x1, ...
        n_chosen : int, default=40
            Largest number of chosen features to show, the best.

        Returns
        -------
        RedundancyDisplay
            What was drawn.
        """
        require_matplotlib()
        integer(0).check("n_relatives", n_relatives)
        integer(1).check("n_chosen", n_chosen)
        number(above=0, most=1).check("least", least)
        selection = selection_of(selector, feature_names)
        statistics = pairwise_of(selector, X, y, measure=measure, whose=cls.__name__)
        chosen = selection.chosen[:n_chosen]
        relatives = _relatives(statistics, chosen, selection.chosen, int(n_relatives))
        features = np.concatenate([chosen, relatives])
        if len(features) == 1:
            msg = (
                f"{selection.method} has one chosen feature to show, which shares nothing with "
                "others; ask for its relatives by n_relatives=3."
            )
            raise ValueError(msg)
        display = cls(
            overlaps(statistics, features, features),
            features=features,
            feature_names=selection.names,
            chosen=chosen,
            title=selection.title,
            measure=measure_name(measure),
            least=float(least),
            n_left_out=len(selection.chosen) - len(chosen),
        )
        return display.plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw the heat map."""
        n = len(self.features)
        side = max(2.4, n * (WIDE_CELL if n <= FEW else CELL))
        ax = self._take_axes(ax, side, width=side, beside=1.4)
        found = grouped(self.shares, self.least)
        self.order_ = self.features[found.order]
        self.groups_ = [self.features[group] for group in found.groups]
        shown = self.shares[np.ix_(found.order, found.order)]
        self.image_ = ax.imshow(shown, cmap=SHADES, vmin=0.0, vmax=1.0, interpolation="nearest")
        bar = self.figure_.colorbar(self.image_, ax=ax, fraction=0.046, pad=0.04)
        bar.set_label(self._scale_label())
        bar.outline.set_visible(False)  # type: ignore[operator]
        ax.spines[:].set_visible(False)
        self._draw_names()
        if n <= FEW:
            _write_numbers(ax, shown)
        self._draw_frames(found.groups, found.order)
        self._draw_words()
        return self

    def _scale_label(self) -> str:
        if self.measure == "NHSIC":
            return "NHSIC (0 independent, 1 copies)"
        return f"{self.measure}, as a fraction\nof what it is for a copy"

    def _draw_names(self) -> None:
        """Write names at the left, those of relatives paler."""
        self.ax_.set_xticks([])
        self.ax_.set_yticks(
            range(len(self.order_)), [shortened(self.feature_names[f]) for f in self.order_]
        )
        self.ax_.tick_params(axis="y", length=0, labelsize=FONT_SIZE)
        for label, feature in zip(self.ax_.get_yticklabels(), self.order_, strict=True):
            label.set(parse_math=LITERAL["parse_math"], usetex=LITERAL["usetex"])
            is_chosen = bool(np.isin(feature, self.chosen))
            label.set(color="black" if is_chosen else DARK)
            label.set(style="normal" if is_chosen else "italic")

    def _draw_frames(self, groups: list[IndexArray], order: IndexArray) -> None:
        """Frame the groups."""
        from matplotlib.patches import Rectangle

        places = {int(place): row for row, place in enumerate(order)}
        self.frames_ = []
        for group in groups:
            first = min(places[int(place)] for place in group)
            frame = Rectangle(
                (first - 0.5, first - 0.5),
                len(group),
                len(group),
                fill=False,
                edgecolor=MARKED,
                linewidth=2.2,
                clip_on=False,
            )
            self.frames_.append(self.ax_.add_patch(frame))

    def _draw_words(self) -> None:
        """Write title and notes."""
        self.ax_.set_title(self.title, loc="left")
        n_groups = len(self.groups_)
        notes = [f"no two of them share {self.least:g} or more"]
        if n_groups:
            kind = "group" if n_groups == 1 else "groups"
            notes = [
                f"framed: {n_groups} {kind} in which any two features share at least "
                f"{self.least:g}, so that one can stand for the others"
            ]
        n_relatives = len(self.features) - len(self.chosen)
        if n_relatives:
            notes.append(f"in italics: {n_relatives} nearest relatives, which were not chosen")
        if self.n_left_out:
            notes.append(f"{self.n_left_out} more chosen are not shown")
        write_note(self.ax_, notes, lines_above=1.0)


def _write_numbers(ax: "Axes", shown: FloatArray) -> None:
    """Write shares into the cells, in white on the dark ones."""
    for (row, column), share in np.ndenumerate(shown):
        ax.text(
            column,
            row,
            f"{share:.2f}".removeprefix("0"),
            ha="center",
            va="center",
            fontsize=FONT_SIZE - 1,
            color="white" if share > 0.6 else "black",
        )


def _relatives(
    statistics: PairwiseBoundMeasure, chosen: IndexArray, barred: IndexArray, n_relatives: int
) -> IndexArray:
    """Find the nearest features of each chosen one that were not chosen."""
    others = np.setdiff1d(np.arange(statistics.n_features), barred)
    if not n_relatives or not len(others):
        return others[:0]
    shares = overlaps(statistics, others, chosen)
    nearest = np.argsort(-shares, axis=0, kind="stable")[:n_relatives]
    return others[list(dict.fromkeys(nearest.T.ravel().tolist()))]


@dataclass(frozen=True, eq=False)
class GroupedFeatures:
    """An order of features, and the groups in it."""

    order: IndexArray  # places of the features, neighbours alike
    groups: list[IndexArray]  # places of the members of each group of two or more, in that order


def grouped(shares: FloatArray, least: float) -> GroupedFeatures:
    """Order features so that those that share much stand together, and group them.

    Complete linkage: a group is as far as its two most different members are. Leaves are turned so
    that neighbours are alike.
    """
    n_features = len(shares)
    if n_features < 2:
        return GroupedFeatures(np.arange(n_features), [])
    distances = 1.0 - np.clip((shares + shares.T) / 2, 0.0, 1.0)
    np.fill_diagonal(distances, 0.0)
    tree = linkage(squareform(distances, checks=False), "complete", optimal_ordering=True)
    order = np.asarray(leaves_list(tree), dtype=np.intp)
    # Rounding must not part what shares exactly the least.
    of_group = fcluster(tree, 1.0 - least + 1e-12, criterion="distance")[order]
    ends = np.flatnonzero(np.diff(of_group)) + 1
    return GroupedFeatures(order, [part for part in np.split(order, ends) if len(part) > 1])
