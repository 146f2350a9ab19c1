"""What appears on the screen: the result on stdout, all else on stderr."""

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from hsieve.text import as_text, legible

if TYPE_CHECKING:
    from hsieve.comparison.result import TextTable
    from hsieve.dataset import Dataset

# A file or a pipe has no edge at which lines would have to break.
WIDTH_WITHOUT_TERMINAL = 10_000


def complain(kind: str, message: str) -> None:
    """Write one line to stderr, unless it is closed."""
    with suppress(OSError):
        sys.stderr.write(f"{kind}: {legible(' '.join(message.split()))}\n")


def replace_closed_streams() -> None:
    """Put the null device, which holds nothing and takes all, where the caller closed a stream."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115


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
    if table.times is not None:
        kind = f"times with {int(table.times['event'].sum())} events"
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
