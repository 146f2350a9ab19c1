"""Level and power of `hsieve.conditional_tests`, beside two measures of covariance.

    python benchmarks/conditional_level.py results.csv --draws 1000
    python benchmarks/conditional_level.py results.csv --table

Problems, of 300 samples; the tested feature is always the second:

relative   y = x0^2 + noise that spreads with |x0|; x1 has a correlation of 0.8 with x0 (null)
crowd      the same with sin(2 x) of four more features, which are given, too (null)
square     y = x1^2 + z + noise, x1 and z independent
mixed      y = x0^2 + 0.3 x1 + noise that spreads with |x0|; x1 as in `relative`

The generalised covariance measure (R. D. Shah and J. Peters, 2020) is written as in the paper:
residuals of x1 and y on the others, by the same regressions as in hsieve, and the mean of their
products divided by its standard error. The projected covariance measure (A. R. Lundborg, I. Kim,
R. D. Shah and R. J. Samworth, 2024) replaces x1 by what it adds to a regression of y on all
features, learned on one half of the samples, and tests on the other half; the weights for unequal
variance are left out. Each line of the file is one draw of one problem; a run that
was interrupted resumes.
"""

import argparse
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
from draws_file import append, rows
from scipy import stats

from hsieve import conditional_tests
from hsieve.inference.kernel_smoother import KernelSmoother
from hsieve.measures.regression_data import RegressionData

N_SAMPLES = 300
LEVELS = (0.01, 0.05, 0.1)
METHODS = ("hsieve", "gcm", "pcm")
FIELDS = ["problem", "draw", *METHODS, "seconds"]


def relatives(rng, effect, n_more=0):
    """x1 is correlated with x0, which acts by a curve; more features act by waves."""
    X = rng.normal(size=(N_SAMPLES, 2 + n_more))
    X[:, 1] = 0.8 * X[:, 0] + 0.6 * X[:, 1]
    noise = (0.3 + 0.3 * np.abs(X[:, 0])) * rng.normal(size=N_SAMPLES)
    return X, X[:, 0] ** 2 + effect * X[:, 1] + np.sin(2 * X[:, 2:]).sum(axis=1) + noise


def square(rng):
    """x1 acts by its square, and another feature by a straight line."""
    X = rng.normal(size=(N_SAMPLES, 2))
    return X, X[:, 1] ** 2 + X[:, 0] + rng.normal(size=N_SAMPLES)


PROBLEMS = {
    "relative": lambda rng: relatives(rng, 0.0),
    "crowd": lambda rng: relatives(rng, 0.0, 4),
    "square": square,
    "mixed": lambda rng: relatives(rng, 0.3),
}


def residuals(X, y, rows=None):
    """Residuals of a regression, of left-out samples; the outcome has deviation 1."""
    data = RegressionData.of(X, y, target_kind="continuous")
    return KernelSmoother(data, rows=rows).fit(list(range(X.shape[1]))).residuals[:, 0]


def ratio(one, two):
    """Mean of products over its standard error."""
    products = one * two
    return np.sqrt(len(products)) * products.mean() / products.std()


def covariance_measure(X, y):
    """P-value of the generalised covariance measure of the second feature."""
    given = np.delete(X, 1, axis=1)
    return 2 * stats.norm.sf(abs(ratio(residuals(given, X[:, 1]), residuals(given, y))))


def projected_measure(X, y):
    """P-value of the projected covariance measure of the second feature."""
    given = np.delete(X, 1, axis=1)
    half, other = np.arange(0, len(y), 2), np.arange(1, len(y), 2)
    adds = (residuals(given, y, half) - residuals(X, y, half))[other]
    left = (residuals(given[other], one) for one in (adds, y[other]))
    return stats.norm.sf(ratio(*left))


def run(path, n_draws, names):
    """Append the draws that the file does not hold yet."""
    done = {(row["problem"], row["draw"]) for row in rows(path)}
    for draw in range(n_draws):
        for name in names:
            if (name, str(draw)) in done:
                continue
            X, y = PROBLEMS[name](np.random.default_rng([draw, *map(ord, name)]))
            start = time.process_time()
            found = conditional_tests(X, y, target_kind="continuous").p_values[1]
            seconds = time.process_time() - start
            others = [covariance_measure(X, y), projected_measure(X, y)]
            append(path, FIELDS, [name, draw, found, *others, f"{seconds:.3f}"])


def table(path):
    """Print the fraction of p-values below the usual levels."""
    groups = defaultdict(list)
    for row in rows(path):
        groups[row["problem"]].append(row)
    print("| problem | draws | method | " + " | ".join(f"p < {at:g}" for at in LEVELS) + " |")
    print("|" + "---|" * (3 + len(LEVELS)))
    for name, found in groups.items():
        for method in METHODS:
            p_values = np.array([float(row[method]) for row in found])
            cells = [f"{np.mean(p_values < at):.3f}" for at in LEVELS]
            print(f"| {name} | {len(found)} | {method} | " + " | ".join(cells) + " |")
        print(f"CPU seconds of hsieve: {np.median([float(row['seconds']) for row in found]):.2f}")


def main():
    """Run, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--problems", nargs="+", choices=PROBLEMS, default=list(PROBLEMS))
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    if given.table:
        table(given.path)
    else:
        run(given.path, given.draws, given.problems)


if __name__ == "__main__":
    main()
