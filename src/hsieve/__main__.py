"""The command `hsieve`, and `python -m hsieve` for where it is not on the path."""

import sys

from hsieve.cli import signals


def run() -> None:
    """Run the command line; the entry point of the package."""
    signals.interrupt_once()
    try:
        from hsieve.cli.main import run as run_command
    except BaseException:
        if not signals.is_interrupted():
            raise
        sys.stderr.write("error: interrupted before the work began\n")
        sys.exit(signals.exit_code())
    run_command()


if __name__ == "__main__":
    run()
