"""Mutation testing: change one spot of the source, run the tests that reach it, see if one fails.

    python tools/mutants/run.py cover                       # which test reaches which line
    python tools/mutants/run.py try --size 400 --seed 1     # writes build/mutants/seed-1.csv
    python tools/mutants/run.py try --size 400 --seed 2 --without build/mutants/seed-1.csv
    python tools/mutants/run.py again build/mutants/seed-1.csv   # the survivors, with new tests

Cosmic-ray proposes and makes the changes (`changes.py`). A new interpreter for each would spend
seconds on imports, so pytest imports and collects everything once and forks for each change; the
child puts the changed functions and constants in place of the old ones (`patching.py`); files on
disk are never touched. A change is killed by the first failing test, or by three times the work
that the tests take otherwise. Tests that mirror the package go first, quick ones before slow ones,
and no more of them than `BUDGET` seconds: a change that survives those counts as survived.
"""

import argparse
import ast
import contextlib
import csv
import gc
import json
import os
import resource
import signal
import sys
import time
from pathlib import Path

from changes import Change, first_that_compiles, sample
from patching import patched

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
os.environ.setdefault("SCIPY_ARRAY_API", "1")

PACKAGES = ("measures", "solvers", "strategies")
MIRROR = tuple(f"{folder}{name}" for name in PACKAGES for folder in ("tests/", "src/hsieve/"))
# Looks at what importing leaves behind, and so runs no line of it.
DEFAULTS = "tests/contracts/test_defaults.py"
FURTHER = (
    "tests/properties",
    "tests/same_results",
    DEFAULTS,
    "tests/contracts/test_combination_table.py",
    "tests/selectors/test_n3lars.py",
    "tests/interactions/test_n3lars_pairs.py",
)
OPTIONS = ["-q", "-x", "-p", "no:randomly", "-p", "no:cacheprovider"]
OPTIONS += ["--assert=plain"]
OPTIONS += ["--hypothesis-profile=full-run", "--no-header", "--no-summary"]
FOLDER = Path("build/mutants")
COVERED = FOLDER / "cover.json"
BUDGET = 3.0  # seconds of tests for one change
SLACK = 3.0  # seconds of work beyond three times the usual
FAILED, NOT_TRIED = 1, 7  # how a child ends
MEMORY = 6 * 2**30
FIELDS = ["name", "outcome", "seconds", "words"]


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    covering = commands.add_parser("cover")
    covering.add_argument("tests", nargs="*", help="bring only these up to date")
    trying = commands.add_parser("try")
    trying.add_argument("--size", type=int, help="changes to draw; all places if left out")
    trying.add_argument("--seed", type=int, default=0)
    trying.add_argument("--without", nargs="*", default=[], help="lists whose places are not drawn")
    again = commands.add_parser("again")
    again.add_argument("list")
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    if options.command == "cover":
        cover(options.tests)
        return
    import pytest

    if options.command == "try":
        known = {row["name"] for path in options.without for row in listed(path)}
        drawn = sample(sources(), size=options.size, seed=options.seed, known=known)
        path = FOLDER / f"seed-{options.seed}.csv"
    else:
        rows = [row for row in listed(options.list) if row["outcome"] == "survived"]
        drawn = [[found] for row in rows if (found := changed_as(row)) is not None]
        path = Path(options.list).with_suffix(".again.csv")
    pytest.main([*OPTIONS, "-s", *MIRROR, *FURTHER], plugins=[Trials(drawn, path)])


def sources() -> list[Path]:
    """All files that are changed."""
    return sorted(path for name in PACKAGES for path in Path("src/hsieve", name).glob("*.py"))


def listed(path: str) -> list[dict[str, str]]:
    """Read a list of changes with their outcomes."""
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def changed_as(row: dict[str, str]):
    """Find the change of a list again, though its line may have moved."""
    place, operator, occurrence = row["name"].split()
    path, line, column = place.split(":")
    change = Change(path, int(line), int(column), operator, int(occurrence))
    found = change.as_listed(row["words"])
    if found is None:
        print("gone:", row["name"], row["words"])
    return found


class Contexts:
    """Plugin of pytest: tells coverage which test runs, and notes how long it takes."""

    def __init__(self, measured):
        self.measured, self.seconds = measured, {}

    def pytest_runtest_logstart(self, nodeid):
        self.measured.switch_context(nodeid)
        self.seconds[nodeid] = time.process_time()

    def pytest_runtest_logfinish(self, nodeid):
        self.measured.switch_context("")
        self.seconds[nodeid] = round(time.process_time() - self.seconds[nodeid], 4)


def cover(tests: list[str]) -> None:
    """Run all tests, or some, and keep which of them reach which lines."""
    import coverage
    import pytest

    measured = coverage.Coverage(
        data_file=None, config_file=False, include=[f"src/hsieve/{name}/*" for name in PACKAGES]
    )
    contexts = Contexts(measured)
    measured.start()
    status = pytest.main([*OPTIONS, *(tests or MIRROR + FURTHER)], plugins=[contexts])
    measured.stop()
    if status != 0:
        sys.exit("the tests must pass before anything is changed")
    kept = json.loads(COVERED.read_text()) if tests else {"lines": {}, "seconds": {}}
    kept["seconds"].update(contexts.seconds)
    for path in sources():
        lines = kept["lines"].setdefault(str(path), {})
        for line, names in measured.get_data().contexts_by_lineno(str(path.resolve())).items():
            lines[str(line)] = sorted({*lines.get(str(line), []), *names} - {""})
    COVERED.write_text(json.dumps(kept))


def tests_for(change, covered) -> list[str]:
    """Tests that run the statement of a change; else, as on import, the function, then the file."""
    lines, seconds = covered["lines"][change.path], covered["seconds"]
    own = "[" + change.path.removeprefix("src/").removesuffix(".py").replace("/", ".") + "]"
    reached: set[str] = set()
    for first, last in _spans(Path(change.path).read_text(), change.line):
        run = {name for line in range(first, last + 1) for name in lines.get(str(line), [])}
        if run:
            reached |= run
            break
        reached = {name for name in seconds if name.startswith(f"{DEFAULTS}::") and own in name}
    stem = Path(change.path).stem
    ranked = sorted(
        reached,
        key=lambda name: (
            own not in name,
            not name.startswith(MIRROR),
            stem not in name.split("::")[0],
            seconds[name],
        ),
    )
    chosen, total = [], 0.0
    for name in ranked:
        if not chosen or total + seconds[name] <= BUDGET:
            chosen.append(name)
            total += seconds[name]
    return chosen


def _spans(source: str, line: int) -> list[tuple[int, int]]:
    """Lines of the statement around a line (its head, if that), then of what encloses it."""
    spans = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt) and node.lineno <= line <= node.end_lineno:
            body = getattr(node, "body", None)
            if body and line < body[0].lineno:
                spans.append((node.lineno, body[0].lineno - 1))
            spans.append((node.lineno, node.end_lineno))
    return [*sorted(spans, key=lambda span: span[1] - span[0]), (1, source.count("\n") + 1)]


class Trials:
    """Plugin of pytest: once all tests are collected, tries the changes one after another."""

    def __init__(self, places: list, path: Path):
        self.places, self.path = places, path
        self.covered = json.loads(COVERED.read_text())
        self.failed = False

    def pytest_runtest_logreport(self, report):
        self.failed = self.failed or report.failed

    def pytest_runtestloop(self, session):
        gc.freeze()  # what is never collected is not copied by the children
        self.items = {item.nodeid: item for item in session.items}
        counts: dict[str, int] = {}
        with open(self.path, "w", newline="") as file:
            writer = csv.DictWriter(file, FIELDS)
            writer.writeheader()
            for place in self.places:
                begin = os.times()
                change = first_that_compiles(place)
                if change is None:
                    continue
                outcome = self.outcome_of(change)
                end = os.times()
                took = round(sum(end[:4]) - sum(begin[:4]), 2)
                row = {
                    "name": change.name,
                    "outcome": outcome,
                    "seconds": took,
                    "words": change.words(),
                }
                writer.writerow(row)
                file.flush()
                counts[outcome] = counts.get(outcome, 0) + 1
                print(sum(counts.values()), "of", len(self.places), *row.values(), flush=True)
        tried = sum(counts.values()) - counts.get("not tried", 0)
        share = 1 - counts.get("survived", 0) / max(tried, 1)
        error = (share * (1 - share) / max(tried, 1)) ** 0.5
        print(counts, f"killed {share:.1%}, standard error {error:.1%}", flush=True)
        return True

    def outcome_of(self, change) -> str:
        """Run the tests in a child that has the change."""
        names = [name for name in tests_for(change, self.covered) if name in self.items]
        limit = SLACK + 3 * sum(self.covered["seconds"][name] for name in names)
        child = os.fork()
        if child == 0:
            self._in_the_child(change, names, int(limit))
        deadline = time.monotonic() + 20 * limit
        while True:
            done, status = os.waitpid(child, os.WNOHANG)
            if done or time.monotonic() > deadline:
                break
            time.sleep(0.01)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # itself, or what it has started
        if not done:
            os.waitpid(child, 0)
            return "hangs"
        if os.WIFSIGNALED(status):
            return "hangs" if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) else "killed"
        return {0: "survived", NOT_TRIED: "not tried"}.get(os.WEXITSTATUS(status), "killed")

    def _in_the_child(self, change, names: list[str], limit: int) -> None:
        """Put the change in place and run tests until one fails; ends the process."""
        os.setpgrp()
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        # Seconds of work, not of the clock: other work on the machine shall kill nothing.
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        try:
            if not patched(change.path, change.source()):
                os._exit(NOT_TRIED)
            items = [self.items[name] for name in names]
            for item, following in zip(items, [*items[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if self.failed:
                    os._exit(FAILED)
        except BaseException:  # whatever stops the tests has seen the change
            os._exit(FAILED)
        os._exit(0)


if __name__ == "__main__":
    main()
