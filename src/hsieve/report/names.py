"""Names of features and of levels as they can be shown: on one line, and not too long."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.text import legible, shortened

__all__ = ["SampleLevels", "legible", "level_name", "levels_of", "names_of", "shortened"]

LONGEST_LEVEL = 14

IndexArray = NDArray[np.intp]


def names_of(selector: Any, feature_names: Iterable[Any] | None = None) -> list[str]:
    """Return a name for each feature: as given, those of the data frame, or x0, x1, ..."""
    n_features = selector.n_features_in_
    if feature_names is None:
        feature_names = getattr(
            selector, "feature_names_in_", [f"x{feature}" for feature in range(n_features)]
        )
    names = [str(name) for name in feature_names]
    if len(names) != n_features:
        msg = f"feature_names must hold {n_features} names, one for each feature, got {len(names)}."
        raise ValueError(msg)
    return names


@dataclass(frozen=True, eq=False)
class SampleLevels:
    """Which level each sample has; the last one may stand for several others."""

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


def levels_of(
    values: NDArray[Any],
    most: int,
    *,
    longest: int = LONGEST_LEVEL,
    names: Sequence[Any] | None = None,
) -> SampleLevels:
    """Find the levels of values in rising order; if there are too many, the rarer become "other".

    Where values are the codes 0, 1, ... of named levels, the names are told; the code that comes
    after them is a missing value.

    Examples
    --------
    >>> import numpy as np
    >>> levels_of(np.array(["a", "b", "b", "c", "c"]), 2).names
    ['b', 'other (2)']
    """
    found, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    codes = np.ravel(codes)
    if names is not None and found[-1] <= len(names):
        found = np.array([*names, "missing"], dtype=object)[found.astype(np.intp)]
    if len(found) <= most:
        return SampleLevels(codes, [level_name(level, longest) for level in found])
    kept = np.sort(np.argsort(-counts, kind="stable")[: most - 1])
    new = np.full(len(found), most - 1)
    new[kept] = np.arange(most - 1)
    n_others = len(found) - len(kept)
    names = [*(level_name(found[k], longest) for k in kept), f"other ({n_others})"]
    return SampleLevels(new[codes], names, has_others=True)


def level_name(level: Any, longest: int = LONGEST_LEVEL) -> str:
    """Name a level: integers without a point."""
    if isinstance(level, float | np.floating):
        return f"{level:g}"
    return shortened(str(level), longest)
