"""What crosses the border between processes: packed once, counted, and opened on the other side.

A function's own error is a result like any other until it is opened here again. Engines therefore
retry what was lost with a worker and never what is wrong in itself.
"""

import os
import pickle
import socket
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hsieve.parallel.base import EngineError, Held, Traffic, version
from hsieve.parallel.threads import one_blas_thread_a_task


class SerializedValue:
    """A value that is packed once and opened once in each process."""

    def __init__(self, packed: bytes, made_by: str | None = None) -> None:
        self._packed = packed
        self._version = made_by or version()
        self._opened: list[Any] = []

    def __reduce__(self) -> tuple[type["SerializedValue"], tuple[bytes, str]]:
        return SerializedValue, (self._packed, self._version)

    def __sizeof__(self) -> int:
        # Dask asks for it, to know how full a worker is.
        return len(self._packed)

    def refuse_other_version(self, worker: str) -> None:
        """Refuse to open it with another version, whose answer could be another, too."""
        if (found := version()) != self._version:
            msg = f"Worker {worker} needs hsieve {self._version}; found: {found}."
            raise EngineError(msg)

    def open(self) -> Any:
        """Return the value, the same object each time."""
        if not self._opened:
            self._opened.append(pickle.loads(self._packed))
        return self._opened[0]


@dataclass(frozen=True)
class Reply:
    """The result of one task on its way back."""

    worker: str  # host and process that did the task
    packed: bytes  # the pickled result, or the error where it can be rebuilt
    failure: str = ""  # traceback of the error, if there was one


class Border:
    """Where tasks of one map leave this process and their results come back."""

    def __init__(
        self, function: Callable[[Any, Any], Any], shared: Any, count: Callable[[Traffic], None]
    ) -> None:
        self.function = pickle.dumps(function)
        packed = pickle.dumps(shared, protocol=pickle.HIGHEST_PROTOCOL)
        self.shared = SerializedValue(packed)
        self._n_shared_bytes = 0 if shared is None else len(packed)
        self._count = count
        self._workers: set[str] = set()

    def send(self, task: Any) -> bytes:
        """Pack one task."""
        packed = pickle.dumps(task, protocol=pickle.HIGHEST_PROTOCOL)
        self._count(Traffic(tasks=len(packed)))
        return packed

    def receive(self, reply: Reply) -> Any:
        """Return the result of a task, or raise the error of the function."""
        self._count(Traffic(results=len(reply.packed) + len(reply.failure)))
        if reply.worker not in self._workers:
            self._workers.add(reply.worker)
            self._count(Traffic(shared=self._n_shared_bytes))
        if reply.failure:
            raise _rebuilt(reply)
        return pickle.loads(reply.packed)


def perform(function: bytes, task: bytes, shared: SerializedValue, *held: Any) -> Reply:
    """Do one task in a worker.

    Function and task are opened here: a worker that lacks their module can say so only from inside
    a task, and leaves the others waiting if it fails before.
    """
    worker = f"{socket.gethostname()}:{os.getpid()}"
    try:
        shared.refuse_other_version(worker)
        with one_blas_thread_a_task():
            opened = pickle.loads(task)
            given = Held(opened, held) if held else opened
            result = pickle.loads(function)(given, shared.open())
        return Reply(worker, pickle.dumps(result, protocol=pickle.HIGHEST_PROTOCOL))
    except Exception as error:
        return Reply(worker, _packed_error(error), "".join(traceback.format_exception(error)))


def _packed_error(error: Exception) -> bytes:
    """Pickle an error, or return nothing where that loses it."""
    try:
        packed = pickle.dumps(error)
        # Some errors can be written but not read.
        rebuilt = pickle.loads(packed)
    except Exception:
        return b""
    return packed if type(rebuilt) is type(error) else b""


def _rebuilt(reply: Reply) -> BaseException:
    """Return the error of a function, with the traceback of the worker as a note."""
    try:
        error: BaseException = pickle.loads(reply.packed)
    except Exception:
        error = EngineError(reply.failure.strip().splitlines()[-1])
    error.add_note(f"On worker {reply.worker}:\n{reply.failure}")
    return error
