"""randSel and the random-halves regression of the thesis, transcribed loop by loop."""

import numpy as np

from tests.reference.naive import gaussian_gram


def centred_alignment(K, L):
    """<HKH, HLH> / (|HKH| |HLH|)."""
    n = len(K)
    H = np.eye(n) - np.ones((n, n)) / n
    K, L = H @ K @ H, H @ L @ H
    if np.linalg.norm(K) == 0:
        return 0.0
    return np.sum(K * L) / (np.linalg.norm(K) * np.linalg.norm(L))


def contributions(X, L, rounds, sigma):
    """Inner loops of algorithm 6: mean alignment with a feature minus mean alignment without it.

    `rounds` are triples of a subsample B, a set S and its complement.
    """
    n_features = X.shape[1]
    with_feature = [[] for _ in range(n_features)]
    without_feature = [[] for _ in range(n_features)]
    for samples, *halves in rounds:
        for half in halves:
            K = gaussian_gram(X[np.ix_(samples, half)], sigma)
            alignment = centred_alignment(K, L[np.ix_(samples, samples)])
            for feature in range(n_features):
                heard = with_feature if feature in half else without_feature
                heard[feature].append(alignment)
    return np.array(
        [np.mean(yes) - np.mean(no) for yes, no in zip(with_feature, without_feature, strict=True)]
    )


def randsel(X, L, rounds_of, sigma, share):
    """Algorithm 6 without fixing; `rounds_of(iteration, n_left)` gives the draws.

    Returns the contributions of every iteration by feature, and the features, best first.
    """
    left = list(range(X.shape[1]))
    culled, history = [], []
    while True:
        estimates = contributions(X[:, left], L, rounds_of(len(history), len(left)), sigma)
        history.append(dict(zip(left, estimates, strict=True)))
        best_first = sorted(left, key=lambda feature: -history[-1][feature])
        if len(left) <= 2:
            return history, best_first + culled[::-1]
        n_culled = min(max(1, int(share * len(left))), len(left) - 2)
        culled += best_first[len(left) - n_culled :][::-1]
        left = sorted(best_first[: len(left) - n_culled])


def insensitive_objective(rows, target, weights, epsilon, penalty):
    """Convex program at the end of section 4.5, its losses summed over the rounds."""
    total = 0.0
    for row, z in zip(rows, target, strict=True):
        total += max(abs(row @ weights - z) - epsilon, 0.0)
    return total + penalty * np.abs(weights).sum()
