"""Factors on demand: both forms, any block size, kept or made anew."""

from dataclasses import replace

import numpy as np
import pytest

from hsieve import kernels
from hsieve.data.blocks import as_blocks
from hsieve.kernels.columns import standardised
from hsieve.kernels.factor_store import CodedFactors, DenseFactors, form_for
from tests.reference import naive

N = 300


@pytest.fixture
def data(rng):
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


CATEGORICAL = np.array([False, False, False, False, True, False, False])


def exact_grams(data):
    scaled = standardised(data, robust=True)
    grams = [kernels.centre(naive.gaussian_gram(column[:, None], 1.0)) for column in scaled.T]
    same = (data[:, 4][:, None] == data[:, 4]).astype(float)
    grams[4] = kernels.centre(same) / (1 - same.mean())
    return grams


def copied(group):
    return replace(group, rows=group.rows.copy())


def gathered(groups, n_features):
    found = {}
    for group in groups:
        assert len(group.places) == len(group.norms)
        ends = [*group.starts[1:], len(group.rows)]
        for place, first, last, norm in zip(
            group.places, group.starts, ends, group.norms, strict=True
        ):
            assert last > first
            found[int(place)] = (group.rows[first:last], norm)
    assert sorted(found) == list(range(n_features))
    return found


def stores(data, block_bytes, code_bytes=10**9):
    blocks = as_blocks(data)
    dense = DenseFactors(blocks, CATEGORICAL, block_bytes=block_bytes, factor_bytes=30_000)
    coded = CodedFactors(
        blocks,
        CATEGORICAL,
        block_bytes=block_bytes,
        code_bytes=code_bytes,
        batch_bytes=30_000,
    )
    return {"dense": dense, "coded": coded}


@pytest.mark.parametrize("form", ["dense", "coded"])
@pytest.mark.parametrize("block_bytes", [1, 5000, 10**8])
def test_the_walk_gives_every_kernel_once(form, block_bytes, data):
    found = gathered(stores(data, block_bytes)[form].walk(copied), data.shape[1])
    tolerance = 1e-4 if form == "dense" else 0.03
    for feature, exact in enumerate(exact_grams(data)):
        rows, norm = found[feature]
        error = np.linalg.norm(rows.T @ rows - exact)
        assert error <= tolerance * np.linalg.norm(exact) + 1e-6
        assert norm == pytest.approx(np.linalg.norm(exact), rel=2e-3, abs=1e-3)


@pytest.mark.parametrize("form", ["dense", "coded"])
def test_features_asked_for_come_in_their_order_and_as_often(form, data):
    store = stores(data, 4000)[form]
    everything = gathered(store.walk(copied), data.shape[1])
    wanted = np.array([6, 0, 2, 0, 4])
    found = gathered(store.each(wanted, copied), len(wanted))
    for place, feature in enumerate(wanted):
        np.testing.assert_allclose(found[place][0], everything[feature][0], atol=1e-6)


def test_codes_that_do_not_fit_are_made_anew(data):
    kept = stores(data, 10**8)["coded"]
    forgetful = stores(data, 4000, code_bytes=2 * (N + 2048))["coded"]
    everything = gathered(kept.walk(copied), data.shape[1])
    again = gathered(forgetful.walk(copied), data.shape[1])
    assert len(forgetful._kept) == 2
    for feature in everything:
        np.testing.assert_array_equal(again[feature][0], everything[feature][0])
    found = gathered(forgetful.each(np.arange(5), copied), 5)
    np.testing.assert_array_equal(found[1][0], everything[1][0])


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
