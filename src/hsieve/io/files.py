"""What columns of files have in common: names, categories, fingerprints, references and errors.

A block holds numbers as they are, and declared categories as the codes of their sorted levels. A
category needs all its rows to know its levels, but so does a block, hence one pass over that column
gives both.
"""

from abc import abstractmethod
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.data.arrays import StoredBlocks
from hsieve.data.columns import ColumnBlocks, FloatArray, IndexArray
from hsieve.data.errors import incomplete_feature, table_error, unknown_name
from hsieve.data.file_fingerprint import fingerprint_of_content, states_of
from hsieve.fingerprint import fingerprint_of
from hsieve.io.source import check_names
from hsieve.io.values import category_codes, refuse_long_integers

__all__ = ["DECODED_BYTES", "FileBlocks", "FileReference", "MatrixFileBlocks"]

# Most that is decoded at a time beside the block, unless one column takes more.
DECODED_BYTES = 8 * 2**20
LARGEST_EXACT_CODE = 2**24


class FileBlocks(ColumnBlocks):
    """What columns of all files have in common.

    A class that takes more arguments than path, names and categories says them in `settings`.
    """

    names: tuple[str, ...]
    settings: tuple[tuple[str, Hashable], ...] = ()

    def __init__(self, path: Path, names: Sequence[str], categorical: Collection[str]) -> None:
        self.path = path
        self.names = tuple(names)
        self.n_features = len(self.names)
        self._categories = frozenset(categorical)
        self._is_category = np.array([name in self._categories for name in self.names], dtype=bool)

    def stamp(self) -> tuple[tuple[str, int], ...]:
        """Names and sizes of the files."""
        return tuple((file.name, file.stat().st_size) for file in self._files())

    def fingerprint(self) -> str:
        """Return a mark of names, sizes, times and content of the files, wherever these are."""
        files = self._files()
        times = [file.stat().st_mtime_ns for file in files]
        marks = (self.stamp(), times, fingerprint_of_content(files))
        return fingerprint_of((*marks, self.names, self._is_category, self.settings))

    def reference(self) -> "FileReference":
        """Return what opens the same columns in another process."""
        return FileReference(
            kind=type(self),
            path=str(self.path.absolute()),
            names=self.names,
            categorical=tuple(np.array(self.names, dtype=object)[self._is_category]),
            stamp=self.stamp(),
            settings=self.settings,
        )

    def _files(self) -> list[Path]:
        """Return the files that hold the columns."""
        return [self.path]

    def _type_with_codes(self, dtype: np.dtype[np.floating]) -> np.dtype[np.floating]:
        """Widen a type that could not tell the codes of very many levels apart."""
        many = self._is_category.any() and self.n_samples > LARGEST_EXACT_CODE
        return np.dtype(np.float64) if many else dtype

    def _refusal(self, feature: int, values: FloatArray, bad: NDArray[np.bool_]) -> ValueError:
        """Say which value is missing or infinite, as tables do."""
        return incomplete_feature(self.path, self.names[feature], values, bad, 0)


class MatrixFileBlocks(FileBlocks, StoredBlocks):
    """Columns of a matrix in files, read as floats and looked at again where these lose something.

    Parameters
    ----------
    path : Path
        File or folder.
    names, columns, categorical
        Names and places of the features, None for all columns as x0, x1, ...; and which of them
        are categories.
    n_columns : int
        How many columns the matrix has.
    """

    def __init__(
        self,
        path: Path,
        names: Sequence[str] | None,
        columns: Sequence[int] | None,
        categorical: Collection[str],
        *,
        n_columns: int,
    ) -> None:
        self._places = np.arange(n_columns) if columns is None else np.array(columns, np.intp)
        outside = self._places[(self._places < 0) | (self._places >= n_columns)]
        if outside.size:
            raise table_error(path, f"there is no column {outside[0]} among {n_columns}")
        names = [f"x{place}" for place in self._places] if names is None else names
        super().__init__(path, names, categorical)
        self.settings = (("columns", None if columns is None else tuple(self._places.tolist())),)
        if self.n_features != len(self._places):
            problem = f"there are {len(self._places)} columns, but {self.n_features} names were"
            raise table_error(path, f"{problem} given")
        check_names(path, self.names)
        for name in categorical:
            if name not in self.names:
                raise unknown_name(path, "categorical", name, self.names)

    @abstractmethod
    def _fill_numbers(self, block: FloatArray, places: IndexArray) -> None:
        """Write columns of the matrix into a block as floats."""

    @abstractmethod
    def _column(self, place: int) -> NDArray[Any]:
        """Return one column of the matrix as it is stored."""

    def _stored(self, feature: int) -> NDArray[Any]:
        return self._column(int(self._places[feature]))

    def _fill(self, block: FloatArray, positions: IndexArray) -> None:
        """Copy the numbers, then code the categories."""
        # What float64 has not becomes infinite or NaN, which is refused afterwards.
        with np.errstate(all="ignore"):
            self._fill_numbers(block, self._places[positions])
        for place in np.flatnonzero(self._is_category[positions]):
            block[:, place] = category_codes(self._stored(positions[place]))

    def _refuse_rounded(self, feature: int, values: NDArray[Any] | None) -> None:
        if values is not None:
            refuse_long_integers(self.path, self.names[feature], values)


@dataclass(frozen=True)
class FileReference:
    """What opens columns of a file in any process that has it at the same path.

    Parameters
    ----------
    kind : type
        The class of the columns.
    path : str
        The file or folder.
    names, categorical : tuple of str
        Features, and those of them that are categories.
    stamp : tuple
        Marks of the files; others are refused, since they would be other data.
    settings : tuple of (str, object)
        Further arguments of the class.
    """

    kind: type[FileBlocks]
    path: str
    names: tuple[str, ...]
    categorical: tuple[str, ...]
    stamp: tuple[tuple[str, int], ...]
    settings: tuple[tuple[str, Hashable], ...] = ()

    def state(self) -> Hashable:
        """Return what changes, on this machine, when other files take the place of these."""
        path = Path(self.path)
        return states_of([path / name for name, _ in self.stamp] if path.is_dir() else [path])

    def open(self) -> FileBlocks:
        """Open the columns."""
        said = {"names": self.names, "categorical": self.categorical, **dict(self.settings)}
        blocks = self.kind(Path(self.path), **said)  # type: ignore[arg-type]
        if blocks.stamp() != self.stamp:
            problem = "other files, or files of another size, than where the work was begun"
            raise table_error(blocks.path, f"{problem}; all workers must see the same data")
        return blocks
