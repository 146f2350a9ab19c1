"""Columns of sparse matrices and of HDF5 files: the same numbers as the dense array."""

import h5py
import numpy as np
import pytest
from scipy import sparse

from hsieve import N3LARS
from hsieve.data.arrays import BackedBlocks, as_blocks
from hsieve.data.columns import some_columns
from hsieve.data.views import SampleBlocks
from hsieve.io import sparse as sparse_blocks
from hsieve.io.sparse import SparseBlocks, is_sparse


def some_matrix(rng, n=60, d=15):
    dense = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.3)
    dense[:, 4] = 0.0
    return dense


class Backed:
    """A matrix of which only rows can be had, as those of a backed AnnData."""

    __module__ = "anndata.stand_in"
    format = "csr"

    def __init__(self, matrix):
        self.matrix, self.shape, self.dtype = matrix, matrix.shape, matrix.dtype
        self.n_asked = 0

    def __getitem__(self, rows):
        assert isinstance(rows, slice)
        self.n_asked = max(self.n_asked, rows.stop - rows.start)
        return self.matrix[rows]


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, bool])
def test_columns_are_those_of_the_dense_array(make, dtype, rng):
    dense = (10 * some_matrix(rng)).astype(dtype)
    blocks = SparseBlocks(make(dense))
    np.testing.assert_array_equal(blocks.read([4, 0, 14, 0]), dense[:, [4, 0, 14, 0]])
    whole = np.hstack([blocks.read(features) for features in blocks.walk(3000)])
    np.testing.assert_array_equal(whole, dense)
    assert blocks.read([]).shape == (60, 0)


def test_entries_of_one_place_are_added_up_and_the_matrix_is_left_alone():
    matrix = sparse.csc_array(
        (np.array([1.0, 2.0, 5.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(3, 2)
    )
    assert SparseBlocks(matrix).read([0, 1]).tolist() == [[3, 0], [0, 5], [0, 0]]
    assert matrix.nnz == 3


@pytest.mark.parametrize("most_bytes", [10**6, 8])
def test_rows_in_a_file_are_turned_over_a_few_at_a_time(most_bytes, rng, monkeypatch):
    monkeypatch.setattr(sparse_blocks, "ROW_BYTES", 8 * 15 * 7)
    dense = some_matrix(rng)
    source = Backed(sparse.csr_matrix(dense))
    blocks = SparseBlocks(source, most_bytes=most_bytes)
    assert source.n_asked == 7
    assert isinstance(blocks._entries.values, np.memmap) == (most_bytes == 8)
    np.testing.assert_array_equal(blocks.read(np.arange(15)), dense)


def test_what_is_no_sparse_matrix_of_numbers_is_refused(rng):
    assert not is_sparse(np.ones((2, 2)))
    for wrong in (np.ones((2, 2)), sparse.csr_array(np.ones((2, 2), dtype=complex))):
        with pytest.raises(ValueError, match="must be a sparse matrix of booleans, integers or fl"):
            SparseBlocks(wrong)
    dense = some_matrix(rng)
    dense[3, 2] = np.nan
    with pytest.raises(ValueError, match="Column 'c' holds nan in row 3"):
        SparseBlocks(sparse.csr_array(dense[:, :4]), names=list("abcd")).read([0, 2])
    with pytest.raises(ValueError, match="Column 1 holds integers beyond 2"):
        SparseBlocks(sparse.csr_array(np.array([[0, 2**60], [1, 0]]))).read([1])


@pytest.mark.parametrize("chunks", [None, (7, 3)])
def test_a_dense_data_set_of_a_file(chunks, rng, tmp_path, monkeypatch):
    monkeypatch.setattr("hsieve.data.arrays.STEP_BYTES", 500)
    dense = rng.normal(size=(50, 12)).astype(np.float32)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        blocks = BackedBlocks(
            file.create_dataset("X", data=dense, chunks=chunks), list("abcdefghijkl")
        )
        np.testing.assert_array_equal(blocks.read([3, 2, 3, 5]), dense[:, [3, 2, 3, 5]])
        np.testing.assert_array_equal(blocks.read([11, 0]), dense[:, [11, 0]])
        np.testing.assert_array_equal(blocks.read(np.arange(12)), dense)
        assert blocks.read([]).shape == (50, 0)
        long = BackedBlocks(file.create_dataset("I", data=np.array([[1, 2**60]])))
        with pytest.raises(ValueError, match="Column 1 holds integers beyond"):
            long.read([1])
        with pytest.raises(ValueError, match="A matrix of numbers in memory"):
            BackedBlocks(file.create_dataset("y", data=np.ones(3)))


def test_some_samples_and_some_columns(rng):
    dense = rng.normal(size=(20, 6))
    blocks = as_blocks(dense, list("abcdef"))
    rows = np.array([5, 2, 19])
    np.testing.assert_array_equal(SampleBlocks(blocks, rows).read([4, 1]), dense[rows][:, [4, 1]])
    part = some_columns(blocks, np.array([3, 0]))
    assert part.names == ("d", "a")
    np.testing.assert_array_equal(part.read([1]), dense[:, [0]])
    assert some_columns(blocks, np.arange(6)) is blocks


def test_a_selector_reads_sparse_columns(rng):
    dense = some_matrix(rng, 200, 20)[:, np.arange(20) != 4]
    y = dense[:, 7] ** 2 + 0.1 * rng.normal(size=200)
    by_blocks = N3LARS(3, form="dense").fit(SparseBlocks(sparse.csr_array(dense)), y)
    by_array = N3LARS(3, form="dense").fit(dense, y)
    np.testing.assert_array_equal(by_blocks.selected_indices_, by_array.selected_indices_)
    assert by_array.selected_indices_[0] == 7


@pytest.mark.parametrize("kind", ["array", "sparse"])
def test_some_samples_are_checked_as_all_are(kind):
    """Integers that no float holds used to be rounded where samples were left out."""
    values = np.array([[1, 2], [2**53 + 1, 3], [5, 4]])
    blocks = as_blocks(values) if kind == "array" else SparseBlocks(sparse.csr_matrix(values))
    with pytest.raises(ValueError, match=r"integer.* beyond 2\^53"):
        SampleBlocks(blocks, np.array([0, 1])).read([0])
    assert SampleBlocks(blocks, np.array([0, 2])).read([0, 1]).tolist() == [[1, 2], [5, 4]]
