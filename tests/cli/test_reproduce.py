"""The command `hsieve reproduce`: files, tables, and what it refuses."""

import csv
import sys

import pytest

import hsieve.experiments
from hsieve.cli.reproduction import names_in
from hsieve.experiments import Settings, runner, thesis_cleavage
from hsieve.experiments.results_file import open_results
from tests.cli.running import assert_refused, cells_of, invoke
from tests.experiments.fake import DATASETS, EXPERIMENT, METHODS

BEGIN, END = "<!-- fake: begin -->", "<!-- fake: end -->"


@pytest.fixture(autouse=True)
def only_the_fake(monkeypatch, tmp_path):
    monkeypatch.setattr(hsieve.experiments, "EXPERIMENTS", {EXPERIMENT.name: EXPERIMENT})
    monkeypatch.chdir(tmp_path)


def test_results_are_kept_in_a_folder_of_the_current_one(tmp_path):
    result = invoke("reproduce", "fake")
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    folder = tmp_path / "reproduction"
    assert sorted(p.name for p in folder.iterdir()) == ["fake.csv", "fake.jsonl", "fake.md"]
    assert "Results are in reproduction: fake.csv and fake.md." in result.stdout
    assert "reproduction" in invoke("reproduce", "--help").stdout


def test_without_a_name_those_there_are_are_told(tmp_path):
    assert_refused(invoke("reproduce"), "name an experiment; there are fake")
    assert list(tmp_path.iterdir()) == []


def test_table_has_ours_published_and_difference():
    rows = cells_of(invoke("reproduce", "fake"))
    assert [row[0] for row in rows if row[0]] == list(DATASETS)
    assert [row[1] for row in rows] == [*METHODS, *METHODS]
    for row in rows:
        ours = float(row[2].split()[0])
        assert row[3] == "0.5 ± 0.1"
        assert float(row[4]) == pytest.approx(ours - 0.5, abs=1e-4)


def test_csv_has_a_row_for_each_record(tmp_path):
    invoke("reproduce", "fake", "--results", "here")
    with (tmp_path / "here" / "fake.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    records = runner.measure_all(EXPERIMENT)
    assert [float(row["value"]) for row in rows] == [record["value"] for record in records]
    assert [row["dataset"] for row in rows] == [record["dataset"] for record in records]


def test_second_call_prints_the_same_table():
    first, second = invoke("reproduce", "fake"), invoke("reproduce", "fake", "--jobs", "2")
    assert cells_of(first) == cells_of(second)


def test_tables_go_between_the_markers(tmp_path):
    document = tmp_path / "document.md"
    document.write_text(f"Before\n\n{BEGIN}\nold\n{END}\n\nAfter ü\n", encoding="utf-8")
    result = invoke("reproduce", "fake", "--markdown", document)
    assert result.exit_code == 0, result.output
    text = document.read_text(encoding="utf-8")
    assert text.startswith(f"Before\n\n{BEGIN}\n\nA fake table\n\n| data | method |")
    assert text.endswith(f"|\n\n{END}\n\nAfter ü\n")
    assert "old" not in text
    assert "B\\|C" in text
    invoke("reproduce", "fake", "--markdown", document)
    assert document.read_text(encoding="utf-8") == text
    assert [p.name for p in tmp_path.iterdir() if p.suffix == ".tmp"] == []


@pytest.mark.parametrize(
    "text", ["", BEGIN, f"{END}\n{BEGIN}\n", f"{BEGIN}\n{BEGIN}\n{END}\n", f"x {BEGIN}\n{END}\n"]
)
def test_file_without_markers_is_refused_before_any_work(tmp_path, text):
    document = tmp_path / "document.md"
    document.write_text(text)
    assert_refused(invoke("reproduce", "fake", "--markdown", document), BEGIN, END)
    assert document.read_text() == text
    assert not (tmp_path / "reproduction").exists()


def test_markdown_file_that_cannot_be_read_is_refused(tmp_path):
    assert_refused(invoke("reproduce", "fake", "--markdown", "none.md"), "none.md", "No such file")
    (tmp_path / "bytes.md").write_bytes(b"\xff\xfe")
    assert_refused(invoke("reproduce", "fake", "--markdown", "bytes.md"), "UTF-8")


def test_other_seed_is_refused_with_what_to_do():
    assert invoke("reproduce", "fake").exit_code == 0
    assert_refused(invoke("reproduce", "fake", "--seed", "3"), "seed 0", "seed 3", "--fresh")
    assert invoke("reproduce", "fake", "--seed", "3", "--fresh").exit_code == 0
    assert invoke("reproduce", "fake", "--seed", "3").exit_code == 0


def test_run_beside_another_is_refused(tmp_path):
    belongs_to = runner._belongs_to(EXPERIMENT, Settings())
    with open_results(tmp_path / "reproduction" / "fake.jsonl", belongs_to):
        assert_refused(invoke("reproduce", "fake"), "in use")


def test_results_where_a_file_is_are_refused(tmp_path):
    (tmp_path / "file").write_text("")
    assert_refused(invoke("reproduce", "fake", "--results", "file"), "file", "cannot be kept")


def test_tables_that_cannot_be_written_are_told(tmp_path):
    (tmp_path / "reproduction" / "fake.csv").mkdir(parents=True)
    assert_refused(invoke("reproduce", "fake"), "fake.csv")


def test_names_keep_the_run_to_some_pieces():
    rows = cells_of(invoke("reproduce", "fake", "--datasets", "first", "--methods", "A"))
    assert [row[:2] for row in rows] == [["first", "A"]]
    rows = cells_of(invoke("reproduce", "fake", "--datasets", f'"{DATASETS[1]}"'))
    assert {row[0] for row in rows if row[0]} == {DATASETS[1]}


def test_unknown_names_are_refused():
    assert_refused(invoke("reproduce", "fake", "--datasets", "first,third"), "third", "first")
    assert_refused(invoke("reproduce", "fake", "--methods", "Z"), "Z", "there are A")


@pytest.mark.parametrize(
    ("text", "names"),
    [(None, ()), ("a", ("a",)), ("a, b,", ("a", "b")), ('"a, b",c', ("a, b", "c"))],
)
def test_names_between_commas(text, names):
    assert names_in(text) == names


def test_trials_of_the_experiment_are_listed_and_used():
    assert cells_of(invoke("reproduce", "--list")) == [["fake", "A fake table", "2"]]
    assert f"{2 * 3 * 4} measurements" in invoke("reproduce", "fake").stdout
    assert f"{3 * 3 * 4} measurements" in invoke("reproduce", "fake", "--trials", "3").stdout


def test_a_missing_extra_is_told_in_one_sentence_before_anything_is_begun(monkeypatch, tmp_path):
    experiment = thesis_cleavage.EXPERIMENT
    monkeypatch.setattr(hsieve.experiments, "EXPERIMENTS", {experiment.name: experiment})
    monkeypatch.setitem(sys.modules, "aaindex", None)
    result = invoke("reproduce", experiment.name)
    assert_refused(result, "aaindex", 'pip install "hsieve[sequences]"')
    assert not list(tmp_path.rglob("*.jsonl"))


@pytest.mark.parametrize("option", ["--trials", "--jobs"])
def test_numbers_that_would_fill_the_memory_are_refused(option):
    assert_refused(invoke("reproduce", "fake", option, 10**30), option, "less than or equal to")
