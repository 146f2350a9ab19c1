"""A run that was killed is taken up where it was, and never from what belongs to another."""

import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hsieve.fingerprint import Ignored
from hsieve.parallel import EngineSettings, make_engine
from hsieve.parallel.checkpoint import MANIFEST, Checkpointed, CheckpointError, open_checkpoint
from tests.parallel.kept_work import done, nothing_to_keep, objects, sums_of_range

RANGES = [(start, start + 10) for start in range(0, 100, 10)]
SETTINGS = {"n_features_to_select": 10, "form": "dense"}
MARKS = {"values of the target": "0a1b"}


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    folder = tmp_path / "traces"
    folder.mkdir()
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "kept"


def opened(folder: Path, engine: Any = None, settings: Any = SETTINGS) -> Checkpointed:
    return Checkpointed(make_engine(engine), folder, settings, MARKS)


def results_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*.result"))


def as_bytes(results: Any) -> list[tuple[bytes, ...]]:
    return [tuple(array.tobytes() for array in result) for result in results]


def run(folder: Path, shared: Any, engine: Any = None, n_taken: int | None = None) -> Any:
    """Take all results of a map, or give up after some."""
    with opened(folder, engine) as checkpointed:
        results = checkpointed.map(sums_of_range, RANGES, shared=shared)
        if n_taken is None:
            return list(results)
        return [next(results) for _ in range(n_taken)]


def test_results_are_those_of_the_engine_and_are_kept(
    folder: Path, traces: Path, numbers: np.ndarray, settings: EngineSettings
) -> None:
    with make_engine() as engine:
        expected = list(engine.map(sums_of_range, RANGES, shared=(numbers, traces)))
    n_before = len(done(traces))
    first = run(folder, (numbers, traces), settings)
    again = run(folder, (numbers, traces), settings)
    assert as_bytes(first) == as_bytes(again) == as_bytes(expected)
    for result in again:
        assert result[0].flags.f_contiguous
        assert (result[1].shape, result[1].dtype) == ((), np.float32)
    assert len(done(traces)) == n_before + len(RANGES)
    assert len(results_in(folder)) == len(RANGES)


def test_a_map_that_was_given_up_goes_on_where_it_was(
    folder: Path, traces: Path, numbers: np.ndarray
) -> None:
    run(folder, (numbers, traces), n_taken=4)
    assert done(traces) == [0, 10, 20, 30]
    found = run(folder, (numbers, traces), "threads")
    assert len(found) == len(RANGES)
    assert done(traces) == [start for start, _ in RANGES]


def test_a_result_is_kept_before_it_is_handed_on(
    folder: Path, traces: Path, numbers: np.ndarray
) -> None:
    with opened(folder) as checkpointed:
        for n_taken, _ in enumerate(
            checkpointed.map(sums_of_range, RANGES, shared=(numbers, traces)), start=1
        ):
            assert len(results_in(folder)) == n_taken


def test_holes_are_filled_in_order(folder: Path, traces: Path, numbers: np.ndarray) -> None:
    expected = run(folder, (numbers, traces))
    for lost in results_in(folder)[::3]:
        lost.unlink()
    assert as_bytes(run(folder, (numbers, traces), "threads")) == as_bytes(expected)
    assert len(done(traces)) == len(RANGES) + 4


def test_what_was_done_before_an_error_is_kept(
    folder: Path, traces: Path, numbers: np.ndarray
) -> None:
    bad = [*RANGES[:3], (-1, 0), *RANGES[3:]]
    with opened(folder) as checkpointed, pytest.raises(ValueError, match="is no range"):
        list(checkpointed.map(sums_of_range, bad, shared=(numbers, traces)))
    assert len(results_in(folder)) == 3


def test_results_of_another_shared_value_or_function_are_not_taken(
    folder: Path, traces: Path, numbers: np.ndarray
) -> None:
    run(folder, (numbers, traces))
    other = run(folder, (numbers + 1, traces))
    assert len(done(traces)) == 2 * len(RANGES)
    assert other[0][1] == (numbers + 1)[:10].sum(dtype=float).astype(np.float32)


def test_unmarked_values_do_not_count(folder: Path) -> None:
    for value in (1, 2):
        with opened(folder) as checkpointed:
            (found,) = checkpointed.map(first_of, [(0, Ignored(value))], shared=Ignored(value))
        assert found[0] == 1


def first_of(task: tuple[int, Ignored], shared: Ignored) -> tuple[np.ndarray]:
    return (np.array(shared.value),)


@pytest.mark.parametrize("damage", ["cut", "emptied", "changed", "header", "swapped"])
def test_a_damaged_result_is_told_of_and_computed_again(
    folder: Path, traces: Path, numbers: np.ndarray, damage: str
) -> None:
    expected = run(folder, (numbers, traces))
    path, other = results_in(folder)[:2]
    content = path.read_bytes()
    path.write_bytes(
        {
            "cut": content[:-1],
            "emptied": b"",
            "changed": content[:-1] + bytes([content[-1] ^ 1]),
            "header": b"{}" + content,
            "swapped": other.read_bytes(),
        }[damage]
    )
    with pytest.warns(UserWarning, match=rf"{path.name} is damaged.*computed again"):
        found = run(folder, (numbers, traces))
    assert as_bytes(found) == as_bytes(expected)
    assert len(done(traces)) == len(RANGES) + 1
    assert path.read_bytes() == content


@pytest.mark.parametrize("descr", ["'|O'", "'<f8'"], ids=["pickled", "beyond the memory"])
def test_a_result_that_no_run_has_written_is_refused_and_never_unpickled(
    folder: Path, traces: Path, numbers: np.ndarray, descr: str
) -> None:
    """Somebody has written a file whose mark is right."""
    run(folder, (numbers, traces))
    path = results_in(folder)[0]
    line = json.loads(path.read_bytes().partition(b"\n")[0])
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': ({2**50},)}}".encode()
    packed = b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header + b"cos\nsystem\n."
    line["mark"] = hashlib.blake2b(packed, digest_size=16).hexdigest()
    path.write_bytes(json.dumps(line).encode() + b"\n" + packed)
    with pytest.raises(CheckpointError, match="holds no results of a run"):
        run(folder, (numbers, traces))


@pytest.mark.parametrize("is_emptied", [False, True])
def test_a_result_that_goes_while_the_run_goes_on_is_told_of(
    folder: Path, traces: Path, numbers: np.ndarray, is_emptied: bool
) -> None:
    run(folder, (numbers, traces))
    with opened(folder) as checkpointed:
        results = checkpointed.map(sums_of_range, RANGES, shared=(numbers, traces))
        next(results)  # now all are known to be there
        for path in results_in(folder):
            path.unlink()
            if is_emptied:
                path.touch()
        with pytest.raises(CheckpointError, match="changed or taken away while the run went on"):
            next(results)
    assert len(done(traces)) == len(RANGES)


def test_leftovers_of_a_killed_run_are_removed(
    folder: Path, traces: Path, numbers: np.ndarray
) -> None:
    run(folder, (numbers, traces), n_taken=2)
    leftovers = [folder / f"{MANIFEST}.partial", results_in(folder)[0].with_suffix(".x.partial")]
    for leftover in leftovers:
        leftover.write_bytes(b"half of")
    run(folder, (numbers, traces))
    assert not any(leftover.exists() for leftover in leftovers)
    assert len(done(traces)) == len(RANGES)


def test_a_run_killed_before_its_manifest_leaves_a_folder_that_can_be_used(
    folder: Path, traces: Path, numbers: np.ndarray
) -> None:
    folder.mkdir()
    (folder / "lock").write_text("process 1 on nowhere\n")
    (folder / f"{MANIFEST}.partial").write_text("{")
    assert len(run(folder, (numbers, traces))) == len(RANGES)


@pytest.mark.parametrize(
    ("settings", "marks", "words"),
    [
        ({**SETTINGS, "n_features_to_select": 5}, MARKS, "n_features_to_select=10, now 5"),
        ({"n_features_to_select": 10}, MARKS, "form='dense', now no such setting"),
        ({**SETTINGS, "categorical": list(range(90))}, MARKS, "another categorical"),
        (SETTINGS, {"values of the target": "2c3d"}, "other values of the target"),
    ],
)
def test_the_checkpoint_of_another_run_is_refused(
    folder: Path, settings: dict[str, Any], marks: dict[str, str], words: str
) -> None:
    with opened(folder):
        pass
    with (
        pytest.raises(CheckpointError, match=f"another run: it was made with {words}"),
        Checkpointed(make_engine(), folder, settings, marks),
    ):
        pass
    with opened(folder):
        pass


def test_the_checkpoint_of_another_version_is_refused(folder: Path) -> None:
    with opened(folder):
        pass
    manifest = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps({**manifest, "hsieve": "0.0.1"}))
    with pytest.raises(CheckpointError, match=r"made with hsieve 0\.0\.1"), opened(folder):
        pass


def test_the_checkpoint_of_another_arithmetic_is_refused(folder: Path) -> None:
    with opened(folder):
        pass
    manifest = json.loads((folder / MANIFEST).read_text())
    assert f"NumPy {np.__version__} with " in manifest["made by"]
    old = {**manifest, "made by": "NumPy 1.0.0 with openblas 0.1"}
    for other in (old, {name: manifest[name] for name in manifest if name != "made by"}):
        (folder / MANIFEST).write_text(json.dumps(other))
        words = f"made with {other.get('made by', 'an unknown NumPy')}, now NumPy .* last digits"
        with pytest.raises(CheckpointError, match=words), opened(folder):
            pass


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"settings": 1, "marks": {}}'])
def test_a_manifest_that_is_none_is_refused(folder: Path, content: str) -> None:
    folder.mkdir()
    (folder / MANIFEST).write_text(content)
    with pytest.raises(CheckpointError, match="damaged or no checkpoint's"), opened(folder):
        pass
    assert (folder / MANIFEST).read_text() == content


def test_a_folder_of_something_else_is_refused_and_left_alone(folder: Path) -> None:
    folder.mkdir()
    (folder / "thesis.tex").write_text("years of work")
    with pytest.raises(CheckpointError, match=r"is no checkpoint.*'thesis\.tex'"), opened(folder):
        pass
    assert [path.name for path in folder.iterdir()] == ["thesis.tex"]


def test_a_file_is_refused(folder: Path) -> None:
    folder.write_text("")
    with pytest.raises(CheckpointError, match="is a file"), opened(folder):
        pass


def test_two_runs_in_one_folder_are_refused(
    folder: Path, traces: Path, numbers: np.ndarray
) -> None:
    with opened(folder):
        mine = f"in use by process {os.getpid()} on {socket.gethostname()}"
        with pytest.raises(CheckpointError, match=mine), opened(folder):
            pass
    assert len(run(folder, (numbers, traces))) == len(RANGES)


HOLDER = """
import sys, time
from pathlib import Path
from hsieve.parallel.checkpoint import open_checkpoint
with open_checkpoint(Path(sys.argv[1]), {"n_features_to_select": 10}, {}):
    print("open", flush=True)
    time.sleep(600)
"""


def test_the_lock_of_a_killed_process_is_no_lock(folder: Path) -> None:
    settings = {"n_features_to_select": 10}
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        words = f"in use by process {holder.pid} on"
        with pytest.raises(CheckpointError, match=words), open_checkpoint(folder, settings, {}):
            pass
        holder.kill()
        assert holder.wait() == -signal.SIGKILL
    with open_checkpoint(folder, settings, {}):
        assert f"process {os.getpid()} on" in (folder / "lock").read_text()


def test_a_full_disk_is_told_of(
    folder: Path, traces: Path, numbers: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(folder) as checkpointed:
        results = checkpointed.map(sums_of_range, RANGES, shared=(numbers, traces))
        next(results)

        def full(descriptor: int) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            with pytest.raises(
                CheckpointError, match=r"cannot be kept there \(No space left on device\)"
            ):
                next(results)
    assert len(results_in(folder)) == 1
    # What was half-written is no result, and the run goes on once there is room.
    assert len(run(folder, (numbers, traces))) == len(RANGES)


def test_a_folder_that_cannot_be_made_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(CheckpointError, match="cannot be kept there"),
        opened(tmp_path / "file" / "kept"),
    ):
        pass


@pytest.mark.parametrize("function", [nothing_to_keep, objects])
def test_only_tuples_of_plain_arrays_are_kept(folder: Path, function: Any) -> None:
    with opened(folder) as checkpointed, pytest.raises(TypeError, match="tuples of arrays"):
        list(checkpointed.map(function, [1]))
    assert results_in(folder) == []
