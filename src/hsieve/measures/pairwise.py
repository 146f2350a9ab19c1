"""HSIC and NHSIC between single features, and with the target, through low-rank factors.

Where :class:`hsieve.HSIC` and :class:`hsieve.NHSIC` look at sets of features through n x n
matrices, this is their *pairwise* side: with factors K_u = F_u F_u' of the centred kernels,

    HSIC(u, v) = |F_u' F_v|^2,    NHSIC(u, v) = HSIC(u, v) / sqrt(HSIC(u, u) HSIC(v, v)),

squares of Frobenius norms. Memory is O(n) for each feature at hand, so the number of samples is
no limit. (The N3LARS paper prints a trace where the norm is meant.)

Cost: O(n r^2) for a pair of features of rank r, some 14 for a Gaussian feature.

References
----------
M. Yamada et al., "N3LARS: minimum redundancy maximum relevance feature selection for large and
high-dimensional data", 2014.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.data.validation import target_kind_of
from hsieve.kernels.columns import EncodedColumns, encode_columns
from hsieve.kernels.labels import block_coding
from hsieve.kernels.low_rank import feature_factors, pivoted_cholesky
from hsieve.measures.base import BoundMeasure, Measure
from hsieve.measures.targets import refuse_empty

__all__ = ["BoundPairwiseHSIC", "PairwiseHSIC"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

# Factors of one block of features hold about this many numbers: some megabytes.
BLOCK_NUMBERS = 4_000_000
USUAL_RANK = 16


class PairwiseHSIC(Measure):
    """HSIC of single features with the target and with each other.

    Parameters
    ----------
    normalised : bool, default=True
        NHSIC (N3LARS) or plain HSIC (HSIC Lasso), up to a common factor.
    categorical : iterable of int, default=()
        Features that are categories; they get a delta kernel.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        Classes get the delta kernel 1/n_c, numbers a Gaussian of width sqrt(n_outputs) on
        standardised values.
    """

    def __init__(
        self,
        *,
        normalised: bool = True,
        categorical: Iterable[int] = (),
        target_kind: str = "auto",
    ) -> None:
        self.normalised = normalised
        self.categorical = categorical
        self.target_kind = target_kind

    @property
    def redundancy_is_psd(self) -> bool:
        """True: redundancies are inner products of kernels."""
        return True

    def bind(self, X: ArrayLike, y: Any) -> "BoundPairwiseHSIC":
        """Tie the measure to data."""
        columns = encode_columns(np.asarray(X), categorical=self.categorical)
        target = _target_factor(y, self.target_kind)
        if len(target) != columns.n_samples:
            msg = f"X has {columns.n_samples} samples but y has {len(target)}."
            raise ValueError(msg)
        refuse_empty(target, target)
        if self.normalised:
            target = target / _root_norms(target[None])[0]
        return BoundPairwiseHSIC(columns, target.astype(np.float32), self.normalised)


@dataclass(frozen=True, eq=False)
class BoundPairwiseHSIC(BoundMeasure):
    """Pairwise statistics tied to data; redundancy is computed for the pairs asked for only."""

    columns: EncodedColumns
    target: FloatArray
    normalised: bool

    @property
    def n_features(self) -> int:  # type: ignore[override]
        """Number of features."""
        return self.columns.n_features

    def feature_scores(self, features: ArrayLike) -> FloatArray:
        """Relevance of each feature, so that the measure serves for ranking too."""
        return self.relevance(features)

    def relevance(self, features: ArrayLike) -> FloatArray:
        """Dependence of each feature on the target, of shape (n_features,)."""
        return self._products(np.asarray(features, dtype=np.intp), [self.target])[:, 0]

    def redundancy(self, features: ArrayLike, active: ArrayLike) -> FloatArray:
        """Dependence between features, of shape (n_features, n_active)."""
        active = np.asarray(active, dtype=np.intp)
        stored: dict[int, FloatArray] = {}
        for positions, factors in self._factors(active):
            stored.update(zip(positions.tolist(), factors, strict=True))
        factors_of_active = [stored[position] for position in range(len(active))]
        return self._products(np.asarray(features, dtype=np.intp), factors_of_active)

    def _products(self, features: IndexArray, others: list[FloatArray]) -> FloatArray:
        """Squared norms of F'G for each feature and each of the other factors."""
        stacked = np.hstack(others)
        starts = np.cumsum([0, *(other.shape[1] for other in others[:-1])])
        products = np.empty((len(features), len(others)))
        for positions, factors in self._factors(features):
            cross = np.matmul(factors.transpose(0, 2, 1), stacked)
            squares = np.einsum("frc,frc->fc", cross, cross, dtype=np.float64)
            products[positions] = np.add.reduceat(squares, starts, axis=1)
        return products

    def _factors(self, features: IndexArray) -> Iterator[tuple[IndexArray, FloatArray]]:
        """Walk over the factors of the features, by position in `features`, in blocks."""
        categorical = np.flatnonzero(self.columns.categorical[features])
        for position in categorical:
            indicators = self.columns.block(features[[position]])
            factor = (indicators - indicators.mean(axis=0)).astype(np.float32)[None]
            yield np.array([position]), self._scaled(factor)
        numeric = np.flatnonzero(~self.columns.categorical[features])
        width = max(8, BLOCK_NUMBERS // (USUAL_RANK * self.columns.n_samples))
        for start in range(0, len(numeric), width):
            block = numeric[start : start + width]
            for group, factors in feature_factors(self.columns.block(features[block])):
                yield block[group], self._scaled(factors)

    def _scaled(self, factors: FloatArray) -> FloatArray:
        if self.normalised:
            factors = factors / _root_norms(factors)[:, None, None]
        return factors


PairwiseHSIC.bound_type = BoundPairwiseHSIC


def _root_norms(factors: FloatArray) -> FloatArray:
    """Square roots of |F'F|, so that F over it has a kernel of norm one; 1 where F is zero."""
    inner = np.matmul(factors.transpose(0, 2, 1), factors)
    norms = np.sqrt(np.sqrt(np.einsum("frs,frs->f", inner, inner, dtype=np.float64)))
    return np.where(norms > 0, norms, 1.0).astype(factors.dtype)


def _target_factor(y: Any, target_kind: str) -> FloatArray:
    """Centred factor of the target's kernel, of shape (n_samples, rank)."""
    values = np.asarray(y)
    factor: FloatArray
    if target_kind_of(values, target_kind) == "classes":
        factor = block_coding(values)
    else:
        numbers = encode_columns(values.astype(float).reshape(len(values), -1)).matrix
        factor = pivoted_cholesky(numbers, rate=0.5 / numbers.shape[1])
    return np.asarray(factor - factor.mean(axis=0))
