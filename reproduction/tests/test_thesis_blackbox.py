"""The protocol of the black-box experiment, with few samples, dimensions and rounds."""

import numpy as np
import pytest

from hsieve.comparison.runner import run
from reproduction.catalogue import EXPERIMENTS
from reproduction.experiment import Piece, Settings, restricted
from reproduction.thesis_blackbox import (
    FILTERED,
    LINEAR,
    MACHINE,
    METHODS,
    NESTED,
    PREPARED,
    Split,
    Work,
    measure,
)
from tests import needs

EXPERIMENT = EXPERIMENTS["thesis-blackbox"]
SMALL = Work(
    n_labelled=60, n_predicted=50, n_projected=30, n_learned=16, n_iterations=10, n_rounds=2
)


@pytest.fixture(scope="module")
def rings():
    """Three classes on rings of two dimensions among twelve, where a linear model fails."""
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3
    angle = rng.uniform(0, 2 * np.pi, 300)
    X = 0.1 * rng.normal(size=(300, 12))
    X[:, 0] += (1 + 2 * y) * np.cos(angle)
    X[:, 1] += (1 + 2 * y) * np.sin(angle)
    return X, np.array(["in", "on", "out"])[y]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_a_record(rings, method):
    (record,) = measure(Piece("rings", 0, method=method, work=SMALL), rings)
    assert record["method"] == method
    assert record["n_predicted"] == 50
    assert 0.2 <= record["accuracy"] <= 1
    assert ("nu=" in record["chosen"]) == (method not in (LINEAR, MACHINE))
    assert (":" in record["sets"]) == (method not in (LINEAR, MACHINE))
    assert all(isinstance(value, str | int | float) for value in record.values())


def test_kernels_see_what_a_linear_model_does_not(rings):
    accuracy = {
        method: measure(Piece("rings", 0, method=method, work=SMALL), rings)[0]["accuracy"]
        for method in (LINEAR, MACHINE, NESTED)
    }
    assert accuracy[LINEAR] < 0.75
    assert accuracy[MACHINE] > 0.9
    assert accuracy[NESTED] > 0.9


def test_methods_of_a_trial_share_split_and_projection_and_trials_do_not(rings):
    first, same, other = (Split.of(rings, SMALL, trial) for trial in (1, 1, 2))
    np.testing.assert_array_equal(first.labelled, same.labelled)
    np.testing.assert_array_equal(first.truth, same.truth)
    assert not np.array_equal(first.truth, other.truth)
    assert len(first.labelled) + len(first.predicted) + len(first.unlabelled) == 300
    assert np.linalg.matrix_rank(first.unlabelled.astype(float), tol=1e-3) == 12


def test_a_projection_nearly_keeps_distances(rings):
    split = Split.of(rings, Work(n_labelled=40, n_predicted=40), 0)
    lengths = np.linalg.norm(split.labelled - split.labelled.mean(axis=0), axis=1)
    X = rings[0]
    assert split.labelled.shape == (40, 1875)
    assert np.median(lengths) == pytest.approx(
        np.median(np.linalg.norm(X - X.mean(axis=0), axis=1)), rel=0.3
    )


def test_records_do_not_depend_on_when_they_are_made(rings):
    piece = Piece("rings", 0, method=PREPARED, work=SMALL)
    one, other = (measure(piece, rings)[0] for _ in range(2))
    assert {**one, "cpu_seconds": 0} == {**other, "cpu_seconds": 0}


def test_half_a_run_and_none_can_be_shown():
    assert EXPERIMENT.summarise([]) == []
    assert EXPERIMENT.explain([])
    (table,) = EXPERIMENT.tables([])
    assert not table.rows
    made = {"dataset": "usps", "trial": 0, "n_classes_predicted": 9, "cpu_seconds": 1.0}
    records = [
        made | {"method": MACHINE, "accuracy": 0.9},
        made | {"method": FILTERED, "accuracy": 0.88},
        made | {"method": FILTERED, "accuracy": 0.94, "trial": 1},
    ]
    (table,) = EXPERIMENT.tables(records)
    assert table.rows == [
        (MACHINE, "90.00 ± 0.00", "-", "1", "1"),
        (FILTERED, "91.00 ± 3.00", "-2.00", "2", "1"),
    ]
    assert FILTERED in EXPERIMENT.explain(records)[-1]


def test_the_plan_has_every_method_of_every_trial():
    pieces = EXPERIMENT.plan(2, 7)
    assert [piece.method for piece in pieces] == [*METHODS, *METHODS]
    assert {piece.work.seed for piece in pieces} == {7}


@needs.collection
def test_the_digits_are_there_and_a_linear_model_reads_most_of_them():
    (record,) = run(restricted(EXPERIMENT, methods=[LINEAR]), Settings(trials=1)).records
    assert record["n_predicted"] == 2000
    assert record["n_classes_predicted"] == 10
    assert 0.85 < record["accuracy"] < 0.96
