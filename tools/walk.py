"""What a reader walks through to follow a command: functions, files and changes of package.

A function counts once, however often it is called; comprehensions and lambdas belong to the
function they stand in. A change of package is a pair of functions in different packages of which
one calls the other. Only functions of `hsieve` are walked, in all threads of the process, each
walk in a process of its own.

Usage: walk.py [--list], where --list prints the functions of each walk, too.
"""

import multiprocessing
import os
import sys
import tempfile
import threading
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

import numpy as np

FOLDER = Path(find_spec("hsieve").origin).parent
IS_FUNCTION = 0x1  # CO_OPTIMIZED: bodies of modules and classes lack it
HEAD = ("functions", "files", "changes of package")


class Walk:
    """Note the functions below a folder that are entered while the block runs."""

    def __init__(self, folder=FOLDER):
        self._prefix = f"{folder}{os.sep}"
        self._calls = set()

    def __enter__(self):
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        return self

    def __exit__(self, *raised):
        sys.setprofile(None)
        threading.setprofile(None)

    def _note(self, frame, event, argument):
        if event == "call" and self._counts(frame.f_code):
            caller = frame.f_back
            while caller is not None and not self._counts(caller.f_code):
                caller = caller.f_back
            self._calls.add((caller and self._place(caller.f_code), self._place(frame.f_code)))

    def _counts(self, code):
        is_function = code.co_flags & IS_FUNCTION and not code.co_name.startswith("<")
        return is_function and code.co_filename.startswith(self._prefix)

    def _place(self, code):
        return code.co_filename.removeprefix(self._prefix), code.co_firstlineno, code.co_qualname

    def functions(self):
        """Return the functions as (file, line, name), in order."""
        return sorted({called for _, called in self._calls})

    def counts(self):
        """Return the numbers of functions, files and changes of package."""
        functions = self.functions()
        changes = [
            (caller, called)
            for caller, called in self._calls
            if caller is not None and package(caller) != package(called)
        ]
        return len(functions), len({file for file, _, _ in functions}), len(changes)


def package(place):
    """Return the package that a function is in: a folder directly in ours, or a module there."""
    return Path(place[0]).parts[0]


def walk_command(folder):
    """Walk through the selection of ten features of a CSV file, with a page about it."""
    from hsieve.cli.main import app

    X, y = problem()
    head = ",".join([*(f"x{j}" for j in range(X.shape[1])), "y"])
    np.savetxt(folder / "data.csv", np.column_stack([X, y]), "%.6f", ",", header=head, comments="")
    given = ["select", str(folder / "data.csv"), "--target", "y", "-k", "10"]
    given += ["--report", str(folder / "page.html")]
    with Walk() as walk, redirect_stdout(StringIO()):
        app(given, prog_name="hsieve", standalone_mode=False)
    return walk


def walk_bahsic(folder):
    """Walk through BAHSIC on an array."""
    from hsieve import BAHSIC

    X, y = problem()
    with Walk() as walk:
        BAHSIC(10).fit(X, y)
    return walk


def walk_parquet(folder):
    """Walk through N3LARS on a folder of Parquet files."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from hsieve import N3LARS, open_dataset

    X, y = problem()
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": y}
    for part in range(2):
        rows = pa.table({name: values[part::2] for name, values in columns.items()})
        pq.write_table(rows, folder / f"part-{part}.parquet")
    with Walk() as walk:
        N3LARS(10).fit(open_dataset(folder, target="y"))
    return walk


def problem():
    """Return twenty features of 120 samples, and a target of which three have a part."""
    X = np.random.default_rng(20070613).normal(size=(120, 20))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]


WALKS = {
    "hsieve select FILE --target y -k 10 --report page.html": walk_command,
    "BAHSIC(10).fit(X, y)": walk_bahsic,
    "N3LARS(10).fit(...) on a folder of Parquet": walk_parquet,
}


def walked(name):
    """Return functions and counts of a walk."""
    with tempfile.TemporaryDirectory() as folder:
        walk = WALKS[name](Path(folder))
    return walk.functions(), walk.counts()


def main():
    """Print the table of all walks."""
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawned, max_tasks_per_child=1) as processes:
        results = dict(zip(WALKS, processes.map(walked, WALKS), strict=True))
    width = max(len(name) for name in WALKS)
    print(" " * width, *(f"{word:>{len(word) + 2}}" for word in HEAD))
    for name, (_, counts) in results.items():
        cells = zip(counts, HEAD, strict=True)
        print(f"{name:<{width}}", *(f"{count:>{len(word) + 2}}" for count, word in cells))
    if "--list" in sys.argv[1:]:
        for name, (functions, _) in results.items():
            print(f"\n{name}")
            for file, line, function in functions:
                print(f"  {file}:{line} {function}")


if __name__ == "__main__":
    main()
