"""The result of a search along a regularisation path, over features or over features and pairs."""

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hsieve.solvers import LarsPath
from hsieve.strategies.base import SelectionPath

__all__ = ["LarsSelectionPath"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class LarsSelectionPath(SelectionPath):
    """A selection path with the coefficients along the regularisation path.

    Parameters
    ----------
    lars : LarsPath
        Levels, active sets and coefficients at every knot, over features and pairs: atoms from
        ``n_features`` on are pairs.
    relevance : ndarray of shape (n_features,)
        Relevance of every feature.
    groups : tuple of ndarray
        For each of ``lars.selected``, the features met on the path that are interchangeable
        with it, closest first; empty for a pair.
    pairs : ndarray of shape (n_pairs, 2)
        Features of each pair that could have entered.
    pair_relevance : ndarray of shape (n_pairs,)
        Relevance of each of them.
    """

    lars: LarsPath
    relevance: FloatArray
    groups: tuple[IndexArray, ...]
    pairs: IndexArray = field(default_factory=lambda: np.empty((0, 2), dtype=np.intp))
    pair_relevance: FloatArray = field(default_factory=lambda: np.empty(0))

    def features_of(self, atom: int) -> tuple[int, ...]:
        """Features that an atom of the path is made of."""
        n_features = len(self.relevance)
        return (atom,) if atom < n_features else tuple(self.pairs[atom - n_features].tolist())

    @property
    def features_on_path(self) -> set[int]:
        """Features of the atoms that were active at the end."""
        return {f for atom in self.lars.selected.tolist() for f in self.features_of(atom)}

    @property
    def nested_order(self) -> IndexArray:
        """Features in the order in which they entered the path, then the others."""
        selectable = self.order[: self.n_selectable].tolist()
        met = [f for atom in self.lars.order.tolist() for f in self.features_of(atom)]
        allowed = set(selectable)
        entered = [feature for feature in met if feature in allowed]
        return np.array(list(dict.fromkeys([*entered, *selectable])), dtype=np.intp)

    def among(self, features: IndexArray, n_features: int) -> Self:
        """Return the path of a search over some features as one over all of them."""
        relevance = np.zeros(n_features)
        relevance[features] = self.relevance
        atoms = np.concatenate([features, n_features + np.arange(len(self.pairs))])
        events = [
            replace(event, feature=int(atoms[event.feature]) if event.feature >= 0 else -1)
            for event in self.lars.events
        ]
        lars = replace(
            self.lars,
            active_sets=tuple(atoms[active] for active in self.lars.active_sets),
            selected=atoms[self.lars.selected],
            order=atoms[self.lars.order],
            events=tuple(events),
            n_features=n_features + len(self.pairs),
            known=tuple((atoms[others], entries) for others, entries in self.lars.known),
        )
        groups = tuple(features[group] for group in self.groups)
        selectable = len(features) if self.n_selectable is None else self.n_selectable
        return replace(
            super().among(features, n_features),
            lars=lars,
            relevance=relevance,
            groups=groups,
            pairs=features[self.pairs],
            n_selectable=selectable,
        )
