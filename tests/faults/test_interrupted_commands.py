"""Signals in the middle of commands: one sentence, nothing torn, nobody left behind.

The signal is a real one, sent to the command and all its processes, as a terminal does, when the
work reports how far it is.
"""

import csv
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from hsieve.datasets import make_n3lars
from tests.faults.commands import Ended, Running, begin
from tests.faults.left_behind import check_whole, differences, n_kept

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no groups of processes")

PATIENCE = 60
SHARED_MEMORY = Path("/dev/shm")
SMALL_PIECES = {"hsieve.kernels.factor_store.PIECE_BYTES": 12_000}
SELECT = ("select", "../data.csv", "-t", "y", "-m", "n3lars", "-k", "3", "--out", "out.csv")
COMPARE = ("compare", "../data.csv", "--target", "y", "-k", "3", "--methods", "n3lars,mrmr")
REPRODUCE = ("reproduce", "l1lsmi-table4", "--trials", "2", "--methods", "PC,mRMR")
KEPT = "what is done is kept in kept; give the same command again to resume"
COULD_BE_KEPT = "nothing is kept; with --checkpoint FOLDER the run could be resumed"


@dataclass(frozen=True)
class Command:
    """Words of a command, at which report to press Ctrl-C, and what is said of it."""

    words: tuple[str, ...]
    at_report: int
    kept: str


RESUMED = {
    "n3lars": Command((*SELECT, "--checkpoint", "kept"), 2, KEPT),
    "bahsic": Command((*SELECT, "-m", "bahsic", "--checkpoint", "kept"), 3, KEPT),
    "stability": Command(
        (*SELECT[:6], "--stability", "--subsamples", "12", "--checkpoint", "kept"), 17, KEPT
    ),
    "compare": Command(
        (*COMPARE, "--folds", "3", "--results", "kept", "--out", "out.csv"), 3, KEPT
    ),
    "reproduce": Command((*REPRODUCE, "--results", "kept"), 3, KEPT),
}
OTHERS = {
    "n3lars": Command(SELECT, 2, COULD_BE_KEPT),
    "bahsic": Command((*SELECT, "-m", "bahsic"), 2, COULD_BE_KEPT),
    "kernel-ridge": Command(
        (*SELECT, "-m", "kernel-ridge"), 2, "a run of kernel-ridge can only start again"
    ),
    "randsel on threads": Command(
        (*SELECT, "-m", "randsel", "--engine", "threads", "--workers", "2"), 1, COULD_BE_KEPT
    ),
    "l1-lsmi": Command((*SELECT, "-m", "l1-lsmi"), 1, COULD_BE_KEPT),
    "stability": Command(
        (*SELECT[:6], "--stability", "--subsamples", "20", "--out", "out.csv"), 2, COULD_BE_KEPT
    ),
    "compare": Command((*COMPARE, "--folds", "3"), 2, "with --results FOLDER it could be resumed"),
    "compare in processes": Command(
        (*COMPARE, "--folds", "3", "--jobs", "2"), 1, "with --results FOLDER it could be resumed"
    ),
    "interactions": Command(
        ("interactions", "../data.csv", "-t", "y", "--out", "out.csv", "--report", "page.html"),
        *(2, "nothing is kept of a search for interactions"),
    ),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("commands")
    problem = make_n3lars(120, 60, random_state=0)
    with (place / "data.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"x{feature}" for feature in range(problem.X.shape[1])), "y"])
        writer.writerows(np.column_stack([problem.X, problem.y]).tolist())
    return place


def fresh(place: Path, label: str) -> Path:
    folder = place / label
    folder.mkdir()
    return folder


def interrupted(folder: Path, command: Command) -> Ended:
    """Press Ctrl-C in the middle of a command, and check how it ends."""
    running = begin(folder, command.words, values=SMALL_PIECES, interrupted_at=command.at_report)
    ended = running.end()
    assert ended.code == 130, ended.stderr
    assert ended.stderr.startswith("error: interrupted before the end; "), ended.stderr
    assert command.kept in ended.stderr
    assert ended.stderr.count("\n") == 1, ended.stderr
    wait_until_gone(running)
    return ended


def wait_until_gone(running: Running) -> None:
    end = time.monotonic() + PATIENCE
    while not running.is_gone():
        assert time.monotonic() < end, "processes of the command are still there"
        time.sleep(0.05)


@pytest.mark.parametrize("name", RESUMED)
def test_an_interrupted_command_goes_on_to_the_undisturbed_result(name: str, place: Path) -> None:
    command, folder = RESUMED[name], fresh(place, f"{name}-interrupted")
    undisturbed = fresh(place, f"{name}-undisturbed")
    assert begin(undisturbed, command.words, values=SMALL_PIECES).end().code == 0
    interrupted(folder, command)
    assert 0 < n_kept(folder) < n_kept(undisturbed)
    check_whole(folder, undisturbed)
    assert {path.suffix for path in folder.rglob("*") if path.is_file()} <= {
        *("", ".json", ".jsonl", ".result")
    }
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.result")}
    assert begin(folder, command.words, values=SMALL_PIECES).end().code == 0
    check_whole(folder, undisturbed)
    assert differences(folder, undisturbed) == set()
    assert {path: path.stat().st_mtime_ns for path in before} == before


@pytest.mark.parametrize("name", OTHERS)
def test_an_interrupted_command_says_what_is_kept_and_leaves_nothing(
    name: str, place: Path
) -> None:
    folder = fresh(place, f"{name}-lost")
    ended = interrupted(folder, OTHERS[name])
    assert ended.stdout == ""
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(("name", "jobs"), [("SIGTERM", "2"), ("SIGHUP", "1"), ("SIGKILL", "2")])
def test_no_process_file_or_shared_memory_outlives_a_command_whichever_signal_ends_it(
    name: str, jobs: str, place: Path
) -> None:
    number = signal.Signals[name]
    folder = fresh(place, name)
    words = (*COMPARE, "--folds", "3", "--jobs", jobs)
    running = begin(folder, words, interrupted_at=1, interrupted_by=number)
    ended = running.end()
    wait_until_gone(running)
    assert list(folder.iterdir()) == []
    # Other processes of the machine may share memory meanwhile; names say whose it is.
    pid = str(running.process.pid)
    assert [one for one in os.listdir(SHARED_MEMORY) if pid in re.split(r"\D+", one)] == []
    if number == signal.SIGKILL:
        assert (ended.code, ended.stderr) == (-number, "")
    else:
        assert ended.code == 128 + number
        assert ended.stderr.count("\n") == 1
        assert ended.stderr.startswith("error: interrupted before the end; "), ended.stderr


@pytest.mark.parametrize("imported", ["typer", "numpy", "sklearn"])
def test_ctrl_c_during_imports_prints_one_line(imported: str, tmp_path: Path) -> None:
    press = f"""
import os, signal, sys
class Press:
    def find_spec(self, name, path=None, target=None):
        if name == {imported!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Press())
sys.argv[1:] = ["select", "table.csv", "-t", "y", "-m", "pearson"]
from hsieve.__main__ import run
run()
"""
    (tmp_path / "table.csv").write_text("a,y\n" + "1,2\n3,4\n" * 10)
    ended = subprocess.run(
        [sys.executable, "-c", press], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 130, ended.stderr
    assert ended.stderr.startswith("error: interrupted before the ")
    assert ended.stderr.count("\n") == 1


def read_until(terminal: int, wanted: bytes) -> bytes:
    """Read what was written to a terminal, until something is there."""
    shown = b""
    while wanted not in shown:
        assert select.select([terminal], [], [], PATIENCE)[0], shown
        shown += os.read(terminal, 4096)
    return shown


def test_an_interrupted_command_gives_the_terminal_back(place: Path) -> None:
    """The bar hides the cursor; it must be shown again."""
    master, slave = pty.openpty()
    try:
        folder = fresh(place, "terminal")
        words = ("interactions", "../data.csv", "-t", "y", "--permutations", "20000")
        running = begin(
            folder,
            words,
            values={"hsieve.progress.BAR_DELAY": 0.0},
            terminal=os.ttyname(slave),
        )
        shown = read_until(master, b"\x1b[?25l")
        running.send(signal.SIGINT)
        shown += read_until(master, b"interrupted")
        ended = running.end()
    finally:
        os.close(slave)
        os.close(master)
    assert ended.code == 130
    assert shown.rfind(b"\x1b[?25h") > shown.rfind(b"\x1b[?25l")
