"""Sparse filtering as in appendix A.2 of the thesis, step by step; examples are columns."""

import numpy as np
from scipy.optimize import minimize

SOFT = 1e-8


def soft_absolute(F):
    return np.sqrt(F**2 + SOFT)


def normalise_rows(X):
    """l2row: rows over their norms, and the norms."""
    norms = np.sqrt(np.sum(X**2, axis=1) + SOFT)
    return X / norms[:, None], norms


def normalise_rows_gradient(X, Y, norms, D):
    """l2rowg: the slope D behind the normalisation, taken back before it."""
    return D / norms[:, None] - Y * (np.sum(D * X, axis=1) / norms**2)[:, None]


def objective(flat, X, n_components):
    """Value and gradient for flat weights; X is n_features x n_examples."""
    W = flat.reshape(n_components, X.shape[0])
    F = W @ X
    Fs = soft_absolute(F)
    NFs, L2Fs = normalise_rows(Fs)
    Fhat, L2Fn = normalise_rows(NFs.T)
    value = np.sum(Fhat)
    delta = normalise_rows_gradient(NFs.T, Fhat, L2Fn, np.ones(Fhat.shape))
    delta = normalise_rows_gradient(Fs, NFs, L2Fs, delta.T)
    delta = (delta * (F / Fs)) @ X.T
    return value, delta.ravel()


def fit(X, start, *, max_iter=200):
    """Learned weights and SciPy's account of the descent; minFunc's Corr is maxcor."""
    n_components = start.shape[0]
    result = minimize(
        objective,
        start.ravel(),
        args=(X, n_components),
        jac=True,
        method="L-BFGS-B",
        options={
            "maxcor": 20,
            "maxiter": max_iter,
            "maxfun": 100 * max_iter,
            "ftol": 0.0,
            "gtol": 1e-5,
        },
    )
    return result.x.reshape(start.shape), result


def features(W, X):
    """Learned features of the examples that were trained on, n_components x n_examples."""
    Fhat, _ = normalise_rows(normalise_rows(soft_absolute(W @ X))[0].T)
    return Fhat.T
