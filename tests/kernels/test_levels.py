"""Features as codes and tables of levels, against the kernels they stand for."""

import numpy as np
import pytest

from hsieve import kernels
from hsieve.kernels.columns import standardised
from hsieve.kernels.levels import (
    category_levels,
    coded_levels,
    few_valued,
    few_valued_factors,
)
from tests.reference import naive


def centred_gram(column):
    return kernels.centre(naive.gaussian_gram(column[:, None], 1.0))


@pytest.mark.parametrize("n_values", [2, 3, 7, 16, 100, 256])
def test_a_feature_of_at_most_256_values_is_coded_without_error(n_values, rng):
    values = np.sort(rng.normal(size=n_values))
    column = np.concatenate([values, rng.choice(values, 100)])
    levels = coded_levels(column)
    assert levels.codes.dtype == np.uint8
    assert levels.counts.sum() == len(column)
    np.testing.assert_array_equal(np.bincount(levels.codes, minlength=n_values), levels.counts)
    factor = levels.table()[levels.codes]
    exact = centred_gram(standardised(column[:, None], robust=True)[:, 0])
    # Few values have the whole factor, more values the directions that matter.
    tolerance = 1e-6 if n_values <= 16 else 2e-3
    assert np.linalg.norm(factor @ factor.T - exact) < tolerance * np.linalg.norm(exact)


DRAWS = {
    "gaussian": lambda rng, n: rng.normal(size=n),
    "t(3)": lambda rng, n: rng.standard_t(3, n),
    "lognormal": lambda rng, n: rng.lognormal(size=n),
    "uniform": lambda rng, n: rng.random(n),
    "outlier": lambda rng, n: np.concatenate([[1e9], rng.normal(size=n - 1)]),
    "offset": lambda rng, n: rng.normal(size=n) + 1e7,
    "tiny": lambda rng, n: rng.normal(size=n) * 1e-200,
    "huge": lambda rng, n: rng.normal(size=n) * 1e300,
}
# The others are out of reach of single precision.
SINGLE = ("gaussian", "t(3)", "lognormal", "uniform", "outlier")


@pytest.mark.parametrize(
    ("name", "precision"),
    [*((name, np.float64) for name in DRAWS), *((name, np.float32) for name in SINGLE)],
)
def test_coding_moves_no_sample_far(name, precision, rng):
    column = DRAWS[name](rng, 4000).astype(precision)
    levels = coded_levels(column)
    exact = standardised(column[:, None].astype(float), robust=True)[:, 0]
    shift = levels.positions[levels.codes] - exact
    shift, exact = shift - np.median(shift), exact - np.median(exact)
    # Far from each other and from all others, samples may share a level: the kernel sees neither.
    near = np.abs(exact) < 5
    assert np.sqrt(np.mean(shift[near] ** 2)) < 0.03
    assert abs(np.mean(shift[near])) < 5e-3


def test_the_table_is_centred_and_orthogonal_over_the_samples(rng):
    levels = coded_levels(rng.lognormal(size=3000))
    factor = levels.table()[levels.codes]
    np.testing.assert_allclose(factor.mean(axis=0), 0, atol=1e-9)
    gram = factor.T @ factor
    np.testing.assert_allclose(gram, np.diag(np.diag(gram)), atol=1e-6)


def test_categories_have_the_delta_kernel(rng):
    labels = rng.integers(0, 5, 80)
    levels = category_levels(labels * 3.5)
    factor = levels.table()[levels.codes]
    same = (labels[:, None] == labels).astype(float)
    share = 1 - same.mean()
    np.testing.assert_allclose(factor @ factor.T, kernels.centre(same) / share, atol=1e-10)


def test_a_category_may_have_more_than_256_levels(rng):
    levels = category_levels(np.arange(1000.0) // 2)
    assert levels.codes.max() == 499
    assert levels.table().shape == (500, 499)


def test_a_constant_column_has_an_empty_table():
    assert coded_levels(np.full(10, 3.0)).table().shape == (1, 0)


def test_few_valued_columns_are_told_apart(rng):
    columns = np.column_stack(
        [
            rng.normal(size=500),
            rng.integers(0, 2, 500),
            np.where(np.arange(500) < 400, 0, np.arange(500)),  # many values, but late
            rng.integers(0, 16, 500),
        ]
    ).astype(float)
    assert few_valued(columns).tolist() == [False, True, False, True]


def test_factors_of_few_values_are_exact(rng):
    columns = np.column_stack([rng.integers(0, k, 90) for k in (2, 3, 3, 9)]).astype(float)
    columns = standardised(columns)
    seen = []
    for features, factors in few_valued_factors(columns):
        for feature, factor in zip(features, factors, strict=True):
            exact = centred_gram(columns[:, feature])
            np.testing.assert_allclose(factor @ factor.T, exact, atol=1e-5)
            seen.append(int(feature))
    assert sorted(seen) == [0, 1, 2, 3]
