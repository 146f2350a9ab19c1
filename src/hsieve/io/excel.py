"""Excel files: the first sheet that holds something, as a table whose first row names the columns.

They are read by python-calamine, which is quick and reads .xlsx and .xls alike. Excel keeps
integers as decimal numbers, so that a column of such integers becomes one of integers again.
"""

import zipfile
from collections.abc import Sequence
from datetime import date, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa

from hsieve.data.errors import listed, plainly, quoted, table_error
from hsieve.data.validation import LARGEST_EXACT_INTEGER
from hsieve.io.source import INDEX, TableSource, refuse_unpacked

__all__ = ["ExcelSource"]

# Whatever it stumbles over in a damaged file: it has classes of errors of its own.
EXCEL_ERRORS = (Exception,)


class ExcelSource(TableSource):
    """The first sheet of an Excel file that holds something."""

    def __init__(self, path: Path, target: str | None) -> None:
        self.path = path
        self._told: list[str] = []
        with plainly(path, "Excel", EXCEL_ERRORS):
            header, *rows = self._rows()
        columns = list(zip(*rows, strict=True)) if rows else [()] * len(header)
        named: dict[str, Sequence[Any]] = {}
        names = [_name(cell) for cell in header]
        names[0] = names[0] if names[0].strip() else INDEX
        for name, values in zip(names, columns, strict=True):
            # A column without a name and values has only been formatted.
            if name or any(value != "" for value in values):
                named[name] = values
        kept = list(named) if len(named) == len(names) else [n for n in names if n in named]
        super().__init__(path, kept, target)
        self._columns = named

    def about(self, with_commas: Sequence[str]) -> list[str]:
        """Say which of several sheets was read."""
        return [*self._told, *super().about(with_commas)]

    def read(self, wanted: Sequence[str]) -> Any:
        """Return columns of one type each; those of several kinds are text."""
        return pa.table({name: _typed(self._columns[name]) for name in wanted})

    def _rows(self) -> list[list[Any]]:
        """Return the rows of a sheet that are not empty."""
        try:
            calamine = import_module("python_calamine")
        except ImportError as error:
            problem = "reading this needs python-calamine (pip install hsieve[excel])"
            raise table_error(self.path, problem) from error
        if zipfile.is_zipfile(self.path):
            with zipfile.ZipFile(self.path) as archive:
                refuse_unpacked(self.path, sum(one.file_size for one in archive.infolist()))
        with calamine.CalamineWorkbook.from_path(str(self.path)) as workbook:
            for name in workbook.sheet_names:
                rows = workbook.get_sheet_by_name(name).to_python(skip_empty_area=True)
                found = [row for row in rows if any(cell != "" for cell in row)]
                if found:
                    if len(workbook.sheet_names) > 1:
                        others = [one for one in workbook.sheet_names if one != name]
                        self._told = [f"Sheet {quoted(name)} was read, not {listed(others)}."]
                    return found
        raise table_error(self.path, "no sheet holds anything")


def _name(cell: Any) -> str:
    """Return what a column is called, numbers as Excel shows them."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _typed(values: Sequence[Any]) -> Any:
    """Return a column of Arrow."""
    found = [None if value == "" else value for value in values]
    kinds = {type(value) for value in found} - {type(None)}
    if kinds <= {int, float}:
        whole = all(
            value is None or (value == int(value) and abs(value) <= LARGEST_EXACT_INTEGER)
            for value in found
        )
        kind = pa.int64() if whole and kinds else pa.float64()
        return pa.array([v if v is None or not whole else int(v) for v in found], kind)
    if kinds <= {date, datetime}:
        return pa.array([None if v is None else v.isoformat() for v in found]).cast(
            pa.timestamp("us")
        )
    if len(kinds) > 1:
        found = [None if value is None else _name(value) for value in found]
    return pa.array(found)
