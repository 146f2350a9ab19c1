"""Halves of the samples, with every class halved too, and subsamples with classes of one size."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["balanced_samples", "half_samples"]


def half_samples(
    n_samples: int,
    rng: np.random.Generator,
    *,
    classes: NDArray[Any] | None = None,
    groups: NDArray[Any] | None = None,
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
    groups : ndarray of shape (n_samples,) or None, default=None
        Samples that belong together. Given, each half has half of the groups, whole; classes are
        halved too if each group has one.

    Returns
    -------
    tuple of two ndarray of shape (n_samples // 2,)
        Positions in rising order; with an odd number of samples, one is in neither. Halves of
        groups have as many samples as these have.

    Examples
    --------
    >>> import numpy as np
    >>> one, other = half_samples(5, np.random.default_rng(0))
    >>> len(one), len(other), len(set(one) & set(other))
    (2, 2, 0)
    """
    if groups is not None:
        _, firsts, members = np.unique(groups, return_index=True, return_inverse=True)
        of_groups = None if classes is None else classes[firsts]
        if classes is not None and not np.array_equal(classes, classes[firsts][members]):
            of_groups = None
        one, other = half_samples(len(firsts), rng, classes=of_groups)
        return np.flatnonzero(np.isin(members, one)), np.flatnonzero(np.isin(members, other))
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


def balanced_samples(
    classes: NDArray[Any], size: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Draw samples, of each class as many as of every other, as far as there are.

    Parameters
    ----------
    classes : ndarray of shape (n_samples,)
        Class of each sample.
    size : int
        Number of samples, at least one a class. All are taken where there are no more.
    rng : Generator
        Source of the draw.

    Returns
    -------
    ndarray of shape (n_drawn,)
        Positions in rising order. A class of fewer samples than its share is there whole, and the
        others share what it leaves; each class has at least one.

    Examples
    --------
    >>> import numpy as np
    >>> classes = np.repeat([0, 1, 2], [50, 30, 2])
    >>> drawn = balanced_samples(classes, 22, np.random.default_rng(0))
    >>> np.bincount(classes[drawn])
    array([10, 10,  2])
    """
    codes = _codes(classes)
    counts = np.bincount(codes)
    shares = np.zeros_like(counts)
    left = size
    for place, code in enumerate(np.argsort(counts, kind="stable")):
        shares[code] = min(counts[code], max(1, left // (len(counts) - place)))
        left -= shares[code]
    drawn = [
        rng.choice(np.flatnonzero(codes == code), share, replace=False)
        for code, share in enumerate(shares)
    ]
    return np.sort(np.concatenate(drawn))


def _codes(classes: NDArray[Any]) -> NDArray[np.intp]:
    """Give each class a number."""
    return np.unique(classes, return_inverse=True)[1].reshape(-1)
