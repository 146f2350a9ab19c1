"""How often are two features that matter only together found? Writes docs/explanation/recovery.md.

    python benchmarks/recovery.py               the table of the documentation (an hour on 2 cores)
    python benchmarks/recovery.py --share 0.1   a tenth of the seeds, for a quick look

Each cell is a number of seeds 0, 1, 2, ... of ``hsieve.datasets.make_xor``; a run counts as
found if the two best features are exactly the two true ones. Finished cells are kept in
``bench-results/recovery.csv``, so that an interrupted run goes on where it was.
"""

import argparse
import csv
import time
from pathlib import Path

from hsieve import BAHSIC, kernels
from hsieve.datasets import make_xor

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench-results" / "recovery.csv"
PAGE = ROOT / "docs" / "explanation" / "recovery.md"
FIELDS = ("n", "d", "kind", "rule", "found", "seeds", "seconds")

RULES = {
    "default (narrow, 8 contexts)": BAHSIC,
    "narrow, 1 context": lambda k: BAHSIC(k, n_contexts=1),
    "median, 1 context": lambda k: BAHSIC(k, n_contexts=1, kernel_x=kernels.Gaussian("median")),
    "sqrt(d), 1 context": lambda k: BAHSIC(k, n_contexts=1, kernel_x=kernels.Gaussian("sqrt_d")),
    "maximise, 1 context, step 0.1 (paper)": lambda k: BAHSIC(
        k, n_contexts=1, step=0.1, kernel_x=kernels.Gaussian("maximise"), compensate=False
    ),
}
DEFAULT = "default (narrow, 8 contexts)"
KINDS = ("binary", "clustered", "clustered, noise too", "continuous")

# (n, d, kind, rule, seeds), the cells of the must-show list first
CELLS = [
    *((300, 200, kind, DEFAULT, 100) for kind in KINDS),
    (1000, 2000, "binary", DEFAULT, 20),
    (3000, 10000, "binary", DEFAULT, 10),
    *((300, 200, kind, rule, 20) for rule in list(RULES)[1:] for kind in KINDS),
    *((1000, 2000, kind, DEFAULT, 10) for kind in KINDS[1:]),
    *((1000, 2000, kind, rule, 5) for rule in list(RULES)[1:4] for kind in KINDS),
    (300, 2000, "binary", DEFAULT, 10),
    (300, 2000, "continuous", DEFAULT, 10),
]


def run_cell(cell):
    n, d, kind, rule, seeds = cell
    found, start = 0, time.perf_counter()
    for seed in range(seeds):
        options = {"kind": kind.split(",")[0], "noise": "same" if "," in kind else "gaussian"}
        problem = make_xor(n, d, random_state=seed, **options)
        chosen = RULES[rule](2).fit(problem.X, problem.y).selected_indices_
        found += sorted(chosen.tolist()) == problem.relevant.tolist()
    seconds = (time.perf_counter() - start) / seeds
    return dict(zip(FIELDS, (n, d, kind, rule, found, seeds, round(seconds, 2)), strict=True))


def finished():
    if not RESULTS.exists():
        return {}
    with RESULTS.open() as file:
        rows = list(csv.DictReader(file))
    return {(int(r["n"]), int(r["d"]), r["kind"], r["rule"], int(r["seeds"])): r for r in rows}


def write_page(rows):
    head = PAGE.read_text().split("<!-- table -->")[0]
    lines = [
        "<!-- table -->",
        "",
        "| n | d | xor of | rule | found | seconds a run |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {r['n']} | {r['d']} | {r['kind']} | {r['rule']} | {r['found']} of {r['seeds']} "
        f"| {r['seconds']} |"
        for r in rows
    ]
    PAGE.write_text(head + "\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--share", type=float, default=1.0, help="share of the seeds to run")
    share = parser.parse_args().share
    RESULTS.parent.mkdir(exist_ok=True)
    done, rows = finished(), []
    for *key, seeds in CELLS:
        cell = (*key, max(1, round(seeds * share)))
        if cell not in done:
            row = run_cell(cell)
            print(row, flush=True)
            new = not RESULTS.exists()
            with RESULTS.open("a", newline="") as file:
                writer = csv.DictWriter(file, FIELDS)
                if new:
                    writer.writeheader()
                writer.writerow(row)
            done[cell] = row
        rows.append(done[cell])
    if share == 1:
        write_page(rows)


if __name__ == "__main__":
    main()
