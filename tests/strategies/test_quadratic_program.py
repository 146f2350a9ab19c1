"""QPFS: the program of the paper, its weight alpha, and landmarks instead of all features."""

import numpy as np
import pytest
from scipy.optimize import minimize

from hsieve import MutualInformation, PairwiseHSIC, Pearson, QuadraticProgram
from hsieve.progress import listen
from hsieve.strategies import quadratic_program as module
from hsieve.strategies.quadratic_program import _choose_landmarks, _redundancy_columns
from tests.reference import naive_pairwise
from tests.strategies.test_mrmr import Table

MEASURES = [
    Pearson(),
    Pearson(squared=True),
    MutualInformation(estimator="discretised"),
    MutualInformation(estimator="copula"),
    PairwiseHSIC(),
    PairwiseHSIC(normalised=False),
]


@pytest.fixture
def data(rng):
    X = rng.normal(size=(120, 20))
    X[:, 10:] = X[:, :10] + 0.5 * X[:, 10:]
    return X, X[:, 0] + 0.8 * X[:, 1] + 0.6 * X[:, 2] + 0.3 * rng.normal(size=120)


def statistics(bound):
    everything = np.arange(bound.n_features)
    Q = bound.redundancy(everything, everything)
    return 0.5 * (Q + Q.T), bound.relevance(everything)


def weights_of(path):
    weights = np.empty(len(path.order))
    weights[path.order] = path.feature_scores
    return weights


@pytest.mark.parametrize("alpha", ["auto", 0.2, 0.9])
@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_no_other_weights_are_better(measure, alpha, data):
    bound = measure.bind(*data)
    Q, f = statistics(bound)
    # Most of these samples give definite matrices, so the program is the paper's as it stands.
    assert np.linalg.eigvalsh(Q)[0] > 0
    path = QuadraticProgram(alpha=alpha).search(bound, 5)
    expected_alpha = naive_pairwise.qpfs_alpha(Q, f) if alpha == "auto" else alpha
    assert path.alpha == pytest.approx(expected_alpha)
    scale = max(Q.max(), f.max())
    other = minimize(
        lambda x: naive_pairwise.qpfs_objective(x, Q / scale, f / scale, path.alpha),
        np.full(20, 1 / 20),
        jac=lambda x: ((1 - path.alpha) * Q @ x - path.alpha * f) / scale,
        bounds=[(0, None)] * 20,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1, "jac": np.ones_like},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    np.testing.assert_allclose(weights_of(path), other.x, atol=1e-6)
    objective = naive_pairwise.qpfs_objective(weights_of(path), Q, f, path.alpha)
    assert -path.set_scores[0] == pytest.approx(objective)


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_all_features_as_landmarks_are_the_full_program(measure, data):
    bound = measure.bind(*data)
    full = QuadraticProgram(n_landmarks="all").search(bound, 5)
    landmarks = QuadraticProgram(n_landmarks=20).search(bound, 5)
    np.testing.assert_array_equal(weights_of(full), weights_of(landmarks))


@pytest.mark.parametrize("measure", [Pearson(squared=True), PairwiseHSIC()], ids=repr)
def test_half_of_the_features_as_landmarks_come_near(measure, data):
    bound = measure.bind(*data)
    full = QuadraticProgram(n_landmarks="all").search(bound, 5)
    half = QuadraticProgram(n_landmarks=10).search(bound, 5)
    assert half.n_landmarks == 10
    assert half.alpha == pytest.approx(full.alpha, abs=0.03)
    assert set(half.order[:3].tolist()) == set(full.order[:3].tolist())
    np.testing.assert_allclose(weights_of(half), weights_of(full), atol=0.05)


def test_with_landmarks_no_square_matrix_of_all_features_is_asked_for(data, monkeypatch):
    bound = Pearson().bind(*data)
    asked = np.zeros((20, 20), dtype=int)
    redundancy = type(bound).redundancy

    def counting(self, features, active):
        asked[np.ix_(features, active)] += 1
        return redundancy(self, features, active)

    monkeypatch.setattr(type(bound), "redundancy", counting)
    monkeypatch.setattr(module, "COLUMN_BLOCK", 2)
    QuadraticProgram(n_landmarks=4).search(bound, 5)
    assert asked.max() == 1
    assert asked.sum() == 4 * 20 - 2 * 2  # pairs between blocks of landmarks once


def test_landmarks_are_automatic_above_a_number_of_features(data, monkeypatch):
    bound = Pearson().bind(*data)
    assert QuadraticProgram().search(bound, 5).n_landmarks == 20
    monkeypatch.setattr(module, "MAX_FULL_FEATURES", 19)
    monkeypatch.setattr(module, "AUTO_LANDMARKS", 7)
    assert QuadraticProgram().search(bound, 5).n_landmarks == 7


def test_the_automatic_weight_from_landmarks_is_unbiased(data):
    bound = Pearson(squared=True).bind(*data)
    Q, f = statistics(bound)
    means = []
    for seed in range(300):
        alpha = QuadraticProgram(n_landmarks=6, random_state=seed).search(bound, 5).alpha
        means.append(alpha / (1 - alpha) * f.mean())
    assert np.mean(means) == pytest.approx(Q.mean(), rel=0.02)


def test_an_indefinite_matrix_is_solved_all_the_same(rng):
    X = rng.normal(size=(12, 60))
    bound = Pearson().bind(X, X[:, 3] + 0.1 * X[:, 5])
    assert np.linalg.eigvalsh(statistics(bound)[0])[0] < -0.1
    for n_landmarks in ("all", 30):
        path = QuadraticProgram(n_landmarks=n_landmarks).search(bound, 5)
        assert path.order[0] == 3
        assert path.feature_scores.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("n_landmarks", [1, 4, 20, "all"])
def test_the_path_tells_what_was_solved(n_landmarks, data):
    bound = Pearson(squared=True).bind(*data)
    path = QuadraticProgram(n_landmarks=n_landmarks).search(bound, 3)
    n_used = 20 if n_landmarks == "all" else n_landmarks
    assert path.n_landmarks == n_used
    assert path.sizes.tolist() == [np.count_nonzero(path.feature_scores)]
    assert (np.diff(path.feature_scores) <= 0).all()
    if n_used == 20:
        Q, f = statistics(bound)
        value = naive_pairwise.qpfs_objective(weights_of(path), Q, f, path.alpha)
        assert path.set_scores[0] == pytest.approx(-value)


def test_half_of_the_landmarks_are_the_most_relevant_features(rng):
    relevance = rng.permutation(np.arange(1.0, 13.0))
    best = np.argsort(-relevance)
    n_found = [_choose_landmarks(relevance, 6, seed)[1] for seed in range(3)]
    assert n_found == [3, 3, 3]
    drawn = [_choose_landmarks(relevance, 6, seed)[0] for seed in range(30)]
    for landmarks in drawn:
        assert landmarks[:3].tolist() == best[:3].tolist()
        assert len(set(landmarks.tolist())) == 6
    # The others are drawn from all that are left.
    assert set(np.concatenate(drawn).tolist()) == set(range(12))


def test_nothing_to_weigh_gives_both_terms_equal_weight():
    table = Table(np.zeros(4), np.zeros((4, 4)))
    assert QuadraticProgram().search(table, 2).alpha == 0.5


def test_relevance_alone_is_a_ranking(data):
    bound = Pearson().bind(*data)
    path = QuadraticProgram(alpha=1).search(bound, 5)
    relevance = bound.relevance(path.order)
    assert (np.diff(relevance) <= 0).all()


def test_progress_ends_at_one(data):
    heard = []
    with listen(lambda share, _: heard.append(share)):
        QuadraticProgram().search(Pearson().bind(*data), 3)
    assert heard[-1] == 1.0
    assert heard == sorted(heard)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": 1.5}, "alpha must be 'auto' or a number from 0 to 1, got 1.5"),
        ({"alpha": "half"}, "alpha must be 'auto'"),
        ({"alpha": float("nan")}, "alpha must be 'auto'"),
        ({"n_landmarks": 0}, "n_landmarks must be 'auto', 'all' or an integer"),
        ({"n_landmarks": "some"}, "n_landmarks must be"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        QuadraticProgram(**settings).check(Pearson(), 5, 3)


def test_the_automatic_weight_from_one_landmark_is_that_of_its_column():
    table = Table(np.array([0.1, 0.2, 0.3, 0.5, 0.4]), 0.6 * np.eye(5) + 0.4)
    path = QuadraticProgram(n_landmarks=1).search(table, 2)
    # The mean of any column is 2.6 / 5, that of the relevances 1.5 / 5.
    assert path.alpha == pytest.approx(2.6 / (2.6 + 1.5))


def test_the_automatic_weight_from_landmarks_counts_columns_by_what_they_stand_for():
    """Columns of the features not among the best have one mean, so that any draw gives q."""
    scale = np.array([1.0, 5.0, 1.0, 1.0, 4.0, 1.0, 1.0, 3.0, 1.0, 1.0])
    table = Table(0.1 * scale, np.outer(scale, scale))
    path = QuadraticProgram(n_landmarks=6).search(table, 2)
    q, f = 1.9**2, 0.19
    assert path.alpha == pytest.approx(q / (q + f))


@pytest.mark.parametrize(
    ("relevance", "shared", "alpha"),
    [(-2.0, 0.2, 0.5), (-0.1, 0.2, 1.0), (2.0, -0.5, 0.0), (0.4, 0.2, 0.5)],
)
def test_the_automatic_weight_is_a_share_though_means_may_be_negative(relevance, shared, alpha):
    """The mean of redundancy is (1 + 3 shared) / 4."""
    redundancy = (1.0 - shared) * np.eye(4) + shared
    path = QuadraticProgram().search(Table(np.full(4, relevance), redundancy), 2)
    assert path.alpha == pytest.approx(alpha)


def test_columns_in_several_blocks_are_those_of_the_matrix(rng, monkeypatch):
    monkeypatch.setattr(module, "COLUMN_BLOCK", 3)
    Q = rng.random((14, 14))
    table = Table(np.ones(14), Q + Q.T)
    landmarks = rng.permutation(14)[:10]
    np.testing.assert_array_equal(_redundancy_columns(table, landmarks), (Q + Q.T)[:, landmarks])
