"""What a regression on some of the features needs: their columns, and the target as numbers."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.data.blocks import ColumnBlocks, as_blocks
from hsieve.data.validation import target_kind_of
from hsieve.kernels import encode_columns
from hsieve.kernels.columns import standardised

__all__ = ["RegressionData"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class RegressionData:
    """Features, wherever they are, and the outputs of a regression.

    Parameters
    ----------
    blocks : ColumnBlocks
        All columns.
    categorical : ndarray of bool of shape (n_columns,)
        True where a column is a category.
    positions : ndarray of int of shape (n_features,)
        Column of each feature.
    outputs : ndarray of shape (n_samples, n_outputs)
        Columns of mean 0 and deviation 1: numbers, or an indicator for each class (one for two
        classes). A rare class has the same weight as any other.
    """

    blocks: ColumnBlocks
    categorical: NDArray[np.bool_]
    positions: IndexArray
    outputs: FloatArray

    @classmethod
    def of(
        cls,
        X: ArrayLike | ColumnBlocks,
        y: Any,
        *,
        target_kind: str,
        categorical: NDArray[np.bool_] | None = None,
    ) -> "RegressionData":
        """Put features and target together.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or ColumnBlocks
            The features.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Classes, numbers or several outputs.
        target_kind : {"auto", "classes", "continuous"}
            What y holds.
        categorical : ndarray of bool of shape (n_features,) or None, default=None
            True where a feature is a category; None for nowhere.
        """
        blocks = as_blocks(X if isinstance(X, ColumnBlocks) else np.asarray(X))
        values = np.asarray(y)
        if target_kind_of(values, target_kind) == "classes":
            classes = np.unique(values)
            # Of two classes the second column would only repeat the first.
            named = classes[1:] if len(classes) == 2 else classes
            numbers = (values[:, None] == named).astype(np.float64)
        else:
            numbers = values.astype(np.float64).reshape(len(values), -1)
        if categorical is None:
            categorical = np.zeros(blocks.n_features, dtype=bool)
        return cls(blocks, categorical, np.arange(blocks.n_features), standardised(numbers))

    def among(self, features: IndexArray) -> "RegressionData":
        """Return the same over some of the features, renumbered."""
        return replace(self, positions=self.positions[features])

    def column(self, feature: int) -> FloatArray:
        """Read a feature: a number standardised robustly, a category as scaled indicators."""
        position = self.positions[[feature]]
        numbers = self.blocks.read(position).astype(np.float64)
        if self.categorical[position[0]]:
            return encode_columns(numbers, categorical=[0]).matrix
        return standardised(numbers, robust=True)
