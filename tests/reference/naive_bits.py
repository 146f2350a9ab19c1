"""Literal products of pairs of factors: the truth for population counts."""

import numpy as np


def products(rows, others, target):
    """Sums of squares of F_a' diag(g) F_b over columns g, and traces of K_a * K_b, by loops.

    Shapes: rows and others (rank, n_features, n_samples), target (n_columns, n_samples).
    """
    statistics = np.zeros((rows.shape[1], others.shape[1]))
    traces = np.zeros_like(statistics)
    for a in range(rows.shape[1]):
        for b in range(others.shape[1]):
            for column in target:
                for i in range(len(rows)):
                    for j in range(len(others)):
                        terms = zip(column, rows[i, a], others[j, b], strict=True)
                        statistics[a, b] += sum(float(g) * x * z for g, x, z in terms) ** 2
            for s in range(rows.shape[2]):
                own = sum(float(row[a, s]) ** 2 for row in rows)
                traces[a, b] += own * sum(float(row[b, s]) ** 2 for row in others)
    return statistics, traces
