"""Sparse, non-negative regression that ignores small errors, as a linear program.

The weighting scheme of Athanasakis (2014), section 4.5: minimise over w >= 0

    sum_i max(|b_i'w - z_i| - epsilon, 0) + penalty * sum_j w_j.

Its dual has one constraint a feature instead of two a row,

    maximise z'u - epsilon |u|_1  over  -1 <= u <= 1  with  B'u <= penalty,

and the multipliers of these constraints are w. Solved by HiGHS through SciPy. (The thesis sums the
losses over the features; the rows are meant.)

Cost: one linear program of n_rows bounded variables and n_features constraints.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from hsieve.solvers.sparse_fits import SparseFit, fit_of_size

__all__ = ["insensitive_fit", "insensitive_fit_of_size", "strongest_penalty"]

FloatArray = NDArray[np.floating]

# Weights under this share of the largest are rounding of the solver.
NEGLIGIBLE = 1e-9


def insensitive_fit(
    rows: FloatArray, target: FloatArray, *, epsilon: float, penalty: float
) -> SparseFit:
    """Fit the regression for one penalty.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_features)
        Rows b_i.
    target : ndarray of shape (n_rows,)
        Numbers z_i to explain.
    epsilon : float
        Errors up to this size cost nothing.
    penalty : float
        Cost of a weight.

    Returns
    -------
    SparseFit
        Weights, and as pull the gradient B'u of the loss.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]])
    >>> fit = insensitive_fit(rows, np.array([2.0, -2.0, 2.0]), epsilon=0.5, penalty=0.1)
    >>> fit.weights.round(6)
    array([1.5, 0. ])
    """
    solution = linprog(
        np.concatenate([epsilon - target, epsilon + target]),
        A_ub=np.vstack([rows, -rows]).T,
        b_ub=np.full(rows.shape[1], penalty),
        bounds=(0.0, 1.0),
        method="highs",
    )
    if solution.status != 0:
        msg = f"The linear program of the regression was not solved: {solution.message}"
        raise RuntimeError(msg)
    up, down = np.split(solution.x, 2)
    weights = -solution.ineqlin.marginals
    weights[weights <= NEGLIGIBLE * weights.max(initial=0.0)] = 0.0
    return SparseFit(penalty, weights, rows.T @ (up - down))


def strongest_penalty(rows: FloatArray, target: FloatArray, epsilon: float) -> float:
    """Return the least penalty at which no feature has a weight; zero where none ever has."""
    pulls = rows.T @ (np.sign(target) * (np.abs(target) > epsilon))
    return float(pulls.max(initial=0.0))


def insensitive_fit_of_size(
    rows: FloatArray, target: FloatArray, n_wanted: int, *, epsilon: float
) -> SparseFit:
    """Fit the regression with the penalty that gives so many features a weight.

    Parameters
    ----------
    rows, target, epsilon
        As in :func:`insensitive_fit`.
    n_wanted : int
        Number of features wanted.

    Returns
    -------
    SparseFit
        With the nearest number of features that some penalty gives.
    """
    strongest = strongest_penalty(rows, target, epsilon)
    if strongest == 0.0:
        return SparseFit(0.0, np.zeros(rows.shape[1]), rows.T @ target)
    return fit_of_size(
        lambda penalty, _: insensitive_fit(rows, target, epsilon=epsilon, penalty=penalty),
        strongest,
        n_wanted,
    )
