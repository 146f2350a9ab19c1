"""Mutual information: each estimator against its definition and against known values."""

import numpy as np
import pytest
from scipy import stats
from sklearn.feature_selection import mutual_info_regression

from hsieve import MutualInformation
from tests.reference import naive_pairwise

ESTIMATORS = ("neighbours", "discretised", "copula")

N = 150


@pytest.fixture
def features(rng):
    X = rng.normal(size=(N, 8))
    X[:, 1] = X[:, 0] + 0.5 * X[:, 1]
    X[:, 2] = rng.lognormal(sigma=2, size=N)
    X[:, 3] = np.repeat([0.0, 1.0], N // 2)  # both values one deviation from the mean
    X[:, 4] = rng.integers(0, 3, N)
    X[:, 5] = rng.integers(0, 6, N)
    X[:, 6] = 1e300 * X[:, 6]
    return X


TARGETS = {
    "classes": lambda X: np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.5, 0.7])],
    "numbers": lambda X: X[:, 0] + X[:, 7],
}


def levels(column, *, category=False, n_deviations=0.5):
    if category:
        return list(column)
    return naive_pairwise.three_levels(column.tolist(), n_deviations)


@pytest.mark.parametrize("n_deviations", [1.0, 0.5])
@pytest.mark.parametrize("target", TARGETS)
def test_discretised_relevance_is_the_plug_in_estimate(target, n_deviations, features):
    y = TARGETS[target](features)
    of_target = levels(y, category=target == "classes", n_deviations=n_deviations)
    features[:, 6] /= 1e300  # the literal version squares
    expected = [
        naive_pairwise.plug_in_information(
            levels(x, category=j == 5, n_deviations=n_deviations), of_target
        )
        for j, x in enumerate(features.T)
    ]
    features[:, 6] *= 1e300
    measure = MutualInformation(estimator="discretised", n_deviations=n_deviations, categorical=[5])
    bound = measure.bind(features, y)
    np.testing.assert_allclose(bound.relevance(np.arange(8)), expected, atol=1e-12)
    np.testing.assert_allclose(bound.feature_scores([5, 1]), np.array(expected)[[5, 1]], atol=1e-12)


def test_discretised_redundancy_is_the_plug_in_estimate(features):
    features[:, 6] /= 1e300
    codes = [levels(x, category=j == 5) for j, x in enumerate(features.T)]
    expected = np.array([[naive_pairwise.plug_in_information(a, b) for b in codes] for a in codes])
    bound = MutualInformation(estimator="discretised", categorical=[-3]).bind(
        features, features[:, 0]
    )
    everything = np.arange(8)
    np.testing.assert_allclose(bound.redundancy(everything, everything), expected, atol=1e-12)
    np.testing.assert_allclose(bound.redundancy([7, 5], [3]), expected[[7, 5]][:, [3]], atol=1e-12)
    assert bound.redundancy([7, 5], []).shape == (2, 0)


def test_more_features_than_a_block(rng):
    X = rng.normal(size=(40, 600))
    for estimator in ("discretised", "copula"):
        bound = MutualInformation(estimator=estimator).bind(X, X[:, 599])
        whole = bound.redundancy(np.arange(600), np.arange(600))
        np.testing.assert_allclose(whole, whole.T, atol=1e-12)
        np.testing.assert_allclose(
            whole[:, [3, 500]], bound.redundancy(np.arange(600), [3, 500]), atol=1e-12
        )
        assert bound.relevance(np.arange(600)).argmax() == 599


@pytest.mark.parametrize("rho", [0.0, 0.5, -0.9])
def test_the_copula_knows_the_information_of_a_bivariate_normal_whatever_its_margins(rho, rng):
    pair = rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], size=20_000)
    X = np.column_stack([np.exp(pair[:, 0]), pair[:, 1] ** 3])
    bound = MutualInformation(estimator="copula").bind(X, -X[:, 1])
    truth = -0.5 * np.log(1 - rho**2)
    assert bound.relevance([0])[0] == pytest.approx(truth, abs=0.02)
    assert bound.redundancy([0], [1])[0, 0] == pytest.approx(truth, abs=0.02)


def test_the_copula_sees_classes_that_differ_in_place_or_in_spread(rng):
    y = np.repeat([0, 1], 5_000)
    X = rng.normal(size=(10_000, 3))
    X[:, 0] += 2.0 * y
    X[:, 1] *= 1.0 + 2.0 * y
    place, spread, nothing = MutualInformation(estimator="copula").bind(X, y).relevance([0, 1, 2])
    # The truth: entropy of the mixture less that of its parts.
    grid = np.linspace(-15, 15, 200_001)
    for estimate, parts in ((place, [(0, 1), (2, 1)]), (spread, [(0, 1), (0, 3)])):
        densities = [stats.norm.pdf(grid, *part) for part in parts]
        mixture = np.mean(densities, axis=0)
        entropy = -np.sum(mixture * np.log(np.maximum(mixture, 1e-300))) * (grid[1] - grid[0])
        truth = entropy - np.mean([stats.norm.entropy(*part) for part in parts])
        assert 0.5 * truth < estimate < 1.05 * truth
    assert nothing < 0.01


def test_a_copy_has_no_more_information_than_its_ranks_can_hold(features):
    bound = MutualInformation(estimator="copula").bind(features, features[:, 0])
    assert bound.relevance([0])[0] == pytest.approx(np.log(N))
    assert bound.redundancy([2], [2])[0, 0] == pytest.approx(np.log(N))


@pytest.mark.parametrize("n", [20, 300])
def test_a_feature_that_names_the_class_has_no_more_information_than_its_ranks_can_hold(n):
    y = np.arange(n) % 2
    bound = MutualInformation(estimator="copula").bind(y[:, None] * 1.0, y)
    assert bound.relevance([0])[0] == pytest.approx(np.log(n))


@pytest.mark.parametrize("values", [(0.0, 9.0, 10.0), (0.0, 1.0, 10.0), (-1.0, 1.0, 1.5)])
def test_three_values_are_three_levels_however_they_lie(values):
    x = np.repeat(values, [20, 30, 50])
    bound = MutualInformation(estimator="discretised").bind(x[:, None], x)
    entropy = -sum(p * np.log(p) for p in (0.2, 0.3, 0.5))
    assert bound.self_redundancy([0])[0] == pytest.approx(entropy)
    assert bound.relevance([0])[0] == pytest.approx(entropy)


@pytest.mark.parametrize("estimator", ["copula", "discretised"])
def test_a_constant_feature_has_no_information_even_of_itself(estimator, features):
    features[:, 6] = 3.0
    bound = MutualInformation(estimator=estimator).bind(features, features[:, 0])
    assert bound.self_redundancy([6])[0] == pytest.approx(0.0, abs=1e-12)
    assert bound.relevance([6])[0] == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(bound.redundancy(np.arange(8), [6]), 0.0, atol=1e-12)
    with_classes = MutualInformation(estimator=estimator).bind(features, features[:, 0] > 0)
    assert with_classes.relevance([6])[0] == pytest.approx(0.0, abs=1e-12)


def test_neighbours_are_those_of_scikit_learn(features):
    features[:, 6] /= 1e300
    bound = MutualInformation(categorical=[5]).bind(features, features[:, 0])
    discrete = np.arange(8) == 5
    expected = mutual_info_regression(
        features, features[:, 1], discrete_features=discrete, random_state=0
    )
    np.testing.assert_allclose(bound.redundancy(np.arange(8), [1])[:, 0], expected)
    with_category = bound.redundancy(np.arange(8), [5])
    assert with_category[5, 0] == pytest.approx(
        naive_pairwise.plug_in_information(features[:, 5], features[:, 5])
    )


@pytest.mark.parametrize("n_neighbors", [3, 50])
def test_four_samples_have_three_neighbours_each(n_neighbors, features):
    few = features[[0, 1, 2, 3], :2]
    y = few[:, 0] ** 3
    found = MutualInformation(n_neighbors=n_neighbors).bind(few, y).relevance([0, 1])
    three, two = (mutual_info_regression(few, y, n_neighbors=k, random_state=0) for k in (3, 2))
    np.testing.assert_allclose(found, three)
    assert not np.allclose(two, three)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_estimator_offers_both_statistics(estimator, features):
    features[:, 6] /= 1e300
    measure = MutualInformation(estimator=estimator)
    assert not measure.redundancy_is_psd
    for target in TARGETS.values():
        bound = measure.bind(features, target(features))
        relevance = bound.relevance(np.arange(8))
        assert bound.n_features == 8
        assert relevance.argmax() in {0, 1}
        assert (relevance >= 0).all()
        redundancy = bound.redundancy(np.arange(8), np.arange(8))
        assert (redundancy >= 0).all()
        # scikit-learn's noise, which parts ties, depends on which columns are asked for together.
        tolerance = 0.2 if estimator == "neighbours" else 1e-12
        np.testing.assert_allclose(
            bound.self_redundancy(np.arange(8)), np.diag(redundancy), atol=tolerance
        )
        assert redundancy[0, 1] > 0.3
        assert redundancy[0, 7] < 0.15


@pytest.mark.parametrize(
    ("settings", "y", "message"),
    [
        ({"estimator": "knn"}, np.arange(N) * 0.1, "estimator must be '"),
        ({"n_deviations": 0}, np.arange(N) * 0.1, "n_deviations must be a number above 0"),
        ({"n_deviations": 1.5}, np.arange(N) * 0.1, "at most 1, got 1.5"),
        ({"estimator": "copula", "categorical": [5]}, np.arange(N) * 0.1, "takes numbers only"),
        ({"estimator": "discretised"}, np.ones((N, 2)), "takes one output"),
        ({"estimator": "discretised"}, [0, 1, 1], "X has 150 samples but y has 3"),
        ({"categorical": [11]}, np.arange(N) * 0.1, "positions below 8"),
    ],
)
def test_what_cannot_be_estimated_is_refused_in_words(settings, y, message, features):
    with pytest.raises(ValueError, match=message):
        MutualInformation(**settings).bind(features, y)


def test_missing_values_are_refused(features):
    features[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        MutualInformation(estimator="discretised").bind(features, features[:, 0])
