"""A function called in a copy of this process, which may die of it."""

import os
import pickle
from collections.abc import Callable
from typing import Any

__all__ = ["Died", "result_of"]


class Died(Exception):
    """The copy ended without a result."""


def result_of(function: Callable[..., Any], *given: Any) -> Any:
    """Return what a function returns, or raise what it raises."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reads)
            with os.fdopen(writes, "wb") as replies:
                try:
                    reply = (function(*given), None)
                except Exception as error:
                    reply = (None, f"{type(error).__name__}: {error}")
                replies.write(pickle.dumps(reply))
        finally:
            os._exit(1)  # whatever it was, the copy must not go on as its original does
    os.close(writes)
    with os.fdopen(reads, "rb") as replies:
        content = replies.read()
    os.waitpid(child, 0)
    if not content:
        raise Died
    found, error = pickle.loads(content)
    if error is not None:
        raise AssertionError(error)
    return found
