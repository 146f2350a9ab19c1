"""Who does the work, and where its results are kept: the options, and what is told of it.

With an engine the columns are worked on by its workers, and this process sees few of them.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hsieve.cli.errors import BadInputError, kept_in
from hsieve.cli.files import in_options
from hsieve.cli.methods import MethodRequest, check_takes
from hsieve.cli.options import EngineName

if TYPE_CHECKING:
    from hsieve.parallel import EngineSettings
    from hsieve.selectors.base import BaseSelector
    from hsieve.selectors.methods import Method

__all__ = [
    "Engine",
    "EngineOptions",
    "engine_for_jobs",
    "refusing_engines",
    "traffic_note",
    "workers_ready",
]

UNITS = ("bytes", "kB", "MB", "GB", "TB")
BYTES_A_UNIT = 1000

Engine = Annotated[
    EngineName | None,
    typer.Option(
        help="Who does the work, instead of --jobs: a cluster of Dask or Spark, to whose workers "
        "the data are sent, or this process (local, threads), which does one piece at a time, "
        "because pieces are timed; --jobs does several. The answer is the same."
    ),
]


@dataclass(frozen=True)
class EngineOptions:
    """Options of engines, as they were given.

    Parameters
    ----------
    name : {"local", "threads", "dask", "spark"} or None
        The engine.
    scheduler : str or None
        Address of a cluster.
    n_workers : int or None
        How many workers to start.
    checkpoint : Path or None
        Folder that keeps results.
    """

    name: str | None
    scheduler: str | None
    n_workers: int | None
    checkpoint: Path | None

    @property
    def given(self) -> list[str]:
        """The options that were given, by their names on the command line."""
        is_given = {
            "--engine": self.name is not None,
            "--scheduler": self.scheduler is not None,
            "--workers": self.n_workers is not None,
            "--checkpoint": self.checkpoint is not None,
        }
        return [option for option, given in is_given.items() if given]

    @property
    def settings(self) -> "EngineSettings | None":
        """The engine as selectors take it; None for this process alone."""
        from hsieve.parallel import EngineSettings

        if self.name is None:
            return None
        return EngineSettings(self.name, n_workers=self.n_workers, scheduler=self.scheduler)

    def check(self, method: "Method", beside: Sequence[str] = ()) -> None:
        """Refuse what can be refused before the file is read.

        Parameters
        ----------
        method : Method
            The method, as it is used.
        beside : sequence of str, default=()
            Other options that were given and are worked on as a whole.

        Raises
        ------
        BadInputError
            If the options do not go with the method, with each other or with others, or the engine
            is not installed.
        """
        from hsieve.parallel.settings import CLUSTERS

        for option in self.given:
            check_takes(method, "checkpoint" if option == "--checkpoint" else "engine", option)
        if self.scheduler is not None and self.name not in CLUSTERS:
            msg = f"--scheduler needs --engine {' or --engine '.join(CLUSTERS)}"
            raise BadInputError(msg)
        if self.n_workers is not None and self.name in {None, "local"}:
            msg = "--workers needs --engine threads, dask or spark"
            raise BadInputError(msg)
        if self.n_workers is not None and self.scheduler is not None:
            msg = "--workers is for workers started here; those of a --scheduler are its own"
            raise BadInputError(msg)
        self._check_beside(beside)
        with refusing_engines():
            from hsieve.parallel import make_engine

            make_engine(self.settings)

    def kept_after_interruption(self, method_name: str, method: "Method") -> str:
        """Say what is kept of a run that is interrupted, and how to go on.

        Parameters
        ----------
        method_name : str
            Name of the method.
        method : Method
            The method, as it is used.

        Returns
        -------
        str
            Half a sentence.
        """
        if self.checkpoint is not None:
            return kept_in(self.checkpoint)
        if method.takes("checkpoint"):
            return "nothing is kept; with --checkpoint FOLDER the run could go on where it was"
        return f"nothing is kept, and a run of {method_name} can only begin anew"

    def _check_beside(self, beside: Sequence[str]) -> None:
        """Refuse what is done in this process as a whole, whoever works on the columns."""
        from hsieve.parallel.settings import CLUSTERS

        for other in beside:
            if self.name in CLUSTERS:
                msg = f"{other} is worked out in this process as a whole, not by --engine "
                raise BadInputError(msg + str(self.name))
            if other == "--interactions" and self.checkpoint is not None:
                msg = "--checkpoint keeps nothing of the pairs that --interactions goes through"
                raise BadInputError(msg)


@contextmanager
def refusing_engines() -> Iterator[None]:
    """Turn what engines and checkpoints refuse, and packages that are missing, into bad input.

    Raises
    ------
    BadInputError
        With the sentence of the engine.
    """
    from hsieve.parallel import EngineError

    try:
        yield
    except (EngineError, ImportError) as error:
        raise BadInputError(in_options(str(error))) from error


@contextmanager
def workers_ready(request: MethodRequest) -> Iterator[None]:
    """Start workers once for all that is done inside the block.

    Parameters
    ----------
    request : MethodRequest
        Says which engine is wanted, if any.

    Raises
    ------
    BadInputError
        If there is no such cluster, or its workers fail.
    """
    from hsieve.parallel import make_engine

    with refusing_engines(), make_engine(request.engine) as engine, engine.offered():
        yield


def traffic_note(selector: "BaseSelector", request: MethodRequest) -> list[str]:
    """Say how much was moved between processes, where there were others.

    Parameters
    ----------
    selector : BaseSelector
        The fitted selector.
    request : MethodRequest
        What was wanted.

    Returns
    -------
    list of str
        One sentence, or nothing.
    """
    from hsieve.parallel.settings import CLUSTERS

    traffic = getattr(selector, "traffic_", None)
    if traffic is None or getattr(request.engine, "name", None) not in CLUSTERS:
        return []
    return [
        f"Moved for the selection: {_in_units(traffic.tasks)} of tasks, "
        f"{_in_units(traffic.shared)} of shared values, {_in_units(traffic.results)} of results."
    ]


def _in_units(n_bytes: int) -> str:
    """Write bytes with three digits.

    Examples
    --------
    >>> _in_units(12), _in_units(123_456), _in_units(7_000_000)
    ('12 bytes', '123 kB', '7 MB')
    """
    number = float(n_bytes)
    for unit in UNITS[:-1]:
        if number < BYTES_A_UNIT:
            return f"{number:.3g} {unit}"
        number /= BYTES_A_UNIT
    return f"{number:.3g} {UNITS[-1]}"


def engine_for_jobs(
    jobs: int, engine: EngineName | None, scheduler: str | None, n_workers: int | None
) -> "EngineSettings | None":
    """Return the engine that does the work, or refuse it before anything is read.

    Parameters
    ----------
    jobs : int
        Number of processes.
    engine : EngineName or None
        The engine.
    scheduler : str or None
        Address of a cluster.
    n_workers : int or None
        How many workers to start.

    Returns
    -------
    EngineSettings or None
        None for processes.

    Raises
    ------
    BadInputError
        If the options do not go together, or the engine is not installed.
    """
    options = EngineOptions(engine and engine.value, scheduler, n_workers, None)
    if engine is None and options.given:
        msg = f"{options.given[0]} needs --engine"
        raise BadInputError(msg)
    if engine is not None and jobs != 1:
        msg = "--jobs and --engine both say who does the work; give one of them"
        raise BadInputError(msg)
    with refusing_engines():
        from hsieve.parallel import make_engine

        try:
            settings = options.settings
            make_engine(settings)
        except ValueError as error:
            raise BadInputError(str(error)) from error
    return settings
