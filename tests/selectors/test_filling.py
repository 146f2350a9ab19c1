"""FillMissing: medians and levels of their own, in every kind of table, told in words."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.pipeline import make_pipeline

from hsieve import N3LARS, FillMissing
from hsieve.io.frames import FrameBlocks
from tests.frames import LIBRARIES, as_frame, mixed_columns, mixed_frame


def with_gaps(library):
    table = pa.table(
        {
            "age": pa.array([30, None, 50, 70]),
            "dose": pa.array([0.5, 1.5, None, None]),
            "site": pa.array(["b", None, "a", "b"]).dictionary_encode(),
            "sex": pa.array(["m", "f", None, "f"]),
            "smoker": pa.array([True, None, False, None]),
            "whole": pa.array([1, 2, 3, 4]),
        }
    )
    if library == "arrow":
        return table
    if library == "polars":
        return pl.from_arrow(table)
    frame = table.to_pandas()
    frame["smoker"] = frame["smoker"].astype("boolean")
    return frame


@pytest.mark.parametrize("library", LIBRARIES)
def test_numbers_get_their_median_and_categories_a_level(library):
    frame = with_gaps(library)
    filler = FillMissing().fit(frame)
    filled = filler.transform(frame)
    assert type(filled) is type(frame)
    blocks = FrameBlocks(filled)
    blocks.refuse_unusable(gaps=False)
    assert blocks.names == FrameBlocks(frame).names
    np.testing.assert_array_equal(
        blocks.matrix(),
        np.column_stack(
            [
                [30, 50, 50, 70],
                [0.5, 1.5, 1.0, 1.0],
                [1, 2, 0, 1],
                [1, 0, 2, 0],
                [1, 2, 0, 2],
                [1, 2, 3, 4],
            ]
        ),
    )
    assert [c.kind for c in blocks.columns[2:]] == ["text", "text", "text", "integer"]
    assert blocks.columns[2].levels == ("a", "b", "missing")
    assert blocks.columns[4].levels == ("False", "True", "missing")
    assert filler.n_missing_.tolist() == [1, 2, 1, 1, 2, 0]
    assert filler.notes_[0] == "Column 'age': 1 of 4 values missing, filled with the median 50."
    assert filler.notes_[2] == "Column 'site': 1 of 4 values missing, made the level 'missing'."
    assert len(filler.notes_) == 5


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_frame_given_is_left_alone(library):
    frame = with_gaps(library)
    FillMissing().fit_transform(frame)
    assert [column.n_missing for column in FrameBlocks(frame).columns] == [1, 2, 1, 1, 2, 0]


@pytest.mark.parametrize("library", LIBRARIES)
def test_new_gaps_get_what_was_learnt(library):
    before = as_frame(library, {"a": [1.0, 2.0, 6.0], "b": ["x", "y", "x"]})
    after = as_frame(library, {"a": [None, 9.0], "b": [None, "x"]})
    filled = FillMissing().fit(before).transform(after)
    blocks = FrameBlocks(filled)
    np.testing.assert_array_equal(blocks.matrix(), [[2.0, 0.0], [9.0, 1.0]])
    assert blocks.columns[1].levels == ("missing", "x")


def test_arrays_and_their_categories():
    X = np.array([[1.0, 0], [np.nan, 2], [3, np.nan], [8, 2]], dtype=np.float32)
    filler = FillMissing(categorical=[-1]).fit(X)
    np.testing.assert_array_equal(filler.transform(X), [[1, 0], [3, 2], [3, 3], [8, 2]])
    assert filler.transform(X).dtype == np.float32
    assert filler.notes_[1] == "Feature 1: 1 of 4 values missing, made the level 3.0."


def test_levels_that_are_taken_or_numbers():
    frame = pd.DataFrame(
        {
            "a": pd.Categorical(["missing", None, "x"]),
            "b": pd.Categorical([10, None, 20]),
            "c": pd.Series(["u", None, "v"], dtype="string"),
        }
    )
    filled = FillMissing().fit_transform(frame)
    assert filled["a"].tolist() == ["missing", "missing_", "x"]
    assert filled["b"].tolist() == [10, 21, 20]
    assert filled["b"].dtype == "category"
    assert filled["c"].dtype == "string"


def test_what_cannot_be_filled_is_refused():
    with pytest.raises(ValueError, match="Column 'b' has no value at all; leave it out"):
        FillMissing().fit(pd.DataFrame({"a": [1.0, 2.0], "b": [np.nan, np.nan]}))
    with pytest.raises(ValueError, match="Infinity is not a missing value; 'a' hold some"):
        FillMissing().fit(pl.DataFrame({"a": [1.0, np.inf]}))
    with pytest.raises(ValueError, match="infinity"):
        FillMissing().fit(np.array([[1.0], [np.inf]]))
    with pytest.raises(ValueError, match="'when' holds dates"):
        FillMissing().fit(pd.DataFrame({"when": pd.to_datetime(["2020-01-01", None])}))


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_pipeline_selects_from_what_was_filled(library):
    X, y, categorical = mixed_columns()
    frame = mixed_frame(library, X)
    pipeline = make_pipeline(FillMissing(), N3LARS(2)).fit(frame, y)
    expected = N3LARS(2, categorical=categorical).fit(X, y)
    np.testing.assert_array_equal(pipeline[-1].selected_indices_, expected.selected_indices_)
    assert pipeline[0].notes_ == ()


def test_set_output_of_another_library():
    frame = with_gaps("polars").select("age", "dose", "whole")
    filled = FillMissing().set_output(transform="pandas").fit_transform(frame)
    assert isinstance(filled, pd.DataFrame)
    assert filled["dose"].tolist() == [0.5, 1.5, 1.0, 1.0]
