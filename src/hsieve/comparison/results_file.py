"""A file that holds the records of each finished piece, whatever happens to the process.

One line of JSON for each piece, after a first line that says what the file belongs to. A line is
appended and brought to the disk at once; a line that was cut short, because the process or the
machine died while it was written, is the last one, is recognised and cut off, and its piece is
measured again. So each piece is there completely or not at all, and no figure is lost or changed:
JSON keeps every digit of a number.

The file is locked as long as it is open. The lock belongs to the process and ends with it, so a
killed run leaves none behind.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from io import FileIO
from pathlib import Path
from typing import Any, TypeAlias

from hsieve.parallel.checkpoint import lock_file

Record: TypeAlias = dict[str, str | int | float]
Key: TypeAlias = tuple[str, int, int, str]

FORMAT = 1


class ResultsError(Exception):
    """A file of results that cannot be used; the message is one plain sentence."""


@dataclass(frozen=True)
class Finished:
    """What was measured of a finished piece, and how long it took."""

    records: list[Record]
    seconds: float


class Results:
    """Finished pieces by their keys: in memory, or also in a file (:func:`open_results`)."""

    def __init__(
        self,
        finished: dict[Key, Finished],
        keep: Callable[[Mapping[str, Any]], None] = lambda _: None,
    ) -> None:
        self.finished = finished
        self._keep = keep

    def add(self, key: Key, finished: Finished) -> None:
        """Keep a piece."""
        self._keep({"key": key, "seconds": finished.seconds, "records": finished.records})
        self.finished[key] = finished


@contextmanager
def open_results(
    path: Path, belongs_to: Mapping[str, str | int], *, fresh: bool = False
) -> Iterator[Results]:
    """Open a file of results, or begin one, and keep others out."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Opened for appending: the content of a file that turns out to be in use is left alone.
        # Without a buffer, which would be written once more when the file is closed.
        file = path.open("a+b", buffering=0)
    except OSError as error:
        raise _unwritable(path, error) from error
    with file:
        _lock(file, path)
        header = {"format": FORMAT, **belongs_to}
        try:
            if fresh:
                file.truncate(0)
            finished = _read(file, path, header)
        except OSError as error:
            raise _unwritable(path, error) from error
        yield Results(finished, partial(_append, file, path))


def _unwritable(path: Path, error: OSError) -> ResultsError:
    """Say that the file cannot be written."""
    return ResultsError(f"{path}: the results cannot be kept there ({error.strerror or error})")


def _read(file: FileIO, path: Path, header: Mapping[str, Any]) -> dict[Key, Finished]:
    """Read what is there, cut off what was not completed, begin what is empty."""
    file.seek(0)
    lines = file.read().splitlines(keepends=True)
    length = sum(map(len, lines))
    if lines and not _is_complete(lines[-1]):
        length -= len(lines.pop())
        file.truncate(length)
    if not lines:
        _append(file, path, header)
        return {}
    _check_header(_parsed(lines[0], path, 1), path, header)
    finished = {}
    for number, line in enumerate(lines[1:], start=2):
        content = _parsed(line, path, number)
        try:
            dataset, trial, part, method = content["key"]
            found = Finished(list(content["records"]), float(content["seconds"]))
        except (KeyError, TypeError, ValueError) as error:
            raise _damaged(path, number) from error
        finished[str(dataset), int(trial), int(part), str(method)] = found
    return finished


def _is_complete(line: bytes) -> bool:
    """Tell whether a line was written to its end."""
    try:
        return line.endswith(b"\n") and isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _parsed(line: bytes, path: Path, number: int) -> dict[str, Any]:
    """Read a line in the middle of the file, where nothing can have been cut short."""
    if not _is_complete(line):
        raise _damaged(path, number)
    content: dict[str, Any] = json.loads(line)
    return content


def _damaged(path: Path, number: int) -> ResultsError:
    """Say that somebody else has written into the file."""
    return ResultsError(
        f"{path}: line {number} is not what a run writes; mend the file, move it away, or start "
        "over with --fresh"
    )


def _check_header(found: Mapping[str, Any], path: Path, expected: Mapping[str, Any]) -> None:
    """Refuse records that do not go with those to come."""
    differing = [name for name in {**expected, **found} if found.get(name) != expected.get(name)]
    if differing:
        here = ", ".join(f"{name} {expected.get(name, 'unknown')}" for name in differing)
        there = ", ".join(f"{name} {found.get(name, 'unknown')}" for name in differing)
        msg = (
            f"{path} was made with {there}, this run is with {here}, and figures of both must not "
            "be mixed; run with the same, name another folder by --results, or start over with "
            "--fresh"
        )
        raise ResultsError(msg)


def _append(file: FileIO, path: Path, content: Mapping[str, Any]) -> None:
    """Write one line to the end and see it to the disk, or leave the file as it was."""
    line = json.dumps(content).encode() + b"\n"
    length = file.seek(0, os.SEEK_END)
    try:
        while line:
            line = line[file.write(line) :]
        os.fsync(file.fileno())
    except BaseException as error:
        file.truncate(length)
        if isinstance(error, OSError):
            raise _unwritable(path, error) from error
        raise


def _lock(file: FileIO, path: Path) -> None:
    """Keep other processes out until the file is closed or this process ends."""
    try:
        lock_file(file)
    except OSError as error:
        msg = (
            f"{path} is in use by another run; wait for its end, or name another folder by "
            "--results"
        )
        raise ResultsError(msg) from error
