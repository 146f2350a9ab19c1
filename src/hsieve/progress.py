"""Progress of long work, without the numeric code knowing who listens.

A long loop calls :func:`report`; whoever wants to show it (the command line) wraps the work in
:func:`listen`. With no listener a report costs nothing.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

__all__ = ["Listener", "listen", "report", "stage"]

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
