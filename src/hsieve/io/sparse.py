"""Columns of sparse matrices, made dense a block at a time and never as a whole.

Columns are asked for, so the entries are kept column by column (csc). A matrix that is kept row by
row (csr) is turned over once, some rows at a time: a first pass counts the entries of each column,
a second one puts them in their places. Entries that would take too much memory go to a scratch file
that has no name and is gone with the object.
"""

import tempfile
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hsieve.data.arrays import StoredBlocks
from hsieve.data.columns import FloatArray, IndexArray, float_type

__all__ = ["SparseBlocks", "is_sparse", "sparse_as_blocks"]

# Rows looked at together while a matrix is turned over, if they were dense.
ROW_BYTES = 64 * 10**6
# Entries that are kept in memory.
KEPT_BYTES = 2 * 10**9


def is_sparse(X: Any) -> bool:
    """Say whether data are a sparse matrix, in memory or backed by a file of AnnData."""
    of_anndata = type(X).__module__.split(".")[0] == "anndata"
    return bool(sparse.issparse(X)) or (of_anndata and getattr(X, "format", None) in ("csr", "csc"))


class SparseBlocks(StoredBlocks):
    """Columns of a sparse matrix.

    Examples
    --------
    >>> from scipy import sparse
    >>> blocks = SparseBlocks(sparse.csr_array([[0.0, 2.0], [0.0, 0.0], [5.0, 0.0]]))
    >>> blocks.read([1]).ravel().tolist()
    [2.0, 0.0, 0.0]
    """

    def __init__(
        self, matrix: Any, names: Sequence[str] | None = None, *, most_bytes: int = KEPT_BYTES
    ) -> None:
        if not is_sparse(matrix) or len(matrix.shape) != 2 or matrix.dtype.kind not in "biuf":
            given = getattr(matrix, "dtype", type(matrix).__name__), getattr(matrix, "shape", ())
            msg = f"matrix must be a sparse matrix of booleans, integers or floats, got {given}."
            raise ValueError(msg)
        self.n_samples, self.n_features = map(int, matrix.shape)
        self.stored_types, self.dtype = [matrix.dtype], float_type(matrix.dtype)
        self.names = None if names is None else tuple(names)
        # Either all entries, or the file's own columns.
        self._entries: _Entries | None = None
        self._file: Any = None
        if sparse.issparse(matrix):
            self._entries = _in_memory(matrix)
        elif matrix.format == "csc":
            self._file = matrix
        else:
            self._entries = _turned_over(matrix, most_bytes)

    def _fill(self, block: FloatArray, positions: IndexArray) -> None:
        block[:] = 0
        if self._entries is not None:
            self._entries.put(block, positions)
        elif len(positions):
            # Whole runs of columns, each once.
            wanted, places = np.unique(positions, return_inverse=True)
            first, last = int(wanted[0]), int(wanted[-1]) + 1
            run = slice(first, last) if last - first == len(wanted) else wanted
            _in_memory(self._file[:, run]).put(block, places)


def sparse_as_blocks(X: Any) -> Any:
    """Return a sparse matrix as column blocks, anything else as it is."""
    return SparseBlocks(X) if is_sparse(X) else X


class _Entries(NamedTuple):
    """Entries of a sparse matrix, column by column."""

    starts: NDArray[np.integer]
    rows: NDArray[np.integer]
    values: NDArray[Any]

    def put(self, block: FloatArray, positions: IndexArray) -> None:
        """Put the entries of some columns into a block of zeros."""
        for place, position in enumerate(positions):
            column = slice(self.starts[position], self.starts[position + 1])
            block[self.rows[column], place] = self.values[column]


def _in_memory(matrix: Any) -> _Entries:
    """Return the entries of a matrix of SciPy, each place once."""
    _refuse_outside(matrix)
    columns = matrix.tocsc()
    if not columns.has_canonical_format:
        columns = columns.copy() if columns is matrix else columns
        columns.sum_duplicates()
    return _Entries(columns.indptr, columns.indices, columns.data)


def _turned_over(matrix: Any, most_bytes: int) -> _Entries:
    """Turn a matrix that is kept row by row in a file into columns."""
    n_features = int(matrix.shape[1])
    counts = np.zeros(n_features, dtype=np.int64)
    for _, some in _row_steps(matrix):
        counts += np.bincount(some.indices, minlength=n_features)
    starts = np.concatenate([[0], np.cumsum(counts)])
    values = _room(int(starts[-1]), np.dtype(matrix.dtype), most_bytes)
    rows = _room(int(starts[-1]), np.dtype(np.int64), most_bytes)
    next_free = starts[:-1].copy()
    for first, some in _row_steps(matrix):
        columns = some.tocsc()
        found = np.diff(columns.indptr)
        places = np.arange(len(columns.data)) + np.repeat(next_free - columns.indptr[:-1], found)
        values[places] = columns.data
        rows[places] = columns.indices.astype(np.int64) + first
        next_free += found
    return _Entries(starts, rows, values)


def _row_steps(matrix: Any) -> Iterator[tuple[int, Any]]:
    """Read some rows at a time."""
    n_samples, n_features = matrix.shape
    step = max(1, ROW_BYTES // (8 * max(1, n_features)))
    for first in range(0, n_samples, step):
        rows = matrix[first : min(first + step, n_samples)]
        _refuse_outside(rows)
        rows = rows.tocsr()
        rows.sum_duplicates()
        yield first, rows


def _refuse_outside(matrix: Any) -> None:
    """Refuse entries outside the matrix, which SciPy would write to anywhere in memory."""
    if matrix.format not in {"csr", "csc"}:
        return  # SciPy has checked these when they were made
    try:
        matrix.check_format(full_check=True)
    except ValueError as error:
        msg = f"The sparse matrix is damaged: {error}."
        raise ValueError(msg) from error


def _room(n_entries: int, dtype: np.dtype[Any], most_bytes: int) -> NDArray[Any]:
    """Make room for entries, in memory or in a file without a name."""
    if n_entries * dtype.itemsize <= most_bytes:
        return np.empty(n_entries, dtype=dtype)
    with tempfile.TemporaryFile() as file:
        # The mapping keeps the file alive; nobody else can open it.
        return np.memmap(file, dtype=dtype, mode="w+", shape=(n_entries,))
