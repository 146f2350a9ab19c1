"""Quadratic programs over the simplex, with a matrix known through a factor.

Solves, by the interior-point method of the library clarabel,

    minimise over x >= 0 with sum(x) = 1:   1/2 x'Mx - c'x,    M = FF' + diag(D),

with F of shape d x p and D >= 0: M is positive semi-definite by construction and never formed.

**Working set.** Solutions have few positive entries as d grows. The program is solved over some
variables, those with the largest c first; the gradient g = Mx - c of *all* then tells whether
g_k >= x'g holds everywhere, which together with feasibility is the whole of the Karush-Kuhn-Tucker
conditions. Variables that violate it join, most violating first, at most doubling the set. The
answer is that of the full program, to the tolerance.

**The factor.** :func:`redundancy_factor` makes F and D from columns C = Q[:, landmarks] and the
diagonal of a symmetric Q. With W the rows of C that are landmarks and W = V diag(e) V', it takes
F = C V diag(e)^-1/2 over *positive* e only, so FF' = C W^+ C' (Nystroem) and, with all features as
landmarks, FF' is the nearest positive semi-definite matrix to Q. Then the diagonal is restored: a
row of F whose squared norm exceeds Q_kk, which happens only if Q is indefinite, is scaled back to
it (what is usual for repairing correlation matrices); where it falls short, D_k fills up. Without
that a feature far from all landmarks would seem free of redundancy with itself, and take all the
weight.

Cost: O(d p^2) for the factor; O(s^3) some ten times for a working set of size s, O(d p) beside it.
"""

from dataclasses import dataclass

import clarabel
import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from hsieve.array_types import FloatArray, IndexArray

FIRST_WORKING_SET = 64
# Of the solver, and by which a variable outside the working set must violate its condition to join;
# both on the scale of the largest coefficient.
TOLERANCE = 1e-10
# What the solver may fall back to where rounding keeps it from the above.
REDUCED_TOLERANCE = 1e-7
# Eigenvalues below this fraction of the largest are rounding of redundancies computed in single
# precision, which the inverse would blow up.
EIGENVALUE_TOLERANCE = 1e-6
POLISHING_ROUNDS = 20
ACCEPTED = ("Solved", "AlmostSolved")


@dataclass(frozen=True, eq=False)
class SimplexSolution:
    """Solution of a quadratic program over the simplex.

    Parameters
    ----------
    weights : ndarray of shape (n_variables,)
        x: not negative, of sum one, exactly zero where the constraint holds it there.
    gradient : ndarray of shape (n_variables,)
        Mx - c; the same for all positive weights and not lower elsewhere.
    objective : float
        1/2 x'Mx - c'x.
    n_rounds : int
        Number of working sets tried.
    """

    weights: FloatArray
    gradient: FloatArray
    objective: float
    n_rounds: int


def simplex_quadratic_program(
    linear: ArrayLike, factor: ArrayLike, diagonal: ArrayLike | None = None
) -> SimplexSolution:
    """Minimise 1/2 (|F'x|^2 + sum(D x^2)) - c'x over x >= 0 of sum one.

    Parameters
    ----------
    linear : array-like of shape (n_variables,)
        c.
    factor : array-like of shape (n_variables, rank)
        F.
    diagonal : array-like of shape (n_variables,) or None, default=None
        D, not negative; None is zero.

    Returns
    -------
    SimplexSolution
        Weights, gradient and objective.

    Raises
    ------
    RuntimeError
        If the solver gives up, with its status.

    Examples
    --------
    >>> import numpy as np
    >>> simplex_quadratic_program([0.5, 0.4, 0.1], np.eye(3)).weights.round(4)
    array([0.5, 0.4, 0.1])
    """
    c, F = np.asarray(linear, dtype=np.float64), np.asarray(factor, dtype=np.float64)
    D = np.zeros_like(c) if diagonal is None else np.asarray(diagonal, dtype=np.float64)
    _check(c, F, D)
    scale = max(float(np.abs(c).max()), float((np.einsum("kp,kp->k", F, F) + D).max())) or 1.0
    working = np.argsort(-c, kind="stable")[:FIRST_WORKING_SET]
    n_rounds = 0
    while True:
        n_rounds += 1
        part = F[working]
        matrix = part @ part.T + np.diag(D[working])
        x = np.zeros(len(c))
        x[working] = _solve(matrix / scale, c[working] / scale)
        gradient = F @ (F.T @ x) + D * x - c
        violation = float(x @ gradient) - gradient
        joining = np.setdiff1d(np.flatnonzero(violation > TOLERANCE * scale), working)
        if not len(joining):
            break
        most_violating = joining[np.argsort(-violation[joining], kind="stable")]
        working = np.concatenate([working, most_violating[: len(working)]])
    objective = float(0.5 * x @ (gradient - c))
    return SimplexSolution(x, gradient, objective, n_rounds)


def _check(c: FloatArray, F: FloatArray, D: FloatArray) -> None:
    """Refuse shapes that do not fit and numbers that are not finite."""
    if c.ndim != 1 or not len(c) or F.ndim != 2 or len(F) != len(c) or D.shape != c.shape:
        msg = (
            "linear, factor and diagonal must have shapes (d,), (d, p) and (d,), "
            f"got {c.shape}, {F.shape} and {D.shape}."
        )
        raise ValueError(msg)
    if not all(np.isfinite(part).all() for part in (c, F, D)) or (D < 0).any():
        msg = "linear, factor and diagonal must be finite, and the diagonal not negative."
        raise ValueError(msg)


def _solve(matrix: FloatArray, linear: FloatArray) -> FloatArray:
    """Solve a small program by clarabel, variables at their bound being exactly zero."""
    size = len(linear)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = TOLERANCE
    settings.reduced_tol_gap_abs = settings.reduced_tol_gap_rel = REDUCED_TOLERANCE
    settings.reduced_tol_feas = REDUCED_TOLERANCE
    constraints = sparse.vstack([sparse.csc_matrix(np.ones((1, size))), -sparse.identity(size)])
    solution = clarabel.DefaultSolver(
        sparse.triu(sparse.csc_matrix(matrix), format="csc"),
        -linear,
        sparse.csc_matrix(constraints),
        np.concatenate([[1.0], np.zeros(size)]),
        [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(size)],
        settings,
    ).solve()
    if str(solution.status) not in ACCEPTED:
        msg = (
            f"The quadratic program over {size} variables was not solved: clarabel ended with "
            f"status {solution.status} after {solution.iterations} iterations."
        )
        raise RuntimeError(msg)
    weights, multipliers = np.array(solution.x), np.array(solution.z)[1:]
    # At a solution one of weight and multiplier is zero; an interior point shows which.
    weights[weights < multipliers] = 0.0
    weights = np.maximum(weights, 0.0)
    return _polished(matrix, linear, weights / weights.sum())


def _polished(matrix: FloatArray, linear: FloatArray, weights: FloatArray) -> FloatArray:
    """Solve for the positive weights exactly, mending which these are; keep the best answer.

    An interior point is right to about the root of its tolerance where weight and multiplier of a
    variable are both nearly zero.
    """
    best, least = weights, _violation(matrix, linear, weights)
    positive = weights > 0
    for _ in range(POLISHING_ROUNDS):
        support = np.flatnonzero(positive)
        candidate = _solve_on_support(matrix, linear, support)
        if candidate is None:
            break
        if candidate.min() < 0:
            positive &= candidate > 0
            continue
        violation = _violation(matrix, linear, candidate)
        if violation >= least:
            break
        best, least = candidate, violation
        gradient = matrix @ candidate - linear
        positive[np.argmin(gradient)] = True
    return best


def _violation(matrix: FloatArray, linear: FloatArray, weights: FloatArray) -> float:
    """How far the gradient is from equal where weights are positive, or from higher elsewhere."""
    gradient = matrix @ weights - linear
    above = gradient - weights @ gradient
    return float(max(-above.min(), above[weights > 0].max()))


def _solve_on_support(
    matrix: FloatArray, linear: FloatArray, support: IndexArray
) -> FloatArray | None:
    """Minimise over weights of sum one that are zero off the support, of either sign on it."""
    bordered = np.zeros((len(support) + 1, len(support) + 1))
    bordered[:-1, :-1] = matrix[np.ix_(support, support)]
    bordered[:-1, -1] = bordered[-1, :-1] = 1.0
    try:
        solution = np.linalg.solve(bordered, np.append(linear[support], 1.0))
    except np.linalg.LinAlgError:
        return None
    weights = np.zeros(len(linear))
    weights[support] = solution[:-1]
    return weights


def redundancy_factor(
    columns: ArrayLike, landmarks: ArrayLike, diagonal: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Factor F and diagonal D of a positive semi-definite matrix near a symmetric Q.

    Parameters
    ----------
    columns : array-like of shape (n_features, n_landmarks)
        Q[:, landmarks].
    landmarks : array-like of int of shape (n_landmarks,)
        Which columns these are; all of them give the nearest positive semi-definite matrix.
    diagonal : array-like of shape (n_features,)
        Diagonal of Q.

    Returns
    -------
    factor : ndarray of shape (n_features, rank)
        F.
    rest : ndarray of shape (n_features,)
        D, so that FF' + diag(D) has the diagonal of Q.

    Examples
    --------
    >>> import numpy as np
    >>> Q = np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> F, D = redundancy_factor(Q, [0, 1], [1.0, 1.0])
    >>> np.allclose(F @ F.T + np.diag(D), Q)
    True
    """
    C, own = np.asarray(columns, dtype=np.float64), np.asarray(diagonal, dtype=np.float64)
    W = C[np.asarray(landmarks, dtype=np.intp)]
    eigenvalues, eigenvectors = np.linalg.eigh(0.5 * (W + W.T))
    kept = eigenvalues > EIGENVALUE_TOLERANCE * max(float(eigenvalues[-1]), 0.0)
    factor = C @ (eigenvectors[:, kept] / np.sqrt(eigenvalues[kept]))
    own = np.maximum(own, 0.0)
    squared_norms = np.einsum("kp,kp->k", factor, factor)
    too_long = squared_norms > own
    factor[too_long] *= np.sqrt(own[too_long] / squared_norms[too_long])[:, None]
    return factor, np.where(too_long, 0.0, own - squared_norms)
