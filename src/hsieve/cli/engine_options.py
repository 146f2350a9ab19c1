"""Who does the work, and where its results are kept: the options, and messages about it.

With an engine the columns are worked on by its workers, and this process sees few of them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hsieve.cli.errors import BadInputError, kept_in
from hsieve.cli.files import refusing
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
    """Options of engines, as they were given; `checkpoint` is a folder that keeps results."""

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

    def check(self, method: "Method") -> None:
        """Refuse a method that has no use for what was given, and what makes no engine."""
        for option in self.given:
            check_takes(method, "checkpoint" if option == "--checkpoint" else "engine", option)
        self.made()

    def made(self) -> "EngineSettings | None":
        """Return the engine as selectors take it, None for this process alone; or refuse it."""
        from hsieve.parallel import EngineSettings, make_engine

        if self.name is None:
            if self.scheduler is not None or self.n_workers is not None:
                msg = f"{self.given[0]} needs --engine"
                raise BadInputError(msg)
            return None
        try:
            with refusing():
                settings = EngineSettings(
                    self.name, n_workers=self.n_workers, scheduler=self.scheduler
                )
                make_engine(settings)
        except ValueError as error:
            raise BadInputError(str(error)) from error
        return settings

    def kept_after_interruption(self, method_name: str, method: "Method") -> str:
        """Say what is kept of a run that is interrupted, and how to go on."""
        if self.checkpoint is not None:
            return kept_in(self.checkpoint)
        if method.takes("checkpoint"):
            return "nothing is kept; with --checkpoint FOLDER the run could go on where it was"
        return f"nothing is kept, and a run of {method_name} can only start again"


@contextmanager
def workers_ready(request: MethodRequest) -> Iterator[None]:
    """Start workers once for all that is done inside the block."""
    from hsieve.parallel import make_engine

    with refusing(), make_engine(request.engine) as engine, engine.offered():
        yield


def traffic_note(selector: "BaseSelector", request: MethodRequest) -> list[str]:
    """Say how much was moved between processes, where there were others."""
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
    """Return the engine that does the work, None for processes, or refuse it."""
    if engine is not None and jobs != 1:
        msg = "--jobs and --engine both say who does the work; give one of them"
        raise BadInputError(msg)
    return EngineOptions(engine and engine.value, scheduler, n_workers, None).made()
