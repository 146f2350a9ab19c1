"""A forest of extremely randomised trees: how it ranks features, and how it is grown.

Each split of a tree draws one threshold for some of the features, and takes the one that leaves the
outputs the least variance. The importance of a feature is the part of the variance that its splits
explain. Many features that each help a little rank high, copies as high as their originals.

Cost: O(t n log(n) f) for t trees that try f features per split.
"""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.array_types import FloatArray
from hsieve.kernels import encode_columns
from hsieve.measures.base import KnownScores, Measure
from hsieve.measures.regression_data import RegressionData

__all__ = ["LEAVES", "ForestImportance", "grow_forest"]

N_TREES = 50
# Samples of a leaf, at least. Small leaves follow the noise of the target, and then columns of
# noise improve predictions, since they make the trees of a forest less alike. Large leaves miss
# detail. So predictions are those of the better of both.
LEAST_OF_LEAF = 2
LEAVES = (LEAST_OF_LEAF, 8)
# Fraction of the features that are tried per split where importances are asked for, so that a
# feature shows beside a better one; and most features that are tried.
TRIED_FOR_IMPORTANCE = 0.5
MOST_TRIED = 200


def grow_forest(
    matrix: FloatArray,
    outputs: FloatArray,
    seed: int,
    *,
    tried: float = 1.0,
    leaf: int = LEAST_OF_LEAF,
) -> Any:
    """Fit a forest, each split of which tries a fraction of the features."""
    # Takes long to import.
    from sklearn.ensemble import ExtraTreesRegressor

    forest = ExtraTreesRegressor(
        N_TREES,
        min_samples_leaf=leaf,
        max_features=min(int(np.ceil(tried * matrix.shape[1])), MOST_TRIED),
        random_state=seed,
    )
    return forest.fit(matrix, outputs[:, 0] if outputs.shape[1] == 1 else outputs)


@dataclass(eq=False, repr=False)
class ForestImportance(Measure):
    """Importance of features in a forest of extremely randomised trees.

    Parameters
    ----------
    categorical : iterable of int, default=()
        Features that are categories.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds.
    random_state : int, default=0
        Seed of the forest.
    """

    _: KW_ONLY
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"
    random_state: int = 0

    bound_type = KnownScores
    takes_survival = True

    def bind(self, X: ArrayLike, y: Any) -> KnownScores:
        """Grow the forest; the importances of all features add up to 1."""
        columns = encode_columns(np.asarray(X), categorical=self.categorical, standardise=False)
        outputs = RegressionData.of(columns.matrix, y, target_kind=self.target_kind).outputs
        forest = grow_forest(columns.matrix, outputs, self.random_state, tried=TRIED_FOR_IMPORTANCE)
        scores: NDArray[np.float64] = forest.feature_importances_
        return KnownScores(np.add.reduceat(scores, columns.starts[:-1]))
