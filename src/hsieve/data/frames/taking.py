"""Some columns of a data frame, as a frame of the same kind or as an array."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.data.frames.columns import frame_library

__all__ = ["as_array", "take_columns"]


def take_columns(X: Any, positions: NDArray[np.intp]) -> Any:
    """Return some columns of a frame, their names and types as they are.

    Parameters
    ----------
    X : DataFrame, Table or RecordBatch
        The frame.
    positions : ndarray of int
        Which columns, in this order.

    Returns
    -------
    of the type of X
        The columns.
    """
    library = frame_library(X)
    if library == "pandas":
        return X.iloc[:, positions]
    if library == "polars":
        return X[:, positions.tolist()]
    return X.select(positions.tolist())


def as_array(frame: Any) -> NDArray[Any]:
    """Return a frame as an array: numbers where all columns are numbers, else objects.

    Parameters
    ----------
    frame : DataFrame, Table or RecordBatch
        The frame, of at least one column.

    Returns
    -------
    ndarray of shape (n_samples, n_columns)
        Its values.
    """
    library = frame_library(frame)
    if library == "arrow":
        return np.column_stack([np.asarray(column) for column in frame.columns])
    return np.asarray(frame.to_numpy())
