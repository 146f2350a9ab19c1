"""Locks of open files, which belong to the process and end with it: a killed run leaves none."""

import sys
from typing import IO, Any

__all__ = ["lock_file"]


def lock_file(file: IO[Any]) -> None:
    """Keep others out until the file is closed or this process ends."""
    if sys.platform == "win32":
        import msvcrt

        # Locked bytes cannot be read there, so the lock is far behind any content.
        file.seek(2**40)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
