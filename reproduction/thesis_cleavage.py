"""Figure 5.3 of the thesis: cleavage sites of signal peptides, from learned and selected features.

Protocol of [1]_, sections 5.4 and 5.5: a window of 12 residues around every candidate bond, each
residue coded by 54 physico-chemical scales; ten folds grouped by protein; the predicted site of a
protein is the window with the highest score, and counts if it is the true one. Windows and splits
are in :mod:`reproduction.cleavage_data`, the rows in :mod:`reproduction.cleavage_rows`.

The figure is a picture; the text gives one number, 67.2 % for the original features, and says that
the ensemble is above the 72.9 % that others report. The thesis has 2,705 proteins of another
collection, so that differences between rows count here, not the figures themselves.

References
----------
.. [1] D. Athanasakis, "Feature selection in computational biology", thesis, 2014.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from hsieve.data.sequences import best_windows, residue_scales
from reproduction.cleavage_data import CleavageData, make_fold
from reproduction.cleavage_rows import (
    ADDED,
    BASELINES,
    GROUPS,
    ORIGINAL,
    THESIS,
    Scored,
    Sizes,
)
from reproduction.collection import load_dataset
from reproduction.experiment import Comparison, Figure, Piece, PublishedExperiment, Record
from reproduction.l1lsmi_methods import seed_of
from reproduction.tables import NOTHING, TextTable

__all__ = ["EXPERIMENT", "explain", "load", "measure", "plan", "summarise", "tables"]

TITLE = "Figure 5.3 of the thesis: cleavage sites from learned and selected features"
DATASET = "signal peptides"
FILE = "sequence/signal_peptide_euk"
N_FOLDS = 10
# Percent of proteins; the other rows are published as a picture.
PUBLISHED = {ORIGINAL: 67.2}
NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Work:
    """What a piece has to know: number of folds, seed and sizes."""

    n_folds: int
    seed: int
    sizes: Sizes


@dataclass(frozen=True)
class Row:
    """All folds of a row put together.

    Parameters
    ----------
    right : dict of (int, int) to bool
        Whether the site was found, by trial and protein.
    n_folds, n_planned : int
        Folds there are and folds there shall be, of the trials begun.
    n_features, cpu_seconds : float
        Means over folds.
    """

    right: dict[tuple[int, int], bool]
    n_folds: int
    n_planned: int
    n_features: float
    cpu_seconds: float

    @property
    def accuracy(self) -> Figure:
        """Percent of the proteins found, and its standard error."""
        return Figure(*_percent(np.array(list(self.right.values()), dtype=np.float64)))

    def above(self, other: "Row") -> Figure | None:
        """Points above another row, protein by protein; None without a protein in common."""
        common = sorted(self.right.keys() & other.right.keys())
        if not common:
            return None
        pairs = [float(self.right[key]) - float(other.right[key]) for key in common]
        return Figure(*_percent(np.array(pairs)))


def plan(trials: int, seed: int) -> list[Piece]:
    """List the folds, and in each the groups of rows."""
    work = Work(N_FOLDS, seed, Sizes())
    return [
        Piece(DATASET, trial, fold, group, work)
        for trial in range(trials)
        for fold in range(N_FOLDS)
        for group in GROUPS
    ]


def load(piece: Piece) -> CleavageData:
    """Cut the sequences of the collection."""
    # What is missing is told before anything is measured.
    residue_scales()
    extra = load_dataset(FILE).extra
    return CleavageData.of([str(sequence) for sequence in extra["sequence"]], extra["site"])


def measure(piece: Piece, data: CleavageData) -> list[Record]:
    """Let the rows of one group find the sites of one fold."""
    work: Work = piece.work
    fold = make_fold(
        data,
        piece.part,
        n_folds=work.n_folds,
        n_others=work.sizes.n_others,
        seed=seed_of(work.seed, piece.trial),
    )
    seed = seed_of(work.seed, piece.trial, piece.part)
    return [
        _record(piece, scored, data, fold.test)
        for scored in GROUPS[piece.method](fold, work.sizes, seed)
    ]


def _record(piece: Piece, scored: Scored, data: CleavageData, test: np.ndarray) -> Record:
    """Write down which proteins of a fold a row is right about."""
    protein, is_site = data.protein[test], data.is_site[test]
    best = best_windows(scored.scores, protein)
    right = protein[best[is_site[best]]]
    wrong = np.setdiff1d(protein, right)
    return {
        "dataset": piece.dataset,
        "trial": piece.trial,
        "fold": piece.part,
        "method": piece.method,
        "row": scored.row,
        "n_proteins": len(best),
        "accuracy": len(right) / len(best),
        "n_features": scored.n_features,
        "chosen": scored.chosen,
        "right": " ".join(map(str, np.sort(right).tolist())),
        "wrong": " ".join(map(str, wrong.tolist())),
        "n_folds": piece.work.n_folds,
        "cpu_seconds": scored.cpu_seconds,
    }


def rows_of(records: Sequence[Record]) -> dict[str, Row]:
    """Put the folds of each row together.

    Parameters
    ----------
    records : sequence of Record
        One for each fold and row.

    Returns
    -------
    dict of str to Row
        Only rows of which there are records.
    """
    grouped: dict[str, list[Record]] = {}
    for record in records:
        grouped.setdefault(str(record["row"]), []).append(record)
    return {row: _row(of_row) for row, of_row in grouped.items()}


def _row(records: Sequence[Record]) -> Row:
    """Put folds together."""
    right = {
        (int(record["trial"]), int(protein)): name == "right"
        for record in records
        for name in ("right", "wrong")
        for protein in str(record[name]).split()
    }
    n_trials = len({record["trial"] for record in records})
    return Row(
        right=right,
        n_folds=len(records),
        n_planned=n_trials * int(records[0]["n_folds"]),
        n_features=float(np.mean([float(record["n_features"]) for record in records])),
        cpu_seconds=float(np.mean([float(record["cpu_seconds"]) for record in records])),
    )


def summarise(records: Sequence[Record]) -> list[Comparison]:
    """Give the percentage of proteins found, for each row of the thesis, the baselines and ours."""
    rows = rows_of(records)
    cells = []
    for name in (*THESIS, *BASELINES, *ADDED):
        published = Figure(PUBLISHED[name], 0.0) if name in PUBLISHED else None
        if name in rows:
            measured: Figure | str = rows[name].accuracy
            cells.append(Comparison(DATASET, name, measured, published, "sites found, percent"))
        elif published is not None:
            cells.append(Comparison(DATASET, name, NOT_MEASURED, published, "sites found, percent"))
    return cells


def tables(records: Sequence[Record]) -> list[TextTable]:
    """Lay out all rows, those of the thesis first; a row that is missing says so."""
    rows = rows_of(records)
    shown = []
    for origin, names in (("thesis", THESIS), ("baseline", BASELINES), ("added", ADDED)):
        for name in names:
            figures = _figures(rows[name], rows.get(ORIGINAL)) if name in rows else MISSING
            published = f"{PUBLISHED[name]:.1f}" if name in PUBLISHED else NOTHING
            shown.append((name, origin, *figures, published))
    return [TextTable(f"{TITLE} (percent of proteins)", HEADINGS, shown, n_labels=2)]


HEADINGS = (
    *("row", "of", "sites found", "above original", "features", "CPU s a fold", "folds"),
    "thesis",
)
MISSING = (NOT_MEASURED, *[NOTHING] * 4)


def _figures(row: Row, original: Row | None) -> tuple[str, ...]:
    """Write out what was measured of a row."""
    above = None if original is None or original is row else row.above(original)
    return (
        f"{row.accuracy.mean:.1f} ± {row.accuracy.deviation:.1f}",
        NOTHING if above is None else f"{above.mean:+.1f} ± {above.deviation:.1f}",
        f"{row.n_features:.0f}",
        f"{row.cpu_seconds:.1f}",
        f"{row.n_folds}" if row.n_folds == row.n_planned else f"{row.n_folds} of {row.n_planned}",
    )


def _percent(values: np.ndarray) -> tuple[float, float]:
    """Mean and its standard error, times 100."""
    return 100 * float(values.mean()), 100 * float(values.std()) / sqrt(len(values))


def explain(records: Sequence[Record]) -> list[str]:
    """Say how the figures were made."""
    sizes = Sizes()
    numbers = " or ".join(map(str, sizes.n_learned))
    return [
        "Ten folds grouped by protein; a protein counts if its best window is the true one. Behind "
        "± stands the standard error over proteins; 'above original' compares protein by protein. "
        "CPU seconds leave out the learning of features, which rows share.",
        f"Fitted are the site and {sizes.n_others} other windows of each training protein; all "
        "windows of the others are scored. Cost, width, the number of learned features "
        f"({numbers}; thesis: 1500) and the share of them that a selector keeps are chosen on a "
        "quarter of the training proteins, split off; no protein held out plays a part in it.",
        "The thesis has 2,705 proteins of 50 residues and the scales of another collection; its "
        "figure gives no numbers but 67.2 for the original features in the text.",
    ]


EXPERIMENT = PublishedExperiment(
    name="thesis-cleavage",
    title=TITLE,
    protocol=1,
    plan=plan,
    measure=measure,
    summarise=summarise,
    explain=explain,
    tables=tables,
    load=load,
)
