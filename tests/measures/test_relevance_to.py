"""Relevance of all features to other targets, such as residuals, and its p-values."""

import numpy as np
import pytest
from scipy.stats import kstest, norm, pearsonr

from hsieve import MutualInformation, PairwiseHSIC, Pearson
from hsieve.data.arrays import as_blocks
from hsieve.kernels import centre
from hsieve.kernels.coded_factors import FEW_ROWS, CodedFactors
from hsieve.kernels.dense_factors import DenseFactors
from hsieve.kernels.factor_store import FactorStore, Stack
from hsieve.kernels.levels import category_levels, coded_levels
from tests.reference import naive_pairwise, naive_pursuit

N = 240
ERRORS = {"dense": 1e-4, "coded": 2e-3}
ESTIMATORS = ("neighbours", "discretised", "copula")


def make_features():
    rng = np.random.default_rng(11)
    x = rng.normal(size=N)
    columns = [
        x,
        x + rng.standard_t(3, N),
        rng.lognormal(size=N) + x**2,
        rng.random(N) + 0.5 * x,
        x + rng.normal(size=N) < 0.3,
        rng.integers(0, 3, N),
        np.concatenate([[1e4], x[1:] + 0.5 * rng.normal(size=N - 1)]),
    ]
    return np.column_stack(columns).astype(float)


@pytest.fixture
def features():
    return make_features()


@pytest.fixture(scope="module")
def grams():
    return naive_pursuit.exact_grams(make_features())


@pytest.fixture(params=[1, 2, 6], ids="{} columns".format)
def targets(request, features, rng):
    """Numbers that depend on the features, and whose means are not zero."""
    made = [1 + np.sin(features[:, 0]), features[:, 3] + 5, features[:, 0] ** 2]
    return np.column_stack([made[k % 3] + (1 + k) * 0.1 for k in range(request.param)]) + (
        0.3 * rng.normal(size=(N, request.param))
    )


@pytest.mark.parametrize("form", ERRORS)
def test_it_is_nhsic_with_a_linear_kernel_on_the_targets(form, features, grams, targets):
    expected = naive_pursuit.relevance_to(grams, targets)
    bound = PairwiseHSIC(form=form).bind(features, features[:, 0])
    found = bound.relevance_to(targets)
    np.testing.assert_allclose(found, expected, rtol=ERRORS[form], atol=ERRORS[form] / 10)
    # The original target is not touched.
    np.testing.assert_array_equal(bound.relevance_to(targets), found)


def test_a_category_has_the_delta_kernel(features, targets):
    bound = PairwiseHSIC(categorical=[5]).bind(features, features[:, 0])
    K = centre((features[:, 5][:, None] == features[:, 5]).astype(float))
    L = centre(targets @ targets.T)
    expected = np.vdot(K, L) / (np.linalg.norm(K) * np.linalg.norm(L))
    assert bound.relevance_to(targets)[5] == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("form", ERRORS)
def test_a_constant_feature_and_a_constant_target_have_no_relevance(form, features):
    features[:, 2] = 7.0
    bound = PairwiseHSIC(form=form).bind(features, features[:, 0])
    assert bound.relevance_to(features[:, :1])[2] == 0.0
    assert not bound.relevance_to(np.full((N, 1), 3.0)).any()


def test_a_change_of_spread_alone_is_not_seen(rng):
    """Residuals of unequal variance look like no effect; a change of the mean does."""
    x = rng.normal(size=2000)
    noise = rng.normal(size=2000)
    bound = PairwiseHSIC().bind(x[:, None], x)
    spread, shift = np.exp(x) * noise, 0.5 * np.exp(x) + noise
    scores = [norm.ppf((t.argsort().argsort() + 0.5) / 2000)[:, None] for t in (spread, shift)]
    of_spread, of_shift = (bound.log_p_values([0], score)[0] for score in scores)
    assert of_spread > np.log(1e-3)
    assert of_shift < np.log(1e-12)


MEASURES = {
    "dense": PairwiseHSIC(form="dense"),
    "coded": PairwiseHSIC(form="coded"),
    "levels": MutualInformation(estimator="discretised"),
}


@pytest.mark.parametrize("measure", MEASURES)
def test_among_renumbers(measure, features, targets):
    bound = MEASURES[measure].bind(as_blocks(features), features[:, 0])
    wanted = np.array([6, 0, 4])
    some = bound.among(wanted)
    np.testing.assert_allclose(
        some.relevance_to(targets), bound.relevance_to(targets)[wanted], rtol=1e-6
    )
    read = some.regression_data.column(1)
    np.testing.assert_array_equal(read, bound.regression_data.column(0))
    if hasattr(bound, "log_p_values"):
        np.testing.assert_allclose(
            some.log_p_values([2, 0], targets), bound.log_p_values([4, 6], targets), rtol=1e-6
        )


def test_leading_factors_are_numbered_by_column(features):
    some = PairwiseHSIC().bind(features, features[:, 0]).among(np.array([1, 3, 4]))
    assert some.leading_factors(2).features.tolist() == [1, 3, 4]


def coded_store(X, categorical):
    return CodedFactors(
        as_blocks(X), categorical, block_bytes=4000, code_bytes=10**9, factor_bytes=30_000
    )


@pytest.mark.parametrize("n_rows", [1, 2, FEW_ROWS])
def test_few_rows_are_multiplied_with_whole_tables(n_rows, features, rng):
    categorical = np.arange(features.shape[1]) == 5
    store = coded_store(features, categorical)
    rows = rng.normal(size=(n_rows, N)).astype(np.float32)
    rows -= rows.mean(axis=1, keepdims=True)
    wanted = np.array([6, 0, 5, 2])
    for found in store.multiplied(wanted, Stack(rows, np.zeros(1, dtype=np.intp))):
        for place, square, size in zip(found.places, found.squares, found.norms, strict=True):
            column = features[:, wanted[place]]
            levels = (category_levels if wanted[place] == 5 else coded_levels)(column)
            factor = levels.whole_table()[levels.codes]
            assert square[0] == pytest.approx(np.sum((rows @ factor) ** 2), rel=1e-5)
            assert size == pytest.approx(np.linalg.norm(factor.T @ factor), rel=1e-5)


def test_more_rows_than_few_are_looked_up(features, rng, monkeypatch):
    asked = []
    looked_up = FactorStore.multiplied
    monkeypatch.setattr(
        FactorStore,
        "multiplied",
        lambda self, *given: asked.append(len(given[1].rows)) or looked_up(self, *given),
    )
    store = coded_store(features, np.zeros(features.shape[1], dtype=bool))
    for n_rows in (FEW_ROWS, FEW_ROWS + 1):
        rows = rng.normal(size=(n_rows, N)).astype(np.float32)
        list(store.multiplied(np.arange(3), Stack(rows, np.zeros(1, dtype=np.intp))))
    assert asked == [FEW_ROWS + 1]


@pytest.mark.parametrize("form", ["dense", "coded"])
def test_products_again_are_those_of_the_first_pass(form, features, rng):
    categorical = np.arange(features.shape[1]) == 5
    if form == "coded":
        store = coded_store(features, categorical)
    else:
        store = DenseFactors(
            as_blocks(features), categorical, block_bytes=4000, factor_bytes=30_000
        )
    rows = rng.normal(size=(3, N)).astype(np.float32)
    stack = Stack(rows - rows.mean(axis=1, keepdims=True), np.zeros(1, dtype=np.intp))
    first = np.empty(7)
    for found in store.products_of_all(stack):
        first[found.places] = found.squares[:, 0]
    wanted = np.array([4, 1, 6])
    again = np.full(3, np.nan)
    for found in store.products_again(wanted, stack):
        again[found.places] = found.squares[:, 0]
    np.testing.assert_allclose(again, first[wanted], rtol=1e-4)


@pytest.mark.parametrize("squared", [False, True])
def test_pearson_is_the_mean_of_the_correlations(squared, features, targets):
    found = Pearson(squared=squared).bind(features, features[:, 0]).relevance_to(targets)
    power = 2 if squared else 1
    expected = [
        np.mean([abs(naive_pairwise.correlation(x, t)) ** power for t in targets.T])
        for x in features.T
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_pearson_p_values_are_those_of_the_test_of_a_correlation(features, rng):
    target = rng.normal(size=N)
    found = np.exp(Pearson().bind(features, target).log_p_values(np.arange(7), target[:, None]))
    expected = np.array([pearsonr(x, target).pvalue for x in features.T])
    tested = found < 0.3
    assert tested.any()
    np.testing.assert_allclose(found[tested], expected[tested], rtol=0.15)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_information_about_one_target_is_that_of_a_measure_bound_to_it(estimator, features, rng):
    target = np.sin(2 * features[:, 0]) + 0.2 * rng.normal(size=N)
    measure = MutualInformation(estimator=estimator, target_kind="continuous")
    expected = measure.bind(features, target).relevance(np.arange(7))
    found = measure.bind(features, features[:, 3]).relevance_to(target[:, None])
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_information_about_several_targets_adds_up(estimator, features, targets):
    bound = MutualInformation(estimator=estimator).bind(features, features[:, 3])
    alone = sum(bound.relevance_to(target[:, None]) for target in targets.T)
    np.testing.assert_allclose(bound.relevance_to(targets), alone, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_target_of_classes_does_not_change_the_information_about_numbers(
    estimator, features, targets
):
    numbers = MutualInformation(estimator=estimator).bind(features, features[:, 3])
    classes = MutualInformation(estimator=estimator).bind(features, features[:, 4].astype(int))
    np.testing.assert_allclose(
        classes.relevance_to(targets), numbers.relevance_to(targets), rtol=1e-10, atol=1e-12
    )


@pytest.mark.parametrize(
    "measure",
    [PairwiseHSIC(form="dense"), PairwiseHSIC(form="coded"), PairwiseHSIC(categorical=[5])],
    ids=str,
)
@pytest.mark.parametrize("n_targets", [1, 3])
def test_p_values_are_uniform_where_nothing_depends(measure, n_targets, features, rng):
    """Ratios below their mean have the chance 1, so only the lower tail is compared."""
    bound = measure.bind(features, features[:, 0])
    mixing = rng.normal(size=(n_targets, n_targets))
    chances = np.exp(
        [
            bound.log_p_values([0, 2, 4, 5], rng.normal(size=(N, n_targets)) @ mixing)
            for _ in range(600)
        ]
    )
    for column in chances.T:
        low = column[column < 0.25]
        # 150 are expected, with a deviation of 11.
        assert 110 < len(low) < 190
        assert kstest(low, "uniform", args=(0, 0.25)).pvalue > 1e-3


def test_a_clear_dependence_has_a_tiny_p_value(features):
    bound = PairwiseHSIC().bind(features, features[:, 0])
    logs = bound.log_p_values([0, 5], np.cos(2 * features[:, :1]))
    assert logs[0] < np.log(1e-12)
    assert logs[1] > np.log(1e-4)
