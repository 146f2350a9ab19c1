"""Spline bases of single features, as orthonormal blocks of columns.

Every feature is scaled to [0, 1], so all share their knots and the basis (scikit-learn's
`SplineTransformer`) is evaluated for many features at once. The columns of a feature are centred
and made orthonormal; a feature of few values has fewer directions than columns, and the columns
left over are zero.

Cost: O(n d m^2) for m columns a feature, n d m numbers.
"""

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import SplineTransformer

from hsieve.kernels.columns import within_range

__all__ = ["spline_blocks"]

FloatArray = NDArray[np.floating]

BLOCK_NUMBERS = 1_000_000
# Directions of less than this share of the largest are rounding.
NEGLIGIBLE = 1e-9


def spline_blocks(X: FloatArray, *, n_knots: int, degree: int = 3) -> FloatArray:
    """Orthonormal spline bases of features.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features, none of them constant.
    n_knots : int
        Evenly spaced knots from the least to the largest value, at least 2.
    degree : int, default=3
        Degree of the pieces.

    Returns
    -------
    ndarray of shape (n_features, n_samples, n_knots + degree - 2)
        Blocks B of mean zero with B'B = n I, but for columns that are zero.

    Examples
    --------
    >>> import numpy as np
    >>> block = spline_blocks(np.arange(9.0)[:, None], n_knots=2, degree=1)[0]
    >>> (block.T @ block).round(6)
    array([[9.]])
    """
    n_samples, n_features = X.shape
    scaled = within_range(X)
    basis = SplineTransformer(n_knots=n_knots, degree=degree, include_bias=False)
    # Arrays, whatever containers are asked for globally.
    basis.set_output(transform="default").fit(np.array([[0.0], [1.0]]))
    n_columns = n_knots + degree - 2
    blocks = np.empty((n_features, n_samples, n_columns))
    width = max(1, BLOCK_NUMBERS // (n_samples * n_columns))
    for start in range(0, n_features, width):
        part = scaled[:, start : start + width].T
        columns = basis.transform(part.reshape(-1, 1)).reshape(*part.shape, n_columns)
        blocks[start : start + width] = _orthonormal(columns)
    return blocks


def _orthonormal(columns: FloatArray) -> FloatArray:
    """Centre each block of a stack and give its directions length sqrt(n)."""
    centred = columns - columns.mean(axis=1, keepdims=True)
    directions, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    directions = directions * (sizes > NEGLIGIBLE * sizes[:, :1])[:, None, :]
    blocks = np.zeros_like(columns)
    # With fewer samples than columns there are fewer directions, too.
    blocks[:, :, : directions.shape[2]] = np.sqrt(columns.shape[1]) * directions
    return blocks
