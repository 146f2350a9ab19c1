"""The command `hsieve`: parse, call, print; no numerics.

Scikit-learn and pyarrow are imported by the commands that need them, so that help is quick. Only
results go to stdout. See :mod:`hsieve.cli.errors` for exit codes.
"""

import difflib
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from hsieve.cli.errors import BadInputError, PlainGroup
from hsieve.cli.methods import DEFAULT_METHOD, METHODS, Method, Request, find_method
from hsieve.cli.path_options import USUAL_RELATIVES, PathOptions
from hsieve.cli.printing import (
    print_comparison,
    print_experiments,
    print_lesson,
    print_selection,
)
from hsieve.cli.screen import complain, legible, progress_bar, result_console

if TYPE_CHECKING:
    from hsieve.estimators._base import BaseSelector

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
    covariate: Annotated[
        list[str] | None,
        typer.Option(
            help="A column to adjust for, never selected; may be repeated. This and the next "
            "three: n3lars and hsic-lasso only."
        ),
    ] = None,
    max_redundancy: Annotated[
        float | None,
        typer.Option(help="Most that two selected features may share (NHSIC); 0.9 bars copies."),
    ] = None,
    memory_limit: Annotated[
        str | None,
        typer.Option(
            help="Most memory for the search, such as 2GB; a table read whole comes on top."
        ),
    ] = None,
    relatives: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="How many features most like each selected one to name; if not given, "
            f"{USUAL_RELATIVES} unless that takes long; 0 for none.",
        ),
    ] = None,
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
    options = PathOptions(covariate or (), max_redundancy, memory_limit, relatives)
    options.check(method)
    if quiet and out is None:
        options = replace(options, n_relatives=0)  # nobody would see them
    if out is not None:
        selection.check_output(out, file)
    if plot is not None:
        _check_plot(plot, file, method_name, method)
    columns = selection.Columns(target, target_kind.value, categorical or (), drop or ())
    started = time.perf_counter()
    with progress_bar(f"reading {file}", shown=not quiet):
        table = selection.read(file, columns, method_name, method)
        request = Request(
            n_features,
            table.categorical,
            table.target_kind,
            random_state,
            covariates=options.positions(table, columns.drop),
            max_redundancy=max_redundancy,
            memory_limit=memory_limit,
            n_relatives=options.n_relatives,
        )
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
    print_selection(table, outcome, method_name, time.perf_counter() - started)


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
        print_lesson(console, number, outcome)
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
        print_experiments(EXPERIMENTS.values())
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
    print_comparison(experiment, records, time.perf_counter() - started)


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


def _no_experiment(name: str | None, known: list[str]) -> str:
    """Say what could have been asked for."""
    if name is None:
        return f"name an experiment; there are {', '.join(known)}"
    near = difflib.get_close_matches(name.lower(), known)
    hint = f"did you mean {' or '.join(near)}" if near else f"there are {', '.join(known)}"
    return f"there is no experiment {name!r}; {hint}"
