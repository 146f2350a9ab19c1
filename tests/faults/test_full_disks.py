"""Commands on a disk that takes no more: one sentence, code 2, nothing torn."""

import os
from pathlib import Path

import pytest

from tests.faults.commands import begin
from tests.faults.killing import SELECT, write_data
from tests.faults.left_behind import LEFTOVERS

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no limit for files")

# Enough for what is said, and for a line or two of results.
ROOM = 600
INTERACTIONS = ("interactions", "../data.csv", "-t", "y", "--permutations", "2")
COMMANDS = {
    "the output cannot be written": (*SELECT, "-k", "10", "--out", "out.json"),
    "the report cannot be written": (*SELECT, "--report", "page.html"),
    "the picture cannot be written": (*SELECT, "--plot", "path.svg"),
    "the checkpoint cannot be kept there": (*SELECT, "--checkpoint", "kept"),
    "the results cannot be kept there": (
        *("compare", "../data.csv", "-t", "y", "-m", "pearson", "-k", "3", "--folds", "6"),
        *("--results", "kept"),
    ),
    "out.csv: the output cannot be written": (*INTERACTIONS, "--out", "out.csv"),
    "page.html: the report cannot be written": (*INTERACTIONS, "--report", "page.html"),
    "the output cannot be written (File too large)": ("methods",),
}


@pytest.mark.parametrize("said", COMMANDS)
def test_a_full_disk_is_told_in_one_sentence_and_nothing_is_torn(said: str, tmp_path: Path) -> None:
    folder = write_data(tmp_path) / "run"
    folder.mkdir()
    ended = begin(folder, COMMANDS[said], room=ROOM).end()
    assert ended.code == 2, ended.stderr
    assert ended.stderr.startswith("error: ")
    assert ended.stderr.count("\n") == 1, ended.stderr
    assert said in ended.stderr
    left = [path for path in folder.rglob("*") if path.is_file()]
    assert not LEFTOVERS & {path.suffix for path in left}
    assert {path.name for path in left} <= {"lock", "checkpoint.json", "comparison.jsonl"}
    for path in folder.rglob("*.jsonl"):
        assert path.read_bytes().count(b"\n") > 1
        assert path.read_bytes().endswith(b"\n")
