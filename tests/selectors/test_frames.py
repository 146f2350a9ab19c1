"""Selectors on frames: the same selection as on the array, names and types survive."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from hsieve import (
    BAHSIC,
    FCBF,
    FOHSIC,
    HITONPC,
    HSIC,
    L1HSIC,
    MRMR,
    N3LARS,
    QPFS,
    DependenceSelector,
    FamilyRanking,
    InteractionScan,
    KernelPursuit,
    LassoSelector,
    MaxRelevance,
    PairwiseHSIC,
    Pearson,
    RandSel,
    ReliefF,
    StabilitySelection,
    compare,
    open_dataset,
)
from hsieve.exceptions import IdentifierWarning
from tests.frames import LIBRARIES, as_frame, mixed_columns, mixed_frame

WITH_CATEGORIES = [
    N3LARS(2),
    N3LARS(2, interactions="pairs"),
    BAHSIC(2),
    FOHSIC(2),
    RandSel(2, n_rounds=8),
    MRMR(2),
    MRMR(2, measure=PairwiseHSIC()),
    MaxRelevance(2),
    QPFS(2),
    ReliefF(2),
    FCBF(2),
    HITONPC(2),
    L1HSIC(2, n_restarts=1),
    InteractionScan(2, n_permutations=2),
    KernelPursuit(2),
    N3LARS("alignment"),
    N3LARS("cv"),
]


def told(selector, categorical):
    return clone(selector).set_params(categorical=categorical)


@pytest.mark.filterwarnings("ignore:.*features were asked for")
@pytest.mark.parametrize("selector", WITH_CATEGORIES, ids=repr)
def test_frames_of_every_library_give_the_selection_of_the_array(selector):
    X, y, categorical = mixed_columns()
    expected = told(selector, categorical).fit(X, y)
    for library in LIBRARIES:
        fitted = clone(selector).fit(mixed_frame(library, X), y)
        np.testing.assert_array_equal(fitted.selected_indices_, expected.selected_indices_)
        np.testing.assert_allclose(fitted.scores_, expected.scores_, rtol=1e-6, atol=1e-9)
        assert fitted.categorical_.tolist() == categorical
        assert fitted.feature_names_in_[2] == "site"


@pytest.mark.parametrize("library", LIBRARIES)
def test_categories_are_what_makes_the_difference(library):
    """Codes of the levels taken as numbers would miss the site."""
    X, y, _ = mixed_columns()
    assert 2 in N3LARS(2).fit(mixed_frame(library, X), y).selected_indices_
    assert N3LARS(2).fit(X, y).scores_[2] < N3LARS(2, categorical=[2]).fit(X, y).scores_[2]


@pytest.mark.parametrize(
    "selector",
    [DependenceSelector(n_features_to_select=2), StabilitySelection(N3LARS(), n_subsamples=6)],
    ids=repr,
)
def test_measures_and_bases_are_told_the_categories_of_a_frame(selector):
    X, y, categorical = mixed_columns()
    inner = "measure" if isinstance(selector, DependenceSelector) else "estimator"
    knowing = HSIC(categorical=categorical) if inner == "measure" else told(N3LARS(), categorical)
    expected = clone(selector).set_params(**{inner: knowing}).fit(X, y)
    for library in LIBRARIES:
        fitted = clone(selector).fit(mixed_frame(library, X), y)
        np.testing.assert_allclose(fitted.scores_, expected.scores_, rtol=1e-6)
        assert fitted.categorical_.tolist() == categorical


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_rule_inside_stability_selection_knows_names_and_types(library):
    X, y, _ = mixed_columns(60)
    base = MaxRelevance(categorical=["age"])
    selection = StabilitySelection(base, n_features_to_select="cv", n_subsamples=4)
    fitted = selection.fit(mixed_frame(library, X), y)
    by_array = StabilitySelection(
        MaxRelevance(categorical=[0, 2, 3, 4]), n_features_to_select="cv", n_subsamples=4
    ).fit(X, y)
    np.testing.assert_array_equal(fitted.selected_indices_, by_array.selected_indices_)


@pytest.mark.parametrize("library", LIBRARIES)
def test_categories_may_be_listed_by_name(library):
    X, y, _ = mixed_columns()
    frame = as_frame(library, {f"x{i}": X[:, i] for i in range(6)})
    by_name = N3LARS(2, categorical=["x2", "x4"]).fit(frame, y)
    by_place = N3LARS(2, categorical=[2, -2]).fit(X, y)
    np.testing.assert_array_equal(by_name.scores_, by_place.scores_)
    assert by_name.categorical_.tolist() == [2, 4]
    assert by_name.categorical == ["x2", "x4"]
    with pytest.raises(ValueError, match="categorical holds 'sex', but the features are 'x0'"):
        N3LARS(categorical=["x1", "sex"]).fit(frame, y)
    with pytest.raises(ValueError, match="name 'x1', but the features have no names"):
        BAHSIC(categorical=["x1"]).fit(X, y)
    with pytest.raises(ValueError, match="a list of positions or names, got the single text 'x1'"):
        BAHSIC(categorical="x1").fit(frame, y)


def test_relatives_of_a_frame_know_the_categories():
    X, y, categorical = mixed_columns()
    frame = mixed_frame("pandas", X)
    by_frame = N3LARS(2).fit(frame, y).relatives(frame, 2)
    by_array = N3LARS(2, categorical=categorical).fit(X, y).relatives(X, 2)
    for one, other in zip(by_frame, by_array, strict=True):
        np.testing.assert_allclose(one.scores, other.scores, rtol=1e-6)
    with pytest.raises(ValueError, match="feature names should match"):
        N3LARS(2).fit(frame, y).relatives(frame[frame.columns[::-1]], 2)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("selector", [N3LARS(3), BAHSIC(3), MRMR(3)], ids=repr)
def test_names_and_types_survive(selector, library):
    X, y, _ = mixed_columns()
    frame = mixed_frame(library, X)
    if library == "pandas":
        frame.index = [f"row {i}" for i in range(len(frame))]
    fitted = clone(selector).set_output(transform=library).fit(frame, y)
    kept = fitted.transform(frame)
    names = [frame.columns[i] for i in np.sort(fitted.selected_indices_)]
    assert list(kept.columns) == names
    if library == "pandas":
        pd.testing.assert_frame_equal(kept, frame[names])
    else:
        assert kept.equals(frame.select(names))
        assert kept.dtypes == frame.select(names).dtypes


@pytest.mark.parametrize("library", LIBRARIES)
def test_without_set_output_arrays_come_out(library):
    X, y, _ = mixed_columns()
    frame = mixed_frame(library, X)
    fitted = N3LARS(2).fit(frame, y)
    kept = fitted.transform(frame)
    assert isinstance(kept, np.ndarray)
    assert kept.shape == (90, 2)
    assert set(kept[:, np.sort(fitted.selected_indices_).tolist().index(2)]) == {
        "north",
        "south",
        "west",
        "east",
    }
    other = fitted.set_output(transform="polars" if library == "pandas" else "pandas")
    assert list(other.transform(frame).columns) == fitted.get_feature_names_out().tolist()


@pytest.mark.parametrize("library", LIBRARIES)
def test_transform_looks_at_names(library):
    X, y, _ = mixed_columns()
    frame = as_frame(library, {f"x{i}": X[:, i] for i in range(6)})
    fitted = BAHSIC(2).fit(frame, y)
    turned = as_frame(library, {f"x{i}": X[:, i] for i in reversed(range(6))})
    with pytest.raises(ValueError, match="feature names should match those"):
        fitted.transform(turned)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        fitted.transform(X)


@pytest.mark.parametrize(
    "selector",
    [
        LassoSelector(2),
        FamilyRanking(2),
        DependenceSelector(Pearson()),
        MRMR(2, measure=Pearson()),
        StabilitySelection(n_subsamples=4),
        StabilitySelection(LassoSelector(), n_subsamples=4),
    ],
    ids=repr,
)
def test_those_who_take_numbers_only_refuse_categories_by_name(selector):
    X, y, _ = mixed_columns()
    for library in LIBRARIES:
        with pytest.raises(ValueError, match=r"takes numbers only.*categories: 'site' and 'sex'"):
            clone(selector).fit(mixed_frame(library, X), y > np.median(y))


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_boolean_is_a_number_to_those_who_take_numbers(library):
    X, y, _ = mixed_columns()
    frame = as_frame(library, {"a": X[:, 1], "b": X[:, 3].astype(bool), "c": X[:, 5]})
    expected = LassoSelector(2).fit(X[:, [1, 3, 5]], y)
    np.testing.assert_allclose(LassoSelector(2).fit(frame, y).scores_, expected.scores_)


@pytest.mark.parametrize("selector", [N3LARS(2), BAHSIC(2), LassoSelector(2)], ids=repr)
def test_what_is_missing_is_refused_in_words(selector):
    X, y, _ = mixed_columns()
    frame = as_frame("pandas", {f"x{i}": X[:, i] for i in range(6)})
    frame.loc[3:5, "x1"] = np.nan
    with pytest.raises(ValueError, match=r"1 of 6 columns, 'x1' \(3 of 90\), has missing values"):
        selector.fit(frame, y)
    with pytest.raises(ValueError, match=r"'y' has 1 missing value\(s\), the first in row 4"):
        selector.fit(
            frame.fillna(0.0), pd.Series(np.where(np.arange(90) == 4, np.nan, y), name="y")
        )


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("selector", [N3LARS(2), BAHSIC(2), LassoSelector(2)], ids=repr)
def test_identifiers_are_left_out_unless_listed(library, selector):
    X, y, _ = mixed_columns(40)
    columns = {"a": X[:, 1], "id": [f"p{i}" for i in range(40)], "b": X[:, 5]}
    frame = as_frame(library, {**columns, "row": np.arange(40)})
    with pytest.warns(IdentifierWarning) as warned:
        found = clone(selector).fit(frame, y)
    assert [str(one.message).split(" is")[0].split(" counts")[0] for one in warned] == [
        "Column 'id'",
        "Column 'row'",
    ]
    expected = clone(selector).fit(X[:, [1, 5]], y)
    np.testing.assert_array_equal(found.scores_[[0, 2]], expected.scores_)
    assert found.selected_indices_.tolist() == [[0, 2][i] for i in expected.selected_indices_]
    assert found.constant_features_.tolist() == [1, 3]
    with pytest.warns(IdentifierWarning):
        data = open_dataset(frame, y)
    assert data.names == ("a", "b")
    np.testing.assert_array_equal(clone(selector).fit(data).scores_, expected.scores_)


@pytest.mark.parametrize("library", LIBRARIES)
def test_identifiers_that_are_listed_are_categories(library):
    X, y, _ = mixed_columns(40)
    frame = as_frame(library, {"id": [f"p{i}" for i in range(40)], "a": X[:, 1], "b": X[:, 5]})
    assert N3LARS(1, categorical=["id"]).fit(frame, y).categorical_.tolist() == [0]


@pytest.mark.parametrize("kind", ["category", "string", "bool", "polars", "arrow"])
@pytest.mark.parametrize("selector", [N3LARS(2), BAHSIC(2), LassoSelector(2)], ids=repr)
def test_targets_of_every_kind_give_the_same(selector, kind):
    X, y, _ = mixed_columns()
    classes = y > np.median(y)
    texts = pd.Series(np.where(classes, "high", "low"))
    given = {
        "category": texts.astype("category"),
        "string": texts.astype("string"),
        "bool": pd.Series(classes),
        "polars": pl.Series("y", texts.tolist(), dtype=pl.Categorical),
        "arrow": pl.Series(texts.tolist()).to_arrow(),
    }[kind]
    expected = clone(selector).fit(X, classes.astype(int))
    fitted = clone(selector).fit(X, given)
    np.testing.assert_array_equal(fitted.selected_indices_, expected.selected_indices_)
    frame = as_frame("pandas", {f"x{i}": X[:, i] for i in range(6)})
    np.testing.assert_allclose(clone(selector).fit(frame, given).scores_, expected.scores_)


def test_numbers_of_category_type_are_classes():
    """Whole numbers of more than twenty values would be taken for measurements."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(240, 3)), np.repeat(np.arange(24), 10)
    as_classes = N3LARS(1, target_kind="classes").fit(X, y)
    np.testing.assert_allclose(
        N3LARS(1).fit(X, pd.Series(y, dtype="category")).scores_, as_classes.scores_, rtol=1e-5
    )
    as_numbers = N3LARS(1).fit(X, y)
    by_word = N3LARS(1, target_kind="continuous").fit(X, pd.Series(y, dtype="category"))
    np.testing.assert_allclose(by_word.scores_, as_numbers.scores_)
    assert not np.allclose(as_numbers.scores_, as_classes.scores_)


@pytest.mark.parametrize("library", LIBRARIES)
def test_where_nothing_is_selected_the_samples_stay(library):
    rng = np.random.default_rng(0)
    frame = as_frame(library, {f"x{i}": rng.normal(size=40) for i in range(5)})
    selection = StabilitySelection(n_subsamples=10).fit(frame, rng.normal(size=40))
    assert len(selection.selected_indices_) == 0
    with pytest.warns(UserWarning, match="No features were selected"):
        assert selection.transform(frame).shape == (40, 0)


def test_small_frames_are_refused_as_arrays_are():
    for frame in (pd.DataFrame({"a": [1.0]}), pl.DataFrame({"a": [1.0]})):
        with pytest.raises(ValueError, match=r"1 sample\(s\)"):
            N3LARS().fit(frame, [1.0])
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        N3LARS().fit(pd.DataFrame(index=range(5)), np.arange(5.0))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        N3LARS().fit(pd.DataFrame({"a": np.arange(9.0)}), np.arange(8.0))
    with pytest.raises(ValueError, match="requires y"):
        N3LARS().fit(pd.DataFrame({"a": np.arange(9.0)}), None)


def test_fitted_selectors_hold_no_frame():
    X, y, _ = mixed_columns()
    fitted = N3LARS(2).fit(mixed_frame("pandas", X), y)
    assert not any(isinstance(value, pd.DataFrame) for value in vars(fitted).values())
    assert "_frame" not in vars(fitted)


def test_comparisons_know_names_and_types():
    X, y, categorical = mixed_columns()
    selectors = {"listed": N3LARS(1, categorical=["age"]), "own": DependenceSelector()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_frame = compare(selectors, mixed_frame("polars", X), y, cv=2)
        selectors = {
            "listed": N3LARS(1, categorical=[0]),
            "own": DependenceSelector(HSIC(categorical=categorical)),
        }
        by_array = compare(selectors, X, y, cv=2, categorical=categorical)
    for name in selectors:
        assert by_frame[name].score == pytest.approx(by_array[name].score)
    with pytest.raises(ValueError, match=r"LassoSelector takes numbers only.*'site' and 'sex'"):
        compare([LassoSelector(1)], mixed_frame("arrow", X), y, cv=2)


def test_a_frame_goes_through_a_pipeline():
    X, y, _ = mixed_columns()
    frame = mixed_frame("pandas", X)
    pipeline = make_pipeline(N3LARS(4), FOHSIC(2)).set_output(transform="pandas").fit(frame, y)
    assert "site" in pipeline.transform(frame).columns
