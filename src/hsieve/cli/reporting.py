"""The page of `--report`: what a command knows of a selection beside its selector."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from hsieve.cli.errors import BadInputError
from hsieve.cli.files import plainly, refusing

if TYPE_CHECKING:
    from hsieve.dataset import Dataset
    from hsieve.inference import FeatureTests
    from hsieve.report.html import Report
    from hsieve.selectors.base import BaseSelector

__all__ = ["Retelling", "command_line", "made_report", "write_report"]


@dataclass(frozen=True)
class Retelling:
    """What a command has told on the screen, to be told again on the page.

    Parameters
    ----------
    warnings, notes : sequence of str, default=()
        Warnings, and sentences below the result.
    tests : FeatureTests or None, default=None
        Tests of single features, if they were wanted.
    """

    warnings: Sequence[str] = ()
    notes: Sequence[str] = ()
    tests: "FeatureTests | None" = None


def command_line(context: typer.Context) -> str:
    """Write the command that is being run, with all options that are not the usual ones.

    Parameters
    ----------
    context : typer.Context
        Context of the command.

    Returns
    -------
    str
        As it can be typed.
    """
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


def made_report(
    selector: "BaseSelector",
    table: "Dataset",
    options: dict[str, Any],
    told: Retelling,
    command: str,
) -> "Report":
    """Make the page.

    Parameters
    ----------
    selector : BaseSelector
        The fitted selector.
    table : Dataset
        What it was fitted on.
    options : dict
        Arguments of :func:`hsieve.open_dataset`.
    told : Retelling
        What was told on the screen.
    command : str
        The command line.

    Returns
    -------
    Report
        The page, not yet written.

    Raises
    ------
    BadInputError
        If the data cannot be read once more.
    """
    from hsieve.report.html import ReportOptions, make_report
    from hsieve.report.repetition import Origin

    origin = Origin(
        command=command,
        reading=_reading(table, options),
        data="data",
        warnings=tuple(told.warnings),
        notes=tuple(told.notes),
    )
    wish = ReportOptions(
        feature_names=table.names,
        target_name=table.target_name,
        p_values="auto" if told.tests is None else told.tests,
        origin=origin,
    )
    with plainly(table.source):
        return make_report(selector, table.columns, table.y, wish)


def write_report(path: Path, report: "Report") -> None:
    """Write the page, whole or not at all.

    Parameters
    ----------
    path : Path
        A file ending in .html or .htm.
    report : Report
        The page.

    Raises
    ------
    BadInputError
        If the file cannot be written.
    """
    try:
        with refusing():
            report.save(path)
    except OSError as error:
        msg = f"{path}: the report cannot be written ({error.strerror or error})"
        raise BadInputError(msg) from error


def _reading(table: "Dataset", options: dict[str, Any]) -> str:
    """Write the lines of Python that read the same table."""
    arguments = ", ".join(f"{name}={value!r}" for name, value in options.items())
    call = f"data = open_dataset({str(table.source)!r}, {arguments})"
    return f"from hsieve import open_dataset\n\n{call}"
