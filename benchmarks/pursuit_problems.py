"""Problems with known features, on which kernel pursuit is measured: those of bench_pursuit.py.

Each takes a seed and gives features, target and the positions of the true features.
"""

import numpy as np
from scipy.signal import lfilter
from scipy.stats import norm

from hsieve.datasets import make_problem

COPY_CORRELATION = 0.98


def friedman(seed, n=400, d=1000, correlation=0.0):
    """Make Friedman's first problem: a product, a parabola and two lines of unequal slope.

    With a correlation, neighbours follow an autoregressive process, with uniform margins.
    """
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, d))
    if correlation:
        X = norm.cdf(autoregressive(rng, (n, d), correlation))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    y += 10 * X[:, 3] + 5 * X[:, 4]
    return X, y + rng.normal(size=n), list(range(5))


def autoregressive(rng, shape, correlation):
    """Draw normal numbers whose neighbours in a row are correlated."""
    noise = rng.normal(size=shape)
    noise[:, 1:] *= np.sqrt(1 - correlation**2)
    return lfilter([1], [1, -correlation], noise, axis=1)


def friedman_correlated(seed):
    return friedman(seed, correlation=0.6)


def mixed(seed, n=400, d=400, n_factors=10):
    """Add up a line, a kink, a product and a wave, with features that share some factors."""
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(n, n_factors))
    loadings = rng.normal(size=(n_factors, d)) / np.sqrt(n_factors)
    X = np.sqrt(0.7) * rng.normal(size=(n, d)) + np.sqrt(0.3) * factors @ loadings
    y = X[:, 0] + 1.2 * np.abs(X[:, 1]) + 1.5 * X[:, 2] * X[:, 3] + np.sin(2 * X[:, 4])
    return X, y + 0.5 * rng.normal(size=n), list(range(5))


def angle(seed, n=400, d=300):
    """Make five classes by the angle of two features, turned where a third is positive."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    turn = np.arctan2(X[:, 1], X[:, 0]) / (2 * np.pi) + 0.1 * (X[:, 2] > 0)
    return X, np.floor(5 * (turn % 1)).astype(int), list(range(3))


def ring(seed, n=400, d=500):
    """Make two classes by the distance from the origin in three features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    distance = (X[:, :3] ** 2).sum(axis=1)
    return X, (distance > np.median(distance)).astype(int), list(range(3))


def product_of_two(seed):
    return product(seed, 400, 500, 2)


def product_of_three(seed):
    return product(seed, 800, 60, 3)


def product(seed, n, d, n_true):
    """Multiply normal features, none of which tells anything alone."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, :n_true].prod(axis=1) + 0.3 * rng.normal(size=n), list(range(n_true))


def toy(name):
    """Return one of the problems of the l1-LSMI paper, with 400 samples."""

    def make(seed):
        problem = make_problem(name, random_state=seed, n_samples=400)
        return problem.X, problem.y, problem.relevant.tolist()

    return make


def noise(seed, n=400, d=1000):
    """Make a target that depends on nothing."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=n), []


def with_copies(make, seed, correlation=COPY_CORRELATION):
    """Add a noisy copy of every true feature behind the others."""
    X, y, true = make(seed)
    rng = np.random.default_rng(10_000 + seed)
    standardised = (X[:, true] - X[:, true].mean(axis=0)) / X[:, true].std(axis=0)
    own = np.sqrt(1 - correlation**2) * rng.normal(size=standardised.shape)
    return np.hstack([X, correlation * standardised + own]), y, true


PROBLEMS = {
    "Friedman, independent": friedman,
    "Friedman, AR(0.6)": friedman_correlated,
    "mixed": mixed,
    "angle, 5 classes": angle,
    "ring": ring,
    "xor": toy("xor-toy"),
    "and-or": toy("and-or"),
    "quad": toy("quad"),
    "product of 2 in 500": product_of_two,
    "product of 3 in 60": product_of_three,
}
