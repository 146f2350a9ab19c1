"""Who does the pieces of a comparison or an experiment: processes of this machine or an engine."""

from typing import TYPE_CHECKING, Annotated

import typer

from hsieve.cli.engine_options import EngineOptions, refusing_engines
from hsieve.cli.errors import BadInputError
from hsieve.cli.options import EngineName

if TYPE_CHECKING:
    from hsieve.parallel import EngineSettings

__all__ = ["Engine", "engine_for_jobs"]

Engine = Annotated[
    EngineName | None,
    typer.Option(
        help="Who does the work, instead of --jobs: a cluster of Dask or Spark, to whose workers "
        "the data are sent, or this process (local, threads), which does one piece at a time, "
        "because pieces are timed; --jobs does several. The answer is the same."
    ),
]


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
