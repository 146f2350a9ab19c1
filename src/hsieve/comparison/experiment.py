"""What is measured piece by piece: the pieces, how to measure one, and who does it.

A piece is the least that is measured at once, say one selector on one fold, and does not depend on
any other piece. A record is a flat dictionary of text and numbers, one for each thing measured.
:mod:`hsieve.comparison.runner` measures the pieces and keeps their records in a file, so that an
interrupted run resumes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from hsieve.parallel import Engine, make_engine
from hsieve.parallel.jobs import make_job_engine
from hsieve.parameters import integer

Record: TypeAlias = dict[str, str | int | float]
Key: TypeAlias = tuple[str, int, int, str]


@dataclass(frozen=True)
class Settings:
    """What the person running an experiment may choose."""

    trials: int | None = None  # how often all is repeated; None is the experiment's own number
    jobs: int = 1  # processes; the figures do not depend on it
    seed: int = 0
    engine: Any = None  # who measures, instead of processes: see `hsieve.parallel.make_engine`

    def __post_init__(self) -> None:
        for name, least in (("trials", 1), ("jobs", 1), ("seed", 0)):
            value = getattr(self, name)
            if value is not None:
                integer(least).check(name, value)
        if self.engine is not None and self.jobs != 1:
            msg = (
                f"jobs={self.jobs} and engine={self.engine!r} both say who measures; give one of "
                "them."
            )
            raise ValueError(msg)

    def workers(self) -> Engine:
        """Return what measures, to be used in a `with` block."""
        if self.engine is not None:
            return make_engine(self.engine)
        return make_job_engine(self.jobs, in_order=False)


@dataclass(frozen=True)
class Piece:
    """A piece of work that is measured at once and independently of all others."""

    dataset: str
    trial: int  # repetition of the protocol
    part: int = 0  # fold or split inside the trial
    method: str = ""  # where methods are measured apart
    # What else the measurement has to know, and no part of the key. It goes to another process, so
    # it must be picklable, and large arrays belong to what `load` gives.
    work: Any = field(default=None, compare=False, repr=False)

    @property
    def key(self) -> Key:
        """What this piece is known by in a file of results."""
        return (self.dataset, self.trial, self.part, self.method)


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """Pieces of work and how to measure them."""

    name: str  # of the files
    protocol: int  # raised whenever records made before can no longer stand beside new ones
    # ``plan(trials, seed)`` gives all pieces, in order, without loading data. A further trial adds
    # pieces and changes none.
    plan: Callable[[int, int], list[Piece]]
    # ``measure(piece, data)`` gives the records of a piece, the same whenever and wherever it runs.
    # A function of a module, as it goes to other processes.
    measure: Callable[[Piece, Any], list[Record]]
    # ``load(piece)`` gives the data, which are loaded once for each `piece.dataset` and must not be
    # changed. None: no data.
    load: Callable[[Piece], Any] | None = None
    trials: int = 1  # usual number
    # What else all records of a file have in common, in words that can be shown. A file made with
    # anything else is refused.
    belongs_to: Mapping[str, str | int] = field(default_factory=dict)
