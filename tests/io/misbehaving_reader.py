"""What a library may do to the process that reads a file, for tests of whoever started it."""

import os
import signal
import sys
import time
import warnings

import numpy as np

from hsieve.data.errors import table_error
from hsieve.io import reader_process
from hsieve.io.reader_process import Message, serve, work_with_limits

reader_process.LEAST_SECONDS = 1


def main() -> None:
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    serve(work_with_limits(answer), requests, replies)


def answer(request: Message) -> Message:
    what = request.about.get("do")
    if what == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif what == "circle":
        while True:
            pass
    elif what == "exit":
        sys.exit("words of a library")
    elif what == "much memory":
        try:
            np.empty(10**9)
        except MemoryError:
            return Message({"had": False})
        return Message({"had": True})
    elif what == "wait":
        time.sleep(60)
    elif what == "warn":
        warnings.warn("an old form", UserWarning, stacklevel=1)
        warnings.warn("an old form", UserWarning, stacklevel=1)
    elif what == "refuse":
        raise table_error(request.about["path"], "not like this")
    elif what == "objects":
        sys.stdout.flush()
        head = b'{"arrays": [["|O", [1]]]}'
        os.write(1, len(head).to_bytes(8, "big") + head)
        time.sleep(60)
    return Message({"pid": os.getpid()}, request.arrays)
