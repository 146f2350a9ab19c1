"""N3LARS and HSIC Lasso: the path, what it finds, and odd input."""

import warnings

import numpy as np
import pytest

from hsieve import N3LARS, ConstantFeatureWarning, HSICLasso, LarsSearch, PairwiseHSIC
from hsieve.data.synthetic import make_n3lars
from tests.reference.coordinate_descent import nonnegative_lasso

LASSOS = [N3LARS, HSICLasso]


def found(problem, chosen):
    """Whether each true feature, or a copy of it, is among the chosen."""
    chosen = set(chosen.tolist())
    return all(chosen & {r, *problem.copies.get(r, ())} for r in problem.relevant.tolist())


@pytest.mark.parametrize("lasso", LASSOS)
@pytest.mark.parametrize("seed", range(3))
def test_all_three_signals_are_found_among_copies(lasso, seed):
    problem = make_n3lars(300, 400, random_state=seed)
    assert found(problem, lasso(10).fit(problem.X, problem.y).selected_indices_)


def test_classes_that_differ_in_spread_only(rng):
    X = rng.normal(size=(150, 40))
    y = np.repeat(["a", "b", "c"], 50)
    X[y == "a", 7] *= 3
    X[y == "b", 21] *= 3
    assert set(N3LARS(4).fit(X, y).selected_indices_[:2].tolist()) == {7, 21}


@pytest.mark.parametrize("normalised", [True, False])
def test_the_path_equals_an_independent_solver(normalised, rng):
    X = rng.normal(size=(120, 12))
    X[:, 6:] = X[:, :6] + 0.5 * rng.normal(size=(120, 6))
    y = X[:, 0] ** 2 + X[:, 1] + 0.5 * X[:, 2]
    bound = PairwiseHSIC(normalised=normalised).bind(X, y)
    path = LarsSearch().search(bound, 6)
    everything = np.arange(12)
    Q, r = bound.redundancy(everything, everything), bound.relevance(everything)
    levels = path.lars.levels[1:]
    solutions = nonnegative_lasso(0.5 * (Q + Q.T), r, levels)
    for level, expected in zip(levels, solutions, strict=True):
        np.testing.assert_allclose(
            path.lars.coefficients(level), expected, atol=1e-5 * expected.max()
        )


@pytest.mark.parametrize("lasso", LASSOS)
def test_attributes_speak_of_all_features_although_some_are_constant(lasso, rng):
    X = rng.normal(size=(150, 9))
    X[:, [0, 4]] = 3.0
    y = np.abs(X[:, 2]) + X[:, 7]
    with pytest.warns(ConstantFeatureWarning):
        selector = lasso(2).fit(X, y)
    assert sorted(selector.selected_indices_.tolist()) == [2, 7]
    lars = selector.path_.lars
    assert lars.n_features == 9
    assert sorted(lars.selected.tolist()) == [2, 7]
    assert lars.coefficients(float(lars.levels[-1])).shape == (9,)
    np.testing.assert_allclose(lars.coefficients(float(lars.levels[-1])), selector.coef_)
    assert selector.path_.relevance[[0, 4]].tolist() == [0, 0]
    assert {event.feature for event in lars.events} <= {*range(9), -1}
    assert (selector.coef_ >= 0).all()


@pytest.mark.parametrize("lasso", LASSOS)
def test_exact_duplicates_do_not_break_the_path(lasso, rng):
    x = rng.normal(size=(100, 4))
    X = np.hstack([x, x])
    selector = lasso(3).fit(X, x[:, 1] ** 2 + x[:, 3])
    assert {int(j) % 4 for j in selector.selected_indices_[:2]} == {1, 3}
    assert np.isfinite(selector.coef_).all()


@pytest.mark.parametrize("lasso", LASSOS)
def test_as_many_features_as_asked_for_come_back(lasso, rng):
    """Where the path ends before, the most relevant others fill up."""
    X = rng.normal(size=(50, 6))
    selector = lasso(6).fit(X, X[:, 0])
    assert sorted(selector.selected_indices_.tolist()) == list(range(6))


@pytest.mark.parametrize("lasso", LASSOS)
def test_order_of_samples_does_not_matter(lasso, rng):
    problem = make_n3lars(120, 60, random_state=1)
    order = rng.permutation(120)
    plain = lasso(5).fit(problem.X, problem.y)
    shuffled = lasso(5).fit(problem.X[order], problem.y[order])
    np.testing.assert_array_equal(plain.selected_indices_, shuffled.selected_indices_)
    np.testing.assert_allclose(plain.coef_, shuffled.coef_, atol=1e-4 * plain.coef_.max())


def test_the_bound_spares_most_of_the_redundancies():
    problem = make_n3lars(200, 1000, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lars = N3LARS(10).fit(problem.X, problem.y).path_.lars
    assert lars.share_spared > 0.8
