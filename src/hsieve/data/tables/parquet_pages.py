"""What the pages of a Parquet file say they unpack to.

pyarrow unpacks a page to the size in the header of the page, no further, whatever the footer of the
file says. So a footer that has been made to say little would let pages of any size through, and
those of a column are looked at before it is read. A header is a structure in the compact protocol
of Thrift.
"""

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hsieve.data.tables.errors import quoted, table_error

__all__ = ["unpacked_pages"]

# The others unpack to at most 22 times their bytes.
LOOKED_AT = ("GZIP", "BROTLI", "LZ4", "LZ4_RAW", "LZO", "ZSTD")
# As much as most headers take, and more until the most that pyarrow accepts.
HEADER_BYTES = (2**12, 2**16, 2**20, 2**24)
MOST_BITS = 64
# Kinds of values, and the numbers of the two sizes.
BOOLEANS, BYTE, INTEGERS, INT32, DOUBLE, BINARY, STRUCTURE = (1, 2), 3, (4, 5, 6), 5, 7, 8, 12
UNPACKED, PACKED = 2, 3


def unpacked_pages(path: Path, footer: Any, columns: Sequence[int]) -> int:
    """Return the bytes that all pages of some columns unpack to, but for those that are harmless.

    Parameters
    ----------
    path : Path
        The file.
    footer : pyarrow.parquet.FileMetaData
        Its footer.
    columns : sequence of int
        Places of the columns.

    Returns
    -------
    int
        The sum of what the headers of the pages say.
    """
    n_bytes = 0
    with path.open("rb", buffering=0) as file:
        for group in map(footer.row_group, range(footer.num_row_groups)):
            for about in map(group.column, columns):
                if about.compression in LOOKED_AT:
                    n_bytes += sum(_sizes(path, file, about))
    return n_bytes


def _sizes(path: Path, file: io.FileIO, about: Any) -> Iterator[int]:
    """Go from page to page of a column in a row group."""
    at, first = about.data_page_offset, about.dictionary_page_offset
    if about.has_dictionary_page and first and first < at:
        at = first
    end = at + about.total_compressed_size
    while at < end:
        sizes, length = _header(file, at)
        unpacked, packed = sizes.get(UNPACKED, -1), sizes.get(PACKED, -1)
        if unpacked < 0 or packed < 0:
            problem = f"a page of the column {quoted(about.path_in_schema)} does not say its size"
            raise table_error(path, f"{problem}; the file is damaged")
        yield unpacked
        at += length + packed


def _header(file: io.FileIO, at: int) -> tuple[dict[int, int], int]:
    """Read the header of a page: its numbers, and how long it is."""
    for n_bytes in HEADER_BYTES:
        file.seek(at)
        content = file.read(n_bytes)
        try:
            return _structure(content, 0)
        except IndexError:
            if len(content) < n_bytes:
                break
    msg = "a page has a header without an end"
    raise ValueError(msg)


def _structure(content: bytes, at: int) -> tuple[dict[int, int], int]:
    """Read a structure from a place on: numbers of 32 bits by their keys, and the place behind."""
    numbers: dict[int, int] = {}
    key = 0
    while about := content[at]:
        at += 1
        kind = about & 15
        if about >> 4:
            key += about >> 4
        else:
            key, at = _number(content, at)
        if kind in INTEGERS:
            number, at = _number(content, at)
            if kind == INT32:
                numbers[_cut(key, 16)] = _cut(number, 32)
        elif kind == BINARY:
            length, at = _digits(content, at)
            at += length
        elif kind == STRUCTURE:
            _, at = _structure(content, at)
        elif kind in (BYTE, DOUBLE):
            at += 1 if kind == BYTE else 8
        elif kind not in BOOLEANS:
            msg = f"a page has a header with a value of the kind {kind}"
            raise ValueError(msg)
    return numbers, at + 1


def _number(content: bytes, at: int) -> tuple[int, int]:
    """Read a number with a sign, and the place behind it."""
    digits, at = _digits(content, at)
    return digits >> 1 ^ -(digits & 1), at


def _digits(content: bytes, at: int) -> tuple[int, int]:
    """Read a number in digits of seven bits, and the place behind it."""
    number = shift = 0
    while content[at] >= 128:
        number |= (content[at] & 127) << shift
        shift += 7
        at += 1
        if shift >= MOST_BITS:
            msg = "a page has a header with a number out of all measure"
            raise ValueError(msg)
    return number | content[at] << shift, at + 1


def _cut(number: int, n_bits: int) -> int:
    """Return what is left of a number in so many bits, as pyarrow reads it."""
    half = 1 << n_bits - 1
    return (number + half) % (2 * half) - half
