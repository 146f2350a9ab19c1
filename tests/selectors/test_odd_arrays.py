"""Arrays that are not plain numbers: masked, sparse, dates, lazy frames, times with events."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone

from hsieve import (
    BAHSIC,
    N3LARS,
    FillMissing,
    InteractionScan,
    LassoSelector,
    open_dataset,
    select,
)
from hsieve.classifiers import LPBoost
from tests.every_selector import SELECTORS, fresh

DOORS = {
    "fit": lambda X, y: BAHSIC(2).fit(X, y),
    "fit by columns": lambda X, y: N3LARS(2).fit(X, y),
    "linear": lambda X, y: LassoSelector(2).fit(X, y),
    "open_dataset": open_dataset,
    "select": select,
}
every_door = pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    return X, np.abs(X[:, 1]) + 0.1 * rng.normal(size=60)


def masked(values, places):
    """Mask some values, with others under the mask that would be seen."""
    found = np.ma.masked_array(values.copy(), mask=np.zeros(values.shape, bool))
    for place in places:
        found.data[place] = 1e3
        found.mask[place] = True
    return found


@every_door
def test_masked_values_are_missing_and_refused(door, problem):
    X, y = problem
    with pytest.raises(ValueError, match=r"in 1 of 4 columns \(at 2\)|1 of 4 columns of X") as got:
        door(masked(X, [(3, 2), (7, 2)]), y)
    assert "missing='impute'" in str(got.value)
    with pytest.raises(ValueError, match=r"2 missing value\(s\), the first in row 5"):
        door(X, masked(y, [5, 9]))


def test_masked_values_are_filled_where_that_is_asked_for(problem):
    X, y = problem
    holes = masked(X, [(3, 1), (7, 2)])
    expected = np.where(holes.mask, np.nan, X)
    np.testing.assert_array_equal(
        FillMissing().fit_transform(holes), FillMissing().fit_transform(expected)
    )
    data = open_dataset(holes, y, missing="impute")
    np.testing.assert_array_equal(data.X, open_dataset(expected, y, missing="impute").X)
    integers = masked(np.round(10 * X).astype(int), [(3, 1)])
    assert np.isnan(FillMissing().fit(X).transform(integers)).sum() == 0


def test_a_mask_without_a_masked_value_changes_nothing(problem):
    X, y = problem
    expected = N3LARS(2).fit(X, y)
    found = N3LARS(2).fit(masked(X, []), masked(y, []))
    np.testing.assert_array_equal(found.scores_, expected.scores_)
    np.testing.assert_array_equal(found.transform(masked(X, [])), expected.transform(X))
    with pytest.raises(ValueError, match="masked values"):
        found.transform(masked(X, [(0, 0)]))
    kept = select(X, y).transform(masked(X, [(0, 1)]))
    assert kept.mask.sum() == 1


def test_classifiers_refuse_masked_values(problem):
    X, y = problem
    with pytest.raises(ValueError, match="masked values"):
        LPBoost().fit(masked(X, [(0, 0)]), y > 1)


@every_door
@pytest.mark.parametrize("unit", ["datetime64[D]", "timedelta64[s]", object])
def test_dates_are_refused(door, unit, problem):
    X, y = problem
    days = np.arange(60).astype("datetime64[D]" if unit is object else unit)
    days = days.astype(unit)
    for features, target, called in (
        (np.column_stack([days, days[::-1]]), y, "X"),
        (X, days, "The target"),
    ):
        with pytest.raises(ValueError, match=f"{called} holds dates or times .*days since a start"):
            door(features, target)


@every_door
def test_times_with_events_are_not_two_outputs(door, problem):
    X, y = problem
    time, event = y + 1, np.arange(60) % 3 > 0
    for target in (np.column_stack([time, event]), np.column_stack([event, time]).tolist()):
        with pytest.raises(ValueError, match="they look like events and times"):
            door(X, target)


def test_several_outputs_that_are_no_times_with_events_stay(problem):
    X, y = problem
    event = (np.arange(60) % 3 > 0).astype(float)
    for target in (
        np.column_stack([y - 5, event]),
        np.column_stack([event, 1 - event]),
        np.column_stack([y, y + 1]),
        np.column_stack([y, event, event]),
    ):
        assert len(N3LARS(2).fit(X, target).selected_indices_) == 2
    said = N3LARS(2, target_kind="continuous").fit(X, np.column_stack([y + 1, event]))
    assert said.selected_indices_[0] == 1


def test_several_names_are_no_target(problem):
    X, y = problem
    frame = pd.DataFrame(X, columns=list("abcd")).assign(time=y, event=y > 1)
    with pytest.raises(ValueError, match="must be one column, got the names 'time' and 'event'"):
        open_dataset(frame, ["time", "event"])


def test_structured_features_are_refused_with_what_to_do(problem):
    X, y = problem
    records = np.array([tuple(row) for row in X], dtype=[(name, float) for name in "abcd"])
    with pytest.raises(ValueError, match=r"fields a, b, c, d; give a data frame, such as pandas"):
        BAHSIC(2).fit(records, y)


@pytest.mark.filterwarnings("ignore::hsieve.FewerFeaturesWarning")
@pytest.mark.parametrize("selector", SELECTORS.values(), ids=SELECTORS)
def test_sparse_features_give_what_dense_ones_give(selector):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 5)) * (rng.random((100, 5)) > 0.4)
    y = (X[:, :4].sum(axis=1) > 0).astype(int)
    expected = fresh(selector).fit(X, y)
    for matrix in (sparse.csr_array(X), sparse.csc_matrix(X)):
        found = fresh(selector).fit(matrix, y)
        np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-6, atol=1e-9)
        np.testing.assert_array_equal(found.selected_indices_, expected.selected_indices_)
        kept = found.transform(matrix)
        assert sparse.issparse(kept)
        np.testing.assert_array_equal(kept.toarray(), X[:, expected.support_])


@pytest.mark.parametrize("selector", [BAHSIC(2), N3LARS(2)], ids=repr)
def test_lazy_frames_are_collected(selector, problem):
    X, y = problem
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "sex": np.where(X[:, 2] > 0, "f", "m")})
    expected = clone(selector).fit(frame, y)
    found = clone(selector).fit(frame.lazy(), pl.LazyFrame({"y": y}))
    np.testing.assert_array_equal(found.scores_, expected.scores_)
    assert found.feature_names_in_.tolist() == ["a", "b", "sex"]
    np.testing.assert_array_equal(found.transform(frame.lazy()), expected.transform(frame))
    assert found.summary(frame.lazy(), y).features == expected.summary(frame, y).features
    chosen = select(frame, y).features
    assert select(frame.lazy(), y).transform(frame.lazy()).columns == sorted(chosen)


def test_summaries_take_sparse_features(problem):
    X, y = problem
    X = np.where(X > 0, X, 0.0)
    dense, matrix = N3LARS(2).fit(X, y), sparse.csr_array(X)
    assert N3LARS(2).fit(matrix, y).summary(matrix, y).features == dense.summary(X, y).features


def test_support_is_the_mask_of_scikit_learn(problem):
    selector = N3LARS(2)
    assert not hasattr(selector, "support_")
    np.testing.assert_array_equal(selector.fit(*problem).support_, selector.get_support())


def test_results_become_frames_with_names(problem):
    X, y = problem
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    selector = N3LARS(2).fit(frame, y)
    table = selector.to_frame()
    chosen = [frame.columns[i] for i in selector.selected_indices_]
    assert list(table.index[table["selected"]]) == chosen
    assert table["rank"].tolist() == [1, 2, 3, 4]
    assert table.loc["b", "score"] == selector.scores_[1]
    assert list(N3LARS(2).fit(X, y).to_frame().index[:1]) == ["x1"]
    found = select(frame, y)
    assert list(found.to_frame().index) == list(found.features)


@pytest.mark.parametrize("order", [2, 3])
def test_interactions_become_frames_with_names(order, problem):
    X, _ = problem
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    scan = InteractionScan(order=order, n_pairs=3, n_permutations=2)
    table = scan.fit(frame, X[:, 0] * X[:, 3]).to_frame()
    assert table.loc[0, ["feature_1", "feature_2"]].tolist() == ["a", "d"]
    assert table.loc[0, "p_value"] == scan.pairs_[0].p_value
    assert table.loc[0, "own_share_2"] == scan.pairs_[0].own_shares[1]
    assert len(table) == len(scan.pairs_) + len(scan.triples_)
    if order == 3:
        assert table["feature_3"].notna().tolist() == [False] * 3 + [True] * len(scan.triples_)
