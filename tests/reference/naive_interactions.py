"""Literal, slow versions of the interaction statistic, its test and its permutation law.

Gram matrices are whole and written out by the formulas; nothing here comes from the fast kernels.
Numbers are standardised plainly (mean 0, deviation 1), so features and targets handed in must have
no value more than five deviations out, where the package would tame the scale.
"""

from itertools import combinations, permutations

import numpy as np


def standardised(x):
    """Mean 0 and deviation 1."""
    x = np.asarray(x, dtype=float)
    return (x - x.mean(axis=0)) / x.std(axis=0)


def number_gram(x):
    """Gaussian kernel of width 1 of a standardised number."""
    z = standardised(x)
    assert abs(z).max() <= 5, "the package would tame this column"
    return np.array([[np.exp(-((u - v) ** 2) / 2) for v in z] for u in z])


def category_gram(x):
    """One where levels agree, over the share of all ordered pairs of samples that differ."""
    same = np.array([[float(u == v) for v in x] for u in x])
    return same / (1 - same.mean())


def class_gram(y):
    """1/n_c where two labels agree."""
    y = list(y)
    return np.array([[1 / y.count(u) if u == v else 0.0 for v in y] for u in y])


def output_gram(y):
    """Gaussian kernel of width sqrt(n_outputs) of standardised outputs."""
    z = standardised(np.asarray(y, dtype=float).reshape(len(y), -1))
    assert abs(z).max() <= 5, "the package would tame this target"
    width = z.shape[1]
    return np.array([[np.exp(-np.sum((u - v) ** 2) / (2 * width)) for v in z] for u in z])


def centred(K):
    """Take row means and column means away."""
    H = np.eye(len(K)) - 1 / len(K)
    return H @ K @ H


def interaction(*grams):
    """Sum over i and j of the product of the centred matrices, over n^2."""
    product = np.ones_like(grams[0])
    for K in grams:
        product = product * centred(K)
    return product.sum() / len(product) ** 2


def leading_factor(K, rank):
    """Columns of the centred matrix's factor, the heaviest first."""
    weights, vectors = np.linalg.eigh(centred(K))
    heaviest = np.argsort(-weights)[:rank]
    return vectors[:, heaviest] * np.sqrt(np.maximum(weights[heaviest], 0))


def truncated(K, rank):
    """Only the heaviest directions of a matrix."""
    F = leading_factor(K, rank)
    return F @ F.T


def best_triple(grams, target):
    """The triple with the largest statistic over its mean for random orders of the target."""
    centred_grams = [centred(K) for K in grams]
    L = centred(target)

    def ratio(members):
        product = np.prod([centred_grams[m] for m in members], axis=0)
        return (product * L).sum() / np.trace(product)

    return max(combinations(range(len(grams)), 3), key=ratio)


def projected_statistic(first, second, target, rank, n_own):
    """|W'G|^2 with the own effects taken out of both by least squares; and the number of samples
    less the number of directions taken out, and W and G as they are left.
    """
    basis = np.hstack([leading_factor(first, n_own), leading_factor(second, n_own)])
    F, H = leading_factor(first, rank), leading_factor(second, rank)
    together = np.stack([f * h for f in F.T for h in H.T], axis=1)
    together -= together.mean(axis=0)
    goal = leading_factor(target, len(target))
    left = [rows - basis @ np.linalg.lstsq(basis, rows, rcond=1e-9)[0] for rows in (together, goal)]
    n_free = len(target) - np.linalg.matrix_rank(basis, tol=1e-6 * np.linalg.norm(basis, 2))
    return np.sum((left[0].T @ left[1]) ** 2), n_free, *left


def moments_over_all_orders(A, B):
    """Mean and variance of <A, B> with B in every order."""
    values = [np.sum(A * B[np.ix_(p, p)]) for p in map(list, permutations(range(len(A))))]
    return np.mean(values), np.var(values)
