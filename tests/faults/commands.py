"""Commands in processes of their own, forked from one that has imported everything before.

A command begins its work at once then, so that a moment drawn from its time is one of work and not
of starting Python. Apart from that it is the command itself: its own session, its own files, real
signals.
"""

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.forked import forking

__all__ = ["Ended", "Running", "begin", "n_changes"]

CHANGES = ("open", "os.mkdir", "os.remove", "os.rename", "os.truncate")
PATIENCE = 300


@dataclass(frozen=True)
class Ended:
    """Exit code of a command, negative for a signal, and what it wrote."""

    code: int
    stdout: str
    stderr: str


class Running:
    """A command under way."""

    def __init__(self, process: Any, folder: Path) -> None:
        self.process = process
        self._folder = folder

    def send(self, number: int) -> None:
        """Send a signal to the command and all its children, as a terminal does."""
        os.killpg(self.process.pid, number)

    def is_gone(self) -> bool:
        """Tell whether neither the command nor a process that it has started is left."""
        try:
            os.killpg(self.process.pid, 0)
        except ProcessLookupError:
            return True
        return False

    def ends_within(self, seconds: float) -> bool:
        """Wait so long, and tell whether the command has ended."""
        self.process.join(seconds)
        return self.process.exitcode is not None

    def end(self) -> Ended:
        """Wait for the end, and leave nothing behind."""
        if not self.ends_within(PATIENCE):
            self.send(signal.SIGKILL)
            self.process.join()
            msg = f"the command did not end within {PATIENCE} s: {self._said('stderr')}"
            raise AssertionError(msg)
        return Ended(self.process.exitcode, self._said("stdout"), self._said("stderr"))

    def _said(self, stream: str) -> str:
        path = _stream(self._folder, stream)
        return path.read_text(encoding="utf-8") if path.exists() else ""


def begin(
    folder: Path,
    words: Sequence[str],
    *,
    values: Mapping[str, Any] | None = None,
    dies_before: int | None = None,
    interrupted_at: int | None = None,
    interrupted_by: int = signal.SIGINT,
    room: int | None = None,
    terminal: str | None = None,
) -> Running:
    """Begin a command in a folder; its output goes to files beside that.

    Parameters
    ----------
    folder : Path
        Where it runs.
    words : sequence of str
        The command, without the name of the program; "reproduce" stands for that of the papers'
        experiments.
    values : mapping of str to object or None, default=None
        Other values of constants, by their names with those of their modules.
    dies_before : int or None, default=None
        The change to its folder, counted from 1, before which it kills itself. Changes are files
        opened for writing, renamed, cut or removed, and folders made.
    interrupted_at : int or None, default=None
        The report of progress, counted from 1, at which a signal comes.
    interrupted_by : int, default=SIGINT
        That signal: Ctrl-C goes to all processes of a terminal, others to the command alone.
    room : int or None, default=None
        Most bytes that the command can write into any file, as on a disk that is nearly full.
    terminal : str or None, default=None
        A terminal to write errors to, instead of a file.
    """
    trouble = Trouble(dies_before, interrupted_at, interrupted_by, room)
    process = forking().Process(
        target=_run, args=(folder, tuple(words), dict(values or {}), trouble, terminal)
    )
    process.start()
    return Running(process, folder)


def n_changes(folder: Path) -> int:
    """Return how many changes a command has made to its folder."""
    return int(_stream(folder, "changes").read_text())


@dataclass(frozen=True)
class Trouble:
    """What happens to a command, and when."""

    dies_before: int | None
    interrupted_at: int | None
    interrupted_by: int
    room: int | None


def _run(
    folder: Path,
    words: tuple[str, ...],
    values: dict[str, Any],
    trouble: Trouble,
    terminal: str | None,
) -> None:
    """Be the command."""
    os.setsid()
    # The process that this one is forked from may have been started with some of them ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    os.chdir(folder)
    if terminal is not None:
        os.environ["TERM"] = "xterm"
    outputs = {"stdout": None, "stderr": terminal}
    for number, (stream, given) in enumerate(outputs.items(), start=1):
        with open(given or _stream(folder, stream), "wb") as file:
            os.dup2(file.fileno(), number)
        setattr(sys, stream, os.fdopen(number, "w", encoding="utf-8", closefd=False))
    import reproduction.__main__ as reproduction
    from hsieve.__main__ import run
    from hsieve.progress import listen

    for name, value in values.items():
        module, _, constant = name.rpartition(".")
        setattr(sys.modules[module], constant, value)
    if words[0] == "reproduce":
        run, words = reproduction.run, words[1:]
    sys.argv = ["", *words]
    changes = _Changes(folder, trouble.dies_before)
    sys.addaudithook(changes)
    set_room(trouble.room)
    try:
        with listen(_Interruption(trouble)):
            run()
    finally:
        changes.folder = ""
        set_room(None)
        _stream(folder, "changes").write_text(str(changes.n_seen))


def set_room(most_bytes: int | None) -> None:
    """Limit what can be written into any file, or lift the limit."""
    import resource  # not on Windows

    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard if most_bytes is None else most_bytes, hard))


class _Interruption:
    """Sends a signal at one of the reports of progress; all processes of a terminal get Ctrl-C."""

    def __init__(self, trouble: Trouble) -> None:
        self.trouble = trouble
        self.n_seen = 0

    def __call__(self, _share: float, _words: str) -> None:
        self.n_seen += 1
        if self.n_seen == self.trouble.interrupted_at:
            send = os.killpg if self.trouble.interrupted_by == signal.SIGINT else os.kill
            send(os.getpid(), self.trouble.interrupted_by)


class _Changes:
    """Counts changes to a folder, and kills this process before one of them."""

    def __init__(self, folder: Path, dies_before: int | None) -> None:
        self.folder = os.fspath(folder)
        self.dies_before = dies_before
        self.n_seen = 0

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.folder or event not in CHANGES:
            return
        if event == "open" and not arguments[2] & (os.O_WRONLY | os.O_RDWR):
            return
        path = arguments[0]
        if isinstance(path, str) and os.path.abspath(path).startswith(self.folder):
            self.n_seen += 1
            if self.n_seen == self.dies_before:
                os.kill(os.getpid(), signal.SIGKILL)


def _stream(folder: Path, stream: str) -> Path:
    return folder.with_name(f"{folder.name}.{stream}")
