"""Variance, intervals and tests of independence."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from hsieve import (
    HSIC,
    feature_tests,
    hsic,
    hsic_interval,
    hsic_test,
    hsic_variance,
    kernels,
    nhsic,
    open_dataset,
)
from hsieve.kernels import encode_columns
from hsieve.kernels.null_laws import MatrixMoments, permutation_law
from tests.frames import LIBRARIES, mixed_columns, mixed_frame
from tests.reference import naive

WIDTH = kernels.Gaussian(1.0)


@pytest.mark.parametrize("n", [8, 9, 10])
def test_variance_equals_the_sum_over_quadruples(n, rng):
    x = rng.normal(size=(n, 1))
    K, L = naive.gaussian_gram(x, 1.0), naive.gaussian_gram(x**2, 1.0)
    assert hsic_variance(K, L) == pytest.approx(naive.hsic_variance_by_quadruples(K, L), abs=1e-10)


def test_variance_tells_the_spread_over_repeated_samples():
    values, variances = [], []
    for seed in range(400):
        generator = np.random.default_rng(seed)
        x = generator.normal(size=(150, 1))
        y = x[:, 0] + 0.5 * generator.normal(size=150)
        values.append(hsic(x, y, kernel_x=WIDTH, kernel_y=WIDTH))
        variances.append(hsic_variance(WIDTH.gram(x), WIDTH.gram(y)))
    assert np.mean(variances) == pytest.approx(np.var(values), rel=0.25)


def test_interval_covers_the_expected_value():
    """Coverage of the 90 % interval over 300 samples, within its binomial band."""

    def sample(generator, n):
        x = generator.normal(size=(n, 1))
        return x, np.sin(2 * x[:, 0]) + 0.3 * generator.normal(size=n)

    truth = np.mean(
        [
            hsic(*sample(np.random.default_rng(10_000 + s), 400), kernel_x=WIDTH, kernel_y=WIDTH)
            for s in range(60)
        ]
    )
    covered = 0
    for seed in range(300):
        x, y = sample(np.random.default_rng(seed), 100)
        interval = hsic_interval(x, y, level=0.9, kernel_x=WIDTH, kernel_y=WIDTH)
        covered += interval.low <= truth <= interval.high
    assert 0.84 < covered / 300 < 0.96


def test_permutation_moments_are_exact():
    generator = np.random.default_rng(3)
    n = 6
    A = kernels.centre(WIDTH.gram(generator.normal(size=(n, 2))))
    B = kernels.centre(kernels.Delta().gram([0, 0, 1, 1, 1, 2]))
    values = [np.vdot(A, B[np.ix_(p, p)]) for p in map(list, permutations(range(n)))]
    a, b = MatrixMoments.of(A), MatrixMoments.of(B)
    mean, variance = permutation_law(a, b)
    assert np.mean(values) == pytest.approx(mean, rel=1e-12)
    assert np.var(values) == pytest.approx(variance, rel=1e-12)


def test_permutation_p_value_counts_the_given_order():
    x = np.arange(12.0)
    result = hsic_test(x, x, n_permutations=99, random_state=0)
    assert result.p_value == pytest.approx(0.01)
    assert result.method == "permutation"
    assert result.statistic == pytest.approx(hsic(x[:, None], x, estimator="biased"))


def test_permutation_test_is_repeatable_and_needs_its_seed(rng):
    x, y = rng.normal(size=30), rng.normal(size=30)
    p_values = [hsic_test(x, y, n_permutations=200, random_state=s).p_value for s in (1, 1, 2)]
    assert p_values[0] == p_values[1] != p_values[2]


def test_gamma_and_permutation_agree_in_the_bulk(rng):
    x = rng.normal(size=(60, 1))
    y = 0.25 * x[:, 0] + rng.normal(size=60)
    gamma = hsic_test(x, y, method="gamma").p_value
    permutation = hsic_test(x, y, n_permutations=2000, random_state=0).p_value
    assert gamma == pytest.approx(permutation, abs=0.03)


def test_constant_data_are_never_significant(rng):
    assert hsic_test(np.ones((20, 1)), rng.normal(size=20), method="gamma").p_value == 1.0


@pytest.mark.parametrize("method", ["gamma", "permutation"])
def test_feature_tests_find_the_dependent_features(method, rng):
    X = rng.normal(size=(80, 12))
    y = (np.abs(X[:, 3]) + np.abs(X[:, 8]) > 1.5).astype(int)
    result = feature_tests(X, y, method=method, n_permutations=400, random_state=0)
    np.testing.assert_array_equal(np.sort(np.argsort(result.p_values)[:2]), [3, 8])
    np.testing.assert_allclose(
        result.adjusted_p_values, stats.false_discovery_control(result.p_values)
    )
    expected = HSIC(estimator="biased").bind(X, y).feature_scores(np.arange(12))
    np.testing.assert_allclose(result.scores, expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x, y: hsic_test(x, y, method="normal"), "method must be 'gamma' or 'permutation'"),
        (lambda x, y: hsic_test(x, y, n_permutations=0), "integer of at least 1"),
        (lambda x, y: hsic_test(x[:5], y[:5], method="gamma"), "at least 6 samples"),
        (lambda x, y: hsic_interval(x, y, level=95), "level must be a number between 0 and 1"),
    ],
)
def test_bad_requests_are_refused_in_words(call, message, rng):
    with pytest.raises(ValueError, match=message):
        call(rng.normal(size=20), rng.normal(size=20))


@pytest.mark.parametrize("library", [*LIBRARIES, "lazy", "Dataset"])
def test_tests_take_frames_with_text_categories_and_booleans(library):
    X, y, categorical = mixed_columns()
    given = mixed_frame("polars" if library in ("lazy", "Dataset") else library, X)
    if library == "lazy":
        given = given.lazy()
    arguments = (open_dataset(given, y),) if library == "Dataset" else (given, y)
    found = feature_tests(*arguments)
    expected = feature_tests(X, y, measure=HSIC(categorical=categorical))
    np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-9)
    table = found.to_frame()
    assert list(table.index) == ["age", "dose", "site", "smoker", "sex", "noise"]
    np.testing.assert_array_equal(table["p_value"], found.p_values)
    assert found.adjusted_p_values[2] == table.loc["site", "adjusted_p_value"] < 0.001
    assert list(expected.to_frame().index[:2]) == ["x0", "x1"]
    joint = hsic_test(*arguments, method="gamma")
    coded = encode_columns(X, categorical=categorical, standardise=False)
    gram = kernels.Gaussian().on_subset(coded, np.arange(6)).gram
    by_gram = hsic_test(gram, y, kernel_x=kernels.Precomputed(), method="gamma")
    assert joint.p_value == pytest.approx(by_gram.p_value)
    assert hsic(*arguments) == pytest.approx(hsic(gram, y, kernel_x=kernels.Precomputed()))
    assert 0 < nhsic(*arguments) < 1
    assert hsic_interval(*arguments).estimate == hsic(*arguments)


def test_tests_take_a_column_and_the_name_of_the_target(rng):
    frame = pd.DataFrame({"a": rng.normal(size=40), "b": rng.normal(size=40)}).assign(
        y=lambda table: table["a"] ** 2
    )
    expected = hsic_test(frame[["a"]].to_numpy(), frame["y"].to_numpy(), method="gamma")
    assert hsic_test(frame["a"], frame["y"], method="gamma") == expected
    assert hsic_test(frame[["a", "y"]], "y", method="gamma") == expected
    assert feature_tests(frame, "y").names == ("a", "b")


def test_tests_refuse_what_selectors_refuse(rng):
    holes = np.ma.masked_array(rng.normal(size=(20, 3)), mask=np.eye(20, 3, dtype=bool))
    for test in (feature_tests, hsic_test, hsic):
        with pytest.raises(ValueError, match=r"3 of 3 columns of X have missing values"):
            test(holes, rng.normal(size=20))
        with pytest.raises(ValueError, match="A Dataset has its own y"):
            test(open_dataset(holes.data, rng.normal(size=20)), rng.normal(size=20))
