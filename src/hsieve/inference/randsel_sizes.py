"""How many rounds and samples randSel would need for its guarantee (theorem 4.2.10 of the thesis).

If k features are influential by at least eta and all others are irrelevant, one iteration that
removes every feature of contribution below eta / 2 keeps exactly the k, with probability 1 - delta.
The numbers are far larger than what is used in practice; they say how they grow.
"""

import math
from dataclasses import dataclass
from numbers import Integral, Real

__all__ = ["RandSelSizes", "randsel_sample_sizes"]


@dataclass(frozen=True)
class RandSelSizes:
    """Sizes that give the guarantee.

    Parameters
    ----------
    n_rounds : int
        Random sets for every feature, n_s of the thesis.
    n_samples : int
        Samples a round, m_a of the thesis.
    """

    n_rounds: int
    n_samples: int


def randsel_sample_sizes(
    n_features: int, influence: float, *, failure: float = 0.05, n_iterations: int = 1
) -> RandSelSizes:
    """Work out how many rounds and samples theorem 4.2.10 asks for.

    Parameters
    ----------
    n_features : int
        Number of features.
    influence : float
        Least contribution eta of a feature that matters, between 0 and 1.
    failure : float, default=0.05
        Probability delta with which some feature may be judged wrongly.
    n_iterations : int, default=1
        Iterations over which that shall hold (T of theorem 4.2.9).

    Returns
    -------
    RandSelSizes
        Rounds and samples, rounded up.

    Notes
    -----
    ``n_s = 72 / eta^2 ln(8 n T / delta)`` and ``m_a = 72 / eta^2 ln(8 n_s n T / delta)``. The
    thesis prints the second as ``ln(4 n_s n T) / delta``; solving its own bound, eq. 4.9 with
    eta / 6, puts delta inside the logarithm, and sharing delta / 2 out over all 2 n_s n T sets, of
    which corollary 4.2.8 speaks, makes the 4 an 8. m_a counts the samples of a subsample, which
    eq. 4.8 writes as n.

    Examples
    --------
    >>> from hsieve import randsel_sample_sizes
    >>> randsel_sample_sizes(200, 0.1)
    RandSelSizes(n_rounds=74690, n_samples=155482)
    """
    for name, count in (("n_features", n_features), ("n_iterations", n_iterations)):
        if not isinstance(count, Integral) or isinstance(count, bool) or count < 1:
            msg = f"{name} must be a whole number of at least 1, got {count!r}."
            raise ValueError(msg)
    for name, share in (("influence", influence), ("failure", failure)):
        if not (isinstance(share, Real) and 0 < share < 1):
            msg = f"{name} must be a number between 0 and 1, got {share!r}."
            raise ValueError(msg)
    scale = 72.0 / influence**2
    cases = n_features * n_iterations
    n_rounds = math.ceil(scale * math.log(8.0 * cases / failure))
    n_samples = math.ceil(scale * math.log(8.0 * n_rounds * cases / failure))
    return RandSelSizes(n_rounds, n_samples)
