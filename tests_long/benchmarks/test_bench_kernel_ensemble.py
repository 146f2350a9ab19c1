"""The benchmark still runs, and compares what it says it compares; no time is asserted."""

from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import bench_kernel_ensemble

    monkeypatch.setattr(bench_kernel_ensemble, "SIZES", (200, 300))
    monkeypatch.setattr(bench_kernel_ensemble, "N_FEATURES", 8)
    monkeypatch.setattr(bench_kernel_ensemble, "N_PREDICTED", 200)
    monkeypatch.setattr(bench_kernel_ensemble, "LARGEST_FOR_MACHINE", 200)
    monkeypatch.setattr(bench_kernel_ensemble, "run_once", bench_kernel_ensemble.measure_here)
    return bench_kernel_ensemble


def test_classifiers_are_compared_on_the_same_draws(bench, capsys):
    rows = bench.compare_large(1)
    assert set(rows) == {
        (200, "kernel ensemble"),
        (200, "boosted trees"),
        (200, "Gaussian SVM"),
        (300, "kernel ensemble"),
        (300, "boosted trees"),
    }
    assert rows[300, "kernel ensemble"]["accuracy"] > 0.8
    assert "grows as n^" in capsys.readouterr().out


def test_rare_classes_are_ranked(bench, capsys):
    rows = bench.compare_rare(1)
    assert rows["kernel ensemble"]["area"] > 0.8
    assert "boosted trees" in capsys.readouterr().out
