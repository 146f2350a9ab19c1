"""Data turned to their principal axes, without the axes along which there is nothing.

Windows of residues coded by 54 scales each have 648 columns and a rank of some 230: whatever is
linear in the columns can be worked out in 230 dimensions.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

__all__ = ["principal_axes"]

FloatArray = NDArray[np.floating]

# Axes are left out along which the data are shorter than this share of the longest: what rounding
# leaves of directions that are not there.
NOTHING = {np.dtype(np.float32): 1e-6, np.dtype(np.float64): 1e-10}
CHUNK_ROWS = 4096
EPSILON = float(np.finfo(np.float64).eps)


def principal_axes(
    data: FloatArray, *, shortest: float | None = None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Turn data to their principal axes about the origin.

    Parameters
    ----------
    data : ndarray of shape (n_samples, n_columns)
        float32 or float64; not changed.
    shortest : float or None, default=None
        Axes are kept along which the data have at least this share of the greatest norm; None for
        all but rounding (1e-10, for single precision 1e-6).

    Returns
    -------
    axes : ndarray of shape (n_columns, n_axes)
        Orthonormal, float64, longest first; always at least one.
    coordinates : ndarray of shape (n_samples, n_axes)
        ``data @ axes`` in the precision of the data; its columns are orthogonal.
    squares : ndarray of shape (n_axes,)
        Squared norms of these columns, float64.

    Examples
    --------
    >>> import numpy as np
    >>> axes, coordinates, squares = principal_axes(np.array([[3.0, 4.0], [6.0, 8.0]]))
    >>> coordinates.shape, np.round(squares, 6)
    ((2, 1), array([125.]))
    """
    n_samples, n_columns = data.shape
    share = NOTHING[data.dtype] if shortest is None else shortest
    if n_columns > n_samples:
        # An orthonormal basis of the rows; the rest are directions without data.
        basis, rows = np.linalg.qr(data.T.astype(np.float64))
        axes, coordinates, squares = principal_axes(np.ascontiguousarray(rows.T), shortest=share)
        return basis @ axes, coordinates.astype(data.dtype), squares
    values, axes = (part[..., ::-1] for part in eigh(_gram(data)))
    # Values are wrong by the rounding of the greatest one: near it, axes are measured instead.
    possible = values > (share**2 - n_columns * EPSILON) * values[0]
    possible[0] = True
    axes = np.ascontiguousarray(axes[:, possible])
    coordinates = data @ axes.astype(data.dtype)
    squares = np.einsum("ij,ij->j", coordinates, coordinates, dtype=np.float64)
    kept = squares > share**2 * squares.max()
    kept[0] = True
    if not kept.all():
        axes, squares = axes[:, kept], squares[kept]
        coordinates = np.ascontiguousarray(coordinates[:, kept])
    return axes, coordinates, squares


def _gram(data: FloatArray) -> FloatArray:
    """Products of all columns, in double precision, a chunk of samples at a time."""
    gram = np.zeros((data.shape[1], data.shape[1]))
    for first in range(0, len(data), CHUNK_ROWS):
        chunk = data[first : first + CHUNK_ROWS].astype(np.float64)
        gram += chunk.T @ chunk
    return gram
