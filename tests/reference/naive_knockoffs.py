"""Literal, slow knockoffs: each sample left out, each distance found alone, each set tried."""

import numpy as np

__all__ = [
    "entropy_distances",
    "knockoff_moments",
    "knockoff_threshold",
    "ledoit_wolf",
    "selected_by_e_values",
]


def ledoit_wolf(Z):
    """Weight of the identity by the sums of Ledoit and Wolf's section 3, sample by sample."""
    n, d = Z.shape
    S = sum(np.outer(z, z) for z in Z) / n
    mean = np.trace(S) / d
    distance = np.linalg.norm(S - mean * np.eye(d)) ** 2
    noise = sum(np.linalg.norm(np.outer(z, z) - S) ** 2 for z in Z) / n**2
    return min(noise, distance) / distance


def entropy_distances(C, sweeps=200):
    """Maximise log det(2C - D) + sum log s, one distance after the other, by its own optimum.

    det(2C - D) falls in a straight line in s_j, to zero at a limit; the optimum is half of that.
    """
    d = len(C)
    s = np.full(d, np.linalg.eigvalsh(C)[0])
    for _ in range(sweeps):
        for j in range(d):
            M = 2 * C - np.diag(s)
            limit = s[j] + 1 / np.linalg.inv(M)[j, j]
            s[j] = limit / 2
    return s


def knockoff_moments(Z, identity, s):
    """Conditional mean of each sample, with the matrix of the other samples, and covariance."""
    n, d = Z.shape
    D = np.diag(s)
    C = identity * np.eye(d) + (1 - identity) / n * Z.T @ Z
    means = np.empty(Z.shape)
    for i, z in enumerate(Z):
        others = np.delete(Z, i, axis=0)
        left = identity * np.eye(d) + (1 - identity) / n * others.T @ others
        means[i] = z - D @ np.linalg.inv(left) @ z
    return means, 2 * D - D @ np.linalg.inv(C) @ D


def knockoff_threshold(W, fdr):
    """Try every threshold."""
    allowed = [
        t
        for t in np.abs(W)
        if t > 0 and 1 + sum(w <= -t for w in W) <= fdr * sum(w >= t for w in W)
    ]
    return min(allowed, default=np.inf)


def selected_by_e_values(draws, fdr):
    """Ren and Barber's derandomised knockoffs: mean e-values, then every size of a set tried."""
    n_features = len(draws[0])
    level = fdr if len(draws) == 1 else fdr / 2
    e = np.zeros(n_features)
    for W in draws:
        t = knockoff_threshold(W, level)
        for j in range(n_features):
            if W[j] >= t:
                e[j] += n_features / (1 + sum(w <= -t for w in W)) / len(draws)
    sizes = [
        k for k in range(1, n_features + 1) if np.sort(e)[-k] * fdr * k >= n_features * (1 - 1e-9)
    ]
    if not sizes:
        return []
    least = np.sort(e)[-max(sizes)]
    return [j for j in range(n_features) if e[j] >= least]
