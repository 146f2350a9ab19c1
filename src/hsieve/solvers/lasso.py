"""The lasso with a given number of features.

One output: the path of least angle regression (scikit-learn's `lars_path`) is followed knot by
knot. Between two knots the set of features with a weight does not change, so the first stretch with
k of them is the answer, and the coefficients midway along it. Every number from one on is passed
unless features tie or repeat each other, or the samples are used up. Then, and for several outputs
(the multi-task lasso, one weight vector a feature), :func:`~hsieve.solvers.sparse_fits.fit_of_size`
searches for the penalty.

Cost: O(n d) a knot, some more knots than features wanted.
"""

import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path

from hsieve.solvers.group_lasso import GroupLasso
from hsieve.solvers.sparse_fits import SparseFit, fit_of_size

__all__ = ["lasso_of_size"]

FloatArray = NDArray[np.floating]

# Knots looked at first for each feature wanted, and how many times more if they do not suffice.
KNOTS_A_FEATURE = 2
TIMES_MORE_KNOTS = 4


def lasso_of_size(columns: FloatArray, outputs: FloatArray, n_wanted: int) -> SparseFit:
    """Fit the lasso with the penalty that keeps so many features.

    Parameters
    ----------
    columns : ndarray of shape (n_samples, n_features)
        Standardised features.
    outputs : ndarray of shape (n_samples, n_outputs)
        Centred outputs.
    n_wanted : int
        Number of features wanted.

    Returns
    -------
    SparseFit
        The penalty is that of |Y - X C|^2 / 2n + penalty * (sum of the norms of C's rows).

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linalg.qr(np.arange(12.0).reshape(4, 3) ** 2)[0] * 2
    >>> lasso_of_size(X, X @ [[3.0], [0.0], [-5.0]], 2).order[:2]
    array([2, 0])
    """
    if outputs.shape[1] == 1:
        fit = _along_path(columns, outputs[:, 0], n_wanted)
        if fit is not None:
            return fit
    problem = GroupLasso(np.ascontiguousarray(columns.T)[:, :, None], outputs)
    return fit_of_size(problem.fit, problem.strongest, n_wanted)


def _along_path(columns: FloatArray, output: FloatArray, n_wanted: int) -> SparseFit | None:
    """First stretch of the path with so many features, or None where there is none."""
    most_knots = KNOTS_A_FEATURE * n_wanted + 2
    while True:
        with warnings.catch_warnings():
            # Copies of features are dropped, and the path may end early: both are looked after.
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.simplefilter("ignore", RuntimeWarning)
            levels, _, knots = lars_path(columns, output, method="lasso", max_iter=most_knots)
        between = (knots[:, 1:] + knots[:, :-1]) / 2
        exact = np.flatnonzero(np.count_nonzero(between, axis=0) == n_wanted)
        if len(exact):
            coefficients = between[:, exact[0]]
            residual = output - columns @ coefficients
            return SparseFit(
                penalty=float(levels[exact[0] : exact[0] + 2].mean()),
                weights=np.abs(coefficients),
                pull=np.abs(columns.T @ residual) / len(output),
            )
        if len(levels) <= most_knots:
            return None
        most_knots *= TIMES_MORE_KNOTS
