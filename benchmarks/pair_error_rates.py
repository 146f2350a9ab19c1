"""False discoveries and power of InteractionScan over many draws with planted pairs.

    python benchmarks/pair_error_rates.py results.csv --draws 100
    python benchmarks/pair_error_rates.py results.csv --table

Features are independent normal variables. The target is a sum of 20 products of two features each,
with weights from 0.6 to 1.4, and noise, so that some pairs are easy and some are hard. A pair is
false if it is none of those. Two rules read the same scan: the pairs with a family-wise p-value of
at most 0.1, and those with an estimated false discovery rate of at most 0.1. Each line of the file
is one draw; a run that was interrupted resumes.
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
from draws_file import append, rows

from hsieve import InteractionScan
from hsieve.exceptions import CrowdedInteractionsWarning

LEVEL = 0.1
RULES = ("family_wise_p", "false_discovery_rate")
FIELDS = ["n", "d", "pairs", "draw", "seconds"]
FIELDS += [f"{what}_{rule}" for rule in RULES for what in ("selected", "false")]


def problem(n_samples, n_features, n_pairs, draw):
    """Features, target, and the pairs that matter."""
    rng = np.random.default_rng([draw, n_samples, n_features, n_pairs])
    X = rng.normal(size=(n_samples, n_features))
    members = np.sort(rng.choice(n_features, (n_pairs, 2), replace=False), axis=1)
    weights = np.linspace(0.6, 1.4, n_pairs)
    y = (X[:, members[:, 0]] * X[:, members[:, 1]]) @ weights
    return X, y + 2 * rng.normal(size=n_samples), set(map(tuple, members.tolist()))


def run(path, shape, n_draws):
    """Append the draws that the file does not hold yet."""
    done = {tuple(row[name] for name in FIELDS[:4]) for row in rows(path)}
    for draw in range(n_draws):
        key = [*map(str, shape), str(draw)]
        if tuple(key) in done:
            continue
        X, y, true = problem(*shape, draw)
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CrowdedInteractionsWarning)
            scan = InteractionScan(n_permutations=20, random_state=draw).fit(X, y)
        result = [f"{time.process_time() - start:.1f}"]
        for rule in RULES:
            found = [one.features for one in scan.pairs_ if getattr(one, rule) <= LEVEL]
            result += [len(found), sum(pair not in true for pair in found)]
        append(path, FIELDS, key + result)


def table(path):
    """Print the mean fraction of false pairs, draws with any, and power, for each rule."""
    shapes = dict.fromkeys(tuple(row[name] for name in FIELDS[:3]) for row in rows(path))
    print("| n x d, pairs | draws | rule | false fraction | draws with a false one | power |")
    print("|---|---|---|---|---|---|")
    for n, d, pairs in shapes:
        found = [row for row in rows(path) if (row["n"], row["d"], row["pairs"]) == (n, d, pairs)]
        for rule in RULES:
            selected = np.array([int(row[f"selected_{rule}"]) for row in found])
            false = np.array([int(row[f"false_{rule}"]) for row in found])
            fractions = false / np.maximum(1, selected)
            error = fractions.std() / np.sqrt(len(found))
            power = np.mean(selected - false) / int(pairs)
            print(
                f"| {n} x {d}, {pairs} | {len(found)} | {rule} <= {LEVEL} "
                f"| {fractions.mean():.3f} ± {error:.3f} | {np.mean(false > 0):.2f} "
                f"| {power:.2f} |"
            )


def main():
    """Run, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--shape", type=int, nargs=3, default=(1000, 5000, 20))
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    if given.table:
        table(given.path)
    else:
        run(given.path, given.shape, given.draws)


if __name__ == "__main__":
    main()
