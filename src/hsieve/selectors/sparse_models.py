"""What selectors share that fit one sparse model to all features at once."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.data.validation import constant_columns, target_kind_of
from hsieve.kernels.columns import standardised
from hsieve.kernels.labels import sign_coding
from hsieve.parallel.threads import one_blas_thread
from hsieve.selectors.base import BaseSelector
from hsieve.selectors.whole_fit import whole_or_nothing
from hsieve.solvers import SparseFit
from hsieve.strategies.base import SelectionPath

__all__ = ["SparseSelector", "model_outputs"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]


class SparseSelector(BaseSelector):
    """Base of selectors whose penalty is set so that a given number of features have a weight.

    Features are ordered by the size of their weight, the others by how near they are to getting
    one. Where no penalty gives exactly the number wanted, that with the nearest number is taken
    (the smaller of two as near); surplus features are those of least weight, and missing ones are
    those nearest to a weight, with a score of zero.
    """

    target_kind: str

    @abstractmethod
    def _sparse_fit(self, X: FloatArray, y: NDArray[Any], n_wanted: int) -> SparseFit:
        """Fit the model to varying features, with as many of them as wanted."""

    @whole_or_nothing
    def fit(self, X: ArrayLike, y: Any) -> Self:
        """Choose features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features: finite numbers.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Classes or numbers.

        Returns
        -------
        self
            The fitted selector.
        """
        data, target = self._validated(X, y, self, dtype=[np.float64, np.float32])
        self._check(self, target, len(data))
        varying = self._varying_features(constant_columns(data))
        self._search(data[:, varying].astype(np.float64), target, varying)
        return self

    def _search(self, data: FloatArray, target: NDArray[Any], varying: IndexArray) -> None:
        """Fit the model and keep the result."""
        n_wanted = self._n_wanted(self.n_features_in_)
        n_possible = min(n_wanted, len(varying))
        with one_blas_thread():
            fit = self._sparse_fit(data, target, n_possible)
        self.penalty_ = fit.penalty
        order, n_used = fit.order, fit.n_used
        exact = "enough features" if n_used == n_possible else f"{n_used} is the nearest number"
        path = SelectionPath(
            order=order,
            feature_scores=fit.weights[order],
            sizes=np.array([n_used]),
            set_scores=np.array([fit.weights.sum()]),
            stop_reason=exact,
            n_evaluations=1,
        )
        self._keep(path, varying, n_wanted)


def model_outputs(y: NDArray[Any], target_kind: str) -> FloatArray:
    """Centred outputs of a regression: standardised numbers, signs of two classes, or of each."""
    if target_kind_of(y, target_kind) == "classes":
        signs = sign_coding(y)
        return np.asarray(signs - signs.mean(axis=0))
    return standardised(y.astype(np.float64).reshape(len(y), -1))
