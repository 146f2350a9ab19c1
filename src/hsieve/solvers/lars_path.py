"""The answer of the LARS solver: knots, events, and coefficients at any level between them.

Only active coefficients are kept, so a path of m knots over d features takes O(m^2), not O(m d).
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from hsieve.array_types import FloatArray, IndexArray


@dataclass(frozen=True)
class LarsEvent:
    """What happened at a knot.

    Attributes
    ----------
    level : float
        The level of the knot.
    kind : {"entered", "left", "stopped"}
        What happened.
    feature : int
        The feature; where the path stopped, the one that would have entered next, or -1.
    """

    level: float
    kind: Literal["entered", "left", "stopped"]
    feature: int


@dataclass(frozen=True)
class LarsPath:
    """A piecewise linear path of non-negative coefficients.

    Attributes
    ----------
    levels : ndarray of shape (n_knots,)
        Levels of the knots, strictly falling. The first is the highest gradient.
    active_sets : tuple of ndarray
        For each knot, the features active where it was reached, in order of entry.
    values : tuple of ndarray
        Their coefficients at the knot.
    selected : ndarray
        Penalised features active at the end, in order of entry.
    order : ndarray
        Penalised features that ever entered, in order of first entry.
    events : tuple of LarsEvent
        All entries and exits, then the stop.
    stop_reason : {"enough features", "lowest level", "level zero", "step limit"}
        Why the path ends.
    n_features : int
        Number of features.
    entries_computed : int
        Redundancy entries asked for.
    n_columns : int
        Features that ever were active; without the bound each takes a column of the redundancy.
    known : tuple of (ndarray, ndarray)
        For each of `selected`, other features whose redundancy with it was computed, and these
        redundancies.
    """

    levels: FloatArray
    active_sets: tuple[IndexArray, ...]
    values: tuple[FloatArray, ...]
    selected: IndexArray
    order: IndexArray
    events: tuple[LarsEvent, ...]
    stop_reason: str
    n_features: int
    entries_computed: int
    n_columns: int
    known: tuple[tuple[IndexArray, FloatArray], ...]

    @property
    def share_spared(self) -> float:
        """Fraction of the whole columns of all ever-active features that was not computed."""
        whole = self.n_features * self.n_columns
        return max(0.0, 1.0 - self.entries_computed / whole) if whole else 0.0

    def coefficients(self, level: float) -> FloatArray:
        """Coefficients of all features at any level down to the last knot, shape (n_features,)."""
        if not level >= self.levels[-1]:
            msg = f"level must be at least {self.levels[-1]}, where the path ends, got {level}."
            raise ValueError(msg)
        after = int(np.searchsorted(-self.levels, -level))
        if after == 0:
            return self._knot(0)
        upper, lower = self.levels[after - 1], self.levels[after]
        share = (upper - level) / (upper - lower)
        return np.asarray((1.0 - share) * self._knot(after - 1) + share * self._knot(after))

    def dense(self) -> FloatArray:
        """Coefficients at the knots, of shape (n_knots, n_features)."""
        return np.stack([self._knot(knot) for knot in range(len(self.levels))])

    def _knot(self, knot: int) -> FloatArray:
        row = np.zeros(self.n_features)
        row[self.active_sets[knot]] = self.values[knot]
        return row
