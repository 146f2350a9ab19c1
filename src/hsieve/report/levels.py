"""Categories and classes as few, legible levels."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.report.names import shortened

__all__ = ["SampleLevels", "levels_of"]

IndexArray = NDArray[np.intp]

LONGEST = 14


@dataclass(frozen=True, eq=False)
class SampleLevels:
    """Which level each sample has.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        Number of each sample's level.
    names : list of str
        Names of the levels.
    has_others : bool, default=False
        Whether the last of them stands for several.
    """

    codes: IndexArray
    names: list[str]
    has_others: bool = False

    @property
    def counts(self) -> IndexArray:
        """Number of samples of each level."""
        return np.bincount(self.codes, minlength=len(self.names))

    def of(self, samples: NDArray[np.bool_]) -> "SampleLevels":
        """Return the levels of some of the samples, numbered as before."""
        return replace(self, codes=self.codes[samples])


def levels_of(values: NDArray[Any], most: int) -> SampleLevels:
    """Find the levels of values; where there are many, the rarer ones become "other".

    Parameters
    ----------
    values : ndarray of shape (n_samples,)
        Classes or codes of categories.
    most : int
        Largest number of levels, that of the others included.

    Returns
    -------
    SampleLevels
        Levels in rising order, the others last.

    Examples
    --------
    >>> import numpy as np
    >>> levels_of(np.array(["a", "b", "b", "c", "c"]), 2).names
    ['b', 'other (2)']
    """
    found, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    codes = np.ravel(codes)
    if len(found) <= most:
        return SampleLevels(codes, [_shown(level) for level in found])
    kept = np.sort(np.argsort(-counts, kind="stable")[: most - 1])
    new = np.full(len(found), most - 1)
    new[kept] = np.arange(most - 1)
    n_others = len(found) - len(kept)
    names = [*(_shown(found[k]) for k in kept), f"other ({n_others})"]
    return SampleLevels(new[codes], names, has_others=True)


def _shown(level: Any) -> str:
    """Name a level: whole numbers without a point."""
    if isinstance(level, float | np.floating):
        return f"{level:g}"
    return shortened(str(level), LONGEST)
