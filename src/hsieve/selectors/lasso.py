"""The lasso with a penalty that keeps the number of features asked for."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.kernels.columns import standardised
from hsieve.selectors.sparse_models import SparseSelector, model_outputs
from hsieve.solvers import SparseFit, lasso_of_size

__all__ = ["LassoSelector"]


class LassoSelector(SparseSelector):
    """Features of a linear regression with an l1 penalty: the usual linear baseline.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        A number, a share below 1, or None for 10 (or all, where there are fewer).
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds. Two classes are coded as -1 and 1.

    Attributes
    ----------
    penalty_ : float
        Penalty at which the features have a weight, for standardised features and numbers.
    selected_indices_, ranking_, scores_, path_
        As in every selector: chosen features by absolute coefficient, place of each feature,
        absolute coefficient of each feature, the fit.

    Notes
    -----
    The regularisation path passes every number of features unless features tie or repeat each
    other, or there are not more samples than features wanted; then the nearest number on the path
    is taken, surplus features are those of least weight, and missing ones those nearest to a
    weight, with a score of zero. Several classes or outputs share their features by a multi-task
    lasso, in which a feature has a weight for all of them or for none.

    References
    ----------
    R. Tibshirani, "Regression shrinkage and selection via the lasso", 1996.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import LassoSelector
    >>> X = np.random.default_rng(0).normal(size=(100, 10))
    >>> LassoSelector(2).fit(X, 2 * X[:, 3] - X[:, 7]).selected_indices_
    array([3, 7])
    """

    def __init__(
        self, n_features_to_select: int | float | None = None, *, target_kind: str = "auto"
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.target_kind = target_kind

    def _sparse_fit(self, X: NDArray[np.floating], y: NDArray[Any], n_wanted: int) -> SparseFit:
        return lasso_of_size(standardised(X), model_outputs(y, self.target_kind), n_wanted)
