"""Iterative screening against projections of whole kernel matrices."""

import numpy as np
import pytest

from hsieve import (
    IncompatibleCombinationError,
    IterativeScreening,
    MutualInformation,
    PairwiseHSIC,
    Pearson,
    Ranking,
)
from hsieve.progress import listen
from tests.reference import naive_pairwise
from tests.strategies.test_mrmr import Table


@pytest.fixture
def data(rng):
    X = rng.normal(size=(60, 14))
    X[:, 7:] = X[:, :7] + 0.3 * X[:, 7:]
    return X, 2 * X[:, 0] + X[:, 1] + 0.7 * X[:, 2]


def linear_gram(column):
    z = (column - column.mean()) / column.std()
    return np.outer(z, z) / len(z)


@pytest.mark.parametrize("n_screened", [6, 9, 14])
def test_each_step_projects_the_kernels_taken_out_of_the_targets(n_screened, data):
    X, y = data
    path = IterativeScreening(n_screened).search(Pearson(squared=True).bind(X, y), 5)
    grams = [linear_gram(column) for column in X.T]
    expected = naive_pairwise.iterative_screening(grams, linear_gram(y), n_screened, 5)
    assert path.order[:5].tolist() == expected
    assert sorted(path.order.tolist()) == list(range(14))


def test_features_screened_out_follow_by_relevance(data):
    bound = PairwiseHSIC().bind(*data)
    plain = Ranking().search(bound, 3)
    path = IterativeScreening(6).search(bound, 3)
    assert path.order[0] == plain.order[0]
    assert set(path.order[:6].tolist()) == set(plain.order[:6].tolist())
    np.testing.assert_array_equal(path.order[6:], plain.order[6:])
    np.testing.assert_allclose(path.set_scores, np.cumsum(path.feature_scores[:3]))


@pytest.mark.parametrize("measure", [PairwiseHSIC(), Pearson(squared=True)], ids=repr)
def test_exact_copies_are_passed_over(measure, rng):
    x = rng.normal(size=(80, 3))
    X = np.hstack([x, x, x])
    path = IterativeScreening(9).search(measure.bind(X, 3 * x[:, 0] + 2 * x[:, 1] + x[:, 2]), 3)
    # Which of three copies is taken is a matter of rounding.
    assert [int(feature) % 3 for feature in path.order[:3]] == [0, 1, 2]


def test_it_ends_where_nothing_is_left(rng):
    """A target that is one of the features has nothing left once that is taken."""
    x = rng.normal(size=(40, 1))
    path = IterativeScreening(4).search(Pearson(squared=True).bind(np.tile(x, 4), x[:, 0]), 3)
    assert path.stop_reason == "nothing left to explain"
    assert sorted(path.order.tolist()) == [0, 1, 2, 3]


@pytest.mark.parametrize("n_wanted", [3, 4])
def test_the_sizes_of_the_sets_are_counted_from_one(n_wanted, data):
    path = IterativeScreening(10).search(PairwiseHSIC().bind(*data), n_wanted)
    assert path.sizes.tolist() == list(range(1, n_wanted + 1))
    assert len(path.set_scores) == n_wanted


def test_a_dependent_kernel_is_passed_over_though_rounding_leaves_it_something():
    """The second kernel is half of the first, with more relevance than it can have."""
    kernels = np.array([[2.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    relevance = np.array([1.0, 0.5 + 1e-6, 1e-7])
    path = IterativeScreening(3).search(Table(relevance, kernels @ kernels.T), 3)
    assert path.order.tolist() == [0, 2, 1]
    assert path.sizes.tolist() == [1, 2]
    assert path.stop_reason == "nothing left to explain"


def test_a_feature_with_nothing_or_less_left_is_not_taken():
    table = Table(np.array([0.0, 1.0, -0.5, 0.5]), np.eye(4))
    path = IterativeScreening(4).search(table, 4)
    assert path.order.tolist() == [1, 3, 0, 2]
    assert path.sizes.tolist() == [1, 2]
    assert path.feature_scores.tolist() == [1.0, 0.5, 0.0, -0.5]


@pytest.mark.parametrize("measure", [MutualInformation(), Pearson()], ids=repr)
def test_statistics_that_are_no_inner_products_are_refused(measure):
    with pytest.raises(IncompatibleCombinationError, match="positive semi-definite"):
        IterativeScreening().check(measure, 12, 3)


@pytest.mark.parametrize("n_screened", [0, 5.5, None, True])
def test_a_screen_of_no_number_is_refused(n_screened, data):
    with pytest.raises(ValueError, match="n_screened must be an integer of at least 1"):
        IterativeScreening(n_screened).check(PairwiseHSIC(), data[0].shape[1], 3)


def test_a_screen_of_no_feature_is_refused_though_the_number_is_not_known():
    strategy = IterativeScreening(0)
    n_wanted = strategy.n_ranked(12)
    assert n_wanted == 1
    with pytest.raises(ValueError, match="n_screened must be"):
        strategy.check(PairwiseHSIC(), 12, n_wanted)


def test_progress_ends_at_one(data):
    heard = []
    bound = PairwiseHSIC().bind(*data)
    with listen(lambda share, _: heard.append(share)):
        IterativeScreening(10).search(bound, 3)
    assert heard[-1] == 1.0
    assert heard == sorted(heard)


def test_evaluations_are_the_statistics_asked_for(rng):
    K = rng.random((30, 12))
    table = Table(K.T @ K[:, :4].sum(axis=1), K.T @ K)
    path = IterativeScreening(8).search(table, 3)
    assert len(path.sizes) == 3
    assert table.n_asked == 8 * 3


def test_a_screen_is_as_wide_as_the_number_wanted(data):
    X, y = data
    bound = Pearson(squared=True).bind(X, y)
    narrow, wide = (IterativeScreening(n).search(bound, 5) for n in (2, 5))
    assert narrow.order.tolist() == wide.order.tolist()
