"""The penalty at which a sparse model keeps a given number of features.

Lasso, L1-SVM and sparse additive models all have one knob, and people ask for a number of features.
The penalty falls in even ratios from where nothing is kept until enough is, then the step between
is halved (on a logarithmic scale) until the number is met. A number that is jumped over - by ties,
by copies, or because a feature leaves as another enters - has no exact answer; then the fit with
the nearest number is taken, the smaller of two that are as near, as in the l1-LSMI paper.

Cost: some tens of fits, each begun where a sparser one ended.

The linear support vector machine with an l1 penalty and a given number of features.

Minimises |w|_1 + C sum_i max(0, 1 - y_i (w'x_i + b))^2 (scikit-learn's `LinearSVC`), for several
classes one against the rest each; a feature is used if any class gives it a weight. The smallest C
with a model that is not empty is known in closed form (`l1_min_c`), and C rises from there. Of
equal columns only the first is fitted: the machine could share their weight in any way, at random.

Cost: some tens of fits of liblinear, O(n d) a sweep and class.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import LinearSVC, l1_min_c

from hsieve.progress import report

__all__ = ["SparseFit", "fit_of_size", "l1_svm_of_size"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

# Each penalty of the descent is this share of the one before; the last is some 1e-4 of the first.
RATIO = 0.8
N_STEPS = 41
MOST_HALVINGS = 25

MOST_SWEEPS = 10_000


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


def l1_svm_of_size(
    columns: FloatArray, labels: FloatArray, n_wanted: int, *, random_state: int | None = 0
) -> SparseFit:
    """Fit the machine with the C that keeps so many features.

    Parameters
    ----------
    columns : ndarray of shape (n_samples, n_features)
        Standardised features.
    labels : ndarray of shape (n_samples, n_outputs)
        Columns of +1 and -1: one for two classes, else one a class.
    n_wanted : int
        Number of features wanted.
    random_state : int or None, default=0
        Seed of the order in which liblinear visits the features.

    Returns
    -------
    SparseFit
        Its penalty is 1 / C. A copy of an earlier column has no weight, and its pull.
    """
    _, first, original = np.unique(columns, axis=1, return_index=True, return_inverse=True)
    distinct = np.sort(first)
    if len(distinct) < columns.shape[1]:
        fit_of_distinct = l1_svm_of_size(
            columns[:, distinct], labels, n_wanted, random_state=random_state
        )
        weights = np.zeros(columns.shape[1])
        weights[distinct] = fit_of_distinct.weights
        place = np.searchsorted(distinct, first[np.ravel(original)])
        return SparseFit(fit_of_distinct.penalty, weights, fit_of_distinct.pull[place])

    def fit(penalty: float, sparser: SparseFit | None) -> SparseFit:
        squared = np.zeros((2, columns.shape[1]))
        for label in labels.T:
            machine = LinearSVC(
                penalty="l1",
                C=1.0 / penalty,
                dual=False,
                max_iter=MOST_SWEEPS,
                random_state=random_state,
            ).fit(columns, label)
            slack = np.maximum(0.0, 1.0 - label * machine.decision_function(columns))
            squared += [machine.coef_[0] ** 2, (2.0 * (label * slack) @ columns) ** 2]
        weights, pull = np.sqrt(squared)
        return SparseFit(penalty, weights, pull)

    smallest = min(l1_min_c(columns, label) for label in labels.T)
    return fit_of_size(fit, 1.0 / smallest, n_wanted)
