"""The random-halves regression: its linear program, and what it finds."""

import numpy as np
import pytest
from scipy.optimize import linprog

from hsieve import HSIC, DependenceSelector, HalvesRegression, RandomHalves, kernels
from hsieve.exceptions import FewerFeaturesWarning
from hsieve.progress import listen
from hsieve.strategies.random_sets import (
    _scale_of,
    insensitive_fit,
    insensitive_fit_of_size,
    strongest_penalty,
)
from tests.reference.naive_randsel import insensitive_objective


@pytest.fixture
def splits(rng):
    rows = rng.choice([-1.0, 1.0], size=(60, 8))
    return rows, rows @ np.array([1.0, 0, 0, 0.5, 0, 0, 0, 0]) + 0.3 * rng.normal(size=60)


def primal_weights(rows, target, epsilon, penalty):
    """Solve the program as it stands, with one slack a row."""
    n, d = rows.shape
    slack = np.eye(n)
    solution = linprog(
        np.concatenate([np.full(d, penalty), np.ones(n)]),
        A_ub=np.block([[rows, -slack], [-rows, -slack]]),
        b_ub=np.concatenate([target + epsilon, epsilon - target]),
    )
    return solution.x[:d]


@pytest.mark.parametrize("epsilon", [0.0, 0.2])
@pytest.mark.parametrize("share", [0.01, 0.2, 0.7])
def test_the_dual_program_reaches_the_optimum_of_the_primal(splits, epsilon, share):
    rows, target = splits
    penalty = share * strongest_penalty(rows, target, epsilon)
    fit = insensitive_fit(rows, target, epsilon=epsilon, penalty=penalty)
    truth = primal_weights(rows, target, epsilon, penalty)
    settings = {"epsilon": epsilon, "penalty": penalty}
    reached = insensitive_objective(rows, target, fit.weights, **settings)
    assert reached == pytest.approx(insensitive_objective(rows, target, truth, **settings))
    # Optimality: the loss pulls at each weight by the penalty, and nowhere by more.
    assert (fit.pull <= penalty + 1e-7).all()
    np.testing.assert_allclose(fit.pull[fit.weights > 0], penalty, rtol=1e-7)


def test_no_feature_has_a_weight_from_the_strongest_penalty_on(splits):
    rows, target = splits
    strongest = strongest_penalty(rows, target, 0.2)
    assert insensitive_fit(rows, target, epsilon=0.2, penalty=1.001 * strongest).n_used == 0
    assert insensitive_fit(rows, target, epsilon=0.2, penalty=0.98 * strongest).n_used > 0


def test_the_penalty_follows_from_the_number_wanted(splits):
    rows, target = splits
    fit = insensitive_fit_of_size(rows, target, 2, epsilon=0.1)
    assert np.flatnonzero(fit.weights).tolist() == [0, 3]


def test_nothing_to_explain_leaves_all_weights_zero(splits):
    rows, target = splits
    assert insensitive_fit_of_size(rows, target, 2, epsilon=1e3).n_used == 0


def test_relevant_features_get_the_weights(rng):
    X = rng.normal(size=(120, 10))
    y = (X[:, 2] ** 2 + X[:, 7] > 0.8).astype(int)
    selector = HalvesRegression(2, n_rounds=300).fit(X, y)
    assert sorted(selector.selected_indices_.tolist()) == [2, 7]


def test_a_given_penalty_decides_the_number(rng):
    X = rng.normal(size=(120, 10))
    y = (X[:, 2] > 0).astype(int)
    selector = HalvesRegression(5, n_rounds=200, penalty=0.9)
    with pytest.warns(FewerFeaturesWarning):
        selector.fit(X, y)
    assert selector.selected_indices_.tolist() == [2]


def test_the_strategy_takes_any_measure_of_sets(rng):
    X = rng.normal(size=(80, 6))
    strategy = RandomHalves(n_rounds=100, random_state=np.random.default_rng(0))
    measure = HSIC(kernel_x=kernels.Linear(), estimator="biased")
    selector = DependenceSelector(measure, strategy=strategy, n_features_to_select=1)
    assert selector.fit(X, X[:, 4]).selected_indices_.tolist() == [4]


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"n_rounds": 0}, "n_rounds must be an integer"),
        ({"epsilon": -1}, "epsilon must be a number of at least 0"),
        ({"penalty": 2}, "penalty must be None or a number"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, complaint, rng):
    with pytest.raises(ValueError, match=complaint):
        HalvesRegression(**settings).fit(rng.normal(size=(20, 3)), np.arange(20) % 2)


def test_a_target_within_the_tube_leaves_no_feature_a_weight(rng):
    rows, target = rng.random((12, 4)), np.full(12, 0.05)
    fit = insensitive_fit_of_size(rows, target, 2, epsilon=0.1)
    assert fit.penalty == 0.0
    assert not fit.weights.any()
    np.testing.assert_allclose(fit.pull, rows.T @ target)


@pytest.mark.parametrize("penalty", [None, 0.3])
def test_the_path_tells_which_features_have_a_weight(penalty, rng):
    X = rng.normal(size=(40, 8))
    bound = HSIC().bind(X, X[:, 0] + X[:, 3])
    path = RandomHalves(n_rounds=50, penalty=penalty).search(bound, 2)
    n_used = int(np.count_nonzero(path.feature_scores))
    assert n_used == 2 or penalty is not None
    assert path.sizes.tolist() == [n_used]
    assert path.set_scores[0] == pytest.approx(bound.subset_score(np.sort(path.order[:n_used])))
    assert path.n_selectable == (None if penalty is None else n_used)
    assert path.stop_reason == f"{n_used} feature(s) have a weight"


def test_differences_are_measured_in_their_deviation_and_equal_ones_in_their_size():
    assert _scale_of(np.array([2.0, 3.0, 4.0])) == pytest.approx(np.sqrt(2 / 3))
    assert _scale_of(np.array([-3.0, -3.0 - 1e-12])) == pytest.approx(3.0)
    assert _scale_of(np.zeros(3)) == 1.0


def test_progress_is_told_every_fifty_rounds(rng):
    X = rng.normal(size=(20, 3))
    heard = []
    bound = HSIC().bind(X, X[:, 0])
    with listen(lambda share, what: heard.append(share) if what == "random halves" else None):
        RandomHalves(n_rounds=120).search(bound, 1)
    assert heard == pytest.approx([0.0, 0.8 * 50 / 120, 0.8 * 100 / 120])
