"""What the commands that read a table share: reading, refusing plainly, and writing.

Everything that can be wrong with a request is found before the work starts, and nothing is written
before it has ended.
"""

import csv
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from hsieve.cli.errors import BadInputError
from hsieve.cli.options import names_in

if TYPE_CHECKING:
    from hsieve.dataset import Dataset
    from hsieve.report.page import Report
    from hsieve.report.repetition import Origin
    from hsieve.selectors.methods import Method

STANDARD_INPUT = Path("-")
# Options that are arguments of `open_dataset` by the same name, with what is not worth saying.
READING = {
    "target": (),
    "event": (None,),
    "groups": (None,),
    "missing": ("refuse",),
    "target_kind": ("auto",),
    "sep": (None,),
    "decimal": (None,),
    "encoding": (None,),
    "sample_weight": (None,),
}


def check_outputs(
    source: Path, out: Path | None, report: Path | None = None, plot: Path | None = None
) -> None:
    """Refuse outputs that could not be written, before any work is done."""
    if out is not None:
        _check_output(out, source, (".csv", ".json"))
    if plot is not None:
        from hsieve.report.displays import PICTURE_ENDINGS
        from hsieve.report.drawing import require_matplotlib

        _check_output(plot, source, PICTURE_ENDINGS, require_matplotlib)
    if report is not None:
        from hsieve.report.page import REPORT_ENDINGS, require_jinja2

        _check_output(report, source, REPORT_ENDINGS, require_jinja2)


def _check_output(
    path: Path, source: Path, endings: Sequence[str], require: Callable[[], None] = lambda: None
) -> None:
    """Refuse one output, for its path or for a package that is missing."""
    try:
        problem = _problem_with(path, source, endings)
    except OSError as error:  # such as a name that is too long
        problem = error.strerror or str(error)
    if problem:
        msg = f"{path}: {problem}"
        raise BadInputError(msg)
    with refusing():
        require()


def _problem_with(path: Path, source: Path, endings: Sequence[str]) -> str:
    """Say why a file could not be written; nothing if it can."""
    folder = path.parent
    if path.suffix.lower() not in endings:
        return f"the output must end in {' or '.join(endings)}"
    if path.is_dir():
        return "the output is a folder, not a file"
    if not folder.is_dir():
        return "the folder of the output does not exist"
    if not os.access(folder, os.W_OK):
        return "the folder of the output cannot be written to"
    if path.exists() and source.exists() and path.samefile(source):
        return "the output would replace the data"
    return ""


def reading_options(context: typer.Context) -> dict[str, Any]:
    """Return the options of a command that are arguments of :func:`hsieve.open_dataset`."""
    options: dict[str, Any] = {}
    for name, unsaid in READING.items():
        value = context.params.get(name)
        value = value.value if isinstance(value, Enum) else value
        if value not in unsaid:
            options[name] = value
    for name in ("categorical", "drop"):
        if listed := names_in(f"--{name}", context.params[name]):
            options[name] = list(listed)
    return options


def read_dataset(path: Path, options: dict[str, Any]) -> "Dataset":
    """Open a file; what it is refused for becomes bad input."""
    from hsieve.dataset import open_dataset
    from hsieve.exceptions import IdentifierWarning

    with refusing(path), warnings.catch_warnings():
        warnings.simplefilter("ignore", IdentifierWarning)  # its notes say so
        return open_dataset(sys.stdin.buffer if path == STANDARD_INPUT else path, **options)


def read_groups(path: Path) -> dict[str, list[str]]:
    """Read which group each feature belongs to."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        msg = f"{path}: the groups cannot be read ({getattr(error, 'strerror', None) or error})"
        raise BadInputError(msg) from error
    groups: dict[str, list[str]] = {}
    for row in rows:
        if not row.get("feature") or not row.get("group"):
            msg = f"{path}: the file of groups needs the columns feature and group in each row"
            raise BadInputError(msg)
        groups.setdefault(row["group"], []).append(row["feature"])
    return groups


def check_columns(table: "Dataset", method: "Method") -> None:
    """Refuse columns and targets that a method does not take, by the name it has here."""
    from hsieve.data.errors import listed

    if table.categorical:
        names = listed(table.names[place] for place in table.categorical)
        method.check_takes("categorical", f"a table with categories ({names})")
    if method.needs_classes and table.target_kind != "classes":
        msg = (
            f"{method.name} needs a target with classes, but {table.target_name!r} holds "
            "numbers; if these are classes, say --target-kind classes"
        )
        raise ValueError(msg)


@contextmanager
def refusing(source: Path | str = "") -> Iterator[None]:
    """Turn what readers, engines and selectors refuse into bad input, in their own words.

    Selectors know no file, so the name of the `source` is put before what they say.
    """
    import numpy as np

    from hsieve.comparison.results_file import ResultsError
    from hsieve.data.errors import TableError
    from hsieve.exceptions import IncompatibleCombinationError
    from hsieve.parallel import EngineError

    try:
        yield
    except (TableError, EngineError, ImportError, ResultsError) as error:
        raise BadInputError(str(error)) from error
    except np.linalg.LinAlgError:
        raise  # a ValueError by inheritance, but no fault of the user's
    except (ValueError, IncompatibleCombinationError) as error:
        msg = f"{source}: {error}" if source else str(error)
        raise BadInputError(msg) from error


@contextmanager
def written(path: Path, what: str) -> Iterator[None]:
    """Say plainly that a file cannot be written."""
    try:
        yield
    except OSError as error:
        msg = f"{path}: {what} cannot be written ({error.strerror or error})"
        raise BadInputError(msg) from error


@contextmanager
def gathered_warnings(*unwanted: type[Warning]) -> Iterator[list[str]]:
    """Gather the warnings for users; those for programmers are not for this screen."""
    gathered: list[str] = []
    for_programmers: tuple[type[Warning], ...] = (
        DeprecationWarning,
        PendingDeprecationWarning,
        FutureWarning,
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for category in (*for_programmers, *unwanted):
            warnings.simplefilter("ignore", category)
        yield gathered
    gathered.extend(dict.fromkeys(str(warning.message) for warning in caught))


def write_rows(path: Path, rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> None:
    """Write rows of a result, whole or not at all."""
    from hsieve.io.writing import write_features

    with written(path, "the output"):
        write_features(path, rows, columns=columns)


def write_report(path: Path, page: "Report") -> None:
    """Write a page, whole or not at all."""
    with written(path, "the report"):
        page.save(path)


def origin_of(table: "Dataset", reading: dict[str, Any], context: typer.Context) -> "Origin":
    """Say where a result comes from: the command, and the Python that reads the same table."""
    from hsieve.report.repetition import Origin

    arguments = ", ".join(f"{name}={value!r}" for name, value in reading.items())
    code = (
        "from hsieve import open_dataset\n\n"
        f"data = open_dataset({str(table.source)!r}, {arguments})"
    )
    return Origin(_command_line(context), code, "data", notes=table.notes)


def _command_line(context: typer.Context) -> str:
    """Write the command that is being run, with all options that are not the defaults."""
    from hsieve.report.repetition import quoted

    words = ["hsieve", str(context.info_name)]
    for parameter in context.command.params:
        value = context.params.get(str(parameter.name))
        if value is None or value == parameter.default:
            continue
        option = [one for one in parameter.opts if one.startswith("--")][:1]
        for one in value if isinstance(value, list | tuple) else [value]:
            text = [] if one is True and option else [str(getattr(one, "value", one))]
            words += [*option, *text]
    return " ".join(map(quoted, words))
