"""How the command line fails: one plain sentence for a user's mistake, a traceback for ours.

Exit codes: 2 for bad input, 130 for Ctrl-C, 1 for a bug (with its traceback, which nobody here
catches) and for a result that is not what it should be.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from hsieve.cli.console import complain

__all__ = [
    "BAD_INPUT",
    "INTERRUPTED",
    "BadInputError",
    "InterruptedRunError",
    "PlainGroup",
    "exit_plainly",
    "kept_in",
    "telling_what_is_kept",
]

BAD_INPUT = 2
INTERRUPTED = 130
NOTHING_TORN = "no file was left half-written"


class BadInputError(Exception):
    """What was asked for cannot be done; the message is one plain sentence."""


class InterruptedRunError(Exception):
    """Ctrl-C; the message is half a sentence on what is kept of the work and how to go on."""


class PlainGroup(TyperGroup):
    """Commands that end with an exit code and at most one sentence about what went wrong."""

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        """Run a command and exit, unless `standalone_mode` is off."""
        extra["standalone_mode"] = False
        command = partial(super().main, *args, **extra)
        return exit_plainly(command) if standalone_mode else command()


def exit_plainly(command: Callable[[], Any]) -> NoReturn:
    """Run a command and leave the process, with one sentence about what went wrong."""
    try:
        code = command()
    except BadInputError as error:
        complain("error", str(error))
        code = BAD_INPUT
    except InterruptedRunError as error:
        code = _interrupted(str(error))
    except (KeyboardInterrupt, typer.Abort):
        code = _interrupted(NOTHING_TORN)
    except Exception as error:
        # Typer brings the class of wrong options from one of two places, by version.
        if not hasattr(error, "format_message"):
            raise
        complain("error", error.format_message())
        code = BAD_INPUT
    sys.exit(code if isinstance(code, int) else 0)


@contextmanager
def telling_what_is_kept(kept: str) -> Iterator[None]:
    """Say after Ctrl-C what is kept of the work inside the block, and how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        raise InterruptedRunError(kept) from None


def kept_in(folder: Path) -> str:
    """Say that work is kept in a folder."""
    return f"what is done is kept in {folder}; give the same command again to go on"


def _interrupted(kept: str) -> int:
    """Say that the command was interrupted, and what is kept."""
    complain("error", f"interrupted before the end; {kept}")
    return INTERRUPTED
