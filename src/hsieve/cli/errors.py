"""How the command line fails: one plain sentence for a user's mistake, a traceback for ours.

Exit codes: 2 for bad input and for output that cannot be written, 128 and the number of a signal
(130 for Ctrl-C), 1 for a bug (with its traceback) and for a result that is not what it should be.
"""

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from hsieve.cli import signals
from hsieve.cli.console import complain

BAD_INPUT = 2
NOTHING_TORN = "no file was left half-written"
# What a disk says that takes no more, or not from us.
UNWRITABLE = {
    getattr(errno, name)
    for name in ("ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS", "EACCES", "EPERM")
    if hasattr(errno, name)
}


class BadInputError(Exception):
    """What was asked for cannot be done; the message is one plain sentence."""


class InterruptedRunError(Exception):
    """A signal; the message is half a sentence on what is kept of the work and how to go on."""


class PlainGroup(TyperGroup):
    """Commands that end with an exit code and at most one sentence about what went wrong."""

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        """Run a command and exit, unless `standalone_mode` is off."""
        extra["standalone_mode"] = False
        command = partial(super().main, *args, **extra)
        return exit_plainly(command) if standalone_mode else command()

    def invoke(self, ctx: Any) -> Any:
        """Run a command; a signal ends it with a sentence, not with the empty line of Typer."""
        from hsieve.text import at_command_line

        with naming_what_is_kept(NOTHING_TORN), at_command_line():
            return super().invoke(ctx)


def exit_plainly(command: Callable[[], Any]) -> NoReturn:
    """Run a command and leave the process, with one sentence about what went wrong."""
    try:
        code = command()
    except BaseException as error:
        code = _code_after(error)
    sys.exit(code if isinstance(code, int) else 0)


def _code_after(error: BaseException) -> int:
    """Say in one sentence why a command ended; what is a mistake of ours is raised again."""
    if isinstance(error, InterruptedRunError):
        return _interrupted(str(error))
    if signals.is_interrupted() or isinstance(error, KeyboardInterrupt | typer.Abort):
        return _interrupted(NOTHING_TORN)
    if isinstance(error, BadInputError):
        words = str(error)
    elif isinstance(error, OSError) and error.errno in UNWRITABLE:
        words = f"{error.filename or 'the output'} cannot be written ({error.strerror})"
        _drop_output()
    elif hasattr(error, "format_message"):
        # Typer brings the class of wrong options from one of two places, by version.
        words = error.format_message().replace(": Value error, ", ": ")
    else:
        raise error
    complain("error", words)
    return BAD_INPUT


def _drop_output() -> None:
    """Forget what stdout still holds, which Python would try to write once more at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def naming_what_is_kept(kept: str) -> Iterator[None]:
    """Say after a signal what is kept of the work inside the block, and how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        raise InterruptedRunError(kept) from None


def kept_in(folder: Path) -> str:
    """Say that work is kept in a folder."""
    return f"what is done is kept in {folder}; give the same command again to resume"


def _interrupted(kept: str) -> int:
    """Say that the command was interrupted, and what is kept."""
    complain("error", f"interrupted before the end; {kept}")
    return signals.exit_code()
