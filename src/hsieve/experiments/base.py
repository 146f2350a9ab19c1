"""What a published experiment is: pieces of work that give plain records, and figures to hold to.

A piece is the least that is measured at once, say one fold of one data set, and does not depend on
any other piece. A record is a flat dictionary of text and numbers, one for each thing measured
(say, the error of one method on that fold). :mod:`hsieve.experiments.runner` measures the pieces
and keeps their records in a file, so that a run can be continued; everything shown is computed
from the records afterwards, also from those of half a run.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from hsieve.engines import Engine, make_engine
from hsieve.engines.jobs import make_job_engine
from hsieve.experiments.layout import TextTable

__all__ = ["Comparison", "Experiment", "Figure", "Key", "Piece", "Record", "Settings"]

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
    datasets, methods : sequence of str, default=()
        Names to keep to; empty for all. Only experiments that measure methods apart, one to a
        piece, can be kept to some of them.
    engine : {"local", "threads", "dask", "spark"}, dict, EngineSettings or None, default=None
        Who measures, instead of `jobs` processes: see :func:`hsieve.engines.make_engine`.
    """

    trials: int | None = None
    jobs: int = 1
    seed: int = 0
    datasets: Sequence[str] = ()
    methods: Sequence[str] = ()
    engine: Any = None

    def __post_init__(self) -> None:
        for name, least in (("trials", 1), ("jobs", 1), ("seed", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                msg = f"{name} must be a whole number of at least {least}, got {value!r}."
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


@dataclass(frozen=True)
class Figure:
    """A mean and the deviation around it.

    Parameters
    ----------
    mean, deviation : float
        As printed in the paper, or as measured.
    """

    mean: float
    deviation: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "Figure":
        """Summarise values that were measured, at least one."""
        measured = np.fromiter(values, dtype=np.float64)
        return cls(float(measured.mean()), float(measured.std()))


@dataclass(frozen=True)
class Comparison:
    """One cell of a published table, measured here.

    Parameters
    ----------
    dataset, method : str
        Row and column of the table.
    measured : Figure or str
        What we get, or, in a word or two, why there is nothing to show.
    published : Figure or None, default=None
        What the paper has; None where it has no such cell.
    quantity : str, default=""
        What the figure is, where an experiment measures more than one thing.
    """

    dataset: str
    method: str
    measured: Figure | str
    published: Figure | None = None
    quantity: str = ""

    @property
    def difference(self) -> float | None:
        """Measured minus published mean, None where one of them is missing."""
        if self.published is None or isinstance(self.measured, str):
            return None
        return self.measured.mean - self.published.mean


@dataclass(frozen=True)
class Experiment:
    """A published experiment that can be run again.

    Parameters
    ----------
    name : str
        Name on the command line and of the files.
    title : str
        Table and paper, in one line.
    protocol : int
        Raised whenever records made before can no longer stand beside new ones.
    plan : callable
        ``plan(trials, seed)`` gives all pieces, in the order of the table, without loading data.
        A further trial adds pieces and changes none.
    measure : callable
        ``measure(piece, data)`` gives the records of a piece, the same whenever and wherever it
        runs. A function of a module, as it goes to other processes.
    summarise : callable
        ``summarise(records)`` gives the cells of the table, as far as there are records.
    explain : callable
        ``explain(records)`` gives sentences: the protocol, and where ours and the paper's differ.
    tables : callable
        ``tables(records)`` gives the tables to show; see :mod:`hsieve.experiments.layout`.
    load : callable or None, default=None
        ``load(piece)`` gives the data, which are loaded once for each `piece.dataset` and must not
        be changed. It raises ``DatasetNotFoundError`` if they are not there. None: no data.
    trials : int, default=1
        Usual number of trials.
    belongs_to : mapping of str to str or int, default={}
        What else all records of a file have in common, in words that can be shown. A file made
        with anything else is refused.
    """

    name: str
    title: str
    protocol: int
    plan: Callable[[int, int], list[Piece]]
    measure: Callable[[Piece, Any], list[Record]]
    summarise: Callable[[Sequence[Record]], list[Comparison]]
    explain: Callable[[Sequence[Record]], list[str]]
    tables: Callable[[Sequence[Record]], list[TextTable]]
    load: Callable[[Piece], Any] | None = None
    trials: int = 1
    belongs_to: Mapping[str, str | int] = field(default_factory=dict)
