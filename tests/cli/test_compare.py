"""`hsieve compare`: what it prints, writes and keeps, how it goes on, and what it refuses."""

import csv
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from hsieve import MRMR, compare
from hsieve.cli import comparison
from hsieve.cli.options import names_in
from hsieve.comparison import compare as experiment
from hsieve.comparison import runner
from tests.cli.files import write_csv
from tests.cli.running import assert_refused, cells_of, invoke

N_SAMPLES = 60
QUICK = ("--folds", 3, "-m", "mrmr,pearson", "-k", 2)


@pytest.fixture
def columns():
    """Columns of which "sign" and "bend" determine the target, beside noise."""
    rng = np.random.default_rng(0)
    sign, bend = rng.normal(size=(2, N_SAMPLES))
    noise = {f"noise{i}": rng.normal(size=N_SAMPLES).tolist() for i in range(4)}
    y = np.where(sign + bend**2 > 0.7, "up", "down")
    return {**noise, "sign": sign.tolist(), "bend": bend.tolist(), "y": y.tolist()}


@pytest.fixture
def table(columns, tmp_path):
    return write_csv(tmp_path / "table.csv", columns)


@pytest.fixture
def unread(monkeypatch):
    monkeypatch.setattr(
        "hsieve.dataset.open_dataset", lambda *_, **__: pytest.fail("the file was read")
    )


@pytest.fixture
def unmeasured(monkeypatch):
    monkeypatch.setattr(comparison, "_measured", lambda *_, **__: pytest.fail("it was run"))


def test_table_has_the_figures_of_the_library(table, columns):
    result = invoke("compare", table, "-t", "y", *QUICK)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    X = np.column_stack([columns[name] for name in columns if name != "y"])
    found = compare({"mrmr": MRMR(2)}, X, np.array(columns["y"]), cv=3).best
    rows = {row[0]: row for row in cells_of(result) if len(row) == 6}
    assert set(rows) == {"mrmr", "pearson", "no features"}
    assert rows["mrmr"][1] == f"{found.score.mean:.3f} ± {found.score.deviation:.3f}"
    assert rows["mrmr"][3] == "2"
    assert rows["mrmr"][4].startswith(f"{found.consistency.nogueira.stability:.2f} ± ")
    assert "2 selectors on 3 folds" in result.stdout
    assert "6 features, from 60 samples; target y (2 classes); " in result.stdout


def test_best_is_first_and_words_say_what_is_chance(table):
    result = invoke("compare", table, "-t", "y", *QUICK)
    *names, baseline = [row[0] for row in cells_of(result) if len(row) == 6]
    assert baseline == "no features"
    assert names == invoke("compare", table, "-t", "y", *QUICK, "-q").stdout.split()
    scores = [float(row[1].split()[0]) for row in cells_of(result) if len(row) == 6][:-1]
    assert scores == sorted(scores, reverse=True)
    assert "chance" in result.stdout
    assert "Consistency: Nogueira's index, 1 if every fold selects the same" in result.stdout


def test_usual_methods_without_any_named(table):
    result = invoke("compare", table, "-t", "y", "--folds", 2, "-q")
    assert sorted(result.stdout.split()) == sorted(comparison.USUAL_METHODS)
    text = " ".join(invoke("compare", "--help").stdout.replace("│", " ").split())
    for name in comparison.USUAL_METHODS:
        assert name in text


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_output_has_a_row_for_each_method(table, tmp_path, ending):
    out = tmp_path / f"out.{ending}"
    result = invoke("compare", table, "-t", "y", *QUICK, "-q", "-o", out)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    text = out.read_text(encoding="utf-8")
    rows = json.loads(text) if ending == "json" else list(csv.DictReader(text.splitlines()))
    assert {row["selector"] for row in rows} == {"mrmr", "pearson", "no features"}
    assert float(rows[0]["score"]) >= float(rows[1]["score"])
    assert {"jaccard", "mean_variance", "log_probability", "seconds"} < set(rows[0])
    frequent = rows[0]["frequent"]
    if ending == "json":
        assert {"feature": "sign", "share": 1.0} in frequent
    else:
        assert "sign (1.00)" in frequent


def test_nothing_is_kept_without_a_folder(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    assert invoke("compare", table, "-t", "y", *QUICK).exit_code == 0
    assert sorted(tmp_path.iterdir()) == before


def test_second_call_measures_nothing_and_prints_the_same(table, tmp_path, monkeypatch):
    options = ("compare", table, "-t", "y", *QUICK, "--results", tmp_path / "kept")
    first = invoke(*options)
    monkeypatch.setattr(runner, "_measure_piece", lambda *_, **__: pytest.fail("it was measured"))
    assert cells_of(invoke(*options)) == cells_of(first)


def test_method_is_added_to_what_is_kept(table, tmp_path):
    kept = ("--results", tmp_path / "kept")
    invoke("compare", table, "-t", "y", *QUICK, *kept)
    lines = (tmp_path / "kept" / "comparison.jsonl").read_bytes().splitlines()
    options = ("--folds", 3, "-m", "pearson,lasso,mrmr", "-k", 2)
    result = invoke("compare", table, "-t", "y", *options, *kept, "-q")
    assert sorted(result.stdout.split()) == ["lasso", "mrmr", "pearson"]
    more = (tmp_path / "kept" / "comparison.jsonl").read_bytes().splitlines()
    assert more[: len(lines)] == lines
    assert len(more) == len(lines) + 3


def test_other_data_and_folds_are_refused_with_what_to_do(table, columns, tmp_path):
    kept = ("--results", tmp_path / "kept")
    invoke("compare", table, "-t", "y", *QUICK, *kept)
    other = ("-m", "mrmr", "--folds", 4)
    result = invoke("compare", table, "-t", "y", *other, *kept)
    assert_refused(result, "folds 3 (", "folds 4 (", "--results", "--fresh")
    columns["noise0"][0] += 1
    write_csv(table, columns)
    result = invoke("compare", table, "-t", "y", *QUICK, *kept)
    assert_refused(result, "data 60 x 6 (", "must not be mixed")
    assert invoke("compare", table, "-t", "y", *QUICK, *kept, "--fresh").exit_code == 0
    assert invoke("compare", table, "-t", "y", *QUICK, *kept).exit_code == 0


def test_renamed_columns_are_the_same_data(table, columns, tmp_path):
    kept = ("--results", tmp_path / "kept")
    invoke("compare", table, "-t", "y", *QUICK, *kept)
    columns = {("direction" if name == "sign" else name): c for name, c in columns.items()}
    write_csv(table, columns)
    result = invoke("compare", table, "-t", "y", *QUICK, *kept)
    assert "direction 100%" in result.stdout


def test_processes_change_nothing(table):
    first = cells_of(invoke("compare", table, "-t", "y", *QUICK))
    second = cells_of(invoke("compare", table, "-t", "y", *QUICK, "--jobs", 2))
    assert [row[:5] for row in first] == [row[:5] for row in second]


def test_failing_method_is_told_with_its_own_words(table):
    options = ("--folds", 3, "-m", "fcbf,pearson", "-k", "alignment")
    result = invoke("compare", table, "-t", "y", *options)
    assert result.exit_code == 0, result.output
    assert ["fcbf", *["-"] * 5, "3 of 3"] in cells_of(result)
    assert "fcbf failed on every fold and has no score there: FCBF cannot find" in result.stdout
    assert "n_features_to_select='alignment'" in result.stdout
    alone = invoke("compare", table, "-t", "y", "-m", "fcbf", "-k", "alignment")
    assert_refused(alone, "table.csv", "Every selector failed on every fold; fcbf says")


def test_numbers_have_r2(columns, tmp_path):
    columns["y"] = (np.array(columns["sign"]) * 2).tolist()
    table = write_csv(tmp_path / "table.csv", columns)
    result = invoke("compare", table, "-t", "y", *QUICK)
    assert "R2: mean ± deviation" in result.stdout
    assert "target y (numbers)" in result.stdout


def test_categories_leave_out_what_takes_numbers_only_or_refuse_it(columns, tmp_path):
    columns["colour"] = [("red", "green", "blue")[i % 3] for i in range(N_SAMPLES)]
    table = write_csv(tmp_path / "table.csv", columns)
    options = ("compare", table, "-t", "y", "--folds", 2, "--categorical", "colour")
    result = invoke(*options)
    assert result.stderr == "warning: lasso is left out, since it takes numbers only\n"
    assert "lasso" not in result.stdout
    assert_refused(invoke(*options, "-m", "mrmr,lasso"), "('colour') does not work with lasso")
    result = invoke("compare", table, "-t", "y", *QUICK, "--drop", "colour")
    assert "6 features" in result.stdout


@pytest.mark.usefixtures("unread")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-m", "mrmr,pearsn"], ["no method 'pearsn'", "did you mean pearson"]),
        (["-m", ","], ["--methods needs names"]),
        (["-k", "many"], ["integer"]),
        (["--folds", 1], ["folds"]),
        (["--repeats", 0], ["repeats"]),
        (["--jobs", 0], ["jobs"]),
        (["--fresh"], ["--fresh", "--results FOLDER"]),
        (["--out", "table.txt"], [".csv or .json"]),
    ],
)
def test_wrong_usage_is_refused_before_reading(table, options, words):
    assert_refused(invoke("compare", table, "-t", "y", *options), *words)


@pytest.mark.usefixtures("unmeasured")
@pytest.mark.parametrize(
    ("changes", "options", "words"),
    [
        ({"y": ["up"] * N_SAMPLES}, [], ["1 class", "at least two"]),
        ({"y": ["one"] + ["up"] * (N_SAMPLES - 1)}, [], ["single sample"]),
        (
            {"y": np.arange(N_SAMPLES) / 7},
            ["-m", "stability-lpboost"],
            ["a target with classes", "'y'"],
        ),
    ],
)
def test_bad_tables_are_refused_before_any_work(columns, tmp_path, changes, options, words):
    table = write_csv(tmp_path / "table.csv", {**columns, **changes})
    assert_refused(invoke("compare", table, "-t", "y", *options), "table.csv", *words)


def test_too_few_samples_are_refused(columns, tmp_path):
    table = write_csv(tmp_path / "t.csv", {name: values[:3] for name, values in columns.items()})
    assert_refused(invoke("compare", table, "-t", "noise1", "--drop", "y"), "n_samples = 3")


def test_few_samples_give_fewer_folds_and_say_so(columns, tmp_path):
    columns["y"] = ["rare"] * 3 + ["often"] * (N_SAMPLES - 3)
    table = write_csv(tmp_path / "table.csv", columns)
    result = invoke("compare", table, "-t", "y", "-m", "mrmr")
    assert "There are 3 folds, not 10 as asked for" in result.stdout


def test_results_where_a_file_is_are_refused(table, tmp_path):
    (tmp_path / "file").write_text("")
    result = invoke("compare", table, "-t", "y", *QUICK, "--results", tmp_path / "file")
    assert_refused(result, "cannot be kept")


@pytest.mark.parametrize("is_kept", [True, False])
def test_interrupted_run_says_how_to_go_on(table, tmp_path, monkeypatch, is_kept):
    real = experiment.measure
    calls = []

    def interrupted(*arguments, **options):
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*arguments, **options)

    options = ["compare", table, "-t", "y", *QUICK]
    options += ["--results", tmp_path / "kept"] if is_kept else []
    with monkeypatch.context() as patched:
        patched.setattr(experiment, "measure", interrupted)
        result = invoke(*options)
    assert result.exit_code == 130
    if is_kept:
        assert "2 of 6 pieces are done." in result.stdout
        assert f"kept in {tmp_path / 'kept'}; give the same command again" in result.stderr
        assert "mrmr" in result.stdout
        lines = (tmp_path / "kept" / "comparison.jsonl").read_bytes().splitlines()
        assert len(lines) == 3
        assert "2 selectors on 3 folds" in invoke(*options).stdout
    else:
        assert "nothing of this comparison is kept; with --results FOLDER" in result.stderr


def test_killed_process_goes_on_in_another(table, tmp_path):
    """Marks of data and selectors are the same in every process, whatever its hashes."""
    kept = tmp_path / "kept" / "comparison.jsonl"
    options = ["--folds", "10", "--repeats", "30", "-m", "mrmr,pearson", "--results", kept.parent]
    command = [sys.executable, "-c", "from hsieve.cli.main import run; run()"]
    process = subprocess.Popen(
        [*command, "compare", table, "-t", "y", *options],
        env={**os.environ, "PYTHONHASHSEED": "1"},
        stdout=subprocess.DEVNULL,
    )
    end = time.monotonic() + 60
    while not kept.exists() or kept.read_bytes().count(b"\n") < 4:
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    lines = kept.read_bytes().splitlines(keepends=True)
    assert len(lines) < 600
    whole = [line for line in lines if line.endswith(b"\n")]
    assert invoke("compare", table, "-t", "y", *options).exit_code == 0
    after = kept.read_bytes().splitlines(keepends=True)
    assert after[: len(whole)] == whole
    assert len(after) == 601


def test_line_break_between_names_of_methods_is_refused(tmp_path):
    path = write_csv(tmp_path / "t.csv", {"a": [1, 2, 3], "y": [0, 1, 0]})
    result = invoke("compare", path, "--target", "y", "--methods", "mrmr,a\nb")
    assert_refused(result, "--methods needs names, separated by commas")


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (None, ()),
        (["a"], ("a",)),
        (["a, b,", "c"], ("a", "b", "c")),
        (['"a, b",c'], ("a, b", "c")),
    ],
)
def test_lists_are_repeated_or_between_commas(given, names):
    assert names_in("--drop", given) == names


def test_every_list_takes_commas_and_repetition(table):
    names = [
        invoke("compare", table, "-t", "y", "--folds", 2, "-k", 2, "-q", *options).stdout
        for options in (["-m", "mrmr,pearson"], ["-m", "mrmr", "-m", "pearson"])
    ]
    assert names[0] == names[1]
    assert sorted(names[0].split()) == ["mrmr", "pearson"]


def test_more_features_than_there_are_is_a_warning(table):
    result = invoke("compare", table, "-t", "y", "--folds", 2, "-m", "mrmr", "-k", 7)
    assert result.exit_code == 0, result.output
    assert "mrmr was asked for 7 features, but there are only 6." in result.stdout


def test_gaps_scores_and_a_page(columns, tmp_path):
    columns["bend"][::9] = [None] * len(columns["bend"][::9])
    table = write_csv(tmp_path / "table.csv", columns)
    page = tmp_path / "page.html"
    assert_refused(invoke("compare", table, "-t", "y", *QUICK), "missing")
    options = ("--missing", "impute", "--scoring", "roc_auc", "--report", page)
    result = invoke("compare", table, "-t", "y", *QUICK, *options)
    assert result.exit_code == 0, result.output
    assert "roc auc" in result.stdout
    assert "filled in from the training samples" in result.stdout
    assert [row[0] for row in cells_of(result) if len(row) == 6][-1] == "no features"
    assert "roc auc of each selector on each fold" in page.read_text(encoding="utf-8")
    assert_refused(invoke("compare", table, "-t", "y", "--report", tmp_path / "page.txt"), ".html")
    words = "such as 'roc_auc', or a function"
    assert_refused(invoke("compare", table, "-t", "y", *options, "--scoring", "no"), words)
