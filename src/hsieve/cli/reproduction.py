"""The command `hsieve reproduce`: run an experiment, or go on with it; print and write tables."""

import difflib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hsieve.cli.engine_options import refusing_engines
from hsieve.cli.errors import BadInputError, InterruptedRunError, kept_in
from hsieve.cli.printing import print_tables
from hsieve.cli.screen import as_text, progress_bar, result_console

if TYPE_CHECKING:
    from hsieve.engines import EngineSettings
    from hsieve.experiments import Experiment
    from hsieve.experiments.runner import Outcome

__all__ = ["Wish", "find_experiment", "names_in", "reproduce"]


@dataclass(frozen=True)
class Wish:
    """What to run and where results go.

    Parameters
    ----------
    trials : int or None
        Number of repetitions; None for the experiment's own.
    jobs, seed : int
        Number of processes and seed.
    datasets, methods : sequence of str
        What to keep to; empty for all.
    folder : Path
        Where results are kept.
    fresh : bool
        Whether to throw away what is there.
    markdown : Path or None
        A file to write the tables into, between its markers.
    engine : EngineSettings or None
        Who measures, instead of processes.
    """

    trials: int | None
    jobs: int
    seed: int
    datasets: Sequence[str]
    methods: Sequence[str]
    folder: Path
    fresh: bool
    markdown: Path | None
    engine: "EngineSettings | None" = None


def find_experiment(name: str | None) -> "Experiment":
    """Return the experiment of a name, or say what could have been asked for.

    Parameters
    ----------
    name : str or None
        What was asked for.

    Returns
    -------
    Experiment
        The one of that name.

    Raises
    ------
    BadInputError
        If there is none.
    """
    from hsieve.experiments import EXPERIMENTS

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


def names_in(text: str | None) -> tuple[str, ...]:
    """Split a list of names between commas.

    Parameters
    ----------
    text : str or None
        Such as "alon,khan"; None for no names. A name with a comma in it is put in double quotes.

    Returns
    -------
    tuple of str
        The names.

    Raises
    ------
    BadInputError
        If there is a line break between names.
    """
    import csv

    if text is None:
        return ()
    try:
        (row,) = csv.reader([text], skipinitialspace=True)
    except csv.Error as error:
        msg = f"names with commas between them are needed, got {text!r}"
        raise BadInputError(msg) from error
    return tuple(name.strip() for name in row if name.strip())


def reproduce(experiment: "Experiment", wish: Wish) -> None:
    """Run what is missing, print the tables and write them to files.

    Parameters
    ----------
    experiment : Experiment
        What to run.
    wish : Wish
        How.

    Raises
    ------
    BadInputError
        If data are missing, the engine fails, or results cannot be kept or written.
    InterruptedRunError
        After Ctrl-C, when what is there has been shown.
    """
    from hsieve.experiments import Settings
    from hsieve.experiments.export import check_markers
    from hsieve.experiments.runner import gather, run

    settings = Settings(wish.trials, wish.jobs, wish.seed, wish.datasets, wish.methods, wish.engine)
    started = time.perf_counter()
    with _plainly(experiment), refusing_engines():
        if wish.markdown is not None:
            check_markers(wish.markdown, experiment.name)
        try:
            with progress_bar(experiment.name):
                outcome = run(experiment, settings, wish.folder, fresh=wish.fresh)
        except KeyboardInterrupt:
            _show(experiment, gather(experiment, settings, wish.folder), started)
            raise InterruptedRunError(kept_in(wish.folder)) from None
        _write(experiment, outcome, wish)
    _show(experiment, outcome, started)
    result_console().print(
        as_text(f"Results are in {wish.folder}: {experiment.name}.csv and {experiment.name}.md.")
    )


@contextmanager
def _plainly(experiment: "Experiment") -> Iterator[None]:
    """Turn what can go wrong without a bug into a sentence."""
    from hsieve.data.collection import DatasetNotFoundError, collection_root
    from hsieve.data.tables import TableError
    from hsieve.exceptions import MissingExtraError
    from hsieve.experiments.export import MarkersError
    from hsieve.experiments.results_file import ResultsError
    from hsieve.experiments.runner import UnknownNameError

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


def _write(experiment: "Experiment", outcome: "Outcome", wish: Wish) -> None:
    """Write records and tables."""
    from hsieve.experiments import export

    path = wish.folder / experiment.name
    try:
        export.write_records(path.with_name(f"{path.name}.csv"), outcome.records)
        path = wish.folder / f"{experiment.name}.md"
        export.write_tables(path, experiment, outcome.records)
        if wish.markdown is not None:
            path = wish.markdown
            export.insert_tables(path, experiment, outcome.records)
    except OSError as error:
        msg = f"{path}: the tables cannot be written ({error.strerror or error})"
        raise BadInputError(msg) from error


def _show(experiment: "Experiment", outcome: "Outcome", started: float) -> None:
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
