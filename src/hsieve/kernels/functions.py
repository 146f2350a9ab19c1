"""Kernels between samples: what "similar" means, for features and for targets.

A kernel object holds hyper-parameters only. ``kernel.gram(X)`` gives the Gram matrix of whatever
rows it is handed; ``kernel.on_subset(columns, subset)`` gives the kernel of a set of features that
can be searched over (see :mod:`hsieve.kernels.subsets`).

======================  ====================================================
Gaussian                exp(-|x - x'|^2 / (2 sigma^2))
Laplace                 exp(-|x - x'| / sigma)
InverseDistance         1 / (epsilon + |x - x'|)
Linear, Polynomial      x'x', (x'x' + constant)^degree
Delta                   1 / n_c for two samples of one class c, else 0
LabelCoding             linear kernel on one of the label codings
Precomputed             the Gram matrix itself is handed in
======================  ====================================================

A Gram matrix costs O(n^2 d) for n rows of d columns.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from hsieve.kernels.bandwidths import Bandwidth, resolve_bandwidth
from hsieve.kernels.columns import EncodedColumns, check_finite, squared_distances
from hsieve.kernels.labels import LABEL_CODINGS
from hsieve.kernels.subsets import GaussianSubset, PolynomialSubset, RadialSubset, SubsetKernel
from hsieve.parameters import integer, number, word

SYMMETRY_TOLERANCE = 1e-8


class Kernel(BaseEstimator):
    """Base of all kernels: a Gram matrix for rows, optionally a kernel over sets of features."""

    @abstractmethod
    def gram(self, X: ArrayLike) -> NDArray[np.float64]:
        """Gram matrix of the rows of X, of shape (n_samples, n_samples)."""

    def on_subset(
        self, columns: EncodedColumns, subset: NDArray[np.intp], **options: Any
    ) -> SubsetKernel:
        """Kernel of a set of features; refused by kernels that do not live on feature columns."""
        msg = (
            f"{type(self).__name__} is no kernel over sets of features; "
            "use Gaussian, Laplace, InverseDistance, Linear or Polynomial for kernel_x."
        )
        raise TypeError(msg)


class _DistanceKernel(Kernel):
    """A kernel that is a function of the squared distance between rows."""

    @abstractmethod
    def _profile(
        self,
        squared: NDArray[np.floating],
        n_columns: int,
        sample_weight: NDArray[np.floating] | None = None,
    ) -> Callable[[NDArray[np.floating]], NDArray[np.floating]]:
        """Make the function from squared distances to kernel values."""

    def gram(self, X: ArrayLike) -> NDArray[np.float64]:
        """Gram matrix of the rows of X."""
        rows = _as_rows(X)
        squared = squared_distances(rows)
        return np.asarray(self._profile(squared, rows.shape[1])(squared), dtype=np.float64)

    def on_subset(
        self, columns: EncodedColumns, subset: NDArray[np.intp], **options: Any
    ) -> SubsetKernel:
        """Kernel of a set of features."""
        profile = partial(self._profile, n_columns=len(subset), sample_weight=columns.sample_weight)
        return RadialSubset(columns, subset, profile)


@dataclass(eq=False, repr=False)
class Gaussian(_DistanceKernel):
    """Gaussian kernel exp(-|x - x'|^2 / (2 sigma^2)).

    Parameters
    ----------
    bandwidth : float or {"median", "sqrt_d", "narrow", "maximise"}, default="median"
        sigma, or the rule that reads it off the distances (:mod:`hsieve.kernels.bandwidths`).

    Examples
    --------
    >>> from hsieve import kernels
    >>> kernels.Gaussian(bandwidth=1.0).gram([[0.0], [1.0]]).round(4)
    array([[1.    , 0.6065],
           [0.6065, 1.    ]])
    """

    bandwidth: Bandwidth = "median"

    def _profile(
        self,
        squared: NDArray[np.floating],
        n_columns: int,
        sample_weight: NDArray[np.floating] | None = None,
    ) -> Callable[[NDArray[np.floating]], NDArray[np.floating]]:
        rate = 0.5 / resolve_bandwidth(self.bandwidth, squared, n_columns, sample_weight) ** 2
        return lambda distances: np.exp(-rate * distances)

    def on_subset(
        self,
        columns: EncodedColumns,
        subset: NDArray[np.intp],
        precision: type[np.floating] = np.float64,
        **options: Any,
    ) -> SubsetKernel:
        """Kernel of a set of features, swept by short series of matrix products."""

        def bandwidth(squared: NDArray[np.floating]) -> float:
            return resolve_bandwidth(self.bandwidth, squared, len(subset), columns.sample_weight)

        return GaussianSubset(columns, subset, bandwidth, precision)


@dataclass(eq=False, repr=False)
class Laplace(_DistanceKernel):
    """Laplace kernel exp(-|x - x'| / sigma).

    Parameters
    ----------
    bandwidth : float or {"median", "sqrt_d", "narrow", "maximise"}, default="median"
        sigma, or the rule that reads it off the distances.
    """

    bandwidth: Bandwidth = "median"

    def _profile(
        self,
        squared: NDArray[np.floating],
        n_columns: int,
        sample_weight: NDArray[np.floating] | None = None,
    ) -> Callable[[NDArray[np.floating]], NDArray[np.floating]]:
        rate = 1.0 / resolve_bandwidth(self.bandwidth, squared, n_columns, sample_weight)
        return lambda distances: np.exp(-rate * np.sqrt(distances))


@dataclass(eq=False, repr=False)
class InverseDistance(_DistanceKernel):
    """Inverse distance 1 / (epsilon + |x - x'|), the kernel ``dis`` of the BAHSIC paper.

    Parameters
    ----------
    epsilon : float, default=0.1
        Keeps the kernel finite for equal samples.
    """

    epsilon: float = 0.1

    def _profile(
        self,
        squared: NDArray[np.floating],
        n_columns: int,
        sample_weight: NDArray[np.floating] | None = None,
    ) -> Callable[[NDArray[np.floating]], NDArray[np.floating]]:
        number(above=0, is_finite=False).check("epsilon", self.epsilon)
        return lambda distances: 1.0 / (self.epsilon + np.sqrt(distances))


@dataclass(eq=False, repr=False)
class Polynomial(Kernel):
    """Polynomial kernel (x'x' + constant)^degree.

    Parameters
    ----------
    degree : int, default=2
        Degree, at least 1.
    constant : float, default=1.0
        Added to the inner product.
    """

    degree: int = 2
    constant: float = 1.0

    def gram(self, X: ArrayLike) -> NDArray[np.float64]:
        """Gram matrix of the rows of X."""
        rows = _as_rows(X)
        return (rows @ rows.T + self.constant) ** self._checked_degree()

    def on_subset(
        self, columns: EncodedColumns, subset: NDArray[np.intp], **options: Any
    ) -> SubsetKernel:
        """Kernel of a set of features, swept by the exact binomial expansion."""
        return PolynomialSubset(columns, subset, self._checked_degree(), self.constant)

    def _checked_degree(self) -> int:
        integer(1).check("degree", self.degree)
        return int(self.degree)


class Linear(Kernel):
    """Linear kernel x'x'; HSIC then decomposes over features and no search is needed."""

    def gram(self, X: ArrayLike) -> NDArray[np.float64]:
        """Gram matrix of the rows of X."""
        rows = _as_rows(X)
        return rows @ rows.T

    def on_subset(
        self, columns: EncodedColumns, subset: NDArray[np.intp], **options: Any
    ) -> SubsetKernel:
        """Kernel of a set of features."""
        return PolynomialSubset(columns, subset, 1, 0.0)


@dataclass(eq=False, repr=False)
class Delta(Kernel):
    """Delta kernel for categories: one value for equal labels, zero for different ones.

    Parameters
    ----------
    normalised : bool, default=True
        1 / n_c for two samples of class c (Song; Yamada), so that small classes count as much as
        large ones; False gives plain 1 (l1-LSMI).

    Examples
    --------
    >>> from hsieve import kernels
    >>> kernels.Delta(normalised=False).gram(["a", "b", "a"])
    array([[1., 0., 1.],
           [0., 1., 0.],
           [1., 0., 1.]])
    """

    normalised: bool = True

    def gram(self, X: ArrayLike) -> NDArray[np.float64]:
        """Gram matrix of the labels."""
        labels = np.asarray(X)
        if labels.ndim == 2 and labels.shape[1] == 1:
            labels = labels[:, 0]
        if labels.ndim != 1:
            msg = f"Delta takes one label a sample, got an array of shape {labels.shape}."
            raise ValueError(msg)
        _, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
        same: NDArray[np.float64] = (codes[:, None] == codes[None, :]).astype(np.float64)
        return np.asarray(same / counts[codes]) if self.normalised else same


@dataclass(eq=False, repr=False)
class LabelCoding(Kernel):
    """Linear kernel on coded labels: what turns HSIC into the older scores (BAHSIC sec. 4).

    Parameters
    ----------
    coding : {"signed", "centroid", "one-vs-rest", "block"}, default="block"
        See :mod:`hsieve.kernels.labels`.
    """

    coding: str = "block"

    def gram(self, X: ArrayLike) -> NDArray[np.float64]:
        """Gram matrix of the coded labels."""
        word(*sorted(LABEL_CODINGS)).check("coding", self.coding)
        codes = LABEL_CODINGS[self.coding](np.asarray(X))
        return codes @ codes.T


class Precomputed(Kernel):
    """Take a Gram matrix as it is: for strings, graphs, trees or any structured target."""

    def gram(self, X: ArrayLike) -> NDArray[np.float64]:
        """Check and return the matrix."""
        matrix = np.asarray(X, dtype=np.float64)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            msg = f"A precomputed Gram matrix must be square, got shape {matrix.shape}."
            raise ValueError(msg)
        if not np.isfinite(matrix).all():
            msg = "A precomputed Gram matrix must be finite, got NaN or infinity."
            raise ValueError(msg)
        scale = np.abs(matrix).max(initial=0.0)
        if np.abs(matrix - matrix.T).max(initial=0.0) > SYMMETRY_TOLERANCE * scale:
            msg = "A precomputed Gram matrix must be symmetric."
            raise ValueError(msg)
        return matrix


def _as_rows(X: ArrayLike) -> NDArray[np.float64]:
    """Numbers as rows of samples; a vector becomes one column."""
    rows = np.asarray(X, dtype=np.float64)
    check_finite(rows)
    return rows[:, None] if rows.ndim == 1 else rows
