"""One BLAS thread where more only wait for each other.

Products of the thin factors of single features are too small to be shared out: two threads take
the same time as one and twice the processor, and on a machine with other work many times longer.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from threadpoolctl import ThreadpoolController

__all__ = ["one_blas_thread"]


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS use one thread inside the block."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    """Find the libraries once: looking for them takes milliseconds."""
    return ThreadpoolController()
