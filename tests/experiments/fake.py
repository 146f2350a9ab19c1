"""A small experiment without data: each piece takes a moment and gives numbers of its own seed."""

import os
import time

import numpy as np

from hsieve.experiments.base import Comparison, Experiment, Figure, Piece
from hsieve.experiments.layout import long_table

DATASETS = ("first", "second, with a comma")
METHODS = ("A", "B|C")
N_PARTS = 3
SLOWLY = "FAKE_SECONDS"


def plan(trials, seed):
    return [
        Piece(dataset, trial, part, method, work=seed)
        for dataset in DATASETS
        for trial in range(trials)
        for part in range(N_PARTS)
        for method in METHODS
    ]


def measure(piece, data):
    time.sleep(float(os.environ.get(SLOWLY, "0")))
    place = DATASETS.index(piece.dataset), piece.trial, piece.part, METHODS.index(piece.method)
    value = float(np.random.default_rng([piece.work, *place]).normal())
    labels = {"dataset": piece.dataset, "trial": piece.trial, "method": piece.method}
    return [labels | {"part": piece.part, "value": value, "size": 3}]


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


EXPERIMENT = Experiment(
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
