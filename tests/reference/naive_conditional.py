"""Literal, slow tests of what a feature adds to others: regressions refitted, multipliers drawn."""

import numpy as np

from tests.reference.naive_pursuit import left_out_residuals

__all__ = ["conditional_ratio", "multiplier_p_value", "quantile_rule"]


def conditional_ratio(factor, given, ridge, residuals):
    """Squared product of two residuals, that of a feature's factor and that of the target.

    `given` holds the features of the regression on the others. Divided by the squares of the
    target's residuals, both centred.
    """
    own = left_out_residuals(given, factor, ridge)
    own = own - own.mean(axis=0)
    centred = residuals - residuals.mean(axis=0)
    total = 0.0
    for direction in own.T:
        for target in centred.T:
            total += sum(a * b for a, b in zip(direction, target, strict=True)) ** 2
    return total / np.sum(centred**2)


def multiplier_p_value(own, residuals, n_draws, rng):
    """Fraction of draws of normal multipliers with a statistic at least as large."""
    own, residuals = own - own.mean(axis=0), residuals - residuals.mean(axis=0)

    def statistic(multipliers):
        total = 0.0
        for direction in own.T:
            for target in residuals.T:
                total += np.sum(multipliers * direction * target) ** 2
        return total

    observed = statistic(np.ones(len(own)))
    drawn = [statistic(rng.normal(size=len(own))) for _ in range(n_draws)]
    return np.mean(np.array(drawn) >= observed)


def quantile_rule(p_values, least=0.05):
    """Meinshausen, Meier and Buehlmann's eq. 2.3, over a fine grid of fractions."""
    best = 1.0
    for fraction in np.linspace(least, 1, 2000):
        rank = int(np.ceil(len(p_values) * fraction - 1e-9))
        best = min(best, sorted(p_values)[rank - 1] / fraction)
    return min(1.0, (1 - np.log(least)) * best)
