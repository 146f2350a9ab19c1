"""CSV and TSV files, plain or compressed by gzip.

pyarrow parses the text and infers the types from all rows. The standard library reads the header
verbatim, and finds the line at fault when pyarrow gives up. Columns of large floats are read once
more as text, since pyarrow takes integers beyond int64 for floats and rounds them.
"""

import csv
import gzip
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hsieve.data.tables.arrow import arrow_kind, arrow_values, import_pyarrow
from hsieve.data.tables.errors import (
    LIBRARY_ERRORS,
    TableError,
    brief,
    plainly,
    rounded_integer,
    table_error,
)
from hsieve.data.tables.source import Array, Source, checked_target
from hsieve.data.tables.values import LARGEST_EXACT_INTEGER, is_long_integer

__all__ = ["DelimitedSource"]

BLOCK_BYTES = 64 * 2**20  # pyarrow needs a whole row in a block: 10^6 columns fit into 64 MiB


class DelimitedSource(Source):
    """Delimited text, plain or compressed by gzip."""

    def __init__(
        self, path: Path, target: str | None, *, delimiter: str, compression: str | None
    ) -> None:
        self.arrow = import_pyarrow(path, "pyarrow")
        self.reader = import_pyarrow(path, "pyarrow.csv")
        self.delimiter = delimiter
        self.compression = compression
        self.path = path
        names = self._header()
        super().__init__(path, names, checked_target(path, names, target))

    def open(self, wanted: Sequence[str]) -> dict[str, str]:
        """Parse the wanted columns and tell the kind of each."""
        self.table = self._read(wanted, types={})
        self._refuse_rounded_integers()
        kinds = {
            name: arrow_kind(self.arrow, arrow_type)
            for name, arrow_type in zip(wanted, self.table.schema.types, strict=True)
        }
        return {n: "not UTF-8 text" if kind == "binary" else kind for n, kind in kinds.items()}

    def load(self, name: str) -> Array:
        """Return one parsed column."""
        return arrow_values(self.path, name, self.table.column(name))

    def _header(self) -> list[str]:
        """Return the first record that is not an empty line, verbatim."""
        with plainly(self.path, "text"), self._records() as records:
            names: list[str] = next((record for record in records if record), [])
        if not names:
            raise table_error(self.path, "the file is empty")
        try:
            "".join(names).encode()
        except UnicodeEncodeError:
            raise table_error(self.path, "the column names are not UTF-8 text") from None
        return names

    @contextmanager
    def _records(self) -> Iterator[Any]:
        """Give a reader of the standard library, which knows the line it is at."""
        opened = gzip.open if self.compression else open
        # Bytes that are not UTF-8 may be in a dropped column, so they are no error here.
        with opened(
            self.path, "rt", encoding="utf-8-sig", errors="surrogateescape", newline=""
        ) as file:
            yield csv.reader(file, delimiter=self.delimiter)

    def _read(self, columns: Sequence[str], *, types: Mapping[str, Any]) -> Any:
        """Read some columns, of given or inferred types, into an Arrow table."""
        options = {
            # Without threads, which halve the speed when there are thousands of columns.
            "read_options": self.reader.ReadOptions(use_threads=False, block_size=BLOCK_BYTES),
            "parse_options": self.reader.ParseOptions(
                delimiter=self.delimiter, newlines_in_values=True
            ),
            "convert_options": self.reader.ConvertOptions(
                include_columns=list(columns), column_types=types, strings_can_be_null=True
            ),
        }
        try:
            with self.arrow.input_stream(str(self.path), compression=self.compression) as stream:
                return self.reader.read_csv(stream, **options)
        except LIBRARY_ERRORS as error:
            raise self._explained(error) from error

    def _explained(self, error: BaseException) -> TableError:
        """Find the line that made pyarrow give up."""
        with plainly(self.path, "text"), self._records() as records:
            expected, last_line = 0, 0
            for record in records:
                expected = expected or len(record)
                if record and len(record) != expected:
                    problem = f"expected {expected} fields but found {len(record)}"
                    return table_error(self.path, f"line {last_line + 1}: {problem}")
                last_line = records.line_num
        if "straddling" in str(error):
            return table_error(self.path, f"a row is longer than {BLOCK_BYTES} bytes")
        return table_error(self.path, f"cannot be read as text ({brief(error)})")

    def _refuse_rounded_integers(self) -> None:
        """Look at the text of large floats, as pyarrow reads integers beyond int64 as floats."""
        compute = import_pyarrow(self.path, "pyarrow.compute")
        suspects = []
        for name, column in zip(self.table.column_names, self.table.columns, strict=True):
            if self.arrow.types.is_float64(column.type):
                ends = [abs(end or 0.0) for end in compute.min_max(column).as_py().values()]
                if max(ends) >= LARGEST_EXACT_INTEGER:
                    suspects.append(name)
        if not suspects:
            return
        texts = self._read(suspects, types=dict.fromkeys(suspects, self.arrow.string()))
        for name in suspects:
            for row, text in enumerate(texts.column(name).to_pylist(), start=1):
                if is_long_integer(text):
                    raise rounded_integer(self.path, name, row, text.strip())
