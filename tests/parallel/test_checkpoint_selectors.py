"""Selectors with a checkpoint: a killed driver is taken up again and finds the same."""

import json
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hsieve import N3LARS, MaxRelevance, PairwiseHSIC, Pearson, StabilitySelection, open_dataset
from hsieve.data.arrays import ArrayBlocks
from hsieve.parallel.checkpoint import CheckpointError
from tests.parallel.checkpoint_driver import CUTTING, PIECE_BYTES, drive, fitted
from tests.parallel.columns import make_problem, stored


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "kept"


def results_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*.result"))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder of Parquet files, some rows in each."""
    folder = tmp_path_factory.mktemp("data")
    stored("row parts", make_problem(), folder)
    return str(folder)


def problem_of(data: str, folder: Path | None, selector: str = "N3LARS", **options: Any) -> Any:
    kept = None if folder is None else str(folder)
    return {"data": data, "selector": selector, "options": {"checkpoint": kept, **options}}


def engine_of(name: str, request: pytest.FixtureRequest) -> dict[str, Any]:
    """An engine for a driver; the scheduler of Dask outlives it."""
    if name == "dask":
        client = request.getfixturevalue("dask_client")
        return {"name": name, "scheduler": client.scheduler.address}
    return {"name": name, "n_workers": 1 if name == "local" else 2}


def check_resumed(
    first: dict[str, Any], second: dict[str, Any], folder: Path, n_results: int = 4
) -> None:
    """Kill a driver in mid-pass, take its run up, and compare with a run that nothing disturbed."""
    out = folder.parent / "found.json"
    assert drive(first, out, n_results) == -signal.SIGKILL
    assert not out.exists()
    before = {path: path.stat().st_mtime_ns for path in results_in(folder)}
    assert len(before) == n_results
    assert drive(second, out) == 0
    undisturbed = {**first["options"], "engine": None, "checkpoint": None}
    assert json.loads(out.read_text()) == fitted({**first, "options": undisturbed})
    after = {path: path.stat().st_mtime_ns for path in results_in(folder)}
    # The rest was computed, and nothing of what was there.
    assert len(after) > len(before)
    assert before.items() <= after.items()


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in CUTTING:
        monkeypatch.setattr(module, "PIECE_BYTES", PIECE_BYTES)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("form", ["dense", "coded"])
@pytest.mark.parametrize("name", ["local", "threads", "dask"])
def test_a_killed_driver_is_taken_up_again(
    data: str, folder: Path, name: str, form: str, request: pytest.FixtureRequest
) -> None:
    problem = problem_of(data, folder, form=form, engine=engine_of(name, request))
    check_resumed(problem, problem, folder)


@pytest.mark.usefixtures("small_pieces")
def test_a_killed_driver_of_spark_is_taken_up_again(data: str, folder: Path) -> None:
    if shutil.which("java") is None:
        pytest.skip("Spark needs a Java runtime, 17 or newer")
    problem = problem_of(data, folder, engine={"name": "spark", "n_workers": 2})
    check_resumed(problem, problem, folder)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("selector", ["HSICLasso", "MRMR", "MaxRelevance"])
def test_other_selectors_are_taken_up_too(data: str, folder: Path, selector: str) -> None:
    problem = problem_of(data, folder, selector, engine={"name": "threads", "n_workers": 2})
    check_resumed(problem, problem, folder)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize(
    ("selector", "first", "second"),
    [("HSICLasso", "local", "dask"), ("N3LARS", "dask", "threads"), ("MRMR", "dask", "local")],
)
def test_a_run_is_taken_up_on_another_engine(
    data: str, folder: Path, selector: str, first: str, second: str, request: Any
) -> None:
    problems = [
        problem_of(data, folder, selector, engine=engine_of(name, request))
        for name in (first, second)
    ]
    check_resumed(*problems, folder, n_results=5)


def fit(folder: Path | None, X: Any, y: np.ndarray, **options: Any) -> N3LARS:
    return N3LARS(**{"n_features_to_select": 4, "checkpoint": folder, **options}).fit(X, y)


@pytest.mark.usefixtures("small_pieces")
def test_a_finished_run_is_not_done_again(folder: Path) -> None:
    problem = make_problem()
    expected = fit(None, problem.X, problem.numbers)
    for _ in range(2):
        found = fit(folder, problem.X, problem.numbers)
        assert found.coef_.tobytes() == expected.coef_.tobytes()
        times = {path: path.stat().st_mtime_ns for path in results_in(folder)}
    assert len(times) > 1
    fit(folder, problem.X, problem.numbers, engine="threads")
    assert {path: path.stat().st_mtime_ns for path in results_in(folder)} == times


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_features_to_select": 5}, "n_features_to_select=4, now 5"),
        ({"memory_limit": "2GB"}, "memory_limit=None, now '2GB'"),
        ({"categorical": {7, 3}}, r"categorical=\[\], now \[3, 7\]"),
        ({"categorical": range(30)}, r"categorical=\[\], now '30 values, \w+'"),
    ],
)
def test_other_parameters_are_refused(folder: Path, options: dict[str, Any], words: str) -> None:
    problem = make_problem()
    fit(folder, problem.X, problem.numbers)
    with pytest.raises(CheckpointError, match=words):
        fit(folder, problem.X, problem.numbers, **options)


def test_another_selector_or_measure_is_refused(folder: Path) -> None:
    problem = make_problem()
    measure = PairwiseHSIC(normalised=False)
    MaxRelevance(4, measure=measure, checkpoint=folder).fit(problem.X, problem.numbers)
    with pytest.raises(CheckpointError, match="selector='MaxRelevance', now 'N3LARS'"):
        fit(folder, problem.X, problem.numbers)
    with pytest.raises(CheckpointError, match=r"measure='PairwiseHSIC \w+', now None"):
        MaxRelevance(4, checkpoint=folder).fit(problem.X, problem.numbers)


def test_other_data_are_refused(folder: Path) -> None:
    problem = make_problem()
    fit(folder, problem.X, problem.numbers)
    changed = problem.X.copy()
    changed[17, 23] += 1
    with pytest.raises(CheckpointError, match="made with other data"):
        fit(folder, changed, problem.numbers)
    with pytest.raises(CheckpointError, match="made with other values of the target"):
        fit(folder, problem.X, problem.numbers + 1)
    with pytest.raises(CheckpointError, match="n_samples=300, now 299"):
        fit(folder, problem.X[1:], problem.numbers[1:])
    names = [f"f{feature}" for feature in range(problem.X.shape[1])]
    with pytest.raises(CheckpointError, match="other names of the features"):
        fit(folder, ArrayBlocks(problem.X, names), problem.numbers)


def test_files_that_were_written_again_are_refused(folder: Path, tmp_path: Path) -> None:
    problem = make_problem()
    place = tmp_path / "data"
    place.mkdir()
    fit(folder, stored("matrix", problem, place), problem.numbers)
    place = place.rename(tmp_path / "elsewhere")
    again = open_dataset(place / "all.npy", target="-1").columns
    fit(folder, again, problem.numbers)
    file = place / "all.npy"
    os.utime(file, ns=(0, file.stat().st_mtime_ns + 1))
    with pytest.raises(CheckpointError, match="files written since"):
        fit(folder, open_dataset(file, target="-1").columns, problem.numbers)


def test_a_checkpoint_of_coded_columns_is_small(folder: Path) -> None:
    """Codes, which stay in memory else, are as many as there are values."""
    problem = make_problem()
    fit(folder, problem.X, problem.numbers, form="coded")
    n_bytes = sum(path.stat().st_size for path in results_in(folder))
    assert 0 < n_bytes < problem.X.size / 4


def test_folds_of_a_rule_have_no_checkpoint(folder: Path) -> None:
    problem = make_problem()
    found, expected = (
        MaxRelevance("cv", checkpoint=kept).fit(problem.X[:, :8], problem.numbers)
        for kept in (folder, None)
    )
    assert found.selected_indices_.tolist() == expected.selected_indices_.tolist()


def test_subsamples_have_no_checkpoint(folder: Path) -> None:
    problem = make_problem()
    found, expected = (
        StabilitySelection(
            MaxRelevance(checkpoint=kept), n_subsamples=4, n_per_subsample=3, n_features_to_select=2
        ).fit(problem.X, problem.numbers)
        for kept in (folder, None)
    )
    assert found.frequencies_.tobytes() == expected.frequencies_.tobytes()
    assert not folder.exists()


def test_pairs_have_no_checkpoint(folder: Path) -> None:
    problem = make_problem()
    with pytest.raises(ValueError, match=r"checkpoint=.* keeps nothing .* interactions='pairs'"):
        N3LARS(2, interactions="pairs", checkpoint=folder).fit(problem.X, problem.numbers)


@pytest.mark.parametrize("given", ["", 3, True])
def test_what_is_no_path_is_refused(given: Any) -> None:
    problem = make_problem()
    with pytest.raises(ValueError, match=f"checkpoint must be .* got {given!r}"):
        fit(given, problem.X, problem.numbers)


def test_a_measure_of_the_whole_data_has_no_checkpoint(folder: Path) -> None:
    problem = make_problem()
    with pytest.raises(ValueError, match=r"checkpoint=.* needs a measure .* Pearson\(\) is not"):
        MaxRelevance(measure=Pearson(), checkpoint=folder).fit(problem.X, problem.numbers)


def test_pairs_are_not_left_to_a_cluster() -> None:
    problem = make_problem()
    with pytest.raises(ValueError, match=r"interactions='pairs' .* engine='dask'"):
        N3LARS(2, interactions="pairs", engine="dask").fit(problem.X, problem.numbers)
    found, expected = (
        N3LARS(2, interactions="pairs", engine=engine).fit(problem.X, problem.numbers)
        for engine in ("threads", None)
    )
    assert found.coef_.tobytes() == expected.coef_.tobytes()
