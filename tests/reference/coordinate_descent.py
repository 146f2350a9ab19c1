"""Non-negative coordinate descent, literally: the truth for the path solvers."""

import numpy as np


def nonnegative_lasso(Q, r, levels, *, penalty=None, tolerance=1e-12, max_sweeps=200_000):
    """Minimise 1/2 a'Qa - r'a + level sum(penalty a) over a >= 0, one row of a for each level.

    Each coordinate in turn takes its exact minimum, the others being fixed, until a whole sweep
    changes no gradient by more than the tolerance, beside the largest relevance.
    """
    d = len(r)
    levels = np.atleast_1d(np.asarray(levels, dtype=float))
    penalty = np.ones(d) if penalty is None else penalty
    a = np.zeros((len(levels), d))
    for _ in range(max_sweeps):
        largest_change = 0.0
        for k in range(d):
            if Q[k, k] <= 0:
                continue
            rest = a @ Q[:, k] - a[:, k] * Q[k, k]
            best = np.maximum((r[k] - levels * penalty[k] - rest) / Q[k, k], 0.0)
            largest_change = max(largest_change, np.abs(best - a[:, k]).max() * Q[k, k])
            a[:, k] = best
        if largest_change <= tolerance * np.abs(r).max():
            break
    return a


def objective(Q, r, level, a):
    """Value of what is minimised, without penalty factors."""
    return 0.5 * a @ Q @ a - r @ a + level * a.sum()
