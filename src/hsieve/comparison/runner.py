"""Run an experiment piece by piece, in several processes if you like, and resume where a run ended.

A piece is the least that is measured at once, say one selector on one fold, and does not depend on
any other piece. A record is a flat dictionary of text and numbers, one for each thing measured.

Only this process writes to the file of results; the others measure. Pieces are taken in the order
of the plan and written down as soon as they are done, in whatever order that is; the records are
given in the order of the plan again. An engine gives its results in order, so that up to its
``in_flight`` pieces may be done and not yet written; a run that is killed measures those again.

Each piece runs with one BLAS thread, so that its figures do not depend on how many run beside it,
and alone in its process, to which times and warnings belong.

On Ctrl-C everything finished is in the file already; the caller gets it by :func:`gather`.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from hsieve.comparison.results_file import Finished, Key, Record, Results, open_results
from hsieve.parallel import Engine, make_engine
from hsieve.parallel.jobs import make_job_engine
from hsieve.parameters import NONE, integer
from hsieve.progress import listen, report

# Held by the one piece that a process is measuring.
_ALONE = Lock()


@dataclass(frozen=True)
class Settings:
    """What the person running an experiment may choose."""

    trials: int | None = None  # how often all is repeated; None is the experiment's own number
    jobs: int = 1  # processes; the figures do not depend on it
    seed: int = 0
    engine: Any = None  # who measures, instead of processes: see `hsieve.parallel.make_engine`

    def __post_init__(self) -> None:
        (NONE | integer(1)).check("trials", self.trials)
        integer(1).check("jobs", self.jobs)
        integer(0).check("seed", self.seed)
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
    # What else all records of a file have in common, as text for users. A file made with
    # anything else is refused.
    belongs_to: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """Records of a run, complete or not."""

    records: list[Record]  # of all finished pieces asked for, in the order of the plan
    n_done: int
    n_planned: int
    seconds: float  # taken by the finished pieces one after the other, also in runs before

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing."""
        return self.n_done == self.n_planned


def run(
    experiment: Experiment, settings: Settings, folder: Path | None = None, *, fresh: bool = False
) -> Outcome:
    """Measure what is not yet in the folder's file of results; without a folder, everything."""
    pieces = planned(experiment, settings)
    path = None if folder is None else results_path(folder, experiment)
    # What is missing is told before anything is thrown away or begun.
    data = _loaded(experiment, pieces) if fresh or (path and not path.exists()) else None
    with _opened(experiment, settings, path, fresh=fresh) as results:
        _measure_missing(experiment, settings, pieces, results, data)
        return _outcome(pieces, results.finished)


def gather(experiment: Experiment, settings: Settings, folder: Path) -> Outcome:
    """Return what is in the folder's file of results, and measure nothing."""
    with _opened(experiment, settings, results_path(folder, experiment)) as results:
        return _outcome(planned(experiment, settings), results.finished)


def planned(experiment: Experiment, settings: Settings) -> list[Piece]:
    """Return the pieces that some settings ask for."""
    trials = experiment.trials if settings.trials is None else settings.trials
    return experiment.plan(trials, settings.seed)


def results_path(folder: Path, experiment: Experiment) -> Path:
    """Return the file in which a folder keeps the pieces of an experiment."""
    return folder / f"{experiment.name}.jsonl"


def _opened(
    experiment: Experiment, settings: Settings, path: Path | None, *, fresh: bool = False
) -> AbstractContextManager[Results]:
    """Open the file of results, for what all its records have in common; or keep them here."""
    if path is None:
        return nullcontext(Results({}))
    belongs_to = {
        "experiment": experiment.name,
        "protocol": experiment.protocol,
        "seed": settings.seed,
        **experiment.belongs_to,
    }
    return open_results(path, belongs_to, fresh=fresh)


def _outcome(pieces: Sequence[Piece], finished: Mapping[Key, Finished]) -> Outcome:
    """Put the finished pieces into the order of the plan."""
    done = [finished[piece.key] for piece in pieces if piece.key in finished]
    return Outcome(
        records=[record for of_piece in done for record in of_piece.records],
        n_done=len(done),
        n_planned=len(pieces),
        seconds=sum(of_piece.seconds for of_piece in done),
    )


def _loaded(experiment: Experiment, pieces: Iterable[Piece]) -> dict[str, Any]:
    """Load the data of some pieces, each once."""
    data: dict[str, Any] = {}
    if experiment.load is None:
        return data
    for piece in pieces:
        if piece.dataset not in data:
            data[piece.dataset] = experiment.load(piece)
    return data


def _measure_missing(
    experiment: Experiment,
    settings: Settings,
    pieces: Sequence[Piece],
    results: Results,
    data: Mapping[str, Any] | None = None,
) -> None:
    """Measure what is not done, add it to the results, and report progress."""
    missing = {piece.key: piece for piece in pieces if piece.key not in results.finished}
    if not missing:
        return
    data = _loaded(experiment, missing.values()) if data is None else data
    needed = experiment.measure, data
    with settings.workers() as workers:
        found = workers.map(_measure_piece, list(missing.values()), shared=needed)
        for n_done, (key, finished) in enumerate(found, len(pieces) - len(missing) + 1):
            results.add(key, finished)
            report(n_done / len(pieces), missing[key].dataset)


def _measure_piece(
    piece: Piece, needed: tuple[Callable[[Piece, Any], list[Record]], Mapping[str, Any]]
) -> tuple[Key, Finished]:
    """Measure one piece, perhaps in a process of its own."""
    # The bar shows the pieces, so what is inside a piece keeps silent.
    measure, data = needed
    with _ALONE, listen(lambda *_: None):
        started = time.perf_counter()
        records = measure(piece, data.get(piece.dataset))
        taken = time.perf_counter() - started
    return piece.key, Finished(records, taken)
