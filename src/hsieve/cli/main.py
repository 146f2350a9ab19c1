"""The command `hsieve`: parse, call, print; no numerics.

Scikit-learn and pyarrow are imported by the commands that need them, so that help is quick. Only
results go to stdout. See :mod:`hsieve.cli.errors` for exit codes.
"""

import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from hsieve.cli import job_options, options
from hsieve.cli.command_compare import compare_command
from hsieve.cli.command_interactions import interactions_command
from hsieve.cli.command_select import select_command
from hsieve.cli.errors import PlainGroup
from hsieve.cli.methods import AUTO, AUTO_NAME, METHODS
from hsieve.cli.printing import print_experiments, print_lesson
from hsieve.cli.screen import progress_bar, result_console

__all__ = ["app", "run"]

TRUTH_NOT_FOUND = 1

app = typer.Typer(
    cls=PlainGroup,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Find the few features that matter, also where the relation is not linear.",
)


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


app.command("select")(select_command)
app.command("compare")(compare_command)
app.command("interactions")(interactions_command)


@app.command()
def methods() -> None:
    """List the methods, what each is for and what it costs."""
    table = Table(
        title="Methods for 'hsieve select --method NAME'",
        caption="Cost in n samples, d features and k features wanted.",
    )
    for heading in ("method", "what it is for", "cost"):
        table.add_column(heading, no_wrap=heading == "method")
    for name, method in {AUTO_NAME: AUTO, **METHODS}.items():
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
def reproduce(  # noqa: PLR0913, PLR0917 - one parameter for each option
    name: Annotated[str | None, typer.Argument(help="Name of the experiment.")] = None,
    trials: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=options.MOST_REPEATS,
            help="Repeat the protocol so often, with other splits; if not given, as often as "
            "'--list' says. More than before adds to what is there.",
        ),
    ] = None,
    jobs: Annotated[
        int,
        typer.Option(
            min=1,
            max=options.MOST_WORKERS,
            help="Number of processes; the figures do not depend on it.",
        ),
    ] = 1,
    engine: job_options.Engine = None,
    scheduler: options.Scheduler = None,
    workers: options.Workers = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all random choices.")] = 0,
    datasets: Annotated[
        str | None, typer.Option(help="Only these data, with commas between their names.")
    ] = None,
    only_methods: Annotated[
        str | None,
        typer.Option("--methods", help="Only these methods, where they are measured apart."),
    ] = None,
    results: Annotated[
        Path,
        typer.Option(
            help="Folder that keeps results; what is in it is not measured again, so an "
            "interrupted run goes on. If not given, a folder 'reproduction' in the current one."
        ),
    ] = Path("reproduction"),
    markdown: Annotated[
        Path | None,
        typer.Option(
            help="Also write the tables into this file, between the lines '<!-- NAME: begin -->' "
            "and '<!-- NAME: end -->'."
        ),
    ] = None,
    *,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Throw away earlier results and start over.")
    ] = False,
    list_them: Annotated[bool, typer.Option("--list", help="List the experiments.")] = False,
) -> None:
    """Run a published experiment again, or go on with it, beside the published figures."""
    from hsieve.cli import reproduction

    if list_them:
        from hsieve.experiments import EXPERIMENTS

        print_experiments(EXPERIMENTS.values())
        return
    wish = reproduction.Wish(
        trials,
        jobs,
        seed,
        reproduction.names_in(datasets),
        reproduction.names_in(only_methods),
        results,
        fresh,
        markdown,
        job_options.engine_for_jobs(jobs, engine, scheduler, workers),
    )
    reproduction.reproduce(reproduction.find_experiment(name), wish)
