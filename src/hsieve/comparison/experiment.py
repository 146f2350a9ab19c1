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

__all__ = ["Experiment", "Key", "Piece", "Record", "Settings"]

Record: TypeAlias = dict[str, str | int | float]
Key: TypeAlias = tuple[str, int, int, str]


@dataclass(frozen=True)
class Settings:
    """What the person running an experiment may choose.

    Parameters
    ----------
    trials : int or None, default=None
        How often the whole protocol is repeated with other random splits; None is the
        experiment's own number.
    jobs : int, default=1
        Number of processes. The figures do not depend on it.
    seed : int, default=0
        Seed of all random choices.
    engine : {"local", "threads", "dask", "spark"}, dict, EngineSettings or None, default=None
        Who measures, instead of `jobs` processes: see :func:`hsieve.parallel.make_engine`.
    """

    trials: int | None = None
    jobs: int = 1
    seed: int = 0
    engine: Any = None

    def __post_init__(self) -> None:
        for name, least in (("trials", 1), ("jobs", 1), ("seed", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                msg = f"{name} must be an integer of at least {least}, got {value!r}."
                raise ValueError(msg)
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
    """A piece of work that is measured at once and independently of all others.

    Parameters
    ----------
    dataset : str
        Name of the data.
    trial : int
        Repetition of the protocol.
    part : int, default=0
        Fold or split inside the trial.
    method : str, default=""
        What is measured, where methods are measured apart.
    work : object, default=None
        What else the measurement has to know; it goes to another process, so it must be picklable,
        and large arrays belong to what `load` gives. It is no part of the key.
    """

    dataset: str
    trial: int
    part: int = 0
    method: str = ""
    work: Any = field(default=None, compare=False, repr=False)

    @property
    def key(self) -> Key:
        """What this piece is known by in a file of results."""
        return (self.dataset, self.trial, self.part, self.method)


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """Pieces of work and how to measure them.

    Parameters
    ----------
    name : str
        Name of the files.
    protocol : int
        Raised whenever records made before can no longer stand beside new ones.
    plan : callable
        ``plan(trials, seed)`` gives all pieces, in order, without loading data. A further trial
        adds pieces and changes none.
    measure : callable
        ``measure(piece, data)`` gives the records of a piece, the same whenever and wherever it
        runs. A function of a module, as it goes to other processes.
    load : callable or None, default=None
        ``load(piece)`` gives the data, which are loaded once for each `piece.dataset` and must not
        be changed. None: no data.
    trials : int, default=1
        Usual number of trials.
    belongs_to : mapping of str to str or int, default={}
        What else all records of a file have in common, in words that can be shown. A file made
        with anything else is refused.
    """

    name: str
    protocol: int
    plan: Callable[[int, int], list[Piece]]
    measure: Callable[[Piece, Any], list[Record]]
    load: Callable[[Piece], Any] | None = None
    trials: int = 1
    belongs_to: Mapping[str, str | int] = field(default_factory=dict)
