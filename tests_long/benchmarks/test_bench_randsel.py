"""The benchmark still runs, and compares what it says it compares; no time is asserted."""

from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import bench_randsel

    monkeypatch.setattr(bench_randsel, "SHAPE", (60, 4))
    monkeypatch.setattr(bench_randsel, "KINDS", ("binary",))
    monkeypatch.setattr(bench_randsel, "LARGE_SHAPES", ((60, 8),))
    monkeypatch.setattr(bench_randsel, "CALIBRATION_ROUNDS", 10)
    return bench_randsel


def test_estimators_and_methods_are_compared_on_the_same_draws(bench, capsys, monkeypatch):
    asked = []

    def answered(task):
        asked.append(task)
        return bench.measure_here({**task, "rounds": task.get("rounds") or 10})

    monkeypatch.setattr(bench, "run_once", answered)
    estimators = bench.compare_estimators(1)
    assert set(estimators) == {
        ("binary", "sweep"),
        ("binary", "plain, equal"),
        ("binary", "plain, thesis"),
    }
    assert estimators["binary", "sweep"].found == 1
    methods = bench.compare_large(1)
    assert {name for _, name in methods} == {"RandSel", "BAHSIC", "BAHSIC, paper"}
    assert {task["seed"] for task in asked} == {0}
    assert capsys.readouterr().out.count("1 of 1") >= 4


def test_missing_data_are_said_to_be_missing(bench, capsys, monkeypatch):
    monkeypatch.setattr(bench, "collection_root", lambda: None)
    assert bench.compare_genotypes(1) == {}
    assert "HSIEVE_DATA" in capsys.readouterr().out
