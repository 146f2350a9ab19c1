"""Files of AnnData read without a new interpreter for each, for tests that open very many.

Outside of tests each file is read by a process that imports everything anew, which takes a second.
"""

import contextlib
import os
import signal
import threading

from hsieve.data.tables.annotated_files import READER
from hsieve.data.tables.annotated_reader import AnnDataReader
from hsieve.data.tables.reader_process import Reading, serve, work_with_limits

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
        requests.close()
        thread.join()
        replies.close()
        return ""

    return Reading(requests, replies, end)


def forked(module: str) -> Reading:
    """Read in a copy of this process, with the limits of a real one."""
    assert module == READER
    (asked, asks), (answered, answers) = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(asks)
        os.close(answered)
        with os.fdopen(asked, "rb") as requests, os.fdopen(answers, "wb") as replies:
            serve(work_with_limits(AnnDataReader().answer), requests, replies)
        os._exit(0)
    os.close(asked)
    os.close(answers)
    requests, replies = os.fdopen(asks, "wb"), os.fdopen(answered, "rb")

    def end(patience: float) -> str:
        for stream in (requests, replies):
            with contextlib.suppress(BrokenPipeError):
                stream.close()
        _, status = os.waitpid(child, 0)
        return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else ""

    return Reading(requests, replies, end)
