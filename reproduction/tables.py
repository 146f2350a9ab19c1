"""Tables of results: laid out as text, written as Markdown, and records as CSV.

Two layouts serve the experiments: :func:`long_table` has a row for each cell of the published table
(ours, published, difference), :func:`wide_table` a row for each data set and a column for each
method, as the papers print them. A file is written completely or not at all.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from hsieve.comparison.result import NOTHING, TextTable
from hsieve.io.writing import write_features, written_whole
from reproduction.experiment import Comparison, PublishedExperiment, Record

__all__ = [
    "NOTHING",
    "MarkersError",
    "TextTable",
    "check_markers",
    "figures_of",
    "insert_tables",
    "long_table",
    "to_markdown",
    "wide_table",
    "write_records",
    "write_tables",
]


class MarkersError(ValueError):
    """A Markdown file that has no place for the tables; the message is one plain sentence."""


def long_table(title: str, quantity: str, cells: Sequence[Comparison]) -> TextTable:
    """Lay out cells below each other.

    Parameters
    ----------
    title : str
        One line above the table.
    quantity : str
        What the figures are, such as "RMSE"; "mean" where the cells say it themselves.
    cells : sequence of Comparison
        Cells of one data set together.

    Returns
    -------
    TextTable
        Columns for the data, the quantity if there are several, the method, what was measured,
        what was published and the difference.
    """
    several = any(cell.quantity for cell in cells)
    labels = ("data", "quantity", "method") if several else ("data", "method")
    rows = []
    previous = None
    for cell in cells:
        name = cell.dataset if cell.dataset != previous else ""
        previous = cell.dataset
        what = (name, cell.quantity, cell.method) if several else (name, cell.method)
        rows.append((*what, *figures_of(cell)))
    headings = (*labels, f"{quantity} here", "published", "difference")
    return TextTable(title, headings, rows, n_labels=len(labels))


def wide_table(
    title: str,
    cells: Iterable[Comparison],
    write: Callable[[Comparison], str],
    footer: Mapping[str, Mapping[str, str]] | None = None,
) -> TextTable:
    """Lay out cells with the data in rows and the methods in columns.

    Parameters
    ----------
    title : str
        One line above the table.
    cells : iterable of Comparison
        At most one for each data set and method; the first to name either gives the order.
    write : callable
        ``write(cell)`` gives the text of a cell.
    footer : mapping of str to mapping of str to str, or None
        Further rows, by name: the text under each method.

    Returns
    -------
    TextTable
        A dash where there is no cell.
    """
    text = {(cell.dataset, cell.method): write(cell) for cell in cells}
    datasets = dict.fromkeys(dataset for dataset, _ in text)
    methods = tuple(dict.fromkeys(method for _, method in text))
    rows = [
        (dataset, *(text.get((dataset, method), NOTHING) for method in methods))
        for dataset in datasets
    ]
    rows += [
        (name, *(under.get(method, NOTHING) for method in methods))
        for name, under in (footer or {}).items()
    ]
    return TextTable(title, ("data", *methods), rows)


def figures_of(cell: Comparison) -> tuple[str, str, str]:
    """Write out what was measured, what was published and the difference.

    Parameters
    ----------
    cell : Comparison
        A cell.

    Returns
    -------
    tuple of str
        The three, a dash for what is missing.
    """
    published, difference = NOTHING, NOTHING
    if cell.published is not None:
        published = f"{cell.published.mean:g} ± {cell.published.deviation:g}"
    if cell.difference is not None:
        difference = f"{cell.difference:+.4f}"
    if isinstance(cell.measured, str):
        return cell.measured, published, difference
    return f"{cell.measured.mean:.4f} ± {cell.measured.deviation:.4f}", published, difference


def to_markdown(tables: Iterable[TextTable]) -> str:
    """Write tables in Markdown.

    Parameters
    ----------
    tables : iterable of TextTable
        What to write, in this order.

    Returns
    -------
    str
        The title of each in a line of its own, then the table; ends with a line break.

    Examples
    --------
    >>> print(to_markdown([TextTable("Errors", ("data", "ours"), [("toy", "0.1")])]))
    Errors
    <BLANKLINE>
    | data | ours |
    |---|---:|
    | toy | 0.1 |
    <BLANKLINE>
    """
    parts = []
    for table in tables:
        sides = ["---"] * table.n_labels + ["---:"] * (len(table.headings) - table.n_labels)
        lines = [_line(table.headings), f"|{'|'.join(sides)}|", *map(_line, table.rows)]
        parts.append("\n".join([table.title, "", *lines]))
    return "\n\n".join(parts) + "\n"


def write_records(path: Path, records: Sequence[Record]) -> None:
    """Write records as CSV.

    Parameters
    ----------
    path : Path
        A file ending in .csv; an existing one is replaced.
    records : sequence of Record
        One row each. What a record does not have is left empty.
    """
    columns = list(dict.fromkeys(name for record in records for name in record))
    if columns:
        rows = ({name: record.get(name) for name in columns} for record in records)
        write_features(path, rows, columns=columns)


def write_tables(path: Path, experiment: PublishedExperiment, records: Sequence[Record]) -> None:
    """Write the tables of an experiment, with its explanation, as Markdown.

    Parameters
    ----------
    path : Path
        A file to write or replace.
    experiment : PublishedExperiment
        What was run.
    records : sequence of Record
        What was measured.
    """
    sentences = "".join(f"- {sentence}\n" for sentence in experiment.explain(records))
    _write(path, f"# {experiment.title}\n\n{to_markdown(experiment.tables(records))}\n{sentences}")


def insert_tables(path: Path, experiment: PublishedExperiment, records: Sequence[Record]) -> None:
    """Replace what a Markdown file has between the markers of an experiment by its tables.

    Parameters
    ----------
    path : Path
        A file with the lines ``<!-- NAME: begin -->`` and ``<!-- NAME: end -->``.
    experiment : PublishedExperiment
        What was run.
    records : sequence of Record
        What was measured.

    Raises
    ------
    MarkersError
        If the file cannot be read, or does not have each marker once and in this order.
    """
    before, after = check_markers(path, experiment.name)
    _write(path, f"{before}\n\n{to_markdown(experiment.tables(records))}\n{after}")


def check_markers(path: Path, name: str) -> tuple[str, str]:
    """Find the place for the tables.

    Parameters
    ----------
    path : Path
        A Markdown file.
    name : str
        Name of the experiment.

    Returns
    -------
    tuple of str
        The text up to and with the first marker, and from the second on.

    Raises
    ------
    MarkersError
        As in :func:`insert_tables`.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        msg = f"{path}: this file cannot be read ({error.strerror or error})"
        raise MarkersError(msg) from error
    except UnicodeDecodeError as error:
        msg = f"{path}: this is no text in UTF-8"
        raise MarkersError(msg) from error
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    places = [
        [found.start() for found in re.finditer(rf"^{re.escape(mark)}\s*$", text, re.MULTILINE)]
        for mark in (begin, end)
    ]
    if [len(found) for found in places] != [1, 1] or places[0][0] > places[1][0]:
        msg = (
            f"{path}: tables go between the lines '{begin}' and '{end}', which this file must "
            "have once each, in this order"
        )
        raise MarkersError(msg)
    return text[: places[0][0] + len(begin)], text[places[1][0] :]


def _write(path: Path, text: str) -> None:
    """Write a text, whole or not at all."""
    with written_whole(path) as temporary:
        temporary.write_bytes(text.encode("utf-8"))


def _line(cells: Sequence[str]) -> str:
    """One row; a bar inside a cell would end it."""
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
