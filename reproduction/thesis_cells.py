"""Records of the thesis' synthetic sets, put together: one cell for each set, method and rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from hsieve.inference.stability import log_probability, mean_variance
from reproduction.experiment import Figure, Record

__all__ = ["DATASETS", "Cell", "Cells", "cells_of"]

DATASETS = (
    "fake-class",
    "zhang-feature",
    "zhang-sample",
    "linear-weston",
    "nonlinear-weston",
    "xor",
)


@dataclass(frozen=True)
class Cell:
    """What a method gets on a set, its number of features found by one rule.

    Parameters
    ----------
    accuracy, number : Figure
        Mean and deviation over all folds of all trials.
    precision, recall : float
        Means over all folds.
    mean_variance, log_probability : float or None
        Consistency of the selections of a trial, the mean over trials; None before a trial is
        complete.
    cpu_seconds : float
        Mean time of a selection.
    """

    accuracy: Figure
    number: Figure
    precision: float
    recall: float
    mean_variance: float | None
    log_probability: float | None
    cpu_seconds: float


Cells: TypeAlias = Mapping[tuple[str, str, str], Cell]


def cells_of(records: Sequence[Record]) -> dict[tuple[str, str, str], Cell]:
    """Put the folds of each set, method and rule together.

    Parameters
    ----------
    records : sequence of Record
        One for each set, trial, fold, method and rule.

    Returns
    -------
    dict of (str, str, str) to Cell
        By set, method and rule; sets in their usual order.
    """
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for record in records:
        key = str(record["dataset"]), str(record["method"]), str(record["rule"])
        groups.setdefault(key, []).append(record)
    in_order = sorted(groups, key=lambda key: DATASETS.index(key[0]))
    return {key: _cell(groups[key]) for key in in_order}


def _cell(records: Sequence[Record]) -> Cell:
    """Put folds together."""
    columns = {
        name: np.array([float(record[name]) for record in records])
        for name in ("accuracy", "number", "precision", "recall", "cpu_seconds")
    }
    trials: dict[int, list[list[int]]] = {}
    for record in records:
        selected = [int(feature) for feature in str(record["selected"]).split()]
        trials.setdefault(int(record["trial"]), []).append(selected)
    n_folds, n_features = int(records[0]["n_folds"]), int(records[0]["n_features"])
    complete = [selections for selections in trials.values() if len(selections) == n_folds]
    variances = [mean_variance(selections, n_features) for selections in complete]
    logarithms = [log_probability(selections, n_features) for selections in complete]
    return Cell(
        accuracy=Figure.of(columns["accuracy"]),
        number=Figure.of(columns["number"]),
        precision=float(columns["precision"].mean()),
        recall=float(columns["recall"].mean()),
        mean_variance=float(np.mean(variances)) if complete else None,
        log_probability=float(np.mean(logarithms)) if complete else None,
        cpu_seconds=float(columns["cpu_seconds"].mean()),
    )
