"""Level and power of `hsieve.feature_tests` for cells of donors, with groups and without.

    python benchmarks/group_level.py results.csv --draws 500
    python benchmarks/group_level.py results.csv --table

20 donors, of which 10 are treated, 200 cells each, one feature with an equal spread between donors
and within them. `null`: the treatment does nothing. `effect`: it moves the feature by twice the
deviation between donors. `within`: half of the cells of each donor are treated, to no effect.
Beside `groups=`: the same test of 500 cells as if they were independent, and a rank-sum test of all
cells. Each line of the file is one draw; a run that was interrupted resumes.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from draws_file import append, rows
from scipy.stats import mannwhitneyu

from hsieve import feature_tests

N_DONORS, N_CELLS = 20, 200
PROBLEMS = ("null", "effect", "within")
METHODS = ("groups", "independent", "rank-sum")
FIELDS = ["problem", "draw", *METHODS, "seconds"]


def draw_problem(name, draw):
    """Draw a feature, the treatment, and the donor of each cell."""
    rng = np.random.default_rng([draw, *map(ord, name)])
    groups = np.repeat(np.arange(N_DONORS), N_CELLS)
    treated = (rng.permutation(N_DONORS) < N_DONORS // 2)[groups]
    if name == "within":
        treated = rng.permutation(len(groups)) < len(groups) // 2
    x = rng.normal(size=N_DONORS)[groups] + rng.normal(size=len(groups))
    return x + (2.0 * treated if name == "effect" else 0.0), treated, groups


def run(path, n_draws, names):
    """Append the draws that the file does not hold yet."""
    done = {(row["problem"], row["draw"]) for row in rows(path)}
    for draw in range(n_draws):
        for name in names:
            if (name, str(draw)) in done:
                continue
            x, treated, groups = draw_problem(name, draw)
            start = time.process_time()
            kept = feature_tests(x[:, None], treated, groups=groups, random_state=draw)
            seconds = time.process_time() - start
            alone = feature_tests(x[::8, None], treated[::8])
            ranks = mannwhitneyu(x[treated], x[~treated]).pvalue
            found = [kept.p_values[0], alone.p_values[0], ranks]
            append(path, FIELDS, [name, draw, *found, f"{seconds:.3f}"])


def table(path):
    """Print the fraction of p-values of at most 5 %."""
    print("| problem | draws | " + " | ".join(METHODS) + " |")
    print("|" + "---|" * (2 + len(METHODS)))
    for name in PROBLEMS:
        own = [row for row in rows(path) if row["problem"] == name]
        cells = [f"{np.mean([float(row[m]) <= 0.05 for row in own]):.3f}" for m in METHODS]
        print(f"| {name} | {len(own)} | " + " | ".join(cells) + " |")
    print(f"CPU seconds: {np.median([float(row['seconds']) for row in rows(path)]):.2f}")


def main():
    """Run, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--problems", nargs="+", choices=PROBLEMS, default=list(PROBLEMS))
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    if given.table:
        table(given.path)
    else:
        run(given.path, given.draws, given.problems)


if __name__ == "__main__":
    main()
