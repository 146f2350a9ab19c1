"""Guarantees of stability selection and of randSel.

How many false selections to expect from stability selection.

A feature is selected if the fraction of subsamples that select it reaches a threshold pi. With q
the mean number of features that a subsample of half the data selects over the whole range of
regularisation, and d the number of all features:

========  ==============================  ==========================================================
bound     E(false selections) is at most  holds for
========  ==============================  ==========================================================
basic     q^2 / ((2 pi - 1) d)            Meinshausen & Buhlmann (2010), theorem 1: noise features
                                          are exchangeable, and the base is no worse than random
                                          guessing. Shah & Samworth (2013), theorem 1: any number of
                                          complementary pairs; counts the features that a subsample
                                          selects with a probability of q / d or less.
unimodal  C(pi, n_pairs) q^2 / d          Shah & Samworth, theorem 2: complementary pairs, if the
                                          law of the fraction of pairs that select such a feature
                                          twice has one mode.
========  ==============================  ==========================================================

How many rounds and samples randSel would need for its guarantee (theorem 4.2.10 of the thesis).

If k features are influential by at least eta and all others are irrelevant, one iteration that
removes every feature of contribution below eta / 2 keeps exactly the k, with probability 1 - delta.
The numbers are far larger than what is used in practice; they say how they grow.
"""

import math
from dataclasses import dataclass

from hsieve.parameters import integer, number

# For others there is no bound.
THRESHOLD = number(above=0.5, most=1)


def false_selection_bound(n_selected: float, n_features: int, threshold: float) -> float:
    """Bound the expected number of false selections.

    Parameters
    ----------
    n_selected : float
        Mean number of features that a subsample selects over the whole range.
    n_features : int
        Number of features.
    threshold : float
        Fraction of subsamples from which on a feature is selected, above 1/2.

    Returns
    -------
    float
        q^2 / ((2 pi - 1) d).

    Examples
    --------
    >>> false_selection_bound(10, 200, 0.75)
    1.0
    """
    THRESHOLD.check("threshold", threshold)
    return n_selected**2 / ((2 * threshold - 1) * n_features)


def threshold_for(expected: float, n_selected: float, n_features: int) -> float:
    """Solve the bound for the threshold.

    Parameters
    ----------
    expected : float
        Bound on the expected number of false selections.
    n_selected, n_features
        As in :func:`false_selection_bound`.

    Returns
    -------
    float
        The threshold; above 1 if no threshold gives so low a bound.

    Examples
    --------
    >>> threshold_for(1.0, 10, 200)
    0.75
    """
    return (1 + n_selected**2 / (expected * n_features)) / 2


def most_per_subsample(expected: float, n_features: int, threshold: float) -> int:
    """Solve the bound for the number of features that a subsample may select.

    Parameters
    ----------
    expected, n_features, threshold
        As above.

    Returns
    -------
    int
        The largest integer that keeps the bound, at most `n_features`; may be 0.

    Examples
    --------
    >>> most_per_subsample(1.0, 200, 0.75)
    10
    """
    THRESHOLD.check("threshold", threshold)
    # Two roots, because the product may overflow. The small share keeps rounding from taking one
    # off where the bound is met exactly.
    most = math.sqrt(expected) * math.sqrt((2 * threshold - 1) * n_features) * (1 + 1e-12)
    return math.floor(min(most, n_features))


def unimodal_bound(
    n_selected: float, n_features: int, threshold: float, *, n_pairs: int
) -> float | None:
    """Bound the expected number of false selections from complementary pairs more tightly.

    Parameters
    ----------
    n_selected, n_features, threshold
        As in :func:`false_selection_bound`.
    n_pairs : int
        Number of complementary pairs.

    Returns
    -------
    float or None
        The bound, never above the basic one; None where the theorem says nothing, because the
        threshold is too near 1/2 or a subsample selects more than 1 / sqrt(3) of the features.

    Examples
    --------
    >>> round(unimodal_bound(10, 200, 0.9, n_pairs=50), 3)
    0.216
    """
    THRESHOLD.check("threshold", threshold)
    share = n_selected / n_features
    least = min(0.5 + share**2, 0.5 + 0.5 / n_pairs + 0.75 * share**2)
    if share > 1 / math.sqrt(3) or threshold <= max(least, 0.5 + 0.5 / n_pairs):
        return None
    if threshold <= 0.75:
        factor = 1 / (2 * (2 * threshold - 1 - 0.5 / n_pairs))
    else:
        factor = 4 * (1 - threshold + 0.5 / n_pairs) / (1 + 1 / n_pairs)
    basic = false_selection_bound(n_selected, n_features, threshold)
    return min(basic, factor * n_selected**2 / n_features)


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
        integer(1).check(name, count)
    for name, fraction in (("influence", influence), ("failure", failure)):
        number(above=0, below=1).check(name, fraction)
    scale = 72.0 / influence**2
    cases = n_features * n_iterations
    n_rounds = math.ceil(scale * math.log(8.0 * cases / failure))
    n_samples = math.ceil(scale * math.log(8.0 * n_rounds * cases / failure))
    return RandSelSizes(n_rounds, n_samples)
