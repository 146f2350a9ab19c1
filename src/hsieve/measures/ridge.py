"""Ridge and kernel ridge regression as members of the HSIC family (BAHSIC paper, sec. 4.6).

The part of the target that ridge regression explains is HSIC with a special kernel on the features:

* ridge, K = X (X'X + alpha I)^-1 X';
* kernel ridge, K = (Q + alpha I)^-1 Q for a Gram matrix Q of the features;

and a linear kernel on the centred target, so "drop the feature whose loss explains least" is
backward elimination with that measure. With P = (XX' + alpha I)^-1 the explained part is
y'y - alpha y'Py, and adding or removing a feature x is a rank-one change of P:

    gain of adding   = alpha (x'Py)^2 / (1 + x'Px),
    loss of removing = alpha (x'Py)^2 / (1 - x'Px),

so a round of ridge costs O(n^3 + n^2 d). Kernel ridge has no such form: O(n^3) a candidate.
"""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data.validation import check_lengths, target_kind_of
from hsieve.kernels import EncodedColumns, Gaussian, Kernel, encode_columns
from hsieve.kernels.labels import block_coding
from hsieve.measures.base import JointBoundMeasure, Measure
from hsieve.measures.hsic import refuse_vanishing
from hsieve.measures.targets import number_columns
from hsieve.parameters import check_parameters, number, rules


@dataclass(eq=False, repr=False)
class Ridge(Measure):
    """Part of the target that linear ridge regression explains.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, for standardised features.
    categorical : iterable of int, default=()
        Features that are categories.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        Classes enter as the block coding of eq. 14.
    """

    alpha: float = 1.0
    _: KW_ONLY
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"

    takes_survival = True
    allowed = rules(alpha=number(above=0))

    def bind(self, X: ArrayLike, y: Any) -> "BoundRidge":
        """Bind the measure to data."""
        check_parameters(self)
        columns = encode_columns(np.asarray(X, dtype=float), categorical=self.categorical)
        outputs = _outputs(y, self.target_kind)
        check_lengths(columns.n_samples, len(outputs))
        return BoundRidge(columns, outputs, float(self.alpha))


@dataclass(frozen=True, eq=False)
class BoundRidge(JointBoundMeasure):
    """Ridge bound to data: standardised features and centred outputs."""

    columns: EncodedColumns
    outputs: FloatArray
    alpha: float

    def feature_scores(self, features: ArrayLike) -> FloatArray:
        """Part of the target that each feature alone explains."""
        return self.contributions(np.array([], dtype=np.intp), features)

    def scored_contributions(
        self, subset: IndexArray, candidates: IndexArray
    ) -> tuple[float, FloatArray]:
        """Part explained by the set, and what each candidate adds to it."""
        block = self.columns.block(subset)
        resolvent = linalg.inv(block @ block.T + self.alpha * np.eye(len(block)))
        residual = resolvent @ self.outputs
        score = float(np.vdot(self.outputs, self.outputs - self.alpha * residual))
        member = np.isin(candidates, subset)
        contributions = np.array(
            [
                self._rank_change(self.columns.block([j]), resolvent, residual, sign)
                for j, sign in zip(candidates, np.where(member, -1.0, 1.0), strict=True)
            ]
        )
        return score, contributions

    def _rank_change(
        self, own: FloatArray, resolvent: FloatArray, residual: FloatArray, sign: float
    ) -> float:
        """Change of the explained part; a category changes as many ranks as it has levels."""
        projected = own.T @ residual
        core = np.eye(own.shape[1]) + sign * (own.T @ resolvent @ own)
        return float(self.alpha * np.vdot(projected, np.linalg.solve(core, projected)))


@dataclass(eq=False, repr=False, kw_only=True)
class KernelRidge(Ridge):
    """Part of the target that kernel ridge regression explains.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty.
    kernel_x : Kernel or None, default=None
        None is a Gaussian of width sqrt(size of the set).
    categorical : iterable of int, default=()
        Features that are categories.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        Classes enter as the block coding of eq. 14.
    """

    kernel_x: Kernel | None = None

    def bind(self, X: ArrayLike, y: Any) -> "BoundKernelRidge":
        """Bind the measure to data."""
        linear = super().bind(X, y)
        kernel = Gaussian(bandwidth="sqrt_d") if self.kernel_x is None else self.kernel_x
        return BoundKernelRidge(linear.columns, linear.outputs, linear.alpha, kernel)


@dataclass(frozen=True, eq=False)
class BoundKernelRidge(BoundRidge):
    """Kernel ridge bound to data."""

    kernel: Kernel

    feature_scores = JointBoundMeasure.feature_scores

    def scored_contributions(
        self, subset: IndexArray, candidates: IndexArray
    ) -> tuple[float, FloatArray]:
        """Part explained by the set, and what each candidate adds to it."""
        kernel = refuse_vanishing(self.kernel, self.kernel.on_subset(self.columns, subset))
        score = self._explained(kernel.gram)
        contributions = np.empty(len(candidates))
        for position, feature in enumerate(candidates):
            removal = bool(np.isin(feature, subset))
            after = self._explained(kernel.changed(feature, removal=removal))
            contributions[position] = score - after if removal else after - score
        return score, contributions

    def _explained(self, gram: FloatArray) -> float:
        """y'(Q + alpha I)^-1 Q y over all outputs."""
        solved = linalg.solve(gram + self.alpha * np.eye(len(gram)), self.outputs, assume_a="pos")
        return float(np.vdot(self.outputs, gram @ solved))


Ridge.bound_type = BoundRidge
KernelRidge.bound_type = BoundKernelRidge


def _outputs(y: Any, target_kind: str) -> FloatArray:
    """Give the outputs as centred columns: standardised numbers, or coded classes."""
    if target_kind_of(y, target_kind) == "classes":
        codes = block_coding(np.asarray(y))
        return np.asarray(codes - codes.mean(axis=0))
    return number_columns(y)
