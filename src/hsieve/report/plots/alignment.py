"""How many features: alignment, prediction or explained variance against their number."""

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hsieve.inference import NumberChoice
from hsieve.report.plots.base import (
    COLOURS,
    FONT_SIZE,
    MARKED,
    PALE,
    Display,
    halo,
    log_axis,
    write_note,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# More features than this are drawn on a logarithmic axis.
MANY = 60
# Up to so many numbers each is a dot.
FEW_DOTS = 60


@dataclass(eq=False, repr=False)
class AlignmentDisplay(Display):
    """Alignment, prediction or explained variance against the number of features.

    Make it with :meth:`from_selector`, or from a choice and call :meth:`plot`.

    Parameters
    ----------
    choice : NumberChoice
        The curve, the number taken and why.
    method : str, default=""
        Name of the method, for the title.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn.
    line_ : matplotlib Line2D
        The curve: numbers of features and their values.
    band_ : matplotlib Polygon or None
        One standard error below the highest alignment; None for other criteria.
    taken_ : matplotlib Line2D
        The point of the number taken.

    Examples
    --------
    >>> from hsieve import BAHSIC
    >>> from hsieve.datasets import make_xor
    >>> from hsieve.report import AlignmentDisplay
    >>> problem = make_xor(200, 20, random_state=0)
    >>> selector = BAHSIC("alignment").fit(problem.X, problem.y)
    >>> AlignmentDisplay.from_selector(selector).taken_.get_xdata()
    array([2])
    """

    choice: NumberChoice
    _: KW_ONLY
    method: str = ""

    @classmethod
    def from_selector(cls, selector: Any, *, ax: "Axes | None" = None) -> Self:
        """Draw how a fitted selector found its number of features.

        Parameters
        ----------
        selector : selector
            A fitted selector whose ``n_features_to_select`` is "alignment", "guarded" or "cv", or
            "auto" for :class:`~hsieve.KernelPursuit`.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure, apart from those of pyplot.

        Returns
        -------
        AlignmentDisplay
            What was drawn.
        """
        check_is_fitted(selector)
        choice = getattr(selector, "n_features_choice_", None)
        name = type(selector).__name__
        if not isinstance(choice, NumberChoice):
            given = getattr(selector, "n_features_to_select", None)
            msg = (
                f"{name} did not look for its number of features (n_features_to_select={given!r}); "
                "'alignment', 'guarded' and 'cv' do, and 'auto' where a selector offers it."
            )
            raise TypeError(msg)
        return cls(choice, method=name).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw the curve."""
        ax = self._take_axes(ax, width=6.0, beside=0.3)
        choice = self.choice
        few = len(choice.sizes) <= FEW_DOTS
        self.line_ = ax.plot(
            choice.sizes, choice.values, color=COLOURS[0], marker="." if few else None, zorder=2
        )[0]
        self._frame()
        best = float(choice.values.max())
        self.band_ = None
        if choice.standard_error is not None:
            lowest = best - choice.standard_error
            self.band_ = ax.axhspan(lowest, best, color=PALE, alpha=0.35, linewidth=0, zorder=0)
            ax.axhline(best, color=PALE, linewidth=0.8, zorder=0)
        self._draw_taken()
        self._draw_words()
        return self

    def _frame(self) -> None:
        """Set the scale and limits, with room around the curve."""
        from matplotlib.ticker import MaxNLocator

        sizes, values = self.choice.sizes, self.choice.values
        first, last = float(sizes[0]), float(sizes[-1])
        if last > MANY and first > 0:
            self.ax_.set_xscale("log")
            log_axis(self.ax_.xaxis, first, last)
            self.ax_.set_xlim(first / 1.1, last * 1.1)
        else:
            room = max(0.5, 0.03 * (last - first))
            self.ax_.set_xlim(first - room, last + room)
            self.ax_.xaxis.set_major_locator(MaxNLocator(10, integer=True, min_n_ticks=1))
        low = float(values.min())
        high = float(values.max())
        low = min(low, high - (self.choice.standard_error or 0.0))
        room = 0.08 * (high - low) if high > low else max(0.05 * abs(high), 0.05)
        self.ax_.set_ylim(low - room, high + 1.5 * room)

    def _draw_taken(self) -> None:
        """Mark the number taken."""
        choice = self.choice
        place = int(np.flatnonzero(choice.sizes == choice.number)[0])
        value = float(choice.values[place])
        self.ax_.vlines(
            choice.number, self.ax_.get_ylim()[0], value, colors=MARKED, linewidth=1.0, zorder=1
        )
        self.taken_ = self.ax_.plot(
            [choice.number], [value], marker="o", markersize=7, color=MARKED, zorder=3
        )[0]
        share = self.ax_.transAxes.inverted().transform(
            self.ax_.transData.transform((choice.number, value))
        )[0]
        self.ax_.annotate(
            f"{choice.number} taken",
            xy=(choice.number, self.ax_.get_ylim()[0]),
            xytext=(5.0 if share < 0.8 else -5.0, 4.0),
            textcoords="offset points",
            ha="left" if share < 0.8 else "right",
            fontsize=FONT_SIZE,
            color=MARKED,
            path_effects=halo(),
            zorder=4,
        )

    def _draw_words(self) -> None:
        """Write title, axes and the reason."""
        choice = self.choice
        kept = f"{choice.number} feature{'' if choice.number == 1 else 's'} kept"
        title = f"{self.method}: {kept} by {choice.rule!r}" if self.method else kept
        self.ax_.set_title(title, loc="left")
        known = {
            "alignment": "alignment with the target",
            "explained variance": "explained variance, left-out samples",
        }
        criterion = known.get(choice.criterion, f"cross-validated {choice.criterion}")
        self.ax_.set(xlabel="number of features, best first", ylabel=criterion)
        notes = [choice.reason]
        if choice.standard_error is not None:
            notes.append("grey: within one standard error of the highest")
        write_note(self.ax_, notes)
