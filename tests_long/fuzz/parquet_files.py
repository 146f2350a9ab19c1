"""Parquet files and folders of them, and what pyarrow itself finds in them."""

import datetime
import decimal
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests_long.fuzz.cases import Case, Columns
from tests_long.fuzz.choices import Choices
from tests_long.fuzz.contents import integer, n_rows_of, names, number, options, text
from tests_long.fuzz.damage import damaged

__all__ = ["make_parquet", "make_parquet_folder"]

WHOLE = (pa.int64(), pa.int8(), pa.uint64(), pa.int32(), pa.uint8(), pa.uint32(), pa.int16())
FLOATS = (pa.float64(), pa.float32(), pa.float16())
PACKINGS = ("none", "snappy", "zstd", "gzip", "lz4", "brotli")


def make_parquet(choices: Choices) -> Case:
    n_columns = choices.between(2, 5)
    known = names(choices, n_columns, 12)
    table = _table(choices, known, n_rows_of(choices))
    content = _packed(choices, table)
    if choices.rarely(3):
        content = damaged(choices, content)
    return Case(".parquet", content, options(choices, known, known[-1]), plainly_read)


def make_parquet_folder(choices: Choices) -> Case:
    """Parts with equal columns, or with columns of their own; some do not fit."""
    known = names(choices, choices.between(2, 5), 20)
    table = _table(choices, known, choices.between(1, 6))
    if choices.rarely(2):
        cut = choices.number(table.num_rows)
        parts = [table.slice(0, cut), table.slice(cut)]
    else:
        cut = choices.between(1, len(known) - 1)
        parts = [table.select(list(range(cut))), table.select(list(range(cut, len(known))))]
    if choices.rarely(8):
        parts.append(_table(choices, known, choices.number(3)))
    files = {f"part-{place}.parquet": _packed(choices, part) for place, part in enumerate(parts)}
    for name in choices.some(list(files), 8):
        files[name] = damaged(choices, files[name])
    if choices.rarely(8):
        files[choices.pick(["_SUCCESS", ".hidden.parquet", "note.txt", "sub/part-0.parquet"])] = (
            b"x"
        )
    return Case("", files, options(choices, known, known[-1]), _read_folder)


def _table(choices: Choices, known: list[str], n_rows: int) -> pa.Table:
    hostile = choices.pick([1000, 40, 4])
    arrays = [_array(choices, n_rows, hostile) for _ in known]
    return pa.Table.from_arrays(arrays, names=known)


def _array(choices: Choices, n_rows: int, hostile: int) -> pa.Array:
    kind = choices.number(9)
    if choices.rarely(30):
        return _odd(choices, n_rows)
    if kind < 4:
        values: list[Any] = [number(choices, hostile) for _ in range(n_rows)]
        of = choices.pick(FLOATS)
        if of == pa.float16():
            values = list(np.array(values).clip(-60_000, 60_000).astype(np.float16))
    elif kind < 7:
        of = choices.pick(WHOLE)
        width = of.bit_width
        values = [integer(choices, hostile) % 2 ** (width - 1) for _ in range(n_rows)]
    elif kind == 7:
        values, of = [bool(choices.number(1)) for _ in range(n_rows)], pa.bool_()
    else:
        values = [text(choices, hostile) for _ in range(n_rows)]
        of = choices.pick([pa.string(), pa.large_string(), pa.string()])
    gaps = choices.pick([1000, 1000, 4])
    array = pa.array([None if choices.rarely(gaps) else value for value in values], type=of)
    return (
        array.dictionary_encode()
        if choices.rarely(5) and kind != 7 and of != pa.float16()
        else array
    )


def _odd(choices: Choices, n_rows: int) -> pa.Array:
    """Types that are refused, and two seldom ones that are not."""
    cents = decimal.Decimal(integer(choices))
    value, of = choices.pick(
        [
            (cents, pa.decimal128(38, 2)),
            (None, pa.null()),
            (datetime.datetime(2020, 1, 1), pa.timestamp("ns")),
            (datetime.date(2020, 1, 1), pa.date32()),
            ([1.0, 2.0], pa.list_(pa.float64())),
            ({"a": 1, "b": "x"}, pa.struct([("a", pa.int64()), ("b", pa.string())])),
            (b"\xff\x00", pa.binary()),
            ([("k", 1)], pa.map_(pa.string(), pa.int64())),
        ]
    )
    return pa.array([value] * n_rows, of)


def _packed(choices: Choices, table: pa.Table) -> bytes:
    file = io.BytesIO()
    pq.write_table(
        table,
        file,
        row_group_size=choices.pick([None, 1, 2]),
        compression=choices.pick(PACKINGS),
        use_dictionary=bool(choices.number(1)),
        data_page_version=choices.pick(["1.0", "2.0"]),
        write_page_checksum=choices.rarely(3),
        write_statistics=bool(choices.number(1)),
    )
    return file.getvalue()


def plainly_read(path: Path, given: Mapping[str, Any]) -> Columns:
    """All columns as Python values."""
    columns: dict[str, Any] = {}
    with pq.ParquetFile(path) as file:
        known = file.schema_arrow.names
        assert len(set(known)) == len(known)
        for name in known:
            is_read = name not in given.get("drop", ())
            # Asking for "a" also gives "a.b".
            read = file.read(columns=[name], use_threads=False).column(name) if is_read else None
            columns[name] = [] if read is None else read.to_pylist()
    return columns


def _read_folder(path: Path, given: Mapping[str, Any]) -> Columns:
    parts = sorted(p for p in path.iterdir() if p.suffix == ".parquet" and p.name[0] != ".")
    read = [plainly_read(part, given) for part in parts]
    if all(list(part) == list(read[0]) for part in read):
        return {name: [value for part in read for value in part[name]] for name in read[0]}
    together = {name: values for part in read for name, values in part.items()}
    assert len(together) == sum(map(len, read))
    return together
