"""Halves of the samples, alone or as complementary pairs, with every class halved too."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["half_samples"]


def half_samples(
    n_samples: int, rng: np.random.Generator, *, classes: NDArray[Any] | None = None
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Draw two halves that share no sample.

    Parameters
    ----------
    n_samples : int
        Number of samples.
    rng : Generator
        Source of the draw.
    classes : ndarray of shape (n_samples,) or None, default=None
        Class of each sample. Given, each half has half of each class; of a class with an odd number
        either half may have one more.

    Returns
    -------
    tuple of two ndarray of shape (n_samples // 2,)
        Positions in rising order; with an odd number of samples, one is in neither.

    Examples
    --------
    >>> import numpy as np
    >>> one, other = half_samples(5, np.random.default_rng(0))
    >>> len(one), len(other), len(set(one) & set(other))
    (2, 2, 0)
    """
    halves: tuple[list[NDArray[np.intp]], list[NDArray[np.intp]]] = ([], [])
    left = []
    codes = np.zeros(n_samples, dtype=np.intp) if classes is None else _codes(classes)
    for code in range(int(codes.max(initial=0)) + 1):
        members = rng.permutation(np.flatnonzero(codes == code))
        half = len(members) // 2
        halves[0].append(members[:half])
        halves[1].append(members[half : 2 * half])
        left.append(members[2 * half :])
    single = rng.permutation(np.concatenate(left))
    half = len(single) // 2
    halves[0].append(single[:half])
    halves[1].append(single[half : 2 * half])
    return np.sort(np.concatenate(halves[0])), np.sort(np.concatenate(halves[1]))


def _codes(classes: NDArray[Any]) -> NDArray[np.intp]:
    """Give each class a number."""
    return np.unique(classes, return_inverse=True)[1].reshape(-1)
