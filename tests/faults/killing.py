"""Commands killed with SIGKILL, looked at, and run once more to their end."""

import csv
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hsieve.datasets import make_n3lars
from tests.faults.commands import begin, n_changes
from tests.faults.left_behind import check_whole, differences, n_kept

__all__ = ["COMMANDS", "Undisturbed", "write_data"]

# Many pieces in a pass over the columns.
VALUES = {"hsieve.kernels.factor_store.PIECE_BYTES": 4_000}
SELECT = ("select", "../data.csv", "--target", "y", "-m", "n3lars", "-k", "5")


@dataclass(frozen=True)
class Command:
    """Words of a command, and whether it is taken up where it was."""

    words: tuple[str, ...]
    resumes: bool = True


COMMANDS = {
    "select": Command((*SELECT, "--checkpoint", "kept", "--out", "out.csv")),
    "select-bahsic": Command((*SELECT, "-m", "bahsic", "--checkpoint", "kept", "--out", "out.csv")),
    "select-stability": Command(
        (
            *(*SELECT[:6], "--stability", "--subsamples", "40"),
            *("--checkpoint", "kept", "--out", "out.csv"),
        )
    ),
    "select-report": Command(
        (*SELECT, "--out", "out.json", "--report", "page.html", "--plot", "path.svg"),
        resumes=False,
    ),
    "compare": Command(
        (
            *("compare", "../data.csv", "--target", "y", "-k", "3", "--methods", "n3lars,mrmr"),
            *("--folds", "6", "--results", "kept", "--out", "out.csv"),
        )
    ),
    "reproduce": Command(
        (
            *("reproduce", "l1lsmi-table4", "--trials", "3", "--methods", "PC,F-HSIC,mRMR"),
            *("--results", "kept"),
        )
    ),
    "interactions": Command(
        (
            *("interactions", "../data.csv", "--target", "y", "--permutations", "3"),
            *("--out", "out.csv", "--report", "page.html"),
        ),
        resumes=False,
    ),
}


def write_data(folder: Path) -> Path:
    """Write the table that the commands read; return its folder."""
    problem = make_n3lars(200, 100, random_state=0)
    with (folder / "data.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"x{place}" for place in range(problem.X.shape[1])), "y"])
        writer.writerows(np.column_stack([problem.X, problem.y]).tolist())
    return folder


class Undisturbed:
    """A command that was left alone, to be killed many times."""

    def __init__(self, command: Command, place: Path, *, timed: bool = False) -> None:
        self.command = command
        self.place = place
        self.n_died = self.n_in_the_middle = 0
        # The first run reads files that the next ones find in memory.
        for label in ("warming", "undisturbed") if timed else ("undisturbed",):
            self.folder, begun = self.fresh(label), time.perf_counter()
            ended = begin(self.folder, command.words, values=VALUES).end()
            self.seconds = time.perf_counter() - begun
            assert ended.code == 0, ended.stderr
        self.n_changes = n_changes(self.folder)
        self.n_kept = n_kept(self.folder)

    def fresh(self, label: str) -> Path:
        folder = self.place / label
        folder.mkdir()
        return folder

    def kill(self, folder: Path, after: float = np.inf, before_change: int | None = None) -> None:
        """Kill the command, look at what it leaves, and run it to its end."""
        words = self.command.words
        running = begin(folder, words, values=VALUES, dies_before=before_change)
        if before_change is None and not running.ends_within(after):
            running.send(signal.SIGKILL)
        self.n_died += running.end().code == -signal.SIGKILL
        check_whole(folder, self.folder)
        kept = {path: path.stat().st_mtime_ns for path in folder.rglob("*.result")}
        lines = {path: path.read_bytes() for path in folder.rglob("*.jsonl")}
        self.n_in_the_middle += 0 < n_kept(folder) < self.n_kept
        again = begin(folder, words, values=VALUES).end()
        assert again.code == 0, again.stderr
        check_whole(folder, self.folder)
        assert differences(folder, self.folder) == set()
        # What was kept has been made use of, not made again.
        assert {path: path.stat().st_mtime_ns for path in kept} == kept
        for path, before in lines.items():
            assert path.read_bytes().startswith(before[: before.rfind(b"\n") + 1])
        assert n_kept(folder) == self.n_kept
