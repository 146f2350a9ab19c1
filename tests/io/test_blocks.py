"""Blocks of columns are the columns of the whole, at the memory of the block."""

import tracemalloc
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hsieve import Dataset, open_dataset
from hsieve.data.arrays import TILE_COLUMNS, TILE_ROWS, ArrayBlocks, as_blocks
from hsieve.data.columns import ColumnBlocks
from hsieve.data.errors import TableError
from hsieve.io import parquet
from hsieve.io.parquet import ParquetBlocks
from tests.io.reading import read_table

FLOAT32_EXACT = ["bool", "int8", "uint8", "int16", "uint16", "float16", "float32", ">f4"]
FLOAT64_NEEDED = ["int32", "uint32", "int64", "uint64", "float64", "longdouble", ">i4", ">f8"]
BEYOND = 2**53 + 1
WIDE, NARROW = (30, 400), (2 * TILE_ROWS + 7, 3)
MEGABYTE = 2**20


def matrix(shape: tuple[int, int] = (20, 9), dtype: str = "float64") -> np.ndarray:
    return np.random.default_rng(0).integers(0, 100, size=shape).astype(dtype)


def layouts(array: np.ndarray) -> dict[str, np.ndarray]:
    """Return the same numbers as they may lie in memory."""
    n, d = array.shape
    gaps = np.zeros((2 * n, 2 * d), dtype=array.dtype)
    gaps[::2, ::2] = array
    frozen = array.copy()
    frozen.flags.writeable = False
    return {
        "C": np.ascontiguousarray(array),
        "F": np.asfortranarray(array),
        "every second": gaps[::2, ::2],
        "backwards": np.ascontiguousarray(array[::-1, ::-1])[::-1, ::-1],
        "read-only": frozen,
    }


def write_parts(folder: Path, table: pa.Table, n_parts: int = 3, **options: Any) -> Path:
    """Write a table as a folder of parts, some of them with several row groups."""
    folder.mkdir()
    length = -(-len(table) // n_parts)
    for i in range(n_parts):
        part = table.slice(i * length, length)
        pq.write_table(part, folder / f"part-{i}.parquet", row_group_size=4, **options)
    return folder


def says(caught: pytest.ExceptionInfo[BaseException], *parts: str) -> None:
    for part in parts:
        assert part in str(caught.value)


class TestArrays:
    @pytest.mark.parametrize("dtype", [*FLOAT32_EXACT, *FLOAT64_NEEDED])
    def test_every_type_gives_the_same_numbers(self, dtype: str) -> None:
        array = matrix(dtype=dtype)
        blocks = ArrayBlocks(array)
        block = blocks.read(np.arange(9))
        expected = np.float32 if dtype in FLOAT32_EXACT else np.float64
        assert block.dtype == blocks.dtype == expected
        np.testing.assert_array_equal(block, array.astype(np.float64))

    @pytest.mark.parametrize("shape", [WIDE, NARROW])
    @pytest.mark.parametrize("layout", layouts(matrix()))
    def test_every_layout_and_choice_of_columns(self, shape: tuple[int, int], layout: str) -> None:
        array = matrix(shape)
        blocks = ArrayBlocks(layouts(array)[layout])
        d = shape[1]
        rng = np.random.default_rng(1)
        choices = [np.arange(d), np.arange(1, d), rng.permutation(d), [d - 1, 0, 0], [1], []]
        for choice in choices:
            features = np.asarray(choice, dtype=np.intp)
            block = blocks.read(features)
            np.testing.assert_array_equal(block, array[:, features])
            assert block.flags.f_contiguous

    def test_positions_with_a_gap_inside_a_tile(self) -> None:
        array = matrix((5, 3 * TILE_COLUMNS))
        kept = np.delete(np.arange(3 * TILE_COLUMNS), TILE_COLUMNS + 3)
        np.testing.assert_array_equal(ArrayBlocks(array).read(kept), array[:, kept])

    @pytest.mark.parametrize("order", ["C", "F"])
    def test_read_only_memmap(self, tmp_path: Path, order: str) -> None:
        array = np.asarray(matrix(WIDE, "float32"), order=order)  # type: ignore[call-overload]
        np.save(tmp_path / "x.npy", array)
        blocks = as_blocks(np.load(tmp_path / "x.npy", mmap_mode="r"))
        np.testing.assert_array_equal(blocks.read(np.arange(100, 200)), array[:, 100:200])

    @pytest.mark.parametrize("order", ["C", "F"])
    def test_caller_may_write_into_the_result(self, order: str) -> None:
        array = np.asarray(matrix(), order=order)  # type: ignore[call-overload]
        block = ArrayBlocks(array).read([0, 1])
        block[:] = -1
        np.testing.assert_array_equal(array, matrix())

    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    @pytest.mark.parametrize("order", ["C", "F"])
    def test_first_value_that_is_not_finite_is_named(self, bad: float, order: str) -> None:
        array = np.asarray(matrix((700, 100)), order=order)  # type: ignore[call-overload]
        array[650, 31] = array[640, 70] = array[13, 70] = bad
        blocks = ArrayBlocks(array)
        assert np.isfinite(blocks.read(np.arange(31))).all()
        with pytest.raises(ValueError, match=r"Column 31 holds -?(nan|inf) in row 650"):
            blocks.read(np.arange(100))
        with pytest.raises(ValueError, match=r"Column 70 .* in row 13 "):
            blocks.read([90, 70, 31])
        named = ArrayBlocks(array, names=[f"gene{i}" for i in range(100)])
        with pytest.raises(ValueError, match="Column 'gene31' holds"):
            named.read(np.arange(100))

    @pytest.mark.skipif(
        np.finfo(np.longdouble).max == np.finfo(float).max,
        reason="no number is too large here: long double is no wider than float64",
    )
    def test_number_too_large_for_float64_is_refused(self) -> None:
        array = matrix(dtype="longdouble")
        array[3, 2] = np.longdouble(10) ** 400
        with pytest.raises(ValueError, match="Column 2 holds inf in row 3"):
            ArrayBlocks(array).read(np.arange(9))

    @pytest.mark.parametrize(("value", "dtype"), [(BEYOND, "i8"), (-BEYOND, "i8"), (BEYOND, "u8")])
    def test_integer_that_would_be_rounded_is_refused(self, value: int, dtype: str) -> None:
        array = matrix(dtype=dtype)
        array[2, 4] = value - np.sign(value)
        assert ArrayBlocks(array).read([4])[2, 0] == value - np.sign(value)
        array[3, 4] = value
        with pytest.raises(ValueError, match=f"Column 4 holds {value} in row 3 .* beyond 2"):
            ArrayBlocks(array).read(np.arange(9))

    @pytest.mark.parametrize(
        "array", [np.zeros(3), np.zeros((2, 2, 2)), np.zeros((2, 2), complex), [[1.0]], None]
    )
    def test_other_things_are_refused(self, array: Any) -> None:
        with pytest.raises(ValueError, match="2-D array of booleans, integers or floats, got"):
            as_blocks(array)

    def test_wrong_number_of_names_is_refused(self) -> None:
        with pytest.raises(ValueError, match="each of 9 columns, got 1"):
            ArrayBlocks(matrix(), names=["a"])

    @pytest.mark.parametrize("features", [[9], [-1], [0.5], [[1]], 3, [True]])
    def test_features_that_are_not_there_are_refused(self, features: Any) -> None:
        with pytest.raises(ValueError, match="features must be"):
            ArrayBlocks(matrix()).read(features)

    def test_blocks_are_passed_on_and_have_a_shape(self) -> None:
        blocks = ArrayBlocks(matrix(), names="abcdefghi")
        assert as_blocks(blocks) is blocks
        assert blocks.shape == (blocks.n_samples, blocks.n_features) == (20, 9)
        assert blocks.names == tuple("abcdefghi")
        assert as_blocks(matrix()).names is None


class TestWalk:
    @pytest.mark.parametrize("max_bytes", [1, 4 * 30, 1000, 4 * 30 * 399, 10**9])
    def test_all_features_once_in_order_within_the_bytes(self, max_bytes: int) -> None:
        blocks = ArrayBlocks(matrix(WIDE, "float32"))
        walked = list(blocks.walk(max_bytes))
        np.testing.assert_array_equal(np.concatenate(walked), np.arange(400))
        widths = {len(features) for features in walked}
        assert max(widths) - min(widths) <= 1
        assert all(
            len(features) == 1 or blocks.read(features).nbytes <= max_bytes for features in walked
        )
        # None could have been left out by making the others wider.
        widest = max(1, max_bytes // (4 * 30))
        assert len(walked) == -(-400 // widest)

    @pytest.mark.parametrize("max_bytes", [0, -5, 1.5, None])
    def test_bad_bytes_are_refused(self, max_bytes: Any) -> None:
        with pytest.raises(ValueError, match="max_bytes must be an integer"):
            list(ArrayBlocks(matrix()).walk(max_bytes))

    def test_without_features_there_are_no_blocks(self) -> None:
        assert list(ArrayBlocks(np.empty((3, 0))).walk(100)) == []


COLUMNS = {
    "small": pa.array(range(30, 0, -1), pa.int8()),
    "flag": pa.array([i % 3 == 0 for i in range(30)]),
    "single": pa.array(np.linspace(0, 1, 30), pa.float32()),
    "half": pa.array(np.linspace(0, 1, 30).astype(np.float16)),
    "town": pa.array([f"town {(7 * i) % 11:02}" for i in range(30)]),
    "level": pa.DictionaryArray.from_arrays(
        pa.array([i % 3 for i in range(30)]), pa.array(["unused", "z", "a", "m"]).slice(1)
    ),
}
DOUBLE = pa.array(np.linspace(0, 1, 30))


class TestParquet:
    @pytest.fixture(params=["one file", "row groups", "parts"])
    def stored(self, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
        table = pa.table({**COLUMNS, "double": DOUBLE, "x.y": DOUBLE, "x": DOUBLE})
        path = tmp_path / "t.parquet"
        if request.param == "parts":
            write_parts(path, table)
        else:
            pq.write_table(table, path, row_group_size=30 if request.param == "one file" else 7)
        return path

    def test_columns_are_those_of_the_whole_table(self, stored: Path) -> None:
        names = [*COLUMNS, "double", "x.y", "x"]
        blocks = ParquetBlocks(stored, names, categorical=["town", "level"])
        whole = read_table(stored, target="double", categorical=["town", "level"], drop=["x"])
        kept = [i for i, name in enumerate(names) if name not in ("double", "x")]
        block = blocks.read(kept)
        np.testing.assert_array_equal(block, whole.X)
        assert block.flags.f_contiguous
        assert block.dtype == blocks.dtype == np.float64
        assert blocks.names == tuple(names)
        assert blocks.shape == (30, 9)
        np.testing.assert_array_equal(blocks.read([5, 0, 5]), whole.X[:, [5, 0, 5]])
        assert blocks.read([]).shape == (30, 0)

    def test_single_precision_where_it_is_exact(self, stored: Path) -> None:
        blocks = ParquetBlocks(stored, list(COLUMNS), categorical=["town", "level"])
        assert blocks.dtype == blocks.read([0]).dtype == np.float32
        whole = ParquetBlocks(stored, categorical=["town", "level"])
        np.testing.assert_array_equal(blocks.read(range(6)), whole.read(range(6)))

    def test_numbers_may_be_categories(self, stored: Path) -> None:
        blocks = ParquetBlocks(stored, ["flag", "double"], categorical=["double"])
        np.testing.assert_array_equal(blocks.read([1])[:, 0], np.arange(30))

    def test_few_columns_are_decoded_at_a_time(
        self, stored: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        blocks = ParquetBlocks(stored, categorical=["town", "level"])
        expected = blocks.read(range(9))
        monkeypatch.setattr(parquet, "DECODED_BYTES", 1)
        np.testing.assert_array_equal(blocks.read(range(9)), expected)

    def test_footer_is_read_once(self, stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        blocks = ParquetBlocks(stored, ["single"])
        real = pq.ParquetFile

        def known(path: Path, *, metadata: Any, **options: Any) -> Any:
            assert metadata is not None
            return real(path, metadata=metadata, **options)

        monkeypatch.setattr(pq, "ParquetFile", known)
        assert blocks.read([0]).shape == (30, 1)

    def test_undeclared_text_is_refused_by_name(self, stored: Path) -> None:
        with pytest.raises(TableError) as caught:
            ParquetBlocks(stored, ["small", "town"])
        says(caught, "column 'town' is text; make it a category with categorical=['town']")

    def test_unknown_names_are_refused(self, stored: Path) -> None:
        with pytest.raises(TableError, match="no 'smal', given for a feature; did you mean"):
            ParquetBlocks(stored, ["smal"])
        with pytest.raises(TableError, match="no 'city', given for categorical"):
            ParquetBlocks(stored, ["small"], categorical=["city"])

    @pytest.mark.parametrize("kind", [pa.float64(), pa.int64(), pa.bool_(), pa.string()])
    def test_missing_value_is_named_by_column_and_row(self, tmp_path: Path, kind: Any) -> None:
        values = pa.array([1, 0] * 15).cast(kind).to_pylist()
        values[17] = values[28] = None
        table = pa.table({"a": DOUBLE, "b": pa.array(values, kind)})
        categorical = ["b"] if kind == pa.string() else []
        blocks = ParquetBlocks(write_parts(tmp_path / "t", table), categorical=categorical)
        with pytest.raises(TableError) as caught:
            blocks.read([0, 1])
        says(caught, "column 'b' has a missing value in data row 18, the first of 2")

    @pytest.mark.parametrize(
        "column",
        [
            pa.array([1] * 21 + [BEYOND] * 9),
            pa.array([1] * 21 + [2**63 + 1] * 9, pa.uint64()),
            pa.array([Decimal(1)] * 21 + [Decimal(BEYOND)] * 9, pa.decimal128(20, 0)),
        ],
    )
    def test_integer_that_would_be_rounded_is_refused(self, tmp_path: Path, column: Any) -> None:
        path = write_parts(tmp_path / "t", pa.table({"a": DOUBLE, "b": column}))
        with pytest.raises(TableError) as caught:
            ParquetBlocks(path).read([0, 1])
        says(caught, "column 'b' has ", "in data row 22, an integer beyond 2^53")

    def test_types_that_are_no_numbers_are_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "t.parquet"
        pq.write_table(pa.table({"a": [[1], [2]], "b": [1, 2]}), path)
        with pytest.raises(TableError, match="column 'a' holds nested values"):
            ParquetBlocks(path)
        assert ParquetBlocks(path, ["b"]).read([0]).tolist() == [[1.0], [2.0]]

    def test_levels_and_dictionaries_may_differ_between_parts(self, tmp_path: Path) -> None:
        folder = tmp_path / "t"
        folder.mkdir()
        for i, (levels, size) in enumerate([(["c", "a"], pa.int8()), (["b", "c"], pa.int32())]):
            indices = pa.array([0, 1, 1], size)
            column = pa.DictionaryArray.from_arrays(indices, pa.array(levels))
            pq.write_table(pa.table({"a": column, "y": [0.5, 1.5, 2.5]}), folder / f"{i}.parquet")
        blocks = ParquetBlocks(folder, ["a"], categorical=["a"])
        assert blocks.read([0])[:, 0].tolist() == [2, 0, 0, 1, 2, 2]
        table = read_table(folder, target="y", categorical=["a"])
        np.testing.assert_array_equal(table.X, blocks.read([0]))

    def test_damage_found_late_is_one_sentence(self, tmp_path: Path) -> None:
        path = tmp_path / "t.parquet"
        options = {"use_dictionary": False, "compression": "none", "write_statistics": False}
        pq.write_table(pa.table({"a": DOUBLE}), path, write_page_checksum=True, **options)
        blocks = ParquetBlocks(path)
        stored = DOUBLE.to_numpy().tobytes()
        assert path.read_bytes().count(stored) == 1
        path.write_bytes(path.read_bytes().replace(stored, stored[::-1]))
        with pytest.raises(TableError, match=r"t\.parquet: cannot be read as Parquet"):
            blocks.read([0])


class TestFolders:
    def test_parts_are_one_table_in_the_order_of_names(self, tmp_path: Path) -> None:
        path = write_parts(tmp_path / "t", pa.table({"a": range(5, 35), "y": DOUBLE}))
        (path / "_SUCCESS").touch()
        (path / "_common.parquet").touch()
        (path / ".hidden.parquet").touch()
        table = read_table(path, target="y")
        np.testing.assert_array_equal(table.X[:, 0], np.arange(5, 35))
        np.testing.assert_array_equal(table.y, DOUBLE)

    def test_folder_without_parts_is_refused(self, tmp_path: Path) -> None:
        for read in (read_table, open_dataset):
            with pytest.raises(TableError, match=r"this is a folder without .*'\.parquet'"):
                read(tmp_path, target="y")

    @pytest.mark.parametrize(
        ("other", "word"),
        [
            ({"a": [1], "z": [0.5]}, "only one of them has 'y' and 'z'"),
            ({"y": [0.5], "a": [1]}, "in another order"),
            ({"a": [1.5], "y": [0.5]}, "column 'a' is double, but int64 in '0.parquet'"),
        ],
    )
    def test_parts_of_other_columns_are_refused(
        self, tmp_path: Path, other: dict[str, Any], word: str
    ) -> None:
        pq.write_table(pa.table({"a": [1], "y": [0.5]}), tmp_path / "0.parquet")
        pq.write_table(pa.table(other), tmp_path / "1.parquet")
        with pytest.raises(TableError) as caught:
            open_dataset(tmp_path, target="y")
        says(caught, "1.parquet: ", word, "parts must have equal columns")


def truth(path: Path) -> dict[str, Any]:
    """The columns of a file, read by the library that wrote it."""
    if path.suffix == ".npy":
        return {f"x{i}": column for i, column in enumerate(np.load(path).T)}
    return dict(pq.read_table(path).to_pandas())


def same_as_whole(path: Path, **options: Any) -> Dataset:
    """Open a file in blocks and see that it holds what is stored."""
    opened, columns = open_dataset(path, **options), truth(path)
    block = opened.columns.read(range(opened.n_features))
    names = [n for n in columns if n not in (*options.get("drop", ()), opened.target_name)]
    declared = options.get("categorical", ())
    for place, name in enumerate(names):
        values = np.asarray(columns[name])
        coded = np.unique(values, return_inverse=True)[1] if name in declared else values
        np.testing.assert_array_equal(block[:, place], coded)
    assert opened.y.tolist() == np.asarray(columns[opened.target_name]).tolist()
    assert opened.names == opened.columns.names == tuple(names)
    assert opened.categorical == tuple(i for i, n in enumerate(names) if n in declared)
    assert opened.source == path
    np.testing.assert_array_equal(opened.X, block)
    return opened


class TestOpenColumns:
    @pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int8", "bool"])
    @pytest.mark.parametrize("order", ["C", "F"])
    @pytest.mark.parametrize("target", ["0", "-1", "x4", "+2"])
    def test_npy(self, tmp_path: Path, dtype: str, order: str, target: str) -> None:
        path = tmp_path / "t.npy"
        np.save(path, np.asarray(matrix(WIDE, dtype), order=order))  # type: ignore[call-overload]
        same_as_whole(path, target=target, drop=["x7", "x1"])

    @pytest.mark.parametrize("dtype", ["float32", "int64", "U3"])
    def test_npy_with_categories(self, tmp_path: Path, dtype: str) -> None:
        path = tmp_path / "t.npy"
        np.save(path, matrix((60, 3)).astype(int).astype(dtype))
        same_as_whole(path, target="0", categorical=["x1", "x2"])

    def test_npy_categories_may_be_long_integers(self, tmp_path: Path) -> None:
        path = tmp_path / "t.npy"
        np.save(path, [[1, BEYOND, 0], [2, BEYOND + 1, 1], [3, BEYOND, 1], [4, 1, 0]])
        same_as_whole(path, target="2", categorical=["x1"])
        with pytest.raises(TableError) as caught:
            open_dataset(path, target="2").columns.read([1])
        says(caught, "t.npy: column 'x1' has ", "in data row 1, an integer beyond 2^53")

    def test_parquet_with_everything(self, tmp_path: Path) -> None:
        table = pa.table({**COLUMNS, "double": DOUBLE, "when": pa.array(range(30), pa.date32())})
        path = write_parts(tmp_path / "t", table)
        options: dict[str, Any] = {"categorical": ["town", "level"], "drop": ["when"]}
        assert same_as_whole(path, target="flag", **options).columns.dtype == np.float64
        options["drop"] = ["when", "double"]
        assert same_as_whole(path, target="small", **options).columns.dtype == np.float32
        options["categorical"] = ["level", "town"]
        same_as_whole(path, target="town", target_kind="classes", **options)

    def test_value_that_is_not_finite_is_named(self, tmp_path: Path) -> None:
        path = tmp_path / "t.npy"
        array = matrix()
        array[6, 3] = np.inf
        np.save(path, array)
        columns = open_dataset(path, target="0").columns
        with pytest.raises(TableError) as caught:
            columns.read(np.arange(8))
        says(caught, "column 'x3' has an infinite value in data row 7, the first of 1")

    def test_archive_with_the_wrong_ending_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "t.npz"
        np.savez(path, X=matrix(), y=np.arange(20))
        path.rename(tmp_path / "t.npy")
        with pytest.raises(TableError, match=r"this is an \.npz archive of arrays"):
            open_dataset(tmp_path / "t.npy", target="0")

    def test_damaged_and_missing_files_are_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "t.npy"
        with pytest.raises(TableError, match="there is no such file"):
            open_dataset(path, target="0")
        np.save(path, matrix())
        path.write_bytes(path.read_bytes()[:-8])
        with pytest.raises(TableError, match=r"cannot be read as \.npy"):
            open_dataset(path, target="0")
        np.save(path, np.array([[{}]], dtype=object), allow_pickle=True)
        with pytest.raises(TableError, match=r"cannot be read as \.npy"):
            open_dataset(path, target="0")


class TestMemory:
    """The files are several times larger than what may be held."""

    N_SAMPLES, N_FEATURES, BLOCK = 20_000, 200, 2 * MEGABYTE

    def largest_peak(self, columns: ColumnBlocks) -> int:
        """Walk through the columns and return the most that was held, beside what was before."""
        peaks = []
        for features in columns.walk(self.BLOCK):
            tracemalloc.start()
            arrow = pa.total_allocated_bytes()
            block = columns.read(features)
            assert block.nbytes <= self.BLOCK
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
            assert pa.total_allocated_bytes() <= arrow + MEGABYTE
        return max(peaks)

    @pytest.mark.parametrize("order", ["C", "F"])
    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_npy(self, tmp_path: Path, order: str, dtype: str) -> None:
        path = tmp_path / "t.npy"
        array = matrix((self.N_SAMPLES, self.N_FEATURES), dtype)
        np.save(path, np.asarray(array, order=order))  # type: ignore[call-overload]
        tracemalloc.start()
        table = open_dataset(path, target="0")
        opening = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert opening < MEGABYTE
        assert self.largest_peak(table.columns) < self.BLOCK + MEGABYTE

    def test_parquet(self, tmp_path: Path) -> None:
        path = tmp_path / "t.parquet"
        array = matrix((self.N_SAMPLES, self.N_FEATURES), "float32")
        columns = {f"x{i}": np.ascontiguousarray(array[:, i]) for i in range(self.N_FEATURES)}
        pq.write_table(pa.table(columns), path, row_group_size=self.N_SAMPLES // 4)
        tracemalloc.start()
        table = open_dataset(path, target="x0")
        opening = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert opening < 2 * MEGABYTE
        assert self.largest_peak(table.columns) < self.BLOCK + MEGABYTE

    def test_arrow_decodes_little_beside_the_block(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "t.parquet"
        array = matrix((self.N_SAMPLES, self.N_FEATURES), "float64")
        columns = {f"x{i}": np.ascontiguousarray(array[:, i]) for i in range(self.N_FEATURES)}
        pq.write_table(pa.table(columns), path, compression="none", use_dictionary=False)
        decoded = []
        real = pq.ParquetFile.read_row_group

        def noted(self: pq.ParquetFile, *arguments: Any, **options: Any) -> Any:
            table = real(self, *arguments, **options)
            decoded.append(table.nbytes)
            return table

        monkeypatch.setattr(pq.ParquetFile, "read_row_group", noted)
        monkeypatch.setattr(parquet, "DECODED_BYTES", MEGABYTE)
        ParquetBlocks(path).read(np.arange(self.N_FEATURES))
        assert sum(decoded) >= array.nbytes
        assert max(decoded) <= MEGABYTE

    def test_text_levels_only_become_objects(self, tmp_path: Path) -> None:
        path = tmp_path / "t.parquet"
        towns = np.random.default_rng(0).choice(["Oslo", "Rome", "Graz"], size=10 * self.N_SAMPLES)
        pq.write_table(pa.table({"town": towns, "y": np.arange(len(towns)) / 7}), path)
        columns = open_dataset(path, target="y", categorical=["town"]).columns
        tracemalloc.start()
        block = columns.read([0])
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert set(block[:, 0]) == {0.0, 1.0, 2.0}
        # Python objects would take more than 50 bytes each, and their references 8.
        assert peak < 40 * len(towns)
