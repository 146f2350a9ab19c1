"""What a packed file may unpack to.

A file of a few kilobytes can claim to hold terabytes, by an accident to its header or on purpose.
So what a file says of itself is compared with its size on the disk before anything is unpacked:
real tables seldom shrink to less than a hundredth. Whoever has such a table says so by the
environment variable `HSIEVE_UNPACKED_LIMIT`, as in ``HSIEVE_UNPACKED_LIMIT=20GB``, which workers of
an engine see too.
"""

import os
from pathlib import Path

from hsieve.data.errors import table_error
from hsieve.data.memory import bytes_of

__all__ = ["LIMIT_VARIABLE", "refuse_unpacked", "size_on_disk", "unpacked_limit"]

LIMIT_VARIABLE = "HSIEVE_UNPACKED_LIMIT"
# What is small is let through, however much smaller it is packed.
LEAST_LIMIT = 10**9
MOST_TIMES = 200


def unpacked_limit(path: Path, n_packed: int | None = None) -> int:
    """Return the most bytes that a file, or what is packed in so many bytes, may unpack to."""
    given = os.environ.get(LIMIT_VARIABLE)
    if given:
        try:
            return bytes_of(given)
        except ValueError as error:
            problem = f"the environment variable {LIMIT_VARIABLE} must be such as 20GB"
            raise table_error(path, f"{problem}, got {given!r}") from error
    packed = size_on_disk(path) if n_packed is None else n_packed
    return max(LEAST_LIMIT, MOST_TIMES * packed)


def refuse_unpacked(
    path: Path, n_bytes: int, what: str = "the file", *, n_packed: int | None = None
) -> None:
    """Refuse what would unpack to so many bytes, if these are far more than the file has."""
    if n_bytes <= LEAST_LIMIT and not os.environ.get(LIMIT_VARIABLE):
        return
    limit = unpacked_limit(path, n_packed)
    if n_bytes > limit:
        n_packed = size_on_disk(path) if n_packed is None else n_packed
        problem = f"{what} would take {n_bytes:,} bytes once unpacked, and {limit:,} are allowed"
        problem += f" for {n_packed:,} bytes packed; the file is damaged or made"
        advice = f"if you trust it, set the environment variable {LIMIT_VARIABLE} to such as 20GB"
        raise table_error(path, f"{problem} to do harm; {advice}")


def size_on_disk(path: Path) -> int:
    """Return the bytes of a file, or of all files in a folder."""
    if not path.is_dir():
        return path.stat().st_size
    return sum(
        os.path.getsize(Path(folder, name)) for folder, _, of in os.walk(path) for name in of
    )
