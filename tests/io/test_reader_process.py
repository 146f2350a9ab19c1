"""A process that reads a file: its answers, and whatever may become of it."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from hsieve import N3LARS, open_dataset
from hsieve.data.errors import TableError
from hsieve.io import reader_process
from hsieve.io.reader_process import ReaderProcess
from tests.annotated import as_form, counts_and_states

ROOT = Path(__file__).parents[2]
MISBEHAVING = "tests.io.misbehaving_reader"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "some.h5ad"
    path.write_bytes(b"some bytes")
    return path


@pytest.fixture
def reader(path: Path):
    reader = ReaderProcess(path, ".h5ad", MISBEHAVING)
    yield reader
    reader.close()


def asked(reader: ReaderProcess, what: str) -> dict:
    return reader.ask({"do": what, "path": str(reader.path)}).about


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(condition) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_arrays_come_back_as_they_were_sent(reader):
    for array in (
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(12, dtype=np.int16).reshape(3, 4)),
        np.array([True, False]),
        np.zeros((0, 3), dtype=np.float32),
        np.array([2**63], dtype=np.uint64),
        np.arange(10**6, dtype=">f8"),
    ):
        found = reader.ask({"path": str(reader.path)}, array, array[:0]).arrays
        assert len(found) == 2
        assert found[0].dtype == array.dtype
        np.testing.assert_array_equal(found[0], array)
        assert found[1].shape == array[:0].shape


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("crash", "the process that read it ended: SIGSEGV, so it is damaged in a way"),
        ("circle", "it took more than .* s of computing, so it is damaged"),
        ("exit", r"the process that read it ended: words of a library\)$"),
    ],
)
def test_an_end_becomes_a_sentence_with_its_cause(reader, what, words):
    pid = asked(reader, "tell")["pid"]
    with pytest.raises(TableError, match=f"some.h5ad: cannot be read as .h5ad \\({words}"):
        asked(reader, what)
    assert not is_alive(pid)
    with pytest.raises(TableError, match=r"some\.h5ad: is closed"):
        asked(reader, "tell")


def test_a_process_that_was_killed_says_so(reader):
    pid = asked(reader, "tell")["pid"]
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(TableError, match="was killed, perhaps for want of memory"):
        asked(reader, "tell")


def test_memory_is_limited_by_what_the_file_may_unpack_to(path, monkeypatch):
    for limit, has_memory in (("1GB", False), ("20GB", True)):
        monkeypatch.setenv("HSIEVE_UNPACKED_LIMIT", limit)
        reader = ReaderProcess(path, ".h5ad", MISBEHAVING)
        assert asked(reader, "much memory") == {"had": has_memory}
        reader.close()


def test_refusals_and_warnings_are_handed_on(reader):
    with pytest.raises(TableError, match=r"some\.h5ad: not like this"):
        asked(reader, "refuse")
    with pytest.warns(UserWarning, match=r"some\.h5ad: an old form") as told:
        asked(reader, "warn")
    assert len(told) == 1


def test_objects_are_not_taken(reader):
    with pytest.raises(ValueError, match="arrays of object are not sent"):
        asked(reader, "objects")


def test_who_is_not_needed_any_more_ends(path):
    closed, forgotten = (ReaderProcess(path, ".h5ad", MISBEHAVING) for _ in range(2))
    pids = [asked(one, "tell")["pid"] for one in (closed, forgotten)]
    closed.close()
    assert not is_alive(pids[0])
    del forgotten
    gc.collect()
    assert not is_alive(pids[1])


def test_it_ends_with_whoever_started_it(path):
    script = (
        "import os, sys, signal; from pathlib import Path;"
        "from hsieve.io.reader_process import ReaderProcess;"
        f"reader = ReaderProcess(Path({str(path)!r}), '.h5ad', {MISBEHAVING!r});"
        "print(reader.ask({'path': str(reader.path)}).about['pid'], flush=True);"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, check=False
    )
    assert ended.returncode == -signal.SIGKILL
    wait_until(lambda: not is_alive(int(ended.stdout)))


def test_ctrl_c_ends_it_and_leaves_nothing_half_read(reader, interrupts):
    pid = asked(reader, "tell")["pid"]
    here = threading.get_ident()
    threading.Timer(0.5, signal.pthread_kill, [here, signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        asked(reader, "wait")
    wait_until(lambda: not is_alive(pid))
    with pytest.raises(TableError, match="is closed"):
        asked(reader, "tell")


def test_an_interpreter_that_cannot_be_started(path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(path.with_name("no python")))
    with pytest.raises(TableError, match=r"the process that reads .h5ad cannot be started"):
        ReaderProcess(path, ".h5ad", MISBEHAVING)


def test_a_frozen_program_does_not_start_itself(path, monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(TableError, match="a frozen program cannot start; open it with anndata"):
        ReaderProcess(path, ".h5ad", MISBEHAVING)


class TestFilesOfAnnData:
    """By a real process, all in one test, since it takes a second to begin."""

    def test_from_the_file_to_a_selection(self, tmp_path, monkeypatch):
        counts, states = counts_and_states()
        labels = np.where(np.arange(160) == 9, None, states)
        as_form("backed csr", counts, labels, tmp_path).file.close()
        monkeypatch.chdir(tmp_path)
        table = open_dataset("csr.h5ad", target="state")
        kept = np.arange(160) != 9
        # Several threads at a time, in more than one request each.
        monkeypatch.setattr("hsieve.io.anndata.ASKED_BYTES", 160 * 4 * 3)
        parts = [np.random.default_rng(i).permutation(25) for i in range(12)]
        with ThreadPoolExecutor(4) as pool:
            for part, found in zip(parts, pool.map(table.columns.read, parts), strict=True):
                np.testing.assert_array_equal(found, counts[kept][:, part])
        assert set(N3LARS(2).fit(table.columns, table.y).selected_indices_) == {3, 11}

    def test_a_process_that_dies_while_columns_are_read(self, tmp_path):
        as_form("backed dense", *counts_and_states(), tmp_path).file.close()
        table = open_dataset(tmp_path / "dense.h5ad", target="state")
        assert table.columns.read([3]).shape == (160, 1)
        started = table.columns._reader._reading.end.__closure__
        process = next(cell.cell_contents for cell in started if hasattr(cell.cell_contents, "pid"))
        os.kill(process.pid, signal.SIGSEGV)
        with pytest.raises(ValueError, match=r"dense.h5ad: cannot be read as .h5ad"):
            table.columns.read([3])


def test_seconds_grow_with_the_file(path):
    assert reader_process.seconds_for(path) == reader_process.LEAST_SECONDS
    with path.open("r+b") as file:
        file.truncate(5 * 10**8)  # sparse: takes no room on the disk
    assert reader_process.seconds_for(path) == reader_process.LEAST_SECONDS + 500
