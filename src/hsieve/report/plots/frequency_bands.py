"""HSIC of every frequency band as a heat map over its two bounds."""

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from hsieve.array_types import FloatArray
from hsieve.data.spectra import power_spectra
from hsieve.inference import BandHSIC, band_hsic
from hsieve.report.plots.base import (
    LITERAL,
    MARKED,
    SHADES,
    Display,
    require_matplotlib,
    write_note,
)
from hsieve.text import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes


ESTIMATES = {"normalised": "NHSIC", "unbiased": "HSIC (unbiased)", "biased": "HSIC (biased)"}


@dataclass(eq=False, repr=False)
class FrequencyBandsDisplay(Display):
    """Dependence of every band of frequencies on the target, the best band marked.

    Make it with :meth:`from_signals` or :meth:`from_bands`.

    Parameters
    ----------
    bands : BandHSIC
        Values of all bands, from :func:`hsieve.band_hsic`.
    unit : str, default="Hz"
        Unit of the frequencies.
    title : str or None, default=None
        Title of the picture; None for one that names the best band.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn: the lower bound to the right, the upper one upwards.
    mesh_ : matplotlib QuadMesh
        The heat map; rows of its array are upper bounds.
    best_ : matplotlib Line2D
        Mark at the bounds of the best band.

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

    bands: BandHSIC
    _: KW_ONLY
    unit: str = "Hz"
    title: str | None = None

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
        from matplotlib.ticker import ScalarFormatter

        ax = self._take_axes(ax, 4.2, width=5.2, beside=0.2)
        edges = _edges(self.bands.frequencies)
        highest = self.bands.best_value
        self.mesh_ = ax.pcolormesh(
            edges,
            edges,
            np.ma.masked_invalid(self.bands.values.T),
            cmap=SHADES,
            # Below zero, as the unbiased estimate may be, is no dependence.
            vmin=0.0,
            vmax=highest if highest > 0 else 1.0,
            rasterized=True,
        )
        ticks = ScalarFormatter(useMathText=True)
        ticks.set_powerlimits((-3, 4))
        bar = self.figure_.colorbar(self.mesh_, ax=ax, fraction=0.046, pad=0.04, format=ticks)
        bar.set_label(f"{ESTIMATES[self.bands.estimator]} with the target")
        bar.outline.set_visible(False)  # type: ignore[operator]
        self._draw_best()
        self._draw_words()
        return self

    def _draw_best(self) -> None:
        """Mark the best band, with lines to its bounds."""
        lowest, highest = self.bands.best_band
        left, bottom = self.ax_.get_xlim()[0], self.ax_.get_ylim()[0]
        for x, y in (([lowest, lowest], [bottom, highest]), ([left, lowest], [highest, highest])):
            self.ax_.plot(x, y, color=MARKED, linewidth=0.9, linestyle=":", zorder=2)
        self.best_ = self.ax_.plot(
            [lowest],
            [highest],
            marker="o",
            markersize=9,
            markerfacecolor="none",
            markeredgecolor=MARKED,
            markeredgewidth=2.0,
            zorder=3,
        )[0]

    def _draw_words(self) -> None:
        """Write title, axes and a note."""
        lowest, highest = self.bands.best_band
        unit = shortened(self.unit)
        title = f"Best band: {lowest:g} to {highest:g} {unit}" if self.title is None else self.title
        self.ax_.set_title(title.rstrip(), loc="left", **LITERAL)
        inside = f" ({unit})" if unit else ""
        self.ax_.set_xlabel(f"lower bound of the band{inside}", **LITERAL)
        self.ax_.set_ylabel(f"upper bound of the band{inside}", **LITERAL)
        n_bands = int(np.isfinite(self.bands.values).sum())
        write_note(
            self.ax_,
            [
                f"ring: the highest of {n_bands:,} bands, {self.bands.best_value:.3g}; on other "
                "samples it will be lower"
            ],
        )


def _edges(frequencies: FloatArray) -> FloatArray:
    """Edges of the cells: half way between frequencies."""
    if len(frequencies) == 1:
        return np.array([frequencies[0] - 0.5, frequencies[0] + 0.5])
    middles = (frequencies[1:] + frequencies[:-1]) / 2
    first = frequencies[0] - (middles[0] - frequencies[0])
    last = frequencies[-1] + (frequencies[-1] - middles[-1])
    return np.concatenate([[first], middles, [last]])
