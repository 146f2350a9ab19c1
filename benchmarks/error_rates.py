"""False discoveries and power of KnockoffSelector over many draws of made problems.

    python benchmarks/error_rates.py results.csv --draws 200
    python benchmarks/error_rates.py results.csv --table

Each line of the file is one draw of one problem by one method; a run that was interrupted goes on
where it ended, and draws of all problems come in turn, so that a table can be printed at any time.
The features that matter are known. Both rates use the same knockoffs and the same ranking.
"""

import argparse
import time
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
from draws_file import append, rows

from hsieve import N3LARS, KernelPursuit, KnockoffSelector
from hsieve.exceptions import NothingFoundWarning
from hsieve.inference.knockoff_filter import e_values, selected_by_e_values

RATES = (0.1, 0.2)
# Standard deviation of the noise, as a fraction of that of the signal.
NOISE = 0.5
# Samples, features, features that matter.
SHAPES = ((1000, 200, 20), (300, 200, 10), (500, 1000, 10))
EFFECTS = ("linear", "even", "waves", "mixed")
METHODS = {"pursuit": KernelPursuit(interactions=None), "n3lars": N3LARS(60)}
FIELDS = ["features", "effect", "n", "d", "k", "method", "draw", "seconds"]
FIELDS += [f"{what}_{rate:g}" for rate in RATES for what in ("selected", "false")]


def chain(rng, n, d, correlation=0.5):
    """Gaussian features, each correlated with the one before."""
    X = rng.normal(size=(n, d))
    for j in range(1, d):
        X[:, j] = correlation * X[:, j - 1] + np.sqrt(1 - correlation**2) * X[:, j]
    return X


def genotypes(rng, n, d):
    """Two chromosomes of each person, neighbours on them correlated."""
    frequencies = rng.uniform(0.1, 0.5, d)
    cuts = np.quantile(rng.normal(size=100_000), frequencies)
    return sum((chain(rng, n, d, 0.7) < cuts).astype(float) for _ in range(2))


def blocks(rng, n, d, correlation=0.6, size=10):
    """Blocks of ten features of one common factor."""
    common = np.repeat(rng.normal(size=(n, d // size)), size, axis=1)
    return np.sqrt(correlation) * common + np.sqrt(1 - correlation) * rng.normal(size=(n, d))


FEATURES = {
    "chain": chain,
    "lognormal": lambda rng, n, d: np.exp(chain(rng, n, d)),
    "genotypes": genotypes,
    "blocks": blocks,
}


def problem(features, effect, shape, draw):
    """Features, target, and the features that matter."""
    n, d, k = shape
    rng = np.random.default_rng([draw, n, d, *map(ord, features + effect)])
    X = FEATURES[features](rng, n, d)
    true = rng.choice(d, k, replace=False)
    Z = np.log(X[:, true]) if features == "lognormal" else X[:, true]
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    straight = Z * rng.choice([-1, 1], k)
    even = np.abs(Z) - np.abs(Z).mean(axis=0)
    waves = np.where(np.arange(k) % 2, np.sin(2 * Z), np.cos(2 * Z))
    part = np.arange(k) % 3
    mixed = np.where(part == 0, straight, np.where(part == 1, 1.5 * even, 1.5 * waves))
    effects = {"linear": straight, "even": even, "waves": waves, "mixed": mixed}
    signal = effects[effect].sum(axis=1)
    return X, signal + NOISE * signal.std() * rng.normal(size=n), true


def cases():
    """All problems; margins and correlations other than the usual ones at one shape."""
    for shape in SHAPES:
        for effect in EFFECTS:
            yield "chain", effect, *shape
    for features in ("lognormal", "genotypes", "blocks"):
        effects = ("linear",) if features == "genotypes" else ("mixed",)
        for effect in effects:
            yield features, effect, *SHAPES[0]


def run(path, n_draws, methods, most_features):
    """Append the draws that the file does not hold yet."""
    done = {tuple(row[name] for name in FIELDS[:7]) for row in rows(path)}
    for draw in range(n_draws):
        for case in cases():
            for method in methods:
                key = (*map(str, case), method, str(draw))
                if key in done or case[3] > most_features:
                    continue
                X, y, true = problem(*case[:2], case[2:], draw)
                start = time.process_time()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", NothingFoundWarning)
                    selection = KnockoffSelector(METHODS[method], random_state=draw).fit(X, y)
                result = [f"{time.process_time() - start:.2f}"]
                for rate in RATES:
                    chosen = selected_by_e_values(e_values(selection.statistics_, rate), rate)
                    result += [len(chosen), len(np.setdiff1d(chosen, true))]
                append(path, FIELDS, [*key, *result])


def table(path):
    """Print mean rate of false discoveries, its standard error, and power."""
    groups = defaultdict(list)
    for row in rows(path):
        groups[tuple(row[name] for name in FIELDS[:6])].append(row)
    heads = [f"FDR at {rate:g} | power" for rate in RATES]
    print(
        "| features | effect | n x d, true | method | draws | " + " | ".join(heads) + " | CPU s |"
    )
    print("|" + "---|" * (6 + 2 * len(RATES)))
    for (features, effect, n, d, k, method), found in sorted(groups.items()):
        cells = [features, effect, f"{n} x {d}, {k}", method, str(len(found))]
        for rate in RATES:
            selected = np.array([int(row[f"selected_{rate:g}"]) for row in found])
            false = np.array([int(row[f"false_{rate:g}"]) for row in found])
            fractions = false / np.maximum(1, selected)
            error = fractions.std() / np.sqrt(len(found))
            cells += [f"{fractions.mean():.3f} ± {error:.3f}"]
            cells += [f"{np.mean(selected - false) / int(k):.2f}"]
        cells.append(f"{np.median([float(row['seconds']) for row in found]):.1f}")
        print("| " + " | ".join(cells) + " |")


def main():
    """Run, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--most-features", type=int, default=1000)
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    if given.table:
        table(given.path)
    else:
        run(given.path, given.draws, given.methods, given.most_features)


if __name__ == "__main__":
    main()
