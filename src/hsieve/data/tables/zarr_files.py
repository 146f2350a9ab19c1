"""Groups of zarr arrays: the matrix ``X``, the target and perhaps ``feature_names``.

The arrays have the same names as in an .npz archive, but the matrix stays in its chunks until its
values are asked for. zarr is imported when such a folder is opened.
"""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from hsieve.data.tables.errors import listed, plainly, table_error, unknown_name
from hsieve.data.tables.numpy_files import NUMPY_KINDS, array_names, check_shapes
from hsieve.data.tables.source import Array, Source, check_names

__all__ = ["MATRIX", "ZarrSource", "open_zarr"]

MATRIX, NAMES = "X", "feature_names"


class ZarrSource(Source):
    """Columns of the matrix of a group, and the target in an array of its own.

    Parameters
    ----------
    path : Path
        The folder of the group.
    target : str or None
        Name of the array of the target; None is "y".
    """

    def __init__(self, path: Path, target: str | None) -> None:
        wanted = "y" if target is None else target
        group = open_zarr(path)
        if not hasattr(group, "array_keys"):
            problem = "this is a single array, not a group of arrays with a matrix X and a target"
            raise table_error(path, problem)
        with plainly(path, "zarr"):
            inside = sorted(group.array_keys())
            if MATRIX not in inside:
                problem = f"no array 'X' inside, only {listed(inside)}; X and y are needed"
                raise table_error(path, f"{problem}, or target= (--target NAME)")
            if wanted not in inside or wanted in (MATRIX, NAMES):
                others = [name for name in inside if name not in (MATRIX, NAMES)]
                raise unknown_name(path, "the target", wanted, others)
            self.matrix, self._target = group[MATRIX], _plain(group[wanted][...])
            stored = _plain(group[NAMES][...]) if NAMES in inside else None
        check_shapes(path, self.matrix, wanted, self._target)
        self.features = tuple(array_names(path, self.matrix, stored))
        self._loaded: Array | None = None
        names = [*self.features, wanted]
        check_names(path, names)
        super().__init__(path, names, wanted)

    def open(self, wanted: Sequence[str]) -> dict[str, str]:
        """Tell the kind of each wanted column by its array's type."""
        types = {name: self._type(name) for name in wanted}
        return {name: NUMPY_KINDS.get(of.kind, str(of)) for name, of in types.items()}

    def load(self, name: str) -> Array:
        """Return one column; the whole matrix is read for the first that is asked for."""
        if name == self.target:
            values = self._target
        else:
            if self._loaded is None:
                with plainly(self.path, "zarr"):
                    self._loaded = np.asarray(self.matrix[...])
            values = self._loaded[:, self.features.index(name)]
        if values.dtype.kind == "U":
            return values.astype(object)
        if values.dtype.kind in "iu":
            return values
        with np.errstate(over="ignore"):  # too large for float64 becomes infinity, refused later
            return values.astype(np.float64)

    def _type(self, name: str) -> np.dtype[Any]:
        of: np.dtype[Any] = self._target.dtype if name == self.target else self.matrix.dtype
        return of


def open_zarr(path: Path) -> Any:
    """Open an array or a group for reading.

    Parameters
    ----------
    path : Path
        Its folder.

    Returns
    -------
    zarr.Array or zarr.Group
        What is there.
    """
    try:
        zarr = import_module("zarr")
    except ImportError as error:
        raise table_error(path, "reading this needs zarr (pip install hsieve[zarr])") from error
    if not path.is_dir():
        raise table_error(path, "there is no such folder")
    with plainly(path, "zarr"):
        return zarr.open(str(path), mode="r")


def _plain(values: Any) -> Array:
    """Return an array with text, if it is text, as NumPy has always had it."""
    array = np.asarray(values)
    is_text = array.dtype.kind == "T" or (
        array.dtype.kind == "O" and all(isinstance(value, str) for value in array.flat)
    )
    return np.array(array.tolist(), dtype=str) if is_text else array
