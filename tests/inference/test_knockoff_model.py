"""Knockoffs of numbers and categories together, and how well they match."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from hsieve.inference.knockoff_model import KnockoffModel

NONE = np.zeros(0, dtype=np.intp)


def table(n_samples=3000, seed=0):
    """Two numbers and three categories, of which two pairs belong together."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=n_samples)
    X = np.empty((n_samples, 5))
    X[:, 0] = np.exp(common + 0.5 * rng.normal(size=n_samples))
    X[:, 1] = rng.normal(size=n_samples)
    # The order of the codes means nothing.
    X[:, 2] = np.array([7, 3, 5])[np.digitize(common + 0.5 * rng.normal(size=n_samples), [-0.5, 1])]
    X[:, 3] = rng.integers(0, 2, n_samples)
    X[:, 4] = np.where(rng.random(n_samples) < 0.7, X[:, 3], 1 - X[:, 3])
    return X


def means_in_levels(X, number, category):
    ranks = np.argsort(np.argsort(X[:, number]))
    return np.array([ranks[X[:, category] == level].mean() for level in (3, 5, 7)]) / len(X)


def test_knockoffs_of_numbers_and_categories_keep_what_relates_them():
    X = table()
    categories = np.array([2, 3, 4])
    rng = np.random.default_rng(1)
    other = KnockoffModel(X, categories, rng).draw(rng)
    for place in range(5):
        assert set(other[:, place]) == set(X[:, place])
    expected = means_in_levels(X, 0, 2)
    assert np.ptp(expected) > 0.4
    for columns in ((X[:, 0], other[:, 2]), (other[:, 0], X[:, 2]), (other[:, 0], other[:, 2])):
        assert_allclose(means_in_levels(np.column_stack(columns), 0, 1), expected, atol=0.05)
    for left, right in ((X, other), (other, X), (other, other)):
        assert_allclose(np.mean(left[:, 3] == right[:, 4]), 0.7, atol=0.05)
    # Alone, a feature does not say what its knockoff is.
    assert abs(np.corrcoef(X[:, 1], other[:, 1])[0, 1]) < 0.1


def test_categories_alone_have_knockoffs_too():
    X = table()[:, 2:]
    rng = np.random.default_rng(2)
    model = KnockoffModel(X, np.arange(3), rng)
    other = model.draw(rng)
    assert_allclose(np.mean(X[:, 1] == other[:, 2]), 0.7, atol=0.05)
    assert np.isnan(model.distances).all()
    assert model.match(other, rng).p_value == 1.0


def test_rare_and_single_levels_are_no_trouble():
    X = table(60)
    X[:, 3] = 0
    X[0, 3] = 1
    rng = np.random.default_rng(3)
    other = KnockoffModel(X, np.array([2, 3, 4]), rng).draw(rng)
    assert np.isfinite(other).all()


@pytest.mark.parametrize("n_samples", [100, 500])
def test_gaussian_features_match_at_any_scale(n_samples):
    n_small = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n_samples, 20))
        X[:, 1:] = np.exp(X[:, 1:] + X[:, :-1])
        model = KnockoffModel(X, NONE, rng)
        match = model.match(model.draw(rng), rng)
        n_small += match.p_value <= 0.1
        assert match.correlation_gap < 1.5 * match.sampling_error
    assert n_small <= 8


def test_what_ranks_of_gaussian_variables_do_not_show_is_found():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(500, 20))
    X[:, 10:] = X[:, :10] ** 2 + 0.1 * rng.normal(size=(500, 10))
    model = KnockoffModel(X, NONE, rng)
    assert model.match(model.draw(rng), rng).p_value <= 0.01


def test_other_correlations_are_told():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 20)) + rng.normal(size=(400, 1))
    wrong = rng.permuted(X, axis=0)
    match = KnockoffModel(X, NONE, rng).match(wrong, rng)
    assert match.correlation_gap > 5 * match.sampling_error
