"""Parquet files, their types known from the schema and only the wanted columns read.

A folder of part files is one table. Parts with equal columns are its rows, in the order of the
files' names; parts that have no column in common, and equally many rows, are its columns.

A footer takes about a kilobyte of memory for each column and row group, so that those of a wide
table can be larger than the columns wanted. They are kept once columns are read in blocks; opening
a table and reading its target keeps none.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from hsieve.data.columns import FloatArray, IndexArray, float_type
from hsieve.data.errors import (
    TableError,
    as_categories,
    listed,
    on_one_line,
    plainly,
    quoted,
    table_error,
    unknown_name,
)
from hsieve.io.files import DECODED_BYTES, FileBlocks
from hsieve.io.roles import ColumnFindings, type_in_words
from hsieve.io.source import Source, check_names, refuse_unpacked
from hsieve.io.values import (
    READABLE_KINDS,
    Array,
    arrow_kind,
    arrow_values,
    category_codes,
    exact_numbers,
)

__all__ = ["ParquetBlocks", "ParquetSource"]

# Files of a table held open beside those at work, well below what systems allow a process.
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


class ParquetSource(Source):
    """A Parquet file or a folder of such files, which stay open between readings of blocks."""

    def __init__(
        self, path: Path, target: str | None = None, *, called: Path | None = None
    ) -> None:
        self.place = path
        self.parts: list[Part] = []
        self._may_count: set[str] = set()
        self._footers: dict[int, Any] = {}
        self._idle: list[tuple[int, Any]] = []
        self._lock = Lock()
        schemas: list[Any] = []
        for path_of_part in _part_files(path):
            part, schema, counts = _looked_at(path_of_part)
            self._may_count |= counts
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
        self._types = {name: of for _, s in held for name, of in zip(s.names, s.types, strict=True)}
        self._parts_of = {name: parts for parts, schema in held for name in schema.names}
        names = [name for _, schema in held for name in schema.names]
        super().__init__(called or path, names, target)

    def open(self, wanted: Sequence[str], declared: Collection[str] = ()) -> dict[str, str]:
        """Tell the kind of each wanted column, or the name of a type that is not readable."""
        return {name: arrow_kind(self._types[name]) for name in wanted}

    def may_count_rows(self, name: str) -> bool:
        """Say so by the statistics of the file, unless it has none."""
        return name in self._may_count

    def columns(
        self, features: Sequence[str], declared: Collection[str], *, may_lack: bool
    ) -> "ParquetBlocks":
        """Return columns that stay in the files and are checked when they are read."""
        return ParquetBlocks(self, features, declared)

    def load(self, name: str, *, keep_open: bool = False) -> Array:
        """Read one column, whole or not at all; files are opened for it unless kept open.

        Of files opened for few columns, the footers are not worth keeping.
        """
        with plainly(self.path, "Parquet"):
            chunks: list[Any] = []
            for part in self._parts_of[name]:
                with self._opened(part) if keep_open else _opened(self.parts[part].path) as file:
                    # Asking for "a" also gives "a.b", which pyarrow takes for a field of "a".
                    column = file.read(columns=[name], use_threads=False).column(name)
                chunks += column.cast(self.type_of(name)).chunks
            column = pa.chunked_array(chunks, type=self.type_of(name))
            values = arrow_values(self.path, name, column)
        self._check_length(name, len(values), self.n_rows)
        return values

    def type_of(self, name: str) -> Any:
        """Return the Arrow type of a column, that of its values if these are in a dictionary."""
        return _value_type(self._types[name])

    def together(self, names: Sequence[str]) -> Iterable[list[str]]:
        """Give the names whose columns are in the same files together."""
        found: dict[tuple[int, ...], list[str]] = {}
        for name in names:
            found.setdefault(tuple(self._parts_of[name]), []).append(name)
        return found.values()

    def row_groups(self, names: Sequence[str], step: int) -> Iterator[tuple[slice, Any]]:
        """Decode columns of the same files, row group by row group, at most `step` at a time.

        Each comes as the rows of the table and a table of Arrow.
        """
        start = 0
        for part in self._parts_of[names[0]]:
            with self._opened(part) as file:
                for group, n_rows in enumerate(self.parts[part].rows_of_groups):
                    rows = slice(start, start + n_rows)
                    most = max(1, step // max(1, n_rows))
                    for first in range(0, len(names), most):
                        some = list(names[first : first + most])
                        with plainly(self.path, "Parquet"):
                            found = file.read_row_group(group, columns=some, use_threads=False)
                        self._check_length(some[0], found.num_rows, n_rows)
                        yield rows, found.select(some)
                    start += n_rows

    @contextmanager
    def _opened(self, part: int) -> Iterator[Any]:
        """Give a file that nobody else reads, and keep it open: opening a wide one takes long."""
        with self._lock:
            idle = [place for place, (of, _) in enumerate(self._idle) if of == part]
            file = self._idle.pop(idle[-1])[1] if idle else None
        path = self.parts[part].path
        with plainly(path, "Parquet"):
            if part not in self._footers:
                self._footers[part] = pq.read_metadata(path)
            file = file or _opened(path, self._footers[part])
        try:
            yield file
        except BaseException:
            file.close()
            raise
        with self._lock:
            self._idle.append((part, file))
            surplus = [self._idle.pop(0)[1] for _ in self._idle[MOST_OPEN:]]
        for file in surplus:
            file.close()

    def _check_length(self, name: str, found: int, expected: int) -> None:
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
            if _value_type(given) != _value_type(wanted):
                types = f"{on_one_line(str(given))}, but {on_one_line(str(wanted))}"
                problem = f"column {quoted(name)} is {types} in {quoted(first)}"
                raise table_error(part, f"{problem}; parts must have equal columns")


class ParquetBlocks(FileBlocks):
    """Columns of a Parquet file, or of a folder of part files that hold rows or columns.

    Parameters
    ----------
    path : Path or ParquetSource
        The file or the folder, or its source where that is open already.
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
        path: Path | ParquetSource,
        names: Sequence[str] | None = None,
        categorical: Collection[str] = (),
    ) -> None:
        self._source = source = path if isinstance(path, ParquetSource) else ParquetSource(path)
        check_names(source.path, source.names)
        super().__init__(source.place, source.names if names is None else names, categorical)
        for role, given in (("a feature", self.names), ("categorical", categorical)):
            for name in given:
                if name not in source.names:
                    raise unknown_name(self.path, role, name, source.names)
        self._kinds = source.open(self.names)
        self._refuse_kinds()
        self.n_samples = source.n_rows
        self.dtype = self._type_with_codes(
            np.result_type(np.float32, *(self._float_type(name) for name in self.names))
        )

    def _files(self) -> list[Path]:
        return [part.path for part in self._source.parts]

    def _refuse_kinds(self) -> None:
        """Refuse columns that are neither numbers nor declared categories."""
        found = ColumnFindings(self._source.n_rows)
        for name, is_category in zip(self.names, self._is_category, strict=True):
            kind = self._kinds[name]
            if kind not in READABLE_KINDS:
                found.unusable(name, type_in_words(kind))
            elif kind == "text" and not is_category:
                advice = f"make it a category with {as_categories([name])}"
                found.problems.append((f"column {quoted(name)} is text", advice))
        found.refuse(self.n_features, path=self.path)

    def _float_type(self, name: str) -> np.dtype[np.floating]:
        """Return the type that holds a column exactly; text becomes codes."""
        if self._kinds[name] == "text":
            return np.dtype(np.float32)
        return float_type(np.dtype(self._source.type_of(name).to_pandas_dtype()))

    def _fill(self, block: FloatArray, positions: IndexArray) -> None:
        """Read the numbers together, then each category for itself."""
        places: dict[str, list[int]] = {}
        for place, position in enumerate(positions):
            places.setdefault(self.names[position], []).append(place)
        categories = self._categories & places.keys()
        for names in self._source.together([name for name in places if name not in categories]):
            for rows, table in self._source.row_groups(names, DECODED_BYTES // BYTES_A_VALUE):
                for name, column in zip(table.column_names, table.columns, strict=True):
                    values = self._numbers(name, column)
                    for place in places[name]:
                        block[rows, place] = values
        for name in categories:
            block[:, places[name]] = self._codes(name)[:, None]

    def _numbers(self, name: str, column: Any) -> Array:
        """Return the numbers of one row group, refused where they would be rounded."""
        try:
            return exact_numbers(self.path, name, arrow_values(self.path, name, column))
        except TableError:
            # Once more from the first row on, since the error counts rows.
            exact_numbers(self.path, name, self._source.load(name))
            raise

    def _codes(self, name: str) -> NDArray[np.float64]:
        """Return the codes of a category; of text, only the levels become Python objects."""
        if self._kinds[name] != "text":
            return category_codes(self._source.load(name, keep_open=True))
        numbers = np.empty(self.n_samples, dtype=np.intp)
        levels: list[Array] = []
        n_levels = 0
        for rows, table in self._source.row_groups([name], 1):
            with plainly(self.path, "Parquet"):
                # Resolved before, because a dictionary may hold levels that no row has.
                resolved = table.column(name).cast(self._source.type_of(name)).combine_chunks()
                encoded = pa.chunked_array([resolved.dictionary_encode()]).combine_chunks()
                found = encoded.indices.fill_null(-1).to_numpy().astype(np.intp)
                dictionary = pa.chunked_array([encoded.dictionary])
                levels.append(arrow_values(self.path, name, dictionary))
            numbers[rows] = np.where(found < 0, -1, found + n_levels)
            n_levels += len(levels[-1])
        # Missing ones are -1 and so take the last.
        return np.append(category_codes(np.concatenate(levels)), np.nan)[numbers]


def _looked_at(path: Path) -> tuple[Part, Any, set[str]]:
    """Return what is to be known of a file, its schema, and columns that may count the rows."""
    with plainly(path, "Parquet"), pq.ParquetFile(path) as file:
        footer = file.metadata
        groups = [footer.row_group(group) for group in range(footer.num_row_groups)]
        rows = tuple(group.num_rows for group in groups)
        unpacked = [max(of.total_byte_size, BYTES_A_VALUE * of.num_rows) for of in groups]
        schema = file.schema_arrow
        types = zip(schema.names, schema.types, strict=True)
        integers = {name for name, of in types if pa.types.is_integer(of)}
        counts = _counting(groups[0], integers) if groups and integers else set()
        return Part(path, rows, sum(unpacked)), schema, counts


def _opened(path: Path, footer: Any = None) -> Any:
    """Open a file; what it holds is held to its checksums."""
    return pq.ParquetFile(path, metadata=footer, page_checksum_verification=True)


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


def _value_type(arrow_type: Any) -> Any:
    """Return the type of the values, whether or not they are kept in a dictionary."""
    return arrow_type.value_type if pa.types.is_dictionary(arrow_type) else arrow_type


def _are_apart(schemas: Sequence[Any]) -> bool:
    """Tell whether no two parts have a column in common."""
    names = [name for schema in schemas for name in set(schema.names)]
    return len(set(names)) == len(names)
