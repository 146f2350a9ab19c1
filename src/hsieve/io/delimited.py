"""Delimited text, plain or packed: CSV, TSV and what spreadsheets of other countries write.

Separator, encoding and decimal commas are found out from the file, which a note says; options
override them. pyarrow parses the text and infers the types from all rows. The standard library
reads the header verbatim, and finds the line at fault when pyarrow gives up. Columns of large
floats are read once more as text, since pyarrow takes integers beyond int64 for floats and rounds
them; so are integers of a file with hexadecimal numbers, which pyarrow reads as if they were
decimal ones. A quote that is never closed would swallow the rest of the file, without a word by
pyarrow.
"""

import bz2
import codecs
import csv
import gzip
import lzma
import re
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
from pyarrow import compute
from pyarrow import csv as arrow_csv

from hsieve.data.errors import (
    LIBRARY_ERRORS,
    TableError,
    brief,
    listed,
    plainly,
    rounded_integer,
    table_error,
)
from hsieve.data.validation import LARGEST_EXACT_INTEGER
from hsieve.io.source import INDEX, TableSource, refuse_unpacked, unpacked_limit
from hsieve.io.values import is_long_integer
from hsieve.text import how

__all__ = ["PACKED", "DelimitedSource", "TextFormat"]

HEXADECIMAL = (b"0x", b"0X")
BLOCK_BYTES = 64 * 2**20  # pyarrow needs a whole row in a block: 10^6 columns fit into 64 MiB
STEP_BYTES = 2**20
HEAD_LINES = 50
SEPARATORS = (",", ";", "\t", "|")
# What Excel writes above the header where the separator is not that of the country.
SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
MARKS_OF_ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Bytes that are in no text, whatever its encoding of one byte a character.
NO_TEXT = re.compile(rb"[\x00-\x08\x0b\x0e-\x19\x1b-\x1f]")


def _unzipped(file: Any) -> Any:
    """Open the one file in a zip archive."""
    archive = zipfile.ZipFile(file)
    inside = [of for of in archive.infolist() if not (of.is_dir() or of.filename[:2] == "__")]
    if len(inside) != 1:
        msg = f"the archive must hold one file, and there are {len(inside)}"
        raise ValueError(msg)
    return archive.open(inside[0])


def _without_zstandard(file: Any) -> Any:
    """Unpack by pyarrow, since the standard library learns it in Python 3.14."""
    return pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd")


# By ending: how the bytes are unpacked, and how they begin.
PACKED: Mapping[str, tuple[Callable[[Any], Any], bytes]] = {
    ".gz": (lambda file: gzip.GzipFile(fileobj=file), b"\x1f\x8b"),
    ".bz2": (bz2.BZ2File, b"BZh"),
    ".xz": (lzma.LZMAFile, b"\xfd7zXZ"),
    ".zst": (_without_zstandard, b"\x28\xb5\x2f\xfd"),
    ".zip": (_unzipped, b"PK\x03\x04"),
}


@dataclass(frozen=True)
class TextFormat:
    """How delimited text is written; what is None is found out.

    Parameters
    ----------
    sep : str or None, default=None
        The separator of columns.
    decimal : {".", ","} or None, default=None
        What is before the decimals of numbers.
    encoding : str or None, default=None
        The encoding, by a name that Python knows.
    """

    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None

    def __post_init__(self) -> None:
        if self.sep is not None and (len(self.sep) != 1 or self.sep in '"\r\n'):
            msg = f"{how('sep', '--sep')} must be one character, such as ';', got {self.sep!r}."
            raise ValueError(msg)
        if self.decimal not in (None, ".", ","):
            msg = f"{how('decimal', '--decimal')} must be '.' or ',', got {self.decimal!r}."
            raise ValueError(msg)
        if self.encoding is not None:
            try:
                "".encode(self.encoding)
            except (LookupError, ValueError) as error:
                option = how("encoding", "--encoding")
                msg = f"{option} must be one that Python knows, such as 'cp1252', got "
                msg += f"{self.encoding!r}."
                raise ValueError(msg) from error


class DelimitedSource(TableSource):
    """Delimited text, plain or packed.

    Parameters
    ----------
    path : Path
        The file, or how a stream is called.
    target : str or None
        The target.
    usual : str
        The separator where nothing speaks for another.
    packed : str
        The key of `PACKED`, or nothing.
    told : TextFormat
        What is said of the file.
    content : bytes or None
        What came by a stream.
    """

    def __init__(
        self,
        path: Path,
        target: str | None,
        *,
        usual: str = ",",
        packed: str = "",
        told: TextFormat | None = None,
        content: bytes | None = None,
    ) -> None:
        self.path, self._packed, self._content = path, packed, content
        told = told or TextFormat()
        self._look()
        said = told.encoding and codecs.lookup(told.encoding).name
        self.encoding = said or self._sniffed_encoding()
        self.n_skipped = 0
        self.separator = self._sniffed_separator(usual) if told.sep is None else told.sep
        self.decimal = told.decimal
        names = self._header()
        self._nameless = names[0]
        if not names[0].strip():
            names[0] = INDEX
        self._n_empty = self._empty_at_the_end(names)
        del names[len(names) - self._n_empty :]
        self.told = [] if told.sep or self.separator == usual else [f"separator {self.separator!r}"]
        if not told.encoding and self.encoding != "utf-8":
            self.told.append(f"encoding {self.encoding}")
        super().__init__(path, names, target)

    def about(self, with_commas: Sequence[str]) -> list[str]:
        """Say in one line what was found out about the file, and what overrides it."""
        told = [*self.told, *([f"decimal commas in {listed(with_commas)}"] if with_commas else [])]
        other = how("sep=, decimal= and encoding=", "--sep, --decimal and --encoding")
        about = [f"Read with {', '.join(told)}; {other} override."] if told else []
        if self._n_empty:
            last = "column" if self._n_empty == 1 else f"{self._n_empty} columns"
            about.append(f"The last {last} without a name and values: left out.")
        return about

    def read(self, wanted: Sequence[str]) -> Any:
        """Parse the wanted columns."""
        table = self._parsed(wanted, types={})
        if self.has_odd_quotes:
            self._refuse_open_quote()
        self._refuse_rounded_integers(table)
        hexadecimal = self._hexadecimal(table) if self.has_prefixes else []
        if hexadecimal:
            table = self._parsed(wanted, types=dict.fromkeys(hexadecimal, pa.string()))
        return table

    @contextmanager
    def _bytes(self) -> Iterator[Any]:
        """Open the file, unpacked."""
        with self.path.open("rb") if self._content is None else BytesIO(self._content) as file:
            if not self._packed:
                yield file
                return
            with PACKED[self._packed][0](file) as unpacked:
                yield unpacked

    def _look(self) -> None:
        """Go through the bytes once, before anything is kept: a packed file may be enormous."""
        self.has_prefixes, n_quotes, n_bytes, last = False, 0, 0, b""
        head = bytearray()
        decoder = codecs.getincrementaldecoder("utf-8")()
        self.is_utf8, self.is_text = True, True
        with plainly(self.path, "text"), self._bytes() as file:
            n_packed = None if self._content is None else len(self._content)
            limit = unpacked_limit(self.path, n_packed) if self._packed else 0
            while content := file.read(STEP_BYTES):
                n_bytes += len(content)
                if limit and n_bytes > limit:
                    refuse_unpacked(self.path, n_bytes, n_packed=n_packed)
                # A prefix may be cut in two.
                seen = last + content[:1]
                self.has_prefixes |= any(one in content or one in seen for one in HEXADECIMAL)
                last = content[-1:]
                n_quotes += content.count(b'"')
                if head.count(b"\n") < HEAD_LINES and len(head) < BLOCK_BYTES:
                    head += content
                self.is_utf8 = self.is_utf8 and _decodes(decoder, content)
                self.is_text &= self.is_utf8 or not NO_TEXT.search(content)
        self.has_odd_quotes = n_quotes % 2 == 1
        self._head = bytes(head)

    def _sniffed_encoding(self) -> str:
        """Tell the encoding by a mark at the beginning, or by what its bytes cannot be."""
        for mark, encoding in MARKS_OF_ENCODINGS:
            if self._head.startswith(mark):
                self.has_prefixes |= (
                    encoding != "utf-8"
                )  # several bytes a character: not looked for
                return encoding
        if self.is_utf8 and b"\0" not in self._head[:4]:
            return "utf-8"
        zeros = [self._head[place::2].count(b"\0") for place in (0, 1)]
        if max(zeros) > len(self._head) // 4:
            self.has_prefixes = True
            return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"
        if not self.is_text or NO_TEXT.search(self._head):
            raise table_error(self.path, "cannot be read as text (there are bytes of no text)")
        return "cp1252"

    def _sniffed_separator(self, usual: str) -> str:
        """Choose the separator that cuts the first lines into equally many fields, if one does."""
        text = self._head.decode(self.encoding, errors="replace").lstrip("\ufeff")
        lines = [line for line in islice(text.splitlines(), HEAD_LINES) if line.strip()]
        said = SEPARATOR_LINE.fullmatch(lines[0]) if lines else None
        if said:
            self.n_skipped = 1
            return said[1]
        best, most = usual, 1
        for separator in (usual, *SEPARATORS):
            try:
                widths = {len(one) for one in csv.reader(lines[:-1] or lines, delimiter=separator)}
            except csv.Error:
                continue
            if len(widths) == 1 and max(widths) > most:
                best, most = separator, max(widths)
        return best

    def _header(self) -> list[str]:
        """Return the first record that is not an empty line, verbatim."""
        with plainly(self.path, "text"), self._records() as records:
            names: list[str] = next((record for record in records if record), [])
        if not names:
            raise table_error(self.path, "the file is empty")
        return names

    def _empty_at_the_end(self, names: Sequence[str]) -> int:
        """Count the last columns without a name and values, as a separator at each end makes."""
        n_named = max(place for place, name in enumerate(names, start=1) if name.strip())
        if n_named < len(names):
            with plainly(self.path, "text"), self._records() as records:
                if any(cell.strip() for record in records for cell in record[n_named:]):
                    return 0
        return len(names) - n_named

    @contextmanager
    def _records(self, *, strict: bool = False) -> Iterator[Any]:
        """Give a reader of the standard library, which knows the line it is at."""
        # Bytes that are no text may be in a dropped column, so they are no error here.
        encoding = "utf-8-sig" if self.encoding == "utf-8" else self.encoding
        with (
            self._bytes() as content,
            TextIOWrapper(content, encoding, errors="surrogateescape", newline="") as file,
        ):
            yield csv.reader(
                islice(self._lines(file), self.n_skipped, None),
                delimiter=self.separator,
                strict=strict,
            )

    def _lines(self, file: TextIO) -> Iterator[str]:
        """Give lines, none of which is too long to be held in memory."""
        while line := file.readline(BLOCK_BYTES):
            if len(line) == BLOCK_BYTES:
                raise table_error(self.path, f"a row is longer than {BLOCK_BYTES} bytes")
            yield line

    def _parsed(self, columns: Collection[str], *, types: Mapping[str, Any]) -> Any:
        """Read some columns, of given or inferred types, into an Arrow table."""
        stored = [self._nameless if name == INDEX else name for name in columns]
        options = {
            # Without threads, which halve the speed when there are thousands of columns.
            "read_options": arrow_csv.ReadOptions(
                use_threads=False,
                block_size=BLOCK_BYTES,
                encoding="utf8" if self.encoding == "utf-8" else self.encoding,
                skip_rows=self.n_skipped,
            ),
            "parse_options": arrow_csv.ParseOptions(
                delimiter=self.separator, newlines_in_values=True
            ),
            "convert_options": arrow_csv.ConvertOptions(
                include_columns=stored,
                column_types=types,
                strings_can_be_null=True,
                decimal_point=self.decimal or ".",
            ),
        }
        try:
            with self._bytes() as content:
                return arrow_csv.read_csv(content, **options).rename_columns(list(columns))
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
                    problem = f"line {last_line + 1 + self.n_skipped}: expected {expected} fields"
                    return table_error(self.path, f"{problem} but found {len(record)}")
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
                problem = f"a quote is opened in line {line + 1 + self.n_skipped} and never closed"
                raise table_error(self.path, problem) from error

    def _refuse_rounded_integers(self, table: Any) -> None:
        """Look at the text of large floats, as pyarrow reads integers beyond int64 as floats."""
        suspects = []
        for name, column in zip(table.column_names, table.columns, strict=True):
            if pa.types.is_float64(column.type):
                ends = [abs(end or 0.0) for end in compute.min_max(column).as_py().values()]
                if max(ends) >= LARGEST_EXACT_INTEGER:
                    suspects.append(name)
        if not suspects:
            return
        texts = self._parsed(suspects, types=dict.fromkeys(suspects, pa.string()))
        for name in suspects:
            for row, text in enumerate(texts.column(name).to_pylist(), start=1):
                if is_long_integer(text):
                    raise rounded_integer(self.path, name, row, text.strip())

    def _hexadecimal(self, table: Any) -> list[str]:
        """Find the columns of integers in which one is written as 0x1F, which is text to us."""
        columns = zip(table.column_names, table.columns, strict=True)
        names = [name for name, column in columns if pa.types.is_integer(column.type)]
        if not names:  # pyarrow takes no name for every name
            return []
        texts = self._parsed(names, types=dict.fromkeys(names, pa.string()))
        found = [
            compute.any(compute.match_substring_regex(texts.column(name), "0[xX]")).as_py()
            for name in names
        ]
        return [name for name, is_found in zip(names, found, strict=True) if is_found]


def _decodes(decoder: Any, content: bytes) -> bool:
    """Say whether the next bytes are UTF-8."""
    try:
        decoder.decode(content)
    except UnicodeDecodeError:
        return False
    return True
