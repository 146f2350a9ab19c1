"""Parquet files, their types known from the schema and only the wanted columns read.

A folder of part files is one table. Parts with equal columns are its rows, in the order of the
files' names; parts that have no column in common, and equally many rows, are its columns.

A footer takes about a kilobyte of memory for each column and row group, so that those of a wide
table can be larger than the columns wanted. They are kept once columns are read in blocks; opening
a table and reading its target keeps none.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from hsieve.data.errors import listed, on_one_line, plainly, quoted, table_error
from hsieve.io.source import Array, Source, checked_target
from hsieve.io.unpacking import refuse_unpacked
from hsieve.io.values import arrow_kind, arrow_values, import_pyarrow

__all__ = ["OpenParts", "ParquetParts", "ParquetSource"]

# Files of a table held open by all that read it, well below what systems allow a process.
MOST_OPEN = 128
BYTES_A_VALUE = 8
ACCEPTED_PARTS = (
    "parts must have equal columns, or no column in common and equally many rows in the same order"
)


@dataclass(frozen=True)
class Part:
    """One file of a table.

    Parameters
    ----------
    path : Path
        The file.
    rows_of_groups : tuple of int
        Number of rows of each row group.
    n_unpacked : int
        Bytes of all columns without compression, or of one column in memory if these are more.
    """

    path: Path
    rows_of_groups: tuple[int, ...]
    n_unpacked: int

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return sum(self.rows_of_groups)


class ParquetParts:
    """A Parquet file or a folder of such files, which stay open between readings."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.arrow = import_pyarrow(path, "pyarrow")
        self.parquet = import_pyarrow(path, "pyarrow.parquet")
        self.parts: list[Part] = []
        self.may_count: set[str] = set()
        self._footers: dict[int, Any] = {}
        self._idle: list[OpenParts] = []
        self._at_work = 0
        self._n_open = 0
        self._lock = Lock()
        schemas: list[Any] = []
        for path_of_part in _part_files(path):
            part, schema, counts = self._looked_at(path_of_part)
            self.may_count |= counts
            # One copy of what is mostly the same, and may be large.
            schemas.append(schemas[0] if schemas and schema.equals(schemas[0]) else schema)
            self.parts.append(part)
        if len(schemas) > 1 and _are_apart(schemas):
            self._check_rows()
            self.n_rows: int = self.parts[0].n_rows
            held = [([part], schema) for part, schema in enumerate(schemas)]
        else:
            for schema, part in zip(schemas, self.parts, strict=True):
                self._check_columns(part.path, schema, schemas[0])
            self.n_rows = sum(part.n_rows for part in self.parts)
            held = [(list(range(len(schemas))), schemas[0])]
        refuse_unpacked(path, sum(part.n_unpacked for part in self.parts))
        self.names: tuple[str, ...] = tuple(name for _, schema in held for name in schema.names)
        self._types = {name: of for _, s in held for name, of in zip(s.names, s.types, strict=True)}
        self._parts_of = {name: parts for parts, schema in held for name in schema.names}

    def _looked_at(self, path: Path) -> tuple[Part, Any, set[str]]:
        """Return what is to be known of a file, its schema, and columns that may count the rows."""
        with plainly(path, "Parquet"), self.parquet.ParquetFile(path) as file:
            footer = file.metadata
            groups = [footer.row_group(group) for group in range(footer.num_row_groups)]
            rows = tuple(group.num_rows for group in groups)
            unpacked = [max(of.total_byte_size, BYTES_A_VALUE * of.num_rows) for of in groups]
            schema = file.schema_arrow
            integers = {
                name
                for name, of in zip(schema.names, schema.types, strict=True)
                if self.arrow.types.is_integer(of)
            }
            counts = _counting(groups[0], integers) if groups and integers else set()
            return Part(path, rows, sum(unpacked)), schema, counts

    def type_of(self, name: str) -> Any:
        """Return the Arrow type of a column, that of its values if these are in a dictionary."""
        return _value_type(self.arrow, self._types[name])

    def kind_of(self, name: str) -> str:
        """Return the kind of a column, or the name of a type that is not readable."""
        return arrow_kind(self.arrow, self._types[name])

    @contextmanager
    def opened(self) -> Iterator["OpenParts"]:
        """Give files for reading, each opened when it is asked for."""
        with self._lock:
            self._at_work += 1
            # Those of a reading before: opening a wide table takes longer than reading a column.
            files = self._idle.pop() if self._idle else OpenParts(self)
        try:
            yield files
        except BaseException:
            files.close()
            raise
        else:
            with self._lock:
                self._idle.append(files)
        finally:
            with self._lock:
                self._at_work -= 1

    def make_room(self, files: "OpenParts") -> None:
        """Close files until one more may be opened: those nobody reads, then the reader's own.

        Who has none open may always open one, so that there can be one more for each reader.
        """
        with self._lock:
            while self._idle and self._n_open >= MOST_OPEN:
                self._n_open -= self._idle.pop().let_go()
            share = max(1, MOST_OPEN // max(1, self._at_work))
            while files.n_open and (files.n_open >= share or self._n_open >= MOST_OPEN):
                self._n_open -= files.let_go(1)
            self._n_open += 1

    def closed(self, n_files: int) -> None:
        """Count files that a reader has closed, or could not open."""
        with self._lock:
            self._n_open -= n_files

    def footer(self, part: int) -> Any:
        """Return the footer of a file, read once."""
        if part not in self._footers:
            path = self.parts[part].path
            with plainly(path, "Parquet"):
                self._footers[part] = self.parquet.read_metadata(path)
        return self._footers[part]

    def together(self, names: Sequence[str]) -> Iterator[list[int]]:
        """Give places of the names whose columns are in the same files."""
        places: dict[tuple[int, ...], list[int]] = {}
        for place, name in enumerate(names):
            places.setdefault(tuple(self._parts_of[name]), []).append(place)
        yield from places.values()

    def row_groups(self, files: "OpenParts", name: str) -> Iterator[tuple[Any, int, slice]]:
        """Go through the row groups of a column, each with the rows of the table it holds."""
        start = 0
        for part in self._parts_of[name]:
            for group, n_rows in enumerate(self.parts[part].rows_of_groups):
                yield files[part], group, slice(start, start + n_rows)
                start += n_rows

    def load(self, files: "OpenParts | None", name: str) -> Array:
        """Read one column, whole or not at all; without open files, one after the other."""
        with plainly(self.path, "Parquet"):
            chunks: list[Any] = []
            for part in self._parts_of[name]:
                column = self._column_of(part, files, name)
                chunks += column.cast(self.type_of(name)).chunks
            column = self.arrow.chunked_array(chunks, type=self.type_of(name))
            values = arrow_values(self.path, name, column)
        self.check_length(name, len(values), self.n_rows)
        return values

    def _column_of(self, part: int, files: "OpenParts | None", name: str) -> Any:
        """Read a column of one file, which may not be open."""
        path = self.parts[part].path
        with (
            self.parquet.ParquetFile(path, page_checksum_verification=True)
            if files is None
            else nullcontext(files[part])
        ) as file:
            # Asking for "a" also gives "a.b", which pyarrow takes for a field of "a".
            return file.read(columns=[name], use_threads=False).column(name)

    def check_length(self, name: str, found: int, expected: int) -> None:
        """Refuse a column with other rows than its file has."""
        if found != expected:
            problem = f"column {quoted(name)} has {found} rows of {expected}"
            raise table_error(self.path, f"{problem}; the file is damaged")

    def _check_rows(self) -> None:
        """Refuse parts of other columns that are not as long as the first."""
        first, *others = self.parts
        for part in others:
            if part.n_rows != first.n_rows:
                problem = f"there are {part.n_rows} rows, but {first.n_rows} in "
                problem += f"{quoted(first.path.name)}, and none of its columns"
                raise table_error(part.path, f"{problem}; {ACCEPTED_PARTS}")

    def _check_columns(self, part: Path, schema: Any, expected: Any) -> None:
        """Refuse a part whose columns are not those of the first."""
        first = self.parts[0].path.name
        if schema.names != expected.names:
            differing = sorted(set(schema.names) ^ set(expected.names))
            problem = f"the columns are not those of {quoted(first)}"
            what = f"only one of them has {listed(differing)}" if differing else "in another order"
            raise table_error(part, f"{problem} ({what}); {ACCEPTED_PARTS}")
        for name, given, wanted in zip(schema.names, schema.types, expected.types, strict=True):
            if _value_type(self.arrow, given) != _value_type(self.arrow, wanted):
                types = f"{on_one_line(str(given))}, but {on_one_line(str(wanted))}"
                problem = f"column {quoted(name)} is {types} in {quoted(first)}"
                raise table_error(part, f"{problem}; parts must have equal columns")


class OpenParts:
    """Files of a table, opened when they are asked for; many at a time, but not without end."""

    def __init__(self, parts: ParquetParts) -> None:
        self._parts = parts
        self._open: dict[int, Any] = {}

    @property
    def n_open(self) -> int:
        """Number of files that are open."""
        return len(self._open)

    def __getitem__(self, part: int) -> Any:
        if part not in self._open:
            path, footer = self._parts.parts[part].path, self._parts.footer(part)
            self._parts.make_room(self)
            try:
                with plainly(path, "Parquet"):
                    self._open[part] = self._parts.parquet.ParquetFile(
                        path, metadata=footer, page_checksum_verification=True
                    )
            except BaseException:
                self._parts.closed(1)
                raise
        return self._open[part]

    def close(self) -> None:
        """Close what is open."""
        self._parts.closed(self.let_go())

    def let_go(self, most: int | None = None) -> int:
        """Close files, the oldest first, and return how many."""
        parts = list(self._open)[:most]
        for part in parts:
            self._open.pop(part).close()
        return len(parts)


class ParquetSource(Source):
    """Parquet as a source, its columns read one by one."""

    def __init__(self, path: Path, target: str | None) -> None:
        self.parts = ParquetParts(path)
        names = self.parts.names
        super().__init__(path, names, checked_target(path, names, target))

    def open(self, wanted: Sequence[str], declared: Collection[str] = ()) -> dict[str, str]:
        """Tell the kind of each wanted column."""
        return {name: self.parts.kind_of(name) for name in wanted}

    def load(self, name: str) -> Array:
        """Read one column, whole or not at all."""
        return self.parts.load(None, name)  # so few are read that footers are not worth keeping

    def may_count_rows(self, name: str) -> bool:
        """Say so by the statistics of the file, unless it has none."""
        return name in self.parts.may_count


def _counting(group: Any, integers: set[str]) -> set[str]:
    """Return columns of integers whose least and greatest value in a row group may count rows."""
    found = set()
    for place in range(group.num_columns):
        column = group.column(place)
        if column.path_in_schema not in integers:
            continue
        ends = column.statistics
        if ends is None or not ends.has_min_max or ends.max - ends.min == group.num_rows - 1:
            found.add(column.path_in_schema)
    return found


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


def _are_apart(schemas: Sequence[Any]) -> bool:
    """Tell whether no two parts have a column in common."""
    names = [name for schema in schemas for name in set(schema.names)]
    return len(set(names)) == len(names)
