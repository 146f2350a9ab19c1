"""SparseFiltering beside the literal program of the thesis, and at full size. Run by `make bench`.

    python benchmarks/bench_representation.py --only literal    one part instead of all

literal: 5,000 samples, equal iterations from the same start, unprepared, one BLAS thread. "literal"
is the program of appendix A.2 in plain NumPy (``tests/reference/naive_sparse_filtering.py``).
"windows" are twelve residues of 20 kinds, each coded by 54 scales: 648 columns of rank 229. The
objectives part by rounding after some tens of iterations; how far ours lies above the literal one's
is shown in percent, below zero where it is lower.

large: 100,000 x 648 float32 to 1,500 features, one BLAS thread: products of this size gain from
more, but on a machine with other work threads wait for each other. Features are learned from 10,000
drawn samples, the default, in 200 iterations, or from all in 20; "transform" is that of all
100,000. Memory is that beside the data; the features of all samples take 0.6 GB.

preparation: share of 1,000 held-out samples of the data sets usps and isolet (from the collection)
whose class a logistic regression finds from 150 features learned from 2,000 samples, with each
preparation, without and with an intercept; means over draws. "as they are": the standardised data
themselves.
"""

import functools
import statistics
import sys
import warnings
from pathlib import Path

import numpy as np
from measuring import (
    ONE_THREAD,
    measured,
    median_cost,
    repeat_apart,
    run_apart,
    run_parts,
)
from real_data import DatasetNotFoundError, load_dataset
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hsieve import SparseFiltering
from hsieve.classifiers.preparation import PREPARATIONS
from hsieve.classifiers.sparse_filtering import sparse_filtering

ROOT = Path(__file__).resolve().parent.parent
N_SCALES = 54
N_RESIDUES = 20
LITERAL_SHAPES = (
    ("full rank", 5000, 100, 64),
    ("full rank", 5000, 648, 300),
    ("windows", 5000, 648, 300),
)
LITERAL_ITERATIONS = 50
LARGE_SHAPE = (100_000, 648, 1500)
# Kind of data, number of samples learned from (None for all of them), iterations.
LARGE_TASKS = (("windows", 10_000, 200), ("full rank", 10_000, 200), ("windows", None, 20))
DATASETS = ("l1lsmi/usps", "l1lsmi/isolet")
N_LEARNED, N_HELD_OUT, N_FEATURES = 2000, 1000, 150
REPETITIONS = 3


def draw_data(kind, n_samples, n_columns, seed=0):
    """Heavy-tailed numbers, or windows of residues coded by scales, float32."""
    rng = np.random.default_rng(seed)
    if kind == "full rank":
        return rng.laplace(size=(n_samples, n_columns)).astype(np.float32)
    scales = rng.normal(size=(N_RESIDUES, N_SCALES)).astype(np.float32)
    residues = rng.integers(0, N_RESIDUES, size=(n_samples, n_columns // N_SCALES))
    return scales[residues].reshape(n_samples, -1)


def measure_single(task):
    """Learn in single precision."""
    return described(learn(task, np.float32))


def measure_double(task):
    """Learn in double precision."""
    return described(learn(task, np.float64))


def learn(task, precision):
    """Fit and cost of our descent."""
    kind, n_samples, n_columns, n_components = task["data"]
    data = draw_data(kind, n_samples, n_columns).astype(precision)
    start = draw_start(n_components, n_columns)
    return measured(lambda: sparse_filtering(data, start, max_iter=task["iterations"]))


def measure_literal(task):
    """Learn by the literal program."""
    sys.path.insert(0, str(ROOT))
    from tests.reference import naive_sparse_filtering as naive

    kind, n_samples, n_columns, n_components = task["data"]
    data = draw_data(kind, n_samples, n_columns).astype(np.float64)
    # Its examples are columns, and lie in memory as MATLAB has them.
    start, columns = draw_start(n_components, n_columns), data.T
    (_, result), cost = measured(lambda: naive.fit(columns, start, max_iter=task["iterations"]))
    return {**cost, "objective": float(result.fun), "iterations": int(result.nit)}


def draw_start(n_components, n_columns):
    """Weights to begin with, the same for all."""
    return np.random.default_rng(1).normal(size=(n_components, n_columns))


def described(fit_and_cost):
    """Cost, objective and iterations of a fit."""
    fit, cost = fit_and_cost
    return {**cost, "objective": fit.objective, "iterations": fit.n_iter}


def measure_large(task):
    """Fit the transformer, and transform all samples."""
    kind, n_samples, n_columns, n_components = task["data"]
    data = draw_data(kind, n_samples, n_columns)
    model = SparseFiltering(
        n_components, max_iter=task["iterations"], max_samples=task["learned_from"], tol=0.0
    )
    _, fit_cost = measured(lambda: model.fit(data))
    learned, transform_cost = measured(lambda: model.transform(data))
    return {
        "fit": fit_cost,
        "transform": transform_cost,
        "iterations": model.n_iter_,
        "shape": learned.shape,
        "dtype": str(learned.dtype),
    }


def measure_preparation(task):
    """Held-out accuracy of a linear classifier on learned features."""
    warnings.simplefilter("ignore")
    data = load_dataset(task["name"])
    rows = np.random.default_rng(task["seed"]).permutation(len(data.X))
    rows = rows[: task["learned_from"] + task["held_out"]]
    X, y = data.X[rows].astype(np.float32), data.y[rows]
    past, future = slice(0, task["learned_from"]), slice(task["learned_from"], None)
    steps = [StandardScaler(), LogisticRegression(max_iter=200)]
    if task["preparation"] != "as they are":
        steps.insert(
            0,
            SparseFiltering(
                task["features"],
                preparation=task["preparation"],
                intercept=task["intercept"],
                random_state=task["seed"],
            ),
        )
    pipe = make_pipeline(*steps)
    _, cost = measured(lambda: pipe.fit(X[past], y[past]))
    return {**cost, "accuracy": float(pipe.score(X[future], y[future]))}


MEASUREMENTS = {
    "literal": measure_literal,
    "double": measure_double,
    "single": measure_single,
    "large": measure_large,
    "preparation": measure_preparation,
}


def measure_here(task):
    """Run one measurement in this process, after a fit on small data that loads what is late."""
    SparseFiltering(2, max_iter=2).fit(draw_data("full rank", 30, 4))
    return MEASUREMENTS[task["who"]](task)


def compare_literal(repetitions):
    """Print our descent beside the literal one."""
    print(
        "samples x columns -> features  data       who      iterations   CPU s  peak GB"
        "   ratio  objective above, %"
    )
    table = {}
    for shape in LITERAL_SHAPES:
        for who in ("literal", "double", "single"):
            task = {"who": who, "data": shape, "iterations": LITERAL_ITERATIONS}
            answers = repeat_apart(__file__, task, repetitions, environment=ONE_THREAD)
            table[shape, who] = {**answers[0], **vars(median_cost(answers))}
            show_literal(shape, who, table[shape, who], table[shape, "literal"])
    return table


def show_literal(shape, who, run, literal):
    """Print one line of the comparison."""
    kind, *sizes = shape
    ratio, above = beside(run, literal)
    name = "{} x {} -> {}".format(*sizes)
    print(
        f"{name:<29}  {kind:<9}  {who:<8} {run['iterations']:>9} {run['cpu']:>7.2f} "
        f"{run['memory']:>8.3f} {ratio:>6.1f}x {above:>19.2f}",
        flush=True,
    )


def beside(run, literal):
    """CPU seconds an iteration of the literal program to ours, and percent of objective above."""
    ours, theirs = (one["cpu"] / one["iterations"] for one in (run, literal))
    return theirs / ours, 100 * (run["objective"] / literal["objective"] - 1)


def measure_full_size(repetitions):
    """Print what the full size takes, one run each; it takes minutes."""
    print("data       learned from  iterations  fit s  CPU s  peak GB  transform s  CPU s  peak GB")
    answers = {}
    for kind, learned_from, iterations in LARGE_TASKS:
        task = {
            "who": "large",
            "data": (kind, *LARGE_SHAPE),
            "iterations": iterations,
            "learned_from": learned_from,
        }
        run = answers[kind, learned_from] = run_apart(__file__, task, environment=ONE_THREAD)
        fit, transform = run["fit"], run["transform"]
        print(
            f"{kind:<9}  {learned_from or 'all':>12} {run['iterations']:>11} "
            f"{fit['seconds']:>6.1f} {fit['cpu']:>6.1f} {fit['memory']:>8.2f} "
            f"{transform['seconds']:>12.1f} "
            f"{transform['cpu']:>6.1f} {transform['memory']:>8.2f}",
            flush=True,
        )
    return answers


def compare_preparations(repetitions):
    """Print held-out accuracies by preparation."""
    print("data      preparation   accuracy  with intercept")
    found = {}
    for name in DATASETS:
        try:
            load_dataset(name)
        except DatasetNotFoundError as error:
            print(f"{name} is left out: {error}", flush=True)
            continue
        for preparation in ("as they are", *PREPARATIONS):
            ways = (False,) if preparation == "as they are" else (False, True)
            for intercept in ways:
                found[name, preparation, intercept] = mean_accuracy(
                    name, preparation, intercept, repetitions
                )
            cells = [f"{found[name, preparation, intercept]:.3f}" for intercept in ways]
            print(f"{name.split('/')[-1]:<9} {preparation:<12} {'  '.join(cells):>9}", flush=True)
    return found


def mean_accuracy(name, preparation, intercept, repetitions):
    """Mean over draws of the samples."""
    task = {
        "who": "preparation",
        "name": name,
        "preparation": preparation,
        "intercept": intercept,
        "learned_from": N_LEARNED,
        "held_out": N_HELD_OUT,
        "features": N_FEATURES,
    }
    run = functools.partial(run_apart, __file__, environment=ONE_THREAD)
    return statistics.fmean(run({**task, "seed": seed})["accuracy"] for seed in range(repetitions))


PARTS = {
    "literal": compare_literal,
    "large": measure_full_size,
    "preparation": compare_preparations,
}


if __name__ == "__main__":
    run_parts("Representation", __doc__.splitlines()[0], PARTS, measure_here, REPETITIONS)
