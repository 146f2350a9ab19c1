"""Literal, slow transcriptions of the papers: the truth for every fast path."""

from itertools import permutations

import numpy as np


def gaussian_gram(X, sigma):
    """Kernel matrix, entry by entry."""
    n = len(X)
    K = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            K[i, j] = np.exp(-np.sum((X[i] - X[j]) ** 2) / (2 * sigma**2))
    return K


def delta_gram(y):
    """1/n_c where two labels agree."""
    y = list(y)
    return np.array([[(1 / y.count(a) if a == b else 0.0) for b in y] for a in y])


def biased_hsic(K, L):
    """Eq. 4 of the BAHSIC paper."""
    n = len(K)
    H = np.eye(n) - np.ones((n, n)) / n
    return np.trace(K @ H @ L @ H) / (n - 1) ** 2


def weighted_hsic(K, L, weight):
    """Eq. 4 with weights of samples: means are weighted, and their sum is the number of samples."""
    n, total = len(K), sum(weight)

    def centred(G):
        row = [sum(weight[j] * G[i, j] for j in range(n)) / total for i in range(n)]
        whole = sum(weight[i] * row[i] for i in range(n)) / total
        return np.array([[G[i, j] - row[i] - row[j] + whole for j in range(n)] for i in range(n)])

    K, L = centred(K), centred(L)
    pairs = ((i, j) for i in range(n) for j in range(n))
    return sum(weight[i] * weight[j] * K[i, j] * L[i, j] for i, j in pairs) / (total - 1) ** 2


def unbiased_hsic(K, L):
    """Eq. 5 of the BAHSIC paper, with zeroed diagonals."""
    n = len(K)
    K, L = K - np.diag(np.diag(K)), L - np.diag(np.diag(L))
    one = np.ones(n)
    return (
        np.trace(K @ L)
        + (one @ K @ one) * (one @ L @ one) / ((n - 1) * (n - 2))
        - 2 / (n - 2) * (one @ K @ L @ one)
    ) / (n * (n - 3))


def u_kernel(K, L, quadruple):
    """h(i, j, q, r) of eq. 7.

    The paper prints 1/12 before the last sum; over *ordered* triples, both terms of the bracket
    being the same sum, it must be 1/24, or eq. 6 would not equal eq. 5.
    """
    i, j, q, r = quadruple
    first = (
        K[i, j] * (L[i, j] + L[q, r])
        + K[i, q] * (L[i, q] + L[j, r])
        + K[i, r] * (L[i, r] + L[j, q])
        + K[j, q] * (L[j, q] + L[i, r])
        + K[j, r] * (L[j, r] + L[q, i])
        + K[q, r] * (L[q, r] + L[i, j])
    ) / 6
    second = sum(K[t, u] * (L[t, v] + L[u, v]) for t, u, v in permutations(quadruple, 3)) / 24
    return first - second


def hsic_by_quadruples(K, L):
    """Eq. 6: mean of h over all ordered quadruples."""
    return np.mean([u_kernel(K, L, quad) for quad in permutations(range(len(K)), 4)])


def hsic_variance_by_quadruples(K, L):
    """Eq. 8, the average over (j, q, r) taken as a mean."""
    n = len(K)
    means = []
    for i in range(n):
        rest = [j for j in range(n) if j != i]
        means.append(np.mean([u_kernel(K, L, (i, *triple)) for triple in permutations(rest, 3)]))
    R = np.mean(np.square(means))
    return 16 / n * (R - hsic_by_quadruples(K, L) ** 2)


def alignment(K, L):
    """Centred alignment."""
    n = len(K)
    H = np.eye(n) - np.ones((n, n)) / n
    K, L = H @ K @ H, H @ L @ H
    return np.sum(K * L) / (np.linalg.norm(K) * np.linalg.norm(L))


def bahsic(X, L, sigma_of, step=1):
    """Algorithm 1: remove the feature(s) whose removal leaves HSIC highest; best feature first.

    `sigma_of(columns)` gives the width for the current set; every kernel is computed anew.
    """
    remaining, removed = list(range(X.shape[1])), []
    while len(remaining) > 1:
        sigma = sigma_of(X[:, remaining])
        left = [
            unbiased_hsic(gaussian_gram(X[:, [k for k in remaining if k != j]], sigma), L)
            for j in remaining
        ]
        n_drop = min(max(1, int(step * len(remaining)) if step < 1 else step), len(remaining) - 1)
        worst = sorted(range(len(remaining)), key=lambda i: (-left[i], -remaining[i]))[:n_drop]
        removed += [remaining[i] for i in worst]
        remaining = [k for i, k in enumerate(remaining) if i not in worst]
    return (removed + remaining)[::-1]


def martingale_residuals(event, time):
    """Events less the Nelson-Aalen estimate of the cumulative hazard at the time observed."""
    residuals = np.empty(len(time))
    for i in range(len(time)):
        hazard = 0.0
        for t in sorted(set(time)):
            if t <= time[i]:
                n_events = sum(e for e, s in zip(event, time, strict=True) if s == t)
                hazard += n_events / sum(s >= t for s in time)
        residuals[i] = event[i] - hazard
    return residuals


def kaplan_meier(event, time, at):
    """Product over the times of events up to one of the fraction that had none."""
    fraction = 1.0
    for t in sorted(set(time)):
        if t <= at:
            n_events = sum(e for e, s in zip(event, time, strict=True) if s == t)
            fraction *= 1 - n_events / sum(s >= t for s in time)
    return fraction


def risk_set_products(K, event, time):
    """Inner products of the feature map of each event less its mean over those at risk."""
    rows = []
    for j in range(len(time)):
        if event[j]:
            at_risk = np.array([float(s >= time[j]) for s in time])
            row = -at_risk / at_risk.sum()
            row[j] += 1
            rows.append(row)
    rows = np.array(rows)
    return rows @ K @ rows.T
