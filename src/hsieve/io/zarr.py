"""Groups of zarr arrays: the matrix ``X``, the target and perhaps ``feature_names``.

The arrays have the same names as in an .npz archive, but the matrix stays in its chunks until its
values are asked for. zarr is imported when such a folder is opened.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from hsieve.data.errors import listed, plainly, quoted, table_error, unknown_name
from hsieve.io.numpy_files import NUMPY_KINDS, array_names, check_shapes
from hsieve.io.source import Array, Source, check_names
from hsieve.io.unpacking import refuse_unpacked

__all__ = ["MATRIX", "ZARR_ERRORS", "ZarrSource", "checked_array", "open_zarr", "refuse_no_numbers"]

MATRIX, NAMES = "X", "feature_names"
# Whatever it stumbles over in a damaged description: there are many classes of errors.
ZARR_ERRORS = (Exception,)
# What zarr itself needs for a chunk that it reads, and a table for a row or column and its name.
BYTES_A_CHUNK = 1000
BYTES_A_PLACE = 64


class ZarrSource(Source):
    """Columns of the matrix of a group, and the target in an array of its own."""

    def __init__(self, path: Path, target: str | None) -> None:
        wanted = "y" if target is None else target
        group = open_zarr(path)
        if not hasattr(group, "array_keys"):
            problem = "this is a single array, not a group of arrays with a matrix X and a target"
            raise table_error(path, problem)
        with plainly(path, "zarr", ZARR_ERRORS):
            inside = sorted(group.array_keys())
            if MATRIX not in inside:
                problem = f"no array 'X' inside, only {listed(inside)}; X and y are needed"
                raise table_error(path, f"{problem}, or target= (--target NAME)")
            if wanted not in inside or wanted in (MATRIX, NAMES):
                others = [name for name in inside if name not in (MATRIX, NAMES)]
                raise unknown_name(path, "the target", wanted, others)
            self.matrix = checked_array(path, group[MATRIX])
            self._target = _plain(_read_whole(path, group[wanted]))
            stored = _plain(_read_whole(path, group[NAMES])) if NAMES in inside else None
        check_shapes(path, self.matrix, wanted, self._target)
        self.features = tuple(array_names(path, self.matrix, stored))
        names = [*self.features, wanted]
        check_names(path, names)
        super().__init__(path, names, wanted)

    def open(self, wanted: Sequence[str], declared: Collection[str] = ()) -> dict[str, str]:
        """Tell the kind of each wanted column by its array's type."""
        refuse_no_numbers(self.path, self.matrix)
        types = dict.fromkeys(wanted, self.matrix.dtype)
        types[self.target] = self._target.dtype
        return {name: NUMPY_KINDS.get(of.kind, str(of)) for name, of in types.items()}

    def load(self, name: str) -> Array:
        """Return the target; features are read as columns."""
        assert name == self.target
        values = self._target
        if values.dtype.kind == "U":
            return values.astype(object)
        if values.dtype.kind in "iu":
            return values
        with np.errstate(all="ignore"):  # what float64 has not is infinite or NaN, refused later
            return values.astype(np.float64)


def open_zarr(path: Path) -> Any:
    """Open an array or a group for reading."""
    try:
        zarr = import_module("zarr")
    except ImportError as error:
        raise table_error(path, "reading this needs zarr (pip install hsieve[zarr])") from error
    if not path.is_dir():
        raise table_error(path, "there is no such folder")
    with plainly(path, "zarr", ZARR_ERRORS):
        return zarr.open(str(path), mode="r")


def checked_array(path: Path, array: Any) -> Any:
    """Refuse an array that would run foreign code, or has chunks or axes out of all measure."""
    if _names_pickle(array.metadata.to_dict()):
        problem = f"the array {quoted(array.name or '')} holds Python objects"
        raise table_error(path, f"{problem}, which are never unpickled; store numbers or text")
    chunk = getattr(array, "shards", None) or array.chunks
    refuse_unpacked(path, math.prod(chunk) * array.dtype.itemsize, "one chunk")
    refuse_unpacked(path, BYTES_A_PLACE * max(array.shape, default=0), "one row or column")
    return array


def refuse_no_numbers(path: Path, array: Any) -> None:
    """Refuse an array that holds something else than numbers."""
    if array.dtype.kind not in "biuf":
        problem = f"the array must hold booleans, integers or floats, got {array.dtype}"
        raise table_error(path, problem)


def _names_pickle(about: Any) -> bool:
    """Tell whether a description of an array names a codec that unpickles."""
    if isinstance(about, Mapping):
        return any(map(_names_pickle, about.values()))
    if isinstance(about, str):
        return about.split(".")[-1] == "pickle"
    if isinstance(about, Sequence) and not isinstance(about, bytes):
        return any(map(_names_pickle, about))
    return getattr(about, "codec_id", "") == "pickle"


def _read_whole(path: Path, array: Any) -> Any:
    """Read an array that is not far larger than its folder."""
    checked_array(path, array)
    lengths = zip(array.shape, array.chunks, strict=True)
    n_chunks = math.prod(-(-length // chunk) for length, chunk in lengths)
    n_bytes = math.prod(array.shape) * array.dtype.itemsize + BYTES_A_CHUNK * n_chunks
    refuse_unpacked(path, n_bytes, f"the array {quoted(array.name or '')}")
    return array[...]


def _plain(values: Any) -> Array:
    """Return an array with text, if it is text, as NumPy has always had it."""
    array = np.asarray(values)
    is_text = array.dtype.kind == "T" or (
        array.dtype.kind == "O" and all(isinstance(value, str) for value in array.flat)
    )
    return np.array(array.tolist(), dtype=str) if is_text else array
