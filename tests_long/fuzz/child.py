"""Many inputs, one after the other, in a process that may die of any of them.

The number of each input is written down before it is read, so that whoever started this process
knows the culprit. Memory is limited, and a warning is an error. Prints a line of JSON for each
failure, and one at the end.

    python -m tests_long.fuzz.child csv --seed 0 --first 0 --count 1000
"""

import argparse
import contextlib
import faulthandler
import gc
import json
import mmap
import os
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

from tests_long.fuzz.choices import N_BYTES, bytes_of_input

__all__ = ["main", "shrunk"]

# Beyond what the process has when it begins, for files of some kilobytes.
ADDRESSES = 2 * 2**30
GROWTH = {"h5ad": 750 * 2**20}  # what the process that reads it is allowed with the limit below
USUAL_GROWTH = 400 * 2**20
MOST_FAILURES = 12
# Seconds after which an input is said to hang: its place in the code goes to stderr.
SLOWEST = 20


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--place", type=Path)
    given = parser.parse_args()
    faulthandler.enable()
    shared_memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="hsieve-fuzz-", dir=shared_memory) as folder:
        check = checker(given.what, Path(folder))
        run(check, given)


def checker(what: str, folder: Path) -> Callable[[bytes], bool]:
    """What reads one input and holds it to the truth."""
    if what == "command-line":
        from tests_long.fuzz.commands import check_command

        return lambda data: check_command(data, folder)
    from tests_long.fuzz.cases import check_case
    from tests_long.fuzz.choices import Choices
    from tests_long.fuzz.readers import READERS

    make = READERS[what]
    if what == "h5ad":
        from hsieve.io import reader_process
        from tests.file_readers import forked

        reader_process.start = forked
    return lambda data: check_case(make(Choices(data)), folder)


def run(check: Callable[[bytes], bool], given: argparse.Namespace) -> None:
    note = _notebook(given.place)
    for number in range(3):  # whatever is imported and kept on first use
        with contextlib.suppress(Exception):
            check(bytes_of_input(given.what, given.seed, number))
    _limit_memory()
    gc.freeze()  # so that copies of this process share what is there
    warnings.simplefilter("error")
    # What libraries say about old or damaged files is for users, and no fault of ours.
    warnings.filterwarnings("ignore", module=r"(anndata|zarr|h5py|numcodecs)\.")
    warnings.filterwarnings("ignore", r".*\.h5ad: ")  # the same, from the process that reads
    # Only the watch of faulthandler, which no copy needs.
    warnings.filterwarnings("ignore", "This process .* is multi-threaded")
    os.environ["HSIEVE_UNPACKED_LIMIT"] = "100MB"
    started, n_answers, failures = time.process_time(), 0, {}
    for number in range(given.first, given.first + given.count):
        note(number)
        faulthandler.dump_traceback_later(SLOWEST, exit=False)
        data = bytes_of_input(given.what, given.seed, number)
        before = _most_memory()
        error = failure_of(check, data)
        grown = _most_memory() - before
        if isinstance(error, bool):
            n_answers += error
            most = GROWTH.get(given.what, USUAL_GROWTH)
            error = f"memory grew by {grown >> 20} MB" if grown > most else None
        if error is not None and (kind := _kind_of(error)) not in failures:
            failures[kind] = number
            smallest = shrunk(
                data, lambda some, kind=kind: _kind_of(failure_of(check, some)) == kind
            )
            words = error if isinstance(error, str) else "".join(traceback.format_exception(error))
            _tell(
                input=number,
                what=given.what,
                error=words[-3000:],
                bytes=smallest.rstrip(b"\0").hex(),
            )
            if len(failures) >= MOST_FAILURES:
                break
    faulthandler.cancel_dump_traceback_later()
    seconds = time.process_time() - started
    _tell(inputs=number + 1 - given.first, answers=n_answers, seconds=round(seconds, 2))


def failure_of(check: Callable[[bytes], bool], data: bytes) -> bool | BaseException:
    try:
        return check(data)
    except Exception as error:
        return error


def _kind_of(error: object) -> str | None:
    """What failures of one cause have in common: type, and the last places in our code."""
    if error is None or isinstance(error, bool):
        return None
    if isinstance(error, str):
        return error.split(" by ")[0]
    error = error.__cause__ or error
    frames = traceback.extract_tb(error.__traceback__)
    ours = [
        f"{Path(f.filename).name}:{f.lineno}" for f in frames if "site-packages" not in f.filename
    ]
    return f"{type(error).__name__} {ours[-2:]}"


def shrunk(data: bytes, fails: Callable[[bytes], bool], most_seconds: float = 2) -> bytes:
    """The plainest bytes near these that still fail: pieces made zero, from long to short ones."""
    until = time.monotonic() + most_seconds
    length = N_BYTES // 2
    while length:
        for start in range(0, N_BYTES, length):
            tried = data[:start] + bytes(length) + data[start + length :]
            if tried != data and time.monotonic() < until and fails(tried):
                data = tried
        length //= 2
    return data


def _notebook(place: Path | None) -> Callable[[int], None]:
    """A few shared bytes in which the number of the current input stands."""
    if place is None:
        return lambda number: None
    with place.open("r+b") as file:
        page = mmap.mmap(file.fileno(), 8)

    def note(number: int) -> None:
        page[:] = number.to_bytes(8, "big")

    return note


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + ADDRESSES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _most_memory() -> int:
    """The most bytes that this process, or one that it has started, ever had."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return 1024 * max(resource.getrusage(one).ru_maxrss for one in whose)


def _tell(**what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
