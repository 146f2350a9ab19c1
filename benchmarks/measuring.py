"""What the benchmarks share: processes of their own, seconds, peak memory, growth.

A benchmark is a script that takes ``--task`` with a task as JSON, and answers it with
:func:`answer`; :func:`run_apart` starts it for one task. Memory is the highest resident memory of
the process during the work beyond what it held before: on Linux the kernel's own mark (VmHWM),
set back just before, so that no peak is missed between two samples and neither making the data nor
the memory of the parent counts; elsewhere ru_maxrss, which cannot be set back. Work that starts
processes is refused, because theirs would be missed.
"""

import argparse
import contextlib
import gc
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import psutil

ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "POLARS_MAX_THREADS",
    ),
    "1",
)
SAMPLING_SECONDS = 0.01
# A run that takes longer than this many seconds is ended and said to have failed. Some benchmarks
# aim at a quarter of an hour.
PATIENCE = 3600


class MeasurementError(RuntimeError):
    """A measurement did not come to its end."""


@dataclass(frozen=True)
class Cost:
    """Wall seconds, CPU seconds (user and system, all threads) and peak memory in GB."""

    seconds: float
    cpu: float
    memory: float


def run_apart(script, task, *, environment=None):
    """Run one task of a script in a process of its own and return its answer."""
    command = [sys.executable, script, "--task", json.dumps(task)]
    environment = {**os.environ, **(environment or {})}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired as error:
        raise MeasurementError(f"{task}: no end after {PATIENCE} s") from error
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"ended by signal {-done.returncode}"]
        raise MeasurementError(f"{task} failed: {lines[-1]}")
    return json.loads(done.stdout)


def repeat_apart(script, task, repetitions, *, budget=np.inf, environment=None):
    """Answers to `repetitions` runs of a task; none is begun after `budget` seconds."""
    start, answers = time.perf_counter(), []
    while len(answers) < repetitions:
        answers.append(run_apart(script, task, environment=environment))
        if time.perf_counter() - start > budget:
            break
    return answers


def median_cost(answers):
    """Median seconds and greatest memory of several answers that hold the fields of a cost."""
    return Cost(
        seconds=statistics.median(run["seconds"] for run in answers),
        cpu=statistics.median(run["cpu"] for run in answers),
        memory=max(run["memory"] for run in answers),
    )


def answer(text, measure_here):
    """Do a task given as JSON and print the answer; what the libraries print goes elsewhere."""
    with contextlib.redirect_stdout(sys.stderr):
        result = measure_here(json.loads(text))
    print(json.dumps(result))


def run_parts(title, description, parts, measure_here, repetitions, *, draws=None):
    """Read the command line of a benchmark of several parts, and run them or one task.

    Parts in `draws` are told the number of draws of the data instead of repetitions.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--task", help=argparse.SUPPRESS)
    parser.add_argument("--only", choices=parts, help="one part instead of all")
    parser.add_argument("--repetitions", type=int, default=repetitions)
    if draws:
        parser.add_argument("--draws", type=int, help="draws of the data, where these are counted")
    options = parser.parse_args()
    if options.task:
        answer(options.task, measure_here)
        return
    print(f"{title}, {os.cpu_count()} cores, {load()} at the start", flush=True)
    failures = []
    for part in [options.only] if options.only else parts:
        try:
            by_draws = draws is not None and part in draws
            parts[part]((options.draws or draws[part]) if by_draws else options.repetitions)
        except MeasurementError as error:
            failures.append(f"{part} failed: {error}")
            print(failures[-1], flush=True)
        print(f"{load()} after {part}", flush=True)
    sys.exit(bool(failures))


def measured(work):
    """Do the work; return its answer and its cost as a dictionary."""
    gc.collect()
    others = set(psutil.Process().children())
    forget_peak()
    memory, cpu, start = peak_memory(), cpu_seconds(), time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    cost = Cost(seconds, cpu_seconds() - cpu, peak_memory() - memory)
    if set(psutil.Process().children()) - others:
        raise MeasurementError("the work started processes, whose time and memory are not seen")
    return result, asdict(cost)


def cpu_seconds():
    """User and system seconds of this process with its threads and finished children."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def forget_peak():
    """Set the kernel's mark of the highest resident memory back to what is held now."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_memory():
    """Highest resident memory of this process in GB."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s+(\d+)", status.read_text())[1]) * 1024 / 1e9
    scale = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale / 1e9


def anonymous_memory():
    """Resident memory of this process that is no file's (rss - shared), in GB."""
    held = psutil.Process().memory_info()
    return (held.rss - getattr(held, "shared", 0)) / 1e9


@contextlib.contextmanager
def anonymous_peak():
    """Sample anonymous memory in a thread; the list given ends with its rise in GB."""
    before, samples, ended = anonymous_memory(), [0.0], threading.Event()

    def sample():
        while not ended.wait(SAMPLING_SECONDS):
            samples.append(anonymous_memory() - before)

    sampler = threading.Thread(target=sample)
    sampler.start()
    try:
        yield samples
    finally:
        ended.set()
        sampler.join()
        samples.append(max(samples))


def growth_exponent(sizes, seconds):
    """Exponent of the growth of seconds with size, by least squares on logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def load():
    """Say how busy the machine is."""
    return f"load {os.getloadavg()[0]:.1f}"
