"""Run the numeric tests as if on several processors.

OpenBLAS and NumPy choose their instructions by the processor they find, and other instructions
round otherwise. Both can be told to take those of an older one, so one machine shows what others
would find. Each kind of processor is a run of its own; what is really in force is asked of the
libraries in a process with the same settings.

Usage: processors.py [--short] [--kinds Haswell,Zen]
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Newest instructions of each kind for NumPy: none beyond its baseline, AVX2, or AVX-512.
KINDS = {
    "Nehalem": "baseline",
    "Sandybridge": "baseline",
    "Haswell": "AVX2",
    "Zen": "AVX2",
    "SkylakeX": "AVX-512",
}
# NumPy alone without its faster loops, beside the BLAS of this machine.
BASELINE = "NumPy baseline"
# Kinds that OpenBLAS has no kernels of their own for.
SAME_KERNELS = {"Zen": "Haswell"}
# What a kind needs of this machine.
NEEDED = {"Sandybridge": "AVX", "Haswell": "AVX2", "Zen": "AVX2", "SkylakeX": "AVX512F"}
NEEDS_AVX512 = ("X86_V4", "AVX512")

TESTS = [
    "tests/kernels",
    "tests/measures",
    "tests/solvers",
    "tests/strategies",
    "tests/interactions",
    "tests/classifiers",
    "tests/same_results",
    "tests/docs/test_pages.py::test_code_of_a_page_runs_and_prints_what_it_says",
    "tests/properties/test_ties.py",
    "tests/properties/test_selectors.py::test_every_exception_is_needed",
]
# Other kernels of BLAS and none of NumPy's faster loops, in one run.
SHORT_KINDS = ["Sandybridge"]
SHORT_TESTS = [
    "tests/same_results",
    "tests/interactions/test_sweep.py",
    "tests/properties/test_ties.py",
    "tests/docs/test_pages.py::test_code_of_a_page_runs_and_prints_what_it_says",
    "-k",
    # Two pages take as long as all the others.
    "not pitfalls and not which_method",
]

IN_FORCE = """
import json, numpy, scipy.linalg, threadpoolctl
from numpy._core._multiarray_umath import __cpu_baseline__, __cpu_dispatch__, __cpu_features__
print(json.dumps({
    "blas": sorted({
        one["architecture"] for one in threadpoolctl.threadpool_info()
        if one["internal_api"] == "openblas"
    }),
    "numpy": [name for name in __cpu_dispatch__ if __cpu_features__[name]],
    "machine": [name for name, there in __cpu_features__.items() if there],
}))
"""


def main() -> int:
    """Run the tests on all kinds; return the number of kinds that failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--short", action="store_true", help="one kind, and fewer tests")
    parser.add_argument("--kinds", help="names, with commas between them; all unless given")
    given = parser.parse_args()
    kinds = SHORT_KINDS if given.short else [*KINDS, BASELINE]
    if given.kinds:
        kinds = given.kinds.split(",")
    machine = in_force({})
    print(f"this machine: {described(machine)}", flush=True)
    results = [one_kind(kind, machine, short=given.short) for kind in kinds]
    print("\nsummary")
    for line, _ in results:
        print(line)
    return sum(not passed for _, passed in results)


def one_kind(kind: str, machine: dict[str, list[str]], *, short: bool) -> tuple[str, bool]:
    """Run the tests on one kind; return a line about it and whether all is well."""
    if NEEDED.get(kind, "SSE") not in machine["machine"]:
        return f"{kind}: left out, this machine lacks {NEEDED[kind]}", True
    settings = settings_of(kind, machine)
    found = in_force(settings)
    wanted_numpy = set(machine["numpy"]) - set(settings["NPY_DISABLE_CPU_FEATURES"].split())
    wanted_blas = [SAME_KERNELS.get(kind, kind)] if kind in KINDS else machine["blas"]
    if set(found["numpy"]) != wanted_numpy or found["blas"] not in ([kind], wanted_blas):
        return f"{kind}: FAILED, not honoured here, in force is {described(found)}", False
    print(f"\n{kind}: {described(found)}", flush=True)
    started = time.monotonic()
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2"]
    ended = subprocess.run(
        [*command, "--dist", "worksteal", *(SHORT_TESTS if short else TESTS)],
        cwd=ROOT,
        # One thread each, so that two processes of tests do not wait for each other.
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", **settings},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    print(ended.stdout if ended.returncode else ended.stdout.strip().rpartition("\n")[2])
    counts = ended.stdout.strip().rpartition("\n")[2].partition(" in ")[0].strip("= ")
    verdict = "passed" if ended.returncode == 0 else "FAILED"
    seconds = time.monotonic() - started
    return (
        f"{kind}: {verdict}, {described(found)}: {counts} in {seconds:.0f} s",
        not ended.returncode,
    )


def settings_of(kind: str, machine: dict[str, list[str]]) -> dict[str, str]:
    """Return the environment that makes libraries take a machine for this kind."""
    newest = KINDS.get(kind, "baseline")
    # Only what NumPy has loops for, and this machine instructions, may be named.
    left_out = {
        "baseline": machine["numpy"],
        "AVX2": [name for name in machine["numpy"] if name.startswith(NEEDS_AVX512)],
        "AVX-512": [],
    }[newest]
    settings = {"NPY_DISABLE_CPU_FEATURES": " ".join(left_out)}
    return {"OPENBLAS_CORETYPE": kind, **settings} if kind in KINDS else settings


def in_force(settings: dict[str, str]) -> dict[str, list[str]]:
    """Ask the libraries which instructions they use with these settings."""
    ended = subprocess.run(
        [sys.executable, "-c", IN_FORCE],
        env={**os.environ, **settings},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    answer: dict[str, list[str]] = json.loads(ended.stdout)
    return answer


def described(found: dict[str, list[str]]) -> str:
    """Put what is in force into words."""
    return f"BLAS {'/'.join(found['blas'])}, NumPy {' '.join(found['numpy']) or 'baseline'}"


if __name__ == "__main__":
    sys.exit(main())
