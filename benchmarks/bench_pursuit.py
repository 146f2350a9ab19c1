"""Kernel pursuit: what it finds beside N3LARS, its cost and its growth. Run by `make bench`.

    python benchmarks/bench_pursuit.py --only recall --draws 5    one of recall, noise, boosting,
                                                                  p53, wide and growth

recall: problems with known features (pursuit_problems.py), drawn again and again. "true number"
is the mean fraction of the true features found when their number is given; "auto" lets the method
choose the number: how often it is right, and the mean fraction found. "copies" is the fraction of
noisy copies (correlation 0.98) among all that is chosen, where every true feature has one.
noise: how often anything is chosen where nothing is related to the target.
boosting: Friedman's problem beside the gain of LightGBM, which is left out if it is not installed.
p53: 26,120 x 5,408 float32 numbers in a file that is mapped, not loaded; 30 features.
wide: 100 x 20,000; 20 features.
growth: 10 features without pairs, whose search stops growing at a fixed number of operations.
Seconds grow like size to the power of the exponent.

Every measurement runs in a process of its own with one BLAS thread, all draws of a problem in one.
Seconds are medians. Memory is told beyond the data and the imported libraries (see measuring.py);
for p53 anonymous memory, so that the file's pages do not count.
"""

import importlib.util
import tempfile
import warnings
from pathlib import Path

import numpy as np
from bench_n3lars import write_n3lars, write_p53
from measuring import (
    ONE_THREAD,
    anonymous_peak,
    growth_exponent,
    measured,
    median_cost,
    repeat_apart,
    run_apart,
    run_parts,
)
from pursuit_problems import PROBLEMS, friedman, noise, with_copies

from hsieve import N3LARS, KernelPursuit
from hsieve.exceptions import NothingFoundWarning

DRAWS = 20
# Pure noise needs more draws: about 1 in 20 is to be counted.
NOISE_DRAWS = 10
REPETITIONS = 3
BUDGET = 60.0
BOOSTING = "lightgbm"
BOOSTED_TREES = 300

P53_SHAPE = (26_120, 5_408)
P53_SELECTED = 30
P53_AIMS = "aims: below 30 s, at most 1.5 GB"
WIDE_SHAPE = (100, 20_000)
WIDE_SELECTED = 20
WIDE_AIM = "aim: below 10 s"
GROWTH_SELECTED = 10
GROWTH_IN_N = [(1_000, 300), (10_000, 300), (100_000, 300)]
GROWTH_IN_D = [(300, 1_000), (300, 10_000), (300, 100_000)]
GROWTH_AIM = 1.1


def chosen_by(selector, X, y):
    """Features that a selector chooses, and its cost; nothing found is an answer, too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NothingFoundWarning)
        fitted, cost = measured(lambda: selector.fit(X, y))
    return fitted.selected_indices_.tolist(), cost


def measure_recall(task):
    """Fit all ways of asking to one draw after the other."""
    make = PROBLEMS[task["problem"]]
    rows = []
    for seed in range(task["draws"]):
        X, y, true = make(seed)
        by_lars, _ = chosen_by(N3LARS(len(true)), X, y)
        by_number, cost = chosen_by(KernelPursuit(len(true)), X, y)
        by_itself, _ = chosen_by(KernelPursuit(), X, y)
        beside_copies, _ = chosen_by(KernelPursuit(), *with_copies(make, seed)[:2])
        rows.append(
            {
                "n3lars": recall(by_lars, true),
                "number": recall(by_number, true),
                "auto": recall(by_itself, true),
                "right": len(by_itself) == len(true),
                "false": len(set(by_itself) - set(true)),
                "copies": sum(feature >= X.shape[1] for feature in beside_copies),
                "beside_copies": len(beside_copies),
                "seconds": cost["cpu"],
            }
        )
    return rows


def recall(chosen, true):
    """Fraction of the true features among those chosen."""
    return len(set(chosen) & set(true)) / len(true)


def measure_noise(task):
    """How many features are chosen in each draw of pure noise."""
    return [
        len(chosen_by(KernelPursuit(), *noise(seed)[:2])[0])
        for seed in range(task["first"], task["first"] + task["draws"])
    ]


def measure_boosting(task):
    """Count true features and CPU seconds, of the pursuit and of boosted trees."""
    rows = {"KernelPursuit": []}
    for seed in range(task["draws"]):
        X, y, true = friedman(seed)
        chosen, cost = chosen_by(KernelPursuit(len(true)), X, y)
        rows["KernelPursuit"].append((recall(chosen, true), cost["cpu"]))
        if task["trees"]:
            chosen, cost = measured(lambda X=X, y=y, true=true: by_gain(X, y, len(true)))
            rows.setdefault("LightGBM gain", []).append((recall(chosen, true), cost["cpu"]))
    return rows


def by_gain(X, y, n_wanted):
    """Features of the largest gain in boosted trees."""
    from lightgbm import LGBMRegressor

    trees = LGBMRegressor(
        n_estimators=BOOSTED_TREES, importance_type="gain", n_jobs=1, verbose=-1, random_state=0
    )
    gain = trees.fit(X, y).feature_importances_
    return np.argsort(-gain, kind="stable")[:n_wanted].tolist()


def measure_fit(task):
    """Fit a pursuit to the file of a folder, mapped if that is said, after a fit to small data."""
    folder = Path(task["folder"])
    X = np.load(folder / "X.npy", mmap_mode="r" if task.get("mapped") else None)
    y = np.load(folder / "y.npy")
    selector = KernelPursuit(task["n_selected"], interactions=task.get("interactions", "auto"))
    KernelPursuit(2).fit(np.array(X[:60, :30]), np.arange(60) % 2)
    with anonymous_peak() as memory:
        _, cost = measured(lambda: selector.fit(X, y))
    if task.get("mapped"):
        cost["memory"] = memory[-1]
    path = selector.path_
    return {
        **cost,
        "chosen": selector.selected_indices_.tolist(),
        "n_found": path.n_found,
        "error": float(path.errors[-1]),
    }


def compare_recall(draws):
    """Print what is found of every problem."""
    print(
        "                        true number                auto: right        false a\n"
        "problem                N3LARS  pursuit  CPU s  recall  number    fit  copies"
    )
    for name in PROBLEMS:
        task = {"part": "recall", "problem": name, "draws": draws}
        rows = run_apart(__file__, task, environment=ONE_THREAD)
        mean = {key: np.mean([row[key] for row in rows]) for key in rows[0]}
        copies = mean["copies"] / max(mean["beside_copies"], 1e-9)
        print(
            f"{name:<22} {mean['n3lars']:>6.2f} {mean['number']:>8.2f} "
            f"{np.median([row['seconds'] for row in rows]):>6.2f} {mean['auto']:>7.2f} "
            f"{mean['right']:>7.0%} {mean['false']:>6.2f} {copies:>7.1%}",
            flush=True,
        )


def compare_noise(draws):
    """Print how often anything is chosen from noise."""
    task = {"part": "noise", "first": 0, "draws": draws * NOISE_DRAWS}
    found = run_apart(__file__, task, environment=ONE_THREAD)
    n_any = sum(number > 0 for number in found)
    print(
        f"pure noise, 400 x 1,000: anything chosen in {n_any} of {len(found)} draws "
        f"({n_any / len(found):.1%}; aim at most 7 % at level 5 %)",
        flush=True,
    )


def compare_boosting(draws):
    """Print the true features found on Friedman's problem, beside boosted trees."""
    has_trees = importlib.util.find_spec(BOOSTING) is not None
    if not has_trees:
        print("LightGBM is not installed and left out")
    task = {"part": "boosting", "draws": draws, "trees": has_trees}
    rows = run_apart(__file__, task, environment=ONE_THREAD)
    for name, figures in rows.items():
        found, seconds = np.array(figures).T
        print(
            f"Friedman, 400 x 1,000, {draws} draws, {name}: recall {found.mean():.2f}, "
            f"{np.median(seconds):.2f} CPU s",
            flush=True,
        )


def run_p53(repetitions):
    """Print cost and choice at the shape of p53."""
    with tempfile.TemporaryDirectory() as folder:
        informative = set(write_p53(folder, shape=P53_SHAPE).tolist())
        task = {"part": "fit", "folder": folder, "n_selected": P53_SELECTED, "mapped": True}
        runs = repeat_apart(__file__, task, repetitions, budget=BUDGET)
    cost, run = median_cost(runs), runs[0]
    n, d = P53_SHAPE
    print(
        f"p53's shape, {n} x {d} float32, {P53_SELECTED} features, {len(runs)} run(s): "
        f"{cost.seconds:.1f} s, {cost.cpu:.1f} CPU s, {cost.memory:.2f} GB ({P53_AIMS})\n"
        f"    {len(informative & set(run['chosen']))} of {len(informative)} informative features "
        f"found, {run['n_found']} passed the gates, leave-one-out error {run['error']:.3f}",
        flush=True,
    )


def run_wide(repetitions):
    """Print the cost for few samples of many features."""
    n, d = WIDE_SHAPE
    cost, run = fit_cost(WIDE_SHAPE, repetitions, {"n_selected": WIDE_SELECTED})
    print(
        f"{n} x {d}, {WIDE_SELECTED} features: {cost.seconds:.1f} s, {cost.cpu:.1f} CPU s, "
        f"{cost.memory:.2f} GB ({WIDE_AIM}); {run['n_found']} passed the gates",
        flush=True,
    )


def run_growth(repetitions):
    """Print the exponents of growth in n and d."""
    for name, sizes, axis in (("n", GROWTH_IN_N, 0), ("d", GROWTH_IN_D, 1)):
        task = {"n_selected": GROWTH_SELECTED, "interactions": None}
        costs = [fit_cost(size, repetitions, task)[0] for size in sizes]
        along, cpu = [size[axis] for size in sizes], [cost.cpu for cost in costs]
        shown = ", ".join(
            f"{size}: {cost.cpu:.2f} s, {cost.memory:.2f} GB"
            for size, cost in zip(sizes, costs, strict=True)
        )
        print(
            f"growth in {name}: exponent {growth_exponent(along, cpu):.2f} of CPU seconds "
            f"(aim {GROWTH_AIM}); last step {growth_exponent(along[-2:], cpu[-2:]):.2f}   "
            f"({shown})",
            flush=True,
        )


def fit_cost(size, repetitions, task):
    """Median cost of fits to a problem of that size, and the first answer."""
    with tempfile.TemporaryDirectory() as folder:
        write_n3lars(folder, *size)
        task = {"part": "fit", "folder": folder, **task}
        runs = repeat_apart(__file__, task, repetitions, budget=BUDGET, environment=ONE_THREAD)
    return median_cost(runs), runs[0]


BY_DRAWS = {"recall": compare_recall, "noise": compare_noise, "boosting": compare_boosting}
PARTS = {**BY_DRAWS, "p53": run_p53, "wide": run_wide, "growth": run_growth}
TASKS = {
    "recall": measure_recall,
    "noise": measure_noise,
    "boosting": measure_boosting,
    "fit": measure_fit,
}


def measure_here(task):
    """Run one measurement in this process."""
    return TASKS[task["part"]](task)


if __name__ == "__main__":
    run_parts(
        "Kernel pursuit",
        __doc__.splitlines()[0],
        PARTS,
        measure_here,
        REPETITIONS,
        draws=dict.fromkeys(BY_DRAWS, DRAWS),
    )
