"""Every format gives the same table, and every bad file one sentence that says what to do."""

import csv
import datetime
import decimal
import gzip
import io
import json
import math
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hsieve.data.errors import TableError
from hsieve.data.validation import MAX_INTEGER_CLASSES as MAX_AUTO_CLASSES
from hsieve.exceptions import IdentifierWarning
from hsieve.io import delimited, parquet
from hsieve.io.writing import write_features, written_whole
from tests.io.reading import read_table

TEXT_ENDINGS = [".csv", ".tsv", ".csv.gz", ".tsv.gz"]
COLUMN_ENDINGS = [*TEXT_ENDINGS, ".parquet"]
ALL_ENDINGS = [*COLUMN_ENDINGS, ".npz", ".npy"]
HOSTILE_NAMES = ["Größe", "基因", "a,b", 'say "hi"', " padded ", "a\tb", "two\nlines", "x.y", "x"]
BEYOND = 2**53 + 1
MESSAGE_CHARACTERS = 400

Columns = Mapping[str, Any]


def write_text(path: Path, columns: Columns) -> None:
    buffer = io.StringIO()
    delimiter = "\t" if ".tsv" in path.name else ","
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    content = buffer.getvalue().encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


def write_arrays(path: Path, columns: Columns, target: str) -> None:
    features = {name: values for name, values in columns.items() if name != target}
    X = np.column_stack(list(features.values()))
    np.savez(path, X=X, y=np.asarray(columns[target]), feature_names=np.array(list(features)))


def write_table(path: Path, columns: Columns, target: str = "y") -> Path:
    """Write the columns in the format of the path's ending."""
    if path.suffix == ".parquet":
        pq.write_table(pa.table(dict(columns)), path)
    elif path.suffix == ".npz":
        write_arrays(path, columns, target)
    elif path.suffix == ".npy":
        np.save(path, np.column_stack(list(columns.values())))
    else:
        write_text(path, columns)
    return path


def write_arrow(path: Path, **columns: Any) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


def message_of(path: Path, **options: Any) -> str:
    """Return the error's text, which is one line and begins with the file."""
    with pytest.raises(TableError) as caught:
        read_table(path, **options)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    assert "Traceback" not in message
    return message


def says(message: str, *parts: str) -> None:
    for part in parts:
        assert part in message


class TestFormats:
    @pytest.mark.parametrize("ending", ALL_ENDINGS)
    def test_numbers_survive_exactly(self, tmp_path: Path, ending: str) -> None:
        values = np.random.default_rng(3).normal(size=(7, 3)) * [1e-300, 1.0, 1e300]
        names = ["x0", "x1", "x2"]
        path = write_table(
            tmp_path / f"t{ending}", dict(zip(names, values.T.tolist(), strict=True)), "x2"
        )
        target = {".npz": None, ".npy": "-1"}.get(ending, "x2")
        table = read_table(path, target=target)
        np.testing.assert_array_equal(table.X, values[:, :2])
        np.testing.assert_array_equal(table.y, values[:, 2])
        assert table.X.dtype == table.y.dtype == np.float64
        assert table.X.flags.f_contiguous
        assert table.names == ("x0", "x1")
        assert table.target_name == ("y" if ending == ".npz" else "x2")
        assert table.target_kind == "continuous"
        assert table.categorical == ()
        assert table.source == path

    @pytest.mark.parametrize("ending", [*COLUMN_ENDINGS, ".npz"])
    def test_names_are_kept_verbatim(self, tmp_path: Path, ending: str) -> None:
        columns = {name: [i, i + 0.5] for i, name in enumerate(HOSTILE_NAMES)}
        path = write_table(tmp_path / f"t{ending}", {**columns, "y": [0.5, 1.5]})
        table = read_table(path, target="y")
        assert table.names == tuple(HOSTILE_NAMES)
        np.testing.assert_array_equal(table.X[0], np.arange(len(HOSTILE_NAMES)))

    @pytest.mark.parametrize("ending", COLUMN_ENDINGS)
    def test_target_may_stand_anywhere(self, tmp_path: Path, ending: str) -> None:
        columns = {"a": [1, 2], "y": [0.5, 0.25], "b": [3, 4]}
        table = read_table(write_table(tmp_path / f"t{ending}", columns), target="y")
        assert table.names == ("a", "b")
        np.testing.assert_array_equal(table.X, [[1, 3], [2, 4]])
        np.testing.assert_array_equal(table.y, [0.5, 0.25])

    @pytest.mark.parametrize("ending", COLUMN_ENDINGS)
    def test_categories_are_coded_in_sorted_order(self, tmp_path: Path, ending: str) -> None:
        columns = {
            "a": [1.5, 2.5, 3.5],
            "sex": ["m", "f", "m"],
            "site": [10, 9, 100],
            "dose": [0.5, 0.5, 0.25],
            "y": [0.1, 0.2, 0.3],
        }
        path = write_table(tmp_path / f"t{ending}", columns)
        table = read_table(path, target="y", categorical=["dose", "sex", "site"])
        assert table.categorical == (1, 2, 3)
        np.testing.assert_array_equal(table.X[:, 1:], [[1, 1, 1], [0, 0, 1], [1, 2, 0]])

    @pytest.mark.parametrize("ending", COLUMN_ENDINGS)
    def test_booleans_become_zero_and_one(self, tmp_path: Path, ending: str) -> None:
        columns = {"a": [True, False, True], "y": [False, False, True]}
        table = read_table(write_table(tmp_path / f"t{ending}", columns), target="y")
        np.testing.assert_array_equal(table.X[:, 0], [1, 0, 1])
        assert table.y.dtype == np.int64
        assert table.y.tolist() == [0, 0, 1]
        assert table.target_kind == "classes"

    @pytest.mark.parametrize("ending", COLUMN_ENDINGS)
    def test_dropped_columns_are_not_checked(self, tmp_path: Path, ending: str) -> None:
        columns = {"id": ["p1", "p2"], "a": [1, 2], "bad": [math.inf, 1], "y": [0.5, 0.25]}
        path = write_table(tmp_path / f"t{ending}", columns)
        assert read_table(path, target="y", drop=["id", "bad"]).names == ("a",)

    def test_ending_is_read_in_any_case(self, tmp_path: Path) -> None:
        path = write_table(tmp_path / "t.csv.gz", {"a": [1, 2], "y": [0.5, 1.5]})
        assert read_table(path.rename(tmp_path / "T.CSV.GZ"), target="y").X.tolist() == [[1], [2]]

    def test_path_may_be_a_string(self, tmp_path: Path) -> None:
        path = write_table(tmp_path / "t.csv", {"a": [1, 2], "y": [0.5, 1.5]})
        assert read_table(str(path), target="y").source == path

    def test_table_is_frozen_and_prints_briefly(self, tmp_path: Path) -> None:
        path = write_table(tmp_path / "t.csv", {"a": [1, 2], "y": [0.5, 1.5]})
        table = read_table(path, target="y")
        with pytest.raises(AttributeError):
            table.target_name = "z"  # type: ignore[misc]
        assert "array" not in repr(table)


class TestCsv:
    def test_twenty_thousand_columns(self, tmp_path: Path) -> None:
        X = np.arange(60_000.0).reshape(3, 20_000) / 7
        names = [
            f"probe_{i:05d}_with_a_name_long_enough_to_fill_the_whole_header" for i in range(20_000)
        ]
        lines = [",".join([*names, "y"])]
        lines += [",".join([*map(repr, row), "0.5"]) for row in X.tolist()]
        path = tmp_path / "wide.csv"
        path.write_text("\n".join(lines))
        assert len(lines[0]) > 2**20  # the header alone exceeds pyarrow's default block
        table = read_table(path, target="y")
        np.testing.assert_array_equal(table.X, X)
        assert table.names == tuple(names)

    @pytest.mark.parametrize(
        "content",
        [
            b"\xef\xbb\xbfa,y\n1,0.5\n2,1.5\n",
            b"a,y\r\n1,0.5\r\n2,1.5\r\n",
            b"a,y\n1,0.5\n2,1.5",
            b"\na,y\n1,0.5\n\n2,1.5\n\n",
            b'"a","y"\n"1","0.5"\n"2","1.5"\n',
        ],
        ids=["byte order mark", "carriage returns", "no last newline", "empty lines", "quotes"],
    )
    def test_usual_variants(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "t.csv"
        path.write_bytes(content)
        table = read_table(path, target="y")
        assert (table.names, table.X.tolist()) == (("a",), [[1], [2]])
        assert table.y.tolist() == [0.5, 1.5]

    def test_several_gzip_members_are_one_file(self, tmp_path: Path) -> None:
        path = tmp_path / "t.csv.gz"
        path.write_bytes(gzip.compress(b"a,y\n1,0.5\n") + gzip.compress(b"2,1.5\n"))
        assert read_table(path, target="y").X.tolist() == [[1], [2]]

    def test_type_is_inferred_from_all_rows(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(delimited, "BLOCK_BYTES", 256)
        path = tmp_path / "t.csv"
        path.write_text("a,y\n" + "1,0.5\n" * 500 + "2.5,0.5\n")
        assert read_table(path, target="y").X[-1].tolist() == [2.5]

    def test_quoted_newlines_may_cross_blocks(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(delimited, "BLOCK_BYTES", 64)
        path = tmp_path / "t.csv"
        path.write_text("a,y\n" + '1,"two\nlines"\n' * 100)
        assert set(read_table(path, target="y").y) == {"two\nlines"}

    @pytest.mark.parametrize(
        ("content", "line", "found"),
        [
            ("a,b,y\n1,2,3\n1,2\n", 3, 2),
            ("a,b,y\n1,2,3,4\n", 2, 4),
            ('\na,b,y\n\n1,2,"x\nz"\n1,2,3,4,5\n', 6, 5),
            ('a,b,y\n1,2,3\n1,"2,3\n1,2,3\n', 3, 2),
        ],
        ids=["short", "long", "after empty and broken lines", "open quote"],
    )
    def test_ragged_row_names_its_line(
        self, tmp_path: Path, content: str, line: int, found: int
    ) -> None:
        path = tmp_path / "t.csv"
        path.write_text(content)
        message = message_of(path, target="y")
        says(message, f"line {line}: expected 3 fields but found {found}")

    def test_ragged_row_in_compressed_tsv(self, tmp_path: Path) -> None:
        path = tmp_path / "t.tsv.gz"
        path.write_bytes(gzip.compress(b"a\ty\n1\t2\n1,2\n"))
        says(message_of(path, target="y"), "line 3: expected 2 fields but found 1")

    def test_row_beyond_the_block(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(delimited, "BLOCK_BYTES", 32)
        path = write_table(tmp_path / "t.csv", {"a": ["x" * 100], "y": [1]})
        says(message_of(path, target="y"), "a row is longer than 32 bytes")

    @pytest.mark.parametrize("content", [b"", b"\n\n"])
    @pytest.mark.parametrize("ending", TEXT_ENDINGS)
    def test_file_without_text(self, tmp_path: Path, ending: str, content: bytes) -> None:
        path = tmp_path / f"t{ending}"
        path.write_bytes(gzip.compress(content) if ending.endswith("gz") else content)
        says(message_of(path, target="y"), "the file is empty")

    @pytest.mark.parametrize("kept", [5, 15, -4], ids=["header", "body", "checksum"])
    def test_truncated_gzip(self, tmp_path: Path, kept: int) -> None:
        path = tmp_path / "t.csv.gz"
        path.write_bytes(gzip.compress(b"a,y\n" + b"1,0.5\n" * 5000)[:kept])
        says(message_of(path, target="y"), "cannot be read as text")

    def test_plain_text_named_gzip(self, tmp_path: Path) -> None:
        path = tmp_path / "t.csv.gz"
        path.write_text("a,y\n1,2\n")
        says(message_of(path, target="y"), "cannot be read as text", "gzip")

    def test_text_that_is_not_utf8(self, tmp_path: Path) -> None:
        path = tmp_path / "t.csv"
        path.write_bytes("a,ort,y\n1,Köln,0.5\n".encode("latin-1"))
        message = message_of(path, target="y", encoding="utf-8")
        says(message, "'ort'", "no text in this encoding")
        assert read_table(path, target="y", drop=["ort"], encoding="utf-8").X.tolist() == [[1]]

    def test_header_that_is_not_in_the_encoding_said(self, tmp_path: Path) -> None:
        path = tmp_path / "t.csv"
        path.write_bytes("ä,y\n1,0.5\n".encode("latin-1"))
        message = message_of(path, target="y", encoding="utf-8")
        says(message, "the column names are no text in this encoding")

    @pytest.mark.parametrize("mark", ["", "NA", "NaN", "null", '"NA"'])
    @pytest.mark.parametrize("other", ["1", "1.5", "text", "true"])
    def test_marks_of_missing_values(self, tmp_path: Path, mark: str, other: str) -> None:
        path = tmp_path / "t.csv"
        path.write_text(f"a,y\n{other},0.5\n{mark},1.5\n")
        message = message_of(path, target="y", categorical=["a"])
        says(message, "'a' has a missing value in data row 2")

    @pytest.mark.parametrize("digits", [str(BEYOND), "-" + "9" * 19, "9" * 30])
    @pytest.mark.parametrize("other", ["1", "2.5"])
    def test_long_integer_among_floats(self, tmp_path: Path, digits: str, other: str) -> None:
        path = tmp_path / "t.csv"
        path.write_text(f"a,y\n{other},0.5\n{digits},0.5\n")
        says(message_of(path, target="y"), f"'a' has {digits} in data row 2", "2^53")

    def test_integer_of_thousands_of_digits(self, tmp_path: Path) -> None:
        path = tmp_path / "t.csv"
        path.write_text(f"a,y\n1,0.5\n{'9' * 5000},0.5\n")
        says(message_of(path, target="y"), "'a' has 999", "... in data row 2", "2^53")

    def test_large_floats_are_no_integers(self, tmp_path: Path) -> None:
        path = tmp_path / "t.csv"
        path.write_text(f"a,b,y\n1e20,{2**53},0.5\n2.5,0.5,0.5\n")
        assert read_table(path, target="y").X[0].tolist() == [1e20, 2.0**53]


class TestParquet:
    def test_all_number_types(self, tmp_path: Path) -> None:
        types = [pa.int8(), pa.uint64(), pa.float32(), pa.float64(), pa.bool_()]
        types += [pa.decimal128(9, 0), pa.decimal128(9, 3), pa.decimal256(40, 2)]
        columns = {f"c{i}": pa.array([1, 0, 1], pa.int8()).cast(t) for i, t in enumerate(types)}
        columns["half"] = pa.array(np.array([1, 0, 1], dtype=np.float16))
        path = write_arrow(tmp_path / "t.parquet", **columns, y=[0.5, 1.5, 2.5])
        assert (read_table(path, target="y").X == [[1], [0], [1]]).all()

    @pytest.mark.parametrize("of", ["string", "large_string", "string_view"])
    def test_text_types(self, tmp_path: Path, of: str) -> None:
        if not hasattr(pa, of):
            pytest.skip(f"pyarrow {pa.__version__} is older than its type {of}")
        text = pa.array(["b", "a", "b"], getattr(pa, of)())
        path = write_arrow(tmp_path / "t.parquet", a=text, y=text)
        table = read_table(path, target="y", categorical=["a"])
        assert (table.X.ravel().tolist(), table.y.tolist()) == ([1, 0, 1], ["b", "a", "b"])

    def test_dictionary_is_coded_by_its_sorted_used_values(self, tmp_path: Path) -> None:
        words = pa.DictionaryArray.from_arrays([1, 0, 1], ["z", "m", "unused"])
        numbers = pa.DictionaryArray.from_arrays([1, 0, 1], [10, 9])
        path = write_arrow(tmp_path / "t.parquet", a=words, b=numbers, y=[0.5, 1.5, 2.5])
        table = read_table(path, target="y", categorical=["a", "b"])
        assert table.X.tolist() == [[0, 0], [1, 1], [0, 0]]

    def test_dictionary_is_a_category(self, tmp_path: Path) -> None:
        a = pa.array(["z", "m"]).dictionary_encode()
        table = read_table(write_arrow(tmp_path / "t.parquet", a=a, y=[0.5, 1.5]), target="y")
        assert (table.X.tolist(), table.categorical) == ([[1], [0]], (0,))
        assert table.levels == {0: ("m", "z")}

    def test_names_with_dots_are_not_fields(self, tmp_path: Path) -> None:
        columns = {"a": [1.0], "a.b": [2.0], "s": [{"t": 9.0}], "s.t": [3.0], "y": [0.5]}
        path = write_table(tmp_path / "t.parquet", columns)
        table = read_table(path, target="y", drop=["s"])
        assert table.names == ("a", "a.b", "s.t")
        assert table.X.tolist() == [[1, 2, 3]]

    def test_several_row_groups(self, tmp_path: Path) -> None:
        path = tmp_path / "t.parquet"
        data = pa.table({"a": range(10), "b": list("xyxyxyxyzz"), "y": [0.5] * 10})
        pq.write_table(data, path, row_group_size=3)
        table = read_table(path, target="y", categorical=["b"])
        assert table.X[:, 0].tolist() == list(range(10))
        assert table.X[:, 1].tolist() == [0, 1] * 4 + [2, 2]

    @pytest.mark.parametrize(
        ("value", "type_name"),
        [
            (datetime.date(2020, 1, 2), "date32[day]"),
            (datetime.datetime(2020, 1, 2, 3), "timestamp"),
            (datetime.time(3), "time64"),
            (datetime.timedelta(3), "duration"),
            ([1, 2], "list"),
            ({"k": 1}, "struct"),
            (b"raw", "binary"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_other_types_are_refused(self, tmp_path: Path, value: Any, type_name: str) -> None:
        path = write_arrow(tmp_path / "t.parquet", when=[value], a=[1], y=[0.5])
        message = message_of(path, target="y")
        says(message, "column 'when'", type_name, "drop=['when']")
        says(message_of(path, target="when"), "the target 'when' holds", type_name)
        says(message_of(path, target="y", categorical=["when"]), "column 'when'", type_name)
        assert read_table(path, target="y", drop=["when"]).X.tolist() == [[1]]

    def test_types_are_refused_before_data_are_read(self, tmp_path: Path) -> None:
        path = write_arrow(tmp_path / "t.parquet", when=[datetime.date(2020, 1, 2)], y=[0.5])
        content = bytearray(path.read_bytes())
        content[4:60] = bytes(56)  # the pages are destroyed, the schema at the end is not
        path.write_bytes(content)
        says(message_of(path, target="y"), "column 'when'", "date32[day]")

    @pytest.mark.parametrize("kept", [3, 20, -1, -20])
    def test_truncated(self, tmp_path: Path, kept: int) -> None:
        path = write_arrow(tmp_path / "t.parquet", a=[1, 2], y=[0.5, 1.5])
        path.write_bytes(path.read_bytes()[:kept])
        says(message_of(path, target="y"), "cannot be read as Parquet")

    def test_damaged_pages(self, tmp_path: Path) -> None:
        path = write_arrow(tmp_path / "t.parquet", a=[1, 2], y=[0.5, 1.5])
        content = bytearray(path.read_bytes())
        content[4:60] = b"\xff" * 56
        path.write_bytes(content)
        says(message_of(path, target="y"), "cannot be read as Parquet")

    def test_checksum_is_verified_where_stored(self, tmp_path: Path) -> None:
        path = tmp_path / "t.parquet"
        data = pa.table({"a": [1.5, 2.5], "y": [0.5, 1.5]})
        options = {"use_dictionary": False, "compression": "none", "write_statistics": False}
        pq.write_table(data, path, write_page_checksum=True, **options)
        stored = np.array([1.5, 2.5]).tobytes()
        assert path.read_bytes().count(stored) == 1
        path.write_bytes(path.read_bytes().replace(stored, np.array([1.5, 3.5]).tobytes()))
        says(message_of(path, target="y"), "cannot be read as Parquet", "checksum")

    def test_column_of_another_length(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = write_arrow(tmp_path / "t.parquet", a=[1, 2], y=[0.5, 1.5])
        monkeypatch.setattr(parquet, "arrow_values", lambda *_: np.zeros(1))
        says(message_of(path, target="y"), "column 'y' has 1 rows of 2", "damaged")

    @pytest.mark.parametrize("value", [BEYOND, -BEYOND])
    def test_decimal_beyond_exact_integers(self, tmp_path: Path, value: int) -> None:
        a = pa.array([decimal.Decimal(1), decimal.Decimal(value)], pa.decimal128(20, 0))
        path = write_arrow(tmp_path / "t.parquet", a=a, y=[0.5, 1.5])
        says(message_of(path, target="y"), f"'a' has {value} in data row 2")

    @pytest.mark.parametrize("of", [pa.null(), pa.int64(), pa.bool_(), pa.string()], ids=str)
    def test_nulls_only(self, tmp_path: Path, of: Any) -> None:
        path = write_arrow(tmp_path / "t.parquet", a=pa.array([None, None], of), y=[0.5, 1.5])
        message = message_of(path, target="y", categorical=["a"])
        says(message, "'a' holds no value at all", "drop=['a']")

    def test_row_index_of_pandas_is_no_feature(self, tmp_path: Path) -> None:
        path = tmp_path / "t.parquet"
        frame = pd.DataFrame({"a": [1.5, 2.5, 3.5], "y": [0, 1, 0]}, index=[7, 3, 5])
        frame.to_parquet(path)
        with pytest.warns(IdentifierWarning, match="'__index_level_0__' is a row index saved by p"):
            assert read_table(path, target="y").names == ("a",)
        assert read_table(path, target="y", drop=["__index_level_0__"]).names == ("a",)
        table = read_table(path, target="__index_level_0__")
        assert (table.names, table.y.tolist()) == (("a", "y"), [7, 3, 5])

    def test_row_index_of_several_levels(self, tmp_path: Path) -> None:
        path = tmp_path / "t.parquet"
        index = pd.MultiIndex.from_tuples([(0, "u"), (1, "v")])
        pd.DataFrame({"a": [1.5, 2.5], "y": [0, 1]}, index=index).to_parquet(path)
        with pytest.warns(IdentifierWarning, match="'__index_level_0__' is a row index"):
            table = read_table(path, target="y", categorical=["__index_level_1__"])
        assert (table.names, table.categorical) == (("a", "__index_level_1__"), (1,))

    def test_row_index_of_dask_is_no_feature(self, tmp_path: Path) -> None:
        columns = {"a": [1.5, 2.5, 4.5], "__null_dask_index__": [0, 1, 0], "y": [0, 1, 0]}
        path = write_arrow(tmp_path / "t.parquet", **columns)
        with pytest.warns(IdentifierWarning, match="'__null_dask_index__' is a row index saved"):
            assert read_table(path, target="y").names == ("a",)

    def test_default_row_index_is_not_saved(self, tmp_path: Path) -> None:
        path = tmp_path / "t.parquet"
        pd.DataFrame({"a": [1.5, 2.5], "y": [0, 1]}).to_parquet(path)
        assert read_table(path, target="y").names == ("a",)


class TestNumpyFiles:
    def test_npz_without_names_numbers_its_columns(self, tmp_path: Path) -> None:
        path = tmp_path / "t.npz"
        np.savez(path, X=[[1, 2], [3, 4]], y=["b", "a"])
        table = read_table(path)
        assert table.names == ("x0", "x1")
        assert table.X.tolist() == [[1, 2], [3, 4]]
        assert (table.y.tolist(), table.target_name) == (["b", "a"], "y")

    def test_npz_target_may_be_another_array(self, tmp_path: Path) -> None:
        path = tmp_path / "t.npz"
        np.savez_compressed(path, X=[[1], [2]], y=[0, 1], age=[30.5, 41.5])
        table = read_table(path, target="age")
        assert (table.y.tolist(), table.target_name) == ([30.5, 41.5], "age")

    def test_npz_options_use_feature_names(self, tmp_path: Path) -> None:
        path = tmp_path / "t.npz"
        X = np.array([["1", "b", "q"], ["1", "a", "q"]])
        np.savez(path, X=X, y=[0.5, 1.5], feature_names=["n", "letter", "q"])
        assert read_table(path).categorical == (0, 1, 2)
        table = read_table(path, drop=["n", "q"])
        assert (table.X.tolist(), table.categorical) == ([[1], [0]], (0,))

    @pytest.mark.parametrize("dtype", ["bool", "int8", ">i4", "uint64", ">f8", "f2", "longdouble"])
    @pytest.mark.parametrize("order", ["C", "F"])
    def test_number_types(self, tmp_path: Path, dtype: str, order: Any) -> None:
        path = tmp_path / "t.npz"
        X = np.array([[1, 0], [0, 1]], dtype=dtype, order=order)
        np.savez(path, X=X, y=np.array([1, 0], dtype=dtype))
        table = read_table(path)
        assert table.X.tolist() == [[1, 0], [0, 1]]
        assert table.X.dtype == np.dtype("float64")
        assert table.X.flags.f_contiguous

    def test_number_too_large_for_float64_is_infinite(self, tmp_path: Path) -> None:
        path = tmp_path / "t.npz"
        largest = np.finfo(np.longdouble).max
        if largest == np.finfo(np.float64).max:
            pytest.skip("no number is too large here: long double is no wider than float64")
        np.savez(path, X=np.array([[1], [largest]]), y=[0.5, 1.5])
        says(message_of(path), "'x0' has an infinite value in data row 2")

    @pytest.mark.parametrize(
        ("arrays", "parts"),
        [
            ({"data": [1]}, ["no array 'X' or 'y' inside", "'data'"]),
            ({"X": [[1]]}, ["no array 'y' inside", "only 'X'", "--target NAME"]),
            ({"y": [1]}, ["no array 'X' inside", "only 'y'"]),
            ({}, ["no array 'X' or 'y' inside", "none"]),
            ({"X": [1, 2], "y": [1, 2]}, ["'X' must be 2-D", "(2,)"]),
            ({"X": [[1], [2]], "y": [[1], [2]]}, ["'y' must be 1-D", "(2, 1)"]),
            ({"X": [[1], [2]], "y": 1}, ["'y' must be 1-D", "()"]),
            ({"X": [[1], [2]], "y": [1]}, ["'X' has 2 rows", "'y' has 1 values"]),
            ({"X": [[1j]], "y": [1]}, ["'x0'", "complex128"]),
            ({"X": [[1]], "y": [b"a"]}, ["'y'", "|S1"]),
            ({"X": [[1]], "y": np.array(["2020-01-01"], "M8[D]")}, ["'y'", "datetime64[D]"]),
            ({"X": [[1, 2]], "y": [1], "feature_names": ["a"]}, ["2 names", "shape (1,)"]),
            ({"X": [[1]], "y": [1], "feature_names": [7]}, ["must be 1-D text", "int64"]),
            ({"X": [[1, 2]], "y": [1], "feature_names": ["a", "a"]}, ["more than once: 'a'"]),
            ({"X": [[1]], "y": [1], "feature_names": ["y"]}, ["more than once: 'y'"]),
            ({"X": [[1]], "y": [1], "feature_names": [""]}, ["column 1 has an empty name"]),
            ({"X": np.empty((3, 0)), "y": [1, 2, 3]}, ["no feature is left"]),
            ({"X": np.empty((0, 3)), "y": np.empty(0)}, ["no data rows"]),
        ],
    )
    def test_npz_of_the_wrong_shape(self, tmp_path: Path, arrays: Any, parts: list[str]) -> None:
        path = tmp_path / "t.npz"
        np.savez(path, **arrays)
        says(message_of(path), *parts)

    @pytest.mark.parametrize("name", ["X", "y", "feature_names"])
    def test_objects_are_never_unpickled(self, tmp_path: Path, name: str) -> None:
        path = tmp_path / "t.npz"
        arrays = {"X": [[1]], "y": [1], "feature_names": ["a"]}
        np.savez(path, **{**arrays, name: np.array(arrays[name], dtype=object)})  # type: ignore[arg-type]
        says(message_of(path), f"{name!r} holds Python objects", "never unpickled")

    @pytest.mark.parametrize("target", ["X", "feature_names", "agee"])
    def test_npz_target_that_is_none(self, tmp_path: Path, target: str) -> None:
        path = tmp_path / "t.npz"
        np.savez(path, X=[[1], [2]], y=[0, 1], age=[30.5, 41.5], feature_names=["a"])
        message = message_of(path, target=target)
        says(message, f"no {target!r}, given for the target", "vailable are 'y' and 'age'")

    @pytest.mark.parametrize("kept", [2, 50, -10, -200])
    def test_truncated_npz(self, tmp_path: Path, kept: int) -> None:
        path = tmp_path / "t.npz"
        np.savez(path, X=np.ones((20, 2)), y=np.ones(20))
        path.write_bytes(path.read_bytes()[:kept])
        says(message_of(path), "cannot be read as .npz")

    def test_damaged_npz(self, tmp_path: Path) -> None:
        path = tmp_path / "t.npz"
        np.savez(path, X=np.ones((200, 2)), y=np.ones(200))
        content = bytearray(path.read_bytes())
        content[1000:1010] = b"0123456789"
        path.write_bytes(content)
        says(message_of(path), "cannot be read as .npz", "CRC")

    def test_npz_member_that_is_no_array(self, tmp_path: Path) -> None:
        path = tmp_path / "t.npz"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("X", "hello there")
            archive.writestr("y", "hello there")
        says(message_of(path), "'X' is not saved as NumPy saves arrays")

    def test_npy_saved_as_npz_and_the_reverse(self, tmp_path: Path) -> None:
        np.save(tmp_path / "a.npy", [[1, 2]])
        np.savez(tmp_path / "b.npz", X=[[1, 2]])
        single = (tmp_path / "a.npy").rename(tmp_path / "t.npz")
        archive = (tmp_path / "b.npz").rename(tmp_path / "t.npy")
        says(message_of(single), "single array, not an .npz archive")
        says(message_of(archive, target="0"), "archive of arrays, not a single array")

    @pytest.mark.parametrize(
        ("target", "column"), [("0", 0), ("2", 2), ("-1", 2), ("-3", 0), ("x1", 1)]
    )
    def test_npy_target_is_an_index(self, tmp_path: Path, target: str, column: int) -> None:
        path = tmp_path / "t.npy"
        X = np.arange(6).reshape(2, 3)
        np.save(path, X)
        table = read_table(path, target=target)
        others = [i for i in range(3) if i != column]
        assert table.target_name == f"x{column}"
        assert table.names == tuple(f"x{i}" for i in others)
        np.testing.assert_array_equal(table.X, X[:, others])
        np.testing.assert_array_equal(table.y, X[:, column])

    @pytest.mark.parametrize(
        ("target", "parts"),
        [
            ("3", ["no column 3", "among 3", "-3 to 2"]),
            ("-4", ["no column -4", "-3 to 2"]),
            ("age", ["no 'age'", "'x0', 'x1' and 'x2'"]),
            ("1.0", ["no '1.0'", "'x0'"]),
            (None, ["no target given", "target=...", "an index", "'x0', 'x1' and 'x2'"]),
        ],
    )
    def test_npy_target_that_is_none(
        self, tmp_path: Path, target: str | None, parts: list[str]
    ) -> None:
        path = tmp_path / "t.npy"
        np.save(path, np.ones((2, 3)))
        says(message_of(path, target=target), *parts)

    @pytest.mark.parametrize("shape", [(), (3,), (1, 2, 3)])
    def test_npy_must_be_a_matrix(self, tmp_path: Path, shape: tuple[int, ...]) -> None:
        path = tmp_path / "t.npy"
        np.save(path, np.ones(shape))
        says(message_of(path, target="0"), "must be 2-D", str(shape))

    def test_npy_of_objects(self, tmp_path: Path) -> None:
        path = tmp_path / "t.npy"
        np.save(path, np.array([[1, "a"]], dtype=object))
        says(message_of(path, target="0"), "cannot be read as .npy", "never unpickled")

    @pytest.mark.parametrize("kept", [3, 40, -1])
    def test_truncated_npy(self, tmp_path: Path, kept: int) -> None:
        path = tmp_path / "t.npy"
        np.save(path, np.ones((5, 3)))
        path.write_bytes(path.read_bytes()[:kept])
        says(message_of(path, target="0"), "cannot be read as .npy")

    @pytest.mark.parametrize("damage", [(b"}", b" "), (b"'descr':", b"'descr' "), (b"f8", b"zz")])
    def test_damaged_npy_header(self, tmp_path: Path, damage: tuple[bytes, bytes]) -> None:
        path = tmp_path / "t.npy"
        np.save(path, np.ones((5, 3)))
        path.write_bytes(path.read_bytes().replace(*damage, 1))
        says(message_of(path, target="0"), "cannot be read as .npy")


class TestFiles:
    def test_missing(self, tmp_path: Path) -> None:
        says(message_of(tmp_path / "absent.csv", target="y"), "there is no such file")

    def test_folder(self, tmp_path: Path) -> None:
        (tmp_path / "t.csv").mkdir()
        says(message_of(tmp_path / "t.csv", target="y"), "this is a folder")

    def test_name_too_long(self, tmp_path: Path) -> None:
        says(message_of(tmp_path / ("x" * 5000 + ".csv"), target="y"), "too long")

    @pytest.mark.parametrize("ending", ALL_ENDINGS)
    def test_empty(self, tmp_path: Path, ending: str) -> None:
        path = tmp_path / f"t{ending}"
        path.touch()
        says(message_of(path, target="y"), "the file is empty")

    @pytest.mark.parametrize("name", ["t.docx", "t", "t.gz", "t.parquet.gz", "csv"])
    def test_unknown_ending(self, tmp_path: Path, name: str) -> None:
        (tmp_path / name).write_text("a,y\n1,2\n")
        message = message_of(tmp_path / name, target="y")
        says(message, "unknown ending", "'.csv'", "'.tsv'", "'.csv.gz'", "'.parquet'", "'.xlsx'")

    def test_unreadable(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = write_table(tmp_path / "t.npz", {"a": [1], "y": [2]})

        def refuse(*_: object, **__: object) -> None:
            raise PermissionError(13, "Permission denied", str(path))

        monkeypatch.setattr(zipfile, "ZipFile", refuse)
        assert message_of(path) == f"{path}: cannot be read as .npz (Permission denied)"

    @pytest.mark.parametrize("ending", COLUMN_ENDINGS)
    def test_no_rows(self, tmp_path: Path, ending: str) -> None:
        path = write_table(tmp_path / f"t{ending}", {"a": [], "y": []})
        says(message_of(path, target="y"), "no data rows")

    def test_no_rows_of_text(self, tmp_path: Path) -> None:
        empty = pa.array([], pa.string())
        says(message_of(write_arrow(tmp_path / "t.parquet", a=empty, y=empty), target="y"), "rows")

    @pytest.mark.parametrize("ending", COLUMN_ENDINGS)
    def test_reading_leaves_the_folder_as_it_was(self, tmp_path: Path, ending: str) -> None:
        path = write_table(tmp_path / f"t{ending}", {"a": [1, 2], "y": [0.5, 1.5]})
        before = path.read_bytes()
        read_table(path, target="y")
        assert list(tmp_path.iterdir()) == [path]
        assert path.read_bytes() == before


@pytest.mark.parametrize("ending", COLUMN_ENDINGS)
class TestNames:
    def test_no_target_given(self, tmp_path: Path, ending: str) -> None:
        columns = {f"c{i}": [1] for i in range(14)}
        message = message_of(write_table(tmp_path / f"t{ending}", columns))
        says(message, "no target given", "target=...", "'c0'", "'c9' and 4 more")
        assert "'c10'" not in message

    def test_unknown_target_lists_near_matches(self, tmp_path: Path, ending: str) -> None:
        columns = {"Diagnosis": [1], **{f"c{i}": [1] for i in range(14)}}
        path = write_table(tmp_path / f"t{ending}", columns)
        for target in ("diagnosis", "DIAGNOSE"):
            message = message_of(path, target=target)
            says(message, f"no {target!r}, given for the target", "did you mean 'Diagnosis'?")
            says(message, "Available are 'Diagnosis', 'c0'", "and 5 more")
        assert "did you mean" not in message_of(path, target="zzz")

    @pytest.mark.parametrize("option", ["drop", "categorical"])
    def test_unknown_option_lists_near_matches(
        self, tmp_path: Path, ending: str, option: str
    ) -> None:
        path = write_table(tmp_path / f"t{ending}", {"weight": [1], "y": [0.5]})
        message = message_of(path, target="y", **{option: ["weigth"]})
        says(message, f"no 'weigth', given for {option}", "did you mean 'weight'?")

    def test_repeated_names(self, tmp_path: Path, ending: str) -> None:
        path = tmp_path / f"t{ending}"
        if ending == ".parquet":
            arrays = [pa.array([1])] * 6
            pq.write_table(pa.table(arrays, names=["a", "b", "a", "c", "b", "y"]), path)
        else:
            text = "a,b,a,c,b,y\n1,1,1,1,1,1\n"
            text = text.replace(",", "\t") if ".tsv" in ending else text
            path.write_bytes(gzip.compress(text.encode()) if "gz" in ending else text.encode())
        says(message_of(path, target="y"), "more than once: 'a' and 'b'")

    @pytest.mark.parametrize("name", ["", "  "])
    def test_empty_name(self, tmp_path: Path, ending: str, name: str) -> None:
        path = write_table(tmp_path / f"t{ending}", {"a": [1], name: [2], "y": [0.5]})
        says(message_of(path, target="y"), "column 2 has an empty name", "row index")

    def test_no_feature(self, tmp_path: Path, ending: str) -> None:
        path = write_table(tmp_path / f"t{ending}", {"a": [1, 2], "y": [0.5, 1.5]})
        says(message_of(path, target="y", drop=["a"]), "no feature is left", "'y'")

    def test_contradicting_roles(self, tmp_path: Path, ending: str) -> None:
        path = write_table(tmp_path / f"t{ending}", {"a": [1], "b": [1], "y": [0.5]})
        says(message_of(path, target="y", drop=["y"]), "the target 'y' is also in drop")
        message = message_of(path, target="y", drop=["a"], categorical=["a"])
        says(message, "'a' is both in categorical and in drop")


class TestValues:
    @pytest.mark.parametrize("ending", COLUMN_ENDINGS)
    def test_text_says_what_to_do(self, tmp_path: Path, ending: str) -> None:
        names = [f"name {i % 25}" for i in range(40)]
        columns = {"a": [0.5] * 40, "name": names, "y": [0.5, 1.5] * 20}
        message = message_of(write_table(tmp_path / f"t{ending}", columns), target="y")
        says(message, "column 'name' is text: 25 different values in 40 rows")
        says(message, "categorical=['name']", "drop=['name']")

    @pytest.mark.parametrize("ending", COLUMN_ENDINGS)
    def test_columns_as_people_have_them(self, tmp_path: Path, ending: str) -> None:
        columns = {
            "row": list(range(1, 31)),
            "sample": [f"s{i}" for i in range(30)],
            "sex": ["m", "f"] * 15,
            "smoker": [True, False, False] * 10,
            "dose": [i % 7 for i in range(30)],
            "y": [0.5, 1.5, 2.5] * 10,
        }
        path = write_table(tmp_path / f"t{ending}", columns)
        with pytest.warns(IdentifierWarning) as warned:
            table = read_table(path, target="y")
        assert table.names == ("sex", "smoker", "dose")
        assert (table.categorical, table.levels) == ((0,), {0: ("f", "m")})
        np.testing.assert_array_equal(table.X[:3], [[1, 1, 0], [0, 0, 1], [1, 0, 2]])
        assert table.notes == (
            "Column 'row' counts the rows: left out; store it with decimals if it is a "
            "measurement.",
            "Column 'sample' is different in every row, an identifier: left out; keep it as a "
            "category by categorical=['sample'].",
            "Column 'sex' is text: a category of 2 levels (f, m).",
        )
        assert [str(one.message) for one in warned] == list(table.notes[:2])
        kept = read_table(path, target="y", categorical=["sample", "row"], drop=["sex"])
        assert kept.names == ("row", "sample", "smoker", "dose")
        assert kept.categorical == (0, 1)

    @pytest.mark.parametrize("ending", COLUMN_ENDINGS)
    def test_first_value_that_is_no_number_is_shown(self, tmp_path: Path, ending: str) -> None:
        numbers = [str(i % 13) for i in range(24)]
        columns = {"a": [*numbers[:2], "<0.1", "?", *numbers[4:]], "b": numbers, "y": [0.5] * 24}
        columns["b"] = [f"b{number}" for number in numbers]
        message = message_of(write_table(tmp_path / f"t{ending}", columns), target="y")
        says(message, "column 'a' is text: '<0.1' among its numbers")
        says(message, "column 'b' is text: 13 different values in 24 rows", "drop=['a', 'b']")

    def test_many_text_columns_and_long_values_stay_readable(self, tmp_path: Path) -> None:
        texts = [f"{'long ' * 1000}{i % 15}" for i in range(25)]
        columns = {f"c{i}": texts for i in range(50)}
        path = write_table(tmp_path / "t.csv", {**columns, "y": [0.5] * 25})
        message = message_of(path, target="y")
        says(message, "'c9' and 40 more", "...")
        assert len(message) - len(str(path)) < MESSAGE_CHARACTERS

    @pytest.mark.parametrize("ending", TEXT_ENDINGS)
    @pytest.mark.parametrize(
        ("value", "type_name"), [("2020-01-02", "date32"), ("2020-01-02 03:04:05", "timestamp")]
    )
    def test_dates_in_text_are_refused(
        self, tmp_path: Path, ending: str, value: str, type_name: str
    ) -> None:
        columns = {"a": [1], "when": [value], "y": [0.5]}
        path = write_table(tmp_path / f"t{ending}", columns)
        says(message_of(path, target="y"), "column 'when'", type_name, "drop=['when']")

    @pytest.mark.parametrize("ending", [*COLUMN_ENDINGS, ".npz"])
    @pytest.mark.parametrize(
        ("value", "word"),
        [(math.nan, "a missing"), (math.inf, "an infinite"), (-math.inf, "an infinite")],
    )
    @pytest.mark.parametrize("categorical", [[], ["a"]], ids=["number", "category"])
    def test_missing_or_infinite_feature(
        self, tmp_path: Path, ending: str, value: float, word: str, categorical: list[str]
    ) -> None:
        columns = {"z": [1, 2, 3, 4], "a": [1.5, 2, value, value], "y": [0.5, 1, 2, 3]}
        path = write_table(tmp_path / f"t{ending}", columns)
        message = message_of(path, target="y", categorical=categorical)
        says(message, f"column 'a' has {word} value in data row 3", "the first of 2")
        assert "other column" not in message

    @pytest.mark.parametrize("ending", [*COLUMN_ENDINGS, ".npz"])
    @pytest.mark.parametrize(("value", "word"), [(math.nan, "missing"), (math.inf, "infinite")])
    def test_missing_or_infinite_target(
        self, tmp_path: Path, ending: str, value: float, word: str
    ) -> None:
        path = write_table(tmp_path / f"t{ending}", {"a": [1, 2, 3], "y": [0.5, value, value]})
        for kind in ("auto", "classes", "continuous"):
            message = message_of(path, target="y", target_kind=kind)
            says(message, "column 'y' has a", f"{word} value in data row 2", "the first of 2")

    def test_npy_with_missing_value(self, tmp_path: Path) -> None:
        path = write_table(tmp_path / "t.npy", {"a": [1, math.nan], "y": [0.5, 1]})
        says(message_of(path, target="-1"), "column 'x0' has a missing value in data row 2")

    @pytest.mark.parametrize("ending", COLUMN_ENDINGS)
    @pytest.mark.parametrize("values", [[1, None], ["x", None], [True, None], [0.5, None]])
    def test_null_of_any_type(self, tmp_path: Path, ending: str, values: list[Any]) -> None:
        columns = {"a": [1, 2], "b": values, "y": [0.5, 1.5]}
        path = write_table(tmp_path / f"t{ending}", columns)
        message = message_of(path, target="y", categorical=["b"])
        says(message, "column 'b' has a missing value in data row 2, the first of 1")
        says(message_of(path, target="b"), "column 'b' has a missing value in data row 2")

    def test_other_columns_with_missing_values_are_counted(self, tmp_path: Path) -> None:
        gap = [1.0, math.nan]
        path = write_table(tmp_path / "t.csv", {"a": gap, "b": gap, "c": gap, "y": [0.5, 1.5]})
        says(message_of(path, target="y"), "column 'a'", "and 2 other columns have some too")
        says(message_of(path, target="y", drop=["a"]), "column 'b'", "and 1 other column has some")

    @pytest.mark.parametrize("ending", [*COLUMN_ENDINGS, ".npz"])
    @pytest.mark.parametrize("value", [BEYOND, -BEYOND, -(2**63), 2**63 - 1])
    def test_long_integer(self, tmp_path: Path, ending: str, value: int) -> None:
        columns = {"a": [1, 2, value], "y": [0.5, 1.5, 2.5]}
        message = message_of(write_table(tmp_path / f"t{ending}", columns), target="y")
        says(message, f"column 'a' has {value} in data row 3", "beyond 2^53", "rounded")

    @pytest.mark.parametrize("ending", [*COLUMN_ENDINGS, ".npz"])
    def test_longest_exact_integer(self, tmp_path: Path, ending: str) -> None:
        columns = {"a": [2**53, -(2**53)], "y": [0.5, 1.5]}
        table = read_table(write_table(tmp_path / f"t{ending}", columns), target="y")
        assert table.X.ravel().tolist() == [2.0**53, -(2.0**53)]

    def test_long_integers_may_be_categories_or_labels(self, tmp_path: Path) -> None:
        ids = [BEYOND, BEYOND - 1, BEYOND, BEYOND - 1]
        path = write_table(tmp_path / "t.csv", {"a": ids, "y": ids})
        table = read_table(path, target="y", categorical=["a"])
        assert (table.X.ravel().tolist(), table.y.tolist()) == ([1, 0, 1, 0], ids)
        message = message_of(path, target="y", categorical=["a"], target_kind="continuous")
        says(message, f"column 'y' has {BEYOND} in data row 1")

    def test_unsigned_integers_beyond_int64(self, tmp_path: Path) -> None:
        ids = np.array([2**64 - 1, 1], dtype=np.uint64)
        np.savez(tmp_path / "t.npz", X=[[1], [2]], y=ids)
        assert read_table(tmp_path / "t.npz", target_kind="classes").y.tolist() == [2**64 - 1, 1]
        np.savez(tmp_path / "t.npz", X=ids[:, None], y=[0.5, 1.5])
        says(message_of(tmp_path / "t.npz"), f"'x0' has {2**64 - 1} in data row 1")


class TestTarget:
    @pytest.mark.parametrize("ending", [*COLUMN_ENDINGS, ".npz"])
    @pytest.mark.parametrize(
        ("values", "kind", "dtype"),
        [
            (["b", "a"] * 15, "classes", object),
            ([True, False] * 15, "classes", np.int64),
            ([*range(MAX_AUTO_CLASSES)] * 2, "classes", np.int64),
            ([*range(MAX_AUTO_CLASSES + 1)], "continuous", np.float64),
            ([0.0, 1.5] * 15, "continuous", np.float64),
        ],
        ids=["text", "boolean", "few integers", "many integers", "floats"],
    )
    def test_kind_is_decided_by_type_and_count(
        self, tmp_path: Path, ending: str, values: list[Any], kind: str, dtype: type
    ) -> None:
        columns = {"a": [i / 2 for i in range(len(values))], "y": values}
        table = read_table(write_table(tmp_path / f"t{ending}", columns), target="y")
        assert table.target_kind == kind
        assert table.y.dtype == np.dtype(dtype)
        assert table.y.tolist() == values

    def test_dictionary_is_classes(self, tmp_path: Path) -> None:
        y = pa.array([0.5, 1.5, 0.5, 2.0]).dictionary_encode()
        text = pa.array(["u", "v", "u", "w"]).dictionary_encode()
        path = write_arrow(tmp_path / "t.parquet", a=[1, 2, 3, 4], y=y, text=text)
        assert read_table(path, target="text", drop=["y"]).y.tolist() == ["u", "v", "u", "w"]
        table = read_table(path, target="y", drop=["text"], target_kind="continuous")
        assert table.y.tolist() == [0.5, 1.5, 0.5, 2.0]

    def test_target_listed_as_categorical_is_classes(self, tmp_path: Path) -> None:
        labels = list(range(50))
        path = write_table(tmp_path / "t.csv", {"a": labels[::-1], "y": labels})
        table = read_table(path, target="y", categorical=["y"])
        assert (table.target_kind, table.y.tolist()) == ("classes", labels)
        assert table.categorical == ()

    def test_kind_can_be_given(self, tmp_path: Path) -> None:
        path = write_table(tmp_path / "t.csv", {"a": [1, 2], "few": [0, 1], "b": [True, False]})
        for target, values in (("few", [0, 1]), ("b", [1, 0])):
            table = read_table(path, target=target, target_kind="continuous")
            assert table.target_kind == "continuous"
            assert table.y.dtype == np.float64
            assert table.y.tolist() == values

    def test_whole_floats_given_as_classes_are_integers(self, tmp_path: Path) -> None:
        path = write_table(tmp_path / "t.npy", {"a": [0.5, 1.5], "y": [2.0, -1.0]})
        assert read_table(path, target="1").target_kind == "continuous"
        table = read_table(path, target="1", target_kind="classes")
        assert table.y.dtype == np.int64
        assert table.y.tolist() == [2, -1]

    @pytest.mark.parametrize("value", [1e300, 2.0**60])
    def test_huge_floats_are_no_classes(self, tmp_path: Path, value: float) -> None:
        path = write_table(tmp_path / "t.npy", {"a": [0.5, 1.5], "y": [2.0, value]})
        says(message_of(path, target="1", target_kind="classes"), "'x1'", "data row 2", "2^53")

    def test_fractions_are_no_classes(self, tmp_path: Path) -> None:
        path = write_table(tmp_path / "t.csv", {"a": [1, 2], "y": [1.0, 0.25]})
        message = message_of(path, target="y", target_kind="classes")
        says(message, "'y' has a fraction (0.25 in data row 2)", "target_kind='continuous'")

    def test_text_is_not_continuous(self, tmp_path: Path) -> None:
        path = write_table(tmp_path / "t.csv", {"a": [1, 2], "y": ["u", "v"]})
        message = message_of(path, target="y", target_kind="continuous")
        says(message, "'y' is text (first 'u')", "target_kind='classes'")

    def test_unknown_kind(self, tmp_path: Path) -> None:
        words = (
            "target_kind must be 'auto', 'classes', 'continuous' or 'survival', got 'regression'"
        )
        with pytest.raises(ValueError, match=words):
            read_table(tmp_path / "t.csv", target_kind="regression")

    @pytest.mark.parametrize(
        "options", [{"target": -1}, {"drop": "abc"}, {"categorical": "abc"}], ids=str
    )
    def test_options_of_the_wrong_type(self, tmp_path: Path, options: Any) -> None:
        with pytest.raises(TypeError, match=r"must be a s.*got"):
            read_table(tmp_path / "t.npy", **options)


class TestWriteFeatures:
    columns = ("feature", "score", "rank")

    def rows(self) -> list[dict[str, object]]:
        names = [*HOSTILE_NAMES, "lone\rreturn", "=1+1", "'; --", "", "NA"]
        return [
            {"rank": np.int64(i), "feature": name, "score": np.float64(i) / 7}
            for i, name in enumerate(names)
        ]

    def test_csv_keeps_hostile_names(self, tmp_path: Path) -> None:
        write_features(tmp_path / "f.csv", self.rows(), columns=self.columns)
        with (tmp_path / "f.csv").open(encoding="utf-8", newline="") as file:
            header, *body = csv.reader(file)
        assert header == list(self.columns)
        assert [row[0] for row in body] == [row["feature"] for row in self.rows()]
        assert [float(row[1]) for row in body] == [row["score"] for row in self.rows()]
        assert [int(row[2]) for row in body] == [row["rank"] for row in self.rows()]

    def test_json_keeps_hostile_names(self, tmp_path: Path) -> None:
        write_features(tmp_path / "f.JSON", self.rows(), columns=self.columns)
        records = json.loads((tmp_path / "f.JSON").read_text(encoding="utf-8"))
        assert records == self.rows()
        assert list(records[0]) == list(self.columns)

    def test_written_table_can_be_read(self, tmp_path: Path) -> None:
        rows = self.rows()[: len(HOSTILE_NAMES)]
        write_features(tmp_path / "f.csv", rows, columns=self.columns)
        table = read_table(tmp_path / "f.csv", target="feature")
        assert table.y.tolist() == HOSTILE_NAMES
        assert table.X[:, 0].tolist() == [row["score"] for row in rows]

    def test_values_json_does_not_know(self, tmp_path: Path) -> None:
        rows = [{"a": v} for v in (math.nan, np.float64("-inf"), None, 0.5)]
        write_features(tmp_path / "f.json", rows, columns=["a"])
        records = json.loads((tmp_path / "f.json").read_text())
        assert [record["a"] for record in records] == [None, None, None, 0.5]
        write_features(tmp_path / "f.csv", rows, columns=["a"])
        assert (tmp_path / "f.csv").read_text() == '"a"\nnan\n-inf\n""\n0.5\n'

    @pytest.mark.parametrize("name", ["f.csv", "f.json"])
    def test_no_rows(self, tmp_path: Path, name: str) -> None:
        write_features(tmp_path / name, [], columns=["a"])
        assert (tmp_path / name).read_text().split() == (['"a"'] if "csv" in name else ["[]"])

    @pytest.mark.parametrize("name", ["f.csv", "f.json"])
    @pytest.mark.parametrize("is_new", [False, True])
    @pytest.mark.parametrize("problem", [RuntimeError, KeyboardInterrupt])
    def test_failure_midway_leaves_the_old_file(
        self, tmp_path: Path, name: str, *, is_new: bool, problem: type[BaseException]
    ) -> None:
        def broken() -> Iterator[dict[str, object]]:
            for i in range(10_000):  # more than fits into a buffer
                yield {"a": f"feature {i}"}
            raise problem

        path = tmp_path / name
        if not is_new:
            path.write_text("old")
        with pytest.raises(problem):
            write_features(path, broken(), columns=["a"])
        assert list(tmp_path.iterdir()) == ([] if is_new else [path])
        assert is_new or path.read_text() == "old"

    @pytest.mark.parametrize("step", ["fsync", "replace"])
    def test_failure_at_the_end_leaves_the_old_file(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
    ) -> None:
        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        path = tmp_path / "f.csv"
        path.write_text("old")
        monkeypatch.setattr(os, step, full)
        with pytest.raises(OSError, match="No space"):
            write_features(path, [{"a": 1}], columns=["a"])
        assert list(tmp_path.iterdir()) == [path]
        assert path.read_text() == "old"

    def test_file_is_on_disk_before_it_replaces(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        steps: list[str] = []

        def noted(name: str) -> Callable[..., None]:
            original = getattr(os, name)

            def step(*arguments: Any) -> None:
                steps.append(name)
                original(*arguments)

            return step

        for name in ("fsync", "replace"):
            monkeypatch.setattr(os, name, noted(name))
        write_features(tmp_path / "f.csv", [{"a": 1}], columns=["a"])
        assert steps == ["fsync", "replace"]

    @pytest.mark.parametrize("name", ["f.csv", "f.json"])
    @pytest.mark.parametrize("row", [{"a": 1}, {"a": 1, "b": 2, "c": 3}])
    def test_row_with_other_keys(self, tmp_path: Path, name: str, row: dict[str, object]) -> None:
        with pytest.raises(TableError, match="row 2 to write has the keys 'a'") as caught:
            write_features(tmp_path / name, [{"a": 1, "b": 2}, row], columns=["a", "b"])
        says(str(caught.value), str(tmp_path / name), "accepted are 'a' and 'b'")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("name", ["f.parquet", "f", "f.csv.gz"])
    def test_unknown_ending_is_refused_before_rows_are_touched(
        self, tmp_path: Path, name: str
    ) -> None:
        def untouched() -> Iterator[dict[str, object]]:
            pytest.fail("rows were asked for")
            yield {}

        with pytest.raises(TableError, match=r"accepted are '\.csv' and '\.json'") as caught:
            write_features(tmp_path / name, untouched(), columns=["a"])
        says(str(caught.value), str(tmp_path / name))
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("columns", [[], ["a", "a"]])
    def test_columns_must_be_distinct(self, tmp_path: Path, columns: list[str]) -> None:
        with pytest.raises(TableError, match="columns must be distinct and at least one"):
            write_features(tmp_path / "f.csv", [], columns=columns)

    def test_folders(self, tmp_path: Path) -> None:
        (tmp_path / "d.csv").mkdir()
        with pytest.raises(TableError, match="this is a folder"):
            write_features(tmp_path / "d.csv", [], columns=["a"])
        with pytest.raises(TableError, match="the folder to write to does not exist"):
            write_features(tmp_path / "absent" / "f.csv", [], columns=["a"])

    @pytest.mark.skipif(os.name == "nt", reason="Windows has no POSIX permissions to keep")
    def test_permissions_and_links_are_kept(self, tmp_path: Path) -> None:
        real, link, new = (tmp_path / name for name in ("real.csv", "link.csv", "new.csv"))
        real.write_text("old")
        real.chmod(0o640)
        mode = real.stat().st_mode
        link.symlink_to(real)
        write_features(link, [{"a": 1}], columns=["a"])
        assert link.is_symlink()
        assert real.read_text() == '"a"\n1\n'
        assert real.stat().st_mode == mode
        write_features(new, [{"a": 1}], columns=["a"])
        plain = tmp_path / "plain"
        plain.touch()
        assert new.stat().st_mode == plain.stat().st_mode

    @pytest.mark.skipif(os.name == "nt", reason="Windows cannot be asked whether a process runs")
    def test_what_a_killed_process_has_left_goes_when_the_file_is_written_again(
        self, tmp_path: Path
    ) -> None:
        path, other = tmp_path / "f.csv", tmp_path / "g.csv"
        words = "import os, sys, pathlib; from hsieve.io.writing import written_whole\n"
        words += "with written_whole(pathlib.Path(sys.argv[1])) as file:\n"
        words += "    file.write_text('half'); os.kill(os.getpid(), 9)"
        killed = subprocess.run([sys.executable, "-c", words, str(path)], check=False)
        assert killed.returncode == -9
        (left,) = tmp_path.iterdir()
        assert left.suffix == ".tmp"
        write_features(other, [{"a": 1}], columns=["a"])
        with written_whole(path) as under_way:
            under_way.write_text("by a process that runs")
            assert set(tmp_path.iterdir()) == {other, under_way}
            write_features(path, [{"a": 1}], columns=["a"])
            assert under_way.exists()
        assert set(tmp_path.iterdir()) == {other, path}
