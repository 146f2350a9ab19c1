"""What all pictures share: where they are drawn, how they are shown and kept.

No state of pyplot is touched: a figure of our own needs neither a display nor a backend.
"""

import io
import os
import warnings
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from hsieve.io.writing import written_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PICTURE_ENDINGS = (".png", ".svg", ".pdf")
DOTS_PER_INCH = 150
# Room in inches for ticks and the axis' name at the left, and for title and names of axes.
LEFT, ABOVE, BELOW = 0.72, 0.5, 0.9


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

    def _take_axes(self, ax: "Axes | None", height: float = 3.2, **size: float) -> "Axes":
        """Draw on the axes given, or make some of our own of that size."""
        require_matplotlib()
        self.ax_ = new_axes(height, **size) if ax is None else ax
        self.figure_ = self.ax_.figure.figure
        return self.ax_

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


def require_matplotlib() -> None:
    """Raise an ImportError that says what to install, if matplotlib is missing."""
    try:
        import matplotlib as mpl  # noqa: F401
    except ImportError as error:
        msg = 'pictures need matplotlib, which is not installed: pip install "hsieve[report]"'
        raise ImportError(msg) from error


def new_figure(width: float, height: float, **options: Any) -> "Figure":
    """Make a figure of a size in inches, apart from those of pyplot."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), **options)
    FigureCanvasAgg(figure)
    return figure


def new_axes(height: float = 3.2, *, width: float = 5.12, beside: float = 2.16) -> "Axes":
    """Make a figure of our own with axes of a size in inches, and room for names beside them."""
    whole_width, whole_height = LEFT + width + beside, ABOVE + height + BELOW
    figure = new_figure(whole_width, whole_height)
    axes = figure.add_axes(
        (LEFT / whole_width, BELOW / whole_height, width / whole_width, height / whole_height)
    )
    axes.spines[["top", "right"]].set_visible(False)
    return axes
