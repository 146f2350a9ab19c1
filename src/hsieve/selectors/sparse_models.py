"""Selectors that fit one sparse model to all features: lasso and SpAM.

SpAM: sparse additive models.

Spline bases of single features, as orthonormal blocks of columns.

Every feature is scaled to [0, 1], so all share their knots and the basis (scikit-learn's
`SplineTransformer`) is evaluated for many features at once. The columns of a feature are centred
and made orthonormal; a feature of few values has fewer directions than columns, and the columns
left over are zero.

Cost: O(n d m^2) for m columns per feature, n d m numbers.
"""

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.preprocessing import SplineTransformer

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data.validation import constant_columns, target_kind_of
from hsieve.dataset import Dataset
from hsieve.kernels.columns import standardised, within_range
from hsieve.kernels.labels import sign_coding
from hsieve.measures.targets import number_columns
from hsieve.parallel.threads import one_blas_thread
from hsieve.parameters import integer, rules
from hsieve.selectors.base import BaseSelector, whole_or_nothing
from hsieve.selectors.spec import MODELS, MethodSpec
from hsieve.solvers import GroupLasso, SparseFit, fit_of_size, lasso_of_size
from hsieve.strategies.base import SelectionPath

BLOCK_NUMBERS = 1_000_000
# Directions of less than this share of the largest are rounding.
NEGLIGIBLE = 1e-9


@dataclass(eq=False, repr=False)
class SparseSelector(BaseSelector):
    """Base of selectors whose penalty is set so that a given number of features have a weight.

    Features are ordered by the size of their weight, the others by how near they are to getting
    one. Where no penalty gives exactly the number wanted, that with the nearest number is taken
    (the smaller of two as near); surplus features are those of least weight, and missing ones are
    those nearest to a weight, with a score of zero.
    """

    n_features_to_select: int | float | None = None
    _: KW_ONLY
    target_kind: str = "auto"

    @abstractmethod
    def _sparse_fit(self, X: FloatArray, y: NDArray[Any], n_wanted: int) -> SparseFit:
        """Fit the model to varying features, with as many of them as wanted."""

    @whole_or_nothing
    def fit(self, X: ArrayLike | Dataset, y: Any = None) -> Self:
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
        )
        self._keep(path, varying, n_wanted)


def model_outputs(y: NDArray[Any], target_kind: str) -> FloatArray:
    """Centred outputs of a regression: standardised numbers, signs of two classes, or of each."""
    if target_kind_of(y, target_kind) == "classes":
        signs = sign_coding(y)
        return np.asarray(signs - signs.mean(axis=0))
    return number_columns(y)


@dataclass(eq=False, repr=False, kw_only=True)
class SpAM(SparseSelector):
    """Features of a sparse additive model: a sum of curves, one per feature, most of them zero.

    Parameters
    ----------
    {number_without_rules}
    n_knots : int, default=4
        Knots of the cubic splines, evenly spaced over the range of each feature; a curve has
        n_knots + 1 degrees of freedom.
    {target_kind}
        Two classes are coded as -1 and 1.

    Attributes
    ----------
    penalty_ : float
        Penalty at which the features have a curve, for standardised numbers.
    selected_indices_, ranking_, scores_, path_
        As in every selector: chosen features by the size of their curve, place of each feature,
        size of each feature's curve (its root mean square), the fit.

    Notes
    -----
    Minimises |y - sum_j f_j(x_j)|^2 / 2n + penalty * sum_j sqrt(mean f_j^2) over splines f_j by the
    paper's backfitting with soft thresholding. Classes are fitted by least squares rather than by
    logistic regression; several classes or outputs share their features, each with curves of its
    own. Where no penalty gives the number wanted, that with the nearest number is taken (the
    smaller of two as near); surplus features are those of the smallest curves, and missing ones
    those nearest to a curve, with a score of zero. Interactions are not seen. Extreme outliers
    leave most samples of a feature between two knots; take ranks or logarithms first.

    References
    ----------
    P. Ravikumar, J. Lafferty, H. Liu, L. Wasserman, "Sparse additive models", 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import SpAM
    >>> X = np.random.default_rng(0).normal(size=(200, 10))
    >>> sorted(SpAM(2).fit(X, np.abs(X[:, 3]) + X[:, 7]).selected_indices_.tolist())
    [3, 7]
    """

    n_knots: int = 4

    spec = MethodSpec(
        does="fits a sum of curves, one for each feature, of which most are zero.",
        score="Size of the curve of the feature (root mean square).",
        name="spam",
        purpose="a sum of curves, one per feature, most of them zero",
        cost="5 n d a step",
        group=MODELS,
        keeps_copies=False,
    )

    allowed = rules(n_knots=integer(2))

    def _sparse_fit(self, X: NDArray[np.floating], y: NDArray[Any], n_wanted: int) -> SparseFit:
        blocks = spline_blocks(X, n_knots=int(self.n_knots))
        problem = GroupLasso(blocks, model_outputs(y, self.target_kind))
        return fit_of_size(problem.fit, problem.strongest, n_wanted)


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


class LassoSelector(SparseSelector):
    """Features of a linear regression with an l1 penalty: the usual linear baseline.

    Parameters
    ----------
    {number_without_rules}
    {target_kind}
        Two classes are coded as -1 and 1.

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
    other, or there are no more samples than features wanted; then the nearest number on the path
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

    spec = MethodSpec(
        does="fits a linear model of which most coefficients are zero: straight-line effects only.",
        score="Absolute coefficient of the feature.",
        name="lasso",
        purpose="straight-line effects, redundant features left out",
        cost="k n d",
        group=MODELS,
        keeps_copies=False,
    )

    def _sparse_fit(self, X: NDArray[np.floating], y: NDArray[Any], n_wanted: int) -> SparseFit:
        return lasso_of_size(standardised(X), model_outputs(y, self.target_kind), n_wanted)
