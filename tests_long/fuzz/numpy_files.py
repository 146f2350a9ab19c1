"""Files of NumPy, single arrays and archives, and what NumPy itself finds in them."""

import io
import pickle
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests_long.fuzz.cases import Case, Columns
from tests_long.fuzz.choices import Choices
from tests_long.fuzz.contents import integer, n_rows_of, names, number, options, text
from tests_long.fuzz.damage import damaged

__all__ = ["make_npy", "make_npz", "packed_array"]

FLOATS = ("<f8", "<f4", ">f8", "<f2", ">f4", "<f16")
WHOLE = ("<i8", "|i1", "<u8", "|u1", ">i8", "<i4", ">u2", "<u4")
OTHERS = ("|b1", "<U3", "<c16", "|S3", "<M8[s]", "<m8[ns]", "|V4", "|O", ">U2", "<U0", "|S0", "|V0")
STRUCTURED = [("a", "<f8"), ("b", "<i4")]
BAD_HEADERS = (
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }",
    b"{'descr': '<f8', 'fortran_order': True, 'shape': (99999999999, 99999999999), }",
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (-1, %d), }",
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }",
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776, 1), }",
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (True, 2), }",
    b"{'descr': '|O', 'fortran_order': False, 'shape': (2, 2), }",
    b"{'descr': '<f8', 'fortran_order': 1, 'shape': (2, 2), }",
    b"{'descr': '<f8', 'shape': (2, 2), }",
    b"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2, 2), }",
    b"{'descr': [('a', '<f8', (99999, 99999))], 'fortran_order': False, 'shape': (2, 2), }",
    b"{'descr': '<U999999999', 'fortran_order': False, 'shape': (2, 2), }",
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 99999999999999), }",
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (2L, 2L), }",
    b"__import__('os').system('true')",
    b"((((((((((((((((((((",
    b"{",
    b"[" * 5000,
    b"",
)


def make_npy(choices: Choices) -> Case:
    shape = (n_rows_of(choices), choices.between(1, 5))
    if choices.rarely(10):
        shape = choices.pick([(), (3,), (2, 2, 2), (0, 3), (3, 0), (3, 1), (1, 1)])
    content = packed_array(choices, _array(choices, shape))
    if choices.rarely(3):
        content = damaged(choices, content)
    given = options(choices, ["x0", "x1", "x2"], choices.pick(["-1", "0", "x1"]))
    return Case(".npy", content, given, _read_npy)


def make_npz(choices: Choices) -> Case:
    n_rows, n_columns = n_rows_of(choices), choices.between(1, 5)
    arrays: dict[str, bytes] = {
        "X": packed_array(choices, _array(choices, (n_rows, n_columns))),
        "y": packed_array(choices, _array(choices, (n_rows + choices.rarely(20),))),
    }
    known = [f"x{place}" for place in range(n_columns)]
    if choices.rarely(2):
        known = names(choices, n_columns)
        arrays["feature_names"] = packed_array(choices, np.array(known[:n_columns]))
    for name in choices.some(list(arrays), 24):
        arrays[name] = choices.pick([b"", b"no array", pickle.dumps([1]), arrays["y"], arrays["X"]])
    for name in choices.some(list(arrays), 40):
        del arrays[name]
    content = _archive(choices, arrays)
    if choices.rarely(3):
        content = damaged(choices, content)
    given = options(choices, [*known, "y"], choices.pick([None, "y"]))
    return Case(".npz", content, given, _read_npz)


def _archive(choices: Choices, arrays: Mapping[str, bytes]) -> bytes:
    packing = choices.pick([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    if choices.rarely(30):
        packing = choices.pick([zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", packing) as archive:
        for name, content in arrays.items():
            ending = (
                choices.pick([".npy", "", ".NPY", "/", ".npy.npy"])
                if choices.rarely(30)
                else ".npy"
            )
            archive.writestr(zipfile.ZipInfo(name + ending), content, packing)
        if choices.rarely(10):
            odd = choices.pick(
                ["../../up.npy", "/abs.npy", "a\\b.npy", "", "基因.npy", "dir/", ".npy"]
            )
            archive.writestr(zipfile.ZipInfo(odd), b"\x93NUMPY")
    return file.getvalue()


def _array(choices: Choices, shape: tuple[int, ...]) -> np.ndarray:
    """An array of some type, mostly numbers."""
    size = int(np.prod(shape))
    kind = choices.number(9)
    hostile = choices.pick([1000, 40, 4])
    with np.errstate(all="ignore"):
        if kind < 5:
            values = np.array([number(choices, hostile) for _ in range(size)], dtype=np.float64)
            array = values.astype(choices.pick(FLOATS)).reshape(shape)
        elif kind < 8:
            whole = np.array([integer(choices, hostile) for _ in range(size)], dtype=np.int64)
            array = whole.astype(choices.pick(WHOLE)).reshape(shape)
        elif kind == 8:
            array = np.array([text(choices, hostile) for _ in range(size)], dtype=str).reshape(
                shape
            )
        else:
            array = _odd(choices, shape, size)
    return np.asfortranarray(array) if choices.rarely(3) else array


def _odd(choices: Choices, shape: tuple[int, ...], size: int) -> np.ndarray:
    if choices.rarely(6):
        return np.zeros(shape, dtype=STRUCTURED)
    kind = np.dtype(choices.pick(OTHERS))
    if kind.hasobject:
        return np.array([{}] * size, dtype=object).reshape(shape)
    if kind.itemsize == 0:
        return np.zeros(shape, dtype=kind)
    content = bytearray(choices.bytes(size * kind.itemsize))
    if kind.kind == "U":  # other numbers are no characters
        content = bytearray(b"a\0\0\0" if kind.str[0] == "<" else b"\0\0\0a") * (len(content) // 4)
    return np.frombuffer(content, kind).reshape(shape)


def packed_array(choices: Choices, array: np.ndarray) -> bytes:
    """An array as NumPy saves it, or with another header."""
    file = io.BytesIO()
    if choices.rarely(16):
        header = choices.pick(BAD_HEADERS)
        for place in range(header.count(b"%d")):
            size = choices.pick([2, 3, 10**3, 10**6, 10**9, 2**31, 2**40, 2**62])
            header = header.replace(b"%d", b"%d" % (size if place else choices.number(9)), 1)
        version = choices.pick([(1, 0), (2, 0), (3, 0), (9, 9)])
        length = struct.pack("<H" if version == (1, 0) else "<I", len(header))
        return b"\x93NUMPY" + bytes(version) + length + header + array.tobytes()
    version = choices.pick([None, (1, 0), (2, 0), (3, 0)]) if choices.rarely(6) else None
    np.lib.format.write_array(file, array, version=version, allow_pickle=True)
    return file.getvalue()


def _values(array: np.ndarray) -> list[Any]:
    """Values as Python has them, whose numbers are float64."""
    assert array.dtype.kind in "biufU", array.dtype
    with np.errstate(all="ignore"):
        return (array.astype(np.float64) if array.dtype.kind == "f" else array).tolist()


def _read_npy(path: Path, given: Mapping[str, Any]) -> Columns:
    X = np.load(path, allow_pickle=False)
    return {f"x{place}": _values(X[:, place]) for place in range(X.shape[1])}


def _read_npz(path: Path, given: Mapping[str, Any]) -> Columns:
    target = given["target"] or "y"
    with np.load(path, allow_pickle=False) as archive:
        X, y = archive["X"], archive[target]
        stored = archive["feature_names"].tolist() if "feature_names" in archive.files else None
    known = stored or [f"x{place}" for place in range(X.shape[1])]
    assert len(set(known)) == X.shape[1]
    return {**{name: _values(X[:, place]) for place, name in enumerate(known)}, target: _values(y)}
