"""Hilbert-Schmidt independence criterion, biased and unbiased.

HSIC is the squared norm of the cross-covariance between feature maps of X and y. Both estimators
are ``sum(W * K)`` for a weight matrix W made from the target alone
(:mod:`hsieve.kernels.centring`):

* biased, tr(KHLH) / (n-1)^2, eq. 4 of [1]_;
* unbiased, eq. 5 of [1]_, which leaves the diagonals out.

Cost: O(n^2 d) to bind and score one set, O(n^2) more for every feature added or removed.

References
----------
.. [1] L. Song, A. Smola, A. Gretton, K. Borgwardt, "Supervised feature selection via dependence
   estimation", 2007.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data.validation import check_lengths, plain_array, refuse_rounding
from hsieve.dataset import Dataset, opened
from hsieve.io.frames import is_frame
from hsieve.kernels import (
    EncodedColumns,
    Gaussian,
    InverseDistance,
    Kernel,
    LabelCoding,
    Laplace,
    Linear,
    Polynomial,
    bandwidth_grid,
    biased_weights,
    encode_columns,
    squared_distances,
    unbiased_weights,
)
from hsieve.kernels.bandwidths import resolve_bandwidth
from hsieve.kernels.subsets import SubsetKernel
from hsieve.kernels.weighted_distances import WeightedDistances
from hsieve.measures.base import JointBoundMeasure, Measure
from hsieve.measures.targets import checked_kernel, refuse_empty, target_gram
from hsieve.parameters import check_parameters, rules, word

ESTIMATORS = {"biased": biased_weights, "unbiased": unbiased_weights}
PRECISIONS: dict[str, type[np.floating]] = {"double": np.float64, "single": np.float32}
NO_FEATURES: IndexArray = np.array([], dtype=np.intp)


def hsic(
    X: ArrayLike | Dataset,
    y: Any = None,
    *,
    estimator: str = "unbiased",
    kernel_x: Kernel | None = None,
    kernel_y: Kernel | None = None,
) -> float:
    """Estimate the dependence between all columns of X together and y.

    Parameters
    ----------
    X : array-like, data frame or sparse matrix of shape (n_samples, n_features), or Dataset
        Features, taken as they are: standardise them first if their scales differ. Two samples of
        different levels of a category are as far apart as two of a standardised number.
    y : array-like of shape (n_samples,), (n_samples, n_outputs) or (n_samples, n_samples)
        Target, taken as it is, or the name of its column in a data frame. A Dataset has its own.
    estimator : {"unbiased", "biased"}, default="unbiased"
        Which estimator.
    kernel_x : Kernel or None, default=None
        None is a Gaussian with the median distance as its width.
    kernel_y : Kernel or None, default=None
        None is ``Delta()`` for classes and a Gaussian with the median distance for numbers.

    Returns
    -------
    float
        The estimate. The unbiased one may be slightly negative under independence.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import hsic, kernels
    >>> x = np.linspace(-1, 1, 50)
    >>> round(hsic(x[:, None], x**2, kernel_x=kernels.Gaussian(bandwidth=1.0)), 4)
    0.0081
    """
    gram_x, gram_y = gram_pair(X, y, kernel_x, kernel_y)
    HSIC.allowed["estimator"].check("estimator", estimator)
    return float(np.vdot(gram_x, ESTIMATORS[estimator](gram_y)))


def gram_pair(
    X: Any, y: Any, kernel_x: Kernel | None, kernel_y: Kernel | None
) -> tuple[FloatArray, FloatArray]:
    """Gram matrices of features and target, taken as they are, with the default kernels."""
    data = opened(as_table(X), y)
    refuse_rounding(data.X)
    kernel = checked_kernel(kernel_x, Gaussian())
    if data.categorical:
        columns = encode_columns(data.X, categorical=data.categorical, standardise=False)
        gram_x = kernel.on_subset(columns, np.arange(data.n_features)).gram
    else:
        gram_x = kernel.gram(data.X)
    if kernel_y is None and data.target_kind == "continuous":
        kernel_y = Gaussian()
    return gram_x, target_gram(data.y, kernel_y, target_kind=data.target_kind, standardise=False)


def as_table(X: Any) -> Any:
    """Return one feature, given as a vector or a series, as a table of one column."""
    if hasattr(X, "to_frame") and not is_frame(X):
        return X.to_frame()
    values = plain_array(X, "X")
    return values[:, None] if isinstance(values, np.ndarray) and values.ndim == 1 else X


@dataclass(eq=False, repr=False, kw_only=True)
class KernelMeasure(Measure):
    """Measures between a kernel on features and a kernel on the target.

    Parameters
    ----------
    kernel_x : Kernel or None, default=None
        None is a Gaussian of width sqrt(number of features in the set).
    kernel_y : Kernel or None, default=None
        None is ``Delta()`` for classes, a Gaussian of width sqrt(n_outputs) for numbers.
    categorical : iterable of int, default=()
        Features that are categories; they get a delta kernel.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds.
    standardise : bool, default=True
        Whether features and numeric targets are brought to mean 0 and deviation 1.
    precision : {"double", "single"}, default="double"
        Of the sweeps over candidates; "single" is twice as fast and exact enough to order them.
    """

    kernel_x: Kernel | None = None
    kernel_y: Kernel | None = None
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"
    standardise: bool = True
    precision: str = "double"

    takes_survival = True
    takes_groups = True
    allowed = rules(precision=word(*PRECISIONS))

    @property
    def no_weights(self) -> str:  # type: ignore[override]
        """Label codings count samples."""
        is_coding = isinstance(self.kernel_y, LabelCoding)
        return "with a LabelCoding counts all samples alike" if is_coding else ""

    def bind(
        self,
        X: ArrayLike,
        y: Any,
        sample_weight: FloatArray | None = None,
        feature_groups: Sequence[IndexArray] | None = None,
    ) -> "KernelBoundMeasure":
        """Bind the measure to data."""
        check_parameters(self)
        kernel = checked_kernel(self.kernel_x, Gaussian("sqrt_d"))
        # With weights always double, so that a sample that counts twice is as good as two.
        precision = PRECISIONS["double" if sample_weight is not None else self.precision]
        columns = encode_columns(
            np.asarray(X),
            categorical=self.categorical,
            standardise=self.standardise,
            sample_weight=sample_weight,
        )
        if feature_groups is not None:
            columns = columns.grouped(feature_groups)
        columns = columns.astype(precision)
        gram_y = target_gram(
            y,
            self.kernel_y,
            target_kind=self.target_kind,
            standardise=self.standardise,
            sample_weight=sample_weight,
        )
        check_lengths(columns.n_samples, len(gram_y))
        bound = self._bound(columns=columns, kernel=kernel, gram_y=gram_y, precision=precision)
        refuse_empty(bound.weights, gram_y)
        return bound

    @abstractmethod
    def _bound(self, **parts: Any) -> "KernelBoundMeasure":
        """Make the bound measure of its parts."""


@dataclass(eq=False, repr=False, kw_only=True)
class HSIC(KernelMeasure):
    """HSIC between sets of features and the target.

    Parameters
    ----------
    estimator : {"unbiased", "biased"}, default="unbiased"
        Which estimator.
    compensate : bool, default=False
        A Gaussian kernel shrinks with every feature that joins it, and HSIC with it, so the
        plain loss or gain of a feature favours features that hardly change the kernel: nearly
        constant ones, sparse ones, ones with a far outlier. With compensation, elimination
        compare a feature not with its absence but with an independent feature of the same
        distribution, which shrinks the kernel by the mean m of the feature's own kernel:
        HSIC(S) - m HSIC(S without j). Scores of sets stay as they are.
    kernel_x, kernel_y, categorical, target_kind, standardise, precision
        See :class:`KernelMeasure`.

    References
    ----------
    As in :class:`BAHSIC`.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import HSIC
    >>> X = np.random.default_rng(0).normal(size=(80, 3))
    >>> bound = HSIC().bind(X, X[:, 1] ** 2)
    >>> int(bound.feature_scores([0, 1, 2]).argmax())
    1
    """

    estimator: str = "unbiased"
    compensate: bool = False

    allowed = rules(**KernelMeasure.allowed, estimator=word(*ESTIMATORS))

    @property
    def no_weights(self) -> str:  # type: ignore[override]
        """The unbiased estimator leaves out pairs of a sample with itself, but not with a copy."""
        if self.estimator == "unbiased":
            return "with estimator='unbiased' needs distinct samples; use estimator='biased'"
        return super().no_weights

    def _bound(self, **parts: Any) -> "BoundHSIC":
        return BoundHSIC(**parts, estimator=self.estimator, compensate=self.compensate)


@dataclass(frozen=True, eq=False)
class KernelBoundMeasure(JointBoundMeasure):
    """Base of measures between Gram matrices of features and target, bound to data."""

    columns: EncodedColumns
    kernel: Kernel
    gram_y: FloatArray
    precision: type[np.floating]

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.columns.n_samples

    @property
    def sample_groups(self) -> IndexArray:
        """Group of each sample: samples that the kernel of the target cannot tell apart."""
        return np.unique(self.gram_y, axis=0, return_inverse=True)[1].ravel()

    def part(self, samples: IndexArray, features: IndexArray) -> "KernelBoundMeasure":
        """Bind the measure to some samples of some features, renumbered.

        Scales of features and kernel of the target stay those of all samples.
        """
        return replace(
            self,
            columns=self.columns.part(samples, features),
            gram_y=self.gram_y[np.ix_(samples, samples)],
        )

    @property
    @abstractmethod
    def weights(self) -> FloatArray:
        """What the Gram matrix of a set is multiplied with, made from that of the target."""

    @abstractmethod
    def _score(self, kernel: SubsetKernel) -> float:
        """Score a set by its kernel."""

    def _on_subset(self, subset: IndexArray) -> SubsetKernel:
        """Kernel of a set; with the rule "maximise", of the width that has the highest score."""
        found = [self.kernel]
        if getattr(self.kernel, "bandwidth", None) == "maximise":
            squared = squared_distances(self.columns.block(subset))
            widths = bandwidth_grid(squared, self.columns.sample_weight)
            found = [clone(self.kernel).set_params(bandwidth=width) for width in widths]
        kernels: Iterator[SubsetKernel] = (
            kernel.on_subset(self.columns, subset, precision=self.precision) for kernel in found
        )
        best = max(kernels, key=self._score) if len(found) > 1 else next(kernels)
        return refuse_vanishing(self.kernel, best)

    def weighted_model(self, weights: FloatArray) -> float:
        """Width of the Gaussian for weighted features."""
        squared = self._distances.squared(weights)
        return weighted_width(self.kernel, squared, weights, self.columns.sample_weight)

    @cached_property
    def _distances(self) -> WeightedDistances:
        return WeightedDistances(self.columns, np.arange(self.columns.n_samples))


@dataclass(frozen=True, eq=False)
class BoundHSIC(KernelBoundMeasure):
    """HSIC bound to data: ``score(S) = sum(weights * K_S)``."""

    estimator: str
    compensate: bool

    @cached_property
    def weights(self) -> FloatArray:  # type: ignore[override]
        """Weight of each entry of a Gram matrix."""
        weights = ESTIMATORS[self.estimator](self.gram_y, self.columns.sample_weight)
        return weights.astype(self.precision, copy=False)

    def feature_scores(self, features: ArrayLike) -> FloatArray:
        """HSIC of each feature alone."""
        features = np.asarray(features, dtype=np.intp)
        if has_fixed_width(self.kernel):
            return self._changes(self._on_subset(NO_FEATURES), features)
        return np.array([self._score(self._on_subset(features[[i]])) for i in range(len(features))])

    def scored_contributions(
        self, subset: IndexArray, candidates: IndexArray
    ) -> tuple[float, FloatArray]:
        """Score of the set, and what each candidate adds to it."""
        kernel = self._on_subset(subset)
        return self._score(kernel), self._changes(kernel, candidates)

    def elimination_scores(self, subset: ArrayLike, candidates: ArrayLike) -> FloatArray:
        """Score what candidates add, beyond what an independent one would if that is asked for."""
        candidates = np.asarray(candidates, dtype=np.intp)
        kernel = self._on_subset(np.asarray(subset, dtype=np.intp))
        changes = self._changes(kernel, candidates)
        if not self.compensate:
            return changes
        without = np.full(len(candidates), self._score(kernel))
        member = np.isin(candidates, kernel.subset)
        without[member] -= changes[member]
        return np.asarray(changes + (1.0 - kernel.own_factors(candidates)) * without)

    def weighted_value_and_gradient(
        self, weights: FloatArray, model: float
    ) -> tuple[float, FloatArray]:
        """HSIC of weighted features, and its derivatives in the weights for this width."""
        pull = np.exp(self._distances.squared(weights) * self.precision(-0.5 / model**2))
        pull *= self.weights
        value = float(pull.sum(dtype=np.float64))
        pull *= self.precision(-0.5 / model**2)
        return value, self._distances.gradient(weights, pull)

    def _score(self, kernel: SubsetKernel) -> float:
        return float(np.vdot(self.weights, kernel.gram))

    def _changes(self, kernel: SubsetKernel, candidates: IndexArray) -> FloatArray:
        """Score what members lose when they leave and others bring when they join."""
        member = np.isin(candidates, kernel.subset)
        changes = np.empty(len(candidates))
        changes[member] = -kernel.changes(self.weights, candidates[member], removal=True)
        changes[~member] = kernel.changes(self.weights, candidates[~member], removal=False)
        return changes


def weighted_width(
    kernel: Kernel,
    squared: FloatArray,
    weights: FloatArray,
    sample_weight: FloatArray | None = None,
) -> float:
    """Width of a Gaussian kernel on weighted features."""
    if not isinstance(kernel, Gaussian) or kernel.bandwidth == "maximise":
        msg = (
            "Weights of features need a Gaussian kernel with a number, 'median', 'narrow' or "
            f"'sqrt_d' as its bandwidth, got {kernel!r}."
        )
        raise ValueError(msg)
    if kernel.bandwidth == "sqrt_d":
        return float(np.sqrt(np.sum(weights**2)))
    n_features = int(np.count_nonzero(weights))
    return resolve_bandwidth(kernel.bandwidth, squared, n_features, sample_weight)


def refuse_vanishing(kernel: Kernel, on_subset: SubsetKernel) -> SubsetKernel:
    """Pass a kernel on, unless its width is so small that no two samples are similar."""
    if on_subset.vanishes:
        msg = (
            f"No two samples are similar: {kernel!r} vanishes on {len(on_subset.subset)} "
            "feature(s). Take a larger bandwidth, or a rule such as 'narrow' or 'median', "
            "which follow the number of features."
        )
        raise ValueError(msg)
    return on_subset


def has_fixed_width(kernel: Kernel) -> bool:
    """Whether one feature's kernel is the same function for every feature.

    Then all single features can be scored as additions to the empty set, in one sweep.
    """
    if isinstance(kernel, Gaussian | Laplace):
        return not isinstance(kernel.bandwidth, str) or kernel.bandwidth == "sqrt_d"
    return isinstance(kernel, Linear | Polynomial | InverseDistance)


HSIC.bound_type = BoundHSIC
