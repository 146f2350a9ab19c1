"""The benchmark still runs, and counts what it says it counts; no time is asserted."""

from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import bench_pursuit

    return bench_pursuit


def small(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 8))
    return X, 2 * X[:, 1] + X[:, 4] ** 2, [1, 4]


@pytest.fixture
def here(bench, monkeypatch):
    """Run what would have a process of its own in this one, on small data."""
    monkeypatch.setattr(bench, "PROBLEMS", {"small": small})
    monkeypatch.setattr(bench, "noise", lambda seed: (*small(seed)[:1], np.arange(120) % 7, []))
    monkeypatch.setattr(bench, "friedman", small)
    monkeypatch.setattr(
        bench, "run_apart", lambda script, task, environment=None: bench.measure_here(task)
    )
    monkeypatch.setattr(
        bench, "repeat_apart", lambda script, task, *_, **__: [bench.measure_here(task)]
    )
    return bench


def test_what_is_found_of_the_true_features_is_counted(here, capsys):
    here.compare_recall(2)
    line = capsys.readouterr().out.splitlines()[-1].split()
    assert line[0] == "small"
    assert float(line[2]) == 1.0
    assert line[5] == "100%"


def test_recall_and_copies_are_fractions(bench):
    assert bench.recall([1, 2, 9], [1, 2, 3, 4]) == 0.5
    X, _, true = bench.with_copies(small, 0)
    assert X.shape == (120, 10)
    assert np.corrcoef(X[:, 8], X[:, true[0]])[0, 1] == pytest.approx(0.98, abs=0.02)


def test_every_problem_has_the_features_it_names(bench):
    for make in bench.PROBLEMS.values():
        X, y, true = make(0)
        assert len(X) == len(y)
        assert max(true) < X.shape[1]
        assert make(0)[0].tolist() == X.tolist()


def test_noise_and_boosting_are_told(here, capsys, monkeypatch):
    monkeypatch.setattr(here, "NOISE_DRAWS", 1)
    monkeypatch.setattr(here, "BOOSTING", "no_such_package")
    here.compare_noise(2)
    here.compare_boosting(1)
    shown = capsys.readouterr().out
    assert "of 2 draws" in shown
    assert "LightGBM is not installed and left out" in shown
    assert "KernelPursuit: recall 1.00" in shown


def test_costs_are_told(here, capsys, monkeypatch):
    monkeypatch.setattr(here, "P53_SHAPE", (300, 60))
    monkeypatch.setattr(here, "P53_SELECTED", 3)
    monkeypatch.setattr(here, "WIDE_SHAPE", (60, 80))
    monkeypatch.setattr(here, "WIDE_SELECTED", 4)
    monkeypatch.setattr(here, "GROWTH_IN_N", [(60, 30), (120, 30)])
    monkeypatch.setattr(here, "GROWTH_IN_D", [(60, 30), (60, 60)])
    here.run_p53(1)
    here.run_wide(1)
    here.run_growth(1)
    shown = capsys.readouterr().out
    assert "of 30 informative features found" in shown
    assert "60 x 80, 4 features" in shown
    assert shown.count("exponent") == 2


def test_draws_and_repetitions_are_given_apart(bench, monkeypatch, capsys):
    asked = {}
    parts = {"recall": lambda n: asked.update(recall=n), "wide": lambda n: asked.update(wide=n)}
    monkeypatch.setattr("sys.argv", ["bench", "--repetitions", "2"])
    for given, expected in (([], 20), (["--draws", "5"], 5)):
        monkeypatch.setattr("sys.argv", ["bench", "--repetitions", "2", *given])
        with pytest.raises(SystemExit):
            bench.run_parts("title", "words", parts, None, 3, draws={"recall": 20})
        assert asked == {"recall": expected, "wide": 2}
    assert "title" in capsys.readouterr().out
