"""Files that claim what they have not, unpack to far more than they are, or want code to be run."""

import gzip
import io
import json
import pickle
import shutil
import struct
import zipfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zarr
from anndata import AnnData
from scipy import sparse

from hsieve import open_dataset
from hsieve.data.errors import TableError
from hsieve.io.source import LIMIT_VARIABLE, MOST_TIMES, unpacked_limit
from hsieve.io.sparse import SparseBlocks
from tests.io.reading import read_table


def refusal(path: Path, read: Any = read_table, **options: Any) -> str:
    """The one line in which a file is refused, which begins with its path."""
    with pytest.raises(TableError) as caught:
        read(path, **options)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert len(message.splitlines()) == 1
    return message


def write_npy(path: Path, header: str, content: bytes = b"", version: bytes = b"\1\0") -> Path:
    packed = header.encode()
    path.write_bytes(b"\x93NUMPY" + version + struct.pack("<H", len(packed)) + packed + content)
    return path


def header_of(shape: str, descr: str = "'<f8'") -> str:
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"


class TestHeadersOfArrays:
    @pytest.mark.parametrize("read", [read_table, open_dataset])
    @pytest.mark.parametrize(
        "shape", ["(1099511627776, 4)", "(4611686018427387904, 4)", "(3, 3)", f"({10**30}, 2)"]
    )
    def test_shape_beyond_the_file_is_refused_before_allocation(
        self, tmp_path: Path, shape: str, read: Any
    ) -> None:
        path = write_npy(tmp_path / "t.npy", header_of(shape), bytes(64))
        assert "there are 64 bytes for it" in refusal(path, read, target="0")

    @pytest.mark.parametrize("read", [read_table, open_dataset])
    def test_values_behind_the_last_one_are_not_dropped_silently(
        self, tmp_path: Path, read: Any
    ) -> None:
        np.save(tmp_path / "t.npy", np.ones((12, 2)))
        content = (tmp_path / "t.npy").read_bytes().replace(b"(12, 2)", b"( 2, 2)")
        (tmp_path / "t.npy").write_bytes(content)
        assert "there are 192 bytes for it" in refusal(tmp_path / "t.npy", read, target="0")

    @pytest.mark.parametrize("shape", ["(True, 2)", "(-1, 2)", "(2.0, 2)", "2", "(2, 2"])
    def test_shape_that_is_none(self, tmp_path: Path, shape: str) -> None:
        path = write_npy(tmp_path / "t.npy", header_of(shape), bytes(32))
        assert "cannot be understood" in refusal(path, target="0")

    def test_deeply_nested_header(self, tmp_path: Path) -> None:
        path = write_npy(tmp_path / "t.npy", "[" * 9000)
        assert "cannot be understood" in refusal(path, target="0")

    @pytest.mark.parametrize("read", [read_table, open_dataset])
    def test_no_rows_of_very_many_columns(self, tmp_path: Path, read: Any) -> None:
        path = write_npy(tmp_path / "t.npy", header_of("(0, 99999999999999)"))
        assert "no data rows" in refusal(path, read, target="0")

    def test_values_of_no_size(self, tmp_path: Path) -> None:
        path = write_npy(tmp_path / "t.npy", header_of("(1000000000, 1000000000)", "'<U0'"))
        assert "there are 0 bytes" in refusal(path, target="0")

    @pytest.mark.parametrize("read", [read_table, open_dataset])
    def test_objects_are_never_unpickled(self, tmp_path: Path, read: Any) -> None:
        path = write_npy(tmp_path / "t.npy", header_of("(1, 1)", "'|O'"), pickle.dumps([1]))
        assert "never unpickled" in refusal(path, read, target="0")

    def test_numbers_that_are_no_characters(self, tmp_path: Path) -> None:
        content = np.array([[97, 0x110000]], dtype="<u4").tobytes()
        path = write_npy(tmp_path / "t.npy", header_of("(1, 2)", "'<U1'"), content)
        message = refusal(path, target="0", categorical=["x1"])
        assert "column 'x1' holds what is no character" in message

    def test_header_of_python_2_is_read_without_a_warning(self, tmp_path: Path) -> None:
        values = np.arange(4.0)
        path = write_npy(tmp_path / "t.npy", header_of("(2L, 2L)"), values.tobytes())
        assert read_table(path, target="0").X.tolist() == [[1], [3]]

    def test_long_double_that_is_no_number(self, tmp_path: Path) -> None:
        content = np.ones((2, 2), dtype=np.longdouble)
        content.view(np.uint8).reshape(2, 2, -1)[0, 0, 7] = 0  # the leading bit is never 0
        np.save(tmp_path / "t.npy", content)
        assert "missing" in refusal(tmp_path / "t.npy", target="1")
        with pytest.raises(TableError, match="missing"):
            open_dataset(tmp_path / "t.npy", target="1").columns.read([0])


class TestArchives:
    def test_doubled_member(self, tmp_path: Path) -> None:
        file = io.BytesIO()
        np.save(file, np.ones((2, 2)))
        with zipfile.ZipFile(tmp_path / "t.npz", "w") as archive:
            for name in ("X.npy", "X", "y.npy"):
                archive.writestr(name, file.getvalue())
        assert "several arrays 'X'" in refusal(tmp_path / "t.npz")

    def test_something_before_the_archive(self, tmp_path: Path) -> None:
        np.savez(tmp_path / "t.npz", X=np.ones((2, 2)), y=[0, 1])
        content = (tmp_path / "t.npz").read_bytes()
        (tmp_path / "t.npz").write_bytes(b"before" + content)
        assert "does not begin as an archive" in refusal(tmp_path / "t.npz")

    def test_damaged_lzma(self, tmp_path: Path) -> None:
        with zipfile.ZipFile(tmp_path / "t.npz", "w", zipfile.ZIP_LZMA) as archive:
            archive.writestr("X.npy", bytes(500))
            archive.writestr("y.npy", bytes(500))
        content = bytearray((tmp_path / "t.npz").read_bytes())
        content[45:60] = bytes([255]) * 15
        (tmp_path / "t.npz").write_bytes(content)
        assert "cannot be read as .npz" in refusal(tmp_path / "t.npz")

    def test_names_that_cannot_be_written(self, tmp_path: Path) -> None:
        names = np.array(["a", "\ud800"])
        np.savez(tmp_path / "t.npz", X=np.ones((2, 2)), y=[0, 1], feature_names=names)
        assert "no text in this encoding" in refusal(tmp_path / "t.npz")


class TestFarLargerThanPacked:
    """A limit of a megabyte, so that no test has to fill the memory."""

    @pytest.fixture(autouse=True)
    def one_megabyte(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(LIMIT_VARIABLE, "1MB")

    @pytest.fixture(params=[".npz", ".csv.gz", ".parquet", ".zarr", ".h5ad"])
    def bomb(self, request: pytest.FixtureRequest, tmp_path: Path, reads_here: None) -> Path:
        path = tmp_path / f"t{request.param}"
        y, X = np.arange(100_000) % 2, np.zeros((100_000, 2))
        if path.suffix == ".npz":
            np.savez_compressed(path, X=X, y=y)
        elif path.suffix == ".gz":
            path.write_bytes(gzip.compress(b"a,y\n" + b"0,1\n" * 400_000))
        elif path.suffix == ".parquet":
            pq.write_table(pa.table({"a": np.zeros(200_000), "y": np.zeros(200_000)}), path)
        elif path.suffix == ".zarr":
            group = zarr.open_group(str(path), mode="w")
            group.create_array("X", data=X, chunks=(1000, 2))
            group.create_array("y", data=y)
        else:
            AnnData(X, obs={"y": y.astype(float)}).write_h5ad(path)
        return path

    def test_is_refused_with_limit_and_way_out(self, bomb: Path) -> None:
        message = refusal(bomb, target="y")
        assert "1,000,000 are allowed" in message
        assert LIMIT_VARIABLE in message

    def test_is_read_once_the_limit_is_lifted(
        self, bomb: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(LIMIT_VARIABLE, "1GB")
        assert len(read_table(bomb, target="y").y) >= 100_000

    def test_limit_that_is_none(self, bomb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(LIMIT_VARIABLE, "plenty")
        assert "must be such as 20GB, got 'plenty'" in refusal(bomb, target="y")

    def test_usual_limit_follows_the_size_of_the_file(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv(LIMIT_VARIABLE)
        assert unpacked_limit(tmp_path, 1000) == 10**9
        assert unpacked_limit(tmp_path, 10**9) == MOST_TIMES * 10**9


class TestText:
    def test_hexadecimal_numbers_are_text(self, tmp_path: Path) -> None:
        path = tmp_path / "t.csv"
        path.write_text("a,b,y\n0x10,1,0.5\n0xFFFFFFFFFFFFFFFF,2,1.5\n")
        assert read_table(path, target="y").levels == {0: ("0x10", "0xFFFFFFFFFFFFFFFF")}
        table = read_table(path, target="a", drop=["y"])
        assert table.y.tolist() == ["0x10", "0xFFFFFFFFFFFFFFFF"]

    def test_quote_that_is_never_closed(self, tmp_path: Path) -> None:
        path = tmp_path / "t.csv"
        path.write_text('a,y\n1,b\n2,"c\n3,b\n4,c\n')
        assert "a quote is opened in line 3 and never closed" in refusal(path, target="y")

    def test_quote_inside_a_value_is_kept(self, tmp_path: Path) -> None:
        path = tmp_path / "t.csv"
        path.write_text('a,y\n1,6"\n2,b\n')
        assert read_table(path, target="y").y.tolist() == ['6"', "b"]

    def test_line_without_end(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("hsieve.io.delimited.BLOCK_BYTES", 1000)
        path = tmp_path / "t.csv"
        path.write_text("a" * 5000)
        assert "a row is longer than 1000 bytes" in refusal(path, target="y")

    def test_type_named_over_two_lines(self, tmp_path: Path) -> None:
        nested = pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64()))
        pq.write_table(pa.table({"two\nlines": nested, "y": [1.5]}), tmp_path / "t.parquet")
        assert "holds nested values" in refusal(tmp_path / "t.parquet", target="y")

    def test_bytes_in_parquet_that_are_no_text(self, tmp_path: Path) -> None:
        path = tmp_path / "t.parquet"
        pq.write_table(pa.table({"a": [1.5, 2.5], "y": ["mark", "b"]}), path, compression="none")
        path.write_bytes(path.read_bytes().replace(b"mark", b"m\xff\xfek"))
        assert "cannot be read as Parquet" in refusal(path, target="y")


class TestZarr:
    def test_pickles_are_never_read(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The target is a pickle that would write a file, and does with older versions of zarr."""
        allowed = "numcodecs.pickles.ALLOW_UNSAFE_PICKLE_DECODE"
        monkeypatch.setattr(allowed, True, raising=False)
        path = tmp_path / "t.zarr"
        zarr.open_group(str(path), mode="w", zarr_format=2).create_array("X", data=np.ones((2, 2)))
        about = {"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "|O", "fill_value": None}
        filters = [{"id": "vlen-utf8"}, {"id": "pickle", "protocol": 5}]
        about |= {"compressor": None, "order": "C", "filters": filters}
        (path / "y").mkdir()
        (path / "y" / ".zarray").write_text(json.dumps(about))
        (path / "y" / "0").write_bytes(pickle.dumps(Deed(tmp_path / "done")))
        assert "never unpickled" in refusal(path)
        assert not (tmp_path / "done").exists()

    @pytest.mark.parametrize("key", ["shape", "chunks"])
    def test_lengths_out_of_all_measure(self, tmp_path: Path, key: str) -> None:
        path = tmp_path / "t.zarr"
        group = zarr.open_group(str(path), mode="w", zarr_format=2)
        group.create_array("X", data=np.ones((2, 2)))
        group.create_array("y", data=np.ones(2))
        about = json.loads((path / "y" / ".zarray").read_text())
        about[key] = [2**40]
        (path / "y" / ".zarray").write_text(json.dumps(about))
        assert LIMIT_VARIABLE in refusal(path)


class Deed:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


@pytest.mark.usefixtures("reads_here")
class TestAnnData:
    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        X = sparse.csr_matrix(np.eye(4))
        AnnData(X, obs={"y": np.arange(4) / 3}).write_h5ad(tmp_path / "t.h5ad")
        return tmp_path / "t.h5ad"

    @pytest.mark.parametrize("place", [-1, 99, 2**31 - 1])
    def test_entries_outside_the_matrix(self, path: Path, place: int) -> None:
        with h5py.File(path, "r+") as file:
            file["X/indices"][1] = place
        assert "damaged" in refusal(path, target="y")

    @pytest.mark.parametrize("pointers", [[0, 1, 2, 3, 3], [0, 2, 1, 3, 4], [1, 1, 2, 3, 4]])
    def test_entries_that_belong_to_no_row(self, path: Path, pointers: list[int]) -> None:
        with h5py.File(path, "r+") as file:
            file["X/indptr"][...] = pointers
        assert "entries are lost or doubled" in refusal(path, target="y")

    def test_data_set_out_of_all_measure(self, path: Path) -> None:
        with h5py.File(path, "r+") as file:
            file.create_dataset("uns/far", (2**20, 2**20), "f8", chunks=(64, 64))
        assert LIMIT_VARIABLE in refusal(path, target="y")

    @pytest.mark.parametrize("read", [read_table, open_dataset])
    def test_matrix_of_other_length_than_its_annotations(self, tmp_path: Path, read: Any) -> None:
        path = tmp_path / "t.h5ad"
        AnnData(np.eye(4), obs={"y": np.arange(4) / 3}).write_h5ad(path)
        with h5py.File(path, "r+") as file:
            about = dict(file["X"].attrs)
            del file["X"]
            file["X"] = np.ones((5, 4))
            file["X"].attrs.update(about)
        assert "X is of the shape (5, 4)" in refusal(path, read, target="y")

    def test_file_without_a_kind_of_its_parts(self, path: Path) -> None:
        with h5py.File(path, "r+") as file:
            file["obs"].attrs["encoding-type"] = "nothing known"
        assert "cannot be read as .h5ad" in refusal(path, target="y")

    @pytest.mark.parametrize("read", [read_table, open_dataset])
    @pytest.mark.parametrize("place", ["obs/y", "X/data", "uns/far", "obs"])
    def test_links_to_other_files(self, path: Path, place: str, read: Any) -> None:
        shutil.copy(path, path.with_name("other.h5ad"))
        with h5py.File(path, "r+") as file:
            if place in file:
                del file[place]
            file[place] = h5py.ExternalLink("other.h5ad", place)
        message = refusal(path, read, target="y")
        assert f"{place!r} is a link to 'other.h5ad'" in message
        assert "accepted is what is stored in the file itself" in message

    def test_link_that_leads_out_by_way_of_another(self, path: Path) -> None:
        shutil.copy(path, path.with_name("other.h5ad"))
        with h5py.File(path, "r+") as file:
            del file["obs/y"]
            file["uns/way"] = h5py.ExternalLink("other.h5ad", "/")
            file["obs/y"] = h5py.SoftLink("/uns/way/obs/y")
        assert "'uns/way' is a link to" in refusal(path, target="y")

    def test_link_within_the_file_is_followed(self, path: Path) -> None:
        with h5py.File(path, "r+") as file:
            file.move("obs/y", "obs/z")
            file["obs/y"] = h5py.SoftLink("/obs/z")
        assert read_table(path, target="y").y.tolist() == pytest.approx([0, 1 / 3, 2 / 3, 1])

    @pytest.mark.parametrize("read", [read_table, open_dataset])
    def test_values_kept_in_other_files(self, path: Path, read: Any) -> None:
        np.ones(4).tofile(path.with_name("raw.bin"))
        with h5py.File(path, "r+") as file:
            kept = [(str(path.with_name("raw.bin")), 0, 32)]
            replaced(file, "obs/y", file.create_dataset("z", (4,), "f8", external=kept))
        message = refusal(path, read, target="y")
        assert "'obs/y' is a data set whose values are kept in '" in message
        assert "accepted is what is stored in the file itself" in message

    @pytest.mark.parametrize("read", [read_table, open_dataset])
    @pytest.mark.parametrize("source", ["other.h5ad", "."])
    def test_virtual_data_sets(self, path: Path, source: str, read: Any) -> None:
        """One that is made of itself, as here that of the source ".", ends the process."""
        shutil.copy(path, path.with_name("other.h5ad"))
        layout = h5py.VirtualLayout((4,), "f8")
        layout[:] = h5py.VirtualSource(source, "obs/y", (4,))
        with h5py.File(path, "r+") as file:
            replaced(file, "obs/y", file.create_virtual_dataset("z", layout))
        message = refusal(path, read, target="y")
        assert f"'obs/y' is a virtual data set made of {source!r}" in message
        assert "accepted is what is stored in the file itself" in message

    def test_reference_to_a_data_set_with_a_name(self, path: Path) -> None:
        with h5py.File(path, "r+") as file:
            file["obs/y"].attrs["categories"] = file["obs/_index"].ref
        assert len(read_table(path, target="y").y) == 4

    def test_reference_to_what_no_link_leads_to(self, path: Path) -> None:
        """Written while the data set without a name is open, as it would go with the file."""
        np.ones(4).tofile(path.with_name("raw.bin"))
        with h5py.File(path, "r+") as file:
            kept = [(str(path.with_name("raw.bin")), 0, 32)]
            hidden = file.create_dataset(None, (4,), "f8", external=kept)
            file["obs/y"].attrs["categories"] = hidden.ref
            file.flush()
            shutil.copy(path, path.with_name("made.h5ad"))
        message = refusal(path.with_name("made.h5ad"), target="y")
        assert "categories of 'obs/y' are in a data set without a name" in message


def replaced(file: h5py.File, place: str, dataset: h5py.Dataset) -> None:
    """Put a data set in the place of another, with what is said of that one."""
    dataset.attrs.update(file[place].attrs)
    del file[place]
    file.move(dataset.name, place)


def test_entries_outside_a_sparse_matrix_are_refused_in_memory() -> None:
    matrix = sparse.csc_matrix(np.eye(3))
    matrix.indices[0] = -1
    with pytest.raises(ValueError, match="damaged"):
        SparseBlocks(matrix)
