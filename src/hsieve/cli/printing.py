"""What the commands print: selections, lessons and results as tables with a few sentences."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from hsieve.cli.console import as_text, complain, result_console

if TYPE_CHECKING:
    from hsieve.cli import demo as demonstration
    from hsieve.cli import selection
    from hsieve.comparison.result import TextTable
    from hsieve.dataset import Dataset

__all__ = ["origin", "print_lesson", "print_selection", "print_tables"]


def print_selection(
    table: "Dataset",
    outcome: "selection.SelectOutcome",
    method_name: str,
    seconds: float,
    *,
    p_values: bool,
) -> None:
    """Print the chosen features, what they were chosen from, how, and in how many seconds."""
    from hsieve.report.screen import renderables

    analysis, console = outcome.analysis, result_console()
    for warning in analysis.warnings:
        complain("warning", warning)
    chosen = f"{analysis.n_selected} of {analysis.n_features} features by {method_name}"
    head = f"{chosen}, {origin(table)}; {seconds:.1f} s"
    for shown in renderables(analysis, head, p_values=p_values):
        console.print(shown)


def origin(table: "Dataset") -> str:
    """Say what a result comes from: the number of samples, the target and its kind."""
    n_classes = len(set(table.y.tolist()))
    kind = f"{n_classes} classes" if table.target_kind == "classes" else "numbers"
    return f"from {len(table.y)} samples; target {table.target_name} ({kind})"


def print_lesson(console: Console, number: int, outcome: "demonstration.DemoOutcome") -> None:
    """Print a task of the demonstration, its answer and ours."""
    lesson = outcome.lesson
    console.print(f"{number}. {lesson.title}", style="bold")
    console.print(Padding(lesson.story, (0, 0, 0, 3), expand=False))
    n_common = len(set(outcome.originals(outcome.by_correlation)) & set(outcome.truth))
    verdict = "agrees with the truth" if outcome.agrees else "DIFFERS from the truth"
    if outcome.agrees and outcome.chosen != outcome.truth:
        verdict += ", a copy being as good as its original"
    answers = Table.grid(padding=(0, 2))
    answers.add_row("true features", _named(outcome.truth), "")
    answers.add_row(
        f"chosen ({lesson.method}{' --interactions' if lesson.interactions else ''})",
        _named(outcome.chosen),
        f"{verdict}, {outcome.seconds:.1f} s",
    )
    answers.add_row(
        "by correlation",
        _named(outcome.by_correlation),
        f"{n_common} of {len(outcome.truth)} right",
    )
    console.print(Padding(answers, (0, 0, 1, 3), expand=False))


def _named(features: Iterable[int]) -> str:
    """Name columns that have only numbers."""
    return " ".join(f"x{feature}" for feature in features)


def print_tables(tables: "Iterable[TextTable]") -> None:
    """Print tables of results."""
    console = result_console()
    for content in tables:
        table = Table(title=content.title)
        for place, heading in enumerate(content.headings):
            is_label = place < content.n_labels
            # A name is never cut: it is what one would ask for again.
            table.add_column(
                heading,
                justify="left" if is_label else "right",
                overflow="fold" if is_label else "ellipsis",
            )
        is_grouped = any(not row[0] for row in content.rows)
        for place, row in enumerate(content.rows):
            if is_grouped and row[0] and place > 0:
                table.add_section()
            table.add_row(*map(as_text, row))
        console.print(table)
