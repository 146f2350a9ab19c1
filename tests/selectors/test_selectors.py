"""Selectors as users meet them: data in, names out, bad input refused in words."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from hsieve import (
    BAHSIC,
    FOHSIC,
    HSIC,
    NHSIC,
    Backward,
    ConstantFeatureWarning,
    DependenceSelector,
    FamilyRanking,
    FewerFeaturesWarning,
    Forward,
    LPBoost,
    Pearson,
    Ranking,
    StabilitySelection,
    kernels,
)
from hsieve.datasets import make_and_or, make_quad, make_xor, make_xor_toy
from hsieve.selectors.methods import known_methods

SELECTORS = [BAHSIC(2), FOHSIC(2), DependenceSelector(n_features_to_select=2)]


@pytest.fixture
def regression(rng):
    X = rng.normal(size=(60, 6))
    return X, np.abs(X[:, 4]) + np.sin(2 * X[:, 1])


@pytest.mark.parametrize("make", [make_quad, make_xor_toy, make_xor])
def test_bahsic_finds_the_true_features(make):
    problem = make(random_state=3)
    chosen = BAHSIC(problem.n_relevant).fit(problem.X, problem.y).selected_indices_
    assert sorted(chosen.tolist()) == problem.relevant.tolist()


def test_fohsic_finds_a_curve_but_not_an_interaction():
    quad, xor = make_quad(random_state=0), make_xor(random_state=0)
    assert sorted(FOHSIC(2).fit(quad.X, quad.y).selected_indices_.tolist()) == [0, 1]
    assert set(FOHSIC(2).fit(xor.X, xor.y).selected_indices_.tolist()) != {0, 1}


def test_redundant_copies_deceive_bahsic_as_the_papers_say():
    """and-or: noisy copies of the target are kept beside or instead of true features."""
    problem = make_and_or(random_state=0)
    chosen = set(BAHSIC(4).fit(problem.X, problem.y).selected_indices_.tolist())
    assert chosen & {7, 8, 9}


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_fitted_attributes_agree_with_each_other(selector, regression):
    selector.fit(*regression)
    order = np.argsort(selector.ranking_)
    np.testing.assert_array_equal(selector.selected_indices_, order[:2])
    np.testing.assert_array_equal(selector.path_.order, order)
    np.testing.assert_allclose(selector.scores_[order], selector.path_.feature_scores)
    np.testing.assert_array_equal(np.sort(selector.ranking_), np.arange(1, 7))
    np.testing.assert_array_equal(np.flatnonzero(selector.get_support()), np.sort(order[:2]))
    # transform keeps the order of the input columns
    np.testing.assert_array_equal(
        selector.transform(regression[0]), regression[0][:, np.sort(order[:2])]
    )


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_several_outputs(selector, rng):
    X = rng.normal(size=(80, 5))
    Y = np.column_stack([X[:, 0] ** 2, np.abs(X[:, 3])])
    assert sorted(selector.fit(X, Y).selected_indices_.tolist()) == [0, 3]


@pytest.mark.parametrize("selector_type", [BAHSIC, FOHSIC])
def test_a_gram_matrix_as_target(selector_type, rng):
    """Strings with a kernel of common letters: only their similarity is known."""
    letters = rng.integers(0, 4, size=(60, 3))
    words = ["".join("acgt"[i] for i in word) for word in letters]
    gram = np.array(
        [[sum(a == b for a, b in zip(u, v, strict=True)) for v in words] for u in words]
    )
    X = rng.normal(size=(60, 6))
    X[:, 2] = letters[:, 0] + 0.1 * X[:, 2]
    selector = selector_type(1, kernel_y=kernels.Precomputed()).fit(X, gram.astype(float))
    assert selector.selected_indices_.tolist() == [2]


@pytest.mark.parametrize("selector_type", [BAHSIC, FOHSIC])
def test_categories_whose_numbers_mean_nothing(selector_type, rng):
    X = rng.normal(size=(120, 5))
    X[:, 3] = rng.integers(0, 6, 120)
    y = np.isin(X[:, 3], [0, 3, 4]).astype(int)
    assert selector_type(1, categorical=[3]).fit(X, y).selected_indices_.tolist() == [3]


def test_categories_keep_their_place_when_constant_columns_are_set_aside(rng):
    X = rng.normal(size=(120, 5))
    X[:, 3] = rng.integers(0, 6, 120)
    X[:, 0] = 7.0
    y = np.isin(X[:, 3], [0, 3, 4]).astype(int)
    with pytest.warns(ConstantFeatureWarning):
        selector = BAHSIC(1, categorical=[3]).fit(X, y)
    assert selector.selected_indices_.tolist() == [3]
    with pytest.raises(ValueError, match="positions below 5, got"):
        BAHSIC(1, categorical=[11]).fit(X, y)


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_text_labels_give_what_numbers_give(selector, rng):
    X = rng.normal(size=(50, 5))
    y = (X[:, 1] * X[:, 2] > 0).astype(int)
    numbers = clone(selector).fit(X, y).ranking_
    text = clone(selector).fit(X, np.array(["no", "yes"])[y]).ranking_
    np.testing.assert_array_equal(numbers, text)


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames_keep_their_names(selector, frame, regression):
    X, y = regression
    names = ["a", "b", "c d", "e", "β", "[f]"]
    table = frame(dict(zip(names, X.T, strict=True)))
    fitted = clone(selector).fit(table, y)
    np.testing.assert_array_equal(fitted.ranking_, clone(selector).fit(X, y).ranking_)
    kept = [names[i] for i in np.sort(fitted.selected_indices_)]
    assert fitted.get_feature_names_out().tolist() == kept


def test_target_kind_overrides_the_guess(rng):
    X = rng.normal(size=(60, 4))
    counts = np.round(np.exp(X[:, 2])).astype(int)
    as_numbers = FOHSIC(1, target_kind="continuous").fit(X, counts)
    as_classes = FOHSIC(1, target_kind="classes").fit(X, counts)
    assert as_numbers.selected_indices_.tolist() == [2]
    assert not np.allclose(as_numbers.scores_, as_classes.scores_)


def test_selection_inside_cross_validation_and_grid_search(regression):
    X, y = regression
    labels = (y > np.median(y)).astype(int)
    pipeline = make_pipeline(DependenceSelector(NHSIC(), n_features_to_select=2), SVC())
    assert cross_val_score(pipeline, X, labels, cv=3).mean() > 0.6
    grid = GridSearchCV(
        pipeline,
        {
            "dependenceselector__strategy": [Ranking(), Forward(), Backward(step=1)],
            "dependenceselector__measure": [HSIC(), HSIC(kernel_x=kernels.Laplace())],
            "dependenceselector__n_features_to_select": [1, 2],
        },
        cv=2,
    ).fit(X, labels)
    assert grid.best_score_ > 0.6
    deep = DependenceSelector(HSIC(kernel_x=kernels.Gaussian(1.0)))
    deep.set_params(measure__kernel_x__bandwidth=3.0)
    assert deep.measure.kernel_x.bandwidth == 3.0


def test_column_transformer_and_pickle(regression):
    X, y = regression
    transformer = ColumnTransformer([("pick", FOHSIC(1), [0, 1, 2])], remainder="drop").fit(X, y)
    assert transformer.transform(X).shape == (60, 1)
    fitted = BAHSIC(2).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(X), fitted.transform(X))


def test_read_only_and_fortran_and_single_precision_input(regression):
    X, y = regression
    expected = BAHSIC(2).fit(X, y).selected_indices_
    locked = np.asfortranarray(X)
    locked.setflags(write=False)
    np.testing.assert_array_equal(BAHSIC(2).fit(locked, y).selected_indices_, expected)
    np.testing.assert_array_equal(
        BAHSIC(2).fit(X.astype(np.float32), y).selected_indices_, expected
    )


@pytest.mark.parametrize("offset", [1e5, 1e7])
def test_large_offsets_change_nothing(offset, regression):
    X, y = regression
    shifted = X.copy()
    shifted[:, 4] += offset
    np.testing.assert_array_equal(
        BAHSIC(2).fit(X, y).selected_indices_, BAHSIC(2).fit(shifted, y).selected_indices_
    )


def test_one_outlier_does_not_hide_a_feature(regression):
    X, y = regression
    X = X.copy()
    X[0, 0] = 1e4
    assert sorted(BAHSIC(2).fit(X, y).selected_indices_.tolist()) == [1, 4]


def test_constant_columns_are_named_and_come_last(regression):
    X, y = regression
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["b"] = 5.0
    with (
        pytest.warns(ConstantFeatureWarning, match=r"1 constant column.*: b\."),
        pytest.warns(ConstantFeatureWarning, match="6 features were asked for, but only 5"),
    ):
        selector = BAHSIC(6).fit(frame, y)
    assert len(selector.selected_indices_) == 5
    assert selector.ranking_[1] == 6
    assert selector.scores_[1] == 0


BAD_INPUT = [
    ("NaN", lambda X, y: (np.where(X > 2, np.nan, X), y), {}, "NaN"),
    ("infinity", lambda X, y: (np.where(X > 2, np.inf, X), y), {}, "infinity"),
    ("text column", lambda X, y: (np.array([["a", "1"]] * 60), y), {}, "could not convert"),
    ("all constant", lambda X, y: (np.ones_like(X), y), {}, r"All 6 feature\(s\) are constant"),
    ("three samples", lambda X, y: (X[:3], y[:3]), {}, "at least 4 samples"),
    ("one class", lambda X, y: (X, np.zeros(60, int)), {}, "1 class"),
    ("one value", lambda X, y: (X, np.full(60, 0.5)), {}, "1 distinct value"),
    ("k zero", lambda X, y: (X, y), {"n_features_to_select": 0}, "got 0"),
    ("k share", lambda X, y: (X, y), {"n_features_to_select": 1.5}, "got 1.5"),
    ("k text", lambda X, y: (X, y), {"n_features_to_select": "all"}, "got 'all'"),
    (
        "text as numbers",
        lambda X, y: (X, ["a", "b"] * 30),
        {"target_kind": "continuous"},
        "numeric",
    ),
    ("lengths", lambda X, y: (X, y[:-1]), {}, "inconsistent numbers of samples"),
    ("no target", lambda X, y: (X, None), {}, "requires y"),
]


@pytest.mark.parametrize("selector_type", [BAHSIC, FOHSIC, FamilyRanking])
@pytest.mark.parametrize(
    ("spoil", "settings", "message"),
    [case[1:] for case in BAD_INPUT],
    ids=[c[0] for c in BAD_INPUT],
)
def test_bad_input_is_refused_in_words(selector_type, spoil, settings, message, regression):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match=message):
            selector_type(**settings).fit(*spoil(*regression))


def test_unknown_strategies_are_refused_with_the_known_ones(regression):
    with pytest.raises(ValueError, match="'ranking', 'forward', 'backward'"):
        DependenceSelector(strategy="sideways").fit(*regression)


def test_first_argument_of_every_selector_is_the_number_of_features(regression):
    """Only what wraps something else has that first, as in scikit-learn, and says so."""
    for kind in {method.kind for method in known_methods().values()} - {
        DependenceSelector,
        StabilitySelection,
    }:
        assert kind(6).n_features_to_select == 6
    for kind in (DependenceSelector, StabilitySelection):
        with pytest.raises((ValueError, TypeError), match="n_features_to_select=6"):
            kind(6).fit(*regression)
    with pytest.raises(TypeError, match="positional"):
        LPBoost(6)


def test_share_and_default_number_of_features(rng):
    X, y = rng.normal(size=(30, 24)), rng.normal(size=30)
    assert len(DependenceSelector(Pearson()).fit(X, y).selected_indices_) == 10
    half = DependenceSelector(Pearson(), n_features_to_select=0.5).fit(X, y)
    assert len(half.selected_indices_) == 12


def test_global_random_state_is_left_alone(regression):
    np.random.seed(5)  # noqa: NPY002 - the global state is what the test is about
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    BAHSIC(2).fit(*regression)
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


def test_repeated_column_names_are_refused_by_name(regression):
    X, y = regression
    table = pd.DataFrame(X, columns=["a", "a", "b", "c", "d", "e"])
    with pytest.raises(ValueError, match="must differ, got 'a' more than once"):
        BAHSIC(2).fit(table, y)


@pytest.mark.parametrize("selector", [BAHSIC(7), FOHSIC(7), FamilyRanking(n_features_to_select=7)])
def test_more_features_than_there_are_give_all_with_a_warning(selector, rng):
    X = rng.normal(size=(60, 6))
    y = (X[:, 0] > 0).astype(int)
    with pytest.warns(
        FewerFeaturesWarning, match="7 features were asked for, but there are only 6"
    ):
        selector.fit(X, y)
    assert selector.get_support().all()


@pytest.mark.parametrize("strategy", ["rankings", Ranking, 3])
def test_what_is_no_strategy_is_refused_with_those_there_are(regression, strategy):
    with pytest.raises(ValueError, match=r"strategy must be a Strategy or one of \('ranking', "):
        DependenceSelector(strategy=strategy).fit(*regression)
