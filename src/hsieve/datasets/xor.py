"""Pure interaction of two features among many.

The sixth set of [1]_, section 3.3.1, in three kinds: bits, clusters and normal draws. Drawing n
samples of d features costs O(n d).

References
----------
.. [1] D. Athanasakis, "Feature selection in computational biology", University College London,
   2014.
"""

import numpy as np

from hsieve.datasets.base import (
    N_XOR_RELEVANT,
    FloatArray,
    Problem,
    Seed,
    check_choice,
    check_features,
    check_samples,
    draw_signs,
)

XOR_KINDS = ("binary", "clustered", "continuous")
XOR_NOISES = ("gaussian", "same")
CLUSTER_DEVIATION = 0.3


def make_xor(
    n_samples: int = 300,
    n_features: int = 200,
    *,
    kind: str = "clustered",
    noise: str = "gaussian",
    shuffle: bool = False,
    random_state: Seed = None,
) -> Problem:
    """Make an xor problem: pure interaction of two features among many.

    y is the product of two signs, 1 where they agree and -1 where they differ. Neither true feature
    says anything about y alone. The thesis uses such a set but does not describe it; kind
    "clustered" with Gaussian noise stands for it.

    Parameters
    ----------
    n_samples : int, default=300
        Number of samples, at least 4.
    n_features : int, default=200
        Number of features, at least 2.
    kind : {"binary", "clustered", "continuous"}, default="clustered"
        "binary": every feature is a fair coin in {0, 1}, with 0 for the negative sign.
        "clustered": the true features are their signs plus noise of deviation 0.3.
        "continuous": every feature is standard normal.
    noise : {"gaussian", "same"}, default="gaussian"
        For kind "clustered", whether the other features are standard normal or clustered like
        the true ones. The other kinds have one law for all features, whatever `noise` says.
    shuffle : bool, default=False
        Whether to permute the columns. Otherwise the true features are columns 0 and 1.
    random_state : int, Generator or None, default=None
        Seed or source of the draws.

    Returns
    -------
    Problem
        Two relevant features, labels -1 and 1.

    References
    ----------
    Athanasakis (2014), section 3.3.1.

    Examples
    --------
    >>> from hsieve.datasets import make_xor
    >>> problem = make_xor(kind="continuous", random_state=0)
    >>> x0, x1 = problem.X[:, problem.relevant].T
    >>> bool(((x0 * x1 > 0) == (problem.y > 0)).all())
    True
    """
    check_samples(n_samples)
    check_features(n_features, N_XOR_RELEVANT)
    check_choice("kind", kind, XOR_KINDS)
    check_choice("noise", noise, XOR_NOISES)
    rng = np.random.default_rng(random_state)
    X, signs = _draw_xor_features(rng, (n_samples, n_features), kind, noise)
    relevant = np.arange(N_XOR_RELEVANT)
    if shuffle:
        order = rng.permutation(n_features)
        X = np.take(X, order, axis=1)
        relevant = np.flatnonzero(order < N_XOR_RELEVANT)
    return Problem(
        name="xor",
        X=X,
        y=signs.prod(axis=1).astype(np.int64),
        relevant=relevant,
        target_kind="classes",
        description=f"y is the product of the signs of two {kind} features.",
    )


def _draw_xor_features(
    rng: np.random.Generator, shape: tuple[int, int], kind: str, noise: str
) -> tuple[FloatArray, FloatArray]:
    """Return the features of an xor problem and the signs of the first two."""
    if kind == "continuous":
        X = rng.standard_normal(shape)
        return X, np.sign(X[:, :N_XOR_RELEVANT])
    if kind == "binary":
        coins = rng.integers(0, 2, size=shape).astype(np.float64)
        return coins, 2.0 * coins[:, :N_XOR_RELEVANT] - 1.0
    X = rng.standard_normal(shape)
    n_clustered = N_XOR_RELEVANT if noise == "gaussian" else shape[1]
    centres = draw_signs(rng, (shape[0], n_clustered)).astype(np.float64)
    X[:, :n_clustered] = centres + CLUSTER_DEVIATION * X[:, :n_clustered]
    return X, centres[:, :N_XOR_RELEVANT]
