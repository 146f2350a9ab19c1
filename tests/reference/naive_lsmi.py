"""LSMI as in section 3 of Jitkrittum, Hachiya and Sugiyama, sum by sum."""

import math

import numpy as np


def basis(x, centre, width):
    """Gaussian of two points."""
    squared = sum((a - b) ** 2 for a, b in zip(x, centre, strict=True))
    return math.exp(-squared / (2 * width**2))


def same(a, b):
    return 1.0 if a == b else 0.0


def design(X, y, centres, width, target_width):
    """Phi_x and Phi_y, entry by entry; a target_width of None means classes."""
    n, b = len(X), len(centres)
    phi_x, phi_y = np.empty((n, b)), np.empty((n, b))
    for i in range(n):
        for position, c in enumerate(centres):
            phi_x[i, position] = basis(X[i], X[c], width)
            if target_width is None:
                phi_y[i, position] = same(y[i], y[c])
            else:
                phi_y[i, position] = basis([y[i]], [y[c]], target_width)
    return phi_x, phi_y


def system(phi_x, phi_y):
    """H and h, by sums over samples and over pairs of samples."""
    n, b = phi_x.shape
    H, h = np.zeros((b, b)), np.zeros(b)
    for k in range(b):
        h[k] = sum(phi_x[i, k] * phi_y[i, k] for i in range(n)) / n
        for m in range(b):
            H[k, m] = sum(
                phi_x[i, k] * phi_x[i, m] * phi_y[j, k] * phi_y[j, m]
                for i in range(n)
                for j in range(n)
            )
    return H / n**2, h


def value(X, y, centres, width, ridge, target_width):
    """The estimate for given centres, width and ridge."""
    H, h = system(*design(X, y, centres, width, target_width))
    alpha = np.linalg.solve(H + ridge * np.eye(len(h)), h)
    return 0.5 * h @ alpha - 0.5
