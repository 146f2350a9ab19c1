"""What the commands that read a table share: reading, refusing plainly, and writing.

Everything that can be wrong with a request is found before the work starts, and nothing is written
before it has ended.
"""

import os
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hsieve.cli.errors import BadInputError

if TYPE_CHECKING:
    from hsieve.dataset import Dataset

__all__ = [
    "check_memory_limit",
    "check_output",
    "gathered_warnings",
    "in_options",
    "plainly",
    "read_dataset",
    "reading_options",
    "refusing",
    "write_rows",
]

OUTPUT_ENDINGS = (".csv", ".json")
# Parameters of selectors that are options of a command, where their messages name them.
PARAMETERS = (
    "expected_false_selections|memory_limit|n_features_to_select|screen|screen_by|"
    "target_kind|time_limit"
)
# Options that are not called as their parameter is.
OTHER_NAMES = {
    "expected_false_selections": "false-selections",
    "n_features_to_select": "n-features",
}
GIVEN_PARAMETER = re.compile(rf"\b({PARAMETERS})(?:='([^']*)'|=([\w.+-]*\w)|(?= must))")


def check_output(path: Path, source: Path, endings: Sequence[str] = OUTPUT_ENDINGS) -> None:
    """Refuse an output file that could not be written, before any work is done.

    Parameters
    ----------
    path : Path
        Where the output is to go.
    source : Path
        The file that is read.
    endings : sequence of str, default=(".csv", ".json")
        Endings to accept.

    Raises
    ------
    BadInputError
        If the ending is unknown, the folder is missing or closed, or it would replace the data.
    """
    folder = path.parent
    problem = ""
    if path.suffix.lower() not in endings:
        problem = f"the output must end in {' or '.join(endings)}"
    elif path.is_dir():
        problem = "the output is a folder, not a file"
    elif not folder.is_dir():
        problem = "the folder of the output does not exist"
    elif not os.access(folder, os.W_OK):
        problem = "the folder of the output cannot be written to"
    elif path.exists() and source.exists() and path.samefile(source):
        problem = "the output would replace the data"
    if problem:
        msg = f"{path}: {problem}"
        raise BadInputError(msg)


def check_memory_limit(limit: str | None) -> None:
    """Refuse a limit that is no amount of memory.

    Parameters
    ----------
    limit : str or None
        Such as "2GB".

    Raises
    ------
    BadInputError
        If it cannot be read.
    """
    from hsieve.data.memory import bytes_of

    if limit is None:
        return
    try:
        bytes_of(limit)
    except ValueError as error:
        msg = f"--memory-limit must be such as 500MB or 2GB, got {limit!r}"
        raise BadInputError(msg) from error


def reading_options(
    target: str | None,
    target_kind: str,
    categorical: Sequence[str] | None,
    drop: Sequence[str] | None,
    missing: str = "refuse",
) -> dict[str, Any]:
    """Return the arguments of :func:`hsieve.open_dataset` that are not the usual ones."""
    options: dict[str, Any] = {"target": target}
    if missing != "refuse":
        options["missing"] = missing
    if categorical:
        options["categorical"] = list(categorical)
    if drop:
        options["drop"] = list(drop)
    if target_kind != "auto":
        options["target_kind"] = target_kind
    return options


def read_dataset(path: Path, options: dict[str, Any]) -> "Dataset":
    """Open a file; what it is refused for becomes bad input.

    Raises
    ------
    BadInputError
        If it cannot be read.
    """
    from hsieve.dataset import open_dataset
    from hsieve.exceptions import IdentifierWarning

    with plainly(path), warnings.catch_warnings():
        warnings.simplefilter("ignore", IdentifierWarning)  # its notes say so
        return open_dataset(path, **options)


@contextmanager
def refusing() -> Iterator[None]:
    """Turn what readers and writers of files refuse into bad input."""
    from hsieve.data.tables import TableError

    try:
        yield
    except TableError as error:
        raise BadInputError(in_options(str(error))) from error


@contextmanager
def plainly(source: Path | str) -> Iterator[None]:
    """Turn what selectors refuse, and what is read late, into a sentence about the file."""
    import numpy as np

    from hsieve.exceptions import IncompatibleCombinationError

    try:
        with refusing():
            yield
    except np.linalg.LinAlgError:
        raise  # a ValueError by inheritance, but no fault of the user's
    except (ValueError, IncompatibleCombinationError) as error:
        msg = f"{source}: {in_options(str(error))}"
        raise BadInputError(msg) from error


def in_options(message: str) -> str:
    """Name options of the command line where a message names parameters.

    Parameters
    ----------
    message : str
        What a selector says.

    Returns
    -------
    str
        The same in the words of the command line.

    Examples
    --------
    >>> in_options("more than time_limit=3600 seconds, try screen_by='relevance'.")
    'more than --time-limit 3600 seconds, try --screen-by relevance.'
    """

    def option(found: re.Match[str]) -> str:
        name = OTHER_NAMES.get(found[1], found[1].replace("_", "-"))
        words = (f"--{name}", found[2] or found[3])
        return " ".join(word for word in words if word)

    return GIVEN_PARAMETER.sub(option, message)


@contextmanager
def gathered_warnings(*unwanted: type[Warning]) -> Iterator[list[str]]:
    """Gather the warnings for users; those for programmers are not for this screen.

    Parameters
    ----------
    *unwanted : type of Warning
        Warnings to leave out.

    Yields
    ------
    list of str
        Holds each warning once after the block.
    """
    told: list[str] = []
    ignored: list[type[Warning]] = [
        DeprecationWarning,
        PendingDeprecationWarning,
        FutureWarning,
        *unwanted,
    ]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for category in ignored:
            warnings.simplefilter("ignore", category)
        yield told
    told.extend(dict.fromkeys(str(warning.message) for warning in caught))


def write_rows(path: Path, rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> None:
    """Write rows of a result, whole or not at all.

    Parameters
    ----------
    path : Path
        A file ending in .csv or .json.
    rows : sequence of dict
        The rows.
    columns : sequence of str
        Their keys.

    Raises
    ------
    BadInputError
        If the file cannot be written.
    """
    from hsieve.data.tables import write_features

    try:
        with refusing():
            write_features(path, rows, columns=columns)
    except OSError as error:
        msg = f"{path}: the output cannot be written ({error.strerror or error})"
        raise BadInputError(msg) from error
