"""Recovery of features from censored times, and levels where features decide who is censored.

    python benchmarks/survival.py recovery results.csv --draws 20
    python benchmarks/survival.py recovery results.csv --draws 20 --methods cox-lasso
    python benchmarks/survival.py level levels.csv --draws 500
    python benchmarks/survival.py recovery results.csv --table

Recovery: 300 samples, 2,000 features, of which five change the log hazard; the figure is the
fraction of the five among the first five. Problems: `linear` (independent features), `relatives`
(linear, features in blocks of ten with correlations of 0.5), `curved` (squares, absolute values and
waves). The univariate Cox score test is written here; the Cox lasso is that of scikit-survival,
run by any Python that has it, and counts the first five features on its path.

Level: 200 samples and one feature, which has no effect on the times but decides when samples are
censored. Each line of a file is one draw; a run that was interrupted resumes.
"""

import argparse
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
from draws_file import append, rows

N_SAMPLES, N_FEATURES, N_TRUE = 300, 2000, 5
CENSORED = (0.0, 0.3, 0.6)
CURVES = (
    lambda x: (x**2 - 1) / np.sqrt(2),
    lambda x: (np.abs(x) - 0.8) / 0.6,
    lambda x: np.sqrt(2) * np.sin(2 * x),
    lambda x: (x**2 - 1) / np.sqrt(2),
    lambda x: np.sqrt(2) * np.cos(2 * x) - 0.2,
)
EFFECT = 0.4
# How early samples are censored, by a feature; the first four chose the target, the others did not.
CENSORING = {
    "independent": lambda x: 0 * x,
    "rising": lambda x: x,
    "at both ends": lambda x: 1.5 * np.abs(x) - 1,
    "step": lambda x: 2.0 * (x > 0.5),
    "in the middle": lambda x: 1 - 2 * np.abs(x),
    "steep": lambda x: 3 * x,
    "square": lambda x: x**2 - 1,
}
RATES = (3.0, 0.6)


def survival(event, time):
    """Make a structured array as scikit-survival has it."""
    y = np.empty(len(time), dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = event, time
    return y


def draw_problem(name, censored, draw):
    """Draw features, times with events, and the true features."""
    rng = np.random.default_rng([draw, *map(ord, name)])
    X = rng.normal(size=(N_SAMPLES, N_FEATURES))
    if name == "relatives":
        shared = np.repeat(rng.normal(size=(N_SAMPLES, N_FEATURES // 10)), 10, axis=1)
        X = np.sqrt(0.5) * (X + shared)
    true = 10 * np.arange(N_TRUE)
    parts = X[:, true].T
    if name == "curved":
        parts = np.array([curve(x) for curve, x in zip(CURVES, parts, strict=True)])
    times = rng.exponential(size=N_SAMPLES) * np.exp(-EFFECT * parts.sum(axis=0))
    if censored == 0:
        return X, survival(np.ones(N_SAMPLES, dtype=bool), times), true
    limits = rng.exponential(size=N_SAMPLES)
    # The scale at which so many are censored.
    ratio = np.quantile(times / limits, 1 - censored)
    limits *= ratio
    return X, survival(times <= limits, np.minimum(times, limits)), true


def cox_score(X, y):
    """Squared score of Cox's model at zero over its variance, for each feature alone."""
    order = np.argsort(-y["time"], kind="stable")
    X, events = X[order], y["event"][order]
    n_at_risk = np.arange(1, len(X) + 1)[:, None]
    means = np.cumsum(X, axis=0) / n_at_risk
    variances = np.cumsum(X**2, axis=0) / n_at_risk - means**2
    return (X - means)[events].sum(axis=0) ** 2 / variances[events].sum(axis=0)


def by_cox(X, y):
    """Choose the five features of the largest scores."""
    return np.argsort(-cox_score(X, y))[:N_TRUE]


def by_cox_lasso(X, y):
    """Choose the first five features on the path."""
    from sksurv.linear_model import CoxnetSurvivalAnalysis

    model = CoxnetSurvivalAnalysis(l1_ratio=1.0, n_alphas=100, alpha_min_ratio=0.1)
    path = model.fit(X, y).coef_ != 0
    entered = np.where(path.any(axis=1), path.argmax(axis=1), path.shape[1])
    size = -np.abs(model.coef_).max(axis=1)
    return np.lexsort((size, entered))[:N_TRUE]


def by_hsieve(name):
    """Make a selector of five features."""

    def choose(X, y):
        import hsieve

        return getattr(hsieve, name)(N_TRUE).fit(X, y).selected_indices_

    return choose


METHODS = {
    "cox": by_cox,
    "cox-lasso": by_cox_lasso,
    "MaxRelevance": by_hsieve("MaxRelevance"),
    "N3LARS": by_hsieve("N3LARS"),
    "KernelPursuit": by_hsieve("KernelPursuit"),
}
PROBLEMS = ("linear", "relatives", "curved")


def recover(path, n_draws, methods):
    """Append the draws that the file does not hold yet."""
    key = ("problem", "censored", "draw", "method")
    done = {tuple(row[field] for field in key) for row in rows(path)}
    for draw in range(n_draws):
        for name in PROBLEMS:
            for censored in CENSORED:
                X, y, true = draw_problem(name, censored, draw)
                for method in methods:
                    if (name, str(censored), str(draw), method) in done:
                        continue
                    start = time.process_time()
                    found = METHODS[method](X, y)
                    seconds = time.process_time() - start
                    part = np.isin(true, found).mean()
                    row = [name, censored, draw, method, part, f"{seconds:.3f}"]
                    append(path, [*key, "recovered", "seconds"], row)


def p_values(X, y):
    """P-values of one feature by several targets."""
    from hsieve import HSIC, feature_tests
    from hsieve.data.survival import martingale_residuals, survival_times
    from hsieve.kernels import Linear

    residuals = martingale_residuals(survival_times(y["event"], y["time"]))
    events = np.where(y["event"], np.log(np.maximum(y["event"] - residuals, 1e-12)), 0.0)
    deviance = np.sign(residuals) * np.sqrt(np.maximum(-2 * (residuals + events), 0))
    linear = HSIC(kernel_y=Linear(), target_kind="continuous")
    numbers = HSIC(target_kind="continuous")
    tests = {
        "hsieve": (y, None),
        "signs": (y, None),
        "martingale, permuted": (residuals, linear),
        "deviance, permuted": (deviance, linear),
        "martingale, Gaussian": (residuals, numbers),
        "time, Gaussian": (np.log(y["time"] + 1e-12), numbers),
    }
    return {
        name: feature_tests(
            X, target, measure=measure, method="permutation" if name == "signs" else "gamma"
        ).p_values[0]
        for name, (target, measure) in tests.items()
    }


def level(path, n_draws):
    """Append the p-values of draws that the file does not hold yet."""
    done = {(row["censoring"], row["rate"], row["draw"]) for row in rows(path)}
    for draw in range(n_draws):
        for place, (name, early) in enumerate(CENSORING.items()):
            for rate in RATES:
                if (name, str(rate), str(draw)) in done:
                    continue
                rng = np.random.default_rng([draw, place, int(10 * rate)])
                x = rng.normal(size=200)
                times = rng.exponential(size=200)
                limits = rate * rng.exponential(size=200) * np.exp(-early(x))
                y = survival(times <= limits, np.minimum(times, limits))
                found = p_values(x[:, None], y)
                censored = 1 - y["event"].mean()
                fields = ["censoring", "rate", "draw", "censored", *found]
                append(path, fields, [name, rate, draw, f"{censored:.3f}", *found.values()])


def recovery_table(found):
    """Print the mean fraction recovered."""
    groups = defaultdict(list)
    for row in found:
        groups[row["problem"], row["censored"], row["method"]].append(row)
    methods = [method for method in METHODS if any(row["method"] == method for row in found)]
    print("| problem | censored | " + " | ".join(methods) + " |")
    print("|" + "---|" * (2 + len(methods)))
    for name in PROBLEMS:
        for censored in map(str, CENSORED):
            cells = [groups[name, censored, method] for method in methods]
            means = [f"{np.mean([float(r['recovered']) for r in cell]):.2f}" for cell in cells]
            print(f"| {name} | {float(censored):.0%} | " + " | ".join(means) + " |")
    for method in methods:
        own = [float(row["seconds"]) for row in found if row["method"] == method]
        print(f"{method}: {len(own)} runs, median {np.median(own):.2f} CPU seconds")


def level_table(found):
    """Print the fraction of p-values below 5 %."""
    methods = [name for name in found[0] if name not in ("censoring", "rate", "draw", "censored")]
    groups = defaultdict(list)
    for row in found:
        groups[row["censoring"], row["rate"]].append(row)
    print("| censoring | censored | draws | " + " | ".join(methods) + " |")
    print("|" + "---|" * (3 + len(methods)))
    for (name, _), own in groups.items():
        censored = np.mean([float(row["censored"]) for row in own])
        cells = [f"{np.mean([float(row[m]) <= 0.05 for row in own]):.3f}" for m in methods]
        print(f"| {name} | {censored:.0%} | {len(own)} | " + " | ".join(cells) + " |")


def main():
    """Run, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=("recovery", "level"))
    parser.add_argument("path", type=Path)
    parser.add_argument("--draws", type=int, default=20)
    usual = [name for name in METHODS if name != "cox-lasso"]
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=usual)
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    if given.table:
        (recovery_table if given.part == "recovery" else level_table)(rows(given.path))
    elif given.part == "recovery":
        recover(given.path, given.draws, given.methods)
    else:
        level(given.path, given.draws)


if __name__ == "__main__":
    main()
