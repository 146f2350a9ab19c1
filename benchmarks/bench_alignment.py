"""How many features: the alignment sweep, and what it saves. Run by `make bench`.

    python benchmarks/bench_alignment.py --only sweep    one part instead of both

sweep: all prefixes of 500 features and nine widths, beside the same kernels one at a time, at 100,
200 and 300 samples. "nhsic" is ``hsieve.nhsic`` for every kernel: distances by a matrix product,
centring by means. "literal" is algorithm 3 as printed, in plain NumPy, with centring by products
with the matrix H (``tests/reference/naive_alignment.py``). Both are timed on some prefixes, evenly
spread, and scaled up. The largest difference of an alignment is shown, too.

table32: table 3.2 of the thesis: how many times longer nested cross validation takes than alignment
to find the number, on linear Weston data, 300 x 200; mean and deviation over draws of the data.
Cross validation tries 23 numbers and three widths in ten folds, as the selectors do it.

Ratios are of CPU seconds, each measurement in a process of its own with one BLAS thread.
"""

import statistics
import sys
from pathlib import Path

import numpy as np
from measuring import ONE_THREAD, MeasurementError, measured, repeat_apart, run_apart, run_parts

from hsieve import SVMRFE, FamilyRanking, kernels, nhsic
from hsieve.datasets import make_linear_weston
from hsieve.inference.alignment_sweep import WIDTH_FACTORS, alignment_sweep
from hsieve.kernels.columns import standardised
from hsieve.measures.targets import target_gram

ROOT = Path(__file__).resolve().parent.parent
N_SAMPLES = (100, 200, 300)
N_FEATURES = 500
N_TIMED = {"nhsic": 20, "literal": 5}
SHAPE = (300, 200)
REPETITIONS = 3
# Fold decrease of table 3.2.
PAPER = {
    "correlation": "6.05 +- 0.29",
    "stability, lasso": "9.38 +- 0.70",
    "stability, logistic": "9.32 +- 0.32",
    "stability, LPBoost": "9.97 +- 1.26",
    "linear RFE": "7.68 +- 0.05",
}


def make_ranked(n_samples, n_features):
    """Standardised features in the order of the columns, and two classes."""
    rng = np.random.default_rng(0)
    X = standardised(rng.normal(size=(n_samples, n_features)))
    return X, (X[:, :5].sum(axis=1) > 0).astype(int)


def widths_of(size):
    """Widths that the sweep tries."""
    return np.sqrt(size) * np.array(WIDTH_FACTORS)


def measure_sweep(task):
    """All prefixes in one sweep."""
    X, y = make_ranked(task["n"], task["d"])
    sweep, cost = measured(lambda: alignment_sweep(X, y))
    return {**cost, "alignments": sweep.alignments.tolist()}


def measure_kernels(task):
    """Align some prefixes, one kernel at a time, and scale the time up to all."""
    X, y = make_ranked(task["n"], task["d"])
    sizes = np.unique(np.linspace(1, task["d"], task["timed"]).astype(int))
    if task["who"] == "nhsic":

        def align(size, width):
            prefix, kernel_x = X[:, :size], kernels.Gaussian(width)
            return nhsic(prefix, y, kernel_x=kernel_x, kernel_y=kernels.Delta())

    else:
        naive, gram_y = transcription(), target_gram(y)

        def align(size, width):
            return naive.alignment(naive.gaussian(X[:, :size], width), gram_y)

    found, cost = measured(
        lambda: [[align(size, width) for width in widths_of(size)] for size in sizes.tolist()]
    )
    scale = task["d"] / len(sizes)
    scaled = {what: scale * cost[what] for what in ("seconds", "cpu")}
    return {**cost, **scaled, "sizes": sizes.tolist(), "alignments": found}


def transcription():
    """Import algorithm 3 as printed, which is kept with the tests."""
    sys.path.insert(0, str(ROOT))
    from tests.reference import naive_alignment

    return naive_alignment


def make_selector(row, rule):
    """Selector of a row of table 3.2, or None where the package has none yet."""
    if row == "correlation":
        return FamilyRanking(rule, target_kind="classes")
    if row == "linear RFE":
        return SVMRFE(rule, target_kind="classes")
    try:
        from sklearn.linear_model import LogisticRegression

        from hsieve import LPBoost, StabilitySelection
    except ImportError:
        return None
    logistic = LogisticRegression(penalty="l1", solver="liblinear", random_state=0)
    bases = {"lasso": None, "logistic": logistic, "LPBoost": LPBoost()}
    return StabilitySelection(bases[row.split(", ")[1]], n_features_to_select=rule)


def measure_rule(task):
    """Fit a selector that finds its number."""
    problem = make_linear_weston(*task["shape"], random_state=task["seed"])
    selector = make_selector(task["row"], task["rule"])
    _, cost = measured(lambda: selector.fit(problem.X, problem.y))
    return {**cost, "number": selector.n_features_choice_.number}


def measure_here(task):
    """Run one measurement in this process, after a small one that loads what is late."""
    X, y = make_ranked(20, 3)
    FamilyRanking("cv").fit(X, y)
    alignment_sweep(X, y)
    if task["who"] == "rule":
        return measure_rule(task)
    return measure_sweep(task) if task["who"] == "sweep" else measure_kernels(task)


def compare_sweep(repetitions):
    """Print the sweep beside one kernel at a time."""
    print("samples  features  widths  how       CPU s   ratio  largest difference")
    ratios = {}
    for n in N_SAMPLES:
        common = {"n": n, "d": N_FEATURES}
        runs = repeat_apart(
            __file__, {**common, "who": "sweep"}, repetitions, environment=ONE_THREAD
        )
        ours, cpu = np.array(runs[0]["alignments"]), statistics.median(r["cpu"] for r in runs)
        show_sweep(n, "sweep", cpu, "", "")
        for who, timed in N_TIMED.items():
            task = {**common, "who": who, "timed": timed}
            run = run_apart(__file__, task, environment=ONE_THREAD)
            places = np.array(run["sizes"]) - 1
            gap = np.abs(ours[places] - np.array(run["alignments"])).max()
            ratios[n, who] = run["cpu"] / cpu
            show_sweep(n, who, run["cpu"], f"{ratios[n, who]:.1f}x", f"{gap:.1e}")
    return ratios


def show_sweep(n, who, cpu, ratio, gap):
    """Print one line of the table."""
    print(
        f"{n:>7} {N_FEATURES:>9} {len(WIDTH_FACTORS):>7}  {who:<8} "
        f"{cpu:>6.2f} {ratio:>7} {gap:>19}",
        flush=True,
    )


def compare_rules(repetitions):
    """Print table 3.2."""
    print("ranking              alignment CPU s  kept  cross validation CPU s  kept  fold decrease")
    folds = {}
    for row, published in PAPER.items():
        if make_selector(row, "alignment") is None:
            print(f"{row:<20} left out: the package has no StabilitySelection yet", flush=True)
            continue
        try:
            runs = [run_both(row, seed) for seed in range(repetitions)]
        except MeasurementError as error:
            print(f"{row:<20} left out: {error}", flush=True)
            continue
        folds[row] = [b["cpu"] / a["cpu"] for a, b in runs]
        spread = statistics.stdev(folds[row]) if len(runs) > 1 else 0.0
        (a_cpu, a_kept), (b_cpu, b_kept) = (
            [statistics.median(run[place][what] for run in runs) for what in ("cpu", "number")]
            for place in (0, 1)
        )
        print(
            f"{row:<20} {a_cpu:>15.2f} {a_kept:>5.0f} {b_cpu:>23.2f} {b_kept:>5.0f}  "
            f"{statistics.fmean(folds[row]):.1f} +- {spread:.1f} (thesis: {published})",
            flush=True,
        )
    return folds


def run_both(row, seed):
    """Answers for alignment and for cross validation on one draw of the data."""
    task = {"who": "rule", "row": row, "seed": seed, "shape": SHAPE}
    return [
        run_apart(__file__, {**task, "rule": rule}, environment=ONE_THREAD)
        for rule in ("alignment", "cv")
    ]


PARTS = {"sweep": compare_sweep, "table32": compare_rules}


if __name__ == "__main__":
    run_parts("Number of features", __doc__.splitlines()[0], PARTS, measure_here, REPETITIONS)
