"""The command `python -m reproduction`: files, tables, and what it refuses."""

import csv
import dataclasses
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from hsieve.comparison import runner
from hsieve.comparison.results_file import open_results
from reproduction import catalogue, thesis_cleavage
from reproduction.__main__ import app
from reproduction.experiment import Settings, UnknownNameError, restricted
from reproduction.tests.fake import DATASETS, EXPERIMENT, METHODS
from tests.cli.running import assert_refused, cells_of, invoke
from tests.comparison.fake import SLOWLY

ROOT = Path(__file__).parents[2]
PROCESS = """
from reproduction import __main__, catalogue
from reproduction.tests.fake import EXPERIMENT
catalogue.EXPERIMENTS = {EXPERIMENT.name: EXPERIMENT}
__main__.run()
"""
reproduce = partial(invoke, app=app)

BEGIN, END = "<!-- fake: begin -->", "<!-- fake: end -->"


@pytest.fixture(autouse=True)
def only_the_fake(monkeypatch, tmp_path):
    monkeypatch.setattr(catalogue, "EXPERIMENTS", {EXPERIMENT.name: EXPERIMENT})
    monkeypatch.chdir(tmp_path)


def test_results_are_kept_in_a_folder_of_the_current_one(tmp_path):
    result = reproduce("fake")
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    folder = tmp_path / "reproduction" / "results"
    assert sorted(p.name for p in folder.iterdir()) == ["fake.csv", "fake.jsonl", "fake.md"]
    assert "Results are in reproduction/results: fake.csv and fake.md." in result.stdout
    assert "reproduction/results" in reproduce("--help").stdout


def test_without_a_name_those_there_are_are_told(tmp_path):
    assert_refused(reproduce(), "name an experiment; there are fake")
    assert list(tmp_path.iterdir()) == []


def test_table_has_ours_published_and_difference():
    rows = cells_of(reproduce("fake"))
    assert [row[0] for row in rows if row[0]] == list(DATASETS)
    assert [row[1] for row in rows] == [*METHODS, *METHODS]
    for row in rows:
        ours = float(row[2].split()[0])
        assert row[3] == "0.5 ± 0.1"
        assert float(row[4]) == pytest.approx(ours - 0.5, abs=1e-4)


def test_csv_has_a_row_for_each_record(tmp_path):
    reproduce("fake", "--results", "here")
    with (tmp_path / "here" / "fake.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    records = runner.run(EXPERIMENT, Settings()).records
    assert [float(row["value"]) for row in rows] == [record["value"] for record in records]
    assert [row["dataset"] for row in rows] == [record["dataset"] for record in records]


def test_second_call_prints_the_same_table():
    first, second = reproduce("fake"), reproduce("fake", "--jobs", "2")
    assert cells_of(first) == cells_of(second)


def test_tables_go_between_the_markers(tmp_path):
    document = tmp_path / "document.md"
    document.write_text(f"Before\n\n{BEGIN}\nold\n{END}\n\nAfter ü\n", encoding="utf-8")
    result = reproduce("fake", "--markdown", document)
    assert result.exit_code == 0, result.output
    text = document.read_text(encoding="utf-8")
    assert text.startswith(f"Before\n\n{BEGIN}\n\nA fake table\n\n| data | method |")
    assert text.endswith(f"|\n\n{END}\n\nAfter ü\n")
    assert "old" not in text
    assert "B\\|C" in text
    reproduce("fake", "--markdown", document)
    assert document.read_text(encoding="utf-8") == text
    assert [p.name for p in tmp_path.iterdir() if p.suffix == ".tmp"] == []


@pytest.mark.parametrize(
    "text", ["", BEGIN, f"{END}\n{BEGIN}\n", f"{BEGIN}\n{BEGIN}\n{END}\n", f"x {BEGIN}\n{END}\n"]
)
def test_file_without_markers_is_refused_before_any_work(tmp_path, text):
    document = tmp_path / "document.md"
    document.write_text(text)
    assert_refused(reproduce("fake", "--markdown", document), BEGIN, END)
    assert document.read_text() == text
    assert not (tmp_path / "reproduction").exists()


def test_markdown_file_that_cannot_be_read_is_refused(tmp_path):
    assert_refused(reproduce("fake", "--markdown", "none.md"), "none.md", "No such file")
    (tmp_path / "bytes.md").write_bytes(b"\xff\xfe")
    assert_refused(reproduce("fake", "--markdown", "bytes.md"), "UTF-8")


def test_other_seed_is_refused_with_what_to_do():
    assert reproduce("fake").exit_code == 0
    assert_refused(reproduce("fake", "--seed", "3"), "seed 0", "seed 3", "--fresh")
    assert reproduce("fake", "--seed", "3", "--fresh").exit_code == 0
    assert reproduce("fake", "--seed", "3").exit_code == 0


def test_run_beside_another_is_refused(tmp_path):
    belongs_to = {"experiment": "fake", "protocol": 1, "seed": 0}
    with open_results(tmp_path / "reproduction" / "results" / "fake.jsonl", belongs_to):
        assert_refused(reproduce("fake"), "in use")


def test_results_where_a_file_is_are_refused(tmp_path):
    (tmp_path / "file").write_text("")
    assert_refused(reproduce("fake", "--results", "file"), "file", "cannot be kept")


def test_tables_that_cannot_be_written_are_told(tmp_path):
    (tmp_path / "reproduction" / "results" / "fake.csv").mkdir(parents=True)
    assert_refused(reproduce("fake"), "fake.csv")


def test_names_keep_the_run_to_some_pieces():
    rows = cells_of(reproduce("fake", "--datasets", "first", "--methods", "A"))
    assert [row[:2] for row in rows] == [["first", "A"]]
    rows = cells_of(reproduce("fake", "--datasets", f'"{DATASETS[1]}"'))
    assert {row[0] for row in rows if row[0]} == {DATASETS[1]}


def test_unknown_names_are_refused():
    assert_refused(reproduce("fake", "--datasets", "first,third"), "third", "first")
    assert_refused(reproduce("fake", "--methods", "Z"), "Z", "there are A")


def test_trials_of_the_experiment_are_listed_and_used():
    assert cells_of(reproduce("--list")) == [["fake", "A fake table", "2"]]
    assert f"{2 * 3 * 4} measurements" in reproduce("fake").stdout
    assert f"{3 * 3 * 4} measurements" in reproduce("fake", "--trials", "3").stdout


def test_a_missing_extra_is_told_in_one_sentence_before_anything_is_begun(monkeypatch, tmp_path):
    experiment = thesis_cleavage.EXPERIMENT
    monkeypatch.setattr(catalogue, "EXPERIMENTS", {experiment.name: experiment})
    monkeypatch.setitem(sys.modules, "aaindex", None)
    result = reproduce(experiment.name)
    assert_refused(result, "aaindex", 'pip install "hsieve[sequences]"')
    assert not list(tmp_path.rglob("*.jsonl"))


@pytest.mark.parametrize("option", ["--trials", "--jobs"])
def test_numbers_that_would_fill_the_memory_are_refused(option):
    assert_refused(reproduce("fake", option, 10**30), option, "less than or equal to")


def start(folder, seconds):
    """Start the command with two jobs, in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", PROCESS, "fake", "--results", folder, "--jobs", "2"],
        cwd=ROOT,
        env={**os.environ, SLOWLY: str(seconds)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.usefixtures("interrupts")
def test_interrupted_run_shows_what_is_there_and_how_to_go_on(tmp_path):
    process = start(tmp_path, seconds=0.3)
    kept, end = tmp_path / "fake.jsonl", time.monotonic() + 300
    while not kept.exists() or len(kept.read_bytes().splitlines()) < 4:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    out, errors = process.communicate(timeout=300)
    assert process.returncode == 130, errors
    assert "A fake table" in out
    assert "of 24 pieces are done." in out
    assert errors == (
        f"error: interrupted before the end; what is done is kept in {tmp_path}; give the same "
        "command again to resume\n"
    )
    assert not (tmp_path / "fake.csv").exists()
    finished = reproduce("fake", "--results", tmp_path)
    assert (finished.exit_code, finished.stderr) == (0, "")
    records = runner.gather(EXPERIMENT, Settings(), tmp_path).records
    assert records == runner.run(EXPERIMENT, Settings()).records
    assert (tmp_path / "fake.csv").exists()


def test_restricted_runs_are_completed_later(tmp_path):
    some = restricted(EXPERIMENT, DATASETS[1:], ["A"])
    records = runner.run(some, Settings(), tmp_path).records
    assert {(r["dataset"], r["method"]) for r in records} == {(DATASETS[1], "A")}
    whole = runner.run(EXPERIMENT, Settings(), tmp_path).records
    assert whole == runner.run(EXPERIMENT, Settings()).records


def test_methods_that_are_measured_together_cannot_be_chosen():
    piece = dataclasses.replace(EXPERIMENT.plan(1, 0)[0], method="")
    together = dataclasses.replace(EXPERIMENT, plan=lambda trials, seed: [piece])
    with pytest.raises(UnknownNameError, match="all methods together"):
        restricted(together, methods=["A"]).plan(1, 0)
