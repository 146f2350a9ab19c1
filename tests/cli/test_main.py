"""The command line as a whole: help, version, lists, demonstration, and real processes."""

import re
import subprocess
import sys

import numpy as np
import pytest

import hsieve
from hsieve.cli import demo
from hsieve.cli.main import run
from hsieve.selectors.methods import AUTO, known_methods
from tests.cli.files import write_csv
from tests.cli.running import invoke

ENTRY = "from hsieve.cli.main import run; run()"


def run_process(*arguments, before=""):
    """Run the entry point in a process of its own, after some preparation."""
    return subprocess.run(
        [sys.executable, "-c", before + ENTRY, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    path = tmp_path / "table.csv"
    rows = np.column_stack([X, 3 * X[:, 1]])
    np.savetxt(path, rows, delimiter=",", header="a,b,c,y", comments="")
    return path


def test_version():
    assert invoke("--version").stdout == f"hsieve {hsieve.__version__}\n"


@pytest.mark.parametrize("arguments", [(), ("--help",)])
def test_help_names_all_commands(arguments):
    result = invoke(*arguments)
    assert result.exit_code == 0
    for command in ("select", "compare", "interactions", "methods", "demo"):
        assert command in result.stdout


def test_methods_are_listed_in_groups_by_purpose_with_their_cost():
    lines = invoke("methods").stdout.splitlines()
    groups = [line for line in lines[:-1] if not line.startswith(" ")]
    assert len(groups) == len(set(groups)) > 1
    for method in (AUTO, *known_methods().values()):
        assert method.group in lines
        row = rf"  {re.escape(method.name)} +{re.escape(method.purpose)} +{re.escape(method.cost)}"
        assert any(re.fullmatch(row, line) for line in lines), method.name


def test_list_of_methods_fits_on_a_screen_of_100_columns():
    assert max(map(len, invoke("methods").stdout.splitlines())) <= 100


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["selct"], "selct"),
        (["--nonsense"], "--nonsense"),
        (["select"], "file"),
        (["select", "x.csv", "--target-kind", "odd"], "odd"),
        (["select", "x.csv", "-k", "many"], "integer"),
        (["interactions"], "file"),
        (["interactions", "x.csv", "--order", "4"], "order"),
        (["interactions", "x.csv", "--missing", "fill"], "fill"),
        (["interactions", "x.csv", "--screen-by", "luck"], "luck"),
    ],
)
def test_wrong_usage_is_one_sentence(arguments, words):
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert words in result.stderr


def test_demo_finds_the_truth():
    result = invoke("demo")
    assert result.exit_code == 0, result.output
    assert result.stdout.count("agrees with the truth") == len(demo.LESSONS)
    assert "All true features were found" in result.stdout


def test_demo_fails_where_the_truth_is_not_found(monkeypatch):
    switches = next(lesson for lesson in demo.LESSONS if "switches" in lesson.title)
    blind = demo.Lesson("Title", "Story.", switches.make, "pearson")
    monkeypatch.setattr(demo, "LESSONS", (blind,))
    result = invoke("demo")
    assert result.exit_code == 1
    assert "DIFFERS from the truth" in result.stdout
    assert "0 of 1 tasks" in result.stdout


@pytest.mark.parametrize(
    ("chosen", "agrees"),
    [((0, 1), True), ((0, 11), True), ((10, 11), True), ((0, 10), False), ((0, 5), False)],
)
def test_copy_counts_for_its_original_but_not_beside_it(chosen, agrees):
    outcome = demo.DemoOutcome(
        demo.LESSONS[0], (0, 1), chosen, (0, 10), 0.0, copies={0: (10,), 1: (11,)}
    )
    assert outcome.agrees == agrees


def test_demo_tells_that_correlation_takes_copies_for_signals():
    copies = next(line for line in invoke("demo").stdout.splitlines() if "by correlation" in line)
    assert "2 of 3 right" in copies


def test_without_a_method_the_command_gives_what_the_library_gives(tmp_path):
    X = np.random.default_rng(0).normal(size=(100, 8))
    y = X[:, 3] ** 2 + X[:, 1]
    names = [f"x{i}" for i in range(8)]
    path = write_csv(tmp_path / "table.csv", dict(zip(names, X.T, strict=True), y=y))
    found = hsieve.select(X, y, names=names, time_allowed="minutes")
    assert sorted(found.features) == ["x1", "x3"]
    shown = invoke("select", path, "-t", "y", "--time-allowed", "minutes", "-q").stdout.split()
    assert tuple(shown) == found.features


def test_refusal_is_one_line_and_code_2(table, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["hsieve", "select", str(table), "-t", "z"])
    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 2
    out, errors = capsys.readouterr()
    assert out == ""
    assert errors.startswith("error: ")
    assert errors.count("\n") == 1


def test_a_bug_is_not_hidden(table, monkeypatch):
    def select(*_):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("hsieve.cli.selection.select", select)
    monkeypatch.setattr(sys, "argv", ["hsieve", "select", str(table), "-t", "y"])
    with pytest.raises(ZeroDivisionError, match="a bug"):
        run()


@pytest.mark.usefixtures("interrupts")
def test_interrupted_process_ends_with_130_and_writes_nothing(table, tmp_path):
    before = (
        "import os, signal, time\n"
        "from hsieve.cli import selection\n"
        "def select(*_):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    time.sleep(30)\n"
        "selection.select = select\n"
    )
    out = tmp_path / "out.csv"
    finished = run_process("select", table, "-t", "y", "-o", out, before=before)
    assert finished.returncode == 130
    assert finished.stdout == ""
    assert finished.stderr.startswith("error: interrupted")
    assert finished.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == [table]


def test_process_prints_the_result_without_a_bar_and_escapes_names(table):
    header, _, rest = table.read_text().partition("\n")
    table.write_text(f"{header.replace('b', 'β')}\n{rest}", encoding="utf-8")
    before = "import sys; sys.stdout.reconfigure(encoding='ascii', errors='strict')\n"
    finished = run_process("select", table, "-t", "y", "-k", 1, before=before)
    assert finished.returncode == 0, finished.stderr
    assert "1 of 3 features" in finished.stdout
    assert r"\u03b2" in finished.stdout
    assert finished.stderr == ""
