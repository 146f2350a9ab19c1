"""The Gram matrix of a target: classes, numbers, several outputs, or a matrix handed in."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.data.validation import target_kind_of
from hsieve.kernels import Delta, Gaussian, Kernel, LabelCoding, Precomputed, encode_columns

__all__ = ["target_gram"]


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
    if isinstance(kernel, Precomputed):
        return kernel.gram(y)
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
