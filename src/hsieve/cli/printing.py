"""What the commands print: selections, lessons and results as tables with a few sentences."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hsieve.cli.console import as_text, result_console
from hsieve.text import shortened

if TYPE_CHECKING:
    from hsieve.cli import demo as demonstration
    from hsieve.cli import selection
    from hsieve.comparison.result import TextTable
    from hsieve.dataset import Dataset

__all__ = ["origin", "print_lesson", "print_selection", "print_tables"]

INTERCHANGEABLE_MARK = "="
# Heading of the scores of a method that chooses its number of features.
ADDED = "adds"
WHAT_IS_ADDED = (
    f"{ADDED}: fraction of the variance of the target that the feature explains in samples left "
    "out, beyond the features above it; features found only together share theirs equally."
)


def print_selection(
    table: "Dataset",
    outcome: "selection.SelectOutcome",
    method_name: str,
    seconds: float,
) -> None:
    """Print the chosen features, and what they were chosen from.

    Parameters
    ----------
    table : Dataset
        Where they were chosen from.
    outcome : Outcome
        The chosen features.
    method_name : str
        How they were chosen.
    seconds : float
        How long it took, with reading.
    """
    console = result_console()
    if outcome.rows:
        score = ADDED if outcome.method.finds_number else "score"
        console.print(_chosen_features(outcome.rows, score))
    if outcome.pairs:
        console.print(_chosen_pairs(outcome.pairs))
    n_features = len(table.names)
    chosen = f"{len(outcome.rows)} of {n_features} features by {method_name}"
    console.print(as_text(f"{chosen}, {origin(table)}; {seconds:.1f} s"))
    aids = [WHAT_IS_ADDED] if outcome.rows and outcome.method.finds_number else []
    for note in (*aids, *_reading_aids(outcome.rows), *outcome.notes):
        console.print(as_text(note))
    if outcome.method.has_path:
        from hsieve.report import path_in_words

        words = path_in_words(outcome.selector, feature_names=table.names)
        console.print(as_text(words))


def origin(table: "Dataset") -> str:
    """Say what a result comes from.

    Parameters
    ----------
    table : Dataset
        What was read.

    Returns
    -------
    str
        The number of samples, the target and its kind.
    """
    n_classes = len(set(table.y.tolist()))
    kind = f"{n_classes} classes" if table.target_kind == "classes" else "numbers"
    return f"from {len(table.y)} samples; target {table.target_name} ({kind})"


def _chosen_features(rows: Sequence[dict[str, Any]], score: str) -> Table:
    """Lay out the rows of an outcome."""
    shown = Table()
    shown.add_column("rank", justify="right")
    shown.add_column("feature", overflow="fold")
    headings = {"score": score, "p_value": "p alone", "adjusted_p_value": "adjusted p"}
    if "frequency" in rows[0]:
        headings = {"frequency": "frequency", **headings}
        del headings["score"]  # it is the frequency
    numbers = {key: heading for key, heading in headings.items() if key in rows[0]}
    for heading in numbers.values():
        shown.add_column(heading, justify="right")
    if "relatives" in rows[0]:
        shown.add_column("relatives (NHSIC)", overflow="fold")
    for row in rows:
        cells: list[str | Text] = [str(row["rank"]), as_text(row["feature"])]
        cells += [f"{row[key]:.4g}" for key in numbers]
        if "relatives" in row:
            cells.append(as_text(", ".join(map(_relative, row["relatives"]))))
        shown.add_row(*cells)
    return shown


def _chosen_pairs(pairs: Sequence[tuple[str, str, float]]) -> Table:
    """Lay out the pairs of an outcome."""
    shown = Table()
    shown.add_column("pair", overflow="fold")
    shown.add_column("coefficient", justify="right")
    for first, second, coefficient in pairs:
        shown.add_row(as_text(f"{first} x {second}"), f"{coefficient:.4g}")
    return shown


def _relative(relative: dict[str, Any]) -> str:
    """Write out a relative, marked if it is as good as the feature itself."""
    mark = INTERCHANGEABLE_MARK if _is_interchangeable(relative) else ""
    return f"{mark}{shortened(relative['feature'])} {relative['score']:.2f}"


def _is_interchangeable(relative: dict[str, Any]) -> bool:
    """Tell whether a relative shares nearly all with its feature."""
    from hsieve.strategies.overlaps import INTERCHANGEABLE

    return bool(relative["score"] >= INTERCHANGEABLE)


def _reading_aids(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Explain what is in the table, where it is not plain."""
    aids = []
    if any(_is_interchangeable(relative) for row in rows for relative in row.get("relatives", ())):
        aids.append(
            f"{INTERCHANGEABLE_MARK} before a relative: interchangeable with the feature; the "
            "data hardly tell which of the two matters."
        )
    if rows and "p_value" in rows[0]:
        aids.append(
            "p alone: HSIC test of that feature by itself, before any selection; it does not see "
            "features that matter only together. Adjusted: for the number of features looked at."
        )
    return aids


def print_lesson(console: Console, number: int, outcome: "demonstration.DemoOutcome") -> None:
    """Print a task of the demonstration, its answer and ours.

    Parameters
    ----------
    console : Console
        Where to print.
    number : int
        Place of the task.
    outcome : Outcome
        What came of it.
    """
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
    """Print tables of results.

    Parameters
    ----------
    tables : iterable of TextTable
        What to print.
    """
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
