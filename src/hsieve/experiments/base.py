"""What a published experiment is: a run that gives plain records, and figures to hold them to.

A record is a flat dictionary of text and numbers, one for each thing measured (say, the error of
one method on one fold). Records can be written to a file as they come and read back, so a long
experiment can be continued; everything shown is computed from them afterwards.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Comparison", "Experiment", "Figure", "Record", "Settings"]

Record: TypeAlias = dict[str, str | int | float]


@dataclass(frozen=True)
class Settings:
    """What the person running an experiment may choose.

    Parameters
    ----------
    trials : int, default=1
        How often the whole protocol is repeated with other random splits.
    jobs : int, default=1
        Number of processes. The figures do not depend on it.
    seed : int, default=0
        Seed of all random choices.
    """

    trials: int = 1
    jobs: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("trials", 1), ("jobs", 1), ("seed", 0)):
            value = getattr(self, name)
            if value < least:
                msg = f"{name} must be a whole number of at least {least}, got {value!r}."
                raise ValueError(msg)


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
        Name on the command line.
    title : str
        Table and paper, in one line.
    quantity : str
        What the figures are, such as "RMSE"; "mean" where the cells say it themselves.
    run : callable
        ``run(settings)`` gives the records. It reports its progress and raises
        ``DatasetNotFoundError`` if the data are not there.
    summarise : callable
        ``summarise(records)`` gives the cells of the table.
    explain : callable
        ``explain(records)`` gives sentences: the protocol, and where ours and the paper's differ.
    """

    name: str
    title: str
    quantity: str
    run: Callable[[Settings], list[Record]]
    summarise: Callable[[Sequence[Record]], list[Comparison]]
    explain: Callable[[Sequence[Record]], list[str]]
