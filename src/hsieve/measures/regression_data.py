"""What a regression on some of the features needs: their columns, and the target as numbers."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data.arrays import as_blocks
from hsieve.data.columns import ColumnBlocks
from hsieve.data.survival import SURVIVAL
from hsieve.data.validation import target_kind_of
from hsieve.kernels import encode_columns
from hsieve.kernels.columns import standardised
from hsieve.measures.targets import number_columns


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
        Columns of mean 0 and deviation 1: numbers, or the scores of classes.
    is_classes : bool, default=False
        Whether the outputs are scores of classes, which may be turned.
    means_only : bool, default=False
        Whether features may change the spread of outputs on which they have no effect, as those of
        survival do, so that tests must compare means.
    """

    blocks: ColumnBlocks
    categorical: NDArray[np.bool_]
    positions: IndexArray
    outputs: FloatArray
    is_classes: bool = False
    means_only: bool = False

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
        target_kind : {"auto", "classes", "continuous", "survival"}
            What y holds.
        categorical : ndarray of bool of shape (n_features,) or None, default=None
            True where a feature is a category; None for nowhere.
        """
        blocks = as_blocks(X if isinstance(X, ColumnBlocks) else np.asarray(X))
        values = np.asarray(y)
        kind = target_kind_of(values, target_kind)
        is_classes = kind == "classes"
        outputs = class_scores(values) if is_classes else number_columns(values)
        if categorical is None:
            categorical = np.zeros(blocks.n_features, dtype=bool)
        positions = np.arange(blocks.n_features)
        return cls(blocks, categorical, positions, outputs, is_classes, kind == SURVIVAL)

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


def class_scores(labels: NDArray[Any]) -> FloatArray:
    """Uncorrelated scores of classes, one fewer than there are classes.

    Columns have mean 0 and deviation 1. The inner product of two samples is 1 / fraction of the
    class - 1 within a class, and -1 between classes, so that a rare class weighs as much as others.

    Examples
    --------
    >>> import numpy as np
    >>> class_scores(np.array(["a", "b", "b", "a"])).ravel()
    array([-1.,  1.,  1., -1.])
    """
    _, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    roots = np.sqrt(counts / len(codes))
    # The reflection that turns the last axis into these roots: its other columns are orthogonal
    # to them, and so have mean 0.
    normal = roots.copy()
    normal[-1] -= 1.0
    length = float(normal @ normal)
    reflection = np.eye(len(roots))
    if length > 0:
        reflection -= 2.0 / length * np.outer(normal, normal)
    scores = reflection[:, :-1] / roots[:, None]
    return np.asarray(scores[codes])
