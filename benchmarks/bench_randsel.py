"""randSel: sweeps beside the thesis' halves, beside BAHSIC, and on genotypes. Run by `make bench`.

    python benchmarks/bench_randsel.py --only large    one part instead of all

equal-time: xor of two features among 200 with 300 samples, of each kind. "plain, equal" has as many
rounds of the thesis' estimator as take the time of a default run by sweeps, from one run of each;
"plain, thesis" has the settings of the thesis, 3000 rounds on a quarter of the samples. Shown are
how often the two true features are the last two, and the mean place of the worse one.

large: clustered xor of two features among 2,000. "BAHSIC, paper" is the published algorithm: the
width that maximises HSIC, no contexts, no compensation; a quarter of the features goes a round.

gametes: simulated genotypes of two-way epistasis with 1,000 attributes, from the collection of data
sets, as numbers and as categories: places of the two true ones.

CPU seconds are medians over draws of the data, each run in a process of its own with one BLAS
thread.
"""

import statistics
from dataclasses import dataclass

from measuring import ONE_THREAD, measured, run_apart, run_parts
from real_data import (
    ENVIRONMENT_VARIABLE,
    collection_root,
    list_datasets,
    load_dataset,
)

from hsieve import BAHSIC, RandSel
from hsieve.datasets import make_xor
from hsieve.kernels import Gaussian

SHAPE = (300, 200)
KINDS = ("binary", "clustered", "continuous")
LARGE_SHAPES = ((600, 2000), (1000, 2000))
# A run that tells how long a plain round takes.
CALIBRATION_ROUNDS = 100
REPETITIONS = 5

SELECTORS = {
    "sweep": lambda task: RandSel(2),
    "plain": lambda task: RandSel(2, estimator="plain", n_rounds=task["rounds"]),
    "BAHSIC": lambda task: BAHSIC(2),
    "BAHSIC, paper": lambda task: BAHSIC(
        2, kernel_x=Gaussian("maximise"), compensate=False, n_contexts=1, step=0.25
    ),
    "as numbers": lambda task: RandSel(10),
    "as categories": lambda task: RandSel(10, categorical=range(task["shape"][1])),
}


@dataclass(frozen=True)
class Row:
    """What several draws of the data gave: runs, those that found both, place, CPU seconds."""

    runs: int
    found: int
    worse_place: float
    cpu: float


def measure_here(task):
    """Fit one selector in this process, after a small one that loads what is late."""
    small = make_xor(40, 6, random_state=0)
    RandSel(2, n_rounds=2).fit(small.X, small.y)
    if "name" in task:
        data = load_dataset(task["name"])
    else:
        data = make_xor(*task["shape"], kind=task["kind"], random_state=task["seed"])
    selector = SELECTORS[task["who"]]({**task, "shape": data.X.shape})
    _, cost = measured(lambda: selector.fit(data.X, data.y))
    return {**cost, "places": selector.ranking_[data.relevant].tolist()}


def run_once(task):
    """Answer of one run in a process of its own."""
    return run_apart(__file__, task, environment=ONE_THREAD)


def run_seeds(task, repetitions):
    """Sum up the runs over several draws of the data."""
    runs = [run_once({**task, "seed": seed}) for seed in range(repetitions)]
    return Row(
        runs=repetitions,
        found=sum(sorted(run["places"]) == [1, 2] for run in runs),
        worse_place=statistics.fmean(max(run["places"]) for run in runs),
        cpu=statistics.median(run["cpu"] for run in runs),
    )


def equal_rounds(kind):
    """Count the plain rounds that take as long as a default run by sweeps."""
    task = {"shape": SHAPE, "kind": kind, "seed": 0}
    sweep = run_once({**task, "who": "sweep"})
    plain = run_once({**task, "who": "plain", "rounds": CALIBRATION_ROUNDS})
    return max(1, round(CALIBRATION_ROUNDS * sweep["cpu"] / plain["cpu"]))


def compare_estimators(repetitions):
    """Print sweeps beside plain rounds."""
    show("xor of", "estimator", "rounds", "found", "worse place", "CPU s")
    rows = {}
    for kind in KINDS:
        estimators = {
            "sweep": ("sweep", None),
            "plain, equal": ("plain", equal_rounds(kind)),
            "plain, thesis": ("plain", None),
        }
        for name, (who, rounds) in estimators.items():
            task = {"who": who, "rounds": rounds, "shape": SHAPE, "kind": kind}
            row = rows[kind, name] = run_seeds(task, repetitions)
            show(
                kind,
                name,
                rounds or "default",
                f"{row.found} of {row.runs}",
                f"{row.worse_place:.1f}",
                f"{row.cpu:.2f}",
            )
    return rows


def compare_large(repetitions):
    """Print randSel beside BAHSIC on many features."""
    show("shape", "method", "", "found", "worse place", "CPU s")
    rows = {}
    for shape in LARGE_SHAPES:
        for who, name in (
            ("sweep", "RandSel"),
            ("BAHSIC", "BAHSIC"),
            ("BAHSIC, paper", "BAHSIC, paper"),
        ):
            task = {"who": who, "shape": shape, "kind": "clustered"}
            row = rows[shape, name] = run_seeds(task, repetitions)
            show(
                f"{shape[0]} x {shape[1]}",
                name,
                "",
                f"{row.found} of {row.runs}",
                f"{row.worse_place:.1f}",
                f"{row.cpu:.2f}",
            )
    return rows


def compare_genotypes(repetitions):
    """Print the places of the true attributes among 1,000 genotypes."""
    names = genotype_sets()
    if not names:
        print(
            "gametes left out: the data sets are not distributed with the package "
            f"(set {ENVIRONMENT_VARIABLE} to their folder)",
            flush=True,
        )
        return {}
    show("data", "genotypes", "", "", "places", "CPU s")
    answers = {}
    for name in names:
        for who in ("as numbers", "as categories"):
            run = answers[name, who] = run_once({"who": who, "name": name})
            places = " and ".join(str(place) for place in run["places"])
            show(name.split("/")[-1], who, "", "", places, f"{run['cpu']:.2f}")
    return answers


def genotype_sets():
    """Full names of the data sets of two-way epistasis among 1,000 attributes."""
    if collection_root() is None:
        return []
    return [entry.key for entry in list_datasets() if "gametes_2way_1000a" in entry.name]


def show(*cells):
    """Print one line of a table: data, method, rounds, found, place, seconds."""
    widths = (-24, -14, 7, 8, 12, 8)
    text = (
        f"{cell:{'<' if width < 0 else '>'}{abs(width)}}"
        for cell, width in zip(cells, widths, strict=True)
    )
    print(" ".join(text), flush=True)


PARTS = {"equal-time": compare_estimators, "large": compare_large, "gametes": compare_genotypes}


if __name__ == "__main__":
    run_parts("randSel", __doc__.splitlines()[0], PARTS, measure_here, REPETITIONS)
