"""CSV and TSV files, plain or compressed by gzip.

pyarrow parses the text and infers the types from all rows. The standard library reads the header
verbatim, and finds the line at fault when pyarrow gives up. Columns of large floats are read once
more as text, since pyarrow takes integers beyond int64 for floats and rounds them; so are integers
of a file with hexadecimal numbers, which pyarrow reads as if they were decimal ones. A quote that
is never closed would swallow the rest of the file, without a word by pyarrow.
"""

import csv
import gzip
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BufferedReader, RawIOBase, TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

from hsieve.data.errors import (
    LIBRARY_ERRORS,
    TableError,
    brief,
    plainly,
    rounded_integer,
    table_error,
)
from hsieve.data.validation import LARGEST_EXACT_INTEGER
from hsieve.io.source import Array, Source, checked_target
from hsieve.io.unpacking import refuse_unpacked, unpacked_limit
from hsieve.io.values import arrow_kind, arrow_values, import_pyarrow, is_long_integer

__all__ = ["DelimitedSource"]

HEXADECIMAL = (b"0x", b"0X")
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
        if self.has_odd_quotes:
            self._refuse_open_quote()
        self._refuse_rounded_integers()
        hexadecimal = self._hexadecimal() if self.has_prefixes else []
        if hexadecimal:
            self.table = self._read(wanted, types=dict.fromkeys(hexadecimal, self.arrow.string()))
        kinds = {
            name: arrow_kind(self.arrow, arrow_type)
            for name, arrow_type in zip(wanted, self.table.schema.types, strict=True)
        }
        return {n: "not UTF-8 text" if kind == "binary" else kind for n, kind in kinds.items()}

    def load(self, name: str) -> Array:
        """Return one parsed column."""
        return arrow_values(self.path, name, self.table.column(name))

    def may_count_rows(self, name: str) -> bool:
        """Say yes: the column is at hand."""
        del name
        return True

    def _header(self) -> list[str]:
        """Return the first record that is not an empty line, verbatim."""
        with plainly(self.path, "text"), self._records() as records:
            names: list[str] = next((record for record in records if record), [])
        if not names:
            raise table_error(self.path, "the file is empty")
        return names

    @contextmanager
    def _records(self, *, strict: bool = False) -> Iterator[Any]:
        """Give a reader of the standard library, which knows the line it is at."""
        # Bytes that are not UTF-8 may be in a dropped column, so they are no error here.
        with (
            WatchedBytes(self.path, packed=self.compression is not None) as content,
            TextIOWrapper(
                BufferedReader(content), "utf-8-sig", errors="surrogateescape", newline=""
            ) as file,
        ):
            yield csv.reader(self._lines(file), delimiter=self.delimiter, strict=strict)

    def _lines(self, file: TextIO) -> Iterator[str]:
        """Give lines, none of which is too long to be held in memory."""
        while line := file.readline(BLOCK_BYTES):
            if len(line) == BLOCK_BYTES:
                raise table_error(self.path, f"a row is longer than {BLOCK_BYTES} bytes")
            yield line

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
            with WatchedBytes(self.path, packed=self.compression is not None) as content:
                table = self.reader.read_csv(content, **options)
            self.has_prefixes = content.has_prefixes
            self.has_odd_quotes = content.n_quotes % 2 == 1
            return table
        except TableError:
            raise
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

    def _refuse_open_quote(self) -> None:
        """Refuse a quote that is never closed: the rest of the file would be one value."""
        line = 0
        try:
            with self._records(strict=True) as records:
                for _ in records:
                    line = records.line_num
        except csv.Error as error:
            if "unexpected end of data" in str(error):
                problem = f"a quote is opened in line {line + 1} and never closed"
                raise table_error(self.path, problem) from error

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

    def _hexadecimal(self) -> list[str]:
        """Find the columns of integers in which one is written as 0x1F, which is text to us."""
        columns = zip(self.table.column_names, self.table.columns, strict=True)
        names = [name for name, column in columns if self.arrow.types.is_integer(column.type)]
        texts = self._read(names, types=dict.fromkeys(names, self.arrow.string()))
        compute = import_pyarrow(self.path, "pyarrow.compute")
        found = [
            compute.any(compute.match_substring_regex(texts.column(name), "0[xX]")).as_py()
            for name in names
        ]
        return [name for name, is_found in zip(names, found, strict=True) if is_found]


class WatchedBytes(RawIOBase):
    """The bytes of a file, unpacked, and what is to be known of them without a second look."""

    def __init__(self, path: Path, *, packed: bool) -> None:
        super().__init__()
        self.has_prefixes = False
        self.n_quotes = 0
        self._path = path
        self._file: Any = gzip.open(path) if packed else path.open("rb")  # noqa: SIM115
        self._left = unpacked_limit(path) if packed else None
        self._last = b""

    def readable(self) -> bool:
        """Say yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes, and look at them."""
        content = self.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def read(self, size: int = -1) -> bytes:
        """Read some bytes, and look at them."""
        content: bytes = self._file.read(size)
        if self._left is not None:
            self._left -= len(content)
            if self._left < 0:
                refuse_unpacked(self._path, unpacked_limit(self._path) - self._left)
        # A prefix may be cut in two.
        seen = self._last + content[:1]
        self.has_prefixes |= any(one in content or one in seen for one in HEXADECIMAL)
        self._last = content[-1:]
        self.n_quotes += content.count(b'"')
        return content

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()
        super().close()
