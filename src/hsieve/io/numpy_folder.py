"""Columns of a matrix that lies in several .npy files, blocks of its rows or of its columns.

Files are taken in the natural order of their names, numbers by their size: part-9 comes before
part-10. They are mapped, so that a block costs the bytes of its columns.
"""

import os
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.data.arrays import ArrayBlocks
from hsieve.data.columns import FloatArray, IndexArray
from hsieve.data.errors import plainly, quoted, table_error
from hsieve.io.files import MatrixFileBlocks
from hsieve.io.numpy_files import map_npy

__all__ = ["NumpyFolder"]

AXES = ("rows", "columns")


class NumpyFolder(MatrixFileBlocks):
    """Columns of a matrix stored as a folder of .npy files.

    Parameters
    ----------
    path : path-like
        The folder. All its files ending in .npy are blocks of one matrix, in the natural order of
        their names; names that begin with a dot or an underscore are left out.
    axis : {"rows", "columns"} or None, default=None
        Whether the files are blocks of rows, with equally many columns, or of columns, with equally
        many rows. None finds out where only one of the two fits.
    names : sequence of str or None, default=None
        Names of the features; None calls them x0, x1, ...
    categorical : collection of str, default=()
        Features whose values are categories: each becomes the codes 0, ..., c - 1 of its c sorted
        distinct values.

    Raises
    ------
    TableError
        If files are no matrices of numbers, do not fit together, or fit both ways.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(Path(folder, "part-9.npy"), [[1.0, 2.0], [3.0, 4.0]])
    ...     np.save(Path(folder, "part-10.npy"), [[5.0], [6.0]])
    ...     NumpyFolder(folder).read([2, 0])
    array([[5., 1.],
           [6., 3.]])
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        axis: str | None = None,
        names: Sequence[str] | None = None,
        categorical: Collection[str] = (),
    ) -> None:
        path = Path(path)
        self._paths = _npy_files(path)
        self._matrices = [map_npy(file) for file in self._paths]
        self._parts = [self._part(*of) for of in zip(self._paths, self._matrices, strict=True)]
        self.axis = self._found_axis(path, axis)
        self.settings = (("axis", self.axis),)
        sizes = [matrix.shape[self.axis == "columns"] for matrix in self._matrices]
        self._starts = np.cumsum([0, *sizes])
        shape = list(self._matrices[0].shape)
        shape[self.axis == "columns"] = sum(sizes)
        self.n_samples, n_features = shape
        super().__init__(
            path, [f"x{i}" for i in range(n_features)] if names is None else names, categorical
        )
        self._refuse_unknown(categorical, n_features)
        self.stored_types = {matrix.dtype for matrix in self._matrices}
        self.dtype = self._type_with_codes(
            np.result_type(np.float32, *(part.dtype for part in self._parts))
        )

    def _files(self) -> list[Path]:
        return self._paths

    @staticmethod
    def _part(path: Path, matrix: NDArray[np.generic]) -> ArrayBlocks:
        """Refuse a file that holds no numbers."""
        if matrix.dtype.kind not in "biuf":
            problem = f"the array must hold booleans, integers or floats, got {matrix.dtype}"
            raise table_error(path, problem)
        return ArrayBlocks(matrix)

    def _found_axis(self, path: Path, axis: str | None) -> str:
        """Return the way in which the files fit together."""
        if axis not in {None, *AXES}:
            msg = f"axis must be 'rows', 'columns' or None, got {axis!r}."
            raise ValueError(msg)
        first = self._matrices[0].shape
        for number, matched in ((1, "rows"), (0, "columns")):
            for file, matrix in zip(self._paths, self._matrices, strict=True):
                if axis == matched and matrix.shape[number] != first[number]:
                    problem = f"the shape {matrix.shape} does not go with {first} of "
                    problem += f"{quoted(self._paths[0].name)} as a block of {axis}"
                    raise table_error(file, problem)
        if axis is not None:
            return axis
        fitting = [
            way
            for number, way in ((1, "rows"), (0, "columns"))
            if len({matrix.shape[number] for matrix in self._matrices}) == 1
        ]
        if len(fitting) == 1 or len(self._matrices) == 1:
            return fitting[0]
        if fitting:
            problem = f"all {len(self._matrices)} files are of the shape {first} and could be "
            raise table_error(path, f"{problem}blocks of rows or of columns; say which with axis=")
        named = zip(self._matrices, self._paths, strict=True)
        shapes = {matrix.shape: file.name for matrix, file in named}
        shown = ", ".join(f"{shape} ({quoted(name)})" for shape, name in list(shapes.items())[:3])
        problem = f"the files have neither equally many columns nor equally many rows: {shown}"
        raise table_error(path, problem)

    def _fill_numbers(self, block: FloatArray, positions: IndexArray) -> None:
        for view, part, inside in self._views(block, positions):
            part._fill(view, inside)

    def _views(
        self, block: FloatArray, positions: IndexArray
    ) -> Iterator[tuple[FloatArray, ArrayBlocks, IndexArray]]:
        """Give the parts of a block that come from one file, and which columns of it."""
        if self.axis == "rows":
            for part, start in zip(self._parts, self._starts, strict=False):
                yield block[start : start + part.n_samples], part, positions
            return
        files = np.searchsorted(self._starts, positions, side="right") - 1
        for run in np.split(np.arange(len(positions)), np.flatnonzero(np.diff(files)) + 1):
            if len(run):
                file = files[run[0]]
                inside = positions[run] - self._starts[file]
                yield block[:, run[0] : run[-1] + 1], self._parts[file], inside

    def _stored(self, feature: int) -> NDArray[Any]:
        if self.axis == "rows":
            return np.concatenate([matrix[:, feature] for matrix in self._matrices])
        file = int(np.searchsorted(self._starts, feature, side="right")) - 1
        return self._matrices[file][:, feature - self._starts[file]]


def _npy_files(path: Path) -> list[Path]:
    """Return the files of a folder in their natural order."""
    if not path.is_dir():
        raise table_error(path, "there is no such folder")
    with plainly(path, "a folder of .npy files"):
        inside = list(path.iterdir())
    files = [p for p in inside if p.suffix.lower() == ".npy" and p.name[0] not in "._"]
    if not files:
        raise table_error(path, "this is a folder without files ending in '.npy'")
    return sorted(files, key=lambda file: _natural(file.name))


def _natural(name: str) -> tuple[list[tuple[int, str]], str]:
    """Return a key that compares numbers inside a name by their size."""
    pieces = re.split(r"([0-9]+)", name)
    # Text at even places, numbers at odd ones; the name itself tells 01 from 1.
    return [(int(text), "") if i % 2 else (0, text) for i, text in enumerate(pieces)], name
