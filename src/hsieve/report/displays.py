"""Displays in the style of scikit-learn: single pictures of the report, drawn with matplotlib.

A display shows the same numbers, colours and words as the page.
"""

import io
import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from hsieve.array_types import FloatArray
from hsieve.data.spectra import power_spectra
from hsieve.inference import BandHSIC, band_hsic
from hsieve.io.writing import written_whole
from hsieve.report.analysis import AnalysisOptions, pictures_of
from hsieve.report.drawing import (
    LITERAL,
    MARKED,
    draw,
    draw_cells,
    new_axes,
    require_matplotlib,
    write_note,
)
from hsieve.selectors.base import BaseSelector
from hsieve.text import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PICTURE_ENDINGS = (".png", ".svg", ".pdf")
DOTS_PER_INCH = 150
ESTIMATES = {"normalised": "NHSIC", "unbiased": "HSIC (unbiased)", "biased": "HSIC (biased)"}


class Display(ABC):
    """A picture that can be drawn, shown in a notebook and saved.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it is drawn.
    figure_ : matplotlib Figure
        The figure of these axes.
    """

    ax_: "Axes"
    figure_: "Figure"

    @abstractmethod
    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure, apart from those of pyplot.

        Returns
        -------
        Display
            Itself, with what was drawn.
        """

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
        ending = Path(path).suffix.lower()
        if ending not in PICTURE_ENDINGS:
            msg = f"a picture must end in {' or '.join(PICTURE_ENDINGS)}, got {os.fspath(path)!r}."
            raise ValueError(msg)
        self._draw_if_needed()
        import matplotlib as mpl

        # No date and no random marks: the same picture gives the same file.
        undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(ending)
        with mpl.rc_context({"svg.hashsalt": "hsieve"}), written_whole(Path(path)) as temporary:
            self._write(temporary, ending[1:], undated)

    def _repr_png_(self) -> bytes | None:
        """Show the picture where a notebook shows the last value of a cell."""
        self._draw_if_needed()
        if getattr(self.figure_.canvas, "manager", None) is not None:
            return None  # on axes of pyplot, which the notebook shows by itself
        picture = io.BytesIO()
        self._write(picture, "png", None)
        return picture.getvalue()

    def _draw_if_needed(self) -> None:
        if not hasattr(self, "figure_"):
            self.plot()

    def _write(self, where: Any, kind: str, metadata: dict[str, Any] | None) -> None:
        with warnings.catch_warnings():
            # A name in a script that the font lacks is drawn as boxes, without a warning.
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            self.figure_.savefig(
                where, format=kind, dpi=DOTS_PER_INCH, bbox_inches="tight", metadata=metadata
            )


class SelectorDisplay(Display):
    """A picture of the report on a fitted selector.

    Parameters
    ----------
    picture : dict
        One of the pictures of an :class:`Analysis`.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn.
    """

    # Names of the pictures that are shown, the first that there is, and what selector has one.
    _shows: ClassVar[tuple[str, ...]]
    _needs: ClassVar[str]

    def __init__(self, picture: dict[str, Any]) -> None:
        self.picture = picture

    @classmethod
    def from_selector(
        cls,
        selector: BaseSelector,
        X: Any = None,
        y: Any = None,
        *,
        ax: "Axes | None" = None,
        feature_names: Iterable[Any] | None = None,
        target_name: str | None = None,
    ) -> Self:
        """Draw a picture of a fitted selector.

        Parameters
        ----------
        selector : BaseSelector
            A fitted selector.
        X : array-like, ColumnBlocks, Dataset or None, default=None
            The features it was fitted on, for displays that show them.
        y : array-like or None, default=None
            The target it was fitted on.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure, apart from those of pyplot.
        feature_names : iterable or None, default=None
            Names of all features; None for those of the data frame, or x0, x1, ...
        target_name : str or None, default=None
            What the target is called; None for the name of its series, or y.

        Returns
        -------
        Display
            What was drawn.
        """
        require_matplotlib()
        if not isinstance(selector, BaseSelector):
            msg = f"A selector of hsieve is needed, such as N3LARS().fit(X, y), got {selector!r}."
            raise TypeError(msg)
        options = AnalysisOptions(
            feature_names=feature_names, target_name=target_name, n_substitutes=0
        )
        found = {one["id"]: one for one in pictures_of(selector, X, y, options)}
        for name in cls._shows:
            if name in found:
                return cls(found[name]).plot(ax)
        msg = f"{cls.__name__} cannot show this {type(selector).__name__}: it needs {cls._needs}."
        raise ValueError(msg)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw the picture, on axes that are given or in a figure of its own."""
        require_matplotlib()
        self.axes_ = draw(self.picture, ax)
        self.ax_ = self.axes_[0] if ax is None else ax
        self.figure_ = self.ax_.figure.figure
        return self


class PathDisplay(SelectorDisplay):
    """Coefficients of the features along a regularisation path.

    Make it with :meth:`from_selector`, from a fitted :class:`N3LARS`, :class:`HSICLasso` or
    selector with ``LarsSearch()``.

    Examples
    --------
    >>> from hsieve import N3LARS
    >>> from hsieve.datasets import make_n3lars
    >>> from hsieve.report import PathDisplay
    >>> problem = make_n3lars(300, 100, random_state=0)
    >>> display = PathDisplay.from_selector(N3LARS(5).fit(problem.X, problem.y))
    >>> display.ax_.get_xlabel()
    'level of the penalty (falling)'
    """

    _shows = ("path",)
    _needs = "a regularisation path, as N3LARS, HSICLasso and the strategy LarsSearch() have"


class StabilityDisplay(SelectorDisplay):
    """Fraction of the subsamples that select each feature, along the range of regularisation.

    Make it with :meth:`from_selector`, from a fitted :class:`StabilitySelection`.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import StabilitySelection
    >>> from hsieve.report import StabilityDisplay
    >>> X = np.random.default_rng(0).normal(size=(100, 50))
    >>> y = X[:, 3] - X[:, 7] + np.random.default_rng(1).normal(size=100)
    >>> display = StabilityDisplay.from_selector(StabilitySelection().fit(X, y))
    >>> sorted(text.get_text() for text in display.ax_.texts)[-2:]
    ['x3', 'x7']
    """

    _shows = ("stability",)
    _needs = "a StabilitySelection, around any selector, that selects some feature"


class ContributionsDisplay(SelectorDisplay):
    """Contributions of the features over the iterations of a randomised search.

    Make it with :meth:`from_selector`, from a fitted :class:`RandSel` or selector with
    ``RandomisedContributions()``.

    Examples
    --------
    >>> from hsieve import RandSel
    >>> from hsieve.datasets import make_xor
    >>> from hsieve.report import ContributionsDisplay
    >>> problem = make_xor(200, 40, random_state=0)
    >>> selector = RandSel(2).fit(problem.X, problem.y)
    >>> display = ContributionsDisplay.from_selector(selector)
    >>> display.ax_.get_xlabel()
    'iteration'
    """

    _shows = ("contributions",)
    _needs = "two iterations of RandSel or the strategy RandomisedContributions()"


class AlignmentDisplay(SelectorDisplay):
    """Alignment, prediction or explained variance against the number of features.

    Make it with :meth:`from_selector`, from a fitted selector whose ``n_features_to_select`` is
    "alignment", "guarded" or "cv", or from :class:`~hsieve.KernelPursuit`.

    Examples
    --------
    >>> from hsieve import BAHSIC
    >>> from hsieve.datasets import make_xor
    >>> from hsieve.report import AlignmentDisplay
    >>> problem = make_xor(200, 20, random_state=0)
    >>> selector = BAHSIC("alignment").fit(problem.X, problem.y)
    >>> AlignmentDisplay.from_selector(selector).ax_.texts[0].get_text()
    '2 chosen'
    """

    _shows = ("number", "explained")
    _needs = (
        "a number of features found by the data: n_features_to_select is 'alignment', 'guarded' or "
        "'cv', or the method is KernelPursuit"
    )


class RelevanceRedundancyDisplay(SelectorDisplay):
    """Relevance of the best features against their redundancy with the chosen ones.

    Make it with :meth:`from_selector`, from a fitted selector and its data.

    Examples
    --------
    >>> from hsieve import N3LARS
    >>> from hsieve.datasets import make_n3lars
    >>> from hsieve.report import RelevanceRedundancyDisplay
    >>> problem = make_n3lars(300, 100, random_state=0)
    >>> selector = N3LARS(3).fit(problem.X, problem.y)
    >>> display = RelevanceRedundancyDisplay.from_selector(selector, problem.X, problem.y)
    >>> len(display.picture["points"])
    100
    """

    _shows = ("landscape",)
    _needs = "two features or more, and X and y of the fit, with classes or numbers for y"


class RedundancyDisplay(SelectorDisplay):
    """Redundancies of the chosen features as a heat map.

    Make it with :meth:`from_selector`, from a fitted selector and its data.

    Examples
    --------
    >>> from hsieve import MaxRelevance
    >>> from hsieve.datasets import make_n3lars
    >>> from hsieve.report import RedundancyDisplay
    >>> problem = make_n3lars(300, 100, random_state=0)  # feature j + 50 copies feature j
    >>> selector = MaxRelevance(4).fit(problem.X, problem.y)
    >>> display = RedundancyDisplay.from_selector(selector, problem.X, problem.y)
    >>> [round(value, 1) for value in display.picture["values"][0]]
    [1.0, 1.0, 0.0, 0.0]
    """

    _shows = ("heat",)
    _needs = "two chosen features or more, and X and y of the fit"


class FeaturePanelsDisplay(SelectorDisplay):
    """Each chosen feature beside the target, in the picture that suits the two.

    Numbers against numbers: points and a smooth curve. Numbers against classes, and categories
    against numbers: violins. Categories against classes: fractions of the classes. Numbers with at
    most six values are drawn by value. Times with events: survival curves. Make it with
    :meth:`from_selector`, from a fitted selector and its data. Given axes must be of a grid, as
    from ``plt.subplots()``; the panels stand in their place.

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        One for each feature, best first.
    ax_, figure_ : matplotlib Axes and Figure
        The first of them, or the axes that were given, and their figure.

    Examples
    --------
    >>> from hsieve import N3LARS
    >>> from hsieve.datasets import make_n3lars
    >>> from hsieve.report import FeaturePanelsDisplay
    >>> problem = make_n3lars(300, 100, random_state=0)
    >>> selector = N3LARS(3).fit(problem.X, problem.y)
    >>> len(FeaturePanelsDisplay.from_selector(selector, problem.X, problem.y).axes_)
    3
    """

    _shows = ("panels",)
    _needs = "a chosen feature, and X and y of the fit, with classes or numbers for y"


class FrequencyBandsDisplay(Display):
    """Dependence of every band of frequencies on the target, the best band marked.

    Make it with :meth:`from_signals` or :meth:`from_bands`.

    Parameters
    ----------
    bands : BandHSIC
        Values of all bands, from :func:`hsieve.band_hsic`.
    unit : str, default="Hz"
        Unit of the frequencies.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn: the lower bound to the right, the upper one upwards.

    Examples
    --------
    >>> from hsieve.datasets import make_frequency_bands
    >>> from hsieve.report import FrequencyBandsDisplay
    >>> problem = make_frequency_bands(100, random_state=0)  # the classes differ from 10 to 14 Hz
    >>> display = FrequencyBandsDisplay.from_signals(
    ...     problem.signals, problem.y, problem.sampling_rate, resolution=1.0
    ... )
    >>> display.ax_.get_title(loc="left")
    'Best band: 10.25 to 13.25 Hz'
    """

    def __init__(self, bands: BandHSIC, *, unit: str = "Hz") -> None:
        self.bands = bands
        self.unit = unit

    @classmethod
    def from_bands(cls, bands: BandHSIC, *, unit: str = "Hz", ax: "Axes | None" = None) -> Self:
        """Draw bands that were looked at before.

        Parameters
        ----------
        bands : BandHSIC
            Values of all bands, from :func:`hsieve.band_hsic`.
        unit : str, default="Hz"
            Unit of the frequencies.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure, apart from those of pyplot.

        Returns
        -------
        FrequencyBandsDisplay
            What was drawn.
        """
        if not isinstance(bands, BandHSIC):
            msg = f"bands must come from hsieve.band_hsic(spectra, y), got {type(bands).__name__}."
            raise TypeError(msg)
        return cls(bands, unit=unit).plot(ax)

    @classmethod
    def from_signals(
        cls,
        signals: ArrayLike,
        y: Any,
        sampling_rate: float,
        *,
        resolution: float | None = None,
        ax: "Axes | None" = None,
        **options: Any,
    ) -> Self:
        """Look at all bands of signals and draw them.

        Parameters
        ----------
        signals : array-like of shape (n_trials, n_channels, n_times) or (n_trials, n_times)
            The signals.
        y : array-like of shape (n_trials,)
            Target of each trial.
        sampling_rate : float
            Values a second.
        resolution : float or None, default=None
            Width in Hz of the bins in which the power is averaged; None keeps every frequency.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure, apart from those of pyplot.
        **options
            Options of :func:`hsieve.band_hsic`.

        Returns
        -------
        FrequencyBandsDisplay
            What was drawn.
        """
        require_matplotlib()
        spectra = power_spectra(signals, sampling_rate, resolution=resolution)
        return cls.from_bands(band_hsic(spectra, y, **options), ax=ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw the heat map."""
        require_matplotlib()
        bands, unit = self.bands, shortened(self.unit)
        self.ax_ = ax = new_axes(4.2, width=5.2, beside=0.2) if ax is None else ax
        self.figure_ = ax.figure.figure
        best = bands.best_value
        # Below zero, as the unbiased estimate may be, is no dependence.
        draw_cells(
            ax,
            cell_edges(bands.frequencies),
            bands.values.T,
            f"{ESTIMATES[bands.estimator]} with the target",
            highest=best if best > 0 else 1.0,
            shades="cividis",  # blue to yellow, of rising lightness: the same order to all eyes
        )
        lowest, highest = bands.best_band
        ring: dict[str, Any] = {"markersize": 9, "markeredgewidth": 2.0}
        ax.plot([lowest], [highest], "o", color=MARKED, markerfacecolor="none", **ring)
        ax.set_title(f"Best band: {lowest:g} to {highest:g} {unit}", loc="left", **LITERAL)
        inside = f" ({unit})" if unit else ""
        ax.set_xlabel(f"lower bound of the band{inside}", **LITERAL)
        ax.set_ylabel(f"upper bound of the band{inside}", **LITERAL)
        n_bands = int(np.isfinite(bands.values).sum())
        write_note(
            ax,
            f"Ring: the highest of {n_bands:,} bands, {best:.3g}; on other samples it will be "
            "lower.",
        )
        return self


def cell_edges(frequencies: FloatArray) -> FloatArray:
    """Edges of the cells: half way between frequencies."""
    if len(frequencies) == 1:
        return np.array([frequencies[0] - 0.5, frequencies[0] + 0.5])
    middles = (frequencies[1:] + frequencies[:-1]) / 2
    first = frequencies[0] - (middles[0] - frequencies[0])
    last = frequencies[-1] + (frequencies[-1] - middles[-1])
    return np.concatenate([[first], middles, [last]])
