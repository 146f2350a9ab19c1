"""Literal, slow transcriptions of the baseline methods: the truth for every fast path."""

import itertools
import math

import numpy as np
from scipy import stats


def diff(X, feature, i, j, categorical=()):
    """Difference of two samples in one feature, on a scale from 0 to 1."""
    a, b = X[i][feature], X[j][feature]
    if feature in categorical:
        return float(a != b)
    column = [row[feature] for row in X]
    spread = max(column) - min(column)
    return abs(a - b) / spread if spread > 0 else 0.0


def neighbour_weights(X, i, others, weight_of_place, categorical=()):
    """Weights of others by place; those at one distance share the weights of their places."""
    n_features = len(X[0])
    distances = {j: sum(diff(X, f, i, j, categorical) for f in range(n_features)) for j in others}
    ordered = sorted(others, key=lambda j: distances[j])
    by_place = [weight_of_place(place + 1) for place in range(len(ordered))]
    total = sum(by_place)
    weights = {}
    for j in ordered:
        tied = [p for p, o in enumerate(ordered) if abs(distances[o] - distances[j]) < 1e-9]
        weights[j] = sum(by_place[p] for p in tied) / len(tied) / total
    return weights


def relieff(X, y, n_neighbors=10, categorical=()):
    """ReliefF with all samples, misses weighted by the shares of their classes."""
    X, y = X.tolist(), list(y)
    n, n_features = len(X), len(X[0])
    share = {c: y.count(c) / n for c in set(y)}

    def equal(place):
        return float(place <= n_neighbors)

    scores = [0.0] * n_features
    for i in range(n):
        for c, share_of_class in share.items():
            others = [j for j in range(n) if y[j] == c and j != i]
            weights = neighbour_weights(X, i, others, equal, categorical)
            for f in range(n_features):
                mean = sum(w * diff(X, f, i, j, categorical) for j, w in weights.items())
                factor = -1.0 if c == y[i] else share_of_class / (1 - share[y[i]])
                scores[f] += factor * mean / n
    return scores


def rrelieff(X, y, n_neighbors=70, sigma=20.0, categorical=()):
    """RReliefF of Robnik-Sikonja and Kononenko (2003), figure 3."""
    X, y = X.tolist(), list(y)
    n, n_features = len(X), len(X[0])
    spread = max(y) - min(y)

    def decaying(place):
        if place > n_neighbors:
            return 0.0
        return 1.0 if sigma is None else math.exp(-((place / sigma) ** 2))

    n_dc, n_da, n_dcda = 0.0, [0.0] * n_features, [0.0] * n_features
    for i in range(n):
        others = [j for j in range(n) if j != i]
        for j, w in neighbour_weights(X, i, others, decaying, categorical).items():
            of_target = abs(y[i] - y[j]) / spread
            n_dc += of_target * w
            for f in range(n_features):
                of_feature = diff(X, f, i, j, categorical)
                n_da[f] += of_feature * w
                n_dcda[f] += of_target * of_feature * w
    return [n_dcda[f] / n_dc - (n_da[f] - n_dcda[f]) / (n - n_dc) for f in range(n_features)]


def entropy(levels):
    """Entropy of a list of levels, in nats."""
    levels = list(levels)
    shares = [levels.count(level) / len(levels) for level in set(levels)]
    return -sum(p * math.log(p) for p in shares)


def fcbf(relevance, redundancy, threshold=0.0):
    """FCBF as the paper has it: a list from which later members are struck out."""
    listed = [f for f in range(len(relevance)) if relevance[f] > threshold]
    listed.sort(key=lambda f: -relevance[f])
    place = 0
    while place < len(listed):
        p = listed[place]
        for q in listed[place + 1 :]:
            if redundancy[p][q] >= relevance[q]:
                listed.remove(q)
        place += 1
    return listed


def spec(f, S, n_eigenvectors=None):
    """phi1, phi2 and phi3 of a feature by the eigenvectors of the normalised Laplacian."""
    D = np.diag(S.sum(axis=1))
    root = np.sqrt(D)
    inverse_root = np.diag(1 / np.diag(root))
    values, vectors = np.linalg.eigh(inverse_root @ (D - S) @ inverse_root)
    g = root @ f / np.linalg.norm(root @ f)
    shares = (vectors.T @ g) ** 2
    phi1 = sum(share * value for share, value in zip(shares, values, strict=True))
    phi2 = phi1 / (1 - shares[0])
    last = len(values) if n_eigenvectors is None else n_eigenvectors
    phi3 = sum(shares[j] * (2 - values[j]) for j in range(1, last))
    return phi1, phi2, phi3


def neighbour_graph(X, n_neighbors):
    """Gaussian weights between samples of which one is among the nearest of the other."""
    n = len(X)
    distances = np.array([[math.dist(a, b) for b in X] for a in X])
    near = [
        sorted((j for j in range(n) if j != i), key=lambda j: distances[i, j]) for i in range(n)
    ]
    near = [row[:n_neighbors] for row in near]
    gaps = [distances[i, j] for i in range(n) for j in near[i]]
    width = np.median(gaps) or np.mean(gaps) or 1.0
    S = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if j in near[i] or i in near[j]:
                S[i, j] = math.exp(-(distances[i, j] ** 2) / (2 * width**2))
    return S


def laplacian_score(f, S):
    """He, Cai and Niyogi (2006), eq. 7 and step 4 of their algorithm."""
    D = np.diag(S.sum(axis=1))
    one = np.ones(len(f))
    centred = f - (f @ D @ one) / (one @ D @ one) * one
    return (centred @ (D - S) @ centred) / (centred @ D @ centred)


def backfitting(bases, y, penalty, n_sweeps=3000):
    """SpAM: smooth the residual without a curve, then shrink the smooth, one feature at a time."""
    curves = [np.zeros(len(y)) for _ in bases]
    for _ in range(n_sweeps):
        for j, basis in enumerate(bases):
            residual = y - sum(curve for k, curve in enumerate(curves) if k != j)
            smooth = basis @ np.linalg.lstsq(basis, residual, rcond=None)[0]
            size = math.sqrt(np.mean(smooth**2))
            curves[j] = max(0.0, 1 - penalty / size) * smooth if size > 0 else smooth
            curves[j] = curves[j] - curves[j].mean()
    return [math.sqrt(np.mean(curve**2)) for curve in curves]


def lasso(X, y, penalty, n_sweeps=3000):
    """Coordinate descent for |y - Xb|^2 / 2n + penalty |b|_1."""
    n, b = len(y), np.zeros(X.shape[1])
    for _ in range(n_sweeps):
        for j in range(len(b)):
            partial = X[:, j] @ (y - X @ b + X[:, j] * b[j]) / n
            shrunken = math.copysign(max(0.0, abs(partial) - penalty), partial)
            b[j] = shrunken / (X[:, j] @ X[:, j] / n)
    return b


def fisher_z_p_value(x, y, Z):
    """P-value of the correlation of what regressions on Z leave of x and y."""
    n, m = len(x), Z.shape[1]
    design = np.column_stack([np.ones(n), Z])
    left = [v - design @ np.linalg.lstsq(design, v, rcond=None)[0] for v in (x, y)]
    z = math.sqrt(n - m - 3) * math.atanh(np.corrcoef(*left)[0, 1])
    return 2 * stats.norm.sf(abs(z))


def g2_p_value(x, y, Z):
    """G2 added up over the strata of Z, degrees of freedom from the rows and columns there."""
    statistic, freedom = 0.0, 0
    strata = [tuple(row) for row in Z]
    for stratum in set(strata):
        here = [i for i, other in enumerate(strata) if other == stratum]
        rows, columns = {x[i] for i in here}, {y[i] for i in here}
        freedom += (len(rows) - 1) * (len(columns) - 1)
        for r, c in itertools.product(rows, columns):
            observed = sum(x[i] == r and y[i] == c for i in here)
            expected = sum(x[i] == r for i in here) * sum(y[i] == c for i in here) / len(here)
            if observed:
                statistic += 2 * observed * math.log(observed / expected)
    return stats.chi2.sf(statistic, freedom) if freedom else 1.0


def hiton_pc(X, y, p_value, alpha=0.05, max_given=3):
    """Semi-interleaved HITON-PC without symmetry correction; every subset, one at a time."""
    alone = {j: p_value(X[:, j], y, X[:, []]) for j in range(X.shape[1])}
    waiting = sorted((j for j in alone if alone[j] <= alpha), key=lambda j: alone[j])

    def explained(j, members):
        others = [k for k in members if k != j]
        return any(
            p_value(X[:, j], y, X[:, list(given)]) > alpha
            for size in range(1, max_given + 1)
            for given in itertools.combinations(others, size)
        )

    members = []
    for j in waiting:
        if not explained(j, members):
            members.append(j)
    for j in reversed(list(members)):
        if explained(j, members):
            members.remove(j)
    return members
