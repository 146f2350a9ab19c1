"""Fingerprints of files: of their state on this machine, and of their content.

A state is cheap and tells a file from the one that has taken its place, but only here: copies on
other machines have other times. A fingerprint of the content is the same wherever the file is.
"""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

__all__ = ["fingerprint_of_content", "states_of"]

# Read for a fingerprint of all files together; of larger ones some bytes out of each part are read.
CONTENT_BYTES = 128 * 2**20
PIECE_BYTES = 64 * 2**10
SMALLEST_SHARE = 4 * 2**10

State = tuple[int, int, int, int] | None


def states_of(paths: Sequence[Path]) -> tuple[State, ...]:
    """Return what changes on this machine when a file is written or replaced; None without one."""
    return tuple(map(_state_of, paths))


def _state_of(path: Path) -> State:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def fingerprint_of_content(paths: Sequence[Path]) -> str:
    """Return a fingerprint of what files hold: of all bytes, or of many out of each if large."""
    digest = hashlib.blake2b(digest_size=16)
    share = max(SMALLEST_SHARE, CONTENT_BYTES // max(1, len(paths)))
    for path in paths:
        size = path.stat().st_size
        digest.update(f"{size} ".encode())
        with path.open("rb") as file:
            for start, stop in _looked_at(size, share):
                file.seek(start)
                digest.update(file.read(stop - start))
    return digest.hexdigest()


def _looked_at(size: int, share: int) -> Iterator[tuple[int, int]]:
    """Spread pieces over a file from its first to its last byte; a small one is read whole."""
    if size <= share:
        length, n_pieces = PIECE_BYTES, -(-size // PIECE_BYTES)
        for i in range(n_pieces):
            yield i * length, min(size, (i + 1) * length)
        return
    length = min(PIECE_BYTES, share // 2)
    n_pieces = share // length
    for i in range(n_pieces):
        start = i * (size - length) // (n_pieces - 1)
        yield start, start + length
