"""Files that are written whole or not at all; selected features go to CSV or JSON."""

import csv
import hashlib
import json
import math
import os
import shutil
import socket
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

import numpy as np

from hsieve.data.errors import brief, listed, table_error

__all__ = ["write_features", "written_whole"]


def write_features(
    path: str | os.PathLike[str], rows: Iterable[Mapping[str, object]], *, columns: Sequence[str]
) -> None:
    """Write selected features to a CSV or JSON file, whole or not at all.

    Parameters
    ----------
    path : path-like
        A file ending in .csv or .json; an existing one is replaced, its permissions are kept.
    rows : iterable of mapping
        One mapping per feature, with exactly the keys `columns`. NumPy scalars are welcome.
    columns : sequence of str
        The columns of the CSV, or the keys of each JSON object, in this order.

    Raises
    ------
    TableError
        If the ending is unknown, the folder does not exist, the path is a folder, or a row has
        other keys than `columns`.

    Notes
    -----
    The text goes to a temporary file in the same folder, which takes the place of the old one only
    once it is complete and on disk; on any error it is removed and the old file stays. CSV is UTF-8
    with all text quoted, so that any feature name survives; None is an empty field. JSON is a list
    of objects; it knows no NaN or infinity, so these become null.
    """
    path = Path(path)
    write = WRITERS.get(path.suffix.lower())
    if write is None:
        raise table_error(path, f"cannot write this ending, accepted are {listed(WRITERS)}")
    if not columns or len(set(columns)) < len(columns):
        raise table_error(path, f"columns must be distinct and at least one, got {listed(columns)}")
    with (
        written_whole(path) as temporary,
        temporary.open("x", encoding="utf-8", newline="") as file,
    ):
        write(file, _checked_rows(path, rows, columns), columns)


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Give a temporary file to write, which takes the place of another once it is complete."""
    destination = Path(os.path.realpath(path))  # a link stays a link, its file is replaced
    try:
        is_folder = destination.is_dir()
    except OSError as error:  # such as a name that is too long
        raise table_error(path, f"cannot be written ({brief(error)})") from error
    if is_folder:
        raise table_error(path, "this is a folder, not a file to write to")
    if not destination.parent.is_dir():
        raise table_error(path, "the folder to write to does not exist")
    temporary = _temporary(destination)
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        if destination.exists():
            shutil.copymode(destination, temporary)
        os.replace(temporary, destination)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _temporary(destination: Path) -> Path:
    """Name a temporary file of this process, and remove those that killed ones have left."""
    begins = f".{_short_mark(destination.name)}-{_short_mark(socket.gethostname())}-"
    for leftover in destination.parent.glob(f"{begins}*.tmp"):
        writer = leftover.name.removeprefix(begins).partition("-")[0]
        if writer.isdecimal() and not _is_alive(int(writer)):
            with suppress(OSError):  # somebody else's, perhaps; nothing depends on it
                leftover.unlink()
    return destination.with_name(f"{begins}{os.getpid()}-{uuid.uuid4().hex[:8]}.tmp")


def _short_mark(text: str) -> str:
    """Return eight characters that stand for a name of any length."""
    return hashlib.blake2b(os.fsencode(text), digest_size=4).hexdigest()


def _is_alive(process: int) -> bool:
    """Tell whether a process of this machine runs, as far as the system lets that be asked."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _checked_rows(
    path: Path, rows: Iterable[Mapping[str, object]], columns: Sequence[str]
) -> Iterator[list[object]]:
    """Give the values of each row in the order of the columns, as plain Python ones."""
    for number, row in enumerate(rows, start=1):
        if set(row) != set(columns):
            problem = f"row {number} to write has the keys {listed(map(str, row))}"
            raise table_error(path, f"{problem}, accepted are {listed(columns)}")
        values = [row[name] for name in columns]
        yield [value.item() if isinstance(value, np.generic) else value for value in values]


def _write_csv(file: TextIO, rows: Iterable[list[object]], columns: Sequence[str]) -> None:
    """Write a header and rows."""
    # Quoting all text, since Python before 3.13 leaves a lone carriage return unquoted.
    writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)


def _write_json(file: TextIO, rows: Iterable[list[object]], columns: Sequence[str]) -> None:
    """Write a list of objects, with null for the floats that JSON does not know."""
    records = [
        {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in zip(columns, row, strict=True)
        }
        for row in rows
    ]
    json.dump(records, file, ensure_ascii=False, allow_nan=False, indent=1)
    file.write("\n")


WRITERS: dict[str, Callable[[TextIO, Iterable[list[object]], Sequence[str]], None]] = {
    ".csv": _write_csv,
    ".json": _write_json,
}
