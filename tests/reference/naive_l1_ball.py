"""l1-LSMI as printed: algorithm 1 of Jitkrittum, Hachiya and Sugiyama with plain gradient ascent.

Every step is taken as the paper writes it: model selection solves one system for each width, ridge
and fold; the gradient goes feature by feature; the projection sorts. Settings are the authors'.
"""

import numpy as np

WIDTH_FACTORS = np.outer([1.0, np.sqrt(0.5)], [0.2, 0.5, 1.0, 2.0, 5.0]).ravel()
RIDGES = np.logspace(-4, 1, 5)
FIRST_RADIUS = 0.1
DOUBLINGS, HALVINGS = 20, 12
STEPS = 100
TOLERANCE = 1e-5
ZERO = 1e-8


class Problem:
    """Standardised features, target, centres and folds of one restart."""

    def __init__(self, X, y, *, classes, n_centres=100, n_folds=5, rng):
        self.X = (X - X.mean(axis=0)) / X.std(axis=0)
        n = len(X)
        self.centres = np.sort(rng.choice(n, min(n_centres, n), replace=False))
        if classes:
            self.psi = (y[:, None] == y[self.centres]).astype(float)
        else:
            width = median_distance(y[:, None])
            gaps = y[:, None] - y[self.centres]
            self.psi = np.exp(-(gaps**2) / (2 * width**2))
        self.folds = np.empty(n, dtype=int)
        shuffled = rng.permutation(n)
        if classes:
            shuffled = shuffled[np.argsort(y[shuffled], kind="stable")]
        self.folds[shuffled] = np.arange(n) % n_folds

    def phi(self, weights, width):
        Z = self.X * weights
        squared = ((Z[:, None, :] - Z[None, self.centres, :]) ** 2).sum(axis=2)
        return np.exp(-squared / (2 * width**2))

    def model(self, weights):
        """Width and ridge with the lowest held-out loss."""
        middle = median_distance(self.X * weights)
        best = (np.inf, None, None)
        for width in WIDTH_FACTORS * middle:
            phi = self.phi(weights, width)
            for ridge in RIDGES:
                loss = 0.0
                for fold in np.unique(self.folds):
                    out = self.folds == fold
                    alpha, _, _ = fitted(phi[~out], self.psi[~out], ridge)
                    H, h = system(phi[out], self.psi[out])
                    loss += 0.5 * alpha @ H @ alpha - h @ alpha
                best = min(best, (loss, width, ridge))
        return best[1], best[2]

    def value(self, weights, width, ridge):
        alpha, _, h = fitted(self.phi(weights, width), self.psi, ridge)
        return 0.5 * h @ alpha - 0.5

    def gradient(self, weights, width, ridge):
        n, d = self.X.shape
        phi = self.phi(weights, width)
        alpha, _, _ = fitted(phi, self.psi, ridge)
        gradient = np.empty(d)
        for m in range(d):
            gaps = self.X[:, [m]] - self.X[self.centres, m]
            change = -phi * weights[m] * gaps**2 / width**2
            linear = (change * self.psi).mean(axis=0)
            quadratic = (change.T @ phi + phi.T @ change) * (self.psi.T @ self.psi) / n**2
            gradient[m] = linear @ alpha - 0.5 * alpha @ quadratic @ alpha
        return gradient


def median_distance(points):
    squared = ((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)
    distances = np.sqrt(squared[np.triu_indices(len(points), 1)])
    return float(np.median(distances[distances > 0])) if distances.any() else 1.0


def system(phi, psi):
    n = len(phi)
    return (phi.T @ phi) * (psi.T @ psi) / n**2, (phi * psi).mean(axis=0)


def fitted(phi, psi, ridge):
    H, h = system(phi, psi)
    return np.linalg.solve(H + ridge * np.eye(len(h)), h), H, h


def project(point, radius):
    """Nearest point with no negative entry and a sum of at most the radius, by sorting."""
    positive = np.maximum(point, 0.0)
    if positive.sum() <= radius:
        return positive
    falling = np.sort(positive)[::-1]
    thresholds = (np.cumsum(falling) - radius) / np.arange(1, len(point) + 1)
    return np.maximum(positive - thresholds[falling > thresholds][-1], 0.0)


def solve(problem, weights, radius, n_wanted):
    """Projected gradient ascent within the ball of a radius."""
    values = []
    for step in range(1, STEPS + 1):
        if step <= 3 or step % 5 == 0:
            width, ridge = problem.model(weights)
        values.append(problem.value(weights, width, ridge))
        gradient = problem.gradient(weights, width, ridge)
        weights = project(weights + gradient / np.sqrt(step), radius)
        weights[weights < ZERO] = 0.0
        if np.count_nonzero(weights) <= n_wanted - 1:
            break
        if len(values) > 3 and np.abs(np.diff(values[-4:])).mean() <= TOLERANCE:
            break
    return weights


def restart(problem, n_wanted, rng):
    """All sets of features met on the way to one of the wanted size."""
    d = problem.X.shape[1]
    met = []

    def features(radius):
        start = 1.0 + rng.random(d)
        weights = solve(problem, radius * start / start.sum(), radius, n_wanted)
        met.append(tuple(np.flatnonzero(weights)))
        return len(met[-1])

    radius = FIRST_RADIUS
    for _ in range(DOUBLINGS):
        size = features(radius)
        if size >= n_wanted:
            break
        radius *= 2
    low, high = radius / 2, 1.5 * radius
    for _ in range(HALVINGS):
        if len(met[-1]) == n_wanted:
            break
        middle = (low + high) / 2
        size = features(middle)
        if size < n_wanted:
            low = middle
        elif size > n_wanted:
            high = middle
    return [chosen for chosen in met if chosen]


def select(X, y, n_wanted, *, classes, n_restarts=20, rng):
    """Features of the best set met: nearest in size, then smaller, then of the highest LSMI."""
    problem = Problem(X, y, classes=classes, rng=rng)
    met = sorted({chosen for _ in range(n_restarts) for chosen in restart(problem, n_wanted, rng)})

    def key(chosen):
        weights = np.zeros(problem.X.shape[1])
        weights[list(chosen)] = 1.0
        value = problem.value(weights, *problem.model(weights))
        return abs(len(chosen) - n_wanted), len(chosen) - n_wanted, -value

    return min(met, key=key)
