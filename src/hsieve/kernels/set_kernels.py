"""Gaussian kernels over sets of features, several widths to a set, computed when asked for.

Thesis of Athanasakis, section 5.3: kernel (S, w) is exp(-|x_S - x'_S|^2 / (2 w^2 |S|)), where x_S
holds the standardised features of the set S. The width w is told in multiples of sqrt(|S|), so that
one list of widths suits sets of any size. All widths of a set come from one matrix of distances.

Cost: n m |S| multiplications for the distances between n and m samples, n m exponentials a width.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from hsieve.array_types import FloatArray, IndexArray


@dataclass(frozen=True, eq=False)
class SetKernels:
    """Kernels of all sets with all widths; those of one set stand together.

    Examples
    --------
    >>> import numpy as np
    >>> kernels = SetKernels((np.array([0]), np.array([0, 1])), (0.5, 1.0))
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0]])
    >>> [round(float(gram[0, 1]), 3) for gram in kernels.grams(1, X, X)]
    [0.135, 0.607]
    """

    sets: tuple[IndexArray, ...]  # sets of features, none of them empty
    # Widths in multiples of the square root of the size of a set, above 0.
    widths: tuple[float, ...]

    def grams(
        self,
        features: int,
        left: FloatArray,
        right: FloatArray,
        *,
        widths: Iterable[int] | None = None,
    ) -> Iterator[FloatArray]:
        """Yield the kernels of one set, width by width, between two groups of samples."""
        chosen = self.sets[features]
        distances = _distances(left[:, chosen], right[:, chosen])
        for width in range(len(self.widths)) if widths is None else widths:
            yield _exponential(distances, _rate(self.widths[width], len(chosen)))


@dataclass(frozen=True, eq=False)
class KernelList:
    """Kernels one by one, each with a set and a width of its own.

    Examples
    --------
    >>> import numpy as np
    >>> kernels = KernelList((np.array([0]), np.array([0, 1])), (0.5, 1.0))
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0]])
    >>> kernels.n_kernels, round(float(kernels.gram(1, X, X)[0, 1]), 3)
    (2, 0.607)
    """

    sets: tuple[IndexArray, ...]  # the set of each kernel, none of them empty
    widths: tuple[float, ...]  # the width of each kernel, as in :class:`SetKernels`

    @property
    def n_kernels(self) -> int:
        """Number of kernels."""
        return len(self.sets)

    def gram(self, kernel: int, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return one kernel between two groups of samples."""
        return _gram(self.sets[kernel], self.widths[kernel], left, right)


def _gram(chosen: IndexArray, width: float, left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the kernel of one set and width."""
    distances = _distances(left[:, chosen], right[:, chosen])
    return _exponential(distances, _rate(width, len(chosen)), out=distances)


def _rate(width: float, n_features: int) -> float:
    """Return what squared distances are multiplied by."""
    return 0.5 / (width**2 * n_features)


def _distances(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return squared distances by one product; standardised features have no large offset."""
    distances: FloatArray = left @ right.T
    distances *= -2
    distances += np.einsum("ij,ij->i", left, left)[:, None]
    distances += np.einsum("ij,ij->i", right, right)
    return np.maximum(distances, 0, out=distances)


def _exponential(distances: FloatArray, rate: float, out: FloatArray | None = None) -> FloatArray:
    """Return exp(-rate * distances)."""
    scaled = np.multiply(distances, distances.dtype.type(-rate), out=out)
    return np.asarray(np.exp(scaled, out=scaled))
