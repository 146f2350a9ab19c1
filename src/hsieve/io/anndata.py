"""AnnData, as single-cell biology has it: the matrix as column blocks, an annotation as target.

The package anndata is not imported here: whoever has such data has imported it already.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.data.arrays import BackedBlocks, as_blocks
from hsieve.data.columns import ColumnBlocks
from hsieve.data.errors import listed, quoted
from hsieve.data.views import SampleBlocks
from hsieve.io.frame_columns import FrameColumn, open_column
from hsieve.io.frame_targets import target_of_column
from hsieve.io.sparse import SparseBlocks, is_sparse

__all__ = [
    "annotated_columns",
    "is_annotated",
    "labelled_rows",
    "open_annotated",
    "refuse_annotated",
]


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
