"""Settings at the edge: the last right value is taken, the first wrong one refused."""

import numpy as np
import pytest

from hsieve import (
    LSMI,
    NHSIC,
    FamilyScore,
    IndependenceTest,
    KernelSVM,
    LinearSVM,
    MutualInformation,
    Pearson,
    Relief,
    Ridge,
    SpectralScore,
    SymmetricalUncertainty,
    pair_statistics,
)
from hsieve.measures.density_ratio import _solved

RIGHT = [
    MutualInformation(estimator="discretised", n_deviations=1),
    MutualInformation(estimator="discretised", n_deviations=1e-9),
    SpectralScore(graph="neighbours", n_neighbors=1),
    SpectralScore("phi3", n_eigenvectors=2),
    LSMI(n_centres=1),
    LSMI(n_folds=2),
    LSMI(n_folds=10),
    LSMI(width_factors=(1e-3, 1.0), ridges=[0.1]),
    LinearSVM(1e-3),
    KernelSVM(1e-3),
    Ridge(1e-9),
    Relief(n_neighbors=1),
    Relief(n_neighbors=None),
    Relief(sigma=1e-3),
]
WRONG = [
    (MutualInformation(n_deviations=0), "n_deviations"),
    (MutualInformation(n_deviations=1 + 1e-9), "n_deviations"),
    (MutualInformation(n_deviations="x"), "n_deviations"),
    (SpectralScore(n_neighbors=0), "n_neighbors"),
    (SpectralScore(n_neighbors=1.5), "n_neighbors"),
    (SpectralScore(n_eigenvectors=1), "n_eigenvectors"),
    (SpectralScore(n_eigenvectors=2.5), "n_eigenvectors"),
    (LSMI(n_centres=0), "n_centres"),
    (LSMI(n_folds=1), "n_folds"),
    (LSMI(n_folds=2.5), "n_folds"),
    (LSMI(n_folds=11), "n_folds"),
    (LSMI(width_factors=()), "width_factors"),
    (LSMI(width_factors=(1.0, 0.0)), "width_factors"),
    (LSMI(ridges=(0.1, np.inf)), "ridges"),
    (LSMI(ridges=("x",)), "ridges"),
    (LSMI(precision="half"), "precision"),
    (LinearSVM(np.inf), "C must be"),
    (LinearSVM(-1.0), "C must be"),
    (LinearSVM("x"), "C must be"),
    (KernelSVM(0), "C must be"),
    (Ridge(0), "alpha"),
    (Ridge(-1), "alpha"),
    (Relief(n_neighbors=0), "n_neighbors"),
    (Relief(n_neighbors=True), "n_neighbors"),
    (Relief(n_neighbors=1.5), "n_neighbors"),
    (Relief(sigma=0), "sigma"),
    (Relief(sigma="x"), "sigma"),
]


@pytest.fixture
def data(rng):
    X = rng.normal(size=(20, 4))
    return X, (np.arange(20) % 2)


@pytest.mark.parametrize("measure", RIGHT, ids=repr)
def test_the_last_right_value_is_taken(measure, data):
    assert np.isfinite(measure.bind(*data).feature_scores(np.arange(4))).all()


@pytest.mark.parametrize(("measure", "setting"), WRONG, ids=repr)
def test_the_first_wrong_value_is_refused_by_name(measure, setting, data):
    with pytest.raises(ValueError, match=setting):
        measure.bind(*data)


def test_two_samples_a_class_are_enough_for_variances(rng):
    X = rng.normal(size=(4, 3))
    every = np.arange(3)
    for name in ("t", "snr", "moderated-t", "lods", "pam"):
        assert np.isfinite(FamilyScore(name).bind(X, [0, 0, 1, 1]).feature_scores(every)).all()
    for name in ("t", "snr"):
        with pytest.raises(ValueError, match="two samples in each class, got 1"):
            FamilyScore(name).bind(X, [0, 1, 1, 1])
    assert np.isfinite(Relief(n_neighbors=1).bind(X, [0, 0, 1, 1]).feature_scores(every)).all()
    with pytest.raises(ValueError, match="got one of class 0"):
        Relief(n_neighbors=1).bind(X, [0, 1, 1, 1])
    with pytest.raises(ValueError, match="more samples"):
        FamilyScore("pam").bind(X, list("abcd"))
    assert np.isfinite(FamilyScore("pam").bind(X, list("abcc")).feature_scores(every)).all()


def test_pairs_must_be_pairs_of_features_there_are(rng):
    X, y = rng.normal(size=(20, 4)), rng.normal(size=20)
    assert pair_statistics(X, y, [(0, 3)], rank=1).shape == (1,)
    assert pair_statistics(X, y, np.empty((0, 2), dtype=int)).shape == (0,)
    for wrong in ([(0, 4)], [(-1, 0)], [(0, 1, 2)], [0, 1], [(0.0, 1.0)]):
        with pytest.raises(ValueError, match="pairs"):
            pair_statistics(X, y, wrong)
    for rank in (0, 1.5):
        with pytest.raises(ValueError, match="rank"):
            pair_statistics(X, y, [(0, 1)], rank=rank)
    with pytest.raises(ValueError, match="samples"):
        pair_statistics(X, y[:-1], [(0, 1)])


@pytest.mark.parametrize(
    "measure",
    [MutualInformation(), IndependenceTest(), Relief()],
    ids=repr,
)
def test_one_output_means_a_value_for_each_sample(measure, data):
    X, y = data
    for wrong in (np.float64(3.5), np.column_stack([y, y])):
        with pytest.raises(ValueError, match="one output"):
            measure.bind(X, wrong)


@pytest.mark.parametrize(
    "measure",
    [MutualInformation(estimator="discretised"), SymmetricalUncertainty(), Pearson()],
    ids=repr,
)
def test_scores_of_features_are_their_relevance(measure, data):
    bound = measure.bind(*data)
    np.testing.assert_array_equal(bound.feature_scores([3, 0]), bound.relevance([3, 0]))


@pytest.mark.parametrize("measure", [LinearSVM(), KernelSVM()], ids=repr)
def test_a_feature_alone_scores_what_its_machine_does(measure, data):
    bound = measure.bind(*data)
    alone = [bound.subset_score([j]) for j in range(4)]
    scores = bound.feature_scores(np.arange(4))
    if isinstance(measure, LinearSVM):
        expected = bound.contributions(np.array([], dtype=np.intp), np.arange(4))
        np.testing.assert_allclose(scores, expected)
        assert scores.argmax() == np.argmax(alone)
    else:
        np.testing.assert_allclose(scores, alone)


def test_ridges_below_the_rounding_of_the_system_still_have_a_solution(rng):
    half = rng.normal(size=(6, 3))
    quadratic = half @ half.T
    linear = quadratic @ rng.normal(size=6)
    # Three eigenvalues are zero but for rounding; take them below.
    found = _solved(quadratic - 1e-10 * np.eye(6), linear, 1e-30)
    np.testing.assert_allclose(quadratic @ found, linear, atol=1e-6)
    exact = _solved(quadratic, linear, 0.5)
    np.testing.assert_allclose(exact, np.linalg.solve(quadratic + 0.5 * np.eye(6), linear))


def test_weights_that_leave_no_two_samples_apart_have_no_value_and_no_slope(data):
    bound = NHSIC().bind(*data)
    value, slope = bound.weighted_value_and_gradient(np.zeros(4), 1.0)
    assert value == 0.0
    assert slope.tolist() == [0.0] * 4
