"""Non-linear regression in which every feature has a near copy.

This is the problem of [1]_, section 5.2: a selector that does not look at redundancy takes
the copies of what it has. Drawing n samples of d features costs O(n d).

References
----------
.. [1] M. Yamada et al., "N3LARS: minimum redundancy maximum relevance feature selection for large
   and high-dimensional data", 2014.
"""

import numpy as np

from hsieve.datasets.base import (
    TARGET_NOISE,
    Problem,
    Seed,
    check_features,
    check_non_negative,
    check_samples,
)

__all__ = ["make_n3lars"]

N_N3LARS_RELEVANT = 3


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
    check_samples(n_samples)
    check_features(n_features, 2 * N_N3LARS_RELEVANT)
    if n_features % 2:
        msg = f"n_features must be even, one copy for each feature, got {n_features}"
        raise ValueError(msg)
    check_non_negative("noise", noise)
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
