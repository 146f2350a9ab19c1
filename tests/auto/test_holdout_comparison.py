"""Methods compared on samples held out: losses against a plain loop, and who wins."""

import numpy as np
import pytest

from hsieve.auto.holdout_comparison import HoldoutComparison, Proposal, compare_on_holdout
from hsieve.inference.gaussian_machine import validation_folds
from hsieve.kernels.columns import standardised
from tests.reference.naive_pursuit import mixed_gram

N = 60


@pytest.fixture
def data(rng):
    X = rng.normal(size=(N, 4))
    return X, X[:, 1] + X[:, 2] ** 2 + 0.1 * rng.normal(size=N)


def always(*features):
    """A method that chooses these, whatever the samples are."""
    return lambda X, y: {len(features): np.array(features, dtype=np.intp)}


def test_losses_are_those_of_predictions_without_the_sample(data):
    """Of kernel, width and ridge chosen on the training samples, one is as in a plain loop."""
    X, y = data
    comparison = compare_on_holdout({"two": always(1, 2)}, X, y, kind="continuous", n_folds=3)
    (found,) = comparison.proposals
    outputs = standardised(y[:, None])[:, 0]
    scaled = standardised(X, robust=True)
    possible = []
    for training, held_out in validation_folds(y, is_classes=False, n_folds=3):
        errors = []
        for width in (0.25, 0.5, 1.0, 2.0, 4.0, 8.0):
            for additive in (0.0, 0.5):
                gram = mixed_gram([scaled[:, [1]], scaled[:, [2]]], width, additive)
                for ridge in 10.0 ** np.arange(-3.0, 2.1, 0.5):
                    predicted = _ridge(gram, outputs, training, held_out, ridge)
                    errors.append(((outputs[held_out] - predicted) ** 2).mean())
        possible.append((np.array(errors), found.losses[held_out].mean()))
    for errors, loss in possible:
        assert np.abs(errors - loss).min() < 0.02 * loss
    assert found.loss == pytest.approx(found.losses.mean())
    assert found.n_features == 2


def _ridge(gram, outputs, training, held_out, ridge):
    centre = np.eye(len(training)) - 1 / len(training)
    inner = centre @ gram[np.ix_(training, training)] @ centre
    known = outputs[training] - outputs[training].mean()
    weights = centre @ np.linalg.solve(inner + ridge * np.eye(len(training)), known)
    shift = gram[np.ix_(training, training)].mean(axis=0)
    return outputs[training].mean() + (gram[np.ix_(held_out, training)] - shift) @ weights


def test_true_features_predict_better_than_others_and_none(data):
    X, y = data
    methods = {"noise": always(0, 3), "half": always(1), "true": always(1, 2)}
    comparison = compare_on_holdout(methods, X, y, kind="continuous")
    noise, half, true = comparison.proposals
    assert comparison.best is true
    assert true.lack(true) == 0
    assert half.lack(true) > 2
    assert noise.lack(half) > 2
    assert comparison.nothing.loss == pytest.approx(1.0)
    assert comparison.nothing.lack(true) > 2
    assert comparison.of("half") == [half]


def test_a_method_clearly_worse_than_the_first_one_is_not_tried_on_all_folds(rng):
    X = rng.normal(size=(300, 4))
    y = X[:, 1] + X[:, 2] ** 2
    tried = []

    def noise(X, y):
        tried.append(len(y))
        return {2: np.array([0, 3])}

    methods = {"true": always(1, 2), "noise": noise}
    comparison = compare_on_holdout(methods, X, y, kind="continuous")
    assert [proposal.method for proposal in comparison.proposals] == ["true"]
    assert tried == [200]


def test_columns_of_noise_do_not_help_a_forest_where_the_target_is_noisy():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 20))
    y = np.abs(X[:, 3]) + np.sin(2 * X[:, 7]) + 0.5 * X[:, 12] + 3 * rng.normal(size=2000)
    methods = {"true": always(3, 7, 12), "all": always(*range(20))}
    found = compare_on_holdout(methods, X, y, kind="continuous", predictors=("forest",), n_folds=2)
    assert found.best.method == "true"


def test_a_forest_gains_from_many_noisy_copies_of_the_truth():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=300)
    X = truth[:, None] + rng.normal(size=(300, 20))
    methods = {"one": always(0), "many": always(*range(20))}
    for y, kind in ((truth, "continuous"), ((truth > 0.5).astype(int), "classes")):
        comparison = compare_on_holdout(methods, X, y, kind=kind, predictors=("forest",), n_folds=2)
        one, many = comparison.proposals
        assert one.lack(many) > 4
        assert many.loss < 0.6


def test_no_feature_is_the_prediction_from_none(data):
    X, y = data
    comparison = compare_on_holdout(
        {"none": lambda X, y: {None: np.empty(0, int)}}, X, y, kind="continuous"
    )
    (none,) = comparison.proposals
    np.testing.assert_array_equal(none.losses, comparison.nothing.losses)
    assert none.n_features == 0


def test_rare_classes_count_as_much_as_common_ones(rng):
    X = rng.normal(size=(200, 2))
    y = np.zeros(200, dtype=int)
    y[X[:, 0] > 0] = 1
    y[:10] = 2
    X[:10, 1] += 6
    comparison = compare_on_holdout({"rare": always(1), "common": always(0)}, X, y, kind="classes")
    rare, common = comparison.proposals
    # One of three indicators is explained by the one, two halves by the other.
    assert rare.loss < 0.85
    assert common.loss < 0.7


def test_methods_see_training_samples_only(data):
    X, y = data
    seen = []

    def choose(X, y):
        seen.append(len(y))
        return {1: np.array([1])}

    compare_on_holdout({"one": choose}, X, y, kind="continuous", n_folds=4)
    assert seen == [45] * 4


def test_equal_losses_lack_nothing():
    losses = np.ones(5)
    one, two = Proposal("a", 1, losses, 1.0), Proposal("b", 2, losses - 0.5, 2.0)
    assert one.lack(one) == 0.0
    assert one.lack(two) == np.inf
    assert two.lack(one) == 0.0
    assert HoldoutComparison((one, two), one).best is two
