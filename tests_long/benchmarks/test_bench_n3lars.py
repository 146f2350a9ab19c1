"""The benchmark still runs, and counts what it says it counts; no time is asserted."""

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import bench_n3lars

    return bench_n3lars


def test_a_method_runs_in_a_process_of_its_own(bench, tmp_path, capsys):
    bench.write_n3lars(tmp_path, 200, 40)
    bench.compare_one(bench.OURS, (200, 40), str(tmp_path), 1, None)
    assert "3 of 3" in capsys.readouterr().out


def test_p53_task_finds_the_informative_features_of_a_small_file(bench, tmp_path):
    informative = bench.write_p53(tmp_path, shape=(2000, 60), n_informative=4, width=7)
    assert np.load(tmp_path / "X.npy", mmap_mode="r").flags.c_contiguous
    run = bench.measure_here({"part": "p53", "folder": str(tmp_path), "n_selected": 6})
    assert set(informative.tolist()) <= set(run["chosen"])
    assert run["memory"] >= 0


def test_what_is_not_installed_is_said_and_left_out(bench, monkeypatch, capsys):
    def version(package):
        if package == "pyHSICLasso":
            raise importlib.metadata.PackageNotFoundError
        return "1.0"

    monkeypatch.setattr(importlib.metadata, "version", version)
    assert not any("HSICLasso" in name for name in bench.installed_methods())
    assert "pyHSICLasso is not installed" in capsys.readouterr().out


def test_what_does_not_fit_in_memory_is_said_and_left_out(bench, capsys):
    assert bench.compare_one("pyHSICLasso vanilla", (1000, 2000), "", 1, None) is None
    assert "left out: its kernels alone take 16 GB" in capsys.readouterr().out


def test_peak_memory_is_that_of_the_work(bench):
    """In a process of its own, as every measurement: other tests' memory comes and goes."""
    script = (
        "import numpy as np; from measuring import measured; "
        "print(measured(lambda: np.ones(10_000_000).sum())[1]['memory'])"
    )
    folder = Path(bench.__file__).parent
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, capture_output=True, check=True
    )
    assert 0.07 < float(done.stdout) < 0.12


def test_growth_exponent_of_a_power(bench):
    assert bench.growth_exponent([1, 10, 100], [3, 30 * 10, 300 * 100]) == pytest.approx(2)
