"""Greedy mRMR that asks for every redundancy: the truth for the search that leaves some out."""

import numpy as np


def full_mrmr(bound, n_wanted, form):
    """Features taken, their criteria, and the criterion of all others at the last step.

    Columns of redundancies are added up in the order in which features were taken, so that a
    search which skips features must reach the same digits.
    """
    everyone = np.arange(bound.n_features)
    relevance = bound.relevance(everyone)
    total = np.zeros(len(everyone))
    criterion = relevance.copy()
    taken, scores = [], []
    for step in range(n_wanted):
        if step:
            total += bound.redundancy(everyone, taken[-1:])[:, 0]
            mean = total / step
            if form == "difference":
                criterion = relevance - mean
            else:
                criterion = relevance / np.maximum(mean, 1e-12)
            criterion[taken] = -np.inf
        # Of criteria that are equal but for rounding, the first one is the best.
        best = criterion.max()
        rounding = bound.rounding * max(abs(best), np.abs(relevance).max())
        taken.append(int(np.flatnonzero(criterion >= best - rounding)[0]))
        scores.append(float(criterion[taken[-1]]))
    return taken, scores, criterion
