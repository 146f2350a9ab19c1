"""Factors on demand: both forms, any block size, kept or made anew."""

import numpy as np
import pytest

from hsieve import kernels
from hsieve.data.arrays import as_blocks
from hsieve.kernels.coded_factors import CodedFactors
from hsieve.kernels.columns import standardised
from hsieve.kernels.dense_factors import DenseFactors
from hsieve.kernels.factor_store import Stack, form_for
from tests.reference import naive

N = 300
FORMS = ("dense", "coded")


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(20070613)
    columns = [
        rng.normal(size=N),
        rng.lognormal(size=N),
        rng.integers(0, 2, N),
        np.full(N, 4.0),
        rng.integers(0, 3, N),
        rng.random(N),
        np.concatenate([[1e4], rng.normal(size=N - 1)]),
    ]
    return np.column_stack(columns).astype(float)


@pytest.fixture(scope="module")
def stack():
    """Three factors of different ranks."""
    rows = np.random.default_rng(3).normal(size=(9, N)).astype(np.float32)
    return Stack(rows - rows.mean(axis=1, keepdims=True), np.array([0, 1, 5]))


CATEGORICAL = np.array([False, False, False, False, True, False, False])


@pytest.fixture(scope="module")
def exact_grams(data):
    """Centred kernels of the features, by the definition."""
    scaled = standardised(data, robust=True)
    grams = [kernels.centre(naive.gaussian_gram(column[:, None], 1.0)) for column in scaled.T]
    same = (data[:, 4][:, None] == data[:, 4]).astype(float)
    grams[4] = kernels.centre(same) / (1 - same.mean())
    return grams


def exact_squares(exact_grams, stack):
    """Inner products of the kernels of the features and of the stack's factors."""
    parts = np.split(stack.rows.astype(float), stack.starts[1:])
    return np.array([[np.vdot(K, part.T @ part) for part in parts] for K in exact_grams])


def store(form, data, *, block_bytes=10**8, code_bytes=10**9, factor_bytes=30_000):
    common = {"block_bytes": block_bytes, "factor_bytes": factor_bytes}
    if form == "dense":
        return DenseFactors(as_blocks(data), CATEGORICAL, **common)
    return CodedFactors(as_blocks(data), CATEGORICAL, code_bytes=code_bytes, **common)


def gathered(products, n_features, n_factors):
    squares, norms = np.full((n_features, n_factors), np.nan), np.full(n_features, np.nan)
    for found in products:
        assert np.isnan(norms[found.places]).all()
        squares[found.places], norms[found.places] = found.squares, found.norms
    assert np.isfinite(squares).all()
    return squares, norms


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("block_bytes", [1, 5000, 10**8])
def test_all_features_are_multiplied_once(form, block_bytes, data, stack, exact_grams):
    made = store(form, data, block_bytes=block_bytes)
    squares, norms = gathered(made.products_of_all(stack), 7, 3)
    exact = exact_squares(exact_grams, stack)
    error = 1e-4 if form == "dense" else 0.03
    np.testing.assert_allclose(squares, exact, atol=error * exact.max())
    expected = [np.linalg.norm(K) for K in exact_grams]
    np.testing.assert_allclose(norms, expected, rtol=2e-3, atol=1e-3)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("factor_bytes", [0, 30_000, 10**9])
def test_features_asked_for_come_in_their_order_and_as_often(form, factor_bytes, data, stack):
    made = store(form, data, block_bytes=4000, factor_bytes=factor_bytes)
    everything, _ = gathered(made.products_of_all(stack), 7, 3)
    wanted = np.array([6, 0, 2, 0, 4])
    for _ in range(2):
        squares, _ = gathered(made.products(wanted, stack), 5, 3)
        np.testing.assert_allclose(squares, everything[wanted], rtol=1e-4)


@pytest.mark.parametrize("form", FORMS)
def test_rows_give_the_kernel_of_one_feature(form, data, exact_grams):
    made = store(form, data)
    for feature, exact in enumerate(exact_grams):
        for _ in range(2):
            rows, norm = made.rows(feature)
            assert len(rows) >= 1
            error = np.linalg.norm(rows.T @ rows - exact)
            assert error <= (1e-4 if form == "dense" else 0.03) * np.linalg.norm(exact) + 1e-6
            assert norm == pytest.approx(np.linalg.norm(exact), rel=2e-3, abs=1e-3)


def test_codes_that_do_not_fit_are_made_anew(data, stack):
    kept = store("coded", data)
    forgetful = store("coded", data, block_bytes=4000, code_bytes=2 * (N + 2048), factor_bytes=0)
    everything, _ = gathered(kept.products_of_all(stack), 7, 3)
    again, _ = gathered(forgetful.products_of_all(stack), 7, 3)
    assert sum(forgetful._levels.has_room_for(range(7))) == 2
    np.testing.assert_allclose(again, everything, rtol=1e-12)
    some, _ = gathered(forgetful.products(np.arange(5), stack), 5, 3)
    np.testing.assert_allclose(some, everything[:5], rtol=1e-12)


@pytest.mark.parametrize(
    ("shape", "form", "expected"),
    [
        ((1000, 10**6), "auto", "dense"),
        ((8192, 1000), "auto", "dense"),
        ((8192, 2442), "auto", "coded"),
        ((10**6, 10), "auto", "dense"),
        ((10**6, 20), "auto", "coded"),
        ((10, 10), "coded", "coded"),
        ((10**6, 10**3), "dense", "dense"),
    ],
)
def test_the_form_follows_from_the_size(shape, form, expected):
    assert form_for(*shape, form) == expected


def test_another_form_is_refused():
    with pytest.raises(ValueError, match="form must be 'auto', 'dense' or 'coded', got 'bytes'"):
        form_for(10, 10, "bytes")
