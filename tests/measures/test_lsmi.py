"""LSMI against its sums, and what it must be near."""

import numpy as np
import pytest

from hsieve.data.synthetic import make_and_or
from hsieve.measures.lsmi import lsmi, weighted_value_and_gradient
from tests.reference import naive_lsmi as naive


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_estimate_equals_the_sums(kind, rng):
    X = rng.normal(size=(15, 2))
    y = (X[:, 0] > 0).astype(int) if kind == "classes" else X[:, 0] + X[:, 1] ** 2
    fit = lsmi(X, y, n_centres=15, widths=[0.8], ridges=[0.05], n_folds=3)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    target, width = (y, None) if kind == "classes" else ((y - y.mean()) / y.std(), fit.target_width)
    expected = naive.value(Z, target, range(15), 0.8, 0.05, width)
    assert fit.value == pytest.approx(expected, rel=1e-9)


def test_independent_data_are_near_zero(rng):
    values = [
        lsmi(rng.normal(size=(300, 2)), rng.integers(0, 2, 300), random_state=seed).value
        for seed in range(5)
    ]
    assert np.abs(values).max() < 0.03


def test_the_true_subset_of_and_or_is_highest_and_near_one_half():
    """Table 5 of the paper: two classes tell each other at most 0.5."""
    problem = make_and_or(400, random_state=0)
    of = {
        subset: lsmi(problem.X[:, subset], problem.y).value
        for subset in ((0, 1, 2, 3), (7, 8, 9), (0, 1), (4, 5, 6))
    }
    assert max(of, key=of.get) == (0, 1, 2, 3)
    assert of[0, 1, 2, 3] == pytest.approx(0.5, abs=0.06)
    assert of[7, 8, 9] > of[0, 1] > of[4, 5, 6]


def test_the_density_ratio_is_one_on_average_over_independent_pairs(rng):
    x = rng.normal(size=400)
    y = (x + 0.3 * rng.normal(size=400) > 0).astype(int)
    fit = lsmi(x[:, None], y)
    z = (x - x.mean()) / x.std()
    shuffled = np.mean(
        [fit.density_ratio(z[:, None], rng.permutation(y)).mean() for _ in range(50)]
    )
    assert shuffled == pytest.approx(1.0, abs=0.05)
    assert fit.density_ratio([[2.0]], [1])[0] > 1.5
    assert fit.density_ratio([[2.0]], [0])[0] < 0.5


def test_identical_samples_and_few_of_them_do_not_break_it():
    X = np.zeros((12, 2))
    X[6:] = 1.0
    y = np.repeat([0, 1], 6)
    assert lsmi(X, y).value == pytest.approx(0.5, abs=0.1)
    assert np.isfinite(lsmi(np.ones((8, 1)), np.arange(8) % 2).value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_centres": 0}, "n_centres must be"),
        ({"n_folds": 1}, "n_folds must be"),
        ({"n_folds": 99}, "n_folds must be"),
    ],
)
def test_wrong_settings_are_refused(options, message, rng):
    with pytest.raises(ValueError, match=message):
        lsmi(rng.normal(size=(20, 1)), rng.integers(0, 2, 20), **options)


def test_more_centres_than_samples_take_all_samples(rng):
    X, y = rng.normal(size=(30, 1)), rng.integers(0, 2, 30)
    assert len(lsmi(X, y, n_centres=500).coefficients) == 30


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_gradient_in_the_weights_equals_finite_differences(kind, rng):
    X = rng.normal(size=(60, 5))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    centres = np.arange(0, 60, 3)
    y = (X[:, 0] * X[:, 1] > 0).astype(float) if kind == "classes" else X[:, 0] * X[:, 1]
    psi = (y[:, None] == y[centres]) * 1.0
    if kind == "numbers":
        psi = np.exp(-0.5 * (y[:, None] - y[centres]) ** 2)
    weights = rng.uniform(0.2, 1.0, 5)

    def value(w):
        return weighted_value_and_gradient(X, psi, centres, w, width=1.3, ridge=0.02)[0]

    _, gradient = weighted_value_and_gradient(X, psi, centres, weights, width=1.3, ridge=0.02)
    step = 1e-5
    for feature in range(5):
        shift = step * np.eye(5)[feature]
        expected = (value(weights + shift) - value(weights - shift)) / (2 * step)
        assert gradient[feature] == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_with_all_weights_one_the_weighted_value_is_the_estimate(rng):
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 2, 40)
    fit = lsmi(X, y, n_centres=40)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    psi = (y[:, None] == y) * 1.0
    value, _ = weighted_value_and_gradient(
        Z, psi, np.arange(40), np.ones(3), width=fit.width, ridge=fit.ridge
    )
    assert value == pytest.approx(fit.value, rel=1e-9)
