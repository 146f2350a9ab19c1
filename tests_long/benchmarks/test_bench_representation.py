"""The benchmark still runs, and compares what it says it compares; no time is asserted."""

import functools
from pathlib import Path

import numpy as np
import pytest

from hsieve import SparseFiltering
from hsieve.classifiers.preparation import PREPARATIONS
from tests import needs

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import bench_representation

    for name, value in {
        "LITERAL_SHAPES": (("full rank", 60, 8, 4), ("windows", 60, 108, 5)),
        "LITERAL_ITERATIONS": 4,
        "LARGE_SHAPE": (80, 108, 6),
        "LARGE_TASKS": (("windows", 40, 3), ("full rank", None, 3)),
        "N_LEARNED": 150,
        "N_HELD_OUT": 60,
        "N_FEATURES": 5,
    }.items():
        monkeypatch.setattr(bench_representation, name, value)
    return bench_representation


@pytest.fixture
def asked(bench, monkeypatch):
    """Tasks, which are worked on in this process."""
    tasks = []

    def answered(script, task, **options):
        tasks.append(task)
        return bench.measure_here(task)

    monkeypatch.setattr(bench, "run_apart", answered)
    monkeypatch.setattr(
        bench,
        "repeat_apart",
        lambda script, task, times, **options: [answered(script, task) for _ in range(times)],
    )
    return tasks


def test_all_take_as_many_iterations_from_one_start_and_come_equally_far(bench, asked, capsys):
    table = bench.compare_literal(1)
    assert len(table) == len(asked) == 6
    for (shape, _), run in table.items():
        assert run["iterations"] == 4
        literal = table[shape, "literal"]
        assert run["objective"] == pytest.approx(literal["objective"], rel=1e-4)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("60 x 8 -> 4")
    assert [line.split()[-2] for line in lines if " literal " in line] == ["1.0x"] * 2


def test_windows_have_the_rank_of_their_residues(bench):
    windows = bench.draw_data("windows", 500, 648)
    assert windows.shape == (500, 648)
    assert windows.dtype == np.float32
    assert np.linalg.matrix_rank(windows.astype(float)) == 12 * 19 + 1


def test_ratios_are_of_seconds_an_iteration(bench):
    literal = {"cpu": 10.0, "iterations": 50, "objective": 200.0}
    ours = {"cpu": 1.0, "iterations": 25, "objective": 201.0}
    assert bench.beside(ours, literal) == pytest.approx((5.0, 0.5))


def test_the_full_size_is_fitted_and_transformed(bench, asked, capsys):
    answers = bench.measure_full_size(1)
    assert list(answers) == [("windows", 40), ("full rank", None)]
    for run in answers.values():
        assert tuple(run["shape"]) == (80, 6)
        assert run["dtype"] == "float32"
        assert run["iterations"] == 3
    assert [line.split()[-8] for line in capsys.readouterr().out.splitlines()[1:]] == ["40", "all"]


def test_the_default_of_the_full_size_is_that_of_the_class(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import bench_representation

    learned_from = [number for _, number, _ in bench_representation.LARGE_TASKS]
    assert learned_from == [SparseFiltering().max_samples] * 2 + [None]


@pytest.mark.data
@needs.collection
def test_preparations_are_compared_on_held_out_samples(bench, asked, monkeypatch):
    monkeypatch.setattr(bench, "DATASETS", ("l1lsmi/usps",))
    monkeypatch.setattr(bench, "load_dataset", functools.cache(bench.load_dataset))
    found = bench.compare_preparations(1)
    kinds = {preparation for _, preparation, _ in found}
    assert kinds == {"as they are", *PREPARATIONS}
    assert len(found) == 1 + 2 * len(PREPARATIONS)
    assert found["l1lsmi/usps", "as they are", False] > 0.5
    assert all(0 <= accuracy <= 1 for accuracy in found.values())


def test_missing_data_are_said_to_be_missing(bench, asked, capsys, monkeypatch):
    def missing(name):
        raise bench.DatasetNotFoundError(f"no {name} here")

    monkeypatch.setattr(bench, "load_dataset", missing)
    assert bench.compare_preparations(1) == {}
    assert "isolet is left out: no" in capsys.readouterr().out
    assert not asked
