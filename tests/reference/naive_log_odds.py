"""Moderated t and log odds of Smyth (2004), one feature after the other."""

import math

import numpy as np
from scipy import optimize, special, stats


def prior_of_variances(variances, freedom):
    """Section 6.2: degrees of freedom d0 and scale s0^2 from the logarithms of the variances."""
    e = [math.log(s) - special.digamma(freedom / 2) + math.log(freedom / 2) for s in variances]
    mean = sum(e) / len(e)
    spread = sum((value - mean) ** 2 for value in e) / (len(e) - 1)
    excess = spread - special.polygamma(1, freedom / 2)
    if excess <= 0:
        return math.inf, math.exp(mean)
    half = optimize.brentq(lambda h: special.polygamma(1, h) - excess, 1e-6, 1e6, xtol=1e-14)
    return 2 * half, math.exp(mean + special.digamma(half) - math.log(half))


def moderated_t(X, y):
    """Moderated t of each feature, its unscaled variance, degrees of freedom and variances."""
    low, high = np.unique(y)
    groups = X[y == low], X[y == high]
    m, k = map(len, groups)
    freedom = m + k - 2
    variances, differences = [], []
    for a, b in zip(groups[0].T, groups[1].T, strict=True):
        within = sum((a - a.mean()) ** 2) + sum((b - b.mean()) ** 2)
        variances.append(within / freedom)
        differences.append(b.mean() - a.mean())
    prior_freedom, prior = prior_of_variances(variances, freedom)
    unscaled = 1 / m + 1 / k
    posterior = [
        prior
        if math.isinf(prior_freedom)
        else (prior_freedom * prior + freedom * s) / (prior_freedom + freedom)
        for s in variances
    ]
    t = [
        difference / math.sqrt(s * unscaled)
        for difference, s in zip(differences, posterior, strict=True)
    ]
    return t, unscaled, prior_freedom + freedom, posterior


def effect_variance(t, unscaled, freedom, share):
    """Section 6.3: how much larger than by chance the few largest t are, on average."""
    law = stats.norm() if math.isinf(freedom) else stats.t(freedom)
    largest = sorted((abs(value) for value in t), reverse=True)
    n_top = math.ceil(share / 2 * len(t))
    estimates = []
    for rank, value in enumerate(largest[:n_top], start=1):
        by_chance = 2 * law.sf(value)
        target = ((rank - 0.5) / len(t) - (1 - share) * by_chance) / share
        estimate = 0.0
        if target > by_chance:
            estimate = unscaled * ((value / law.isf(min(target, 1.0) / 2)) ** 2 - 1)
        estimates.append(max(estimate, 0.0))
    return sum(estimates) / n_top


def log_odds(X, y, *, share=0.01, limits=(0.1, 4.0)):
    """Log odds that a feature differs."""
    t, unscaled, freedom, posterior = moderated_t(X, y)
    low, high = (limit**2 / np.median(posterior) for limit in limits)
    effect = min(max(effect_variance(t, unscaled, freedom, share), low), high)
    ratio = (unscaled + effect) / unscaled
    odds = []
    for value in t:
        if math.isinf(freedom):
            kernel = value**2 * (1 - 1 / ratio) / 2
        else:
            kernel = (
                (1 + freedom) / 2 * math.log((value**2 + freedom) / (value**2 / ratio + freedom))
            )
        odds.append(math.log(share / (1 - share)) - math.log(ratio) / 2 + kernel)
    return odds
