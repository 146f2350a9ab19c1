"""Compiled joint tables against literal ones."""

import numpy as np
import pytest

from hsieve.data.arrays import as_blocks
from hsieve.kernels.coded_factors import CodedFactors, CodedStack, LevelTable
from hsieve.kernels.levels import category_levels, coded_levels
from hsieve.kernels.loops.joint_tables import sums_by_level
from hsieve.measures.pairwise import PairwiseHSIC
from tests.reference import naive_joint_tables as naive

N = 400


@pytest.fixture(scope="module")
def features():
    """Features of each kind, by name, as levels."""
    rng = np.random.default_rng(7)
    many = np.append(np.arange(300), rng.integers(0, 300, N - 300))
    return {
        "normal": coded_levels(rng.normal(size=N)),
        "t(3)": coded_levels(rng.standard_t(3, N)),
        "even": coded_levels(np.arange(float(N)) % 200),
        "uneven": coded_levels((np.arange(float(N)) % 60) ** 2),
        "two": coded_levels(rng.integers(0, 2, N).astype(float)),
        "constant": coded_levels(np.zeros(N)),
        "category": category_levels(rng.integers(0, 5, N)),
        "many": category_levels(rng.permutation(many)),
    }


def test_features_of_all_shifts_are_tried(features):
    assert {LevelTable.of(levels).shift for levels in features.values()} == {0, 2, 3}
    assert features["many"].codes.dtype == np.uint16


def test_squares_are_those_of_the_samples(features):
    tables = tuple(LevelTable.of(levels) for levels in features.values())
    codes = np.stack([levels.codes for levels in features.values()])
    chosen = CodedStack.of(codes, tables)
    for levels, table in zip(features.values(), tables, strict=True):
        squares, norm = chosen.squares(levels.codes, table)
        expected = [
            naive.squared_norm_of_product(other.codes, of.rows.T, levels.codes, table.rows.T)
            for other, of in zip(features.values(), tables, strict=True)
            if of.rows.shape[0] < 20 and table.rows.shape[0] < 20
        ]
        some = [of.rows.shape[0] < 20 and table.rows.shape[0] < 20 for of in tables]
        np.testing.assert_allclose(squares[some], expected, rtol=1e-4, atol=1e-4)
        gram = table.rows.astype(float) * levels.counts @ table.rows.T
        assert norm == pytest.approx(np.linalg.norm(gram), rel=1e-4, abs=1e-6)


def test_products_of_leading_directions_are_literal(rng):
    X = np.column_stack([rng.normal(size=N), rng.integers(0, 5, N), rng.standard_t(3, N)])
    X[:, 0] += X[:, 2]
    store = CodedFactors(
        as_blocks(X), np.array([False, True, False]), block_bytes=2**20, factor_bytes=2**20
    )
    found = store.leading_products(np.arange(3), np.array([2, 0]))
    for place, other in enumerate([2, 0]):
        for feature in range(3):
            (codes, table), (others, of) = store.coded(feature), store.coded(other)
            expected = sum(
                float(table.rows[-1, p]) * float(of.rows[-1, q])
                for p, q in zip(codes, others, strict=True)
            )
            assert found[feature, place] == pytest.approx(expected, rel=1e-4, abs=1e-3)


@pytest.mark.parametrize("normalised", [True, False])
def test_lower_bounds_are_below_redundancies(normalised, rng):
    X = rng.normal(size=(N, 6)) + rng.normal(size=(N, 1))
    X[:, 4:] = np.round(X[:, 4:])
    X[:, 5] = X[:, 0]
    bound = PairwiseHSIC(form="coded", normalised=normalised).bind(X, X[:, 0])
    every = np.arange(6)
    least, whole = bound.least_redundancy(every, every), bound.redundancy(every, every)
    assert (least <= whole * (1 + 1e-6)).all()
    assert np.sum(least) > 0.6 * np.sum(whole)
    limited = PairwiseHSIC(form="coded", memory_limit="1GB").bind(X, X[:, 0])
    assert limited.least_redundancy is None


def test_sums_by_level_are_literal(features, rng):
    columns = rng.normal(size=(N, 3)).astype(np.float32)
    for levels in features.values():
        sums = np.zeros((len(levels.counts), 3))
        sums_by_level(levels.codes, columns, sums)
        expected = naive.sums_by_level(levels.codes, columns, len(levels.counts))
        np.testing.assert_allclose(sums, expected, rtol=1e-5, atol=1e-5)
