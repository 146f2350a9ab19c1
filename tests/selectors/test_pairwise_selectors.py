"""MaxRelevance, MRMR and QPFS: what they find, and odd input."""

import numpy as np
import pytest

from hsieve import (
    HSIC,
    MRMR,
    QPFS,
    ConstantFeatureWarning,
    IncompatibleCombinationError,
    MaxRelevance,
    MutualInformation,
    PairwiseHSIC,
    Pearson,
)
from hsieve.datasets import make_n3lars

SELECTORS = [MaxRelevance, MRMR, QPFS]


def found(problem, chosen):
    """Whether each true feature, or a copy of it, is among the chosen."""
    chosen = set(chosen.tolist())
    return all(chosen & {r, *problem.copies.get(r, ())} for r in problem.relevant.tolist())


@pytest.mark.parametrize(
    ("selector", "n_wanted"),
    [
        (MaxRelevance(), 6),  # the copies come along
        (MaxRelevance(n_screened=20), 3),
        (MRMR(), 3),
        (MRMR(measure=PairwiseHSIC()), 3),
        (QPFS(), 6),
        (QPFS(n_landmarks=60), 6),
    ],
    ids=repr,
)
@pytest.mark.parametrize("seed", range(2))
def test_all_three_signals_are_found_among_copies(selector, n_wanted, seed):
    problem = make_n3lars(500, 200, random_state=seed)
    selector.set_params(n_features_to_select=n_wanted).fit(problem.X, problem.y)
    assert found(problem, selector.selected_indices_)


def test_a_plain_ranking_takes_the_copies_and_iterative_screening_does_not():
    problem = make_n3lars(500, 200, random_state=0)
    plain = MaxRelevance(3).fit(problem.X, problem.y).selected_indices_
    assert not found(problem, plain)
    screened = MaxRelevance(3, n_screened=20).fit(problem.X, problem.y).selected_indices_
    assert found(problem, screened)


@pytest.mark.parametrize("selector", SELECTORS)
def test_categories_whose_numbers_mean_nothing(selector, rng):
    X = rng.normal(size=(150, 5))
    X[:, 3] = rng.integers(0, 6, 150)
    y = np.isin(X[:, 3], [0, 3, 4]).astype(int)
    assert selector(1, categorical=[3]).fit(X, y).selected_indices_.tolist() == [3]
    X[:, 0] = 7.0
    with pytest.warns(ConstantFeatureWarning):
        fitted = selector(1, categorical=[3]).fit(X, y)
    assert fitted.selected_indices_.tolist() == [3]
    assert fitted.scores_.shape == (5,)


@pytest.mark.parametrize("selector", SELECTORS)
def test_settings_are_handed_on_to_a_measure_of_the_users_choice(selector, rng):
    X = rng.normal(size=(200, 5))
    X[:, 3] = rng.integers(0, 6, 200)
    y = np.isin(X[:, 3], [0, 3, 4]).astype(int)
    measure = MutualInformation(estimator="discretised")
    given = selector(1, measure=measure, categorical=[3], target_kind="classes").fit(X, y)
    held = selector(1, measure=MutualInformation(estimator="discretised", categorical=[3]))
    np.testing.assert_array_equal(given.scores_, held.fit(X, y).scores_)
    assert measure.categorical == ()
    with pytest.raises(ValueError, match="Pearson takes no categorical"):
        selector(1, measure=Pearson(), categorical=[3]).fit(X, y)


@pytest.mark.parametrize("selector", [MRMR, QPFS])
def test_a_measure_of_sets_is_refused_by_name(selector, rng):
    X = rng.normal(size=(20, 3))
    with pytest.raises(IncompatibleCombinationError, match="cannot search with HSIC"):
        selector(1, measure=HSIC()).fit(X, X[:, 0])
    with pytest.raises(IncompatibleCombinationError, match="must be a hsieve measure"):
        selector(1, measure="mi", categorical=[1]).fit(X, X[:, 0])
    with pytest.raises(IncompatibleCombinationError, match=r"Did you mean HSIC\(\)\?"):
        selector(1, measure=HSIC).fit(X, X[:, 0])


@pytest.mark.parametrize("selector", [MaxRelevance, QPFS])
def test_several_outputs(selector, rng):
    X = rng.normal(size=(120, 6))
    Y = np.column_stack([X[:, 0] ** 2, np.abs(X[:, 3])])
    assert sorted(selector(2).fit(X, Y).selected_indices_.tolist()) == [0, 3]


def test_mrmr_says_that_it_takes_one_output(rng):
    X = rng.normal(size=(40, 6))
    with pytest.raises(ValueError, match="one output"):
        MRMR(2).fit(X, X[:, :2])


@pytest.mark.parametrize("selector", [*SELECTORS, lambda k: MaxRelevance(k, n_screened=8)])
def test_as_many_features_as_asked_for_come_back(selector, rng):
    X = rng.normal(size=(50, 6))
    fitted = selector(6).fit(X, X[:, 0])
    assert sorted(fitted.selected_indices_.tolist()) == list(range(6))
    assert fitted.selected_indices_[0] == 0


def test_weights_of_qpfs_sum_to_one(rng):
    X = rng.normal(size=(80, 9))
    fitted = QPFS(3).fit(X, np.abs(X[:, 2]) + X[:, 7])
    assert fitted.scores_.sum() == pytest.approx(1.0)
    assert (fitted.scores_ >= 0).all()
    assert sorted(fitted.selected_indices_[:2].tolist()) == [2, 7]
    assert 0 < fitted.path_.alpha < 1
