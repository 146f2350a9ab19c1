"""What appears on the screen: the result on stdout, all else on stderr.

The progress bar is on stderr, only if that is a terminal, and only for work of over two seconds.
"""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from threading import Lock, Timer
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from hsieve.progress import listen
from hsieve.text import legible

if TYPE_CHECKING:
    from hsieve.comparison.result import TextTable
    from hsieve.dataset import Dataset

BAR_DELAY = 2.0
# A file or a pipe has no edge at which lines would have to break.
WIDTH_WITHOUT_TERMINAL = 10_000


def as_text(value: str) -> Text:
    """Return a text that is shown as it is, with no markup in it."""
    return Text(legible(value))


def complain(kind: str, message: str) -> None:
    """Write one line to stderr, if that takes any."""
    with suppress(OSError):
        sys.stderr.write(f"{kind}: {legible(' '.join(message.split()))}\n")


def escape_unprintable() -> None:
    """Show characters that the terminal's encoding lacks escaped, instead of failing on them."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def result_console() -> Console:
    """Return the console for results, as wide as it takes where stdout is no terminal."""
    width = None if sys.stdout.isatty() else WIDTH_WITHOUT_TERMINAL
    return Console(width=width, highlight=False, markup=False, emoji=False)


def origin(table: "Dataset") -> str:
    """Say what a result comes from: the number of samples, the target and its kind."""
    n_classes = len(set(table.y.tolist()))
    kind = f"{n_classes} classes" if table.target_kind == "classes" else "numbers"
    return f"from {len(table.y)} samples; target {table.target_name} ({kind})"


def print_tables(tables: "Iterable[TextTable]") -> None:
    """Print tables of results."""
    console = result_console()
    for content in tables:
        table = Table(title=content.title)
        for place, heading in enumerate(content.headings):
            is_label = place < content.n_labels
            # A name is never cut: it is what one would ask for again.
            table.add_column(
                heading,
                justify="left" if is_label else "right",
                overflow="fold" if is_label else "ellipsis",
            )
        is_grouped = any(not row[0] for row in content.rows)
        for place, row in enumerate(content.rows):
            if is_grouped and row[0] and place > 0:
                table.add_section()
            table.add_row(*map(as_text, row))
        console.print(table)


@contextmanager
def progress_bar(what: str, *, shown: bool = True) -> Iterator[None]:
    """Show how far the work inside the block is, once it takes over two seconds."""
    if not shown or not sys.stderr.isatty():
        yield
        return
    bar = _DelayedBar(what)
    try:
        # Inside, since Ctrl-C may come as soon as the bar can.
        bar.begin()
        with listen(bar.update):
            yield
    finally:
        bar.close()


class _DelayedBar:
    """A bar that a timer brings up, so that it comes even where the work reports nothing."""

    def __init__(self, what: str) -> None:
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task(legible(what), total=None)
        self._lock = Lock()
        self._closed = False
        self._furthest = 0.0
        self._timer = Timer(BAR_DELAY, self._show)
        self._timer.daemon = True

    def begin(self) -> None:
        """Let the bar come after its time."""
        self._timer.start()

    def update(self, fraction_done: float, what: str) -> None:
        """Take a report of the work; a bar never goes back."""
        self._furthest = max(self._furthest, fraction_done)
        self._progress.update(self._task, total=1.0, completed=self._furthest, description=what)

    def close(self) -> None:
        """Take the bar away, or see to it that it never comes."""
        self._timer.cancel()
        with self._lock:
            self._closed = True
            if self._progress.live.is_started:
                self._progress.stop()

    def _show(self) -> None:
        with self._lock:
            if not self._closed:
                self._progress.start()
