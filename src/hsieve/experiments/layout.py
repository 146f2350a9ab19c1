"""Tables of results as plain text in rows, for the screen, Markdown, or anything else.

Two layouts serve the experiments: :func:`long_table` has a row for each cell of the published table
(ours, published, difference), :func:`wide_table` a row for each data set and a column for each
method, as the papers print them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hsieve.experiments.base import Comparison

__all__ = ["TextTable", "figures_of", "long_table", "to_markdown", "to_text", "wide_table"]

NOTHING = "-"


@dataclass(frozen=True)
class TextTable:
    """A table of text.

    Parameters
    ----------
    title : str
        One line above it.
    headings : sequence of str
        Names of the columns.
    rows : sequence of sequence of str
        As many cells each as there are headings. A row whose first cell is empty belongs to the
        one above it.
    n_labels : int, default=1
        How many of the columns, from the left, hold words; the others hold figures.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    n_labels: int = 1


def long_table(title: str, quantity: str, cells: "Sequence[Comparison]") -> TextTable:
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
    cells: "Iterable[Comparison]",
    write: "Callable[[Comparison], str]",
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


def figures_of(cell: "Comparison") -> tuple[str, str, str]:
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


def to_text(table: TextTable) -> str:
    """Write a table as plain text, words to the left and figures to the right.

    Parameters
    ----------
    table : TextTable
        What to write.

    Returns
    -------
    str
        The title, the headings, a line and the rows; no line break at the end.

    Examples
    --------
    >>> print(to_text(TextTable("Errors", ("data", "ours"), [("toy", "0.1"), ("real", "12")])))
    Errors
    data  ours
    ----------
    toy    0.1
    real    12
    """
    rows = [table.headings, *table.rows]
    widths = [max(len(row[place]) for row in rows) for place in range(len(table.headings))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if place < table.n_labels else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    return "\n".join([table.title, lines[0], rule, *lines[1:]])


def _line(cells: Sequence[str]) -> str:
    """One row; a bar inside a cell would end it."""
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
