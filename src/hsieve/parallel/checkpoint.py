"""An engine that keeps each result in a folder and, run again, computes only what is missing.

Tasks of a map are known by fingerprints of the function, the shared value and the task itself, not
by their number. A result is therefore taken for exactly what was asked for, and a run may be taken
up again on another engine, which may ask for other things in between. What tasks and shared values
hold as :class:`hsieve.fingerprint.Ignored` - the data - must follow from what the whole checkpoint
is known by.

The folder keeps the results whatever happens to the process. It holds

* ``checkpoint.json``, written first: what the run is, so that no other one takes its results;
* ``lock``: process and host of the run that has the folder open, for messages. The lock itself is
  one of the system, which ends with its process;
* for each map of the run a folder with a file for each task that is done, both named by
  fingerprints of what was asked for.

Files are written under another name (``.partial``), brought to the disk and then renamed, so each
is there completely or not at all. A result begins with a line that says what it belongs to and has
a fingerprint of the rest; one that does not agree with it is damaged, is reported, and is never
used.
"""

import errno
import hashlib
import io
import json
import os
import socket
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_info

from hsieve.fingerprint import fingerprint_of
from hsieve.parallel.base import Engine, EngineError, Held, Results, Traffic, version

FORMAT = 1
MANIFEST = "checkpoint.json"
LOCK = "lock"
PARTIAL = ".partial"
RESULT = ".result"
NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP)
MOST_SHOWN = 60

Arrays = tuple[NDArray[Any], ...]


class Checkpointed(Engine):
    """Another engine, the results of which are kept; the answer is the same.

    Notes
    -----
    Each result is brought to the disk before it is handed on, and a damaged one is computed again,
    with a warning.

    Examples
    --------
    >>> import tempfile
    >>> from hsieve.parallel import make_engine
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for _ in range(2):  # the second time nothing is computed
    ...         with Checkpointed(make_engine("threads"), folder, {"seed": 1}) as engine:
    ...             [int(last[0]) for _, last in engine.map(np.divmod, [np.array([7])], shared=4)]
    [3]
    [3]
    """

    keeps_results = True

    def __init__(
        self,
        engine: Engine,
        folder: str | os.PathLike[str],
        settings: Mapping[str, Any],
        marks: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self.is_local, self.staging = engine.is_local, engine.staging
        self._engine = engine
        self._folder = Path(folder)
        self._belongs_to = (settings, marks or {})

    @property
    def traffic(self) -> Traffic:
        """Bytes moved between processes so far."""
        return self._engine.traffic

    def _start(self, opened: ExitStack) -> None:
        # Before workers are started, because most of what can be wrong is wrong here.
        opened.enter_context(open_checkpoint(self._folder, *self._belongs_to))
        if not self._engine.is_open:
            opened.enter_context(self._engine)

    def _map(self, function: Any, tasks: Iterator[Any], shared: Any, most: int | None) -> Results:
        """Let the engine do what is not kept."""
        kept = KeptResults(self._folder, fingerprint_of((function, shared)))
        # Fingerprints of the tasks asked for and not yet given back, and whether their results are
        # kept.
        asked: deque[tuple[str, bool]] = deque()

        def missing() -> Iterator[Any]:
            for task in tasks:
                # Data that workers hold are known by the whole checkpoint, as all data are.
                of_task = fingerprint_of(task.task if isinstance(task, Held) else task)
                asked.append((of_task, kept.has(of_task)))
                if not asked[-1][1]:
                    yield task

        with closing(
            self._engine.map(function, missing(), shared=shared, most_in_flight=most)
        ) as computed:
            for result in computed:
                while asked[0][1]:
                    yield kept.get(asked.popleft()[0])  # type: ignore[misc]
                kept.put(asked.popleft()[0], _arrays(function, result))
                yield result
            while asked:
                yield kept.get(asked.popleft()[0])  # type: ignore[misc]


def _arrays(function: Callable[..., Any], result: Any) -> Arrays:
    """Pass on what can be kept, and refuse the rest."""
    is_plain = isinstance(result, tuple) and all(
        isinstance(array, np.ndarray) and not array.dtype.hasobject for array in result
    )
    if not is_plain:
        msg = (
            "A checkpoint keeps results that are tuples of arrays of numbers or text, but "
            f"{getattr(function, '__name__', function)} returned {type(result).__name__}."
        )
        raise TypeError(msg)
    arrays: Arrays = result
    return arrays


class CheckpointError(EngineError):
    """A checkpoint that cannot be used or written; the message is plain and names the folder."""


class KeptResults:
    """Results of the tasks of one map."""

    def __init__(self, folder: Path, of_map: str) -> None:
        self._folder = folder / of_map
        self._of_map = of_map

    def has(self, of_task: str) -> bool:
        """Tell whether the result of a task is there, whole and right; say so if it is damaged."""
        path = self._path(of_task)
        if not path.exists():
            return False
        if self._content(path, of_task) is not None:
            return True
        msg = f"The checkpoint's file {path} is damaged; what it held is computed again."
        warnings.warn(msg, UserWarning, stacklevel=2)
        return False

    def get(self, of_task: str) -> Arrays:
        """Return the result of a task that is there."""
        path = self._path(of_task)
        content = self._content(path, of_task)
        if content is None:
            msg = f"{path} was changed or taken away while the run went on; run it again."
            raise CheckpointError(msg)
        n_arrays, packed = content
        file = io.BytesIO(packed)
        try:
            return tuple(np.load(file, allow_pickle=False) for _ in range(n_arrays))
        except (ValueError, TypeError, EOFError, MemoryError, ArithmeticError) as error:
            # The fingerprint fits, so that somebody else than a run of ours has written it.
            msg = f"{path} holds no results of a run ({error}); name another folder."
            raise CheckpointError(msg) from error

    def put(self, of_task: str, result: Arrays) -> None:
        """Keep the result of a task."""
        file = io.BytesIO()
        for array in result:
            np.save(file, array, allow_pickle=False)
        packed = file.getvalue()
        header = {**self._header(of_task), "n_arrays": len(result), "mark": _mark(packed)}
        with _told(self._folder.parent):
            self._folder.mkdir(exist_ok=True)
            _write(self._path(of_task), json.dumps(header).encode() + b"\n" + packed)

    def _path(self, of_task: str) -> Path:
        return self._folder / f"{of_task}{RESULT}"

    def _header(self, of_task: str) -> dict[str, Any]:
        return {"format": FORMAT, "map": self._of_map, "task": of_task}

    def _content(self, path: Path, of_task: str) -> tuple[int, bytes] | None:
        """Return number and bytes of the arrays in a file, or None if anything is amiss."""
        with _told(self._folder.parent):
            try:
                line, _, packed = path.read_bytes().partition(b"\n")
            except FileNotFoundError:
                return None
        try:
            found = dict(json.loads(line))
            n_arrays, mark = int(found.pop("n_arrays")), found.pop("mark")
        except (ValueError, TypeError, KeyError, RecursionError):
            return None
        is_right = found == self._header(of_task) and mark == _mark(packed)
        return (n_arrays, packed) if is_right else None


@contextmanager
def open_checkpoint(
    folder: Path, settings: Mapping[str, Any], marks: Mapping[str, str]
) -> Iterator[Path]:
    """Open the folder of a checkpoint, or begin one, and keep others out."""
    with _told(folder):
        if folder.exists() and not folder.is_dir():
            msg = f"{folder} is a file; a checkpoint needs a folder."
            raise CheckpointError(msg)
        if folder.exists() and not (folder / MANIFEST).exists():
            _refuse_others(folder)
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / LOCK).open("a+", encoding="utf-8")
    with file:
        _lock(file, folder)
        expected = {
            "format": FORMAT,
            "hsieve": version(),
            "made by": _arithmetic(),
            "settings": dict(settings),
            "marks": dict(marks),
        }
        with _told(folder):
            if (folder / MANIFEST).exists():
                _check(folder, expected)
                for leftover in (*folder.glob(f"*{PARTIAL}"), *folder.glob(f"*/*{PARTIAL}")):
                    leftover.unlink()
            else:
                _write(folder / MANIFEST, json.dumps(expected, indent=1).encode())
        yield folder


def _refuse_others(folder: Path) -> None:
    """Refuse a folder with anything that a run killed before its first result does not leave."""
    own = {LOCK, f"{MANIFEST}{PARTIAL}"}
    others = sorted(path.name for path in folder.iterdir() if path.name not in own)
    if others:
        msg = (
            f"{folder} is no checkpoint, since it holds {others[0]!r}; name a new or empty folder."
        )
        raise CheckpointError(msg)


def _lock(file: IO[str], folder: Path) -> None:
    """Keep other runs out, as far as the file system can."""
    try:
        lock_file(file)
    except OSError as error:
        if error.errno in NO_LOCKS:
            msg = f"The file system of {folder} has no locks: let no second run use that folder."
            warnings.warn(msg, UserWarning, stacklevel=2)
            return
        file.seek(0)
        holder = file.read().strip() or "another run"
        msg = f"{folder} is in use by {holder}; wait for its end, or name another folder."
        raise CheckpointError(msg) from error
    with _told(folder):
        file.seek(0)
        file.truncate()
        file.write(f"process {os.getpid()} on {socket.gethostname()}\n")
        file.flush()


def _arithmetic() -> str:
    """Name what the last digits of results depend on: NumPy, and the BLAS that it has loaded."""
    found = [lib for lib in threadpool_info() if lib["user_api"] == "blas"]
    # Other packages may have brought another one, in one run and not in the next.
    own = [lib for lib in found if "numpy" in lib["filepath"]] or found
    names = sorted({f"{lib['internal_api']} {lib['version']}" for lib in own})
    return f"NumPy {np.__version__} with {' and '.join(names) or 'an unknown BLAS'}"


def _check(folder: Path, expected: Mapping[str, Any]) -> None:
    """Refuse the checkpoint of another run."""
    try:
        found = dict(json.loads((folder / MANIFEST).read_bytes()))
        kept, marks = dict(found["settings"]), dict(found["marks"])
        version = (found["format"], found["hsieve"])
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        msg = f"{folder / MANIFEST} is damaged or no checkpoint's; name another folder."
        raise CheckpointError(msg) from error
    difference, made_by = "", found.get("made by", "an unknown NumPy")
    if version != (expected["format"], expected["hsieve"]):
        difference = f"hsieve {version[1]} (format {version[0]}), now {expected['hsieve']}"
    elif made_by != expected["made by"]:
        difference = f"{made_by}, now {expected['made by']}, which may give other last digits"
    elif kept != (wanted := json.loads(json.dumps(expected["settings"]))):
        difference = _first_difference(kept, wanted)
    elif marks != expected["marks"]:
        wanted = expected["marks"]
        name = next(name for name in {**wanted, **marks} if marks.get(name) != wanted.get(name))
        difference = f"other {name}"
    if difference:
        msg = (
            f"{folder} is the checkpoint of another run: it was made with {difference}. Name "
            "another folder, or delete this one."
        )
        raise CheckpointError(msg)


def _first_difference(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """Say in words which setting differs."""
    name = next(
        name
        for name in {**wanted, **found}
        if name not in found or name not in wanted or found[name] != wanted[name]
    )
    before, now = (repr(of[name]) if name in of else "no such setting" for of in (found, wanted))
    if max(len(before), len(now)) > MOST_SHOWN:
        return f"another {name}"
    return f"{name}={before}, now {now}"


def _write(path: Path, content: bytes) -> None:
    """Write a file completely or not at all, and see it to the disk."""
    partial = path.with_name(path.name + PARTIAL)
    try:
        with partial.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:  # Ctrl-C, too, leaves nothing half-written
        partial.unlink(missing_ok=True)
        raise
    if os.name == "posix":
        # Else the new name could be lost with the machine, though the content is not.
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    """Say plainly that a folder cannot be read or written."""
    try:
        yield
    except OSError as error:
        msg = f"{folder}: the checkpoint cannot be kept there ({error.strerror or error})."
        raise CheckpointError(msg) from error


def _mark(packed: bytes) -> str:
    """Return a fingerprint of bytes."""
    return hashlib.blake2b(packed, digest_size=16).hexdigest()


def lock_file(file: IO[Any]) -> None:
    """Keep others out until the file is closed or this process ends, even if it is killed."""
    if sys.platform == "win32":
        import msvcrt

        # Locked bytes cannot be read there, so the lock is far behind any content.
        file.seek(2**40)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
