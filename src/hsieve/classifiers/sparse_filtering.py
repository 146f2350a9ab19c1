"""Sparse filtering: a representation whose values are sparse in every sample, by L-BFGS.

Ngiam et al. (2011), as in section 5.2 and appendix A.2 of Athanasakis' thesis (2014). Learned
features f = W x are made positive, divided by their norm over all samples, then by the norm of each
sample; the sum of what comes out is minimised over W.

    S = sqrt(F^2 + e),  c_k^2 = sum_i S_ik^2 + e      soft absolute (e = 1e-8), norm of feature k
    T = S / c,          r_i^2 = sum_k T_ik^2 + e      norm of sample i
    objective = sum_ik T_ik / r_i

Two facts make one walk over the samples, with one matrix product each way, enough for value and
gradient. With w_k / c_k in the place of w_k the product gives F / c at once, and T^2 is
(F / c)^2 + e / c^2. And the norms need no walk of their own: c_k^2 = w_k' X'X w_k + (n + 1) e.
Taking the chain of normalisations back (s_i = sum_k T_ik),

    q_ik = 1 / (T_ik r_i) - s_i / r_i^3,      M = (F / c * q)' X,
    b_k = m_k . w_k / c_k + e / c_k^2 sum_i q_ik,
    gradient of w_k = (m_k - b_k X'X w_k / c_k) / c_k.

The data are turned to their principal axes first, once. There X'X is diagonal, and axes along which
nothing varies are left out: data of rank r of d cost r / d of the time. The descent is the same,
because L-BFGS does not depend on the axes and no gradient ever leaves the span of the samples.

Cost: O(n r N) an evaluation for N features, one chunk of samples at a time; memory
O(chunk N + N r), and the descent keeps 2 x 20 gradients.
"""

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from hsieve.array_types import FloatArray
from hsieve.classifiers.preparation import PREPARATIONS, Preparation, principal_axes
from hsieve.data.validation import checked_data
from hsieve.io.distributed import refuse_distributed
from hsieve.parameters import BOOLEAN, NONE, Rule, check_parameters, integer, number, word
from hsieve.progress import report
from hsieve.selectors.base import whole_or_nothing

DEFAULT_N_COMPONENTS = 256
PRECISIONS: dict[str, type[np.floating] | None] = {
    "data": None,
    "single": np.float32,
    "double": np.float64,
}
TRANSFORMED_ROWS = 2048
# Of the soft absolute and of both norms, as in the thesis.
SOFT = 1e-8
# Gradients that L-BFGS remembers, as in the thesis.
CORRECTIONS = 20
# Samples worked on at a time: enough for products at full speed.
CHUNK_ROWS = 1024


@dataclass(eq=False, repr=False)
class SparseFiltering(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Learned features of which only few are active in any one sample.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of learned features, the one parameter of the method; more than there are features
        is usual. None for as many as features, at most 256.
    max_iter : int, default=200
        Most iterations of L-BFGS. The objective still falls after that on most data: to end there
        is usual, and no warning is given.
    max_samples : int or None, default=10_000
        Features are learned from this many samples, drawn without replacement; None for all.
    preparation : {"standardise", "range", "none"}, default="standardise"
        What is done with the features first: mean 0 and deviation 1; least value 0 and greatest 1;
        nothing, as in the thesis, which is for values of about 1.
    intercept : bool, default=False
        Whether a constant is added to the features, so that learned features have an intercept.
    tol : float, default=1e-7
        The descent ends when an iteration lowers the objective by less than this fraction of it.
    precision : {"data", "single", "double"}, default="data"
        Of the products while learning: that of X, or as named. Single precision takes about half
        the time and gives features as good.
    random_state : int, Generator or None, default=0
        Seed of the samples drawn and of the weights at the start.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Weights of the features as they are given, less `offset_`; the preparation is in them.
    offset_ : ndarray of shape (n_features,)
        Subtracted from each sample first.
    intercept_ : ndarray of shape (n_components,)
        Constant of each learned feature; zero without `intercept`.
    feature_norms_ : ndarray of shape (n_components,)
        Norm of each learned feature over the samples learned from.
    objective_ : float
        Sum of the learned features over these samples, which is minimised.
    n_iter_ : int
        Iterations taken.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where they were given.

    Notes
    -----
    A learned feature is the soft absolute sqrt(f^2 + 1e-8) of f = w (x - offset) + intercept,
    divided by the norm of that feature over all samples, after which each sample is divided by its
    own norm. The sum of all values is smallest if every sample is told by few features.

    `transform` divides by the norms of the samples learned from, not by those of the samples given:
    else the features of one sample would depend on the others, and one sample alone would have all
    its features equal. Samples learned from get the features of the end of the descent.

    The absolute forgets signs: x and -x, measured from the offset, have the same features. Where a
    sign tells something, take ``preparation="range"``, which measures from the least values, or
    ``intercept=True``.

    Features that are constant in the samples learned from have no weight. Data of low rank, such as
    residues coded by many scales, cost as much as their rank.

    References
    ----------
    J. Ngiam, P. W. Koh, Z. Chen, S. Bhaskar, A. Y. Ng, "Sparse filtering", 2011.
    D. Athanasakis, "Feature selection in computational biology", thesis, 2014, section 5.2.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import SparseFiltering
    >>> X = np.random.default_rng(0).laplace(size=(100, 6))
    >>> learned = SparseFiltering(8).fit_transform(X)
    >>> learned.shape, bool(np.allclose((learned**2).sum(axis=1), 1))
    ((100, 8), True)
    """

    n_components: int | None = None
    _: KW_ONLY
    max_iter: int = 200
    max_samples: int | None = 10_000
    preparation: str = "standardise"
    intercept: bool = False
    tol: float = 1e-7
    precision: str = "data"
    random_state: int | np.random.Generator | None = 0

    allowed: ClassVar[Mapping[str, Rule]] = {
        "n_components": NONE | integer(1),
        "max_iter": integer(1),
        "max_samples": NONE | integer(2),
        "preparation": word(*PREPARATIONS),
        "precision": word(*PRECISIONS),
        "intercept": BOOLEAN,
        "tol": number(least=0, below=1),
    }

    @whole_or_nothing
    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Learn features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features: finite numbers.
        y : object, default=None
            Not used.

        Returns
        -------
        self
            The fitted transformer.
        """
        check_parameters(self)
        refuse_distributed(X, type(self).__name__)
        data = checked_data(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
        rng = np.random.default_rng(self.random_state)
        if self.max_samples is not None and self.max_samples < len(data):
            data = data[np.sort(rng.choice(len(data), int(self.max_samples), replace=False))]
        preparation = Preparation.learned(data, self.preparation)
        prepared = preparation.applied(
            data, precision=PRECISIONS[self.precision], intercept=self.intercept
        )
        n_components = self.n_components or min(data.shape[1], DEFAULT_N_COMPONENTS)
        start = rng.normal(size=(int(n_components), prepared.shape[1]))
        fit = sparse_filtering(prepared, start, max_iter=int(self.max_iter), tol=float(self.tol))
        weights, n_features = fit.weights, data.shape[1]
        self.components_ = (weights[:, :n_features] * preparation.factors).astype(data.dtype)
        self.intercept_ = weights[:, n_features:].sum(axis=1).astype(data.dtype)
        self.offset_ = preparation.offset
        self.feature_norms_ = fit.feature_norms
        self.objective_ = fit.objective
        self.n_iter_ = fit.n_iter
        return self

    def transform(self, X: ArrayLike) -> FloatArray:
        """Compute the learned features of samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, as in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Not negative; each sample has norm one, or less where it lies next to the offset. Of
            the precision of X.
        """
        check_is_fitted(self)
        refuse_distributed(X, f"{type(self).__name__}.transform")
        data = checked_data(self, X, dtype=[np.float64, np.float32], reset=False)
        learned = np.empty((len(data), len(self.components_)), dtype=data.dtype)
        for first in range(0, len(data), TRANSFORMED_ROWS):
            rows = slice(first, first + TRANSFORMED_ROWS)
            # In double precision: a large offset would take the digits of single ones.
            # What is too far away for that is refused below, in words.
            with np.errstate(over="ignore"):
                centred = (data[rows].astype(np.float64) - self.offset_).astype(data.dtype)
            learned[rows] = learned_features(
                centred, self.components_, self.feature_norms_, self.intercept_
            )
        return learned

    @property
    def _n_features_out(self) -> int:
        """Number of learned features, for the names of scikit-learn."""
        return len(self.components_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


@dataclass(frozen=True, eq=False)
class SparseFilteringFit:
    """What the descent came to."""

    weights: FloatArray  # (n_components, n_columns): weights of the learned features, float64
    feature_norms: FloatArray  # (n_components,): norm of each learned feature over the samples
    objective: float  # sum of the normalised features over samples and features
    n_iter: int  # iterations taken


@dataclass(frozen=True, eq=False)
class SparseFilteringProblem:
    """Value and gradient of the objective, on data whose columns are orthogonal."""

    # (n_samples, n_columns): float32 or float64, which is the precision of the products.
    data: FloatArray
    squares: FloatArray  # (n_columns,): squared norms of the columns, float64
    chunk_rows: int = CHUNK_ROWS  # Samples worked on at a time

    def feature_norms(self, weights: FloatArray) -> FloatArray:
        """Norm of each learned feature over the samples, float64."""
        return np.asarray(np.sqrt(weights**2 @ self.squares + (len(self.data) + 1) * SOFT))

    def value_and_gradient(self, weights: FloatArray) -> tuple[float, FloatArray]:
        """Objective and its gradient."""
        norms = self.feature_norms(weights)
        scaled = weights / norms[:, None]
        softness = SOFT / norms**2
        value, slopes, pulls = self._walk(scaled, softness)
        along = np.einsum("kj,kj->k", slopes, scaled) + softness * pulls
        gradient = (slopes - along[:, None] * scaled * self.squares) / norms[:, None]
        return value, gradient

    def _walk(
        self, scaled: FloatArray, softness: FloatArray
    ) -> tuple[float, FloatArray, FloatArray]:
        """Objective, M and the sums of q over the samples, in one walk over chunks of samples."""
        precision = self.data.dtype
        turned = np.ascontiguousarray(scaled.T, dtype=precision)
        soft = softness.astype(precision)
        ones, total = np.ones(len(scaled), dtype=precision), 0.0
        slopes, pulls = np.zeros(scaled.shape), np.zeros(len(scaled))
        rows = min(self.chunk_rows, len(self.data))
        room = np.empty((2, rows, len(scaled)), dtype=precision)
        for chunk in _chunks(self.data, rows):
            features = np.matmul(chunk, turned, out=room[0, : len(chunk)])
            parts = np.multiply(features, features, out=room[1, : len(chunk)])
            parts += soft
            lengths = np.sqrt(parts @ ones + precision.type(SOFT))
            np.sqrt(parts, out=parts)
            sums = parts @ ones
            total += float(np.sum(sums / lengths, dtype=np.float64))
            np.divide((1 / lengths)[:, None], parts, out=parts)
            parts -= (sums / lengths**3)[:, None]
            pulls += parts.sum(axis=0)
            features *= parts
            slopes += features.T @ chunk
        return total, slopes, pulls


def sparse_filtering(
    data: FloatArray, start: FloatArray, *, max_iter: int = 200, tol: float = 0.0
) -> SparseFilteringFit:
    """Learn features that are sparse in every sample, from a start of (n_components, n_columns).

    The descent ends when an iteration lowers the objective by less than the fraction `tol` of it.
    """
    axes, coordinates, squares = principal_axes(data)
    problem = SparseFilteringProblem(coordinates, squares)
    turned = start.astype(np.float64) @ axes
    done = [0]

    def flat(vector: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = problem.value_and_gradient(vector.reshape(turned.shape))
        return value, gradient.ravel()

    def told(_: Any) -> None:
        done[0] += 1
        report(done[0] / max_iter, "learning features")

    result = minimize(
        flat,
        turned.ravel(),
        jac=True,
        method="L-BFGS-B",
        callback=told,
        options={
            "maxcor": CORRECTIONS,
            "maxiter": max_iter,
            "maxfun": 100 * max_iter,
            "ftol": tol,
            "gtol": 0.0,
        },
    )
    weights = result.x.reshape(turned.shape)
    return SparseFilteringFit(
        weights=weights @ axes.T,
        feature_norms=problem.feature_norms(weights),
        objective=float(result.fun),
        n_iter=int(result.nit),
    )


def learned_features(
    data: FloatArray,
    weights: FloatArray,
    feature_norms: FloatArray,
    constants: FloatArray | float = 0.0,
) -> FloatArray:
    """Compute learned features of samples, each from its own values alone, with norm one.

    `constants` are added to the products of weights and data. Samples so far away that their
    squares overflow are refused.
    """
    precision = data.dtype
    with np.errstate(over="ignore", invalid="ignore"):
        features = data @ (weights / feature_norms[:, None]).T.astype(precision)
        features += (constants / feature_norms).astype(precision)
        features *= features
        features += (SOFT / feature_norms**2).astype(precision)
        lengths = np.sqrt(features.sum(axis=1, keepdims=True) + precision.type(SOFT))
    if not np.isfinite(lengths).all():
        msg = (
            f"X holds values as large as {np.abs(data).max():.3g} (less the offset), which is too "
            f"far from the samples learned from for {precision}."
        )
        raise ValueError(msg)
    np.sqrt(features, out=features)
    features /= lengths
    return features


def _chunks(data: FloatArray, rows: int) -> Iterator[FloatArray]:
    """Cut data into chunks of so many samples, in order."""
    for first in range(0, len(data), rows):
        yield data[first : first + rows]
