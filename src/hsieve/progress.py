"""Progress of long work, without the numeric code knowing who listens.

A long loop calls :func:`report`; whoever wants to show it (:func:`show_progress`) wraps the work in
:func:`listen`. With no listener a report costs nothing.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock, Timer
from typing import Any, TypeAlias

from hsieve.text import legible

__all__ = ["Listener", "listen", "report", "show_progress", "stage"]

BAR_DELAY = 2.0
# Seconds of work from which the time left is estimated; steps may be minutes apart.
ESTIMATED_FROM = 3600.0

Listener: TypeAlias = Callable[[float, str], None]

_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


def report(share_done: float, what: str) -> None:
    """Tell the listener, if there is one, that a fraction (0 to 1) of the work is done."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(share_done, what)


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """Send the reports of everything inside the block to `listener`."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


@contextmanager
def stage(begin: float, end: float, what: str | None = None) -> Iterator[None]:
    """Count the reports inside the block from one fraction of the whole work to another.

    `what` replaces the words reported.
    """
    outer = _LISTENER.get()
    if outer is None:
        yield
        return

    def scaled(share_done: float, words: str) -> None:
        outer(begin + (end - begin) * share_done, words if what is None else what)

    with listen(scaled):
        yield


@contextmanager
def show_progress(what: str = "working", *, shown: bool = True) -> Iterator[None]:
    """Show a progress bar for whatever takes over two seconds inside the block.

    The bar appears in notebooks and in terminals (on stderr), and disappears when the block ends.
    Anywhere else, such as in a script whose output goes to a file, nothing is shown.

    Parameters
    ----------
    what : str, default="working"
        The words beside the bar until the work says what it is doing.
    shown : bool, default=True
        False shows nothing.

    Examples
    --------
    >>> import hsieve
    >>> from hsieve.datasets import make_xor
    >>> problem = make_xor(200, 40, random_state=0)
    >>> with hsieve.show_progress():
    ...     selector = hsieve.BAHSIC(2).fit(problem.X, problem.y)
    """
    from rich.console import Console

    # Programs without a console have no stderr, or a closed one.
    is_open = sys.stderr is not None and not getattr(sys.stderr, "closed", False)
    console = Console(stderr=True)
    if not shown or not is_open or not (sys.stderr.isatty() or console.is_jupyter):
        yield
        return
    bar = _DelayedBar(what, console)
    try:
        # Inside, since Ctrl-C may come as soon as the bar can.
        bar.begin()
        with listen(bar.update):
            yield
    finally:
        bar.close()


class _DelayedBar:
    """A bar that a timer brings up, so that it comes even where the work reports nothing."""

    def __init__(self, what: str, console: Any) -> None:
        from rich.progress import (
            BarColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            speed_estimate_period=ESTIMATED_FROM,
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
