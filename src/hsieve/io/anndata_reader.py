"""Reads a file of AnnData (.h5ad), in a worker process.

Everything that touches the file is here; :mod:`hsieve.io.anndata` asks for it. The
package anndata is imported when the first question comes.

HDF5 files that take their values from other files.

A link can name any file of the machine, a data set can be kept in others or be put together from
them, and whoever reads them follows without a word. A file that was sent by somebody would so be
filled with what it has not, such as values of a private file at a path that was guessed.
"""

import math
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hsieve.data.errors import listed, plainly, quoted, table_error, unknown_name
from hsieve.io.reader_process import Message, serve, work_with_limits
from hsieve.io.source import check_names, refuse_unpacked

if TYPE_CHECKING:
    from hsieve.data.columns import ColumnBlocks

__all__ = ["AnnDataReader", "main", "refuse_outside"]

# Whatever it stumbles over in a damaged file: there are many classes of errors.
ANNDATA_ERRORS = (Exception,)
SPARSE_PARTS = {"data", "indices", "indptr"}


def main() -> None:
    """Answer questions that come by standard input, on what was standard output."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # What any library prints is no answer.
    os.dup2(sys.stderr.fileno(), 1)
    serve(work_with_limits(AnnDataReader().answer), requests, replies)


class AnnDataReader:
    """One file: the target among the annotations, and columns of the matrix."""

    def answer(self, request: Message) -> Message:
        """Open the file (``do="open"``), or read columns (``do="read"``)."""
        if request.about["do"] == "open":
            self.path = Path(request.about["path"])
            with plainly(self.path, ".h5ad", ANNDATA_ERRORS):
                return self._open(request.about["target"])
        with plainly(self.path, ".h5ad", ANNDATA_ERRORS):
            return self._read(request.arrays[0])

    def _open(self, target: str | None) -> Message:
        """Tell names, types and size, and hand over the target of observations that have one."""
        from hsieve.io.anndata import labelled_rows
        from hsieve.io.frames import open_column

        path, self._adata = self.path, _opened(self.path)
        known = [str(name) for name in self._adata.obs.columns]
        if target is None:
            problem = "no target given; say which annotation it is with target=..."
            raise table_error(path, f"{problem} (--target NAME), a name of {listed(known)}")
        if target not in known:
            raise unknown_name(path, "the target", target, known)
        features = [str(name) for name in self._adata.var_names]
        check_names(path, [*features, target])
        column = open_column(self._adata.obs[target])
        self._labelled = labelled_rows(column, self._adata.n_obs)
        self._blocks: ColumnBlocks | None = None
        about = {
            "features": features,
            "stored_type": np.dtype(self._adata.X.dtype).str,
            "n_obs": int(self._adata.n_obs),
            "n_labelled": len(self._labelled),
            "target_kind": column.problem or column.kind,
            "levels": [str(level) for level in column.levels],
        }
        values = column.values[self._labelled] if column.is_usable else np.zeros(0)
        if column.kind == "text":
            values = values.astype(np.intp)
        return Message(about, [values])

    def _read(self, positions: np.ndarray) -> Message:
        """Hand some columns over, each as a row, as numbers that nobody has looked at."""
        from hsieve.data.views import SampleBlocks
        from hsieve.io.anndata import annotated_columns

        if self._blocks is None:
            self._blocks = annotated_columns(self._adata)
            if len(self._labelled) < self._adata.n_obs:
                self._blocks = SampleBlocks(self._blocks, self._labelled)
        shape = (self._blocks.n_samples, len(positions))
        block = np.empty(shape, dtype=self._blocks.dtype, order="F")
        self._blocks._fill(block, positions)
        return Message({}, [block.T])


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
    _look_inside(path)
    adata = import_module("anndata").read_h5ad(path, backed="r")
    try:
        is_there = adata.X is not None
    except Exception:  # whatever it stumbles over in a damaged matrix
        is_there = False
    if not is_there:
        raise table_error(path, "there is no matrix X inside")
    expected, found = (adata.n_obs, adata.n_vars), tuple(adata.X.shape)
    if found != expected:
        problem = f"X is of the shape {found}, but observations and variables are {expected}"
        raise table_error(path, problem)
    return adata


def refuse_outside(path: Path, file: Any) -> None:
    """Refuse a file in which anything leads out of it, whether or not it would be read.

    Only what the file says of links and data sets is looked at, so that no other file is opened.
    """
    h5py = import_module("h5py")

    def of_link(name: bytes, about: Any) -> str | None:
        # Links within the file lead out by way of others only, and these are all looked at.
        if about.type in (h5py.h5l.TYPE_HARD, h5py.h5l.TYPE_SOFT):
            return None
        called = name.decode(errors="replace")
        link = file.get(name, getlink=True)
        return f"{quoted(called)} is a link to {quoted(link.filename)}, another file"

    def of_object(name: str, found: Any) -> str | None:
        if not isinstance(found, h5py.Dataset):
            return None
        if found.is_virtual:  # one that is made of itself would end the process
            sources = {source.file_name for source in found.virtual_sources()}
            return f"{quoted(name)} is a virtual data set made of {listed(sorted(sources))}"
        if found.external:
            kept = listed([str(outside) for outside, _, _ in found.external])
            return f"{quoted(name)} is a data set whose values are kept in {kept}"
        # How older files name categories; what no link leads to is not looked at here.
        categories = found.attrs.get("categories")
        if isinstance(categories, h5py.Reference) and file[categories].name is None:
            return f"categories of {quoted(name)} are in a data set without a name"
        return None

    problem = file.id.links.visit(of_link, info=True) or file.visititems(of_object)
    if problem:
        advice = "accepted is what is stored in the file itself, under a name"
        raise table_error(path, f"{problem}; {advice}, so copy the values into it")
