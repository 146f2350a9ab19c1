"""N3LARS beside its peers, at the shape of p53, and its growth in n and d. Run by `make bench`.

    python benchmarks/bench_n3lars.py --only peers    one part: peers, p53 or growth

peers: ten features of the N3LARS problem (three signals; every feature has a near copy), one data
seed, all methods on the same file a moment apart. CPU seconds are compared, so every process has
one BLAS thread and n_jobs=1. The aims are for the ratio of pyHSICLasso with its defaults to ours.
p53: 26,120 x 5,408 float32 numbers in a file that is mapped, not loaded; 100 features on one thread
and on two, and the relevance of all features alone; a first small fit, told apart, compiles.
growth: one BLAS thread; seconds grow like size to the power of the exponent.

Every measurement runs in a process of its own, after a fit on small data that loads all that is
loaded late. Seconds are medians. Memory is told beyond the data and the imported libraries: the
kernel's high-water mark (see measuring.py); for p53 anonymous memory, sampled, so that the file's
pages do not count. Peers, p53 and growth are run again only while the runs so far took less than
30 seconds. Peers that are not installed, or do not fit in memory, are named and left out.
"""

import importlib.metadata
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from measuring import (
    ONE_THREAD,
    MeasurementError,
    anonymous_peak,
    growth_exponent,
    measured,
    median_cost,
    repeat_apart,
    run_parts,
)
from numpy.lib.format import open_memmap

SIZES = [(100, 2000), (1000, 2000), (3000, 2000), (100, 20000)]
CPU_AIMS = {(100, 2000): 10, (1000, 2000): 60, (3000, 2000): 60, (100, 20000): 30}
MEMORY_AIMS = {(1000, 2000): 20, (3000, 2000): 20}
N_SELECTED = 10
N_SIGNALS = 3
BUDGET = 30.0
PEER_MEMORY = 4.0
# Less than this cannot be told from what the allocator happens to hold back.
LEAST_MEMORY = 0.001

P53_SHAPE = (26_120, 5_408)
P53_SELECTED = 100
P53_INFORMATIVE = 30
P53_FACTORS = 20
P53_AIMS = {1: "aims: below 5 s, at most 0.8 GB", 2: "aims: below 3 s, at most 0.8 GB"}

GROWTH_IN_N = [(1_000, 300), (10_000, 300), (100_000, 300), (300_000, 300)]
GROWTH_IN_D = [(300, 1_000), (300, 10_000), (300, 100_000)]
GROWTH_AIM = 1.1
REPETITIONS = 3


def prepare_ours(X, y):
    from hsieve import N3LARS

    return lambda: N3LARS(N_SELECTED).fit(X, y).selected_indices_


def prepare_block_lasso(X, y):
    return prepare_lasso(X, y, B=20, M=3)


def prepare_vanilla_lasso(X, y):
    return prepare_lasso(X, y, B=0)


def prepare_lasso(X, y, **blocks):
    from pyHSICLasso import HSICLasso

    lasso = HSICLasso()
    lasso.input(X, y)

    def fit():
        lasso.regression(N_SELECTED, n_jobs=1, **blocks)
        return lasso.get_index()

    return fit


def prepare_mrmr(X, y):
    import pandas as pd
    from mrmr import mrmr_regression

    frame, target = pd.DataFrame(X), pd.Series(y)
    return lambda: mrmr_regression(frame, target, K=N_SELECTED, n_jobs=1, show_progress=False)


def prepare_information(X, y):
    from sklearn.feature_selection import mutual_info_regression

    return lambda: np.argsort(-mutual_info_regression(X, y, random_state=0))[:N_SELECTED]


class Method(NamedTuple):
    """A method by the package it is in, what readies it for a fit, and the GB it has to hold."""

    package: str
    prepare: Callable
    memory: Callable = lambda n, d: 0.0


OURS = "hsieve N3LARS"
MAIN_PEER = "pyHSICLasso B=20 M=3"
METHODS = {
    OURS: Method("hsieve", prepare_ours),
    MAIN_PEER: Method("pyHSICLasso", prepare_block_lasso),
    "pyHSICLasso vanilla": Method(
        "pyHSICLasso", prepare_vanilla_lasso, lambda n, d: 8e-9 * n * n * d
    ),
    "mrmr_selection": Method("mrmr_selection", prepare_mrmr),
    "scikit-learn MI": Method("scikit-learn", prepare_information),
}


def measure_method(task):
    """Fit one method to the data of a folder; cost and chosen features."""
    prepare = METHODS[task["who"]].prepare
    rng = np.random.default_rng(0)
    prepare(rng.normal(size=(40, 30)), rng.normal(size=40))()
    folder = Path(task["folder"])
    fit = prepare(np.load(folder / "X.npy"), np.load(folder / "y.npy"))
    chosen, cost = measured(fit)
    return {**cost, "chosen": [int(feature) for feature in chosen]}


def measure_p53(task):
    """Fit N3LARS to the mapped file of a folder, after streaming once through it."""
    from hsieve import N3LARS, PairwiseHSIC
    from hsieve.data.arrays import as_blocks

    folder = Path(task["folder"])
    X, y = np.load(folder / "X.npy", mmap_mode="r"), np.load(folder / "y.npy")
    few, classes = np.array(X[:400, :30]), np.arange(400) % 2
    _, compiling = measured(lambda: N3LARS(2, form="coded").fit(few, classes))
    passes = [column_sums_seconds(X) for _ in range(3)]
    _, relevance = measured(lambda: PairwiseHSIC().bind(as_blocks(X), y))
    selector = N3LARS(task["n_selected"], n_jobs=task["n_threads"])
    with anonymous_peak() as memory:
        _, cost = measured(lambda: selector.fit(X, y))
    return {
        **cost,
        "memory": memory[-1],
        "pass": min(passes),
        "compiling": compiling["cpu"],
        "relevance": relevance["seconds"],
        "spared": selector.path_.lars.share_spared,
        "chosen": selector.selected_indices_.tolist(),
        "n_threads": task["n_threads"],
    }


def column_sums_seconds(X, rows=1024):
    """Seconds of one pass through the file: the sum of each column, a block of rows at a time."""
    start, sums = time.perf_counter(), np.zeros(X.shape[1])
    for first in range(0, len(X), rows):
        sums += X[first : first + rows].sum(axis=0)
    return time.perf_counter() - start


def write_n3lars(folder, n, d):
    from hsieve.datasets import make_n3lars

    problem = make_n3lars(n, d, random_state=0)
    np.save(Path(folder) / "X.npy", problem.X)
    np.save(Path(folder) / "y.npy", problem.y)


def write_p53(folder, shape=P53_SHAPE, n_informative=P53_INFORMATIVE, width=256):
    """Write data like p53's, a block of columns at a time; return the informative features.

    Two classes, three samples in ten in the second. All features are correlated by a few shared
    factors; of the informative ones every other has another mean in the second class, the rest
    another spread.
    """
    n, d = shape
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.3).astype(int)
    factors = rng.standard_normal((n, P53_FACTORS), dtype=np.float32)
    informative = np.sort(rng.choice(d, n_informative, replace=False))
    X = open_memmap(Path(folder) / "X.npy", mode="w+", dtype=np.float32, shape=shape)
    for first in range(0, d, width):
        columns = np.arange(first, min(first + width, d))
        block = rng.standard_normal((n, len(columns)), dtype=np.float32)
        block += factors[:, columns % P53_FACTORS]
        for place in np.flatnonzero(np.isin(columns, informative[::2])):
            block[:, place] += 0.7 * y
        for place in np.flatnonzero(np.isin(columns, informative[1::2])):
            block[:, place] *= 1 + 0.5 * y
        X[:, columns[0] : columns[-1] + 1] = block
    X.flush()
    np.save(Path(folder) / "y.npy", y)
    return informative


def installed_methods():
    """Methods whose package is there; the packages are printed with their versions."""
    found = {}
    for package in dict.fromkeys(method.package for method in METHODS.values()):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            print(f"{package} is not installed and left out; `make bench` installs it")
    print(", ".join(f"{package} {version}" for package, version in found.items()))
    return [name for name, method in METHODS.items() if method.package in found]


def compare_peers(repetitions):
    """Print cost and choice of every method at every size, with the ratios to ours."""
    names = installed_methods()
    print(
        "     n      d  method                 CPU s  wall s  peak GB  signals  copies  runs"
        "  ratio: CPU            memory"
    )
    for n, d in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            write_n3lars(folder, n, d)
            ours = None
            for name in names:
                cost = compare_one(name, (n, d), folder, repetitions, ours)
                ours = ours or cost


def compare_one(name, size, folder, repetitions, ours):
    """Print one line of the table and return the cost of the method."""
    n, d = size
    start = f"{n:>6} {d:>6}  {name:<20}"
    needed = METHODS[name].memory(n, d)
    if needed > PEER_MEMORY:
        print(f"{start}  left out: its kernels alone take {needed:.0f} GB", flush=True)
        return None
    budget = np.inf if name == OURS else BUDGET
    task = {"part": "method", "who": name, "folder": folder}
    try:
        runs = repeat_apart(__file__, task, repetitions, budget=budget, environment=ONE_THREAD)
    except MeasurementError as error:
        if name == OURS:
            raise
        print(f"{start}  failed: {error}", flush=True)
        return None
    cost, chosen = median_cost(runs), runs[0]["chosen"]
    originals = {feature % (d // 2) for feature in chosen}
    signals, copies = len(originals & set(range(N_SIGNALS))), len(chosen) - len(originals)
    print(
        f"{start} {cost.cpu:>7.2f} {cost.seconds:>7.2f} {cost.memory:>8.3f}  "
        f"{signals} of {N_SIGNALS}  {copies:>6}  {len(runs):>4}  {ratios(name, size, cost, ours)}",
        flush=True,
    )
    return cost


def ratios(name, size, cost, ours):
    """CPU and memory of a peer over ours, with the aims where there are any."""
    if ours is None:
        return ""
    aims = (CPU_AIMS, MEMORY_AIMS) if name == MAIN_PEER else ({}, {})
    values = (cost.cpu / ours.cpu, cost.memory / max(ours.memory, LEAST_MEMORY))
    shown = [
        f"{value:.1f}x" + (f" (aim {aim[size]}x)" if size in aim else "")
        for value, aim in zip(values, aims, strict=True)
    ]
    return f"{shown[0]:<20} {shown[1]}"


def run_p53(repetitions):
    """Print cost and choice at the shape of p53."""
    with tempfile.TemporaryDirectory() as folder:
        informative = write_p53(folder)
        for n_threads in P53_AIMS:
            task = {
                "part": "p53",
                "folder": folder,
                "n_selected": P53_SELECTED,
                "n_threads": n_threads,
            }
            runs = repeat_apart(__file__, task, repetitions, budget=BUDGET, environment=ONE_THREAD)
            print_p53(runs, informative)


def print_p53(runs, informative):
    """Print what some runs on as many threads have taken and found."""
    cost, run = median_cost(runs), runs[0]
    n, d = P53_SHAPE
    found = len(set(run["chosen"]) & set(informative.tolist()))
    print(
        f"p53's shape, {n} x {d} float32, {P53_SELECTED} features, {run['n_threads']} thread(s), "
        f"{len(runs)} run(s): {cost.seconds:.1f} s, {cost.cpu:.1f} CPU s, {cost.memory:.2f} GB "
        f"({P53_AIMS[run['n_threads']]})\n"
        f"    {cost.seconds / run['pass']:.0f} times one pass of column sums "
        f"({run['pass']:.2f} s), relevance on one thread {run['relevance'] / run['pass']:.0f} "
        f"times; {run['spared']:.1%} of the redundancies spared; {found} of {P53_INFORMATIVE} "
        f"informative features found; first small fit {run['compiling']:.1f} CPU s",
        flush=True,
    )


def run_growth(repetitions):
    """Print the exponents of growth in n and d."""
    for name, sizes, axis in (("n", GROWTH_IN_N, 0), ("d", GROWTH_IN_D, 1)):
        costs = [growth_cost(n, d, repetitions) for n, d in sizes]
        along = [size[axis] for size in sizes]
        cpu, wall = [cost.cpu for cost in costs], [cost.seconds for cost in costs]
        shown = ", ".join(
            f"{size}: {cost.cpu:.2f} s, {cost.memory:.2f} GB"
            for size, cost in zip(sizes, costs, strict=True)
        )
        print(
            f"growth in {name}: exponent {growth_exponent(along, cpu):.2f} of CPU seconds, "
            f"{growth_exponent(along, wall):.2f} of wall seconds (aim {GROWTH_AIM}); "
            f"last step {growth_exponent(along[-2:], cpu[-2:]):.2f}   ({shown})",
            flush=True,
        )


def growth_cost(n, d, repetitions):
    with tempfile.TemporaryDirectory() as folder:
        write_n3lars(folder, n, d)
        task = {"part": "method", "who": OURS, "folder": folder}
        return median_cost(
            repeat_apart(__file__, task, repetitions, budget=BUDGET, environment=ONE_THREAD)
        )


PARTS = {"peers": compare_peers, "p53": run_p53, "growth": run_growth}
TASKS = {"method": measure_method, "p53": measure_p53}


def measure_here(task):
    """Run one measurement in this process."""
    return TASKS[task["part"]](task)


if __name__ == "__main__":
    run_parts("N3LARS", __doc__.splitlines()[0], PARTS, measure_here, REPETITIONS)
