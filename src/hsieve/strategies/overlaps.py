"""How much features share, and what follows: who may join whom, who can replace whom.

The overlap of two features is their redundancy as a fraction of what it is for a copy (NHSIC).
"""

import numpy as np

from hsieve.array_types import FloatArray, IndexArray
from hsieve.interactions.atoms import BoundPairAtoms
from hsieve.measures.base import PairwiseBoundMeasure
from hsieve.solvers import LarsPath
from hsieve.strategies.base import best_first

# Features that share this much (NHSIC) with a selected one are interchangeable with it.
INTERCHANGEABLE = 0.9
# A feature that shares this much (NHSIC) with a selected one could replace it.
SUBSTITUTE = 0.5
# Candidates looked at together when the path gave fewer features than are wanted.
FILL_BATCH = 64


class JoiningPairs:
    """Which atoms may stand side by side, and how many features they have.

    Two features that are interchangeable make no pair: their product tells what one of them does.
    """

    def __init__(self, atoms: BoundPairAtoms, most_redundancy: float) -> None:
        self._atoms, self._most = atoms, most_redundancy
        self._n_singles = atoms.n_features - len(atoms.pairs)
        self._overlap: dict[tuple[int, int], float] = {}

    def n_features_of(self, atoms: list[int]) -> int:
        """Count the features of some atoms."""
        return len({feature for atom in atoms for feature in self._features(atom)})

    def may_join(self, atom: int, active: list[int]) -> bool:
        """Tell whether an atom may enter beside the active ones."""
        own = self._features(atom)
        if len(own) > 1 and self._overlap_of(*own) >= min(INTERCHANGEABLE, self._most):
            return False
        if self._most == 1.0:
            return True
        others = {feature for other in active for feature in self._features(other)}
        return all(self._overlap_of(a, b) <= self._most for a in own for b in others - {a})

    def _features(self, atom: int) -> tuple[int, ...]:
        if atom < self._n_singles:
            return (atom,)
        return tuple(self._atoms.pairs[atom - self._n_singles].tolist())

    def _overlap_of(self, a: int, b: int) -> float:
        pair = (min(a, b), max(a, b))
        if pair not in self._overlap:
            first, second = (np.array([feature], dtype=np.intp) for feature in pair)
            self._overlap[pair] = overlaps(self._atoms, first, second).item()
        return self._overlap[pair]


def overlaps(
    statistics: PairwiseBoundMeasure, features: IndexArray, others: IndexArray
) -> FloatArray:
    """Redundancy of features with others as a fraction of what it is for a copy."""
    own = np.sqrt(np.outer(*map(statistics.self_redundancy, (features, others))))
    return np.asarray(statistics.redundancy(features, others) / np.where(own > 0, own, 1.0))


def least_overlapping(
    statistics: PairwiseBoundMeasure,
    chosen: IndexArray,
    candidates: IndexArray,
    *,
    n_more: int,
    most: float,
) -> IndexArray:
    """Take the most relevant candidates that share at most so much with those taken before."""
    taken: list[int] = []
    for start in range(0, len(candidates), FILL_BATCH):
        batch = candidates[start : start + FILL_BATCH]
        free = np.ones(len(batch), dtype=bool)
        before = np.concatenate([chosen, np.array(taken, dtype=np.intp)])
        if len(before):
            free = overlaps(statistics, batch, before).max(axis=1) <= most
        among = overlaps(statistics, batch, batch)
        for place in range(len(batch)):
            if len(taken) == n_more:
                break
            if free[place]:
                taken.append(int(batch[place]))
                free &= among[:, place] <= most
    return np.array(taken, dtype=np.intp)


def interchangeable(statistics: PairwiseBoundMeasure, lars: LarsPath) -> list[IndexArray]:
    """Features met on the path that are interchangeable with each selected one."""
    groups: list[IndexArray] = []
    for feature, (atoms, all_entries) in zip(lars.selected, lars.known, strict=True):
        if feature >= statistics.n_features:
            groups.append(np.empty(0, dtype=np.intp))
            continue
        single = atoms < statistics.n_features
        others, entries = atoms[single], all_entries[single]
        own = statistics.self_redundancy(others) * statistics.self_redundancy(np.array([feature]))
        shares = entries / np.sqrt(np.where(own > 0, own, 1.0))
        order = best_first(shares)
        groups.append(others[order[shares[order] >= INTERCHANGEABLE]])
    return groups
