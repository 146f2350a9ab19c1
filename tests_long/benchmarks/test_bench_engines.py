"""The benchmark still runs, and compares what it says it compares; no time is asserted."""

from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import bench_engines

    monkeypatch.setattr(bench_engines, "SHAPES", [(120, 30)])
    monkeypatch.setattr(bench_engines, "LARGE_SHAPE", (150, 20))
    return bench_engines


def test_engines_are_compared_on_the_same_data(bench, capsys, monkeypatch):
    monkeypatch.setattr(bench, "installed", lambda: ["threads", "dask"])
    ratios = bench.compare_overhead(1)
    assert [engine for _, _, engine in ratios] == ["threads", "dask"]
    assert ratios[120, 30, "threads"] == 1.0
    printed = capsys.readouterr().out
    assert printed.count("coefficients differ by 0e+00") == 2
    assert "(aim 1.5)" in printed


def test_the_peak_of_the_driver_is_told(bench, capsys, monkeypatch):
    monkeypatch.setattr(bench, "installed", lambda: ["threads", "dask"])
    (peak,) = bench.compare_memory(1).values()
    assert 0 < peak < 2
    assert "results" in capsys.readouterr().out


def test_engines_that_are_not_installed_are_named(bench, capsys, monkeypatch):
    monkeypatch.setattr(bench.shutil, "which", lambda name: None)
    assert bench.installed() == ["threads", "dask"]
    assert "spark left out" in capsys.readouterr().out
