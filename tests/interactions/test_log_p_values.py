"""P-values of pairs and triples that are right far out in the tail."""

import numpy as np
import pytest
from scipy.stats import f as f_law
from scipy.stats import kstest

from hsieve.interactions.pair_statistic import InteractionTarget
from hsieve.interactions.tests import InteractionTester
from tests.measures.factors import factors_of

N = 150


def logs_of(X, targets, tuples):
    factors = factors_of(X, rank=2)
    tester = InteractionTester(factors.store, factors.most_columns)
    rows = np.ascontiguousarray((targets - targets.mean(axis=0)).T)
    return tester.log_p_values(np.asarray(tuples), InteractionTarget(rows))


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_p_values_are_uniform_where_nothing_depends(n_outputs, rng):
    X = rng.normal(size=(N, 4))
    tuples = [[0, 1], [2, 3]]
    targets = rng.normal(size=(200, N, n_outputs))
    chances = np.exp([logs_of(X, target, tuples) for target in targets])
    low = chances[chances < 0.25]
    # 100 are expected, with a deviation of 9.
    assert 65 < len(low) < 135
    assert kstest(low, "uniform", args=(0, 0.25)).pvalue > 1e-3


def test_two_signs_are_the_f_test_of_their_product(rng):
    """With two levels each, the product is the only direction that is left."""
    X = rng.choice([-1.0, 1.0], size=(N, 2))
    product = X[:, 0] * X[:, 1]
    for strength in (0.25, 0.5):
        y = X[:, 0] + strength * product + rng.normal(size=N)
        own = np.column_stack([np.ones(N), X])
        both = np.column_stack([own, product])
        left, rest = (np.sum((y - A @ np.linalg.lstsq(A, y)[0]) ** 2) for A in (own, both))
        expected = f_law.logsf((left - rest) / (rest / (N - 4)), 1, N - 4)
        (found,) = logs_of(X, y[:, None], [[0, 1]])
        # The saddlepoint is right to 15 %.
        assert found == pytest.approx(expected, abs=0.16)


def test_an_interaction_has_a_tiny_p_value_and_own_effects_have_none(rng):
    X = rng.normal(size=(N, 4))
    y = X[:, 0] * X[:, 1] + X[:, 2] + X[:, 3] + 0.3 * rng.normal(size=N)
    logs = logs_of(X, y[:, None], [[0, 1], [2, 3]])
    assert logs[0] < np.log(1e-8)
    assert logs[1] > np.log(1e-3)


def test_no_tuples_have_no_p_values(rng):
    assert logs_of(
        rng.normal(size=(N, 2)), rng.normal(size=(N, 1)), np.empty((0, 2), int)
    ).shape == (0,)
