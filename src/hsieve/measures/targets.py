"""The Gram matrix of a target: classes, numbers, several outputs, or a matrix handed in."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray
from hsieve.data.survival import SURVIVAL
from hsieve.data.validation import check_lengths, target_kind_of
from hsieve.exceptions import warn_user
from hsieve.kernels import (
    Delta,
    Gaussian,
    Kernel,
    LabelCoding,
    Linear,
    Precomputed,
    encode_columns,
)
from hsieve.kernels.columns import check_finite, standardised
from hsieve.kernels.dense_factors import weighted_factor
from hsieve.kernels.labels import block_coding
from hsieve.kernels.low_rank import landmark_factors, pivoted_cholesky
from hsieve.measures.base import Measure

# Weights smaller than this fraction of the target's Gram matrix are rounding.
ROUNDING = 1e-12
# Directions of a factor with less than this fraction of the largest one's weight are left out.
NEGLIGIBLE = 1e-6
TARGET_KERNELS = ("gaussian", "linear")


def target_gram(
    y: Any,
    kernel: Kernel | None = None,
    *,
    target_kind: str = "auto",
    standardise: bool = True,
    sample_weight: FloatArray | None = None,
) -> NDArray[np.float64]:
    """Gram matrix of the target.

    None is ``Delta()`` for classes, a Gaussian for numbers, ``Linear()`` for survival.
    """
    if kernel is not None:
        checked_kernel(kernel)
    if isinstance(kernel, Precomputed):
        return kernel.gram(y)
    _warn_of_gram(np.asarray(y))
    kind = target_kind_of(y, target_kind)
    if kernel is None:
        kernel = usual_target_kernel(kind)
    values = np.asarray(y)
    if isinstance(kernel, Delta | LabelCoding):
        if sample_weight is None or (isinstance(kernel, Delta) and not kernel.normalised):
            return kernel.gram(values)
        codes = block_coding(values, sample_weight)
        return codes @ codes.T
    if values.dtype.kind not in "fiub":
        msg = (
            f"{type(kernel).__name__} needs a numeric target, got values such as "
            f"{values.flat[0]!r}; use Delta() or a LabelCoding for classes."
        )
        raise ValueError(msg)
    numbers: NDArray[np.floating] = values.astype(np.float64).reshape(len(values), -1)
    if sample_weight is not None:
        # Rules for the width look at weights, too.
        columns = encode_columns(numbers, standardise=standardise, sample_weight=sample_weight)
        whole = kernel.on_subset(columns, np.arange(columns.n_features))
        return np.asarray(whole.gram, dtype=np.float64)
    if standardise:
        numbers = encode_columns(numbers).matrix
    return kernel.gram(numbers)


def usual_target_kernel(kind: str) -> Kernel:
    """Return the kernel of a target where none is given.

    Features may decide how long subjects are observed, and so the spread of residuals of survival,
    but without an effect not their mean, which is all that a linear kernel sees.
    """
    if kind == "classes":
        return Delta()
    return Linear() if kind == SURVIVAL else Gaussian(bandwidth="sqrt_d")


def target_factor(
    y: Any,
    target_kind: str,
    kernel: str = "gaussian",
    *,
    sample_weight: FloatArray | None = None,
) -> FloatArray:
    """Centred factor of the target's kernel.

    Gives orthogonal columns of rising weight. Classes get the delta kernel 1/n_c; numbers are
    standardised, and get a Gaussian kernel of width sqrt(n_outputs) or a linear one; residuals of
    survival get a linear one. With weights of samples, centred by weighted means, and each row
    multiplied by the root of its weight.
    """
    precision: type[np.floating] = np.float32 if sample_weight is None else np.float64
    values = np.asarray(y)
    factor: FloatArray
    kind = target_kind_of(values, target_kind)
    if kind == "classes":
        factor = block_coding(values, sample_weight)
    elif kind == SURVIVAL:
        factor = number_columns(values)
    else:
        outputs = values.astype(np.float64).reshape(len(values), -1)
        check_finite(outputs)
        numbers = standardised(outputs, robust=True, sample_weight=sample_weight)
        if kernel == "linear":
            factor = numbers
        elif numbers.shape[1] == 1:
            ((_, factors),) = landmark_factors(numbers, precision)
            factor = factors[0].astype(np.float64)
        else:
            factor = pivoted_cholesky(numbers, rate=0.5 / numbers.shape[1])
    if sample_weight is None:
        factor = factor - factor.mean(axis=0)
    else:
        factor = weighted_factor(factor, sample_weight)
    # Centring takes a direction away: two classes need one column, not two.
    weights, directions = np.linalg.eigh(factor.T @ factor)
    return np.asarray(factor @ directions[:, weights > NEGLIGIBLE * weights[-1]])


def number_columns(y: Any) -> FloatArray:
    """Return a numeric target as columns of mean 0 and deviation 1."""
    numbers = np.asarray(y, dtype=np.float64)
    check_finite(numbers)
    return np.asarray(standardised(numbers.reshape(len(numbers), -1)))


def heaviest(factor: FloatArray, share: float) -> FloatArray:
    """Return the columns of a target's factor that hold so much of its kernel's trace."""
    falling = factor[:, ::-1]
    held = np.cumsum((falling**2).sum(axis=0))
    # The last columns together may miss the whole by rounding.
    n_columns = 1 + int(np.searchsorted(held, share * held[-1] * (1.0 - 1e-9)))
    return falling[:, :n_columns]


def one_output(y: Any, measure: Measure, n_samples: int) -> NDArray[Any]:
    """Return a target of one output; others, and of another length, are refused."""
    target = np.asarray(y)
    if target.ndim != 1:
        name = type(measure).__name__
        msg = f"{name} takes one output, got a target of shape {target.shape}."
        raise ValueError(msg)
    check_lengths(n_samples, len(target))
    return target


def checked_kernel(kernel: Any, usual: Kernel | None = None) -> Kernel:
    """Pass a kernel on, or the usual one where there is none, and refuse anything else."""
    if kernel is None and usual is not None:
        return usual
    if not isinstance(kernel, Kernel):
        msg = f"A kernel must be an object such as kernels.Gaussian(1.0), got {kernel!r}."
        raise ValueError(msg)
    return kernel


def refuse_empty(weights: NDArray[np.floating], gram_y: NDArray[np.floating]) -> Any:
    """Pass the weights of a target on, unless every feature would score zero with them."""
    scale = float(np.abs(gram_y).max(initial=0.0)) / len(gram_y) ** 2
    if np.abs(weights).max(initial=0.0) <= ROUNDING * scale:
        msg = (
            "The kernel of the target tells no samples apart, so every feature would score zero: "
            "all samples may be classes of their own, or, with the unbiased estimator, one of two "
            "classes holds a single sample. Use target_kind='continuous', another kernel_y or "
            "estimator='biased'."
        )
        raise ValueError(msg)
    return weights


def _warn_of_gram(values: NDArray[Any]) -> None:
    """Warn where a Gram matrix seems to be handed over without saying so."""
    square = values.ndim == 2 and values.shape[0] == values.shape[1] > 1
    if square and values.dtype.kind == "f" and np.allclose(values, values.T):
        msg = (
            "y is a symmetric matrix and is taken for several outputs; if it is a Gram matrix, "
            "pass kernel_y=Precomputed()."
        )
        warn_user(msg)
