"""What a signal does to a command: it ends by way of its own clean-up, and says so in one line.

Ctrl-C, a plain `kill` and the end of the terminal all raise :class:`KeyboardInterrupt`, so that
whatever holds files, processes or shared memory gives them back. This module imports next to
nothing, so that it is in place while all others are imported.
"""

import signal
import sys
from types import FrameType
from typing import Any, NoReturn

SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if name in dir(signal)]

_received: list[int] = []


def interrupt_once() -> None:
    """Let the first signal interrupt the work, and a second one end the process at once."""
    for number in SIGNALS:
        # What is ignored already, as under nohup, stays ignored.
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _interrupt)
    sys.unraisablehook = _silent_after_signals


def is_interrupted() -> bool:
    """Whether a signal has come, whatever exception a library has made of it."""
    return bool(_received)


def exit_code() -> int:
    """Return 128 and the number of the signal, as shells do."""
    return 128 + (_received[0] if _received else signal.SIGINT)


def _interrupt(number: int, _frame: FrameType | None) -> NoReturn:
    _received.append(number)
    for other in SIGNALS:
        signal.signal(other, signal.SIG_DFL)
    raise KeyboardInterrupt


def _silent_after_signals(raised: Any) -> None:
    """Say nothing of exceptions that come of ending in the middle of something."""
    if not is_interrupted():
        sys.__unraisablehook__(raised)
