"""Literal, slow transcriptions of the pairwise methods: the truth for every fast path."""

import math

import numpy as np


def correlation(a, b):
    """Pearson correlation by sums."""
    n = len(a)
    mean_a, mean_b = sum(a) / n, sum(b) / n
    covariance = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=True))
    spread_a = sum((x - mean_a) ** 2 for x in a)
    spread_b = sum((y - mean_b) ** 2 for y in b)
    return covariance / math.sqrt(spread_a * spread_b)


def hall_correlation(x, y):
    """Hall (2000): correlations with the indicators of classes, weighted by the classes' shares."""
    y = list(y)
    return sum(
        y.count(c) / len(y) * abs(correlation(x, [float(label == c) for label in y]))
        for c in sorted(set(y))
    )


def three_levels(x, n_deviations=0.5):
    """-1, 0, 1: below, within, above mean -+ deviations; few values are levels themselves."""
    if len(set(x)) <= 3:
        return list(x)
    mean = sum(x) / len(x)
    deviation = n_deviations * math.sqrt(sum((value - mean) ** 2 for value in x) / len(x))
    return [-1 if v < mean - deviation else 1 if v > mean + deviation else 0 for v in x]


def plug_in_information(a, b):
    """Mutual information of two lists of levels, by the definition."""
    a, b = list(a), list(b)
    n = len(a)
    pairs = list(zip(a, b, strict=True))
    total = 0.0
    for u in set(a):
        for v in set(b):
            joint = pairs.count((u, v)) / n
            if joint > 0:
                total += joint * math.log(joint / (a.count(u) / n * b.count(v) / n))
    return total


def mrmr(relevance, redundancy, n_wanted, form="difference"):
    """Greedy mRMR, the mean redundancy computed anew each time."""
    chosen = [int(np.argmax(relevance))]
    while len(chosen) < n_wanted:
        best, best_score = -1, -math.inf
        for k in range(len(relevance)):
            if k in chosen:
                continue
            mean = sum(redundancy[k][s] for s in chosen) / len(chosen)
            score = relevance[k] - mean if form == "difference" else relevance[k] / mean
            if score > best_score:
                best, best_score = k, score
        chosen.append(best)
    return chosen


def qpfs_objective(x, redundancy, relevance, alpha):
    """What QPFS minimises."""
    return 0.5 * (1 - alpha) * x @ redundancy @ x - alpha * relevance @ x


def qpfs_alpha(redundancy, relevance):
    """The recommended weight q / (q + f)."""
    return redundancy.mean() / (redundancy.mean() + relevance.mean())


def iterative_screening(grams, target_gram, n_screened, n_wanted):
    """Screen by <K, L>, then project the kernels taken out of L, whole matrices at a time."""
    first = sorted(range(len(grams)), key=lambda k: -np.vdot(grams[k], target_gram))[:n_screened]
    taken = []
    while len(taken) < n_wanted:
        left = target_gram
        if taken:
            basis = np.stack([grams[k].ravel() for k in taken], axis=1)
            fit = basis @ np.linalg.lstsq(basis, target_gram.ravel(), rcond=None)[0]
            left = target_gram - fit.reshape(target_gram.shape)
        candidates = [k for k in first if k not in taken]
        taken.append(max(candidates, key=lambda k: np.vdot(grams[k], left)))
    return taken
