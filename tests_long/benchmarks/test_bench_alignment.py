"""The benchmark still runs, and compares what it says it compares; no time is asserted."""

from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import bench_alignment

    monkeypatch.setattr(bench_alignment, "N_SAMPLES", (30,))
    monkeypatch.setattr(bench_alignment, "N_FEATURES", 6)
    monkeypatch.setattr(bench_alignment, "N_TIMED", {"nhsic": 3, "literal": 2})
    monkeypatch.setattr(bench_alignment, "SHAPE", (40, 20))
    return bench_alignment


def test_sweep_and_single_kernels_have_the_same_alignments(bench, capsys):
    ratios = bench.compare_sweep(1)
    assert set(ratios) == {(30, "nhsic"), (30, "literal")}
    lines = capsys.readouterr().out.splitlines()[1:]
    assert [line.split()[3] for line in lines] == ["sweep", "nhsic", "literal"]
    assert all(float(line.split()[-1]) < 1e-10 for line in lines[1:])


def test_rows_that_cannot_be_measured_are_named(bench, capsys, monkeypatch):
    made = bench.make_selector

    def without_stability(row, rule):
        return None if row.startswith("stability") else made(row, rule)

    monkeypatch.setattr(bench, "make_selector", without_stability)
    folds = bench.compare_rules(1)
    assert set(folds) == {"correlation", "linear RFE"}
    assert capsys.readouterr().out.count("left out: the package has no StabilitySelection yet") == 3
