"""Parquet files, their types known from the schema and only the wanted columns read.

A folder of part files with equal columns is one table, its rows in the order of the files' names.

pandas saves a row index that has no name as a column of its own, ``__index_level_0__``. It numbers
the rows and says nothing about the target unless the rows are sorted by it, in which case it says
everything: it is refused as a feature.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from hsieve.data.tables.arrow import arrow_kind, arrow_values, import_pyarrow
from hsieve.data.tables.errors import columns_are, listed, plainly, quoted, table_error
from hsieve.data.tables.source import Array, Source, checked_target

__all__ = ["ParquetParts", "ParquetSource"]

PANDAS_INDEX = re.compile(r"__index_level_[0-9]+__")


class ParquetParts:
    """A Parquet file or a folder of such files, their footers read once.

    Parameters
    ----------
    path : Path
        A file, or a folder that holds files ending in .parquet.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.arrow = import_pyarrow(path, "pyarrow")
        self.parquet = import_pyarrow(path, "pyarrow.parquet")
        self.footers: list[tuple[Path, Any]] = []
        self.schema: Any = None
        for part in _part_files(path):
            with plainly(part, "Parquet"), self.parquet.ParquetFile(part) as file:
                schema, footer = file.schema_arrow, file.metadata
            if self.schema is None:
                self.schema = schema
            self._check_columns(part, schema)
            self.footers.append((part, footer))
        self.names: tuple[str, ...] = tuple(self.schema.names)
        self.n_rows = sum(footer.num_rows for _, footer in self.footers)
        self._types = dict(zip(self.names, self.schema.types, strict=True))

    def type_of(self, name: str) -> Any:
        """Return the Arrow type of a column, that of its values if these are in a dictionary."""
        return _value_type(self.arrow, self._types[name])

    def kind_of(self, name: str) -> str:
        """Return the kind of a column, or the name of a type that is not readable."""
        return arrow_kind(self.arrow, self._types[name])

    @contextmanager
    def opened(self) -> Iterator[list[Any]]:
        """Hold all files open for reading."""
        with ExitStack() as stack:
            with plainly(self.path, "Parquet"):
                files = [self._reader(part, footer) for part, footer in self.footers]
                for file in files:
                    stack.enter_context(file)
            yield files

    def _reader(self, part: Path, footer: Any) -> Any:
        """Open one file, its footer known."""
        return self.parquet.ParquetFile(part, metadata=footer, page_checksum_verification=True)

    def load(self, files: Sequence[Any], name: str) -> Array:
        """Read one column of open files, whole or not at all."""
        with plainly(self.path, "Parquet"):
            chunks: list[Any] = []
            for file in files:
                # Asking for "a" also gives "a.b", which pyarrow takes for a field of "a".
                column = file.read(columns=[name], use_threads=False).column(name)
                chunks += column.cast(self.type_of(name)).chunks
            column = self.arrow.chunked_array(chunks, type=self.type_of(name))
            values = arrow_values(self.path, name, column)
        self.check_length(name, len(values), self.n_rows)
        return values

    def check_length(self, name: str, found: int, expected: int) -> None:
        """Refuse a column with other rows than its file has."""
        if found != expected:
            problem = f"column {quoted(name)} has {found} rows of {expected}"
            raise table_error(self.path, f"{problem}; the file is damaged")

    def _check_columns(self, part: Path, schema: Any) -> None:
        """Refuse a part whose columns are not those of the first."""
        first = self.footers[0][0].name if self.footers else part.name
        if schema.names != self.schema.names:
            differing = sorted(set(schema.names) ^ set(self.schema.names))
            problem = f"the columns are not those of {quoted(first)}"
            what = f"only one of them has {listed(differing)}" if differing else "in another order"
            raise table_error(part, f"{problem} ({what}); parts must have equal columns")
        for name, given, expected in zip(
            schema.names, schema.types, self.schema.types, strict=True
        ):
            if _value_type(self.arrow, given) != _value_type(self.arrow, expected):
                problem = f"column {quoted(name)} is {given}, but {expected} in {quoted(first)}"
                raise table_error(part, f"{problem}; parts must have equal columns")


class ParquetSource(Source):
    """Parquet as a source, its columns read one by one."""

    def __init__(self, path: Path, target: str | None) -> None:
        self.parts = ParquetParts(path)
        self._files: list[Any] = []
        self._holding = ExitStack()
        names = self.parts.names
        super().__init__(path, names, checked_target(path, names, target))

    def open(self, wanted: Sequence[str]) -> dict[str, str]:
        """Open the files for reading and tell the kind of each wanted column."""
        self._refuse_index([name for name in wanted if name != self.target])
        self._files = self._holding.enter_context(self.parts.opened())
        return {name: self.parts.kind_of(name) for name in wanted}

    def load(self, name: str) -> Array:
        """Read one column, whole or not at all."""
        return self.parts.load(self._files, name)

    def close(self) -> None:
        """Let go of the files, if they were opened."""
        self._holding.close()

    def _refuse_index(self, features: Sequence[str]) -> None:
        """Refuse the row index of pandas as a feature."""
        index = [name for name in features if PANDAS_INDEX.fullmatch(name)]
        if index:
            problem = f"{columns_are(index)} the row index saved by pandas, not a feature"
            advice = f"leave it out with drop={index} ({' '.join(f'--drop {n}' for n in index)})"
            raise table_error(self.path, f"{problem}; {advice}")


def _part_files(path: Path) -> list[Path]:
    """Return the file itself, or the parts in a folder; programs mark their own files by _ or ."""
    if not path.is_dir():
        return [path]
    with plainly(path, "a folder of Parquet files"):
        inside = sorted(path.iterdir())
    parts = [p for p in inside if p.suffix.lower() == ".parquet" and p.name[0] not in "._"]
    if not parts:
        raise table_error(path, "this is a folder without files ending in '.parquet'")
    return parts


def _value_type(arrow: Any, arrow_type: Any) -> Any:
    """Return the type of the values, whether or not they are kept in a dictionary."""
    return arrow_type.value_type if arrow.types.is_dictionary(arrow_type) else arrow_type
