"""Long runs of inputs in child processes, whose death or silence is a finding too.

A process works through a batch of inputs. Where it dies, or says nothing for too long, the input it
was at is the culprit, and a new process goes on behind it. How many inputs, and with which seed,
comes from the environment: HSIEVE_FUZZ_INPUTS and HSIEVE_FUZZ_SEED.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Findings", "n_inputs", "run_inputs", "seed"]

ROOT = Path(__file__).parents[2]
# Memory that libraries keep for themselves goes with its process.
BATCH = 20_000
# Much longer than any input takes on a busy machine.
LONGEST_SILENCE = 120
MOST_DEATHS = 10


@dataclass
class Findings:
    """What came of a run."""

    n_inputs: int = 0
    n_answers: int = 0
    seconds: float = 0.0
    failures: list[str] = field(default_factory=list)


def n_inputs(usual: int) -> int:
    return int(os.environ.get("HSIEVE_FUZZ_INPUTS", usual))


def seed() -> int:
    return int(os.environ.get("HSIEVE_FUZZ_SEED", "0"))


def run_inputs(what: str, count: int) -> Findings:
    """Run inputs 0, ..., count - 1, and print what is needed to do so again."""
    findings, first, n_deaths = Findings(), 0, 0
    while first < count and n_deaths < MOST_DEATHS:
        batch = min(BATCH, count - first)
        reached, ended = _batch(what, first, batch, findings)
        n_deaths += not ended
        findings.n_inputs += reached - first
        first = reached
    sys.stdout.write(
        f"\n{what}: {findings.n_inputs} inputs of seed {seed()}, {findings.n_answers} with answers,"
        f" {findings.seconds:.0f} s of CPU\n"
    )
    return findings


def _batch(what: str, first: int, count: int, findings: Findings) -> tuple[int, bool]:
    """Run some inputs; return the first that is left, and whether the process ended well."""
    with tempfile.NamedTemporaryFile() as place, tempfile.TemporaryFile("w+") as told:
        place.write(first.to_bytes(8, "big"))
        place.flush()
        numbers = {"--seed": seed(), "--first": first, "--count": count, "--place": place.name}
        arguments = [str(part) for pair in numbers.items() for part in pair]
        process = subprocess.Popen(
            [sys.executable, "-m", "tests_long.fuzz.child", what, *arguments],
            cwd=ROOT,
            stdout=told,
            stderr=subprocess.DEVNULL,
        )
        hangs = _watch(process, Path(place.name))
        at = int.from_bytes(Path(place.name).read_bytes(), "big")
        told.seek(0)
        ended = _take(told.read().splitlines(), findings)
    if ended:
        return first + count, True
    how = "hangs" if hangs else f"died ({_cause(process.returncode)})"
    findings.failures.append(f"{what}, seed {seed()}, input {at}: the process {how}")
    return at + 1, False


def _watch(process: subprocess.Popen[bytes], place: Path) -> bool:
    """Wait for the end of a process; end it if it is at one input for too long."""
    at, since = b"", time.monotonic()
    while process.poll() is None:
        time.sleep(0.05)
        now = place.read_bytes()
        if now != at:
            at, since = now, time.monotonic()
        elif time.monotonic() - since > LONGEST_SILENCE:
            process.kill()
            process.wait()
            return True
    return False


def _take(lines: list[str], findings: Findings) -> bool:
    """Add what a process has told; True if it told of its end."""
    for line in map(json.loads, lines):
        if "error" in line:
            told = f"{line['what']}, seed {seed()}, input {line['input']}: {line['error']}"
            findings.failures.append(f"{told}\nsmallest: {line['bytes']}")
        else:
            findings.n_answers += line["answers"]
            findings.seconds += line["seconds"]
            return True
    return False


def _cause(code: int | None) -> str:
    return signal.Signals(-code).name if code is not None and code < 0 else f"exit code {code}"
