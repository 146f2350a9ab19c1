"""Table 7 of the l1-LSMI paper: nine selectors on real data, judged by support vector machines.

Protocol of [1]_, section 6.3, as the authors' results have it: each trial takes at most 400 rows,
standardises them, selects k = 4, 10 or 20 of the m features and takes the smallest cross-validation
error of a support vector machine over a grid; see :mod:`reproduction.l1lsmi_errors`. All methods
of a trial see the same rows and the same folds. The paper has 50 trials, here there are 10.

Of its 22 data sets 20 are in the collection; ctslices and msd are not.

References
----------
.. [1] W. Jitkrittum, H. Hachiya and M. Sugiyama, "Feature selection via l1-penalized squared-loss
   mutual information", 2012.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.data.validation import constant_columns
from hsieve.kernels.columns import standardised
from reproduction.collection import load_dataset
from reproduction.experiment import Comparison, Figure, Piece, PublishedExperiment, Record
from reproduction.l1lsmi_errors import (
    MAX_ITERATIONS,
    Errors,
    draw_rows,
    make_folds,
    n_tops,
    n_wins,
    smallest_error,
)
from reproduction.l1lsmi_methods import N_RESTARTS, seed_of, select
from reproduction.tables import NOTHING, TextTable, wide_table

__all__ = [
    "EXPERIMENT",
    "TASKS",
    "Task",
    "explain",
    "load",
    "measure",
    "plan",
    "summarise",
    "tables",
]

TITLE = "Table 7 of the l1-LSMI paper: SVM error of the selected features on real data"
N_TRIALS = 10
N_ROWS = 400
METHODS = ("PC", "F-HSIC", "F-LSMI", "L1-HSIC", "L1-LSMI", "mRMR", "QPFS", "Lasso", "Relief")
OURS = "L1-LSMI"
# How near the authors' figure L1-LSMI should come: in shares of wrong classes, and relatively.
CLASS_TOLERANCE = 0.02
NUMBER_TOLERANCE = 0.03
# Name, features and classes (0: numbers); then the authors' mean and deviation for each method.
ROWS = """
abalone 8 0 .73±.04 .74±.04 .70±.05 .73±.04 .70±.05 .73±.05 .75±.04 .70±.04 .69±.04
breastcancer 9 2 .24±.00 .24±.00 .23±.01 .23±.00 .23±.01 .25±.00 .23±.00 .24±.00 .26±.00
cpuact 21 0 .25±.03 .33±.12 .28±.07 .54±.31 .25±.16 .23±.06 .27±.04 .26±.04 .37±.09
german 20 2 .25±.02 .29±.01 .29±.02 .25±.02 .25±.02 .25±.02 .25±.02 .25±.02 .26±.02
glass 9 6 .29±.00 .28±.00 .30±.01 .30±.01 .30±.01 .30±.00 .29±.00 - .31±.00
housing 13 0 4.03±.19 4.14±.20 4.20±.21 3.95±.20 3.91±.19 3.97±.20 4.11±.23 4.14±.27 4.10±.21
image 18 2 .10±.01 .19±.03 .17±.03 .13±.03 .06±.02 .14±.02 .11±.02 .11±.02 .05±.01
ionosphere 33 2 .07±.00 .07±.00 .08±.01 .07±.00 .07±.00 .09±.00 .07±.00 .07±.00 .07±.00
isolet 617 26 .54±.03 .66±.04 .58±.04 .36±.04 .27±.03 .30±.03 .30±.03 - .49±.03
musk1 166 2 .19±.02 .17±.02 .14±.02 .16±.02 .16±.02 .15±.02 .18±.02 .13±.01 .19±.03
musk2 166 2 .09±.01 .08±.01 .07±.01 .09±.01 .08±.01 .09±.01 .09±.02 .07±.01 .09±.01
satimage 36 6 .22±.02 .14±.01 .13±.02 .14±.02 .13±.02 .14±.01 .14±.02 - .16±.02
segment 18 7 .19±.03 .24±.03 .17±.02 .11±.03 .05±.01 .05±.01 .08±.03 - .13±.02
senseval2 50 3 .18±.01 .18±.01 .18±.02 .19±.02 .18±.01 .18±.01 .18±.01 - .21±.01
sonar 60 2 .23±.00 .22±.00 .14±.02 .21±.02 .16±.02 .18±.00 .19±.00 .16±.00 .19±.00
spectf 44 2 .19±.00 .17±.00 .17±.01 .19±.01 .17±.01 .18±.00 .18±.00 .18±.00 .18±.00
speech 50 2 .01±.00 .01±.00 .01±.00 .01±.00 .01±.00 .02±.00 .01±.00 .01±.00 .03±.00
vehicle 18 4 .32±.02 .33±.03 .28±.02 .34±.03 .27±.02 .39±.05 .39±.05 - .32±.04
vowel 13 11 .20±.02 .23±.03 .24±.03 .20±.02 .21±.02 .20±.02 .20±.02 - .21±.02
wine 13 3 .03±.00 .03±.00 .03±.01 .03±.01 .03±.01 .03±.00 .03±.00 - .03±.00
"""
# Bold cells of the authors' table, without those of the two data sets that are missing here.
PUBLISHED_TOPS = dict(zip(METHODS, (3, 2, 6, 1, 11, 3, 1, 2, 2), strict=True))

REMARKS = (
    "tops: data sets on which a method is best or, by a one-sided paired t-test at 5 % over the "
    "trials, not worse than the best (published: of the same 20 data sets); methods that tie with "
    "the best in every trial count, the authors mark the first only. wins: pairs of a data set and "
    "another method with a larger mean error.",
    "ctslices and msd, the other two data sets of the table, are not in the collection. Lasso is "
    "not run on more than two classes, as by the authors, who ran F-HSIC and F-LSMI on isolet in "
    "12 and 10 of their 50 trials only.",
    "F-HSIC and F-LSMI, segment, image and isolet: some columns have one value in most rows, so "
    "their median distance is zero and the kernel not defined. We think that the "
    "authors' undefined scores were sorted first, which selects these columns: F-HSIC made to do "
    "so comes to 0.27 on segment and 0.17 on image over 3 trials (published: 0.24 and 0.19). Here "
    "the mean of the positive distances stands in for a median of zero, and both methods do better "
    "than published.",
    "Errors are pooled over the folds, as LIBSVM does. It draws new folds for each cell of the "
    "grid, which makes the smallest error smaller by some thousandths; here all cells, and all "
    "methods of a trial, share the folds.",
    f"Support vector machines: epsilon = 0.1 in units of the target; fits end at {MAX_ITERATIONS} "
    "iterations (LIBSVM: ten million), which concerns large costs and moved the errors looked at "
    "by 0.2 % at most.",
    f"L1-HSIC and L1-LSMI: {N_RESTARTS} restarts of our own ascent through all sizes, not of the "
    "authors' search over radii; F-HSIC: median width for each set looked at; mRMR: three levels a "
    "feature (authors: five); Relief: 10 neighbours.",
    "Up to 400 rows all are used in every trial, so only folds, and what is random in a method, "
    "differ between trials of breastcancer, glass, ionosphere, sonar, spectf, speech and wine.",
)


@dataclass(frozen=True)
class Task:
    """One row of the table.

    Parameters
    ----------
    name : str
        Name in the collection, group l1lsmi.
    n_features : int
        Number of features.
    n_classes : int
        Number of classes, 0 where the target holds numbers.
    published : dict of str to Figure
        The authors' errors of the methods that they ran.
    """

    name: str
    n_features: int
    n_classes: int
    published: Mapping[str, Figure]

    @property
    def n_selected(self) -> int:
        """Number of features to select."""
        return 4 if self.n_features <= 33 else 10 if self.n_features <= 90 else 20

    @property
    def kind(self) -> str:
        """What the target holds."""
        return "classes" if self.n_classes else "continuous"

    @property
    def methods(self) -> tuple[str, ...]:
        """Methods that are run: the lasso knows two classes at most."""
        return tuple(method for method in METHODS if method != "Lasso" or self.n_classes <= 2)

    def load(self) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """Return the features and the target."""
        data = load_dataset(f"l1lsmi/{self.name}")
        return data.X.astype(np.float64), data.y


def _task(row: str) -> Task:
    """Read a row of the authors' table; a dash is a method that they did not run."""
    name, n_features, n_classes, *cells = row.split()
    figures = {
        method: Figure(*map(float, cell.split("±")))
        for method, cell in zip(METHODS, cells, strict=True)
        if cell != NOTHING
    }
    return Task(name, int(n_features), int(n_classes), figures)


TASKS = tuple(map(_task, ROWS.strip().splitlines()))


@dataclass(frozen=True)
class Work:
    """What a piece has to know: its data set and the place of it, number of rows, seed."""

    task: Task
    place: int
    n_rows: int
    seed: int


def plan(trials: int, seed: int) -> list[Piece]:
    """List all selections."""
    return [
        Piece(task.name, trial, method=method, work=Work(task, place, N_ROWS, seed))
        for place, task in enumerate(TASKS)
        for trial in range(trials)
        for method in task.methods
    ]


def load(piece: Piece) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return the features and the target of a piece."""
    task: Task = piece.work.task
    return task.load()


def measure(piece: Piece, data: tuple[NDArray[np.float64], NDArray[Any]]) -> list[Record]:
    """Select features with one method on the rows of one trial, and judge them."""
    work: Work = piece.work
    classes = work.task.n_classes > 0
    # Rows and folds are those of the trial, whatever the method.
    rows_seed, folds_seed, method_seed = (
        seed_of(work.seed, work.place, piece.trial, purpose) for purpose in range(3)
    )
    rows = draw_rows(data[1], work.n_rows, classes=classes, seed=rows_seed)
    X, y = standardised(data[0][rows]), data[1][rows]
    selected, seconds = select(
        piece.method, (X, y), work.task.n_selected, work.task.kind, method_seed
    )
    folds = make_folds(y, classes=classes, seed=folds_seed)
    best = smallest_error(X[:, selected], y, folds, classes=classes)
    return [
        {
            "dataset": piece.dataset,
            "trial": piece.trial,
            "method": piece.method,
            "error": best.error,
            "cost": best.cost,
            "width_factor": best.width_factor,
            "n_capped": best.n_capped,
            "n_rows": len(rows),
            "n_constant": int(constant_columns(X).sum()),
            "selected": " ".join(map(str, selected.tolist())),
            "seconds": seconds,
        }
    ]


def summarise(records: Sequence[Record]) -> list[Comparison]:
    """Average over trials, beside the authors' figures."""
    return [
        Comparison(task.name, method, Figure.of(by_trial.values()), task.published.get(method))
        for task, errors in _by_task(records)
        for method, by_trial in errors.items()
    ]


def tables(records: Sequence[Record]) -> list[TextTable]:
    """Lay out errors and seconds."""
    errors = [errors for _, errors in _by_task(records)]
    tops, wins = n_tops(errors), n_wins(errors)
    footer = {
        "tops": {method: f"{tops[method]} / {PUBLISHED_TOPS[method]}" for method in tops},
        "wins": {method: str(wins[method]) for method in wins},
    }
    cells = [
        Comparison(task.name, method, Figure.of(by_trial.values()))
        for task, seconds in _by_task(records, "seconds")
        for method, by_trial in seconds.items()
    ]
    compared = summarise(records)
    return [
        wide_table(f"{TITLE} (here / published)", compared, _write_error, footer),
        wide_table("Difference of the means, ours minus published", compared, _write_difference),
        wide_table("Seconds of a selection, mean over trials", cells, _write_mean),
    ]


def explain(records: Sequence[Record]) -> list[str]:
    """Say how the figures were made, how L1-LSMI stands, and what deviates from the protocol."""
    n_trials = len({record["trial"] for record in records})
    return [
        f"Mean over {n_trials} trials (authors: 50) of the smallest 5-fold cross-validation error "
        "over the grid: share of wrong classes, or root mean square error (abalone, cpuact and "
        f"housing). At most {N_ROWS} rows a trial, on which features are selected as well, so the "
        "figures are optimistic, here and there.",
        *_about_ours(records),
        *_exceptions(records),
        *REMARKS,
    ]


def _by_task(records: Sequence[Record], key: str = "error") -> Iterator[tuple[Task, Errors]]:
    """Errors (or something else) by method and trial, of each data set that has any."""
    for task in TASKS:
        errors: dict[str, dict[int, float]] = {}
        for record in records:
            if record["dataset"] == task.name:
                of_method = errors.setdefault(str(record["method"]), {})
                of_method[int(record["trial"])] = float(record[key])
        if errors:
            yield task, {method: errors[method] for method in METHODS if method in errors}


def _write_mean(cell: Comparison) -> str:
    """Write what was measured, with three digits or so."""
    assert isinstance(cell.measured, Figure)
    return f"{cell.measured.mean:.3f}" if cell.measured.mean < 10 else f"{cell.measured.mean:.1f}"


def _write_error(cell: Comparison) -> str:
    """Write what was measured beside what was published."""
    published = NOTHING if cell.published is None else f"{cell.published.mean:.2f}"
    return f"{_write_mean(cell)} / {published}"


def _write_difference(cell: Comparison) -> str:
    """Write by how much ours is larger."""
    return NOTHING if cell.difference is None else f"{cell.difference:+.3f}"


def _about_ours(records: Sequence[Record]) -> Iterator[str]:
    """Tell on which data L1-LSMI is no worse than the authors' figure, and on which it is."""
    kept: list[str] = []
    above: list[str] = []
    numbers = {task.name for task in TASKS if not task.n_classes}
    for cell in summarise(records):
        if cell.method == OURS and cell.published is not None and cell.difference is not None:
            allowed = CLASS_TOLERANCE
            if cell.dataset in numbers:
                allowed = NUMBER_TOLERANCE * cell.published.mean
            told = f"{cell.dataset} ({cell.difference:+.3f})"
            (kept if cell.difference <= allowed else above).append(told)
    if kept or above:
        yield (
            f"{OURS} is no more than {CLASS_TOLERANCE:g} (classes) or {NUMBER_TOLERANCE:.0%} "
            f"(numbers) above the authors' mean on {len(kept)} of {len(kept) + len(above)} data "
            f"sets: {', '.join(kept) or 'none'}; more on {', '.join(above) or 'none'}."
        )
    tops = n_tops([errors for _, errors in _by_task(records)])
    if tops:
        counts = ", ".join(f"{method} {tops[method]}" for method in METHODS if method in tops)
        yield f"Tops here: {counts}."


def _exceptions(records: Sequence[Record]) -> Iterator[str]:
    """Name what did not go by the protocol in these records."""
    capped = sorted({str(record["dataset"]) for record in records if int(record["n_capped"])})
    if capped:
        yield (
            f"In {', '.join(capped)} a cell that won had fits ended at {MAX_ITERATIONS} iterations."
        )
    constant = sorted({str(record["dataset"]) for record in records if int(record["n_constant"])})
    if constant:
        yield (
            f"Some draws of rows of {', '.join(constant)} have columns with one single value, "
            "which no method may select."
        )


EXPERIMENT = PublishedExperiment(
    name="l1lsmi-table7",
    title=TITLE,
    protocol=1,
    plan=plan,
    load=load,
    measure=measure,
    summarise=summarise,
    explain=explain,
    tables=tables,
    trials=N_TRIALS,
)
