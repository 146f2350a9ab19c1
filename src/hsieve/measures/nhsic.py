"""Normalised HSIC: the cosine between centred Gram matrices, also called centred alignment.

NHSIC(K, L) = <HKH, HLH> / (|HKH| |HLH|) lies between 0 (for positive semi-definite kernels) and 1.
It is the measure of N3LARS and, under the name of kernel target alignment, the model selection
criterion of the thesis. With linear kernels and one feature it is the squared correlation.

Cost: as HSIC, with one exponential for every pair of samples and candidate, because the norm of
the changed kernel is no linear function of it.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hsieve.array_types import FloatArray, IndexArray
from hsieve.dataset import Dataset
from hsieve.kernels import Kernel, centre
from hsieve.kernels.centring import centred_squared_norm
from hsieve.kernels.subsets import SubsetKernel
from hsieve.measures.hsic import (
    KernelBoundMeasure,
    KernelMeasure,
    gram_pair,
)


def nhsic(
    X: ArrayLike | Dataset,
    y: Any = None,
    *,
    kernel_x: Kernel | None = None,
    kernel_y: Kernel | None = None,
) -> float:
    """Estimate the normalised dependence between all columns of X together and y.

    Parameters
    ----------
    X, y
        As in :func:`hsieve.hsic`.
    kernel_x, kernel_y : Kernel or None, default=None
        As in :func:`hsieve.hsic`.

    Returns
    -------
    float
        Between 0 and 1 for positive semi-definite kernels; 0 where one side is constant.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import kernels, nhsic
    >>> x = np.arange(5.0)
    >>> round(nhsic(x, 3 - 2 * x, kernel_x=kernels.Linear(), kernel_y=kernels.Linear()), 12)
    1.0
    """
    gram_x, gram_y = gram_pair(X, y, kernel_x, kernel_y)
    return _alignment(gram_x, unit_target(gram_y))


class NHSIC(KernelMeasure):
    """Normalised HSIC (centred alignment) between sets of features and the target.

    Parameters
    ----------
    kernel_x, kernel_y, categorical, target_kind, standardise, precision
        See :class:`hsieve.measures.hsic.KernelMeasure`.

    References
    ----------
    As in :class:`BAHSIC`.
    """

    def _bound(self, **parts: Any) -> "BoundNHSIC":
        return BoundNHSIC(**parts)


@dataclass(frozen=True, eq=False)
class BoundNHSIC(KernelBoundMeasure):
    """NHSIC bound to data: ``score(S) = <K_S, weights> / |H K_S H|``."""

    @cached_property
    def weights(self) -> FloatArray:  # type: ignore[override]
        """Centred Gram matrix of the target, of norm one."""
        return unit_target(self.gram_y, self.columns.sample_weight)

    def scored_contributions(
        self, subset: IndexArray, candidates: IndexArray
    ) -> tuple[float, FloatArray]:
        """Score of the set, and what each candidate adds to it."""
        kernel = self._on_subset(subset)
        score = self._score(kernel)
        inner = float(np.vdot(self.weights, kernel.gram))
        contributions = np.empty(len(candidates))
        member = np.isin(candidates, subset)
        for chosen, removal in ((member, True), (~member, False)):
            features = candidates[chosen]
            after = _ratio(
                inner + kernel.changes(self.weights, features, removal=removal),
                kernel.changed_norms(features, removal=removal),
            )
            contributions[chosen] = score - after if removal else after - score
        return score, contributions

    def weighted_value_and_gradient(
        self, weights: FloatArray, model: float
    ) -> tuple[float, FloatArray]:
        """NHSIC of weighted features, and its derivatives in the weights for this width.

        With the centred kernel K and the unit target L, d(<K, L> / |K|) = <L - v K / |K|, dK> / |K|
        for the value v.
        """
        gram = np.exp(self._distances.squared(weights) * self.precision(-0.5 / model**2))
        weight = self.columns.sample_weight
        centred = centre(gram, weight)
        # As often as each pair of samples counts.
        counted = centred if weight is None else centred * np.outer(weight, weight)
        norm = float(np.sqrt(np.vdot(centred, counted)))
        if norm == 0:
            return 0.0, np.zeros(self.n_features)
        value = float(np.vdot(centred, self.weights)) / norm
        pull = (self.weights - counted * (value / norm)) * gram
        pull *= -0.5 / model**2 / norm
        return value, self._distances.gradient(weights, pull)

    def _score(self, kernel: SubsetKernel) -> float:
        return _alignment(kernel.gram, self.weights, self.columns.sample_weight)


def unit_target(gram_y: FloatArray, sample_weight: FloatArray | None = None) -> FloatArray:
    """Centred Gram matrix of the target, of Frobenius norm one (zero for a constant target).

    With weights of samples, each entry as often as its pair of samples counts.
    """
    centred = centre(gram_y, sample_weight)
    norm = np.sqrt(centred_squared_norm(gram_y, sample_weight))
    if sample_weight is not None:
        centred = centred * np.outer(sample_weight, sample_weight)
    return np.asarray(centred / norm) if norm > 0 else np.zeros_like(centred)


def _alignment(
    gram_x: FloatArray, unit_target: FloatArray, sample_weight: FloatArray | None = None
) -> float:
    inner = np.vdot(unit_target, gram_x)
    return float(_ratio(inner, np.asarray(centred_squared_norm(gram_x, sample_weight))))


def _ratio(inner: Any, squared_norm: FloatArray) -> FloatArray:
    """Inner product over norm, zero where the kernel is constant."""
    constant = squared_norm == 0
    return np.where(constant, 0.0, inner / np.sqrt(np.where(constant, 1.0, squared_norm)))


NHSIC.bound_type = BoundNHSIC
