"""Consistency of selections, loop by loop, from lists of positions."""

import math
from itertools import combinations


def mean_variance(sets, n):
    total = 0.0
    for feature in range(n):
        indicators = [1.0 if feature in chosen else 0.0 for chosen in sets]
        mean = sum(indicators) / len(sets)
        total += sum((w - mean) ** 2 for w in indicators) / len(sets)
    return total / n


def log_probability(sets, n):
    """Eq. 2.8 of the thesis."""
    s = len(set().union(*sets))
    value = n * math.log(n)
    if s > 0:
        value += math.log(s / n) * sum(len(chosen) for chosen in sets) - s * math.log(s)
    if s < n:
        value -= (n - s) * math.log(n - s)
    return value


def nogueira(sets, n):
    """Definition 4 and the variance of theorem 7."""
    m = len(sets)
    frequency = [sum(f in chosen for chosen in sets) / m for f in range(n)]
    mean_size = sum(len(chosen) for chosen in sets) / m
    chance = mean_size / n * (1 - mean_size / n)
    spread = sum(m / (m - 1) * p * (1 - p) for p in frequency) / n
    phi = 1 - spread / chance
    phis = []
    for chosen in sets:
        k = len(chosen)
        value = sum(frequency[f] for f in chosen) / n - k * mean_size / n**2
        value += phi / 2 * (2 * k * mean_size / n**2 - k / n - mean_size / n + 1)
        phis.append(value / chance)
    centre = sum(phis) / m
    return phi, 4 / m**2 * sum((value - centre) ** 2 for value in phis)


def jaccard(sets, n):
    values = []
    for a, b in combinations([set(chosen) for chosen in sets], 2):
        values.append(len(a & b) / len(a | b) if a | b else 1.0)
    return sum(values) / len(values)


def kuncheva(sets, n):
    values = []
    for a, b in combinations([set(chosen) for chosen in sets], 2):
        k = len(a)
        expected = k * k / n
        values.append((len(a & b) - expected) / (k - expected))
    return sum(values) / len(values)
