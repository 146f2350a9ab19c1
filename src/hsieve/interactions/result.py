"""One interaction as users see it, and the order of features that follows from many."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hsieve.array_types import FloatArray, IndexArray
from hsieve.strategies.base import SelectionPath, best_first

__all__ = ["Interaction", "path_of", "row_of"]


@dataclass(frozen=True)
class Interaction:
    """Features that act on the target together.

    ``scan.to_frame()`` makes a table of many.

    Parameters
    ----------
    features : tuple of int
        Positions of the features.
    names : tuple of str
        Their names.
    score : float
        Minus log10 of `p_value`; does not vanish however small that is.
    strength : float
        How much of the target the features tell together beyond what fewer of them tell: cosine
        between two kernels, 0 for nothing, 1 for all.
    own_shares : tuple of float
        What each feature tells alone, as a fraction of that and of what they tell together; near
        zero for features that matter only together.
    p_value : float
        Chance of such a score for *these* features, were they without effect together. It takes no
        account of how many others were looked at.
    family_wise_p : float
        Chance that *any* of all pairs (or triples) reaches such a score if there is no
        effect. This is the one to report for a single discovery. NaN without permutations.
    false_discovery_rate : float
        Estimated fraction of false ones among those from the top down to this one.
    """

    features: tuple[int, ...]
    names: tuple[str, ...]
    score: float
    strength: float
    own_shares: tuple[float, ...]
    p_value: float
    family_wise_p: float
    false_discovery_rate: float


def row_of(interaction: Interaction, n_features: int) -> dict[str, Any]:
    """Lay an interaction out as a flat row, with None where it has fewer features than others."""
    row: dict[str, Any] = {}
    for name, given in (
        ("feature", interaction.names),
        ("own_share", interaction.own_shares),
    ):
        padded = [*given, *[None] * (n_features - len(given))]
        row |= {f"{name}_{place}": value for place, value in enumerate(padded, start=1)}
    numbers = ("score", "strength", "p_value", "family_wise_p", "false_discovery_rate")
    return row | {name: getattr(interaction, name) for name in numbers}


def path_of(
    found: Sequence[Interaction],
    relevance: FloatArray,
    varying: IndexArray,
    n_looked_at: int,
) -> SelectionPath:
    """Order features by the best interaction they are in, then by their own relevance."""
    best: dict[int, float] = {}
    for interaction in sorted(found, key=lambda one: -one.score):
        if interaction.score > 0:
            for feature in sorted(interaction.features, key=lambda f: (-relevance[f], f)):
                best.setdefault(feature, interaction.score)
    others = np.setdiff1d(varying, list(best))
    others = others[best_first(relevance[others])]
    order = np.concatenate([np.array(list(best), dtype=np.intp), others])
    scores = np.concatenate([np.array(list(best.values())), np.zeros(len(others))])
    place = np.empty(order.max() + 1, dtype=np.intp)
    place[varying] = np.arange(len(varying))
    return SelectionPath(
        order=place[order],
        feature_scores=scores,
        sizes=np.arange(1, len(order) + 1),
        set_scores=np.maximum.accumulate(scores),
        stop_reason="all pairs looked at",
    )
