"""What the commands that read a table share: reading, refusing plainly, and writing.

Everything that can be wrong with a request is found before the work starts, and nothing is written
before it has ended.
"""

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hsieve.cli.errors import BadInputError
from hsieve.cli.options import names_in

if TYPE_CHECKING:
    from hsieve.dataset import Dataset

__all__ = [
    "check_memory_limit",
    "check_output",
    "gathered_warnings",
    "read_dataset",
    "reading_options",
    "refusing",
    "write_rows",
    "written",
]

OUTPUT_ENDINGS = (".csv", ".json")
STANDARD_INPUT = Path("-")


def check_output(path: Path, source: Path, endings: Sequence[str] = OUTPUT_ENDINGS) -> None:
    """Refuse an output file that could not be written, before any work is done."""
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
    """Refuse a limit that is no amount of memory."""
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
    categorical: list[str] | None,
    drop: list[str] | None,
    missing: str = "refuse",
    *,
    written: tuple[str | None, str | None, str | None] = (None, None, None),
) -> dict[str, Any]:
    """Return the arguments of :func:`hsieve.open_dataset` that are not the defaults."""
    options: dict[str, Any] = {"target": target}
    if missing != "refuse":
        options["missing"] = missing
    if categorical:
        options["categorical"] = list(names_in("--categorical", categorical))
    if drop:
        options["drop"] = list(names_in("--drop", drop))
    if target_kind != "auto":
        options["target_kind"] = target_kind
    told = zip(("sep", "decimal", "encoding"), written, strict=True)
    return options | {name: value for name, value in told if value is not None}


def read_dataset(path: Path, options: dict[str, Any]) -> "Dataset":
    """Open a file; what it is refused for becomes bad input."""
    from hsieve.dataset import open_dataset
    from hsieve.exceptions import IdentifierWarning

    with refusing(path), warnings.catch_warnings():
        warnings.simplefilter("ignore", IdentifierWarning)  # its notes say so
        return open_dataset(sys.stdin.buffer if path == STANDARD_INPUT else path, **options)


@contextmanager
def refusing(source: Path | str = "") -> Iterator[None]:
    """Turn what readers, engines and selectors refuse into bad input, in their own words.

    Selectors know no file, so the name of the `source` is put before what they say; what they
    refuse where there is none is a mistake of ours.
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
        if not source:
            raise
        msg = f"{source}: {error}"
        raise BadInputError(msg) from error


@contextmanager
def written(path: Path, what: str) -> Iterator[None]:
    """Say plainly that a file cannot be written."""
    try:
        with refusing():
            yield
    except OSError as error:
        msg = f"{path}: {what} cannot be written ({error.strerror or error})"
        raise BadInputError(msg) from error


@contextmanager
def gathered_warnings(*unwanted: type[Warning]) -> Iterator[list[str]]:
    """Gather the warnings for users; those for programmers are not for this screen."""
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
    """Write rows of a result, whole or not at all."""
    from hsieve.io.writing import write_features

    with written(path, "the output"):
        write_features(path, rows, columns=columns)
