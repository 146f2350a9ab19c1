"""CSV and TSV files, plain and packed, and what Python's own reader finds in them."""

import csv
import gzip
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests_long.fuzz.cases import Case, Columns
from tests_long.fuzz.choices import Choices
from tests_long.fuzz.contents import field, n_rows_of, names, options
from tests_long.fuzz.damage import damaged

__all__ = ["make_csv", "make_tsv"]

LINE_ENDS = ("\n", "\r\n", "\r")
# As the notes of `open_dataset` say, and as pyarrow has them.
MISSING = {
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"),
    *("N/A", "NA", "NULL", "NaN", "n/a", "nan", "null"),
}
BOOLEANS = {"true": 1, "false": 0, "True": 1, "False": 0, "TRUE": 1, "FALSE": 0}


def make_csv(choices: Choices) -> Case:
    return _make(choices, ",", ".csv")


def make_tsv(choices: Choices) -> Case:
    return _make(choices, "\t", ".tsv")


def _make(choices: Choices, delimiter: str, ending: str) -> Case:
    known = names(choices, choices.between(2, 5), 12)
    if choices.rarely(400):
        known = [f"c{place}" for place in range(choices.pick([3_000, 20_000]))]
    text = _text(choices, known, delimiter)
    content = text.encode(_encoding(choices), errors="surrogatepass")
    if choices.rarely(12):
        content = b"\xef\xbb\xbf" + content
    if choices.rarely(4):
        content = damaged(choices, content)
    if choices.rarely(6):
        ending += ".gz"
        content = gzip.compress(content, 1, mtime=0)
        if choices.rarely(2):
            content = damaged(choices, content)
    return Case(ending, content, options(choices, known[:9], known[-1]), plainly_read)


def _encoding(choices: Choices) -> str:
    if choices.rarely(16):
        return choices.pick(["utf-16", "utf-16-le", "utf-32", "utf-7"])
    return "utf-8"


def _text(choices: Choices, known: list[str], delimiter: str) -> str:
    """A header and rows, mostly of equal length and of one kind in each column."""
    hostile = choices.pick([1_000, 30, 8, 2])
    n_rows = n_rows_of(choices)
    palette = [[field(choices, hostile) for _ in range(3)] for _ in known[:9]]
    rows = [
        [choices.pick(palette[i % 9 % len(palette)]) for i in range(len(known))]
        for _ in range(n_rows)
    ]
    if rows and choices.rarely(12):
        row = choices.pick(rows)
        row[:] = choices.pick([row[:-1], [*row, "1"], [], [*row, ""]])
    if rows and choices.rarely(100):
        choices.pick(rows)[:1] = ["9" * choices.pick([5_000, 140_000])]
    quoting = choices.number(3)
    ends = LINE_ENDS if choices.rarely(12) else (choices.pick(LINE_ENDS),)
    lines = []
    for row in [known, *rows]:
        lines.append(delimiter.join(_quoted(choices, one, delimiter, quoting) for one in row))
        lines.append(choices.pick(ends))
        if choices.rarely(16):
            lines.append(choices.pick(["\n", "\r\n", " \n", '"\n', "\ufeff", '""\n']))
    if choices.rarely(4):
        lines.pop()
    return "".join(lines)


def _quoted(choices: Choices, text: str, delimiter: str, quoting: int) -> str:
    needs = any(sign in text for sign in (delimiter, '"', "\n", "\r"))
    if quoting == 1 or (needs and quoting in (0, 2)):
        return '"' + text.replace('"', '""') + '"'
    if quoting == 2 and choices.rarely(8):
        return choices.pick([f'"{text}', f'{text}"', f' "{text}"', f'"{text}" ', f'"{text}"x'])
    return text


def plainly_read(path: Path, given: Mapping[str, Any]) -> Columns:
    """Columns as Python's reader has them, each value understood for itself."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    text = content.decode("utf-8-sig", errors="surrogateescape")
    csv.field_size_limit(10**9)
    delimiter = "\t" if ".tsv" in path.name else ","
    records = [r for r in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if r]
    header, *rows = records
    for row in rows:
        assert len(row) == len(header), f"a row of {len(row)} fields under {len(header)} names"
    wanted = set(header) - set(given.get("drop", ()))
    columns: dict[str, Any] = {}
    for place, name in enumerate(header):
        fields = [row[place] for row in rows]
        columns[name] = understood(fields) if name in wanted else fields
    return columns


def understood(fields: list[str]) -> list[Any]:
    """All numbers, all booleans, or else all text."""
    present = [one for one in fields if one not in MISSING]
    for read in (_number, lambda one: {**BOOLEANS, "0": 0, "1": 1}[one]):
        try:
            values = {one: read(one) for one in present}
        except (ValueError, KeyError):
            continue
        return [values.get(one) for one in fields]
    return [None if one in MISSING else one for one in fields]


def _number(text: str) -> int | float:
    # Spaces and tabs around a number are no part of it; line breaks in quotes are.
    if "_" in text or not text.isascii() or text.strip() != text.strip(" \t"):
        raise ValueError(text)
    try:
        return int(text)
    except ValueError:
        return float(text)
