"""Single arrays as NumPy saves them: a header in words, then the values.

The header is held to the size of the file before anything is allocated, and an array of Python
objects, which would have to be unpickled, is refused by its header. NumPy's own loader believes the
header, so that a file of a hundred bytes can ask it for terabytes.
"""

import ast
import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np

from hsieve.data.tables.errors import clipped
from hsieve.data.tables.source import Array

__all__ = ["MAGIC", "Header", "characters_checked", "mapped_array", "read_array", "read_header"]

MAGIC = b"\x93NUMPY"
# How the length of the header is stored, and its encoding, by the version of the format.
VERSIONS = {b"\1\0": ("<H", "latin1"), b"\2\0": ("<I", "latin1"), b"\3\0": ("<I", "utf-8")}
KEYS = {"descr", "fortran_order", "shape"}
# As in NumPy; longer ones may take the parser very long.
LONGEST_HEADER = 10_000
LAST_CHARACTER = 0x10FFFF


@dataclass(frozen=True)
class Header:
    """What the header of an array says, which fits the size of its file.

    Parameters
    ----------
    dtype : dtype
        Type of the values.
    shape : tuple of int
        The shape.
    order : {"C", "F"}
        How the values lie.
    offset : int
        Where they begin.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    order: Literal["C", "F"]
    offset: int

    @property
    def size(self) -> int:
        """Number of values."""
        size = 1
        for length in self.shape:
            size *= length
        return size


def read_header(file: IO[bytes], n_bytes: int, called: str = "the array") -> Header:
    """Read the header of an array that has so many bytes in all.

    Parameters
    ----------
    file : file object
        At the beginning of the array.
    n_bytes : int
        Size of the file, or of the member of an archive.
    called : str, default="the array"
        The array, for messages.

    Returns
    -------
    Header
        With a shape that takes `n_bytes`.

    Raises
    ------
    ValueError
        If it is no header, claims more or fewer values than there are bytes for, or is one of
        objects.
    """
    start = file.read(len(MAGIC) + 2)
    layout = VERSIONS.get(start[len(MAGIC) :]) if start.startswith(MAGIC) else None
    if layout is None:
        msg = f"{called} is not saved as NumPy saves arrays"
        raise ValueError(msg)
    packed = file.read(struct.calcsize(layout[0]))
    length = int.from_bytes(packed, "little")
    if length > min(LONGEST_HEADER, n_bytes):
        msg = f"the header of {called} is said to have {length} bytes"
        raise ValueError(msg)
    dtype, shape, order = _understood(file.read(length), layout[1], called)
    header = Header(dtype, shape, order, len(start) + len(packed) + length)
    left = n_bytes - header.offset
    if header.size * dtype.itemsize != left or (dtype.itemsize == 0 and header.size):
        problem = f"{called} is said to be of the shape {clipped(str(shape))} and the type {dtype}"
        msg = f"{problem}, but there are {left} bytes for it"
        raise ValueError(msg)
    return header


def read_array(file: IO[bytes], n_bytes: int, called: str = "the array") -> Array:
    """Read an array, whose file is at its beginning; see :func:`read_header`."""
    header = read_header(file, n_bytes, called)
    content = bytearray(header.size * header.dtype.itemsize)
    found = file.readinto(content)  # type: ignore[attr-defined]
    if found != len(content):
        msg = f"{called} is cut off after {found} of {len(content)} bytes"
        raise ValueError(msg)
    values = np.frombuffer(content, dtype=header.dtype)
    return values.reshape(header.shape, order=header.order)


def mapped_array(path: Path) -> Array:
    """Map an array from its file instead of reading it."""
    with path.open("rb") as file:
        header = read_header(file, path.stat().st_size)
    if not header.size:
        return np.empty(header.shape, header.dtype)
    mapped: Array = np.memmap(
        path, header.dtype, mode="r", offset=header.offset, shape=header.shape, order=header.order
    )
    return mapped


def characters_checked(values: Array, called: str) -> Array:
    """Refuse text with numbers that stand for no character, over which Python stumbles."""
    numbers = np.ascontiguousarray(values).view(np.uint32 if values.dtype.isnative else ">u4")
    if numbers.size and int(numbers.max()) > LAST_CHARACTER:
        msg = f"{called} holds what is no character; the file is damaged"
        raise ValueError(msg)
    return values


def _understood(
    header: bytes, encoding: str, called: str
) -> tuple[np.dtype[Any], tuple[int, ...], Literal["C", "F"]]:
    """Return type, shape and order, all of them sound."""
    problem = f"the header of {called} cannot be understood"
    try:
        # Python 2 wrote an L behind long integers.
        text = header.decode(encoding)
        text = re.sub(r"(?<=[0-9])L\b", "", text) if encoding == "latin1" else text
        content = ast.literal_eval(text.strip(" \t\n"))
        dtype = np.lib.format.descr_to_dtype(content["descr"])
        shape, is_fortran = content["shape"], content["fortran_order"]
        is_sound = set(content) == KEYS and isinstance(shape, tuple) and type(is_fortran) is bool
    except (ValueError, TypeError, SyntaxError, LookupError, MemoryError, RecursionError) as error:
        raise ValueError(problem) from error
    if not is_sound or not all(type(length) is int and length >= 0 for length in shape):
        msg = f"{problem} ({clipped(repr(content))})"
        raise ValueError(msg)
    if dtype.hasobject:
        problem = f"{called} holds Python objects, which are never unpickled"
        msg = f"{problem}; store numbers or text"
        raise ValueError(msg)
    return dtype, shape, "F" if is_fortran else "C"
