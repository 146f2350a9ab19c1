"""Data frames of Dask as a Dataset: their columns are judged as those of files and frames."""

import numpy as np
import pandas as pd
import pytest

import hsieve
from hsieve import N3LARS, open_dataset
from hsieve.exceptions import IdentifierWarning

frame_of = pytest.importorskip("dask.dataframe").from_pandas
N = 60


@pytest.fixture
def table():
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "dose": rng.normal(size=N),
            "count": pd.array(rng.integers(0, 9, N), dtype="Int64"),
            "smoker": rng.integers(0, 2, N).astype(bool),
            "site": np.array(["north", "south", "west"])[rng.integers(0, 3, N)],
            "batch": rng.integers(3, 6, N) * 10,
            "state": np.where(rng.normal(size=N) > 0, "ill", "well"),
        }
    )


def both(table, **options):
    """The frame of pandas, and the same on Dask."""
    return (open_dataset(one, **options) for one in (table, frame_of(table, npartitions=4)))


def test_it_is_the_dataset_of_the_frame(table):
    here, there = both(table, target="state", categorical=["batch"])
    assert there.names == here.names == ("dose", "count", "smoker", "site", "batch")
    assert there.categorical == here.categorical == (3, 4)
    assert there.levels == here.levels == {3: ("north", "south", "west")}
    assert there.notes == here.notes
    assert (there.target_name, there.target_kind) == ("state", "classes")
    assert there.y.tolist() == here.y.tolist()
    assert not there.columns.is_local
    coded = here.X.copy()
    coded[:, 4] = (coded[:, 4] - 30) / 10  # as in files, where categories are always codes
    np.testing.assert_array_equal(there.X, coded)
    assert there.collected().columns.is_local


def test_missing_values(table):
    table.loc[[5, 50], "dose"] = np.nan
    table.loc[7, "site"] = None
    with pytest.raises(ValueError, match="Column 'dose' holds nan in row 5"):
        N3LARS(1).fit(open_dataset(frame_of(table, npartitions=4), "state"))
    here, there = both(table, target="state", missing="impute", drop=["batch"])
    np.testing.assert_array_equal(there.X, here.X)
    assert there.notes == here.notes
    here, there = both(table, target="state", missing="category", drop=["batch", "dose"])
    np.testing.assert_array_equal(there.X, here.X)
    assert there.categorical == here.categorical


def test_what_tells_nothing_but_the_row_is_left_out(table):
    table["row"] = np.arange(1, N + 1)
    table["who"] = [f"patient {i}" for i in range(N)]
    with pytest.warns(IdentifierWarning) as told:
        data = open_dataset(frame_of(table, npartitions=4), "state")
    assert [str(one.message).split(":")[0] for one in told] == [
        "Column 'row' counts the rows",
        "Column 'who' is different in every row, an identifier",
    ]
    assert data.names == ("dose", "count", "smoker", "site", "batch")


def test_a_target_apart(table):
    features = frame_of(table.drop(columns="state"), npartitions=4)
    whole = frame_of(table, npartitions=4)
    for y in (table["state"], table["state"].to_numpy(), whole["state"]):
        data = open_dataset(features, y)
        assert data.n_features == 5
        assert data.y.tolist() == table["state"].tolist()
    found = hsieve.select(features, table["state"], method="n3lars", n_features_to_select=2)
    expected = hsieve.select(table, "state", method="n3lars", n_features_to_select=2)
    assert found.features == expected.features


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (pd.date_range("2020", periods=N), "column 'odd' holds dates"),
        ([f"{i % 3}.5" if i % 7 else "<0.1" for i in range(N)], "'<0.1' among its numbers"),
        (np.r_[np.arange(N - 1), 2**53 + 1], f"Column 'odd' holds {2**53 + 1}, an integer beyond"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(table, column, said):
    table["odd"] = column
    with pytest.raises(ValueError, match=said):
        open_dataset(frame_of(table, npartitions=4), "state")


def test_names_and_targets_are_checked(table):
    frame = frame_of(table, npartitions=4)
    with pytest.raises(ValueError, match="there is no 'stat', given for the target; did you mean"):
        open_dataset(frame, "stat")
    with pytest.raises(ValueError, match="no target given"):
        open_dataset(frame)
    with pytest.raises(ValueError, match="there is no 'sight', given for categorical"):
        open_dataset(frame, "state", categorical=["sight"])


def test_names_that_are_no_text_become_text():
    numbers = pd.DataFrame(np.random.default_rng(0).normal(size=(N, 3)))
    data = open_dataset(frame_of(numbers, npartitions=2), numbers[1])
    assert data.names == ("0", "1", "2")
    with pytest.raises(ValueError, match="occur more than once: 'a'"):
        open_dataset(frame_of(numbers.set_axis(["a", "a", "b"], axis=1), npartitions=2), "b")
