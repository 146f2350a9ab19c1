"""Literal, slow kernel pursuit: every regression refitted, every Gram matrix whole."""

import numpy as np

from hsieve.kernels.columns import standardised
from tests.reference.naive import alignment, gaussian_gram

__all__ = [
    "exact_grams",
    "left_out_residuals",
    "mixed_gram",
    "relevance_to",
    "ungated_pursuit",
]


def left_out_residuals(features, targets, ridge):
    """Refit a ridge regression without each sample, and predict that sample.

    The intercept is a coefficient of its own that the penalty does not touch, so nothing is centred
    beforehand.
    """
    n_samples, n_features = features.shape
    penalty = ridge * np.eye(n_features + 1)
    penalty[0, 0] = 0.0
    with_intercept = np.column_stack([np.ones(n_samples), features])
    residuals = np.empty(targets.shape)
    for i in range(n_samples):
        others = [j for j in range(n_samples) if j != i]
        A = with_intercept[others]
        for output in range(targets.shape[1]):
            b = targets[others, output]
            coefficients = np.linalg.solve(A.T @ A + penalty, A.T @ b)
            residuals[i, output] = targets[i, output] - with_intercept[i] @ coefficients
    return residuals


def mixed_gram(groups, width, additive):
    """Kernel matrix of the regressions, entry by entry; one array of columns for each feature."""
    n_samples, p = len(groups[0]), len(groups)
    K = np.empty((n_samples, n_samples))
    for i in range(n_samples):
        for j in range(n_samples):
            squares = [np.sum((group[i] - group[j]) ** 2) for group in groups]
            product = np.exp(-sum(squares) / (width * p))
            mean = sum(np.exp(-square / 2) for square in squares) / p
            K[i, j] = (1 - additive) * product + additive * mean
    return K


def exact_grams(X):
    """Gaussian Gram matrix of each feature, width 1 on robustly standardised values."""
    scaled = standardised(np.asarray(X, dtype=np.float64), robust=True)
    return [gaussian_gram(column[:, None], 1.0) for column in scaled.T]


def relevance_to(grams, targets):
    """NHSIC of each Gram matrix with a linear kernel on the targets."""
    L = targets @ targets.T
    return np.array([alignment(K, L) for K in grams])


def ungated_pursuit(X, y, n_wanted, *, width, ridge):
    """Add the feature most relevant to the left-out residuals, without any gate.

    The kernel and the ridge stay the same in all steps. Returns the features in order and the
    leave-one-out error after each.
    """
    scaled = standardised(np.asarray(X, dtype=np.float64), robust=True)
    targets = standardised(np.asarray(y, dtype=np.float64).reshape(len(y), -1))
    grams = exact_grams(X)
    chosen, errors, residuals = [], [], targets
    for _ in range(n_wanted):
        relevance = relevance_to(grams, residuals)
        relevance[chosen] = -1.0
        chosen.append(int(np.argmax(relevance)))
        K = mixed_gram([scaled[:, [feature]] for feature in chosen], width, 0.0)
        values, vectors = np.linalg.eigh(K)
        # Features whose inner products are the kernel.
        features = vectors * np.sqrt(np.maximum(values, 0.0))
        residuals = left_out_residuals(features, targets, ridge)
        errors.append(float(np.mean(residuals**2)))
    return chosen, errors
