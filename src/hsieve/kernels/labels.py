"""Label codings of the BAHSIC paper (sec. 4).

With a linear kernel they turn HSIC into older scores.

============  ==========================================  ====================================
coding        entries for a sample of class c             HSIC with a linear feature kernel is
============  ==========================================  ====================================
signed        ``+1/m_+`` or ``-1/m_-``                    squared difference of class means
centroid      1/m_c - 1/m in column c, -1/m elsewhere     sum of squared distances of the class
                                                          means to the overall mean (eq. 12)
one-vs-rest   1/m_c in column c, 1/(m_k - m) in column k  sum of squared differences between a
                                                          class mean and the mean of the rest
block         1/sqrt(m_c) in column c                     block structure, = the delta kernel
============  ==========================================  ====================================

The one-versus-rest coding has columns that sum to zero, the block coding is the second of eq. 14.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

CodeArray = NDArray[np.float64]


def signed_coding(labels: ArrayLike) -> CodeArray:
    """Code two classes as +1/m_+ (the larger label) and -1/m_- (the smaller), one column."""
    indicators, counts = _indicators(labels)
    if len(counts) != 2:
        others = "pam, one-vs-rest and block take more"
        msg = f"This score needs two classes, got {len(counts)}; {others}."
        raise ValueError(msg)
    return np.asarray(indicators[:, 1:] / counts[1] - indicators[:, :1] / counts[0])


def centroid_coding(labels: ArrayLike) -> CodeArray:
    """Code classes against the mean of all samples (eq. 12, for any number of classes)."""
    indicators, counts = _indicators(labels)
    return indicators / counts - 1.0 / len(indicators)


def one_vs_rest_coding(labels: ArrayLike) -> CodeArray:
    """Code each class against all the others (eq. 14, left)."""
    indicators, counts = _indicators(labels)
    return indicators / counts + (1.0 - indicators) / (counts - len(indicators))


def block_coding(labels: ArrayLike, sample_weight: NDArray[np.floating] | None = None) -> CodeArray:
    """Code classes by their own indicator (eq. 14, right); samples may count more than once."""
    indicators, counts = _indicators(labels)
    return indicators / np.sqrt(counts if sample_weight is None else sample_weight @ indicators)


def sign_coding(labels: ArrayLike) -> CodeArray:
    """Code classes as +1 and -1: one column for two (+1 the larger label), else one a class."""
    indicators, counts = _indicators(labels)
    codes: CodeArray = 2.0 * indicators - 1.0
    return codes[:, 1:] if len(counts) == 2 else codes


LABEL_CODINGS: Mapping[str, Callable[[ArrayLike], CodeArray]] = MappingProxyType(
    {
        "signed": signed_coding,
        "centroid": centroid_coding,
        "one-vs-rest": one_vs_rest_coding,
        "block": block_coding,
    }
)


def _indicators(labels: ArrayLike) -> tuple[CodeArray, NDArray[np.intp]]:
    """One indicator column a class, classes in sorted order, and the class sizes."""
    labels = np.asarray(labels)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        msg = f"Label codings take one label a sample, got an array of shape {labels.shape}."
        raise ValueError(msg)
    classes, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if len(classes) < 2:
        msg = f"Label codings need at least two classes, got {len(classes)}."
        raise ValueError(msg)
    indicators = np.zeros((len(labels), len(classes)))
    indicators[np.arange(len(labels)), codes] = 1.0
    return indicators, counts
