"""The three observations of the BAHSIC paper on micro-arrays, computed from records.

Only data sets on which every method has all its folds count. A method is best on a set if no other
has a lower error; ties count for all that share it, and it is said how often nobody else shares it.
An observation holds if the share of sets is at least that of the paper; "but for one set" means
that one more set would do.

The family sends more methods into the contest than there are others. So beside the paper's counts,
which compare the best of each side, stands a fair one: the median method of each side.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from reproduction.bahsic_genes import FAMILY, NON_LINEAR, OTHERS
from reproduction.experiment import Record
from reproduction.tables import TextTable

__all__ = ["Result", "in_words", "lowest_errors", "results_of", "standings", "table"]


@dataclass(frozen=True)
class Result:
    """What a method gets on a data set.

    Parameters
    ----------
    error, deviation : float
        Share of wrong samples, and the deviation of that share over folds.
    overlap : float or None
        Genes in the lists of all folds, the mean over trials; None before a trial is complete.
    n_classes : int
        Number of classes.
    """

    error: float
    deviation: float
    overlap: float | None
    n_classes: int


Results: TypeAlias = Mapping[tuple[str, str], Result]


@dataclass(frozen=True)
class Observation:
    """One count of the paper, here and there."""

    words: str
    n_here: int
    n_alone: int
    n_sets: int
    published: int
    n_published: int

    @property
    def verdict(self) -> str:
        """Whether the share of sets is that of the paper, nearly so, or at least over half."""
        expected = self.published * self.n_sets / self.n_published
        if self.n_here >= expected:
            return "holds" if self.n_alone > 0 else "holds by ties only"
        if 0 < self.n_here >= expected - 1:
            return "holds but for one set"
        return "holds in part" if 2 * self.n_here > self.n_sets else "does not hold"


def results_of(records: Sequence[Record]) -> dict[tuple[str, str], Result]:
    """Put the folds of each data set and method together.

    Parameters
    ----------
    records : sequence of Record
        One for each data set, trial, fold and method.

    Returns
    -------
    dict of (str, str) to Result
        By data set and method.
    """
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        groups.setdefault((str(record["dataset"]), str(record["method"])), []).append(record)
    return {key: _result(of_group) for key, of_group in groups.items()}


def _result(records: Sequence[Record]) -> Result:
    """Put folds together."""
    wrong = np.array([int(record["n_wrong"]) for record in records])
    tested = np.array([int(record["n_test"]) for record in records])
    trials: dict[int, list[set[str]]] = {}
    for record in records:
        trials.setdefault(int(record["trial"]), []).append(set(str(record["genes"]).split()))
    n_folds = int(records[0]["n_folds"])
    complete = all(len(lists) == n_folds for lists in trials.values())
    overlaps = [len(set.intersection(*lists)) for lists in trials.values()]
    return Result(
        error=float(wrong.sum() / tested.sum()),
        deviation=float(np.std(wrong / tested)),
        overlap=float(np.mean(overlaps)) if complete else None,
        n_classes=int(records[0]["n_classes"]),
    )


def lowest_errors(results: Results) -> dict[str, float]:
    """Return the lowest error on each data set that is complete.

    Parameters
    ----------
    results : mapping of (str, str) to Result
        By data set and method.

    Returns
    -------
    dict of str to float
        By data set.
    """
    return {
        dataset: min(found.error for found in of_set.values())
        for dataset, of_set in _complete_sets(results).items()
    }


def standings(results: Results) -> dict[str, dict[str, str]]:
    """Count how often each method is best and second, and how far it is from the best.

    Parameters
    ----------
    results : mapping of (str, str) to Result
        By data set and method.

    Returns
    -------
    dict of str to dict of str to str
        Rows "best", "second" and "l2" by method; none while no data set is complete.
    """
    sets = _complete_sets(results).values()
    rows: dict[str, dict[str, str]] = {}
    for method in dict.fromkeys(method for of_set in sets for method in of_set):
        ranks = []
        gaps = []
        for of_set in sets:
            levels = sorted({found.error for found in of_set.values()})
            ranks.append(levels.index(of_set[method].error))
            gaps.append(100 * (of_set[method].error - levels[0]))
        for name, text in (
            ("best", str(ranks.count(0))),
            ("second", str(ranks.count(1))),
            ("l2", f"{np.linalg.norm(gaps):.1f}"),
        ):
            rows.setdefault(name, {})[method] = text
    return rows


def table(records: Sequence[Record]) -> list[TextTable]:
    """Lay out the observations beside those of the paper.

    Parameters
    ----------
    records : sequence of Record
        One for each data set, trial, fold and method.

    Returns
    -------
    list of TextTable
        One, or none while no data set is complete.
    """
    rows = [
        (
            seen.words,
            f"{seen.n_here} of {seen.n_sets}",
            str(seen.n_alone),
            f"{seen.published} of {seen.n_published}",
            seen.verdict,
        )
        for seen in _observations(records)
    ]
    headings = ("observation", "sets here", "without ties", "paper", "verdict")
    return [TextTable("The paper's observations", headings, rows)] if rows else []


def in_words(records: Sequence[Record]) -> list[str]:
    """Say whether the observations hold.

    Parameters
    ----------
    records : sequence of Record
        One for each data set, trial, fold and method.

    Returns
    -------
    list of str
        A sentence for each, and the fair comparison.
    """
    sentences = [
        f"{seen.words}: on {seen.n_here} of {seen.n_sets} sets (paper: {seen.published} of "
        f"{seen.n_published}), on {seen.n_alone} of them without a tie; this {seen.verdict}."
        for seen in _observations(records)
    ]
    sets = _complete_sets(results_of(records))
    if sets:
        sentences.append(_fair_comparison(sets))
    return sentences


def _complete_sets(results: Results) -> dict[str, dict[str, Result]]:
    """Keep the data sets on which all methods that were run have all their folds."""
    sets: dict[str, dict[str, Result]] = {}
    for (dataset, method), found in results.items():
        sets.setdefault(dataset, {})[method] = found
    expected = {
        several: {m for of_set in sets.values() for m, f in of_set.items() if _many(f) == several}
        for several in (False, True)
    }
    return {
        dataset: of_set
        for dataset, of_set in sets.items()
        if of_set.keys() == expected[_many(next(iter(of_set.values())))]
        and all(found.overlap is not None for found in of_set.values())
    }


def _many(found: Result) -> bool:
    """Tell whether there are more than two classes."""
    return found.n_classes > 2


def _observations(records: Sequence[Record]) -> list[Observation]:
    """Count for the three observations; the first has a count for each of the two tables."""
    sets = _complete_sets(results_of(records))
    two = [s for s in sets.values() if not _many(next(iter(s.values())))]
    several = [s for s in sets.values() if _many(next(iter(s.values())))]
    every = [*two, *several]
    seen = []
    for words, among, side, cost, published, n_published in (
        ("1. The family has the lowest error, two classes", two, FAMILY, _error, 12, 15),
        ("1. The family has the lowest error, several classes", several, FAMILY, _error, 13, 13),
        ("2. The family has the greatest overlap", every, FAMILY, _lack_of_overlap, 27, 28),
        ("3. RBF or dis has the lowest error", every, NON_LINEAR, _error, 7, 28),
        ("3. RBF or dis has the greatest overlap", every, NON_LINEAR, _lack_of_overlap, 7, 28),
    ):
        if among:
            n_here, n_alone = _times_first(among, side, cost)
            seen.append(Observation(words, n_here, n_alone, len(among), published, n_published))
    return seen


def _error(found: Result) -> float:
    return found.error


def _lack_of_overlap(found: Result) -> float:
    return -(found.overlap or 0.0)


def _times_first(
    sets: Sequence[Mapping[str, Result]],
    side: Sequence[str] | Mapping[str, object],
    cost: Callable[[Result], float],
) -> tuple[int, int]:
    """Count the sets on which the best of one side is first, and on which it is first alone."""
    first = alone = 0
    for of_set in sets:
        inside = [cost(found) for method, found in of_set.items() if method in side]
        outside = [cost(found) for method, found in of_set.items() if method not in side]
        if inside and outside:
            first += min(inside) <= min(outside)
            alone += min(inside) < min(outside)
    return first, alone


def _fair_comparison(sets: Mapping[str, Mapping[str, Result]]) -> str:
    """Hold the median method of the family to the median of the others."""
    wins = losses = 0
    sides: dict[bool, list[float]] = {True: [], False: []}
    for of_set in sets.values():
        medians = {}
        for inside in (True, False):
            names = FAMILY if inside else OTHERS
            errors = [found.error for method, found in of_set.items() if method in names]
            medians[inside] = float(np.median(errors)) if errors else np.nan
            sides[inside].append(medians[inside])
        wins += medians[True] < medians[False]
        losses += medians[True] > medians[False]
    return (
        "Counting the best of each side favours the family, which has two or three times as many "
        "methods. The median method of the family has a lower error than that of the others on "
        f"{wins} of {len(sets)} sets and a higher one on {losses}; the means of these medians are "
        f"{100 * np.mean(sides[True]):.1f} and {100 * np.mean(sides[False]):.1f} percent."
    )
