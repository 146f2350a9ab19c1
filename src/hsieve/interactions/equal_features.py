"""Features with the very same kernel, treated as one where tuples of features are scored.

A product of matrices rounds an entry by its place: on some processors the pair of a feature with
another and the pair of its exact copy with that other differ in the last digits. So that ties are
told apart by position and not by rounding, a sweep scores one tuple for all of its copies: the one
made of the first copies. Afterwards all the others get its score.

Cost: one digest for each feature, and nothing else where no feature has a copy.
"""

import heapq
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray, IndexArray

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class EqualFeatures:
    """Which features are exact copies of which."""

    # (n_features,): the first copy of each feature, often itself; -1 for a feature that is not
    # looked at.
    firsts: IndexArray

    @property
    def has_copies(self) -> bool:
        """Whether any feature has a copy."""
        return bool((self._numbers > 0).any())

    @property
    def n_features(self) -> int:
        """How many features are looked at."""
        return int(np.count_nonzero(self.firsts >= 0))

    def first_few(self, most: int) -> IndexArray:
        """Return the features without those that have so many copies before them, or more."""
        return np.flatnonzero((self.firsts >= 0) & (self._numbers < most))

    def stand_for_all(self, tuples: IndexArray) -> BoolArray:
        """Mark the tuples, each in rising order, that stand for all of their copies.

        Shapes: tuples (n_tuples, order).
        """
        # Within a tuple, a feature and its copies are to be the first ones there are.
        before = self._before(self.firsts[tuples])
        return np.asarray((self._numbers[tuples] == before).all(axis=1))

    def standing_for(self, tuples: IndexArray) -> tuple[IndexArray, IndexArray]:
        """Return, for each tuple, the one that stands for it, and where its features are there.

        Shapes: tuples (n_tuples, order) -> (n_tuples, order), (n_tuples, order).
        """
        firsts = self.firsts[tuples]
        copies = np.argsort(self.firsts, kind="stable")
        begins = np.searchsorted(self.firsts[copies], firsts)
        standing = copies[begins + self._before(firsts)]
        order = np.argsort(standing, axis=1)
        return np.take_along_axis(standing, order, axis=1), np.argsort(order, axis=1)

    def with_copies(
        self, tuples: IndexArray, scores: FloatArray, n_kept: int
    ) -> tuple[IndexArray, IndexArray]:
        """Put all copies of tuples beside them; of equal scores those of lower features first.

        Shapes: tuples (n_tuples, order) -> (n_found, order), (n_found,).
        """
        starts = np.flatnonzero(np.diff(scores, prepend=np.nan) != 0)
        ends = np.append(starts[1:], len(scores))
        is_copied = np.bincount(self.firsts[self.firsts >= 0], minlength=len(self.firsts)) > 1
        copied = is_copied[self.firsts[tuples]].any(axis=1)
        among_ties = np.logical_or.reduceat(copied, starts) if len(starts) else copied
        found: list[tuple[IndexArray, IndexArray]] = []
        done = n_found = 0
        for start, end in zip(starts[among_ties], ends[among_ties], strict=True):
            found.append((tuples[done:start], np.arange(done, start)))
            n_found += start - done
            if n_found >= n_kept:
                break
            ties = (self._copies_of(tuples[place], int(place)) for place in range(start, end))
            # Merged one by one, so that any number of copies takes no more memory than is kept.
            some = list(islice(heapq.merge(*ties), n_kept - n_found))
            copies, origins = zip(*some, strict=True)
            found.append((np.array(copies, dtype=np.intp), np.array(origins, dtype=np.intp)))
            n_found += len(some)
            done = end
        found.append((tuples[done:], np.arange(done, len(tuples))))
        members, places = map(np.concatenate, zip(*found, strict=True))
        return members[:n_kept], places[:n_kept]

    def _before(self, firsts: IndexArray) -> IndexArray:
        """Count, for each feature of each tuple, its copies before it in the tuple."""
        before = [
            np.count_nonzero(firsts[:, :place] == firsts[:, place, None], axis=1)
            for place in range(firsts.shape[1])
        ]
        return np.stack(before, axis=1)

    @cached_property
    def _numbers(self) -> IndexArray:
        """How many copies come before each feature."""
        numbers = np.zeros(len(self.firsts), dtype=np.intp)
        order = np.argsort(self.firsts, kind="stable")
        firsts = self.firsts[order]
        begins = np.searchsorted(firsts, firsts)
        numbers[order] = np.arange(len(order)) - begins
        numbers[self.firsts < 0] = 0
        return numbers

    @cached_property
    def _members(self) -> dict[int, list[int]]:
        """All copies of each first one."""
        members: dict[int, list[int]] = {}
        for feature, first in enumerate(self.firsts.tolist()):
            members.setdefault(first, []).append(feature)
        return members

    def _copies_of(self, features: IndexArray, place: int) -> Iterator[tuple[list[int], int]]:
        """Give all copies of a tuple in rising order, each with the tuple's place."""
        for members in self._rising(self.firsts[features].tolist(), -1):
            yield members, place

    def _rising(self, firsts: list[int], above: int) -> Iterator[list[int]]:
        """Give tuples of copies of these features, all above some position, in rising order."""
        if not firsts:
            yield []
            return
        copies = [self._members[first] for first in set(firsts)]
        for feature in heapq.merge(*(some[bisect_right(some, above) :] for some in copies)):
            rest = list(firsts)
            rest.remove(int(self.firsts[feature]))
            for others in self._rising(rest, feature):
                yield [feature, *others]
