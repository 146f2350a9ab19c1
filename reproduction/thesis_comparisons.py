"""Comparisons between cells, of which the conclusions of the thesis are made.

Accuracies are alike within 0.03 (about one standard error of 300 samples), a share is perfect from
0.99 on.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from reproduction.thesis_cells import DATASETS, Cell, Cells
from reproduction.thesis_methods import KERNEL

__all__ = [
    "ALIKE",
    "CHANCE",
    "FAILING",
    "PERFECT",
    "WELL",
    "Conclusion",
    "are_the_same",
    "by_both_rules",
    "cells_under",
    "count_consistent",
    "decrease",
    "figures",
    "is_first",
    "log_probability",
    "mean_number",
    "more_consistent",
    "sparser",
    "spread",
    "variance",
]

ALIKE = 0.03
PERFECT = 0.99
CHANCE = 0.5
WORDS = {
    "number": "features",
    "mean_variance": "mean variance",
    "log_probability": "log-probability",
}
DIGITS = {"number": 1, "mean_variance": 4, "log_probability": 0}
# Accuracy from which on a method works well on the non-linear sets, and up to which it fails.
WELL, FAILING = 0.9, 0.6


@dataclass(frozen=True)
class Conclusion:
    """One sentence of the thesis and the comparisons that it stands for.

    Parameters
    ----------
    section, words : str
        Where the thesis says what.
    compare : callable
        ``compare(cells)`` gives for each comparison whether it holds.
    show : callable
        ``show(cells)`` gives the figures.
    """

    section: str
    words: str
    compare: Callable[[Cells], list[bool]]
    show: Callable[[Cells], str]


def cells_under(cells: Cells, dataset: str, methods: Iterable[str], rule: str) -> list[Cell]:
    """Cells of several methods on one set."""
    return [cells[dataset, method, rule] for method in methods]


def by_both_rules(
    cells: Cells, datasets: Iterable[str], methods: Sequence[str]
) -> list[tuple[Cell, Cell]]:
    """Cells of alignment beside those of cross validation."""
    return [
        (cells[dataset, method, "alignment"], cells[dataset, method, "cv"])
        for dataset in datasets
        for method in methods
    ]


def variance(cell: Cell) -> float:
    """Mean variance of a complete cell; lower is more consistent."""
    return cell.mean_variance or 0.0


def log_probability(cell: Cell) -> float:
    """Log-probability of a complete cell; lower is more consistent."""
    return cell.log_probability or 0.0


def figures(
    cells: Cells, dataset: str, methods: Iterable[str], *names: str, rule: str | None = None
) -> str:
    """Write out quantities of several methods, under one rule or by alignment / by cv."""
    rules = ("alignment", "cv") if rule is None else (rule,)
    listed = list(methods)
    shown = []
    for name in names:
        of_methods = []
        for method in listed:
            values = [getattr(cells[dataset, method, one], name) for one in rules]
            written = [
                f"{getattr(value, 'mean', value):.{DIGITS.get(name, 2)}f}" for value in values
            ]
            of_methods.append(f"{method} {' / '.join(written)}")
        shown.append(f"{WORDS.get(name, name)}: {'; '.join(of_methods)}")
    return ". ".join(shown)


def more_consistent(cells: Cells, datasets: Iterable[str], methods: Sequence[str]) -> list[bool]:
    """Whether alignment has the smaller mean variance, method by method."""
    return [variance(a) < variance(b) for a, b in by_both_rules(cells, datasets, methods)]


def sparser(cells: Cells, datasets: Iterable[str], methods: Sequence[str]) -> list[bool]:
    """Whether alignment keeps fewer features, method by method."""
    return [a.number.mean < b.number.mean for a, b in by_both_rules(cells, datasets, methods)]


def spread(cells: Iterable[Cell]) -> float:
    """Difference between the highest and the lowest accuracy."""
    accuracies = [cell.accuracy.mean for cell in cells]
    return max(accuracies) - min(accuracies)


def are_the_same(one: Cell, other: Cell) -> list[bool]:
    """Whether two methods get the same, measure by measure."""
    return [
        abs(one.accuracy.mean - other.accuracy.mean) <= ALIKE,
        abs(one.number.mean - other.number.mean) <= 0.1,
        abs(one.precision - other.precision) <= 1 - PERFECT,
        abs(one.recall - other.recall) <= 1 - PERFECT,
        abs(variance(one) - variance(other)) <= 1e-4,
    ]


def is_first(
    cells: Cells, dataset: str, method: str, cost: Callable[[Cell], float], rule: str = "cv"
) -> bool:
    """Whether every other method of chapter 4 has a higher cost."""
    own = cost(cells[dataset, method, rule])
    return all(own < cost(cells[dataset, other, rule]) for other in KERNEL if other != method)


def count_consistent(cells: Cells, datasets: Sequence[str], methods: Sequence[str]) -> str:
    """Tell on which sets alignment is more consistent, and for how many methods."""
    return "; ".join(
        f"{dataset} {sum(more_consistent(cells, [dataset], methods))} of {len(methods)}"
        for dataset in datasets
    )


def decrease(cells: Cells, method: str) -> float:
    """Time of cross validation over that of alignment, over all sets."""
    totals = [
        sum(cells[dataset, method, rule].cpu_seconds for dataset in DATASETS)
        for rule in ("cv", "alignment")
    ]
    return totals[0] / totals[1]


def mean_number(cells: Cells, dataset: str, methods: Sequence[str]) -> float:
    """Mean number of features that some methods keep with cross validation."""
    numbers = [cell.number.mean for cell in cells_under(cells, dataset, methods, "cv")]
    return sum(numbers) / len(numbers)
