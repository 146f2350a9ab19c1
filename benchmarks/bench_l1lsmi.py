"""L1LSMI beside algorithm 1 of its paper, written out and on our kernels. Run by `make bench`.

    python benchmarks/bench_l1lsmi.py --only musk1    one data set instead of all

Toy set and real data of the paper's tables 4 and 7: at most 400 rows, standardised, k = 4, 10 or 20
of m features. Real data are looked for by ``reproduction.collection``; what is not found is named
and left out. Three methods see the same rows, each in a process of its own with one BLAS thread:

shrink: ``L1LSMI(k)`` as it comes, 20 restarts.
paper: the same with ``optimiser="paper"``, the published algorithm on our kernels.
transcription: that algorithm as printed, in plain NumPy (``tests/reference/naive_l1_ball.py``); one
restart at least, more while they took less than a minute in all. Where one would take longer than
ten minutes it is not run but scaled up: all its choices of a model cost the same, and so do all its
steps; three of each are timed, and "paper" tells how many a restart takes. It then has no set.

A restart costs what the fit costs, over the number of restarts. Ratios are of CPU seconds a restart
to those of shrink. LSMI is that of the chosen set by one measure for all methods, the mean over
draws of centres and folds that no search has seen; "behind" is how much less than shrink's, and
below zero where it is more. The paper's search may end with fewer or more features than k: "chosen"
tells their number. The authors' CPU seconds are of one restart of their program, on their machines
of about 2012.
"""

import functools
import statistics
import sys
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from measuring import ONE_THREAD, measured, median_cost, repeat_apart, run_apart, run_parts
from real_data import DatasetNotFoundError

from hsieve import L1LSMI, LSMI
from hsieve.datasets import make_and_or
from hsieve.kernels.columns import standardised
from hsieve.measures.lsmi import BoundLSMI
from hsieve.strategies import L1Ball
from reproduction.l1lsmi_errors import draw_rows
from reproduction.l1lsmi_table7 import TASKS

ROOT = Path(__file__).resolve().parent.parent
TOY = "and-or"
# CPU seconds that the authors report for one restart, of the data sets that are shown.
AUTHORS = {TOY: None, "housing": 143.06, "satimage": 191.37, "musk1": 255.13, "isolet": 475.79}
N_ROWS = 400
N_RESTARTS = {"shrink": 20, "paper": 5}
BUDGET = 60.0
LONGEST_RESTART = 600.0
N_TIMED = 3
SEED = 0
JUDGES = range(1, 6)
REPETITIONS = 3
HEADER = (
    "data         n    m   k  method         restarts  wall s  CPU s a restart  peak GB"
    "  chosen   LSMI  behind    ratio  authors' CPU s"
)


class Sample(NamedTuple):
    """Rows of a data set, standardised, how many features to choose, and what y holds."""

    X: np.ndarray
    y: np.ndarray
    n_wanted: int
    kind: str


def draw_sample(name, n_rows):
    """Rows of the toy set or of a data set of the collection."""
    if name == TOY:
        toy = make_and_or(n_rows, random_state=SEED)
        return Sample(standardised(toy.X), toy.y, len(toy.relevant), toy.target_kind)
    task = next(task for task in TASKS if task.name == name)
    X, y = task.load()
    rows = draw_rows(y, n_rows, classes=task.kind == "classes", seed=SEED)
    return Sample(standardised(X[rows]), y[rows], task.n_selected, task.kind)


def judged_lsmi(sample, chosen):
    """LSMI of a set of features, the mean over several draws of centres and folds."""
    measures = [LSMI(target_kind=sample.kind, random_state=seed) for seed in JUDGES]
    return statistics.fmean(
        measure.bind(sample.X, sample.y).subset_score(chosen) for measure in measures
    )


@dataclass(frozen=True, eq=False)
class CountedLSMI(BoundLSMI):
    """LSMI that counts how often a model is chosen and how often a step is taken."""

    calls: Counter[str] = field(default_factory=Counter)

    def weighted_model(self, weights: np.ndarray) -> Any:
        """Choose a model."""
        self.calls["models"] += 1
        return super().weighted_model(weights)

    def weighted_value_and_gradient(self, weights: np.ndarray, model: Any) -> Any:
        """Take a step."""
        self.calls["steps"] += 1
        return super().weighted_value_and_gradient(weights, model)


def measure_shrink(sample, task):
    """Fit the selector as it comes."""
    selector = L1LSMI(
        sample.n_wanted,
        n_restarts=task["restarts"],
        target_kind=sample.kind,
        n_jobs=1,
        random_state=SEED,
    )
    _, cost = measured(lambda: selector.fit(sample.X, sample.y))
    chosen = selector.selected_indices_
    return {**cost, "restarts": task["restarts"], **described(sample, chosen)}


def measure_paper(sample, task):
    """Search as the paper does, and count what a restart takes."""
    strategy = L1Ball(optimiser="paper", n_restarts=task["restarts"], n_jobs=1, random_state=SEED)
    measure, calls = LSMI(target_kind=sample.kind, precision="single", random_state=SEED), Counter()

    def search():
        bound = measure.bind(sample.X, sample.y)
        counted = CountedLSMI(bound.distances, bound.ratio, bound.target, bound.is_classes, calls)
        return strategy.search(counted, sample.n_wanted)

    path, cost = measured(search)
    counts = {what: number / task["restarts"] for what, number in calls.items()}
    chosen = path.sets[0].features
    return {**cost, "restarts": task["restarts"], **described(sample, chosen), **counts}


def measure_transcription(sample, task):
    """Run restarts of the transcription for a while, or scale one up from its parts."""
    naive = transcription()
    classes, rng = sample.kind == "classes", np.random.default_rng(SEED)
    scaled = scaled_restart(naive.Problem(sample.X, sample.y, classes=classes, rng=rng), task)
    if scaled["cpu"] > task["longest"]:
        return {**scaled, "restarts": 0, "chosen": None, "lsmi": None}

    def restarts():
        start, found = time.perf_counter(), []
        while not found or time.perf_counter() - start < task["budget"]:
            found.append(
                naive.select(
                    sample.X, sample.y, sample.n_wanted, classes=classes, n_restarts=1, rng=rng
                )
            )
        return found

    found, cost = measured(restarts)
    sets = [described(sample, chosen) for chosen in found]
    best = min(sets, key=functools.partial(rank, sample))
    # Timing its parts has taken memory already, which the process may hold on to.
    memory = max(cost["memory"], scaled["memory"])
    return {**cost, "memory": memory, "restarts": len(found), **best}


def scaled_restart(problem, task):
    """Cost of a restart out of that of a choice of the model and of a step."""
    weights = np.full(problem.X.shape[1], 1 / problem.X.shape[1])
    model, model_cost = timed(lambda: problem.model(weights))
    _, step_cost = timed(
        lambda: (problem.gradient(weights, *model), problem.value(weights, *model))
    )
    cost = {
        what: task["models"] * model_cost[what] + task["steps"] * step_cost[what]
        for what in ("seconds", "cpu")
    }
    return {**cost, "memory": max(model_cost["memory"], step_cost["memory"])}


def timed(work):
    """Answer and median cost of work done a few times."""
    runs = [measured(work) for _ in range(N_TIMED)]
    return runs[-1][0], vars(median_cost([cost for _, cost in runs]))


def transcription():
    """Import the paper's algorithm as printed, which is kept with the tests."""
    sys.path.insert(0, str(ROOT))
    from tests.reference import naive_l1_ball

    return naive_l1_ball


def described(sample, chosen):
    """Chosen features and their LSMI."""
    features = sorted(int(feature) for feature in chosen)
    return {"chosen": features, "lsmi": judged_lsmi(sample, features)}


def rank(sample, run):
    """Place of a set by the paper's rule: nearest in size, then smaller, then of higher LSMI."""
    excess = len(run["chosen"]) - sample.n_wanted
    return abs(excess), excess, -run["lsmi"]


MEASUREMENTS = {
    "shrink": measure_shrink,
    "paper": measure_paper,
    "transcription": measure_transcription,
}


def measure_here(task):
    """Run one measurement in this process, after a fit on small data that loads what is late."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(SEED)
    L1LSMI(2, n_restarts=1).fit(rng.normal(size=(30, 4)), np.arange(30) % 2)
    return MEASUREMENTS[task["who"]](draw_sample(task["data"], task["rows"]), task)


def compare(name, repetitions):
    """Print the three methods on a data set; return what was measured."""
    try:
        sample = draw_sample(name, N_ROWS)
    except DatasetNotFoundError as error:
        print(f"{name} is left out: {error}", flush=True)
        return {}
    print(HEADER)
    common, runs = {"data": name, "rows": N_ROWS}, {}
    for who, restarts in N_RESTARTS.items():
        task = {**common, "who": who, "restarts": restarts}
        times = repetitions if who == "shrink" else 1
        answers = repeat_apart(__file__, task, times, environment=ONE_THREAD)
        runs[who] = {**answers[0], **vars(median_cost(answers))}
        show(name, sample, who, runs)
    work = {what: runs["paper"][what] for what in ("models", "steps")}
    task = {**common, **work, "who": "transcription", "budget": BUDGET, "longest": LONGEST_RESTART}
    runs["transcription"] = run_apart(__file__, task, environment=ONE_THREAD)
    show(name, sample, "transcription", runs)
    return runs


def show(name, sample, who, runs):
    """Print one line of the table."""
    run, (behind, ratio) = runs[who], beside(runs[who], runs["shrink"])
    n, m = sample.X.shape
    size, value = ("-", "-") if run["lsmi"] is None else (len(run["chosen"]), f"{run['lsmi']:.3f}")
    short = "-" if behind is None else f"{behind:.3f}"
    authors = "-" if AUTHORS[name] is None else f"{AUTHORS[name]:.0f}"
    print(
        f"{name:<9} {n:>4} {m:>4} {sample.n_wanted:>3}  {who:<13} {run['restarts'] or 'scaled':>9} "
        f"{run['seconds']:>7.1f} {cpu_a_restart(run):>16.2f} {run['memory']:>8.3f} {size:>7} "
        f"{value:>6} {short:>7} {ratio:>7.1f}x {authors:>15}",
        flush=True,
    )


def beside(run, ours):
    """How far the set of a run lies behind ours in LSMI, and its CPU seconds a restart to ours."""
    behind = None if run["lsmi"] is None else ours["lsmi"] - run["lsmi"]
    return behind, cpu_a_restart(run) / cpu_a_restart(ours)


def cpu_a_restart(run):
    """CPU seconds of a restart; what was scaled up is one."""
    return run["cpu"] / max(run["restarts"], 1)


PARTS = {name: functools.partial(compare, name) for name in AUTHORS}


if __name__ == "__main__":
    run_parts("L1LSMI", __doc__.splitlines()[0], PARTS, measure_here, REPETITIONS)
