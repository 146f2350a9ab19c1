"""The benchmark still runs, and compares what it says it compares; no time is asserted."""

from pathlib import Path

import numpy as np
import pytest

from hsieve import FamilyRanking, LPBoostMKL
from tests import needs

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import bench_kernel_classifiers

    module = bench_kernel_classifiers
    monkeypatch.setattr(module, "SYNTHETIC_SHAPE", (60, 12))
    monkeypatch.setattr(module, "N_TO_PREDICT", 50)
    monkeypatch.setattr(module, "MOST_TRAINING", 60)
    monkeypatch.setattr(module, "COSTS", np.ones(1))
    monkeypatch.setattr(module, "GAMMAS", np.ones(1))
    monkeypatch.setattr(
        module,
        "LPBoostMKL",
        lambda: LPBoostMKL(selector=FamilyRanking(), widths=[1.0], nu=0.5, n_folds=2),
    )
    monkeypatch.setattr(module, "run_once", module.measure_here)
    return module


def test_both_are_measured_on_the_same_splits(bench, capsys, monkeypatch):
    monkeypatch.setattr(bench, "FEW", ("linear Weston",))
    (row,) = bench.compare_few(2).values()
    assert 0.5 < row.ours <= 1
    assert row.difference == pytest.approx(100 * (row.ours - row.svm))
    assert row.error >= 0
    assert "difference" in capsys.readouterr().out


def test_splits_depend_on_the_trial_alone(bench):
    first, again, other = (bench.split({"name": "xor", "trial": trial}) for trial in (0, 0, 1))
    np.testing.assert_array_equal(first[0], again[0])
    assert first[0].shape == (60, 12)
    assert first[1].shape == (50, 12)
    assert not np.array_equal(first[0], other[0])


def test_missing_data_are_said_to_be_missing(bench, capsys, monkeypatch):
    monkeypatch.setattr(bench, "collection_root", lambda: None)
    assert bench.compare_real(1) == {}
    assert "left out" in capsys.readouterr().out


@needs.collection
def test_large_sets_are_cut(bench):
    training, unseen, _, _ = bench.split({"name": "l1lsmi/sonar", "trial": 0})
    assert len(training) == 60
    assert len(unseen) == 148
