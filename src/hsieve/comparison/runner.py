"""Run any experiment, in several processes if you like, and resume where an earlier run ended.

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
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from hsieve.comparison.experiment import Experiment, Key, Piece, Record, Settings
from hsieve.comparison.results_file import Finished, Results, open_results
from hsieve.progress import listen, report

# The clock may not have moved since the work began.
LEAST_SECONDS = 1e-3
# Held by the one piece that a process is measuring.
_ALONE = Lock()


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


def results_path(folder: Path, experiment: Experiment) -> Path:
    """Return the file in which a folder keeps the pieces of an experiment."""
    return folder / f"{experiment.name}.jsonl"


def run(
    experiment: Experiment, settings: Settings, folder: Path, *, fresh: bool = False
) -> Outcome:
    """Measure what is not yet in the folder's file of results."""
    pieces = planned(experiment, settings)
    path = results_path(folder, experiment)
    # What is missing is told before anything is thrown away or begun.
    data = _loaded(experiment, pieces) if fresh or not path.exists() else None
    with open_results(path, _belongs_to(experiment, settings), fresh=fresh) as results:
        _measure_missing(experiment, settings, pieces, results, data)
        return _outcome(pieces, results.finished)


def gather(experiment: Experiment, settings: Settings, folder: Path) -> Outcome:
    """Return what is in the folder's file of results, and measure nothing."""
    pieces = planned(experiment, settings)
    path = results_path(folder, experiment)
    with open_results(path, _belongs_to(experiment, settings)) as results:
        return _outcome(pieces, results.finished)


def measure_all(experiment: Experiment, settings: Settings | None = None) -> list[Record]:
    """Measure everything and keep nothing on disk."""
    settings = Settings() if settings is None else settings
    pieces = planned(experiment, settings)
    results = Results({})
    _measure_missing(experiment, settings, pieces, results)
    return _outcome(pieces, results.finished).records


def planned(experiment: Experiment, settings: Settings) -> list[Piece]:
    """Return the pieces that some settings ask for."""
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


def _loaded(experiment: Experiment, pieces: Iterable[Piece]) -> dict[str, Any]:
    """Load the data of some pieces, each once."""
    data: dict[str, Any] = {}
    if experiment.load is None:
        return data
    for piece in pieces:
        if piece.dataset not in data:
            data[piece.dataset] = experiment.load(piece)
    return data


@dataclass(frozen=True, eq=False)
class _Needed:
    """What all pieces need: how to measure, and data by name."""

    measure: Callable[[Piece, Any], list[Record]]
    data: Mapping[str, Any]


def _measure_missing(
    experiment: Experiment,
    settings: Settings,
    pieces: Sequence[Piece],
    results: Results,
    data: Mapping[str, Any] | None = None,
) -> None:
    """Measure what is not done, add it to the results, and tell how far it is."""
    missing = {piece.key: piece for piece in pieces if piece.key not in results.finished}
    if not missing:
        return
    data = _loaded(experiment, missing.values()) if data is None else data
    needed = _Needed(experiment.measure, data)
    seconds = {key: finished.seconds for key, finished in results.finished.items()}
    started, worked = time.monotonic(), 0.0
    with settings.workers() as workers:
        for key, finished in workers.map(_measure_piece, list(missing.values()), shared=needed):
            results.add(key, finished)
            seconds[key] = finished.seconds
            worked += finished.seconds
            piece = missing.pop(key)
            n_busy: float = settings.jobs
            if settings.engine is not None:
                # Of an engine it is seen by what it has done.
                n_busy = max(1.0, worked / max(time.monotonic() - started, LEAST_SECONDS))
            left = time_left(list(missing), seconds, n_busy)
            report(1 - len(missing) / len(pieces), f"{piece.dataset}, {in_words(left)}")


def _measure_piece(piece: Piece, needed: _Needed) -> tuple[Key, Finished]:
    """Measure one piece, perhaps in a process of its own."""
    # The bar shows the pieces, so what is inside a piece keeps silent.
    with _ALONE, listen(_ignore):
        started = time.perf_counter()
        records = needed.measure(piece, needed.data.get(piece.dataset))
        taken = time.perf_counter() - started
    return piece.key, Finished(records, taken)


def _ignore(share_done: float, what: str) -> None:
    """Listen to nothing."""


def time_left(missing: Sequence[Key], seconds: Mapping[Key, float], jobs: float) -> float:
    """Estimate how long the missing pieces will take, so many at a time.

    A piece counts as the mean of those with its data and method, of those with its data, with its
    method, or of all, the first of which there are any.
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
