"""Files read in a worker process, since a corrupt one may crash it.

The HDF5 library can crash on corrupt files: some make it read outside its memory, loop for ever
or ask for gigabytes, and nothing inside a process can stop that. So another process opens such a
file and hands its numbers over. It has a limit of memory and of computing; where it ends, the file
is refused in one sentence, and whoever asked goes on.

A message is a line of JSON, its length before it, followed by the bytes of some arrays. It is never
a pickle, which would run whatever a process sends that a file has taken over. A pool of
`concurrent.futures` would send pickles, and import the user's script in the worker, so that every
script that opens such a file would need an ``if __name__ == "__main__":``.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import IO, Any

import numpy as np

from hsieve.data.errors import TableError, clipped, on_one_line, table_error
from hsieve.io.source import size_on_disk, unpacked_limit
from hsieve.io.values import Array

__all__ = ["Message", "ReaderProcess", "Reading", "serve", "start", "work_with_limits"]

# What may be sent: no objects, no text.
KINDS_SENT = "biuf"
LENGTH_BYTES = 8
# Seconds of computing that one question may take, and how many bytes of the file add one more.
LEAST_SECONDS = 20
BYTES_A_SECOND = 10**6
# Beside what a file may unpack to: once more the same, for entries put in order, and this.
WORKING_BYTES = 512 * 10**6
# Seconds in which a process that answers no more has to be gone.
PATIENCE = 10.0
BEGIN = (
    "import importlib, json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "importlib.import_module(sys.argv[2]).main()"
)


@dataclass(frozen=True, eq=False)
class Message:
    """A question or an answer.

    Parameters
    ----------
    about : dict
        Whatever JSON can hold.
    arrays : sequence of ndarray, default=()
        Booleans, integers and floats.
    """

    about: dict[str, Any]
    arrays: Sequence[Array] = ()

    def send(self, stream: IO[bytes]) -> None:
        """Write it to a stream."""
        arrays = [np.ascontiguousarray(array) for array in self.arrays]
        kinds = [[array.dtype.str, array.shape] for array in arrays]
        head = json.dumps({**self.about, "arrays": kinds}).encode()
        stream.write(len(head).to_bytes(LENGTH_BYTES, "big") + head)
        for array in arrays:
            stream.write(array.data)
        stream.flush()

    @classmethod
    def receive(cls, stream: IO[bytes]) -> "Message":
        """Read the next one; EOFError where the other side has ended."""
        about = json.loads(_exactly(stream, int.from_bytes(_exactly(stream, LENGTH_BYTES), "big")))
        arrays = []
        for name, shape in about.pop("arrays"):
            dtype = np.dtype(name)
            if dtype.kind not in KINDS_SENT:
                msg = f"arrays of {dtype} are not sent"
                raise ValueError(msg)
            array = np.empty(shape, dtype=dtype)
            if array.size:
                _fill(stream, array.reshape(-1).view(np.uint8).data)
            arrays.append(array)
        return cls(about, arrays)


@dataclass(frozen=True, eq=False)
class Reading:
    """A process that reads, as seen from outside.

    Parameters
    ----------
    requests, replies : binary file
        What it is asked, and what it answers.
    end : callable
        Ends it, unless it does so itself within some seconds, and tells how it ended: a signal,
        words, or nothing if all was well.
    """

    requests: IO[bytes]
    replies: IO[bytes]
    end: Callable[[float], str]


def start(module: str) -> Reading:
    """Start a process that imports a module and calls its `main`.

    It has a session of its own: Ctrl-C is for whoever started it, who then ends it.
    """
    said = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
    alone = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", BEGIN, json.dumps([str(folder) for folder in sys.path]), module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            env={**os.environ, **alone},
            start_new_session=True,
        )
    except BaseException:
        said.close()
        raise
    assert process.stdin is not None
    assert process.stdout is not None

    def end(patience: float) -> str:
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):
                stream.close()  # type: ignore[union-attr]
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience)
        process.kill()  # it only reads, so nothing is left half done
        code = process.wait()
        with said:
            said.seek(0)
            last = said.read().decode(errors="replace").strip().splitlines()[-1:]
        return signal.Signals(-code).name if code < 0 else "".join(last)

    return Reading(process.stdin, process.stdout, end)


@dataclass(eq=False)
class ReaderProcess:
    """Whom a file is read by.

    Parameters
    ----------
    path : Path
        The file, for messages.
    form : str
        What it should be.
    module : str
        The module whose `main` reads it, by way of :func:`serve`.
    """

    path: Path
    form: str
    module: str
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        if getattr(sys, "frozen", False):  # then sys.executable is that program, not Python
            problem = (
                f"{self.form} is read by a Python process, which a frozen program cannot start"
            )
            raise table_error(self.path, f"{problem}; open it with anndata and hand that over")
        try:
            self._reading = start(self.module)
        except OSError as error:
            problem = f"the process that reads {self.form} cannot be started ({error})"
            raise table_error(self.path, problem) from error
        self._is_open = True
        # Also when the last column is forgotten, or Python ends.
        self._closed = weakref.finalize(self, self._reading.end, 0.0)

    def ask(self, about: dict[str, Any], *arrays: Array) -> Message:
        """Ask for something, by one thread at a time."""
        with self._lock:
            if not self._is_open:
                raise table_error(self.path, "is closed")
            try:
                Message(about, arrays).send(self._reading.requests)
                reply = Message.receive(self._reading.replies)
            except (OSError, EOFError):
                raise self._death() from None
            except BaseException:
                # Half an answer is on its way, such as after Ctrl-C: nothing can be asked any more.
                self.close()
                raise
        for words in reply.about.pop("warnings", ()):
            warnings.warn(f"{self.path}: {words}", UserWarning, stacklevel=2)
        if "error" in reply.about:
            raise TableError(reply.about["error"])
        return reply

    def close(self) -> None:
        """End the process."""
        self._is_open = False
        self._closed()

    def _death(self) -> TableError:
        """Say how the process ended."""
        self._is_open = False
        how = "without a word"
        if self._closed.detach():
            how = self._reading.end(PATIENCE) or how
        if how == "SIGXCPU":
            seconds = seconds_for(self.path)
            reason = f"it took more than {seconds} s of computing, so it is damaged"
        elif how == "SIGKILL":
            reason = "the process that read it was killed, perhaps for want of memory"
        else:
            reason = f"the process that read it ended: {clipped(on_one_line(how))}"
            if how in signal.Signals.__members__:
                reason += ", so it is damaged in a way that its library does not stand"
        return table_error(self.path, f"cannot be read as {self.form} ({reason})")


def serve(answer: Callable[[Message], Message], requests: IO[bytes], replies: IO[bytes]) -> None:
    """Answer questions until there are no more."""
    while True:
        try:
            request = Message.receive(requests)
        except EOFError:
            return
        with warnings.catch_warnings(record=True) as told:
            try:
                reply = answer(request)
            except TableError as error:
                reply = Message({"error": str(error)})
        said = list(dict.fromkeys(on_one_line(str(one.message)) for one in told))
        Message({**reply.about, "warnings": said}, reply.arrays).send(replies)


def seconds_for(path: Path) -> int:
    """Return the seconds of computing that one question about a file may take."""
    return LEAST_SECONDS + size_on_disk(path) // BYTES_A_SECOND


def work_with_limits(answer: Callable[[Message], Message]) -> Callable[[Message], Message]:
    """Limit what a process may take, where the system can: memory once, computing a question."""
    try:
        resource = import_module("resource")
    except ImportError:  # Windows
        return answer
    path: Path | None = None

    def within(request: Message) -> Message:
        nonlocal path
        if path is None:
            path = Path(request.about["path"])
            # No copy of the memory of a process that dies.
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            most = _data_bytes() + 2 * unpacked_limit(path) + WORKING_BYTES
            _set_limit(resource, resource.RLIMIT_DATA, most)
        used = resource.getrusage(resource.RUSAGE_SELF)
        _set_limit(
            resource,
            resource.RLIMIT_CPU,
            int(used.ru_utime + used.ru_stime) + 1 + seconds_for(path),
        )
        return answer(request)

    return within


def _set_limit(resource: Any, what: int, most: int) -> None:
    """Set a limit that this process can change again, below what it is not allowed to pass."""
    _, hard = resource.getrlimit(what)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(what, (most, hard))


def _data_bytes() -> int:
    """Return the memory that this process has of its own."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmData:"):
                return 1024 * int(line.split()[1])
    return WORKING_BYTES


def _exactly(stream: IO[bytes], n_bytes: int) -> bytearray:
    """Read so many bytes."""
    found = bytearray(n_bytes)
    _fill(stream, memoryview(found))
    return found


def _fill(stream: IO[bytes], room: memoryview) -> None:
    """Read as many bytes as there is room for; EOFError where there are fewer."""
    n_read = 0
    while n_read < len(room):
        n_more = stream.readinto(room[n_read:])  # type: ignore[attr-defined]
        if not n_more:
            raise EOFError
        n_read += n_more
