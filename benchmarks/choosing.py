"""Does `hsieve.select` choose well? Writes the tables of docs/choosing.md.

    python benchmarks/choosing.py                     all data sets (two hours on 1 core)
    python benchmarks/choosing.py --only xor,housing   some of them

Each data set is cut into five folds. On the training samples of a fold the methods are tried as
`hsieve.select` does with 5 minutes; its choice is then fitted to the training samples, and so is
each of the methods with the number of features that its own trial gives, as if it were the only
one. All are judged by how a Gaussian machine predicts the fold that was held out. So "best single"
is the method that turned out best on that data set, known only afterwards. Sets of more than 1,000
samples are cut to 1,000. Finished sets are kept in ``bench-results/choosing.jsonl``; the page gets
all that are finished.
"""

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np

from hsieve.automatic.candidates import make_candidate
from hsieve.automatic.contest import hold_contest
from hsieve.automatic.rules import Choice, Situation, by_contest, least_of, make_plan, tried_sizes
from hsieve.data.collection import list_datasets, load_dataset
from hsieve.data.synthetic import PROBLEMS, make_problem
from hsieve.data.validation import target_kind_of
from hsieve.inference.feature_number import representative_rows
from hsieve.inference.gaussian_machine import held_out_score, validation_folds

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench-results" / "choosing.jsonl"
PAGE = ROOT / "docs" / "choosing.md"
SECONDS = 300.0
MOST_SAMPLES = 1000
METHODS = ("n3lars", "mrmr", "pairs", "l1-lsmi", "bahsic")
SYNTHETIC = tuple(PROBLEMS)
REAL = (
    "corral",
    "monk1",
    "parity5+5",
    "gametes_2way_20a_0.1h",
    "gametes_het50_20a",
    "gametes_2way_1000a_0.4h",
    "housing",
    "german",
    "sonar",
    "vehicle",
    "musk1",
    "tecator",
    "communities",
    "scheetz_trim32_500",
    "madelon",
    "khan",
    "colon",
    "TOX-171",
)


def load(name):
    """Features, target and true features, if they are known."""
    if name in PROBLEMS:
        problem = make_problem(name, random_state=1)
        return problem.X, problem.y, problem.relevant
    key = next(entry.key for entry in list_datasets() if entry.name == name)
    data = load_dataset(key)
    rows = representative_rows(data.y, MOST_SAMPLES)
    X = data.X[rows].astype(float)
    truth = data.relevant
    if truth is None:
        X = X[:, X.max(axis=0) > X.min(axis=0)]
    return X, data.y[rows], truth


def situation_of(y, n_features, kind):
    counts = np.unique(y, return_counts=True)[1] if kind == "classes" else None
    return Situation(
        len(y),
        n_features,
        kind,
        SECONDS,
        n_classes=None if counts is None else len(counts),
        rarest=None if counts is None else int(counts.min()),
    )


def candidate(name, kind):
    return make_candidate(name, categorical=(), target_kind=kind, random_state=0)


def choices_of(X, y, kind):
    """Choose on some samples, by all methods and by each alone."""
    situation = situation_of(y, X.shape[1], kind)
    plan = make_plan(situation)
    rows = representative_rows(y, plan.n_samples)
    started = time.process_time()
    contest = hold_contest(
        [candidate(name, kind) for name in plan.methods],
        X[rows],
        y[rows],
        sizes=tried_sizes(situation),
        kind=kind,
    )
    seconds = time.process_time() - started
    found = {"select": by_contest(contest, situation)}
    for standing in contest.standings:
        place = least_of(standing, contest)
        found[standing.method] = Choice(
            standing.method, int(standing.sizes[place]), float(standing.widths[place])
        )
    return found, seconds


def run_fold(X, y, fold, kind, truth):
    """Scores, numbers and true features found, for each way to choose."""
    training, _ = fold
    choices, seconds = choices_of(X[training], y[training], kind)
    rows, fitted = {}, {}
    for who, choice in choices.items():
        key = (choice.method, choice.number)
        if key not in fitted:
            selector = candidate(choice.method, kind).selector
            selector.set_params(n_features_to_select=choice.number)
            fitted[key] = selector.fit(X[training], y[training]).selected_indices_
        features = fitted[key]
        rows[who] = {
            "method": choice.method,
            "number": len(features),
            "score": held_out_score(X, y, fold, features, width=choice.width, target_kind=kind),
            "true": None if truth is None else int(np.isin(features, truth).sum()),
        }
    return {"rows": rows, "seconds": seconds}


def run_set(name):
    """One data set: all folds."""
    X, y, truth = load(name)
    kind = target_kind_of(y)
    folds = validation_folds(y, is_classes=kind == "classes", n_folds=5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runs = [run_fold(X, y, fold, kind, truth) for fold in folds]
    return {
        "name": name,
        "n": len(X),
        "d": X.shape[1],
        "kind": kind,
        "truth": None if truth is None else len(truth),
        "folds": runs,
    }


def finished():
    if not RESULTS.exists():
        return {}
    records = [json.loads(line) for line in RESULTS.read_text().splitlines()]
    return {record["name"]: record for record in records}


def mean_score(record, who):
    return float(np.mean([fold["rows"][who]["score"] for fold in record["folds"]]))


def row_of(record):
    """One line of the table."""
    ways = [who for who in METHODS if all(who in fold["rows"] for fold in record["folds"])]
    scores = {who: mean_score(record, who) for who in ways}
    best = max(scores, key=scores.get)
    chosen = [fold["rows"]["select"] for fold in record["folds"]]
    taken = {one["method"]: sum(o["method"] == one["method"] for o in chosen) for one in chosen}
    methods = ", ".join(f"{name} {times}" for name, times in sorted(taken.items()))
    numbers = sorted(one["number"] for one in chosen)
    found = ""
    if record["truth"]:
        share = np.mean([one["true"] for one in chosen]) / record["truth"]
        found = f"{share:.0%} of {record['truth']}"
    cells = [
        record["name"],
        f"{record['n']} x {record['d']}",
        methods,
        f"{numbers[0]} to {numbers[-1]}",
        f"{np.mean([one['score'] for one in chosen]):.3f}",
        f"{scores[best]:.3f} ({best})",
        f"{scores['n3lars']:.3f}",
        found,
        f"{np.mean([fold['seconds'] for fold in record['folds']]):.0f}",
    ]
    return "| " + " | ".join(cells) + " |"


def write_page(records):
    head, _, tail = PAGE.read_text().partition("<!-- choosing: begin -->")
    tail = tail.partition("<!-- choosing: end -->")[2]
    lines = [
        "<!-- choosing: begin -->",
        "| data | n x d | chosen, of 5 folds | features | select | best single | n3lars | "
        "true ones found | CPU s |",
        "|---|---|---|---|---|---|---|---|---|",
        *(row_of(record) for record in records),
        "<!-- choosing: end -->",
    ]
    PAGE.write_text(head + "\n".join(lines) + tail)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="names of data sets, with commas between them")
    only = parser.parse_args().only
    names = [*SYNTHETIC, *REAL] if only is None else only.split(",")
    RESULTS.parent.mkdir(exist_ok=True)
    done = finished()
    for name in names:
        if name not in done:
            done[name] = run_set(name)
            with RESULTS.open("a") as file:
                file.write(json.dumps(done[name]) + "\n")
        print(row_of(done[name]), flush=True)
    write_page([done[name] for name in (*SYNTHETIC, *REAL) if name in done])


if __name__ == "__main__":
    main()
