"""What must not change the answer.

Order of samples and columns, shift and scale, names of labels.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hsieve import BAHSIC, FOHSIC, HSIC, NHSIC, hsic, kernels, nhsic
from hsieve.estimators import DependenceSelector

SELECTORS = {
    "BAHSIC": lambda: BAHSIC(2),
    "FOHSIC": lambda: FOHSIC(2),
    "ranking": lambda: DependenceSelector(NHSIC(), n_features_to_select=2),
}
seeds = st.integers(0, 2**20)
quick = settings(deadline=None, max_examples=15)


def problem(seed, n=50, d=8):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return rng, X, (X[:, 1] * X[:, 5] + 0.3 * X[:, 2] > 0).astype(int)


@pytest.mark.parametrize("name", SELECTORS)
@quick
@given(seed=seeds)
def test_order_of_samples_does_not_matter(name, seed):
    rng, X, y = problem(seed)
    order = rng.permutation(len(X))
    np.testing.assert_array_equal(
        SELECTORS[name]().fit(X, y).selected_indices_,
        SELECTORS[name]().fit(X[order], y[order]).selected_indices_,
    )


@pytest.mark.parametrize("name", SELECTORS)
@quick
@given(seed=seeds)
def test_order_of_columns_does_not_matter(name, seed):
    rng, X, y = problem(seed)
    order = rng.permutation(X.shape[1])
    shuffled = SELECTORS[name]().fit(X[:, order], y).selected_indices_
    np.testing.assert_array_equal(SELECTORS[name]().fit(X, y).selected_indices_, order[shuffled])


@pytest.mark.parametrize("name", SELECTORS)
@quick
@given(seed=seeds, shift=st.floats(-1e4, 1e4), scale=st.floats(1e-3, 1e3))
def test_shift_and_scale_of_features_do_not_matter(name, seed, shift, scale):
    _, X, y = problem(seed)
    np.testing.assert_array_equal(
        SELECTORS[name]().fit(X, y).selected_indices_,
        SELECTORS[name]().fit(X * scale + shift, y).selected_indices_,
    )


@pytest.mark.parametrize("name", SELECTORS)
@quick
@given(seed=seeds)
def test_names_of_labels_do_not_matter(name, seed):
    _, X, y = problem(seed)
    np.testing.assert_allclose(
        SELECTORS[name]().fit(X, y).scores_,
        SELECTORS[name]().fit(X, np.where(y == 1, "a", "z")).scores_,
        atol=1e-9,
    )


@quick
@given(seed=seeds, sigma=st.floats(0.1, 10))
def test_nhsic_lies_between_zero_and_one(seed, sigma):
    rng, X, _ = problem(seed, n=20)
    value = nhsic(X, rng.normal(size=20), kernel_x=kernels.Gaussian(sigma))
    assert -1e-12 <= value <= 1 + 1e-12


@quick
@given(seed=seeds)
def test_hsic_is_symmetric_in_its_arguments(seed):
    rng, X, _ = problem(seed, n=15)
    Y = rng.normal(size=(15, 2))
    width = kernels.Gaussian(1.3)
    there = hsic(X, Y, kernel_x=width, kernel_y=width)
    assert there == pytest.approx(hsic(Y, X, kernel_x=width, kernel_y=width), abs=1e-13)


@quick
@given(seed=seeds)
def test_float32_and_float64_give_the_same_contributions_up_to_rounding(seed):
    _, X, y = problem(seed, n=40, d=12)
    bounds = [
        HSIC(kernel_x=kernels.Gaussian("narrow"), precision=precision).bind(X, y)
        for precision in ("single", "double")
    ]
    single, double = (bound.contributions(np.arange(10), np.arange(12)) for bound in bounds)
    np.testing.assert_allclose(single, double, atol=1e-4 * np.abs(double).max())
