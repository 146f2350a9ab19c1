"""Selectors that find their number of features themselves, and those that refuse to."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from hsieve import (
    BAHSIC,
    FCBF,
    FOHSIC,
    HITONPC,
    HSIC,
    L1HSIC,
    L1LSMI,
    L1SVM,
    MRMR,
    N3LARS,
    QPFS,
    SPEC,
    SVMRFE,
    BackwardLSMI,
    DependenceSelector,
    FamilyRanking,
    FCBFSearch,
    ForwardLSMI,
    HSICLasso,
    InteractionScan,
    LaplacianScore,
    LassoSelector,
    MaxRelevance,
    Pearson,
    ReliefF,
    SpAM,
    SymmetricalUncertainty,
    kernels,
)
from hsieve.data.arrays import as_blocks
from hsieve.inference.alignment_sweep import alignment_sweep
from hsieve.measures.targets import target_gram
from hsieve.selectors import number_rules

RANKING = [
    BAHSIC(),
    FOHSIC(),
    N3LARS(),
    HSICLasso(),
    DependenceSelector(Pearson()),
    DependenceSelector(HSIC(), strategy="backward"),
    FamilyRanking(),
    MRMR(),
    QPFS(),
    MaxRelevance(),
    MaxRelevance(n_screened=6),
    ReliefF(),
    SVMRFE(),
    SPEC(),
    ForwardLSMI(n_centres=20),
    BackwardLSMI(n_centres=20),
]
REFUSING = [
    FCBF(),
    HITONPC(),
    L1HSIC(),
    L1LSMI(),
    L1SVM(),
    LassoSelector(),
    SpAM(),
    InteractionScan(),
    DependenceSelector(SymmetricalUncertainty(), strategy=FCBFSearch()),
]


@pytest.fixture(scope="module")
def data():
    """Two features that decide the class, beside noise and a constant column."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 10))
    X[:, 2] = 1.0
    return X, np.where(X[:, 3] + X[:, 7] > 0, "high", "low")


@pytest.mark.filterwarnings("ignore:1 constant column")
@pytest.mark.parametrize("selector", RANKING, ids=repr)
def test_every_ranking_can_be_cut_by_alignment(selector, data):
    X, y = data
    selector.set_params(n_features_to_select="alignment").fit(X, y)
    choice = selector.n_features_choice_
    assert sorted(selector.selected_indices_.tolist()) == [3, 7]
    assert (choice.rule, choice.number, choice.criterion) == ("alignment", 2, "alignment")
    assert choice.values.argmax() == np.flatnonzero(choice.sizes == 2)[0]
    guarded = selector.set_params(n_features_to_select="guarded").fit(X, y)
    assert len(guarded.selected_indices_) == guarded.n_features_choice_.number >= 2


@pytest.mark.parametrize("selector", REFUSING, ids=repr)
@pytest.mark.parametrize("rule", ["alignment", "guarded", "cv"])
def test_methods_with_a_number_of_their_own_refuse_in_words(selector, rule, data):
    X, y = data
    with pytest.raises(ValueError, match=f"cannot find its number by .*'{rule}'.*Give a number"):
        selector.set_params(n_features_to_select=rule).fit(X, y)


@pytest.mark.parametrize("selector", [BAHSIC("most"), LassoSelector("most")], ids=repr)
def test_other_words_are_refused_with_those_there_are(selector, data):
    with pytest.raises(ValueError, match="'alignment', 'guarded', 'cv', got 'most'"):
        selector.fit(*data)


def test_answer_is_that_of_the_number_found(data):
    X, y = data
    X = np.delete(X, 2, axis=1)
    for kind in (N3LARS, FOHSIC, BAHSIC):
        found = kind("guarded").fit(X, y)
        asked = kind(found.n_features_choice_.number).fit(X, y)
        assert found.selected_indices_.tolist() == asked.selected_indices_.tolist()
    found, asked = N3LARS("alignment").fit(X, y), N3LARS(2).fit(X, y)
    np.testing.assert_array_equal(found.coef_, asked.coef_)


def test_curve_is_the_sweep_over_the_ranking(data):
    X, y = data
    X = np.delete(X, 2, axis=1)
    selector = BAHSIC("alignment").fit(X, y)
    sweep = alignment_sweep(X, y, np.argsort(selector.ranking_))
    np.testing.assert_allclose(selector.n_features_choice_.values, sweep.curve, atol=1e-12)
    assert selector.n_features_choice_.width == sweep.best_width


@pytest.mark.filterwarnings("ignore:1 constant column")
@pytest.mark.parametrize("kind", [FamilyRanking, N3LARS, SVMRFE])
def test_cross_validation_finds_the_true_number(kind, data):
    choice = kind("cv").fit(*data).n_features_choice_
    assert choice.number in (2, 3)
    assert choice.criterion == "accuracy"
    assert choice.standard_error is None


def test_cross_validation_ranks_inside_the_folds(data, monkeypatch):
    X, y = np.delete(data[0], 2, axis=1), data[1]
    rows = []

    class Watched(FamilyRanking):
        def fit(self, X, y):
            rows.append(len(X))
            return super().fit(X, y)

    Watched("cv").fit(X, y)
    assert rows[0] == 90
    assert len(rows) == 11
    assert max(rows[1:]) <= 82


def test_noise_is_not_predicted(data):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 1000)), np.arange(60) % 2
    choice = FamilyRanking("cv").fit(X, y).n_features_choice_
    assert choice.values.max() < 0.75


def test_categories_numbers_and_gram_matrices_are_understood():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 6))
    X[:, 4] = rng.integers(0, 3, size=80)
    y = np.array([0.0, 3.0, 1.0])[X[:, 4].astype(int)] + 0.1 * rng.normal(size=80)
    chosen = BAHSIC("alignment", categorical=[-2]).fit(X, y)
    assert chosen.selected_indices_.tolist() == [4]
    gram = BAHSIC("alignment", categorical=[4], kernel_y=kernels.Precomputed())
    assert gram.fit(X, target_gram(y)).selected_indices_.tolist() == [4]
    with pytest.raises(ValueError, match="the target is a Gram matrix"):
        gram.set_params(n_features_to_select="cv").fit(X, target_gram(y))
    validated = BAHSIC("cv", categorical=[4]).fit(X, y)
    assert (validated.n_features_choice_.number, validated.n_features_choice_.criterion) == (
        1,
        "R2",
    )


def test_unsupervised_rankings_need_a_target_for_a_rule():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)), np.arange(60) % 2
    X[y == 1, 2:4] += 5.0
    selector = LaplacianScore("alignment").fit(X, y)
    assert sorted(selector.selected_indices_.tolist()) == [2, 3]
    with pytest.raises(ValueError, match="requires y to be passed"):
        selector.fit(X)


def test_blocks_covariates_and_many_samples(monkeypatch):
    monkeypatch.setattr(number_rules, "ALIGNMENT_SAMPLES", 100)
    monkeypatch.setattr(number_rules, "PIECE_BYTES", 5000)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 12))
    y = X[:, 5] + X[:, 0] + X[:, 9]
    selector = N3LARS("alignment", covariates=[0]).fit(as_blocks(X), y)
    assert sorted(selector.selected_indices_.tolist()) == [5, 9]
    assert 0 not in selector.selected_indices_
    assert N3LARS("cv", covariates=[0]).fit(as_blocks(X), y).n_features_choice_.criterion == "R2"
    monkeypatch.setattr(number_rules, "MOST_VALUES", 100)
    with pytest.raises(ValueError, match="at most 100, but there are 3,600"):
        N3LARS("cv").fit(as_blocks(X), y)


def test_rules_work_in_pipelines_on_frames_and_leave_no_trace(data):
    X, y = np.delete(data[0], 2, axis=1), data[1]
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(9)])
    model = make_pipeline(FamilyRanking("guarded"), SVC()).fit(frame, y)
    assert model.score(frame, y) > 0.9
    selector = FamilyRanking("alignment").fit(frame, y)
    assert selector.get_feature_names_out().tolist() == ["f2", "f6"]
    assert not hasattr(selector.set_params(n_features_to_select=3).fit(X, y), "n_features_choice_")


def test_one_feature_is_enough():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20, 1))
    for rule in ("alignment", "guarded", "cv"):
        assert FamilyRanking(rule).fit(x, x[:, 0] > 0).n_features_choice_.number == 1
