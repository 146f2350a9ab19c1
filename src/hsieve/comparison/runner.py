"""Run any experiment, in several processes if you like, and resume where an earlier run ended.

Only this process writes to the file of results; the others measure. Pieces are taken in the order
of the plan and written down as soon as they are done, in whatever order that is; the records are
given in the order of the plan again. An engine gives its results in order, so that up to its
``in_flight`` pieces may be done and not yet written; a run that is killed measures those again.

Each piece runs with one BLAS thread, so that its figures do not depend on how many run beside it,
and alone in its process, to which times and warnings belong.

On Ctrl-C everything finished is in the file already; the caller gets it by :func:`gather`.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock, Thread, current_thread, main_thread
from typing import Any

from hsieve.comparison.experiment import Experiment, Key, Piece, Record, Settings
from hsieve.comparison.results_file import Finished, open_results
from hsieve.progress import listen, report

__all__ = ["Outcome", "gather", "measure_all", "planned", "results_path", "run"]

WATCH_SECONDS = 0.5
# The clock may not have moved since the work began.
LEAST_SECONDS = 1e-3
# Held by the one piece that a process is measuring.
_ALONE = Lock()


@dataclass(frozen=True)
class Outcome:
    """Records of a run, complete or not.

    Parameters
    ----------
    records : list of Record
        Of all finished pieces that the settings ask for, in the order of the plan.
    n_done, n_planned : int
        Number of finished pieces, and of all.
    seconds : float
        Time taken by the finished pieces, one after the other, in this run and those before it.
    """

    records: list[Record]
    n_done: int
    n_planned: int
    seconds: float

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing."""
        return self.n_done == self.n_planned


def results_path(folder: Path, experiment: Experiment) -> Path:
    """Return the file in which a folder keeps the pieces of an experiment."""
    return folder / f"{experiment.name}.jsonl"


def run(
    experiment: Experiment, settings: Settings, folder: Path, *, fresh: bool = False
) -> Outcome:
    """Measure what is not yet in the folder's file of results.

    Parameters
    ----------
    experiment : Experiment
        What to run.
    settings : Settings
        Trials, processes and seed.
    folder : Path
        Where results are kept.
    fresh : bool, default=False
        Whether to throw away what is there.

    Returns
    -------
    Outcome
        All records asked for, of this run and of those before it.

    Raises
    ------
    ResultsError
        If the file of results cannot be used.
    """
    pieces = planned(experiment, settings)
    path = results_path(folder, experiment)
    work = _Work(experiment, settings)
    if fresh or not path.exists():
        # What is missing is told before anything is thrown away or begun.
        work.load(pieces)
    with open_results(path, _belongs_to(experiment, settings), fresh=fresh) as results:
        _measure_missing(work, pieces, results.finished, results.add)
        return _outcome(pieces, results.finished)


def gather(experiment: Experiment, settings: Settings, folder: Path) -> Outcome:
    """Return what is in the folder's file of results, and measure nothing.

    Parameters
    ----------
    experiment, settings, folder
        As in :func:`run`.

    Returns
    -------
    Outcome
        What was finished by now.

    Raises
    ------
    ResultsError
        As in :func:`run`.
    """
    pieces = planned(experiment, settings)
    path = results_path(folder, experiment)
    with open_results(path, _belongs_to(experiment, settings)) as results:
        return _outcome(pieces, results.finished)


def measure_all(experiment: Experiment, settings: Settings | None = None) -> list[Record]:
    """Measure everything and keep nothing on disk.

    Parameters
    ----------
    experiment : Experiment
        What to run.
    settings : Settings or None, default=None
        None for the usual ones.

    Returns
    -------
    list of Record
        In the order of the plan.
    """
    settings = Settings() if settings is None else settings
    pieces = planned(experiment, settings)
    finished: dict[Key, Finished] = {}
    _measure_missing(_Work(experiment, settings), pieces, finished, finished.__setitem__)
    return _outcome(pieces, finished).records


def planned(experiment: Experiment, settings: Settings) -> list[Piece]:
    """Return the pieces that some settings ask for.

    Parameters
    ----------
    experiment, settings
        As in :func:`run`.

    Returns
    -------
    list of Piece
        In the order of the plan.
    """
    trials = experiment.trials if settings.trials is None else settings.trials
    return experiment.plan(trials, settings.seed)


def _belongs_to(experiment: Experiment, settings: Settings) -> dict[str, str | int]:
    """Say what all records of a file have in common."""
    return {
        "experiment": experiment.name,
        "protocol": experiment.protocol,
        "seed": settings.seed,
        **experiment.belongs_to,
    }


def _outcome(pieces: Sequence[Piece], finished: Mapping[Key, Finished]) -> Outcome:
    """Put the finished pieces into the order of the plan."""
    done = [finished[piece.key] for piece in pieces if piece.key in finished]
    return Outcome(
        records=[record for of_piece in done for record in of_piece.records],
        n_done=len(done),
        n_planned=len(pieces),
        seconds=sum(of_piece.seconds for of_piece in done),
    )


class _Work:
    """The measuring part of a run, with the data that it has loaded."""

    def __init__(self, experiment: Experiment, settings: Settings) -> None:
        self.experiment = experiment
        self.settings = settings
        self._data: dict[str, Any] = {}

    def load(self, pieces: Sequence[Piece]) -> None:
        """Load the data of some pieces, each once."""
        for piece in pieces:
            if self.experiment.load is not None and piece.dataset not in self._data:
                self._data[piece.dataset] = self.experiment.load(piece)

    @contextmanager
    def measured(self, pieces: Sequence[Piece]) -> Iterator[Iterator[tuple[Key, Finished]]]:
        """Measure pieces while the block lasts, and give each as soon as it can be had."""
        self.load(pieces)
        giver = os.getpid() if self.settings.engine is None else None
        needed = _Needed(self.experiment.measure, self._data, giver)
        with self.settings.workers() as workers:
            yield workers.map(_measure_piece, pieces, shared=needed)

    def n_busy(self, worked: float, elapsed: float) -> float:
        """Tell how many pieces are measured at a time; of an engine, by what it has done."""
        if self.settings.engine is None:
            return self.settings.jobs
        return max(1.0, worked / max(elapsed, LEAST_SECONDS))


@dataclass(frozen=True, eq=False)
class _Needed:
    """What all pieces need: how to measure, data by name, and who ends the processes with it."""

    measure: Callable[[Piece, Any], list[Record]]
    data: Mapping[str, Any]
    giver: int | None


def _measure_missing(
    work: _Work,
    pieces: Sequence[Piece],
    done: Mapping[Key, Finished],
    add: Callable[[Key, Finished], None],
) -> None:
    """Measure what is not done, hand each piece to `add`, and tell how far it is."""
    missing = {piece.key: piece for piece in pieces if piece.key not in done}
    if not missing:
        return
    seconds = {key: finished.seconds for key, finished in done.items()}
    started, worked = time.monotonic(), 0.0
    with work.measured(list(missing.values())) as measured:
        for key, finished in measured:
            add(key, finished)
            seconds[key] = finished.seconds
            worked += finished.seconds
            piece = missing.pop(key)
            n_busy = work.n_busy(worked, time.monotonic() - started)
            left = time_left(list(missing), seconds, n_busy)
            report(1 - len(missing) / len(pieces), f"{piece.dataset}, {in_words(left)}")


def _measure_piece(piece: Piece, needed: _Needed) -> tuple[Key, Finished]:
    """Measure one piece, perhaps in a process of its own."""
    is_main = current_thread() is main_thread()
    if needed.giver not in {None, os.getpid()} and is_main:
        # Ctrl-C reaches all processes of a terminal; the one that gave out the work ends the rest.
        # Where a worker runs jobs in threads, it is somebody else's, and looks after itself.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _end_with_parent()
    # The bar shows the pieces, so what is inside a piece keeps silent.
    with _ALONE, listen(_ignore):
        started = time.perf_counter()
        records = needed.measure(piece, needed.data.get(piece.dataset))
        taken = time.perf_counter() - started
    return piece.key, Finished(records, taken)


@lru_cache(maxsize=1)
def _end_with_parent() -> None:
    """See to it, once, that this process does not go on measuring for one that was killed."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCH_SECONDS)
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def _ignore(share_done: float, what: str) -> None:
    """Listen to nothing."""


def time_left(missing: Sequence[Key], seconds: Mapping[Key, float], jobs: float) -> float:
    """Estimate how long the missing pieces will take.

    Parameters
    ----------
    missing : sequence of Key
        Pieces to come.
    seconds : mapping of Key to float
        Times of finished pieces, at least one.
    jobs : float
        Number of pieces that are measured at a time.

    Returns
    -------
    float
        Seconds. A piece counts as the mean of those with its data and method, of those with its
        data, with its method, or of all, the first of which there are any.
    """
    groups: dict[tuple[str | None, str | None], list[float]] = {}
    for (dataset, _, _, method), taken in seconds.items():
        for group in ((dataset, method), (dataset, None), (None, method), (None, None)):
            groups.setdefault(group, []).append(taken)
    means = {group: sum(taken) / len(taken) for group, taken in groups.items()}
    total = 0.0
    for dataset, _, _, method in missing:
        wanted = ((dataset, method), (dataset, None), (None, method), (None, None))
        total += next(means[group] for group in wanted if group in means)
    return total / jobs


def in_words(seconds: float) -> str:
    """Tell how much time is left, no more exactly than it can be known."""
    if seconds < 90:
        return f"about {max(seconds, 1):.0f} s left"
    if seconds < 5400:
        return f"about {seconds / 60:.0f} min left"
    return f"about {seconds / 3600:.1f} h left"
