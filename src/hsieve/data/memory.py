"""How much memory there is, and what it is shared out to.

A limit counts what is allocated beside the data handed in: the columns read at a time, kept codes,
and factors of active features.
"""

import ctypes
import re
from contextlib import suppress
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path

__all__ = ["USUAL_FACTORS", "MemoryPlan", "bytes_of", "free_memory", "give_back_memory"]

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
# Enough for reading at full speed.
USUAL_BLOCK = 64 * 10**6
USUAL_STACK = 512 * 10**6
USUAL_FACTORS = 64 * 10**6
USUAL_TILES = 2 * 10**9
# Where nobody names a limit: codes of levels that are kept, and pieces that threads have in work.
KEPT_LEVELS = 2 * 10**9
USUAL_WORK = 512 * 10**6
# Where workers hold the columns, so that this process may be small: codes fetched from them are as
# many as a path mostly asks for.
FETCHED_CODES = 80 * 10**6
FETCHED_STACK = 48 * 10**6
FETCHED_FACTORS = 32 * 10**6
# Arrays on the way take so many bytes for each sample, and this much whatever the data.
BYTES_A_SAMPLE = 1_500
FIXED_BYTES = 16 * 10**6
# Free memory, where the system does not tell.
UNKNOWN_MEMORY = 4 * 10**9
# Bytes for each value of a block that is read: itself, and its standardised form on the way.
COPIES_OF_BLOCK = 4


@dataclass(frozen=True)
class MemoryPlan:
    """Fractions of the memory.

    Parameters
    ----------
    block_bytes : int
        Columns read at a time.
    code_bytes : int
        Codes kept.
    stack_bytes : int
        Factors of active features.
    factor_bytes : int
        Factors of other features, kept or at work.
    tile_bytes : int
        Leading factors of all features, for products of all pairs.
    test_bytes : int or None
        Tests of single pairs; None for as much as they usually take.
    work_bytes : int
        All that threads have in work at a time while codes and active factors are kept.
    """

    block_bytes: int
    code_bytes: int
    stack_bytes: int
    factor_bytes: int
    tile_bytes: int
    work_bytes: int
    test_bytes: int | None = None

    @classmethod
    def for_data(
        cls, n_samples: int, limit: int | str | None = None, *, is_local: bool = True
    ) -> "MemoryPlan":
        """Share out a limit."""
        if limit is None and is_local:
            return cls(USUAL_BLOCK, 2**62, USUAL_STACK, USUAL_FACTORS, USUAL_TILES, 2**62)
        if limit is None:
            return cls(
                USUAL_BLOCK, FETCHED_CODES, FETCHED_STACK, FETCHED_FACTORS, USUAL_TILES, 2**62
            )
        total = bytes_of(limit)
        needed = FIXED_BYTES + BYTES_A_SAMPLE * n_samples
        if total < needed:
            msg = (
                f"memory_limit={limit!r} is too small for {n_samples} samples: "
                f"at least {needed:,} bytes are needed."
            )
            raise ValueError(msg)
        free = total - needed
        codes, stack = 3 * free // 8, min(USUAL_STACK, free // 8)
        factors = min(USUAL_FACTORS, free // 8)
        return cls(
            block_bytes=max(8 * n_samples, min(USUAL_BLOCK, free // (4 * COPIES_OF_BLOCK))),
            code_bytes=codes,
            stack_bytes=stack,
            factor_bytes=factors,
            # Whoever makes tiles has no stack of active features.
            tile_bytes=min(USUAL_TILES, free // 8),
            work_bytes=total - FIXED_BYTES - codes - stack - factors,
            test_bytes=free // 8,
        )


def bytes_of(limit: int | str) -> int:
    """Read a number of bytes.

    Examples
    --------
    >>> bytes_of("1.5GB"), bytes_of(4096)
    (1500000000, 4096)
    """
    if isinstance(limit, Integral) and not isinstance(limit, bool) and limit > 0:
        return int(limit)
    if isinstance(limit, str):
        read = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)B?\s*", limit.upper())
        if read and float(read[1]) > 0:
            return int(float(read[1]) * UNITS[read[2]])
    msg = f"memory_limit must be None, bytes as an integer, or such as '2GB'; got {limit!r}."
    raise ValueError(msg)


def free_memory() -> int:
    """Return the bytes that may still be taken, as far as the system tells; else 4 GB."""
    found = []
    with suppress(OSError, ValueError, IndexError, StopIteration):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        available = next(line for line in lines if line.startswith("MemAvailable:"))
        found.append(1024 * int(available.split()[1]))
    with suppress(OSError, ValueError):
        limit = int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii"))
        used = int(Path("/sys/fs/cgroup/memory.current").read_text(encoding="ascii"))
        found.append(max(0, limit - used))
    return min(found, default=UNKNOWN_MEMORY)


def give_back_memory() -> None:
    """Return what was freed to the system, where its allocator would keep it (glibc's does)."""
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
