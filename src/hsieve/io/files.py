"""Columns of NumPy and Parquet files, in blocks; errors are those of tables.

What a block holds is what :func:`hsieve.io.read_table` would put into the same columns:
numbers as they are, declared categories as the codes of their sorted levels. A category needs all
its rows to know its levels, but so does a block, hence one pass over that column gives both.
"""

from abc import abstractmethod
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.data.arrays import ArrayBlocks, places_beyond_exact
from hsieve.data.columns import ColumnBlocks, FloatArray, IndexArray, float_type
from hsieve.data.errors import (
    TableError,
    as_categories,
    incomplete_feature,
    plainly,
    quoted,
    table_error,
    unknown_name,
)
from hsieve.data.file_fingerprint import fingerprint_of_content, states_of
from hsieve.fingerprint import fingerprint_of
from hsieve.io.numpy_files import ArraySource, open_npy
from hsieve.io.parquet import OpenParts, ParquetParts
from hsieve.io.roles import ColumnFindings, type_in_words
from hsieve.io.source import READABLE_KINDS, Array, check_names
from hsieve.io.values import arrow_values, category_codes, exact_numbers, refuse_long_integers

__all__ = [
    "FileBlocks",
    "FileReference",
    "MatrixFileBlocks",
    "NumpyBlocks",
    "ParquetBlocks",
    "other_data",
]

# Most that is decoded at a time beside the block, unless one column takes more.
DECODED_BYTES = 8 * 2**20
DECODED_BYTES_PER_VALUE = 8
LARGEST_EXACT_CODE = 2**24


class FileBlocks(ColumnBlocks):
    """What columns of all files have in common: names, categories and errors."""

    names: tuple[str, ...]

    def __init__(self, path: Path, names: Sequence[str], categorical: Collection[str]) -> None:
        self.path = path
        self.names = tuple(names)
        self.n_features = len(self.names)
        self._is_category = np.array([name in categorical for name in self.names], dtype=bool)

    def stamp(self) -> tuple[tuple[str, int], ...]:
        """Names and sizes of the files."""
        return tuple((file.name, file.stat().st_size) for file in self._files())

    def fingerprint(self) -> str:
        """Return a mark of names, sizes, times and content of the files, wherever these are."""
        files = self._files()
        times = [file.stat().st_mtime_ns for file in files]
        marks = (self.stamp(), times, fingerprint_of_content(files))
        return fingerprint_of((*marks, self.names, self._is_category))

    def _files(self) -> list[Path]:
        """Return the files that hold the columns."""
        return [self.path]

    def _refuse_unknown(self, categorical: Collection[str], n_columns: int) -> None:
        """Refuse names that are not one for each column, and categories that are no feature."""
        if self.n_features != n_columns:
            problem = f"there are {n_columns} columns, but {self.n_features} names were given"
            raise table_error(self.path, problem)
        check_names(self.path, self.names)
        for name in categorical:
            if name not in self.names:
                raise unknown_name(self.path, "categorical", name, self.names)

    def _type_with_codes(self, dtype: np.dtype[np.floating]) -> np.dtype[np.floating]:
        """Widen a type that could not tell the codes of very many levels apart."""
        many = self._is_category.any() and self.n_samples > LARGEST_EXACT_CODE
        return np.dtype(np.float64) if many else dtype

    def _refusal(self, feature: int, values: FloatArray, bad: NDArray[np.bool_]) -> ValueError:
        """Say which value is missing or infinite, as tables do."""
        return incomplete_feature(self.path, self.names[feature], values, bad, 0)


class MatrixFileBlocks(FileBlocks):
    """Files of matrices of one type each, read as floats and looked at again where these lose."""

    @abstractmethod
    def _stored(self, feature: int) -> NDArray[Any]:
        """Return one column as it is stored, for what cannot be told from its floats."""

    def _fill_codes(self, block: FloatArray, positions: IndexArray) -> None:
        """Write codes over the columns that are categories."""
        for place in np.flatnonzero(self._is_category[positions]):
            block[:, place] = category_codes(self._stored(positions[place]))

    def _refuse_rounded(
        self, block: FloatArray, positions: IndexArray, dtypes: Collection[np.dtype]
    ) -> None:
        """Refuse integers that were rounded in a block, which may come from any of some types."""
        places = {place for dtype in dtypes for place in places_beyond_exact(block, dtype)}
        for place in sorted(places):
            feature = positions[place]
            refuse_long_integers(self.path, self.names[feature], self._stored(feature))


class NumpyBlocks(MatrixFileBlocks):
    """Some columns of a matrix from a NumPy file."""

    def __init__(
        self, source: ArraySource, names: Sequence[str], categorical: Collection[str]
    ) -> None:
        super().__init__(source.path, names, categorical)
        self._source = source
        self.n_samples = len(source.matrix)
        places = {name: place for place, name in enumerate(source.names)}
        self._places = np.array([places[name] for name in self.names], dtype=np.intp)
        # A matrix of text has categories only, each coded from its own column.
        self._numbers = None if source.matrix.dtype.kind == "U" else ArrayBlocks(source.matrix)
        self.dtype = self._type_with_codes(
            np.dtype(np.float32) if self._numbers is None else self._numbers.dtype
        )

    def reference(self) -> "FileReference":
        """Return what opens the same columns in another process."""
        return FileReference.to(self, NumpyBlocks.reopen)

    @staticmethod
    def reopen(reference: "FileReference") -> "NumpyBlocks":
        """Open the columns that a reference says."""
        # Any column will do for the target, which is not asked for.
        source = open_npy(Path(reference.path), "0", mapped=True)
        return NumpyBlocks(source, reference.names, reference.categorical)

    def _fill(self, block: FloatArray, positions: IndexArray) -> None:
        """Copy the numbers, then code the categories."""
        if self._numbers is not None:
            self._numbers._fill(block, self._places[positions])
        self._fill_codes(block, positions)

    def _check(self, block: FloatArray, positions: IndexArray) -> None:
        """Refuse what is not finite, and integers that would be rounded."""
        super()._check(block, positions)
        self._refuse_rounded(block, positions, [self._source.matrix.dtype])

    def _stored(self, feature: int) -> NDArray[Any]:
        return self._source.load(self.names[feature])


class ParquetBlocks(FileBlocks):
    """Columns of a Parquet file, or of a folder of part files that hold rows or columns.

    Parameters
    ----------
    path : Path or ParquetParts
        The file or the folder, or its files where they are known already.
    names : sequence of str or None, default=None
        The columns that are features; None takes all.
    categorical : collection of str, default=()
        Columns whose values are categories: each becomes the codes 0, ..., c - 1 of its c sorted
        distinct values. Text must be declared so.

    Raises
    ------
    TableError
        If the file cannot be read, there is no such column, or one is neither number nor boolean
        nor a declared category.

    Notes
    -----
    Footers are read once, and files stay open (about 128, shared by all threads that read) as long
    as the columns are in use. A `read` decodes the wanted columns only, row group by row group, and
    holds 8 MiB or one column of a row group beside its result. The type is float32 if that holds
    all numbers of all columns exactly.
    """

    def __init__(
        self,
        path: Path | ParquetParts,
        names: Sequence[str] | None = None,
        categorical: Collection[str] = (),
    ) -> None:
        self._parts = path if isinstance(path, ParquetParts) else ParquetParts(Path(path))
        check_names(self._parts.path, self._parts.names)
        wanted = self._parts.names if names is None else names
        super().__init__(self._parts.path, wanted, categorical)
        for role, given in (("a feature", wanted), ("categorical", categorical)):
            for name in given:
                if name not in self._parts.names:
                    raise unknown_name(self.path, role, name, self._parts.names)
        self._refuse_kinds()
        self.n_samples = self._parts.n_rows
        self.dtype = self._type_with_codes(
            np.result_type(np.float32, *(self._float_type(name) for name in self.names))
        )

    def reference(self) -> "FileReference":
        """Return what opens the same columns in another process."""
        return FileReference.to(self, ParquetBlocks.reopen)

    @staticmethod
    def reopen(reference: "FileReference") -> "ParquetBlocks":
        """Open the columns that a reference says."""
        return ParquetBlocks(Path(reference.path), reference.names, reference.categorical)

    def _files(self) -> list[Path]:
        return [part.path for part in self._parts.parts]

    def _refuse_kinds(self) -> None:
        """Refuse columns that are neither numbers nor declared categories."""
        found = ColumnFindings(self._parts.n_rows)
        for name, is_category in zip(self.names, self._is_category, strict=True):
            kind = self._parts.kind_of(name)
            if kind not in READABLE_KINDS:
                found.unusable(name, type_in_words(kind))
            elif kind == "text" and not is_category:
                advice = f"make it a category with {as_categories([name])}"
                found.problems.append((f"column {quoted(name)} is text", advice))
        found.refuse(self.n_features, path=self.path)

    def _float_type(self, name: str) -> np.dtype[np.floating]:
        """Return the type that holds a column exactly; text becomes codes."""
        if self._parts.kind_of(name) == "text":
            return np.dtype(np.float32)
        return float_type(np.dtype(self._parts.type_of(name).to_pandas_dtype()))

    def _fill(self, block: FloatArray, positions: IndexArray) -> None:
        """Read the numbers together, then each category for itself."""
        is_category = self._is_category[positions]
        with self._parts.opened() as files:
            numbers = np.flatnonzero(~is_category)
            for some in self._parts.together([self.names[positions[i]] for i in numbers]):
                self._fill_numbers(files, block, positions, numbers[some])
            for place in np.flatnonzero(is_category):
                block[:, place] = self._codes(files, self.names[positions[place]])

    def _fill_numbers(
        self, files: OpenParts, block: FloatArray, positions: IndexArray, places: IndexArray
    ) -> None:
        """Go through the row groups of columns in the same files, decoding few at a time."""
        for file, group, rows in self._parts.row_groups(files, self.names[positions[places[0]]]):
            n_rows = rows.stop - rows.start
            step = max(1, DECODED_BYTES // (DECODED_BYTES_PER_VALUE * max(1, n_rows)))
            for start in range(0, len(places), step):
                some = places[start : start + step]
                names = [self.names[positions[place]] for place in some]
                columns = self._decoded(file, group, names)
                for place, name in zip(some, names, strict=True):
                    block[rows, place] = self._numbers(files, name, columns.column(name))

    def _decoded(self, file: Any, group: int, names: Sequence[str]) -> Any:
        """Read columns of one row group into an Arrow table."""
        with plainly(self.path, "Parquet"):
            columns = file.read_row_group(group, columns=list(names), use_threads=False)
        expected = file.metadata.row_group(group).num_rows
        self._parts.check_length(names[0], columns.num_rows, expected)
        return columns

    def _numbers(self, files: OpenParts, name: str, column: Any) -> Array:
        """Return the numbers of one row group, refused where they would be rounded."""
        try:
            return exact_numbers(self.path, name, arrow_values(self.path, name, column))
        except TableError:
            # Once more from the first row on, since the error counts rows.
            exact_numbers(self.path, name, self._parts.load(files, name))
            raise

    def _codes(self, files: OpenParts, name: str) -> NDArray[np.float64]:
        """Return the codes of a category; of text, only the levels become Python objects."""
        if self._parts.kind_of(name) != "text":
            return category_codes(self._parts.load(files, name))
        chunked = self._parts.arrow.chunked_array
        numbers = np.empty(self.n_samples, dtype=np.intp)
        levels: list[Array] = []
        n_levels = 0
        for file, group, rows in self._parts.row_groups(files, name):
            column = self._decoded(file, group, [name]).column(name)
            with plainly(self.path, "Parquet"):
                # Resolved before, because a dictionary may hold levels that no row has.
                resolved = column.cast(self._parts.type_of(name)).combine_chunks()
                encoded = chunked([resolved.dictionary_encode()]).combine_chunks()
                found = encoded.indices.fill_null(-1).to_numpy().astype(np.intp)
                levels.append(arrow_values(self.path, name, chunked([encoded.dictionary])))
            numbers[rows] = np.where(found < 0, -1, found + n_levels)
            n_levels += len(levels[-1])
        # Missing ones are -1 and so take the last.
        return np.append(category_codes(np.concatenate(levels)), np.nan)[numbers]


@dataclass(frozen=True)
class FileReference:
    """What opens columns of a file in any process that has it at the same path.

    Parameters
    ----------
    path : str
        The file or folder.
    names, categorical : tuple of str
        Features, and those of them that are categories.
    stamp : tuple
        Marks of the files; others are refused, since they would be other data.
    reopen : callable
        Opens the columns, given the reference.
    """

    path: str
    names: tuple[str, ...]
    categorical: tuple[str, ...]
    stamp: tuple[tuple[str, int], ...]
    reopen: Callable[["FileReference"], FileBlocks]

    @classmethod
    def to(
        cls, blocks: FileBlocks, reopen: Callable[["FileReference"], FileBlocks]
    ) -> "FileReference":
        """Refer to open columns."""
        names = np.array(blocks.names, dtype=object)
        return cls(
            path=str(blocks.path.absolute()),
            names=blocks.names,
            categorical=tuple(names[blocks._is_category]),
            stamp=blocks.stamp(),
            reopen=reopen,
        )

    def state(self) -> Hashable:
        """Return what changes, on this machine, when other files take the place of these."""
        path = Path(self.path)
        return states_of([path / name for name, _ in self.stamp] if path.is_dir() else [path])

    def open(self) -> FileBlocks:
        """Open the columns."""
        blocks = self.reopen(self)
        if blocks.stamp() != self.stamp:
            raise other_data(blocks.path)
        return blocks


def other_data(path: Path) -> TableError:
    """Say that a worker finds other data than where the work was begun."""
    problem = "other files, or files of another size, than where the work was begun"
    return table_error(path, f"{problem}; all workers must see the same data")
