"""What a path over active features carries along: redundancy entries on demand, and a factor.

The redundancy matrix Q is never held whole. :class:`EntriesOnDemand` asks for the entries that are
needed and keeps them; entries not asked for read as zero, or as a lower bound where there is a
cheap one, which makes every sum over entries a lower bound of the full sum wherever Q >= 0.
:class:`ActiveFactor` holds the Cholesky factor of Q on the active features: O(p^2) to add one of p
features, O(p^3) to drop one, which is rare.
"""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from hsieve.array_types import FloatArray, IndexArray

BoolArray = NDArray[np.bool_]
Redundancy = Callable[[IndexArray, IndexArray], FloatArray]

# Lower bounds above this part of the diagonal are of near copies: their
# entries are asked for, so that it is known of whom they are copies.
NEAR_COPY = 0.5
# A negative entry this small beside the largest of its block is rounding, not a broken promise.
NEGATIVE_TOLERANCE = 1e-10


class EntriesOnDemand:
    """Entries Q[k, j], for features k and ever-active features j, asked for once and kept."""

    def __init__(
        self,
        redundancy: Redundancy,
        n_features: int,
        *,
        nonnegative: bool,
        least: Redundancy | None = None,
    ) -> None:
        self._redundancy = redundancy
        self._least = least
        self._n_features = n_features
        self._nonnegative = nonnegative
        self._columns: dict[int, FloatArray] = {}
        self._known: dict[int, BoolArray] = {}
        self._bounded: dict[int, BoolArray] = {}
        self._diagonal: dict[int, float] = {}
        self._touched = np.zeros(n_features, dtype=bool)
        self.n_computed = 0

    @property
    def n_columns(self) -> int:
        """Number of features that ever were active."""
        return len(self._columns)

    @property
    def touched(self) -> IndexArray:
        """Features of which at least one entry is known."""
        return np.flatnonzero(self._touched)

    def diagonal(self, feature: int) -> float:
        """Entry Q[feature, feature]."""
        if feature not in self._diagonal:
            itself = np.array([feature], dtype=np.intp)
            self._diagonal[feature] = float(self._block(itself, itself)[0, 0])
        return self._diagonal[feature]

    def open_column(self, feature: int) -> None:
        """Begin, or take up again, the column of a new active feature with what symmetry tells."""
        if feature not in self._columns:
            self._columns[feature] = np.zeros(self._n_features)
            self._known[feature] = np.zeros(self._n_features, dtype=bool)
            self._bounded[feature] = np.full(self._n_features, self._least is None)
        column, known = self._columns[feature], self._known[feature]
        column[feature], known[feature] = self.diagonal(feature), True
        for other, other_known in self._known.items():
            if other_known[feature] and not known[other]:
                column[other], known[other] = self._columns[other][feature], True
        self._touched[feature] = True

    def bounded(self, active: Iterable[int], rows: IndexArray) -> BoolArray:
        """Tell which of some features have at least lower bounds of all their entries."""
        whole = np.ones(len(rows), dtype=bool)
        for feature in active:
            whole &= self._bounded[feature][rows]
        return whole

    def bound(self, features: IndexArray, active: Iterable[int]) -> None:
        """Put lower bounds in the place of entries Q[features, active] that are not known."""
        assert self._least is not None
        columns = [feature for feature in active if not self._bounded[feature][features].all()]
        for feature, least in zip(columns, self._least(features, np.array(columns)).T, strict=True):
            new = ~self._known[feature][features]
            self._columns[feature][features[new]] = least[new]
            self._bounded[feature][features] = True
            alike = new & (least > NEAR_COPY * self.diagonal(feature))
            if alike.any():
                self._ask(features[alike], np.array([feature]))
        self._touched[features] = True

    def fill(self, features: IndexArray, active: Iterable[int]) -> None:
        """Ask for all entries Q[features, active] not known yet.

        One block for features that lack one entry, one for those that lack two or three, and so
        on: few calls, at the price of computing some known entries again.
        """
        columns = np.array(list(active), dtype=np.intp)
        gaps = ~np.stack([self._known[j][features] for j in columns], axis=1)
        sizes = np.frexp(gaps.sum(axis=1).astype(np.float64))[1]
        for size in np.unique(sizes[sizes > 0]):
            rows = sizes == size
            self._ask(features[rows], columns[gaps[rows].any(axis=0)])

    def column(self, feature: int, rows: IndexArray) -> FloatArray:
        """Entries Q[rows, feature]; unknown ones are zero, or a lower bound."""
        return np.asarray(self._columns[feature][rows])

    def known(self, feature: int) -> tuple[IndexArray, FloatArray]:
        """Other features whose entry with an ever-active one is known, and these entries."""
        known = self._known[feature].copy()
        known[feature] = False
        others = np.flatnonzero(known)
        return others, self._columns[feature][others]

    def complete(self, active: Iterable[int], rows: IndexArray) -> BoolArray:
        """Tell which of some features have all their entries with the active ones known."""
        whole = np.ones(len(rows), dtype=bool)
        for feature in active:
            whole &= self._known[feature][rows]
        return whole

    def lacks(self, rows: IndexArray, feature: int) -> bool:
        """Tell whether an entry of some features with an active one is not known."""
        return not bool(self._known[feature][rows].all())

    def _ask(self, features: IndexArray, columns: IndexArray) -> None:
        block = self._block(features, columns)
        for feature, values in zip(columns.tolist(), block.T, strict=True):
            # What is known stays: computed in another block it could differ in the last digit.
            new = ~self._known[feature][features]
            self._columns[feature][features[new]] = values[new]
            self._known[feature][features] = True
        self._touched[features] = True

    def _block(self, features: IndexArray, columns: IndexArray) -> FloatArray:
        block = np.asarray(self._redundancy(features, columns), dtype=np.float64)
        self._check(block, (len(features), len(columns)))
        self.n_computed += block.size
        return block

    def _check(self, block: FloatArray, shape: tuple[int, int]) -> None:
        if block.shape != shape:
            msg = f"redundancy must return a block of shape {shape}, got {block.shape}."
            raise ValueError(msg)
        if not np.isfinite(block).all():
            msg = "redundancy returned entries that are not finite."
            raise ValueError(msg)
        if self._nonnegative and block.min() < -NEGATIVE_TOLERANCE * np.abs(block).max():
            msg = (
                f"redundancy returned the entry {block.min():.3g}, but the bound needs entries"
                " >= 0: set use_bound=False."
            )
            raise ValueError(msg)


class ActiveFactor:
    """Cholesky factor of Q on the active features, in their order of entry.

    A feature depends on the active ones if its pivot (its squared distance from their span) is at
    most `tolerance` of its own diagonal entry. It overlaps with one if their entry is more than
    `max_overlap` of the geometric mean of their diagonal entries.
    """

    def __init__(self, tolerance: float, max_overlap: float = 1.0) -> None:
        self._tolerance = tolerance
        self._max_overlap = max_overlap
        self._gram: FloatArray = np.zeros((0, 0))
        self._lower: FloatArray = np.zeros((0, 0))
        self.members: list[int] = []

    @property
    def largest_diagonal(self) -> float:
        """Largest diagonal entry of Q among the active features."""
        return float(self._gram.diagonal().max(initial=0.0))

    def is_independent(self, row: FloatArray, diagonal: float) -> bool:
        """Tell whether a feature with these entries can join without making Q singular."""
        return self._pivot(self._forward(row), diagonal) > self._tolerance * diagonal

    def overlaps(self, row: FloatArray, diagonal: float) -> bool:
        """Tell whether a feature with these entries nearly repeats an active one."""
        if self._max_overlap == 1.0:
            return False
        return bool((row > self._max_overlap * np.sqrt(diagonal * self._gram.diagonal())).any())

    def add(self, feature: int, row: FloatArray, diagonal: float) -> None:
        """Append an independent feature: one more row of the factor."""
        solved = self._forward(row)
        last = np.sqrt(self._pivot(solved, diagonal))
        self._gram = _bordered(self._gram, row, row, diagonal)
        self._lower = _bordered(self._lower, solved, np.zeros_like(solved), last)
        self.members.append(feature)

    def drop(self, feature: int) -> None:
        """Take a feature out and factor again; the pivots of the others can only grow."""
        position = self.members.index(feature)
        del self.members[position]
        self._gram = np.delete(np.delete(self._gram, position, axis=0), position, axis=1)
        self._lower = np.linalg.cholesky(self._gram)

    def solve(self, right_sides: FloatArray) -> FloatArray:
        """Solve Q z = right side on the active features, for each column."""
        if not self.members:
            return np.zeros_like(right_sides)
        halfway = solve_triangular(self._lower, right_sides, lower=True)
        return np.asarray(solve_triangular(self._lower, halfway, lower=True, trans="T"))

    def _forward(self, row: FloatArray) -> FloatArray:
        if not self.members:
            return row
        return np.asarray(solve_triangular(self._lower, row, lower=True))

    @staticmethod
    def _pivot(solved: FloatArray, diagonal: float) -> float:
        return diagonal - float(solved @ solved)


def _bordered(matrix: FloatArray, row: FloatArray, column: FloatArray, corner: float) -> FloatArray:
    """Append one row and one column."""
    size = len(matrix)
    larger = np.empty((size + 1, size + 1))
    larger[:size, :size] = matrix
    larger[size, :size], larger[:size, size] = row, column
    larger[size, size] = corner
    return larger
