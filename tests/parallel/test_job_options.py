"""`hsieve compare` and `python -m reproduction` on engines: the same tables, and refusals."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hsieve.parallel import EngineSettings
from reproduction import __main__, catalogue
from reproduction.tests.fake import EXPERIMENT
from tests.cli.files import write_csv
from tests.cli.running import assert_refused, cells_of, invoke

reproduce = partial(invoke, app=__main__.app)
COMMANDS = {"compare": partial(invoke, "compare"), "reproduction": reproduce}
QUICK = ("-t", "y", "--folds", 3, "-m", "mrmr,pearson", "-k", 2)


@pytest.fixture(autouse=True)
def only_the_fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(catalogue, "EXPERIMENTS", {EXPERIMENT.name: EXPERIMENT})
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    X = np.random.default_rng(0).normal(size=(60, 5))
    columns: dict[str, Any] = {f"x{i}": column.tolist() for i, column in enumerate(X.T)}
    path: Path = write_csv(tmp_path / "table.csv", {**columns, "y": (X[:, 0] > 0).tolist()})
    return path


def as_options(settings: EngineSettings) -> list[str]:
    given = ["--engine", settings.name]
    if settings.scheduler is not None:
        given += ["--scheduler", settings.scheduler]
    return given


def test_a_comparison_prints_the_same_table(settings: EngineSettings, table: Path) -> None:
    result = invoke("compare", table, *QUICK, *as_options(settings))
    assert result.exit_code == 0, result.output
    alone = cells_of(invoke("compare", table, *QUICK))
    # All but the times.
    assert [row[:5] for row in cells_of(result)] == [row[:5] for row in alone]


def test_an_experiment_prints_the_same_table(settings: EngineSettings) -> None:
    result = reproduce("fake", *as_options(settings), "--results", "there")
    assert result.exit_code == 0, result.output
    assert cells_of(result) == cells_of(reproduce("fake", "--results", "here"))
    # What an engine has measured is taken up without it.
    again = reproduce("fake", "--results", "there", "--jobs", 2)
    assert cells_of(again) == cells_of(result)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_says_that_threads_do_one_piece_at_a_time(command: str) -> None:
    words = " ".join(COMMANDS[command]("--help").output.replace("│", " ").split())
    assert "(local, threads), which does one piece at a time" in words


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--engine", "threads", "--jobs", 2], ["--jobs and --engine both say"]),
        (["--scheduler", "tcp://127.0.0.1:1"], ["--scheduler needs --engine"]),
        (["--workers", 2], ["--workers needs --engine"]),
        (["--engine", "threads", "--scheduler", "tcp://127.0.0.1:1"], ["scheduler is for"]),
        (["--engine", "abacus"], ["abacus", "threads"]),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    table: Path, command: str, given: list[Any], words: list[str]
) -> None:
    what = [table, *QUICK] if command == "compare" else ["fake"]
    assert_refused(COMMANDS[command](*what, *given), *words)
