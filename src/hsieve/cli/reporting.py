"""The page of `--report`, and what a command knows of the origin of a selection."""

from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from hsieve.cli.files import written

if TYPE_CHECKING:
    from hsieve.dataset import Dataset
    from hsieve.report.page import Report
    from hsieve.report.repetition import Origin

__all__ = ["command_line", "origin_of", "write_report"]


def command_line(context: typer.Context) -> str:
    """Write the command that is being run, with all options that are not the defaults."""
    from hsieve.report.repetition import quoted

    words = ["hsieve", str(context.info_name)]
    for parameter in context.command.params:
        value = context.params.get(str(parameter.name))
        if value is None or value == parameter.default:
            continue
        words += _written(parameter, value)
    return " ".join(quoted(word) for word in words)


def _written(parameter: Any, value: Any) -> Iterator[str]:
    """Write one parameter as it would be typed."""
    option = next((one for one in parameter.opts if one.startswith("--")), None)
    for one in value if isinstance(value, list | tuple) else [value]:
        if one is True and option:
            yield option
            continue
        text = str(one.value if isinstance(one, Enum) else one)
        if option:
            yield option
        yield text


def origin_of(table: "Dataset", options: dict[str, Any], command: str) -> "Origin":
    """Tell where a selection comes from: the command, and the Python that reads the same table."""
    from hsieve.report.repetition import Origin

    return Origin(command, _reading(table, options), "data", notes=table.notes)


def write_report(path: Path, page: "Report") -> None:
    """Write a page, whole or not at all."""
    with written(path, "the report"):
        page.save(path)


def _reading(table: "Dataset", options: dict[str, Any]) -> str:
    """Write the lines of Python that read the same table."""
    arguments = ", ".join(f"{name}={value!r}" for name, value in options.items())
    call = f"data = open_dataset({str(table.source)!r}, {arguments})"
    return f"from hsieve import open_dataset\n\n{call}"
