"""What commands leave in their folders, file by file: whole or not."""

import csv
import hashlib
import io
import json
from pathlib import Path
from typing import Any

__all__ = ["LEFTOVERS", "check_whole", "differences", "n_kept"]

# What may differ between two runs of the same work.
TIMES = {"seconds", "cpu_seconds", "memory"}
# Files in the making, which a killed command may leave and the next one clears away.
LEFTOVERS = {".tmp", ".partial"}


def check_whole(folder: Path, expected: Path) -> None:
    """See that every file of a folder is whole, or one in the making.

    A file is compared with that of the same name in the folder of an undisturbed run: it holds the
    same but for times, and of lines of JSON any number, the last one perhaps cut short.
    """
    for path in _files(folder):
        if path.suffix in LEFTOVERS or path.name == "lock":
            continue
        undisturbed = expected / path.relative_to(folder)
        assert undisturbed.exists(), f"{path} is not expected here"
        if path.suffix == ".jsonl":
            *lines, _ = path.read_bytes().split(b"\n")
            known = map(json.loads, undisturbed.read_bytes().splitlines())
            found = map(json.loads, lines)
            assert set(map(_without_times, found)) <= set(map(_without_times, known)), path
            continue
        if path.suffix == ".result":
            header, _, packed = path.read_bytes().partition(b"\n")
            mark = hashlib.blake2b(packed, digest_size=16).hexdigest()
            assert json.loads(header)["mark"] == mark, path
        assert _content(path) == _content(undisturbed), path


def differences(folder: Path, expected: Path) -> set[str]:
    """Return the names of files that one folder has and the other has not, in the end."""
    return {
        str(path)
        for path in {path.relative_to(folder) for path in _files(folder)}
        ^ {path.relative_to(expected) for path in _files(expected)}
    }


def n_kept(folder: Path) -> int:
    """Return how many results are kept for a run to come: tasks of checkpoints, and pieces."""
    lines = sum(path.read_bytes().count(b"\n") - 1 for path in folder.rglob("*.jsonl"))
    return max(0, lines) + sum(1 for _ in folder.rglob("*.result"))


def _files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file()]


def _content(path: Path) -> Any:
    """Return what a file holds, without times."""
    content = path.read_bytes()
    if path.suffix != ".csv":
        return content
    rows = csv.DictReader(io.StringIO(content.decode(), newline=""))
    return [{key: value for key, value in row.items() if key not in TIMES} for row in rows]


def _without_times(value: Any) -> str:
    """Write a value out, without times wherever they are."""

    def kept(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: kept(inner) for key, inner in part.items() if key not in TIMES}
        return [kept(inner) for inner in part] if isinstance(part, list) else part

    return json.dumps(kept(value), sort_keys=True)
