"""Bad and odd input to the baselines: refused in words, or handled by a written rule."""

import numpy as np
import pytest

from hsieve import (
    FCBF,
    HITONPC,
    L1SVM,
    SPEC,
    SVMRFE,
    ConstantFeatureWarning,
    FewerFeaturesWarning,
    LaplacianScore,
    LassoSelector,
    ReliefF,
    SpAM,
)

SUPERVISED = [LassoSelector, ReliefF, FCBF, SPEC, SpAM, HITONPC, SVMRFE, L1SVM]
EVERY = [*SUPERVISED, LaplacianScore]
FINDS_ITS_NUMBER = (FCBF, HITONPC)


@pytest.fixture
def data(rng):
    X = rng.normal(size=(60, 6))
    return X, (X[:, 1] > 0).astype(int)


@pytest.mark.parametrize("selector", EVERY)
@pytest.mark.parametrize("wanted", [0, -3, 1.5, True, "all"])
def test_a_number_of_features_that_is_none_is_refused(selector, wanted, data):
    with pytest.raises(ValueError, match=f"n_features_to_select must be .* got {wanted!r}"):
        selector(wanted).fit(*data)


@pytest.mark.parametrize("selector", EVERY)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_missing_and_infinite_values_are_refused(selector, value, data):
    data[0][3, 2] = value
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        selector(2).fit(*data)


@pytest.mark.parametrize("selector", SUPERVISED)
def test_targets_with_nothing_to_depend_on_are_refused(selector, data):
    X, y = data
    with pytest.raises(ValueError, match="1 class"):
        selector(2).fit(X, np.zeros(60, dtype=int))
    with pytest.raises(ValueError, match="1 distinct value"):
        selector(2, target_kind="continuous").fit(X, np.ones(60))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        selector(2).fit(X, y[:-1])
    with pytest.raises(ValueError, match="requires y"):
        selector(2).fit(X, None)
    with pytest.raises(ValueError, match="target_kind must be '"):
        selector(2, target_kind="labels").fit(X, y)


def test_a_class_of_one_sample_has_no_near_hit(data):
    X, y = data
    y[0] = 2
    with pytest.raises(ValueError, match="two samples in each class, got one of class 2"):
        ReliefF(2).fit(X, y)
    for selector in (LassoSelector, FCBF, SPEC, SpAM, SVMRFE, L1SVM):
        assert 1 in selector(2).fit(X, y).selected_indices_


@pytest.mark.parametrize("selector", EVERY)
def test_constant_columns_come_last_and_score_zero(selector, data):
    X, y = data
    X[:, [0, 4]] = 3.0
    with pytest.warns(ConstantFeatureWarning, match="x0, x4"):
        fitted = selector(1).fit(X, y)
    assert set(fitted.ranking_[[0, 4]].tolist()) == {5, 6}
    assert not fitted.scores_[[0, 4]].any()
    with pytest.raises(ValueError, match="feature\\(s\\) are constant"):
        selector(1).fit(np.ones((60, 3)), y)


@pytest.mark.parametrize("selector", EVERY)
def test_more_features_than_there_are_is_warned_of(selector, data):
    with pytest.warns(FewerFeaturesWarning, match="9 features were asked for, but"):
        fitted = selector(9).fit(*data)
    if selector not in FINDS_ITS_NUMBER:
        assert sorted(fitted.selected_indices_.tolist()) == list(range(6))


@pytest.mark.parametrize("selector", EVERY)
def test_one_feature_is_enough(selector, data):
    X, y = data
    assert selector(1).fit(X[:, [1]], y).selected_indices_.tolist() == [0]


@pytest.mark.parametrize("selector", SUPERVISED)
def test_copies_do_no_harm_and_the_first_comes_first(selector, data):
    X, y = data
    fitted = selector(1).fit(np.hstack([X, X]), y)
    assert fitted.selected_indices_.tolist() == [1]
    assert np.isfinite(fitted.scores_).all()


@pytest.mark.filterwarnings("ignore:.*kept without any test given other features")
@pytest.mark.parametrize("selector", EVERY)
def test_far_more_features_than_samples(selector, rng):
    X = rng.normal(size=(12, 400))
    y = np.repeat([0, 1], 6)
    X[y == 1, 7] += 9
    fitted = selector(1).fit(X, y)
    assert len(fitted.selected_indices_) == 1
    if selector not in (LaplacianScore, ReliefF):
        assert fitted.selected_indices_.tolist() == [7]


@pytest.mark.parametrize("selector", EVERY)
def test_four_samples_are_enough_and_three_are_not(selector, rng):
    X = rng.normal(size=(4, 3))
    fitted = selector(1).fit(X, np.array([0, 0, 1, 1]))
    assert len(fitted.selected_indices_) == 1
    with pytest.raises(ValueError, match="n_samples = 3; at least 4"):
        selector(1).fit(X[:3], np.array([0, 0, 1]))


@pytest.mark.parametrize(
    ("selector", "words"),
    [
        (ReliefF(2, n_neighbors=0), "n_neighbors must be"),
        (ReliefF(2, sigma=0), "sigma must be"),
        (ReliefF(2, categorical=[7]), "positions below 6"),
        (FCBF(2, threshold=-0.1), "threshold must be"),
        (SPEC(2, ranking_function="phi"), "ranking_function must be"),
        (SPEC(2, graph="samples"), "graph must be"),
        (LaplacianScore(2, n_neighbors=-1), "n_neighbors must be"),
        (SpAM(2, n_knots=1), "n_knots must be an integer of at least 2, got 1"),
        (HITONPC(2, alpha=2), "alpha must be"),
        (HITONPC(2, test="t"), "test must be"),
        (SVMRFE(2, C=-1), "C must be a number above 0, got -1"),
        (SVMRFE(2, step=0), "step must be"),
    ],
    ids=repr,
)
def test_wrong_settings_get_a_sentence(selector, words, data):
    with pytest.raises(ValueError, match=words):
        selector.fit(*data)


def test_the_l1_machine_takes_classes_only(data):
    X, _ = data
    with pytest.raises(ValueError, match="L1SVM takes classes, got a continuous target"):
        L1SVM(2).fit(X, X[:, 0])


@pytest.mark.parametrize("selector", [ReliefF, FCBF, HITONPC])
def test_several_outputs_are_refused_where_one_is_taken(selector, data):
    X, _ = data
    with pytest.raises(ValueError, match="one output"):
        selector(2).fit(X, X[:, :2])
