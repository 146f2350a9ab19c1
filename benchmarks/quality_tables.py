"""Tables on which selectors are judged: made ones with known features, and real ones.

A made table follows from its number alone. Its target is a sum of terms over the true features
(curves, waves, thresholds, products, gates), without noise, taken as it is or cut into classes,
some of them rare. Beside the true features there are noisy copies of them and columns of noise.
`HALVES` cuts all tables into one half for tuning and one for reporting; it does not depend on any
result.
"""

from dataclasses import dataclass, field

import numpy as np
from real_data import list_datasets, load_dataset

from hsieve.datasets import make_problem

N_MADE = 40
REAL = (
    "abalone",
    "ailerons",
    "alon",
    "bank32nh",
    "bodyfat",
    "christensen",
    "communities",
    "cpuact",
    "german",
    "glass",
    "gravier",
    "housing",
    "image",
    "ionosphere",
    "khan",
    "madelon",
    "musk1",
    "pol",
    "satimage",
    "scheetz_trim32_500",
    "segment",
    "solubility",
    "sonar",
    "tecator",
    "triazines",
    "vehicle",
    "vowel",
    "wine",
)
MOST_ROWS = 50_000


@dataclass(frozen=True)
class QualityTable:
    """Features, target, and the true features where they are known."""

    name: str
    X: np.ndarray
    y: np.ndarray
    kind: str
    true: frozenset | None = None
    copies: frozenset = frozenset()


@dataclass(frozen=True)
class Toy:
    """A small problem with known features, and the original of each copy."""

    X: np.ndarray
    y: np.ndarray
    kind: str
    true: set
    originals: dict = field(default_factory=dict)


TOYS = (
    "and-or",
    "quad",
    "xor-toy",
    "xor",
    "n3lars",
    "linear-weston",
    "nonlinear-weston",
    "zhang-sample",
    "zhang-feature",
)
KNOWN = (
    "gametes_2way_20a_0.1h",
    "gametes_2way_20a_0.4h",
    "gametes_2way_1000a_0.4h",
    "gametes_het50_20a",
    "monk1",
    "monk2",
    "parity5+5",
    "corral",
    "mofn_3_7_10",
    "xd6",
)


def toy_problems(seeds):
    """Return the problems of the papers, epistasis of three, and sets with known features."""
    toys = {name: [_toy(name, seed) for seed in seeds] for name in TOYS}
    toys["epistasis of 3 in 100"] = [_epistasis(seed, n_features=100) for seed in seeds]
    for name in KNOWN:
        data = load_dataset(f"interaction/{name}")
        X = data.X.astype(np.float64)
        toys[name] = [Toy(X, data.y, "classes", set(data.relevant.tolist()))]
    return toys


def _toy(name, seed):
    problem = make_problem(name, random_state=seed)
    originals = {copy: of for of, copies in problem.copies.items() for copy in copies}
    return Toy(problem.X, problem.y, problem.target_kind, set(problem.relevant.tolist()), originals)


def _epistasis(seed, *, n_features, order=3, n_samples=800):
    """Make a case of an odd number of mixed genotypes among some, and turn a fifth around."""
    rng = np.random.default_rng(seed)
    X = rng.binomial(2, 0.5, size=(n_samples, n_features)).astype(float)
    odd = (X[:, :order] == 1).sum(axis=1) % 2
    y = np.where(rng.uniform(size=n_samples) < 0.2, 1 - odd, odd).astype(int)
    return Toy(X, y, "classes", set(range(order)))


CURVES = (
    lambda x: x,
    lambda x: x**2,
    np.abs,
    lambda x: np.sin(2.5 * x),
    lambda x: (x > 0.4).astype(float),
    lambda x: np.exp(0.8 * np.clip(x, -3, 3)),
    lambda x: np.where(np.abs(x) < 0.8, 1.0, 0.0),
    np.tanh,
)
PAIRS = (
    lambda a, b: a * b,
    lambda a, b: np.where(a > 0, b, 0.0),
    np.maximum,
    lambda a, b: ((a > 0) ^ (b > 0)).astype(float),
    lambda a, b: np.sin(a + b),
    np.hypot,
)


def made_table(number):
    """Make one table.

    Parameters
    ----------
    number : int
        All that is random follows from it.
    """
    rng = np.random.default_rng([20_261_118, number])
    n = int(np.exp(rng.uniform(np.log(1_000), np.log(MOST_ROWS))))
    d = int(np.exp(rng.uniform(np.log(4), np.log(200))))
    n_true = int(np.clip(round(d * rng.uniform(0.1, 0.6)), 2, 39))
    n_copies = min(int(rng.integers(0, n_true + 1)), d - n_true)
    base = _features(rng, n, d - n_copies)
    signal = _signal(rng, base[:, :n_true])
    origins = rng.permutation(n_true)[:n_copies]
    strength = rng.uniform(0.8, 0.99, n_copies)
    copies = strength * base[:, origins]
    copies += np.sqrt(1 - strength**2) * rng.normal(size=(n, n_copies))
    order = rng.permutation(d)
    X = _margins(rng, np.hstack([base, copies]))[:, order]
    place = np.argsort(order)
    kind = "continuous" if rng.uniform() < 0.4 else "classes"
    y = signal if kind == "continuous" else _classes(rng, signal)
    return QualityTable(
        f"made-{number:02d}",
        X,
        y,
        kind,
        frozenset(place[:n_true].tolist()),
        frozenset(place[d - n_copies :].tolist()),
    )


def real_table(name):
    """Load a table of the collection, with its rows in random order and no constant column."""
    key = next(entry.key for entry in list_datasets() if entry.name == name)
    data = load_dataset(key)
    rows = np.random.default_rng(0).permutation(len(data.y))
    X, y = data.X[rows].astype(np.float64), data.y[rows]
    kind = "classes" if y.dtype.kind in "iu" else "continuous"
    return QualityTable(name, X[:, X.max(axis=0) > X.min(axis=0)], y, kind)


def table(name):
    """Make or load a table by its name."""
    return made_table(int(name[5:])) if name.startswith("made-") else real_table(name)


def _halves():
    rng = np.random.default_rng(2007)
    halves = {"tuning": [], "reporting": []}
    for names in ([f"made-{number:02d}" for number in range(N_MADE)], list(REAL)):
        mixed = rng.permutation(names).tolist()
        halves["tuning"] += sorted(mixed[::2])
        halves["reporting"] += sorted(mixed[1::2])
    return halves


HALVES = _halves()


def _features(rng, n, d):
    """Draw normal features, in half of the tables with shared factors."""
    own = rng.normal(size=(n, d))
    if rng.uniform() < 0.5:
        return own
    n_factors = max(1, d // 5)
    loadings = rng.normal(size=(n_factors, d)) / np.sqrt(n_factors)
    mixed = np.sqrt(0.75) * own + np.sqrt(0.25) * rng.normal(size=(n, n_factors)) @ loadings
    return mixed / mixed.std(axis=0)


def _signal(rng, base):
    """Add up terms over the features, each feature in one term, with weights of 0.5 to 1.5."""
    left, total = list(range(base.shape[1])), np.zeros(len(base))
    while left:
        if len(left) > 1 and rng.uniform() < 0.3:
            first, second = left.pop(0), left.pop(0)
            term = PAIRS[rng.integers(len(PAIRS))](base[:, first], base[:, second])
        else:
            term = CURVES[rng.integers(len(CURVES))](base[:, left.pop(0)])
        total += rng.uniform(0.5, 1.5) * (term - term.mean()) / term.std()
    return total


def _classes(rng, signal):
    """Cut a signal into classes, in half of the tables with one that is rare."""
    n_classes = int(rng.integers(2, 7))
    fractions = rng.dirichlet(np.full(n_classes, 4.0))
    if rng.uniform() < 0.5:
        fractions *= 1 - rng.uniform(0.02, 0.05)
        fractions[-1] += 1 - fractions.sum()
        rare = rng.uniform(0.02, 0.05)
        fractions = np.append(fractions[:-2], [fractions[-2:].sum() - rare, rare])
    edges = np.quantile(signal, np.cumsum(fractions)[:-1])
    return np.searchsorted(edges, signal)


def _margins(rng, X):
    """Give each column one of several laws, by a monotone function."""
    laws = (
        lambda x: x,
        lambda x: 5 + 100 * x,
        lambda x: np.exp(0.7 * x),
        np.arctan,
        lambda x: np.round(4 * x),
        lambda x: np.sign(x) * np.abs(x) ** 1.5,
    )
    return np.column_stack([laws[rng.integers(len(laws))](column) for column in X.T])
