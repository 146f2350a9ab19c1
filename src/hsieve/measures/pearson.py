"""Pearson correlation of single features with the target and with each other.

**Plain** (``squared=False``): |rho(x, y)| for a numeric target. For classes: the mean of
|rho(x, 1[y = c])| weighted by the fraction of class c, as Hall (2000) has it and the l1-LSMI paper
uses it; for two classes both terms are equal, so it is the plain point-biserial correlation.
Several outputs: the mean over outputs. Redundancy is |rho(x, x')|, a matrix that may have negative
eigenvalues.

**Squared**: rho^2 is the inner product <zz', vv'> / n^2 of the rank-one kernels of standardised
columns z and v. The redundancies are the Gram matrix of these kernels (Schur's product theorem says
the same: the entrywise square of a correlation matrix is positive semi-definite). For one numeric
target the relevance is rho^2, the inner product with its kernel. For classes it is the inner
product with the delta kernel 1/n_c of N3LARS, which comes to

    sum_c (1 - p_c) rho(x, 1[y = c])^2 = the fraction of the variance of x between classes,

p_c being the fraction of class c; for two classes this is rho^2. For several outputs it is the mean
of rho^2. All are inner products of the features' kernels with one target kernel, so the relevance
lies in the range of the redundancies and the lasso path over them is the *linear* HSIC lasso.
Squares of Hall's form are not such products, so they are not used.

Cost: O(n d) for each output or class, O(n) for each pair of features.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.array_types import FloatArray
from hsieve.data.validation import check_lengths, target_kind_of
from hsieve.kernels import encode_columns
from hsieve.kernels.columns import slices, unique_counts
from hsieve.kernels.null_laws import log_ratio_tail
from hsieve.measures.base import Measure, PairwiseBoundMeasure
from hsieve.measures.regression_data import RegressionData

# Columns are worked on in blocks of about this many numbers, so that there is one copy of the data,
# not several, and not wider than this.
BLOCK_NUMBERS = 4_000_000
WIDEST_BLOCK = 256


@dataclass(eq=False, repr=False, kw_only=True)
class Pearson(Measure):
    """Pearson correlation of single features, absolute or squared.

    Parameters
    ----------
    squared : bool, default=False
        Whether correlations are squared. Squares are inner products of kernels, which the
        regularisation path needs; absolute values are what correlation rankings and QPFS use.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        Classes get Hall's weighted form or, squared, the fraction of variance between classes.

    Examples
    --------
    >>> from hsieve import Pearson
    >>> Pearson().bind([[1.0], [2.0], [3.0], [4.0]], [2.5, 4.5, 6.5, 8.5]).feature_scores([0])
    array([1.])
    """

    squared: bool = False
    target_kind: str = "auto"

    takes_survival = True

    @property
    def redundancy_is_psd(self) -> bool:  # type: ignore[override]
        """Whether correlations are squared: then they are inner products of kernels."""
        return self.squared

    no_weights = ""

    def bind(self, X: ArrayLike, y: Any, sample_weight: FloatArray | None = None) -> "BoundPearson":
        """Bind the measure to data."""
        columns = _standardised(np.asarray(X), sample_weight)
        check_lengths(len(columns), len(np.asarray(y)))
        if target_kind_of(y, self.target_kind) == "classes":
            classes, codes, counts = unique_counts(np.asarray(y), sample_weight)
            outputs = (codes[:, None] == np.arange(len(classes))).astype(float)
            shares = counts / counts.sum()
            weights = 1.0 - shares if self.squared else shares
        else:
            outputs = np.asarray(y, dtype=np.float64).reshape(len(columns), -1)
            weights = np.full(outputs.shape[1], 1.0 / outputs.shape[1])
        outputs = encode_columns(outputs, sample_weight=sample_weight).matrix.astype(columns.dtype)
        if sample_weight is not None:
            # So that products of columns are sums in which each sample counts as often as it says.
            roots = np.sqrt(sample_weight / sample_weight.mean())[:, None]
            columns, outputs = columns * roots, outputs * roots
        data = RegressionData.of(np.asarray(X), y, target_kind=self.target_kind)
        return BoundPearson(columns, outputs, weights, self.squared, data)


@dataclass(frozen=True, eq=False)
class BoundPearson(PairwiseBoundMeasure):
    """Correlation bound to data: standardised features and outputs, and a weight per output."""

    columns: FloatArray
    outputs: FloatArray
    weights: FloatArray
    squared: bool
    regression_data: RegressionData = field(repr=False)

    def relevance(self, features: ArrayLike) -> FloatArray:
        """Weighted correlation of each feature with the outputs, of shape (n_features,)."""
        return np.asarray(self._correlations(features, self.outputs) @ self.weights)

    def redundancy(self, features: ArrayLike, active: ArrayLike) -> FloatArray:
        """Correlation between features, of shape (n_features, n_active)."""
        return self._correlations(features, self.columns[:, np.asarray(active, dtype=np.intp)])

    def relevance_to(self, targets: FloatArray) -> FloatArray:
        """Mean correlation of all features with other targets, of shape (n_features,)."""
        others = encode_columns(targets).matrix
        return np.asarray(self._correlations(np.arange(self.n_features), others).mean(axis=1))

    def log_p_values(self, features: ArrayLike, targets: FloatArray) -> FloatArray:
        """Log of the chance of such correlations for normal targets that depend on no feature."""
        centred = targets - targets.mean(axis=0)
        products = self.columns[:, np.asarray(features, dtype=np.intp)].T @ centred
        n_samples = len(centred)
        # A standardised column over the root of the number of samples has the weight one.
        ratios = np.sum(products**2, axis=1) / (n_samples * float(np.vdot(centred, centred)))
        of_targets = np.linalg.eigvalsh(centred.T @ centred)
        return log_ratio_tail(ratios, np.ones((len(ratios), 1)), of_targets, n_samples - 1)

    def self_redundancy(self, features: ArrayLike) -> FloatArray:
        """Correlation of each feature with itself: one."""
        return np.ones(len(np.asarray(features)))

    def _correlations(self, features: ArrayLike, others: FloatArray) -> FloatArray:
        """Absolute or squared correlations of features with standardised columns."""
        positions = np.asarray(features, dtype=np.intp)
        correlations = np.empty((len(positions), others.shape[1]))
        for part in slices(len(positions), _width(self.columns)):
            correlations[part] = self.columns[:, positions[part]].T @ others
        np.abs(correlations, out=correlations)
        correlations /= len(self.columns)
        np.minimum(correlations, 1.0, out=correlations)
        return np.square(correlations, out=correlations) if self.squared else correlations


Pearson.bound_type = BoundPearson


def _standardised(X: NDArray[Any], sample_weight: FloatArray | None = None) -> FloatArray:
    """Columns of mean 0 and deviation 1 in the precision of the data, worked out in double."""
    if X.ndim != 2:
        return encode_columns(X).matrix
    is_single = X.dtype == np.float32 and sample_weight is None
    precision = np.float32 if is_single else np.float64
    columns: FloatArray = np.empty(X.shape, dtype=precision, order="F")
    for part in slices(X.shape[1], _width(X)):
        numbers = X[:, part].astype(np.float64)
        columns[:, part] = encode_columns(numbers, sample_weight=sample_weight).matrix
    return columns


def _width(columns: NDArray[Any]) -> int:
    """Return how many columns to take at once."""
    return max(1, min(WIDEST_BLOCK, BLOCK_NUMBERS // len(columns)))
