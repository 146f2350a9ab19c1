"""The linear support vector machine with an l1 penalty and a given number of features.

Minimises |w|_1 + C sum_i max(0, 1 - y_i (w'x_i + b))^2 (scikit-learn's `LinearSVC`), for several
classes one against the rest each; a feature is used if any class gives it a weight. The smallest C
with a model that is not empty is known in closed form (`l1_min_c`), and C rises from there. Of
equal columns only the first is fitted: the machine could share their weight in any way, at random.

Cost: some tens of fits of liblinear, O(n d) a sweep and class.
"""

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import LinearSVC, l1_min_c

from hsieve.solvers.sparse_fits import SparseFit, fit_of_size

__all__ = ["l1_svm_of_size"]

FloatArray = NDArray[np.floating]

MOST_SWEEPS = 10_000


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
