"""What each worker process of Dask does first that was started on this machine for one block.

Dask loads this module by its name in the worker.
"""

import signal
from typing import Any

__all__ = ["dask_setup"]


def dask_setup(worker: Any) -> None:
    """Leave interrupts from the keyboard to the process that started the worker, and ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
