"""A Dataset goes where X and y go, and takes along what is known of them."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

import hsieve
from hsieve import BAHSIC, N3LARS, Dataset, LassoSelector, StabilitySelection, open_dataset
from hsieve.data.errors import TableError


@pytest.fixture
def problem():
    """Codes of a category that make the target with no order in them, and a target of integers."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 5))
    X[:, 3] = rng.integers(0, 5, 150)
    y = np.isin(X[:, 3], [0, 2, 3]).astype(int)
    return X, y


def test_columns_of_a_file_keep_their_categories(problem, tmp_path):
    X, y = problem
    names = [f"x{i}" for i in range(5)]
    pq.write_table(pa.table({**dict(zip(names, X.T, strict=True)), "y": y}), tmp_path / "t.parquet")
    data = open_dataset(tmp_path / "t.parquet", "y", categorical=["x3"])
    found = N3LARS(1).fit(data)
    expected = N3LARS(1, categorical=[3], target_kind="classes").fit(X, y)
    np.testing.assert_array_equal(found.relevance_, expected.relevance_)
    assert found.categorical_.tolist() == [3]
    assert found.relevance_[3] > 2 * N3LARS(1).fit(X, y).relevance_[3]


@pytest.mark.parametrize("selector", [N3LARS(2), BAHSIC(2), StabilitySelection(N3LARS())])
def test_fit_is_that_of_a_selector_told_all_of_it(problem, selector):
    X, y = problem
    data = Dataset.from_arrays(X, y, categorical=[3], target_kind="continuous")
    told = {
        name: {"categorical": (3,), "target_kind": "continuous"}[name.rpartition("__")[2]]
        for name in selector.get_params()
        if name.rpartition("__")[2] in ("categorical", "target_kind")
    }
    parameters = selector.get_params()
    found = selector.fit(data)
    expected = clone(selector).set_params(**told).fit(X, y)
    np.testing.assert_array_equal(found.scores_, expected.scores_)
    np.testing.assert_array_equal(found.ranking_, expected.ranking_)
    assert str(selector.get_params()) == str(parameters)


def test_own_parameters_come_on_top(problem):
    X, y = problem
    data = Dataset.from_arrays(X, y, names=list("abcde"), categorical=["d"])
    found = N3LARS(1, categorical=["a"]).fit(data)
    assert found.categorical_.tolist() == [0, 3]
    assert found.get_feature_names_out().tolist() == ["d"]


def test_categories_are_refused_where_nobody_takes_them(problem):
    data = Dataset.from_arrays(*problem, categorical=[3])
    with pytest.raises(ValueError, match=r"LassoSelector takes numbers only.*categories: 'x3'"):
        LassoSelector(1).fit(data)


def test_a_dataset_has_its_own_target(problem):
    data = Dataset.from_arrays(*problem)
    for call in (N3LARS().fit, hsieve.select, lambda *of: hsieve.compare([N3LARS()], *of)):
        with pytest.raises(ValueError, match="A Dataset has its"):
            call(data, data.y)


def test_every_call_takes_it(problem):
    X, y = problem
    frame = pd.DataFrame(X, columns=list("abcde")).assign(sick=y)
    frame["d"] = frame["d"].astype(int).astype(str)
    data = open_dataset(frame, "sick", drop=["e"])
    assert data.names == ("a", "b", "c", "d")
    assert data.levels == {3: ("0", "1", "2", "3", "4")}
    assert data.notes == (
        "Column 'd' is text: a category of 5 levels (0, 1, 2, ...).",
        "Left out as asked: 'e'.",
    )
    assert (data.target_name, data.target_kind, data.categorical) == ("sick", "classes", (3,))
    assert hsieve.select(data).features == ("d",)
    compared = hsieve.compare([N3LARS(1), BAHSIC(1)], data, cv=3)
    assert [one.score.mean for one in compared.summaries] == [1.0, 1.0]
    page = N3LARS(1).fit(data).report(data)
    assert "sick" in page.html


def test_a_target_of_dates_as_text_is_refused_as_dates_are(problem):
    X, _ = problem
    days = [f"2020-01-{1 + i % 3:02d}" for i in range(len(X))]
    with pytest.raises(ValueError, match=r"holds dates as text .*target_kind='classes'"):
        open_dataset(X, days)
    with pytest.raises(ValueError, match="holds dates or times"):
        open_dataset(X, np.array(days, dtype="datetime64[D]"))
    assert open_dataset(X, days, target_kind="classes").target_kind == "classes"


def test_bad_options_are_refused(problem, tmp_path):
    X, y = problem
    with pytest.raises(ValueError, match="drop holds 'z', but the features are 'x0'"):
        open_dataset(X, y, drop=["z"])
    with pytest.raises(ValueError, match="No feature is left"):
        open_dataset(pd.DataFrame({"a": y}), y, drop=["a"])
    with pytest.raises(TypeError, match="categorical must be a sequence of column names"):
        open_dataset(X, y, categorical="x1")
    with pytest.raises(TableError, match="there is no such file"):
        open_dataset(tmp_path / "t.csv", "y")
