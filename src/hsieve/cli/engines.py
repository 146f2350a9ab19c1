"""Engines on the command line: who works on the columns, and how much was sent to them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hsieve.cli.errors import BadInputError
from hsieve.cli.files import refusing
from hsieve.cli.options import EngineName

if TYPE_CHECKING:
    from hsieve.parallel import EngineSettings

UNITS = ("bytes", "kB", "MB", "GB", "TB")
BYTES_A_UNIT = 1000

Engine = Annotated[
    EngineName | None,
    typer.Option(
        help="Where the work is done, instead of --jobs: a cluster of Dask or Spark, to whose "
        "workers the data are sent, or this process (local, threads), which does one piece at a "
        "time, because pieces are timed; --jobs does several. The answer is the same."
    ),
]


def engine_settings(
    name: EngineName | None, scheduler: str | None, n_workers: int | None
) -> "EngineSettings | None":
    """Return the engine as selectors take it, None for this process alone; or refuse it."""
    from hsieve.parallel import EngineSettings, make_engine

    if name is None:
        for option, value in (("--scheduler", scheduler), ("--workers", n_workers)):
            if value is not None:
                msg = f"{option} needs --engine"
                raise BadInputError(msg)
        return None
    with refusing():
        settings = EngineSettings(name.value, n_workers=n_workers, scheduler=scheduler)
        make_engine(settings)
    return settings


def engine_for_jobs(
    jobs: int, engine: EngineName | None, scheduler: str | None, n_workers: int | None
) -> "EngineSettings | None":
    """Return the engine that does the work, None for processes, or refuse it."""
    if engine is not None and jobs != 1:
        msg = "--jobs and --engine both say where the work is done; give one of them"
        raise BadInputError(msg)
    return engine_settings(engine, scheduler, n_workers)


@contextmanager
def workers_ready(settings: "EngineSettings | None") -> Iterator[None]:
    """Start workers once for all that is done inside the block."""
    from hsieve.parallel import make_engine

    with refusing(), make_engine(settings) as engine, engine.offered():
        yield


def traffic_note(selector: Any) -> tuple[str, ...]:
    """Say how much was moved between processes, where there were others."""
    from hsieve.parallel.settings import CLUSTERS

    traffic = getattr(selector, "traffic_", None)
    if traffic is None or getattr(selector.engine, "name", None) not in CLUSTERS:
        return ()
    return (
        f"Moved for the selection: {_in_units(traffic.tasks)} of tasks, "
        f"{_in_units(traffic.shared)} of shared values, {_in_units(traffic.results)} of results.",
    )


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
