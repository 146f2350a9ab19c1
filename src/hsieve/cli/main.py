"""The command `hsieve`: parse, call, print; no numerics.

Scikit-learn and pyarrow are imported by the commands that need them, so that help is quick. Only
results go to stdout. See :mod:`hsieve.cli.errors` for exit codes.
"""

import difflib
import sys
import time
from collections.abc import Iterable, Sequence
from enum import StrEnum
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from hsieve.cli.errors import BadInputError, PlainGroup
from hsieve.cli.methods import DEFAULT_METHOD, METHODS, Method, Request, find_method
from hsieve.cli.screen import as_text, complain, legible, progress_bar, result_console

if TYPE_CHECKING:
    from hsieve.cli import demo as demonstration
    from hsieve.cli import selection
    from hsieve.data import blocks, tables
    from hsieve.estimators._base import BaseSelector
    from hsieve.experiments import Comparison, Experiment, Record

__all__ = ["app", "run"]

TRUTH_NOT_FOUND = 1

app = typer.Typer(
    cls=PlainGroup,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Find the few features that matter, also where the relation is not linear.",
)


class TargetKind(StrEnum):
    """What the target holds."""

    auto = "auto"
    classes = "classes"
    continuous = "continuous"


class PValues(StrEnum):
    """Which test of single features to add."""

    none = "none"
    gamma = "gamma"
    permutation = "permutation"


def run() -> None:
    """Run the command line; the entry point of the package."""
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal's encoding lacks is shown escaped instead of ending the run.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    app(prog_name="hsieve")


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and leave.", is_eager=True)
    ] = False,
) -> None:
    """Find the few features that matter, also where the relation is not linear."""
    if version:
        from hsieve import __version__

        typer.echo(f"hsieve {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("select")
def select_command(  # noqa: PLR0913, PLR0917 - one parameter for each option
    file: Annotated[
        Path, typer.Argument(help="Table to read: .csv, .tsv (also .gz), .parquet, .npz or .npy.")
    ],
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="Target column; in .npz the array, by default y."),
    ] = None,
    n_features: Annotated[
        int | None,
        typer.Option("--n-features", "-k", min=1, help="How many to select; 10 if not given."),
    ] = None,
    method_name: Annotated[
        str, typer.Option("--method", "-m", help="One of those that 'hsieve methods' lists.")
    ] = DEFAULT_METHOD,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Also write to this .csv or .json file.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot", help="Also draw the regularisation path into this .png, .svg or .pdf file."
        ),
    ] = None,
    categorical: Annotated[
        list[str] | None, typer.Option(help="A column of categories; may be repeated.")
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(help="A column to leave out; may be repeated.")
    ] = None,
    target_kind: Annotated[
        TargetKind, typer.Option(help="What the target holds.")
    ] = TargetKind.auto,
    p_values: Annotated[
        PValues, typer.Option(help="Test each selected feature on its own, by HSIC.")
    ] = PValues.none,
    random_state: Annotated[int, typer.Option(min=0, help="Seed of random choices.")] = 0,
    *,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            "-q",
            help="Print the names only, or nothing with --out; no bar, no warnings.",
        ),
    ] = False,
) -> None:
    """Select the features of a table that tell most about its target."""
    from hsieve.cli import selection

    method = find_method(method_name)
    if out is not None:
        selection.check_output(out, file)
    if plot is not None:
        _check_plot(plot, file, method_name, method)
    columns = selection.Columns(target, target_kind.value, categorical or (), drop or ())
    started = time.perf_counter()
    with progress_bar(f"reading {file}", shown=not quiet):
        table = selection.read(file, columns, method_name, method)
        request = Request(n_features, table.categorical, table.target_kind, random_state)
        outcome = selection.select(table, method, request, p_values.value)
    if out is not None:
        selection.write(out, outcome.rows)
    if plot is not None:
        _write_plot(plot, outcome.selector, table.feature_names)
    if quiet:
        if out is None:
            typer.echo("\n".join(legible(row["feature"]) for row in outcome.rows))
        return
    for warning in outcome.warnings:
        complain("warning", warning)
    _print_selection(table, outcome, method_name, time.perf_counter() - started)


@app.command()
def methods() -> None:
    """List the methods, what each is for and what it costs."""
    table = Table(
        title="Methods for 'hsieve select --method NAME'",
        caption="Cost in n samples, d features and k features wanted.",
    )
    for heading in ("method", "what it is for", "cost"):
        table.add_column(heading, no_wrap=heading == "method")
    for name, method in METHODS.items():
        table.add_row(name, method.purpose, method.cost)
    result_console().print(table)


@app.command()
def demo(
    seed: Annotated[int, typer.Option(min=0, help="Seed of the data; 0 is the usual one.")] = 0,
) -> None:
    """Select features on data that come with the package, and hold them to the truth."""
    from hsieve.cli import demo as demonstration

    console = result_console()
    console.print("Made-up data with a known answer: does hsieve find the features that matter?\n")
    with progress_bar("selecting features"):
        found = list(demonstration.outcomes(seed))
    for number, outcome in enumerate(found, start=1):
        _print_lesson(console, number, outcome)
    seconds = sum(outcome.seconds for outcome in found)
    n_right = sum(outcome.agrees for outcome in found)
    if n_right == len(found):
        console.print(f"All true features were found, in {seconds:.1f} s.")
        return
    console.print(f"The truth was found in {n_right} of {len(found)} tasks, in {seconds:.1f} s.")
    raise typer.Exit(TRUTH_NOT_FOUND)


@app.command()
def reproduce(
    name: Annotated[str | None, typer.Argument(help="Name of the experiment.")] = None,
    *,
    list_them: Annotated[bool, typer.Option("--list", help="List the experiments.")] = False,
    trials: Annotated[
        int, typer.Option(min=1, help="Repeat the protocol so often, with other splits.")
    ] = 1,
    jobs: Annotated[int, typer.Option(min=1, help="Number of processes.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all random choices.")] = 0,
) -> None:
    """Run a published experiment again, beside the published figures."""
    from hsieve.data.collection import DatasetNotFoundError, collection_root
    from hsieve.experiments import EXPERIMENTS, Settings

    if list_them:
        _print_experiments(EXPERIMENTS.values())
        return
    if name is None or name not in EXPERIMENTS:
        raise BadInputError(_no_experiment(name, list(EXPERIMENTS)))
    experiment = EXPERIMENTS[name]
    started = time.perf_counter()
    try:
        with progress_bar(name):
            records = experiment.run(Settings(trials=trials, jobs=jobs, seed=seed))
    except DatasetNotFoundError as error:
        msg = str(error)
        if collection_root() is None:
            msg = (
                f"{name} needs the collection of data sets, which is not here; set the "
                "environment variable HSIEVE_DATA to the folder that holds its INDEX.csv"
            )
        raise BadInputError(msg) from error
    _print_comparison(experiment, records, time.perf_counter() - started)


def _check_plot(path: Path, source: Path, method_name: str, method: Method) -> None:
    """Refuse a picture that could not be drawn, before any work is done."""
    from hsieve.cli import selection
    from hsieve.report.plots import PICTURE_ENDINGS, require_matplotlib

    if not method.has_path:
        able = " and ".join(name for name, other in METHODS.items() if other.has_path)
        msg = f"--plot draws a regularisation path, which {method_name} has not; {able} have one"
        raise BadInputError(msg)
    selection.check_output(path, source, PICTURE_ENDINGS)
    try:
        require_matplotlib()
    except ImportError as error:
        raise BadInputError(str(error)) from error


def _write_plot(path: Path, selector: "BaseSelector", feature_names: Sequence[str]) -> None:
    """Draw the path of a selector into a file."""
    from hsieve.data.tables import TableError
    from hsieve.report import PathDisplay

    display = PathDisplay.from_selector(selector, feature_names=feature_names)
    try:
        display.save(path)
    except TableError as error:
        raise BadInputError(str(error)) from error
    except OSError as error:
        msg = f"{path}: the picture cannot be written ({error.strerror or error})"
        raise BadInputError(msg) from error


def _print_selection(
    table: "tables.Table | blocks.ColumnTable",
    outcome: "selection.Outcome",
    method_name: str,
    seconds: float,
) -> None:
    """Print the chosen features, and what they were chosen from."""
    shown = Table()
    shown.add_column("rank", justify="right")
    shown.add_column("feature", overflow="fold")
    headings = {"score": "score", "p_value": "p alone", "adjusted_p_value": "adjusted p"}
    numbers = {key: heading for key, heading in headings.items() if key in outcome.rows[0]}
    for heading in numbers.values():
        shown.add_column(heading, justify="right")
    for row in outcome.rows:
        values = (f"{row[key]:.4g}" for key in numbers)
        shown.add_row(str(row["rank"]), as_text(row["feature"]), *values)
    console = result_console()
    console.print(shown)
    n_samples, n_features = table.X.shape
    n_classes = len(set(table.y.tolist()))
    kind = f"{n_classes} classes" if table.target_kind == "classes" else "numbers"
    console.print(
        as_text(
            f"{len(outcome.rows)} of {n_features} features by {method_name}, from {n_samples} "
            f"samples; target {table.target_name} ({kind}); {seconds:.1f} s"
        ),
    )
    if METHODS[method_name].has_path:
        from hsieve.report import path_in_words

        words = path_in_words(outcome.selector, feature_names=table.feature_names)
        console.print(as_text(words))
    if "p_value" in numbers:
        console.print(
            "p alone: HSIC test of that feature by itself, before any selection; it does not see "
            "features that matter only together. Adjusted: for the number of features looked at."
        )


def _print_lesson(console: Console, number: int, outcome: "demonstration.Outcome") -> None:
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
        f"chosen ({lesson.method})", _named(outcome.chosen), f"{verdict}, {outcome.seconds:.1f} s"
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


def _print_experiments(experiments: "Iterable[Experiment]") -> None:
    """Print what can be reproduced."""
    table = Table()
    table.add_column("experiment", no_wrap=True)
    table.add_column("what it is")
    for experiment in experiments:
        table.add_row(experiment.name, experiment.title)
    result_console().print(table)


def _no_experiment(name: str | None, known: list[str]) -> str:
    """Say what could have been asked for."""
    if name is None:
        return f"name an experiment; there are {', '.join(known)}"
    near = difflib.get_close_matches(name.lower(), known)
    hint = f"did you mean {' or '.join(near)}" if near else f"there are {', '.join(known)}"
    return f"there is no experiment {name!r}; {hint}"


def _print_comparison(
    experiment: "Experiment", records: "Sequence[Record]", seconds: float
) -> None:
    """Print our figures beside the published ones, and how to read them."""
    cells = experiment.summarise(records)
    several = any(cell.quantity for cell in cells)
    table = Table(title=experiment.title)
    for heading in ("data", "quantity", "method") if several else ("data", "method"):
        table.add_column(heading)
    for heading in (f"{experiment.quantity} here", "published", "difference"):
        table.add_column(heading, justify="right", no_wrap=True)
    previous = None
    for cell in cells:
        is_new = cell.dataset != previous
        if is_new and previous is not None:
            table.add_section()
        previous = cell.dataset
        name = cell.dataset if is_new else ""
        what = (name, cell.quantity, cell.method) if several else (name, cell.method)
        table.add_row(*what, *_figures(cell))
    console = result_console()
    console.print(table)
    for sentence in experiment.explain(records):
        console.print(sentence)
    console.print(f"{len(records)} measurements in {seconds:.0f} s.")


def _figures(cell: "Comparison") -> tuple[str, str, str]:
    """Write out what was measured, what was published and the difference."""
    published, difference = "-", "-"
    if cell.published is not None:
        published = f"{cell.published.mean:g} ± {cell.published.deviation:g}"
    if cell.difference is not None:
        difference = f"{cell.difference:+.4f}"
    if isinstance(cell.measured, str):
        return cell.measured, published, difference
    return f"{cell.measured.mean:.4f} ± {cell.measured.deviation:.4f}", published, difference
