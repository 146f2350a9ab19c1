"""A small experiment with tables, whose pieces are those of the tests of the runner."""

import numpy as np

from reproduction.experiment import Comparison, Figure, PublishedExperiment
from reproduction.tables import long_table
from tests.comparison.fake import DATASETS, METHODS, measure, plan


def summarise(records):
    cells = []
    for dataset in DATASETS:
        for method in METHODS:
            values = [
                r["value"] for r in records if (r["dataset"], r["method"]) == (dataset, method)
            ]
            if values:
                measured = Figure(float(np.mean(values)), float(np.std(values)))
                cells.append(Comparison(dataset, method, measured, Figure(0.5, 0.1)))
    return cells


def explain(records):
    return [f"Made up, {len(records)} numbers."]


def tables(records):
    return [long_table("A fake table", "value", summarise(records))]


EXPERIMENT = PublishedExperiment(
    name="fake",
    title="A fake table",
    protocol=1,
    plan=plan,
    measure=measure,
    summarise=summarise,
    explain=explain,
    tables=tables,
    trials=2,
)
