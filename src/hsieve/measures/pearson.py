"""Pearson correlation, and Hall's weighted form where the target holds classes.

For a numeric target: |rho(x, y)|. For classes: the mean of |rho(x, 1[y = c])| weighted by the share
of class c, as Hall (2000) has it and the l1-LSMI paper uses it; for two classes both terms are
equal, so it is the plain point-biserial correlation. Several outputs: the mean over outputs.

Cost: O(n d) for each output or class.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.data.validation import target_kind_of
from hsieve.kernels import encode_columns
from hsieve.measures.base import BoundMeasure, Measure

__all__ = ["BoundPearson", "Pearson"]

FloatArray = NDArray[np.floating]


class Pearson(Measure):
    """Absolute Pearson correlation of single features with the target.

    Parameters
    ----------
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        Classes get Hall's weighted form.

    Examples
    --------
    >>> from hsieve import Pearson
    >>> Pearson().bind([[1.0], [2.0], [3.0], [4.0]], [2.5, 4.5, 6.5, 8.5]).feature_scores([0])
    array([1.])
    """

    def __init__(self, *, target_kind: str = "auto") -> None:
        self.target_kind = target_kind

    def bind(self, X: ArrayLike, y: Any) -> "BoundPearson":
        """Tie the measure to data."""
        columns = encode_columns(np.asarray(X, dtype=np.float64)).matrix
        if target_kind_of(y, self.target_kind) == "classes":
            classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
            outputs = (np.ravel(codes)[:, None] == np.arange(len(classes))).astype(float)
            shares = counts / counts.sum()
        else:
            outputs = np.asarray(y, dtype=np.float64).reshape(len(columns), -1)
            shares = np.full(outputs.shape[1], 1.0 / outputs.shape[1])
        return BoundPearson(columns, encode_columns(outputs).matrix, shares)


@dataclass(frozen=True, eq=False)
class BoundPearson(BoundMeasure):
    """Correlation tied to data: standardised features and outputs, and a weight an output."""

    columns: FloatArray
    outputs: FloatArray
    shares: FloatArray

    @property
    def n_features(self) -> int:  # type: ignore[override]
        """Number of features."""
        return int(self.columns.shape[1])

    def feature_scores(self, features: ArrayLike) -> FloatArray:
        """Weighted absolute correlation of each feature with the outputs."""
        block = self.columns[:, np.asarray(features, dtype=np.intp)]
        correlations = np.abs(block.T @ self.outputs) / len(block)
        return np.minimum(correlations, 1.0) @ self.shares


Pearson.bound_type = BoundPearson
