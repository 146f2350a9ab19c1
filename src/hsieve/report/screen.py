"""An analysis as text: a table of the chosen features with a few sentences."""

from collections.abc import Iterator, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

from rich.console import Console, RenderableType
from rich.table import Table

from hsieve.text import as_text, html_table, legible, shortened

if TYPE_CHECKING:
    from rich.text import Text

    from hsieve.report.analysis import Analysis
    from hsieve.report.tables import Column, FeatureRow

# Columns of features that are numbers on the screen; others stand on the page.
NUMBERS = ("frequency", "score", "relevance", "p_value", "adjusted_p_value")
WIDTH = 100
MOST_LINES = 30


def screen_columns(analysis: "Analysis", *, p_values: bool = True) -> list["Column"]:
    """Return the columns of numbers that are shown of the chosen features."""
    left_out = () if p_values else ("p_value", "adjusted_p_value")
    return [one for one in analysis.columns if one.key in NUMBERS and one.key not in left_out]


def renderables(
    analysis: "Analysis", head: str, *, p_values: bool = True, most: int | None = None
) -> Iterator[RenderableType]:
    """Lay an analysis out: tables, a line that says what it is of, and its notes."""
    columns = screen_columns(analysis, p_values=p_values)
    if analysis.chosen:
        yield _features(analysis.chosen[:most], columns)
    pairs = [pair for pair in analysis.pairs if pair.coefficient is not None]
    if pairs:
        shown = Table()
        shown.add_column("pair", overflow="fold")
        shown.add_column("coefficient", justify="right")
        for pair in pairs[:most]:
            shown.add_row(as_text(" x ".join(pair.names)), f"{pair.coefficient:.4g}")
        yield shown
    yield as_text(head)
    explained = []
    if analysis.chosen:
        columns += [one for one in analysis.columns if one.key == "substitutes"]
        explained = [f"{column.label.lower()}: {column.meaning}" for column in columns]
    for sentence in (*explained, *analysis.reasons, *analysis.notes):
        yield as_text(sentence)


def _features(rows: Sequence["FeatureRow"], columns: Sequence["Column"]) -> Table:
    """Lay out the chosen features."""
    shown = Table()
    shown.add_column("rank", justify="right")
    shown.add_column("feature", overflow="fold")
    for column in columns:
        shown.add_column(column.label.lower(), justify="right")
    has_substitutes = any(row.substitutes for row in rows)
    if has_substitutes:
        shown.add_column("substitutes (NHSIC)", overflow="fold")
    for row in rows:
        cells: list[str | Text] = [str(row.rank), as_text(row.name)]
        cells += [_number(getattr(row, column.key)) for column in columns]
        if has_substitutes:
            named = (f"{shortened(s.name)} {s.score:.2f}" for s in row.substitutes or ())
            cells.append(as_text(", ".join(named)))
        shown.add_row(*cells)
    return shown


def _number(value: Any) -> str:
    return "-" if value is None else f"{value:.4g}"


def as_lines(analysis: "Analysis") -> str:
    """Write an analysis out as plain text."""
    console = Console(
        file=StringIO(), width=WIDTH, highlight=False, markup=False, emoji=False, no_color=True
    )
    with console.capture() as captured:
        for one in renderables(analysis, analysis.headline, most=MOST_LINES):
            console.print(one)
    more = len(analysis.chosen) - MOST_LINES
    more_lines = [f"Not shown: {more:,} more chosen features."] if more > 0 else []
    more_lines += [f"Warning: {legible(warning)}" for warning in analysis.warnings]
    return "\n".join([captured.get().rstrip(), *more_lines])


def as_html(analysis: "Analysis") -> str:
    """Write an analysis out for a notebook."""
    columns = screen_columns(analysis)
    headings = ["rank", "feature", *(column.label.lower() for column in columns), "substitutes"]
    rows = []
    for row in analysis.chosen[:MOST_LINES]:
        others = ", ".join(f"{shortened(s.name)} {s.score:.2f}" for s in row.substitutes or ())
        numbers = (_number(getattr(row, column.key)) for column in columns)
        rows.append([str(row.rank), shortened(row.name, 60), *numbers, others])
    warnings = (f"Warning: {warning}" for warning in analysis.warnings)
    sentences = [*warnings, *analysis.reasons, *analysis.notes]
    return html_table(analysis.headline, headings, rows, sentences)
