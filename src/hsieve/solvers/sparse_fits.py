"""The penalty at which a sparse model keeps a given number of features.

Lasso, L1-SVM and sparse additive models all have one knob, and people ask for a number of features.
The penalty falls in even ratios from where nothing is kept until enough is, then the step between
is halved (on a logarithmic scale) until the number is met. A number that is jumped over - by ties,
by copies, or because a feature leaves as another enters - has no exact answer; then the fit with
the nearest number is taken, the smaller of two that are as near, as in the l1-LSMI paper.

Cost: some tens of fits, each begun where a sparser one ended.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.progress import report

__all__ = ["SparseFit", "fit_of_size"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

# Each penalty of the descent is this share of the one before; the last is some 1e-4 of the first.
RATIO = 0.8
N_STEPS = 41
MOST_HALVINGS = 25


@dataclass(frozen=True, eq=False)
class SparseFit:
    """A fitted model that uses some of the features.

    Parameters
    ----------
    penalty : float
        Penalty it was fitted with.
    weights : ndarray of shape (n_features,)
        Size of each feature's coefficients, zero where it is not used.
    pull : ndarray of shape (n_features,)
        Size of the loss's gradient at each feature: the feature with the largest among those not
        used is the next to enter.
    state : Any, default=None
        What the next fit may begin with.
    """

    penalty: float
    weights: FloatArray
    pull: FloatArray
    state: Any = field(default=None, repr=False)

    @property
    def n_used(self) -> int:
        """Number of features with a weight."""
        return int(np.count_nonzero(self.weights))

    @property
    def order(self) -> IndexArray:
        """All features: those used by weight, the others by pull; ties by position."""
        return np.lexsort((-self.pull, -self.weights))


def fit_of_size(
    fit: Callable[[float, SparseFit | None], SparseFit], strongest: float, n_wanted: int
) -> SparseFit:
    """Search for the penalty that keeps so many features.

    Parameters
    ----------
    fit : callable
        Takes a penalty and a sparser fit to begin with, or None.
    strongest : float
        Penalty at and above which no feature is kept.
    n_wanted : int
        Number of features wanted.

    Returns
    -------
    SparseFit
        With exactly so many features if one was met, else with the nearest number.
    """
    if strongest == 0.0:
        # Nothing pulls at any feature, as with an output that is constant: all penalties are alike.
        return fit(1.0, None)
    tried: list[SparseFit] = []
    sparser: SparseFit | None = None
    for step in range(1, N_STEPS + 1):
        tried.append(fit(RATIO**step * strongest, sparser))
        report(min(0.9, tried[-1].n_used / n_wanted), "lowering the penalty")
        if tried[-1].n_used >= n_wanted:
            break
        sparser = tried[-1]
    low, high = tried[-1].penalty, strongest if sparser is None else sparser.penalty
    for _ in range(MOST_HALVINGS if tried[-1].n_used > n_wanted else 0):
        tried.append(fit(math.sqrt(low * high), sparser))
        if tried[-1].n_used == n_wanted:
            break
        if tried[-1].n_used > n_wanted:
            low = tried[-1].penalty
        else:
            sparser, high = tried[-1], tried[-1].penalty
    report(1.0, "lowering the penalty")
    return min(tried, key=lambda found: (abs(found.n_used - n_wanted), found.n_used))
