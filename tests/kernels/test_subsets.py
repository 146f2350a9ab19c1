"""Every sweep against the kernel computed anew, feature by feature."""

import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hsieve import HSIC, kernels
from hsieve.kernels.quadratic_forms import (
    MAX_ORDER,
    quadratic_forms,
    series_changes,
    series_order,
    two_level_changes,
)
from hsieve.kernels.subsets import GaussianSubset

KERNELS = [
    kernels.Gaussian("narrow"),
    kernels.Gaussian("median"),
    kernels.Gaussian(1.0),
    kernels.Gaussian(0.4),
    kernels.Gaussian(50.0),
    kernels.Laplace(),
    kernels.InverseDistance(),
    kernels.Linear(),
    kernels.Polynomial(3),
]


@pytest.fixture
def columns(rng):
    """Gaussian, two-valued, categorical, heavy-tailed and lognormal features side by side."""
    X = rng.normal(size=(40, 10))
    X[:, 1] = X[:, 1] > 0
    X[:, 2] = rng.integers(0, 4, 40)
    X[:, 3] = rng.standard_t(1.1, 40)
    X[:, 7] = X[:, 7] > 1
    X[:, 8] = rng.integers(0, 3, 40)
    X[:, 9] = rng.lognormal(0, 2, 40)
    return kernels.encode_columns(X, categorical=[2, 8])


@pytest.fixture
def weights(rng):
    matrix = rng.normal(size=(40, 40))
    return matrix + matrix.T


def literal_changes(kernel, columns, subset, candidates, weights):
    """Change of sum(weights * K), both kernels computed from the columns alone."""
    fixed = kernel
    if isinstance(getattr(kernel, "bandwidth", None), str):
        squared = kernels.squared_distances(columns.block(subset))
        width = kernels.resolve_bandwidth(kernel.bandwidth, squared, len(subset))
        fixed = type(kernel)(width)
    before = fixed.gram(columns.block(subset))
    changes = []
    for j in candidates:
        after = [k for k in subset if k != j] if j in subset else [*subset, j]
        changes.append(np.sum(weights * (fixed.gram(columns.block(after)) - before)))
    return np.array(changes)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("removal", [True, False])
def test_sweeps_equal_the_literal_change(kernel, removal, columns, weights):
    subset = np.arange(6)
    candidates = subset if removal else np.arange(6, 10)
    swept = kernel.on_subset(columns, subset).changes(weights, candidates, removal=removal)
    expected = literal_changes(kernel, columns, list(subset), candidates, weights)
    np.testing.assert_allclose(swept, expected, atol=1e-8 * max(1, np.abs(expected).max()))


@pytest.mark.parametrize("removal", [True, False])
@pytest.mark.parametrize("bandwidth", ["narrow", 1.0, 0.4])
def test_single_precision_is_good_enough_to_order_features(bandwidth, removal, columns, weights):
    subset = np.arange(6)
    candidates = subset if removal else np.arange(6, 10)
    kernel = kernels.Gaussian(bandwidth)
    single = kernel.on_subset(columns, subset, precision=np.float32)
    swept = single.changes(weights, candidates, removal=removal)
    expected = literal_changes(kernel, columns, list(subset), candidates, weights)
    np.testing.assert_allclose(swept, expected, atol=2e-5 * np.abs(weights).sum() / 40)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("removal", [True, False])
def test_changed_norms_are_those_of_the_centred_gram_matrix(kernel, removal, columns):
    subset = np.arange(5)
    feature = 4 if removal else 9
    on_subset = kernel.on_subset(columns, subset)
    norm = on_subset.changed_norms(np.array([feature]), removal=removal)[0]
    H = np.eye(40) - 1 / 40
    centred = H @ on_subset.changed(feature, removal=removal) @ H
    assert norm == pytest.approx(np.sum(centred**2), rel=1e-9)


def test_a_vanishing_kernel_is_refused(rng):
    X = rng.normal(size=(10, 5000))
    bound = HSIC(kernel_x=kernels.Gaussian(1.0)).bind(X, rng.normal(size=10))
    with pytest.raises(ValueError, match="Take a larger bandwidth"):
        bound.subset_score(np.arange(5000))


@pytest.mark.parametrize("n", [1, 7, 384, 900])
def test_quadratic_forms_use_symmetry_rightly(n, rng):
    matrix = rng.normal(size=(n, n))
    matrix = matrix + matrix.T
    vectors = rng.normal(size=(n, 3))
    expected = [v @ matrix @ v for v in vectors.T]
    np.testing.assert_allclose(quadratic_forms(matrix, vectors), expected, rtol=1e-9, atol=1e-9)


@settings(deadline=None, max_examples=60)
@given(
    exponent=st.floats(1e-6, 8.0),
    removal=st.booleans(),
    seed=st.integers(0, 2**16),
)
def test_the_series_keeps_its_promised_error(exponent, removal, seed):
    """Any x with 2 rate max|x|^2 = z: no entry of the factor is off by more than the tolerance."""
    generator = np.random.default_rng(seed)
    x = generator.uniform(-1, 1, 30)
    x[0] = 1.0
    rate = exponent / 2
    signed = rate if removal else -rate
    order = series_order(exponent, removal=removal, tolerance=1e-9)
    assert order <= MAX_ORDER
    pair = np.zeros((30, 30))
    i, j = generator.integers(0, 30, 2)
    pair[i, j] += 0.5
    pair[j, i] += 0.5
    swept = series_changes(pair, x[:, None], signed, order)[0]
    exact = np.expm1(signed * (x[i] - x[j]) ** 2)
    # Rounding of the alternating series grows like exp(2z).
    assert abs(swept - exact) <= 1e-9 + 1e-15 * np.exp(2 * exponent) * removal + 1e-12


def test_series_order_grows_with_the_exponent_and_gives_up_in_the_end():
    orders = [series_order(z, removal=False, tolerance=1e-9) for z in (0.01, 0.1, 1.0, 10.0)]
    assert orders == sorted(orders)
    assert series_order(1000.0, removal=False, tolerance=1e-9) == MAX_ORDER + 1


def test_far_outliers_do_not_overflow_in_single_precision(rng):
    X = rng.normal(size=(60, 20))
    X[0] = 40.0
    columns = kernels.encode_columns(X)
    kernel = kernels.Gaussian("narrow")
    weights = rng.normal(size=(60, 60))
    weights = weights + weights.T
    subset, outside = np.arange(10), np.arange(10, 20)
    swept = kernel.on_subset(columns, subset, precision=np.float32).changes(
        weights, outside, removal=False
    )
    expected = literal_changes(kernel, columns, list(subset), outside, weights)
    np.testing.assert_allclose(swept, expected, atol=2e-5 * np.abs(weights).sum() / 60)


def test_two_level_sweep_is_exact(rng):
    x = np.where(rng.random(25) < 0.3, -0.7, 1.9)
    matrix = rng.normal(size=(25, 25))
    matrix = matrix + matrix.T
    exact = np.sum(matrix * np.expm1(0.2 * np.subtract.outer(x, x) ** 2))
    assert two_level_changes(matrix, x[:, None], 0.2)[0] == pytest.approx(exact, rel=1e-12)


def test_no_sweep_holds_a_matrix_for_every_feature(rng, monkeypatch):
    """The literal fallback is not taken for ordinary features: memory stays O(n^2 + n block)."""
    columns = kernels.encode_columns(rng.normal(size=(50, 30)))
    kernel = kernels.Gaussian("narrow").on_subset(columns, np.arange(30))
    monkeypatch.setattr(GaussianSubset, "changed", None)
    changes = kernel.changes(np.ones((50, 50)), np.arange(30), removal=True)
    assert np.isfinite(changes).all()


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_a_kernel_is_freed_at_once(kernel, columns, weights):
    """No cycle of references holds the matrices of a kernel that nobody uses any more."""
    on_subset = kernel.on_subset(columns, np.arange(6))
    on_subset.changes(weights, np.arange(8, 10), removal=False)
    matrix = weakref.ref(on_subset.gram)
    del on_subset
    assert matrix() is None
