"""Files of AnnData (.h5ad): the matrix in column blocks, an annotation of ``obs`` as target.

The package anndata is imported when such a file is opened. The matrix stays in the file until its
columns are asked for.
"""

import math
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hsieve.data.tables.errors import listed, plainly, table_error, unknown_name
from hsieve.data.tables.hdf5_files import refuse_outside
from hsieve.data.tables.numpy_files import NUMPY_KINDS
from hsieve.data.tables.source import Array, Source, check_names
from hsieve.data.tables.unpacking import refuse_unpacked

if TYPE_CHECKING:
    from hsieve.data.blocks import ColumnBlocks
    from hsieve.data.frames import FrameColumn

__all__ = ["AnnDataSource"]

# Whatever it stumbles over in a damaged file: there are many classes of errors.
ANNDATA_ERRORS = (Exception,)
SPARSE_PARTS = {"data", "indices", "indptr"}


class AnnDataSource(Source):
    """Columns of the matrix of an AnnData, and the target among the annotations.

    Parameters
    ----------
    path : Path
        The file.
    target : str or None
        A column of ``obs``.
    """

    is_packed = True

    def __init__(self, path: Path, target: str | None) -> None:
        from hsieve.data.annotated import labelled_rows
        from hsieve.data.frames.columns import open_column

        self.adata = _opened(path)
        known = [str(name) for name in self.adata.obs.columns]
        try:
            if target is None:
                problem = "no target given; say which annotation it is with target=..."
                raise table_error(path, f"{problem} (--target NAME), a name of {listed(known)}")
            if target not in known:
                raise unknown_name(path, "the target", target, known)
            features = [str(name) for name in self.adata.var_names]
            check_names(path, [*features, target])
            self._target: FrameColumn = open_column(self.adata.obs[target])
            self._labelled = labelled_rows(self._target, self.adata.n_obs)
        except BaseException:
            self.adata.file.close()
            raise
        self._blocks: ColumnBlocks | None = None
        self._is_handed_out = False
        n_without = int(self.adata.n_obs - len(self._labelled))
        if n_without:
            lacking = f"{n_without} of {self.adata.n_obs} observations have no {target}"
            self.notes = (f"{lacking}: left out.",)
        super().__init__(path, [*features, target], target)

    def open(self, wanted: Sequence[str]) -> dict[str, str]:
        """Tell the kind of each wanted column."""
        stored = np.dtype(self.adata.X.dtype)
        kind = NUMPY_KINDS.get(stored.kind, str(stored))
        kinds = dict.fromkeys(wanted, kind)
        if self.target in kinds:
            kinds[self.target] = self._target.problem or self._target.kind
        return kinds

    def load(self, name: str) -> Array:
        """Return one column; all are made ready when the first is asked for."""
        if name == self.target:
            return self._target_values()
        with plainly(self.path, ".h5ad", ANNDATA_ERRORS):
            return self._columns().read([self._place(name)])[:, 0].astype(np.float64)

    def columns(self, features: Sequence[str]) -> "ColumnBlocks":
        """Return some features as column blocks, for which the file stays open."""
        from hsieve.data.blocks.base import some_columns

        self._is_handed_out = True
        places = np.array([self._place(name) for name in features], dtype=np.intp)
        return some_columns(self._columns(), places)

    def close(self) -> None:
        """Let go of the file, unless columns are still read from it."""
        if not self._is_handed_out:
            self.adata.file.close()

    def _columns(self) -> "ColumnBlocks":
        from hsieve.data.annotated import annotated_columns
        from hsieve.data.blocks.samples import SampleBlocks

        if self._blocks is None:
            with plainly(self.path, ".h5ad", ANNDATA_ERRORS):
                self._blocks = annotated_columns(self.adata)
            if len(self._labelled) < self.adata.n_obs:
                self._blocks = SampleBlocks(self._blocks, self._labelled)
            self._places = {name: place for place, name in enumerate(self._blocks.names or ())}
        return self._blocks

    def _place(self, name: str) -> int:
        self._columns()
        return self._places[name]

    def _target_values(self) -> Array:
        """Return the annotation of the observations that have one; text as objects."""
        values = self._target.values[self._labelled]
        if self._target.kind == "boolean":
            return values.astype(np.float64)
        if self._target.kind != "text":
            return values
        labels = np.array([str(level) for level in self._target.levels], dtype=object)
        found: Array = labels[values.astype(np.intp)]
        return found


def _look_inside(path: Path) -> None:
    """Refuse a file with data sets out of all measure; all but a dense matrix X are read whole."""
    h5py = import_module("h5py")
    n_bytes = 0

    def count(name: str, found: Any) -> None:
        nonlocal n_bytes
        if isinstance(found, h5py.Dataset) and name != "X":
            n_bytes += math.prod(found.shape or ()) * found.dtype.itemsize

    with h5py.File(path, "r") as file:
        refuse_outside(path, file)
        file.visititems(count)
        matrix = file.get("X")
        if isinstance(matrix, h5py.Dataset) and matrix.chunks:
            chunk = math.prod(matrix.chunks) * matrix.dtype.itemsize
            refuse_unpacked(path, chunk, "one chunk of the matrix")
        refuse_unpacked(path, n_bytes)
        if isinstance(matrix, h5py.Group) and set(matrix) >= SPARSE_PARTS:
            _check_pointers(path, matrix)


def _check_pointers(path: Path, matrix: Any) -> None:
    """Refuse a sparse matrix whose rows or columns are not all of its entries, one by one."""
    pointers, n_entries = matrix["indptr"][...], len(matrix["data"])
    is_sound = (
        pointers.ndim == 1
        and pointers.size > 0
        and (pointers[0], pointers[-1]) == (0, n_entries)
        and bool((pointers[1:] >= pointers[:-1]).all())
        and len(matrix["indices"]) == n_entries
    )
    if not is_sound:
        raise table_error(path, "the sparse matrix X is damaged: entries are lost or doubled")


def _opened(path: Path) -> Any:
    """Open a file, its matrix where it is."""
    try:
        anndata = import_module("anndata")
    except ImportError as error:
        problem = "reading this needs anndata (pip install hsieve[anndata])"
        raise table_error(path, problem) from error
    with plainly(path, ".h5ad", ANNDATA_ERRORS):
        _look_inside(path)
        adata = anndata.read_h5ad(path, backed="r")
    try:
        is_there = adata.X is not None
    except Exception:  # whatever it stumbles over in a damaged matrix
        is_there = False
    if not is_there:
        adata.file.close()
        raise table_error(path, "there is no matrix X inside")
    expected, found = (adata.n_obs, adata.n_vars), tuple(adata.X.shape)
    if found != expected:
        adata.file.close()
        problem = f"X is of the shape {found}, but observations and variables are {expected}"
        raise table_error(path, problem)
    return adata
