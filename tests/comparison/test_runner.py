"""Runs that are ended in any way go on as if nothing had been; nothing else is ever mixed in."""

import dataclasses
import errno
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hsieve.comparison import runner
from hsieve.comparison.results_file import ResultsError, open_results
from hsieve.comparison.runner import Settings
from hsieve.progress import listen
from tests.comparison import fake
from tests.comparison.fake import DATASETS, EXPERIMENT, METHODS, N_PARTS

ROOT = Path(__file__).parents[2]
N_PIECES = 2 * N_PARTS * len(DATASETS) * len(METHODS)
PROCESS = """
import sys
from pathlib import Path
from hsieve.comparison import runner
from hsieve.comparison.runner import Settings
from tests.comparison.fake import EXPERIMENT
runner.run(EXPERIMENT, Settings(jobs=2), Path(sys.argv[1]))
"""


@pytest.fixture
def undisturbed():
    return runner.run(EXPERIMENT, Settings()).records


def lines_of(folder):
    path = folder / "fake.jsonl"
    return path.read_bytes().splitlines() if path.exists() else []


def start(folder, seconds):
    """Start a run with two jobs, in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", PROCESS, folder],
        cwd=ROOT,
        env={**os.environ, fake.SLOWLY: str(seconds)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_lines(folder, count, process):
    end = time.monotonic() + 300
    while len(lines_of(folder)) < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)


def test_killed_run_goes_on_where_it_was(tmp_path, undisturbed):
    process = start(tmp_path, seconds=0.2)
    wait_for_lines(tmp_path, 5, process)
    process.kill()
    process.communicate()
    kept = lines_of(tmp_path)
    assert 5 <= len(kept) < 1 + N_PIECES
    assert not runner.gather(EXPERIMENT, Settings(), tmp_path).is_complete
    outcome = runner.run(EXPERIMENT, Settings(), tmp_path)
    assert outcome.records == undisturbed
    assert outcome.n_done == outcome.n_planned == N_PIECES
    assert lines_of(tmp_path)[: len(kept)] == kept


def test_interruption_between_two_pieces_is_silent(tmp_path, undisturbed, recwarn):
    def interrupt(share, what):
        raise KeyboardInterrupt

    with listen(interrupt), pytest.raises(KeyboardInterrupt):
        runner.run(EXPERIMENT, Settings(jobs=2), tmp_path)
    assert [str(warning.message) for warning in recwarn] == []
    assert runner.gather(EXPERIMENT, Settings(), tmp_path).n_done == 1
    assert runner.run(EXPERIMENT, Settings(), tmp_path).records == undisturbed


@pytest.mark.parametrize("cut", [1, 2, 20])
def test_line_that_was_cut_short_is_measured_again(tmp_path, undisturbed, cut):
    runner.run(EXPERIMENT, Settings(), tmp_path)
    path = tmp_path / "fake.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    assert runner.gather(EXPERIMENT, Settings(), tmp_path).n_done == N_PIECES - 1
    assert runner.run(EXPERIMENT, Settings(), tmp_path).records == undisturbed
    assert len(lines_of(tmp_path)) == 1 + N_PIECES


@pytest.mark.parametrize("rest", [b"\0" * 40, b'{"key": ["first", 0', b"]\n"])
def test_rubbish_at_the_end_is_cut_off(tmp_path, undisturbed, rest):
    runner.run(EXPERIMENT, Settings(), tmp_path)
    path = tmp_path / "fake.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + rest)
    assert runner.run(EXPERIMENT, Settings(), tmp_path).records == undisturbed
    assert path.read_bytes() == whole


@pytest.mark.parametrize("length", [0, 1, 10])
def test_first_line_that_was_cut_short_begins_anew(tmp_path, undisturbed, length):
    runner.run(EXPERIMENT, Settings(), tmp_path)
    path = tmp_path / "fake.jsonl"
    path.write_bytes(path.read_bytes()[:length])
    assert runner.run(EXPERIMENT, Settings(), tmp_path).records == undisturbed


@pytest.mark.parametrize("line", ["what?", "[]", '{"key": 3}', '{"key": ["first", 0, 0, "A"]}'])
def test_foreign_line_in_the_middle_is_refused(tmp_path, line):
    runner.run(EXPERIMENT, Settings(), tmp_path)
    path = tmp_path / "fake.jsonl"
    lines = path.read_text().splitlines()
    lines[3] = line
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(ResultsError, match=r"line 4 is not what a run writes.*--fresh"):
        runner.run(EXPERIMENT, Settings(), tmp_path)


def test_number_of_jobs_changes_nothing(tmp_path, undisturbed):
    assert runner.run(EXPERIMENT, Settings(jobs=2)).records == undisturbed
    assert runner.run(EXPERIMENT, Settings(), tmp_path).records == undisturbed


def test_further_trials_are_added_to_those_there(tmp_path):
    runner.run(EXPERIMENT, Settings(trials=1), tmp_path)
    before = lines_of(tmp_path)
    outcome = runner.run(EXPERIMENT, Settings(trials=3), tmp_path)
    assert outcome.records == runner.run(EXPERIMENT, Settings(trials=3)).records
    assert lines_of(tmp_path)[: len(before)] == before
    assert len(lines_of(tmp_path)) == 1 + 3 * len(before[1:])
    fewer = runner.run(EXPERIMENT, Settings(trials=1), tmp_path)
    assert fewer.records == runner.run(EXPERIMENT, Settings(trials=1)).records


def test_complete_run_measures_nothing(tmp_path, undisturbed):
    runner.run(EXPERIMENT, Settings(), tmp_path)
    closed = dataclasses.replace(EXPERIMENT, measure=None)
    assert runner.run(closed, Settings(), tmp_path).records == undisturbed


def test_other_seed_is_refused_and_fresh_starts_over(tmp_path):
    runner.run(EXPERIMENT, Settings(), tmp_path)
    with pytest.raises(ResultsError, match=r"made with seed 0, this run is with seed 1.*--fresh"):
        runner.run(EXPERIMENT, Settings(seed=1), tmp_path)
    outcome = runner.run(EXPERIMENT, Settings(seed=1), tmp_path, fresh=True)
    assert outcome.records == runner.run(EXPERIMENT, Settings(seed=1)).records
    assert len(lines_of(tmp_path)) == 1 + N_PIECES


def test_other_protocol_is_refused(tmp_path):
    runner.run(EXPERIMENT, Settings(), tmp_path)
    changed = dataclasses.replace(EXPERIMENT, protocol=2)
    with pytest.raises(ResultsError, match="made with protocol 1, this run is with protocol 2"):
        runner.run(changed, Settings(), tmp_path)


def test_two_runs_at_once_are_refused(tmp_path):
    with (
        open_results(tmp_path / "fake.jsonl", {"experiment": "fake", "protocol": 1, "seed": 0}),
        pytest.raises(ResultsError, match="in use by another run"),
    ):
        runner.run(EXPERIMENT, Settings(), tmp_path, fresh=True)
    assert runner.run(EXPERIMENT, Settings(), tmp_path).is_complete


def test_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultsError, match="cannot be kept there"):
        runner.run(EXPERIMENT, Settings(), tmp_path / "file" / "folder")


def test_full_disk_is_told_in_words_and_the_next_run_goes_on(tmp_path, undisturbed, monkeypatch):
    calls = []

    def fsync(descriptor):
        calls.append(descriptor)
        if len(calls) > 5:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("hsieve.comparison.results_file.os.fsync", fsync)
        with pytest.raises(ResultsError, match=r"cannot be kept there.*No space left"):
            runner.run(EXPERIMENT, Settings(), tmp_path)
    assert runner.run(EXPERIMENT, Settings(), tmp_path).records == undisturbed


def test_data_are_loaded_once_and_only_where_something_is_missing(tmp_path):
    loaded = []
    with_data = dataclasses.replace(EXPERIMENT, load=lambda piece: loaded.append(piece.dataset))
    of_first = [piece for piece in fake.plan(2, 0) if piece.dataset == DATASETS[0]]
    some = dataclasses.replace(with_data, plan=lambda trials, seed: of_first)
    runner.run(some, Settings(), tmp_path)
    runner.run(with_data, Settings(), tmp_path)
    runner.run(with_data, Settings(), tmp_path)
    assert loaded == list(DATASETS)


def test_missing_data_leave_no_file_and_throw_nothing_away(tmp_path):
    def load(piece):
        raise FileNotFoundError

    without = dataclasses.replace(EXPERIMENT, load=load)
    with pytest.raises(FileNotFoundError):
        runner.run(without, Settings(), tmp_path / "new")
    assert not (tmp_path / "new").exists()
    runner.run(EXPERIMENT, Settings(), tmp_path)
    with pytest.raises(FileNotFoundError):
        runner.run(without, Settings(), tmp_path, fresh=True)
    assert len(lines_of(tmp_path)) == 1 + N_PIECES


def test_progress_is_the_fraction_of_pieces_that_are_done(tmp_path):
    told = []
    with listen(lambda share, what: told.append((share, what))):
        runner.run(EXPERIMENT, Settings(), tmp_path)
    shares = [share for share, _ in told]
    assert shares == [(place + 1) / N_PIECES for place in range(N_PIECES)]
    assert told[0][1] == "first"


def test_every_digit_survives_the_file(tmp_path):
    records = runner.run(EXPERIMENT, Settings(), tmp_path).records
    again = runner.gather(EXPERIMENT, Settings(), tmp_path).records
    assert again == records
    assert [list(map(type, r.values())) for r in again] == [
        list(map(type, r.values())) for r in records
    ]
    json.loads(lines_of(tmp_path)[0])
