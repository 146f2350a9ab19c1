"""Missing values: refused, made a level of a category, or filled in."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hsieve import N3LARS, open_dataset
from hsieve.data.errors import TableError
from hsieve.data.views import MissingAsLevel
from tests.io.reading import read_table

LONG = 2**53 + 1
NAN = np.nan
ENDINGS = [".csv", ".parquet", ".npz", ".npy"]


def stored(path, columns):
    """Write columns, None and NaN being missing, the target the last of them."""
    if path.suffix == ".parquet":
        pq.write_table(pa.table(columns), path)
    elif path.suffix == ".csv":
        rows = zip(*columns.values(), strict=True)
        lines = [",".join("" if v is None or v != v else str(v) for v in row) for row in rows]  # noqa: PLR0124
        path.write_text("\n".join([",".join(columns), *lines, ""]), encoding="utf-8")
    else:
        *features, y = columns.values()
        X = np.array(features, dtype=float).T
        if path.suffix == ".npz":
            np.savez(path, X=X, y=y)
        else:
            np.save(path, np.column_stack([X, y]))
    return path


def target_of(path):
    return "-1" if path.suffix == ".npy" else "y"


@pytest.fixture(params=ENDINGS)
def genotypes(request, tmp_path):
    columns = {"a": [0.0, NAN, 2.0, 1.0, 0.0], "b": [1.0, 0.0, 1.0, NAN, NAN], "y": [0, 1, 0, 1, 1]}
    return stored(tmp_path / f"table{request.param}", columns)


def test_missing_becomes_a_level_where_that_is_asked_for(genotypes):
    table = read_table(genotypes, target=target_of(genotypes), missing="category")
    np.testing.assert_array_equal(table.X, np.array([[0, 3, 2, 1, 0], [1, 0, 1, 2, 2]]).T)
    assert table.categorical == (0, 1)


def test_missing_is_filled_in_where_that_is_asked_for(genotypes):
    table = read_table(genotypes, target=target_of(genotypes), missing="impute")
    np.testing.assert_array_equal(table.X, np.array([[0, 0.5, 2, 1, 0], [1, 0, 1, 1, 1]]).T)
    assert [note.partition(": ")[2] for note in table.notes] == [
        "1 of 5 values missing, filled with the median 0.5.",
        "2 of 5 values missing, filled with the median 1.",
    ]
    assert table.categorical == ()


def test_missing_is_refused_otherwise(genotypes):
    for options in ({}, {"missing": "refuse"}):
        with pytest.raises(TableError) as caught:
            read_table(genotypes, target=target_of(genotypes), **options)
        assert "has a missing value in data row 2, the first of 1" in str(caught.value)
        assert "or use missing='impute' (the median" in str(caught.value)


def test_unknown_wish_is_refused(genotypes):
    with pytest.raises(ValueError, match="missing must be 'refuse', 'impute' or 'category'"):
        read_table(genotypes, target=target_of(genotypes), missing="fill")


@pytest.mark.parametrize("ending", ENDINGS)
def test_infinite_is_no_missing_value(tmp_path, ending):
    columns = {"a": [0.0, NAN, np.inf, 1.0], "y": [0, 1, 0, 1]}
    path = stored(tmp_path / f"table{ending}", columns)
    with pytest.raises(
        TableError, match="an infinite value in data row 3, the first of 1"
    ) as error:
        read_table(path, target=target_of(path), missing="category")
    assert "impute" not in str(error.value)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_target_must_be_there_in_any_case(tmp_path, ending):
    path = stored(tmp_path / f"table{ending}", {"a": [0, 1, 2], "y": [1, None, 0]})
    with pytest.raises(TableError, match="'y' has a missing value in data row 2") as error:
        read_table(path, target="y", missing="category")
    assert "impute" not in str(error.value)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_text_category_has_a_level_for_what_is_missing(tmp_path, ending):
    columns = {"c": ["red", None, "blue", "red"], "y": [0, 1, 0, 1]}
    path = stored(tmp_path / f"table{ending}", columns)
    table = read_table(path, target="y", categorical=["c"], missing="category")
    np.testing.assert_array_equal(table.X[:, 0], [1, 2, 0, 1])
    assert table.categorical == (0,)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_column_of_nothing_is_read(tmp_path, ending):
    columns = {"a": [None] * 3, "b": [1, 2, 3], "y": [0, 1, 0]}
    table = read_table(stored(tmp_path / f"table{ending}", columns), target="y", missing="category")
    assert not table.X[:, 0].any()


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_long_integer_beside_missing_ones_is_not_rounded(tmp_path, ending):
    columns = {"a": [None, 1, LONG], "y": [0, 1, 0]}
    path = stored(tmp_path / f"table{ending}", columns)
    with pytest.raises(TableError, match=f"{LONG} in data row 3, an integer beyond"):
        read_table(path, target="y", missing="category")


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_long_integers_are_told_apart_as_categories(tmp_path, ending):
    columns = {"a": [None, LONG - 1, LONG], "y": [0, 1, 0]}
    path = stored(tmp_path / f"table{ending}", columns)
    table = read_table(path, target="y", categorical=["a"], missing="category")
    np.testing.assert_array_equal(table.X[:, 0], [2, 0, 1])


@pytest.mark.parametrize("ending", [".npy", ".parquet"])
def test_blocks_are_read_as_levels_only(tmp_path, ending):
    columns = {"a": [0.0, NAN, 2.0, 1.0, 0.0], "y": [0, 1, 0, 1, 1]}
    path = stored(tmp_path / f"table{ending}", columns)
    table = open_dataset(path, target=target_of(path), target_kind="classes")
    with pytest.raises(TableError, match="missing value in data row 2"):
        table.columns.read([0])
    with pytest.raises(TableError):
        N3LARS().fit(table.X, table.y)
    assert MissingAsLevel(table.columns).read([0]).ravel().tolist() == [0, 3, 2, 1, 0]


def test_blocks_of_text_give_missing_a_level(tmp_path):
    columns = {"c": ["red", None, "blue", "red"], "y": [0, 1, 0, 1]}
    path = stored(tmp_path / "table.parquet", columns)
    table = open_dataset(path, target="y", categorical=["c"])
    levels = MissingAsLevel(table.columns)
    assert levels.has_missing.tolist() == [True]
    assert levels.read([0]).ravel().tolist() == [1, 2, 0, 1]


@pytest.mark.parametrize("group", [2, 10])
def test_blocks_count_rows_of_a_long_integer_beside_missing_ones(tmp_path, group):
    path = tmp_path / "table.parquet"
    table = pa.table({"a": [1, 2, None, LONG], "y": [0, 1, 0, 1]})
    pq.write_table(table, path, row_group_size=group)
    with pytest.raises(TableError, match=f"{LONG} in data row 4, an integer beyond"):
        MissingAsLevel(open_dataset(path, target="y").columns)
