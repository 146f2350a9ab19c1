"""InteractionScan beside PLINK, on 5 billion pairs, and on xor. Run by `make bench`.

    python benchmarks/bench_interactions.py --only peers    one part: peers, large or xor

peers: 10,000 genotypes of 1,000 people, cases and controls, minor alleles with a frequency of 5 to
50 %, two genotypes that matter only together. PLINK 1.9 looks at all pairs with BOOST and gives a
p-value for each good one, as InteractionScan does with n_permutations=0; its default of 20
permutations, which account for all pairs, has no counterpart in PLINK. Both use two threads, so
wall seconds are compared, and CPU seconds told. Ours are those of `fit` on the matrix of genotypes
(bytes, a column after the other), with all that is made of it; PLINK's are those of its process,
which reads the same from a .bed file a quarter as large. The aim: not slower than PLINK.
large: 100,000 genotypes of 1,000 people, all 5 billion pairs with default settings, one run. The
memory is that of the whole process, data and libraries included.
xor: one pair among 10,000 features that are bits, clusters or normal. "next" is how many times the
score (minus log10 of the p-value) of the true pair is that of the next one.

Every measurement runs in a process of its own, ours after a fit on small data that loads all that
is loaded late; how long that and the start of Python take is told for peers. Seconds are medians.
But for large, memory is told beyond the data and the libraries; see measuring.py. For xor no run
is begun after 30 seconds.
"""

import re
import shutil
import subprocess
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import psutil
from measuring import (
    SAMPLING_SECONDS,
    MeasurementError,
    measured,
    median_cost,
    peak_memory,
    repeat_apart,
    run_apart,
    run_parts,
)
from numpy.lib.format import open_memmap

THREADS = 2
REPETITIONS = 3
BUDGET = 30.0

PEERS_SHAPE = (1_000, 10_000)
LARGE_SHAPE = (1_000, 100_000)
LARGE_AIMS = "aims: below 15 minutes, at most 2 GB"
LOWEST_FREQUENCY = 0.05
# Those who have one of the two genotypes mixed, but not both, are cases with this much more chance.
RISK = 0.2

PLINK = "plink1.9"
PLINK_MISSING = f"{PLINK} is not installed and left out; the Debian package {PLINK} has it"
PLINK_OPTIONS = ["--fast-epistasis", "boost", "--epi1", "1e-6", "--allow-no-sex"]
# The two bits that stand for 0, 1 and 2 minor alleles.
BED_CODES = np.array([0b11, 0b10, 0b00], dtype=np.uint8)
BED_START = bytes([0x6C, 0x1B, 0x01])

OURS = {"hsieve, no permutations": {"n_permutations": 0}, "hsieve, 20 permutations": {}}
XOR_KINDS = ("binary", "clustered", "continuous")
XOR_SIZES = (300, 1_000)
XOR_FEATURES = 10_000


def write_genotypes(folder, shape, width=1_000):
    """Write X.npy, column after column, and y.npy; return the two genotypes that matter."""
    n, d = shape
    rng = np.random.default_rng(0)
    frequencies = rng.uniform(LOWEST_FREQUENCY, 0.5, d)
    pair = [d // 3, 2 * d // 3]
    # So that half of the people are mixed, and neither genotype tells anything alone.
    frequencies[pair] = 0.5
    file = Path(folder) / "X.npy"
    X = open_memmap(file, mode="w+", dtype=np.uint8, shape=shape, fortran_order=True)
    for first in range(0, d, width):
        some = slice(first, first + width)
        chances = frequencies[some]
        alleles = rng.random((2, n, len(chances)), dtype=np.float32) < chances
        X[:, some] = alleles.sum(axis=0, dtype=np.uint8)
    X.flush()
    one_mixed = (X[:, pair] == 1).sum(axis=1) == 1
    y = rng.random(n) < 0.5 + RISK * np.where(one_mixed, 1, -1)
    np.save(Path(folder) / "y.npy", y.astype(np.uint8))
    return pair


def write_plink(folder, X, y):
    """Write genotypes (numbers of minor alleles), people and classes in PLINK's binary format."""
    folder = Path(folder)
    (folder / "g.bed").write_bytes(BED_START + packed_genotypes(X).tobytes())
    variants = (f"1\tv{place}\t0\t{place + 1}\tA\tG\n" for place in range(X.shape[1]))
    (folder / "g.bim").write_text("".join(variants))
    people = (f"f{place} i{place} 0 0 1 {label + 1}\n" for place, label in enumerate(y.tolist()))
    (folder / "g.fam").write_text("".join(people))


def packed_genotypes(X):
    """Four people a byte, the first in the lowest bits; a row of bytes for each genotype."""
    n, d = X.shape
    codes = np.zeros((d, -(-n // 4) * 4), dtype=np.uint8)
    codes[:, :n] = BED_CODES[X.T]
    by_four = codes.reshape(d, -1, 4) << np.array([0, 2, 4, 6], dtype=np.uint8)
    return np.bitwise_or.reduce(by_four, axis=2)


def read_best_pair(file):
    """Read PLINK's list of pairs; places of the genotypes of the one with the lowest p-value."""
    header, *lines = (line.split() for line in Path(file).read_text().splitlines())
    found = [dict(zip(header, line, strict=True)) for line in lines if "NA" not in line]
    if not found:
        return []
    best = min(found, key=lambda pair: (float(pair["P"]), -float(pair["STAT"])))
    return sorted(int(best[name].removeprefix("v")) for name in ("SNP1", "SNP2"))


def measure_ours(task):
    """Fit InteractionScan to the genotypes of a folder."""
    from hsieve import InteractionScan

    rng = np.random.default_rng(0)
    InteractionScan(2).fit(rng.integers(0, 3, (60, 30)), np.arange(60) % 2)
    start = time.time() - psutil.Process().create_time()
    folder = Path(task["folder"])
    X, y = np.load(folder / "X.npy"), np.load(folder / "y.npy")
    scan = InteractionScan(n_jobs=THREADS, **task["settings"])
    _, cost = measured(lambda: scan.fit(X, y))
    return {
        **cost,
        "start": start,
        "whole_memory": peak_memory(),
        "pairs": scan.n_pairs_seen_,
        "best": list(scan.pairs_[0].features),
    }


def measure_plink(task):
    """Run PLINK on the files of a folder."""
    folder = Path(task["folder"])
    command = [PLINK, "--bfile", "g", *PLINK_OPTIONS, "--threads", str(THREADS), "--out", "out"]
    (told, memory), cost = measured(lambda: run_watched(command, folder))
    pairs = re.search(r"(\d+) valid tests performed", told)
    if not pairs:
        raise MeasurementError(f"PLINK did not come to its end: {told.strip()[-200:]}")
    best = read_best_pair(folder / "out.epi.cc")
    return {**cost, "memory": memory, "pairs": int(pairs[1]), "best": best}


def run_watched(command, folder):
    """Run a program; return what it told and its peak memory in GB, by looks every 10 ms."""
    memory = 0.0
    with tempfile.TemporaryFile("w+") as told:
        program = subprocess.Popen(command, cwd=folder, stdout=told, stderr=subprocess.STDOUT)
        while program.poll() is None:
            memory = max(memory, resident_memory(program.pid))
            time.sleep(SAMPLING_SECONDS)
        told.seek(0)
        return told.read(), memory


def resident_memory(number):
    try:
        return psutil.Process(number).memory_info().rss / 1e9
    except psutil.Error:
        return 0.0


def measure_xor(task):
    """Fit InteractionScan to an xor among many features."""
    from hsieve import InteractionScan
    from hsieve.datasets import make_xor

    InteractionScan(2).fit(*_pair_of(make_xor(60, 30, random_state=0)))
    problem = make_xor(
        task["n"], XOR_FEATURES, kind=task["kind"], shuffle=True, random_state=task["seed"]
    )
    scan = InteractionScan(n_jobs=THREADS, **task["settings"])
    _, cost = measured(lambda: scan.fit(*_pair_of(problem)))
    first, second = scan.pairs_[:2]
    return {
        **cost,
        "pairs": scan.n_pairs_seen_,
        "found": list(first.features) == problem.relevant.tolist(),
        "ratio": first.score / second.score,
    }


def _pair_of(problem):
    return problem.X, problem.y


def compare_peers(repetitions):
    """Print seconds of PLINK and ours on the same genotypes."""
    tasks = {name: {"part": "ours", "settings": settings} for name, settings in OURS.items()}
    shown = f"hsieve {version('hsieve')}"
    if shutil.which(PLINK):
        told = subprocess.run([PLINK, "--version"], capture_output=True, text=True, check=True)
        shown += f", {told.stdout.strip()}"
        tasks[PLINK] = {"part": "plink"}
    else:
        print(PLINK_MISSING)
    n, d = PEERS_SHAPE
    print(f"{d:,} genotypes x {n:,} people, {THREADS} threads; {shown}")
    print(f"{'':<24} seconds  CPU s  peak GB  million pairs/s  true pair first  runs")
    with tempfile.TemporaryDirectory() as folder:
        pair = write_genotypes(folder, PEERS_SHAPE)
        write_plink(folder, np.load(Path(folder) / "X.npy"), np.load(Path(folder) / "y.npy"))
        costs = {
            name: compare_one(name, {**task, "folder": folder}, pair, repetitions)
            for name, task in tasks.items()
        }
    if PLINK in costs:
        shown = ", ".join(
            f"{costs[PLINK].seconds / costs[name].seconds:.2f}x {name}" for name in OURS
        )
        print(f"seconds of PLINK over ours: {shown} (aim: at least 1x without permutations)")


def compare_one(name, task, pair, repetitions):
    """Print one line of the table and return the cost."""
    runs = repeat_apart(__file__, task, repetitions)
    cost = median_cost(runs)
    speed = runs[0]["pairs"] / cost.seconds / 1e6
    first = "yes" if all(run["best"] == pair for run in runs) else f"no: {runs[0]['best']}"
    start = f"   (start and imports {runs[0]['start']:.1f} s)" if "start" in runs[0] else ""
    print(
        f"{name:<24} {cost.seconds:>7.2f} {cost.cpu:>6.2f} {cost.memory:>8.2f} {speed:>16.1f}  "
        f"{first:<15} {len(runs):>5}{start}",
        flush=True,
    )
    return cost


def run_large(_repetitions):
    """Print time and memory of the scan of 5 billion pairs."""
    n, d = LARGE_SHAPE
    with tempfile.TemporaryDirectory() as folder:
        pair = write_genotypes(folder, LARGE_SHAPE)
        run = run_apart(__file__, {"part": "ours", "folder": folder, "settings": {}})
    first = "yes" if run["best"] == pair else f"no: {run['best']}"
    print(
        f"{d:,} genotypes x {n:,} people, {run['pairs']:,} pairs, 20 permutations: "
        f"{run['seconds'] / 60:.1f} minutes, {run['cpu'] / 60:.1f} CPU minutes, "
        f"{run['whole_memory']:.2f} GB in all ({LARGE_AIMS}), "
        f"{run['pairs'] / run['seconds'] / 1e6:.1f} million pairs/s; true pair first: {first}",
        flush=True,
    )


def run_xor(repetitions):
    """Print time and place of the true pair for each kind of xor."""
    print(
        f"xor among {XOR_FEATURES:,} features, {THREADS} threads\n"
        "kind            n  permutations  seconds  CPU s  peak GB  million pairs/s"
        "  true pair first  next  runs"
    )
    for kind in XOR_KINDS:
        for n in XOR_SIZES:
            for permutations in (0, 20):
                settings = {"n_permutations": permutations}
                task = {"part": "xor", "kind": kind, "n": n, "seed": 0, "settings": settings}
                runs = repeat_apart(__file__, task, repetitions, budget=BUDGET)
                cost, run = median_cost(runs), runs[0]
                print(
                    f"{kind:<10} {n:>6} {permutations:>13} {cost.seconds:>8.2f} {cost.cpu:>6.2f} "
                    f"{cost.memory:>8.2f} {run['pairs'] / cost.seconds / 1e6:>16.1f}  "
                    f"{'yes' if run['found'] else 'no':<15} {run['ratio']:>4.1f}x {len(runs):>4}",
                    flush=True,
                )


PARTS = {"peers": compare_peers, "large": run_large, "xor": run_xor}
TASKS = {"ours": measure_ours, "plink": measure_plink, "xor": measure_xor}


def measure_here(task):
    """Run one measurement in this process."""
    return TASKS[task["part"]](task)


if __name__ == "__main__":
    run_parts("InteractionScan", __doc__.splitlines()[0], PARTS, measure_here, REPETITIONS)
