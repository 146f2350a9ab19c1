"""A small experiment without data: each piece takes a moment and gives numbers of its own seed."""

import os
import time

import numpy as np

from hsieve.comparison.runner import Experiment, Piece

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


EXPERIMENT = Experiment(name="fake", protocol=1, plan=plan, measure=measure, trials=2)
