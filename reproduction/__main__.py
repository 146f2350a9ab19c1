"""Run a published experiment, or resume it: `python -m reproduction NAME`.

Finished pieces are kept in a folder; the tables are printed, and written there as CSV and Markdown.
"""

import difflib
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from typer.core import TyperCommand

from hsieve.cli import engines, options, signals
from hsieve.cli.console import (
    escape_unprintable,
    print_tables,
    result_console,
)
from hsieve.cli.errors import BadInputError, InterruptedRunError, exit_plainly, kept_in
from hsieve.cli.files import refusing
from hsieve.progress import show_progress
from hsieve.text import as_text

if TYPE_CHECKING:
    from hsieve.comparison.runner import Outcome, Settings
    from reproduction.experiment import PublishedExperiment

__all__ = ["app", "run"]

RESULTS = Path("reproduction", "results")

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


class PlainCommand(TyperCommand):
    """A command that ends with an exit code and at most one sentence about what went wrong."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the command and exit.

        Parameters
        ----------
        *args, **extra
            As in Typer.
        """
        exit_plainly(lambda: TyperCommand.main(self, *args, **{**extra, "standalone_mode": False}))


@dataclass(frozen=True)
class Output:
    """Where results go.

    Parameters
    ----------
    folder : Path
        Where they are kept.
    fresh : bool
        Whether to throw away what is there.
    markdown : Path or None
        A file to write the tables into, between its markers.
    """

    folder: Path
    fresh: bool
    markdown: Path | None


def run() -> None:
    """Run the command line."""
    signals.interrupt_once()
    escape_unprintable()
    app(prog_name="python -m reproduction")


@app.command(cls=PlainCommand)
def main(  # noqa: PLR0913, PLR0917 - one parameter for each option
    name: Annotated[str | None, typer.Argument(help="Name of the experiment.")] = None,
    trials: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=options.MOST_REPEATS,
            help="Number of repetitions of the protocol, with different splits; by default as "
            "'--list' says. More than before adds to the results that exist.",
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
    engine: engines.Engine = None,
    scheduler: options.Scheduler = None,
    workers: options.Workers = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all random choices.")] = 0,
    datasets: Annotated[
        list[str] | None, typer.Option(help="Only these data sets, separated by commas.")
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(help="Only these methods, if the experiment measures them separately."),
    ] = None,
    results: Annotated[
        Path,
        typer.Option(
            help="Folder of the results. What it holds is not measured again, so an interrupted "
            "run resumes."
        ),
    ] = RESULTS,
    markdown: Annotated[
        Path | None,
        typer.Option(
            help="Also write the tables into this file, between the lines '<!-- NAME: begin -->' "
            "and '<!-- NAME: end -->'."
        ),
    ] = None,
    *,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Discard earlier results and start over.")
    ] = False,
    list_them: Annotated[bool, typer.Option("--list", help="List the experiments.")] = False,
) -> None:
    """Run a published experiment, or resume it, and show the published figures beside ours."""
    from reproduction.catalogue import EXPERIMENTS
    from reproduction.experiment import Settings, restricted

    if list_them:
        _print_experiments(EXPERIMENTS.values())
        return
    only = (
        options.names_in("--datasets", datasets),
        options.names_in("--methods", methods),
    )
    who = engines.engine_for_jobs(jobs, engine, scheduler, workers)
    _reproduce(
        restricted(_find_experiment(name), *only),
        Settings(trials, jobs, seed, who),
        Output(results, fresh, markdown),
    )


def _print_experiments(experiments: "Iterable[PublishedExperiment]") -> None:
    """Print what can be reproduced."""
    table = Table()
    table.add_column("experiment", no_wrap=True)
    table.add_column("what it is")
    table.add_column("trials", justify="right")
    for experiment in experiments:
        table.add_row(experiment.name, experiment.title, str(experiment.trials))
    result_console().print(table)


def _find_experiment(name: str | None) -> "PublishedExperiment":
    """Return the experiment of a name, or say which names there are."""
    from reproduction.catalogue import EXPERIMENTS

    if name is not None and name in EXPERIMENTS:
        return EXPERIMENTS[name]
    known = ", ".join(EXPERIMENTS)
    if name is None:
        msg = f"name an experiment; there are {known}"
        raise BadInputError(msg)
    near = difflib.get_close_matches(name.lower(), EXPERIMENTS)
    hint = f"did you mean {' or '.join(near)}" if near else f"there are {known}"
    msg = f"there is no experiment {name!r}; {hint}"
    raise BadInputError(msg)


def _reproduce(experiment: "PublishedExperiment", settings: "Settings", output: Output) -> None:
    """Run what is missing, print the tables and write them to files."""
    from hsieve.comparison import runner
    from reproduction.tables import check_markers

    started = time.perf_counter()
    with _plainly(experiment), refusing():
        if output.markdown is not None:
            check_markers(output.markdown, experiment.name)
        try:
            with show_progress(experiment.name):
                outcome = runner.run(experiment, settings, output.folder, fresh=output.fresh)
        except KeyboardInterrupt:
            _show(experiment, runner.gather(experiment, settings, output.folder), started)
            raise InterruptedRunError(kept_in(output.folder)) from None
        _write(experiment, outcome, output)
    _show(experiment, outcome, started)
    result_console().print(
        as_text(f"Results are in {output.folder}: {experiment.name}.csv and {experiment.name}.md.")
    )


@contextmanager
def _plainly(experiment: "PublishedExperiment") -> Iterator[None]:
    """Turn what can go wrong without a bug into a sentence."""
    from hsieve.comparison.results_file import ResultsError
    from hsieve.data.errors import TableError
    from hsieve.exceptions import MissingExtraError
    from reproduction.collection import DatasetNotFoundError, collection_root
    from reproduction.experiment import UnknownNameError
    from reproduction.tables import MarkersError

    try:
        yield
    except DatasetNotFoundError as error:
        msg = str(error)
        if collection_root() is None:
            msg = (
                f"{experiment.name} needs the collection of data sets, which is not here; set the "
                "environment variable HSIEVE_DATA to the folder that holds its INDEX.csv"
            )
        raise BadInputError(msg) from error
    except (
        MarkersError,
        MissingExtraError,
        ResultsError,
        TableError,
        UnknownNameError,
    ) as error:
        raise BadInputError(str(error)) from error


def _write(experiment: "PublishedExperiment", outcome: "Outcome", output: Output) -> None:
    """Write records and tables."""
    from reproduction import tables

    path = output.folder / f"{experiment.name}.csv"
    try:
        tables.write_records(path, outcome.records)
        path = output.folder / f"{experiment.name}.md"
        tables.write_tables(path, experiment, outcome.records)
        if output.markdown is not None:
            path = output.markdown
            tables.insert_tables(path, experiment, outcome.records)
    except OSError as error:
        msg = f"{path}: the tables cannot be written ({error.strerror or error})"
        raise BadInputError(msg) from error


def _show(experiment: "PublishedExperiment", outcome: "Outcome", started: float) -> None:
    """Print the tables, how to read them, and what is missing."""
    console = result_console()
    if outcome.records:
        print_tables(experiment.tables(outcome.records))
        for sentence in experiment.explain(outcome.records):
            console.print(sentence)
        console.print(
            f"{len(outcome.records)} measurements, {outcome.seconds:.0f} s of work in all, "
            f"{time.perf_counter() - started:.0f} s in this run."
        )
    if not outcome.is_complete:
        console.print(f"{outcome.n_done} of {outcome.n_planned} pieces are done.")


if __name__ == "__main__":
    run()
