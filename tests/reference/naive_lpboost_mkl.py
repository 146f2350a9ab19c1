"""LPBoost over the functions of several kernels, slowly: one cone program, and the thesis' way."""

import clarabel
import numpy as np
from scipy import sparse
from scipy.optimize import linprog

__all__ = ["column_generation", "price_of", "whole_program"]


def price_of(y, nu):
    """D, the price of a violation."""
    return 1 / (nu * 2 * min(np.sum(y > 0), np.sum(y < 0)))


def whole_program(kernels, y, nu):
    """The primal program with all kernels at once; its optimum.

    f_k = L_k g_k with K_k = L_k L_k', so that the norm of f_k is that of g_k. Variables are the g_k
    one after the other, bounds t_k of their norms, then b, rho and xi.
    """
    n, q = len(y), len(kernels)
    roots = [root_of(kernel) for kernel in kernels]
    n_free = q * n + q
    cost = np.r_[np.zeros(n_free + 1), -1.0, np.full(n, price_of(y, nu))]
    signed = np.hstack([root * y[:, None] for root in roots])
    margins = np.hstack([-signed, np.zeros((n, q)), -y[:, None], np.ones((n, 1)), -np.eye(n)])
    positive = np.hstack([np.zeros((n, n_free + 2)), -np.eye(n)])
    norm = np.r_[np.zeros(q * n), np.ones(q), np.zeros(n + 2)][None]
    rows, sides = [margins, positive, norm], [np.zeros(2 * n), [1.0]]
    cones = [clarabel.NonnegativeConeT(2 * n + 1)]
    for k in range(q):
        block = np.zeros((n + 1, len(cost)))
        block[0, q * n + k] = -1.0
        block[1:, k * n : (k + 1) * n] = -np.eye(n)
        rows.append(block)
        sides.append(np.zeros(n + 1))
        cones.append(clarabel.SecondOrderConeT(n + 1))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    matrix = sparse.csc_matrix(np.vstack(rows))
    none = sparse.csc_matrix((len(cost), len(cost)))
    solver = clarabel.DefaultSolver(none, cost, matrix, np.concatenate(sides), cones, settings)
    solution = solver.solve()
    assert str(solution.status) in {"Solved", "AlmostSolved"}
    return -solution.obj_val


def root_of(kernel):
    """A matrix that gives the kernel when multiplied by itself turned."""
    values, vectors = np.linalg.eigh(kernel)
    return vectors * np.sqrt(np.maximum(values, 0))


def column_generation(kernels, y, nu, n_rounds):
    """The thesis' way, to the letter: program (5.1) over the learners met so far, then one more.

    Learner t is sum_i u_i y_i k(x_i, .) for the kernel of the largest edge, brought to norm one.
    Returned are the optimum over the learners and the largest edge, round by round: the optimum
    over all functions lies between them.
    """
    n, above = len(y), y > 0
    u = np.where(above, 0.5 / np.sum(above), 0.5 / np.sum(~above))
    columns, lower, upper = [], [], []
    for _ in range(n_rounds):
        signed = u * y
        edges = [np.sqrt(signed @ kernel @ signed) for kernel in kernels]
        best = int(np.argmax(edges))
        columns.append(kernels[best] @ signed / edges[best])
        rows = np.column_stack([np.array(columns) * y, -np.ones(len(columns))])
        solved = linprog(
            np.r_[np.zeros(n), 1.0],
            A_ub=rows,
            b_ub=np.zeros(len(columns)),
            A_eq=np.vstack([np.r_[np.ones(n), 0.0], np.r_[y, 0.0]]),
            b_eq=[1.0, 0.0],
            bounds=[(0, price_of(y, nu))] * n + [(None, None)],
        )
        assert solved.status == 0
        u = solved.x[:-1]
        signed = u * y
        lower.append(solved.fun)
        upper.append(max(np.sqrt(signed @ kernel @ signed) for kernel in kernels))
    return np.array(lower), np.array(upper)
