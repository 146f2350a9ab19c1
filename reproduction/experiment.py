"""What a published experiment is: pieces of work that give plain records, and figures to hold to.

Pieces, records and the runner are those of :mod:`hsieve.comparison`: a run keeps the records of
each finished piece in a file and resumes there. Everything shown is computed from the records
afterwards, also from those of half a run.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from hsieve.comparison.result import TextTable
from hsieve.comparison.results_file import Record
from hsieve.comparison.runner import Experiment, Piece, Settings
from hsieve.comparison.summary import Figure

__all__ = [
    "Comparison",
    "Figure",
    "Piece",
    "PublishedExperiment",
    "Record",
    "Settings",
    "UnknownNameError",
    "restricted",
]


class UnknownNameError(ValueError):
    """A data set or method that the experiment does not have."""


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


@dataclass(frozen=True, kw_only=True)
class PublishedExperiment(Experiment):
    """A published experiment that can be run again.

    Parameters
    ----------
    name, protocol, plan, measure, load, trials, belongs_to
        As in :class:`hsieve.comparison.runner.Experiment`. The name is that on the command
        line, and `load` raises ``DatasetNotFoundError`` if the data are not there.
    title : str
        Table and paper, in one line.
    summarise : callable
        ``summarise(records)`` gives the cells of the table, as far as there are records.
    explain : callable
        ``explain(records)`` gives sentences: the protocol, and where ours and the paper's differ.
    tables : callable
        ``tables(records)`` gives the tables to show; see :mod:`reproduction.tables`.
    """

    title: str
    summarise: Callable[[Sequence[Record]], list[Comparison]]
    explain: Callable[[Sequence[Record]], list[str]]
    tables: Callable[[Sequence[Record]], list[TextTable]]


def restricted(
    experiment: PublishedExperiment, datasets: Sequence[str] = (), methods: Sequence[str] = ()
) -> PublishedExperiment:
    """Restrict an experiment to some data sets and methods.

    Parameters
    ----------
    experiment : PublishedExperiment
        The whole experiment.
    datasets, methods : sequence of str, default=()
        Names to keep; empty for all. Methods can only be chosen where each piece measures one of
        them.

    Returns
    -------
    PublishedExperiment
        The same with fewer pieces. Its plan raises ``UnknownNameError`` for names that are not
        there.
    """

    def plan(trials: int, seed: int) -> list[Piece]:
        pieces = experiment.plan(trials, seed)
        for kind, wanted in (("dataset", datasets), ("method", methods)):
            if wanted:
                _check_names(kind, wanted, [getattr(piece, kind) for piece in pieces])
                pieces = [piece for piece in pieces if getattr(piece, kind) in wanted]
        return pieces

    return replace(experiment, plan=plan)


def _check_names(kind: str, wanted: Sequence[str], there: Sequence[str]) -> None:
    """Refuse names that no piece has."""
    known = dict.fromkeys(name for name in there if name)
    if not known:
        msg = f"this experiment measures all {kind}s together, so that none can be left out"
        raise UnknownNameError(msg)
    unknown = [name for name in wanted if name not in known]
    if unknown:
        msg = f"there is no {kind} {unknown[0]!r} in this experiment; there are {', '.join(known)}"
        raise UnknownNameError(msg)
