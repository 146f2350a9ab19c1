"""How the command line fails: one plain sentence for a user's mistake, a traceback for ours.

Exit codes: 2 for bad input, 130 for Ctrl-C, 1 for a bug (with its traceback, which nobody here
catches) and for a result that is not what it should be.
"""

import sys
from typing import Any

import typer
from typer.core import TyperGroup

from hsieve.cli.screen import complain

__all__ = ["BAD_INPUT", "INTERRUPTED", "BadInputError", "PlainGroup"]

BAD_INPUT = 2
INTERRUPTED = 130


class BadInputError(Exception):
    """What was asked for cannot be done; the message is one plain sentence."""


class PlainGroup(TyperGroup):
    """Commands that end with an exit code and at most one sentence about what went wrong."""

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        """Run a command and exit, unless `standalone_mode` is off.

        Parameters
        ----------
        *args, **extra
            As in Typer.
        standalone_mode : bool, default=True
            Whether to turn errors into sentences and to leave the process.
        """
        extra["standalone_mode"] = False
        if not standalone_mode:
            return super().main(*args, **extra)
        try:
            code = super().main(*args, **extra)
        except BadInputError as error:
            complain("error", str(error))
            code = BAD_INPUT
        except (KeyboardInterrupt, typer.Abort):
            code = INTERRUPTED
        except Exception as error:
            # Typer brings the class of wrong options from one of two places, by version.
            if not hasattr(error, "format_message"):
                raise
            complain("error", error.format_message())
            code = BAD_INPUT
        if code == INTERRUPTED:
            complain("error", "interrupted before the end; no file was left half-written")
        sys.exit(code if isinstance(code, int) else 0)
