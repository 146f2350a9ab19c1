"""Columns of pandas, polars and Arrow: the same numbers from each, or a refusal in words."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from hsieve import open_dataset
from hsieve.io.frames import FrameBlocks, as_array, collected, frame_library, is_frame, take_columns
from hsieve.io.targets import split_target, target_array
from tests.frames import LIBRARIES, as_frame, mixed_columns, mixed_frame


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_library_gives_the_same_numbers(library):
    X, _, categorical = mixed_columns()
    blocks = FrameBlocks(mixed_frame(library, X))
    assert blocks.names == ("age", "dose", "site", "smoker", "sex", "noise")
    assert blocks.declared.tolist() == categorical
    np.testing.assert_array_equal(blocks.matrix(), X)
    np.testing.assert_array_equal(blocks.read([2, 0]), X[:, [2, 0]])


def test_other_data_are_no_frames():
    for other in ([[1.0]], np.ones((2, 2)), pd.Series([1.0]), pl.Series([1.0]), None):
        assert not is_frame(other)
    with pytest.raises(TypeError, match="pandas, polars or Arrow is needed, got list"):
        FrameBlocks([[1.0]])


def test_lazy_frames_are_collected_without_what_is_dropped():
    lazy = pl.LazyFrame({"a": [1.0, 2.0, 3.0], "b": [1, 2, 3], "y": [0.5, 1.5, 2.5]})
    assert is_frame(lazy)
    assert collected(lazy).equals(lazy.collect())
    never = lazy.with_columns(pl.col("b").map_elements(_fail, return_dtype=pl.Int64))
    data = open_dataset(never, "y", drop=["b"])
    assert (data.names, data.X.ravel().tolist()) == (("a",), [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="drop holds 'z', but the features are 'a' and 'b'"):
        open_dataset(never, "y", drop=["z"])


def test_a_record_batch_is_a_table():
    batch = pa.RecordBatch.from_pydict({"a": [1.0, 2.0], "y": ["u", "v"]})
    assert frame_library(batch) == "pyarrow"
    assert FrameBlocks(batch).names == ("a", "y")


def test_a_class_derived_from_a_frame_is_one():
    class Mine(pd.DataFrame):
        pass

    assert frame_library(Mine({"a": [1.0]})) == "pandas"


@pytest.mark.parametrize(
    ("column", "values", "is_category"),
    [
        (pd.Series([1, None, 3], dtype="Int64"), [1, np.nan, 3], False),
        (pd.Series([1.5, None], dtype="double[pyarrow]"), [1.5, np.nan], False),
        (pd.Series([Decimal("1.5"), Decimal("2")], dtype=object), [1.5, 2.0], False),
        (pd.Series([1, 2.5, None], dtype=object), [1, 2.5, np.nan], False),
        (pd.Series(pd.arrays.SparseArray([0.0, 2.0], fill_value=0.0)), [0.0, 2.0], False),
        (pd.Series([True, None, False], dtype="boolean"), [1, np.nan, 0], False),
        (pd.Series([True, False], dtype=object), [1, 0], False),
        (pd.Series(["b", None, "a"], dtype=object), [1, np.nan, 0], True),
        (pd.Series(["b", "a"], dtype="string[pyarrow]"), [1, 0], True),
        (pd.Series(pd.Categorical([30, 4, None, 30])), [1, 0, np.nan, 1], True),
        (pd.Series(pd.Categorical(["lo", "hi"], ["lo", "hi"], ordered=True)), [1, 0], True),
    ],
    ids=lambda value: getattr(value, "dtype", None) and str(value.dtype),
)
def test_types_of_pandas(column, values, is_category):
    blocks = FrameBlocks(pd.DataFrame({"a": column}))
    np.testing.assert_array_equal(blocks.matrix().ravel(), values)
    assert len(blocks.declared) == is_category


@pytest.mark.parametrize("library", LIBRARIES)
def test_single_precision_stays_single(library):
    frame = as_frame(library, {"a": np.ones(3, np.float32), "b": np.arange(3, dtype=np.float32)})
    assert FrameBlocks(frame).read([0]).dtype == np.float32
    frame = as_frame(library, {"a": np.ones(3, np.float32), "b": np.arange(3)})
    assert FrameBlocks(frame).matrix().dtype == np.float64


WHEN = datetime.datetime(2020, 1, 1)
REFUSED = {
    "dates": ({"when": [WHEN] * 3}, "'when' holds dates.*days since a start, or leave the col"),
    "days": ({"day": [WHEN.date()] * 3}, "'day' holds dates"),
    "lengths of time": ({"t": [datetime.timedelta(1)] * 3}, "'t' holds lengths of time"),
    "lists": ({"a": [[1, 2], [3], []]}, "'a' holds nested values"),
    "structs": ({"a": [{"b": 1}, {"b": 2}, {"b": 3}]}, "'a' holds nested values"),
    "bytes": ({"a": [b"x", b"y", b"z"]}, "'a' holds bytes"),
    "long integers": ({"a": [2**53 + 1, 1, 2]}, "'a' holds 9007199254740993, an integer beyond"),
    "long integers beside missing ones": ({"a": [2**60, None, 2]}, "'a' holds 1152921504606846976"),
}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_number_and_no_category_is_refused_by_name(library, case):
    columns, message = REFUSED[case]
    if library == "pandas":
        columns = {
            n: pd.Series(v, dtype="Int64" if "long" in case else None) for n, v in columns.items()
        }
    with pytest.raises(ValueError, match=message):
        FrameBlocks(as_frame(library, columns)).refuse_unusable(gaps=True)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["a", 1, None], "values of several kinds"),
        ([1, "a", 2.5], "values of several kinds"),
        ([1 + 2j, 3j], "values of type complex"),
        ([object(), object()], "values of type object"),
        (pd.Categorical([1, "a"]), "levels of several kinds"),
        (pd.period_range("2020", periods=2), "special type"),
    ],
)
def test_odd_objects_of_pandas_are_refused_by_name(values, words):
    frame = pd.DataFrame({"fine": np.ones(len(values)), "odd": values})
    with pytest.raises(ValueError, match=rf"'odd' hold.*{words}.*leave the column out"):
        FrameBlocks(frame).refuse_unusable(gaps=True)


def test_all_that_is_wrong_with_a_frame_is_said_at_once():
    frame = pd.DataFrame({"a": [WHEN] * 2, "b": [WHEN] * 2, "c": [[1], [2]], "d": [1.0, 2.0]})
    frame["e"], frame["when"] = [1.0, np.nan], ["2020-01-02", "2020-01-03"]
    with pytest.raises(ValueError, match="problems") as caught:
        FrameBlocks(frame).refuse_unusable(gaps=False, categories=[])
    message = str(caught.value)
    for part in ("There are 4 problems", "'a' and 'b' hold dates", "'c' holds nested values"):
        assert part in message
    assert "'when' holds dates as text ('2020-01-02', ...)" in message
    assert "1 of 6 columns, 'e' (1 of 2), has missing values" in message


@pytest.mark.parametrize("library", LIBRARIES)
def test_missing_values_are_told_of_all_columns_at_once(library):
    columns = {
        "a": pa.array([1.0, None, 3.0, None]),
        "b": pa.array(["x", None, "y", "y"]),
        "c": pa.array([1, 2, 3, 4]),
    }
    table = pa.table(columns)
    frame = {"arrow": table, "pandas": table.to_pandas(), "polars": pl.from_arrow(table)}[library]
    with pytest.raises(
        ValueError,
        match=r"2 of 3 columns, 'a' \(2 of 4\), 'b' \(1 of 4\), have missing.*FillMissing.*impute",
    ):
        FrameBlocks(frame).refuse_unusable(gaps=False)


def test_polars_nan_is_missing_and_infinity_is_infinite():
    with pytest.raises(ValueError, match=r"1 of 1 columns, 'a' \(1 of 2\), has missing values"):
        FrameBlocks(pl.DataFrame({"a": [1.0, float("nan")]})).refuse_unusable(gaps=False)
    with pytest.raises(ValueError, match=r"'a' \(2 of 2\), has infinite values"):
        FrameBlocks(pl.DataFrame({"a": [-np.inf, np.inf]})).refuse_unusable(gaps=False)


def test_of_many_columns_those_with_most_missing_values_are_named():
    frame = pd.DataFrame({f"x{i}": [np.nan] * i + [1.0] * (9 - i) for i in range(9)})
    with pytest.raises(ValueError, match=r"8 of 9 columns, most of all 'x4' \(4 of 9\), 'x5'"):
        FrameBlocks(frame).refuse_unusable(gaps=False)


def left_out(frame, categories):
    return FrameBlocks(frame).refuse_unusable(gaps=False, categories=categories)


@pytest.mark.parametrize("library", LIBRARIES)
def test_text_that_never_repeats_is_an_identifier(library):
    frame = as_frame(library, {"id": [f"patient {i}" for i in range(30)], "a": np.ones(30)})
    assert "Column 'id' is different in every row" in left_out(frame, [])[0]
    assert left_out(frame, [0]) == {}
    names = as_frame(library, {"id": [f"patient {i % 20}" for i in range(30)]})
    with pytest.raises(ValueError, match="'id' is text: 20 different values in 30 rows"):
        left_out(names, [])


def test_names():
    with pytest.raises(ValueError, match="must differ, got 'a' more than once"):
        FrameBlocks(pd.DataFrame(np.ones((2, 3)), columns=["a", "b", "a"]))
    with pytest.raises(ValueError, match="must differ, got 'a' more than once"):
        FrameBlocks(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]))
    with pytest.raises(TypeError, match="all text or all something else, got 3 beside text"):
        FrameBlocks(pd.DataFrame(np.ones((2, 2)), columns=["a", 3]))
    assert FrameBlocks(pd.DataFrame(np.ones((2, 2)))).names is None


@pytest.mark.parametrize("library", LIBRARIES)
def test_columns_are_taken_with_names_types_and_order(library):
    X, _, _ = mixed_columns(30)
    frame = mixed_frame(library, X)
    taken = take_columns(frame, np.array([4, 0]))
    assert type(taken) is type(frame)
    assert FrameBlocks(taken).names == ("sex", "age")
    assert [c.kind for c in FrameBlocks(taken).columns] == ["text", "integer"]
    assert as_array(taken)[:, 1].tolist() == X[:, 0].tolist()
    assert as_array(taken)[0, 0] in ("female", "male")
    assert as_array(take_columns(frame, np.array([1, 5]))).dtype == np.float64


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        (pd.Series([1, 0, 1]), [1, 0, 1]),
        (pd.Series([True, False]), [True, False]),
        (pd.Series(["b", "a"], dtype="string"), ["b", "a"]),
        (pd.Series(["b", "a"], dtype="category"), ["b", "a"]),
        (pd.Categorical(["b", "a"]), ["b", "a"]),
        (pd.Index(["b", "a"]), ["b", "a"]),
        (pd.Series([7, 5], dtype="Int64"), [7, 5]),
        (pd.DataFrame({"y": [0.5, 1.5]}), [0.5, 1.5]),
        (pl.Series([0.5, 1.5]), [0.5, 1.5]),
        (pl.Series(["b", "a"], dtype=pl.Categorical), ["b", "a"]),
        (pl.Series([True, False]), [True, False]),
        (pl.DataFrame({"y": ["b", "a"]}), ["b", "a"]),
        (pa.array(["b", "a"]).dictionary_encode(), ["b", "a"]),
        (pa.chunked_array([pa.array([1]), pa.array([2])]), [1, 2]),
        (pa.array([True, False]), [True, False]),
    ],
    ids=lambda value: type(value).__module__.split(".")[0] + "." + type(value).__name__,
)
def test_targets_of_every_library(y, expected):
    assert target_array(y).tolist() == expected


def test_numbers_of_category_type_are_classes_unless_said_otherwise():
    y = pd.Series(pd.Categorical([30, 4, 30]))
    assert target_array(y).tolist() == ["30", "4", "30"]
    assert target_array(y, "continuous").tolist() == [30, 4, 30]


def test_several_outputs_of_a_frame():
    frame = pd.DataFrame({"a": [1, 2], "b": [0.5, 1.5]})
    np.testing.assert_array_equal(target_array(frame), [[1, 0.5], [2, 1.5]])
    with pytest.raises(ValueError, match=r"several outputs takes numbers only.*'b'"):
        target_array(frame.assign(b=["x", "y"]))


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (pd.Series([1.0, None, 2.0], name="yield"), "'yield' has 1 missing.*first in row 1"),
        (pl.Series("y", ["a", None, None]), "'y' has 2 missing value.*first in row 1"),
        (pa.array([1, None]), "The target has 1 missing"),
        (pd.Series(["a", 1, 2]), "The target holds values of several kinds"),
        (pd.Series([WHEN, WHEN]), r"holds values of a type that is no target \(timestamp"),
    ],
)
def test_targets_that_cannot_be_used_are_refused_in_words(y, words):
    with pytest.raises(ValueError, match=words):
        target_array(y)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_target_is_taken_out_of_a_frame(library):
    frame = as_frame(library, {"a": [1.0, 2.0], "y": ["u", "v"], "b": [3.0, 4.0]})
    features, y = split_target(frame, "y")
    assert FrameBlocks(features).names == ("a", "b")
    assert target_array(y).tolist() == ["u", "v"]
    with pytest.raises(ValueError, match="no column 'z' for the target, only 'a', 'y' and 'b'"):
        split_target(frame, "z")
    with pytest.raises(ValueError, match="no column beside the target 'a'"):
        split_target(take_columns(frame, np.array([0])), "a")
    with pytest.raises(ValueError, match="X is no data frame; got ndarray"):
        split_target(np.ones((2, 2)), "y")


def _fail(_):
    raise AssertionError
