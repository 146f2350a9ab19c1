"""The benchmark still runs, and compares what it says it compares; no time is asserted."""

import statistics
from pathlib import Path

import pytest

from hsieve import LSMI

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import bench_l1lsmi

    monkeypatch.setattr(bench_l1lsmi, "N_ROWS", 40)
    monkeypatch.setattr(bench_l1lsmi, "N_RESTARTS", {"shrink": 3, "paper": 1})
    monkeypatch.setattr(bench_l1lsmi, "BUDGET", 0.0)
    return bench_l1lsmi


def table(told):
    """Cells of each line of the table, by method and column."""
    header, *lines = [line for line in told.splitlines() if line]
    for name in ("CPU s a restart", "wall s", "peak GB", "authors' CPU s"):
        header = header.replace(name, name.replace(" ", "_"))
    columns = header.split()
    rows = [dict(zip(columns, line.split(), strict=True)) for line in lines]
    return {row["method"]: row for row in rows}


def test_three_methods_are_compared_by_one_measure(bench, capsys):
    runs = bench.compare("and-or", 1)
    rows = table(capsys.readouterr().out)
    assert list(rows) == list(runs) == ["shrink", "paper", "transcription"]
    sample = bench.draw_sample("and-or", 40)
    for who, run in runs.items():
        scores = [
            LSMI(random_state=seed).bind(sample.X, sample.y).subset_score(run["chosen"])
            for seed in bench.JUDGES
        ]
        assert run["lsmi"] == pytest.approx(statistics.fmean(scores))
        row = rows[who]
        assert [row[name] for name in ("data", "n", "m", "k")] == ["and-or", "40", "10", "4"]
        assert row["authors'_CPU_s"] == "-"
        assert int(row["chosen"]) == len(run["chosen"])
        assert float(row["LSMI"]) == pytest.approx(run["lsmi"], abs=6e-4)
        behind = runs["shrink"]["lsmi"] - run["lsmi"]
        assert float(row["behind"]) == pytest.approx(behind, abs=6e-4)
    assert [rows[who]["restarts"] for who in rows] == ["3", "1", "1"]


def test_a_restart_is_compared_with_a_restart(bench):
    ours = {"cpu": 4.0, "restarts": 20, "lsmi": 0.5}
    assert bench.beside({"cpu": 6.0, "restarts": 3, "lsmi": 0.4}, ours) == pytest.approx((0.1, 10))
    behind, ratio = bench.beside({"cpu": 60.0, "restarts": 0, "lsmi": None}, ours)
    assert behind is None
    assert ratio == pytest.approx(300)


def test_a_restart_that_would_take_too_long_is_scaled_up(bench, capsys):
    task = {"who": "transcription", "data": "and-or", "rows": 40, "budget": 0.0, "longest": 0.0}
    few = bench.measure_here({**task, "models": 1, "steps": 1})
    assert (few["restarts"], few["lsmi"]) == (0, None)
    sample = bench.draw_sample("and-or", 40)
    ours = {"cpu": 1.0, "seconds": 1.0, "memory": 0.0, "restarts": 1, "chosen": [0], "lsmi": 0.2}
    bench.show("and-or", sample, "transcription", {"shrink": ours, "transcription": few})
    (row,) = table(f"{bench.HEADER}\n{capsys.readouterr().out}").values()
    assert [row[name] for name in ("restarts", "chosen", "LSMI", "behind")] == [
        "scaled",
        *["-"] * 3,
    ]


def test_cost_of_a_restart_is_that_of_its_parts(bench, monkeypatch):
    costs = iter([{"seconds": 3.0, "cpu": 2.0, "memory": 0.1}] * 2)
    monkeypatch.setattr(bench, "timed", lambda work: ((1.0, 1.0), next(costs)))
    sample = bench.draw_sample("and-or", 40)
    scaled = bench.scaled_restart(sample, {"models": 10, "steps": 5})
    assert scaled == {"seconds": 45.0, "cpu": 30.0, "memory": 0.1}


def test_the_set_nearest_in_size_is_taken(bench):
    sample = bench.draw_sample("and-or", 40)
    sets = [
        {"chosen": [0], "lsmi": 0.9},
        {"chosen": [0, 1, 2, 3, 4], "lsmi": 0.9},
        {"chosen": [0, 1, 2], "lsmi": 0.1},
        {"chosen": [1, 2, 3], "lsmi": 0.2},
    ]
    assert min(sets, key=lambda run: bench.rank(sample, run)) is sets[3]


def test_data_that_are_not_there_are_named_and_left_out(bench, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("HSIEVE_DATA", str(tmp_path))
    assert bench.compare("housing", 1) == {}
    assert "housing is left out: no data collection found" in capsys.readouterr().out
