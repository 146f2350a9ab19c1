"""Files of AnnData read without a new interpreter for each, for tests that open very many.

Outside of tests each file is read by a process that imports everything anew, which takes a second.
"""

import contextlib
import os
import signal
import threading

import anndata  # noqa: F401 - once, for all copies of this process

import hsieve.io.anndata  # noqa: F401 - as above
from hsieve.io.anndata import READER
from hsieve.io.anndata_reader import AnnDataReader
from hsieve.io.reader_process import Message, Reading, serve, work_with_limits

__all__ = ["forked", "in_a_thread"]


def in_a_thread(module: str) -> Reading:
    """Read in a thread of this process: quick, and seen by what measures coverage."""
    assert module == READER
    (asked, asks), (answered, answers) = os.pipe(), os.pipe()

    def work() -> None:
        with os.fdopen(asked, "rb") as requests, os.fdopen(answers, "wb") as replies:
            reader = AnnDataReader()
            serve(reader.answer, requests, replies)
            if hasattr(reader, "_adata"):
                reader._adata.file.close()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    requests, replies = os.fdopen(asks, "wb"), os.fdopen(answered, "rb")

    def end(patience: float) -> str:
        # The thread is not waited for: it may need a lock of h5py that is held here.
        requests.close()
        replies.close()
        return ""

    return Reading(requests, replies, end)


# Files that one copy reads before it is replaced, since libraries keep some memory for themselves.
MOST_FILES = 500


class _Copy:
    """A copy of this process that reads one file after the other."""

    def __init__(self) -> None:
        (asked, asks), (answered, answers) = os.pipe(), os.pipe()
        self.n_files = 0
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(asks)
                os.close(answered)
                with os.fdopen(asked, "rb") as requests, os.fdopen(answers, "wb") as replies:
                    serve(work_with_limits(_Readers().answer), requests, replies)
            finally:
                os._exit(1)  # whatever it was, the copy must not go on as its original does
        os.close(asked)
        os.close(answers)
        self.requests, self.replies = os.fdopen(asks, "wb"), os.fdopen(answered, "rb")

    def end(self, patience: float) -> str:
        for stream in (self.requests, self.replies):
            with contextlib.suppress(BrokenPipeError):
                stream.close()
        if patience == 0.0:
            os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else ""


class _Readers:
    """A reader anew for each file that is opened."""

    def __init__(self) -> None:
        self._reader = AnnDataReader()

    def answer(self, request: Message) -> Message:
        if request.about["do"] == "open":
            if hasattr(self._reader, "_adata"):
                self._reader._adata.file.close()
            self._reader = AnnDataReader()
        return self._reader.answer(request)


_idle: list[_Copy] = []


def forked(module: str) -> Reading:
    """Read in a copy of this process, with the limits of a real one, that is used again."""
    assert module == READER
    copy = _idle.pop() if _idle else _Copy()
    copy.n_files += 1

    def end(patience: float) -> str:
        if patience == 0.0 and copy.n_files < MOST_FILES:
            _idle.append(copy)  # nobody waits for its end, so it is well
            return ""
        return copy.end(patience)

    return Reading(copy.requests, copy.replies, end)
