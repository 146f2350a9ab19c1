"""The result of a pursuit: what each feature added given those before, and what happened when."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hsieve.strategies.base import SelectionPath

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]


@dataclass(frozen=True)
class PursuitEvent:
    """One thing that happened on the way.

    Parameters
    ----------
    what : {"joined", "set aside", "left", "replaced"}
        "joined": the features entered. "set aside": they tell no more than their relatives
        (`standard_errors` is 0), or did not lower the error by enough. "left": they tell no more
        than others, or the error does not rise without them. "replaced": the second took the place
        of the first, which carries nearly the same information, because the error is lower with it.
    features : tuple of int
        The features; two or three that entered together are a pair or a triple.
    error : float
        Leave-one-out error after it.
    standard_errors : float
        By how many of its standard errors the mean loss fell (or would rise without them).
    p_value : float
        Chance that any of the features, pairs or triples looked at is so relevant to the
        residuals by chance; NaN where none was asked.
    """

    what: str
    features: tuple[int, ...]
    error: float
    standard_errors: float
    p_value: float = float("nan")


@dataclass(frozen=True, eq=False)
class PursuitPath(SelectionPath):
    """A selection path with the leave-one-out error at every step.

    Parameters
    ----------
    errors : ndarray of shape (n_steps + 1,)
        Leave-one-out error with no feature (1, on standardised targets; of classes, with the
        weights of the last step) and after each step; a
        pair that entered together is one step. ``sizes`` holds the number of features after each.
    n_found : int
        How many features passed the gates; those after them only fill up to the number wanted.
    relevance : ndarray of shape (n_features,)
        Dependence of every feature on the target itself.
    residual_relevance : ndarray of shape (n_features,)
        Dependence of every feature on what the features found leave unexplained.
    width : float
        Width of the kernel of the last regression; NaN where no feature was found.
    events : tuple of PursuitEvent
        All that happened, in order.
    substitutes : dict of int to ndarray
        For features found, others that were met and share much with it, closest first.
    """

    errors: FloatArray
    n_found: int
    relevance: FloatArray
    residual_relevance: FloatArray
    width: float
    events: tuple[PursuitEvent, ...]
    substitutes: dict[int, IndexArray]

    def among(self, features: IndexArray, n_features: int) -> Self:
        """Return the path of a search over some features as one over all of them."""
        relevance, residual = np.zeros(n_features), np.zeros(n_features)
        relevance[features], residual[features] = self.relevance, self.residual_relevance
        events = tuple(
            replace(event, features=tuple(features[list(event.features)].tolist()))
            for event in self.events
        )
        return replace(
            super().among(features, n_features),
            relevance=relevance,
            residual_relevance=residual,
            events=events,
            substitutes={int(features[of]): features[f] for of, f in self.substitutes.items()},
        )
