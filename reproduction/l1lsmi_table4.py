"""Table 4 of the l1-LSMI paper: eleven selectors on three toy sets, judged by the F-measure.

Protocol of [1]_, section 6.2: 400 samples of each toy set in each of 50 trials, as many features
selected as are true, F = 2pr / (p + r) of precision and recall. All methods of a trial see the same
samples. Settings are in :mod:`reproduction.l1lsmi_methods`.

References
----------
.. [1] W. Jitkrittum, H. Hachiya and M. Sugiyama, "Feature selection via l1-penalized squared-loss
   mutual information", 2012.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hsieve.datasets import Problem, make_and_or, make_quad, make_xor_toy
from reproduction.experiment import Comparison, Figure, Piece, PublishedExperiment, Record
from reproduction.l1lsmi_methods import METHODS, N_RESTARTS, seed_of, select
from reproduction.tables import TextTable, long_table

__all__ = [
    "EXPERIMENT",
    "PUBLISHED",
    "explain",
    "f_measure",
    "measure",
    "plan",
    "summarise",
    "tables",
]

TITLE = "Table 4 of the l1-LSMI paper: F-measure of the selected features on toy sets"
N_TRIALS = 50
N_SAMPLES = 400
# How far from the published mean a cell may lie without being named.
TOLERANCE = 0.1

GENERATORS = {"and-or": make_and_or, "quad": make_quad, "xor": make_xor_toy}
# Mean and deviation of each method, in the order of METHODS.
PUBLISHED = {
    "and-or": (
        *((0.25, 0.00), (0.25, 0.00), (0.57, 0.22), (0.25, 0.00), (0.85, 0.22), (0.25, 0.00)),
        *((1.00, 0.00), (0.25, 0.00), (0.41, 0.17), (0.21, 0.09), (0.55, 0.15)),
    ),
    "quad": (
        *((0.57, 0.20), (0.95, 0.15), (1.00, 0.00), (0.95, 0.15), (1.00, 0.00), (0.64, 0.23)),
        *((1.00, 0.00), (1.00, 0.00), (0.64, 0.23), (0.66, 0.25), (1.00, 0.00)),
    ),
    "xor": (
        *((0.25, 0.31), (0.52, 0.50), (0.53, 0.50), (1.00, 0.00), (1.00, 0.00), (1.00, 0.00)),
        *((1.00, 0.00), (0.28, 0.31), (0.25, 0.32), (0.26, 0.32), (1.00, 0.00)),
    ),
}
REMARKS = (
    "xor, methods that see one feature at a time (PC, mRMR, QPFS, Lasso): no feature tells "
    "anything alone, so the choice is a matter of chance. Their F-measure is 0.21 to 0.22 over 500 "
    "and more samples, with a deviation of 0.28: 0.04 in the mean of 50 trials, and the same luck "
    "for all four.",
    "F-HSIC and F-LSMI, xor and and-or: of a column of zeros and ones the median distance is often "
    "zero and the kernel not defined. We think that the authors' undefined scores were sorted "
    "first: F-HSIC made to do so comes to 0.49 on xor over 50 samples (published: 0.52), "
    "F-LSMI to 0.50 on xor (0.53) and 0.75 on and-or (0.57) over 12, and with undefined scores "
    "last to 0.54 and 0.48. Here the mean of the positive distances stands in for a median of "
    "zero: F-HSIC then comes to 0.37 on xor over 300 samples, with a deviation of 0.44, and F-LSMI "
    "takes the noisy copies of the target on and-or, each of which tells more than any true "
    "feature alone.",
    "B-LSMI, and-or: ours is better than published because all sets share centres and folds and "
    "ten widths are tried. With the authors' five widths it comes to 0.90 over 20 samples, with "
    "other centres and folds for each set as well to 0.86 (published: 0.85).",
    "Lasso, and-or: ours follows the path to exactly as many features as wanted; the authors try "
    "100 penalties and may keep fewer. Their 0.21 (0.09) is what comes out if only the three "
    "copies are kept in 8 of 50 trials.",
)


@dataclass(frozen=True)
class Work:
    """What a piece has to know: the place of its toy set, number of samples, seed."""

    place: int
    n_samples: int
    seed: int

    def problem(self, dataset: str, trial: int) -> Problem:
        """Toy set of a trial, the same for all methods."""
        seed = seed_of(self.seed, self.place, trial)
        return GENERATORS[dataset](self.n_samples, random_state=seed)


def f_measure(selected: ArrayLike, true: ArrayLike) -> float:
    """Harmonic mean of precision and recall.

    Parameters
    ----------
    selected, true : array-like of int
        Features, none twice.

    Returns
    -------
    float
        From 0 (nothing found) to 1 (all of them and nothing else).

    Examples
    --------
    >>> f_measure([0, 1, 7], [0, 1, 2, 3, 4])
    0.5
    """
    n_hits = len(np.intersect1d(selected, true))
    return 2.0 * n_hits / (np.size(selected) + np.size(true))


def plan(trials: int, seed: int) -> list[Piece]:
    """List all selections."""
    return [
        Piece(dataset, trial, method=method, work=Work(place, N_SAMPLES, seed))
        for place, dataset in enumerate(GENERATORS)
        for trial in range(trials)
        for method in METHODS
    ]


def measure(piece: Piece, _: None = None) -> list[Record]:
    """Select features of one sample with one method."""
    work: Work = piece.work
    problem = work.problem(piece.dataset, piece.trial)
    selected, seconds = select(
        piece.method,
        (problem.X, problem.y),
        len(problem.relevant),
        problem.target_kind,
        seed_of(work.seed, work.place, piece.trial, 1),
    )
    return [
        {
            "dataset": piece.dataset,
            "trial": piece.trial,
            "method": piece.method,
            "f_measure": f_measure(selected, problem.relevant),
            "selected": " ".join(map(str, selected.tolist())),
            "seconds": seconds,
        }
    ]


def summarise(records: Sequence[Record]) -> list[Comparison]:
    """Average over trials, beside the published figures."""
    values: dict[tuple[str, str], list[float]] = {}
    for record in records:
        cell = str(record["dataset"]), str(record["method"])
        values.setdefault(cell, []).append(float(record["f_measure"]))
    return [
        Comparison(dataset, method, Figure.of(values[dataset, method]), Figure(*published))
        for dataset, row in PUBLISHED.items()
        for method, published in zip(METHODS, row, strict=True)
        if (dataset, method) in values
    ]


def tables(records: Sequence[Record]) -> list[TextTable]:
    """Lay out the figures."""
    return [long_table(TITLE, "F-measure", summarise(records))]


def explain(records: Sequence[Record]) -> list[str]:
    """Say how the figures were made, and where and why they differ from the paper's."""
    n_trials = len({record["trial"] for record in records})
    return [
        f"Mean and deviation over {n_trials} trials (paper: {N_TRIALS}) of {N_SAMPLES} samples; "
        "difference = ours minus the paper's. As many features are selected as are true.",
        "F- and B-HSIC: Gaussian of median width for each set looked at; L1-HSIC and L1-LSMI: "
        f"{N_RESTARTS} restarts of our own ascent through all sizes, not of the authors' search "
        "over radii; mRMR: features and numeric targets in three levels; Relief: 10 neighbours.",
        *_far_cells(records),
        *REMARKS,
    ]


def _far_cells(records: Sequence[Record]) -> Iterator[str]:
    """Name the cells that lie farther from the published ones than they should."""
    far = [
        f"{cell.dataset}, {cell.method} ({cell.difference:+.2f})"
        for cell in summarise(records)
        if cell.difference is not None and abs(cell.difference) > TOLERANCE
    ]
    if far:
        yield f"More than {TOLERANCE:g} from the published mean: {'; '.join(far)}."
    elif records:
        yield f"Every mean is within {TOLERANCE:g} of the published one."


EXPERIMENT = PublishedExperiment(
    name="l1lsmi-table4",
    title=TITLE,
    protocol=1,
    plan=plan,
    measure=measure,
    summarise=summarise,
    explain=explain,
    tables=tables,
    trials=N_TRIALS,
)
