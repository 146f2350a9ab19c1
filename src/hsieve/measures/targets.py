"""The Gram matrix of a target: classes, numbers, several outputs, or a matrix handed in."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.data.validation import target_kind_of
from hsieve.kernels import Delta, Gaussian, Kernel, LabelCoding, Precomputed, encode_columns

__all__ = ["checked_kernel", "refuse_empty", "target_gram"]

# Weights smaller than this share of the target's Gram matrix are rounding.
ROUNDING = 1e-12


def target_gram(
    y: Any, kernel: Kernel | None = None, *, target_kind: str = "auto", standardise: bool = True
) -> NDArray[np.float64]:
    """Gram matrix of the target.

    Parameters
    ----------
    y : array-like of shape (n_samples,), (n_samples, n_outputs) or (n_samples, n_samples)
        Labels, numbers, several outputs, or a Gram matrix (with ``Precomputed()``).
    kernel : Kernel or None, default=None
        None takes ``Delta()`` for classes and a Gaussian of width sqrt(n_outputs) for numbers.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        See :func:`hsieve.data.validation.target_kind_of`.
    standardise : bool, default=True
        Whether numbers are brought to mean 0 and deviation 1 first.

    Returns
    -------
    ndarray of shape (n_samples, n_samples)
        The Gram matrix.
    """
    if kernel is not None:
        checked_kernel(kernel)
    if isinstance(kernel, Precomputed):
        return kernel.gram(y)
    _warn_of_gram(np.asarray(y))
    kind = target_kind_of(y, target_kind)
    if kernel is None:
        kernel = Delta() if kind == "classes" else Gaussian(bandwidth="sqrt_d")
    values = np.asarray(y)
    if isinstance(kernel, Delta | LabelCoding):
        return kernel.gram(values)
    if values.dtype.kind not in "fiub":
        msg = (
            f"{type(kernel).__name__} needs a numeric target, got values such as "
            f"{values.flat[0]!r}; use Delta() or a LabelCoding for classes."
        )
        raise ValueError(msg)
    numbers: NDArray[np.floating] = values.astype(np.float64).reshape(len(values), -1)
    if standardise:
        numbers = encode_columns(numbers).matrix
    return kernel.gram(numbers)


def checked_kernel(kernel: Any) -> Kernel:
    """Pass a kernel on and refuse anything else."""
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
        warnings.warn(msg, UserWarning, stacklevel=4)
