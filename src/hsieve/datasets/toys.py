"""Small problems of the papers, each with one difficulty.

The three toy sets of [1]_, section 6.2, have ten features: redundant copies of the target, a smooth
regression and a pure interaction. In the regression of [2]_, section 5.2, every feature has a near
copy: a selector that does not look at redundancy takes the copies of what it has. The sixth set of
[3]_, section 3.3.1, is a pure interaction of two features among many, in three kinds: bits,
clusters and normal draws. Drawing n samples of d features costs O(n d).

References
----------
.. [1] W. Jitkrittum, H. Hachiya and M. Sugiyama, "Feature selection via l1-penalized squared-loss
   mutual information", 2012.
.. [2] M. Yamada et al., "N3LARS: minimum redundancy maximum relevance feature selection for large
   and high-dimensional data", 2014.
.. [3] D. Athanasakis, "Feature selection in computational biology", University College London,
   2014.
"""

import numpy as np

from hsieve.datasets.base import (
    MIN_SAMPLES,
    FloatArray,
    Problem,
    Seed,
    draw_signs,
)
from hsieve.parameters import integer, number, word

FLIP_PROBABILITY = 0.2
BIASED_COIN = 0.75
TARGET_NOISE = 0.1
N_N3LARS_RELEVANT = 3
N_XOR_RELEVANT = 2
XOR_KINDS = ("binary", "clustered", "continuous")
XOR_NOISES = ("gaussian", "same")
CLUSTER_DEVIATION = 0.3


def make_and_or(n_samples: int = 400, *, random_state: Seed = None) -> Problem:
    """Make the and-or problem: weak interaction beside redundant copies of the target.

    y = (x0 and x1) or (x2 and x3). Columns 0 to 6 are fair coins in {0, 1}; columns 7 to 9 are y,
    each bit flipped with probability 0.2, and so predict y better than any true feature alone.

    Parameters
    ----------
    n_samples : int, default=400
        Number of samples, at least 4.
    random_state : int, Generator or None, default=None
        Seed or source of the draws.

    Returns
    -------
    Problem
        10 features, the first 4 relevant, labels 0 and 1.

    References
    ----------
    Jitkrittum, Hachiya and Sugiyama (2012), section 6.2.

    Examples
    --------
    >>> from hsieve.datasets import make_and_or
    >>> make_and_or(random_state=0).relevant.tolist()
    [0, 1, 2, 3]
    """
    integer(MIN_SAMPLES).check("n_samples", n_samples)
    rng = np.random.default_rng(random_state)
    coins = rng.integers(0, 2, size=(n_samples, 7)).astype(bool)
    truth = (coins[:, 0] & coins[:, 1]) | (coins[:, 2] & coins[:, 3])
    flipped = truth[:, np.newaxis] ^ (rng.random((n_samples, 3)) < FLIP_PROBABILITY)
    return Problem(
        name="and-or",
        X=np.hstack([coins, flipped]).astype(np.float64),
        y=truth.astype(np.int64),
        relevant=np.arange(4),
        target_kind="classes",
        description="y = (x0 and x1) or (x2 and x3); three noisy copies of y distract.",
    )


def make_quad(n_samples: int = 400, *, random_state: Seed = None) -> Problem:
    """Make the quad problem: a smooth non-linear regression on two features.

    y = (x0^2 + x1) / (0.5 + (x1 + 1.5)^2) + 0.1 e. Columns 0 to 7 and e are standard normal;
    column 8 is 0.5 x0 + u and column 9 is 0.5 x1 + u', with u, u' uniform on [-1, 1].

    Parameters
    ----------
    n_samples : int, default=400
        Number of samples, at least 4.
    random_state : int, Generator or None, default=None
        Seed or source of the draws.

    Returns
    -------
    Problem
        10 features, the first 2 relevant, continuous target.

    References
    ----------
    Jitkrittum, Hachiya and Sugiyama (2012), section 6.2.

    Examples
    --------
    >>> from hsieve.datasets import make_quad
    >>> make_quad(random_state=0).X.shape
    (400, 10)
    """
    integer(MIN_SAMPLES).check("n_samples", n_samples)
    rng = np.random.default_rng(random_state)
    normal = rng.standard_normal((n_samples, 8))
    related = 0.5 * normal[:, :2] + rng.uniform(-1.0, 1.0, (n_samples, 2))
    first, second = normal[:, 0], normal[:, 1]
    signal = (first**2 + second) / (0.5 + (second + 1.5) ** 2)
    return Problem(
        name="quad",
        X=np.hstack([normal, related]),
        y=signal + TARGET_NOISE * rng.standard_normal(n_samples),
        relevant=np.arange(2),
        target_kind="continuous",
        description="y = (x0^2 + x1) / (0.5 + (x1 + 1.5)^2) plus noise; two relatives distract.",
    )


def make_xor_toy(n_samples: int = 400, *, random_state: Seed = None) -> Problem:
    """Make the small xor problem: pure interaction of two bits among ten.

    y = x0 xor x1. Columns 0 to 4 are fair coins in {0, 1}; columns 5 to 9 are coins that show
    1 with probability 0.75.

    Parameters
    ----------
    n_samples : int, default=400
        Number of samples, at least 4.
    random_state : int, Generator or None, default=None
        Seed or source of the draws.

    Returns
    -------
    Problem
        10 features, the first 2 relevant, labels 0 and 1.

    See Also
    --------
    make_xor : The same interaction among many features.

    References
    ----------
    Jitkrittum, Hachiya and Sugiyama (2012), section 6.2.

    Examples
    --------
    >>> from hsieve.datasets import make_xor_toy
    >>> problem = make_xor_toy(random_state=0)
    >>> bool(((problem.X[:, 0] != problem.X[:, 1]) == problem.y).all())
    True
    """
    integer(MIN_SAMPLES).check("n_samples", n_samples)
    rng = np.random.default_rng(random_state)
    chance_of_one = np.repeat([0.5, BIASED_COIN], 5)
    coins = rng.random((n_samples, 10)) < chance_of_one
    return Problem(
        name="xor-toy",
        X=coins.astype(np.float64),
        y=(coins[:, 0] ^ coins[:, 1]).astype(np.int64),
        relevant=np.arange(N_XOR_RELEVANT),
        target_kind="classes",
        description="y = x0 xor x1 among ten binary features.",
    )


def make_n3lars(
    n_samples: int = 300,
    n_features: int = 2000,
    *,
    noise: float = 0.01,
    random_state: Seed = None,
) -> Problem:
    """Make the N3LARS problem: non-linear regression in which every feature has a near copy.

    y = x0 exp(x1) + x2 + 0.1 e. The first half of the features and e are standard normal; feature
    j + n_features / 2 is feature j plus `noise` times a standard normal draw of its own.

    Parameters
    ----------
    n_samples : int, default=300
        Number of samples, at least 4.
    n_features : int, default=2000
        Number of features with the copies: even, at least 6.
    noise : float, default=0.01
        Standard deviation of what is added to a copy.
    random_state : int, Generator or None, default=None
        Seed or source of the draws.

    Returns
    -------
    Problem
        The first 3 features relevant, their copies in `copies`, continuous target.

    References
    ----------
    Yamada et al. (2014), section 5.2.

    Examples
    --------
    >>> from hsieve.datasets import make_n3lars
    >>> make_n3lars(100, 20, random_state=0).copies
    {0: (10,), 1: (11,), 2: (12,)}
    """
    integer(MIN_SAMPLES).check("n_samples", n_samples)
    integer(2 * N_N3LARS_RELEVANT).check("n_features", n_features)
    if n_features % 2:
        msg = f"n_features must be even, one copy for each feature, got {n_features}"
        raise ValueError(msg)
    number(least=0).check("noise", noise)
    rng = np.random.default_rng(random_state)
    half = n_features // 2
    originals = rng.standard_normal((n_samples, half))
    duplicates = originals + noise * rng.standard_normal((n_samples, half))
    signal = originals[:, 0] * np.exp(originals[:, 1]) + originals[:, 2]
    return Problem(
        name="n3lars",
        X=np.hstack([originals, duplicates]),
        y=signal + TARGET_NOISE * rng.standard_normal(n_samples),
        relevant=np.arange(N_N3LARS_RELEVANT),
        target_kind="continuous",
        description="y = x0 exp(x1) + x2 plus noise; the second half copies the first.",
        copies={feature: (feature + half,) for feature in range(N_N3LARS_RELEVANT)},
    )


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
    integer(MIN_SAMPLES).check("n_samples", n_samples)
    integer(N_XOR_RELEVANT).check("n_features", n_features)
    word(*XOR_KINDS).check("kind", kind)
    word(*XOR_NOISES).check("noise", noise)
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
