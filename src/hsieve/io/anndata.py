"""AnnData, as single-cell biology has it: the matrix as column blocks, an annotation as target.

The package anndata is not imported here: whoever has such data has imported it already, and a file
(.h5ad) is read by a process of its own (:mod:`hsieve.io.reader_process`). Its matrix stays in the
file until its columns are asked for.
"""

from collections.abc import Collection, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.data.arrays import BackedBlocks, StoredBlocks, as_blocks
from hsieve.data.columns import ColumnBlocks, FloatArray, IndexArray, float_type, some_columns
from hsieve.data.errors import listed, quoted, table_error
from hsieve.data.views import SampleBlocks
from hsieve.io.frames import FrameColumn, open_column
from hsieve.io.reader_process import ReaderProcess
from hsieve.io.source import Source
from hsieve.io.sparse import SparseBlocks, is_sparse
from hsieve.io.targets import target_of_column
from hsieve.io.values import NUMPY_KINDS, Array

__all__ = [
    "AnnDataSource",
    "annotated_columns",
    "is_annotated",
    "labelled_rows",
    "open_annotated",
    "refuse_annotated",
]

READER = "hsieve.io.anndata_reader"
# Most that is asked for at a time, if it is more than one column.
ASKED_BYTES = 64 * 10**6


def is_annotated(X: Any) -> bool:
    """Say whether data are an AnnData."""
    return any(
        kind.__name__ == "AnnData" and kind.__module__.split(".")[0] == "anndata"
        for kind in type(X).__mro__
    )


def refuse_annotated(X: Any, whose: str) -> None:
    """Refuse an AnnData where a plain table is needed, and say who takes it."""
    if is_annotated(X):
        msg = (
            f"{whose} got an AnnData; use hsieve.anndata.select(adata, groupby=...), which writes "
            "the result into adata.var, or hand over adata.to_df()."
        )
        raise ValueError(msg)


def open_annotated(
    adata: Any, groupby: str, *, layer: str | None = None, target_kind: str = "auto"
) -> tuple[ColumnBlocks, NDArray[Any], tuple[str, ...]]:
    """Take features and target of an AnnData."""
    if not isinstance(groupby, str) or groupby not in adata.obs.columns:
        known = listed(map(str, adata.obs.columns))
        msg = f"groupby must be a column of adata.obs, got {groupby!r}; there are {known}."
        raise ValueError(msg)
    column = open_column(adata.obs[groupby])
    labelled = labelled_rows(column, adata.n_obs)
    called = f"adata.obs[{quoted(groupby)}]"
    if len(labelled) == 0:
        msg = f"{called} has no value at all."
        raise ValueError(msg)
    columns = annotated_columns(adata, layer)
    y = target_of_column(open_column(adata.obs[groupby].iloc[labelled]), called, target_kind)
    notes = []
    if len(labelled) < adata.n_obs:
        columns = SampleBlocks(columns, labelled)
        lacking = f"{adata.n_obs - len(labelled)} of {adata.n_obs} observations have no {groupby}"
        notes.append(f"{lacking}: left out.")
    return columns, y, tuple(notes)


def annotated_columns(adata: Any, layer: str | None = None) -> ColumnBlocks:
    """Return the matrix of an AnnData as column blocks, named by its variables."""
    names = tuple(map(str, adata.var_names))
    if len(set(names)) < len(names):
        msg = "adata.var_names are not unique; call adata.var_names_make_unique() first."
        raise ValueError(msg)
    if layer is not None and layer not in adata.layers:
        msg = f"There is no layer {layer!r}, only {listed(map(str, adata.layers))}."
        raise ValueError(msg)
    matrix = adata.X if layer is None else adata.layers[layer]
    if matrix is None:
        msg = "adata.X is empty; name one of adata.layers by layer=..."
        raise ValueError(msg)
    if is_sparse(matrix):
        return SparseBlocks(matrix, names)
    if isinstance(matrix, np.ndarray):
        return as_blocks(matrix.view(np.ndarray), names)
    return BackedBlocks(matrix, names)


def labelled_rows(column: FrameColumn, n_obs: int) -> NDArray[np.intp]:
    """Return the observations that have a label."""
    if not column.is_usable or column.values.dtype.kind != "f":
        return np.arange(n_obs)
    return np.flatnonzero(~np.isnan(column.values))


class AnnDataSource(Source):
    """Columns of the matrix of an AnnData, and the target among the annotations."""

    def __init__(self, path: Path, target: str | None) -> None:
        if find_spec("anndata") is None:
            problem = "reading this needs anndata (pip install hsieve[anndata])"
            raise table_error(path, problem)
        self._reader = ReaderProcess(path, ".h5ad", READER)
        self._is_handed_out = False
        try:
            found = self._reader.ask({"do": "open", "path": str(path), "target": target})
        except BaseException:
            self._reader.close()
            raise
        about, (self._target_values,) = found.about, found.arrays
        self._target_kind, self._levels = about["target_kind"], about["levels"]
        self._blocks = ServedBlocks(
            self._reader, about["n_labelled"], about["features"], about["stored_type"]
        )
        n_without = about["n_obs"] - about["n_labelled"]
        if n_without:
            lacking = f"{n_without} of {about['n_obs']} observations have no {target}"
            self.notes = (f"{lacking}: left out.",)
        super().__init__(path, [*about["features"], str(target)], target)

    def open(self, wanted: Sequence[str], declared: Collection[str] = ()) -> dict[str, str]:
        """Tell the kind of each wanted column."""
        (stored,) = self._blocks.stored_types
        kinds = dict.fromkeys(wanted, NUMPY_KINDS.get(stored.kind, str(stored)))
        if self.target in kinds:
            kinds[self.target] = self._target_kind
        return kinds

    def load(self, name: str) -> Array:
        """Return the target; features are read as columns."""
        assert name == self.target
        if self._target_kind == "boolean":
            return self._target_values.astype(np.float64)
        if self._target_kind != "text":
            return self._target_values
        labels: Array = np.array(self._levels, dtype=object)[self._target_values]
        return labels

    def columns(
        self, features: Sequence[str], declared: Collection[str], *, may_lack: bool
    ) -> ColumnBlocks:
        """Return some features as column blocks, for which the file stays open."""
        self._is_handed_out = True
        places = {name: place for place, name in enumerate(self.names)}
        wanted = np.array([places[name] for name in features], dtype=np.intp)
        return some_columns(self._blocks, wanted)

    def close(self) -> None:
        """Let go of the file, unless columns are still read from it."""
        if not self._is_handed_out:
            self._reader.close()


class ServedBlocks(StoredBlocks):
    """Columns of a matrix in a file that is open in a process of its own."""

    def __init__(
        self, reader: ReaderProcess, n_samples: int, names: Sequence[str], stored_type: Any
    ) -> None:
        self._reader = reader
        self.n_samples, self.n_features = n_samples, len(names)
        self.names = tuple(names)
        self.stored_types = [np.dtype(stored_type)]
        self.dtype = float_type(self.stored_types[0])

    def _fill(self, block: FloatArray, positions: IndexArray) -> None:
        width = max(1, ASKED_BYTES // max(1, self.n_samples * self.dtype.itemsize))
        for start in range(0, len(positions), width):
            places = slice(start, start + width)
            reply = self._reader.ask({"do": "read"}, positions[places])
            block[:, places] = reply.arrays[0].T
