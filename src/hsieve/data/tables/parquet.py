"""Parquet files, their types known from the schema and their columns read one by one.

pandas saves a row index that has no name as a column of its own, ``__index_level_0__``. It numbers
the rows and says nothing about the target unless the rows are sorted by it, in which case it says
everything: it is refused as a feature.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hsieve.data.tables.arrow import arrow_kind, arrow_values, import_pyarrow
from hsieve.data.tables.errors import columns_are, plainly, quoted, table_error
from hsieve.data.tables.source import Array, Source, checked_target

__all__ = ["ParquetSource"]

PANDAS_INDEX = re.compile(r"__index_level_[0-9]+__")


class ParquetSource(Source):
    """A Parquet file, its types known from the schema and its columns read one by one."""

    def __init__(self, path: Path, target: str | None) -> None:
        self.arrow = import_pyarrow(path, "pyarrow")
        self.parquet = import_pyarrow(path, "pyarrow.parquet")
        self.file: Any = None
        with plainly(path, "Parquet"), self.parquet.ParquetFile(path) as file:
            self.schema, self.metadata = file.schema_arrow, file.metadata
        names = self.schema.names
        super().__init__(path, names, checked_target(path, names, target))

    def open(self, wanted: Sequence[str]) -> dict[str, str]:
        """Open the file for reading and tell the kind of each wanted column."""
        self._refuse_index([name for name in wanted if name != self.target])
        with plainly(self.path, "Parquet"):
            self.file = self.parquet.ParquetFile(
                self.path, metadata=self.metadata, page_checksum_verification=True
            )
        types = dict(zip(self.names, self.schema.types, strict=True))
        return {name: arrow_kind(self.arrow, types[name]) for name in wanted}

    def load(self, name: str) -> Array:
        """Read one column, whole or not at all."""
        with plainly(self.path, "Parquet"):
            # Asking for "a" also gives "a.b", which pyarrow takes for a field of "a".
            column = self.file.read(columns=[name], use_threads=False).column(name)
            values = arrow_values(self.path, name, column)
        if len(values) != self.metadata.num_rows:
            problem = f"column {quoted(name)} has {len(values)} rows of {self.metadata.num_rows}"
            raise table_error(self.path, f"{problem}; the file is damaged")
        return values

    def close(self) -> None:
        """Let go of the file, if it was opened."""
        if self.file is not None:
            self.file.close()

    def _refuse_index(self, features: Sequence[str]) -> None:
        """Refuse the row index of pandas as a feature."""
        index = [name for name in features if PANDAS_INDEX.fullmatch(name)]
        if index:
            problem = f"{columns_are(index)} the row index saved by pandas, not a feature"
            advice = f"leave it out with drop={index} ({' '.join(f'--drop {n}' for n in index)})"
            raise table_error(self.path, f"{problem}; {advice}")
