"""Columns that lie in several files, in zarr arrays or in mapped ones are those of one matrix."""

import os
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Lock
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hsieve import N3LARS, open_dataset
from hsieve.data import file_fingerprint
from hsieve.data.arrays import ArrayBlocks
from hsieve.data.columns import ColumnBlocks
from hsieve.data.engine_columns import _opened
from hsieve.data.errors import TableError
from hsieve.io import parquet
from hsieve.io.numpy_folder import NumpyFolder
from hsieve.io.parquet import ParquetBlocks
from hsieve.io.zarr import ZarrBlocks
from tests.io.reading import read_table

N, D = 40, 13
SOME = [12, 0, 5, 5, 6]
BEYOND = 2**53 + 1


@pytest.fixture
def matrix() -> np.ndarray:
    return np.random.default_rng(3).normal(size=(N, D))


def in_rows(matrix: np.ndarray, folder: Path) -> Path:
    """Twelve blocks, so that the order of names by letters would be another one."""
    folder.mkdir()
    for number, rows in enumerate(np.array_split(np.arange(len(matrix)), 12)):
        np.save(folder / f"part-{number}.npy", matrix[rows])
    return folder


def in_columns(matrix: np.ndarray, folder: Path) -> Path:
    folder.mkdir()
    for number, columns in enumerate(np.array_split(np.arange(matrix.shape[1]), 11)):
        np.save(folder / f"part-{number}.npy", np.asfortranarray(matrix[:, columns]))
    return folder


def in_parquet(matrix: np.ndarray, folder: Path, **others: Any) -> Path:
    """Parts of three columns, in row groups that differ from part to part."""
    folder.mkdir()
    names = [f"f{i}" for i in range(matrix.shape[1])]
    for start in range(0, len(names), 3):
        some = {name: matrix[:, start + i] for i, name in enumerate(names[start : start + 3])}
        if start == 3:
            some |= others
        size = 7 + start
        pq.write_table(pa.table(some), folder / f"p{start:02}.parquet", row_group_size=size)
    return folder


def in_zarr(
    matrix: np.ndarray, path: Path, chunks: tuple[int, int] = (9, 4), **others: np.ndarray
) -> Path:
    """A group of arrays."""
    import zarr

    group = zarr.open_group(path, mode="w")
    group.create_array("X", data=matrix, chunks=chunks)
    for name, values in others.items():
        group.create_array(name, data=values)
    return path


def elsewhere(blocks: ColumnBlocks) -> ColumnBlocks:
    """Open the same columns by a reference, as another process does."""
    reference = blocks.reference()
    assert reference is not None
    sent = pickle.loads(pickle.dumps(reference))
    assert hash(sent) == hash(reference)
    assert sent == reference
    opened: ColumnBlocks = sent.open()
    return opened


class Counted(pq.ParquetFile):
    """Files that know how many of them are open."""

    n_open = n_at_most = 0
    lock = Lock()

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        with self.lock:
            Counted.n_open += 1
            Counted.n_at_most = max(Counted.n_at_most, Counted.n_open)

    def close(self, force: bool = False) -> None:
        super().close(force)
        with self.lock:
            Counted.n_open -= 1


class TestNumpyFolder:
    @pytest.mark.parametrize("write", [in_rows, in_columns])
    def test_columns_are_those_of_the_matrix_in_natural_order(
        self, matrix: np.ndarray, tmp_path: Path, write: Callable[..., Path]
    ) -> None:
        blocks = NumpyFolder(write(matrix, tmp_path / "parts"))
        assert blocks.shape == (N, D)
        assert blocks.axis == ("rows" if write is in_rows else "columns")
        for opened in (blocks, elsewhere(blocks)):
            np.testing.assert_array_equal(opened.read(SOME), matrix[:, SOME])
        assert blocks.names[:2] == ("x0", "x1")

    @pytest.mark.parametrize("axis", ["rows", "columns"])
    def test_equal_blocks_need_to_be_told_apart(
        self, matrix: np.ndarray, tmp_path: Path, axis: str
    ) -> None:
        stack = np.vstack if axis == "rows" else np.hstack
        for name in ("a", "b"):
            np.save(tmp_path / f"{name}.npy", matrix)
        with pytest.raises(TableError, match="could be blocks of rows or of columns; say which"):
            NumpyFolder(tmp_path)
        whole = stack([matrix, matrix])
        opened = elsewhere(NumpyFolder(tmp_path, axis=axis))
        np.testing.assert_array_equal(opened.read(np.arange(whole.shape[1])), whole)

    def test_one_file_is_a_folder_too(self, matrix: np.ndarray, tmp_path: Path) -> None:
        np.save(tmp_path / "all.npy", matrix)
        np.save(tmp_path / "_left_out.npy", matrix[:3])
        np.testing.assert_array_equal(NumpyFolder(tmp_path).read(SOME), matrix[:, SOME])

    def test_types_are_joined(self, tmp_path: Path) -> None:
        np.save(tmp_path / "a.npy", np.array([[1, 2], [3, 4]], dtype=np.int8))
        np.save(tmp_path / "b.npy", np.array([[True], [False]]))
        assert NumpyFolder(tmp_path).dtype == np.float32
        np.save(tmp_path / "c.npy", np.array([[0.1], [0.2]]))
        blocks = NumpyFolder(tmp_path)
        assert blocks.dtype == np.float64
        assert blocks.read([0, 2, 3]).tolist() == [[1, 1, 0.1], [3, 0, 0.2]]

    def test_categories_are_coded_over_all_rows(self, tmp_path: Path) -> None:
        np.save(tmp_path / "a.npy", np.array([[30, 1], [10, 1], [10, 5]]))
        np.save(tmp_path / "b.npy", np.array([[20, 2]]))
        blocks = NumpyFolder(tmp_path, names=["level", "size"], categorical=["level"])
        assert elsewhere(blocks).read([0, 1]).T.tolist() == [[2, 0, 0, 1], [1, 1, 5, 2]]

    def test_bad_values_are_told_by_their_place_in_the_whole(
        self, matrix: np.ndarray, tmp_path: Path
    ) -> None:
        matrix[29, 6] = np.nan
        blocks = NumpyFolder(in_rows(matrix, tmp_path / "parts"))
        with pytest.raises(TableError, match="column 'x6' has a missing value in data row 30"):
            blocks.read([5, 6])

    @pytest.mark.parametrize("write", [in_rows, in_columns])
    def test_integers_that_would_be_rounded_are_refused(
        self, tmp_path: Path, write: Callable[..., Path]
    ) -> None:
        whole = np.ones((N, D), dtype=np.int64)
        whole[33, 11] = BEYOND
        blocks = NumpyFolder(write(whole, tmp_path / "parts"))
        assert blocks.read([10]).sum() == N
        with pytest.raises(TableError, match=f"column 'x11' has {BEYOND} in data row 34"):
            blocks.read([10, 11])

    def test_misfits_are_named(self, matrix: np.ndarray, tmp_path: Path) -> None:
        with pytest.raises(TableError, match=r"without files ending in '\.npy'"):
            NumpyFolder(tmp_path)
        np.save(tmp_path / "a.npy", matrix)
        np.save(tmp_path / "b.npy", matrix[:3, :4])
        with pytest.raises(TableError, match="neither equally many columns nor equally many rows"):
            NumpyFolder(tmp_path)
        with pytest.raises(TableError, match=r"b.npy: the shape \(3, 4\) does not go with"):
            NumpyFolder(tmp_path, axis="rows")
        with pytest.raises(ValueError, match="axis must be 'rows', 'columns' or None"):
            NumpyFolder(tmp_path, axis="row")
        np.save(tmp_path / "b.npy", np.full((N, 1), "text"))
        with pytest.raises(TableError, match=r"b.npy: the array must hold booleans"):
            NumpyFolder(tmp_path)

    def test_other_files_than_before_are_refused(self, matrix: np.ndarray, tmp_path: Path) -> None:
        folder = in_rows(matrix, tmp_path / "parts")
        reference = NumpyFolder(folder).reference()
        np.save(folder / "part-12.npy", matrix[:2])
        with pytest.raises(TableError, match="all workers must see the same data"):
            reference.open()

    def test_selection_is_that_of_the_matrix(self, matrix: np.ndarray, tmp_path: Path) -> None:
        y = matrix[:, 4] - matrix[:, 8] ** 2
        whole = N3LARS(3).fit(matrix, y)
        for engine in (None, "threads"):
            parts = N3LARS(3, engine=engine).fit(
                NumpyFolder(in_columns(matrix, tmp_path / f"{engine}")), y
            )
            np.testing.assert_array_equal(parts.scores_, whole.scores_)
            assert parts.get_feature_names_out()[0] in ("x4", "x8")


class TestColumnPartsOfParquet:
    def test_parts_are_one_table(self, matrix: np.ndarray, tmp_path: Path) -> None:
        y = np.arange(N) / 2
        folder = in_parquet(matrix, tmp_path / "parts", y=y)
        table, columns = read_table(folder, target="y"), open_dataset(folder, target="y")
        assert table.names == columns.names == tuple(f"f{i}" for i in range(D))
        np.testing.assert_array_equal(table.X, matrix)
        np.testing.assert_array_equal(table.y, y)
        for blocks in (columns.columns, elsewhere(columns.columns)):
            np.testing.assert_array_equal(blocks.read(SOME), matrix[:, SOME])
            np.testing.assert_array_equal(blocks.read(np.arange(D)), matrix)

    def test_files_are_opened_some_at_a_time(
        self, matrix: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(parquet, "MOST_OPEN", 2)
        blocks = ParquetBlocks(in_parquet(matrix, tmp_path / "parts"))
        np.testing.assert_array_equal(blocks.read(np.arange(D)[::-1]), matrix[:, ::-1])
        folder = tmp_path / "rows"
        folder.mkdir()
        for i in range(4):
            some = {f"f{j}": matrix[10 * i : 10 * i + 10, j] for j in range(D)}
            pq.write_table(pa.table(some), folder / f"{i}.parquet")
        np.testing.assert_array_equal(ParquetBlocks(folder).read(np.arange(D)), matrix)

    def test_threads_share_the_files_that_may_be_open(
        self, matrix: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        n_threads, most = 6, 4
        folder = tmp_path / "rows"
        folder.mkdir()
        for i in range(N // 4):
            some = {f"f{j}": matrix[4 * i : 4 * i + 4, j] for j in range(D)}
            pq.write_table(pa.table(some), folder / f"{i:02}.parquet")
        monkeypatch.setattr(parquet, "MOST_OPEN", most)
        blocks = ParquetBlocks(folder)
        Counted.n_open = Counted.n_at_most = 0
        counted = SimpleNamespace(ParquetFile=Counted, read_metadata=pq.read_metadata)
        monkeypatch.setattr(parquet, "pq", counted)
        together = Barrier(n_threads)

        def read(_: int) -> np.ndarray:
            together.wait()
            return blocks.read(SOME)

        with ThreadPoolExecutor(n_threads) as pool:
            for found in pool.map(read, range(n_threads)):
                np.testing.assert_array_equal(found, matrix[:, SOME])
        assert 0 < Counted.n_at_most <= most + n_threads
        blocks.read([0])
        assert 0 < Counted.n_open <= most

    def test_categories_and_errors_have_their_rows(
        self, matrix: np.ndarray, tmp_path: Path
    ) -> None:
        matrix[25, 7] = np.nan
        text = ["b", "a"] * (N // 2)
        folder = in_parquet(matrix, tmp_path / "parts", kind=text, y=np.arange(N) / 2)
        table = open_dataset(folder, target="y", categorical=["kind"])
        (place,) = table.categorical
        assert table.names[place] == "kind"
        assert table.columns.read([place])[:4, 0].tolist() == [1, 0, 1, 0]
        with pytest.raises(TableError, match="column 'f7' has a missing value in data row 26"):
            table.columns.read([7, place, 8])

    def test_integers_that_would_be_rounded_have_their_row(self, tmp_path: Path) -> None:
        pq.write_table(pa.table({"a": [1, 2, 3]}), tmp_path / "0.parquet")
        pq.write_table(pa.table({"b": [1, 2, BEYOND]}), tmp_path / "1.parquet", row_group_size=1)
        with pytest.raises(TableError, match=f"column 'b' has {BEYOND} in data row 3"):
            ParquetBlocks(tmp_path).read([0, 1])

    @pytest.mark.parametrize(
        ("second", "problem"),
        [
            ({"c": [1, 2]}, "there are 2 rows, but 3 in '0.parquet'"),
            ({"b": [1, 2, 3], "c": [1, 2, 3]}, "only one of them has 'a' and 'c'"),
            ({"a": [1, 2, 3]}, "only one of them has 'b'"),
            ({"b": [1, 2, 3], "a": [1, 2, 3]}, "in another order"),
        ],
    )
    def test_parts_that_do_not_go_together_are_refused(
        self, tmp_path: Path, second: dict[str, list[int]], problem: str
    ) -> None:
        pq.write_table(pa.table({"a": [1, 2, 3], "b": [1, 2, 3]}), tmp_path / "0.parquet")
        pq.write_table(pa.table(second), tmp_path / "1.parquet")
        with pytest.raises(TableError, match=problem) as caught:
            open_dataset(tmp_path, target="a")
        assert "1.parquet: " in str(caught.value)
        assert "parts must have equal columns, or no column in common" in str(caught.value)


class TestZarr:
    @pytest.mark.parametrize("chunks", [(9, 4), (N, 1), (1, D), (N, D)])
    def test_columns_are_those_of_the_array(
        self, matrix: np.ndarray, tmp_path: Path, chunks: tuple[int, int]
    ) -> None:
        blocks = ZarrBlocks(in_zarr(matrix, tmp_path / "a.zarr", chunks) / "X")
        for opened in (blocks, elsewhere(blocks)):
            np.testing.assert_array_equal(opened.read(SOME), matrix[:, SOME])
            np.testing.assert_array_equal(opened.read(np.arange(D)), matrix)

    def test_only_chunks_that_hold_the_columns_are_read(
        self, matrix: np.ndarray, tmp_path: Path
    ) -> None:
        path = in_zarr(matrix, tmp_path / "a.zarr", (10, 5)) / "X"
        for chunk in path.glob("c/*/1"):
            chunk.write_bytes(b"damaged")
        blocks = ZarrBlocks(path)
        np.testing.assert_array_equal(blocks.read([0, 4, 12]), matrix[:, [0, 4, 12]])
        with pytest.raises(TableError, match="cannot be read as zarr"):
            blocks.read([4, 5])

    def test_group_opens_as_a_table(self, matrix: np.ndarray, tmp_path: Path) -> None:
        y = np.arange(N) % 3
        names = np.array([f"gene {i}" for i in range(D)], dtype=np.dtypes.StringDType())
        path = in_zarr(matrix, tmp_path / "a.zarr", y=y, feature_names=names)
        columns = open_dataset(path, target="y", drop=["gene 1"])
        table = read_table(path, drop=["gene 1"])
        assert columns.names == table.names
        assert columns.names[:2] == ("gene 0", "gene 2")
        assert columns.target_kind == table.target_kind == "classes"
        np.testing.assert_array_equal(columns.y, y)
        np.testing.assert_array_equal(table.X, np.delete(matrix, 1, axis=1))
        for blocks in (columns.columns, elsewhere(columns.columns)):
            np.testing.assert_array_equal(blocks.read(np.arange(D - 1)), table.X)

    def test_text_target_and_categories(self, tmp_path: Path) -> None:
        X = np.array([[30, 1], [10, 2], [30, 3], [20, 4]])
        y = np.array(["no", "yes", "no", "no"], dtype=np.dtypes.StringDType())
        table = open_dataset(
            in_zarr(X, tmp_path / "a.zarr", ill=y), target="ill", categorical=["x0"]
        )
        assert table.y.tolist() == ["no", "yes", "no", "no"]
        assert elsewhere(table.columns).read([0, 1]).T.tolist() == [[2, 0, 2, 1], [1, 2, 3, 4]]

    def test_bad_values_are_told(self, matrix: np.ndarray, tmp_path: Path) -> None:
        matrix[25, 7] = np.inf
        blocks = ZarrBlocks(in_zarr(matrix, tmp_path / "a.zarr") / "X")
        with pytest.raises(TableError, match="column 'x7' has an infinite value in data row 26"):
            blocks.read([0, 7])
        whole = np.ones((N, D), dtype=np.int64)
        whole[20, 3] = BEYOND
        blocks = ZarrBlocks(in_zarr(whole, tmp_path / "b.zarr") / "X")
        with pytest.raises(TableError, match=f"column 'x3' has {BEYOND} in data row 21"):
            blocks.read([3])

    def test_what_is_no_matrix_is_refused(self, matrix: np.ndarray, tmp_path: Path) -> None:
        path = in_zarr(matrix, tmp_path / "a.zarr", y=np.arange(N) % 2)
        for given, problem in (
            (path, "this is a group of zarr arrays"),
            (path / "y", "the array must be 2-D"),
            (path / "none", "there is no such folder"),
        ):
            with pytest.raises(TableError, match=problem):
                ZarrBlocks(given)
        with pytest.raises(TableError, match="no 'z', given for the target"):
            open_dataset(path, target="z")
        short = in_zarr(matrix, tmp_path / "b.zarr", y=np.arange(3))
        with pytest.raises(TableError, match="'X' has 40 rows but the target 'y' has 3 values"):
            open_dataset(short, target="y")
        (tmp_path / "c.zarr").mkdir()
        with pytest.raises(TableError, match="cannot be read as zarr"):
            open_dataset(tmp_path / "c.zarr", target="y")

    def test_fewer_chunks_than_before_are_refused(self, matrix: np.ndarray, tmp_path: Path) -> None:
        path = in_zarr(matrix, tmp_path / "a.zarr") / "X"
        reference = ZarrBlocks(path).reference()
        assert reference.open().n_features == D
        # zarr would read zeros there.
        (path / "c" / "0" / "1").unlink()
        with pytest.raises(TableError, match="all workers must see the same data"):
            reference.open()

    def test_names_and_categories_must_be_those_of_columns(
        self, matrix: np.ndarray, tmp_path: Path
    ) -> None:
        path = in_zarr(matrix, tmp_path / "a.zarr") / "X"
        np.save(tmp_path / "a.npy", matrix)
        for opened, where in ((ZarrBlocks, path), (NumpyFolder, tmp_path)):
            with pytest.raises(TableError, match=f"there are {D} columns, but 1 names"):
                opened(where, names=["one"])
            with pytest.raises(TableError, match="there is no 'x99', given for categorical"):
                opened(where, categorical=["x99"])

    def test_mark_changes_with_the_chunks(self, matrix: np.ndarray, tmp_path: Path) -> None:
        import zarr

        path = in_zarr(matrix, tmp_path / "a.zarr") / "X"
        blocks = ZarrBlocks(path)
        before = blocks.fingerprint()
        assert ZarrBlocks(path).fingerprint() == before
        zarr.open_array(path, mode="r+")[0, 0] = 7.0
        assert blocks.fingerprint() != before

    def test_selection_is_that_of_the_matrix(self, matrix: np.ndarray, tmp_path: Path) -> None:
        y = matrix[:, 4] - matrix[:, 8] ** 2
        table = open_dataset(in_zarr(matrix, tmp_path / "a.zarr", y=y), target="y")
        whole = N3LARS(3).fit(matrix, y)
        for engine in (None, "threads"):
            found = N3LARS(3, engine=engine).fit(table.columns, table.y)
            np.testing.assert_array_equal(found.scores_, whole.scores_)


class TestMappedArrays:
    @pytest.mark.parametrize("order", ["C", "F"])
    @pytest.mark.parametrize("offset", [0, 128, 2 * 8192 + 40])
    def test_whole_mapped_arrays_are_opened_by_their_file(
        self, matrix: np.ndarray, tmp_path: Path, order: str, offset: int
    ) -> None:
        path = tmp_path / "raw"
        path.write_bytes(bytes(offset) + matrix.tobytes(order=order))
        mapped = np.memmap(path, "f8", "r", offset=offset, shape=(N, D), order=order)
        for array in (mapped, np.asarray(mapped), mapped.view(np.ndarray)):
            blocks = ArrayBlocks(array, [f"f{i}" for i in range(D)])
            opened = elsewhere(blocks)
            assert opened.names == blocks.names
            np.testing.assert_array_equal(opened.read(SOME), matrix[:, SOME])
        turned = elsewhere(ArrayBlocks(mapped.T))
        np.testing.assert_array_equal(turned.read(np.arange(N)), matrix.T)

    def test_npy_files_are_opened_behind_their_header(
        self, matrix: np.ndarray, tmp_path: Path
    ) -> None:
        np.save(tmp_path / "a.npy", matrix)
        opened = elsewhere(ArrayBlocks(np.load(tmp_path / "a.npy", mmap_mode="r")))
        np.testing.assert_array_equal(opened.read(SOME), matrix[:, SOME])

    def test_writing_reaches_the_file(self, matrix: np.ndarray, tmp_path: Path) -> None:
        np.save(tmp_path / "a.npy", matrix)
        mapped = np.load(tmp_path / "a.npy", mmap_mode="r+")
        mapped[3, 5] = 17.0
        assert elsewhere(ArrayBlocks(mapped)).read([5])[3, 0] == 17.0

    def test_parts_copies_and_arrays_in_memory_have_no_file(
        self, matrix: np.ndarray, tmp_path: Path
    ) -> None:
        np.save(tmp_path / "a.npy", matrix)
        mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
        changed = np.load(tmp_path / "a.npy", mmap_mode="c")
        parts = [mapped[1:], mapped[:, 1:], mapped[::-1], mapped[:, ::-1], mapped[:-1]]
        for array in (matrix, *parts, mapped + 1, np.array(mapped), changed):
            assert ArrayBlocks(array).reference() is None

    def test_other_files_are_refused(self, matrix: np.ndarray, tmp_path: Path) -> None:
        path = tmp_path / "a.npy"
        np.save(path, matrix)
        reference = ArrayBlocks(np.load(path, mmap_mode="r")).reference()
        assert reference is not None
        os.truncate(path, path.stat().st_size - 8)
        with pytest.raises(ValueError, match="where the work was begun"):
            reference.open()
        path.unlink()
        with pytest.raises(ValueError, match="all workers must see it at this path"):
            reference.open()

    def test_an_array_whose_file_is_gone_has_no_reference(
        self, matrix: np.ndarray, tmp_path: Path
    ) -> None:
        np.save(tmp_path / "a.npy", matrix)
        for mode in ("r", "r+"):
            mapped = np.load(tmp_path / "a.npy", mmap_mode=mode)
            (tmp_path / "a.npy").rename(tmp_path / "elsewhere.npy")
            blocks = ArrayBlocks(mapped)
            assert blocks.reference() is None
            assert blocks.fingerprint() == ArrayBlocks(matrix).fingerprint()
            (tmp_path / "elsewhere.npy").rename(tmp_path / "a.npy")

    def test_mark_changes_with_the_file(self, matrix: np.ndarray, tmp_path: Path) -> None:
        path = tmp_path / "a.npy"
        np.save(path, matrix)
        mapped = np.load(path, mmap_mode="r")
        mark = ArrayBlocks(mapped).fingerprint()
        assert ArrayBlocks(mapped).fingerprint() == mark != ArrayBlocks(matrix).fingerprint()
        os.utime(path, ns=(1, 1))
        assert ArrayBlocks(mapped).fingerprint() != mark


def in_npy(matrix: np.ndarray, path: Path) -> Path:
    with path.open("wb") as file:
        np.save(file, matrix)
    return path


def in_plain_parquet(matrix: np.ndarray, path: Path) -> Path:
    """A file whose size does not depend on its numbers."""
    table = pa.table({f"x{i}": matrix[:, i] for i in range(matrix.shape[1])})
    pq.write_table(table, path, use_dictionary=False, compression="none", write_statistics=False)
    return path


class TestReplacedFiles:
    """Files of the same name and size, with other numbers in them."""

    @pytest.fixture(params=["npy", "mapped", "parquet"])
    def kind(self, request: pytest.FixtureRequest) -> str:
        found: str = request.param
        return found

    def written(self, kind: str, matrix: np.ndarray, path: Path) -> ColumnBlocks:
        """Put a file in the place of another, as careful programs do."""
        write = in_plain_parquet if kind == "parquet" else in_npy
        os.replace(write(matrix, path.with_name("new")), path)
        if kind == "parquet":
            return ParquetBlocks(path)
        if kind == "mapped":
            return ArrayBlocks(np.load(path, mmap_mode="r"))
        return open_dataset(path, target="0").columns

    def test_work_begun_later_reads_them_and_work_under_way_does_not(
        self, kind: str, matrix: np.ndarray, tmp_path: Path
    ) -> None:
        path = tmp_path / f"a.{'parquet' if kind == 'parquet' else 'npy'}"
        before = self.written(kind, matrix, path).reference()
        assert before is not None
        first = _opened(before, "first work")
        again = _opened(before, "second work")
        assert again is first
        held = first.read([1])
        after = self.written(kind, matrix[:, ::-1].copy(), path).reference()
        # For the sizes tell nothing.
        assert after == before
        np.testing.assert_array_equal(_opened(after, "second work").read([1]), held)
        found = _opened(after, "third work").read([1])
        np.testing.assert_array_equal(found, reference_columns(after))
        assert (found != held).any()

    def test_they_have_another_mark_even_at_the_same_time(
        self, kind: str, matrix: np.ndarray, tmp_path: Path
    ) -> None:
        path = tmp_path / f"a.{'parquet' if kind == 'parquet' else 'npy'}"
        mark = self.written(kind, matrix, path).fingerprint()
        times = path.stat().st_atime_ns, path.stat().st_mtime_ns
        same = self.written(kind, matrix, path)
        os.utime(path, ns=times)
        assert same.fingerprint() == mark
        other = matrix.copy()
        other[N // 2, D // 2] += 1.0
        changed = self.written(kind, other, path)
        os.utime(path, ns=times)
        assert changed.fingerprint() != mark

    def test_large_files_are_looked_at_from_end_to_end(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(file_fingerprint, "CONTENT_BYTES", 40_000)
        monkeypatch.setattr(file_fingerprint, "PIECE_BYTES", 4_000)
        path = tmp_path / "large"
        content = np.zeros(10**6, dtype=np.uint8)
        marks = []
        for place in (0, 110_000, len(content) - 1):
            content[:] = 0
            content[place : place + 10**5] = 1
            content.tofile(path)
            marks.append(file_fingerprint.fingerprint_of_content([path]))
            assert file_fingerprint.fingerprint_of_content([path]) == marks[-1]
        assert len(set(marks)) == 3
        looked_at = [stop - start for start, stop in file_fingerprint._looked_at(10**6, 40_000)]
        assert sum(looked_at) == 40_000


def reference_columns(reference: Any) -> np.ndarray:
    """The second column of what is at the place of a reference now."""
    found: np.ndarray = reference.open().read([1])
    return found
